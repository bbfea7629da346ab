package staff_test

import (
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// TestNewRejudgingIsFirst checks that the form for a rejudging is above the list of rejudgings. The form must be
// unfolded if it is filled in or the list is empty.
func TestNewRejudgingIsFirst(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	admin := h.Cookie("admin")
	page := func(query string) (form, list int, open bool) {
		t.Helper()
		got := h.Fetch(admin, "GET", "/c/now/rejudgings"+query, nil).Body
		return strings.Index(got, `id="new"`), strings.Index(got, `aria-label="rejudgings"`), strings.Contains(got, `id="new" open>`)
	}
	if form, list, open := page(""); form < 0 || list >= 0 || !open {
		t.Errorf("without rejudgings: the form is at %d, the list at %d, open: %v", form, list, open)
	}
	h.RecordJudgement(h.Submit(c, "ada"), webtest.AcceptedEvents()...)
	if got := h.Fetch(admin, "POST", "/c/now/rejudgings",
		map[string][]string{"who": {"#1"}, "why": {"a wrong answer file"}, "sure-password": {"correct-horse"}}); got.Code != 303 {
		t.Fatalf("rejudge: %d\n%s", got.Code, got.Body)
	}
	for query, want := range map[string]bool{"": false, "?who=ada": true} {
		if form, list, open := page(query); form < 0 || list < form || open != want {
			t.Errorf("%q: the form is at %d, the list at %d, open: %v", query, form, list, open)
		}
	}
}

// TestKindsOfFiles checks that the form for a file offers only the kinds of files that the selected object can
// have.
func TestKindsOfFiles(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	team := webtest.Must[*store.Team](t)(h.Store.Enter(t.Context(), c.ID, h.Accounts["ada"]))
	for object, want := range map[string]string{
		"": "banner logo problemset", "contest/": "banner logo problemset", "teams/" + team.ExtID: "photo",
		"teams/none": "banner logo problemset",
	} {
		_, list, _ := strings.Cut(h.Fetch(h.Cookie("admin"), "GET", "/c/now/media?object="+object, nil).Body, `name="property"`)
		list, _, _ = strings.Cut(list, "</select>")
		var got []string
		for _, option := range strings.Split(list, `<option value="`)[1:] {
			value, _, _ := strings.Cut(option, `"`)
			got = append(got, value)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q can have %q, want %q", object, got, want)
		}
	}
}
