// Package polygon reads problem packages of Codeforces' Polygon: directories with a problem.xml. Open returns an
// icpc.Package, so the rest of the judge treats them like packages in the ICPC format.
//
// There are three kinds of packages. A standard package contains only the tests written by hand, and commands for
// the others. Linux and Windows packages contain all tests, with different line ends. If tests or answers are
// missing, Lacks returns true, and Recipe describes how package fill makes them.
//
//	polygon.go    Open, limits and programs
//	xml.go        problem.xml as structs
//	tests.go      cases, groups and points
//	recipe.go     how tests are made
//	statement.go  statements
//	languages.go  names of languages
//
// The package does not run programs.
package polygon

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/packages/icpc"
	"assay/judge/problem"
)

// File is the name of the file that identifies a directory as a Polygon package.
const File = "problem.xml"

// IsPackage reports whether dir is a Polygon package.
func IsPackage(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, File))
	return err == nil && info.Mode().IsRegular()
}

// A reader reads a package.
type reader struct {
	dir string
	doc *document
	set *testset
	pkg *icpc.Package
}

// newReader reads problem.xml, and selects the testset to use.
func newReader(dir string) (*reader, *judge.ProblemError) {
	doc, fault := readDocument(filepath.Join(dir, File))
	if fault != nil {
		return nil, fault
	}
	r := &reader{dir: dir, doc: doc}
	for i := range doc.Judging.Testsets {
		if s := &doc.Judging.Testsets[i]; r.set == nil || s.Name == "tests" {
			r.set = s
		}
	}
	if r.set == nil {
		return nil, r.fault("the package has no tests", "it needs a testset")
	}
	return r, nil
}

func (r *reader) fault(text, hint string) *judge.ProblemError {
	return &judge.ProblemError{File: filepath.Join(r.dir, File), Text: text, Hint: hint}
}

func (r *reader) warn(text, hint string) {
	r.pkg.Warnings = append(r.pkg.Warnings, r.fault(text, hint))
}

// pathOf returns the path of a file that problem.xml names. It returns "" if the file does not exist.
func (r *reader) pathOf(name string) string {
	name = local(name)
	if name == "" {
		return ""
	}
	full := filepath.Join(r.dir, name)
	if info, err := os.Stat(full); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return full
}

// Open reads the package in a directory. If it returns faults, submissions cannot be judged.
func Open(dir string, defaults judge.Limits) (*icpc.Package, judge.ProblemErrors) {
	r, fault := newReader(dir)
	if fault != nil {
		return nil, judge.ProblemErrors{fault}
	}
	p := &judge.Problem{ID: problem.ID(dir), Dir: dir, Source: r.doc.URL, Limits: r.limits(defaults), Passes: 1}
	for _, n := range r.doc.Names {
		if p.Title == "" || n.Language == "english" {
			p.Title = n.Value
		}
	}
	pkg, err := icpc.FromProblem(p)
	if err != nil {
		return nil, judge.ProblemErrors{{File: dir, Text: problem.Reason(err)}}
	}
	r.pkg = pkg
	pkg.File = File
	faults := r.kind()
	faults = append(faults, r.checker()...)
	faults = append(faults, r.checkReruns()...)
	r.validators()
	faults = append(faults, r.tests()...)
	r.validatorTests()
	r.solutions()
	r.statements()
	return pkg, faults
}

func (r *reader) limits(defaults judge.Limits) judge.Limits {
	l := defaults
	if r.set.TimeMS > 0 {
		l.CPU = time.Duration(r.set.TimeMS) * time.Millisecond
		l.Wall = 2*l.CPU + time.Second
	}
	if r.set.MemoryBytes > 0 {
		l.Memory = r.set.MemoryBytes
	}
	return l
}

// fileNames returns the names of the files that submissions read and write. An empty name means standard input or
// output.
func (r *reader) fileNames() (in, out string) {
	in, out = r.doc.Judging.InputFile, r.doc.Judging.OutputFile
	if in == "stdin" {
		in = ""
	}
	if out == "stdout" {
		out = ""
	}
	return in, out
}

// kind determines how submissions run. It returns faults for problems that cannot be judged.
func (r *reader) kind() (faults judge.ProblemErrors) {
	p := r.pkg.Problem
	p.InFile, p.OutFile = r.fileNames()
	for _, name := range []string{p.InFile, p.OutFile} {
		if name != "" && (name != filepath.Base(name) || name == "..") {
			faults = append(
				faults,
				r.fault(
					fmt.Sprintf("%q cannot be the name of a file of a submission", name),
					"it is in the working directory, such as input.txt",
				),
			)
		}
	}
	if p.InFile+p.OutFile != "" && r.doc.Assets.Interactor != nil {
		faults = append(
			faults,
			r.fault("submissions talk to an interactor and also read or write files", "leave input-file and output-file empty"),
		)
	}
	return append(faults, r.reruns()...)
}

// maxRuns is the maximum number of runs on a test. Polygon supports two.
const maxRuns = 10

// reruns reads how often a submission runs on a test, and in which runs it talks to the interactor. If the package
// does not list these runs, the submission interacts only in the first run.
func (r *reader) reruns() (faults judge.ProblemErrors) {
	n := r.doc.Judging.RunCount
	switch {
	case n <= 1:
		return nil
	case n > maxRuns:
		return judge.ProblemErrors{
			r.fault(fmt.Sprintf("submissions run %d times on each test", n), fmt.Sprintf("at most %d runs are supported", maxRuns)),
		}
	}
	p := r.pkg.Problem
	p.Reruns, p.Kind.MultiPass, p.Passes = make([]bool, n), true, n
	if i := r.doc.Assets.Interactor; i != nil {
		p.Reruns[0] = len(i.Runs) == 0
		for _, run := range i.Runs {
			if run < 1 || run > n {
				faults = append(faults, r.fault(fmt.Sprintf("the interactor is for run %d of %d", run, n), "its runs are numbered from 1"))
				continue
			}
			p.Reruns[run-1] = true
		}
	}
	if p.InFile+p.OutFile != "" {
		faults = append(
			faults,
			r.fault("submissions run several times on each test and also read or write files", "leave input-file and output-file empty"),
		)
	}
	return faults
}

// checkReruns returns a fault if nothing makes the input of a later run. After a run with the interactor, the
// interactor makes the input of the next run. After a run without the interactor, only the package's own checker
// can make it.
func (r *reader) checkReruns() judge.ProblemErrors {
	runs := r.pkg.Reruns
	if len(runs) > 1 && slices.Contains(runs[:len(runs)-1], false) && r.pkg.Checker.Program == nil {
		return judge.ProblemErrors{r.fault(
			"submissions run several times on each test, and nothing makes the input of the later runs",
			"add an interactor or a checker that makes it",
		)}
	}
	return nil
}

// standard contains the standard checkers of Polygon, which are also built into the judge.
var standard = map[string]bool{
	"acmp": true, "dcmp": true, "fcmp": true, "hcmp": true, "icmp": true, "lcmp": true, "ncmp": true, "nyesno": true, "rcmp": true,
	"rcmp4": true, "rcmp6": true, "rcmp9": true, "rncmp": true, "uncmp": true, "wcmp": true, "yesno": true,
}

func (r *reader) checker() (faults judge.ProblemErrors) {
	if i := r.doc.Assets.Interactor; i != nil {
		r.pkg.Kind.Interactive = true
		if r.pkg.Interactor = r.program(i.Source); r.pkg.Interactor == nil {
			faults = append(faults, r.fault(fmt.Sprintf("there is no interactor %s", i.Source.Path), ""))
		}
	}
	c := r.doc.Assets.Checker
	if c == nil {
		if r.pkg.Interactor == nil {
			r.warn("the package names no checker; words are compared", "name one, such as std::wcmp.cpp")
			r.pkg.Checker = judge.CheckerSpec{Name: "polygon", Args: []string{"wcmp"}}
		}
		return faults
	}
	if name, ok := strings.CutPrefix(c.Name, "std::"); ok {
		if name = strings.TrimSuffix(name, path.Ext(name)); standard[name] {
			r.pkg.Checker = judge.CheckerSpec{Name: "polygon", Args: []string{name}}
			return faults
		}
	}
	part := r.program(c.Source)
	if part == nil {
		return append(
			faults,
			r.fault(fmt.Sprintf("there is no checker %s", c.Source.Path), "the package has lost a file; generate it again in Polygon"),
		)
	}
	r.pkg.Checker = judge.CheckerSpec{Program: part}
	return faults
}

// program returns a program that uses testlib. It returns nil if the source does not exist.
func (r *reader) program(s source) *judge.SetterProgram {
	if full := r.pathOf(s.Path); full != "" {
		return &judge.SetterProgram{Path: full, Protocol: "testlib"}
	}
	return nil
}

func (r *reader) validators() {
	for _, v := range r.doc.Assets.Validators {
		part := r.program(v.Source)
		if part == nil {
			r.warn(fmt.Sprintf("there is no validator %s", v.Source.Path), "")
			continue
		}
		name := path.Base(filepath.ToSlash(part.Path))
		r.pkg.Inputs = append(r.pkg.Inputs, &problem.InputValidator{SetterProgram: *part, Name: strings.TrimSuffix(name, path.Ext(name))})
		if r.pkg.Validator == nil {
			r.pkg.Validator = part
		}
	}
}

// expectedVerdicts maps tags to expected verdicts. The submission, or one of its cases, must get one of these.
var expectedVerdicts = map[string][]judge.Verdict{
	"wrong-answer":                                 {judge.WrongAnswer},
	"presentation-error":                           {judge.WrongAnswer},
	"time-limit-exceeded":                          {judge.TimeLimit},
	"memory-limit-exceeded":                        {judge.MemoryLimit}, // a run-time error counts as one
	"time-limit-exceeded-or-memory-limit-exceeded": {judge.TimeLimit, judge.MemoryLimit, judge.RunTimeError},
	"runtime-error":                                {judge.RunTimeError},
	"rejected":                                     {judge.WrongAnswer, judge.TimeLimit, judge.RunTimeError, judge.MemoryLimit},
	"failed":                                       {judge.WrongAnswer, judge.TimeLimit, judge.RunTimeError, judge.MemoryLimit},
}

// rules returns the expected verdicts of a submission with a tag. If known is false, the tag is unknown.
func rules(tag string) (rule problem.Rule, known bool) {
	rule.From = File + ": " + tag
	switch tag {
	case "main", "accepted":
		rule.Permitted = []judge.Verdict{judge.Accepted}
		rule.Bound = problem.Lower
	case "time-limit-exceeded-or-accepted":
		rule.Permitted = []judge.Verdict{judge.Accepted, judge.TimeLimit}
	default:
		verdicts, ok := expectedVerdicts[tag]
		rule.Final, rule.Required = verdicts, verdicts
		return rule, ok
	}
	return rule, true
}

// doNotRun is the tag of sources that are not submissions.
const doNotRun = "do-not-run"

func (r *reader) solutions() {
	for _, s := range r.doc.Assets.Solutions {
		full := r.pathOf(s.Source.Path)
		switch {
		case s.Tag == doNotRun:
			continue
		case full == "":
			r.warn(fmt.Sprintf("there is no solution %s", s.Source.Path), "")
			continue
		}
		sub := &problem.Submission{
			Path: full, Name: s.Tag + "/" + path.Base(filepath.ToSlash(full)), Language: language(s.Source),
			Model: s.Tag == "main",
		}
		if rule, known := rules(s.Tag); known {
			sub.Rules = []problem.Rule{rule}
		} else {
			r.warn(fmt.Sprintf("the tag %q of solution %s is unknown", s.Tag, s.Source.Path), "")
		}
		r.pkg.Submissions = append(r.pkg.Submissions, sub)
	}
}

// language returns the language of a source if the file name does not determine it, because Python 2 and Python 3
// have the same extension. Otherwise, it returns an empty string.
func language(s source) string {
	if strings.HasPrefix(s.Type, "python.2") || s.Type == "python.pypy2" {
		return "python2"
	}
	return ""
}
