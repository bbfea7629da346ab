package api_test

import (
	"net/http"
	"testing"

	"assay/judge/host/client"
	"assay/judge/host/queue"
)

// TestWorkersHavePlacesOfTheirOwn checks that workers can connect even if unauthenticated clients use all of their
// own connection slots.
func TestWorkersHavePlacesOfTheirOwn(t *testing.T) {
	h := newHarness(t)
	if code, said := h.ask("worker", "POST", "/v1/workers/hello", client.HelloRequest{Capabilities: offer()}); code != 200 {
		t.Fatal(code, said)
	}
	upgrade := func(who string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "GET", h.URL+queue.Path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Connection", "Upgrade")
		r.Header.Set("Upgrade", queue.Protocol)
		if who != "anonymous" {
			r.Header.Set("Authorization", h.as(who, "GET", queue.Path))
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { res.Body.Close() })
		return res.StatusCode
	}
	for tries := 0; upgrade("anonymous") != http.StatusServiceUnavailable; tries++ {
		if tries == 20_000 { // slots are released after a few seconds
			t.Fatal("strangers are never refused")
		}
	}
	for who, want := range map[string]int{"worker": http.StatusSwitchingProtocols, "gone worker": http.StatusServiceUnavailable} {
		if got := upgrade(who); got != want {
			t.Errorf("the %s is answered %d, want %d", who, got, want)
		}
	}
}
