// Package fill makes the cases of problem packages that contain recipes for them instead of files: generators.yaml
// as defined by BAPCtools (Generators), and the commands in the problem.xml of Polygon packages, which package
// polygon reads. A package may also contain a shell script that makes all cases (Script).
//
//	recipe --generator, or copied, or written out--> .in --solution--> .ans
//
// Seeds are computed as in BAPCtools, so the cases are the same as the authors'. A case that cannot be made is a
// fault, and the others are still made.
//
// The package does not validate the files it makes and does not change the package's own directory: Fill writes a
// data directory elsewhere.
package fill

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"assay/judge"
	"assay/judge/internal/forceremove"
	"assay/judge/internal/tail"
)

// Recipe describes how to make the data directory of a package.
type Recipe struct {
	Cases []*Case
	// Script, if not nil, makes the data directory instead.
	Script *Script
	Files  map[string][]byte // other files of the data directory, such as secret/test_group.yaml
	// Place returns where the package itself stores a file of the data directory. If nil, files are in the
	// directory data.
	Place func(name string) string
}

// Case is a case to be made.
type Case struct {
	Path       string   // in the data directory, without an extension: "secret/01-small"
	ExtraPaths []string // further paths for the same case

	File string // the case's position in the recipe, for faults
	Line int

	// Generate of the case's files. Generated files override copied ones, which override files in the recipe.
	Generate *Command
	Copy     string            // path without an extension; empty if none
	From     map[string]string // files to be copied, by extension; line ends become those of Unix
	Files    map[string][]byte // by extension, such as ".in"

	Answer  AnswerSource
	Matches map[string][]*regexp.Regexp // expressions that the case's files must match, by extension
}

// AnswerSource describes how to make the missing answer of a case.
type AnswerSource struct {
	Solutions []*judge.SetterProgram // the first one that can be built makes the answer
	Empty     bool                   // whether answers are empty files because the problem is interactive
	In, Out   string                 // files that the solutions use instead of standard input and output
}

// Command runs a generator.
type Command struct {
	Program *judge.SetterProgram
	Args    func(seed uint32) []string
	Seed    uint32
	Retries int    // number of further seeds to try if it fails
	Output  string // file for the input; if empty, standard output or testcase.in
}

// Filler makes cases.
type Filler struct {
	Runner judge.Runner
	// Follow returns the target of a link out of the package, and whether the link may be followed. If Follow is
	// nil, no such link may be followed.
	Follow func(link string) (target string, ok bool)
	// Builder builds generators and solutions.
	Builder judge.Builder
	Jobs    int
	Limits  judge.Limits // limits for one run of a generator or solution
	// Progress, if not nil, is called with the number of cases made. It may be called from several goroutines.
	Progress func(done, of int)

	mu    sync.Mutex
	built map[*judge.SetterProgram]*result
}

type result struct {
	once    sync.Once
	program *judge.Program
	err     error
}

// Extensions lists the file extensions that a case may have.
var Extensions = []string{
	".in", ".ans", ".out", ".in.statement", ".ans.statement", ".in.download", ".ans.download", ".interaction", ".yaml",
	".hint", ".desc", ".png", ".jpg", ".jpeg", ".svg", ".pdf",
}

// Fill makes the cases of the recipe in the directory dir, which must exist. The faults are for cases that could
// not be made, in the recipe's order. The error is not due to the setter.
func (f *Filler) Fill(ctx context.Context, r *Recipe, dir string) (judge.ProblemErrors, error) {
	if err := writeFiles(dir, r.Files); err != nil {
		return nil, err
	}
	if r.Script != nil {
		return f.script(ctx, r.Script, dir)
	}
	found := make([]*judge.ProblemError, len(r.Cases))
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(max(f.Jobs, 1))
	var mu sync.Mutex
	done := 0
	for i, c := range r.Cases {
		group.Go(func() error {
			err := f.makeCase(gctx, c, dir)
			if fault, ok := errors.AsType[*judge.ProblemError](err); ok {
				found[i], err = c.fault(fault), nil
			}
			if f.Progress != nil && err == nil {
				mu.Lock()
				done++
				now := done
				mu.Unlock()
				f.Progress(now, len(r.Cases))
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found, func(f *judge.ProblemError) bool { return f == nil }), nil
}

// fault adds the case's position and name to f.
func (c *Case) fault(f *judge.ProblemError) *judge.ProblemError {
	if f.File != "" {
		return f
	}
	return &judge.ProblemError{File: c.File, Line: c.Line, Text: fmt.Sprintf("case %s: %s", c.Path, f.Text), Hint: f.Hint}
}

// writeFiles writes files below dir. It never writes outside dir, even through links.
func writeFiles(dir string, files map[string][]byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("fill the data directory: %w", err)
	}
	defer root.Close()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := replace(root, name, files[name]); err != nil {
			return err
		}
	}
	return nil
}

// workDir is the path of a generator's working directory inside the sandbox.
const workDir = "/case"

// makeCase makes the files of a case.
func (f *Filler) makeCase(ctx context.Context, c *Case, dir string) error {
	files := map[string][]byte{}
	if c.Generate != nil {
		if err := f.generate(ctx, c.Generate, files); err != nil {
			return err
		}
	}
	if c.Copy != "" {
		if err := copyFiles(c.Copy, files); err != nil {
			return err
		}
	}
	for ext, name := range c.From {
		data, err := os.ReadFile(name)
		if err != nil {
			return &judge.ProblemError{Text: "copy " + err.Error()}
		}
		files[ext] = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	}
	maps.Copy(files, c.Files)
	if err := f.answer(ctx, c, files); err != nil {
		return err
	}
	for ext, patterns := range c.Matches {
		for _, p := range patterns {
			if !p.Match(files[ext]) {
				return &judge.ProblemError{Text: fmt.Sprintf("nothing in the %s file matches %s", ext, p)}
			}
		}
	}
	out := map[string][]byte{}
	for _, at := range append([]string{c.Path}, c.ExtraPaths...) {
		for ext, data := range files {
			out[at+ext] = data
		}
	}
	return writeFiles(dir, out)
}

// program builds a program once for all callers.
func (f *Filler) program(ctx context.Context, p *judge.SetterProgram) (*judge.Program, error) {
	f.mu.Lock()
	if f.built == nil {
		f.built = map[*judge.SetterProgram]*result{}
	}
	r := f.built[p]
	if r == nil {
		r = new(result)
		f.built[p] = r
	}
	f.mu.Unlock()
	r.once.Do(func() { r.program, r.err = f.Builder.BuildProgram(ctx, p) })
	return r.program, r.err
}

// generate runs a generator in an empty directory. Its standard output becomes the input of the case, unless the
// generator writes testcase.in.
func (f *Filler) generate(ctx context.Context, g *Command, files map[string][]byte) error {
	program, err := f.program(ctx, g.Program)
	if err != nil {
		return err
	}
	var last error
	for try := range uint32(max(g.Retries, 1)) {
		var x judge.Exec
		x, last = f.try(ctx, program, g, (g.Seed+try)%(1<<31), files)
		if _, ok := errors.AsType[*judge.ProblemError](last); !ok || x.Killed != judge.NoResource {
			return last
		}
	}
	return last
}

func (f *Filler) try(
	ctx context.Context, program *judge.Program, g *Command, seed uint32, files map[string][]byte,
) (x judge.Exec, err error) {
	work, err := newWorkDir()
	if err != nil {
		return x, err
	}
	defer remove(work, &err)
	var out bytes.Buffer
	var stderr tail.Buffer
	command := program.Command(f.Limits, append(slices.Clone(g.Program.Args), g.Args(seed)...)...)
	command.Dir, command.Stdout, command.Stderr = workDir, &out, &stderr
	command.Mounts = append(command.Mounts, f.workMount(work, 1))
	x, err = f.Runner.Run(ctx, command)
	if err != nil {
		return x, err
	}
	if v := judge.Classify(x, f.Limits); v != judge.NotJudged {
		return x, &judge.ProblemError{
			Text: fmt.Sprintf("the generator ended badly (%s, %s)", v.Words(), x.Termination()),
			Hint: strings.TrimSpace(string(stderr.Bytes())),
		}
	}
	if err := collect(work, g.Output, files); err != nil {
		return x, err
	}
	if files[".in"] == nil {
		files[".in"] = out.Bytes()
	}
	if len(files[".in"]) == 0 {
		return x, &judge.ProblemError{Text: "the generator printed nothing"}
	}
	return x, nil
}

// maxFile is the largest file that a generator may write, in bytes.
const maxFile = 512 << 20

// collect reads the files that a generator wrote: testcase.<ext>. If output is not empty, it is the name of the
// file that contains the input. Links are ignored.
func collect(dir, output string, files map[string][]byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("read what a generator wrote: %w", err)
	}
	defer root.Close()
	wrote := map[string]string{}
	for _, ext := range Extensions {
		wrote[ext] = "testcase" + ext
	}
	if output != "" {
		wrote[".in"] = output
	}
	for ext, name := range wrote {
		info, err := root.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if info.Size() > maxFile {
			return &judge.ProblemError{Text: fmt.Sprintf("the program wrote %d bytes to %s", info.Size(), name)}
		}
		if files[ext], err = root.ReadFile(name); err != nil {
			return fmt.Errorf("read what a generator wrote: %w", err)
		}
	}
	if output != "" && files[".in"] == nil {
		return &judge.ProblemError{Text: fmt.Sprintf("the program did not write the file %s", output)}
	}
	return nil
}

// copyFiles reads the files of a case from the paths base.<ext> into the map files.
func copyFiles(base string, files map[string][]byte) error {
	copied := false
	for _, ext := range Extensions {
		data, err := os.ReadFile(base + ext)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return &judge.ProblemError{Text: "copy " + base + ext + ": " + err.Error()}
		}
		files[ext], copied = data, true
	}
	if !copied {
		return &judge.ProblemError{Text: fmt.Sprintf("there is no file %s.in to copy", base)}
	}
	return nil
}

// noAnswerDirs lists directories whose cases need no generated answer: they have none, or already contain it.
var noAnswerDirs = []string{"invalid_input", "invalid_answer", "invalid_output", "valid_output", "testing_tool_test"}

// answer makes the missing answer of a case.
func (f *Filler) answer(ctx context.Context, c *Case, files map[string][]byte) (err error) {
	first, _, _ := strings.Cut(c.Path, "/")
	input := files[".in"]
	switch {
	case input == nil && files[".in.statement"] == nil && files[".interaction"] == nil:
		return &judge.ProblemError{Text: "the case has no input", Hint: "it needs one of: in, copy, generate"}
	case files[".ans"] != nil || input == nil || slices.Contains(noAnswerDirs, first):
		return nil
	case c.Answer.Empty:
		files[".ans"] = []byte{}
		return nil
	case len(c.Answer.Solutions) == 0:
		return nil
	}
	var program *judge.Program
	for _, part := range c.Answer.Solutions {
		if program, err = f.program(ctx, part); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return err
	}
	var out bytes.Buffer
	var stderr tail.Buffer
	command := program.Command(f.Limits)
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(input), &out, &stderr
	work := ""
	if c.Answer.In != "" || c.Answer.Out != "" {
		if work, err = newWorkDir(); err != nil {
			return err
		}
		defer remove(work, &err)
		command.Dir = workDir
		command.Mounts = append(command.Mounts, f.workMount(work, 1))
	}
	if c.Answer.In != "" {
		command.Stdin = nil
		if err := writeAll(filepath.Join(work, c.Answer.In), input); err != nil {
			return err
		}
	}
	x, err := f.Runner.Run(ctx, command)
	if err != nil {
		return err
	}
	if v := judge.Classify(x, f.Limits); v != judge.NotJudged {
		return &judge.ProblemError{
			Text: fmt.Sprintf("the solution %s fails on it: %s (%s)", path.Base(program.Name), v.Words(), x.Termination()),
			Hint: strings.TrimSpace(string(stderr.Bytes())),
		}
	}
	files[".ans"] = out.Bytes()
	if c.Answer.Out == "" {
		return nil
	}
	wrote := map[string][]byte{}
	if err := collect(work, c.Answer.Out, wrote); err != nil {
		return err
	}
	files[".ans"] = wrote[".in"]
	return nil
}

// maxFiles is the maximum number of files that a program may write for a case.
const maxFiles = 10_000

// workMount mounts the working directory of a program. For each case, the program may write there as many bytes as
// the output limit or the scratch limit allows, whichever is larger.
func (f *Filler) workMount(work string, cases int64) judge.Mount {
	return judge.Mount{
		Host: work, At: workDir, Writable: true, Bytes: cases * max(f.Limits.Output, f.Limits.Scratch),
		Files: cases * maxFiles,
	}
}

// newWorkDir creates a working directory for a program that runs as another user.
func newWorkDir() (string, error) {
	work, err := os.MkdirTemp("", "assay-fill-")
	if err == nil {
		err = os.Chmod(work, 0o777)
	}
	if err != nil {
		return "", fmt.Errorf("make a directory for a program: %w", err)
	}
	return work, nil
}

// remove removes a program's working directory.
func remove(work string, err *error) {
	if failed := forceremove.All(work); failed != nil {
		*err = errors.Join(*err, failed)
	}
}

// writeAll writes a file that all users may read.
func writeAll(path string, data []byte) error {
	err := os.WriteFile(path, data, 0o644)
	if err == nil {
		err = os.Chmod(path, 0o644)
	}
	if err != nil {
		return fmt.Errorf("show a program its input: %w", err)
	}
	return nil
}
