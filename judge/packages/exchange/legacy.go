package exchange

import (
	"slices"

	"assay/judge"
)

// convertLegacy converts a legacy grading to the form of 2025-09. If that form cannot express the grading, why is the
// reason. If the grading is nil and why is empty, the problem has no points, and every case must be accepted.
func convertLegacy(g *judge.Grading, cases func(name string) int) (_ *judge.Grading, reason string) {
	secret := g.Root
	for _, n := range g.Root.Children {
		if n.Name != "sample" {
			secret = n
			continue
		}
		if g.Scored && !g.Root.Legacy.IgnoreSample && cases(n.Name) > 0 && n.Legacy.AcceptScore != 0 {
			return nil, "its samples give points"
		}
	}
	switch {
	case !g.Scored && ignoresFailures(g.Root):
		return nil, "it may be accepted though not every case is"
	case !g.Scored:
		return nil, ""
	case g.Minimize:
		return nil, "fewer points are better"
	case g.Custom:
		return nil, "its output validator gives the points"
	case secret == g.Root:
		return nil, "it has no secret data"
	}
	made := &judge.Node{Name: secret.Name, Aggregate: judge.AggregateSum}
	leaves := secret.Children
	if len(leaves) == 0 { // the cases are in secret itself
		leaves = []*judge.Node{secret}
	} else if secret.Aggregate != judge.AggregateSum {
		return nil, "the points of its groups are not added"
	}
	for _, leaf := range leaves {
		n, reason := convertLegacyGroup(leaf, cases(leaf.Name))
		if reason != "" {
			return nil, reason
		}
		if !secret.Legacy.ContinueOnReject && leaf != secret { // the first group that fails ends the judging
			for _, before := range made.Children {
				if before.Aggregate != judge.AggregatePassFail {
					return nil, "it ends at the first group that is not accepted, and groups give a part of their points"
				}
				n.RequirePass = append(n.RequirePass, before.Name)
			}
		}
		made.MaxScore += n.MaxScore
		made.Children = append(made.Children, n)
	}
	if leaves[0] == secret {
		made.Aggregate, made.Children = made.Children[0].Aggregate, nil
	}
	root := &judge.Node{Children: []*judge.Node{made}}
	return &judge.Grading{Form: judge.Format2025, Scored: true, Root: root}, ""
}

// convertLegacyGroup converts a group that contains no groups.
func convertLegacyGroup(n *judge.Node, cases int) (_ *judge.Node, reason string) {
	l := n.Legacy
	made := &judge.Node{Name: n.Name, Aggregate: judge.AggregatePassFail, MaxScore: l.AcceptScore}
	switch {
	case len(n.Children) > 0:
		return nil, "group " + n.Name + " has groups in it"
	case l.Grader != nil:
		return nil, "group " + n.Name + " has a grader of its own"
	case l.RejectScore != 0 || l.AcceptScore < 0:
		return nil, "group " + n.Name + " gives points for what is not accepted, or takes some"
	case n.Aggregate == judge.AggregateMin, n.Aggregate == judge.AggregateSum && cases == 1:
		return made, ""
	case n.Aggregate == judge.AggregateSum && l.ContinueOnReject:
		made.Aggregate, made.MaxScore = judge.AggregateSum, l.AcceptScore*float64(cases)
		return made, ""
	}
	return nil, "group " + n.Name + " adds points up to the first case that fails, or takes the most or the average"
}

// ignoresFailures reports whether n, or a node below n, may be accepted although not all of its children are.
func ignoresFailures(n *judge.Node) bool {
	return n.Legacy.AnyAccepted || n.Legacy.Verdict == judge.AlwaysAccept || n.Legacy.Grader != nil ||
		slices.ContainsFunc(n.Children, ignoresFailures)
}
