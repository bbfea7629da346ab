// Package workspace opens a problem directory with everything that runs it: the sandbox, the toolbox and the
// caches. It combines the packages below judge/ for commands, workers and other programs:
//
//	w, err := workspace.Find(env)         // the contest of a directory, and its judge.toml
//	err = w.Start(workspace.RunOptions{...}) // the sandbox
//	at, err := w.Locate(name)             // what the name stands for; looked up once
//	problem, faults, err := at.Ready(ctx) // with its cases, ready for judging
//	verifier := problem.Verifier()        // and so on
//	err = w.Close()
//
// It reads no flags and no environment variables, does not use the current directory, and prints nothing. Env
// contains all information about the environment, and events report what happens.
package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"assay"
	"assay/judge"
	"assay/judge/internal/cachedir"
	"assay/judge/packages"
	"assay/judge/packages/fill"
	"assay/judge/problem"
	"assay/judge/running/config"
	"assay/judge/running/lang"
	"assay/judge/running/sandbox"
	"assay/judge/running/trial"
)

// Env is the information that a workspace needs about its environment.
type Env struct {
	Dir   string // search for the contest here and in parents; if empty, the current directory
	Cache string // directory for built programs and generated cases; may be removed at any time
	// Headers lists directories with headers for setters' programs.
	Headers []string
	// DisplayPath shortens a path for output. If nil, paths are not changed.
	DisplayPath func(path string) string
	// Config, if not nil, contains the languages and limits that replace the contest's own, as returned by
	// config.Portable.
	Config []byte
}

// RunOptions describes how programs are run.
type RunOptions struct {
	Jobs              int      // maximum number of concurrent programs; at least 1
	RequiredIsolation string   // if "isolated", a machine without isolation is rejected
	Pin               bool     // keep each worker on one CPU
	Hidden            []string // see sandbox.Options
	// Shared, if not nil, is shared with other workspaces of this process. Then its number of jobs is used instead
	// of Jobs.
	Shared *Shared
	// OnBuild, if not nil, is called every second while a problem's program or a bot is being built. It is called
	// again with passed set to 0 when such a build has ended. If the build waits until a language is prepared,
	// preparing is the language's name. Building may be called from several goroutines.
	OnBuild func(path, preparing string, passed time.Duration)
	// OnProgress, if not nil, is called while missing test cases are made, with the number done and the total.
	// It may be called from several goroutines.
	OnProgress func(what string, done, of int)
}

// Shared is shared by the workspaces of a process. It limits the number of concurrent programs, and contains the
// lock for a run that must be alone.
type Shared struct {
	slots     sandbox.Slots
	exclusive trial.ExclusiveLock
}

// NewShared returns a Shared that allows at most jobs concurrent programs.
func NewShared(jobs int) *Shared { return &Shared{slots: sandbox.NewSlots(jobs)} }

// Workspace is a contest directory with everything that is needed to run programs. Once started, it is safe
// for concurrent use.
type Workspace struct {
	Root      string // the contest's directory
	IsBundled bool   // whether it is the bundled contest
	Config    *config.Config
	Cache     string
	Sandbox   *sandbox.Sandbox // nil until the workspace is started
	Tools     *lang.Toolbox    // nil until the workspace is started
	Jobs      int

	shared          bool // whether other workspaces of the process use the same CPUs
	displayPath     func(string) string
	onBuild         func(path, preparing string, passed time.Duration) // see RunOptions
	onProgress      func(what string, done, of int)                    // see RunOptions
	bundledCache    *cachedir.Cache                                    // all versions of the bundled problems
	archiveCache    *cachedir.Cache                                    // problems unpacked from archives
	filledCache     *cachedir.Cache                                    // packages whose cases were made
	findBundledRoot func() (string, error)                             // returns the root of the bundled contest
	sharedLimits    *Shared                                            // nil until the workspace is started
	makeLock        sync.Mutex                                         // held while cases that are not stored are made
}

// Find finds the contest of a directory: the directory itself or its nearest parent with a judge.toml, or with a
// directory problems/ that contains problems. If there is none, the bundled problems are used.
func Find(env Env) (*Workspace, error) {
	w := &Workspace{Cache: env.Cache, displayPath: env.DisplayPath}
	w.bundledCache = cachedir.Open(w.bundledDir(), cachedir.Limits{Bytes: 256 << 20})
	w.archiveCache = cachedir.Open(filepath.Join(w.Cache, "packages"), cachedir.Limits{Bytes: 8 << 30, Files: 500_000})
	w.filledCache = fill.OpenCache(w.Cache)
	w.findBundledRoot = sync.OnceValues(w.bundledRoot)
	dir := env.Dir
	if dir == "" {
		dir = "."
	}
	root, err := config.FindRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if root = problem.RootOf(packages.Formats, dir); root == "" {
			w.IsBundled = true
			root, err = w.findBundledRoot()
		} else {
			err = nil
		}
	}
	if err != nil {
		return nil, err
	}
	w.Root = root
	brought, err := assay.Files.ReadFile(config.FileName)
	if err != nil {
		return nil, err
	}
	defaults, err := config.Load("the judge's own "+config.FileName, brought, nil)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(w.Root, config.FileName)
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // without the file, the defaults apply
		return nil, err
	}
	if w.Config, err = config.Load(w.DisplayPath(file), data, defaults); err != nil {
		return nil, err
	}
	w.Config.Headers = append(w.Config.Headers, env.Headers...)
	if env.Config != nil {
		w.Config, err = config.LoadPortable("the languages and limits of the problem", env.Config, w.Config)
	}
	return w, err
}

// DisplayPath shortens a path for output.
func (w *Workspace) DisplayPath(path string) string {
	if w.displayPath == nil {
		return path
	}
	return w.displayPath(path)
}

// SelectProblems returns the names in named. If named is empty, it returns the names of all problems of the contest.
func (w *Workspace) SelectProblems(named []string) ([]string, error) {
	if len(named) > 0 {
		return named, nil
	}
	ids, err := w.OwnProblems()
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, &judge.UsageError{Err: errors.New("this contest has no problems yet\n    make one with: judge new <name>")}
	}
	return ids, nil
}

// Start starts the sandbox and the toolbox, unless they are running. The caller must call Close.
func (w *Workspace) Start(r RunOptions) error {
	if w.Sandbox != nil {
		return nil
	}
	w.shared = r.Shared != nil
	if r.Shared == nil {
		r.Shared = NewShared(max(r.Jobs, 0))
	} else {
		r.Jobs = cap(r.Shared.slots)
	}
	if r.Jobs < 1 {
		return &judge.UsageError{Err: fmt.Errorf("invalid number of jobs %d: enter a number from 1", r.Jobs)}
	}
	w.Jobs, w.onBuild, w.onProgress, w.sharedLimits = r.Jobs, r.OnBuild, r.OnProgress, r.Shared
	if r.RequiredIsolation == "" {
		r.RequiredIsolation = w.Config.Isolation
	}
	if r.RequiredIsolation == "any" {
		r.RequiredIsolation = ""
	}
	visible, err := lang.Locate(w.Config, w.Cache)
	if err != nil {
		return err
	}
	w.Sandbox, err = sandbox.New(
		sandbox.Options{ReadOnly: visible, Hidden: r.Hidden, Slots: r.Shared.slots, Isolation: r.RequiredIsolation, Pin: r.Pin},
	)
	if err != nil {
		return err
	}
	kit, err := KitSources()
	if err != nil {
		return err
	}
	w.Tools = lang.New(w.Config, w.Sandbox, w.Cache, kit)
	return nil
}

// KitSources returns the sources of the packages that setters' programs import.
func KitSources() (fs.FS, error) { return fs.Sub(assay.Files, "judge/kit") }

// Close stops everything that Start started.
func (w *Workspace) Close() error {
	if w.Sandbox == nil {
		return nil
	}
	return w.Sandbox.Close()
}

// Isolation returns the sandbox's isolation level on this machine, and the features that it does not enforce.
func (w *Workspace) Isolation() (string, []string) {
	r := w.Sandbox.Report()
	return string(r.Level), r.Unenforced()
}
