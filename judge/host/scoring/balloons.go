package scoring

import (
	"slices"
	"time"

	"assay/judge"
)

// A Balloon is due to a team for a problem that it solved.
type Balloon struct {
	Team       *Team
	Problem    string // label
	Submission int64  // number of the first accepted one
	At         time.Time
}

// Solve is a team with a problem.
type Solve struct{ Team, Problem string }

// Balloons are the balloons that balloon runners may know of.
type Balloons struct {
	Due []Balloon // in the order of the submissions
	// Unknown has the problems that a runner may not know to be solved or not.
	Unknown map[Solve]bool
	// Known has the numbers of the submissions from the freeze whose verdicts a runner may know, whatever they are.
	Known map[int64]bool
}

// Balloons returns the balloons of teams that are shown, as runners may know them when the public sees
// the view: those for submissions whose verdicts are public, and in the freeze those with which a team
// has at most inFreeze solved problems. Nothing of the result depends on any other verdict: an
// undecided, unverified or hidden submission counts as though it had solved its problem. The board must be in a
// view in which all verdicts are known.
func (b *Board) Balloons(public View, inFreeze int) Balloons {
	all := Balloons{Unknown: map[Solve]bool{}, Known: map[int64]bool{}}
	if b.contest.Rules.Blind && !public.Known.After(b.contest.Start) {
		inFreeze = 0 // the teams themselves do not know their verdicts yet
	}
	for _, e := range b.rows {
		if !e.team.Hidden {
			all.add(b, e, public.Known, inFreeze)
		}
	}
	slices.SortFunc(all.Due, func(x, y Balloon) int {
		return (&Submission{At: x.At, Number: x.Submission}).before(&Submission{At: y.At, Number: y.Submission})
	})
	return all
}

// add adds the balloons of a team.
func (all *Balloons) add(b *Board, e *entry, known time.Time, inFreeze int) {
	var subs []*Submission
	for _, of := range e.subs {
		for _, s := range of {
			if !s.Ignored && b.within(e.team, s.At) {
				subs = append(subs, s)
			}
		}
	}
	slices.SortFunc(subs, (*Submission).before)
	solved, perhaps := map[string]bool{}, map[string]bool{}
	for _, s := range subs {
		if !known.IsZero() && !s.At.Before(known) {
			n := len(solved) + len(perhaps)
			if !solved[s.Problem] && !perhaps[s.Problem] {
				n++
			}
			switch {
			case n <= inFreeze:
				all.Known[s.Number] = true
			case !solved[s.Problem]:
				perhaps[s.Problem], all.Unknown[Solve{e.team.ID, s.Problem}] = true, true
				continue
			}
		}
		switch {
		case solved[s.Problem]:
		case s.Verdict == judge.NotJudged, s.Verdict == judge.JudgeError, s.Unverified:
			perhaps[s.Problem] = true
		case s.Verdict == judge.Accepted:
			solved[s.Problem] = true
			delete(perhaps, s.Problem)
			all.Due = append(all.Due, Balloon{e.team, s.Problem, s.Number, s.At})
		}
	}
}

// A KeptBalloon is a balloon that was stored earlier.
type KeptBalloon struct {
	Solve
	Submission int64
	At         time.Time
	Held       bool // it must not be delivered
}

// Settle returns the balloons to store, which are new or have changed. A balloon whose accepted submission is gone
// is held. One that runners may no longer know of stays unchanged.
func (all *Balloons) Settle(kept []KeptBalloon) (changed []KeptBalloon) {
	before := make(map[Solve]KeptBalloon, len(kept))
	for _, k := range kept {
		before[k.Solve] = k
	}
	due := make(map[Solve]bool, len(all.Due))
	for _, d := range all.Due {
		now := KeptBalloon{Solve{d.Team.ID, d.Problem}, d.Submission, d.At, false}
		due[now.Solve] = true
		if was, is := before[now.Solve]; !is || was.Submission != now.Submission || was.Held || !was.At.Equal(now.At) {
			changed = append(changed, now)
		}
	}
	for _, k := range kept {
		if !due[k.Solve] && !all.Unknown[k.Solve] && !k.Held {
			k.Held = true
			changed = append(changed, k)
		}
	}
	return changed
}
