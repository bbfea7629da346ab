package dispatch

import (
	"errors"
	"log/slog"
	"slices"
	"testing"

	"assay/judge/host/queue"
)

// newsQueue is a queue that records the news for other servers.
type newsQueue struct {
	Queue
	sent []queue.News
}

func (q *newsQueue) SendNews(n queue.News) error {
	q.sent = append(q.sent, n)
	return errors.New("no server hears it")
}

// TestNews checks what a server does with the news of another server, and that it sends its own.
func TestNews(t *testing.T) {
	for _, tt := range []struct {
		news                  queue.News
		wakes, ended, workers bool
	}{
		{queue.News{}, false, false, false},
		{queue.News{Jobs: true}, true, false, false},
		{queue.News{Ended: "job"}, true, true, false},
		{queue.News{Ended: "another"}, true, false, false},
		{queue.News{Workers: true}, false, false, true},
		{queue.News{Jobs: true, Ended: "job", Workers: true}, true, true, true},
	} {
		workers := 0
		d := New(Options{Log: slog.New(slog.DiscardHandler), OnWorkersChanged: func() { workers++ }})
		s := d.streams.streamFor("job")
		d.Listener().News(tt.news)
		if len(d.wake) == 1 != tt.wakes || s.ended != tt.ended || workers == 1 != tt.workers {
			t.Errorf("%+v: wakes %d, ended %v, workers %d", tt.news, len(d.wake), s.ended, workers)
		}
	}
	d := New(Options{Log: slog.New(slog.DiscardHandler)})
	d.handleNews(queue.News{Workers: true})
	d.Wake() // before SetQueue
	q := &newsQueue{}
	d.SetQueue(q)
	d.Wake()
	if want := []queue.News{{Jobs: true}}; !slices.Equal(q.sent, want) {
		t.Errorf("sent %+v, want %+v", q.sent, want)
	}
}
