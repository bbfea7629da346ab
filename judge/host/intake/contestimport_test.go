package intake_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"

	"assay/judge/blob"
	"assay/judge/host/auth"
	"assay/judge/host/contestpackage"
	"assay/judge/host/intake"
	"assay/judge/host/media"
	"assay/judge/host/store"
)

// picture returns a PNG.
func picture(width, height int) []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)))
	return b.Bytes()
}

// TestImportContest checks that an import creates the objects of a package, and that importing the package again changes
// nothing. It also checks which packages are refused. A refused package must change nothing.
func TestImportContest(t *testing.T) {
	d := newDoor(t)
	d.CollectLock = &sync.RWMutex{}
	files := map[string][]byte{
		"contest.yaml":       []byte("id: spring\nname: Spring\nstart_time: 2026-12-01T10:00:00Z\nduration: 5:00:00\n"),
		"groups.json":        []byte(`[{"id": "n", "name": "North", "type": "site"}]`),
		"organizations.json": []byte(`[{"id": "u", "name": "Uni", "formal_name": "University"}]`),
		"teams.json":         []byte(`[{"id": "7", "name": "Seven", "group_ids": ["n"], "organization_id": "u"}]`),
		"persons.json":       []byte(`[{"id": "p", "name": "Pat", "role": "contestant", "team_ids": ["7"]}]`),
		"accounts.json": []byte(`[{"id": "a", "username": "seven", "type": "team", "team_id": "7", "password": "correct-horse"},
			{"id": "b", "username": "boss", "type": "judge"}]`),
	}
	p, err := contestpackage.Read(files)
	d.must(err)
	logo, err := media.New(media.Place{Type: media.Organizations, Object: "u", Property: media.Logo, Filename: "logo.png"}, picture(200, 100))
	d.must(err)
	if fault := p.AddMedia(logo.Path(), logo.Digest, logo.Size); fault != nil {
		t.Fatal(fault)
	}
	admin, passwords := d.who["admin"], auth.NewPasswords()
	d.must(d.StoreBlob(t.Context(), admin, picture(200, 100)))
	state := func() string {
		c, err := d.Store.ContestBySlug(t.Context(), "spring")
		if errors.Is(err, store.ErrNotFound) {
			return "none"
		}
		d.must(err)
		now, err := intake.CurrentContest(t.Context(), d.Store, c)
		d.must(err)
		log, err := d.Store.LatestAuditEntries(t.Context(), "", 10)
		d.must(err)
		return fmt.Sprintln(len(now.Organizations), len(now.Groups), len(now.Teams), len(now.Persons), len(now.ListedAccounts), len(now.Media),
			slices.Sorted(maps.Values(now.Roles)), len(log))
	}
	outdated := func(n *intake.ContestImport) {
		c, err := d.Store.ContestBySlug(t.Context(), "spring")
		d.must(err)
		c.Revision--
		n.Import.Contest = c
	}
	const imported = "1 1 1 1 2 3 [ judge] 3\n" // the logo has two sizes more
	for _, tt := range []struct {
		name    string
		data    []byte                      // of the logo, when it is read
		earlier func(*intake.ContestImport) // happens after the plan is made
		changes int                         // lines of the report
		created string
		refused bool
		want    string
	}{
		{"a file that is not there", nil, nil, 8, "", true, "none"},
		{"a file that is not a picture", []byte("none"), nil, 8, "", true, "none"},
		{"the first time", picture(200, 100), nil, 8, "seven boss ", false, imported},
		{"again", nil, nil, 0, "", false, "1 1 1 1 2 3 [ judge] 4\n"},
		{"changed at the same time", nil, outdated, 0, "", true, "1 1 1 1 2 3 [ judge] 4\n"},
	} {
		n, err := d.PlanContest(t.Context(), p, "", passwords)
		d.must(err)
		if n.Slug != "spring" || len(n.Lines) != tt.changes || n.Empty() != (tt.changes == 0) {
			t.Errorf("%s: %s has the changes %+v", tt.name, n.Slug, n.Lines)
		}
		if tt.earlier != nil {
			tt.earlier(n)
		}
		read := func(media.File) ([]byte, error) {
			if tt.data == nil {
				return nil, &intake.Refusal{Code: http.StatusBadRequest}
			}
			return tt.data, nil
		}
		hashed := 0
		sheets, err := d.ImportContest(t.Context(), n, admin, store.AuditEntry{Actor: admin.ID}, passwords, read,
			func(done, all int) { hashed = all - done })
		created := ""
		for _, sheet := range sheets {
			created += sheet.Login + " "
			a, err := d.Store.AccountByLogin(t.Context(), sheet.Login)
			d.must(err)
			if matches, err := passwords.Check(t.Context(), sheet.Password, a.Password); !matches ||
				sheet.Login == "seven" && sheet.Password != "correct-horse" {
				t.Errorf("%s: the password of %s is not %q: %v", tt.name, sheet.Login, sheet.Password, err)
			}
		}
		if got := state(); (err != nil) != tt.refused || got != tt.want || created != tt.created || hashed != 0 {
			t.Errorf("%s: %v, %q and the accounts %q, want %q and %q", tt.name, err, got, created, tt.want, tt.created)
		}
	}
}

// TestSlugOfImport checks that an import needs a slug, which is the id in the package if the caller names none.
func TestSlugOfImport(t *testing.T) {
	d := newDoor(t)
	for _, tt := range []struct {
		id, slug string
		want     string // empty if the import is refused
	}{
		{"", "", ""}, {"", "summer", "summer"}, {"", "Summer!", ""}, {"id: spring", "", "spring"}, {"id: spring", "summer", "summer"},
		{"id: spring", "Summer!", ""},
	} {
		p, err := contestpackage.Read(map[string][]byte{
			"contest.yaml": []byte(tt.id + "\nname: Spring\nstart_time: 2026-12-01T10:00:00Z\nduration: 5:00:00\n"),
		})
		d.must(err)
		n, err := d.PlanContest(t.Context(), p, tt.slug, auth.NewPasswords())
		if got, text := code(t, err); (got == http.StatusOK) != (tt.want != "") || n != nil && n.Slug != tt.want {
			t.Errorf("%q as %q: %d %q, want the slug %q", tt.id, tt.slug, got, text, tt.want)
		}
	}
}

// TestWithScaled checks that new pictures get their other sizes, which are stored, and which pictures of the contest count.
func TestWithScaled(t *testing.T) {
	d := newDoor(t)
	file := func(typ, property, name string, width, height int) media.File {
		f, err := media.New(media.Place{Type: typ, Object: "1", Property: property, Filename: name}, picture(width, height))
		d.must(err)
		d.must(d.StoreBlob(t.Context(), d.who["admin"], picture(width, height)))
		return f
	}
	large, small := file(media.Groups, media.Logo, "logo.png", 200, 200), file(media.Groups, media.Logo, "logo.56x56.png", 56, 56)
	photo, replaced := file(media.Teams, "photo", "photo.png", 300, 200), file(media.Groups, media.Logo, "logo.png", 160, 160)
	lost, err := media.New(media.Place{Type: media.Groups, Object: "1", Property: media.Logo, Filename: "logo.png"}, picture(90, 90))
	d.must(err)
	for _, tt := range []struct {
		name            string
		existing, added []media.File
		want            string
	}{
		{"a logo", nil, []media.File{large}, "200 56 160"},
		{"two logos", nil, []media.File{large, small}, "200 56 160"},
		{"a logo beside another", []media.File{small}, []media.File{large}, "200 160"},
		{"a logo instead of another", []media.File{replaced}, []media.File{large}, "200 56 160"},
		{"a photo", []media.File{large}, []media.File{photo}, "300"},
		{"a photo and a logo", nil, []media.File{photo, large}, "300 200 56 160"},
		{"nothing", []media.File{large}, nil, ""},
		{"a file without bytes", nil, []media.File{lost}, "error"},
	} {
		all, err := d.WithScaled(t.Context(), d.who["admin"], tt.existing, tt.added)
		got := ""
		for i, f := range all {
			if i > 0 {
				got += " "
			}
			got += fmt.Sprint(f.Width)
			if f.Scaled != (i >= len(tt.added)) || !has(t, d.Blobs, f.Digest, f.Size) {
				t.Errorf("%s: the file %+v is generated %v, or not stored", tt.name, f, f.Scaled)
			}
		}
		if err != nil {
			got = "error"
		}
		if got != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
	for range 2 {
		if sum, err := d.MD5(large.Digest, large.Size); err != nil || sum != large.MD5 {
			t.Errorf("the MD5 digest is %q, %v, want %q", sum, err, large.MD5)
		}
	}
	if sum, err := d.MD5(blob.DigestOf([]byte("lost")), 4); err == nil {
		t.Errorf("the MD5 digest of no file is %q", sum)
	}
}
