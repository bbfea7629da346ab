package staff_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// TestFilters checks that each filter is a menu of links that keep the other filters, and that the language menu
// lists only languages of submissions.
func TestFilters(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	admin := h.Cookie("admin")
	menus := func(query string) map[string]string {
		page := h.Fetch(admin, "GET", "/c/now/submissions"+query, nil).Body
		webtest.CheckHTML(t, "the list "+query, page)
		all := map[string]string{"page": page}
		for _, m := range regexp.MustCompile(`(?s)<details class="menu"><summary class="filter[^"]*">(\w+).*?</details>`).FindAllStringSubmatch(page, -1) {
			all[m[1]] = m[0]
		}
		return all
	}
	if got := menus(""); strings.Count(got["Language"], "<a ") != 1 || strings.Contains(got["page"], "Clear filters") ||
		!strings.Contains(got["page"], "No submissions yet") {
		t.Errorf("the filters of an empty list:\n%s", got["page"])
	}
	h.RecordJudgement(h.Submit(c, "ada"), webtest.FailingEvents()...)
	got := menus("?verdict=WA&who=ada")
	for menu, links := range map[string][]string{
		"Problem": {`<a href="/c/now/submissions?verdict=WA&amp;who=ada" aria-current="true">Any</a>`,
			`<a href="/c/now/submissions?problem=A&amp;verdict=WA&amp;who=ada">A. `},
		"Verdict": {`class="filter on"`, `: <b>WA wrong answer</b>`, `<a href="/c/now/submissions?who=ada">Any</a>`,
			`<a href="/c/now/submissions?verdict=AC&amp;who=ada">AC accepted</a>`, `aria-current="true">WA wrong answer</a>`, `>Pending</a>`},
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
	for _, want := range []string{`<input type="search" name="who" value="ada"`, `<input type="hidden" name="verdict" value="WA">`,
		"Clear filters", "data-pause", `<table class="list lines" data-sort>`} {
		if !strings.Contains(got["page"], want) {
			t.Errorf("the list has no %s:\n%s", want, got["page"])
		}
	}
	// Check the filters for groups and for contest time. The contest began a minute ago.
	if strings.Contains(got["page"], `name="group"`) || got["Group"] != "" {
		t.Errorf("a filter of groups where there are none:\n%s", got["page"])
	}
	h.RecordJudgement(h.Submit(c, "bob"), webtest.FailingEvents()...)
	teams := webtest.Must[[]*store.Team](t)(h.Store.Teams(t.Context(), c.ID))
	teams[1].Groups = []string{"north & <b>"}
	if err := h.Store.SetTeam(t.Context(), teams[1], ""); err != nil {
		t.Fatal(err)
	}
	got = menus("?group=north+%26+%3Cb%3E&verdict=judged")
	for menu, links := range map[string][]string{
		"Group":   {`class="filter on"`, `: <b>north &amp; &lt;b&gt;</b>`, `<a href="/c/now/submissions?verdict=judged">Any</a>`},
		"Verdict": {`: <b>Judged</b>`},
		"Time":    {`>Last 10 minutes</a>`, `>First hour</a>`, `<input id="time" name="time" value=""`},
		"page": {`/c/now/s/2"`, `<input type="hidden" name="group" value="north &amp; &lt;b&gt;">`,
			`/c/now/rejudgings?group=north&#43;%26&#43;%3Cb%3E&amp;verdict=judged`},
	} {
		for _, link := range links {
			if !strings.Contains(got[menu], link) {
				t.Errorf("with groups, %s has no %s:\n%s", menu, link, got[menu])
			}
		}
	}
	if strings.Contains(got["page"], `/c/now/s/1"`) || strings.Contains(got["Time"], "After the") {
		t.Errorf("a group has the submission of a team that is not in it, or the contest has ended:\n%s", got["page"])
	}
	if got := menus("?time=1:00-&who=bob"); !strings.Contains(got["page"], "No submissions match") ||
		!strings.Contains(got["Time"], `: <b>1:00-</b>`) || !strings.Contains(got["Time"], `value="1:00-"`) ||
		strings.Contains(got["page"], `type="hidden" name="time"`) || !strings.Contains(got["Verdict"], "time=1%3A00-") {
		t.Errorf("after an hour:\n%s", got["page"])
	}
	if got := menus("?time=-1:00"); !strings.Contains(got["page"], `/c/now/s/1"`) ||
		!strings.Contains(got["Time"], `: <b>First hour</b>`) && !strings.Contains(got["Time"], `: <b>-1:00</b>`) {
		t.Errorf("in the first hour:\n%s", got["page"])
	}
	if got := h.Fetch(admin, "GET", "/c/now/submissions?time=noon", nil); got.Code != 400 ||
		!strings.Contains(got.Body, "write hours and minutes") {
		t.Errorf("no time: %d\n%s", got.Code, got.Body)
	}
	if got := menus("?who=%232"); !strings.Contains(got["page"], `/c/now/s/2"`) || strings.Contains(got["page"], `/c/now/s/1"`) {
		t.Errorf("one submission:\n%s", got["page"])
	}
	if page := h.Fetch(admin, "GET", "/c/now/rejudgings?group=north+%26+%3Cb%3E&time=0:00-1:00&who=%232", nil).Body; !strings.Contains(page,
		`<option value="north &amp; &lt;b&gt;" selected>`) || !strings.Contains(page, `name="time" value="0:00-1:00"`) ||
		!strings.Contains(page, `name="who" value="#2"`) {
		t.Errorf("the form of a rejudging has not the filter:\n%s", page)
	}
	later := h.Contest("past", -2*time.Hour, store.VisibilityAccounts, store.Settings{Practice: true}) // of an hour
	h.Submit(later, "ada")
	past := h.Fetch(admin, "GET", "/c/past/submissions", nil).Body
	if !strings.Contains(past, `href="/c/past/submissions?time=1%3A00%3A00-">After the end</a>`) || strings.Contains(past, "Last 10 minutes") {
		t.Errorf("the times of a contest that has ended:\n%s", past)
	}
	if page := h.Fetch(admin, "GET", "/c/past/submissions?time=1:00:00-", nil).Body; !strings.Contains(page, `/c/past/s/1"`) {
		t.Errorf("after the end:\n%s", page)
	}
	if got := menus("?language=py&problem=A"); !strings.Contains(got["Language"], `class="filter on"`) ||
		!strings.Contains(got["Problem"], `<a href="/c/now/submissions?language=py">Any</a>`) || strings.Contains(got["Verdict"], "filter on") {
		t.Errorf("two filters:\n%s", got["page"])
	}
}

// TestColumns checks the columns of the jury's lists of submissions.
func TestColumns(t *testing.T) {
	h := webtest.New(t)
	h.RecordJudgement(h.Submit(h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{}), "ada"), webtest.FailingEvents()...)
	for path, want := range map[string]string{
		"/c/now/submissions": "Time No. Team Problem Language Verdict Max time Memory 0:01:00 1 ada",
		"/c/now/overview":    "Time No. Team Problem Language Verdict Max time 0:01:00 1 ada",
	} {
		page := h.Fetch(h.Cookie("judge"), "GET", path, nil).Body
		text := regexp.MustCompile(`\d:\d\d:\d\d 1 ada`).ReplaceAllString(webtest.Text(page), "0:01:00 1 ada")
		if webtest.CheckHTML(t, path, page); !strings.Contains(text, want) {
			t.Errorf("%s does not show %q:\n%s", path, want, text)
		}
	}
}
