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

// goodName is what groups may be called; cases too, but for those made from lines.
var goodName = pattern.New(`^[a-zA-Z0-9][a-zA-Z0-9_.-]*$`)

// GoodName says whether a group, or a case written by hand, may be called so.
func GoodName(name string) bool { return goodName().MatchString(name) }

// readGroups makes the groups: sample, then those of problem.toml in their order,
// then folders of cases/ that problem.toml does not name. In a group the cases
// written by hand come first, by name, then those of the lines.
func (f *Folder) readGroups(t *table) (faults judge.Faults) {
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
		// An empty folder is not a group: neither git nor a bundle keeps one.
		if entries, err := os.ReadDir(filepath.Join(cases, name)); !known[name] && (err != nil || len(entries) > 0) {
			tables = append(tables, group{Name: name})
		}
	}
	seen := map[string]bool{}
	for i, g := range tables {
		key := fmt.Sprintf("group[%d]", i)
		if !goodName().MatchString(g.Name) {
			faults = append(faults, f.Fault(key+".name", fmt.Sprintf("%q cannot be the name of a group", g.Name), "letters, digits, - _ and . will do"))
			continue
		}
		if seen[g.Name] {
			faults = append(faults, f.Fault(key+".name", fmt.Sprintf("two groups are called %q", g.Name), "put their cases into one"))
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

func (f *Folder) readGroup(key string, g group) (judge.Group, judge.Faults) {
	made := judge.Group{Name: g.Name, Description: g.Description}
	var faults judge.Faults
	if fault := f.readStore(key, g); fault != nil {
		faults = append(faults, fault)
	}
	byHand, bad := readCases(filepath.Join(f.Dir, "cases", g.Name), g.Name)
	made.Cases = append(made.Cases, byHand...)
	faults = append(faults, bad...)

	names := map[string]string{} // case name -> where it comes from
	for _, c := range byHand {
		names[c.Name] = "file " + c.In
	}
	for i, pattern := range g.Cases {
		at := fmt.Sprintf("%s.cases[%d]", key, i)
		if f.Generator == nil && !Derived(pattern) {
			faults = append(faults, f.Fault(at, "a generator line, but the problem has no generator", `add: [generator] program = "generator"`))
			break
		}
		if f.Generator == nil && f.FormatPath() == "" {
			faults = append(faults, f.Fault(at, "a line that is made from the input format, but the problem has no "+FormatFile, "declare the input in "+filepath.Join(f.Dir, FormatFile)))
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
				faults = append(faults, f.Fault(at, fmt.Sprintf("the line %q makes case %q again, after %s", line, name, before), "remove one, or give it another argument such as --seed 2"))
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

// readCases lists the cases that stand in a folder, by name.
func readCases(dir, group string) (cases []judge.Case, faults judge.Faults) {
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, judge.Faults{{File: dir, Text: Reason(err)}}
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		name, isInput := strings.CutSuffix(e.Name(), ".in")
		switch {
		case Leftover(e.Name()):
		case isInput && !goodName().MatchString(name):
			faults = append(faults, &judge.Fault{File: path, Text: fmt.Sprintf("%q cannot be the name of a case", name), Hint: "letters, digits, - _ and . will do"})
		case isInput:
			base := filepath.Join(dir, name)
			cases = append(cases, judge.Case{Group: group, Name: name, In: base + ".in", Ans: base + ".ans"})
		}
	}
	return cases, faults
}

// Ungenerated returns the cases of generator lines whose files are not there.
func (f *Folder) Ungenerated() (missing []*judge.Case) {
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

// NotGenerated is the fault of cases that are not generated yet; nil where there are
// none.
func (f *Folder) NotGenerated(cases []*judge.Case) *judge.Fault {
	if len(cases) == 0 {
		return nil
	}
	some := "1 case is"
	if n := len(cases); n > 1 {
		some = fmt.Sprintf("%d cases are", n)
	}
	return f.CaseFault(cases[0], fmt.Sprintf("%s not generated yet: judge generate %s", some, f.ID), "")
}

// subfolders lists the folders in dir by name, without hidden ones: some are what an
// interrupted command has left. A missing dir has none.
func subfolders(dir string) (names []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !Leftover(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}
