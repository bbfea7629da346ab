// Package browser controls a headless Chromium for tests of pages. It does not do
// anything that a user cannot do, except inspect the page.
package browser

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Browser is a Chromium with one page. It is controlled over a pair of pipes (--remote-debugging-pipe). Messages
// are JSON, each followed by a zero byte.
type Browser struct {
	// Errors lists script errors, and the page's requests to servers other than its own.
	Errors []string

	t       testing.TB
	origin  string // URL prefix from which the page may load
	to      *os.File
	from    *bufio.Reader
	id      int
	session string
	loads   int // number of loaded pages
}

// message is a response or an event.
type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// Open opens a page in a new browser, from a file:// URL or a server on this machine. It skips the test if no
// browser is installed.
func Open(t testing.TB, url string) *Browser {
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
		"--disable-extensions", "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
		"--user-data-dir="+t.TempDir(), "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{theirs, theirs2}
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	theirs2.Close()
	b := &Browser{t: t, to: to, from: bufio.NewReader(from), origin: originOf(url)}
	t.Cleanup(func() {
		b.session = ""
		fmt.Fprintf(b.to, `{"id":0,"method":"Browser.close"}`+"\x00")
		_ = cmd.Wait() // the browser was asked to exit
		to.Close()
		from.Close()
	})
	var target struct {
		TargetID  string `json:"targetId"`
		SessionID string `json:"sessionId"`
	}
	b.Call(&target, "Target.createTarget", map[string]any{"url": "about:blank"})
	b.Call(&target, "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true})
	b.session = target.SessionID
	for _, domain := range []string{"Page.enable", "Runtime.enable", "Log.enable", "Network.enable"} {
		b.Call(nil, domain, nil)
	}
	b.Navigate(url)
	return b
}

// originOf returns the scheme and the host of a URL. A page may load only from addresses that begin with them.
func originOf(url string) string {
	scheme, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}

// Navigate opens another page.
func (b *Browser) Navigate(url string) {
	b.t.Helper()
	b.waitForLoad(func() { b.Call(nil, "Page.navigate", map[string]any{"url": url}) })
}

// waitForLoad calls do and waits until a page has loaded.
func (b *Browser) waitForLoad(do func()) {
	b.t.Helper()
	before := b.loads
	do()
	for b.loads == before {
		b.next()
	}
}

// next reads the browser's next message. It adds script errors, and requests to other servers, to b.Errors.
func (b *Browser) next() message {
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
	case "Page.loadEventFired":
		b.loads++
	case "Runtime.exceptionThrown", "Log.entryAdded":
		b.Errors = append(b.Errors, string(m.Params))
	case "Network.requestWillBeSent":
		if !strings.Contains(string(m.Params), `"url":"`+b.origin) && !strings.Contains(string(m.Params), `"url":"about:blank`) {
			b.Errors = append(b.Errors, "it asks the network: "+string(m.Params))
		}
	}
	return m
}

// Call sends a request of the browser's protocol and decodes the response.
func (b *Browser) Call(answer any, method string, params map[string]any) {
	b.t.Helper()
	if err := b.tryCall(answer, method, params); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
}

// tryCall is like Call, but returns the browser's error.
func (b *Browser) tryCall(answer any, method string, params map[string]any) error {
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
			return errors.New(m.Error.Message)
		}
		if answer == nil {
			return nil
		}
		return json.Unmarshal(m.Result, answer)
	}
}

// Eval evaluates a JavaScript expression on the page and returns its value as text.
func (b *Browser) Eval(expression string) string {
	b.t.Helper()
	text, err := b.evaluate(expression)
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return text
}

func (b *Browser) evaluate(expression string) (string, error) {
	b.t.Helper()
	var answer struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	err := b.tryCall(&answer, "Runtime.evaluate", map[string]any{"expression": "String(" + expression + ")", "returnByValue": true})
	if err == nil && answer.ExceptionDetails != nil {
		err = errors.New(string(answer.ExceptionDetails))
	}
	return fmt.Sprint(answer.Result.Value), err
}

// Click clicks an element. If the page scrolls at that moment and the click misses, Click tries again.
func (b *Browser) Click(selector string) {
	b.t.Helper()
	for range 20 {
		x, y := b.elementCenter(selector)
		for _, kind := range []string{"mousePressed", "mouseReleased"} {
			b.Call(nil, "Input.dispatchMouseEvent", map[string]any{"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1})
		}
		if b.Eval(`window.reached`) == "yes" {
			return
		}
	}
	b.t.Fatalf("no click reaches %s", selector)
}

// elementCenter returns the position of an element, and makes the page record whether a click reaches the element.
func (b *Browser) elementCenter(selector string) (x, y float64) {
	b.t.Helper()
	var at struct{ X, Y float64 }
	before := ""
	// The page may still be scrolling. So the position must be the same in two consecutive evaluations, and no
	// other element may cover the element.
	found := b.WaitFor(`(e => { e.scrollIntoView({block: 'center', behavior: 'instant'}); const r = e.getBoundingClientRect();
		window.reached = ''; e.addEventListener('click', () => { window.reached = 'yes'; }, {capture: true});
		const at = {X: r.x + r.width / 2, Y: r.y + r.height / 2};
		return e.contains(document.elementFromPoint(at.X, at.Y)) ? JSON.stringify(at) : ''; })(document.querySelector(`+
		"`"+selector+"`"+`))`, func(got string) bool {
		same := got != "" && got == before
		before = got
		return same
	})
	if err := json.Unmarshal([]byte(found), &at); err != nil {
		b.t.Fatalf("click on %s: %v in %s", selector, err, found)
	}
	return at.X, at.Y
}

// Follow activates a link or a button, and waits for the next page. It also works if scripts are disabled.
func (b *Browser) Follow(selector string) {
	b.t.Helper()
	found := b.WaitFor(`!!document.querySelector(`+"`"+selector+"`"+`)`, func(got string) bool { return got == "true" })
	if found != "true" {
		b.t.Fatalf("there is no %s on %s:\n%s", selector, b.Eval("location.href"), b.Eval("document.body.innerText"))
	}
	b.waitForLoad(func() {
		b.Call(nil, "Runtime.evaluate", map[string]any{"expression": `document.querySelector(` + "`" + selector + "`" + `).click()`})
	})
}

// Fill enters a text in a form field.
func (b *Browser) Fill(selector, text string) {
	b.t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		b.t.Fatal(err)
	}
	b.Eval(`(document.querySelector(` + "`" + selector + "`" + `).value = ` + string(quoted) + `)`)
}

// ChooseFiles selects files in a form.
func (b *Browser) ChooseFiles(selector string, files ...string) {
	b.t.Helper()
	var found struct{ Result struct{ ObjectID string } }
	b.Call(&found, "Runtime.evaluate", map[string]any{"expression": `document.querySelector(` + "`" + selector + "`" + `)`})
	b.Call(nil, "DOM.setFileInputFiles", map[string]any{"files": files, "objectId": found.Result.ObjectID})
}

// AllowScripts sets whether pages opened from now on may run scripts.
func (b *Browser) AllowScripts(allow bool) {
	b.t.Helper()
	b.Call(nil, "Emulation.setScriptExecutionDisabled", map[string]any{"value": !allow})
}

// SetWidth sets the width of the screen in CSS pixels.
func (b *Browser) SetWidth(width int) {
	b.t.Helper()
	b.Call(nil, "Emulation.setDeviceMetricsOverride", map[string]any{
		"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 700,
	})
}

// Paper lays pages out as for print, in the given width in CSS pixels. Zero ends this, and the screen is shown
// again.
func (b *Browser) Paper(width int) {
	b.t.Helper()
	if width == 0 {
		b.Call(nil, "Emulation.setEmulatedMedia", map[string]any{"media": ""})
		return
	}
	b.SetWidth(width)
	b.Call(nil, "Emulation.setEmulatedMedia", map[string]any{"media": "print"})
}

// Press presses a key.
func (b *Browser) Press(key string) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		b.Call(nil, "Input.dispatchKeyEvent", map[string]any{"type": kind, "key": key, "code": key})
	}
}

// ExpectValue fails the test unless the value of an expression soon equals want. The failure message begins with what.
func (b *Browser) ExpectValue(what, expression, want string) {
	b.t.Helper()
	if got := b.WaitFor(expression, func(got string) bool { return got == want }); got != want {
		b.t.Errorf("%s: %s = %q, want %q", what, expression, got, want)
	}
}

// ExpectContains fails the test unless the value of an expression soon contains all texts.
func (b *Browser) ExpectContains(what, expression string, texts ...string) {
	b.t.Helper()
	all := func(got string) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(got, text) })
	}
	if got := b.WaitFor(expression, all); !all(got) {
		b.t.Errorf("%s: %s = %q, want %q in it", what, expression, got, texts)
	}
}

// timeout is how long to wait for effects that the browser does not report, such as the end of scrolling.
const timeout = time.Minute

// WaitFor evaluates an expression until good returns true for its value, and returns the last value. While one page
// replaces another, the expression may have no value.
func (b *Browser) WaitFor(expression string, good func(string) bool) string {
	b.t.Helper()
	for deadline := time.Now().Add(timeout); ; time.Sleep(10 * time.Millisecond) {
		got, err := b.evaluate(expression)
		switch late := time.Now().After(deadline); {
		case err == nil && (good(got) || late):
			return got
		case late:
			b.t.Fatalf("%s: %v", expression, err)
		}
	}
}

// Screenshot saves a picture of the whole page in the directory named by ASSAY_SCREENSHOTS. It does nothing if
// this variable is not set.
func (b *Browser) Screenshot(name string) {
	b.t.Helper()
	if dir := os.Getenv("ASSAY_SCREENSHOTS"); dir != "" {
		b.picture(filepath.Join(dir, name+".png"), true)
	}
}

// SaveViewport saves a picture of the visible part of the page in a file.
func (b *Browser) SaveViewport(file string) {
	b.t.Helper()
	b.picture(file, false)
}

// SavePage saves a picture of the whole page in a file.
func (b *Browser) SavePage(file string) {
	b.t.Helper()
	b.picture(file, true)
}

func (b *Browser) picture(file string, whole bool) {
	b.t.Helper()
	var picture struct{ Data []byte }
	b.Call(&picture, "Page.captureScreenshot", map[string]any{"captureBeyondViewport": whole})
	if err := os.WriteFile(file, picture.Data, 0o644); err != nil {
		b.t.Error(err)
	}
}
