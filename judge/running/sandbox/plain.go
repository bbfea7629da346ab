package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"assay/judge"
	"assay/judge/internal/forceremove"
)

// plain runs commands as plain processes, without isolation. It enforces the limits for wall time and output. It
// only checks the other limits, from time to time during the run and after it.
type plain struct {
	mu   sync.Mutex
	dir  string // parent of the runs' scratch directories; empty before the first run
	done func() error
}

// scratchPrefix is the prefix of directories that contain scratch directories.
const scratchPrefix = "assay-scratch-"

// newPlain returns the backend, and removes the scratch directories of judges that were killed.
func newPlain(Options) *plain {
	forceremove.RemoveStale(os.TempDir(), scratchPrefix)
	return &plain{}
}

// scratch creates the scratch directory for a run.
func (p *plain) scratch() (dir string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dir == "" {
		if p.dir, p.done, err = forceremove.Temp("", scratchPrefix); err != nil {
			return "", err
		}
	}
	return os.MkdirTemp(p.dir, "run-")
}

// close removes the scratch directories. These may contain files of processes that left their group and outlived
// their run.
func (p *plain) close() error {
	if p.done == nil {
		return nil
	}
	return p.done()
}

// plainReport lists the options in o that the sandbox does not enforce for plain processes.
func plainReport(o Options) (r Report) {
	if o.Pin {
		r.Missing = append(r.Missing, "programs staying on one processor")
	}
	return r
}

// Causes for ending a plain run.
var (
	errWall   = errors.New("wall time limit passed")
	errCPU    = errors.New("CPU time limit passed")
	errMemory = errors.New("memory limit passed")
)

var plainKilled = map[error]judge.Resource{
	errWall: judge.WallTime, errTurnLimit: judge.WallTime, errCPU: judge.CPUTime, errMemory: judge.Memory, errOutput: judge.Output,
}

func (p *plain) run(ctx context.Context, j *job) (x judge.Exec, err error) {
	handed := sync.OnceFunc(func() {
		if j.handed != nil {
			j.handed()
		}
	})
	defer handed()
	scratch, err := p.scratch()
	if err != nil {
		return x, fmt.Errorf("run %s: %w", j.Argv[0], err)
	}
	defer forceremove.All(scratch) // removed at the end, with anything that a process still writes there
	at := pathMap(append([]judge.Mount{{Host: scratch, At: Scratch}}, j.Mounts...))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	argv0 := at.replace(j.Argv[0])
	env := at.all(j.Env)
	path, reason := lookUp(argv0, env)
	if reason != "" {
		return x, &judge.ExecError{Argv0: j.Argv[0], Reason: reason}
	}
	cmd := &exec.Cmd{Path: path, Args: at.all(j.Argv), Env: env, Dir: scratch}
	if j.Dir != "" {
		cmd.Dir = at.replace(j.Dir)
	}
	out := &counter{to: j.Stdout, limit: j.Limits.Output, onLimit: func() { cancel(errOutput) }}
	cmd.Stdout, cmd.Stderr = out, j.Stderr
	if f, ok := j.Stdout.(*os.File); ok {
		cmd.Stdout = f
	}
	feed, err := plainInput(cmd, j.Stdin)
	if err != nil {
		return x, fmt.Errorf("run %s: %w", j.Argv[0], err)
	}
	pass, err := newOutputCopier(cmd)
	if err != nil {
		return x, fmt.Errorf("run %s: %w", j.Argv[0], err)
	}
	start := time.Now()
	release, err := startGuarded(cmd)
	defer release()
	pass.started()
	if err != nil {
		return x, &judge.ExecError{Argv0: j.Argv[0], Reason: explainExec(path, errors.Unwrap(err))}
	}
	if j.placed != nil {
		j.placed(place{pid: cmd.Process.Pid})
	}
	handed()
	feed()
	stop := watchPlain(ctx, cancel, cmd.Process, j.Limits)
	waitErr := cmd.Wait()
	x.Wall = time.Since(start)
	j.end = moment()
	seen := stop()
	cause := seen.cause
	endGroup(cmd.Process)
	if err := pass.finish(); waitErr == nil {
		waitErr = err
	}

	describe(cmd.ProcessState, &x)
	x.CPU = max(x.CPU, seen.cpu)
	if x.Memory <= ownMaxRSS() { // it may be the judge's own memory
		x.Memory = seen.memory
	}
	x.Output = out.n
	x.Killed = plainKilled[cause]
	if l := j.Limits; cause == nil && l.Output > 0 && x.Output > l.Output {
		x.Killed = judge.Output // the process ended before the watch saw it
	}
	if l := j.Limits; x.Killed == judge.NoResource && l.Memory > 0 && x.Memory > l.Memory {
		x.Killed = judge.Memory // the process ended before the watch saw it
	}
	if cause != nil && x.Killed == judge.NoResource {
		return x, cause
	}
	if out.failed != nil {
		return x, fmt.Errorf("run %s: forward its output: %w", j.Argv[0], out.failed)
	}
	if _, bad := errors.AsType[*exec.ExitError](waitErr); waitErr != nil && !bad {
		return x, fmt.Errorf("run %s: %w", j.Argv[0], waitErr)
	}
	return x, nil
}

// plainInput connects standard input. A reader that is not a file is read by a goroutine. Nothing waits for this
// goroutine, because the reader may block forever.
func plainInput(cmd *exec.Cmd, in io.Reader) (feed func(), err error) {
	if _, ok := in.(*os.File); ok || in == nil {
		cmd.Stdin = in
		return func() {}, nil
	}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	return func() {
		go func() { // ends with the reader, or at its first read after the process has ended
			_, _ = io.Copy(pipe, in)
			pipe.Close()
		}()
	}, nil
}

// observation contains the watch's observations of a process.
type observation struct {
	cause  error // why the process was killed; nil if it was not
	cpu    time.Duration
	memory int64 // peak in bytes; zero if unknown
}

// watchPlain kills the process when ctx is done or a limit is exceeded. The returned function ends the watch and
// returns what the watch has seen.
func watchPlain(ctx context.Context, cancel context.CancelCauseFunc, p *os.Process, l judge.Limits) (stop func() observation) {
	done := make(chan struct{})
	var seen observation
	var watch sync.WaitGroup
	watch.Go(func() {
		wall := time.NewTimer(l.Wall)
		defer wall.Stop()
		if l.Wall == 0 {
			wall.Stop()
		}
		var starved time.Duration // time waiting for a CPU, which is not the program's wall time
		look := time.NewTicker(5 * time.Millisecond)
		defer look.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				seen.cause = context.Cause(ctx)
				endGroup(p)
				return
			case <-wall.C:
				before := starved
				starved = delayOf(p.Pid)
				if hasEnded(p.Pid) { // Wait has not returned yet
					continue
				}
				if more, cause := wallExtension(before, starved); cause != nil {
					cancel(cause)
				} else {
					wall.Reset(more)
				}
			case <-look.C:
				seen.memory = max(seen.memory, memoryOf(p.Pid))
				seen.cpu = max(seen.cpu, cpuOf(p.Pid))
				if l.CPU > 0 && seen.cpu > l.CPU {
					cancel(errCPU)
				}
				if l.Memory > 0 && seen.memory > l.Memory {
					cancel(errMemory)
				}
			}
		}
	})
	return func() observation {
		close(done)
		watch.Wait()
		return seen
	}
}

// wallExtension returns the extension of a run's wall time limit. The parameter before is how long the run had waited
// for a CPU at the previous extension, and starved is how long it has waited until now. If there is no extension,
// cause is the reason.
func wallExtension(before, starved time.Duration) (more time.Duration, cause error) {
	switch {
	case starved <= before:
		return 0, errWall
	case before > judge.MaxCPUWait:
		return 0, &judge.BusyError{Detail: fmt.Sprintf("it kept the program from its processors for %v", starved.Round(time.Second))}
	}
	return starved - before, nil
}

// counter counts the bytes that a program writes.
type counter struct {
	to      io.Writer
	n       int64
	limit   int64
	onLimit func()

	failed error // from the writer
}

func (c *counter) Write(b []byte) (int, error) {
	before := c.n
	c.n += int64(len(b))
	keep := b
	if c.limit > 0 && c.n > c.limit {
		c.onLimit()
		keep = b[:max(0, min(int64(len(b)), c.limit+1-before))]
	}
	if c.to != nil && len(keep) > 0 {
		if _, c.failed = c.to.Write(keep); c.failed != nil {
			return 0, c.failed
		}
	}
	return len(b), nil
}

// pathMap maps paths inside the sandbox to paths on the host.
type pathMap []judge.Mount

// replace replaces each inside path in s with the host's path. A path is recognized only at the start of s, or
// after a character that cannot be part of a path.
func (p pathMap) replace(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if m := p.at(s, i); m != nil {
			b.WriteString(m.Host)
			i += len(m.At)
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

// at returns the mount whose path in the sandbox starts at s[i]. If there are several, it returns the mount with
// the longest path. It returns nil if there is none.
func (p pathMap) at(s string, i int) (found *judge.Mount) {
	if s[i] != '/' || i > 0 && strings.IndexByte("=:,;@ \t'\"", s[i-1]) < 0 {
		return nil
	}
	for k := range p {
		at := p[k].At
		rest, ok := strings.CutPrefix(s[i:], at)
		if ok && (rest == "" || strings.IndexByte("/:,; \t'\"", rest[0]) >= 0) && (found == nil || len(at) > len(found.At)) {
			found = &p[k]
		}
	}
	return found
}

func (p pathMap) all(list []string) []string {
	mapped := make([]string, len(list))
	for i, s := range list {
		mapped[i] = p.replace(s)
	}
	return mapped
}

// lookUp finds the file of a command using the PATH in its environment.
func lookUp(name string, env []string) (path, reason string) {
	if strings.ContainsAny(name, `/\`) {
		return name, ""
	}
	list := os.Getenv("PATH")
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, "PATH="); ok {
			list = v
		}
	}
	reason = reasonMissing
	for _, dir := range filepath.SplitList(list) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return found, ""
		} else if errors.Is(err, os.ErrPermission) {
			reason = reasonMode
		}
	}
	return "", reason
}
