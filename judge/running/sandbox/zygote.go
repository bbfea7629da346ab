//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// zygoteName is the first argument of a zygote.
const zygoteName = "assay-sandbox-zygote"

// zygoteSocket is the zygote's end of the socket to the judge.
const zygoteSocket = 3

// config is the first message to a zygote. It comes with descriptors for the files that it names.
type config struct {
	Version   int      // version of the control groups; zero means none
	Files     []string // names of the leaf's files, in descriptor order
	UID, GID  int
	Rootless  bool
	Locks     bool // whether programs may lock files
	ReadOnly  []string
	Mounts    []boundDir // only set if the mounts cannot change later
	Processor int        // CPU to stay on, from 1; zero means any
}

// boundDir is a host directory that a zygote mounts itself.
type boundDir struct {
	Host, At string
	Writable bool
}

// mainZygote runs the zygote if this process is one, and then does not return.
func mainZygote() {
	if len(os.Args) == 1 && os.Args[0] == zygoteName && os.Getpid() == 1 {
		zygoteMain()
	}
}

// zygote is the state of a zygote's forking thread.
type zygote struct {
	conf    config
	meter   *meter
	starved starvation
	scratch scratch
	mounter chan func() error // work for the thread that is allowed to mount
	mounted chan error
	mounts  []string // mount points of the current command

	msg, oob []byte
	fds      []int
	large    []byte
	req      request
	out      []byte

	script  [32]call
	failure spawnFailure
	pidfd   int32
	rlimits [6]unix.Rlimit
	argv    []*byte
	env     []*byte
	path    []byte
	proven  []byte // path of the program that was executed last

	processors            int
	mostFiles             int64 // the highest limits that the zygote can set
	mostForks             int64
	lastID                int  // descriptor for the kernel's last process id in this namespace; -1 if none
	cannotRestorePriority bool // whether a changed priority cannot be restored
}

// zygoteMain runs on the main thread, which is the only thread that may mount. It starts the forking thread. Only
// the forking thread has the filter and is in the control groups.
func zygoteMain() {
	runtime.LockOSThread()
	debug.SetGCPercent(-1) // a run allocates almost nothing; the limit below covers the rest
	debug.SetMemoryLimit(24 << 20)
	defaultSignals()
	unix.Umask(0o022)
	// If memory is low, the kernel must kill programs before anything else.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("500"), 0)

	z := &zygote{
		processors: runtime.NumCPU(), mounter: make(chan func() error), mounted: make(chan error),
		msg: make([]byte, maxInline+requestHeader*8), oob: make([]byte, unix.CmsgSpace(64*4)),
	}
	n, fds, err := receive(zygoteSocket, z.msg, z.oob, nil)
	if err != nil || n == 0 {
		unix.Exit(1)
	}
	if err := json.Unmarshal(z.msg[:n], &z.conf); err != nil {
		z.fail(fmt.Errorf("read the zygote's configuration: %w", err))
	}
	if z.conf.UID != z.conf.GID { // later users may change files in a directory that one user wrote
		unix.Umask(0o002)
	}
	if z.lastID, err = unix.Open("/proc/sys/kernel/ns_last_pid", unix.O_WRONLY|unix.O_CLOEXEC, 0); err != nil {
		z.lastID = -1 // some containers deny access
	}
	z.meter = newMeter(z.conf.Version, z.conf.Files, fds)

	forker := make(chan error)
	go func() {
		runtime.LockOSThread()
		forker <- z.enterGroups() // this may wait long for the kernel, so it runs concurrently with the mounts
		<-forker
		if z.conf.Version == 0 {
			z.meter.poll = newPoller()
		}
		if err := hideMounts(); err != nil {
			z.fail(err)
		}
		if err := z.confine(); err != nil {
			z.fail(err)
		}
		z.sendReply(&reply{kind: msgReady})
		z.serve()
	}()
	if err := z.makeRoot(); err != nil {
		z.fail(err)
	}
	if err := <-forker; err != nil {
		z.fail(err)
	}
	forker <- nil
	for work := range z.mounter {
		z.mounted <- work()
	}
}

// fail sends the judge the reason for which the zygote cannot continue, and exits.
func (z *zygote) fail(err error) {
	z.sendReply(&reply{kind: msgFailed, text: err.Error()})
	unix.Exit(1)
}

// sendReply sends a reply. If the reply cannot be sent, it exits, because the judge is gone.
func (z *zygote) sendReply(r *reply) {
	z.out = r.encode(z.out[:0])
	if err := send(zygoteSocket, z.out, nil); err != nil {
		unix.Exit(1)
	}
}

// defaultSignals resets the signal handlers of the Go runtime, so that a program cannot harm the zygote by a
// signal. The zygote is the first process of its namespace. The kernel drops a signal from inside the namespace,
// including SIGKILL, if the signal would have its default effect on that process. Without the reset, the child
// would also run the handlers between vfork and execve.
func defaultSignals() {
	var dfl struct {
		handler, flags, restorer uintptr
		mask                     uint64
	}
	for sig := 1; sig <= 64; sig++ {
		_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&dfl)), 0, 8, 0, 0)
	}
}

// enterGroups moves the forking thread into the worker's control groups.
func (z *zygote) enterGroups() error {
	if err := z.meter.join(); err != nil {
		return err
	}
	if err := unix.Unshare(unix.CLONE_NEWCGROUP); err != nil &&
		err != unix.EINVAL { // a kernel without cgroup namespaces has no names to hide
		return fmt.Errorf("hide the names of the control groups: %w", err)
	}
	return nil
}

// maxPendingSignals is the maximum number of timers and queued signals of a program. Systems allow each user a few
// thousand per GiB of memory.
const maxPendingSignals = 1024

// confine restricts the forking thread, and therefore everything that it forks.
func (z *zygote) confine() error {
	if z.conf.Processor > 0 {
		var set unix.CPUSet
		set.Set(z.conf.Processor - 1)
		if err := unix.SchedSetaffinity(0, &set); err != nil {
			return fmt.Errorf("stay on processor %d: %w", z.conf.Processor-1, err)
		}
	}
	const addrNoRandomize = 0x0040000
	if _, _, errno := unix.RawSyscall(unix.SYS_PERSONALITY, addrNoRandomize, 0, 0); errno != 0 {
		return fmt.Errorf("turn off address space randomization: %w", errno)
	}
	z.mostFiles, z.mostForks = hardLimit(unix.RLIMIT_NOFILE), hardLimit(unix.RLIMIT_NPROC)
	// With a core limit of 0, the kernel still runs the host's crash handler as user 0 if core_pattern begins with
	// a bar. With a limit of 1, it does not.
	core := uint64(min(1, hardLimit(unix.RLIMIT_CORE)))
	// Timers and pending signals are counted per user.
	pending := uint64(min(maxPendingSignals, hardLimit(unix.RLIMIT_SIGPENDING)))
	for r, most := range map[int]uint64{unix.RLIMIT_CORE: core, unix.RLIMIT_MSGQUEUE: 0, unix.RLIMIT_SIGPENDING: pending} {
		if err := unix.Prlimit(0, r, &unix.Rlimit{Cur: most, Max: most}, nil); err != nil {
			return fmt.Errorf("set a resource limit: %w", err)
		}
	}
	if !z.conf.Rootless { // for this thread and everything that it forks
		id := uintptr(z.conf.GID)
		for _, c := range []call{{unix.SYS_SETGROUPS, 0, 0}, {unix.SYS_SETRESGID, id, id, id}} {
			if _, _, errno := unix.RawSyscall(c[0], c[1], c[2], c[3]); errno != 0 {
				return fmt.Errorf("drop the groups of user 0: %w", errno)
			}
		}
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		_ = unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
	}
	const noRoot = 1<<0 | 1<<1 | 1<<2 | 1<<3 // user 0 has no special rights at execve, and this cannot be undone
	if err := unix.Prctl(unix.PR_SET_SECUREBITS, noRoot, 0, 0, 0); err != nil {
		return fmt.Errorf("drop the rights of user 0: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("refuse new privileges: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("hide the zygote from programs of its own user: %w", err)
	}
	return installFilter(z.conf.Rootless, z.conf.Version == 0, z.conf.Locks, z.conf.Processor > 0)
}

func hardLimit(resource int) int64 {
	var l unix.Rlimit
	if unix.Getrlimit(resource, &l) != nil || l.Max > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(l.Max)
}

// mountThread runs work on the main thread and waits for it, because the forking thread must not mount.
func (z *zygote) mountThread(work func() error) error {
	z.mounter <- work
	return <-z.mounted
}

// serve handles requests one by one until the judge is gone.
func (z *zygote) serve() {
	for {
		n, fds, err := receive(zygoteSocket, z.msg, z.oob, z.fds[:0])
		z.fds = fds
		if err != nil || n == 0 {
			unix.Exit(0)
		}
		c := cursor{b: z.msg[:n]}
		argc, envc, mounts := z.req.readHead(&c)
		if z.req.kind != msgRun {
			continue // a kill message that came too late
		}
		r := z.handle(&c, argc, envc, mounts)
		r.seq = z.req.seq
		z.sendReply(r)
		// The judge already has its reply, so the following does not delay it.
		z.closeFiles()
		if err := z.scratch.clean(z); err != nil {
			z.fail(err)
		}
	}
}

// closeFiles closes the descriptors of the last request that are still open.
func (z *zygote) closeFiles() {
	for _, fd := range z.fds {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
	z.fds = z.fds[:0]
	if z.pidfd > 0 {
		unix.Close(int(z.pidfd))
		z.pidfd = 0
	}
}

// handle handles one request. The caller may use the reply until the next call.
func (z *zygote) handle(c *cursor, argc, envc, mounts int) *reply {
	failed := func(err error) *reply { return &reply{kind: msgFailed, text: err.Error()} }
	need := mounts
	if !z.req.inline {
		need++
	}
	for i, null := range z.req.null {
		if need++; null && i <= len(z.fds) {
			z.fds = slices.Insert(z.fds, i, -1)
		}
	}
	if len(z.fds) != need {
		return failed(fmt.Errorf("%d descriptors came with a request for %d", len(z.fds), need))
	}
	given := z.fds[3:]
	if !z.req.inline {
		var err error
		if z.large, err = readAll(given[0], z.large[:0]); err != nil {
			return failed(fmt.Errorf("read a long request: %w", err))
		}
		c.b, given = z.large, given[1:]
	}
	z.req.readStrings(c, argc, envc, mounts)
	if c.err != nil {
		return failed(fmt.Errorf("read a request: %w", c.err))
	}
	if z.req.remount {
		z.proven = z.proven[:0]
		if err := z.mountThread(func() error { return z.remount(z.req.mounts, given) }); err != nil {
			return failed(err)
		}
	}
	if err := z.scratch.resize(z, z.req.scratch); err != nil {
		return failed(err)
	}
	return z.run()
}

// readAll reads a memory file from its start.
func readAll(fd int, b []byte) ([]byte, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, err
	}
	if int64(cap(b)) < st.Size {
		b = make([]byte, st.Size)
	}
	b = b[:st.Size]
	for done := 0; done < len(b); {
		n, err := unix.Pread(fd, b[done:], int64(done))
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, errShortMessage
		}
		done += n
	}
	return b, nil
}
