//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"assay/judge"
)

// run runs the request, and returns when nothing of it is alive.
func (z *zygote) run() *reply {
	req := &z.req
	if refusal := z.find(); refusal != "" {
		return &reply{kind: msgNoExec, text: refusal}
	}
	z.write()
	if err := z.meter.begin(req.memory, req.processes); err != nil {
		return &reply{kind: msgFailed, text: err.Error()}
	}
	if z.lastID >= 0 { // ids that continue from run to run would reveal what an earlier run did
		_, _ = unix.Pwrite(z.lastID, firstID, 0)
	}
	z.starved.begin()
	start := time.Now()
	pid, err := z.spawn()
	if err != nil {
		return &reply{kind: msgFailed, text: fmt.Sprintf("start a process: %v", err)}
	}
	for i, fd := range z.fds[:3] { // so that the other ends notice when the program closes its own
		if fd >= 0 {
			unix.Close(fd)
		}
		z.fds[i] = -1
	}
	r := &reply{kind: msgDone}
	var usage unix.Rusage
	reaped := z.watch(pid, start, r, &usage)
	r.wall = int64(time.Since(start))
	if r.end == 0 {
		r.end = moment()
	}
	z.reapAll(pid, reaped, r, &usage)
	r.cpu = max(z.meter.end(&usage), usage.Utime.Nano()+usage.Stime.Nano())
	if z.failure.left != 0 {
		return z.explainFailure()
	}
	if r.status.Signaled() && r.status.Signal() == unix.SIGSYS {
		if why := otherMachine(string(z.path[:len(z.path)-1])); why != "" {
			return &reply{kind: msgNoExec, text: why}
		}
	}
	z.proven = append(z.proven[:0], z.path...)
	if r.killed == killedWall && z.starved.total > int64(mostStarved) {
		busy := judge.BusyError{Detail: fmt.Sprintf("in %v it kept the program from its processors for %v",
			time.Duration(r.wall).Round(time.Second), time.Duration(z.starved.total).Round(time.Second))}
		return &reply{kind: msgFailed, text: busy.Error()}
	}

	var oom bool
	if r.memory, oom = z.meter.memoryUsed(req.memory, &usage); oom {
		r.killed = killedMemory
	}
	if r.killed == notKilled && req.cpu > 0 && r.status.Signaled() && r.status.Signal() == unix.SIGXCPU {
		r.killed = killedCPU
	}
	return r
}

// firstID is the process id before the first one of each program. It is above the ids of the zygote's
// threads.
var firstID = []byte("100\n")

// spawn starts the script. It retries after ETXTBSY: another process of the judge is just starting to run the
// file and still holds it open for writing.
//
// If a program has been executed before, spawn does not wait for its execve. That saves the zygote a wake-up
// between two sleeps.
func (z *zygote) spawn() (pid int, err error) {
	calls := z.writeScript()
	flags := uintptr(spawnFlags)
	if !bytes.Equal(z.path, z.proven) {
		flags |= unix.CLONE_VFORK
	}
	for wait := time.Millisecond; ; wait *= 2 {
		z.failure = spawnFailure{}
		r := vforkScript(&z.script[0], uintptr(calls), flags, &z.pidfd, &z.failure)
		runtime.KeepAlive(z)
		if errno := -int(r); errno > 0 && errno < 4096 {
			return 0, unix.Errno(errno)
		}
		busy := flags&unix.CLONE_VFORK != 0 && z.failure.left == 1 && unix.Errno(-int(z.failure.result)) == unix.ETXTBSY
		if !busy || wait > 200*time.Millisecond {
			return int(r), nil
		}
		_, _ = unix.Wait4(int(r), nil, unix.WALL, nil)
		unix.Close(int(z.pidfd))
		z.pidfd = 0
		time.Sleep(wait)
	}
}

// watch waits until the process ends. It kills everything if a limit is exceeded, the judge requests it, or
// the judge is gone. It reports whether it has already reaped the process.
func (z *zygote) watch(pid int, start time.Time, r *reply, usage *unix.Rusage) (reaped bool) {
	polled := [2]unix.PollFd{{Fd: z.pidfd, Events: unix.POLLIN}, {Fd: zygoteSocket, Events: unix.POLLIN}}
	timeout, over := z.firstLook(), notKilled
	for {
		if over != notKilled {
			z.kill(r, over)
			return false
		}
		ts, asleep := unix.NsecToTimespec(timeout), time.Now()
		n, err := unix.Ppoll(polled[:], &ts, nil)
		z.starved.slept += min(timeout, int64(time.Since(asleep)))
		switch {
		case err != nil && err != unix.EINTR:
			z.kill(r, killedByJudge)
			return false
		case polled[0].Revents != 0:
			return false
		case n > 0 && polled[1].Revents != 0:
			if z.hear(r) {
				return false
			}
		default:
			if z.reapOrphans(pid, r, usage) {
				return true
			}
		}
		timeout, over = z.nextLook(pid, start)
	}
}

// firstLook returns when to check the clocks for the first time. Most programs have ended by then, so they
// cost no check.
func (z *zygote) firstLook() int64 {
	timeout := int64(longestLook)
	if z.req.wall > 0 {
		timeout = min(timeout, z.req.wall+1)
	}
	if z.req.cpu > 0 {
		timeout = min(timeout, z.req.cpu/int64(z.processors)+1)
	}
	if z.meter.poll != nil {
		timeout = min(timeout, pollEvery)
	}
	return timeout
}

// longestLook is how long zombies may exist whose parents have died.
const longestLook = 100 * time.Millisecond

// nextLook returns when to check the clocks again, or which limit has been exceeded.
func (z *zygote) nextLook(pid int, start time.Time) (timeout int64, over killReason) {
	timeout = int64(longestLook)
	if z.meter.poll != nil {
		z.meter.poll.look(pid, z.scratch.used())
		if z.req.memory > 0 && z.meter.poll.peak > z.req.memory {
			return 0, killedMemory
		}
		timeout = pollEvery
	}
	z.meter.sample()
	if z.req.wall > 0 {
		z.starved.look(starvationEvery)
		left := z.wallLeft(start)
		if left < 0 && z.starved.look(starvationLast) {
			left = z.wallLeft(start)
		}
		if left < 0 {
			return 0, killedWall
		}
		timeout = min(timeout, left+1)
	}
	if z.req.cpu > 0 {
		left := z.req.cpu - z.meter.cpuUsed()
		if left >= 0 && left < int64(tick) && z.settle(pid) {
			left = z.req.cpu - z.meter.cpuUsed()
		}
		if left < 0 {
			return 0, killedCPU
		}
		share := left / z.meter.threads(int64(z.processors))
		timeout = min(timeout, max(share, int64(shortestLook)))
	}
	return timeout, notKilled
}

// wallLeft returns what is left of the run's wall time.
func (z *zygote) wallLeft(start time.Time) int64 {
	return z.req.wall + min(z.starved.total, int64(mostStarved)) - int64(time.Since(start))
}

// tick is how long it may take until the kernel accounts for a running program's CPU time.
const tick = 10 * time.Millisecond

// settle makes the kernel account for the CPU time of a running process now: it changes the process's
// priority and restores it at once. Other threads and processes are accounted for at the next tick. It
// reports whether that worked.
func (z *zygote) settle(pid int) bool {
	if z.conf.Rootless || z.mayNotSettle {
		return false
	}
	nice, err := unix.Getpriority(unix.PRIO_PROCESS, pid)
	if err != nil {
		return false
	}
	nice = 20 - nice // the system call has no negative results
	other := nice + 1
	if other > 19 {
		other = nice - 1
	}
	_ = unix.Setpriority(unix.PRIO_PROCESS, pid, other)
	err = unix.Setpriority(unix.PRIO_PROCESS, pid, nice)
	z.mayNotSettle = err != nil && err != unix.ESRCH // one try is enough
	return err == nil
}

// shortestLook is how far past its CPU time limit a program may get.
const shortestLook = 200 * time.Microsecond

// hear receives a message while a program runs, and reports whether it ends the run.
func (z *zygote) hear(r *reply) bool {
	var msg [requestHeader * 8]byte
	n, _, err := receive(zygoteSocket, msg[:], nil, nil)
	if err != nil || n == 0 {
		unix.Exit(0) // kills everything in the namespace
	}
	var kill request
	kill.readHead(&cursor{b: msg[:n]})
	if kill.kind != msgKill || kill.seq != z.req.seq {
		return false
	}
	z.kill(r, killReason(kill.cpu))
	return true
}

// kill kills every other process of the namespace at once. The kernel holds its list of processes meanwhile,
// so no fork can escape.
func (z *zygote) kill(r *reply, why killReason) {
	r.killed = why
	r.end = moment() // before another process can notice
	_ = unix.Kill(-1, unix.SIGKILL)
}

// reapOrphans reaps what has died meanwhile, so that zombies do not count toward the process limit. It
// reports whether the run's own process was among them.
func (z *zygote) reapOrphans(pid int, r *reply, usage *unix.Rusage) bool {
	for {
		var status unix.WaitStatus
		var ru unix.Rusage
		dead, err := unix.Wait4(-1, &status, unix.WNOHANG|unix.WALL, &ru)
		if err != nil || dead <= 0 {
			return false
		}
		if dead == pid {
			r.status, *usage = status, ru
			return true
		}
	}
}

// reapAll waits until no process of the run is left. It kills what outlives the first process.
func (z *zygote) reapAll(pid int, reaped bool, r *reply, usage *unix.Rusage) {
	for !reaped {
		_, err := unix.Wait4(pid, &r.status, unix.WALL, usage)
		reaped = err != unix.EINTR
	}
	if _, err := unix.Wait4(-1, nil, unix.WNOHANG|unix.WALL, nil); err == unix.ECHILD {
		return
	}
	_ = unix.Kill(-1, unix.SIGKILL)
	for {
		if _, err := unix.Wait4(-1, nil, unix.WALL, nil); err != nil && err != unix.EINTR {
			return
		}
	}
}

// write fills the vectors that execve takes.
func (z *zygote) write() {
	z.argv, z.env = z.argv[:0], z.env[:0]
	for _, s := range z.req.argv {
		z.argv = append(z.argv, &s[0])
	}
	for _, s := range z.req.env {
		z.env = append(z.env, &s[0])
	}
	z.argv, z.env = append(z.argv, nil), append(z.env, nil)
}

// writeScript writes what the child does between vfork and its program. The script points into z and the
// request, which outlive the vfork.
func (z *zygote) writeScript() (calls int) {
	add := func(nr uintptr, args ...uintptr) {
		c := &z.script[calls]
		*c = call{nr}
		copy(c[1:], args)
		calls++
	}
	req := &z.req
	// Not setsid: the zygote's session has no terminal. If the scheduler shares CPUs among sessions, the
	// first wait of a new session takes up to 10 ms.
	add(unix.SYS_SETPGID, 0, 0)
	for i, fd := range z.fds[:3] {
		if fd >= 0 {
			add(unix.SYS_DUP3, uintptr(fd), uintptr(i), 0)
			continue
		}
		flags := uintptr(unix.O_WRONLY)
		if i == 0 {
			flags = unix.O_RDONLY
		}
		add(unix.SYS_CLOSE, uintptr(i)) // the lowest free number is taken
		at := unix.AT_FDCWD
		add(unix.SYS_OPENAT, uintptr(at), uintptr(unsafe.Pointer(&devNull[0])), flags)
	}
	add(unix.SYS_CLOSE_RANGE, 3, math.MaxUint32, 0)
	limits := 0
	limit := func(resource int, soft, hard int64) {
		z.rlimits[limits] = unix.Rlimit{Cur: uint64(soft), Max: uint64(hard)}
		add(unix.SYS_PRLIMIT64, 0, uintptr(resource), uintptr(unsafe.Pointer(&z.rlimits[limits])))
		limits++
	}
	stack := int64(1 << 30)
	if req.memory > 0 {
		stack = satAdd(req.memory, 16*slack) // memory must run out first
	}
	limit(unix.RLIMIT_STACK, stack, stack)
	files := int64(1024)
	if req.files > 0 {
		files = req.files
	}
	files = min(files, z.mostFiles)
	limit(unix.RLIMIT_NOFILE, files, files)
	// A backstop for a zygote that cannot keep watch. At each tick the kernel charges the running process for
	// the whole tick. On a busy machine that overcharges a program that computes all the time.
	if req.cpu > 0 {
		seconds := req.cpu/int64(time.Second)*5/4 + 2
		limit(unix.RLIMIT_CPU, seconds, satAdd(seconds, 1))
	}
	if req.processes > 0 && z.meter.pidsMax < 0 { // counts the zygote's threads too
		processes := min(satAdd(req.processes, zygoteThreads), z.mostForks)
		limit(unix.RLIMIT_NPROC, processes, processes)
	}
	if req.fileSize > 0 {
		limit(unix.RLIMIT_FSIZE, req.fileSize, req.fileSize)
	}
	if !z.conf.Rootless {
		id := uintptr(z.conf.UID)
		add(unix.SYS_SETRESUID, id, id, id)
	}
	if !z.inScratch() {
		add(unix.SYS_CHDIR, uintptr(unsafe.Pointer(&req.dir[0])))
	}
	add(unix.SYS_EXECVE, uintptr(unsafe.Pointer(&z.path[0])), uintptr(unsafe.Pointer(&z.argv[0])), uintptr(unsafe.Pointer(&z.env[0])))
	return calls
}

var devNull = []byte(os.DevNull + "\x00")

// inScratch reports whether the program begins in the scratch directory, which the zygote has open.
func (z *zygote) inScratch() bool { return string(z.req.dir) == Scratch+"\x00" }

// zygoteThreads is roughly the number of threads of a zygote.
const zygoteThreads = 8

func satAdd(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// find finds the file to execute, or returns why there is none.
func (z *zygote) find() (refusal string) {
	name := z.req.argv[0]
	if bytes.IndexByte(name, '/') >= 0 {
		z.path = name
		return ""
	}
	if len(name) <= 1 {
		return "no command"
	}
	refusal = reasonMissing
	for dir := range bytes.SplitSeq(bytes.TrimSuffix(searchPath(z.req.env), []byte{0}), []byte{':'}) {
		if len(dir) == 0 || dir[0] != '/' {
			continue // a relative directory of PATH is rejected, as in Go
		}
		z.path = append(append(append([]byte(nil), dir...), '/'), name...)
		var st unix.Stat_t
		if unix.Stat(string(z.path[:len(z.path)-1]), &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
			continue
		}
		if st.Mode&0o111 == 0 {
			refusal = reasonMode
			continue
		}
		return ""
	}
	return refusal
}

// searchPath returns the value of PATH in an environment.
func searchPath(env [][]byte) []byte {
	for _, s := range env {
		if v, ok := bytes.CutPrefix(s, []byte("PATH=")); ok {
			return v
		}
	}
	return []byte(defaultPath)
}

// defaultPath is where commands are looked up if the environment has no PATH.
const defaultPath = "/usr/local/bin:/usr/bin:/bin"

// explainFailure explains why the script failed. If its last call failed, the execve, the command is at
// fault.
func (z *zygote) explainFailure() *reply {
	z.proven = z.proven[:0]
	errno := unix.Errno(-int(z.failure.result))
	path := string(z.path[:len(z.path)-1])
	switch {
	case z.failure.left == 1:
		return &reply{kind: msgNoExec, text: explainExec(path, errno)}
	case z.failure.left == 2 && !z.inScratch():
		dir := string(z.req.dir[:len(z.req.dir)-1])
		return &reply{kind: msgNoExec, text: fmt.Sprintf("working directory %s: %v", dir, errno)}
	}
	return &reply{kind: msgFailed, text: fmt.Sprintf("prepare a process: %d steps before its end: %v", z.failure.left, errno)}
}
