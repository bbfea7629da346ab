package judge

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Program is anything that runs: a contestant's solution, the reference, a
// checker, a validator, a generator, a bot. Package lang makes them; a Runner
// runs them.
type Program struct {
	Name     string   // what people call it: the file or folder that it was made from
	Language string   // the id of its language in judge.toml
	Key      string   // hash of everything that went into it; equal keys behave alike
	Dir      string   // host directory shown to the program as /program; "" for none
	Argv     []string // how to run it, as paths inside the sandbox
	Env      []string // its whole environment, "NAME=value"
	Marks    bool     // byte order marks before its output are its run time's, and do not count

	// Interpret, where it is not nil, takes the place of all this: the judge interprets
	// the program itself. Given the arguments it makes a function that says what is wrong
	// with an input, "" for a valid one.
	Interpret func(args []string) (Interpreted, error)
}

// Interpreted judges an input without a process.
type Interpreted func(ctx context.Context, input []byte) (complaint string, err error)

// Builder builds the setter's programs of a problem. It is safe for concurrent use.
type Builder interface {
	// Part makes one of them ready to run. One that cannot be built here is a *Fault.
	Part(ctx context.Context, p *Part) (*Program, error)
}

// ProgramDir is where a Program's Dir stands inside the sandbox.
const ProgramDir = "/program"

// MemoryMiB, in a Program's Argv or Env, stands for the memory limit in MiB: a
// language whose run time has a heap of a fixed size must be told. Where memory
// is not limited, the argument or variable is left out.
const MemoryMiB = "{memory_mib}"

// HeapMiB stands for what such a run time may give its heap from its start, in MiB: the
// memory limit without what it needs itself, however much is in the heap. It is never
// more than a machine may be expected to have.
const HeapMiB = "{heap_mib}"

// heapMiB is most of the limit, at least three eighths of it.
func heapMiB(memory int64) int64 {
	mib := memory >> 20
	return min(1024, max(mib*3/8, mib-64-mib/16))
}

// Command makes the command that runs the program with these further arguments.
func (p *Program) Command(limits Limits, args ...string) *Command {
	c := &Command{Env: withMemory(p.Env, limits), Limits: limits}
	c.Argv = append(withMemory(p.Argv, limits), args...)
	if p.Dir != "" {
		c.Mounts = []Mount{{Host: p.Dir, At: ProgramDir}}
	}
	return c
}

// withMemory returns a copy of the words with MemoryMiB and HeapMiB filled in.
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
	Dir    string   // working directory inside the sandbox; "" is the private scratch directory
	Mounts []Mount  // host directories that are to be seen inside

	// Stdin is read to its end, or until the process has ended; nil is an empty
	// input. An *os.File that is not a regular file is handed over as it is; one that is
	// may be read under another name, and its own offset stays where it is.
	Stdin io.Reader
	// Stdout and Stderr take what the process writes; nil throws it away.
	// Standard output is counted against Limits.Output either way, unless it is
	// an *os.File, which is handed over as it is. A Writer is never called again
	// once Run has returned.
	Stdout, Stderr io.Writer

	Limits Limits

	// Locks says that the process may lock files, as tools that build must. Processes
	// that run at one time could tell each other something by locks on files that all see.
	Locks bool
}

// Mount shows a host directory inside the sandbox. A Runner that cannot mount
// puts Host for At wherever At stands in Argv, Env and Dir.
type Mount struct {
	Host     string // absolute path outside
	At       string // absolute path inside, such as "/program"
	Writable bool
	// Bytes and Files bound what a run may add to a writable directory; 0 is no
	// bound. A run that adds more is killed, with Output for the reason. A disk that
	// is full is an error, whatever the bounds are.
	Bytes, Files int64
}

// Runner runs commands one at a time or many at once; it is safe for concurrent use.
type Runner interface {
	// Run runs the command to its end and says what happened.
	//
	// An error means that the judge or the machine is at fault, or that ctx
	// ended; the process is gone in every case. What the program did, however
	// bad, is in Exec. A command that cannot be executed (no such file, not
	// executable, wrong machine) is an *ExecError.
	Run(ctx context.Context, c *Command) (Exec, error)

	// Start starts a long-lived process that is talked to over pipes. The
	// command's Stdin and Stdout must be nil. Ending ctx kills it. The caller
	// must call Wait.
	Start(ctx context.Context, c *Command) (Process, error)
}

// Process is a running program with a pipe at each end.
type Process interface {
	Stdin() io.WriteCloser
	Stdout() io.Reader
	// Kill ends the process and everything it started. It is safe to call at
	// any time, from any goroutine.
	Kill()
	// CPUWait returns how long the process has been kept from a processor since its start: by
	// other programs, or because its runner could not start it yet. A wait that begins and ends
	// between two calls may be missed where it cannot be known later, so a caller that measures
	// time must call it every few dozen milliseconds. It is 0 where the system does not tell.
	CPUWait() time.Duration
	// Wait waits for the end and says what happened.
	Wait() (Exec, error)
}

// Joiner runs processes that are connected by pipes.
type Joiner interface {
	// Join runs processes together, each with its own limits, and waits for all.
	// The error is for the judge's or the machine's faults, and for the end of ctx.
	Join(ctx context.Context, all []Joined) ([]Ended, error)
}

// Joined is one of several processes that are connected by pipes.
type Joined struct {
	*Command // its Stdin and Stdout must be nil

	// To is the index of the process that reads what this one writes.
	To int
	// Copy gets what this process writes, on its way to the reader; nil for none.
	// The way with a copy is slower, as the bytes pass through the judge.
	Copy io.Writer
	// Held keeps a process from feeling the end of its reader, and its reader from
	// feeling its end too soon: what it writes when its reader has ended is thrown
	// away (else it gets SIGPIPE), and its reader sees the end of input only when it
	// has ended itself, or a moment after it closed its output. Then Limits.Output
	// counts. It has no effect without a Copy.
	Held bool
	// Ends is called when the process has ended; if it says true, the others are
	// killed. Nil says false.
	Ends func(Exec) bool
	// Outlived is how long the others may live on after this process was killed at one
	// of its limits; 0 for as long as they want.
	Outlived time.Duration
}

// Ended is what happened to one joined process.
type Ended struct {
	Exec
	Order     int   // 1 for the process that ended first, and so on
	Dismissed bool  // it was killed as another one's Ends said so, or as it Outlived that too long
	Stuck     bool  // it was killed at its wall time limit, as both waited for the other one's words
	Err       error // an *ExecError, or an error of the judge or the machine
}

// ExecError says that a command could not be executed at all.
type ExecError struct {
	Argv0  string
	Reason string // "no such file", "not executable", "made for another machine", ...
}

// Error says which program could not be started, and why.
func (e *ExecError) Error() string { return "run " + e.Argv0 + ": " + e.Reason }

// UnseenError says that a command of the judge's, such as a compiler, is on this machine and cannot
// be executed, as the sandbox does not show it. No program is at fault.
type UnseenError struct {
	Argv0  string
	Chain  []string // files that are needed: of each the next is the interpreter, or where a link leads
	Hidden []string // folders to be shown
	Never  bool     // the sandbox has its own folder there, and cannot show them
}

// Error says where the command was found, and what to do.
func (e *UnseenError) Error() string {
	text := "run " + e.Argv0 + ": the sandbox does not show it: it is " + strings.Join(e.Chain, ", which needs ")
	if e.Never {
		return text + "\n    move it to a folder that is not below /tmp or /var/tmp"
	}
	quoted := make([]string, len(e.Hidden))
	for i, dir := range e.Hidden {
		quoted[i] = strconv.Quote(dir)
	}
	return text + "\n    set this in judge.toml, beside what is in its list:\n    [sandbox]\n    visible = [" + strings.Join(quoted, ", ") + "]"
}
