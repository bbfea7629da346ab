package judge

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Program is anything that can be run: a contestant's solution, the reference solution, a checker, a validator, a
// generator, or a bot. Package lang makes programs, and a Runner runs them.
type Program struct {
	Name                 string   // name for messages: the file or directory from which it was made
	Language             string   // id of its language in judge.toml
	Key                  string   // hash of everything that affects it; programs with equal keys behave alike
	Dir                  string   // host directory that the program sees as /program; empty if none
	Argv                 []string // command line, with paths inside the sandbox
	Env                  []string // the complete environment, as "NAME=value"
	IgnoreByteOrderMarks bool     // byte order marks before its output come from its runtime and must be ignored

	// Interpret, if not nil, replaces all other fields: the judge interprets the program itself. Given the
	// arguments, Interpret returns a function that checks inputs.
	Interpret func(args []string) (InputCheckFunc, error)
}

// InputCheckFunc checks an input without a process. It returns what is wrong with the input, or "" if the input is
// valid.
type InputCheckFunc func(ctx context.Context, input []byte) (complaint string, err error)

// Builder builds the setter's programs of a problem. Its methods are safe for concurrent use.
type Builder interface {
	// BuildProgram makes a program ready to run. If the program cannot be built here, it returns a *Fault.
	BuildProgram(ctx context.Context, p *SetterProgram) (*Program, error)
}

// ProgramDir is the path of a Program's Dir inside the sandbox.
const ProgramDir = "/program"

// MemoryMiB, in a Program's Argv or Env, is replaced by the memory limit in MiB, for languages whose runtime
// has a heap of fixed size. Without a memory limit, the argument or variable is omitted.
const MemoryMiB = "{memory_mib}"

// HeapMiB is replaced by the heap size, in MiB, for a language runtime. That is the memory limit minus the
// runtime's own overhead, but no more than a machine can be expected to have.
const HeapMiB = "{heap_mib}"

// heapMiB returns the size of a heap, in MiB, for a memory limit in bytes. It is most of the limit and at least
// three eighths of it, but never more than 1024 MiB.
func heapMiB(memory int64) int64 {
	mib := memory >> 20
	return min(1024, max(mib*3/8, mib-64-mib/16))
}

// Command returns a command that runs the program with additional arguments.
func (p *Program) Command(limits Limits, args ...string) *Command {
	c := &Command{Env: withMemory(p.Env, limits), Limits: limits}
	c.Argv = append(withMemory(p.Argv, limits), args...)
	if p.Dir != "" {
		c.Mounts = []Mount{{Host: p.Dir, At: ProgramDir}}
	}
	return c
}

// withMemory returns a copy of words in which MemoryMiB and HeapMiB are replaced.
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

// Command describes one process to run.
type Command struct {
	Argv   []string // Argv[0] is a path inside the sandbox, or a name to look up in Env's PATH
	Env    []string // the complete environment, as "NAME=value"
	Dir    string   // working directory inside the sandbox; empty means the scratch directory
	Mounts []Mount  // host directories that are visible inside the sandbox

	// Stdin is read to EOF, or until the process has exited. If nil, the input is empty. An *os.File that is not a
	// regular file is passed to the process unchanged. A regular file may be opened again under another name, and
	// then its own offset does not change.
	Stdin io.Reader
	// Stdout and Stderr receive what the process writes. If nil, the output is discarded. Standard output always
	// counts toward Limits.Output, except for an *os.File, which is passed to the process unchanged. Writers are
	// never called after Run has returned.
	Stdout, Stderr io.Writer

	Limits Limits

	// Locks means that the process may lock files, as build tools must. Without it, concurrent processes cannot
	// communicate through locks on files that all of them see.
	Locks bool
}

// Mount makes a host directory visible inside the sandbox. A Runner that cannot mount replaces At with Host in
// Argv, Env and Dir.
type Mount struct {
	Host     string // absolute path on the host
	At       string // absolute path inside the sandbox, such as "/program"
	Writable bool
	// Bytes and Files are the most that a run may add to a writable directory. Zero means no limit. A run that
	// adds more is killed, with Output as the reason. A full disk is an error, regardless of these limits.
	Bytes, Files int64
}

// Runner runs commands. Its methods are safe for concurrent use.
type Runner interface {
	// Run runs the command until it exits, and reports the result.
	//
	// An error means that the judge or the machine is at fault, or that ctx is done. In every case, the process no
	// longer exists. Failures of the program itself are reported in Exec. If a command cannot be executed (no such
	// file, not executable, wrong machine), the error is an *ExecError.
	Run(ctx context.Context, c *Command) (Exec, error)

	// Start starts a long-running process that communicates over pipes. The command's Stdin and Stdout must be
	// nil. When ctx is done, the process is killed. The caller must call Wait.
	Start(ctx context.Context, c *Command) (Process, error)
}

// Process is a running program with a pipe at each end.
type Process interface {
	Stdin() io.WriteCloser
	Stdout() io.Reader
	// Kill kills the process and all processes that it started. It is safe to call at any time, from any
	// goroutine.
	Kill()
	// CPUWait returns how long the process has waited for a CPU since it was started, because of other programs or
	// because its runner could not start it yet. Some systems do not record waits. There, a wait between two calls
	// may be missed, so a caller that measures time must call CPUWait every few dozen milliseconds. If the system
	// does not report waits, CPUWait returns zero.
	CPUWait() time.Duration
	// Wait waits until the process has exited, and returns the result.
	Wait() (Exec, error)
}

// Joiner runs processes that are connected by pipes.
type Joiner interface {
	// Join runs processes together, each with its own limits, and waits for all. An error means that the judge or
	// the machine is at fault, or that ctx is done.
	Join(ctx context.Context, all []JoinedCommand) ([]JoinedResult, error)
}

// JoinedCommand is one of several processes that are connected by pipes.
type JoinedCommand struct {
	*Command // Stdin and Stdout must be nil

	// OutputTo is the index of the process that reads this process's output, in the argument of Join.
	OutputTo int
	// Copy, if not nil, receives a copy of this process's output. A pipe with a copy is slower, because the bytes
	// pass through the judge.
	Copy io.Writer
	// KeepPipesOpen protects this process and its reader when one of them exits before the other. If the reader exits
	// first, later output is discarded; without KeepPipesOpen, this process would get SIGPIPE. The reader sees EOF only
	// after this process has exited, or a moment after it closed its output. With KeepPipesOpen, Limits.Output applies.
	// KeepPipesOpen has no effect without a Copy.
	KeepPipesOpen bool
	// OnExit is called when the process has exited. If it returns true, the other processes are killed. If OnExit is
	// nil, they are not.
	OnExit func(Exec) bool
	// GracePeriod is how long the other processes may continue after this process was killed at one of its limits.
	// Zero means no limit.
	GracePeriod time.Duration
}

// JoinedResult is the result of one joined process.
type JoinedResult struct {
	Exec
	ExitOrder  int   // 1 for the process that exited first, and so on
	Dismissed  bool  // killed because of OnExit or GracePeriod of another process
	Deadlocked bool  // killed at its wall time limit while both processes waited for each other
	Err        error // an *ExecError, or an error of the judge or the machine
}

// ExecError means that a command could not be executed at all.
type ExecError struct {
	Argv0  string
	Reason string // "no such file", "not executable", "made for another machine", ...
}

// Error names the program and the reason.
func (e *ExecError) Error() string { return "run " + e.Argv0 + ": " + e.Reason }

// NotVisibleError means that a command of the judge, such as a compiler, exists on this machine but cannot be
// executed, because it is not visible in the sandbox. This is not a fault of any program.
type NotVisibleError struct {
	Argv0    string
	Chain    []string // required files; each is followed by its interpreter or link target
	Hidden   []string // directories that would have to be visible
	Reserved bool     // the sandbox has its own directory at that path, so it cannot show them
}

// Error reports where the command was found, and a remedy.
func (e *NotVisibleError) Error() string {
	text := "run " + e.Argv0 + ": the sandbox does not show it: it is " + strings.Join(e.Chain, ", which needs ")
	if e.Reserved {
		return text + "\n    move it to a directory that is not below /tmp or /var/tmp"
	}
	quoted := make([]string, len(e.Hidden))
	for i, dir := range e.Hidden {
		quoted[i] = strconv.Quote(dir)
	}
	return text + "\n    set this in judge.toml, in addition to its entries:\n" +
		"    [sandbox]\n    visible = [" + strings.Join(quoted, ", ") + "]"
}
