package web_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
	"assay/judge/internal/browser"
)

// told is an event from a connection that carries several streams.
type told struct{ Topic, Event, Data string }

// hear opens a connection that carries streams. The returned function reads the next event.
func hear(h *webtest.Harness, cookie string, topics ...string) func() told {
	h.Helper()
	r, err := http.NewRequestWithContext(h.Context(), "GET", h.URL+"/events?"+url.Values{"t": topics}.Encode(), nil)
	if err != nil {
		h.Fatal(err)
	}
	r.Header.Set("Cookie", cookie)
	res, err := http.DefaultClient.Do(r)
	if err != nil || res.StatusCode != 200 {
		h.Fatal(res, err)
	}
	h.Cleanup(func() { res.Body.Close() })
	return events(h, res)
}

// events returns a function that reads the next event of a connection.
func events(h *webtest.Harness, res *http.Response) func() told {
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	return func() (s told) {
		h.Helper()
		for lines.Scan() {
			if data, is := strings.CutPrefix(lines.Text(), "data: "); is {
				if err := json.Unmarshal([]byte(data), &s); err != nil {
					h.Fatal(err)
				}
				return s
			}
		}
		h.Fatal("the stream ends:", lines.Err())
		return s
	}
}

// TestAStreamEndsWithItsSession checks that a logout ends the streams of the session, whether or not they share a
// connection.
func TestAStreamEndsWithItsSession(t *testing.T) {
	h := webtest.New(t)
	h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	for _, path := range []string{"/c/now/news/events", "/events?t=/c/now/news/events"} {
		ada := h.Cookie("ada")
		r, err := http.NewRequestWithContext(t.Context(), "GET", h.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Cookie", ada)
		res := webtest.Must[*http.Response](t)(http.DefaultClient.Do(r))
		defer res.Body.Close()
		if res.StatusCode != 200 {
			t.Fatalf("%s is answered %d", path, res.StatusCode)
		}
		if got := h.Fetch(ada, "POST", "/logout", url.Values{}); got.Code != 303 {
			t.Fatalf("to log out is answered %d", got.Code)
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil { // until the stream ends
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestAStreamEndsWithItsRight checks that a stream ends when its reader may no longer see the contest.
func TestAStreamEndsWithItsRight(t *testing.T) {
	h := webtest.New(t)
	for i, path := range []string{"/news/events", "/scoreboard/events?version=0"} {
		for _, who := range []string{"ada", ""} {
			c := h.Contest(fmt.Sprint("now", i, who), -time.Minute, store.VisibilityPublic, store.Settings{})
			r, err := http.NewRequestWithContext(t.Context(), "GET", h.URL+"/c/"+c.Slug+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if who != "" {
				r.Header.Set("Cookie", h.Cookie(who))
			} else if i == 0 {
				continue // anonymous readers have no news
			}
			res := webtest.Must[*http.Response](t)(http.DefaultClient.Do(r))
			defer res.Body.Close()
			if res.StatusCode != 200 {
				t.Fatalf("%s is answered %d to %q", path, res.StatusCode, who)
			}
			c.Visibility = store.VisibilityJury
			if err := h.Store.SetContest(t.Context(), c, nil); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, res.Body); err != nil { // until the stream ends
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}

// TestOneConnection checks that one connection carries the streams that the caller may read, and nothing of the
// others.
func TestOneConnection(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	h.Contest("staff", -time.Minute, store.VisibilityJury, store.Settings{})
	sent := h.Submit(c, "ada")
	const news, board, judging = "/c/now/news/events", "/c/now/scoreboard/events?version=0", "/c/now/s/1/events"
	ada := hear(h, h.Cookie("ada"), news, board, judging, "/c/staff/news/events", "/c/now/s/2/events",
		"/c/now/scoreboard/events?view=jury&version=0")
	first := map[string]string{}
	for len(first) < 3 {
		e := ada()
		first[e.Topic] = e.Event
	}
	if first[news] != "news" || first[board] != "board" || first[judging] != "part" {
		t.Errorf("at first ada hears %v", first)
	}
	h.RecordJudgement(sent, webtest.FailingEvents()...)
	for {
		e := ada()
		if first[e.Topic] == "" {
			t.Fatalf("ada hears %+v", e)
		}
		if e.Topic == judging && e.Event == "end" {
			if !strings.Contains(e.Data, "\n") || strings.Contains(e.Data, webtest.Secret) {
				t.Errorf("the end of the judging: %s", e.Data)
			}
			break
		}
	}
	h.Clarify(c, store.NewClarification{Jury: true, Text: "to all"}, "judge")
	for e := ada(); e.Topic != news || !strings.Contains(e.Data, "1 new"); e = ada() {
		if first[e.Topic] == "" {
			t.Fatalf("ada hears %+v", e)
		}
	}
	for _, bad := range [][]string{
		nil, {"/c/now/s/1"}, {"//evil.example/c/x/events"}, {"https://evil.example/c/x/events"}, {"/events?t=/c/now/news/events"},
		{"c/now/news/events"}, {":"},
		strings.Split(strings.Repeat(news+" ", 33), " ")[:33],
	} {
		if got := h.Fetch(h.Cookie("ada"), "GET", "/events?"+url.Values{"t": bad}.Encode(), nil); got.Code != 400 {
			t.Errorf("%q is answered %d", bad, got.Code)
		}
	}
}

// TestTabsShareOneConnection checks in a browser that several pages of a contest update themselves.
func TestTabsShareOneConnection(t *testing.T) {
	if os.Getenv("ASSAY_SLOW") == "" {
		t.Skip("a browser takes a while: set ASSAY_SLOW=1")
	}
	h := webtest.New(t)
	gate := make(chan bool, 1) // while full, no stream begins
	all := h.Config.Handler
	h.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/events" {
			gate <- true
			<-gate
		}
		all.ServeHTTP(w, r)
	})
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	code, hash := auth.NewCode()
	if err := h.Store.NewSetupCode(t.Context(), hash, h.Accounts["admin"].ID); err != nil {
		t.Fatal(err)
	}
	b := browser.Open(t, h.URL+"/setup?code="+code)
	b.SetWidth(390)
	b.Fill("input[name=name]", "Chair")
	b.Fill("input[name=password]", "battery-staple")
	b.Fill("input[name=again]", "battery-staple")
	b.Follow("form.stack button")
	const head = `document.querySelector('[data-news]').textContent`
	const list = `document.querySelector('[data-clars]').innerText`
	soon := func(what, expression, want string) {
		t.Helper()
		b.WaitFor(expression, func(text string) bool { return strings.Contains(text, want) })
		b.ExpectContains(what, expression, want)
	}
	for i, page := range []string{"/c/now", "/c/now/scoreboard?view=jury", "/c/now/clar"} {
		b.Navigate(h.URL + page)
		h.Clarify(c, store.NewClarification{Text: "question " + string(rune('a'+i))}, "ada")
		soon(page, head, string(rune('1'+i))+" unanswered")
		b.ExpectValue(page+": what is wider than the screen", webtest.OverflowScript, "")
	}
	soon("the list", list, "question c")
	// Events between the rendering of the page and the start of its stream are not lost.
	gate <- true
	b.Navigate(h.URL + "/c/now/clar")
	h.Clarify(c, store.NewClarification{Text: "question d"}, "ada")
	time.Sleep(time.Second) // until the server has polled: the stream's first event includes it
	<-gate
	soon("the list of before the stream", list, "question d")
	sent := h.Submit(c, "ada")
	b.Navigate(h.URL + "/c/now/scoreboard?view=jury")
	soon("the board", `document.querySelector('section.scores').innerText`, "ada")
	h.RecordJudgement(sent, webtest.AcceptedEvents()...)
	soon("the board", `document.querySelector('section.scores').innerText`, "first to solve")
	other := h.Submit(c, "bob")
	b.Navigate(h.URL + "/c/now/s/2")
	h.RecordJudgement(other, webtest.AcceptedEvents()...)
	soon("the judging", `document.querySelector('main').innerText`, "accepted")
	for _, page := range []string{"/c/now/submissions?verdict=AC", "/c/now/rejudgings", "/c/now/finalize", "/c/now/clar/new",
		"/c/now/clar/1"} {
		b.Navigate(h.URL + page)
		b.ExpectValue(page+": what is wider than the screen", webtest.OverflowScript, "")
	}
}

// TestWhatHasNoTurnHasAPace checks that requests for files, streams and missing pages from the same network are
// handled one at a time, and that requests for pages do not wait for them.
func TestWhatHasNoTurnHasAPace(t *testing.T) {
	h := webtest.New(t)
	h.Contest("now", -time.Minute, store.VisibilityPublic, store.Settings{})
	for path, want := range map[string]int{
		"/static/icon.svg": http.StatusOK, "/none": http.StatusNotFound,
		"/c/now/scoreboard/events": http.StatusBadRequest, "/c/none/scoreboard/events": http.StatusSeeOther, // no version; login required
	} {
		turn, err := h.Intake.PublicQueue.Wait(t.Context(), intake.Network("127.0.0.1:1").String())
		if err != nil {
			t.Fatal(err)
		}
		answered := make(chan int, 1)
		go func() {
			defer close(answered) // even if Ask fails
			answered <- h.Fetch("", "GET", path, nil).Code
		}()
		if got := h.Fetch("", "GET", "/c/now", nil); got.Code != http.StatusOK {
			t.Errorf("a page is answered %d", got.Code)
		}
		select {
		case code := <-answered:
			t.Errorf("%s is answered %d before its turn", path, code)
		case <-time.After(20 * time.Millisecond):
		}
		turn.End()
		if code := <-answered; code != want {
			t.Errorf("%s is answered %d, want %d", path, code, want)
		}
	}
}
