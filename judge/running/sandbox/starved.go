//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"assay/judge"
)

// starvation adds up how long a run was ready but had to wait for a CPU that other programs used. This time is not
// part of the run's wall time, because a busy machine must not make a program look idle.
type starvation struct {
	seen   map[string]scheduled // by thread
	total  int64                // nanoseconds
	looked int64                // time of the previous check
	slept  int64                // nanoseconds since then during which the caller intended to sleep
}

// scheduled is how long a thread has been on a CPU and how long it has waited for one, in nanoseconds. The kernel
// adds a current wait only when it ends; pending is the known part of that wait.
type scheduled struct{ ran, waited, pending int64 }

const (
	// starvationInterval is the time between two checks of the threads. If a thread ends between two checks, its last
	// wait is not counted.
	starvationInterval = int64(50 * time.Millisecond)
	// maxStarvationAge is the maximum age of the last check when a run is about to be killed. A smaller value would
	// be wrong, because the kernel may record late that a thread ran.
	maxStarvationAge = int64(2 * tick)
	// maxStarved is how long a machine may keep a run from its CPUs before the sandbox returns an error instead
	// of a result.
	maxStarved = judge.MaxCPUWait
)

func (s *starvation) begin() {
	clear(s.seen)
	s.total, s.looked, s.slept = 0, moment(), 0
}

// look adds the time for which the threads of the run have waited since the previous check. If the previous check
// was less than ago nanoseconds ago, look does nothing and returns false.
func (s *starvation) look(ago int64) bool {
	now := moment()
	took := now - s.looked
	if took < ago {
		return false
	}
	late := took - s.slept
	s.looked, s.slept = now, 0
	var threads []string
	for _, pid := range numbered("/proc") {
		if pid == "1" {
			continue
		}
		tasks := "/proc/" + pid + "/task"
		for _, tid := range numbered(tasks) {
			threads = append(threads, tasks+"/"+tid)
		}
	}
	s.add(threads, took, late)
	return true
}

// add adds how long these threads, given as directories of /proc, have waited since the previous check, took
// nanoseconds ago. That is the longest wait of any thread, because the threads of a run also wait for each other,
// which the CPU time limit covers. If threads hand over to each other, it is the sum of all waits, up to the time
// in which none of the threads was on a CPU.
//
// A thread that ran since the previous check and is ready now may have waited for a CPU since it ran, or may have
// slept. It counts as waiting for at most late nanoseconds. For that time the caller was itself kept from a CPU.
func (s *starvation) add(threads []string, took, late int64) {
	if s.seen == nil {
		s.seen = map[string]scheduled{}
	}
	var longest, all, ran int64
	for _, dir := range threads {
		now := schedule(dir)
		before, known := s.seen[dir]
		if known && now.ran == before.ran && now.waited == before.waited {
			if state(dir) == 'R' {
				now.pending = before.pending + took
			}
		} else if late > 0 && state(dir) == 'R' {
			now.pending = max(0, min(late, took-(now.ran-before.ran)-(now.waited-before.waited)))
		}
		waited := now.waited + now.pending - before.waited - before.pending
		longest, all, ran = max(longest, waited), all+waited, ran+now.ran-before.ran
		s.seen[dir] = now
	}
	s.total += max(longest, min(all, took-ran))
}

// numbered lists the entries of a directory in /proc whose names are numbers.
func numbered(path string) (names []string) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	var buf [8 << 10]byte
	for {
		n, err := unix.ReadDirent(fd, buf[:])
		if err != nil || n <= 0 {
			return names
		}
		var more []string
		_, _, more = unix.ParseDirent(buf[:n], -1, nil)
		for _, name := range more {
			if _, err := strconv.Atoi(name); err == nil {
				names = append(names, name)
			}
		}
	}
}

// schedule reads how long a thread has run and waited. It returns zeros if the kernel does not report these times.
func schedule(dir string) (s scheduled) {
	var buf [128]byte
	if f := bytes.Fields(head(dir+"/schedstat", buf[:])); len(f) > 1 {
		s.ran, s.waited = leadingNumber(f[0]), leadingNumber(f[1])
	}
	return s
}

// state returns the state of a thread: R if it runs or waits for a CPU, S if it sleeps, or another letter. It
// returns zero if the thread has ended.
func state(dir string) byte {
	var buf [128]byte
	text := head(dir+"/stat", buf[:]) // "tid (name) state ..."; the name may contain brackets
	if f := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]); len(f) > 0 {
		return f[0][0]
	}
	return 0
}

// head reads the beginning of a file in /proc.
func head(path string, buf []byte) []byte {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	n, _ := unix.Read(fd, buf)
	return buf[:max(n, 0)]
}
