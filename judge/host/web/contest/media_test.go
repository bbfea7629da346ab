package contest_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"assay/judge/host/media"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// TestMedia checks that readers get the same pictures that the Contest API shows to the public, and that no
// picture can run scripts.
func TestMedia(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("spring", time.Hour, store.VisibilityPublic, store.Settings{})
	hidden := h.Contest("hidden", time.Hour, store.VisibilityJury, store.Settings{})
	drawing := `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><script>alert(1)</script></svg>`
	var small bytes.Buffer
	_ = png.Encode(&small, image.NewGray(image.Rect(0, 0, 56, 56)))
	put := func(c *store.Contest, paths ...string) {
		t.Helper()
		var files []media.File
		for _, path := range paths {
			data := map[string][]byte{"svg": []byte(drawing), "pdf": []byte("%PDF-1.7"), "png": small.Bytes()}[path[len(path)-3:]]
			at, _, err := media.Parse(path)
			if err != nil {
				t.Fatal(err)
			}
			f, err := media.New(at, data)
			if err != nil {
				t.Fatal(err)
			}
			h.StoreBlob(data)
			files = append(files, f)
		}
		if err := h.Store.ChangeMedia(t.Context(), c.ID, nil, files); err != nil {
			t.Fatal(err)
		}
	}
	seven := webtest.Must[*store.Team](t)(h.Store.Enter(t.Context(), c.ID, h.Accounts["ada"]))
	eight := webtest.Must[*store.Team](t)(h.Store.Enter(t.Context(), c.ID, h.Accounts["bob"]))
	seven.Organization = "u1"
	eight.Hidden = true
	for _, team := range []*store.Team{seven, eight} {
		if err := h.Store.SetTeam(t.Context(), team, ""); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := h.Store.ImportContest(t.Context(),
		&store.ContestImport{ID: c.ID, Organizations: []store.Organization{{ID: "u1", Name: "U1", Country: "DEU"}}}); err != nil {
		t.Fatal(err)
	}
	put(c, "contest/banner.svg", "contest/problemset.pdf", "organizations/u1/logo.png", "persons/p/photo.png",
		"teams/"+seven.ExtID+"/photo.png", "teams/"+eight.ExtID+"/photo.png", "teams/gone/photo.png", "groups/none/logo.png")
	put(hidden, "contest/banner.svg")
	who := []string{"", "ada", "bob", "judge", "admin"}
	walk := func(want map[string]string) {
		t.Helper()
		for path, codes := range want {
			var got []string
			for _, login := range who {
				cookie := ""
				if login != "" {
					cookie = h.Cookie(login)
				}
				answer := h.Fetch(cookie, "GET", path, nil)
				got = append(got, fmt.Sprint(answer.Code))
				if policy := answer.Get("Content-Security-Policy"); answer.Code == 200 && strings.HasSuffix(path, ".svg") &&
					!strings.HasPrefix(policy, "sandbox") {
					t.Errorf("%s may run scripts: %s", path, policy)
				}
				if answer.Code == 200 && (answer.Get("ETag") == "" || answer.Get("Cache-Control") != "private, max-age=3600") {
					t.Errorf("%s has %v", path, answer.Header)
				}
			}
			if strings.Join(got, " ") != codes {
				t.Errorf("%s is answered %v, want %s", path, got, codes)
			}
		}
	}
	const base = "/c/spring/media/"
	always := map[string]string{
		base + "banner/banner.svg": "200 200 200 200 200", base + "organizations/u1/logo/logo.png": "200 200 200 200 200",
		base + "persons/p/photo/photo.png":                 "404 404 404 200 200",
		base + "teams/" + seven.ExtID + "/photo/photo.png": "200 200 200 200 200",
		base + "teams/" + eight.ExtID + "/photo/photo.png": "404 404 404 200 200",
		base + "teams/gone/photo/photo.png":                "404 404 404 200 200", base + "groups/none/logo/logo.png": "200 200 200 200 200",
		base + "organizations/u1/logo/none.png": "404 404 404 404 404", "/c/hidden/media/banner/banner.svg": "303 404 404 200 200",
	}
	walk(always)
	walk(map[string]string{base + "problemset/problemset.pdf": "404 404 404 200 200"})
	h.Advance(2 * time.Hour)
	walk(always)
	walk(map[string]string{base + "problemset/problemset.pdf": "200 200 200 200 200"})

	for _, page := range []string{"/c/spring/scoreboard", "/c/spring/scoreboard?display=hall", "/c/spring/scoreboard?view=projector"} {
		got := h.Fetch("", "GET", page, nil)
		if !strings.Contains(got.Body, `<img class="logo" src="/c/spring/media/organizations/u1/logo/logo.png?`) ||
			!strings.Contains(got.Body, `<span class="country">DEU</span><bdi>`) ||
			strings.Contains(got.Body, "Leave projector view") != strings.Contains(page, "?") {
			t.Errorf("%s\n%s", page, got.Body)
		}
		webtest.CheckHTML(t, page, got.Body)
	}
	put(c, "organizations/u1/country_flag.png")
	const flag = `<img class="flag" src="/c/spring/media/organizations/u1/country_flag/country_flag.png?`
	var body string
	for range 6000 { // the scoreboard may lag
		if body = h.Fetch("", "GET", "/c/spring/scoreboard", nil).Body; strings.Contains(body, flag) {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if !strings.Contains(body, flag) || !strings.Contains(body, `alt="DEU"`) || strings.Contains(body, "country\">") {
		t.Errorf("with a flag\n%s", body)
	}
}
