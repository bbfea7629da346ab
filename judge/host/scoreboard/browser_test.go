package scoreboard

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/scoring"
	"assay/judge/internal/browser"
	"assay/judge/report"
)

// landscape is the width of A4 paper without the margins of a printed scoreboard, in CSS pixels: 273 mm.
const landscape = 273 * 960 / 254

// TestABrowserKeepsUp checks that an open page always shows the same as a newly loaded one. On a phone, the page
// must not be wider than the screen, and the names must stay visible. On paper, the whole scoreboard must be visible.
func TestABrowserKeepsUp(t *testing.T) {
	if os.Getenv("ASSAY_SLOW") == "" {
		t.Skip("a browser takes a while: set ASSAY_SLOW=1")
	}
	s := large(30)
	s.Contest.Start = time.Now().Add(-2 * time.Hour)
	s.Submissions = s.Submissions[:0]
	s.Teams[7].Hidden, s.Teams[8].Groups, s.Teams[9].Groups = true, []string{"girls"}, []string{"girls"}
	l := New(s, func(h Heading, _ Viewer) (before, after []byte, err error) {
		return []byte(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, ` +
			`initial-scale=1">` +
			`<title>Board</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"><script src="/scoreboard.js" defer>` +
			`</script><main><h1>Board</h1>`), []byte("</main></html>"), nil
	})
	hall := NewRegistry(RegistryOptions{})
	mux := http.NewServeMux()
	serve := func(path, kind, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			fmt.Fprint(w, body)
		})
	}
	serve("/style.css", "text/css", report.Style()+Style())
	serve("/scoreboard.js", "text/javascript", Script())
	staff := func(r *http.Request) bool { return r.URL.Query().Get("view") == "jury" }
	mux.HandleFunc("/c/regional/scoreboard", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'self'; img-src 'self' data:")
		if _, err := l.ServePage(w, r, Viewer{Jury: staff(r)}); err != nil {
			t.Error(err)
		}
	})
	mux.HandleFunc("/c/regional/scoreboard/events", func(w http.ResponseWriter, r *http.Request) { hall.ServeEvents(w, r, l, staff(r)) })
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
	for _, path := range []string{"/c/regional/scoreboard", "/c/regional/scoreboard?view=jury", "/c/regional/scoreboard?group=girls"} {
		b := browser.Open(t, web.URL+path)
		b.SetWidth(390)
		for range 12 {
			for range 1 + rng.IntN(4) {
				change()
			}
			time.Sleep(RenderInterval) // so that the next change creates another version
		}
		group := ""
		if strings.Contains(path, "group") {
			group = "girls"
		}
		spaces := regexp.MustCompile(`\s+`)
		// The scoreboard does not change anymore, but the browser may not have received its last version yet.
		want := ""
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
			p := page(t, l, strings.Contains(path, "jury"), group)
			want = spaces.ReplaceAllString(regexp.MustCompile(`(?s)<tbody>.*</tfoot>`).FindString(string(p.Plain)), "")
			got := spaces.ReplaceAllString(b.Eval(`(() => { const t = document.querySelector('table.board');`+
				` return t.tBodies[0].outerHTML + t.tFoot.outerHTML; })()`), "")
			if got == want {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s: the browser has\n%s\nwant\n%s", path, got, want)
			}
		}
		if group == "" {
			b.ExpectValue("loads of the whole board", `String(performance.getEntriesByType('resource').filter(e => e.initiatorType === `+
				`'fetch').length)`, "0")
		}
		b.ExpectValue("what is wider than the screen", `String(document.documentElement.scrollWidth > innerWidth)`, "false")
		b.ExpectValue("the names when the board is scrolled", `(() => {
			const box = document.querySelector('.scroll'); box.scrollLeft = 400;
			const rank = document.querySelector('tbody td').getBoundingClientRect(), name = document.querySelector('tbody th').getBoundingClientRect();
			return String(box.scrollLeft > 100 && Math.abs(rank.left - box.getBoundingClientRect().left) < 3 && Math.abs(name.left - rank.right) < 3);
		})()`, "true")
		b.ExpectValue("a shadow where columns follow, which ends with them", `(() => {
			const box = document.querySelector('.scroll'), shadow = getComputedStyle(box, '::after'), cover = getComputedStyle(box, '::before');
			return [shadow.position, shadow.right, parseInt(cover.zIndex) > parseInt(shadow.zIndex), cover.justifySelf].join();
		})()`, "sticky,0px,true,end")
		b.ExpectValue("the shadow at the right edge, while columns follow", `(() => {
			const box = document.querySelector('.scroll'); box.scrollLeft = 0;
			const end = box.getBoundingClientRect().right, table = box.querySelector('table').getBoundingClientRect().right;
			return String(table > end && box.scrollWidth >= Math.floor(table - box.getBoundingClientRect().left + parseFloat(getComputedStyle(box, '::before').width)) - 1);
		})()`, "true")
		b.Eval(`(location.hash = '#' + document.querySelector('tbody tr').id)`)
		b.ExpectValue("the own row above all", `[...document.querySelectorAll('thead .own > *')].map(e => e.textContent).join() === `+
			`[...document.querySelectorAll('tbody tr:target > *')].map(e => e.textContent).join()`, "true")
		b.ExpectValue("and it has no id", `document.querySelector('thead .own').id`, "")
		b.ExpectValue("its mark", `document.querySelector('tbody tr:target').getAttribute('aria-current')`, "true")
		b.Screenshot("board")
		b.Paper(landscape)
		b.ExpectValue("the printed board is whole", `(() => {
			const box = document.querySelector('.scroll'), table = box.querySelector('table');
			return [getComputedStyle(box).overflowX, table.getBoundingClientRect().right <= innerWidth, getComputedStyle(table.querySelector('tbody th')).position,
				getComputedStyle(box, '::after').display, getComputedStyle(document.querySelector('.own')).display].join();
		})()`, "visible,true,static,none,none")
		b.Paper(0)
		if len(b.Errors) > 0 {
			t.Errorf("%s: the page complains: %s", path, strings.Join(b.Errors, "\n"))
		}
	}
}

// TestABrowserOfTwoServers checks a page that receives a change from one server, but is reloaded from another one.
// The second server does not have the change at first, and then fails once. The page must soon show the change.
func TestABrowserOfTwoServers(t *testing.T) {
	if os.Getenv("ASSAY_SLOW") == "" {
		t.Skip("a browser takes a while: set ASSAY_SLOW=1")
	}
	s := large(3)
	s.Contest.Start = time.Now().Add(-2 * time.Hour)
	s.Submissions = s.Submissions[:0]
	frame := func(Heading, Viewer) (before, after []byte, err error) {
		return []byte(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Board</title><link rel="icon" href="data:,">` +
			`<script src="/scoreboard.js" defer></script><main>`), []byte("</main></html>"), nil
	}
	hears, loads := New(s, frame), New(s, frame)
	for loads.views[0].version-hears.views[0].version < 10*maxPatches {
		loads = New(s, frame)
	}
	var asked atomic.Int64
	solved := []scoring.Submission{{Number: 1, Team: s.Teams[1].ID, Problem: s.Contest.Problems[0].Label,
		At: s.Contest.Start.Add(time.Minute), Verdict: judge.Accepted}}
	mux := http.NewServeMux()
	mux.HandleFunc("/scoreboard.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, Script())
	})
	mux.HandleFunc("/scoreboard", func(w http.ResponseWriter, r *http.Request) {
		switch asked.Add(1) { // the first three are of the beginning
		case 4: // this response does not have it yet
			defer loads.Apply(solved, nil)
		case 5:
			http.Error(w, "it has ended", http.StatusBadGateway)
			return
		}
		if _, err := loads.ServePage(w, r, Viewer{}); err != nil {
			t.Error(err)
		}
	})
	hall := NewRegistry(RegistryOptions{})
	mux.HandleFunc("/c/regional/scoreboard/events", func(w http.ResponseWriter, r *http.Request) { hall.ServeEvents(w, r, hears, false) })
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	b := browser.Open(t, web.URL+"/scoreboard")
	b.ExpectValue("loads before the change", `String(performance.getEntriesByType('resource').filter(e => e.initiatorType === `+
		`'fetch').length)`, "2")
	hears.Apply(solved, nil)
	b.ExpectValue("the first row", `document.querySelector("tbody tr").id`, "t-"+s.Teams[1].ID)
	time.Sleep(3 * time.Second) // a page that still waits for the change would load again meanwhile
	b.ExpectValue("all loads", `String(performance.getEntriesByType('resource').filter(e => e.initiatorType === 'fetch').length)`, "5")
}

// TestProjector checks that all rows can be read on a projector without scrolling. If there are many, the page
// shows a few at a time.
func TestProjector(t *testing.T) {
	if os.Getenv("ASSAY_SLOW") == "" {
		t.Skip("a browser takes a while: set ASSAY_SLOW=1")
	}
	for _, teams := range []int{0, 5, 60} {
		l := New(large(teams), func(Heading, Viewer) (before, after []byte, err error) {
			return []byte(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Board</title><link rel="icon" href="data:,">` +
				`<link rel="stylesheet" href="/style.css">` +
				`<script src="/scoreboard.js" defer></script><main><div class="projector"><h1 class="said">Board</h1>`), []byte("<p><span data-rows></span></p></div></main></html>"), nil
		})
		mux := http.NewServeMux()
		for path, body := range map[string]string{"/style.css": report.Style() + Style(), "/scoreboard.js": Script()} {
			mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", map[bool]string{true: "text/css", false: "text/javascript"}[path == "/style.css"])
				fmt.Fprint(w, body)
			})
		}
		mux.HandleFunc("/scoreboard", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Security-Policy", "default-src 'self'; img-src 'self' data:")
			if _, err := l.ServePage(w, r, Viewer{Projector: true}); err != nil {
				t.Error(err)
			}
		})
		hall := NewRegistry(RegistryOptions{})
		mux.HandleFunc("/c/regional/scoreboard/events", func(w http.ResponseWriter, r *http.Request) { hall.ServeEvents(w, r, l, false) })
		web := httptest.NewServer(mux)
		t.Cleanup(web.Close)
		b := browser.Open(t, web.URL+"/scoreboard")
		b.SetWidth(1920)
		const shown = `[...document.querySelectorAll('tbody tr')].filter(r => !r.hidden)`
		b.ExpectValue(fmt.Sprintf("%d teams: whether the page scrolls", teams),
			`(document.documentElement.scrollHeight > innerHeight) + ' ' + (document.documentElement.scrollWidth > innerWidth)`, "false false")
		b.ExpectValue(fmt.Sprintf("%d teams: whether the table has a scroll bar", teams),
			`(e => !!e && e.scrollWidth > e.clientWidth)(document.querySelector('.scroll'))`, "false")
		b.ExpectValue(fmt.Sprintf("%d teams: whether the picture is filled", teams),
			`!document.querySelector('tbody tr') || document.querySelector('table').getBoundingClientRect().bottom > innerHeight * .8`, "true")
		b.ExpectValue(fmt.Sprintf("%d teams: whether all are shown", teams), shown+`.length === document.querySelectorAll('tbody tr').length`,
			fmt.Sprint(teams < 60))
		if teams == 60 {
			first := b.Eval(shown + `[0].id`)
			b.WaitFor(shown+`[0].id`, func(id string) bool { return id != first })
			b.ExpectContains("what is said of the rows", `document.querySelector('[data-rows]').textContent`, "Rows ", " of 60")
		}
		if len(b.Errors) > 0 {
			t.Errorf("the page complains: %s", strings.Join(b.Errors, "\n"))
		}
	}
}
