package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/pflag"

	"assay"
	"assay/judge"
	"assay/judge/problem"
	"assay/judge/running/check"
	"assay/judge/running/config"
	"assay/judge/running/lang"
	"assay/judge/running/sandbox"
)

// running are the flags of every command that runs programs.
type running struct {
	jobs         int
	require      string
	pin          bool
	instructions bool
}

func (r *running) flags(f *pflag.FlagSet) {
	f.IntVarP(&r.jobs, "jobs", "j", runtime.NumCPU(), "programs that run at one time; results do not depend on it")
	f.BoolVar(&r.pin, "pin", false, "keep each worker on one processor, for times that can be repeated")
	f.StringVar(&r.require, "require", "", `"isolated": refuse a machine on which the sandbox cannot isolate`)
}

// contest is a contest folder with everything that is needed to run programs.
type contest struct {
	root  string // the folder with judge.toml
	house bool   // whether it is the house's own, brought along by the judge
	cfg   *config.Config
	cache string
	box   *sandbox.Sandbox // nil until it is started
	tools *lang.Toolbox    // nil until then
	jobs  int

	packages []*problem.Folder // those opened whose programs are built from copies: packages, and folders with include/
	filled   map[string]string // the package that each filled copy in the cache was made of
}

// cacheDir is where built programs are kept: a folder that may be removed at any
// time.
func cacheDir() (string, error) {
	if dir := os.Getenv("ASSAY_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a folder for the cache: %w; set ASSAY_CACHE to one", err)
	}
	return filepath.Join(dir, "assay"), nil
}

// findContest finds the contest of the current folder. Outside any, it takes the
// puzzles of the house.
func findContest() (*contest, error) {
	cache, err := cacheDir()
	if err != nil {
		return nil, err
	}
	c := &contest{cache: cache}
	c.root, err = config.FindRoot(".")
	if errors.Is(err, fs.ErrNotExist) {
		c.house = true
		c.root, err = houseFolder(cache)
	}
	if err != nil {
		return nil, err
	}
	brought, err := assay.Files.ReadFile(config.FileName)
	if err != nil {
		return nil, err
	}
	defaults, err := config.Load("the judge's own "+config.FileName, brought, nil)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(c.root, config.FileName)
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if c.cfg, err = config.Load(near(file), data, defaults); err != nil {
		return nil, err
	}
	for _, variable := range []string{"TESTLIB", "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH", "CPATH"} {
		c.cfg.Headers = append(c.cfg.Headers, filepath.SplitList(os.Getenv(variable))...)
	}
	return c, nil
}

// houseNote says where the puzzles come from, outside any contest.
const houseNote = "no judge.toml here or above: these are the puzzles of the house; start a contest of your own with: judge init"

// houseFolder lays the puzzles of the house out in the cache, once for each
// version of them.
func houseFolder(cache string) (string, error) {
	sum := sha256.New()
	var files []string
	err := fs.WalkDir(assay.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := assay.Files.ReadFile(path)
		fmt.Fprintf(sum, "%q %d\n", path, len(data))
		sum.Write(data)
		files = append(files, path)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("read the puzzles of the house: %w", err)
	}
	dir := filepath.Join(cache, "house-"+hex.EncodeToString(sum.Sum(nil)[:8]))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", fmt.Errorf("lay out the puzzles of the house: %w", err)
	}
	tmp, err := os.MkdirTemp(cache, "house-tmp-*")
	if err != nil {
		return "", fmt.Errorf("lay out the puzzles of the house: %w", err)
	}
	defer os.RemoveAll(tmp)
	if err := os.CopyFS(filepath.Join(tmp, "house"), assay.Files); err != nil {
		return "", fmt.Errorf("lay out the puzzles of the house: %w", err)
	}
	if err := os.Rename(filepath.Join(tmp, "house"), dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("lay out the puzzles of the house: %w", err)
	}
	return dir, nil
}

// within starts the contest of the current folder, calls f with it, and ends it.
func (r running) within(f func(c *contest) error) error {
	c, err := findContest()
	if err != nil {
		return err
	}
	if err := c.start(r); err != nil {
		return err
	}
	return errors.Join(f(c), c.close())
}

// each calls f with every problem that is named, or with all of the contest. F
// says whether the problem is without a fault.
func (r running) each(names []string, f func(c *contest, name string) (bool, error)) error {
	return r.within(func(c *contest) error {
		names, err := c.names(names)
		if err != nil {
			return err
		}
		ok := true
		for _, name := range names {
			good, err := f(c, name)
			if err != nil {
				return err
			}
			ok = ok && good
		}
		if !ok {
			return errFaults
		}
		return nil
	})
}

// names returns the problems that were named, or all of the contest.
func (c *contest) names(named []string) ([]string, error) {
	if len(named) > 0 {
		return named, nil
	}
	ids, err := problem.List(c.root)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, usageError{errors.New("this contest has no problems yet\n    make one with: judge new <name>")}
	}
	return ids, nil
}

// lookAnew has the toolchains asked again what they are: somebody may just have
// installed one.
func lookAnew() error {
	cache, err := cacheDir()
	if err != nil {
		return err
	}
	return lang.Forget(cache)
}

// start starts the sandbox and the toolbox, if they are not. The caller must call
// close.
func (c *contest) start(r running) error {
	if c.box != nil {
		return nil
	}
	if r.jobs < 1 {
		return usageError{fmt.Errorf("-j %d: at least one program must run", r.jobs)}
	}
	c.jobs = r.jobs
	if r.require == "" {
		r.require = c.cfg.Isolation
	}
	if r.require == "any" {
		r.require = ""
	}
	visible, err := lang.Locate(c.cfg, c.cache)
	if err != nil {
		return err
	}
	c.box, err = sandbox.New(sandbox.Options{ReadOnly: visible, Workers: r.jobs, Isolation: r.require, Pin: r.pin, Instructions: r.instructions})
	if err != nil {
		return err
	}
	kit, err := fs.Sub(assay.Files, "judge/kit")
	if err != nil {
		return err
	}
	c.tools = lang.New(c.cfg, c.box, c.cache, kit)
	return nil
}

func (c *contest) close() error {
	if c.box == nil {
		return nil
	}
	return c.box.Close()
}

// open finds and reads a problem.
func (c *contest) open(name string) (*problem.Folder, error) {
	f, faults, err := c.folder(name)
	if err != nil {
		return nil, err
	}
	return f, faults.AsError()
}

// near writes a path from the current folder on, where that is shorter.
func near(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(here, abs); err == nil && len(rel) < len(path) {
		return rel
	}
	return path
}

// packageOf returns the folder that has a program, if it is one whose programs are
// built from copies; nil for another folder.
func (c *contest) packageOf(path string) *problem.Folder {
	for _, f := range c.packages {
		if rel, err := filepath.Rel(f.Dir, path); err == nil && filepath.IsLocal(rel) {
			return f
		}
	}
	return nil
}

// part builds one of the setter's programs. One that does not compile is a fault
// of the folder.
func (c *contest) part(ctx context.Context, p *judge.Part) (*judge.Program, error) {
	if p.Speaks == "ctd" { // interpreted by who runs it
		return &judge.Program{Name: p.Path}, nil
	}
	made, err := c.buildFor(ctx, c.packageOf(p.Path), source{path: p.Path, from: lang.BySetter})
	if missing, ok := errors.AsType[*lang.MissingError](err); ok {
		return nil, &judge.Fault{File: p.Path, Text: "the program cannot be built here", Hint: missing.Error()}
	}
	if err != nil {
		return nil, err
	}
	if !made.OK {
		return nil, &judge.Fault{File: p.Path, Text: "the program does not compile", Hint: made.Log}
	}
	return made.Program, nil
}

// checker makes a problem's checker for one submission.
func (c *contest) checker(ctx context.Context, f *problem.Folder) (check.Checker, error) {
	if part := f.Checker.Program; part != nil {
		program, err := c.part(ctx, part)
		if err != nil {
			return nil, err
		}
		limits := c.cfg.Setter
		if f.Validation.CPU > 0 {
			limits = f.Validation
		}
		return check.Program(c.box, part, program, limits)
	}
	made, err := check.Builtin(f.Checker.Name, f.Checker.Args)
	if fault, ok := errors.AsType[*judge.Fault](err); ok {
		return nil, f.Fault("checker", fault.Text, fault.Hint)
	}
	return made, err
}
