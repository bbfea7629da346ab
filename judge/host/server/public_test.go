package server

import "testing"

// TestWorkersAreNotToldThePassword checks that the cluster address for workers does not contain the server's
// password.
func TestWorkersAreNotToldThePassword(t *testing.T) {
	if got, want := redactQueueURL("nats://server:secret@a:4222,nats://b"), "nats://a:4222,nats://b"; got != want {
		t.Errorf("workers are told %q, want %q", got, want)
	}
	if got := redactQueueURL(""); got != "" {
		t.Errorf("without a cluster workers are told %q", got)
	}
}
