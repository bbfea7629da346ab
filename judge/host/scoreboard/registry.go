package scoreboard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"assay/judge/host/scoring"
	"assay/judge/host/store"
)

// A Registry holds the live scoreboards of a server's contests. It loads a scoreboard on first use and then follows
// the contest's event log. Therefore several servers show the same scoreboard, and a restart loses nothing.
type Registry struct {
	o       RegistryOptions
	done    chan struct{} // closed when Run returns
	mu      sync.Mutex
	entries map[string]*liveEntry // entries contest id
}

// RegistryOptions configure a Registry.
type RegistryOptions struct {
	Store *store.Store
	Frame Frame
	Log   *slog.Logger
}

// A liveEntry is a scoreboard and its position in the event log.
type liveEntry struct {
	mu      sync.Mutex // held while the scoreboard is loaded or updated
	live    *Live      // nil before it is loaded
	seq     int64
	updated time.Time // when it was last up to date
	late    bool      // an update failed, and the failure has been logged
	used    time.Time // when it was last requested; protected by the Registry's mutex
}

const (
	// Lag is the maximum age of the state of a scoreboard with viewers.
	Lag = 100 * time.Millisecond
	// idleTimeout is how long an unused scoreboard stays in memory.
	idleTimeout = 10 * time.Minute
	// maxEvents is the maximum number of events that are read individually. If there are more, the scoreboard is
	// reloaded.
	maxEvents = 500
)

// NewRegistry returns a Registry without scoreboards.
func NewRegistry(o RegistryOptions) *Registry {
	return &Registry{o: o, done: make(chan struct{}), entries: map[string]*liveEntry{}}
}

// Scoreboard returns the scoreboard of a contest. If the scoreboard has viewers, its state is at most Lag old.
func (h *Registry) Scoreboard(ctx context.Context, contest string) (*Live, error) {
	h.mu.Lock()
	b := h.entries[contest]
	if b == nil {
		b = &liveEntry{}
		h.entries[contest] = b
	}
	b.used = time.Now()
	h.mu.Unlock()
	err := h.follow(ctx, contest, b)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.live == nil {
		return nil, err
	}
	return b.live, nil // the old state, because the database does not respond
}

// Refresh updates the scoreboard of a contest immediately, for a caller that has just changed the contest.
func (h *Registry) Refresh(ctx context.Context, contest string) error {
	h.mu.Lock()
	b := h.entries[contest]
	h.mu.Unlock()
	if b == nil {
		return nil // it is loaded on first use
	}
	b.mu.Lock()
	b.updated = time.Time{}
	b.mu.Unlock()
	err := h.follow(ctx, contest, b)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.live != nil {
		b.live.markStale()
	}
	return err
}

// Run updates the scoreboards that have viewers until ctx is done. Then it ends all event streams. It must be
// called only once.
func (h *Registry) Run(ctx context.Context) {
	defer close(h.done)
	tick := time.NewTicker(Lag)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for id, b := range h.watched() {
			_ = h.follow(ctx, id, b) // follow logs the error
		}
	}
}

// watched returns the scoreboards with viewers, and drops those that have not been used for a long time.
func (h *Registry) watched() map[string]*liveEntry {
	h.mu.Lock()
	defer h.mu.Unlock()
	watched := map[string]*liveEntry{}
	for id, b := range h.entries {
		switch {
		case !b.mu.TryLock(): // another goroutine updates it
			continue
		case b.live != nil && b.live.Watchers() > 0:
			watched[id], b.used = b, time.Now()
		case time.Since(b.used) > idleTimeout:
			delete(h.entries, id)
		}
		b.mu.Unlock()
	}
	return watched
}

// follow updates a scoreboard. It logs only the first of successive errors.
func (h *Registry) follow(ctx context.Context, contest string, b *liveEntry) (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer func() {
		if err != nil && b.live != nil && !b.late && ctx.Err() == nil {
			h.o.Log.Error("a scoreboard is out of date: it cannot be updated", "contest", contest, "error", err)
			b.late = true
		}
		b.late = b.late && err != nil
	}()
	if b.live != nil && time.Since(b.updated) < Lag {
		return nil
	}
	if b.live == nil {
		return h.load(ctx, contest, b)
	}
	events, err := h.o.Store.EventsSince(ctx, contest, b.seq, maxEvents+1)
	if err != nil {
		return err
	}
	if len(events) > maxEvents {
		return h.load(ctx, contest, b)
	}
	var submissions []scoring.Submission
	seen := map[store.Event]bool{}
	seq, teams := b.seq, false
	for _, e := range events {
		seq = e.Seq
		key := store.Event{Kind: e.Kind, Object: e.Object}
		if seen[key] {
			continue
		}
		seen[key] = true
		switch e.Kind {
		case store.KindSubmission, store.KindJudgement:
			s, err := h.o.Store.EventScoredSubmission(ctx, e)
			if err != nil {
				return err
			}
			if s != nil {
				submissions = append(submissions, submission(s))
			}
		case store.KindTeam:
			teams = true
		case store.KindRejudging,
			store.KindClarification,
			store.KindState: // a rejudging changes submissions, and scoreboards know their moments
		default:
			return h.load(ctx, contest, b)
		}
	}
	var all []scoring.Team
	if teams {
		if all, err = h.teams(ctx, contest); err != nil {
			return err
		}
	}
	if len(submissions) > 0 || teams {
		b.live.Apply(submissions, all)
	}
	b.seq, b.updated = seq, time.Now()
	return nil
}

// load reads a scoreboard from the database. It reads the end of the event log first. Later events are then
// followed, and may be applied twice without harm.
func (h *Registry) load(ctx context.Context, contest string, b *liveEntry) error {
	s, seq, err := h.state(ctx, contest)
	if err != nil {
		return err
	}
	if b.live == nil {
		b.live = New(*s, h.o.Frame)
	} else {
		b.live.Reset(*s)
	}
	b.seq, b.updated = seq, time.Now()
	return nil
}

// state returns everything that a scoreboard depends on, and the position of the end of the event log. It reads
// that position first, so that no later event is missed.
func (h *Registry) state(ctx context.Context, contest string) (*State, int64, error) {
	c, err := h.o.Store.Contest(ctx, contest)
	if err != nil {
		return nil, 0, err
	}
	if !slices.Contains(scoring.Kinds, scoring.Kind(c.Format)) {
		return nil, 0, fmt.Errorf("the contest %s has no scoreboard: %w", c.Slug, store.ErrNotFound)
	}
	problems, err1 := h.o.Store.ContestProblems(ctx, contest)
	scored, err2 := h.o.Store.ScoredSubmissions(ctx, contest)
	teams, err3 := h.teams(ctx, contest)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, 0, err
	}
	s := &State{
		Heading: Heading{Name: c.Name, Slug: c.Slug, Final: !c.Finalized.IsZero(), Starts: c.Starts, Ends: c.Ends()},
		Contest: Contest(c, problems), Teams: teams, Submissions: make([]scoring.Submission, 0, len(scored)),
	}
	for i := range scored {
		s.Submissions = append(s.Submissions, submission(&scored[i]))
	}
	return s, c.LastSeq, nil
}

func (h *Registry) teams(ctx context.Context, contest string) ([]scoring.Team, error) {
	teams, err := h.o.Store.Teams(ctx, contest)
	if err != nil {
		return nil, fmt.Errorf("make a board: %w", err)
	}
	organizations, err1 := h.o.Store.Organizations(ctx, contest)
	files, err2 := h.o.Store.Media(ctx, contest)
	if err := errors.Join(err1, err2); err != nil {
		return nil, fmt.Errorf("make a board: %w", err)
	}
	emblems := emblemsOf(organizations, files)
	converted := make([]scoring.Team, 0, len(teams))
	for _, t := range teams {
		e := emblems[t.Organization]
		converted = append(converted, scoring.Team{
			ID: t.ID, Name: t.Name, Groups: t.Groups, Organization: t.Organization,
			Logo: e.logo, Flag: e.flag, Country: e.country, Hidden: t.Hidden, Penalty: t.ExtraPenalty, ExtraTime: t.ExtraTime,
		})
	}
	return converted, nil
}

func submission(s *store.ScoredSubmission) scoring.Submission {
	return scoring.Submission{
		Number: s.Number, Team: s.Team, Problem: s.Label, At: s.Received, Verdict: s.Verdict, Score: s.Score,
		Parts: s.Parts, Ignored: s.Cancelled || s.Ignored, Unverified: s.Unverified,
	}
}

// defaultPoints is the default number of points of a problem.
const defaultPoints = 100

// Contest converts a stored contest for package scoring.
func Contest(c *store.Contest, problems []*store.ContestProblem) scoring.Contest {
	rules := scoring.DefaultRules(scoring.Kind(c.Format))
	if c.Settings.Penalty > 0 {
		rules.Penalty = time.Duration(c.Settings.Penalty) * time.Minute
	}
	rules.CompileErrors, rules.BestGroups, rules.HideVerdicts = c.Settings.CompileErrors, c.Settings.Groups, c.Settings.Blind
	sc := scoring.Contest{Rules: rules, Start: c.Starts, Length: c.Length, Freeze: c.Freeze, Unfreeze: c.Thaw}
	for _, r := range c.Settings.Removed {
		sc.Removed = append(sc.Removed, scoring.Interval{From: r.From, To: r.To})
	}
	for _, p := range problems {
		points := float64(p.Points)
		if points == 0 {
			points = defaultPoints
		}
		sc.Problems = append(sc.Problems, scoring.Problem{Label: p.Label, Title: p.Title, Color: p.Color, Points: points})
	}
	return sc
}
