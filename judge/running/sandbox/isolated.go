//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"assay/judge"
)

// isolated is the backend of all isolation levels except None: a pool of zygotes.
type isolated struct {
	options    Options
	rootless   bool
	own        bool   // whether zygotes have their own user namespaces, which count their processes
	users      uint32 // number of user ids above InsideUID that can be assigned to single workers
	self       string // path of this binary
	groups     *groups
	processors []int

	mu     sync.Mutex
	idle   []*worker // most recently used last
	next   int       // number of the next worker
	closed bool
}

// open opens the backend for an isolation level. The report lists what the level does not enforce on this machine.
func open(r Level, o Options) (_ backend, report Report, err error) {
	if r == None {
		return newPlain(o), plainReport(o), nil
	}
	b := &isolated{options: o, rootless: r == RootlessV2 || r == Rootless, self: ownBinary(), users: rand.Uint32()}
	if b.rootless && isHostRoot() {
		return nil, report, errors.New("programs would run as user 0 of this machine")
	}
	b.own = b.rootless || r == Root
	if !b.rootless {
		if os.Geteuid() != 0 {
			return nil, report, errors.New("the judge does not run as user 0")
		}
		if err := checkUser(InsideUID); err != nil {
			return nil, report, err
		}
		if err := checkMountRights(); err != nil {
			return nil, report, err
		}
	}
	b.options.ReadOnly, report.Missing = splitShowable(o.ReadOnly)
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, report, fmt.Errorf("list the processors: %w", err)
	}
	for p := range len(set) * 64 { // as many CPUs as the set can hold
		if set.IsSet(p) {
			b.processors = append(b.processors, p)
		}
	}
	if version := groupVersion[r]; version > 0 {
		g, err := joinGroups(version)
		if err != nil {
			return nil, report, err
		}
		b.groups, report.Missing = g, append(report.Missing, g.notes...)
	}
	w, err := b.newWorker(nil, false)
	if err != nil && r == Root { // without /proc there are no user namespaces
		b.own = false
		if err := checkUser(b.user(0)); err != nil {
			b.close()
			return nil, report, err
		}
		w, err = b.newWorker(nil, false)
	}
	if err != nil {
		b.close()
		return nil, report, err
	}
	b.idle = append(b.idle, w)
	return b, report, nil
}

// user returns the user id for a worker's programs if the judge is user 0. It is InsideUID unless only the
// kernel's limit of processes per user can bound a program's processes. In that case, each worker gets its own
// user id, which is very unlikely to be in use.
func (b *isolated) user(worker int) int {
	const most = 0x7fffffff - InsideUID
	if b.own || b.groups != nil && b.groups.has["pids"] {
		return InsideUID
	}
	return InsideUID + 1 + int((uint64(b.users)+uint64(worker))%most)
}

// checkUser returns an error if programs cannot run as user id. For example, a container of an unprivileged user has
// only a few user ids.
func checkUser(id int) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	defer w.Close()
	if err := w.Chown(id, InsideUID); err != nil {
		return fmt.Errorf("user 0 of this container may not become user %d: %w", id, err)
	}
	return nil
}

// checkMountRights returns an error if the judge, as user 0, cannot mount directories for programs. A zygote can mount in
// its own namespaces even if the judge cannot.
func checkMountRights() error {
	tree, err := unix.OpenTree(unix.AT_FDCWD, "/", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return fmt.Errorf("user 0 of this container cannot mount directories for programs: %w", err)
	}
	return unix.Close(tree)
}

// ownBinary returns the file of this process, from which zygotes are started.
func ownBinary() string {
	const link = "/proc/self/exe" // this link stays valid if the file is moved
	if _, err := os.Stat(link); err == nil {
		return link
	}
	if path, err := exec.LookPath(os.Args[0]); err == nil {
		if path, err = filepath.Abs(path); err == nil {
			return path
		}
	}
	return link
}

// splitShowable returns the paths that can be shown to programs, and a note for each of the others.
func splitShowable(paths []string) (can, notes []string) {
	for _, path := range paths {
		if path == Scratch || strings.HasPrefix(path, Scratch+"/") {
			notes = append(notes, path+" is not shown to programs, as each run has its own "+Scratch)
		} else if _, err := os.Stat(path); err != nil {
			notes = append(notes, path+" is not shown to programs: "+err.Error())
		} else {
			can = append(can, path)
		}
	}
	return can, notes
}

// groupVersion is the version of control groups that an isolation level uses.
var groupVersion = map[Level]int{RootV2: 2, RootV1: 1, RootlessV2: 2}

func (b *isolated) newWorker(mounts []mountKey, locks bool) (*worker, error) {
	b.mu.Lock()
	number := b.next
	b.next++
	b.mu.Unlock()
	return b.startWorker(number, mounts, locks)
}

// acquireWorker returns an idle or new worker whose programs may lock files if locks is set. It prefers a worker that
// already has these mounts.
func (b *isolated) acquireWorker(mounts []mountKey, locks bool) (*worker, error) {
	b.mu.Lock()
	i := -1
	for k, w := range slices.Backward(b.idle) {
		if w.locks != locks {
			continue
		}
		if i < 0 {
			i = k
		}
		if w.sameMounts(mounts) {
			i = k
			break
		}
	}
	if i < 0 {
		b.mu.Unlock()
		return b.newWorker(mounts, locks)
	}
	w := b.idle[i]
	b.idle = slices.Delete(b.idle, i, i+1)
	b.mu.Unlock()
	if b.rootless && !w.sameMounts(mounts) { // a rootless worker cannot change its mounts
		w.stop()
		return b.newWorker(mounts, locks)
	}
	return w, nil
}

// releaseWorker returns a worker to the pool.
func (b *isolated) releaseWorker(w *worker) {
	b.mu.Lock()
	if !b.closed && len(b.idle) < 2*b.options.Workers {
		b.idle = append(b.idle, w)
		w = nil
	}
	b.mu.Unlock()
	if w != nil {
		w.stop()
	}
}

func (b *isolated) close() error {
	b.mu.Lock()
	b.closed = true
	idle := b.idle
	b.idle = nil
	b.mu.Unlock()
	var all sync.WaitGroup
	for _, w := range idle {
		all.Go(w.stop)
	}
	all.Wait()
	if b.groups != nil {
		b.groups.removeDirs()
	}
	return nil
}

func (b *isolated) run(ctx context.Context, j *job) (judge.Exec, error) {
	gone := false // whether the job's own files are closed
	if handed := j.handed; handed != nil {
		j.handed = sync.OnceFunc(func() {
			gone = true
			handed()
		})
	} else {
		j.handed = func() {}
	}
	defer j.handed()
	keys, err := identify(j.Mounts)
	if err != nil {
		return judge.Exec{}, fmt.Errorf("run %s: %w", j.Argv[0], err)
	}
	for tries := 0; ; tries++ {
		if ctx.Err() != nil {
			return judge.Exec{}, context.Cause(ctx)
		}
		w, err := b.acquireWorker(keys, j.Locks)
		if err != nil {
			return judge.Exec{}, err
		}
		if (tries > 0 || !isUnread(j.Stdin)) && !w.alive() { // the worker died while it was idle
			w.stop()
			continue
		}
		exec, err := w.run(ctx, b, j, keys)
		if w.broken {
			w.stop()
		} else {
			b.releaseWorker(w)
		}
		if errors.Is(err, errNotSent) && tries < 3 && ctx.Err() == nil && !gone && isUnread(j.Stdin) {
			continue // the worker died before it read the request, so nothing was run
		}
		return exec, err
	}
}

// isUnread reports whether an input can be passed to another run after a run has failed to start. A reader that is
// not a file may already have been read.
func isUnread(in io.Reader) bool {
	_, file := in.(*os.File)
	return in == nil || file
}

// identify returns the mounts, each with the identity of the directory that is currently at its host path.
func identify(mounts []judge.Mount) ([]mountKey, error) {
	if len(mounts) == 0 {
		return nil, nil
	}
	keys := make([]mountKey, len(mounts))
	for i, m := range mounts {
		var st unix.Stat_t
		if err := unix.Stat(m.Host, &st); err != nil {
			return nil, fmt.Errorf("show %s inside: %w", m.Host, err)
		}
		if st.Mode&unix.S_IFMT != unix.S_IFDIR {
			return nil, fmt.Errorf("mount %s in the sandbox: not a directory", m.Host)
		}
		keys[i] = mountKey{m, st.Dev, st.Ino}
	}
	return keys, nil
}
