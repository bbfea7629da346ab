package scoring

import (
	"cmp"
	"slices"
	"time"
)

// Kind is a way of scoring.
type Kind string

// The kinds.
const (
	// ICPC counts solved problems. Ties are broken by penalty time: the minute of the first
	// accepted submission of each solved problem, and so much more for each one rejected
	// before it; then by the minute of the last accepted one.
	ICPC Kind = "icpc"
	// IOI adds the scores of the problems: each person's best submission, or the best of
	// each group of cases. Time does not count.
	IOI Kind = "ioi"
	// Points adds what the solved problems are worth. Ties are broken by the time of the last
	// accepted submission, and so much more for each one rejected before an accepted one.
	Points Kind = "points"
)

// Kinds are all kinds.
var Kinds = []Kind{ICPC, IOI, Points}

// Rules are what a contest may choose.
type Rules struct {
	Kind Kind
	// Penalty is for each rejected submission before the accepted one of its problem.
	Penalty time.Duration
	// CompileErrors says that a submission that cannot be built is a rejected one.
	CompileErrors bool
	// Groups says that a person's score of a problem is the sum of the best of each group,
	// over all submissions: of the kind IOI.
	Groups bool
	// Blind reports whether only the jury learns verdicts before the end.
	Blind bool
}

// Usual are the rules of a kind, as its best known contests have them: 20 minutes for a
// rejected submission in ICPC, 5 in Points.
func Usual(k Kind) Rules {
	switch k {
	case ICPC:
		return Rules{Kind: k, Penalty: 20 * time.Minute}
	case Points:
		return Rules{Kind: k, Penalty: 5 * time.Minute}
	}
	return Rules{Kind: k}
}

// Contest is what a board is made of, in addition to its teams and their submissions.
type Contest struct {
	Rules  Rules
	Start  time.Time     // zero: it is not known yet, and nothing counts
	Length time.Duration // contest time; 0 for one that does not end
	// Freeze is the contest time from which on verdicts are for the staff; 0 for none.
	Freeze time.Duration
	// Thaw is when the public sees everything, but not before the end. The zero time means not yet.
	Thaw time.Time
	// Removed are intervals that do not count as contest time, in any order. What was
	// received in one has the contest time of its beginning, and the end comes later.
	Removed  []Interval
	Problems []Problem // in the order of the columns
}

// Interval is a time from a moment on, and before another.
type Interval struct{ From, To time.Time }

// Problem is a column.
type Problem struct {
	Label  string // unique: "A"
	Title  string
	Color  string  // of its balloon: "#ff0000", "red"; "" for none
	Points float64 // that an accepted submission is worth, where it has no score of its own
}

// Team is who has a row: a team, or one person.
type Team struct {
	ID     string // unique
	Name   string
	About  string   // shown beside the name, such as a school; "" for nothing
	Groups []string // by which a board can be filtered
	// Organization is an id. It may be empty.
	Organization string
	// Logo and Flag are the addresses of pictures below those of the contest's files. They may be empty.
	Logo, Flag string
	Country    string // ISO 3166-1 alpha-3; it may be empty
	// Hidden teams are for the staff only, and have no rank: they take no place from others.
	Hidden  bool
	Penalty time.Duration // added to its time; may be below 0
	Extra   time.Duration // it may submit for so long after the end
}

// removed are the removed intervals after the start, sorted and apart.
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

// Time is the contest time of a moment: what has passed since the start, without removed
// intervals. Before the start it is below 0.
func (c *Contest) Time(at time.Time) time.Duration {
	if c.Start.IsZero() {
		return -1
	}
	return clock{c.Start, c.removed()}.time(at)
}

// clock tells contest times.
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

// Moment is the first moment with a contest time.
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

// End is the moment of its end; zero where it does not end.
func (c *Contest) End() time.Time {
	if c.Length <= 0 {
		return time.Time{}
	}
	return c.Moment(c.Length)
}

// Started says whether it has begun.
func (c *Contest) Started(now time.Time) bool {
	return !c.Start.IsZero() && !now.Before(c.Start)
}

// Ended says whether its end has passed, for all who have no extra time.
func (c *Contest) Ended(now time.Time) bool {
	return c.Started(now) && c.Length > 0 && !now.Before(c.End())
}

// Frozen says whether verdicts are kept from the public now.
func (c *Contest) Frozen(now time.Time) bool {
	return c.Freeze > 0 && c.Started(now) && !now.Before(c.Moment(c.Freeze)) && !c.Thawed(now)
}

// Thawed says whether everything is public for ever.
func (c *Contest) Thawed(now time.Time) bool {
	return !c.Thaw.IsZero() && !now.Before(c.Thaw) && c.Ended(now)
}

// Public is how everybody sees a contest now.
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

// Staff is how the staff sees it.
func (c *Contest) Staff() View { return View{Hidden: true, Unverified: true} }

// Next is the next moment at which what is shown changes by itself; zero for none.
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
	// Known is until when verdicts are known: those of submissions received then or later
	// count as pending. Zero: all are.
	Known  time.Time
	Hidden bool // hidden teams are shown
	// Unverified reports whether verdicts count that a judge has not verified yet.
	Unverified bool
}
