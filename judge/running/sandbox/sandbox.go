// Package sandbox runs untrusted programs under limits and returns the facts about each run in a judge.Exec. It
// does not judge these facts, and it knows nothing about problems, languages or checkers.
//
// How strongly it isolates depends on the machine; see Level. A process that uses it must call Main first, because
// the sandbox starts its helper processes, the zygotes, from the process's own binary.
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
	"assay/judge/internal/forceremove"
)

// Theory of operation
//
//	judge --(socket, one message per run)--> zygote, pid 1 of its own namespaces
//	  |                                      |- main thread: mounts, and waits for work
//	  |                                      `- forking thread: filter, control groups, no mounts in its list
//	  |                                            `- the program, and all that it starts
//	  `<-----(pipes: standard output and error)-------'
//
// A worker is a zygote with its socket. The zygote is started once. It sets up namespaces, a private root of
// read-only binds and a scratch directory in memory. Its forking thread gets the system call filter and enters the
// worker's control groups. A run inherits all of this at no cost. The judge sends one message with the descriptors
// of the standard files. The forking thread vforks a child that runs a prepared script of system calls up to
// execve. The thread waits, kills the rest of the process tree, reads the group's counters, and replies. No
// process ever moves between control groups, because that is slow.
//
// What each thread waits for: The judge's goroutine waits for the reply and, after a moment, for output to move,
// in one poll. The forking thread waits for the program to end and for a message from the judge, in one poll that
// ends at the next check of the clocks. Nothing else waits, so there can be no deadlock. The zygote enforces the
// limits of CPU time, wall time and memory. The judge enforces the output limit: it counts the bytes that pass
// through the pipe, and sends a kill message.
//
// How runs and processes end: When the program ends, everything it started is killed and reaped before the reply
// is sent; then the scratch directory is emptied. When the context is done, the judge sends a kill message and
// waits for the reply as usual. When the judge exits, however suddenly, the zygote reads EOF from its socket and
// exits, and the kernel kills its namespace. When the zygote exits, the judge reads EOF, returns an error and
// starts another one. The next judge removes the control group directories that a killed judge left behind; a lock
// on them shows which judges are alive.
//
// What a program can reach: its standard files, its mounts, the scratch directory, and the base system, read-only.
// Only the judge opens host paths, before a run, and never below a directory that a program could write to. The
// zygote has unmounted the host's file system.
//
// Programs see no list of their mounts, because it would reveal where their directories are on the host's disks.
// The forking thread has its own empty mount namespace, and the main thread's root; see hideMounts.
//
// Programs that run at the same time could communicate by locks on files that both see, such as those of /usr. A
// filter cannot distinguish these from locks on a program's own files, so both are refused. Only builds may lock
// files, in workers of their own.
//
// Writable mounts belong to InsideUID, the user that programs run as, which is the same for all workers and
// judges. Files that programs write there must be read through os.Root. If the judge itself has no rights,
// programs run under its own user id and groups, without any capability, in a user namespace. Then they never get
// a descriptor for reading a host file, because they could reopen it for writing.
//
// The number of processes is limited. If a fork is refused, the program must handle it, and Killed stays empty.

// Options configures a Sandbox. The zero value is usable.
type Options struct {
	// ReadOnly lists host files and directories that programs see at the same path, in addition to the base
	// system.
	ReadOnly []string
	// Hidden lists host directories that programs may see only through a mount of their command. On each isolation
	// level except None, New returns a *ExposedDirError if one of these directories is inside what programs see without
	// such a mount. It does so even if file permissions would protect the directory, because New cannot know the
	// permissions of files that are put there later.
	Hidden []string
	// Workers is the maximum number of concurrent runs. Zero means one per CPU. Processes started with Start do
	// not count. Runs that idle do not count either; see Slots.
	Workers int
	// Slots, if not nil, limits the runs of several sandboxes together, and replaces Workers.
	Slots Slots
	// Isolation names the only level to use; "isolated" accepts any level that isolates. If empty, New uses the
	// best level that the machine offers, but not None as user 0: programs get the rights of the machine's root
	// only if that is requested by name.
	Isolation string
	// Pin keeps each worker on one CPU, for reproducible times.
	Pin bool
}

// Isolated is a value of Options.Isolation that accepts any level except None.
const Isolated = "isolated"

// Scratch is the path of a program's private writable directory.
const Scratch = "/tmp"

// InsideUID is the group id, and usually also the user id, of programs if the judge runs as user 0. No system
// assigns this id. It is the same for all judges, so that build directories stay usable. If only the kernel's
// limit of processes per user can limit a program's processes, each worker uses its own user id from InsideUID+1
// to 2³¹-1.
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

// job is a command that a backend runs.
type job struct {
	*judge.Command
	// handed is called when the command's files have been passed to the process, or when it is certain that they
	// will never be passed.
	handed func()
	// placed, if not nil, is called before handed, and receives the place of the process.
	placed func(place)
	// end is the time at which the process ended, as returned by the function moment.
	end int64
}

// ErrUnavailable is returned by New if the machine does not offer the isolation in Options.Isolation.
var ErrUnavailable = errors.New("this machine does not offer the requested isolation")

// ErrClosed is returned by a closed Sandbox.
var ErrClosed = errors.New("the sandbox is closed")

// New returns a sandbox on the best isolation level that this machine offers. To verify the level, it starts one
// worker; the others start on demand.
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
	var refused []UnavailableLevel
	for _, r := range levels {
		if o.Isolation != "" && o.Isolation != string(r) && (o.Isolation != Isolated || r == None) {
			continue
		}
		b, report, err := openNamed(r, o)
		if err != nil {
			refused = append(refused, UnavailableLevel{r, err})
			continue
		}
		if r != None {
			if err := unseen(o); err != nil {
				return nil, errors.Join(err, b.close())
			}
		}
		report.Level, report.Unavailable = r, refused
		return &Sandbox{backend: b, report: report, slots: o.Slots, readOnly: o.ReadOnly}, nil
	}
	if len(refused) == 0 {
		return nil, fmt.Errorf("sandbox: unknown isolation level %q; valid levels: %s", o.Isolation, levelNames())
	}
	reasons := make([]error, len(refused))
	for i, r := range refused {
		reasons[i] = fmt.Errorf("%s: %w", r.Level, r.Err)
	}
	if o.Isolation == "" {
		return nil, fmt.Errorf("sandbox: this machine offers no isolation, and programs would have the rights of user 0; "+
			"run the judge as another user, or request it by name: --require none, or require = \"none\" in judge.toml\n%w", errors.Join(reasons...))
	}
	return nil, fmt.Errorf("sandbox: %w: %w", ErrUnavailable, errors.Join(reasons...))
}

// ExposedDirError means that programs would see a directory that must be hidden from them.
type ExposedDirError struct {
	Path       string // the directory
	VisibleDir string // the visible directory in which Path is
}

func (e *ExposedDirError) Error() string {
	return fmt.Sprintf("the directory %s lies in %s, which every judged program can see", e.Path, e.VisibleDir)
}

// unseen returns an error if programs would see a directory that must be hidden.
func unseen(o Options) error {
	for _, path := range o.Hidden {
		if err := CheckHidden(path, o.ReadOnly); err != nil {
			return err
		}
	}
	return nil
}

// openNamed opens an isolation level. It opens None as user 0 only if None was requested by name.
func openNamed(r Level, o Options) (backend, Report, error) {
	if r == None && o.Isolation == "" && isHostRoot() {
		return nil, Report{}, errors.New("programs would run as user 0")
	}
	return open(r, o)
}

// Run runs a command until it ends. See judge.Runner.
func (s *Sandbox) Run(ctx context.Context, c *judge.Command) (judge.Exec, error) {
	if err := check(c); err != nil {
		return judge.Exec{}, err
	}
	if err := s.enter(); err != nil {
		return judge.Exec{}, err
	}
	defer s.running.Done()
	slot, err := s.slots.acquire(ctx)
	if err != nil {
		return judge.Exec{}, err
	}
	defer slot.release()
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

// runJob runs a job. If the command cannot be run, the error explains why.
func (s *Sandbox) runJob(ctx context.Context, j *job) (judge.Exec, error) {
	x, err := s.runWatched(ctx, j)
	if err != nil {
		err = s.explainUnseen(j.Command, err)
	}
	return x, err
}

// runWatched runs a job and watches what the job writes to the host's disk.
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
	case seen == errOutput && err == nil && x.Killed == judge.NoResource:
		x.Killed = judge.Output // the process ended before it was killed
	case seen != nil && seen != errOutput:
		return judge.Exec{}, fmt.Errorf("run %s: %w", j.Argv[0], seen)
	}
	return x, err
}

// Temp creates a directory for temporary files of this process, which programs may also write to. The function
// done removes it. If this process ends without calling done, a later process that calls Temp removes the
// directory.
func Temp() (dir string, done func() error, err error) { return forceremove.Temp("", "assay-judge-") }

// enter registers a run, so that Close waits for it.
func (s *Sandbox) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.running.Add(1)
	return nil
}

// Close waits for running commands and stops the workers. It leaves no process, mount, control group or file
// behind. Only the guard of plain processes stays until this process exits. To make Close return quickly, cancel
// the contexts of the runs first.
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

// Level returns the sandbox's isolation level.
func (s *Sandbox) Level() Level { return s.report.Level }

// Report returns what the sandbox enforces on this machine, and what it does not enforce.
func (s *Sandbox) Report() Report { return s.report }

// check returns an error if a command is invalid, before anything is started.
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
			return fmt.Errorf("run %s: mount %s at %s: bounds must not be negative, and need a writable mount", c.Argv[0], m.Host, m.At)
		}
		if !filepath.IsAbs(m.Host) || !strings.HasPrefix(m.At, "/") || strings.IndexByte(m.At+m.Host, 0) >= 0 {
			return fmt.Errorf("run %s: mount %q at %q: both must be absolute paths", c.Argv[0], m.Host, m.At)
		}
	}
	return nil
}
