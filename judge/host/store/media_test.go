package store_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"assay/judge/blob"
	"assay/judge/host/media"
	"assay/judge/host/store"
)

// TestMedia checks that the files of a contest are replaced and removed together with their scaled versions. They
// are also removed with a person, a team or the contest.
func TestMedia(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		contest, _, err := h.ImportContest(t.Context(), &store.ContestImport{
			Contest: &store.Contest{Slug: "wf", Name: "WF", Format: store.ICPC, Starts: h.clock.Now(), Length: time.Hour,
				Visibility: store.VisibilityPublic},
			Organizations: []store.Organization{{ID: "u1", Name: "U1"}},
			Teams:         []store.Team{{ExtID: "7", Name: "Seven"}, {ExtID: "8", Name: "Eight"}},
			Persons: []store.ContestPerson{{ID: "p1", Name: "Ada", Role: "contestant", Teams: []string{"7"}},
				{ID: "p2", Name: "Bob", Role: "contestant", Teams: []string{"8"}},
				{ID: "coach", Name: "Alice", Role: "coach", Teams: []string{"7", "8"}}},
			Accounts: []store.ImportedAccount{{ID: "a", Type: "team", Team: "7", Person: "coach", Account: h.alice}},
			Media:    []media.File{file(t, "contest/banner.svg")},
		})
		if err != nil {
			t.Fatal(err)
		}
		expect := func(want ...string) {
			t.Helper()
			var got []string
			for _, f := range must(h.Media(t.Context(), contest))(t) {
				got = append(got, f.Path())
				if whole := file(t, f.Path()); f.Digest != whole.Digest || f.Size != whole.Size || f.MD5 != whole.MD5 || f.Kind != whole.Kind ||
					!slices.Equal(f.Tags, whole.Tags) || f.Property != whole.Property {
					t.Errorf("%+v, want %+v", f, whole)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("the files are %q, want %q", got, want)
			}
			named := must(h.ReferencedBlobs(t.Context()))(t)
			for _, path := range want {
				if _, is := named[file(t, path).Digest]; !is {
					t.Errorf("nothing names %s", path)
				}
			}
		}
		change := func(want error, gone []string, files ...media.File) {
			t.Helper()
			var places []media.Place
			for _, path := range gone {
				places = append(places, file(t, path).Place)
			}
			before := must(h.Contest(t.Context(), contest))(t).LastSeq
			if err := h.ChangeMedia(t.Context(), contest, places, files); !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
			if now := must(h.Contest(t.Context(), contest))(t).LastSeq; (now > before) != (want == nil) {
				t.Errorf("the log went from %d to %d", before, now)
			}
		}
		const logo, dark, small, other = "organizations/u1/logo.png", "organizations/u1/logo.dark.png",
			"organizations/u1/logo.56x56.png", "organizations/u1/logo.160x160.png"
		scaled := func(path string) media.File {
			f := file(t, path)
			f.Scaled = true
			return f
		}
		expect("contest/banner.svg")
		change(nil, nil, file(t, logo), scaled(small), file(t, "teams/7/photo.png"), file(t, "teams/8/photo.png"),
			file(t, "persons/p1/photo.png"),
			file(t, "persons/p2/photo.png"), file(t, "persons/coach/photo.png"))
		people := []string{"persons/coach/photo.png", "persons/p1/photo.png", "persons/p2/photo.png", "teams/7/photo.png", "teams/8/photo.png"}
		expect(append([]string{"contest/banner.svg", small, logo}, people...)...)
		change(nil, nil, file(t, dark), scaled(other))
		expect(append([]string{"contest/banner.svg", other, dark, logo}, people...)...)
		change(nil, []string{dark})
		expect(append([]string{"contest/banner.svg", logo}, people...)...)
		change(store.ErrNotFound, []string{dark}, file(t, small))
		expect(append([]string{"contest/banner.svg", logo}, people...)...)

		blobs := must(h.Erase(t.Context(), h.alice.ID))(t)
		for _, path := range []string{"persons/coach/photo.png", "persons/p1/photo.png", "teams/7/photo.png"} {
			if !slices.Contains(blobs, file(t, path).Digest) {
				t.Errorf("%s is not erased: %v", path, blobs)
			}
		}
		expect("contest/banner.svg", logo, "persons/p2/photo.png", "teams/8/photo.png")
		for _, team := range must(h.Teams(t.Context(), contest))(t) {
			if err := h.RemoveTeams(t.Context(), contest, []string{team.ID}); err != nil {
				t.Fatal(err)
			}
		}
		expect("contest/banner.svg", logo)
		h.clock.add(2 * time.Hour)
		c := must(h.Contest(t.Context(), contest))(t)
		if err := h.Finalize(t.Context(), c, nil); err != nil {
			t.Fatal(err)
		}
		change(store.ErrResultsPublic, nil, file(t, small))
		if err := h.RemoveContest(t.Context(), must(h.Contest(t.Context(), contest))(t)); err != nil {
			t.Errorf("remove the contest: %v", err)
		}
	})
}

// file returns a file with a size and a unique digest.
func file(t *testing.T, path string) media.File {
	t.Helper()
	at, is, err := media.Parse(path)
	if err != nil || !is {
		t.Fatal(path, err)
	}
	f := media.File{Place: at, Kind: media.Kind{Mime: media.PNG, Width: 10 + len(path), Height: 20}, Digest: blob.DigestOf([]byte(path)),
		Size: int64(len(path)), MD5: media.MD5Sum([]byte(path))}
	if path == "organizations/u1/logo.dark.png" {
		f.Tags = []string{"dark"}
	}
	return f
}
