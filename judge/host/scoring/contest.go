package scoring

import (
	"cmp"
	"slices"
	"time"
)

// A Kind is a scoring method.
type Kind string

// The kinds.
const (
	// ICPC ranks by the number of solved problems. Ties are broken by penalty time: the minute of the first
	// accepted submission to each solved problem, plus a penalty for each rejected one before it. Further ties are
	// broken by the minute of the last accepted submission.
	ICPC Kind = "icpc"
	// IOI ranks by the sum of the problems' scores. The score of a problem is that of the best submission, or the
	// sum of the best results of each test group. Time does not count.
	IOI Kind = "ioi"
	// Points ranks by the points of the solved problems. Ties are broken by the time of the last accepted
	// submission, plus a penalty for each rejected submission before an accepted one.
	Points Kind = "points"
)

// Kinds are all kinds.
var Kinds = []Kind{ICPC, IOI, Points}

// Rules are the scoring rules of a contest.
type Rules struct {
	Kind Kind
	// Penalty is the penalty time for each rejected submission before the accepted one to the same problem.
	Penalty time.Duration
	// CompileErrors reports whether a submission with a compile error counts as rejected.
	CompileErrors bool
	// BestGroups reports whether the score of a problem is the sum of the best results of each test group over all
	// submissions. It applies only to the kind IOI.
	BestGroups bool
	// HideVerdicts reports whether only the jury sees verdicts before the end.
	HideVerdicts bool
}

// DefaultRules returns the default rules of a kind. The penalty is 20 minutes for ICPC, and 5 minutes for Points.
func DefaultRules(k Kind) Rules {
	switch k {
	case ICPC:
		return Rules{Kind: k, Penalty: 20 * time.Minute}
	case Points:
		return Rules{Kind: k, Penalty: 5 * time.Minute}
	}
	return Rules{Kind: k}
}

// A Contest contains the data that a scoreboard depends on, in addition to teams and submissions.
type Contest struct {
	Rules  Rules
	Start  time.Time     // zero if unknown; then no submission counts
	Length time.Duration // contest time; 0 if the contest does not end
	// Freeze is the contest time after which only the jury sees verdicts. Zero means that there is no freeze.
	Freeze time.Duration
	// Unfreeze is the time from which the public sees everything. It has no effect before the end of the contest. The
	// zero time means that it is not set.
	Unfreeze time.Time
	// Removed lists the removed intervals, in any order. A submission during a removed interval gets the contest
	// time at which the interval starts. The contest ends later by the total length of the intervals.
	Removed  []Interval
	Problems []Problem // in the order of the columns
}

// An Interval is a period that includes From but not To.
type Interval struct{ From, To time.Time }

// A Problem is a column.
type Problem struct {
	Label  string // unique: "A"
	Title  string
	Color  string  // of the balloon: "#ff0000" or "red"; may be empty
	Points float64 // for an accepted submission without a score
}

// A Team is a team or an individual contestant: a row of the scoreboard.
type Team struct {
	ID          string // unique
	Name        string
	Affiliation string   // shown next to the name, such as a school; may be empty
	Groups      []string // for filters of the scoreboard
	// Organization is an id. It may be empty.
	Organization string
	// Logo and Flag are the addresses of pictures, relative to the contest's files. They may be empty.
	Logo, Flag string
	Country    string // ISO 3166-1 alpha-3; it may be empty
	// Hidden teams are visible only to the jury and have no rank.
	Hidden    bool
	Penalty   time.Duration // added to the team's time; may be negative
	ExtraTime time.Duration // time after the end during which it may still submit
}

// removed returns the removed intervals after the start, sorted and merged.
func (c *Contest) removed() []Interval {
	var intervals []Interval
	for _, r := range c.Removed {
		if r.From.Before(c.Start) {
			r.From = c.Start
		}
		if r.From.Before(r.To) {
			intervals = append(intervals, r)
		}
	}
	slices.SortFunc(intervals, func(a, b Interval) int { return cmp.Or(a.From.Compare(b.From), a.To.Compare(b.To)) })
	var apart []Interval
	for _, r := range intervals {
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

// Time converts a time to contest time: the time since the start without removed intervals. Before the start it is
// negative.
func (c *Contest) Time(at time.Time) time.Duration {
	if c.Start.IsZero() {
		return -1
	}
	return clock{c.Start, c.removed()}.time(at)
}

// A clock converts between time and contest time.
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

// TimeAt returns the first time at which the contest time is passed. It returns the zero time if the start is not
// known.
func (c *Contest) TimeAt(elapsed time.Duration) time.Time {
	if c.Start.IsZero() {
		return time.Time{}
	}
	moment := c.Start.Add(elapsed)
	for _, r := range c.removed() {
		if !r.From.Before(moment) {
			break
		}
		moment = moment.Add(r.To.Sub(r.From))
	}
	return moment
}

// End returns when the contest ends. It returns the zero time if the contest does not end.
func (c *Contest) End() time.Time {
	if c.Length <= 0 {
		return time.Time{}
	}
	return c.TimeAt(c.Length)
}

// Started reports whether the contest has started.
func (c *Contest) Started(now time.Time) bool {
	return !c.Start.IsZero() && !now.Before(c.Start)
}

// Ended reports whether the contest has ended for teams without extra time.
func (c *Contest) Ended(now time.Time) bool {
	return c.Started(now) && c.Length > 0 && !now.Before(c.End())
}

// Frozen reports whether verdicts are hidden from the public at the time now.
func (c *Contest) Frozen(now time.Time) bool {
	return c.Freeze > 0 && c.Started(now) && !now.Before(c.TimeAt(c.Freeze)) && !c.Thawed(now)
}

// Thawed reports whether everything has become permanently public.
func (c *Contest) Thawed(now time.Time) bool {
	return !c.Unfreeze.IsZero() && !now.Before(c.Unfreeze) && c.Ended(now)
}

// Public returns the public view at the time now.
func (c *Contest) Public(now time.Time) View {
	var known time.Time
	switch {
	case c.Start.IsZero():
	case c.Rules.HideVerdicts && !c.Ended(now):
		known = c.Start
	case c.Freeze > 0 && !c.Thawed(now):
		known = c.TimeAt(c.Freeze)
	}
	return View{KnownBefore: known}
}

// Jury returns the jury's view.
func (c *Contest) Jury() View { return View{ShowHidden: true, Unverified: true} }

// NextChange returns the next time at which the public view changes without an event. It returns the zero time if there
// is none.
func (c *Contest) NextChange(now time.Time) time.Time {
	if c.Start.IsZero() {
		return time.Time{}
	}
	moments := []time.Time{c.Start, c.End(), c.Unfreeze}
	if c.Freeze > 0 {
		moments = append(moments, c.TimeAt(c.Freeze))
	}
	var next time.Time
	for _, m := range moments {
		if m.After(now) && (next.IsZero() || m.Before(next)) {
			next = m
		}
	}
	return next
}

// A View describes what a group of readers may see.
type View struct {
	// KnownBefore is the time before which verdicts are known: submissions received at this time or later count as
	// pending. If zero, all verdicts are known.
	KnownBefore time.Time
	ShowHidden  bool // hidden teams are shown
	// Unverified reports whether verdicts that no judge has verified yet count.
	Unverified bool
}
