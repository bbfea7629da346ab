package problem

import (
	"fmt"
	"slices"

	"assay/judge"
	"assay/judge/internal/suggest"
)

// scoring is the [scoring] table, which sets the points for all groups together. Its keys, and the keys of the
// same names in a group, have the meaning that they have in the format 2025-09.
type scoring struct {
	MaxScore    any    `toml:"max_score"`
	Aggregation string `toml:"score_aggregation"`
}

// allGroups is the node above all groups except the samples. No group can have this name.
const allGroups = "(all)"

// usualMaxScore is the default maximum score of a problem.
const usualMaxScore = 100

// readScoring builds the score tree. The groups must have been read.
func (f *Directory) readScoring(t *table) (faults judge.ProblemErrors) {
	tables := map[string]int{}
	for i := range t.Group {
		tables[t.Group[i].Name] = i
	}
	if t.Scoring == nil {
		return f.unscored(t)
	}
	all := &judge.Node{Name: allGroups, Aggregate: judge.AggregateSum, MaxScore: usualMaxScore}
	faults = append(faults, f.readMaxScore("scoring", t.Scoring.MaxScore, all)...)
	faults = append(faults, f.readAggregation("scoring", t.Scoring.Aggregation, all)...)
	f.Grading = &judge.Grading{Form: judge.Format2025, Scored: true, Root: &judge.Node{
		Children: []*judge.Node{{Name: Sample, Aggregate: judge.AggregatePassFail}, all},
	}}
	for _, g := range f.Groups {
		i, listed := tables[g.Name]
		key := fmt.Sprintf("group[%d]", i)
		if g.Name == Sample {
			if listed && (t.Group[i].MaxScore != nil || t.Group[i].Aggregation != "" || t.Group[i].RequirePass != nil) {
				faults = append(faults, f.Fault(key, "the samples give no score", "remove max_score, score_aggregation and require_pass"))
			}
			continue
		}
		if !listed {
			faults = append(faults, f.Fault("scoring", fmt.Sprintf(
				"group %q is not in problem.toml, so it has no score", g.Name,
			), fmt.Sprintf("add: [[group]] name = %q, max_score = 10", g.Name)))
			continue
		}
		n, bad := f.readNode(key, &t.Group[i], all)
		faults = append(faults, bad...)
		all.Children = append(all.Children, n)
	}
	return append(faults, f.fitScores(all)...)
}

// unscored returns faults for score keys in a problem without scores.
func (f *Directory) unscored(t *table) (faults judge.ProblemErrors) {
	for i, g := range t.Group {
		for _, row := range []struct {
			key   string
			given bool
		}{{"max_score", g.MaxScore != nil}, {"score_aggregation", g.Aggregation != ""}, {"require_pass", g.RequirePass != nil}} {
			if row.given {
				faults = append(faults, f.Fault(fmt.Sprintf(
					"group[%d].%s", i, row.key,
				), row.key+" in a problem without scores", "add the table [scoring], or remove the key"))
			}
		}
	}
	return faults
}

func (f *Directory) readNode(key string, g *group, all *judge.Node) (*judge.Node, judge.ProblemErrors) {
	n := &judge.Node{Name: g.Name, Aggregate: judge.AggregatePassFail, Unbounded: true, RequirePass: g.RequirePass}
	faults := f.readMaxScore(key, g.MaxScore, n)
	faults = append(faults, f.readAggregation(key, g.Aggregation, n)...)
	switch {
	case n.Unbounded && !all.Unbounded:
		faults = append(faults, f.Fault(key, fmt.Sprintf(
			"group %q has no max_score", g.Name,
		), `set its score, such as max_score = 30, or write: [scoring] max_score = "unbounded"`))
	case n.Unbounded && n.Aggregate == judge.AggregatePassFail:
		faults = append(faults, f.Fault(key, fmt.Sprintf(
			"group %q passes or fails, but has no score", g.Name,
		), `add max_score, or score_aggregation = "sum" or "min"`))
	case all.Aggregate == judge.AggregatePassFail && n.Aggregate != judge.AggregatePassFail:
		faults = append(faults, f.Fault(key+".score_aggregation", fmt.Sprintf(
			"group %q gives partial scores, but the problem passes or fails as a whole", g.Name,
		), "remove the key, here or in [scoring]"))
	}
	for i, name := range g.RequirePass {
		if name == Sample {
			continue
		}
		k := slices.IndexFunc(all.Children, func(n *judge.Node) bool { return n.Name == name })
		at := fmt.Sprintf("%s.require_pass[%d]", key, i)
		if k < 0 {
			var earlier []string
			for _, n := range all.Children {
				earlier = append(earlier, n.Name)
			}
			faults = append(
				faults,
				f.Fault(at, fmt.Sprintf("no earlier group is called %q", name), suggest.Hint(name, append(earlier, Sample))),
			)
		} else if all.Children[k].Aggregate != judge.AggregatePassFail {
			faults = append(faults, f.Fault(at, fmt.Sprintf(
				"group %q gives partial scores, so it cannot be required", name,
			), `only a group with score_aggregation = "pass-fail", the default, can be required`))
		}
	}
	return n, faults
}

// readMaxScore reads a number or "unbounded". If value is nil, the maximum is not changed.
func (f *Directory) readMaxScore(key string, value any, n *judge.Node) judge.ProblemErrors {
	const hint = `write a number, such as max_score = 30, or "unbounded"`
	switch x := value.(type) {
	case nil:
		return nil
	case int64:
		n.MaxScore = float64(x)
	case float64:
		n.MaxScore = x
	default:
		if x == "unbounded" {
			n.Unbounded, n.MaxScore = true, 0
			return nil
		}
		n.Unbounded = false
		return judge.ProblemErrors{f.Fault(key+".max_score", fmt.Sprintf("%#v is not a score", x), hint)}
	}
	n.Unbounded = false
	if !(n.MaxScore >= 0 && n.MaxScore <= 1e15) {
		return judge.ProblemErrors{f.Fault(key+".max_score", fmt.Sprintf("a maximum of %v points", n.MaxScore), hint)}
	}
	return nil
}

func (f *Directory) readAggregation(key, value string, n *judge.Node) judge.ProblemErrors {
	known := []string{string(judge.AggregatePassFail), string(judge.AggregateSum), string(judge.AggregateMin)}
	if value == "" {
		return nil
	}
	if !slices.Contains(known, value) {
		return judge.ProblemErrors{
			f.Fault(key+".score_aggregation", fmt.Sprintf("scores cannot be aggregated by %q", value), suggest.Hint(value, known)),
		}
	}
	n.Aggregate = judge.Aggregate(value)
	return nil
}

// fitScores returns a fault if the groups are worth more points than the problem. It also returns a fault if the
// score is unbounded although the problem only passes or fails.
func (f *Directory) fitScores(all *judge.Node) judge.ProblemErrors {
	if all.Unbounded {
		if all.Aggregate == judge.AggregatePassFail {
			return judge.ProblemErrors{f.Fault("scoring.max_score", "the problem passes or fails, but has no score", "write a number")}
		}
		return nil
	}
	total := 0.0
	for _, n := range all.Children {
		switch all.Aggregate {
		case judge.AggregateSum:
			total += n.MaxScore
		case judge.AggregateMin:
			total = max(total, n.MaxScore)
		}
	}
	if total > all.MaxScore {
		return judge.ProblemErrors{f.Fault("scoring", fmt.Sprintf(
			"the groups are worth %v points, the problem %v", total, all.MaxScore,
		), fmt.Sprintf("write: [scoring] max_score = %v", total))}
	}
	return nil
}
