// Package problem finds a problem folder, reads it into judge.Problem, and lints
// it. Every mistake that it finds is a *judge.Fault with file, line and a hint;
// it finds as many as it can before it gives up. Open finds those that would make
// a judgement wrong, Lint those that only a setter has to mend.
//
// A folder is
//
//	problems/<id>/problem.toml, statement.md, reference/, checker/, validator/, generator/
//	problems/<id>/cases/<group>/*.in, *.ans     cases written by hand; "sample" is judged first
//	problems/<id>/include/                      what submissions are built with
//	testcases/<id>/<group>/*.in, *.ans          cases made from the generator lines of problem.toml
//
// where the first is complete alone; or it is a plain folder of inputs and answers, or a
// problem package, which the caller's Formats read. The package does not build or
// run anything, and does not look into cases beyond their names; packages gen and verify do.
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

// File is the name of the file that makes a folder a problem folder.
const File = "problem.toml"

// Sample is the name of the group that is always judged first. Its cases are
// written by hand, because the statement shows them.
const Sample = judge.Sample

// Folder is a problem folder that was read.
type Folder struct {
	*judge.Problem
	Tests string // folder of the generated cases; it may be missing
	// Second names the accepted solution that must agree with the reference on every
	// case; "" is any, "none" is none.
	Second string
	// Loosely says that the folders of solutions mean what they mean in a problem package:
	// some case does what the folder says, in the four verdicts that packages know.
	Loosely bool

	About   About    // zero for a package, which says it itself
	Golf    *Golf    // nil where the problem cannot be golfed
	Game    *Game    // nil where the folder is not a game
	Package *Package // nil where the folder is one of the judge's own form
	// Included stages submissions with the files of include/; nil for a package, and
	// where the folder has no include/.
	Included *Package

	formats  *Formats
	unstored map[string]bool   // groups whose cases are made on first use
	doc      *strict.Doc       // nil for a package
	at       map[string]string // case id -> key of its line in problem.toml
}

// Fault makes a fault at a key of problem.toml, such as "checker.name".
func (f *Folder) Fault(key, text, hint string) *judge.Fault {
	if f.Package != nil {
		return &judge.Fault{File: filepath.Join(f.Dir, f.Package.File), Text: text, Hint: hint}
	}
	return f.doc.Fault(key, text, hint)
}

// CaseFault makes a fault at the generator line that made the case, or at its
// input file where it was written by hand.
func (f *Folder) CaseFault(c *judge.Case, text, hint string) *judge.Fault {
	if key, ok := f.at[c.ID()]; ok {
		return f.doc.Fault(key, text, hint)
	}
	return &judge.Fault{File: c.In, Text: text, Hint: hint}
}

// Statement returns the path of the statement.
func (f *Folder) Statement() string {
	if f.Package != nil {
		return f.Package.StatementFile("")
	}
	return filepath.Join(f.Dir, "statement.md")
}

// table is problem.toml as it is written.
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

// speaks are the protocols of each part; the first is the default.
var speaks = map[string][]string{
	"checker":    {"kit", "testlib", "kattis"},
	"validator":  {"kit", "testlib", "kattis", judge.Checktestdata},
	"generator":  {"kit", "plain"},
	"reference":  {"plain"},
	"interactor": {"kit", "testlib", "kattis"},
	"static":     {"kattis"},
}

// Open reads the problem folder dir, with its generated cases in tests; formats reads it
// if it is a package. Limits
// that problem.toml does not set are the usual ones; without a wall limit it is
// 2 x time + 1 s. The folder is nil only where problem.toml could not be read at
// all.
func Open(formats *Formats, dir, tests string, usual judge.Limits) (*Folder, judge.Faults) {
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
		return nil, judge.Faults{{File: file, Text: Reason(err), Hint: "a problem folder has a file " + File + "; make one with: judge new " + filepath.Base(dir)}}
	}
	var t table
	doc, faults := strict.Decode(file, data, &t)
	if doc == nil {
		return nil, faults
	}
	f := &Folder{
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

// Again reads the folder as it is now.
func (f *Folder) Again(usual judge.Limits) (*Folder, judge.Faults) {
	return Open(f.formats, f.Dir, f.Tests, usual)
}

// openPackage reads a problem package. Its flaws are Lint's to tell.
func openPackage(formats *Formats, dir string, usual judge.Limits) (*Folder, judge.Faults) {
	p, faults := formats.Open(dir, usual)
	if p == nil {
		return nil, faults
	}
	return &Folder{Problem: p.Problem, Tests: dir, Package: p, at: map[string]string{}}, faults
}

// wallFor is the wall limit where only a time limit is given.
func wallFor(cpu time.Duration) time.Duration { return 2*cpu + time.Second }

// ID is the folder's name, also where dir is "." or has a slash at its end.
func ID(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return filepath.Base(abs)
	}
	return filepath.Base(dir)
}

func (f *Folder) readHead(t *table, usual judge.Limits) (faults judge.Faults) {
	faults = append(faults, f.readKind(t)...)
	switch t.Verdicts {
	case "", "exact":
	case "icpc":
		f.Loosely = true
	default:
		faults = append(faults, f.Fault("verdicts", fmt.Sprintf("verdicts cannot be %q", t.Verdicts), `"exact", the default, or "icpc": solutions/ means what the folders of a package's submissions mean`))
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
		faults = append(faults, f.Fault("limits.wall", fmt.Sprintf("the wall limit %v is below the time limit %v", l.Wall, l.CPU), "leave it out: it is then 2 x time + 1 s"))
	}
	f.Limits = l
	return faults
}

func (f *Folder) readParts(t *table) (faults judge.Faults) {
	read := func(key string, p *part) *judge.Part {
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
	f.Checker = judge.Checking{Name: "tokens"}
	if c := t.Checker; c != nil {
		f.Checker = judge.Checking{Name: c.Name, Args: c.Args}
		switch {
		case c.Name != "" && c.Program != "":
			faults = append(faults, f.Fault("checker", "the checker has both a name and a program", "a builtin checker has a name, one of your own has a program"))
		case c.Name == "" && c.Program == "":
			faults = append(faults, f.Fault("checker", "the checker has neither a name nor a program", `write: name = "tokens", or: program = "checker"`))
		case c.Name == "":
			f.Checker = judge.Checking{Program: read("checker", &part{c.Program, c.Args, c.Speaks})}
		case c.Speaks != "":
			faults = append(faults, f.Fault("checker.speaks", "a builtin checker speaks no protocol", "leave the key out"))
		}
	}
	return append(faults, f.fitParts(t)...)
}

func (f *Folder) readPart(key string, p *part) (*judge.Part, judge.Faults) {
	var faults judge.Faults
	allowed := speaks[key]
	if p.Speaks == "" {
		p.Speaks = usually(p.Program, allowed)
	}
	if !slices.Contains(allowed, p.Speaks) {
		faults = append(faults, f.Fault(key+".speaks", fmt.Sprintf("the %s cannot speak %q", key, p.Speaks), suggest.Hint(p.Speaks, allowed)))
	}
	path, bad := f.readProgram(key+".program", p.Program)
	if path == "" {
		return nil, append(faults, bad...)
	}
	return &judge.Part{Path: path, Args: p.Args, Speaks: p.Speaks}, faults
}

// usually is what a program speaks that says nothing about it: the protocol that
// its name ends in, or the first one.
func usually(program string, allowed []string) string {
	if ext := strings.TrimPrefix(filepath.Ext(program), "."); ext != "" && slices.Contains(allowed, ext) {
		return ext
	}
	return allowed[0]
}

// readProgram finds the program that stands at a key; "" if there is none.
func (f *Folder) readProgram(key, program string) (string, judge.Faults) {
	if !filepath.IsLocal(program) {
		part, _, _ := strings.Cut(key, ".")
		return "", judge.Faults{f.Fault(key, fmt.Sprintf("the program %q is not inside the problem folder", program), `write its path from the folder on, such as "`+part+`"`)}
	}
	path, err := f.findProgram(program)
	if err != nil {
		return "", judge.Faults{f.Fault(key, fmt.Sprintf("program %q: %s", program, Reason(err)), "make the file or folder "+filepath.Join(f.Dir, program))}
	}
	return path, nil
}

// findProgram finds a program by its path, or by its path without the extension.
func (f *Folder) findProgram(program string) (string, error) {
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

// Reason is the bare reason of a file error, without the path that stands before
// it in every message.
func Reason(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return err.Error()
}
