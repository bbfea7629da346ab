// Package sandbox runs programs that nobody trusts, under limits, and says what
// happened to them: facts, in a judge.Exec. What to think of the facts is not
// its business, and it knows nothing of problems, languages or checkers.
//
// How strongly it isolates depends on the machine; see Rung. A process that uses
// it must call Main first of all, as the sandbox starts its helpers, the zygotes,
// from the process's own binary.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"assay/judge"
	"assay/judge/internal/raze"
)

// Theory of operation
//
//	judge --(socket, one message a run)--> zygote, pid 1 of its own namespaces
//	  |                                      |- main thread: mounts, and waits for work
//	  |                                      `- forking thread: filter, control groups, no mounts in its list
//	  |                                            `- the program, and all that it starts
//	  `<-----(pipes: standard output and error)-------'
//
// A worker is a zygote with its socket. The zygote is made once: namespaces, a
// private root of read-only binds, a scratch directory in memory, and for the
// forking thread the system call filter and its place in the worker's control
// groups. A run inherits all that and pays for none of it: the judge sends one
// message with the descriptors of the standard files, the forking thread
// vforks a child that runs a prepared script of system calls up to execve, waits,
// kills what is left of the tree, reads the group's counters, and answers. No
// process ever moves between control groups, which is what makes others slow.
//
// Who waits for whom: the judge's goroutine waits for the answer, and after a moment, in
// one poll, for output to move as well. The forking thread waits, in one poll, for the end of
// the program and for a word from the judge, no longer than until the next look
// at the clocks. Nobody else waits, so nothing can wait in a circle. Limits of
// CPU, wall time and memory are the zygote's to enforce, output is the judge's: it
// counts what passes through the pipe, and sends a kill.
//
// How things end: if the program ends, everything it started is killed and reaped
// before the answer leaves; the scratch directory is emptied after it. If the
// context ends, the judge sends a kill and waits for the answer as ever. If the
// judge ends, however suddenly, the zygote reads the end of its socket and exits,
// and the kernel kills its namespace. If the zygote ends, the judge reads that,
// reports an error and starts another. Directories of control groups that a
// killed judge left are swept by the next one; a lock on them tells whose judge
// is alive.
//
// What a program can reach: its standard files, its mounts, the scratch directory,
// and the base system, read-only. Host paths are only ever opened by the judge
// before a run, and never below a directory that a program could write; the zygote
// has let go of the host's file system.
//
// Programs see no list of their mounts, as it would tell where on the host's disks their
// folders lie: the forking thread has a mount namespace of its own, with nothing in it, and
// the main thread's root; see hideMounts.
//
// Programs that run at one time could tell each other something by locks on files that
// both see, such as those of /usr. A filter cannot tell these from locks on a program's
// own files, so both are refused; only builds may lock, in workers of their own.
//
// Writable mounts belong to the user that programs run as, InsideUID, the same
// for all workers and all judges; what programs write there is to be read through
// os.Root. Where the judge itself has no rights, programs run under its own user
// id and groups, without any capability in a user namespace: then they are never
// given a descriptor of a host file to read, since they could open it again to
// write.
//
// The number of processes is bounded, but a fork that is refused for it is the
// program's own business: Killed stays empty.

// Options say what a Sandbox offers. The zero value is good.
type Options struct {
	// ReadOnly are host files and directories that programs see at the same path,
	// besides the base system.
	ReadOnly []string
	// Hidden are host folders that no program may see but by a mount of its command: New
	// refuses those that lie in what programs see, on each rung but None, with a *SeenError.
	// It does so also where the rights of files would protect them: it cannot know those of
	// all that will be kept there.
	Hidden []string
	// Workers is how many runs go on at one time; 0 is one for each processor.
	// Processes made by Start do not count, nor do runs that are seen to wait.
	Workers int
	// Slots, if it is not nil, bounds the runs of several sandboxes together, in place of
	// Workers.
	Slots Slots
	// Isolation names a rung to use and no other; "isolated" accepts any that
	// isolates; "" takes the best that the machine gives, but not None as user 0: nobody
	// gets the rights of the machine's root without having been asked for by name.
	Isolation string
	// Pin keeps each worker on one processor, for times that can be repeated.
	Pin bool
}

// Isolated is an Options.Isolation that takes any rung but None.
const Isolated = "isolated"

// Scratch is where a program finds its private writable directory.
const Scratch = "/tmp"

// InsideUID is the group, and mostly the user, that programs run as where the judge runs as
// user 0: one that no system gives to anybody, the same for all judges, so that a build
// folder stays usable. The user is another one above it, up to 2³¹-1, where only the kernel's
// limit of processes of a user can bound those of a program.
const InsideUID = 1879052288

// Sandbox runs commands. It is a judge.Runner.
type Sandbox struct {
	backend  backend
	report   Report
	slots    Slots
	readOnly []string // see Options

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

var _ judge.Runner = (*Sandbox)(nil)

// backend is one way to run commands.
type backend interface {
	run(ctx context.Context, j *job) (judge.Exec, error)
	close() error
}

// job is a command on its way through a backend.
type job struct {
	*judge.Command
	// handed is called once the files of the command have been handed to the
	// process, or cannot be any more.
	handed func()
	// placed, if it is not nil, is told where the process runs, before handed.
	placed func(place)
	// end is when the process ended, on the clock of moment.
	end int64
}

// ErrRefused is what New answers on a machine that gives less than Options.Isolation.
var ErrRefused = errors.New("this machine does not give the isolation that was asked for")

// ErrClosed is what a closed Sandbox answers.
var ErrClosed = errors.New("the sandbox is closed")

// New makes a sandbox on the best rung that this machine gives. It starts one
// worker, to be sure; the others start when they are needed.
func New(o Options) (*Sandbox, error) {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Slots == nil {
		o.Slots = NewSlots(o.Workers)
	} else {
		o.Workers = cap(o.Slots)
	}
	for _, path := range o.ReadOnly {
		if !filepath.IsAbs(path) {
			return nil, fmt.Errorf("sandbox: read-only path %s is not absolute", path)
		}
	}
	var refused []Refusal
	for _, r := range rungs {
		if o.Isolation != "" && o.Isolation != string(r) && (o.Isolation != Isolated || r == None) {
			continue
		}
		b, report, err := openNamed(r, o)
		if err != nil {
			refused = append(refused, Refusal{r, err})
			continue
		}
		if r != None {
			if err := unseen(o); err != nil {
				return nil, errors.Join(err, b.close())
			}
		}
		report.Rung, report.Refused = r, refused
		return &Sandbox{backend: b, report: report, slots: o.Slots, readOnly: o.ReadOnly}, nil
	}
	if len(refused) == 0 {
		return nil, fmt.Errorf("sandbox: no isolation is called %q; there are: %s", o.Isolation, rungNames())
	}
	reasons := make([]error, len(refused))
	for i, r := range refused {
		reasons[i] = fmt.Errorf("%s: %w", r.Rung, r.Err)
	}
	if o.Isolation == "" {
		return nil, fmt.Errorf("sandbox: this machine gives no isolation, and programs would have the rights of user 0; "+
			"run the judge as another user, or ask for it by name: --require none, or require = \"none\" in judge.toml\n%w", errors.Join(reasons...))
	}
	return nil, fmt.Errorf("sandbox: %w: %w", ErrRefused, errors.Join(reasons...))
}

// SeenError says that programs would see a folder that is to be hidden from them.
type SeenError struct {
	Path string // the folder
	In   string // what programs see, in which it lies
}

func (e *SeenError) Error() string {
	return fmt.Sprintf("the folder %s lies in %s, which every program that is judged here sees", e.Path, e.In)
}

// unseen refuses options by which programs see what is to be hidden.
func unseen(o Options) error {
	for _, path := range o.Hidden {
		if err := Unseen(path, o.ReadOnly); err != nil {
			return err
		}
	}
	return nil
}

// openNamed opens a rung, but None as user 0 only where it was asked for by name.
func openNamed(r Rung, o Options) (backend, Report, error) {
	if r == None && o.Isolation == "" && isHostRoot() {
		return nil, Report{}, errors.New("programs would run as user 0")
	}
	return open(r, o)
}

// Run runs a command to its end. See judge.Runner.
func (s *Sandbox) Run(ctx context.Context, c *judge.Command) (judge.Exec, error) {
	if err := check(c); err != nil {
		return judge.Exec{}, err
	}
	if err := s.enter(); err != nil {
		return judge.Exec{}, err
	}
	defer s.running.Done()
	slot, err := s.slots.take(ctx)
	if err != nil {
		return judge.Exec{}, err
	}
	defer slot.leave()
	j := &job{Command: c}
	watched := watchSleep(c.Limits.Wall)
	j.placed = func(p place) {
		watched.watch(p)
		slot.watch(p)
	}
	x, err := s.runJob(ctx, j)
	slept := watched.stop()
	x.Asleep = slept && x.Killed == judge.WallTime
	return x, err
}

// runJob runs a job, and explains why it could not be.
func (s *Sandbox) runJob(ctx context.Context, j *job) (judge.Exec, error) {
	x, err := s.runWatched(ctx, j)
	if err != nil {
		err = s.explainUnseen(j.Command, err)
	}
	return x, err
}

// runWatched has the backend run a job, and watches what it writes to the host's disk.
func (s *Sandbox) runWatched(ctx context.Context, j *job) (judge.Exec, error) {
	if !slices.ContainsFunc(j.Mounts, func(m judge.Mount) bool { return m.Writable }) {
		return s.backend.run(ctx, j)
	}
	handed := j.handed
	if handed == nil {
		handed = func() {}
	}
	j.handed = sync.OnceFunc(handed)
	defer j.handed()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w, err := watchWritables(j.Mounts, cancel)
	if err != nil {
		return judge.Exec{}, fmt.Errorf("run %s: %w", j.Argv[0], err)
	}
	told := j.placed
	j.placed = func(p place) {
		w.placed(p)
		if told != nil {
			told(p)
		}
	}
	x, err := s.backend.run(ctx, j)
	seen := w.stop()
	switch {
	case seen == errOutput && err == nil && x.Killed == judge.Nothing:
		x.Killed = judge.Output // it ended before the kill could reach it
	case seen != nil && seen != errOutput:
		return judge.Exec{}, fmt.Errorf("run %s: %w", j.Argv[0], seen)
	}
	return x, err
}

// Temp makes a folder for the temporary files of this process, where programs may write,
// too. If this process does not get to call done, the next one that calls Temp removes
// the folder.
func Temp() (dir string, done func() error, err error) { return raze.Temp("", "assay-judge-") }

// enter counts a run, so that Close waits for it.
func (s *Sandbox) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.running.Add(1)
	return nil
}

// Close waits for what runs, and ends the workers. Nothing stays behind: no
// process, mount, control group or file; only the guard of plain processes stays
// until this process ends. To be quick, end the runs' contexts first.
func (s *Sandbox) Close() error {
	s.mu.Lock()
	again := s.closed
	s.closed = true
	s.mu.Unlock()
	s.running.Wait()
	if again {
		return nil
	}
	return s.backend.close()
}

// Rung is the rung that the sandbox stands on.
func (s *Sandbox) Rung() Rung { return s.report.Rung }

// Report says what the sandbox enforces on this machine, and what not.
func (s *Sandbox) Report() Report { return s.report }

// check finds what is wrong with a command before anything is started.
func check(c *judge.Command) error {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return &judge.ExecError{Reason: "no command"}
	}
	refuse := func(reason string) error { return &judge.ExecError{Argv0: c.Argv[0], Reason: reason} }
	for _, s := range c.Argv {
		if strings.IndexByte(s, 0) >= 0 {
			return refuse("an argument contains a NUL byte")
		}
	}
	for _, s := range c.Env {
		if strings.IndexByte(s, 0) >= 0 {
			return refuse("the environment contains a NUL byte")
		}
	}
	if strings.IndexByte(c.Dir, 0) >= 0 {
		return refuse("the working directory contains a NUL byte")
	}
	l := c.Limits
	if l.CPU < 0 || l.Wall < 0 || l.Memory < 0 || l.Output < 0 || l.Processes < 0 || l.Files < 0 || l.Scratch < 0 {
		return fmt.Errorf("run %s: a limit is negative: %+v", c.Argv[0], l)
	}
	for _, m := range c.Mounts {
		if m.Bytes < 0 || m.Files < 0 || (m.Bytes > 0 || m.Files > 0) && !m.Writable {
			return fmt.Errorf("run %s: mount %s at %s: only a writable one has bounds, and none is negative", c.Argv[0], m.Host, m.At)
		}
		if !filepath.IsAbs(m.Host) || !strings.HasPrefix(m.At, "/") || strings.IndexByte(m.At+m.Host, 0) >= 0 {
			return fmt.Errorf("run %s: mount %q at %q: both must be absolute paths", c.Argv[0], m.Host, m.At)
		}
	}
	return nil
}
