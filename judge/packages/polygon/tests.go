package polygon

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/problem"
)

// Names of the groups of a package without points.
const (
	sampleGroup = "sample"
	otherGroup  = "tests"
)

// maxTests is the maximum number of tests in a package.
const maxTests = 10_000

// filledDir is the directory, relative to the package's directory, in which package fill stores the tests.
const filledDir = "data"

// name returns the name of a test. Its number has as many digits as in the file names of the package.
func (r *reader) name(i int) string {
	base := filepath.Base(numbered(r.set.Input, i+1))
	if base == "." || base == string(filepath.Separator) || base == r.set.Input {
		return fmt.Sprintf("%02d", i+1)
	}
	return base
}

// files returns the files of a test: the generated ones, or the package's own. The name of a missing file is "".
func (r *reader) files(i int) (in, ans string) {
	name := filepath.Join(filledDir, r.name(i))
	if in = r.pathOf(name + ".in"); in != "" {
		return in, r.pathOf(name + ".ans")
	}
	return r.pathOf(numbered(r.set.Input, i+1)), r.pathOf(numbered(r.set.Answer, i+1))
}

// scored reports whether the package gives points.
func (r *reader) scored() bool {
	return slices.ContainsFunc(r.set.Tests, func(t test) bool { return t.Points != nil && *t.Points != 0 }) ||
		slices.ContainsFunc(r.set.Groups, func(g group) bool { return g.Points != 0 })
}

// scoredByChecker reports whether the package's own checker gives the points. This is the case if tests have
// points, but all points are zero.
func (r *reader) scoredByChecker() bool {
	return !r.scored() && r.pkg.Checker.Program != nil && slices.ContainsFunc(r.set.Tests, func(t test) bool { return t.Points != nil })
}

// tests reads the cases and assigns them to groups.
func (r *reader) tests() (faults judge.ProblemErrors) {
	if len(r.set.Tests) == 0 || len(r.set.Tests) > maxTests {
		return judge.ProblemErrors{
			r.fault(fmt.Sprintf("the package has %d tests", len(r.set.Tests)), fmt.Sprintf("1 to %d are judged", maxTests)),
		}
	}
	scored := r.scored()
	at := map[string]int{}
	for i, t := range r.set.Tests {
		group := t.Group
		switch {
		case !scored && t.Sample:
			group = sampleGroup
		case group == "" || !scored:
			group = otherGroup
		}
		in, ans := r.files(i)
		if in == "" {
			faults = append(
				faults,
				r.fault(
					fmt.Sprintf("there is no test %s", numbered(r.set.Input, i+1)),
					"the test could not be generated; see: judge generate "+r.dir,
				),
			)
			continue
		}
		if ans == "" && !r.lacksAnswers() {
			r.warn(fmt.Sprintf("there is no answer to test %s", r.name(i)), "")
		}
		c := judge.Case{Group: group, Name: r.name(i), In: in, Ans: ans, Line: t.Cmd}
		if _, known := at[group]; !known {
			at[group] = len(r.pkg.Groups)
			r.pkg.Groups = append(r.pkg.Groups, judge.Group{Name: group})
		}
		g := &r.pkg.Groups[at[group]]
		g.Cases = append(g.Cases, c)
		args := []string{"--testset", r.set.Name}
		if t.Group != "" {
			args = append(args, "--group", t.Group)
		}
		r.pkg.SetInputArgs(&c, args...)
		if info, err := os.Stat(ans); err == nil { // the output limit must allow the answer
			r.pkg.Limits.Output = max(r.pkg.Limits.Output, 2*info.Size())
		}
	}
	if scored {
		r.grade()
		return faults
	}
	slices.SortStableFunc(r.pkg.Groups, func(a, b judge.Group) int { return groupOrder(a.Name) - groupOrder(b.Name) })
	if r.scoredByChecker() {
		r.gradeByChecker()
	}
	return faults
}

// gradeByChecker adds up the points that the checker gives to each test.
func (r *reader) gradeByChecker() {
	usual := judge.DefaultLegacy()
	usual.ContinueOnReject, usual.AcceptScore = true, 0
	root := &judge.Node{Aggregate: judge.AggregateSum, Legacy: usual}
	for _, g := range r.pkg.Groups {
		root.Children = append(root.Children, &judge.Node{Name: g.Name, Aggregate: judge.AggregateSum, Legacy: usual})
	}
	r.pkg.Grading = &judge.Grading{Form: judge.FormatLegacy, Scored: true, Custom: true, Root: root}
}

// groupOrder returns the sort key of a group, which puts samples first.
func groupOrder(name string) int {
	if name == sampleGroup {
		return 0
	}
	return 1
}

// grade builds the tree of groups. If the tests of a group give points separately, each test becomes a group.
func (r *reader) grade() {
	secret := &judge.Node{Name: "secret", Aggregate: judge.AggregateSum}
	var groups []judge.Group
	for _, g := range r.pkg.Groups {
		points := make([]float64, len(g.Cases))
		total := 0.0
		for i, c := range g.Cases {
			points[i] = r.points(c.Name)
			total += points[i]
		}
		own, described := r.group(g.Name)
		var require []string
		for _, d := range own.Dependencies {
			known := false
			for _, before := range groups { // the group itself, or the groups of its tests
				if before.Name == d.Group || strings.HasPrefix(before.Name, d.Group+"/") {
					require, known = append(require, before.Name), true
				}
			}
			if !known {
				r.warn(
					fmt.Sprintf("group %q depends on %q, which does not come before it", g.Name, d.Group),
					"the dependency is not judged",
				)
			}
		}
		if described && own.Policy == "complete-group" {
			secret.Children = append(
				secret.Children,
				&judge.Node{Name: g.Name, Aggregate: judge.AggregatePassFail, MaxScore: total, RequirePass: require},
			)
			secret.MaxScore += total
			groups = append(groups, g)
			continue
		}
		for i, c := range g.Cases {
			c.Group = g.Name + "/" + c.Name
			r.pkg.SetInputArgs(&c, "--testset", r.set.Name, "--group", g.Name)
			groups = append(groups, judge.Group{Name: c.Group, Cases: []judge.Case{c}})
			secret.Children = append(secret.Children, &judge.Node{
				Name: c.Group, Aggregate: judge.AggregatePassFail, MaxScore: points[i], RequirePass: require,
			})
			secret.MaxScore += points[i]
		}
	}
	r.pkg.Groups = groups
	root := &judge.Node{Children: []*judge.Node{secret}}
	r.pkg.Grading = &judge.Grading{Form: judge.Format2025, Scored: true, Root: root}
}

// points returns the points of a test.
func (r *reader) points(name string) float64 {
	for i, t := range r.set.Tests {
		if r.name(i) == name {
			if t.Points != nil {
				return *t.Points
			}
		}
	}
	return 0
}

// group returns the declaration of a group, and whether there is one.
func (r *reader) group(name string) (group, bool) {
	for _, g := range r.set.Groups {
		if g.Name == name {
			return g, true
		}
	}
	return group{}, false
}

// validatorTests reads the test cases for the validators and the checker.
func (r *reader) validatorTests() {
	for _, v := range r.doc.Assets.Validators {
		for i, t := range v.Testset.Tests {
			if in := r.pathOf(numbered(v.Testset.Input, i+1)); in != "" && t.Verdict == "invalid" {
				c := judge.Case{Group: string(problem.InvalidInput), Name: fmt.Sprintf("%02d", i+1), In: in}
				r.pkg.Extra = append(r.pkg.Extra, problem.Proof{Kind: problem.InvalidInput, Case: c})
			}
		}
	}
	if r.doc.Assets.Checker == nil || r.lacksAnswers() {
		return
	}
	kinds := map[string]problem.ProofKind{
		"ok": problem.ValidOutput, "wrong-answer": problem.InvalidOutput,
		"presentation-error": problem.InvalidOutput,
	}
	set := &r.doc.Assets.Checker.Testset
	for i, t := range set.Tests {
		in, out, ans := r.pathOf(numbered(set.Input, i+1)), r.pathOf(numbered(set.Output, i+1)), r.pathOf(numbered(set.Answer, i+1))
		if kind := kinds[t.Verdict]; kind != "" && in != "" && out != "" && ans != "" {
			c := judge.Case{Group: string(kind), Name: fmt.Sprintf("%02d", i+1), In: in, Ans: ans}
			r.pkg.Extra = append(r.pkg.Extra, problem.Proof{Kind: kind, Case: c, Out: out})
		}
	}
}
