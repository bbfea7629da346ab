//go:build amd64 || arm64

package sandbox

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// syscallState is the system call in which a thread is, as /proc/<pid>/task/<tid>/syscall reports it: "running", or a
// number and six arguments.
type syscallState struct {
	running bool
	number  int64
	args    [6]uint64
}

// callOf reads the system call of a thread, given its directory in /proc. If the kernel does not report it, ok is
// false.
func callOf(dir string) (c syscallState, ok bool) {
	text, err := os.ReadFile(dir + "/syscall")
	f := strings.Fields(string(text))
	if err != nil || len(f) == 0 {
		return c, false
	}
	if f[0] == "running" {
		c.running = true
		return c, true
	}
	c.number, err = strconv.ParseInt(f[0], 10, 64)
	for i := 0; i < len(c.args) && i+1 < len(f); i++ {
		c.args[i], _ = strconv.ParseUint(f[i+1], 0, 64)
	}
	return c, err == nil
}

// Calls in which a thread waits for input: from one file, from the files of an epoll descriptor, or from any
// of several files.
var (
	readCalls  = []int64{unix.SYS_READ, unix.SYS_READV}
	epollCalls = append([]int64{unix.SYS_EPOLL_PWAIT, unix.SYS_EPOLL_PWAIT2}, oldEpolls...)
	pollCalls  = append([]int64{unix.SYS_PPOLL, unix.SYS_PSELECT6}, oldPolls...)
)

// Calls in which a thread waits for another thread of its process, or for a child process.
var (
	childCalls = []int64{unix.SYS_WAIT4, unix.SYS_WAITID}
	sleepCalls = append(
		[]int64{unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_RT_SIGSUSPEND, unix.SYS_RT_SIGTIMEDWAIT},
		oldSleeps...)
)

// timed reports whether c is a wait, for another thread or for several files, that has a timeout.
func (c syscallState) timed() bool {
	switch {
	case c.number == unix.SYS_FUTEX, c.number == unix.SYS_EPOLL_PWAIT2:
		return c.args[3] != 0
	case slices.Contains(epollCalls, c.number):
		return int32(c.args[3]) >= 0
	}
	return false
}

// sleeps reports whether c waits only for a timer, a signal, another thread, or a child process. Such a thread is
// delayed neither by the judge nor by the machine.
func (c syscallState) sleeps() bool {
	switch {
	case c.running:
		return false
	case slices.Contains(sleepCalls, c.number), slices.Contains(childCalls, c.number), c.number == unix.SYS_FUTEX:
		return true
	}
	return slices.Contains(pollCalls, c.number) && c.args[0] == 0 // polling no file is a sleep
}

// sleep records whether a run was sleeping when half of its wall time limit had passed, and again near the limit.
// If the run then exceeds the limit, the record shows whether it slept.
type sleep struct {
	wall  time.Duration // the limit; zero means no limit
	mu    sync.Mutex
	timer *time.Timer // nil before the run begins
	looks int
	slept int // number of checks at which all threads slept
	ended bool
}

// watchSleep prepares to watch a run with a wall time limit.
func watchSleep(wall time.Duration) *sleep { return &sleep{wall: wall} }

// watch starts the watch. The run is at p.
func (s *sleep) watch(p place) {
	if s.wall <= 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer = time.AfterFunc(s.wall/2, func() { s.look(&p, s.wall*3/8) })
}

// look records whether all threads of the run at p sleep. After the first check, it schedules the second one.
func (s *sleep) look(p *place, again time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	if s.looks++; allSleep(p.threads()) {
		s.slept++
	}
	if s.looks == 1 {
		s.timer.Reset(again)
	}
}

// stop ends the watch and reports whether the run slept.
func (s *sleep) stop() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	if s.timer != nil {
		s.timer.Stop()
	}
	return s.looks == 2 && s.slept == 2
}

// allSleep reports whether all threads, given as directories of /proc, are sleeping.
func allSleep(threads []string) bool {
	for _, dir := range threads {
		if c, ok := callOf(dir); !ok || !c.sleeps() {
			return false
		}
	}
	return len(threads) > 0
}
