package report_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/judge/contests/arena"
	"assay/judge/contests/rating"
	"assay/judge/internal/browser"
	"assay/judge/report"
)

// TestLongNamesOnAPhone checks the page of a tournament on a screen as wide as a phone's. Names must be complete
// and wrap between words if possible. Only tables may be wider than the screen, because they scroll by themselves.
func TestLongNamesOnAPhone(t *testing.T) {
	words := "a bot with a very long name that says all that it does-and-what-it-does-not"
	one := strings.Repeat("unbroken_name_", 6)
	so := smallEvent(words, one, "short")
	fault := arena.GameFault{Kind: arena.Crashed, Text: "exit code 3"}
	for i, name := range []string{"out: " + words, one + "out"} {
		so.Bots = append(so.Bots, arena.Bot{ID: 4 + i, Name: name})
		so.Disqualified = append(so.Disqualified, arena.Disqualified{Bot: 4 + i, Fault: fault})
	}
	s, shown := drawnOf(so)
	for i := range s.Bots {
		s.Bots[i].Flag = rating.WonEverything
	}
	var page bytes.Buffer
	drawStandings(t, report.HTML(&page), s, shown)
	file := filepath.Join(t.TempDir(), "event.html")
	if err := os.WriteFile(file, page.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	b := browser.Open(t, "file://"+file)
	b.Call(nil, "Emulation.setDeviceMetricsOverride", map[string]any{"width": 375, "height": 700, "deviceScaleFactor": 2, "mobile": true})
	b.ExpectValue("the screen", `innerWidth`, "375")
	b.Eval(`(location.hash = '#replay')`)
	b.ExpectValue("what is wider than the screen",
		`[...document.querySelectorAll('main *')].filter(e => !e.closest('.scroll') && !e.matches('.said, option') && `+
			`e.getBoundingClientRect().right > innerWidth).map(e => e.className + ' ' + e.textContent).join('; ')`, "")
	b.ExpectValue("the page's width", `document.documentElement.scrollWidth`, "375")
	b.Screenshot("phone")

	// Check the row headings of all tables: their number, and that no heading hides text, is squeezed into a thin
	// column, or breaks a word that would fit.
	heads := `[...document.querySelectorAll('tbody th')]`
	b.ExpectValue("the names", heads+`.length`, "9")
	b.ExpectValue("names that are cut off", heads+`.filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent).join('; ')`, "")
	b.ExpectValue(
		"names that do not wrap",
		heads+`.filter(e => e.textContent.length > 50 && e.getBoundingClientRect().width > 240).map(e => e.textContent).join('; ')`,
		"",
	)
	b.ExpectValue("thin columns", heads+`.filter(e => e.getBoundingClientRect().width < 100).map(e => e.textContent).join('; ')`, "")
	b.ExpectValue("broken words", heads+`.flatMap(e => {
		const text = e.firstChild, range = document.createRange();
		return [...text.data.matchAll(/[a-z]+/g)].filter(word => {
			range.setStart(text, word.index);
			range.setEnd(text, word.index + word[0].length);
			return e.textContent.startsWith('a bot') && range.getClientRects().length > 1;
		}).map(word => word[0]); }).join(' ')`, "")
	for _, wrong := range b.Errors {
		t.Errorf("the browser complains: %s", wrong)
	}
}
