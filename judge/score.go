package judge

import (
	"fmt"
	"math"
	"strconv"
)

// Computation of scores, in the package format 2025-09 and in the legacy format. Everything here is arithmetic on
// judged results.

// String formats a score as text, such as "40" or "33.3333 of 100".
func (s *Score) String() string {
	if s.Of == 0 {
		return number(s.Points)
	}
	return number(s.Points) + " of " + number(s.Of)
}

// number formats a number with at most 6 significant decimals and no trailing zeros.
func number(x float64) string {
	return strconv.FormatFloat(math.Round(x*1e6)/1e6, 'f', -1, 64)
}

// exceeds reports whether a score exceeds its maximum by more than rounding errors.
func exceeds(points, maximum float64) bool {
	return points > maximum+1e-9*max(1, math.Abs(maximum))
}

// maxCaseScore returns the maximum score of each case if the node has the given number of cases. If there is no
// maximum, it returns false.
func (n *Node) maxCaseScore(cases int) (maximum float64, bounded bool) {
	switch {
	case n.Unbounded:
		return 0, false
	case n.Aggregate != AggregateSum:
		return n.MaxScore, true
	}
	maximum = n.MaxScore
	if n.Static != nil && !n.Static.PassFail {
		maximum -= n.Static.Score
	}
	return maximum / float64(max(cases, 1)), true
}

// points returns the score of a case in a node with the aggregation sum or min. If complaint is not empty, the
// setter's checker is at fault, and the verdict must become a judge error.
func (o Outcome) points(maximum float64, bounded bool) (points float64, complaint string) {
	award := o.Award
	if o.Verdict != Accepted {
		if award.By != NoAward && !award.Alone {
			complaint = fmt.Sprintf("the checker gives %s to an output that it does not accept", award)
		}
		return 0, complaint
	}
	switch award.By {
	case NoAward:
		if !bounded {
			return 0, "the checker accepts an output and gives no points (score.txt), though its group has no maximum"
		}
		return maximum, ""
	case AwardMultiplier:
		switch {
		case !bounded:
			return 0, fmt.Sprintf("the checker gives %s, though the case's group has no maximum", award)
		case !(award.Value >= 0 && award.Value <= 1):
			return 0, fmt.Sprintf("the checker gives %s, which is not from 0 to 1", award)
		}
		return award.Value * maximum, ""
	}
	switch {
	case !(award.Value >= 0):
		return 0, fmt.Sprintf("the checker gives %s, which is below 0", award)
	case bounded && exceeds(award.Value, maximum):
		return 0, fmt.Sprintf("the checker gives %s to a case that has at most %s", award, number(maximum))
	}
	return award.Value, ""
}

// String describes the award, such as "5 points".
func (a Award) String() string {
	if a.By == AwardMultiplier {
		return "the multiplier " + number(a.Value)
	}
	return number(a.Value) + " points"
}

// combine aggregates the scores of cases or groups. There must be at least one.
func (a Aggregate) combine(points []float64) float64 {
	folded := points[0]
	for _, p := range points[1:] {
		switch a {
		case AggregateMin:
			folded = min(folded, p)
		case AggregateMax:
			folded = max(folded, p)
		default:
			folded += p
		}
	}
	if a == AggregateAverage {
		folded /= float64(len(points))
	}
	return folded
}

// Result is the verdict and score of a case or a node, as input for the grading of a legacy node.
type Result struct {
	Verdict Verdict
	Points  float64
	Message string // set if the verdict is a judge error
}

// legacyOrder is the precedence of verdicts in the legacy format, worst first.
var legacyOrder = []Verdict{JudgeError, CompileError, IdlenessLimit, RunTimeError, MemoryLimit, TimeLimit, OutputLimit, WrongAnswer}

// grade aggregates the results of a legacy node's children like the default grader. Results must not include
// skipped children. Without results, the node is accepted with score 0.
func (n *Node) grade(results []Result) Result {
	if n.Legacy.IgnoreSample && len(results) > 1 {
		results = results[len(results)-1:]
	}
	if len(results) == 0 {
		return Result{Verdict: Accepted}
	}
	var folded Result
	points := make([]float64, len(results))
	anyAccepted := false
	for i, r := range results {
		points[i] = r.Points
		anyAccepted = anyAccepted || r.Verdict == Accepted
	}
	folded.Points = n.Aggregate.combine(points)
	if worst := worstLegacyVerdict(results); worst == JudgeError {
		folded.Verdict = JudgeError
	} else if anyAccepted && n.Legacy.AnyAccepted || n.Legacy.Verdict == AlwaysAccept {
		folded.Verdict = Accepted
	} else if n.Legacy.Verdict == FirstError {
		folded.Verdict = firstError(results)
	} else {
		folded.Verdict = worst
	}
	return folded
}

func worstLegacyVerdict(results []Result) Verdict {
	for _, v := range legacyOrder {
		for _, r := range results {
			if r.Verdict == v {
				return v
			}
		}
	}
	return Accepted
}

func firstError(results []Result) Verdict {
	for _, r := range results {
		if r.Verdict != Accepted {
			return r.Verdict
		}
	}
	return Accepted
}

// legacyPoints returns the score of a case in a legacy node.
func (g *Grading) legacyPoints(n *Node, o Outcome) (points float64, complaint string) {
	switch {
	case o.Verdict != Accepted:
		return n.Legacy.RejectScore, ""
	case o.Award.By == NoAward && g.ScoreRequired:
		return 0, "the checker accepts an output and gives no points (score.txt), though validation says: custom score"
	case o.Award.By == NoAward:
		return n.Legacy.AcceptScore, ""
	case o.Award.By == AwardMultiplier:
		return o.Award.Value * n.Legacy.AcceptScore, ""
	case !g.Custom && !o.Award.Alone:
		return 0, fmt.Sprintf("the checker gives %s, but the problem does not take scores from it", o.Award)
	}
	return o.Award.Value, ""
}
