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
	b.Is("the heading", `document.querySelector('h1').textContent`, "cross-out: Crossing out numbers")
	b.Is("the table's first bot", `document.querySelector('.places tbody th').childNodes[0].textContent.trim()`, s.Bots[0].Name)
	b.Is("the lines of the table", `document.querySelectorAll('.places tbody tr').length`, "6")
	b.Is("the cells of the cross table", `document.querySelectorAll('.heat tbody td[title]').length`, "36")
	b.Is("the curves", `document.querySelectorAll('.chart polyline').length`, "6")
	b.Is(
		"the heat of a clear win",
		`(e => getComputedStyle(e).backgroundColor !== getComputedStyle(document.body).backgroundColor)(document.querySelector('.heat .up'))`,
		"true",
	)
	b.Screenshot("light")

	// Click through the first game: each move removes a number.
	game := games[0]
	moves := len(game.Moves)
	b.Is("at the start", counted, fmt.Sprintf("0 of %d", moves))
	b.Is("at the start", allowed, "12")
	for i, move := range game.Moves {
		b.Click("#next")
		b.Is("after a click", counted, fmt.Sprintf("%d of %d", i+1, moves))
		b.Is("after a click", allowed, fmt.Sprint(12-i-1))
		b.Is("after a click", current, move)
		b.Is("after a click", `document.querySelector('.option.made').textContent`, move)
		b.Contains("after a click", stateText, "played "+move, fmt.Sprintf("%d are crossed out", i+1))
	}
	if text := b.Eval(inResult); !strings.Contains(text, "lost by "+game.Reason) && !strings.Contains(text, "drawn") {
		t.Errorf("at the end it says %q", text)
	}
	b.Click("#next")
	b.Is("behind the end", counted, fmt.Sprintf("%d of %d", moves, moves))
	b.Click("#moves li:nth-child(2) button")
	b.Is("after a click on the second move", counted, fmt.Sprintf("2 of %d", moves))
	b.Screenshot("game")

	// Do the same with the keyboard.
	b.Eval(`document.getElementById('viewer').focus()`)
	for _, step := range []struct {
		key  string
		want int
	}{{"ArrowRight", 3}, {"ArrowLeft", 2}, {"End", moves}, {"Home", 0}, {"ArrowLeft", 0}, {"ArrowRight", 1}} {
		b.Press(step.key)
		b.Is("after "+step.key, counted, fmt.Sprintf("%d of %d", step.want, moves))
	}
	b.Is("the crossed-out numbers", crossed, game.Moves[0])
	b.Press("n")
	b.Is("the next game", chosen, gameID(games[1]))
	b.Is("the next game", counted, fmt.Sprintf("0 of %d", len(games[1].Moves)))
	b.Press("p")
	b.Is("the game before", chosen, gameID(games[0]))

	// A fault is shown with the output that caused it, and none of that output is treated as HTML.
	for _, g := range games {
		if g.Fault != nil {
			b.Eval(`(location.hash = '#game=` + gameID(g) + `&move=999')`)
			b.Is("by its address", chosen, gameID(g))
			b.Contains("the fault", inResult, `it sent "99"`, "</script><b>& it failed")
			break
		}
	}

	// A link in the table of blunders opens the game.
	b.Click(".losses a")
	b.Contains("where the link leads", stateText, "threw a won game away")
	b.Is("the focus", inFocus, "viewer")
	b.Screenshot("mistake")

	// The URL of a game opens the game, also from a bookmark.
	address := "file://" + file + "#game=" + gameID(games[3]) + "&move=2"
	b.Go("about:blank")
	b.Go(address)
	b.Is("from a bookmark", chosen, gameID(games[3]))
	b.Is("from a bookmark", counted, fmt.Sprintf("2 of %d", len(games[3].Moves)))
	b.Is("from a bookmark", "location.href", address)

	// Show only the games of one bot.
	b.Eval(`(e => { e.value = 'smallest'; e.dispatchEvent(new Event('change')); })(document.getElementById('bot'))`)
	b.Is("the games of one bot", `[...document.getElementById('game').options].every(o => o.textContent.includes('smallest'))`, "true")

	// Dark, and on paper.
	light := b.Eval(`getComputedStyle(document.body).backgroundColor`)
	b.Ask(nil, "Emulation.setEmulatedMedia", map[string]any{
		"features": []map[string]string{{"name": "prefers-color-scheme", "value": "dark"}},
	})
	if dark := b.Eval(`getComputedStyle(document.body).backgroundColor`); dark == light {
		t.Errorf("dark is as light as light: %s", dark)
	}
	b.Screenshot("dark")
	b.Ask(nil, "Emulation.setEmulatedMedia", map[string]any{"media": "print"})
	b.Is("on paper", `getComputedStyle(document.querySelector('.controls')).display`, "none")
	b.Is("on paper", `getComputedStyle(document.querySelector('.places')).display`, "table")
	for _, wrong := range b.Wrong {
		t.Errorf("the browser complains: %s", wrong)
	}
}

func gameID(g *arena.Game) string {
	k := g.Key()
	return fmt.Sprintf("%d.%d.%d.%d", k.Round, k.First, k.Second, k.Leg)
}
