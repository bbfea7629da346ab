package scoring

import (
	"cmp"
	"slices"
	"time"
)

// A Kind is a way of scoring.
type Kind string

// The kinds.
const (
	// ICPC counts solved problems. Ties are broken by penalty time: the minute of the first accepted submission of
	// each solved problem, plus a penalty for each rejected one before it. Further ties are broken by the minute of
	// the last accepted submission.
	ICPC Kind = "icpc"
	// IOI adds the scores of the problems. A score is that of the best submission, or the sum of the best results of
	// each test group. Time does not count.
	IOI Kind = "ioi"
	// Points adds the points of the solved problems. Ties are broken by the time of the last accepted submission,
	// plus a penalty for each rejected one before an accepted one.
	Points Kind = "points"
)

// Kinds are all kinds.
var Kinds = []Kind{ICPC, IOI, Points}

// Rules are the choices of a contest.
type Rules struct {
	Kind Kind
	// Penalty is the penalty time for each rejected submission before the accepted one of its problem.
	Penalty time.Duration
	// CompileErrors reports that a submission with a compile error counts as rejected.
	CompileErrors bool
	// Groups reports that the score of a problem is the sum of the best results of each test group over all
	// submissions. It is for the kind IOI.
	Groups bool
	// Blind reports whether only the jury learns verdicts before the end.
	Blind bool
}

// Usual returns the usual rules of a kind: 20 minutes for a rejected submission in ICPC, 5 in Points.
func Usual(k Kind) Rules {
	switch k {
	case ICPC:
		return Rules{Kind: k, Penalty: 20 * time.Minute}
	case Points:
		return Rules{Kind: k, Penalty: 5 * time.Minute}
	}
	return Rules{Kind: k}
}

// A Contest is what a scoreboard depends on, in addition to teams and submissions.
type Contest struct {
	Rules  Rules
	Start  time.Time     // zero if unknown; then nothing counts
	Length time.Duration // contest time; 0 if it does not end
	// Freeze is the contest time from which only the jury sees verdicts. Zero means never.
	Freeze time.Duration
	// Thaw is when the public sees everything, but not before the end. The zero time means not yet.
	Thaw time.Time
	// Removed are the removed intervals, in any order. A submission in one has the contest time of its beginning,
	// and the contest ends later by their length.
	Removed  []Interval
	Problems []Problem // in the order of the columns
}

// An Interval is a time from one moment up to another.
type Interval struct{ From, To time.Time }

// A Problem is a column.
type Problem struct {
	Label  string // unique: "A"
	Title  string
	Color  string  // of its balloon: "#ff0000" or "red"; may be empty
	Points float64 // for an accepted submission without a score of its own
}

// A Team is a row: a team, or one person.
type Team struct {
	ID     string // unique
	Name   string
	About  string   // shown beside the name, such as a school; may be empty
	Groups []string // for filters of the scoreboard
	// Organization is an id. It may be empty.
	Organization string
	// Logo and Flag are the addresses of pictures below those of the contest's files. They may be empty.
	Logo, Flag string
	Country    string // ISO 3166-1 alpha-3; it may be empty
	// Hidden teams are visible for the jury only, and have no rank.
	Hidden  bool
	Penalty time.Duration // added to its time; may be negative
	Extra   time.Duration // it may submit for this long after the end
}

// removed returns the removed intervals after the start, sorted and without overlap.
func (c *Contest) removed() []Interval {
	var all []Interval
	for _, r := range c.Removed {
		if r.From.Before(c.Start) {
			r.From = c.Start
		}
		if r.From.Before(r.To) {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b Interval) int { return cmp.Or(a.From.Compare(b.From), a.To.Compare(b.To)) })
	var apart []Interval
	for _, r := range all {
		if last := len(apart) - 1; last >= 0 && !apart[last].To.Before(r.From) {
			if apart[last].To.Before(r.To) {
				apart[last].To = r.To
			}
			continue
		}
		apart = append(apart, r)
	}
	return apart
}

// Time returns the contest time of a moment: the time since the start without removed intervals. Before the start it
// is negative.
func (c *Contest) Time(at time.Time) time.Duration {
	if c.Start.IsZero() {
		return -1
	}
	return clock{c.Start, c.removed()}.time(at)
}

// A clock converts contest times.
type clock struct {
	start   time.Time
	removed []Interval
}

func (c clock) time(at time.Time) time.Duration {
	passed := at.Sub(c.start)
	for _, r := range c.removed {
		if !r.From.Before(at) {
			break
		}
		end := r.To
		if at.Before(end) {
			end = at
		}
		passed -= end.Sub(r.From)
	}
	return passed
}

// Moment returns the first moment with a contest time.
func (c *Contest) Moment(passed time.Duration) time.Time {
	if c.Start.IsZero() {
		return time.Time{}
	}
	at := c.Start.Add(passed)
	for _, r := range c.removed() {
		if !r.From.Before(at) {
			break
		}
		at = at.Add(r.To.Sub(r.From))
	}
	return at
}

// End returns when the contest ends. It is zero if it does not end.
func (c *Contest) End() time.Time {
	if c.Length <= 0 {
		return time.Time{}
	}
	return c.Moment(c.Length)
}

// Started reports whether the contest has started.
func (c *Contest) Started(now time.Time) bool {
	return !c.Start.IsZero() && !now.Before(c.Start)
}

// Ended reports whether the contest has ended for teams without extra time.
func (c *Contest) Ended(now time.Time) bool {
	return c.Started(now) && c.Length > 0 && !now.Before(c.End())
}

// Frozen reports whether verdicts are hidden from the public at the moment.
func (c *Contest) Frozen(now time.Time) bool {
	return c.Freeze > 0 && c.Started(now) && !now.Before(c.Moment(c.Freeze)) && !c.Thawed(now)
}

// Thawed reports whether everything is permanently public.
func (c *Contest) Thawed(now time.Time) bool {
	return !c.Thaw.IsZero() && !now.Before(c.Thaw) && c.Ended(now)
}

// Public returns the view of the public at the moment.
func (c *Contest) Public(now time.Time) View {
	var known time.Time
	switch {
	case c.Start.IsZero():
	case c.Rules.Blind && !c.Ended(now):
		known = c.Start
	case c.Freeze > 0 && !c.Thawed(now):
		known = c.Moment(c.Freeze)
	}
	return View{Known: known}
}

// Staff returns the view of the jury.
func (c *Contest) Staff() View { return View{Hidden: true, Unverified: true} }

// Next returns the next moment at which the view changes without an event. It is zero if there is none.
func (c *Contest) Next(now time.Time) time.Time {
	if c.Start.IsZero() {
		return time.Time{}
	}
	moments := []time.Time{c.Start, c.End(), c.Thaw}
	if c.Freeze > 0 {
		moments = append(moments, c.Moment(c.Freeze))
	}
	var next time.Time
	for _, m := range moments {
		if m.After(now) && (next.IsZero() || m.Before(next)) {
			next = m
		}
	}
	return next
}

// A View is what a group of readers may see.
type View struct {
	// Known is until when verdicts are known: submissions received then or later count as pending. If zero, all
	// verdicts are known.
	Known  time.Time
	Hidden bool // hidden teams are shown
	// Unverified reports whether verdicts count that a judge has not verified yet.
	Unverified bool
}
