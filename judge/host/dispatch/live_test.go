package dispatch

import (
	"strings"
	"testing"

	"assay/judge/host/job"
)

func told(first int, events ...string) job.Progress {
	p := job.Progress{Running: job.Running{Job: "j"}, First: first}
	for _, e := range events {
		p.Events = append(p.Events, []byte(e))
	}
	return p
}

// TestLive checks that events are shown in order and once, even if a worker restarts a job or messages are lost.
// After a job has ended, none of its events remain in memory.
func TestLive(t *testing.T) {
	d := New(Options{})
	w := d.Watch("j")
	_, changed, _ := w.Next(0)
	d.streams.add(told(0, "1", "2"))
	select {
	case <-changed:
	default:
		t.Error("who watches is not told")
	}
	d.streams.add(told(0, "1", "2", "3")) // started again
	d.streams.add(told(4, "5"))           // after a gap
	if events, _, ended := w.Next(1); len(events) != 2 || string(events[1]) != "3" || ended {
		t.Errorf("events are %q, ended %v", events, ended)
	}
	_, changed, _ = w.Next(3)
	d.streams.add(told(3, "4", strings.Repeat("x", maxStreamSize)))
	select {
	case <-changed:
	default:
		t.Error("who watches is not told of what came before too much")
	}
	if events, _, _ := w.Next(3); len(events) != 1 {
		t.Errorf("%d events are kept, one of which is too large", len(events))
	}
	d.streams.end("j")
	if _, _, ended := w.Next(4); !ended {
		t.Error("who watches is not told of the end")
	}
	w.Close()
	d.Watch("k").Close()
	if len(d.streams.jobs) != 0 {
		t.Errorf("%d jobs stay", len(d.streams.jobs))
	}
}
