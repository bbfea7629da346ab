package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/contests/arena"
	"assay/judge/internal/browser"
	"assay/judge/report"
)

// JavaScript expressions that are evaluated on the page.
const (
	allowed   = `document.querySelectorAll('.option:not(.gone)').length`
	crossed   = `[...document.querySelectorAll('.option.gone')].map(e => e.textContent).join(' ')`
	counted   = `document.getElementById('count').textContent`
	stateText = `document.getElementById('state').textContent`
	current   = `(document.querySelector('#moves [aria-current]') || {}).textContent`
	inResult  = `document.getElementById('result').textContent`
	chosen    = `document.getElementById('game').value`
	inFocus   = `document.activeElement.id`
)

// TestArenaPageInABrowser opens the page from disk and uses it as a visitor does.
func TestArenaPageInABrowser(t *testing.T) {
	s, shown := drawnOf(events()["large"])
	file := filepath.Join(t.TempDir(), "event.html")
	var page bytes.Buffer
	drawStandings(t, report.HTML(&page), s, shown)
	var games []*arena.Game
	for _, e := range shown {
		g := &arena.Game{}
		if err := json.Unmarshal(e.(*judge.GameShown).Game, g); err != nil {
			t.Fatal(err)
		}
		games = append(games, g)
	}
	if err := os.WriteFile(file, page.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	b := browser.Open(t, "file://"+file)
	b.ExpectValue("the heading", `document.querySelector('h1').textContent`, "cross-out: Crossing out numbers")
	b.ExpectValue("the table's first bot", `document.querySelector('.places tbody th').childNodes[0].textContent.trim()`, s.Bots[0].Name)
	b.ExpectValue("the lines of the table", `document.querySelectorAll('.places tbody tr').length`, "6")
	b.ExpectValue("the cells of the cross table", `document.querySelectorAll('.heat tbody td[title]').length`, "36")
	b.ExpectValue("the curves", `document.querySelectorAll('.chart polyline').length`, "6")
	b.ExpectValue(
		"the heat of a clear win",
		`(e => getComputedStyle(e).backgroundColor !== getComputedStyle(document.body).backgroundColor)(document.querySelector('.heat .up'))`,
		"true",
	)
	b.Screenshot("light")

	// Click through the first game: each move removes a number.
	game := games[0]
	moves := len(game.Moves)
	b.ExpectValue("at the start", counted, fmt.Sprintf("0 of %d", moves))
	b.ExpectValue("at the start", allowed, "12")
	for i, move := range game.Moves {
		b.Click("#next")
		b.ExpectValue("after a click", counted, fmt.Sprintf("%d of %d", i+1, moves))
		b.ExpectValue("after a click", allowed, fmt.Sprint(12-i-1))
		b.ExpectValue("after a click", current, move)
		b.ExpectValue("after a click", `document.querySelector('.option.made').textContent`, move)
		b.ExpectContains("after a click", stateText, "played "+move, fmt.Sprintf("%d are crossed out", i+1))
	}
	if text := b.Eval(inResult); !strings.Contains(text, "lost by "+game.Reason) && !strings.Contains(text, "drawn") {
		t.Errorf("at the end it says %q", text)
	}
	b.Click("#next")
	b.ExpectValue("behind the end", counted, fmt.Sprintf("%d of %d", moves, moves))
	b.Click("#moves li:nth-child(2) button")
	b.ExpectValue("after a click on the second move", counted, fmt.Sprintf("2 of %d", moves))
	b.Screenshot("game")

	// Do the same with the keyboard.
	b.Eval(`document.getElementById('viewer').focus()`)
	for _, step := range []struct {
		key  string
		want int
	}{{"ArrowRight", 3}, {"ArrowLeft", 2}, {"End", moves}, {"Home", 0}, {"ArrowLeft", 0}, {"ArrowRight", 1}} {
		b.Press(step.key)
		b.ExpectValue("after "+step.key, counted, fmt.Sprintf("%d of %d", step.want, moves))
	}
	b.ExpectValue("the crossed-out numbers", crossed, game.Moves[0])
	b.Press("n")
	b.ExpectValue("the next game", chosen, gameID(games[1]))
	b.ExpectValue("the next game", counted, fmt.Sprintf("0 of %d", len(games[1].Moves)))
	b.Press("p")
	b.ExpectValue("the game before", chosen, gameID(games[0]))

	// A fault is shown with the output that caused it, and none of that output is treated as HTML.
	for _, g := range games {
		if g.Fault != nil {
			b.Eval(`(location.hash = '#game=` + gameID(g) + `&move=999')`)
			b.ExpectValue("by its address", chosen, gameID(g))
			b.ExpectContains("the fault", inResult, `it sent "99"`, "</script><b>& it failed")
			break
		}
	}

	// A link in the table of blunders opens the game.
	b.Click(".losses a")
	b.ExpectContains("where the link leads", stateText, "threw a won game away")
	b.ExpectValue("the focus", inFocus, "viewer")
	b.Screenshot("mistake")

	// The URL of a game opens the game, also from a bookmark.
	address := "file://" + file + "#game=" + gameID(games[3]) + "&move=2"
	b.Navigate("about:blank")
	b.Navigate(address)
	b.ExpectValue("from a bookmark", chosen, gameID(games[3]))
	b.ExpectValue("from a bookmark", counted, fmt.Sprintf("2 of %d", len(games[3].Moves)))
	b.ExpectValue("from a bookmark", "location.href", address)

	// Show only the games of one bot.
	b.Eval(`(e => { e.value = 'smallest'; e.dispatchEvent(new Event('change')); })(document.getElementById('bot'))`)
	b.ExpectValue("the games of one bot", `[...document.getElementById('game').options].every(o => o.textContent.includes('smallest'))`,
		"true")

	// Dark, and on paper.
	light := b.Eval(`getComputedStyle(document.body).backgroundColor`)
	b.Call(nil, "Emulation.setEmulatedMedia", map[string]any{
		"features": []map[string]string{{"name": "prefers-color-scheme", "value": "dark"}},
	})
	if dark := b.Eval(`getComputedStyle(document.body).backgroundColor`); dark == light {
		t.Errorf("dark is as light as light: %s", dark)
	}
	b.Screenshot("dark")
	b.Call(nil, "Emulation.setEmulatedMedia", map[string]any{"media": "print"})
	b.ExpectValue("on paper", `getComputedStyle(document.querySelector('.controls')).display`, "none")
	b.ExpectValue("on paper", `getComputedStyle(document.querySelector('.places')).display`, "table")
	for _, wrong := range b.Errors {
		t.Errorf("the browser complains: %s", wrong)
	}
}

func gameID(g *arena.Game) string {
	k := g.Key()
	return fmt.Sprintf("%d.%d.%d.%d", k.Round, k.First, k.Second, k.Leg)
}
