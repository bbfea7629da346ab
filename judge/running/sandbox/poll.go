//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// poller measures a run where there are no control groups: it looks at the
// processes of the namespace, every few milliseconds. What starts and ends
// between two looks escapes it, except for what the kernel tells of the dead.
type poller struct {
	proc  int           // /proc, or -1 where there is none
	cpu   map[int]int64 // of each process seen, in nanoseconds
	peak  int64
	floor int64 // memory that the kernel counts to a fresh child of the zygote

	segments map[string]int64 // bytes of the shared mappings of no file that were seen last, by inode
	ask      time.Time        // when to look for them again
	maps     bytes.Buffer
}

// pollEvery is how often a run without control groups is looked at, and so how far
// past its limits it may get.
const pollEvery = 4e6 // nanoseconds

func newPoller() *poller {
	p := &poller{proc: -1, cpu: map[int]int64{}}
	if fd, err := unix.Open("/proc", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err == nil {
		p.proc = fd
	}
	return p
}

func (p *poller) begin() {
	clear(p.cpu)
	p.peak, p.segments, p.ask = 0, nil, time.Now().Add(askEvery)
	p.floor = ownMaxRSS()
}

// look measures what is alive. Scratch is what lies in the scratch directory.
func (p *poller) look(pid int, scratch int64) {
	if p.proc < 0 {
		p.lookAt(pid)
		return
	}
	if _, err := unix.Seek(p.proc, 0, unix.SEEK_SET); err != nil {
		return
	}
	memory, mapped := int64(0), scratch
	var segments map[string]int64
	began := time.Now()
	if !began.Before(p.ask) {
		segments = map[string]int64{}
	}
	var buf [16 << 10]byte
	var names []string
	for {
		n, err := unix.ReadDirent(p.proc, buf[:])
		if err != nil || n == 0 {
			break
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names[:0])
		for _, name := range names {
			if pid, err := strconv.Atoi(name); err == nil && pid != 1 {
				private, shared := p.lookAt(pid)
				memory += private
				mapped = max(mapped, shared) // of several processes it may be the same, or lie in the scratch directory
				if segments != nil {
					p.find(pid, segments)
				}
			}
		}
	}
	if segments != nil {
		p.segments, p.ask = segments, time.Now().Add(max(askEvery, 16*time.Since(began)))
		for _, size := range segments {
			scratch += size
		}
		mapped = max(mapped, scratch)
	}
	p.peak = max(p.peak, memory+mapped)
}

// lookAt measures one process, and returns the memory that is its own alone, and that which
// others may have, too, and is no file's.
func (p *poller) lookAt(pid int) (private, shared int64) {
	var ts unix.Timespec
	if unix.ClockGettime(processClock(pid), &ts) == nil {
		p.cpu[pid] = ts.Nano()
	}
	if p.proc < 0 {
		return 0, 0
	}
	var buf [4 << 10]byte
	f := bytes.Fields(p.read(pid, "/statm", buf[:]))
	if len(f) < 3 {
		return 0, 0
	}
	page := int64(unix.Getpagesize())
	all, others := leadingNumber(f[1])*page, leadingNumber(f[2])*page
	if others > worthAsking {
		_, line, _ := bytes.Cut(p.read(pid, "/status", buf[:]), []byte("\nRssShmem:"))
		shared = leadingNumber(bytes.TrimLeft(line, " \t")) << 10
	}
	return all - others, shared
}

// worthAsking is from how much shared memory on it is asked how much of it is no file's.
const worthAsking = 1 << 20

// askEvery is how often it is looked for shared mappings, which takes longer than a look.
const askEvery = 64 * time.Millisecond

// find adds the shared mappings of a process that are no file's, by inode, with their bytes.
// What an ended process has touched there stays in memory, and no living one has it among its
// own; so they count whole, and what was seen of one before counts on.
func (p *poller) find(pid int, segments map[string]int64) {
	fd, err := unix.Openat(p.proc, strconv.Itoa(pid)+"/maps", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	p.maps.Reset()
	var buf [16 << 10]byte
	for {
		n, err := unix.Read(fd, buf[:])
		if err != nil || n == 0 {
			break
		}
		p.maps.Write(buf[:n])
	}
	for line := range bytes.Lines(p.maps.Bytes()) {
		// 7f5e0c000000-7f5e14000000 rw-s 00000000 00:01 1039 /dev/zero (deleted)
		f := bytes.Fields(line)
		if len(f) < 7 || !bytes.HasSuffix(f[1], []byte("s")) || string(f[5]) != "/dev/zero" {
			continue
		}
		from, to, _ := bytes.Cut(f[0], []byte("-"))
		inode := string(f[4])
		segments[inode] = max(segments[inode], p.segments[inode], hexadecimal(f[2])+hexadecimal(to)-hexadecimal(from))
	}
}

func hexadecimal(text []byte) int64 {
	n, _ := strconv.ParseInt(string(text), 16, 64) // the kernel wrote it
	return n
}

// read reads one of the small files that tell of a process.
func (p *poller) read(pid int, name string, buf []byte) []byte {
	fd, err := unix.Openat(p.proc, strconv.Itoa(pid)+name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	n, err := unix.Read(fd, buf)
	if err != nil {
		return nil
	}
	return buf[:n]
}

// used is the CPU time seen so far, of the living and of the dead.
func (p *poller) used() (total int64) {
	for _, t := range p.cpu {
		total += t
	}
	return total
}

// finish takes what the kernel says of the dead processes.
func (p *poller) finish(usage *unix.Rusage) {
	if top := usage.Maxrss << 10; top > p.floor {
		p.peak = max(p.peak, top)
	}
}
