package exchange

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"assay/judge"
)

// polygonTypes maps file extensions to Polygon's names of languages.
var polygonTypes = map[string]string{
	".c": "c.gcc", ".cc": "cpp.gcc13-64-winlibs-g++20", ".cpp": "cpp.gcc13-64-winlibs-g++20", ".cxx": "cpp.gcc13-64-winlibs-g++20",
	".cs": "csharp.mono", ".d": "d", ".go": "go", ".hs": "haskell.ghc", ".java": "java21", ".js": "v8.nodejs", ".kt": "kotlin19",
	".ml": "ocaml", ".pas": "pas.fpc", ".php": "php.5", ".pl": "perl.5", ".py": "python.3", ".rb": "ruby.3", ".rs": "rust.2021",
	".scala": "scala",
}

// headerType is Polygon's name for the type of a header.
const headerType = "h.g++"

// protocolNames maps protocols to what a fault calls them.
var protocolNames = map[string]string{"kit": "the kit's protocol", "kattis": "Kattis' protocol"}

// programs writes the checker, the interactor and the validator.
func (p *polygonExporter) programs() error {
	f := p.from
	if f.Interactor != nil {
		s, err := p.judging(f.Interactor, "interactor")
		if err != nil {
			return err
		}
		p.doc.Interactor = &polygonExecutable{*s}
	}
	args, same := p.same(checkerArgs)
	c := f.Checker
	switch {
	case !same:
		return p.fault("checker", "the checker gets other arguments for each case, which Polygon does not have", notInPolygon)
	case c.Program != nil && len(args) > 0:
		return p.fault("checker", "the checker gets arguments, and Polygon's programs get none", "write them into the checker")
	case c.Program != nil:
		s, err := p.judging(c.Program, "checker")
		if err != nil {
			return err
		}
		p.doc.Checker = &polygonChecker{Type: "testlib", Source: s}
	case c.Name != "":
		name, err := p.standardChecker(c.Name, slices.Concat(c.Args, args))
		if err != nil {
			return err
		}
		p.doc.Checker = &polygonChecker{Name: "std::" + name + ".cpp", Type: "testlib"}
	}
	p.validator()
	return nil
}

// judging writes a checker or an interactor. It returns a fault if Polygon cannot run the program.
func (p *polygonExporter) judging(program *judge.SetterProgram, role string) (*polygonSource, error) {
	s, why := p.testlibProgram(program, role)
	if why != "" {
		return nil, p.fault(role, fmt.Sprintf("the %s %s %s", role, filepath.Base(program.Path), why),
			`write it as one file in C++ with testlib, and: speaks = "testlib"`)
	}
	return s, nil
}

// validator writes the validator if it uses testlib. Otherwise it adds a note, because submissions do not need one.
func (p *polygonExporter) validator() {
	v := p.from.Validator
	switch {
	case v == nil && p.from.FormatPath() == "":
		p.notes.add("there is no validator in the package: Polygon wants one")
	case v == nil || v.Protocol == "format":
		p.notes.add("input.format is left out: Polygon's validators are written in C++ with testlib")
	default:
		s, why := p.testlibProgram(v, "validator")
		if why != "" {
			p.notes.add("the validator %s is left out: it %s: write it in C++ with testlib", filepath.Base(v.Path), why)
			return
		}
		p.doc.Validators = append(p.doc.Validators, polygonExecutable{*s})
	}
}

// testlibProgram writes a program that uses testlib to files/, with its headers. If Polygon cannot run the program,
// why is the reason, as a verb with its object.
func (p *polygonExporter) testlibProgram(program *judge.SetterProgram, role string) (s *polygonSource, why string) {
	switch {
	case protocolNames[program.Protocol] != "":
		return nil, "speaks " + protocolNames[program.Protocol] + ", and Polygon's programs speak testlib's"
	case program.Protocol != "testlib":
		return nil, fmt.Sprintf("is for %q, and Polygon's programs use testlib", program.Protocol)
	case len(program.Args) > 0:
		return nil, "gets arguments, and Polygon's programs get none"
	}
	files, why := programFiles(program.Path)
	if why != "" {
		return nil, why
	}
	main, wantsHeader := "", false
	for _, name := range sortedNames(files) {
		wantsHeader = wantsHeader || bytes.Contains(files[name], []byte("testlib.h"))
		if !slices.Contains(cppExtensions, path.Ext(name)) {
			if !p.addFile(name, files[name]) {
				return nil, fmt.Sprintf("has a file %s with another text than that of another program", name)
			}
			p.addResource(name)
			continue
		}
		if main != "" {
			return nil, "has several sources, and Polygon's programs are one file"
		}
		main = name
	}
	if main == "" {
		return nil, "is not written in C++"
	}
	made := main
	if !p.addFile(made, files[main]) {
		if made = role + path.Ext(main); !p.addFile(made, files[main]) {
			return nil, "has the name of another program of the problem"
		}
	}
	if wantsHeader {
		p.addTestlib()
	}
	s = &polygonSource{"files/" + made, polygonTypes[path.Ext(made)]}
	p.doc.Executables = append(p.doc.Executables, polygonExecutable{*s})
	return s, ""
}

// programFiles reads the files of a program, without tests and hidden files.
func programFiles(program string) (files map[string][]byte, why string) {
	files = map[string][]byte{}
	names := []string{program}
	if entries, err := os.ReadDir(program); err == nil {
		names = nil
		for _, e := range entries {
			switch {
			case strings.HasPrefix(e.Name(), "."):
			case e.IsDir():
				return nil, "has directories, and Polygon's programs are one file with headers"
			default:
				names = append(names, filepath.Join(program, e.Name()))
			}
		}
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, "cannot be read"
		}
		files[filepath.Base(name)] = data
	}
	return files, ""
}

func sortedNames(files map[string][]byte) (names []string) {
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// addFile adds a file to files/. It returns false if there is one with this name and another content.
func (p *polygonExporter) addFile(name string, data []byte) bool {
	if old, ok := p.files[name]; ok {
		return bytes.Equal(old, data)
	}
	p.files[name] = data
	return true
}

func (p *polygonExporter) addResource(name string) {
	if s := (polygonSource{"files/" + name, headerType}); !slices.Contains(p.doc.Resources, s) {
		p.doc.Resources = append(p.doc.Resources, s)
	}
}

// addTestlib adds testlib.h for a program that comes without the header.
func (p *polygonExporter) addTestlib() {
	const name = "testlib.h"
	if p.files[name] != nil {
		return
	}
	if p.options.Header != nil {
		if data, ok := p.options.Header(name); ok {
			p.files[name] = data
			p.addResource(name)
			return
		}
	}
	const note = "testlib.h is not in the package: it is neither beside the programs nor in the headers of judge.toml"
	if !slices.Contains(p.notes, note) {
		p.notes.add(note)
	}
}

// A comparison is what a built-in checker with its options compares.
type comparison struct {
	caseSensitive bool
	space         bool    // white space matters
	abs, rel      float64 // tolerances; zero if words are compared
}

// comparisonOf reads the options of a built-in checker. It returns false for a checker that does not compare words.
func comparisonOf(name string, args []string) (c comparison, ok bool) {
	switch name {
	case "tokens", "case-insensitive":
	case "case-sensitive":
		c.caseSensitive = true
	case "floats":
		if !slices.Contains(args, "abs") && !slices.Contains(args, "rel") {
			c.abs, c.rel = 1e-6, 1e-6
		}
	default:
		return c, false
	}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch arg {
		case "case_sensitive":
			c.caseSensitive = true
			continue
		case "space_change_sensitive":
			c.space = true
			continue
		}
		if i++; i == len(args) {
			return c, false
		}
		epsilon, err := strconv.ParseFloat(args[i], 64)
		if err != nil {
			return c, false
		}
		switch arg {
		case "float_tolerance":
			c.abs, c.rel = epsilon, epsilon
		case "abs", "float_absolute_tolerance":
			c.abs = epsilon
		case "rel", "float_relative_tolerance":
			c.rel = epsilon
		default:
			return c, false
		}
	}
	return c, true
}

// standardChecker returns the name of Polygon's standard checker that compares like a built-in checker. Whether there
// is one can depend on the answers: for answers without letters, upper and lower case do not matter.
func (p *polygonExporter) standardChecker(name string, args []string) (string, error) {
	near := func(standard, differs string) (string, error) {
		p.notes.add("the checker %s becomes std::%s.cpp, which compares nearly alike: %s", name, standard, differs)
		return standard, nil
	}
	refuse := func(text, hint string) (string, error) {
		return "", p.fault("checker", fmt.Sprintf("the checker %s %s", name, text), hint)
	}
	switch name {
	case "polygon":
		if len(args) == 0 {
			return "wcmp", nil
		}
		return args[0], nil
	case "exact":
		return near("fcmp", "there the line end after the last line does not matter")
	case "lines":
		return near("lcmp", "there blanks between words do not matter")
	}
	const own = "write a checker in C++ with testlib"
	c, ok := comparisonOf(name, args)
	switch {
	case !ok || c.space:
		return refuse("compares in a way that no standard checker of Polygon does", own)
	case c.abs != 0 || c.rel != 0:
		standard := map[float64]string{1e-4: "rcmp4", 1e-6: "rcmp6", 1e-9: "rcmp9"}[c.abs]
		if c.abs != c.rel || standard == "" {
			return refuse("has a tolerance that no standard checker of Polygon has", "use 1e-4, 1e-6 or 1e-9 for both errors, or "+own)
		}
		if word := p.otherAnswer(isDecimal); word != "" {
			return refuse(fmt.Sprintf("compares words too, such as %.20q, and those of Polygon only numbers", word), own)
		}
		return near(standard, "there numbers in other forms than 1.5, such as 1e5, are wrong")
	case c.caseSensitive || p.otherAnswer(func(word string) bool { return !hasLetter(word) }) == "":
		return "wcmp", nil
	case p.otherAnswer(func(word string) bool { return strings.EqualFold(word, "yes") || strings.EqualFold(word, "no") }) == "":
		return "nyesno", nil
	}
	return refuse("ignores upper and lower case, which no standard checker of Polygon does", `write: args = ["case_sensitive"], or `+own)
}

// otherAnswer returns the first word of an answer for which is returns false, or "" if there is none.
func (p *polygonExporter) otherAnswer(is func(word string) bool) string {
	for _, g := range p.from.Groups {
		for _, c := range g.Cases {
			data, _ := os.ReadFile(c.Ans) // p.tests reports the error
			for word := range bytes.FieldsSeq(data) {
				if !is(string(word)) {
					return string(word)
				}
			}
		}
	}
	return ""
}

// isDecimal reports whether testlib can read a word as a number.
func isDecimal(word string) bool {
	_, err := strconv.ParseFloat(word, 64)
	return err == nil && strings.Trim(word, "-.0123456789") == ""
}

func hasLetter(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
}

// polygonTags maps verdicts to the tags of solutions that get them.
var polygonTags = map[judge.Verdict]string{
	judge.Accepted: "accepted", judge.WrongAnswer: "wrong-answer", judge.RunTimeError: "runtime-error",
	judge.TimeLimit: "time-limit-exceeded", judge.IdlenessLimit: "time-limit-exceeded",
	judge.MemoryLimit: "memory-limit-exceeded", judge.OutputLimit: "rejected",
}

// submissions writes the solutions. The reference, or else the first accepted one, is the main solution.
func (p *polygonExporter) submissions() error {
	taken := map[string]bool{}
	entries, _ := os.ReadDir(p.solutions) // if there are none, the package has none
	for _, dir := range entries {
		verdict, ok := judge.VerdictOfDir(dir.Name())
		if !ok || !dir.IsDir() {
			continue
		}
		files, err := os.ReadDir(filepath.Join(p.solutions, dir.Name()))
		if err != nil {
			return err
		}
		for _, file := range files {
			if strings.HasPrefix(file.Name(), ".") {
				continue
			}
			name := dir.Name() + "/" + file.Name()
			from := onlyFile(filepath.Join(p.solutions, dir.Name(), file.Name()))
			if polygonTags[verdict] == "" {
				p.notes.add("solution %s is left out: Polygon has no tag for its verdict", name)
				continue
			}
			why, err := p.solution(from, polygonTags[verdict], taken)
			if err != nil {
				return err
			}
			if why != "" {
				p.notes.add("solution %s is left out: %s", name, why)
			}
		}
	}
	return p.mainSolution(taken)
}

// solution copies a solution. If Polygon cannot have it, why is the reason.
func (p *polygonExporter) solution(from, tag string, taken map[string]bool) (why string, err error) {
	info, err := os.Stat(from)
	ext := path.Ext(filepath.Base(from))
	switch {
	case err != nil:
		return "", err
	case info.IsDir():
		return "it has several files, and a solution of Polygon is one", nil
	case polygonTypes[ext] == "":
		return fmt.Sprintf("Polygon has no language for %q", filepath.Base(from)), nil
	}
	name := unusedName(goodName(strings.TrimSuffix(filepath.Base(from), ext)), taken) + ext
	p.doc.Solutions = append(p.doc.Solutions, polygonSolution{tag, polygonSource{"solutions/" + name, polygonTypes[ext]}})
	return "", copyFile(from, filepath.Join(p.dir, "solutions", name))
}

// mainSolution tags the main solution, and adds the reference to the solutions if it is not there.
func (p *polygonExporter) mainSolution(taken map[string]bool) error {
	main := func(is func(name string) bool) bool {
		for i := range p.doc.Solutions {
			if s := &p.doc.Solutions[i]; s.Tag == polygonTags[judge.Accepted] && is(path.Base(s.Source.Path)) {
				s.Tag = "main"
				return true
			}
		}
		return false
	}
	why := "there is none"
	if r := p.from.Reference; r != nil {
		from := onlyFile(r.Path)
		want, err := os.ReadFile(from)
		if err == nil && main(func(name string) bool {
			got, err := os.ReadFile(filepath.Join(p.dir, "solutions", name))
			return err == nil && bytes.Equal(got, want)
		}) {
			return nil
		}
		if why = p.notASubmission(r, from); why == "" {
			if why, err = p.solution(from, "main", taken); err != nil || why == "" {
				return err
			}
		}
	}
	if main(func(string) bool { return true }) {
		p.notes.add("the main solution is the first accepted one, and not the reference: %s", why)
	} else {
		p.notes.add("there is no main solution in the package: Polygon wants one")
	}
	return nil
}
