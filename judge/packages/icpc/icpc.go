// Package icpc reads problem packages of the ICPC and Kattis format into judge.Problem: the versions legacy,
// legacy-icpc, 2023-07 and 2025-09, and the extensions of BAPCtools and DOMjudge. Real packages often contain
// errors, so there are two kinds of faults: Open returns faults that prevent judging, and Package.Warnings
// contains the others, for `judge verify`.
//
//	icpc.go      Open and Package
//	metadata.go  problem.yaml of 2025-09; legacy.go: of legacy; limits.go: for both
//	display.go   how samples are shown
//	data.go      cases and groups; flags.go: arguments of validators
//	grading.go   how scores are computed from groups
//	programs.go  validators; stage.go: programs with include/ and constants filled in
//	submissions.go, annotate.go  submissions and their expected results
//	statement.go statements; show.go: as Markdown; pictures.go: content that is not shown
//	unpack.go    packages in ZIP archives; dir.go: links
//
// The package does not build or run anything. Only Stage and Unpack write files. Symbolic links out of a package
// are followed within its repository only.
package icpc

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"assay/judge"
	"assay/judge/internal/pattern"
	"assay/judge/internal/strict"
	"assay/judge/internal/suggest"
	"assay/judge/problem"
)

// File is the name of the file that identifies a directory as a problem package.
const File = "problem.yaml"

// domjudgeFile may take the place of File in a DOMjudge package.
const domjudgeFile = "domjudge-problem.ini"

// Format is a version of the format.
type Format string

const (
	Legacy     Format = "legacy"      // with testdata.yaml and scores
	LegacyICPC Format = "legacy-icpc" // the subset of legacy for ICPC contests: no scores
	Draft2023  Format = "2023-07"     // new problem.yaml, with testdata.yaml as in legacy or test_group.yaml as in 2025-09
	Format2025 Format = "2025-09"     // with test_group.yaml, combined types, expected results of submissions
)

// formats maps values of the format key in problem.yaml to formats.
var formats = map[string]Format{
	"": Legacy, "legacy": Legacy, "legacy-icpc": LegacyICPC,
	"2023-07": Draft2023, "2023-07-draft": Draft2023,
	"2025-09": Format2025, "2025-09-draft": Format2025, "draft": Format2025,
}

// draft matches version names of drafts before their publication.
var draft = pattern.New(`^20\d\d-\d\d-draft$`)

// isLegacy reports whether the format is a legacy one.
func (f Format) isLegacy() bool { return f == Legacy || f == LegacyICPC }

// Package is a problem package that was read.
type Package struct {
	problem.Package // the part that the rest of the judge uses
	Format          Format

	Metadata
	Statements    []Statement
	ValidatorArgs []string // arguments of the output validator, which precede those of a case

	root           *packageDir
	scoring        bool
	legacyGrading  *grading // legacy: settings of problem.yaml for all groups; nil if none
	customArg      bool     // legacy: validation contains the word score
	domjudge       bool     // legacy: groups give points as in DOMjudge, which annotations imply
	constants      map[string]string
	flags          map[string]caseFlags // by case id
	otherSamples   []judge.Case         // samples of a package in another format
	requestedFiles map[string]bool      // names of YAML files that were requested
}

// Metadata is the information in problem.yaml that does not affect judging. The names are in all languages.
type Metadata struct {
	problem.About
	Sources []Source
}

// Source is a contest or event in which a problem was used.
type Source struct{ Name, URL string }

// IsPackage reports whether a directory is a problem package.
func IsPackage(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, File)); err == nil {
		return true
	}
	folder := func(name string) bool {
		info, err := os.Stat(filepath.Join(dir, name))
		return err == nil && info.IsDir()
	}
	if _, err := os.Stat(filepath.Join(dir, domjudgeFile)); err == nil {
		return folder("data")
	}
	// Some authors publish only data and submissions.
	return folder("submissions") && (folder("data/"+sample) || folder("data/"+secret))
}

// Open reads the package in the directory dir. Limits that the package does not set are the defaults of the format
// or, if the format has none, those in usual. If there are faults, submissions cannot be judged, but the Package
// may still be returned.
func Open(dir string, defaults judge.Limits) (*Package, judge.ProblemErrors) {
	root, err := openDir(dir)
	if err != nil {
		return nil, judge.ProblemErrors{{File: dir, Text: problem.Reason(err)}}
	}
	p := newPackage(&judge.Problem{ID: problem.ID(dir), Dir: dir}, root)
	doc, faults := p.yaml(File)
	if len(faults) > 0 {
		return nil, faults
	}
	word := doc.Get("problem_format_version").Text
	format, known := formats[word]
	if !known && draft().MatchString(word) && word > "2023-07" {
		format, known = Format2025, true
	}
	if !known {
		return nil, judge.ProblemErrors{doc.Get("problem_format_version").Fault(
			fmt.Sprintf("unknown version %q of the package format", word),
			"write one of: legacy, legacy-icpc, 2023-07, 2025-09",
		)}
	}
	p.Format = format
	var m metadata
	if format.isLegacy() {
		faults = p.readLegacy(doc, &m)
	} else {
		faults = p.readMetadata(doc, &m)
	}
	if !doc.IsSet() && !p.isFile(File) && !p.isFile(domjudgeFile) {
		p.warn(File, "the package has no "+File, "add the file, which may be nearly empty; for a problem with points, write: type: scoring")
		p.scoring = p.isDir("submissions/partially_accepted")
	}
	p.readStatements()
	p.Problem.Title = p.title()
	p.readLimits(doc, &m, defaults)
	faults = append(faults, p.readPrograms(&m)...)
	p.domjudge = p.scoring && p.Format == Legacy && p.expectsScores()
	faults = append(faults, p.readData()...)
	p.raiseOutputLimit(&m)
	p.readSubmissions()
	p.Warnings = sortFaults(p.Warnings)
	return p, faults
}

// newPackage returns a package without files.
func newPackage(judgeProblem *judge.Problem, root *packageDir) *Package {
	p := &Package{
		Package: problem.Package{Problem: judgeProblem, File: File}, root: root, constants: map[string]string{},
		flags: map[string]caseFlags{}, requestedFiles: map[string]bool{},
	}
	p.Form = p
	return p
}

// Close closes the directory.
func (p *Package) Close() error { return p.root.Close() }

// title returns the name in English, or in the first language that has one.
func (p *Package) title() string {
	if name, ok := p.Names["en"]; ok {
		return name
	}
	for _, s := range p.Statements {
		if name := p.Names[s.Language]; name != "" {
			return name
		}
	}
	for _, lang := range slices.Sorted(maps.Keys(p.Names)) {
		return p.Names[lang]
	}
	return ""
}

// pathOf returns the path of a file of the package, as the user would write it.
func (p *Package) pathOf(name string) string { return filepath.Join(p.Dir, filepath.FromSlash(name)) }

// warn records an error that does not prevent judging.
func (p *Package) warn(name, text, hint string) {
	p.Warnings = append(p.Warnings, &judge.ProblemError{File: p.pathOf(name), Text: text, Hint: hint})
}

// yaml reads a YAML file of the package. If the file does not exist, the node is Null. The faults are syntax
// errors.
func (p *Package) yaml(name string) (*strict.Node, judge.ProblemErrors) {
	p.requestedFiles[name] = true
	data, err := p.read(name)
	if err != nil {
		empty, _ := strict.ParseYAML(p.pathOf(name), nil)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // another check reports that the directory is a file
			return empty, nil
		}
		return empty, judge.ProblemErrors{{File: p.pathOf(name), Text: problem.Reason(err)}}
	}
	if strings.HasPrefix(string(data), "\ufeff") {
		p.Warnings = append(p.Warnings, &judge.ProblemError{
			File: p.pathOf(name), Line: 1, Column: 1, Text: "the file starts with a byte order mark",
			Hint: "save the file as UTF-8 without one (BOM)",
		})
	}
	n, twice, faults := strict.ParseYAMLDuplicates(p.pathOf(name), data)
	p.Warnings = append(p.Warnings, twice...) // other tools use the last one
	if len(faults) == 0 && n.Kind != strict.Map && n.IsSet() {
		faults = judge.ProblemErrors{n.Mismatch("a map of keys")}
	}
	return n, faults
}

// maxFile is the maximum size in bytes of the files that the package reads: YAML, statements, sources.
const maxFile = 16 << 20

// read reads a small file of the package.
func (p *Package) read(name string) ([]byte, error) {
	info, err := p.root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("not a file")
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("the file has %d bytes, more than %d", info.Size(), maxFile)
	}
	return p.root.ReadFile(name)
}

// entry is a file or directory in a directory of the package. Links are resolved.
type entry struct {
	Name string
	Dir  bool
}

// list returns the entries of a directory by name, without hidden files. It omits links that are broken, or that
// lead out of the package or to a parent directory, and records a warning for each.
func (p *Package) list(dir string) (list []entry) {
	entries, err := p.root.ReadDir(dir)
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		p.warn(dir, "this is a file, but must be a directory", "make it a directory, or remove it")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		p.warn(dir, problem.Reason(err), "")
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") || problem.Leftover(name) {
			continue
		}
		info, err := p.root.Stat(path.Join(dir, name))
		switch {
		case err != nil && e.Type()&fs.ModeSymlink != 0:
			p.warn(path.Join(dir, name), "the target of this link is not in the package", "link only to other files of the package")
		case err != nil:
			p.warn(path.Join(dir, name), problem.Reason(err), "")
		case e.Type()&fs.ModeSymlink != 0 && info.IsDir() && p.isNested(dir, info):
			p.warn(path.Join(dir, name), "this link leads to a directory that contains it", "remove it")
		case e.Type()&fs.ModeSymlink != 0 && p.root.linksOutside(path.Join(dir, name)):
			p.warn(
				path.Join(dir, name),
				"this link leads out of the package; it is followed because the target is in the same repository",
				"a package must be complete: put a copy of the file there",
			)
			list = append(list, entry{name, info.IsDir()})
		case info.IsDir():
			list = append(list, entry{name, true})
		case info.Mode().IsRegular():
			list = append(list, entry{name, false})
		default:
			p.warn(path.Join(dir, name), "neither a file nor a directory", "remove it")
		}
	}
	return list
}

// isNested reports whether dir is above, or below it.
func (p *Package) isNested(dir string, ancestor fs.FileInfo) bool {
	for {
		if info, err := p.root.Stat(dir); err == nil && os.SameFile(info, ancestor) {
			return true
		}
		if dir == "." {
			return false
		}
		dir = path.Dir(dir)
	}
}

// isDir reports whether there is a directory of this name.
func (p *Package) isDir(name string) bool {
	info, err := p.root.Stat(name)
	return err == nil && info.IsDir()
}

// isFile reports whether there is a file of this name.
func (p *Package) isFile(name string) bool {
	info, err := p.root.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// sortFaults sorts faults by position. It removes duplicates, which occur if a directory is read twice.
func sortFaults(faults judge.ProblemErrors) judge.ProblemErrors {
	slices.SortStableFunc(faults, func(a, b *judge.ProblemError) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column, strings.Compare(a.Text, b.Text))
	})
	return slices.CompactFunc(faults, func(a, b *judge.ProblemError) bool { return *a == *b })
}

// oneOfFault returns the fault for a word that is not one of allowed.
func oneOfFault(n *strict.Node, noun, word string, allowed []string) *judge.ProblemError {
	return n.Fault(fmt.Sprintf("unknown %s %q", noun, word), suggest.Hint(word, allowed))
}
