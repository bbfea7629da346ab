package contest_test

import (
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// TestDrawnForOthers: what a page keeps of one reader shows the next one neither more nor less than they may see,
// in either order, and after the contest shows something else.
func TestDrawnForOthers(t *testing.T) {
	for _, order := range [][]string{{"ada", "judge", "ada"}, {"judge", "ada", "judge"}} {
		h := webtest.New(t)
		c := h.Contest("now", -time.Minute, store.Accounts, store.Settings{Show: judge.ShowSamples})
		h.Judged(h.Send(c, "ada"), webtest.Failing()...)
		sees := func(who string, show judge.Show) {
			t.Helper()
			page := h.Ask(h.Cookie(who), "GET", "/c/now/s/1", nil).Body
			staff := who == "judge"
			for text, may := range map[string]bool{
				webtest.Secret + "-2": staff, `<p class="sandbox">Sandbox: root`: staff, "says ": staff || show == judge.ShowSamples,
			} {
				if strings.Contains(page, text) != may {
					t.Errorf("%v, %s: the page of %s has %q: %v\n%s", order, show, who, text, !may, page)
				}
			}
		}
		for _, who := range order {
			sees(who, judge.ShowSamples)
		}
		c = webtest.Must[*store.Contest](t)(h.Store.Contest(t.Context(), c.ID))
		c.Settings.Show = judge.ShowVerdict
		if err := h.Store.SetContest(t.Context(), c, nil); err != nil {
			t.Fatal(err)
		}
		for _, who := range order {
			sees(who, judge.ShowVerdict)
		}
	}
}

// TestStatementsOfSeveralPages: a statement that two contests have links to the files of the page that it is on, and a
// new version replaces it on both.
func TestStatementsOfSeveralPages(t *testing.T) {
	h := webtest.New(t)
	version := func(english, german string) {
		republish(h, func(s *client.Sheet) {
			s.Statements = []client.SheetStatement{
				{Language: "en", Text: english + " ![p](pile.png)", Pictures: map[string]string{"pile.png": "pile.svg"}},
				{Language: "de", Text: german},
			}
		})
	}
	version("An English text", "Ein deutscher Text")
	h.Contest("one", -time.Minute, store.Accounts, store.Settings{})
	h.Contest("two", -time.Minute, store.Accounts, store.Settings{})
	ada := h.Cookie("ada")
	has := func(path string, texts ...string) {
		t.Helper()
		page := h.Ask(ada, "GET", path, nil).Body
		for _, text := range texts {
			if !strings.Contains(page, text) {
				t.Errorf("%s has no %q in\n%s", path, text, page)
			}
		}
	}
	for range 2 {
		has("/c/one/p/A", "An English text", `src="/c/one/p/A/file/pile.svg"`)
		has("/c/two/p/A", "An English text", `src="/c/two/p/A/file/pile.svg"`)
		has("/c/two/p/A?language=de", "Ein deutscher Text")
	}
	version("A newer text", "Ein neuer Text")
	has("/c/one/p/A?language=en", "A newer text")
	has("/c/two/p/A?language=de", "Ein neuer Text")
}
