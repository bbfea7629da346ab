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

// run runs the request, and returns when none of its processes is alive.
func (z *zygote) run() *reply {
	req := &z.req
	if refusal := z.find(); refusal != "" {
		return &reply{kind: msgNoExec, text: refusal}
	}
	z.write()
	if err := z.meter.begin(req.memory, req.processes); err != nil {
		return &reply{kind: msgFailed, text: err.Error()}
	}
	if z.lastID >= 0 { // ids that continue from run to run would reveal the activity of earlier runs
		_, _ = unix.Pwrite(z.lastID, firstID, 0)
	}
	z.starved.begin()
	start := time.Now()
	pid, err := z.spawn()
	if err != nil {
		return &reply{kind: msgFailed, text: fmt.Sprintf("start a process: %v", err)}
	}
	for i, fd := range z.fds[:3] { // so that the other ends notice when the program closes its ends
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
	if r.killed == killedWall && z.starved.total > int64(maxStarved) {
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

// firstID is one less than the first process id of each program. It is above the ids of the zygote's threads.
var firstID = []byte("100\n")

// spawn starts the script. It retries after ETXTBSY, because another process that the judge is just starting may
// still have the program's file open for writing.
//
// If a program has been executed before, spawn does not wait for its execve. This saves the zygote a wake-up
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
	timeout, over := z.firstCheck(), notKilled
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
			if z.receiveKill(r) {
				return false
			}
		default:
			if z.reapOrphans(pid, r, usage) {
				return true
			}
		}
		timeout, over = z.nextCheck(pid, start)
	}
}

// firstCheck returns the time until the first check of the clocks. Most programs end before it, so they cause no
// check.
func (z *zygote) firstCheck() int64 {
	timeout := int64(maxCheckInterval)
	if z.req.wall > 0 {
		timeout = min(timeout, z.req.wall+1)
	}
	if z.req.cpu > 0 {
		timeout = min(timeout, z.req.cpu/int64(z.processors)+1)
	}
	if z.meter.poll != nil {
		timeout = min(timeout, pollInterval)
	}
	return timeout
}

// maxCheckInterval is the maximum time between two checks of a run. Orphaned zombies are removed at the latest then.
const maxCheckInterval = 100 * time.Millisecond

// nextCheck returns the time until the next check of the clocks, or which limit has been exceeded.
func (z *zygote) nextCheck(pid int, start time.Time) (timeout int64, exceeded killReason) {
	timeout = int64(maxCheckInterval)
	if z.meter.poll != nil {
		z.meter.poll.measure(pid, z.scratch.used())
		if z.req.memory > 0 && z.meter.poll.peak > z.req.memory {
			return 0, killedMemory
		}
		timeout = pollInterval
	}
	z.meter.sample()
	if z.req.wall > 0 {
		z.starved.look(starvationInterval)
		left := z.wallLeft(start)
		if left < 0 && z.starved.look(maxStarvationAge) {
			left = z.wallLeft(start)
		}
		if left < 0 {
			return 0, killedWall
		}
		timeout = min(timeout, left+1)
	}
	if z.req.cpu > 0 {
		left := z.req.cpu - z.meter.cpuUsed()
		if left >= 0 && left < int64(tick) && z.updateCPUTime(pid) {
			left = z.req.cpu - z.meter.cpuUsed()
		}
		if left < 0 {
			return 0, killedCPU
		}
		share := left / z.meter.threads(int64(z.processors))
		timeout = min(timeout, max(share, int64(minCheckInterval)))
	}
	return timeout, notKilled
}

// wallLeft returns how much of the run's wall time is left, in nanoseconds.
func (z *zygote) wallLeft(start time.Time) int64 {
	return z.req.wall + min(z.starved.total, int64(maxStarved)) - int64(time.Since(start))
}

// tick is the maximum time until the kernel accounts for a running program's CPU time.
const tick = 10 * time.Millisecond

// updateCPUTime makes the kernel account for the CPU time of a running process now: it changes the process's priority and
// restores it at once. Other threads and processes are accounted for at the next tick. It reports whether this
// worked.
func (z *zygote) updateCPUTime(pid int) bool {
	if z.conf.Rootless || z.cannotRestorePriority {
		return false
	}
	nice, err := unix.Getpriority(unix.PRIO_PROCESS, pid)
	if err != nil {
		return false
	}
	nice = 20 - nice // the system call does not return negative numbers
	other := nice + 1
	if other > 19 {
		other = nice - 1
	}
	_ = unix.Setpriority(unix.PRIO_PROCESS, pid, other)
	err = unix.Setpriority(unix.PRIO_PROCESS, pid, nice)
	z.cannotRestorePriority = err != nil && err != unix.ESRCH // do not try again
	return err == nil
}

// minCheckInterval is the minimum time between two checks of the clocks. By about this time, a program may exceed its
// CPU time limit.
const minCheckInterval = 200 * time.Microsecond

// receiveKill receives a message from the judge while a program runs. It reports whether the message ends the run.
func (z *zygote) receiveKill(r *reply) bool {
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

// kill kills every other process in the namespace at once. Meanwhile the kernel locks its list of processes, so no
// fork can escape.
func (z *zygote) kill(r *reply, reason killReason) {
	r.killed = reason
	r.end = moment() // before another process can notice it
	_ = unix.Kill(-1, unix.SIGKILL)
}

// reapOrphans reaps processes that have ended, so that zombies do not count toward the process limit. It reports
// whether the run's own process was one of them.
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

// reapAll waits until no process of the run is left. It kills processes that outlive the first one.
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

// write fills the vectors for execve.
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

// writeScript writes the calls that the child makes between vfork and its program. The script points into z and
// the request, which outlive the vfork.
func (z *zygote) writeScript() (calls int) {
	add := func(nr uintptr, args ...uintptr) {
		c := &z.script[calls]
		*c = call{nr}
		copy(c[1:], args)
		calls++
	}
	req := &z.req
	// Not setsid, because the zygote's session has no terminal. If the scheduler shares CPUs among sessions, the
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
		add(unix.SYS_CLOSE, uintptr(i)) // so that this number is the lowest free one
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
		stack = satAdd(req.memory, 16*chargeSlack) // so that memory runs out first
	}
	limit(unix.RLIMIT_STACK, stack, stack)
	files := int64(1024)
	if req.files > 0 {
		files = req.files
	}
	files = min(files, z.mostFiles)
	limit(unix.RLIMIT_NOFILE, files, files)
	// A fallback if the zygote is kept from watching. At each tick, the kernel charges the running process for the
	// whole tick. On a busy machine this overcharges a program that computes all the time.
	if req.cpu > 0 {
		seconds := req.cpu/int64(time.Second)*5/4 + 2
		limit(unix.RLIMIT_CPU, seconds, satAdd(seconds, 1))
	}
	if req.processes > 0 && z.meter.pidsMax < 0 { // includes the zygote's threads
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

// inScratch reports whether the program starts in the scratch directory, which the zygote has open.
func (z *zygote) inScratch() bool { return string(z.req.dir) == Scratch+"\x00" }

// zygoteThreads is the approximate number of a zygote's threads.
const zygoteThreads = 8

func satAdd(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// find finds the file to execute. If there is none, it returns the reason.
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
			continue // a relative directory in PATH is rejected, as in Go
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

// defaultPath is the search path for commands if the environment contains no PATH.
const defaultPath = "/usr/local/bin:/usr/bin:/bin"

// explainFailure explains why the script failed. If its last call failed, which is the execve, the command is the
// cause.
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
