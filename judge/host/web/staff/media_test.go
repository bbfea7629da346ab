package staff_test

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"assay/judge/host/media"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

func drawn(width, height int) string {
	var out bytes.Buffer
	_ = png.Encode(&out, image.NewGray(image.Rect(0, 0, width, height)))
	return out.String()
}

// TestMediaPage checks that an administrator can upload logos and photos, which replace files with the same tag,
// and can remove them.
func TestMediaPage(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("spring", -time.Minute, store.VisibilityPublic, store.Settings{})
	team := webtest.Must[*store.Team](t)(h.Store.Enter(t.Context(), c.ID, h.Accounts["ada"]))
	if _, _, err := h.Store.ImportContest(t.Context(),
		&store.ContestImport{ID: c.ID, Organizations: []store.Organization{{ID: "u0", Name: "U0"},
			{ID: "u1", Name: "U1" + webtest.HostileMarkup}},
			Groups: []store.Group{{ID: "g", Name: "North"}}, Persons: []store.ContestPerson{{ID: "p", Name: "Ada", Role: "staff"}}}); err != nil {
		t.Fatal(err)
	}
	const page = "/c/spring/media"
	admin := h.Cookie("admin")
	send := func(object, property, tag, data string, code int, want string) {
		t.Helper()
		files := map[string]string{}
		if data != "" {
			files["file"] = data
		}
		got := h.Upload(admin, page, map[string]string{"object": object, "property": property, "tag": tag}, files)
		if got.Code != code || !strings.Contains(got.Body, want) {
			t.Errorf("%s %s: %d, want %d with %q\n%s", object, property, got.Code, code, want, got.Body)
		}
		if code == 400 {
			webtest.CheckHTML(t, page, got.Body)
		}
	}
	expect := func(want ...string) {
		t.Helper()
		var got []string
		for _, f := range webtest.Must[[]media.File](t)(h.Store.Media(t.Context(), c.ID)) {
			got = append(got, f.Path())
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("the files are %q, want %q", got, want)
		}
	}
	if got := h.Fetch(admin, "GET", page, nil); got.Code != 200 || !strings.Contains(got.Body, "No files yet") {
		t.Errorf("%d\n%s", got.Code, got.Body)
	}
	svg := `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="10"/>`
	send("organizations/u0", "logo", "", drawn(200, 200), 303, "")
	send("organizations/u1", "logo", "", drawn(90, 90), 303, "")
	send("organizations/u1", "logo", "dark", drawn(90, 45), 303, "")
	send("contest/", "banner", "", svg, 303, "")
	send("contest/", "problemset", "", "%PDF-1.7 x", 303, "")
	send("groups/g", "logo", "", drawn(300, 300), 303, "")
	send("teams/"+team.ExtID, "photo", "", drawn(3, 4), 303, "")
	send("persons/p", "photo", "", drawn(4, 4), 303, "")
	rest := []string{"persons/p/photo.4x4.png", "teams/" + team.ExtID + "/photo.3x4.png"}
	expect(append([]string{"contest/banner.80x10.svg", "contest/problemset.pdf", "groups/g/logo.160x160.png", "groups/g/logo.300x300.png",
		"groups/g/logo.56x56.png",
		"organizations/u0/logo.160x160.png", "organizations/u0/logo.200x200.png", "organizations/u0/logo.56x56.png",
		"organizations/u1/logo.160x160.png", "organizations/u1/logo.160x80.dark.png",
		"organizations/u1/logo.56x28.dark.png", "organizations/u1/logo.56x56.png", "organizations/u1/logo.90x45.dark.png",
		"organizations/u1/logo.90x90.png"}, rest...)...)
	send("organizations/u1", "logo", "", drawn(80, 80), 303, "")
	send("organizations/u1", "logo", "dark", drawn(90, 46), 303, "")
	want := append([]string{"contest/banner.80x10.svg", "contest/problemset.pdf", "groups/g/logo.160x160.png", "groups/g/logo.300x300.png",
		"groups/g/logo.56x56.png",
		"organizations/u0/logo.160x160.png", "organizations/u0/logo.200x200.png", "organizations/u0/logo.56x56.png",
		"organizations/u1/logo.160x160.png", "organizations/u1/logo.160x82.dark.png",
		"organizations/u1/logo.56x29.dark.png", "organizations/u1/logo.56x56.png", "organizations/u1/logo.80x80.png",
		"organizations/u1/logo.90x46.dark.png"}, rest...)
	expect(want...)
	send("organizations/u2", "logo", "", svg, 400, "no such object")
	send("organizations/u1", "photo", "", svg, 400, "have no such files")
	send("contest/", "photo", "", svg, 400, "have no such files")
	send("organizations/u1", "logo", "a b", svg, 400, "the tag has other characters")
	send("organizations/u1", "logo", "56x56", svg, 400, "is a size")
	send("organizations/u1", "logo", "", "", 400, "choose a file")
	send("organizations/u1", "logo", "", "GIF89a", 400, "not a picture")
	send("contest/", "problemset", "", svg, 400, "not a PDF")
	expect(want...)

	got := h.Fetch(admin, "GET", page, nil)
	webtest.CheckHTML(t, page, got.Body)
	for _, want := range []string{"logo.80x80.png", "90 × 46", "All problems as a PDF", "North"} {
		if !strings.Contains(got.Body, want) {
			t.Errorf("no %s in\n%s", want, got.Body)
		}
	}
	if strings.Contains(got.Body, "160x160") {
		t.Errorf("scaled files are listed:\n%s", got.Body)
	}
	for _, path := range []string{"organizations/u1/logo.80x80.png", "organizations/u1/logo.80x80.png", "organizations/u1/logo.160x160.png",
		"none"} {
		if got := h.Upload(admin, page, map[string]string{"remove": path}, nil); got.Code != 303 {
			t.Errorf("remove %s: %d\n%s", path, got.Code, got.Body)
		}
	}
	expect(append([]string{"contest/banner.80x10.svg", "contest/problemset.pdf", "groups/g/logo.160x160.png", "groups/g/logo.300x300.png",
		"groups/g/logo.56x56.png",
		"organizations/u0/logo.160x160.png", "organizations/u0/logo.200x200.png", "organizations/u0/logo.56x56.png",
		"organizations/u1/logo.160x82.dark.png", "organizations/u1/logo.56x29.dark.png",
		"organizations/u1/logo.90x46.dark.png"}, rest...)...)
}
