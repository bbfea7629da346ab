//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// starvation adds up for how long a run was ready to go on and had to wait for a
// processor, as others had it. That does not count as the run's wall time: a busy machine is
// not an idle program.
type starvation struct {
	seen  map[string]int64 // of each thread, in nanoseconds
	total int64
	next  int64 // when to look again
}

const (
	// starvationEvery is how often threads are asked; what one waited that ended in
	// between is lost.
	starvationEvery = int64(50 * time.Millisecond)
	// mostStarved is how long a machine may keep a run from its processors before that
	// is said instead of a verdict.
	mostStarved = 10 * time.Minute
)

func (s *starvation) begin() {
	clear(s.seen)
	s.total, s.next = 0, 0
}

// look adds what the thread that waited longest has waited since the last look: many
// threads of a run also wait for each other, and its CPU limit sees to that.
func (s *starvation) look() {
	now := moment()
	if now < s.next {
		return
	}
	s.next = now + starvationEvery
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
	s.add(threads)
}

// add adds what the one of these threads, folders in /proc, has waited that waited longest.
func (s *starvation) add(threads []string) {
	if s.seen == nil {
		s.seen = map[string]int64{}
	}
	var longest int64
	for _, dir := range threads {
		waited := runDelay(dir)
		longest = max(longest, waited-s.seen[dir])
		s.seen[dir] = waited
	}
	s.total += longest
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

// runDelay is how long a thread has waited for a processor, in nanoseconds. Not all
// kernels tell.
func runDelay(dir string) int64 {
	fd, err := unix.Open(dir+"/schedstat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	var buf [128]byte
	n, _ := unix.Read(fd, buf[:])
	if f := bytes.Fields(buf[:max(n, 0)]); len(f) > 1 {
		return leadingNumber(f[1])
	}
	return 0
}
