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

// old reports whether the format is a legacy one.
func (f Format) old() bool { return f == Legacy || f == LegacyICPC }

// Package is a problem package that was read.
type Package struct {
	problem.Package // the part that the rest of the judge uses
	Format          Format

	Metadata
	Statements    []Statement
	ValidatorArgs []string // arguments of the output validator, which precede those of a case

	root      *packageDir
	scoring   bool
	ancient   *grading // legacy: settings of problem.yaml for all groups; nil if none
	customArg bool     // legacy: validation contains the word score
	domjudge  bool     // legacy: groups give points as in DOMjudge, which annotations imply
	constants map[string]string
	flags     map[string]caseFlags // by case id
	shown     []judge.Case         // samples of a package in another format
	asked     map[string]bool      // names of YAML files that were requested
}

// Metadata is the information in problem.yaml that does not affect judging. The names are in all languages.
type Metadata struct {
	problem.About
	Sources []Source
}

// Source is a contest or event in which a problem was used.
type Source struct{ Name, URL string }

// Is reports whether a directory is a problem package.
func Is(dir string) bool {
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
func Open(dir string, usual judge.Limits) (*Package, judge.Faults) {
	root, err := openFolder(dir)
	if err != nil {
		return nil, judge.Faults{{File: dir, Text: problem.Reason(err)}}
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
		return nil, judge.Faults{doc.Get("problem_format_version").Fault(
			fmt.Sprintf("unknown version %q of the package format", word),
			"write one of: legacy, legacy-icpc, 2023-07, 2025-09",
		)}
	}
	p.Format = format
	var m metadata
	if format.old() {
		faults = p.readLegacy(doc, &m)
	} else {
		faults = p.readMetadata(doc, &m)
	}
	if !doc.Here() && !p.isFile(File) && !p.isFile(domjudgeFile) {
		p.flaw(File, "the package has no "+File, "add the file, which may be nearly empty; for a problem with points, write: type: scoring")
		p.scoring = p.isDir("submissions/partially_accepted")
	}
	p.readStatements()
	p.Problem.Title = p.title()
	p.readLimits(doc, &m, usual)
	faults = append(faults, p.readPrograms(&m)...)
	p.domjudge = p.scoring && p.Format == Legacy && p.expectsScores()
	faults = append(faults, p.readData()...)
	p.enlarge(&m)
	p.readSubmissions()
	p.Warnings = sortFaults(p.Warnings)
	return p, faults
}

// newPackage returns a package without files.
func newPackage(of *judge.Problem, root *packageDir) *Package {
	p := &Package{
		Package: problem.Package{Problem: of, File: File}, root: root, constants: map[string]string{},
		flags: map[string]caseFlags{}, asked: map[string]bool{},
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

// at returns the path of a file of the package, as the user would write it.
func (p *Package) at(name string) string { return filepath.Join(p.Dir, filepath.FromSlash(name)) }

// flaw records an error that does not prevent judging.
func (p *Package) flaw(name, text, hint string) {
	p.Warnings = append(p.Warnings, &judge.Fault{File: p.at(name), Text: text, Hint: hint})
}

// yaml reads a YAML file of the package. If the file does not exist, the node is Null. The faults are syntax
// errors.
func (p *Package) yaml(name string) (*strict.Node, judge.Faults) {
	p.asked[name] = true
	data, err := p.read(name)
	if err != nil {
		empty, _ := strict.ParseYAML(p.at(name), nil)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // another check reports that the directory is a file
			return empty, nil
		}
		return empty, judge.Faults{{File: p.at(name), Text: problem.Reason(err)}}
	}
	if strings.HasPrefix(string(data), "\ufeff") {
		p.Warnings = append(p.Warnings, &judge.Fault{
			File: p.at(name), Line: 1, Column: 1, Text: "the file starts with a byte order mark",
			Hint: "save the file as UTF-8 without one (BOM)",
		})
	}
	n, twice, faults := strict.ParseYAMLTwice(p.at(name), data)
	p.Warnings = append(p.Warnings, twice...) // other tools use the last one
	if len(faults) == 0 && n.Kind != strict.Map && n.Here() {
		faults = judge.Faults{n.Mismatch("a map of keys")}
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
func (p *Package) list(dir string) (all []entry) {
	entries, err := p.root.ReadDir(dir)
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		p.flaw(dir, "this is a file, but must be a directory", "make it a directory, or remove it")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		p.flaw(dir, problem.Reason(err), "")
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") || problem.Leftover(name) {
			continue
		}
		info, err := p.root.Stat(path.Join(dir, name))
		switch {
		case err != nil && e.Type()&fs.ModeSymlink != 0:
			p.flaw(path.Join(dir, name), "the target of this link is not in the package", "link only to other files of the package")
		case err != nil:
			p.flaw(path.Join(dir, name), problem.Reason(err), "")
		case e.Type()&fs.ModeSymlink != 0 && info.IsDir() && p.within(dir, info):
			p.flaw(path.Join(dir, name), "this link leads to a directory that contains it", "remove it")
		case e.Type()&fs.ModeSymlink != 0 && p.root.leaves(path.Join(dir, name)):
			p.flaw(
				path.Join(dir, name),
				"this link leads out of the package; it is followed because the target is in the same repository",
				"a package must be complete: put a copy of the file there",
			)
			all = append(all, entry{name, info.IsDir()})
		case info.IsDir():
			all = append(all, entry{name, true})
		case info.Mode().IsRegular():
			all = append(all, entry{name, false})
		default:
			p.flaw(path.Join(dir, name), "neither a file nor a directory", "remove it")
		}
	}
	return all
}

// within reports whether dir is above, or below it.
func (p *Package) within(dir string, above fs.FileInfo) bool {
	for {
		if info, err := p.root.Stat(dir); err == nil && os.SameFile(info, above) {
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
func sortFaults(faults judge.Faults) judge.Faults {
	slices.SortStableFunc(faults, func(a, b *judge.Fault) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column, strings.Compare(a.Text, b.Text))
	})
	return slices.CompactFunc(faults, func(a, b *judge.Fault) bool { return *a == *b })
}

// oneOf returns the fault for a word that is not one of allowed.
func oneOf(n *strict.Node, what, word string, allowed []string) *judge.Fault {
	return n.Fault(fmt.Sprintf("unknown %s %q", what, word), suggest.Hint(word, allowed))
}
