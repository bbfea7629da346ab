package report_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/contests/arena"
	"assay/judge/report"
)

// browser is a Chromium without a window, which is told what to do over a pair of pipes
// (--remote-debugging-pipe): messages are JSON, each ended by a zero byte.
type browser struct {
	t       *testing.T
	to      *os.File
	from    *bufio.Reader
	id      int
	session string
	wrong   []string // what the page complained of
}

// message is an answer, or something that happened.
type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// browse opens a file in a new browser. It skips the test where there is none.
func browse(t *testing.T, file string) *browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no chromium: apt-get install chromium")
	}
	theirs, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, theirs2, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-extensions", "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND",
		"--user-data-dir="+t.TempDir(), "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{theirs, theirs2}
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	theirs2.Close()
	b := &browser{t: t, to: to, from: bufio.NewReader(from)}
	t.Cleanup(func() {
		b.session = ""
		fmt.Fprintf(b.to, `{"id":0,"method":"Browser.close"}`+"\x00")
		cmd.Wait()
		to.Close()
		from.Close()
	})
	var target struct {
		TargetID  string `json:"targetId"`
		SessionID string `json:"sessionId"`
	}
	b.ask(&target, "Target.createTarget", map[string]any{"url": "about:blank"})
	b.ask(&target, "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true})
	b.session = target.SessionID
	for _, domain := range []string{"Page.enable", "Runtime.enable", "Log.enable", "Network.enable"} {
		b.ask(nil, domain, nil)
	}
	b.ask(nil, "Page.navigate", map[string]any{"url": "file://" + file})
	b.until("Page.loadEventFired")
	return b
}

// next reads the next message, and notes what the page complains of.
func (b *browser) next() message {
	b.t.Helper()
	data, err := b.from.ReadBytes(0)
	if err != nil {
		b.t.Fatalf("the browser is gone: %v", err)
	}
	var m message
	if err := json.Unmarshal(bytes.TrimSuffix(data, []byte{0}), &m); err != nil {
		b.t.Fatal(err)
	}
	switch m.Method {
	case "Runtime.exceptionThrown", "Log.entryAdded":
		b.wrong = append(b.wrong, string(m.Params))
	case "Network.requestWillBeSent":
		if !strings.Contains(string(m.Params), `"url":"file://`) && !strings.Contains(string(m.Params), `"url":"about:blank`) {
			b.wrong = append(b.wrong, "it asks the network: "+string(m.Params))
		}
	}
	return m
}

func (b *browser) until(method string) {
	for b.next().Method != method {
	}
}

// ask sends a request and reads its answer.
func (b *browser) ask(answer any, method string, params map[string]any) {
	b.t.Helper()
	b.id++
	request := map[string]any{"id": b.id, "method": method, "params": params}
	if params == nil {
		delete(request, "params")
	}
	if b.session != "" {
		request["sessionId"] = b.session
	}
	data, err := json.Marshal(request)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.to.Write(append(data, 0)); err != nil {
		b.t.Fatal(err)
	}
	for {
		m := b.next()
		if m.ID != b.id {
			continue
		}
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error.Message)
		}
		if answer != nil {
			if err := json.Unmarshal(m.Result, answer); err != nil {
				b.t.Fatal(err)
			}
		}
		return
	}
}

// eval evaluates an expression of the page's script, as text.
func (b *browser) eval(expression string) string {
	b.t.Helper()
	var answer struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	b.ask(&answer, "Runtime.evaluate", map[string]any{"expression": "String(" + expression + ")", "returnByValue": true})
	if answer.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, answer.ExceptionDetails)
	}
	return fmt.Sprint(answer.Result.Value)
}

// click clicks on an element. A page that begins to scroll just then moves it away: what
// did not reach it is done again.
func (b *browser) click(selector string) {
	b.t.Helper()
	for range 20 {
		x, y := b.place(selector)
		for _, kind := range []string{"mousePressed", "mouseReleased"} {
			b.ask(nil, "Input.dispatchMouseEvent", map[string]any{"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1})
		}
		if b.eval(`window.reached`) == "yes" {
			return
		}
	}
	b.t.Fatalf("no click reaches %s", selector)
}

// place is where an element is, which notes from now on that a click reaches it.
func (b *browser) place(selector string) (x, y float64) {
	b.t.Helper()
	var at struct{ X, Y float64 }
	before := ""
	// The page may still be scrolling to something else: where the element is must be the
	// same twice, and nothing may lie over it.
	found := b.soon(`(e => { e.scrollIntoView({block: 'center', behavior: 'instant'}); const r = e.getBoundingClientRect();
		window.reached = ''; e.addEventListener('click', () => { window.reached = 'yes'; }, {capture: true});
		const at = {X: r.x + r.width / 2, Y: r.y + r.height / 2};
		return e.contains(document.elementFromPoint(at.X, at.Y)) ? JSON.stringify(at) : ''; })(document.querySelector(`+"`"+selector+"`"+`))`, func(got string) bool {
		same := got != "" && got == before
		before = got
		return same
	})
	if err := json.Unmarshal([]byte(found), &at); err != nil {
		b.t.Fatalf("click on %s: %v in %s", selector, err, found)
	}
	return at.X, at.Y
}

// press presses a key.
func (b *browser) press(key string) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		b.ask(nil, "Input.dispatchKeyEvent", map[string]any{"type": kind, "key": key, "code": key})
	}
}

// is fails unless an expression has a value, or gets it soon.
func (b *browser) is(what, expression, want string) {
	b.t.Helper()
	if got := b.soon(expression, func(got string) bool { return got == want }); got != want {
		b.t.Errorf("%s: %s = %q, want %q", what, expression, got, want)
	}
}

// contains fails unless an expression's value contains each of the texts, or does soon.
func (b *browser) contains(what, expression string, texts ...string) {
	b.t.Helper()
	all := func(got string) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(got, text) })
	}
	if got := b.soon(expression, all); !all(got) {
		b.t.Errorf("%s: %s = %q, want %q in it", what, expression, got, texts)
	}
}

// soon evaluates an expression until its value is good, and returns the last value. A
// browser follows a link and scrolls when it has time to, and says nothing when it has done so.
func (b *browser) soon(expression string, good func(string) bool) string {
	b.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if got := b.eval(expression); good(got) || time.Now().After(deadline) {
			return got
		}
	}
}

// screenshot keeps a picture for people, in the folder that the environment names.
func (b *browser) screenshot(name string) {
	dir := os.Getenv("ASSAY_SCREENSHOTS")
	if dir == "" {
		return
	}
	var picture struct{ Data []byte }
	b.ask(&picture, "Page.captureScreenshot", map[string]any{"captureBeyondViewport": true})
	if err := os.WriteFile(filepath.Join(dir, name+".png"), picture.Data, 0o644); err != nil {
		b.t.Error(err)
	}
}

// Expressions of the page.
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

// TestArenaPageInABrowser opens the page from disk and plays with it as people do.
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
	b := browse(t, file)
	b.is("the heading", `document.querySelector('h1').textContent`, "cross-out: Crossing out numbers")
	b.is("the table's first bot", `document.querySelector('.places tbody th').childNodes[0].textContent.trim()`, s.Bots[0].Name)
	b.is("the lines of the table", `document.querySelectorAll('.places tbody tr').length`, "6")
	b.is("the cells of the cross table", `document.querySelectorAll('.heat tbody td[title]').length`, "36")
	b.is("the curves", `document.querySelectorAll('.chart polyline').length`, "6")
	b.is("the heat of a clear win", `(e => getComputedStyle(e).backgroundColor !== getComputedStyle(document.body).backgroundColor)(document.querySelector('.heat .up'))`, "true")
	b.screenshot("light")

	// The first game, click by click: a number is gone after each move.
	game := games[0]
	moves := len(game.Moves)
	b.is("at the start", counted, fmt.Sprintf("0 of %d", moves))
	b.is("at the start", allowed, "12")
	for i, move := range game.Moves {
		b.click("#next")
		b.is("after a click", counted, fmt.Sprintf("%d of %d", i+1, moves))
		b.is("after a click", allowed, fmt.Sprint(12-i-1))
		b.is("after a click", current, move)
		b.is("after a click", `document.querySelector('.option.made').textContent`, move)
		b.contains("after a click", stateText, "played "+move, fmt.Sprintf("%d are crossed out", i+1))
	}
	if text := b.eval(inResult); !strings.Contains(text, "lost by "+game.Reason) && !strings.Contains(text, "drawn") {
		t.Errorf("at the end it says %q", text)
	}
	b.click("#next")
	b.is("behind the end", counted, fmt.Sprintf("%d of %d", moves, moves))
	b.click("#moves li:nth-child(2) button")
	b.is("after a click on the second move", counted, fmt.Sprintf("2 of %d", moves))
	b.screenshot("game")

	// The same with the keyboard.
	b.eval(`document.getElementById('viewer').focus()`)
	for _, step := range []struct {
		key  string
		want int
	}{{"ArrowRight", 3}, {"ArrowLeft", 2}, {"End", moves}, {"Home", 0}, {"ArrowLeft", 0}, {"ArrowRight", 1}} {
		b.press(step.key)
		b.is("after "+step.key, counted, fmt.Sprintf("%d of %d", step.want, moves))
	}
	b.is("the crossed-out numbers", crossed, game.Moves[0])
	b.press("n")
	b.is("the next game", chosen, gameID(games[1]))
	b.is("the next game", counted, fmt.Sprintf("0 of %d", len(games[1].Moves)))
	b.press("p")
	b.is("the game before", chosen, gameID(games[0]))

	// A fault is shown with what was sent, and nothing of it is taken for HTML.
	for _, g := range games {
		if g.Fault != nil {
			b.eval(`(location.hash = '#game=` + gameID(g) + `&move=999')`)
			b.is("by its address", chosen, gameID(g))
			b.contains("the fault", inResult, `it sent "99"`, "</script><b>& it failed")
			break
		}
	}

	// A link from the table of mistakes leads into the game.
	b.click(".losses a")
	b.contains("where the link leads", stateText, "threw a won game away")
	b.is("the focus", inFocus, "viewer")
	b.screenshot("mistake")

	// The address of a game leads there, from a bookmark too.
	address := "file://" + file + "#game=" + gameID(games[3]) + "&move=2"
	b.ask(nil, "Page.navigate", map[string]any{"url": "about:blank"})
	b.until("Page.loadEventFired")
	b.ask(nil, "Page.navigate", map[string]any{"url": address})
	b.until("Page.loadEventFired")
	b.is("from a bookmark", chosen, gameID(games[3]))
	b.is("from a bookmark", counted, fmt.Sprintf("2 of %d", len(games[3].Moves)))
	b.is("from a bookmark", "location.href", address)

	// Only the games of one bot.
	b.eval(`(e => { e.value = 'smallest'; e.dispatchEvent(new Event('change')); })(document.getElementById('bot'))`)
	b.is("the games of one bot", `[...document.getElementById('game').options].every(o => o.textContent.includes('smallest'))`, "true")

	// Dark, and on paper.
	light := b.eval(`getComputedStyle(document.body).backgroundColor`)
	b.ask(nil, "Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": "dark"}}})
	if dark := b.eval(`getComputedStyle(document.body).backgroundColor`); dark == light {
		t.Errorf("dark is as light as light: %s", dark)
	}
	b.screenshot("dark")
	b.ask(nil, "Emulation.setEmulatedMedia", map[string]any{"media": "print"})
	b.is("on paper", `getComputedStyle(document.querySelector('.controls')).display`, "none")
	b.is("on paper", `getComputedStyle(document.querySelector('.places')).display`, "table")
	for _, wrong := range b.wrong {
		t.Errorf("the browser complains: %s", wrong)
	}
}

func gameID(g *arena.Game) string {
	k := g.Key()
	return fmt.Sprintf("%d.%d.%d.%d", k.Round, k.First, k.Second, k.Leg)
}
