package exchange

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/internal/pattern"
	"assay/judge/packages/icpc"
	"assay/judge/problem"
)

// exporter writes a problem directory as a package.
type exporter struct {
	from        *problem.Directory
	solutions   string
	options     ExportOptions
	legacy      bool   // whether the format is the legacy one
	formatName  string // of a format with statements in LaTeX, in faults
	dir         string
	notes       Notes
	flags       []string // flags of the output validator, for all cases
	input       []string // arguments of the input validator, for all cases
	flagsShared bool     // whether flags include the cases' arguments, because all cases have the same
	inputShared bool     // whether input includes the cases' arguments
	model       string   // path of the reference solution in the package; empty if absent
	recipe      recipe
}

// ExportOptions contains what an export needs in addition to the directory. Only the kit is required.
type ExportOptions struct {
	Kit           fs.FS                                                  // the sources of the kit, for programs that use it
	TeX           func(w io.Writer, title string, markdown []byte) error // writes a statement in LaTeX, for the legacy format and Polygon
	PDF           func(svg []byte) ([]byte, error)                       // converts an SVG picture to PDF; may return a *judge.ProblemError
	Header        func(name string) ([]byte, bool)                       // finds headers such as testlib.h in the setter's directories
	Seed          func(group string, c *judge.Case) string               // returns the seed for a case of a generator line
	KnowsLanguage func(path string) bool                                 // reports whether the language of a program is known
}

// Formats maps names to the formats that ICPC can write.
var Formats = map[string]icpc.Format{"icpc-2025-09": icpc.Format2025, "icpc-legacy": icpc.Legacy}

// ICPC writes a problem directory, with the solutions in their own directory, as the package dir. All cases
// must have been generated.
func ICPC(from *problem.Directory, solutions, dir string, format icpc.Format, options ExportOptions) (Notes, error) {
	e := &exporter{from: from, solutions: solutions, options: options, legacy: format == icpc.Legacy, formatName: "the legacy format"}
	if from.Package != nil {
		return nil, notADirectory(from)
	}
	if err := e.checkSupported(); err != nil {
		return nil, err
	}
	err := createAtomically(func(dirs []string) error {
		e.dir = dirs[0]
		for _, step := range []func() error{e.checker, e.validator, e.include, e.data, e.submissions, e.generators, e.statements, e.metadata} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	}, dir)
	return e.notes, err
}

// notADirectory returns the fault for a package, which must be imported before it is exported.
func notADirectory(from *problem.Directory) error {
	return &judge.ProblemError{
		File: from.Dir, Text: "the directory is a package of another format",
		Hint: "first: judge import " + from.Dir,
	}
}

func (e *exporter) fault(key, text, hint string) error {
	return e.from.Fault(key, "cannot be exported: "+text, hint)
}

func (e *exporter) checkSupported() error {
	f := e.from
	if fault := f.NotGenerated(f.Ungenerated()); fault != nil {
		return fault
	}
	switch {
	case f.OnlyGame():
		return e.fault("game", "it is only a game, which the format does not have", "export problems with cases")
	case f.CaseCount() == 0:
		return e.fault("group", "the problem has no cases", "a package needs one at least")
	case f.Static != nil && e.legacy:
		return e.fault("static", "the legacy format has no static validators", "export the problem to icpc-2025-09")
	case f.Kind.MultiPass && e.legacy:
		return e.fault("kind", "the legacy format has no problems of several passes", "export the problem to icpc-2025-09")
	case f.Kind.OutputOnly && e.legacy:
		return e.fault("kind", "the legacy format has no problems whose submissions are outputs", "export the problem to icpc-2025-09")
	case f.Interactor != nil && f.Interactor.Protocol == "testlib" && f.Checker.Name != "":
		return e.fault(
			"checker",
			fmt.Sprintf("the checker %s judges what the interactor leaves, which an output validator has to do itself", f.Checker.Name),
			"write the checker as a program, with testlib",
		)
	}
	if f.Kind.OutputOnly {
		if err := e.checkCaseNames(); err != nil {
			return err
		}
	}
	return e.checkLegacyFeatures()
}

// scored reports whether the problem gives points.
func (e *exporter) scored() bool { return e.from.Grading != nil && e.from.Grading.Scored }

// yamlText quotes a string: JSON strings are also YAML.
func yamlText(s string) string { return tomlString(s) }

func (e *exporter) metadata() error {
	f := e.from
	var b strings.Builder
	l := f.Limits
	if e.legacy {
		fmt.Fprintf(&b, "problem_format_version: legacy\nname: %s\n", yamlText(f.Title))
		e.writeMetadata(&b)
		fmt.Fprintf(&b, "validation: %s\n", e.validation())
		if e.scored() {
			b.WriteString("type: scoring\n")
		}
		if len(e.flags) > 0 {
			fmt.Fprintf(&b, "validator_flags: %s\n", yamlText(strings.Join(e.flags, " ")))
		}
	} else {
		b.WriteString("problem_format_version: 2025-09\n")
		e.names(&b)
		e.writeMetadata(&b)
		fmt.Fprintf(&b, "type: [%s]\n", strings.Join(e.types(), ", "))
		fmt.Fprintf(&b, "allow_file_writing: %v\n", !f.NoFiles)
	}
	b.WriteString("limits:\n")
	if !e.legacy {
		fmt.Fprintf(&b, "  time_limit: %s\n", number(l.CPU.Seconds()))
		if l.CPU%time.Second != 0 {
			b.WriteString("  time_resolution: 0.001\n")
		}
		if f.Kind.MultiPass {
			fmt.Fprintf(&b, "  validation_passes: %d\n", max(f.Passes, judge.DefaultPasses))
		}
	}
	for _, row := range []struct {
		key   string
		bytes int64
		unit  int64
	}{{"memory", l.Memory, 1 << 20}, {"output", l.Output, 1 << 20}, {"code", f.CodeLimit, 1 << 10}} {
		if row.bytes > 0 {
			fmt.Fprintf(&b, "  %s: %d\n", row.key, (row.bytes+row.unit-1)/row.unit)
			if row.bytes%row.unit != 0 {
				e.notes.add("the %s limit is rounded up: packages count it in units of %d bytes", row.key, row.unit)
			}
		}
	}
	if e.legacy {
		if err := write(filepath.Join(e.dir, ".timelimit"), []byte(number(l.CPU.Seconds())+"\n"), 0o644); err != nil {
			return err
		}
	}
	return write(filepath.Join(e.dir, icpc.File), []byte(b.String()), 0o644)
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func (e *exporter) types() []string {
	types := []string{"pass-fail"}
	if e.scored() {
		types[0] = "scoring"
	}
	k := e.from.Kind
	for _, row := range []struct {
		word string
		is   bool
	}{{"interactive", k.Interactive}, {"multi-pass", k.MultiPass}, {"submit-answer", k.OutputOnly}} {
		if row.is {
			types = append(types, row.word)
		}
	}
	return types
}

func (e *exporter) validation() string {
	switch {
	case e.from.Kind.Interactive:
		return "custom interactive"
	case e.from.Checker.Program != nil:
		return "custom"
	}
	return "default"
}

// checker writes the output validator, or the flags of the default one.
func (e *exporter) checker() error {
	defer e.shareCheckerArgs()
	f := e.from
	part, as := f.Checker.Program, asOutputValidator
	if f.Kind.Interactive {
		part, as = f.Interactor, asInteractor
	}
	if part != nil {
		dir := "output_validator"
		if e.legacy {
			dir = "output_validators/validator"
		}
		e.flags = part.Args
		if as == asInteractor && part.Protocol == "testlib" {
			return e.testlibInteractor(dir)
		}
		return e.program(part, dir, as)
	}
	if c := f.Checker; c.Name == "polygon" && len(c.Args) == 1 && approximateFlags[c.Args[0]] != nil {
		e.flags = approximateFlags[c.Args[0]]
		e.notes.add(
			"the checker %s becomes the format's output validator with %q, which compares nearly alike",
			c.Args[0], strings.Join(e.flags, " "),
		)
		return nil
	}
	flags, ok := validatorFlags(f.Checker)
	if !ok {
		return e.fault(
			"checker",
			fmt.Sprintf("the checker %s compares in a way that the format's output validator does not", f.Checker.Name),
			"use tokens or floats, or write a program with the kit",
		)
	}
	e.flags = flags
	return nil
}

// approximateFlags maps standard checkers of Polygon to flags of the format's output validator that nearly match them. Other
// tools have used these flags for years.
var approximateFlags = map[string][]string{
	"acmp": {
		"float_absolute_tolerance", "1.5e-6",
	}, "dcmp": {"float_tolerance", "1e-6"}, "fcmp": {"case_sensitive", "space_change_sensitive"},
	"hcmp": {}, "icmp": {}, "lcmp": {"case_sensitive"}, "ncmp": {}, "nyesno": {}, "yesno": {},
	"rcmp": {
		"float_absolute_tolerance", "1.5e-6",
	}, "rcmp4": {"float_tolerance", "1e-4"}, "rcmp6": {"float_tolerance", "1e-6"}, "rcmp9": {"float_tolerance", "1e-9"},
	"rncmp": {"float_absolute_tolerance", "1.5e-5"},
}

// validatorFlags returns the flags with which the format's output validator behaves like a builtin checker.
func validatorFlags(c judge.CheckerSpec) ([]string, bool) {
	switch {
	case c.Name == "tokens":
		return c.Args, true
	case c.Name == "case-insensitive":
		return c.Args, true
	case c.Name == "case-sensitive":
		return append([]string{"case_sensitive"}, c.Args...), true
	case c.Name == "exact":
		return []string{"case_sensitive", "space_change_sensitive"}, true
	case c.Name == "polygon" && slices.Equal(c.Args, []string{"wcmp"}):
		return []string{"case_sensitive"}, true
	case c.Name != "floats":
		return nil, false
	}
	words := map[string]string{"abs": "float_absolute_tolerance", "rel": "float_relative_tolerance"}
	var flags []string
	tolerant := false
	for _, a := range c.Args {
		if words[a] != "" {
			tolerant = true
			a = words[a]
		}
		flags = append(flags, a)
	}
	if !tolerant {
		flags = append(flags, "float_tolerance", "1e-6")
	}
	return flags, true
}

func (e *exporter) validator() error {
	v := e.from.Validator
	if v == nil || v.Protocol == "format" {
		return e.declared()
	}
	defer e.shareInputArgs(v.Args)
	if v.Protocol == judge.Checktestdata {
		return copyFile(v.Path, filepath.Join(e.dir, "input_validators", filepath.Base(v.Path)))
	}
	return e.program(v, "input_validators/validator", asInputValidator)
}

// declared writes the declared input format as a validator for other judges: a checktestdata script if it can
// express the format, and otherwise a Python program.
func (e *exporter) declared() error {
	g, err := e.from.Format()
	if err != nil {
		return err
	}
	if g == nil {
		e.notes.add("there is no input validator in the package: write one, the format wants it")
		return nil
	}
	text, err := os.ReadFile(e.from.FormatPath())
	if err != nil {
		return err
	}
	about := "# " + strings.ReplaceAll(strings.TrimRight(string(text), "\n"), "\n", "\n# ") + "\n"
	if script, ok := g.Checktestdata(); ok {
		return write(filepath.Join(e.dir, "input_validators", "input_format.ctd"), []byte(about+"\n"+script), 0o644)
	}
	return write(filepath.Join(e.dir, "input_validators", "input_format.py"), []byte(g.Python()+"\n# The declaration:\n#\n"+about), 0o755)
}

// verdictDirs maps verdicts to the directories of submissions that get them. The format has four.
var verdictDirs = map[judge.Verdict]string{
	judge.Accepted: "accepted", judge.WrongAnswer: "wrong_answer", judge.RunTimeError: "run_time_error",
	judge.TimeLimit: "time_limit_exceeded", judge.MemoryLimit: "run_time_error", judge.IdlenessLimit: "time_limit_exceeded",
}

func (e *exporter) submissions() error {
	taken := map[string]bool{}
	entries, _ := os.ReadDir(e.solutions) // if there are none, the package has none
	for _, dir := range entries {
		verdict, ok := judge.VerdictOfDir(dir.Name())
		if !ok || !dir.IsDir() {
			continue
		}
		files, err := os.ReadDir(filepath.Join(e.solutions, dir.Name()))
		if err != nil {
			return err
		}
		for _, file := range files {
			switch {
			case strings.HasPrefix(file.Name(), "."):
				continue
			case verdictDirs[verdict] == "":
				e.notes.add("solution %s/%s is left out: the format has no directory for its verdict", dir.Name(), file.Name())
				continue
			}
			ext := path.Ext(file.Name())
			to := unusedName(verdictDirs[verdict]+"/"+strings.TrimSuffix(file.Name(), ext), taken) + ext
			copied := copyTree
			if e.from.Kind.OutputOnly {
				copied = e.outputs
			}
			if err := copied(filepath.Join(e.solutions, dir.Name(), file.Name()), filepath.Join(
				e.dir, "submissions", filepath.FromSlash(to),
			)); err != nil {
				return err
			}
		}
	}
	if err := e.reference(taken); err != nil {
		return err
	}
	if !slices.ContainsFunc(sortedKeys(taken), func(name string) bool { return strings.HasPrefix(name, "accepted/") }) {
		e.notes.add("there is no accepted submission in the package: the format wants one")
	}
	return nil
}

// reference adds the reference solution to the accepted submissions, unless it is already there.
func (e *exporter) reference(taken map[string]bool) error {
	p := e.from.Reference
	if p == nil || e.from.Kind.OutputOnly {
		return nil
	}
	accepted := filepath.Join(e.dir, "submissions", "accepted")
	from := onlyFile(p.Path)
	if name, ok := fileWithContent(accepted, from); ok {
		e.model = name
		return nil
	}
	if why := e.notASubmission(p, from); why != "" {
		e.notes.add("the reference is not among the submissions: %s", why)
		return nil
	}
	ext := path.Ext(filepath.Base(from))
	name := strings.TrimPrefix(unusedName("accepted/reference", taken), "accepted/") + ext
	e.model = name
	return copyTree(from, filepath.Join(accepted, name))
}

// notASubmission returns the reason why the reference solution, whose only file is from, cannot be a submission. It
// returns "" if it can be one.
func (e *exporter) notASubmission(p *judge.SetterProgram, from string) string {
	switch {
	case len(p.Args) > 0:
		return "it has arguments, which submissions do not get"
	case importsKit(from):
		return "it is written with the kit"
	case e.options.KnowsLanguage != nil && !e.options.KnowsLanguage(from):
		return "its language is none of judge.toml"
	}
	return ""
}

// onlyFile returns the only file of a directory, ignoring its tests. It returns path itself if there are several
// files.
func onlyFile(path string) string {
	entries, _ := os.ReadDir(path) // a file has no entries
	only := path
	for _, entry := range entries {
		switch {
		case strings.HasPrefix(entry.Name(), ".") || strings.HasSuffix(entry.Name(), "_test.go"):
		case only != path || !entry.Type().IsRegular():
			return path
		default:
			only = filepath.Join(path, entry.Name())
		}
	}
	return only
}

// fileWithContent returns the name of a file in dir that has the same content as program. It returns false if there is none,
// or if program is a directory.
func fileWithContent(dir, content string) (name string, ok bool) {
	want, err := os.ReadFile(content)
	if err != nil {
		return "", false // a directory; two identical ones are unlikely
	}
	entries, _ := os.ReadDir(dir) // if unreadable, there are no accepted submissions yet
	for _, entry := range entries {
		if got, err := os.ReadFile(filepath.Join(dir, entry.Name())); err == nil && string(got) == string(want) {
			return entry.Name(), true
		}
	}
	return "", false
}

// importsKit reports whether a file of a program uses the kit.
func importsKit(program string) bool {
	found := false
	_ = filepath.WalkDir(program, func(file string, d fs.DirEntry, err error) error { // the copy reports unreadable files
		if err == nil && d.Type().IsRegular() {
			if data, err := os.ReadFile(file); err == nil {
				found = found || kitWord().Match(data)
			}
		}
		return nil
	})
	return found
}

var kitWord = pattern.New(`(?m)"assay/judge/kit|^\s*(import kit\b|from kit\b)|#include "kit\.hpp"`)

func sortedKeys(m map[string]bool) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
