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
	"assay/judge/host/intake"
	"assay/judge/host/media"
	"assay/judge/host/scoring"
	"assay/judge/host/store"
)

// A Registry holds the contests of a server.
type Registry struct {
	Intake *intake.Service

	mu       sync.Mutex
	contests map[string]*Contest // by id
}

const (
	// idleTimeout is the time without a request after which a contest is dropped from memory.
	idleTimeout = 10 * time.Minute
	// maxEvents is the maximum number of events that are applied individually. If there are more, the whole contest is
	// read again.
	maxEvents = 500
)

// Contest returns a contest in the current state of the database.
func (r *Registry) Contest(ctx context.Context, id string) (*Contest, error) {
	r.mu.Lock()
	if r.contests == nil {
		r.contests = map[string]*Contest{}
	}
	c := r.contests[id]
	if c == nil {
		c = &Contest{Service: r.Intake, id: id}
		c.drop = time.AfterFunc(idleTimeout, func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			delete(r.contests, id)
		})
		r.contests[id] = c
	}
	c.drop.Reset(idleTimeout)
	r.mu.Unlock()
	return c, c.Refresh(ctx, 0)
}

// A Contest is a contest with all its objects. Its methods are safe for concurrent use.
type Contest struct {
	*intake.Service
	id   string
	drop *time.Timer // drops the contest from the Registry, which protects it

	readLock sync.Mutex // held while the database is read
	lastRead time.Time  // when it was last read; protected by readLock

	mu         sync.RWMutex // protects all fields below
	loaded     bool
	seq        int64 // last applied event of the log
	revision   int64 // increases with each change
	at         time.Time
	setup      setup
	units      map[clics.Type][]*unit
	unitsByKey map[unitKey]*unit
	now        time.Time // the time of the last read
	// counted maps submission ids to the submissions that affect the ranks. boards contains the public scoreboard
	// and the jury's, in this order.
	counted map[string]scoring.Submission
	boards  [2]*scoring.Scoreboard
	// balloonVisible contains the ids of the frozen submissions whose verdicts balloon runners may see. revocations is
	// the revision at which ids were last removed from it.
	balloonVisible map[string]bool
	revocations    int64

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
	languages     []intake.SubmissionLanguage
	accounts      map[string]string // ids in the Contest API by account id
	media         []media.File
	files         map[string]File // by address below the contest
}

// A unitKey identifies a unit by a type and the id of the rows that its objects come from.
type unitKey struct {
	typ clics.Type
	id  string
}

// A unit contains the objects of a type that come from the same rows of the database.
type unit struct {
	unitKey
	revision int64 // revision of the contest at the last change
	items    []item
}

// An audience restricts who sees an item, in addition to package clics.
type audience uint8

const (
	everyone audience = iota
	insiders
	outsiders
)

// An item is an object, or several objects of the same origin, with the facts that decide which readers see it.
type item struct {
	clics.Object        // nil if made is set
	made         source // makes the objects when they are needed, because a contest has many of them
	clics.Visibility
	audience audience
	// removed reports whether the item is no longer visible to any role, although clients may still have it.
	removed  bool
	team     string        // id of the team that it belongs to
	account  string        // account id, if the item is an account
	received time.Time     // when the submission of a judgement or run was received
	version  clics.Version // the only version that has it; if empty, both have it
	*letter                // nil unless the item is a clarification
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

// Refresh applies changes from the database. It does nothing if the previous call was less than lag ago.
func (c *Contest) Refresh(ctx context.Context, lag time.Duration) error {
	c.readLock.Lock()
	defer c.readLock.Unlock()
	if lag > 0 && time.Since(c.lastRead) < lag {
		return nil
	}
	row, err := c.Store.Contest(ctx, c.id)
	if err != nil {
		return err
	}
	now := c.Time()
	if phase := passedMoments(row, now); phase != row.Phase {
		if err := c.Store.RecordPhase(ctx, c.id, phase); err != nil {
			return err
		}
		if row, err = c.Store.Contest(ctx, c.id); err != nil {
			return err
		}
	}
	if c.loaded && row.LastSeq == c.seq {
		c.lastRead = time.Now()
		return nil
	}
	if err := c.update(ctx, row, now); err != nil {
		return err
	}
	c.lastRead = time.Now()
	return nil
}

// changeSet describes which parts of a contest have changed.
type changeSet struct {
	everything, setup, clarifications bool
	submissions                       []string // ids
}

// changesOf returns the changes that the given events describe.
func (c *Contest) changesOf(ctx context.Context, events []store.Event) (ch changeSet, err error) {
	seen := map[string]bool{}
	for _, e := range events {
		switch e.Kind {
		case store.KindSubmission, store.KindJudgement:
			id, err := c.Store.EventSubmission(ctx, e)
			if err != nil {
				return ch, err
			}
			if !seen[id] {
				seen[id] = true
				ch.submissions = append(ch.submissions, id)
			}
		case store.KindTeam:
			ch.setup = true
		case store.KindClarification:
			ch.clarifications = true
		case store.KindRejudging: // changes only submissions, which have events of their own
		default:
			ch.everything = true
		}
	}
	return ch, nil
}

// update applies all changes since the last applied event.
func (c *Contest) update(ctx context.Context, row *store.Contest, now time.Time) error {
	ch := changeSet{everything: !c.loaded}
	if c.loaded {
		events, err := c.Store.EventsSince(ctx, c.id, c.seq, maxEvents+1)
		if err == nil {
			ch, err = c.changesOf(ctx, events)
		}
		if err != nil {
			return err
		}
		ch.everything = ch.everything || len(events) > maxEvents
	}
	updated := c.setup
	var changedUnits []*unit
	counted := map[string]scoring.Submission{}
	if ch.everything || ch.setup {
		var err error
		if updated, changedUnits, err = c.readSetup(ctx, row); err != nil {
			return err
		}
		for id, t := range updated.teams { // submissions depend on these fields of their team
			if old := c.setup.teams[id]; old != nil && (old.Hidden != t.Hidden || old.ExtraTime != t.ExtraTime) {
				ch.everything = true
			}
		}
	}
	switch {
	case ch.everything:
		units, err := c.readSubmissions(ctx, &updated, "", counted)
		if err != nil {
			return err
		}
		changedUnits = append(changedUnits, units...)
	default:
		for _, id := range ch.submissions {
			units, err := c.readSubmissions(ctx, &updated, id, counted)
			if err != nil {
				return err
			}
			changedUnits = append(changedUnits, units...)
		}
	}
	if ch.everything || ch.setup || ch.clarifications { // groups may contain other teams
		units, err := c.readClarifications(ctx, &updated)
		if err != nil {
			return err
		}
		changedUnits = append(changedUnits, units...)
	}
	last, err := c.Store.EventsSince(ctx, c.id, row.LastSeq-1, 1)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	updated.contest = row
	c.setup, c.seq, c.now, c.loaded = updated, row.LastSeq, now, true
	if len(last) > 0 {
		c.at = last[0].At
	}
	c.revision++
	c.replaceUnits(changedUnits, ch)
	if ch.everything {
		c.counted = counted
	}
	var changed []scoring.Submission
	for id, one := range counted {
		c.counted[id] = one
		changed = append(changed, one)
	}
	c.replaceUnits(c.updateScores(ch.everything || ch.setup, changed), changeSet{})
	c.updateBalloonVisible()
	return nil
}

// replaceUnits adds units to the contest, where they replace units with the same keys. If all units of a type were
// read, it empties the other units of that type, because their rows no longer exist.
func (c *Contest) replaceUnits(units []*unit, ch changeSet) {
	if c.unitsByKey == nil {
		c.units, c.unitsByKey = map[clics.Type][]*unit{}, map[unitKey]*unit{}
	}
	replaced := map[unitKey]bool{}
	for _, u := range units {
		replaced[u.unitKey] = true
		u.revision = c.revision
		if old := c.unitsByKey[u.unitKey]; old != nil {
			old.items, old.revision = u.items, u.revision
			continue
		}
		c.unitsByKey[u.unitKey] = u
		c.units[u.typ] = append(c.units[u.typ], u)
	}
	for _, u := range c.unitsByKey {
		switch whole := slices.Contains(setupTypes, u.typ); {
		case ch.everything: // its visibility may have changed
			u.revision = c.revision
			if !replaced[u.unitKey] && u.typ != clics.Awards && u.typ != clics.State {
				u.items = nil
			}
		case ch.setup && whole && !replaced[u.unitKey]:
			u.items, u.revision = nil, c.revision
		case ch.setup && u.typ == clics.Submissions, ch.setup && u.typ == clics.Judgements, ch.setup && u.typ == clics.Runs:
			u.revision = c.revision
		}
	}
}
