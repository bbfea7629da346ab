// Package shadow lets contests follow another judging system, their primary, through its Contest API. It stores
// the objects in the primary's event feed, imports its teams, problems and submissions, lets workers of this
// server judge the submissions, and compares the verdicts. A setting of each source decides which verdicts count.
//
// The database contains everything that was read, with the token of the last line. Objects that have not been
// applied to the contest yet are marked there. Therefore a server can be killed at any time, and continues without
// loss or duplicates.
//
// Fetch reads a contest package once, from such a system or from a ZIP archive.
//
// The package sends no data to a primary. It does not import accounts, clarifications or runs.
package shadow

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"assay/judge/host/intake"
	"assay/judge/host/store"
)

// Options configure a Service.
type Options struct {
	*intake.Service
	Log    *slog.Logger
	Holder string // see dispatch.Options
	// Pause is the delay before the service contacts a primary again. Zero means 1 s. The delay increases after
	// each failure.
	Pause time.Duration
}

// A Service makes a server's contests follow their primaries.
type Service struct {
	o Options

	mu      sync.Mutex
	running map[string]*runningFollower // by contest id
}

// A runningFollower is a source that is being followed.
type runningFollower struct {
	source store.ExternalSource
	stop   context.CancelFunc
	done   chan struct{}
}

const (
	checkEvery = 2 * time.Second  // interval between checks for new or changed sources
	maxPause   = 15 * time.Second // maximum delay before a primary is contacted again
)

// New returns a Service.
func New(o Options) *Service {
	if o.Pause == 0 {
		o.Pause = time.Second
	}
	return &Service{o: o, running: map[string]*runningFollower{}}
}

// Run follows the primaries of all contests until ctx is done. It does nothing while another server is the leader.
func (s *Service) Run(ctx context.Context) {
	lead := store.NewLeaderLease(s.o.Store, store.ShadowLease, s.o.Holder)
	defer lead.Release(ctx)
	defer s.syncFollowers(ctx, nil)
	for {
		_, err := lead.Acquire(ctx)
		var all []*store.ExternalSource
		if err == nil {
			all, err = s.o.Store.ExternalSources(ctx)
		}
		switch {
		case err == nil:
			s.syncFollowers(ctx, all)
		case errors.Is(err, store.ErrNotLeader):
			s.syncFollowers(ctx, nil)
		case ctx.Err() == nil:
			s.o.Log.Error("read which primaries are followed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(min(checkEvery, 2*s.o.Pause)):
		}
	}
}

// syncFollowers starts and stops followers so that exactly the given sources are followed.
func (s *Service) syncFollowers(ctx context.Context, sources []*store.ExternalSource) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted := map[string]*store.ExternalSource{}
	for _, one := range sources {
		wanted[one.Contest] = one
	}
	for id, r := range s.running {
		if w := wanted[id]; w != nil && sameSource(w, &r.source) {
			continue
		}
		r.stop()
		<-r.done
		delete(s.running, id)
	}
	for id, w := range wanted {
		if s.running[id] != nil || ctx.Err() != nil {
			continue
		}
		within, stop := context.WithCancel(ctx)
		r := &runningFollower{source: *w, stop: stop, done: make(chan struct{})}
		s.running[id] = r
		go func() {
			defer close(r.done)
			f := &follower{Options: s.o, source: *w, recordedTrouble: w.Failure}
			f.run(within)
		}()
	}
}

// sameSource reports whether a follower of the source a can also follow the source b, because all settings that it uses
// are equal.
func sameSource(a, b *store.ExternalSource) bool {
	return a.URL == b.URL && a.Login == b.Login && a.SecretFile == b.SecretFile && a.Account == b.Account &&
		a.UseOwnVerdicts == b.UseOwnVerdicts
}

// A follower makes one contest follow its primary.
type follower struct {
	Options
	source           store.ExternalSource
	primary          *Primary
	mirror           Mirror
	fresh            map[key]store.ExternalObject // objects that have not been applied to the contest
	recordedErrors   map[key]string               // as recorded
	failures         map[string]int               // number of failed requests for the files of a submission
	needsUpdate      bool                         // the contest must be updated again
	needsMedia       bool                         // pictures must be fetched again
	resumed          bool                         // the feed was resumed after the last stored line
	incomplete       bool                         // the feed broke off within a line
	emptyConnections int                          // consecutive connections without a line
	caughtUp         bool                         // the primary has no more data for now
	recordedTrouble  string                       // recorded reason why the primary cannot be followed
	lastRecorded     time.Time                    // when the last data from the primary was recorded
	lastScoreboard   time.Time                    // when the scoreboard was last requested
}

// A key identifies an object of a primary.
type key struct{ typ, id string }

// run follows the primary until ctx is done.
func (f *follower) run(ctx context.Context) {
	pause := f.Pause
	for ctx.Err() == nil {
		begun := time.Now()
		err := f.readFeed(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			f.Log.Warn("a primary is not followed now", "contest", f.source.Contest, "error", err)
			if err := f.recordTrouble(ctx, err.Error()); err != nil {
				f.Log.Error("note why a primary is not followed", "error", err)
			}
		}
		if pause = min(2*pause, maxPause); err == nil || time.Since(begun) > maxPause {
			pause = f.Pause
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// load reads the stored objects of the primary.
func (f *follower) load(ctx context.Context) error {
	if f.mirror != nil {
		return nil
	}
	all, err := f.Store.ExternalObjects(ctx, f.source.Contest, "")
	if err != nil {
		return err
	}
	wrong, err := f.Store.ExternalProblems(ctx, f.source.Contest)
	if err != nil {
		return err
	}
	f.fresh, f.recordedErrors, f.failures = map[key]store.ExternalObject{}, map[key]string{}, map[string]int{}
	for _, o := range all {
		if o.Uncopied {
			f.fresh[key{o.Type, o.ID}] = o
		}
	}
	for _, p := range wrong {
		f.recordedErrors[key{p.Type, p.ID}] = p.Text
	}
	f.mirror, f.needsUpdate, f.needsMedia = NewMirror(all), true, true
	return nil
}

// recordError records an error of an object on the primary. An empty text clears the error.
func (f *follower) recordError(ctx context.Context, typ, id, text string) error {
	if f.recordedErrors[key{typ, id}] == text {
		return nil
	}
	if err := f.Store.RecordExternalProblem(ctx, f.source.Contest, typ, id, text); err != nil {
		return err
	}
	f.recordedErrors[key{typ, id}] = text
	return nil
}
