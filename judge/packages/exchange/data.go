package exchange

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/problem"
)

// Conversion of the cases of a package with their arguments and files, include/, and the scores of groups.

// checkLegacyFeatures returns a fault if the problem uses features that the legacy format does not support.
func (e *exporter) checkLegacyFeatures() error {
	if !e.legacy {
		return nil
	}
	const hint = "export the problem to icpc-2025-09"
	if _, err := os.Stat(filepath.Join(e.from.Dir, problem.Include, "default")); err == nil {
		return e.fault("include", "the legacy format has include/<language>/ only, and not include/default/", hint)
	}
	for _, g := range e.from.Groups {
		for _, c := range g.Cases {
			switch {
			case len(c.Args) > 0:
				return e.fault("group", "case "+c.ID()+" has arguments for submissions, which the legacy format does not have", hint)
			case len(c.Files) > 0:
				return e.fault("group", "case "+c.ID()+" has files beside its input, which the legacy format does not have", hint)
			case !survivesSplitting(c.CheckerArgs) || !survivesSplitting(c.ValidatorArgs):
				return e.fault(
					"group",
					"case "+c.ID()+" has an argument with a blank in it, at which the legacy format would split it",
					hint,
				)
			}
		}
	}
	if err := e.checkLegacyPoints(); err != nil {
		return err
	}
	if e.from.NoFiles {
		e.notes.add("submissions were not to write files; in the legacy format they may")
	}
	return nil
}

// survivesSplitting reports whether args stay the same if they are joined with blanks and split again.
func survivesSplitting(args []string) bool {
	return !slices.ContainsFunc(args, func(a string) bool { return a == "" || strings.ContainsAny(a, " \t\n") })
}

// include copies the files with which submissions are built.
func (e *exporter) include() error {
	from := filepath.Join(e.from.Dir, problem.Include)
	if e.from.Included == nil {
		return nil
	}
	return copyTree(from, filepath.Join(e.dir, "include"))
}

// same returns the argument list that the function returns for every case. It returns false if the lists differ.
func (e *exporter) same(of func(*judge.Case) []string) (args []string, ok bool) {
	first := true
	for _, g := range e.from.Groups {
		for _, c := range g.Cases {
			if !first && !slices.Equal(args, of(&c)) {
				return nil, false
			}
			args, first = of(&c), false
		}
	}
	return args, true
}

func checkerArgs(c *judge.Case) []string { return c.CheckerArgs }
func inputArgs(c *judge.Case) []string   { return c.ValidatorArgs }

// shareCheckerArgs appends the checker arguments of the cases to e.flags if they are the same for all cases.
func (e *exporter) shareCheckerArgs() {
	args, ok := e.same(checkerArgs)
	e.flags, e.flagsShared = slices.Concat(e.flags, args), ok
}

// shareInputArgs sets e.input to own. If the input validator arguments are the same for all cases, it appends them
// to e.input.
func (e *exporter) shareInputArgs(own []string) {
	args, ok := e.same(inputArgs)
	e.input, e.inputShared = slices.Concat(own, args), ok
}

// grouped reports whether the groups become groups of the package, because the problem is scored or a group has a
// static check. If not, the cases of all groups are numbered consecutively.
func (e *exporter) grouped() bool {
	g := e.from.Grading
	return g != nil && (g.Scored || slices.ContainsFunc(e.secretRoot().Children, func(n *judge.Node) bool { return n.Static != nil }))
}

// secretRoot returns the node of all groups except the samples.
func (e *exporter) secretRoot() *judge.Node {
	return e.from.Grading.Root.Children[len(e.from.Grading.Root.Children)-1]
}

// data writes the cases. Groups that give points keep their names, with a number before them. Other groups cannot
// be expressed in a package, so their cases are numbered consecutively.
func (e *exporter) data() error {
	if e.legacy {
		return e.legacyData()
	}
	if e.from.Static != nil {
		if err := e.program(e.from.Static, "static_validator", asStaticValidator); err != nil {
			return err
		}
	}
	n, secret := 0, e.secretCases()
	names := map[string]string{} // group names in the package
	for i, g := range e.from.Groups {
		dir := "data/secret"
		switch {
		case g.Name == problem.Sample:
			dir = "data/sample"
		case e.grouped():
			names[g.Name] = fmt.Sprintf("%0*d-%s", len(fmt.Sprint(len(e.from.Groups))), i, g.Name)
			dir += "/" + names[g.Name]
		}
		for k, c := range g.Cases {
			n++
			name := fmt.Sprintf("%0*d-%s", len(fmt.Sprint(len(g.Cases))), k+1, goodName(c.Name))
			switch {
			case e.from.Kind.OutputOnly:
				name = c.Name // submissions contain files with this name
			case g.Name != problem.Sample && !e.grouped():
				name = fmt.Sprintf("%0*d-%s-%s", len(fmt.Sprint(secret)), n, g.Name, goodName(c.Name))
			}
			e.recipe.add(dir, name, g.Name, &c)
			if err := e.caseWithConfig(&c, filepath.Join(e.dir, filepath.FromSlash(dir), name)); err != nil {
				return err
			}
		}
	}
	return e.groupFiles(names)
}

// secretCases returns the number of cases that are not samples.
func (e *exporter) secretCases() (n int) {
	for _, g := range e.from.Groups {
		if g.Name != problem.Sample {
			n += len(g.Cases)
		}
	}
	return n
}

// legacyData writes the cases in the legacy format. If cases differ in their validator arguments, each sequence of
// cases with the same arguments gets its own directory.
func (e *exporter) legacyData() error {
	n, pieces, width := 0, 0, len(fmt.Sprint(e.from.CaseCount()))
	if err := e.legacyPoints(); err != nil {
		return err
	}
	dir, before := "", (*judge.Case)(nil)
	for _, g := range e.from.Groups {
		base := "data/secret"
		if g.Name == problem.Sample {
			base = "data/sample"
		}
		if e.scored() {
			before = nil // in the legacy format each group is a directory
		}
		for k, c := range g.Cases {
			if before == nil || !strings.HasPrefix(dir, base) || !e.sameInputArgs(before, &c) {
				if e.scored() && before != nil {
					return e.fault(
						"group",
						"the cases of group "+g.Name+", which gives points, tell the validators different things",
						"export the problem to icpc-2025-09",
					)
				}
				if dir = base; !e.flagsShared || !e.inputShared || e.scored() && base != "data/sample" {
					pieces++
					dir += fmt.Sprintf("/%0*d-%s", width, pieces, g.Name)
				}
				if err := e.testdata(dir, &g, &c); err != nil {
					return err
				}
			}
			before = &c
			name := fmt.Sprintf("%0*d-%s", len(fmt.Sprint(len(g.Cases))), k+1, goodName(c.Name))
			if g.Name != problem.Sample {
				n++
				name = fmt.Sprintf("%0*d-%s-%s", len(fmt.Sprint(e.secretCases())), n, g.Name, goodName(c.Name))
			}
			e.recipe.add(dir, name, g.Name, &c)
			if err := e.oneCase(&c, filepath.Join(e.dir, filepath.FromSlash(dir), name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *exporter) sameInputArgs(a, b *judge.Case) bool {
	return slices.Equal(a.CheckerArgs, b.CheckerArgs) && slices.Equal(a.ValidatorArgs, b.ValidatorArgs)
}

// checkLegacyPoints returns a fault for points that the legacy format cannot express. If a checker or an interactor may
// give a part of a case's points, it adds a note.
func (e *exporter) checkLegacyPoints() error {
	if !e.scored() {
		return nil
	}
	const hint = "export the problem to icpc-2025-09"
	if all := e.secretRoot(); all.Aggregate != judge.AggregateSum || all.Unbounded {
		return e.fault("scoring", "the legacy format adds the points of groups, and each needs a maximum", hint)
	}
	for _, n := range e.secretRoot().Children {
		switch {
		case n.Unbounded:
			return e.fault("group", "the legacy format needs a maximum of points, which group "+n.Name+" lacks", hint)
		case len(n.RequirePass) > 0:
			return e.fault("group", "group "+n.Name+" requires others, which the legacy format does not have", hint)
		}
	}
	if n := e.notes; e.from.Checker.Program != nil || e.from.Interactor != nil {
		n.add("a part of a case's points that the checker may give is lost: there a case gives all or nothing")
		e.notes = n
	}
	return nil
}

// legacyPoints configures testdata.yaml so that all groups are judged and their points are added. The samples give no
// points.
func (e *exporter) legacyPoints() error {
	if !e.scored() {
		return nil
	}
	return e.yaml("data/testdata.yaml", map[string]any{"on_reject": "continue", "grader_flags": "sum"})
}

// legacyGroupPoints sets the keys of testdata.yaml for a group's points.
func (e *exporter) legacyGroupPoints(g *judge.Group, keys map[string]any) {
	if !e.scored() {
		return
	}
	keys["accept_score"] = 0
	for _, n := range e.secretRoot().Children {
		switch {
		case n.Name != g.Name:
		case n.Aggregate == judge.AggregateSum:
			keys["accept_score"] = n.MaxScore / float64(len(g.Cases))
		default:
			keys["accept_score"], keys["grader_flags"], keys["on_reject"] = n.MaxScore, "min", "break"
		}
	}
}

// testdata writes testdata.yaml for the cases in a directory, if their settings differ from problem.yaml.
func (e *exporter) testdata(dir string, g *judge.Group, c *judge.Case) error {
	keys := map[string]any{}
	e.legacyGroupPoints(g, keys)
	if !e.flagsShared && len(c.CheckerArgs) > 0 {
		keys["output_validator_flags"] = strings.Join(c.CheckerArgs, " ")
	}
	input := e.input
	if !e.inputShared {
		input = slices.Concat(e.input, c.ValidatorArgs)
	}
	if len(input) > 0 {
		keys["input_validator_flags"] = strings.Join(input, " ")
	}
	return e.yaml(dir+"/testdata.yaml", keys)
}

// yaml writes keys as JSON, which is also YAML. Without keys it writes nothing.
func (e *exporter) yaml(name string, keys any) error {
	text, err := json.Marshal(keys)
	if err != nil || string(text) == "{}" {
		return err
	}
	e.recipe.addFile(name, string(text))
	return write(filepath.Join(e.dir, filepath.FromSlash(name)), append(text, '\n'), 0o644)
}

// caseWithConfig writes a case with its .yaml file and its .files directory.
func (e *exporter) caseWithConfig(c *judge.Case, base string) error {
	keys := map[string][]string{}
	if !e.flagsShared && len(c.CheckerArgs) > 0 {
		keys["output_validator_args"] = slices.Concat(e.flags, c.CheckerArgs)
	}
	if !e.inputShared && len(c.ValidatorArgs) > 0 {
		keys["input_validator_args"] = slices.Concat(e.input, c.ValidatorArgs)
	}
	if len(c.Args) > 0 {
		keys["args"] = c.Args
	}
	rel, err := filepath.Rel(e.dir, base)
	if err != nil {
		return err
	}
	if err := e.yaml(filepath.ToSlash(rel)+".yaml", keys); err != nil {
		return err
	}
	if err := copyCaseFiles(c.Files, e.from.Dir, base); err != nil {
		return err
	}
	return e.oneCase(c, base)
}

func (e *exporter) oneCase(c *judge.Case, base string) error {
	if err := copyFile(c.In, base+".in"); err != nil {
		return err
	}
	if c.Ans == "" {
		return write(base+".ans", nil, 0o644)
	}
	if _, err := os.Stat(c.Ans); err != nil && (e.from.Kind.Interactive || e.from.Kind.MultiPass) {
		return write(base+".ans", nil, 0o644)
	}
	return copyFile(c.Ans, base+".ans")
}

// groupFiles writes the required test_group.yaml files.
func (e *exporter) groupFiles(names map[string]string) error {
	put := func(dir string, n *judge.Node, keys map[string]any) error {
		if _, err := os.Stat(filepath.Join(e.dir, filepath.FromSlash(dir))); err != nil {
			return nil // there are no such cases
		}
		if len(e.flags) > 0 {
			keys["output_validator_args"] = e.flags
		}
		if len(e.input) > 0 {
			keys["input_validator_args"] = e.input
		}
		if n != nil && n.Static != nil {
			keys["static_validation_score"] = string(judge.AggregatePassFail)
			if !n.Static.PassFail {
				keys["static_validation_score"] = n.Static.Score
			}
			if len(n.Static.Args) > 0 {
				keys["static_validator_args"] = n.Static.Args
			}
		}
		return e.yaml(dir+"/test_group.yaml", keys)
	}
	if e.from.Grading == nil {
		for _, dir := range []string{"data/sample", "data/secret"} {
			if err := put(dir, nil, map[string]any{}); err != nil {
				return err
			}
		}
		return nil
	}
	sample := e.from.Grading.Root.Children[0]
	if sample == e.secretRoot() {
		sample = nil
	}
	if err := put("data/sample", sample, map[string]any{}); err != nil {
		return err
	}
	keys := map[string]any{}
	if e.scored() {
		keys["score_aggregation"], keys["max_score"] = string(e.secretRoot().Aggregate), maxScore(e.secretRoot())
	}
	if err := put("data/secret", e.secretRoot(), keys); err != nil {
		return err
	}
	if !e.grouped() {
		return nil
	}
	for _, n := range e.secretRoot().Children {
		keys, err := e.points(n, names)
		if err != nil {
			return err
		}
		if err := put("data/secret/"+names[n.Name], n, keys); err != nil {
			return err
		}
	}
	return nil
}

// points returns the keys of test_group.yaml for a group's score. If the problem has no scores, it returns only a
// description, because a directory is a group only if it contains this file.
func (e *exporter) points(n *judge.Node, names map[string]string) (map[string]any, error) {
	if !e.scored() {
		return map[string]any{"description": "group " + n.Name}, nil
	}
	for _, points := range []float64{n.MaxScore, staticScore(n)} {
		if points != math.Trunc(points) {
			return nil, e.fault(
				"group", fmt.Sprintf("group %s is worth %v points", n.Name, points),
				"points of groups are whole numbers in the format",
			)
		}
	}
	keys := map[string]any{"score_aggregation": string(n.Aggregate), "max_score": maxScore(n)}
	var require []string
	for _, r := range n.RequirePass {
		if r != problem.Sample {
			r = names[r]
		}
		require = append(require, r)
	}
	if len(require) > 0 {
		keys["require_pass"] = require
	}
	return keys, nil
}

func staticScore(n *judge.Node) float64 {
	if n.Static == nil {
		return 0
	}
	return n.Static.Score
}

func maxScore(n *judge.Node) any {
	if n.Unbounded {
		return "unbounded"
	}
	return n.MaxScore
}
