package board

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/scoring"
	"assay/judge/internal/browser"
	"assay/judge/report"
)

// TestABrowserKeepsUp: whatever happens, a page that is open shows what one that is loaded
// anew would; on a phone it is no wider than the screen, and the names stay in sight.
func TestABrowserKeepsUp(t *testing.T) {
	if os.Getenv("ASSAY_SLOW") == "" {
		t.Skip("a browser takes a while: set ASSAY_SLOW=1")
	}
	s := large(30)
	s.Contest.Start = time.Now().Add(-2 * time.Hour)
	s.Submissions = s.Submissions[:0]
	s.Teams[7].Hidden, s.Teams[8].Groups, s.Teams[9].Groups = true, []string{"girls"}, []string{"girls"}
	l := New(s, func(h Heading, _ Viewer) (before, after []byte, err error) {
		return []byte(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
			`<title>Board</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"><script src="/board.js" defer></script><main><h1>Board</h1>`), []byte("</main></html>"), nil
	})
	hall := NewHall(HallOptions{})
	mux := http.NewServeMux()
	serve := func(path, kind, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			fmt.Fprint(w, body)
		})
	}
	serve("/style.css", "text/css", report.Style()+Style())
	serve("/board.js", "text/javascript", Script())
	staff := func(r *http.Request) bool { return r.URL.Query().Get("view") == "staff" }
	mux.HandleFunc("/c/regional/board", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'self'; img-src 'self' data:")
		if _, err := l.ServePage(w, r, Viewer{Staff: staff(r)}); err != nil {
			t.Error(err)
		}
	})
	mux.HandleFunc("/c/regional/board/events", func(w http.ResponseWriter, r *http.Request) { hall.ServeEvents(w, r, l, staff(r)) })
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	rng := rand.New(rand.NewPCG(3, 3))
	number := int64(0)
	change := func() {
		number++
		l.Apply([]scoring.Submission{{
			Number: 1 + rng.Int64N(number+3), Team: s.Teams[rng.IntN(30)].ID, Problem: s.Contest.Problems[rng.IntN(15)].Label,
			At: s.Contest.Start.Add(time.Duration(number) * time.Minute), Verdict: []judge.Verdict{"AC", "AC", "WA", ""}[rng.IntN(4)],
		}}, nil)
	}
	for _, path := range []string{"/c/regional/board", "/c/regional/board?view=staff", "/c/regional/board?group=girls"} {
		b := browser.Open(t, web.URL+path)
		b.Wide(390)
		for range 12 {
			for range 1 + rng.IntN(4) {
				change()
			}
			time.Sleep(Rate) // the next change is another version
		}
		group := ""
		if strings.Contains(path, "group") {
			group = "girls"
		}
		spaces := regexp.MustCompile(`\s+`)
		// The board is quiet now, but the last version may still be on its way.
		want := ""
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
			p := page(t, l, strings.Contains(path, "staff"), group)
			want = spaces.ReplaceAllString(regexp.MustCompile(`(?s)<tbody>.*</tfoot>`).FindString(string(p.Plain)), "")
			got := spaces.ReplaceAllString(b.Eval(`(() => { const t = document.querySelector('table.board'); return t.tBodies[0].outerHTML + t.tFoot.outerHTML; })()`), "")
			if got == want {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s: the browser has\n%s\nwant\n%s", path, got, want)
			}
		}
		if group == "" {
			b.Is("loads of the whole board", `String(performance.getEntriesByType('resource').filter(e => e.initiatorType === 'fetch').length)`, "0")
		}
		b.Is("what is wider than the screen", `String(document.documentElement.scrollWidth > innerWidth)`, "false")
		b.Is("the names when the board is scrolled", `(() => {
			const box = document.querySelector('.scroll'); box.scrollLeft = 400;
			return String(box.scrollLeft > 100 && Math.abs(document.querySelector('tbody th').getBoundingClientRect().left - box.getBoundingClientRect().left) < 3);
		})()`, "true")
		b.Eval(`(location.hash = '#' + document.querySelector('tbody tr').id)`)
		b.Is("the own row above all", `[...document.querySelectorAll('thead .own > *')].map(e => e.textContent).join() === [...document.querySelectorAll('tbody tr:target > *')].map(e => e.textContent).join()`, "true")
		b.Is("and it has no id", `document.querySelector('thead .own').id`, "")
		b.Screenshot("board")
		if len(b.Wrong) > 0 {
			t.Errorf("%s: the page complains: %s", path, strings.Join(b.Wrong, "\n"))
		}
	}
}
