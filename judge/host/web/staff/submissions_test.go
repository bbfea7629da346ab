package staff_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// TestFilters: each filter of the list is a menu of links that keep the other filters, and only
// languages of submissions are in it.
func TestFilters(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.Accounts, store.Settings{})
	admin := h.Cookie("admin")
	menus := func(query string) map[string]string {
		page := h.Ask(admin, "GET", "/c/now/submissions"+query, nil).Body
		webtest.Harmless(t, "the list "+query, page)
		all := map[string]string{"page": page}
		for _, m := range regexp.MustCompile(`(?s)<details class="menu"><summary class="filter[^"]*">(\w+).*?</details>`).FindAllStringSubmatch(page, -1) {
			all[m[1]] = m[0]
		}
		return all
	}
	if got := menus(""); strings.Count(got["Language"], "<a ") != 1 || strings.Contains(got["page"], "Clear filters") || !strings.Contains(got["page"], "No submissions yet") {
		t.Errorf("the filters of an empty list:\n%s", got["page"])
	}
	h.Judged(h.Send(c, "ada"), webtest.Failing()...)
	got := menus("?verdict=WA&who=ada")
	for menu, links := range map[string][]string{
		"Problem":  {`<a href="/c/now/submissions?verdict=WA&amp;who=ada" aria-current="true">Any</a>`, `<a href="/c/now/submissions?problem=A&amp;verdict=WA&amp;who=ada">A. `},
		"Verdict":  {`class="filter on"`, `: <b>WA wrong answer</b>`, `<a href="/c/now/submissions?who=ada">Any</a>`, `<a href="/c/now/submissions?verdict=AC&amp;who=ada">AC accepted</a>`, `aria-current="true">WA wrong answer</a>`, `>Pending</a>`},
		"Language": {`<a href="/c/now/submissions?language=py&amp;verdict=WA&amp;who=ada">`},
	} {
		for _, link := range links {
			if !strings.Contains(got[menu], link) {
				t.Errorf("the filter %s has no %s:\n%s", menu, link, got[menu])
			}
		}
	}
	if strings.Count(got["Language"], "<a ") != 2 {
		t.Errorf("languages that were not used:\n%s", got["Language"])
	}
	for _, want := range []string{`<input type="search" name="who" value="ada"`, `<input type="hidden" name="verdict" value="WA">`, "Clear filters", "data-pause", `<table class="list lines" data-sort>`} {
		if !strings.Contains(got["page"], want) {
			t.Errorf("the list has no %s:\n%s", want, got["page"])
		}
	}
	if got := menus("?language=py&problem=A"); !strings.Contains(got["Language"], `class="filter on"`) || !strings.Contains(got["Problem"], `<a href="/c/now/submissions?language=py">Any</a>`) || strings.Contains(got["Verdict"], "filter on") {
		t.Errorf("two filters:\n%s", got["page"])
	}
}
