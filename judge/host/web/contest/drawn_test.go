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

// TestDrawnForOthers checks that a cached page part shows each reader exactly what they may see, in any order of
// readers and after the settings change.
func TestDrawnForOthers(t *testing.T) {
	for _, order := range [][]string{{"ada", "judge", "ada"}, {"judge", "ada", "judge"}} {
		h := webtest.New(t)
		c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{Show: judge.ShowSamples})
		h.RecordJudgement(h.Submit(c, "ada"), webtest.FailingEvents()...)
		other := webtest.FailingEvents()
		other[2].(*judge.CaseJudged).Message = "another one"
		h.RecordJudgement(h.Submit(c, "ada"), other...)
		for _, show := range []judge.Visibility{judge.ShowSamples, judge.ShowVerdict, judge.ShowAll} {
			c = webtest.Must[*store.Contest](t)(h.Store.Contest(t.Context(), c.ID))
			c.Settings.Show = show
			if err := h.Store.SetContest(t.Context(), c, nil); err != nil {
				t.Fatal(err)
			}
			for _, who := range order {
				cookie, staff := h.Cookie(who), who == "judge"
				page, second := h.Fetch(cookie, "GET", "/c/now/s/1", nil).Body, h.Fetch(cookie, "GET", "/c/now/s/2", nil).Body
				for text, may := range map[string]bool{
					webtest.Secret + "-2": staff || show == judge.ShowAll, `<p class="sandbox">Sandbox: root`: staff,
					"says ": staff || show != judge.ShowVerdict,
				} {
					if strings.Contains(page, text) != may {
						t.Errorf("%v, %s: the page of %s has %q: %v\n%s", order, show, who, text, !may, page)
					}
				}
				if strings.Contains(page, "another one") || strings.Contains(second, "another one") != (staff || show != judge.ShowVerdict) {
					t.Errorf("%v, %s: %s sees another submission:\n%s\n%s", order, show, who, page, second)
				}
			}
		}
	}
}

// TestStatementsOfSeveralPages checks that a statement used in two contests links to the files of the current
// page, and that a new version replaces it in both.
func TestStatementsOfSeveralPages(t *testing.T) {
	h := webtest.New(t)
	version := func(english, german string) {
		republish(h, func(s *client.ProblemInfo) {
			s.Statements = []client.Statement{
				{Language: "en", Text: english + " ![p](pile.png)", Pictures: map[string]string{"pile.png": "pile.svg"}},
				{Language: "de", Text: german},
			}
		})
	}
	version("An English text", "Ein deutscher Text")
	h.Contest("one", -time.Minute, store.VisibilityAccounts, store.Settings{})
	h.Contest("two", -time.Minute, store.VisibilityAccounts, store.Settings{})
	ada := h.Cookie("ada")
	has := func(path string, texts ...string) {
		t.Helper()
		page := h.Fetch(ada, "GET", path, nil).Body
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
