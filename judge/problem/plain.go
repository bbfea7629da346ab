package problem

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/internal/pattern"
)

// outputs lists the extensions of the answer for an input <name>.in.
var outputs = []string{".ans", ".out", ".a"}

// inputNames lists patterns of input names other than <name>.in, with the names of the corresponding answers.
var inputNames = []struct {
	in  *regexp.Regexp
	ans string
}{
	{regexp.MustCompile(`^(.*)input(.*)\.txt$`), "${1}output${2}.txt"},
	{regexp.MustCompile(`^(.+)\.in\.txt$`), "${1}.out.txt"},
	{regexp.MustCompile(`^in(\d+)(?:\.txt)?$`), "out${1}"},
}

// IsPlain reports whether dir, or one of its subdirectories, contains inputs with answers: a.in with a.ans, a.out
// or a.a.
func IsPlain(dir string) bool {
	if len(plainCases(dir, "")) > 0 {
		return true
	}
	return slices.ContainsFunc(subfolders(dir), func(name string) bool { return len(plainCases(filepath.Join(dir, name), name)) > 0 })
}

// plainCases lists the inputs of a directory that have an answer, ordered by name, with numbers by value.
func plainCases(dir, group string) (cases []judge.Case) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // the caller finds no cases
	}
	have := map[string]bool{}
	for _, e := range entries {
		have[e.Name()] = !e.IsDir()
	}
	for _, e := range entries {
		name, ans := answerOf(e.Name(), have)
		if ans == "" || e.IsDir() || Leftover(e.Name()) {
			continue
		}
		cases = append(cases, judge.Case{Group: group, Name: name, In: filepath.Join(dir, e.Name()), Ans: filepath.Join(dir, ans)})
	}
	slices.SortStableFunc(cases, func(a, b judge.Case) int { return compareNames(a.Name, b.Name) })
	return cases
}

// answerOf returns the case name and the answer file for an input file. The name is empty if file is not an input
// or has no answer.
func answerOf(file string, have map[string]bool) (name, ans string) {
	if name, isInput := strings.CutSuffix(file, ".in"); isInput && name != "" {
		for _, ext := range outputs {
			if have[name+ext] {
				return name, name + ext
			}
		}
	}
	for _, row := range inputNames {
		if !row.in.MatchString(file) {
			continue
		}
		for _, ans := range []string{row.in.ReplaceAllString(file, row.ans), row.in.ReplaceAllString(file, row.ans) + ".txt"} {
			if have[ans] && ans != file {
				return strings.TrimSuffix(file, ".txt"), ans
			}
		}
	}
	return "", ""
}

var digits = pattern.New(`\d+|\D+`)

// compareNames orders names with numbers by value: 2 before 10.
func compareNames(a, b string) int {
	x, y := digits().FindAllString(a, -1), digits().FindAllString(b, -1)
	for i := range min(len(x), len(y)) {
		if x[i] == y[i] {
			continue
		}
		if isNumber(x[i]) && isNumber(y[i]) {
			if p, q := strings.TrimLeft(x[i], "0"), strings.TrimLeft(y[i], "0"); p != q {
				return lengthFirst(p, q)
			}
		}
		return strings.Compare(x[i], y[i])
	}
	return len(x) - len(y)
}

func isNumber(s string) bool { return s[0] >= '0' && s[0] <= '9' }

func lengthFirst(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// openPlain reads a directory of inputs and answers as a problem whose outputs are compared token by token. Cases
// in the directory itself are samples if their names contain "sample".
func openPlain(formats *Formats, dir string, usual judge.Limits) (*Directory, judge.ProblemErrors) {
	p := &judge.Problem{ID: ID(dir), Title: ID(dir), Dir: dir, Limits: usual, Checker: judge.CheckerSpec{
		Name: "tokens", Args: []string{"case_sensitive"},
	}}
	if p.Limits.Wall == 0 && p.Limits.CPU != 0 {
		p.Limits.Wall = wallFor(p.Limits.CPU)
	}
	var samples, others judge.Group
	samples.Name, others.Name = Sample, "cases"
	for _, c := range plainCases(dir, "") {
		to := &others
		if strings.Contains(strings.ToLower(c.Name), "sample") {
			to = &samples
		}
		c.Group = to.Name
		to.Cases = append(to.Cases, c)
	}
	p.Groups = []judge.Group{samples}
	for _, name := range subfolders(dir) {
		if cases := plainCases(filepath.Join(dir, name), name); len(cases) > 0 && name == Sample {
			p.Groups[0].Cases = append(p.Groups[0].Cases, cases...)
		} else if len(cases) > 0 && name != others.Name {
			p.Groups = append(p.Groups, judge.Group{Name: name, Cases: cases})
		} else {
			others.Cases = append(others.Cases, cases...)
		}
	}
	p.Groups = slices.DeleteFunc(append(p.Groups, others), func(g judge.Group) bool { return len(g.Cases) == 0 })
	for _, g := range p.Groups {
		for _, c := range g.Cases { // the limit must allow the answer, whatever the default is
			if info, err := os.Stat(c.Ans); err == nil {
				p.Limits.Output = max(p.Limits.Output, 2*info.Size())
			}
		}
	}
	pkg, err := formats.Assemble(p)
	if err != nil {
		return nil, judge.ProblemErrors{{File: dir, Text: Reason(err)}}
	}
	pkg.Assumed = fmt.Sprintf("no %s: %s, %d MiB, outputs are compared by tokens", File, shortTime(p.Limits.CPU), p.Limits.Memory>>20)
	return &Directory{Problem: p, Tests: dir, Package: pkg, at: map[string]string{}}, nil
}

// shortTime formats a time limit: 1 s, 0.5 s.
func shortTime(d time.Duration) string { return fmt.Sprintf("%g s", d.Seconds()) }
