package worker

import (
	"errors"
	"strings"
	"testing"

	"assay/judge/host/job"
)

// TestReasonsNameNoDirectories checks that a result does not reveal the worker's data directory or caches.
func TestReasonsNameNoDirectories(t *testing.T) {
	r := &Runner{o: RunnerOptions{Dir: "/srv/worker", Cache: "/var/cache/assay"}, tmp: "/srv/worker/work-1"}
	for said, want := range map[string]string{
		"the cache, /var/cache/assay, cannot be used: mkdir /var/cache/assay/x: no": "the cache, <cache>, cannot be used: mkdir <cache>/x: no",
		"open /srv/worker/blobs/ab: no such file":                                   "open <data>/blobs/ab: no such file",
		"/srv/worker/work-1/7/sum/problem.toml:3: no":                               "sum/problem.toml:3: no",
		strings.Repeat("x", maxReason+1):                                            strings.Repeat("x", maxReason) + " ...",
	} {
		if got := r.reasonText(errors.New(said), &job.Spec{}); got != want {
			t.Errorf("reason(%.100q) = %.100q, want %.100q", said, got, want)
		}
	}
	r.o.Cache = "" // the cache is inside Dir
	if got := r.reasonText(errors.New("a b"), &job.Spec{}); got != "a b" {
		t.Errorf("without a cache of its own: %q", got)
	}
}
