package trial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/internal/window"
	"assay/judge/running/check"
	"assay/judge/running/lang"
)

// Batch runs a program that reads one input and prints one output.
type Batch struct {
	Runner          judge.Runner
	BuildSubmission func(ctx context.Context) (*lang.Result, error) // builds the submission
	Checker         check.Checker
	Limits          judge.Limits // per case
	Source          string       // the submission's file or directory; used only for CodeLimit
	// CodeLimit is the maximum size of the submission in bytes. Zero means no limit.
	CodeLimit int64
	TempDir   string // directory for outputs too large for memory; if empty, the system's default
	RunMode
	// KeepOutput, if not nil, is called with the output for each case.
	KeepOutput func(c *judge.Case, out *io.SectionReader) error
	// Exclusive delays other runs while a run must be alone. It may be shared with other benches. If nil, only runs of
	// this bench are delayed.
	Exclusive *ExclusiveLock

	ownLock   ExclusiveLock // used if Exclusive is nil
	setter    setter
	program   *judge.Program
	readOnly  readOnlyDir
	leftovers leftovers
}

// killFactor is the factor by which the CPU time limit is increased before a run is killed. A run that ends after its
// limit but before it is killed is repeated. A run that is killed is not repeated. The factor also applies to the
// repeated run, so that its time shows by how much it was too slow.
const killFactor = judge.NearLimit

// longerWall is the factor by which the wall time limit is increased for the repeated run, because the machine may
// be busy with other programs. A program that computes will reach its CPU time limit.
const longerWall = 4

// busyFraction is a fraction of the CPU time limit. If a run exceeded its wall time limit after using more CPU time than
// this, it was starved and not idle. Its repeated run gets more wall time.
const busyFraction = 0.1

// Build builds the submission. If it is too large, the result is a compile error.
func (b *Batch) Build(ctx context.Context) (*judge.Built, error) {
	start := time.Now()
	if size, err := b.codeSize(); err != nil || b.CodeLimit > 0 && size > b.CodeLimit {
		return &judge.Built{Verdict: judge.CompileError, Log: fmt.Sprintf(
			"the submission has %d bytes, at most %d are taken", size, b.CodeLimit,
		)}, err
	}
	var made *lang.Result
	var err error
	b.exclusiveLock().shared(func() { made, err = b.BuildSubmission(ctx) })
	if err != nil {
		return nil, err
	}
	built := &judge.Built{Log: made.Log, Cached: made.Cached, Millis: float64(time.Since(start).Microseconds()) / 1000}
	if !made.OK {
		built.Verdict, built.Command = judge.CompileError, made.Command
	}
	b.program = made.Program
	return built, nil
}

// codeSize returns the size of the submission in bytes. It returns zero if there is no limit for the size.
func (b *Batch) codeSize() (size int64, err error) {
	if b.CodeLimit <= 0 || b.Source == "" {
		return 0, nil
	}
	err = filepath.WalkDir(b.Source, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("measure the submission: %w", err)
	}
	return size, nil
}

// Try runs the program on one case.
func (b *Batch) Try(ctx context.Context, c *judge.Case) (*judge.Attempt, error) {
	return b.repeatIfSlow(func(limits judge.Limits) (*judge.Attempt, error) { return b.try(ctx, c, limits) })
}

// repeatIfSlow runs a case by calling try. If the result might be different without other runs, it calls try a second
// time, while nothing else runs.
func (b *Batch) repeatIfSlow(try func(limits judge.Limits) (*judge.Attempt, error)) (a *judge.Attempt, err error) {
	if !b.Retime {
		b.exclusiveLock().shared(func() { a, err = try(b.Limits) })
		return a, err
	}
	limits := b.Limits
	if !b.KnownSlow {
		limits.CPU = time.Duration(float64(limits.CPU) * killFactor)
	}
	b.exclusiveLock().shared(func() { a, err = try(limits) })
	if err != nil || !b.mayBeFaster(a) {
		return a, err
	}
	if a.Close != nil {
		a.Close()
	}
	if b.usedMuchCPU(a) {
		limits.Wall *= longerWall
	}
	var again *judge.Attempt
	b.exclusiveLock().exclusive(func() { again, err = try(limits) })
	if err != nil {
		return nil, err
	}
	again.Note = fmt.Sprintf(
		"run again alone: at first it took %v of CPU time, %v on the clock", a.Exec.CPU.Round(time.Millisecond),
		a.Exec.Wall.Round(time.Millisecond),
	)
	return again, nil
}

// mayBeFaster reports whether a run that exceeded its limits might have been within them if nothing else had run.
func (b *Batch) mayBeFaster(a *judge.Attempt) bool {
	verdict := judge.Classify(a.Exec, b.Limits)
	if a.Outcome != nil {
		verdict = a.Outcome.Verdict
	}
	switch verdict {
	case judge.TimeLimit:
		return a.Exec.Killed != judge.CPUTime && !b.KnownSlow
	case judge.IdlenessLimit:
		return !a.Exec.Asleep
	}
	return false
}

// usedMuchCPU reports whether a run that exceeded the wall time limit used much CPU time. Such a run was kept from a
// CPU, and did not wait by itself.
func (b *Batch) usedMuchCPU(a *judge.Attempt) bool {
	return a.Exec.CPU+a.InteractorCPU > time.Duration(float64(b.Limits.CPU)*busyFraction)
}

// try runs the program once on the input of the case.
func (b *Batch) try(ctx context.Context, c *judge.Case, limits judge.Limits) (*judge.Attempt, error) {
	in, err := os.Open(c.In)
	if err != nil {
		return nil, unreadable(c.In, "input", err)
	}
	defer in.Close()
	a, err := b.run(ctx, c, in, limits)
	if err == nil && b.KeepOutput != nil {
		if err = b.KeepOutput(c, a.Out); err != nil {
			a.Close()
		}
	}
	return a, err
}

// run runs the program once on an input.
func (b *Batch) run(ctx context.Context, c *judge.Case, in io.Reader, limits judge.Limits) (*judge.Attempt, error) {
	cmd, at, err := b.command(c, limits)
	if err != nil {
		return nil, err
	}
	defer at.remove()
	out := &capture{dir: b.TempDir}
	var stderr stderrTail
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, &stderr
	inFile, outFile := b.files()
	if inFile != "" {
		cmd.Stdin = nil
	}
	if outFile != "" {
		cmd.Stdout = nil
	}
	x, err := b.Runner.Run(ctx, cmd)
	if broken, ok := errors.AsType[*judge.ExecError](err); ok {
		x, err = unexecutable(broken, &stderr), nil
	}
	if err == nil && outFile != "" {
		x.Output, err = at.copyWritten(outFile, out, limits.Output)
	}
	if err == nil {
		b.countAll(&x, &stderr, &at)
	}
	if err == nil {
		var text *io.SectionReader
		if text, err = out.reader(); err == nil {
			if b.program.IgnoreByteOrderMarks {
				text = unmarked(text)
			}
			return &judge.Attempt{Exec: x, Out: text, Stderr: stderr.Bytes(), Close: out.close}, nil
		}
	}
	out.close()
	return nil, err
}

// unexecutable returns the result for a program that cannot be executed. Programs that the judge builds can be
// executed, so this one is an executable file from the contestant.
func unexecutable(broken *judge.ExecError, stderr io.Writer) judge.Exec {
	fmt.Fprintln(stderr, broken.Error())
	return judge.Exec{Exit: 127}
}

// unreadable returns the fault for a case with a file that does not exist or cannot be read. The parameter what
// describes the file.
func unreadable(path, role string, err error) *judge.ProblemError {
	return &judge.ProblemError{
		File: path, Text: "the case has no " + role + " that can be read: " + err.Error(),
		Hint: "make cases and answers with: judge generate",
	}
}

// Check compares the output with the answer, or runs the problem's checker.
func (b *Batch) Check(ctx context.Context, c *judge.Case, a *judge.Attempt) (judge.Outcome, error) {
	files, err := openCase(c)
	if err != nil {
		return judge.Outcome{}, err
	}
	defer files.close()
	var o judge.Outcome
	b.exclusiveLock().shared(func() { o, err = b.Checker.Check(ctx, files.request(c, a.Out)) })
	return o, err
}

// Close stops the checker and the setter's other programs.
func (b *Batch) Close() (err error) {
	if b.Checker != nil {
		err = b.Checker.Close()
	}
	if b.readOnly.path != "" {
		b.leftovers.remove(b.readOnly.path)
	}
	return errors.Join(append(b.leftovers.errors, err, b.setter.close())...)
}

// Explain returns excerpts of the input, the answer and the output.
func (b *Batch) Explain(c *judge.Case, a *judge.Attempt, o judge.Outcome) *judge.Detail {
	files, err := openCase(c)
	if err != nil {
		return nil // Check has reported the error, or the program ended before
	}
	defer files.close()
	return window.Detail(files.in, files.ans, a.Out, o.Place)
}

// caseFiles contains the two open files of a case.
type caseFiles struct {
	in, ans *io.SectionReader
	open    []*os.File
}

// openCase opens the files of a case. If the case needs no answer, the answer is empty.
func openCase(c *judge.Case) (files caseFiles, err error) {
	if files.in, err = files.add(c.In); err != nil {
		return files, unreadable(c.In, "input", err)
	}
	if c.Ans == "" {
		files.ans = io.NewSectionReader(strings.NewReader(""), 0, 0)
		return files, nil
	}
	if files.ans, err = files.add(c.Ans); err != nil {
		files.close()
		return files, unreadable(c.Ans, "answer", err)
	}
	return files, nil
}

// request returns the checker's request for the case.
func (f *caseFiles) request(c *judge.Case, out *io.SectionReader) check.Request {
	return check.Request{Case: c.ID(), In: f.in, Ans: f.ans, Out: out, Args: c.CheckerArgs}
}

func (f *caseFiles) add(path string) (*io.SectionReader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f.open = append(f.open, file)
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return io.NewSectionReader(file, 0, info.Size()), nil
}

func (f *caseFiles) close() {
	for _, file := range f.open {
		file.Close()
	}
}
