package staff_test

import (
	"archive/zip"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// TestExport checks that each button of the page downloads a non-empty archive.
func TestExport(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("spring", -time.Minute, store.VisibilityPublic, store.Settings{})
	h.RecordJudgement(h.Submit(c, "ada"), webtest.AcceptedEvents()...)
	admin := h.Cookie("admin")
	page := h.Fetch(admin, "GET", "/c/spring/export", nil)
	for part, file := range map[string]string{
		"package": "contest.json", "submissions": "A/py/info.csv", "scoreboard": "index.html", "full-scoreboard": "index.html",
	} {
		path := "/c/spring/export/" + part
		if !strings.Contains(page.Body, `href="`+path+`"`) {
			t.Errorf("the page has no link to %s:\n%s", path, page.Body)
		}
		got := h.Fetch(admin, "GET", path, nil)
		z, err := zip.NewReader(strings.NewReader(got.Body), int64(len(got.Body)))
		if err != nil {
			t.Fatalf("%s: %d, %v", part, got.Code, err)
		}
		if _, err := z.Open(file); err != nil || !strings.Contains(got.Header.Get("Content-Disposition"), "spring-"+part+".zip") ||
			got.Header.Get("Content-Type") != "application/zip" {
			t.Errorf("%s: %v, %v", part, got.Header, err)
		}
	}
	if got := h.Fetch(admin, "GET", "/c/spring/export/nothing", nil); got.Code != 404 {
		t.Errorf("an archive of nothing: %d", got.Code)
	}
	if got := h.Fetch(h.Cookie("judge"), "GET", "/c/spring/export/package", nil); got.Code != 403 {
		t.Errorf("a judge: %d", got.Code)
	}
}
