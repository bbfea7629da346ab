package client_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/client"
)

// server is a server that does what a test says, and a client of it.
func server(t *testing.T, patience time.Duration, answer http.HandlerFunc) *client.Client {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return to(t, client.Options{Address: client.Address{URL: s.URL}, Patience: patience})
}

func to(t *testing.T, o client.Options) *client.Client {
	t.Helper()
	c, err := client.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const full = `{"error":"too many submissions are waiting","hint":"try again later"}`

// TestPatience holds that a server that cannot answer now is asked again, and told once.
func TestPatience(t *testing.T) {
	var asked atomic.Int32
	c := server(t, 0, func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			http.Error(w, full, http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, `{"login":"ann","scopes":["submit"]}`)
	})
	me, err := c.Account(t.Context())
	if err != nil || me.Login != "ann" || asked.Load() != 2 {
		t.Errorf("got %+v, %v after %d requests", me, err, asked.Load())
	}
}

// TestWhoseFault holds that what goes wrong is told in the server's words, and blamed on
// the right one.
func TestWhoseFault(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		says   string
		whose  judge.Blame
	}{
		"refused":       {403, `{"error":"no","hint":"do this"}`, "no\n    do this", judge.Asker},
		"broken":        {500, `{"error":"its log says why"}`, "its log says why", judge.Machine},
		"full":          {503, full, "too many submissions are waiting\n    try again later", judge.Machine},
		"no judge":      {404, "<html>", "is it a judge?", judge.Asker},
		"other answers": {200, "<html>", "is it a judge?", judge.Machine},
	} {
		t.Run(name, func(t *testing.T) {
			api := server(t, -1, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			})
			_, err := api.Account(t.Context())
			if err == nil || !strings.HasSuffix(err.Error(), c.says) || judge.Whose(err) != c.whose {
				t.Errorf("got %v, whose fault is %v", err, judge.Whose(err))
			}
		})
	}
}

// TestAway holds that waiting ends with the context, and with patience.
func TestAway(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	c := to(t, client.Options{Address: client.Address{URL: gone.URL}, Patience: -1})
	if _, err := c.Server(t.Context()); err == nil || !strings.Contains(err.Error(), "cannot be reached") || judge.Whose(err) != judge.Machine {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := to(t, client.Options{Address: client.Address{URL: gone.URL}}).Server(ctx); err == nil || time.Since(began) > 5*time.Second {
		t.Errorf("got %v after %s", err, time.Since(began))
	}
}

// TestPinned holds that a server with another certificate is refused at once: to ask again
// does not change who it is.
func TestPinned(t *testing.T) {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	waited := false
	c := to(t, client.Options{Address: client.Address{URL: s.URL, Pin: strings.Repeat("0", 64)}, Wait: func(error) { waited = true }})
	if _, err := c.Server(t.Context()); err == nil || !strings.Contains(err.Error(), "another fingerprint") || judge.Whose(err) != judge.Asker || waited {
		t.Errorf("got %v, waited %v", err, waited)
	}
}

// TestFollowGoesOn breaks the stream in the middle of a line: each event is told once.
func TestFollowGoesOn(t *testing.T) {
	event := func(n int) string {
		line, err := judge.EncodeEvent(&judge.Started{Problem: fmt.Sprint(n)})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf(`{"event":%s}`, line)
	}
	var from []string
	c := server(t, 0, func(w http.ResponseWriter, r *http.Request) {
		from = append(from, r.FormValue("from"))
		if len(from) == 1 {
			fmt.Fprintf(w, "%s\n{}\n%s\n%s", event(0), event(1), event(2)[:5])
			return
		}
		fmt.Fprintf(w, "%s\n{\"end\":{\"id\":\"x\",\"state\":\"done\"}}\n", event(2))
	})
	var told []string
	end, err := c.Follow(t.Context(), "x", func(e judge.Event) { told = append(told, e.(*judge.Started).Problem) })
	if err != nil || end.State != "done" || strings.Join(told, " ") != "0 1 2" || strings.Join(from, " ") != "0 2" {
		t.Errorf("got %+v, %v, told %v, asked from %v", end, err, told, from)
	}
}
