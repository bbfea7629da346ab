// Package workspace is a problem folder with all that runs it: the sandbox, the
// toolbox, the caches. It joins the packages below judge/ into what a command, a
// worker or another program calls:
//
//	w, err := workspace.Find(env)         // the contest of a folder, and its judge.toml
//	err = w.Start(workspace.Running{...}) // the sandbox
//	at, err := w.Locate(name)             // what the name stands for; looked up once
//	problem, faults, err := at.Ready(ctx) // with its cases, to be judged
//	verifier := problem.Verifier()        // and so on
//	err = w.Close()
//
// It reads no flags and no environment, has no current folder, prints nothing and
// draws nothing: what it must know of these comes in as Env, and what happens leaves
// as events.
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

// Env is what a workspace must be told of the world around it.
type Env struct {
	Dir   string // where the contest is looked for, here and above; "" is the current folder
	Cache string // for built programs and made cases; it may be removed at any time
	// Headers are folders in which compilers find headers of setters' programs.
	Headers []string
	// Near writes a path as it is shown to people; nil leaves every path as it is.
	Near func(path string) string
	// Config, if it is not nil, are the languages and limits that take the place of the
	// contest's own, as config.Portable wrote them.
	Config []byte
}

// Running says how programs run.
type Running struct {
	Jobs    int      // programs that run at one time; at least 1
	Require string   // "isolated": refuse a machine on which the sandbox cannot isolate
	Pin     bool     // keep each worker on one processor
	Hidden  []string // see sandbox.Options
	// Beside, if it is not nil, is what the workspace has in common with others of this
	// process; Jobs is then that of Beside.
	Beside *Beside
	// Building, if it is not nil, is called each second while a program of a problem or a
	// bot is built, and with 0 when a build of which it was told has ended. While the build
	// waits until a language is prepared, preparing is its name. It may be called from several
	// goroutines.
	Building func(path, preparing string, passed time.Duration)
	// Progress, if it is not nil, is called while test cases are made that a problem lacks: with what
	// is done and how much of it. It may be called from several goroutines.
	Progress func(what string, done, of int)
}

// Beside is what the workspaces of a process have in common: the number of programs at a
// time, and the lock for a run that must be alone.
type Beside struct {
	slots sandbox.Slots
	quiet trial.Quiet
}

// NewBeside has at most so many programs run at one time.
func NewBeside(jobs int) *Beside { return &Beside{slots: sandbox.NewSlots(jobs)} }

// Workspace is a contest folder with everything that is needed to run programs. Once
// it is started it is safe for concurrent use.
type Workspace struct {
	Root   string // the contest's folder
	House  bool   // whether it is the house's own, brought along by the judge
	Config *config.Config
	Cache  string
	Box    *sandbox.Sandbox // nil until it is started
	Tools  *lang.Toolbox    // nil until then
	Jobs   int

	shared    bool // other workspaces of the process use the same processors
	near      func(string) string
	building  func(path, preparing string, passed time.Duration) // see Running
	progress  func(what string, done, of int)                    // see Running
	house     *cachedir.Cache                                    // the house's problems, in each of their versions
	archives  *cachedir.Cache                                    // problems that came in archives, unpacked
	fillings  *cachedir.Cache                                    // packages whose cases were made
	houseRoot func() (string, error)                             // of the house's own contest
	beside    *Beside                                            // nil until it is started
	making    sync.Mutex                                         // held while cases that are not stored are made
}

// Find finds the contest of a folder: the nearest one above it with a judge.toml, or with a folder
// problems/ that has problems in it. Outside any, it takes the problems of the house.
func Find(env Env) (*Workspace, error) {
	w := &Workspace{Cache: env.Cache, near: env.Near}
	w.house = cachedir.Open(w.houseDir(), cachedir.Limits{Bytes: 256 << 20})
	w.archives = cachedir.Open(filepath.Join(w.Cache, "packages"), cachedir.Limits{Bytes: 8 << 30, Files: 500_000})
	w.fillings = fill.Shelf(w.Cache)
	w.houseRoot = sync.OnceValues(w.houseFolder)
	dir := env.Dir
	if dir == "" {
		dir = "."
	}
	root, err := config.FindRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if root = problem.RootOf(packages.Formats, dir); root == "" {
			w.House = true
			root, err = w.houseRoot()
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
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // without it, the defaults count
		return nil, err
	}
	if w.Config, err = config.Load(w.Near(file), data, defaults); err != nil {
		return nil, err
	}
	w.Config.Headers = append(w.Config.Headers, env.Headers...)
	if env.Config != nil {
		w.Config, err = config.LoadPortable("the languages and limits of the problem", env.Config, w.Config)
	}
	return w, err
}

// Near writes a path as it is shown to people.
func (w *Workspace) Near(path string) string {
	if w.near == nil {
		return path
	}
	return w.near(path)
}

// Names returns the problems that were named, or all of the contest.
func (w *Workspace) Names(named []string) ([]string, error) {
	if len(named) > 0 {
		return named, nil
	}
	ids, err := w.Own()
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, &judge.Misuse{Err: errors.New("this contest has no problems yet\n    make one with: judge new <name>")}
	}
	return ids, nil
}

// Start starts the sandbox and the toolbox, if they are not. The caller must call
// Close.
func (w *Workspace) Start(r Running) error {
	if w.Box != nil {
		return nil
	}
	w.shared = r.Beside != nil
	if r.Beside == nil {
		r.Beside = NewBeside(max(r.Jobs, 0))
	} else {
		r.Jobs = cap(r.Beside.slots)
	}
	if r.Jobs < 1 {
		return &judge.Misuse{Err: fmt.Errorf("%d programs at one time: at least one must run", r.Jobs)}
	}
	w.Jobs, w.building, w.progress, w.beside = r.Jobs, r.Building, r.Progress, r.Beside
	if r.Require == "" {
		r.Require = w.Config.Isolation
	}
	if r.Require == "any" {
		r.Require = ""
	}
	visible, err := lang.Locate(w.Config, w.Cache)
	if err != nil {
		return err
	}
	w.Box, err = sandbox.New(sandbox.Options{ReadOnly: visible, Hidden: r.Hidden, Slots: r.Beside.slots, Isolation: r.Require, Pin: r.Pin})
	if err != nil {
		return err
	}
	kit, err := Kit()
	if err != nil {
		return err
	}
	w.Tools = lang.New(w.Config, w.Box, w.Cache, kit)
	return nil
}

// Kit holds the sources of what setters' programs import.
func Kit() (fs.FS, error) { return fs.Sub(assay.Files, "judge/kit") }

// Close ends what Start started.
func (w *Workspace) Close() error {
	if w.Box == nil {
		return nil
	}
	return w.Box.Close()
}

// Rung names the sandbox's rung on this machine, and what it does not enforce.
func (w *Workspace) Rung() (string, []string) {
	r := w.Box.Report()
	return string(r.Rung), r.Weaker()
}
