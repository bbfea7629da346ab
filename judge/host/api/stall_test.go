package api_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/judge/host/api"
	"assay/judge/host/client"
)

// TestStalledBodies sends only the request headers to each route that takes a body. It checks that the server
// handles the caller's other requests and can remove blobs while it waits for the body.
func TestStalledBodies(t *testing.T) {
	h := newHarness(t)
	h.intake.CollectLock = new(sync.RWMutex)
	h.mixed()
	waited := 0
	for _, pattern := range api.Patterns() {
		row := expected[pattern]
		method, _, _ := strings.Cut(pattern, " ")
		if method == http.MethodGet {
			continue
		}
		who := "admin"
		for _, caller := range []string{"worker", "publish", "submit"} { // submit is last: its requests are queued
			if strings.Contains(row.may, caller) {
				who = caller
			}
		}
		c, err := net.Dial("tcp", h.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() }) // runs before the server closes, because that waits for its connections
		// The server sends 100 Continue when a handler reads the body.
		fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\nAuthorization: %s\r\n\r\n", method, row.path,
			h.as(who, method, row.path))
		first, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatalf("%s: %v", pattern, err)
		}
		if first.StatusCode != http.StatusContinue {
			t.Errorf("%s as %s does not read its body: %s", pattern, who, first.Status)
		}
		waited++
		if who != "worker" {
			if code, said := h.ask(who, "GET", client.AccountPath, nil); code != 200 {
				t.Errorf("%s: %d %s", pattern, code, said)
			}
			if code, said := h.ask(who, "POST", client.MissingPath, client.Blobs{}); code != 200 {
				t.Errorf("%s: %d %s", pattern, code, said)
			}
		}
		for deadline := time.Now().Add(time.Minute); !h.intake.CollectLock.TryLock(); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s keeps the server from removing blobs", pattern)
			}
		}
		h.intake.CollectLock.Unlock()
		c.Close()
	}
	if waited < 20 {
		t.Errorf("only %d routes waited for a body", waited)
	}
}
