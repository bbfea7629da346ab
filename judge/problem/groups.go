package problem

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/internal/pattern"
)

// goodName matches valid names of groups, and of cases written by hand.
var goodName = pattern.New(`^[a-zA-Z0-9][a-zA-Z0-9_.-]*$`)

// GoodName reports whether name is valid for a group, or for a case written by hand.
func GoodName(name string) bool { return goodName().MatchString(name) }

// readGroups reads the groups: first sample, then those of problem.toml in order, then directories of cases/ that
// problem.toml does not name. In a group, the cases written by hand come first, sorted by name, before those of
// generator lines.
func (f *Directory) readGroups(t *table) (faults judge.ProblemErrors) {
	tables := slices.Clone(t.Group)
	if !slices.ContainsFunc(tables, func(g group) bool { return g.Name == Sample }) {
		tables = append(tables, group{Name: Sample, Description: "the cases of the statement"})
	}
	known := map[string]bool{}
	for _, g := range tables {
		known[g.Name] = true
	}
	cases := filepath.Join(f.Dir, "cases")
	for _, name := range subfolders(cases) {
		// An empty directory is not a group, because git and bundles do not store it.
		if entries, err := os.ReadDir(filepath.Join(cases, name)); !known[name] && (err != nil || len(entries) > 0) {
			tables = append(tables, group{Name: name})
		}
	}
	if t.Generator == nil {
		faults = f.ungenerated(tables)
	}
	seen := map[string]bool{}
	for i, g := range tables {
		key := fmt.Sprintf("group[%d]", i)
		if !goodName().MatchString(g.Name) {
			faults = append(
				faults,
				f.Fault(key+".name", fmt.Sprintf("%q cannot be the name of a group", g.Name), "use letters, digits, dots, - and _"),
			)
			continue
		}
		if seen[g.Name] {
			faults = append(
				faults,
				f.Fault(key+".name", fmt.Sprintf("two groups are called %q", g.Name), "move their cases into one group"),
			)
			continue
		}
		seen[g.Name] = true
		made, bad := f.readGroup(key, g)
		faults = append(faults, bad...)
		if g.Name == Sample {
			f.Groups = slices.Insert(f.Groups, 0, made)
		} else {
			f.Groups = append(f.Groups, made)
		}
	}
	return faults
}

// ungenerated returns a fault for the first line that needs a generator, if the problem has none.
func (f *Directory) ungenerated(groups []group) judge.ProblemErrors {
	for i, g := range groups {
		at := slices.IndexFunc(g.Cases, func(line string) bool { return !Derived(line) })
		if at >= 0 {
			return judge.ProblemErrors{f.Fault(
				fmt.Sprintf("group[%d].cases[%d]", i, at),
				"the problem has a generator line, but no generator", `add: [generator] program = "generator"`,
			)}
		}
	}
	return nil
}

func (f *Directory) readGroup(key string, g group) (judge.Group, judge.ProblemErrors) {
	made := judge.Group{Name: g.Name, Description: g.Description}
	var faults judge.ProblemErrors
	if fault := f.readStore(key, g); fault != nil {
		faults = append(faults, fault)
	}
	byHand, bad := readCases(filepath.Join(f.Dir, "cases", g.Name), g.Name)
	made.Cases = append(made.Cases, byHand...)
	faults = append(faults, bad...)

	names := map[string]string{} // source of each case name
	for _, c := range byHand {
		names[c.Name] = "file " + c.In
	}
	for i, pattern := range g.Cases {
		at := fmt.Sprintf("%s.cases[%d]", key, i)
		if f.Generator == nil && !Derived(pattern) {
			break // ungenerated, or the reader of the [generator] table, has reported it
		}
		if f.Generator == nil && f.FormatPath() == "" {
			faults = append(faults, f.Fault(
				at, "the problem has a line that is made from the input format, but no "+FormatFile,
				"declare the input in "+filepath.Join(f.Dir, FormatFile),
			))
			break
		}
		lines, err := Expand(pattern)
		if err != nil {
			faults = append(faults, f.Fault(at, err.Error(), `"random --max 99 --seed {1..20}" makes twenty cases`))
			continue
		}
		for _, line := range lines {
			name := CaseName(line)
			if before, twice := names[name]; twice {
				faults = append(faults, f.Fault(
					at, fmt.Sprintf("the line %q makes case %q, as does %s", line, name, before),
					"remove one of them, or add an argument such as --seed 2",
				))
				continue
			}
			names[name] = fmt.Sprintf("line %q", line)
			base := filepath.Join(f.Tests, g.Name, name)
			c := judge.Case{Group: g.Name, Name: name, In: base + ".in", Ans: base + ".ans", Line: line}
			f.at[c.ID()] = at
			made.Cases = append(made.Cases, c)
		}
	}
	return made, faults
}

// readCases lists the cases in a directory, by name.
func readCases(dir, group string) (cases []judge.Case, faults judge.ProblemErrors) {
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, judge.ProblemErrors{{File: dir, Text: Reason(err)}}
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		name, isInput := strings.CutSuffix(e.Name(), ".in")
		switch {
		case Leftover(e.Name()):
		case isInput && !goodName().MatchString(name):
			faults = append(
				faults,
				&judge.ProblemError{
					File: path, Text: fmt.Sprintf("%q cannot be the name of a case", name),
					Hint: "use letters, digits, dots, - and _",
				},
			)
		case isInput:
			base := filepath.Join(dir, name)
			cases = append(cases, judge.Case{Group: group, Name: name, In: base + ".in", Ans: base + ".ans"})
		}
	}
	return cases, faults
}

// Ungenerated returns the cases of generator lines whose files are missing.
func (f *Directory) Ungenerated() (missing []*judge.Case) {
	for g := range f.Groups {
		for i := range f.Groups[g].Cases {
			c := &f.Groups[g].Cases[i]
			if c.Line == "" {
				continue
			}
			for _, path := range []string{c.In, c.Ans} {
				if _, err := os.Stat(path); err != nil {
					missing = append(missing, c)
					break
				}
			}
		}
	}
	return missing
}

// NotGenerated returns the fault for cases that have not been generated. It returns nil if cases is empty.
func (f *Directory) NotGenerated(cases []*judge.Case) *judge.ProblemError {
	if len(cases) == 0 {
		return nil
	}
	some := "1 case is"
	if n := len(cases); n > 1 {
		some = fmt.Sprintf("%d cases are", n)
	}
	return f.CaseFault(cases[0], fmt.Sprintf("%s not generated yet: judge generate %s", some, f.ID), "")
}

// subfolders lists the directories in dir by name. It omits hidden ones, which interrupted commands may have left.
// If dir is missing, the list is empty.
func subfolders(dir string) (names []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !Leftover(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}
