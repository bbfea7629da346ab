// Package problem finds a problem directory, reads it into judge.Problem, and lints it. Each error in it is
// reported as a *judge.ProblemError with file, line and hint, and as many as possible are reported. Open finds errors
// that would make a judgement wrong, and Lint finds the others.
//
// A directory is
//
//	problems/<id>/problem.toml, statement.md, reference/, checker/, validator/, generator/
//	problems/<id>/cases/<group>/*.in, *.ans     cases written by hand; "sample" is judged first
//	problems/<id>/include/                      files that submissions are built with
//	testcases/<id>/<group>/*.in, *.ans          cases made from the generator lines of problem.toml
//
// The problem directory is complete without testcases/. A directory may also be a plain directory of inputs and
// answers, or a problem package, which the caller's Formats read. The package does not build or run anything, and
// it reads only the names of cases; packages gen and verify do the rest.
package problem

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/internal/strict"
	"assay/judge/internal/suggest"
)

// File is the name of the file that identifies a directory as a problem directory.
const File = "problem.toml"

// Sample is the name of the group that is always judged first. Its cases are written by hand, because they appear
// in the statement.
const Sample = judge.SampleGroup

// Directory is a problem directory as read by Open.
type Directory struct {
	*judge.Problem
	Tests string // directory of the generated cases, which may be missing
	// Second names the accepted solution that must agree with the reference solution on every case. If empty, any
	// accepted solution is used; "none" disables the check.
	Second string
	// Loosely means that solution directories have the same meaning as in a problem package: some case must get
	// the directory's verdict, where verdicts are reduced to the four that packages have.
	Loosely bool

	About   About    // zero for a package, which stores this information itself
	Golf    *Golf    // nil if the problem cannot be golfed
	Game    *Game    // nil if the directory is not a game
	Package *Package // nil if the directory is not a package
	// Included stages submissions with the files of include/. It is nil for a package, and for a directory without
	// include/.
	Included *Package

	formats  *Formats
	unstored map[string]bool   // groups whose cases are made on first use
	doc      *strict.Doc       // nil for a package
	at       map[string]string // key of a case's line in problem.toml, by case id
	// ambiguous has a fault for each part whose name several programs have.
	ambiguous judge.ProblemErrors
}

// Fault returns a fault at a key of problem.toml, such as "checker.name".
func (f *Directory) Fault(key, text, hint string) *judge.ProblemError {
	if f.Package != nil {
		return &judge.ProblemError{File: filepath.Join(f.Dir, f.Package.File), Text: text, Hint: hint}
	}
	return f.doc.Fault(key, text, hint)
}

// CaseFault returns a fault at the generator line that made the case. For a case written by hand, the fault is at
// the input file.
func (f *Directory) CaseFault(c *judge.Case, text, hint string) *judge.ProblemError {
	if key, ok := f.at[c.ID()]; ok {
		return f.doc.Fault(key, text, hint)
	}
	return &judge.ProblemError{File: c.In, Text: text, Hint: hint}
}

// Statement returns the path of the problem's statement.
func (f *Directory) Statement() string {
	if f.Package != nil {
		return f.Package.StatementFile("")
	}
	return filepath.Join(f.Dir, "statement.md")
}

// table is the content of problem.toml.
type table struct {
	Title      string     `toml:"title"`
	Kind       string     `toml:"kind"`
	Source     string     `toml:"source"`
	Limits     limits     `toml:"limits"`
	Reference  *part      `toml:"reference"`
	Validator  *part      `toml:"validator"`
	Interactor *part      `toml:"interactor"`
	Static     *static    `toml:"static"`
	Checker    *checker   `toml:"checker"`
	Generator  *generator `toml:"generator"`
	Scoring    *scoring   `toml:"scoring"`
	Golf       *golf      `toml:"golf"`
	Game       *game      `toml:"game"`
	Second     string     `toml:"second"`
	Verdicts   string     `toml:"verdicts"`
	About      About      `toml:"package"`
	Group      []group    `toml:"group"`
}

type limits struct {
	Time   strict.Duration `toml:"time"`
	Wall   strict.Duration `toml:"wall"`
	Memory strict.Size     `toml:"memory"`
	Output strict.Size     `toml:"output"`
	Code   strict.Size     `toml:"code"`
	Passes int             `toml:"passes"`
	Files  *bool           `toml:"file_writing"`
}

type part struct {
	Program string   `toml:"program"`
	Args    []string `toml:"args"`
	Speaks  string   `toml:"speaks"`
}

type generator struct {
	Program string   `toml:"program"`
	Args    []string `toml:"args"`
	Speaks  string   `toml:"speaks"`
	Salt    string   `toml:"salt"`
}

type checker struct {
	Name    string   `toml:"name"`
	Program string   `toml:"program"`
	Args    []string `toml:"args"`
	Speaks  string   `toml:"speaks"`
}

type group struct {
	Name        string   `toml:"name"`
	Description string   `toml:"description"`
	Cases       []string `toml:"cases"`
	Store       any      `toml:"store"`
	CheckerArgs []string `toml:"checker_args"`
	Args        []string `toml:"args"`
	InputArgs   []string `toml:"validator_args"`

	MaxScore    any      `toml:"max_score"`
	Aggregation string   `toml:"score_aggregation"`
	RequirePass []string `toml:"require_pass"`
	StaticScore any      `toml:"static_score"`
	StaticArgs  []string `toml:"static_args"`
}

// speaks maps each part to its protocols. The first one is the default.
var speaks = map[string][]string{
	"checker":    {"kit", "testlib", "kattis"},
	"validator":  {"kit", "testlib", "kattis", judge.Checktestdata},
	"generator":  {"kit", "plain"},
	"reference":  {"plain"},
	"interactor": {"kit", "testlib", "kattis"},
	"static":     {"kattis"},
}

// Open reads the problem directory dir, whose generated cases are in tests. If dir is a package, formats reads it.
// Limits that problem.toml does not set are those of usual. The default wall time limit is 2 x time + 1 s. The
// result is nil only if problem.toml cannot be read at all.
func Open(formats *Formats, dir, tests string, usual judge.Limits) (*Directory, judge.ProblemErrors) {
	file := filepath.Join(dir, File)
	data, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		switch {
		case formats.Is(dir):
			return openPackage(formats, dir, usual)
		case IsPlain(dir):
			return openPlain(formats, dir, usual)
		}
	}
	if err != nil {
		return nil, judge.ProblemErrors{{
			File: file, Text: Reason(err),
			Hint: "a problem directory contains a file " + File + "; make one with: judge new " + filepath.Base(dir),
		}}
	}
	var t table
	doc, faults := strict.Decode(file, data, &t)
	if doc == nil {
		return nil, faults
	}
	f := &Directory{
		Problem: &judge.Problem{ID: ID(dir), Title: t.Title, Source: t.Source, Dir: dir},
		Tests:   tests,
		Second:  t.Second,
		About:   t.About,
		formats: formats,
		doc:     doc,
		at:      map[string]string{},
	}
	faults = append(faults, f.readHead(&t, usual)...)
	faults = append(faults, f.readParts(&t)...)
	faults = append(faults, f.readGolf(t.Golf)...)
	faults = append(faults, f.readGame(t.Game)...)
	faults = append(faults, f.readGroups(&t)...)
	faults = append(faults, f.fitCases(&t)...)
	faults = append(faults, f.readInclude()...)
	faults = append(faults, f.readScoring(&t)...)
	faults = append(faults, f.readStatic(&t)...)
	return f, faults
}

// Again reads the directory again with the same formats.
func (f *Directory) Again(usual judge.Limits) (*Directory, judge.ProblemErrors) {
	return Open(f.formats, f.Dir, f.Tests, usual)
}

// openPackage reads a problem package. Lint reports its warnings.
func openPackage(formats *Formats, dir string, usual judge.Limits) (*Directory, judge.ProblemErrors) {
	p, faults := formats.Open(dir, usual)
	if p == nil {
		return nil, faults
	}
	return &Directory{Problem: p.Problem, Tests: dir, Package: p, at: map[string]string{}}, faults
}

// wallFor returns the wall time limit for a time limit.
func wallFor(cpu time.Duration) time.Duration { return 2*cpu + time.Second }

// ID returns the name of a directory, even if dir is "." or ends in a slash.
func ID(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return filepath.Base(abs)
	}
	return filepath.Base(dir)
}

func (f *Directory) readHead(t *table, usual judge.Limits) (faults judge.ProblemErrors) {
	faults = append(faults, f.readKind(t)...)
	switch t.Verdicts {
	case "", "exact":
	case "icpc":
		f.Loosely = true
	default:
		faults = append(faults, f.Fault("verdicts", fmt.Sprintf(
			"verdicts cannot be %q", t.Verdicts,
		), `write "exact", the default, or "icpc", which gives directories of solutions/ their meaning in ICPC packages`))
	}
	l := usual
	if t.Limits.Time != 0 {
		l.CPU, l.Wall = time.Duration(t.Limits.Time), 0
	}
	if t.Limits.Wall != 0 {
		l.Wall = time.Duration(t.Limits.Wall)
	}
	if l.Wall == 0 && l.CPU != 0 {
		l.Wall = wallFor(l.CPU)
	}
	if t.Limits.Memory != 0 {
		l.Memory = int64(t.Limits.Memory)
	}
	if t.Limits.Output != 0 {
		l.Output = int64(t.Limits.Output)
	}
	if l.Wall != 0 && l.Wall < l.CPU {
		faults = append(faults, f.Fault("limits.wall", fmt.Sprintf(
			"the wall limit %v is below the time limit %v", l.Wall, l.CPU,
		), "remove it: the default is 2 x time + 1 s"))
	}
	f.Limits = l
	return faults
}

func (f *Directory) readParts(t *table) (faults judge.ProblemErrors) {
	read := func(key string, p *part) *judge.SetterProgram {
		if p == nil {
			return nil
		}
		made, bad := f.readPart(key, p)
		faults = append(faults, bad...)
		return made
	}
	f.usualParts(t)
	f.Reference = read("reference", t.Reference)
	f.Validator = read("validator", t.Validator)
	f.Interactor = read("interactor", t.Interactor)
	if g := t.Generator; g != nil {
		f.Generator = read("generator", &part{g.Program, g.Args, g.Speaks})
		f.Salt = g.Salt
	}
	f.Checker = judge.CheckerSpec{Name: "tokens"}
	if c := t.Checker; c != nil {
		f.Checker = judge.CheckerSpec{Name: c.Name, Args: c.Args}
		switch {
		case c.Name != "" && c.Program != "":
			faults = append(
				faults,
				f.Fault(
					"checker", "the checker has both a name and a program",
					"write name for a built-in checker, or program for your own",
				),
			)
		case c.Name == "" && c.Program == "":
			faults = append(
				faults,
				f.Fault("checker", "the checker has neither a name nor a program", `write: name = "tokens", or: program = "checker"`),
			)
		case c.Name == "":
			f.Checker = judge.CheckerSpec{Program: read("checker", &part{c.Program, c.Args, c.Speaks})}
		case c.Speaks != "":
			faults = append(faults, f.Fault("checker.speaks", "a built-in checker speaks no protocol", "remove the key"))
		}
	}
	return append(faults, f.fitParts(t)...)
}

func (f *Directory) readPart(key string, p *part) (*judge.SetterProgram, judge.ProblemErrors) {
	var faults judge.ProblemErrors
	allowed := speaks[key]
	if p.Speaks == "" {
		p.Speaks = usually(p.Program, allowed)
	}
	if !slices.Contains(allowed, p.Speaks) {
		faults = append(
			faults,
			f.Fault(key+".speaks", fmt.Sprintf("the %s cannot speak %q", key, p.Speaks), suggest.Hint(p.Speaks, allowed)),
		)
	}
	path, bad := f.readProgram(key+".program", p.Program)
	if path == "" {
		return nil, append(faults, bad...)
	}
	return &judge.SetterProgram{Path: path, Args: p.Args, Protocol: p.Speaks}, faults
}

// usually returns the default protocol of a program. It is the allowed protocol that is named like the program's
// file extension or, if there is none, the first allowed protocol.
func usually(program string, allowed []string) string {
	if ext := strings.TrimPrefix(filepath.Ext(program), "."); ext != "" && slices.Contains(allowed, ext) {
		return ext
	}
	return allowed[0]
}

// readProgram finds the program that a key names. The path is empty if there is none.
func (f *Directory) readProgram(key, program string) (string, judge.ProblemErrors) {
	if !filepath.IsLocal(program) {
		part, _, _ := strings.Cut(key, ".")
		return "", judge.ProblemErrors{f.Fault(key, fmt.Sprintf(
			"the program %q is not inside the problem directory", program,
		), `write its path relative to the problem directory, such as "`+part+`"`)}
	}
	path, err := f.findProgram(program)
	if found := f.programNames(program); err != nil && len(found) > 1 {
		return "", judge.ProblemErrors{f.ambiguousFault(key, program, found)}
	}
	if err != nil {
		return "", judge.ProblemErrors{
			f.Fault(key, fmt.Sprintf("program %q: %s", program, Reason(err)), "make the file or directory "+filepath.Join(f.Dir, program)),
		}
	}
	return path, nil
}

// findProgram finds a program by its path, or by its path without the extension.
func (f *Directory) findProgram(program string) (string, error) {
	path := filepath.Join(f.Dir, program)
	_, err := os.Stat(path)
	if err == nil {
		return path, nil
	}
	if siblings, _ := filepath.Glob(escapeGlob(path) + ".*"); len(siblings) == 1 {
		return siblings[0], nil
	}
	return "", err
}

func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// Reason returns the message of a file error without the path, because all messages begin with the path.
func Reason(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return err.Error()
}
