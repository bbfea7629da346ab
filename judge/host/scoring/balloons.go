package scoring

import (
	"slices"
	"time"

	"assay/judge"
)

// A Balloon is a balloon that a team earned by solving a problem.
type Balloon struct {
	Team       *Team
	Problem    string // label
	Submission int64  // number of the first accepted submission
	At         time.Time
}

// TeamProblem is a team with a problem.
type TeamProblem struct{ Team, Problem string }

// Balloons contains the balloons that balloon runners may see.
type Balloons struct {
	Due []Balloon // in the order of the submissions
	// Unknown contains each team and problem for which a runner must not learn whether the team has solved the
	// problem.
	Unknown map[TeamProblem]bool
	// Known contains the numbers of the submissions during the freeze whose verdicts a runner may see in any case.
	Known map[int64]bool
}

// Balloons returns the balloons of visible teams that runners may see while the public has the given view. These
// are the balloons for submissions with public verdicts. During the freeze, a team gets further balloons until it
// has solved inFreeze problems. The result depends on no verdict that it does not show: a pending, unverified or
// hidden submission is treated as if it had solved its problem. The view of b must know all verdicts.
func (b *Scoreboard) Balloons(public View, inFreeze int) Balloons {
	all := Balloons{Unknown: map[TeamProblem]bool{}, Known: map[int64]bool{}}
	if b.contest.Rules.HideVerdicts && !public.KnownBefore.After(b.contest.Start) {
		inFreeze = 0 // not even the teams know their verdicts yet
	}
	for _, e := range b.rows {
		if !e.team.Hidden {
			all.add(b, e, public.KnownBefore, inFreeze)
		}
	}
	slices.SortFunc(all.Due, func(x, y Balloon) int {
		return (&Submission{At: x.At, Number: x.Submission}).before(&Submission{At: y.At, Number: y.Submission})
	})
	return all
}

// add adds a team's balloons.
func (all *Balloons) add(b *Scoreboard, e *teamEntry, known time.Time, inFreeze int) {
	var subs []*Submission
	for _, of := range e.submissions {
		for _, s := range of {
			if !s.Ignored && b.inContest(e.team, s.At) {
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
				perhaps[s.Problem], all.Unknown[TeamProblem{e.team.ID, s.Problem}] = true, true
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

// A StoredBalloon is a stored balloon.
type StoredBalloon struct {
	TeamProblem
	Submission int64
	At         time.Time
	Held       bool // it must not be delivered
}

// Update compares the stored balloons with the balloons that are due now. It returns the new and changed balloons,
// which must be stored. If the submission for a balloon is no longer accepted, the balloon is held. A balloon that
// runners may no longer see does not change.
func (all *Balloons) Update(stored []StoredBalloon) (changed []StoredBalloon) {
	before := make(map[TeamProblem]StoredBalloon, len(stored))
	for _, k := range stored {
		before[k.TeamProblem] = k
	}
	due := make(map[TeamProblem]bool, len(all.Due))
	for _, d := range all.Due {
		now := StoredBalloon{TeamProblem{d.Team.ID, d.Problem}, d.Submission, d.At, false}
		due[now.TeamProblem] = true
		if old, is := before[now.TeamProblem]; !is || old.Submission != now.Submission || old.Held || !old.At.Equal(now.At) {
			changed = append(changed, now)
		}
	}
	for _, k := range stored {
		if !due[k.TeamProblem] && !all.Unknown[k.TeamProblem] && !k.Held {
			k.Held = true
			changed = append(changed, k)
		}
	}
	return changed
}
