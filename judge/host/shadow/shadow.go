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

	"assay/judge/host/desk"
	"assay/judge/host/store"
)

// Options configure a Service.
type Options struct {
	*desk.Desk
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
	running map[string]*running // by contest id
}

// A running is a source that is being followed.
type running struct {
	source store.Source
	stop   context.CancelFunc
	done   chan struct{}
}

const (
	lookEvery = 2 * time.Second  // interval between checks for new or changed sources
	mostPause = 15 * time.Second // maximum delay before a primary is contacted again
)

// New returns a Service.
func New(o Options) *Service {
	if o.Pause == 0 {
		o.Pause = time.Second
	}
	return &Service{o: o, running: map[string]*running{}}
}

// Run follows the primaries of all contests until ctx is done. It does nothing while another server is the leader.
func (s *Service) Run(ctx context.Context) {
	lead := store.NewLead(s.o.Store, store.ShadowLead, s.o.Holder)
	defer lead.Resign(ctx)
	defer s.keep(ctx, nil)
	for {
		_, err := lead.Hold(ctx)
		var all []*store.Source
		if err == nil {
			all, err = s.o.Store.Sources(ctx)
		}
		switch {
		case err == nil:
			s.keep(ctx, all)
		case errors.Is(err, store.ErrNotLeader):
			s.keep(ctx, nil)
		case ctx.Err() == nil:
			s.o.Log.Error("read which primaries are followed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(min(lookEvery, 2*s.o.Pause)):
		}
	}
}

// keep starts and stops followers so that exactly the given sources are followed.
func (s *Service) keep(ctx context.Context, all []*store.Source) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted := map[string]*store.Source{}
	for _, one := range all {
		wanted[one.Contest] = one
	}
	for id, r := range s.running {
		if w := wanted[id]; w != nil && same(w, &r.source) {
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
		r := &running{source: *w, stop: stop, done: make(chan struct{})}
		s.running[id] = r
		go func() {
			defer close(r.done)
			f := &follower{Options: s.o, source: *w, told: w.Trouble}
			f.run(within)
		}()
	}
}

// same reports whether a follower of the source a can also follow the source b, because all settings that it uses
// are equal.
func same(a, b *store.Source) bool {
	return a.URL == b.URL && a.Login == b.Login && a.SecretFile == b.SecretFile && a.Account == b.Account && a.Ours == b.Ours
}

// A follower makes one contest follow its primary.
type follower struct {
	Options
	source     store.Source
	primary    *Primary
	mirror     Mirror
	fresh      map[key]store.ExternalObject // objects that have not been applied to the contest
	problem    map[key]string               // as recorded
	failures   map[string]int               // number of failed requests for the files of a submission
	again      bool                         // the contest must be updated again
	mediaAgain bool                         // pictures must be fetched again
	resumed    bool                         // the feed was resumed after the last stored line
	torn       bool                         // the feed broke off within a line
	empty      int                          // consecutive connections without a line
	quiet      bool                         // the primary has no more data for now
	told       string                       // recorded reason why the primary cannot be followed
	noted      time.Time                    // when the last data from the primary was recorded
	board      time.Time                    // when the scoreboard was last requested
}

// A key identifies an object of a primary.
type key struct{ typ, id string }

// run follows the primary until ctx is done.
func (f *follower) run(ctx context.Context) {
	pause := f.Pause
	for ctx.Err() == nil {
		begun := time.Now()
		err := f.session(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			f.Log.Warn("a primary is not followed now", "contest", f.source.Contest, "error", err)
			if err := f.trouble(ctx, err.Error()); err != nil {
				f.Log.Error("note why a primary is not followed", "error", err)
			}
		}
		if pause = min(2*pause, mostPause); err == nil || time.Since(begun) > mostPause {
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
	f.fresh, f.problem, f.failures = map[key]store.ExternalObject{}, map[key]string{}, map[string]int{}
	for _, o := range all {
		if o.Fresh {
			f.fresh[key{o.Type, o.ID}] = o
		}
	}
	for _, p := range wrong {
		f.problem[key{p.Type, p.ID}] = p.Text
	}
	f.mirror, f.again, f.mediaAgain = NewMirror(all), true, true
	return nil
}

// note records an error of an object on the primary. An empty text clears the error.
func (f *follower) note(ctx context.Context, typ, id, text string) error {
	if f.problem[key{typ, id}] == text {
		return nil
	}
	if err := f.Store.NoteExternalProblem(ctx, f.source.Contest, typ, id, text); err != nil {
		return err
	}
	f.problem[key{typ, id}] = text
	return nil
}
