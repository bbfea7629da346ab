package problem

import (
	"fmt"
	"slices"

	"assay/judge"
)

// static is the [static] table: a program that judges the submission's own files. This table sets the points for
// all groups together, and a [[group]] table sets the points for that group. If no table sets points, a submission
// that the program rejects is rejected.
type static struct {
	Program string   `toml:"program"`
	Speaks  string   `toml:"speaks"`
	Score   any      `toml:"score"`
	Args    []string `toml:"args"`
}

// passFail is the score of a static check that gives no points.
const passFail = string(judge.AggregatePassFail)

// readStatic reads the static validator and adds its checks to the score tree, which must have been read. It makes
// a tree for a problem without scores.
func (f *Directory) readStatic(t *table) (faults judge.ProblemErrors) {
	given := slices.IndexFunc(t.Group, func(g group) bool { return g.StaticScore != nil || g.StaticArgs != nil })
	switch {
	case t.Static == nil && given >= 0:
		return judge.ProblemErrors{f.Fault(
			fmt.Sprintf("group[%d]", given),
			"static_score or static_args is set, but the problem has no static validator",
			`add: [static] program = "static"`,
		)}
	case t.Static == nil:
		return nil
	case f.Kind.OutputOnly:
		return judge.ProblemErrors{f.Fault("static", "the submissions are outputs: there is no source to validate", "remove the table")}
	}
	if f.Static, faults = f.readPart("static", &part{Program: t.Static.Program, Speaks: t.Static.Speaks}); f.Static == nil {
		return faults
	}
	if f.Grading == nil {
		f.Grading = f.ungraded()
	}
	root := f.Grading.Root.Children
	all := root[len(root)-1]
	score := t.Static.Score
	if score == nil && (given < 0 || t.Static.Args != nil) {
		score = passFail
	}
	check, bad := f.staticCheck("static.score", score, t.Static.Args, all, f.Grading.Scored)
	all.Static, faults = check, append(faults, bad...)
	for i, g := range t.Group {
		var node *judge.Node
		for _, n := range append(slices.Clone(all.Children), root[:len(root)-1]...) {
			if n.Name == g.Name {
				node = n
			}
		}
		if node == nil || g.StaticScore == nil && g.StaticArgs == nil {
			continue
		}
		if g.StaticScore == nil {
			g.StaticScore = passFail
		}
		key := fmt.Sprintf("group[%d].static_score", i)
		node.Static, bad = f.staticCheck(key, g.StaticScore, g.StaticArgs, node, f.Grading.Scored && g.Name != Sample)
		faults = append(faults, bad...)
	}
	return faults
}

// ungraded returns the tree of a problem without scores, with one node per group.
func (f *Directory) ungraded() *judge.Grading {
	node := func(name string) *judge.Node {
		return &judge.Node{Name: name, Aggregate: judge.AggregatePassFail, Unbounded: true}
	}
	all := node(allGroups)
	for _, g := range f.Groups {
		if g.Name != Sample {
			all.Children = append(all.Children, node(g.Name))
		}
	}
	return &judge.Grading{Form: judge.Format2025, Root: &judge.Node{Children: []*judge.Node{node(Sample), all}}}
}

// staticCheck reads the score of a static check. It returns nil if there is none.
func (f *Directory) staticCheck(
	key string, score any, args []string, n *judge.Node, scored bool,
) (*judge.StaticCheck, judge.ProblemErrors) {
	check := &judge.StaticCheck{Args: args, PassFail: score == passFail}
	parts := scored && n.Aggregate != judge.AggregatePassFail
	switch x := score.(type) {
	case nil:
		return nil, nil
	case int64:
		check.Score = float64(x)
	case float64:
		check.Score = x
	}
	switch {
	case check.PassFail && !parts, !check.PassFail && parts && check.Score > 0 && (n.Unbounded || check.Score <= n.MaxScore):
		return check, nil
	case parts:
		return nil, judge.ProblemErrors{f.Fault(key, fmt.Sprintf(
			"%#v is not a score of a static validation here", score,
		), "write a number of points, at most max_score, which includes them")}
	}
	return nil, judge.ProblemErrors{f.Fault(key, fmt.Sprintf(
		"%#v is not a score of a static validation here", score,
	), `write "pass-fail": only groups that aggregate scores by sum or min can have points`)}
}
