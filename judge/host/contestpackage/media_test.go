package contestpackage

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"assay/judge/blob"
	"assay/judge/host/media"
	"assay/judge/host/store"
)

// TestPlanMedia checks that a plan lists new and changed files, and keeps files that the package lacks. Each file
// must belong to an object.
func TestPlanMedia(t *testing.T) {
	now := server()
	now.Contest = &store.Contest{ID: "contest", Slug: "spring", Name: "Spring", Format: store.ICPC, Length: 1e12}
	now.Organizations = []store.Organization{{ID: "u1", Name: "U1"}}
	now.Groups = []store.Group{{ID: "g", Name: "G"}}
	now.Teams = []*store.Team{{ExtID: "7", Name: "Seven"}}
	now.Persons = []*store.ContestPerson{{ID: "p", Name: "P", Role: "other"}}
	for _, path := range []string{"organizations/u1/logo.png", "organizations/u1/logo.56x56.png", "teams/7/photo.png"} {
		at, _, err := media.Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		now.Media = append(now.Media, media.File{Place: at, Digest: blob.DigestOf([]byte(path)), Scaled: strings.Contains(path, "56x56")})
	}
	for name, tt := range map[string]struct {
		paths []string // text after a blank replaces the content
		want  string
	}{
		"none":     {nil, ""},
		"the same": {[]string{"organizations/u1/logo.png", "teams/7/photo.png"}, ""},
		"changed":  {[]string{"organizations/u1/logo.png x", "teams/7/photo.png"}, "changed organizations/u1/logo.png"},
		"new": {[]string{"teams/7/photo.png", "contest/banner.svg", "groups/g/logo.png", "persons/p/photo.jpg", "teams/8/photo.png",
			"organizations/u1/logo.png"}, "added contest/banner.svg, added groups/g/logo.png, added persons/p/photo.jpg, added teams/8/photo.png"},
		"of new": {[]string{"groups/h/logo.png", "persons/r/photo.jpg", "organizations/u2/logo.png", "teams/7/photo.png",
			"organizations/u1/logo.png"},
			"added groups/h/logo.png, added persons/r/photo.jpg, added organizations/u2/logo.png"},
		"scaled": {[]string{"organizations/u1/logo.56x56.png", "organizations/u1/logo.png", "teams/7/photo.png"},
			"added organizations/u1/logo.56x56.png"},
		"missing":   {[]string{"teams/7/photo.png"}, "missing organizations/u1/logo.png"},
		"no team":   {[]string{"teams/9/photo.png"}, `neither the package nor the contest has the object "9" in teams`},
		"no person": {[]string{"persons/x/photo.png"}, `the object "x" in persons`},
		"no group":  {[]string{"groups/x/logo.png"}, `the object "x" in groups`},
		"no school": {[]string{"organizations/x/logo.png"}, `the object "x" in organizations`},
	} {
		p, err := Read(texts(map[string]string{
			"teams.json": `[{"id": "7", "name": "Seven"}, {"id": "8", "name": "Eight"}]`, "groups.json": `[{"id": "h", "name": "H"}]`,
			"organizations.json": `[{"id": "u2", "name": "U2"}]`, "persons.json": `[{"id": "r", "name": "R", "role": "other"}]`,
		}))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range tt.paths {
			path, other, _ := strings.Cut(path, " ")
			if fault := p.AddMedia(path, blob.DigestOf([]byte(path+other)), 9); fault != nil {
				t.Fatal(fault)
			}
		}
		plan, err := PlanImport(context.Background(), p, "spring", now)
		if err != nil {
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		var got []string
		changes := 0
		for _, l := range plan.Lines {
			if l.Kind != "file" {
				continue
			}
			if got = append(got, fmt.Sprint(l.State, " ", l.ID)); l.State != Missing {
				changes++
			}
		}
		if strings.Join(got, ", ") != tt.want || len(plan.Media) != changes {
			t.Errorf("%s: %q and %d files, want %q", name, got, len(plan.Media), tt.want)
		}
	}
	for path, size := range map[string]int64{"x.png": 1, "teams/7/x.png": 1, "teams/7/photo.gif": 1, "teams/7/photo.png": media.MaxBytes + 1} {
		if fault := (&Package{}).AddMedia(path, "", size); fault == nil || fault.File != path {
			t.Errorf("%s with %d bytes: %v", path, size, fault)
		}
	}
}
