package judge

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Program is anything that runs: a contestant's solution, the reference solution, a checker, a validator, a
// generator, a bot. Package lang makes programs; a Runner runs them.
type Program struct {
	Name     string   // name for people: the file or directory that it was made from
	Language string   // the id of its language in judge.toml
	Key      string   // hash of everything that went into it; programs with equal keys behave alike
	Dir      string   // host directory shown to the program as /program; empty if none
	Argv     []string // how to run it, with paths inside the sandbox
	Env      []string // its whole environment, "NAME=value"
	Marks    bool     // byte order marks before its output come from its runtime, and are ignored

	// Interpret, if not nil, replaces all this: the judge interprets the program itself. Given the arguments
	// it makes a function that returns what is wrong with an input, or "" for a valid one.
	Interpret func(args []string) (Interpreted, error)
}

// Interpreted judges an input without a process.
type Interpreted func(ctx context.Context, input []byte) (complaint string, err error)

// Builder builds the setter's programs of a problem. It is safe for concurrent use.
type Builder interface {
	// Part makes a program ready to run. If the program cannot be built here, the error is a *Fault.
	Part(ctx context.Context, p *Part) (*Program, error)
}

// ProgramDir is the path of a Program's Dir inside the sandbox.
const ProgramDir = "/program"

// MemoryMiB, in a Program's Argv or Env, is replaced by the memory limit in MiB, for languages whose runtime
// has a heap of fixed size. Without a memory limit, the argument or variable is omitted.
const MemoryMiB = "{memory_mib}"

// HeapMiB is replaced by the heap size, in MiB, for a language runtime: the memory limit minus the runtime's
// own overhead. It is never more than a machine may be expected to have.
const HeapMiB = "{heap_mib}"

// heapMiB returns most of the limit, at least three eighths of it.
func heapMiB(memory int64) int64 {
	mib := memory >> 20
	return min(1024, max(mib*3/8, mib-64-mib/16))
}

// Command returns the command that runs the program with these further arguments.
func (p *Program) Command(limits Limits, args ...string) *Command {
	c := &Command{Env: withMemory(p.Env, limits), Limits: limits}
	c.Argv = append(withMemory(p.Argv, limits), args...)
	if p.Dir != "" {
		c.Mounts = []Mount{{Host: p.Dir, At: ProgramDir}}
	}
	return c
}

// withMemory returns a copy of the words with MemoryMiB and HeapMiB replaced.
func withMemory(words []string, limits Limits) []string {
	filled := make([]string, 0, len(words))
	for _, w := range words {
		if strings.Contains(w, MemoryMiB) || strings.Contains(w, HeapMiB) {
			if limits.Memory <= 0 {
				continue
			}
			w = strings.ReplaceAll(w, MemoryMiB, fmt.Sprint(limits.Memory>>20))
			w = strings.ReplaceAll(w, HeapMiB, fmt.Sprint(heapMiB(limits.Memory)))
		}
		filled = append(filled, w)
	}
	return filled
}

// Command is one process to run.
type Command struct {
	Argv   []string // Argv[0] is a path inside the sandbox, or a name to look up in Env's PATH
	Env    []string // the whole environment, "NAME=value"
	Dir    string   // working directory inside the sandbox; if empty, the private scratch directory
	Mounts []Mount  // host directories that are visible inside

	// Stdin is read to its end, or until the process has ended. If nil, the input is empty. An *os.File that
	// is not a regular file is passed to the process unchanged. A regular file may be opened again under
	// another name; then its own offset does not change.
	Stdin io.Reader
	// Stdout and Stderr receive what the process writes. If nil, the output is discarded. Standard output is
	// counted against Limits.Output in any case, unless it is an *os.File, which is passed to the process
	// unchanged. A Writer is never called after Run has returned.
	Stdout, Stderr io.Writer

	Limits Limits

	// Locks means that the process may lock files, as build tools must. Processes that run at the same time
	// could communicate by locks on files that all of them see.
	Locks bool
}

// Mount shows a host directory inside the sandbox. A Runner that cannot mount replaces At by Host in Argv,
// Env and Dir.
type Mount struct {
	Host     string // absolute path outside
	At       string // absolute path inside, such as "/program"
	Writable bool
	// Bytes and Files bound what a run may add to a writable directory. Zero means no bound. A run that adds
	// more is killed, with Output as the reason. A full disk is an error, regardless of the bounds.
	Bytes, Files int64
}

// Runner runs commands. It is safe for concurrent use.
type Runner interface {
	// Run runs the command to its end and returns what happened.
	//
	// An error means that the judge or the machine is at fault, or that ctx ended; the process is gone in
	// every case. What the program did, however bad, is in Exec. If a command cannot be executed (no such
	// file, not executable, wrong machine), the error is an *ExecError.
	Run(ctx context.Context, c *Command) (Exec, error)

	// Start starts a long-running process that communicates over pipes. The command's Stdin and Stdout must
	// be nil. If ctx ends, the process is killed. The caller must call Wait.
	Start(ctx context.Context, c *Command) (Process, error)
}

// Process is a running program with a pipe at each end.
type Process interface {
	Stdin() io.WriteCloser
	Stdout() io.Reader
	// Kill ends the process and everything it started. It is safe to call at any time, from any goroutine.
	Kill()
	// CPUWait returns how long the process has waited for a CPU since its start, because of other programs,
	// or because its runner could not start it yet. Some systems do not record waits. There, a wait between
	// two calls may be missed, so a caller that measures time must call it every few dozen milliseconds. It
	// is zero if the system does not report waits.
	CPUWait() time.Duration
	// Wait waits for the end and returns what happened.
	Wait() (Exec, error)
}

// Joiner runs processes that are connected by pipes.
type Joiner interface {
	// Join runs processes together, each with its own limits, and waits for all. An error means that the
	// judge or the machine is at fault, or that ctx ended.
	Join(ctx context.Context, all []Joined) ([]Ended, error)
}

// Joined is one of several processes that are connected by pipes.
type Joined struct {
	*Command // its Stdin and Stdout must be nil

	// To is the index of the process that reads what this one writes.
	To int
	// Copy, if not nil, receives a copy of what this process writes to its reader. A pipe with a copy is
	// slower, because the bytes pass through the judge.
	Copy io.Writer
	// Held protects both sides from the end of the other one. If the reader ends first, later output is
	// discarded; without Held, the process gets SIGPIPE. The reader reaches the end of its input only when
	// this process has ended, or a moment after it closed its output. With Held, Limits.Output counts. It has
	// no effect without a Copy.
	Held bool
	// Ends is called when the process has ended. If it returns true, the others are killed. If nil, they are
	// not.
	Ends func(Exec) bool
	// Outlived is how long the others may continue after this process was killed at one of its limits. Zero
	// means no limit.
	Outlived time.Duration
}

// Ended is what happened to one joined process.
type Ended struct {
	Exec
	Order     int   // 1 for the process that ended first, and so on
	Dismissed bool  // it was killed because of Ends or Outlived of another process
	Stuck     bool  // it was killed at its wall time limit, while both waited for each other
	Err       error // an *ExecError, or an error of the judge or the machine
}

// ExecError means that a command could not be executed at all.
type ExecError struct {
	Argv0  string
	Reason string // "no such file", "not executable", "made for another machine", ...
}

// Error names the program and the reason.
func (e *ExecError) Error() string { return "run " + e.Argv0 + ": " + e.Reason }

// UnseenError means that a command of the judge, such as a compiler, exists on this machine but cannot be
// executed, because the sandbox does not show it. No program is at fault.
type UnseenError struct {
	Argv0  string
	Chain  []string // files that are needed: each is followed by its interpreter or link target
	Hidden []string // directories to be shown
	Never  bool     // the sandbox has its own directory there, and cannot show them
}

// Error says where the command was found, and what to do.
func (e *UnseenError) Error() string {
	text := "run " + e.Argv0 + ": the sandbox does not show it: it is " + strings.Join(e.Chain, ", which needs ")
	if e.Never {
		return text + "\n    move it to a directory that is not below /tmp or /var/tmp"
	}
	quoted := make([]string, len(e.Hidden))
	for i, dir := range e.Hidden {
		quoted[i] = strconv.Quote(dir)
	}
	return text + "\n    set this in judge.toml, in addition to its entries:\n" +
		"    [sandbox]\n    visible = [" + strings.Join(quoted, ", ") + "]"
}
