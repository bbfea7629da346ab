package judge

import (
	"fmt"
	"math"
	"sync"
)

// tally records the results so far and their consequences: which cases are still wanted, and the scores of groups
// and of the submission. It depends only on earlier results in judging order, and not on which cases run at the
// same time.
type tally struct {
	o       Options
	grading *Grading
	sum     *Finished
	root    *branch
	nodes   map[string]*branch
	group   map[string]*branch // by group name
	award   AwardKind          // kind of award in earlier cases; points and multipliers cannot be mixed

	mu sync.Mutex // held while changing data that wanted reads
}

// branch is a node in the tree of groups with its results.
type branch struct {
	*Node
	parent   *branch
	group    *Group // nil if the branch has no direct cases
	children []*branch
	sample   bool

	counts  GroupJudged
	failed  bool     // whether a case in the branch was not accepted, or was skipped
	ended   bool     // whether the rest of the branch no longer counts (legacy)
	results []Result // results of direct cases and closed children, in order
}

// newTally builds the tree of branches. Without a grading, all groups are children of the root.
func newTally(p *Problem, o Options, sum *Finished) (*tally, error) {
	t := &tally{o: o, grading: p.Grading, sum: sum, nodes: map[string]*branch{}, group: map[string]*branch{}}
	if p.Grading == nil {
		t.root = &branch{Node: &Node{}}
		for i := range p.Groups {
			t.addNode(t.root, &Node{Name: p.Groups[i].Name})
		}
	} else {
		t.root = t.addNode(nil, p.Grading.Root)
	}
	var order []*branch
	for b := range t.descendants(t.root) {
		order = append(order, b)
	}
	k := 0
	for i := range p.Groups {
		g := &p.Groups[i]
		for k < len(order) && order[k].Name != g.Name {
			k++
		}
		if k == len(order) {
			return nil, &ProblemError{File: p.Dir, Text: fmt.Sprintf("group %q has no place in the grading, or not at this one", g.Name)}
		}
		order[k].group = g
		t.group[g.Name] = order[k]
	}
	for _, b := range order {
		for m := b; m != nil && b.group != nil; m = m.parent {
			m.counts.Cases += len(b.group.Cases)
		}
	}
	return t, nil
}

// addNode adds a node and its descendants.
func (t *tally) addNode(parent *branch, n *Node) *branch {
	b := &branch{Node: n, parent: parent}
	b.counts = GroupJudged{Group: n.Name, Inner: len(n.Children) > 0}
	b.sample = parent != nil && (n.Name == sampleName || parent.sample)
	if parent != nil {
		parent.children = append(parent.children, b)
	}
	t.nodes[n.Name] = b
	for _, child := range n.Children {
		t.addNode(b, child)
	}
	return b
}

// sampleName is the name of the node for the statement's cases, which give no score.
const sampleName = "sample"

// descendants returns an iterator over a branch and its descendants, in judging order.
func (t *tally) descendants(b *branch) func(yield func(*branch) bool) {
	return func(yield func(*branch) bool) {
		if !yield(b) {
			return
		}
		for _, child := range b.children {
			for below := range t.descendants(child) {
				if !yield(below) {
					return
				}
			}
		}
	}
}

func (t *tally) legacy() bool { return t.grading != nil && t.grading.Form == FormatLegacy }
func (t *tally) scored() bool { return t.grading != nil && t.grading.Scored }

// wanted reports whether cases in this branch must still be judged. As more cases are judged, the result may
// change from true to false, but never back. So an unwanted case need not be run. When it is a case's turn to be
// recordCase, the result for that case is final. wanted may be called at any time.
func (t *tally) wanted(b *branch) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.scored() && !t.legacy() && !t.o.shouldContinue(t.sum) {
		return false
	}
	for m := b; m != nil; m = m.parent {
		if m.ended && (t.scored() || !t.o.ContinueAfterFailure) {
			return false
		}
		for _, name := range m.RequirePass {
			if required := t.nodes[name]; required != nil && required.failed {
				return false
			}
		}
		if t.scored() && !t.legacy() && !t.o.ContinueAfterFailure && m.failed && m.decidedByOneCase() {
			return false
		}
	}
	return true
}

// decidedByOneCase reports whether a single case that is not accepted decides the score of the branch.
func (b *branch) decidedByOneCase() bool {
	return b.sample || b.Aggregate == AggregatePassFail && b.parent != nil || b.Aggregate == AggregateMin && len(b.children) == 0
}

// skip records a case that was not judged.
func (t *tally) skip(b *branch, c *CaseJudged) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count(b, c)
	for m := b; m != nil; m = m.parent {
		m.failed = true
	}
}

// recordCase records a judged case and computes its score, which may turn the verdict into a judge error.
func (t *tally) recordCase(b *branch, c *CaseJudged, o Outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	points, complaint := t.score(b, c, o)
	if complaint != "" {
		c.Verdict, c.Message, c.Score = JudgeError, joinLines(complaint, c.Message), nil
	}
	t.sum.add(c)
	t.count(b, c)
	if c.Verdict != Accepted {
		for m := b; m != nil; m = m.parent {
			m.failed = true
		}
	}
	t.addResult(b, Result{Verdict: c.Verdict, Points: points})
}

// count counts a case in its branch and all ancestors.
func (t *tally) count(b *branch, c *CaseJudged) {
	for m := b; m != nil; m = m.parent {
		m.counts.Verdict = Worst(m.counts.Verdict, c.Verdict)
		if c.Verdict == Accepted && !c.Static {
			m.counts.Passed++
		}
	}
}

// addResult adds a result to a branch, unless an earlier result has ended the judging of the branch or of a branch
// above it.
func (t *tally) addResult(b *branch, r Result) {
	for m := b; m != nil; m = m.parent {
		if m.ended {
			return
		}
	}
	b.results = append(b.results, r)
	if t.legacy() && r.Verdict != Accepted && !b.Legacy.ContinueOnReject {
		b.ended = true
	}
}

// score computes the score of a case.
func (t *tally) score(b *branch, c *CaseJudged, o Outcome) (points float64, complaint string) {
	if o.Award.Alone && !t.scored() {
		return 0, fmt.Sprintf("the checker gives %s, but the problem has no scores", o.Award)
	}
	if !t.scored() || c.Verdict == JudgeError {
		return 0, ""
	}
	if t.legacy() {
		points, complaint = t.grading.legacyPoints(b.Node, o)
		c.Score = &Score{Points: points}
		return points, complaint
	}
	if b.sample {
		return 0, "" // a sample has no score
	}
	if b.Aggregate == AggregatePassFail {
		if o.Award.By != NoAward && !o.Award.Alone {
			return 0, fmt.Sprintf("the checker gives %s to a case whose group only passes or fails", o.Award)
		}
		return 0, "" // the group has a score
	}
	if kind := o.Award.By; kind != NoAward {
		if t.award != NoAward && t.award != kind {
			return 0, "the checker gives points to some cases and a multiplier to others"
		}
		t.award = kind
	}
	maximum, bounded := 0.0, true
	if c.Static {
		maximum = b.Static.Score
	} else {
		maximum, bounded = b.maxCaseScore(len(b.group.Cases))
	}
	points, complaint = o.points(maximum, bounded)
	c.Score = &Score{Points: points}
	if bounded {
		c.Score.Of = maximum
	}
	return points, complaint
}

// close closes a branch. For a legacy node with a grader, graded is the grader's result.
func (t *tally) close(b *branch, graded *Result) *GroupJudged {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.legacy():
		t.closeLegacy(b, graded)
	case t.scored() && !b.sample && b.parent != nil:
		t.closeScored(b)
	}
	if b.counts.Message != "" && t.sum.Verdict != JudgeError {
		t.sum.Verdict, t.sum.First = JudgeError, b.Name
	}
	return &b.counts
}

func (t *tally) closeLegacy(b *branch, graded *Result) {
	n := b.Node
	if len(b.results) == 0 && b.parent != nil {
		return // no part of the branch was judged
	}
	r := n.grade(b.results)
	if graded != nil {
		r = *graded
		b.counts.Message = r.Message
	}
	if t.scored() && r.Verdict != JudgeError {
		if r.Points < n.Legacy.Low || r.Points > n.Legacy.High {
			b.counts.Message = fmt.Sprintf(
				"its score %s is not in its range, %s to %s", number(r.Points), number(n.Legacy.Low),
				number(n.Legacy.High),
			)
			r.Verdict = JudgeError
		}
		b.counts.Score = &Score{Points: r.Points, Of: t.bestLegacyScore(b)}
	}
	b.counts.Verdict = r.Verdict
	if b.parent != nil {
		t.addResult(b.parent, r)
	}
}

// bestLegacyScore returns the best score that a legacy branch can give, or zero if it is unknown.
func (t *tally) bestLegacyScore(b *branch) float64 {
	end := b.Legacy.High
	if t.grading.Minimize {
		end = b.Legacy.Low
	}
	if !math.IsInf(end, 0) {
		return end
	}
	if t.grading.Custom || b.Legacy.Grader != nil {
		return 0
	}
	var all []Result
	if b.group != nil {
		for range b.group.Cases {
			all = append(all, Result{Verdict: Accepted, Points: b.Legacy.AcceptScore})
		}
	}
	for _, child := range b.children {
		if child.counts.Cases > 0 {
			all = append(all, Result{Verdict: Accepted, Points: t.bestLegacyScore(child)})
		}
	}
	return b.grade(all).Points
}

func (t *tally) closeScored(b *branch) {
	n := b.Node
	score := &Score{}
	if !n.Unbounded {
		score.Of = n.MaxScore
	}
	switch {
	case n.Aggregate == AggregatePassFail:
		if !b.failed {
			score.Points = n.MaxScore
		}
	case len(b.results) > 0:
		points := make([]float64, len(b.results))
		for i, r := range b.results {
			points[i] = r.Points
		}
		score.Points = n.Aggregate.combine(points)
	}
	if !n.Unbounded && exceeds(score.Points, n.MaxScore) {
		b.counts.Message = fmt.Sprintf("its score %s is above its maximum %s", number(score.Points), number(n.MaxScore))
		b.counts.Verdict = JudgeError
	}
	b.counts.Score = score
	t.addResult(b.parent, Result{Verdict: b.counts.Verdict, Points: score.Points})
}

// finish sets the verdict and the score of the submission.
func (t *tally) finish() {
	sum := t.sum
	if sum.Verdict == NotJudged {
		sum.Verdict = Accepted
	}
	switch {
	case t.grading == nil:
	case t.legacy():
		if sum.Verdict != JudgeError && t.root.counts.Verdict != NotJudged {
			sum.Verdict = t.root.counts.Verdict
		}
		if sum.Verdict == Accepted {
			sum.First = ""
		}
		sum.Score = t.root.counts.Score
	case t.scored():
		for _, b := range t.root.children {
			if !b.sample {
				sum.Score = b.counts.Score
			}
		}
	}
	if sum.Verdict == JudgeError {
		sum.Score = nil
	}
	if sum.Score != nil {
		sum.ScoreParts = t.groupPoints()
	}
}

// groupPoints returns the points of the groups whose sum is the submission's score. From these groups up to the root,
// scores are only added. If there is only one such group, or the score differs from the sum because the judging
// ended early or a limit reduced it, parts returns none.
func (t *tally) groupPoints() []float64 {
	summands := t.root.summands(t.legacy())
	if len(summands) < 2 {
		return nil
	}
	points, total := make([]float64, len(summands)), 0.0
	for i, b := range summands {
		if b.counts.Score != nil {
			points[i] = b.counts.Score.Points
		}
		total += points[i]
	}
	if exceeds(total, t.sum.Score.Points) || exceeds(t.sum.Score.Points, total) {
		return nil
	}
	return points
}

// summands returns the branches whose scores are added to the score of b.
func (b *branch) summands(legacy bool) (addends []*branch) {
	adds := b.Aggregate == AggregateSum && b.Legacy.Grader == nil ||
		b.parent == nil && !legacy // in 2025-09, the root only contains the other nodes
	if len(b.children) == 0 || b.group != nil || b.Static != nil || !adds {
		return []*branch{b}
	}
	for _, child := range b.children {
		if child.sample && (!legacy || b.Legacy.IgnoreSample) {
			continue
		}
		addends = append(addends, child.summands(legacy)...)
	}
	return addends
}

// joinLines joins two texts with a line feed.
func joinLines(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}
