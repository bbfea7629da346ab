// Package feed provides the objects of contests for the ICPC Contest API. REST and event feeds use the same
// objects, so a client that applies a feed has the same state as REST.
//
// A contest is read on the first request, and then follows the contest's event log. Therefore several servers show
// the same state, and a restart loses nothing. Package clics decides who sees an object, and how it is encoded.
//
// The package does not use HTTP. It changes nothing in a contest, except that it records when moments of the
// contest, such as the freeze, have passed.
package feed

import (
	"context"
	"slices"
	"sync"
	"time"
	"weak"

	"assay/judge/host/clics"
	"assay/judge/host/desk"
	"assay/judge/host/media"
	"assay/judge/host/scoring"
	"assay/judge/host/store"
)

// A Registry holds the contests of a server.
type Registry struct {
	Desk *desk.Desk

	mu sync.Mutex
	by map[string]*Contest // by id
}

const (
	// idle is the time without a request after which a contest is dropped from memory.
	idle = 10 * time.Minute
	// many is the maximum number of events that are applied individually. If there are more, the whole contest is
	// read again.
	many = 500
)

// Contest returns a contest in the current state of the database.
func (r *Registry) Contest(ctx context.Context, id string) (*Contest, error) {
	r.mu.Lock()
	if r.by == nil {
		r.by = map[string]*Contest{}
	}
	c := r.by[id]
	if c == nil {
		c = &Contest{Desk: r.Desk, id: id}
		c.drop = time.AfterFunc(idle, func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			delete(r.by, id)
		})
		r.by[id] = c
	}
	c.drop.Reset(idle)
	r.mu.Unlock()
	return c, c.Follow(ctx, 0)
}

// A Contest is a contest with all its objects. Its methods are safe for concurrent use.
type Contest struct {
	*desk.Desk
	id   string
	drop *time.Timer // drops the contest from the Registry, which protects it

	following sync.Mutex // held while the database is read
	asked     time.Time  // when it was last read; protected by following

	mu     sync.RWMutex // protects all fields below
	loaded bool
	seq    int64 // last applied event of the log
	stamp  int64 // increases with each change
	at     time.Time
	setup  setup
	units  map[clics.Type][]*unit
	by     map[key]*unit
	now    time.Time // the time of the last read
	// counted maps submission ids to the submissions that affect the ranks. boards contains the public scoreboard
	// and the jury's, in this order.
	counted map[string]scoring.Submission
	boards  [2]*scoring.Board
	// few contains the ids of the frozen submissions whose verdicts balloon runners may see. lost increases when
	// ids are removed from few.
	few  map[string]bool
	lost int64

	sharing sync.Mutex                         // protects shared
	shared  map[string]weak.Pointer[broadcast] // by reader and types
}

// A setup contains a contest except its submissions.
type setup struct {
	contest  *store.Contest
	scored   scoring.Contest
	problems []*store.ContestProblem
	teams    map[string]*store.Team // by id
	groups   []store.Group
	// organizations lists the organizations of the teams.
	organizations []store.Organization
	languages     []desk.Spoken
	accounts      map[string]string // ids in the Contest API by account id
	media         []media.File
	files         map[string]File // by address below the contest
}

// A key identifies a unit by a type and the id of the rows that its objects come from.
type key struct {
	typ clics.Type
	of  string
}

// A unit contains the objects of a type that come from the same rows of the database.
type unit struct {
	key
	stamp int64 // stamp of the contest at the last change
	items []item
}

// An audience restricts who sees an item, in addition to package clics.
type audience uint8

const (
	all audience = iota
	insiders
	outsiders
)

// An item is an object, or several objects of the same origin, with the facts that decide which readers see it.
type item struct {
	clics.Object        // nil if made is set
	made         source // makes the objects when they are needed, because a contest has many of them
	clics.Facts
	to audience
	// gone reports whether the item is no longer visible to any role, although clients may still have it.
	gone    bool
	team    string        // id of the team that it belongs to
	account string        // account id, if the item is an account
	at      time.Time     // when the submission of a judgement or run was received
	only    clics.Version // only version that has it; if empty, both
	*letter               // nil unless the item is a clarification
}

// A source makes the objects of an item. A map of properties takes several times as much memory as a source.
type source interface{ objects() []clics.Object }

// A letter contains the readers of a clarification.
type letter struct {
	told   []string // ids of further teams that receive it
	secret []string // ids, in the Contest API, of to_team_ids hidden from other teams
	// replied is the id of the team whose clarification request the item answers. Other teams do not see that the
	// item is an answer.
	replied string
}

// objects returns the objects of an item.
func (it *item) objects() []clics.Object {
	if it.made != nil {
		return it.made.objects()
	}
	return []clics.Object{it.Object}
}

// Follow applies changes from the database. It does nothing if the previous call was less than lag ago.
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

// changes describes which parts of a contest have changed.
type changes struct {
	everything, setup, clarifications bool
	submissions                       []string // ids
}

// changesOf returns the changes that the given events describe.
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
		case store.OfRejudging: // changes only submissions, which have events of their own
		default:
			ch.everything = true
		}
	}
	return ch, nil
}

// catchUp applies all changes since the last applied event.
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
		for id, t := range next.teams { // submissions depend on these fields of their team
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
	if ch.everything || ch.setup || ch.clarifications { // groups may contain other teams
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

// put adds the fresh units to the contest, where they replace units with the same keys. If all units of a type
// were read, put empties the other units of that type, because their rows no longer exist.
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
		case ch.everything: // its visibility may have changed
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
