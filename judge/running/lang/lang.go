// Package lang builds a judge.Program from a source file, a directory, or an executable, according to the
// language's settings in judge.toml. It does not know any language by name: to add one, add a [[language]] to
// judge.toml.
//
// Detect finds the language. Build copies the sources to a new directory, runs the language's build commands there
// through a Runner, and saves the results in a cache. If a program is unchanged, Build takes it from the cache and
// runs nothing. Locate returns the paths that the sandbox must show. Ready and Hello report which languages work
// on this machine.
//
// A program that does not compile gives a Result, not an error. A missing tool gives a *MissingError. A file that
// is not a program gives an *UnusableError.
//
// The package neither limits nor isolates the compilers: the Runner does that. It does not judge the programs it
// builds.
package lang

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"assay/judge"
	"assay/judge/running/config"
)

// Toolbox builds programs. It is safe for concurrent use.
type Toolbox struct {
	cfg        *config.Config
	runner     judge.Runner
	cache      *cache
	tools      *locator
	kit        fs.FS
	overloaded func() bool // reports whether this machine is overloaded

	preparing atomic.Pointer[preparation]
}

// New returns a toolbox whose cache is in the directory cache. The parameter kit contains the sources of the kit,
// for the languages that support it.
func New(cfg *config.Config, runner judge.Runner, cache string, kit fs.FS) *Toolbox {
	return &Toolbox{
		cfg: cfg, runner: runner, kit: kit,
		cache:      newCache(cache),
		tools:      newLocator(cfg, cache),
		overloaded: overloaded,
	}
}

// Origin is who wrote a program.
type Origin string

const (
	// ByContestant is for programs with unknown content.
	ByContestant Origin = "contestant"
	// BySetter is the origin of programs from a problem directory. Their builds never use anything that a
	// contestant's compiler could have written.
	BySetter Origin = "setter"
)

// Result is the result of a build.
type Result struct {
	Program  *judge.Program // nil if it does not compile
	OK       bool           // false for a compile error
	Log      string         // the compiler's first lines, errors or warnings
	Command  string         // the failed command, as in a shell; empty if none failed
	Stopped  judge.Resource // the exceeded limit, if the build was stopped for its time; otherwise Nothing
	Cached   bool           // whether it was built before
	Duration time.Duration
}

// Build builds the program at path. The default origin is ByContestant.
func (t *Toolbox) Build(ctx context.Context, path string, l *config.Language, origin ...Origin) (*Result, error) {
	from := ByContestant
	if len(origin) > 0 {
		from = origin[0]
	}
	return t.BuildWith(ctx, path, l, from, BuildOptions{})
}

// BuildOptions contains options for a build.
type BuildOptions struct {
	Entry string // entry file of a directory, with or without extension; empty: names decide
	Guess bool   // use the first file if no name decides
	Lines int    // number of compiler output lines to show for a failure; zero means the default
	// Header, if not nil, finds a header that a setter's program includes but does not contain.
	Header func(name string) (data []byte, found bool)
}

// BuildWith is like Build, but with options.
func (t *Toolbox) BuildWith(ctx context.Context, path string, l *config.Language, origin Origin, extra BuildOptions) (*Result, error) {
	start := time.Now()
	src, err := t.readSource(path, l, extra)
	if err != nil {
		return nil, err
	}
	if origin == BySetter {
		t.addHeaders(src, l, extra.Header)
	}
	r, err := t.build(ctx, src, l, origin)
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", path, err)
	}
	r.Duration = time.Since(start)
	if r.Program != nil {
		r.Program.Name = path
	}
	return r, nil
}

// build finds the program in the cache or builds it.
func (t *Toolbox) build(ctx context.Context, src *source, l *config.Language, origin Origin) (*Result, error) {
	chain, err := t.tools.find(ctx, l)
	if err != nil {
		return nil, err
	}
	key, err := t.key(src, l, chain, origin)
	if err != nil {
		return nil, err
	}
	if e, ok := t.cache.find(key); ok {
		r := t.result(e, src, l, chain)
		r.Cached = true
		return r, nil
	}
	cached := true // false if this call builds it
	dir, err := t.cache.programs.Add(ctx, key, func(dir string) error {
		cached = false
		return t.compile(ctx, src, l, chain, origin, dir)
	})
	if failed, ok := errors.AsType[*compileError](err); ok {
		return &Result{Log: failed.log, Command: failed.command, Stopped: failed.stopped}, nil
	}
	if err != nil {
		return nil, err
	}
	e, err := readEntry(dir, key)
	if err != nil {
		return nil, err
	}
	r := t.result(e, src, l, chain)
	r.Cached = cached
	return r, nil
}

// result returns the Result for a cache entry.
func (t *Toolbox) result(e *entry, src *source, l *config.Language, chain *toolchain) *Result {
	words := e.Words
	argv := chain.command(l.Run, words, nil)
	return &Result{
		OK:  true,
		Log: src.readable(e.Log),
		Program: &judge.Program{
			Language:             l.ID,
			Key:                  e.key,
			Dir:                  e.dir,
			Argv:                 argv,
			Env:                  chain.environment(words, t.cfg.Env, l.Env),
			IgnoreByteOrderMarks: l.Marks,
		},
	}
}

// environment merges tables of variables; later tables override earlier ones. Directories of tools in unusual
// places are put at the start of PATH.
func (c *toolchain) environment(words map[string]string, tables ...map[string]string) []string {
	all := map[string]string{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	if path, ok := all["PATH"]; ok && len(c.bins) > 0 {
		all["PATH"] = strings.Join(c.bins, ":") + ":" + path
	}
	env := make([]string, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		env = append(env, name+"="+fill(all[name], words))
	}
	return env
}

// UnusableError describes why a file or directory is not a program that can be judged. It unwraps to a
// *judge.ProblemError, for paths that a setter has given.
type UnusableError struct {
	Fault         *judge.ProblemError
	NeedsLanguage bool // whether the file may be a program in a language that the caller must name
}

func (e *UnusableError) Error() string { return e.Fault.Error() }
func (e *UnusableError) Unwrap() error { return e.Fault }

// Blame returns judge.Contestant.
func (*UnusableError) Blame() judge.Blame { return judge.Contestant }

func unusable(path, hint, format string, args ...any) error {
	return &UnusableError{Fault: &judge.ProblemError{File: path, Text: fmt.Sprintf(format, args...), Hint: hint}}
}

// undetectable returns an UnusableError for a program whose language cannot be detected.
func undetectable(path, hint, format string, args ...any) error {
	return &UnusableError{&judge.ProblemError{File: path, Text: fmt.Sprintf(format, args...), Hint: hint}, true}
}

// MissingError means that a language cannot be used because a tool is missing.
type MissingError struct {
	Language string   // the language's name
	Tools    []string // the missing tools
	Package  string   // the Debian package that contains them
	Obtain   string   // where else to get them
	// Broken is the reason if an existing tool cannot be used because it does not report its location.
	Broken error
}

func (e *MissingError) Error() string {
	if e.Broken != nil {
		return fmt.Sprintf("%s needs %s, which does not work on this machine: %v", e.Language, strings.Join(e.Tools, " and "), e.Broken)
	}
	text := fmt.Sprintf("%s needs %s, which is not installed", e.Language, strings.Join(e.Tools, " and "))
	if e.Package != "" {
		text += "\n    apt-get install " + e.Package
	}
	if e.Obtain != "" {
		text += "\n    " + e.Obtain
	}
	return text
}

// commandError returns the error for running a command of a language. If the command cannot be executed, the error
// says that the command comes from judge.toml.
func commandError(l *config.Language, err error) error {
	if _, refused := errors.AsType[*judge.ExecError](err); refused {
		return fmt.Errorf(
			"a command of %s in judge.toml: %w\n    the sandbox has no such command: install it, or add its directory to `visible` in judge.toml",
			l.Name,
			err,
		)
	}
	if _, unseen := errors.AsType[*judge.NotVisibleError](err); unseen {
		return fmt.Errorf("a command of %s in judge.toml: %w", l.Name, err)
	}
	return err
}
