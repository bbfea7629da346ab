// Package feed has the objects of contests for the ICPC Contest API. REST and event feeds use the same objects, so a
// client that applies a feed has the state that REST returns.
//
// A contest is read when a client first asks for it, and then follows the contest's log. So several servers show the same
// state, and a restart loses nothing. Package clics decides who sees an object, and how it is written.
//
// The package does not know HTTP. It changes nothing in a contest, except that it records which moments of the contest,
// such as the freeze, have passed.
package feed

import (
	"context"
	"slices"
	"sync"
	"time"

	"assay/judge/host/clics"
	"assay/judge/host/desk"
	"assay/judge/host/media"
	"assay/judge/host/scoring"
	"assay/judge/host/store"
)

// A Registry has the contests of a server.
type Registry struct {
	Desk *desk.Desk

	mu sync.Mutex
	by map[string]*Contest // by id
}

const (
	// idle is the time without a request after which a contest is dropped from memory.
	idle = 10 * time.Minute
	// many is the largest number of events that are applied one by one. If there are more, everything is read again.
	many = 500
)

// Contest returns a contest with the current state of the database.
func (r *Registry) Contest(ctx context.Context, id string) (*Contest, error) {
	r.mu.Lock()
	if r.by == nil {
		r.by = map[string]*Contest{}
	}
	c := r.by[id]
	if c == nil {
		for other, one := range r.by {
			if time.Since(one.used) > idle {
				delete(r.by, other)
			}
		}
		c = &Contest{Desk: r.Desk, id: id}
		r.by[id] = c
	}
	c.used = time.Now()
	r.mu.Unlock()
	return c, c.Follow(ctx, 0)
}

// A Contest is a contest with all its objects. Its methods are safe for concurrent use.
type Contest struct {
	*desk.Desk
	id   string
	used time.Time // under the Registry's mutex

	following sync.Mutex // held while the database is read
	asked     time.Time  // when it was last read; under following

	mu     sync.RWMutex // guards all below
	loaded bool
	seq    int64 // of the last applied event of the log
	stamp  int64 // rises with each change
	at     time.Time
	setup  setup
	units  map[clics.Type][]*unit
	by     map[key]*unit
	now    time.Time // the time of the last read
	// counted are the submissions that decide the ranks, by id. boards are the scoreboards of the public and of the
	// jury.
	counted map[string]scoring.Submission
	boards  [2]*scoring.Board
	// few has the ids of the frozen submissions whose verdicts balloon runners may know. lost rises when ids are
	// removed from it.
	few  map[string]bool
	lost int64
}

// A setup is a contest without its submissions.
type setup struct {
	contest  *store.Contest
	scored   scoring.Contest
	problems []*store.ContestProblem
	teams    map[string]*store.Team // by id
	groups   []store.Group
	// organizations are those of the teams.
	organizations []store.Organization
	languages     []desk.Spoken
	accounts      map[string]string // id in the Contest API by id of the account
	media         []media.File
	files         map[string]File // by address below the contest's
}

// A key identifies a unit: a type, and the id of the rows that its objects are made of.
type key struct {
	typ clics.Type
	of  string
}

// A unit is the objects of a type that are made of the same rows of the database.
type unit struct {
	key
	stamp int64 // of the contest at the last change of the unit
	items []item
}

// An audience restricts who sees an item, in addition to package clics.
type audience int

const (
	all audience = iota
	insiders
	outsiders
)

// An item is an object with the facts that decide who may see it.
type item struct {
	clics.Object
	clics.Facts
	team    string    // id of the team that it belongs to
	told    []string  // ids of further teams that receive it
	secret  []string  // ids in the Contest API of teams in to_team_ids that other teams do not see
	account string    // of an account: its id
	of      string    // id of the submission of a judgement or run
	at      time.Time // when that submission was received
	to      audience
	only    clics.Version // if empty, it is in both versions
	// replied is the id of the team whose question it answers. Others do not see that it is an answer.
	replied string
	// gone reports that no role sees it any more, but clients may still have it.
	gone bool
}

// Follow applies changes of the database. It does nothing if it has done so within lag.
func (c *Contest) Follow(ctx context.Context, lag time.Duration) error {
	c.following.Lock()
	defer c.following.Unlock()
	if lag > 0 && time.Since(c.asked) < lag {
		return nil
	}
	row, err := c.Store.Contest(ctx, c.id)
	if err != nil {
		return err
	}
	now := c.Time()
	if phase := phaseOf(row, now); phase != row.Phase {
		if err := c.Store.NotePhase(ctx, c.id, phase); err != nil {
			return err
		}
		if row, err = c.Store.Contest(ctx, c.id); err != nil {
			return err
		}
	}
	if c.loaded && row.LastSeq == c.seq {
		c.asked = time.Now()
		return nil
	}
	if err := c.catchUp(ctx, row, now); err != nil {
		return err
	}
	c.asked = time.Now()
	return nil
}

// changes are the parts of a contest that events of its log have changed.
type changes struct {
	everything, setup, clarifications bool
	submissions                       []string // ids
}

// changesOf returns the changes of events.
func (c *Contest) changesOf(ctx context.Context, events []store.Event) (ch changes, err error) {
	seen := map[string]bool{}
	for _, e := range events {
		switch e.Kind {
		case store.OfSubmission, store.OfJudgement:
			id, err := c.Store.SubmissionOf(ctx, e)
			if err != nil {
				return ch, err
			}
			if !seen[id] {
				seen[id] = true
				ch.submissions = append(ch.submissions, id)
			}
		case store.OfTeam:
			ch.setup = true
		case store.OfClarification:
			ch.clarifications = true
		case store.OfRejudging: // it changes only submissions, which have their own events
		default:
			ch.everything = true
		}
	}
	return ch, nil
}

// catchUp applies the changes since the last applied event.
func (c *Contest) catchUp(ctx context.Context, row *store.Contest, now time.Time) error {
	ch := changes{everything: !c.loaded}
	if c.loaded {
		events, err := c.Store.LogSince(ctx, c.id, c.seq, many+1)
		if err == nil {
			ch, err = c.changesOf(ctx, events)
		}
		if err != nil {
			return err
		}
		ch.everything = ch.everything || len(events) > many
	}
	next := c.setup
	var fresh []*unit
	counted := map[string]scoring.Submission{}
	if ch.everything || ch.setup {
		var err error
		if next, fresh, err = c.readSetup(ctx, row); err != nil {
			return err
		}
		for id, t := range next.teams { // these fields of a team affect its submissions
			if old := c.setup.teams[id]; old != nil && (old.Hidden != t.Hidden || old.ExtraTime != t.ExtraTime) {
				ch.everything = true
			}
		}
	}
	switch {
	case ch.everything:
		units, err := c.readSubmissions(ctx, &next, "", counted)
		if err != nil {
			return err
		}
		fresh = append(fresh, units...)
	default:
		for _, id := range ch.submissions {
			units, err := c.readSubmissions(ctx, &next, id, counted)
			if err != nil {
				return err
			}
			fresh = append(fresh, units...)
		}
	}
	if ch.everything || ch.setup || ch.clarifications { // groups may have other teams
		units, err := c.readClarifications(ctx, &next)
		if err != nil {
			return err
		}
		fresh = append(fresh, units...)
	}
	last, err := c.Store.LogSince(ctx, c.id, row.LastSeq-1, 1)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	next.contest = row
	c.setup, c.seq, c.now, c.loaded = next, row.LastSeq, now, true
	if len(last) > 0 {
		c.at = last[0].At
	}
	c.stamp++
	c.put(fresh, ch)
	if ch.everything {
		c.counted = counted
	}
	var changed []scoring.Submission
	for id, one := range counted {
		c.counted[id] = one
		changed = append(changed, one)
	}
	c.put(c.score(ch.everything || ch.setup, changed), changes{})
	c.markFew()
	return nil
}

// put replaces units. If all units of a type were read, those that no longer exist become empty.
func (c *Contest) put(fresh []*unit, ch changes) {
	if c.by == nil {
		c.units, c.by = map[clics.Type][]*unit{}, map[key]*unit{}
	}
	there := map[key]bool{}
	for _, u := range fresh {
		there[u.key] = true
		u.stamp = c.stamp
		if old := c.by[u.key]; old != nil {
			old.items, old.stamp = u.items, u.stamp
			continue
		}
		c.by[u.key] = u
		c.units[u.typ] = append(c.units[u.typ], u)
	}
	for _, u := range c.by {
		switch whole := slices.Contains(ofSetup, u.typ); {
		case ch.everything: // who sees it may have changed
			u.stamp = c.stamp
			if !there[u.key] && u.typ != clics.Awards && u.typ != clics.State {
				u.items = nil
			}
		case ch.setup && whole && !there[u.key]:
			u.items, u.stamp = nil, c.stamp
		case ch.setup && u.typ == clics.Submissions, ch.setup && u.typ == clics.Judgements, ch.setup && u.typ == clics.Runs:
			u.stamp = c.stamp
		}
	}
}
