package staff_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// TestRemovedTime: time that does not count makes the contest end later, and what is wrong with
// it is told with its line.
func TestRemovedTime(t *testing.T) {
	h := webtest.New(t)
	admin := h.Cookie("admin")
	form := func(removed string) url.Values {
		return url.Values{
			"name": {"Now"}, "slug": {"now"}, "starts": {"2026-03-01T23:00"}, "length": {"2h"}, "format": {"icpc"}, "visibility": {"accounts"}, "show": {"cases"},
			"label-sum": {"A"}, "colour-sum": {"red"}, "removed": {removed},
		}
	}
	for text, want := range map[string]string{
		"tomorrow":                         "line 1 of the times that do not count",
		"23:10 to 23:20\n\nlater to never": "line 3 of the times",
		"23:20 to 23:10":                   "its end is not after its beginning",
		"23:10 to 23:20\n23:15 to 23:30":   "overlap",
		// A clock before the start is of the day after.
		"10:05 to 10:20":                       "2026-03-02 10:05:00 to 2026-03-02 10:20:00 is not during the contest, which lasts from 2026-03-01 23:00:00 to 2026-03-02 01:00:00",
		"23:10 to 23:20\n01:10 to 01:20":       "is not during the contest, which lasts from 2026-03-01 23:00:00 to 2026-03-02 01:10:00",
		"2026-03-01 22:59 to 2026-03-01 23:10": "is not during the contest",
	} {
		got := h.Ask(admin, "POST", "/admin/contests/new", form(text))
		if got.Code != 400 || !strings.Contains(got.Body, want) || !strings.Contains(got.Body, "23:") && text != "tomorrow" {
			t.Errorf("%q: %d, want %q\n%s", text, got.Code, want, got.Body)
		}
	}
	if got := h.Ask(admin, "POST", "/admin/contests/new", form("2026-03-02 00:05 to 2026-03-02 00:10:30\r\n23:10 to 23:20\r\n01:09 to 01:29")); got.Code != 303 {
		t.Fatalf("%d\n%s", got.Code, got.Body)
	}
	c := webtest.Must[*store.Contest](t)(h.Store.ContestBySlug(t.Context(), "now"))
	at := func(text string) time.Time {
		return webtest.Must[time.Time](t)(time.ParseInLocation("2006-01-02 15:04:05", text, time.Local))
	}
	if want := at("2026-03-02 01:35:30"); !c.Ends().Equal(want) { // the last begins in the time that the others added
		t.Errorf("it ends at %v, want %v: %+v", c.Ends(), want, c.Settings.Removed)
	}
	// The form that is drawn of it gives the same again, with the colour.
	page := h.Ask(admin, "GET", "/c/now/edit", nil).Body
	for _, want := range []string{"2026-03-01 23:10:00 to 2026-03-01 23:20:00\n2026-03-02 00:05:00 to 2026-03-02 00:10:30\n2026-03-02 01:09:00 to 2026-03-02 01:29:00", `name="colour-sum" value="red"`, "<code>py</code> Python"} {
		if !strings.Contains(page, want) {
			t.Errorf("the form lacks %q:\n%s", want, page)
		}
	}
	again := form("2026-03-01 23:10:00 to 2026-03-01 23:20:00\n2026-03-02 00:05:00 to 2026-03-02 00:10:30\n2026-03-02 01:09:00 to 2026-03-02 01:29:00")
	again.Set("revision", "1")
	again.Set("languages", "py, pyton")
	if got := h.Ask(admin, "POST", "/c/now/edit", again); got.Code != 400 || !strings.Contains(got.Body, "is the id of no language here") {
		t.Errorf("a language that nobody knows: %d\n%s", got.Code, got.Body)
	}
	again.Set("languages", "py")
	again.Set("statement_languages", "en, d/e")
	if got := h.Ask(admin, "POST", "/c/now/edit", again); got.Code != 400 || !strings.Contains(got.Body, "is not the code of a language of statements") {
		t.Errorf("no language of statements: %d\n%s", got.Code, got.Body)
	}
	again.Set("statement_languages", "en, pt-BR")
	again.Set("colour-sum", "url(//evil)")
	if got := h.Ask(admin, "POST", "/c/now/edit", again); got.Code != 400 || !strings.Contains(got.Body, "is not a colour") {
		t.Errorf("no colour: %d\n%s", got.Code, got.Body)
	}
	again.Set("colour-sum", "")
	if got := h.Ask(admin, "POST", "/c/now/edit", again); got.Code != 303 {
		t.Errorf("the same again: %d\n%s", got.Code, got.Body)
	}
	if page := h.Ask(admin, "GET", "/c/now/edit", nil).Body; !strings.Contains(page, `name="statement_languages" value="en pt-BR"`) {
		t.Errorf("the languages of statements are not kept:\n%s", page)
	}
	if later := webtest.Must[*store.Contest](t)(h.Store.ContestBySlug(t.Context(), "now")); !later.Ends().Equal(c.Ends()) {
		t.Errorf("and it ends at %v", later.Ends())
	}
}
