package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"assay/judge"
)

// NoticeInterval is the default time between two notices.
const NoticeInterval = 10 * time.Second

// Notices writes the progress of long work if there is no terminal with a progress line. It writes one line per
// interval, and nothing about work that ends within the first interval. Its methods are safe for concurrent use.
type Notices struct {
	out    io.Writer
	start  time.Time
	closed chan struct{}
	ended  sync.WaitGroup

	mu   sync.Mutex
	work []*activity // current work, in the order of its start
}

// An activity is an activity whose progress is reported.
type activity struct{ line func() string }

// NewNotices returns a Notices that writes to to once per interval. The caller must call Close.
func NewNotices(out io.Writer, interval time.Duration) *Notices {
	n := &Notices{out: out, start: time.Now(), closed: make(chan struct{})}
	n.ended.Go(func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				n.write()
			case <-n.closed:
				return
			}
		}
	})
	return n
}

// Add adds work to the notices until done is called. The function line describes the work's progress. If it
// returns "", the work is omitted.
func (n *Notices) Add(line func() string) (remove func()) {
	w := &activity{line}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.work = append(n.work, w)
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.work = slices.DeleteFunc(n.work, func(other *activity) bool { return other == w })
	}
}

// write writes a notice if any work has progress to report.
func (n *Notices) write() {
	n.mu.Lock()
	following := slices.Clone(n.work)
	n.mu.Unlock()
	var lines []string
	for _, w := range following { // without the lock, because line may wait for work that has just ended
		if line := w.line(); line != "" {
			lines = append(lines, sanitizeLine(line))
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(n.out, "after %.0f s: %s\n", time.Since(n.start).Seconds(), strings.Join(lines, "; "))
	}
}

// Close stops the notices.
func (n *Notices) Close() {
	close(n.closed)
	n.ended.Wait()
}

// WatchProgress returns a report that writes nothing, and a function that describes the progress of a judging or
// verification. The description is empty before it begins and after it ends.
func WatchProgress() (Report, func() string) {
	w := &watcher{record: &record{}, progress: progressLine{enabled: true}}
	return w, w.line
}

type watcher struct {
	mu       sync.Mutex
	record   *record
	progress progressLine
	active   bool
}

func (w *watcher) Event(e judge.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e.(type) {
	case *judge.Started, *judge.VerifyStarted:
		w.active, w.record = true, &record{}
	case *judge.Finished, *judge.VerifyFinished:
		w.active = false
	}
	if w.active {
		w.record.add(e)
		w.progress.update(e, w.record, maxWidth)
	}
}

func (w *watcher) line() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.active {
		return ""
	}
	return w.progress.line(w.record)
}

func (w *watcher) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active = false
	return nil
}
