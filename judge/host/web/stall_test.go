package web_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/judge/host/web/webtest"
)

// TestStalledForms sends only the head of a form to each address that accepts one. While the server waits for the
// body, the account can load other pages, and blobs can be removed.
func TestStalledForms(t *testing.T) {
	h := walkers(t)
	h.Intake.CollectLock = new(sync.RWMutex)
	waited := map[string]int{}
	for pattern := range webtest.Routes() {
		state := "running"
		if strings.Contains(pattern, "{hole}") {
			state = "open"
		}
		method, path := filled(pattern, state)
		if method == http.MethodGet || strings.HasPrefix(path, "/account/sessions") || path == "/logout" { // these would end the session
			continue
		}
		for _, who := range []string{"admin", "ada"} {
			cookie := h.Cookie(who)
			c, err := net.Dial("tcp", h.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Close() }) // before the server closes, because that waits for its connections
			kind := "application/x-www-form-urlencoded"
			if pattern == "POST /problems" {
				kind = "multipart/form-data; boundary=x"
			}
			// The server sends 100 Continue when a handler reads the body.
			fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\nExpect: 100-continue\r\nContent-Type: %s\r\nCookie: %s\r\n\r\n",
				method, path, kind, cookie)
			first, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Fatalf("%s: %v", pattern, err)
			}
			if first.StatusCode == http.StatusContinue {
				waited[who]++
			}
			if got := h.Fetch(cookie, "GET", "/account", nil); got.Code != 200 {
				t.Errorf("%s as %s: %d %s", pattern, who, got.Code, got.Body)
			}
			for deadline := time.Now().Add(time.Minute); !h.Intake.CollectLock.TryLock(); time.Sleep(time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("%s keeps the server from removing blobs", pattern)
				}
			}
			h.Intake.CollectLock.Unlock()
			c.Close()
		}
	}
	if waited["admin"] < 25 || waited["ada"] < 4 {
		t.Errorf("only so many routes waited for a form: %v", waited)
	}
}
