package exchange

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/packages/icpc"
	"assay/judge/problem"
)

// importer writes a package as a problem directory.
type importer struct {
	from          *problem.Directory
	pkg           *icpc.Package
	dir           string // the new problem directory
	solutions     string // the new directory of solutions
	notes         Notes
	groups        map[string]string // group names in the new directory
	toml          tomlFile
	grading       *judge.Grading // in the form of 2025-09
	languageTests []func(path string) bool
}

// count returns the number of cases of a group.
func (m *importer) count(name string) int {
	for _, g := range m.from.Groups {
		if g.Name == name {
			return len(g.Cases)
		}
	}
	return 0
}

// Native writes a package as the problem directory dir, with its submissions in the directory solutions. The
// package must have been read with its limits.
//
// The function knows, if given, reports whether the language of a program is known. Submissions in unknown
// languages are omitted.
func Native(from *problem.Directory, dir, solutions string, knows ...func(path string) bool) (Notes, error) {
	if from.Package == nil {
		return nil, &judge.ProblemError{
			File: from.Dir, Text: "the directory has the judge's own form already", Hint: "copy it to problems/",
		}
	}
	m := &importer{from: from, pkg: from.Package.Form.(*icpc.Package), groups: map[string]string{}, languageTests: knows}
	if err := m.checkSupported(); err != nil {
		return nil, err
	}
	err := createAtomically(func(dirs []string) error {
		m.dir, m.solutions = dirs[0], dirs[1]
		for _, step := range []func() error{m.head, m.parts, m.include, m.cases, m.scores, m.writePackageTable, m.statements, m.submissions} {
			if err := step(); err != nil {
				return err
			}
		}
		return write(filepath.Join(m.dir, problem.File), []byte(m.toml.String()), 0o644)
	}, dir, solutions)
	return m.notes, err
}

// checkSupported returns a fault if a setting affects judging and cannot be expressed in a problem directory.
func (m *importer) checkSupported() error {
	fault := func(text, hint string) error {
		return &judge.ProblemError{
			File: m.from.Dir, Text: "cannot be imported: " + text,
			Hint: hint + "; judge the package unchanged: judge submit " + m.from.Dir,
		}
	}
	p := m.from.Problem
	if p.InFile+p.OutFile != "" {
		return fault("submissions read or write files by name", "those to a problem directory use standard input and output")
	}
	if len(p.Reruns) > 0 {
		return fault(
			"submissions run several times on each test in Polygon's way",
			"in a problem directory the checker or the interactor asks for passes",
		)
	}
	if m.grading = p.Grading; p.Grading != nil && p.Grading.Form == judge.FormatLegacy {
		var why string
		old := *p.Grading
		old.Custom = old.Custom && (p.Checker.Program != nil || p.Interactor != nil) // only these programs give points
		if m.grading, why = convertLegacy(&old, m.count); why != "" {
			return fault(why, "problem.toml has the same ways of scoring as icpc-2025-09")
		}
		if m.grading != nil {
			m.notes.add("verdicts differ where a submission gets a part of the points: there it is not accepted")
		}
	}
	return nil
}

// kindName returns the name of a kind in problem.toml.
func kindName(k judge.Kind) string {
	switch {
	case k.Interactive && k.MultiPass:
		return "interactive multi-pass"
	case k.Interactive:
		return "interactive"
	case k.MultiPass:
		return "multi-pass"
	case k.OutputOnly:
		return "submit-answer"
	}
	return "batch"
}

func (m *importer) head() error {
	p := m.from.Problem
	t := &m.toml
	t.text("title", p.Title)
	t.text("kind", kindName(p.Kind))
	t.text("verdicts", "icpc")
	source := p.Source
	if source == "" && len(m.pkg.Sources) > 0 {
		source = strings.TrimSpace(m.pkg.Sources[0].Name + " " + m.pkg.Sources[0].URL)
	}
	t.text("source", source)
	t.table("limits")
	t.duration("time", p.Limits.CPU)
	t.duration("wall", p.Limits.Wall)
	t.size("memory", p.Limits.Memory)
	t.size("output", p.Limits.Output)
	t.size("code", p.CodeLimit)
	if p.Kind.MultiPass && p.Passes > 1 {
		fmt.Fprintf(t, "passes = %d\n", p.Passes)
	}
	if p.NoFiles {
		t.WriteString("file_writing = false\n")
	}
	return nil
}

// part writes the table for a program.
func (m *importer) part(key string, p *judge.SetterProgram) error {
	if p == nil {
		return nil
	}
	name, err := m.program(p.Path, key)
	if err != nil {
		return err
	}
	m.toml.table(key)
	m.toml.text("program", name)
	m.toml.text("speaks", p.Protocol)
	m.toml.texts("args", p.Args)
	if p.PartialFrom != 0 {
		return &judge.ProblemError{
			File: p.Path, Text: "cannot be imported: the checker's exit codes are percents",
			Hint: "judge the package unchanged",
		}
	}
	return nil
}

func (m *importer) parts() error {
	if err := m.reference(); err != nil {
		return err
	}
	if err := m.validator(); err != nil {
		return err
	}
	if err := m.part("interactor", m.from.Interactor); err != nil {
		return err
	}
	if err := m.static(); err != nil {
		return err
	}
	c := m.from.Checker
	if c.Program != nil {
		return m.part("checker", c.Program)
	}
	if c.Name != "" {
		m.toml.table("checker")
		m.toml.text("name", c.Name)
		m.toml.texts("args", c.Args)
	}
	return nil
}

// reference uses the model solution, or the first submission that must be accepted.
func (m *importer) reference() error {
	if m.from.Kind.Interactive || m.from.Kind.MultiPass || m.from.Kind.OutputOnly {
		return nil
	}
	var best *problem.Submission
	for _, s := range m.pkg.Submissions {
		if verdict, _ := s.Promised(); verdict == judge.Accepted && (best == nil || s.Model && !best.Model) {
			best = s
		}
	}
	if best == nil {
		m.notes.add("no submission must be accepted, so there is no reference")
		return nil
	}
	return m.part("reference", &judge.SetterProgram{Path: best.Path})
}

// validator uses the first input validator.
func (m *importer) validator() error {
	if len(m.pkg.Inputs) == 0 {
		return nil
	}
	v := m.pkg.Inputs[0]
	if len(m.pkg.Inputs) > 1 {
		var left []string
		for _, other := range m.pkg.Inputs[1:] {
			left = append(left, other.Name)
		}
		m.notes.add("of the input validators only %s is taken; left out: %s", v.Name, strings.Join(left, ", "))
	}
	part := v.SetterProgram
	if strings.HasSuffix(part.Path, ".ctd") {
		part.Protocol = judge.Checktestdata
	}
	return m.part("validator", &part)
}

// groupName returns a valid name for a group that is not in taken. It is made from the group's name in the
// package, without the prefix "secret/".
func (m *importer) groupName(name string, taken map[string]bool) string {
	made := goodName(strings.ReplaceAll(strings.TrimPrefix(name, "secret/"), "/", "-"))
	return unusedName(made, taken)
}

// scores writes the groups with their scores.
func (m *importer) scores() error {
	nodes := map[string]*judge.Node{}
	if g := m.grading; g != nil {
		secret, err := m.secret(g.Root)
		if err != nil {
			return err
		}
		if g.Scored {
			m.toml.table("scoring")
			m.score(secret)
		}
		for _, n := range slices.Concat(secret.Children, g.Root.Children) {
			nodes[n.Name] = n
		}
		if len(secret.Children) > 0 {
			delete(nodes, secret.Name)
		}
	}
	for _, g := range m.from.Groups {
		m.toml.tables("group")
		m.toml.text("name", m.groups[g.Name])
		m.common(g)
		n := nodes[g.Name]
		if n == nil {
			continue
		}
		if n.Static != nil {
			m.staticCheck("static_score", "static_args", n.Static)
		}
		if !m.grading.Scored || g.Name == problem.Sample {
			continue
		}
		m.score(n)
		var require []string
		for _, r := range n.RequirePass {
			require = append(require, m.groups[r])
		}
		m.toml.texts("require_pass", require)
	}
	return nil
}

// secret finds the node whose children are the groups.
func (m *importer) secret(root *judge.Node) (*judge.Node, error) {
	var found *judge.Node
	for _, n := range root.Children {
		if n.Name != "sample" {
			found = n
		}
	}
	if found == nil {
		return nil, &judge.ProblemError{File: m.from.Dir, Text: "cannot be imported: the package has no secret data"}
	}
	for _, n := range found.Children {
		if len(n.Children) > 0 {
			return nil, &judge.ProblemError{
				File: m.from.Dir, Text: fmt.Sprintf("cannot be imported: group %s has groups in it", n.Name),
				Hint: "the groups of problem.toml do not nest",
			}
		}
	}
	return found, nil
}

func (m *importer) score(n *judge.Node) {
	if n.Unbounded {
		m.toml.text("max_score", "unbounded")
	} else {
		m.toml.number("max_score", n.MaxScore)
	}
	m.toml.text("score_aggregation", string(n.Aggregate))
}

// submissions copies the submissions with a single expected verdict.
func (m *importer) submissions() error {
	taken := map[string]bool{}
	for _, s := range m.pkg.Submissions {
		verdict, words := s.Promised()
		if verdict.Dir() == "" {
			m.notes.add("submission %s is left out: no single verdict is promised for it (%s)", s.Name, words)
			continue
		}
		base := path.Base(s.Name)
		ext := path.Ext(base)
		to := unusedName(verdict.Dir()+"/"+strings.TrimSuffix(base, ext), taken) + ext
		if m.from.Kind.OutputOnly {
			if err := copyTree(s.Path, filepath.Join(m.solutions, filepath.FromSlash(to))); err != nil {
				return err
			}
			continue
		}
		copied := filepath.Join(m.solutions, filepath.FromSlash(to))
		if err := m.stage(s.Path, copied, s.Entry); err != nil {
			return err
		}
		if slices.ContainsFunc(m.languageTests, func(knows func(string) bool) bool { return !knows(copied) }) {
			m.notes.add("submission %s is left out: its language is none of judge.toml", s.Name)
			if err := os.RemoveAll(copied); err != nil {
				return err
			}
			continue
		}
		if s.Language != "" {
			m.notes.add("submission %s is in %s, which its name does not tell", s.Name, s.Language)
		}
	}
	return nil
}
