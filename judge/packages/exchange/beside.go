package exchange

import (
	"fmt"
	"path/filepath"
	"slices"

	"assay/judge"
	"assay/judge/packages/icpc"
	"assay/judge/problem"
)

// Conversion of files and settings beside inputs and answers: arguments and files of cases, include/, and the
// static validator.

// arguments lists the keys in problem.toml for the argument lists of a case.
var arguments = []string{"args", "checker_args", "validator_args"}

// argumentLists returns the argument lists of a case, in the order of the keys in the variable arguments.
func (m *importer) argumentLists(c *judge.Case) [][]string {
	all := [][]string{c.Args, c.CheckerArgs, nil}
	if len(m.pkg.Inputs) > 0 {
		told := m.pkg.InputArgs(m.pkg.Inputs[0], c)
		if k := len(told) - len(c.Args); k >= 0 && slices.Equal(told[k:], c.Args) {
			told = told[:k] // in a problem directory they are set automatically
		}
		all[2] = told
	}
	return all
}

// sameForGroup reports whether all cases of a group have the same argument list under the key arguments[kind].
func (m *importer) sameForGroup(g judge.Group, kind int) bool {
	return !slices.ContainsFunc(g.Cases, func(c judge.Case) bool {
		return !slices.Equal(m.argumentLists(&c)[kind], m.argumentLists(&g.Cases[0])[kind])
	})
}

// common writes the arguments that all cases of a group have in common.
func (m *importer) common(g judge.Group) {
	for kind, key := range arguments {
		if len(g.Cases) > 0 && m.sameForGroup(g, kind) {
			m.toml.texts(key, m.argumentLists(&g.Cases[0])[kind])
		}
	}
}

// cases copies the cases. If a case has its own arguments and files, they are copied too.
func (m *importer) cases() error {
	taken := map[string]bool{}
	for _, g := range m.from.Groups {
		name := m.groupName(g.Name, taken)
		m.groups[g.Name] = name
		names := map[string]bool{}
		for _, c := range g.Cases {
			base := filepath.Join(m.dir, "cases", name, unusedName(goodName(c.Name), names))
			if err := m.oneCase(g, &c, base); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *importer) oneCase(g judge.Group, c *judge.Case, base string) error {
	if err := copyFile(c.In, base+".in"); err != nil {
		return err
	}
	if c.Ans != "" {
		if err := copyFile(c.Ans, base+".ans"); err != nil {
			return err
		}
	}
	var own tomlFile
	for kind, key := range arguments {
		if !m.sameForGroup(g, kind) {
			own.texts(key, m.argumentLists(c)[kind])
		}
	}
	if own.Len() > 0 {
		if err := write(base+".toml", []byte(own.String()), 0o644); err != nil {
			return err
		}
	}
	return copyCaseFiles(c.Files, m.from.Dir, base)
}

// copyCaseFiles copies the files that a submission sees only with this case. It omits the files of include/default,
// because submissions see these files with every case.
func copyCaseFiles(files []judge.CaseFile, dir, base string) error {
	for _, f := range files {
		if rel, err := filepath.Rel(filepath.Join(dir, problem.Include), f.Path); err == nil && filepath.IsLocal(rel) {
			continue
		}
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) {
			return &judge.ProblemError{File: f.Path, Text: fmt.Sprintf("the case's file %q is not inside the working directory", f.Name)}
		}
		to := filepath.Join(base+".files", filepath.FromSlash(f.Name))
		if f.Data != nil {
			if err := write(to, f.Data, 0o644); err != nil {
				return err
			}
		} else if err := copyFile(f.Path, to); err != nil {
			return err
		}
	}
	return nil
}

// include copies the files with which submissions are built.
func (m *importer) include() error {
	if m.pkg.Foreign {
		return nil
	}
	if err := m.pkg.StageInclude(filepath.Join(m.dir, problem.Include)); err != nil {
		return err
	}
	if m.pkg.Format == icpc.Legacy {
		for _, name := range m.pkg.Includes(func(string) bool { return true }) {
			if name == "default" {
				m.notes.add("the files of include/default are now also in the working directory of submissions")
			}
		}
	}
	return nil
}

// static writes the static validator with its check for all groups together.
func (m *importer) static() error {
	p := m.from.Static
	if p == nil {
		return nil
	}
	if m.grading == nil || !hasStaticCheck(m.grading.Root) {
		m.notes.add("the static validator is left out: no group asks for it (static_validation_score)")
		return nil
	}
	if err := m.part("static", &judge.SetterProgram{Path: p.Path, Protocol: p.Protocol, Args: nil}); err != nil {
		return err
	}
	secret, err := m.secret(m.grading.Root)
	if err != nil {
		return err
	}
	if secret.Static != nil && len(secret.Children) > 0 {
		m.staticCheck("score", "args", secret.Static)
	}
	return nil
}

// hasStaticCheck reports whether n or any of its descendants has a static check.
func hasStaticCheck(n *judge.Node) bool {
	return n.Static != nil || slices.ContainsFunc(n.Children, hasStaticCheck)
}

// staticCheck writes the score of a static validation.
func (m *importer) staticCheck(score, args string, check *judge.StaticCheck) {
	if check.PassFail {
		m.toml.text(score, string(judge.AggregatePassFail))
	} else {
		m.toml.number(score, check.Score)
	}
	m.toml.texts(args, check.Args)
}
