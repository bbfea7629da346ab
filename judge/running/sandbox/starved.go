//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"assay/judge"
)

// starvation adds up for how long a run was ready to go on and had to wait for a
// processor, as others had it. That does not count as the run's wall time: a busy machine is
// not an idle program.
type starvation struct {
	seen   map[string]scheduled // of each thread
	total  int64                // nanoseconds
	looked int64                // when, the last time
	slept  int64                // nanoseconds since then for which the caller meant to sleep
}

// scheduled is for how long a thread has been on a processor, and has waited for one, in
// nanoseconds. What it waits now the kernel adds when the thread goes on; pending is what is
// known of that.
type scheduled struct{ ran, waited, pending int64 }

const (
	// starvationEvery is how often threads are asked; what one waited that ended in
	// between is lost.
	starvationEvery = int64(50 * time.Millisecond)
	// starvationLast is how old what is known of a run may be that is about to be ended. In a
	// shorter time the kernel may not have noted that a thread ran.
	starvationLast = int64(2 * tick)
	// mostStarved is how long a machine may keep a run from its processors before that
	// is said instead of a verdict.
	mostStarved = judge.LongestCPUWait
)

func (s *starvation) begin() {
	clear(s.seen)
	s.total, s.looked, s.slept = 0, moment(), 0
}

// look adds what the threads of the run have waited since the last look, where that was so long
// ago.
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

// add adds what these threads, folders in /proc, have waited, of the time that this took: as
// long as the one that waited longest, for many threads of a run also wait for each other, and
// its CPU limit sees to that. Where they hand over to each other, it is what all have waited,
// as long as none of them was on a processor.
//
// A thread that ran in that time and is ready for a processor now may have waited for one since,
// or may have slept. It has waited for as long as the caller came late to this look: that was
// kept from a processor, too.
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

// numbered lists the entries of a folder of /proc whose names are numbers.
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

// schedule reads of a thread how long it has run and waited. Not all kernels tell.
func schedule(dir string) (s scheduled) {
	var buf [128]byte
	if f := bytes.Fields(head(dir+"/schedstat", buf[:])); len(f) > 1 {
		s.ran, s.waited = leadingNumber(f[0]), leadingNumber(f[1])
	}
	return s
}

// state is what a thread does: it is ready for a processor, which it may have (R), sleeps (S), or
// something else; 0 for one that has ended.
func state(dir string) byte {
	var buf [128]byte
	text := head(dir+"/stat", buf[:]) // "tid (name) state ...", and the name may have brackets
	if f := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]); len(f) > 0 {
		return f[0][0]
	}
	return 0
}

// head reads the beginning of a file of /proc.
func head(path string, buf []byte) []byte {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	n, _ := unix.Read(fd, buf)
	return buf[:max(n, 0)]
}
