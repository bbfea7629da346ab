//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// poller measures a run without control groups. It checks the processes of the namespace every few milliseconds.
// Of a process that starts and ends between two checks, it knows only the resource use that the kernel reports to
// the parent.
type poller struct {
	proc  int           // descriptor of /proc; -1 if there is none
	cpu   map[int]int64 // CPU time in nanoseconds, by process id
	peak  int64
	floor int64 // memory that the kernel charges to a new child of the zygote

	segments     map[string]int64 // last seen size in bytes of shared mappings without a file, by inode
	nextMapsRead time.Time        // when to search for shared mappings again
	maps         bytes.Buffer
}

// pollInterval is the time between two checks of a run without control groups. A run may exceed its limits for about
// this time.
const pollInterval = 4e6 // nanoseconds

func newPoller() *poller {
	p := &poller{proc: -1, cpu: map[int]int64{}}
	if fd, err := unix.Open("/proc", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err == nil {
		p.proc = fd
	}
	return p
}

func (p *poller) begin() {
	clear(p.cpu)
	p.peak, p.segments, p.nextMapsRead = 0, nil, time.Now().Add(mapsInterval)
	p.floor = ownMaxRSS()
}

// measure measures the living processes. Scratch is the number of bytes in the scratch directory.
func (p *poller) measure(pid int, scratch int64) {
	if p.proc < 0 {
		p.measureProcess(pid)
		return
	}
	if _, err := unix.Seek(p.proc, 0, unix.SEEK_SET); err != nil {
		return
	}
	memory, mapped := int64(0), scratch
	var segments map[string]int64
	began := time.Now()
	if !began.Before(p.nextMapsRead) {
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
				private, shared := p.measureProcess(pid)
				memory += private
				mapped = max(mapped, shared) // several processes may share it, or it may be in the scratch directory
				if segments != nil {
					p.find(pid, segments)
				}
			}
		}
	}
	if segments != nil {
		p.segments, p.nextMapsRead = segments, time.Now().Add(max(mapsInterval, 16*time.Since(began)))
		for _, size := range segments {
			scratch += size
		}
		mapped = max(mapped, scratch)
	}
	p.peak = max(p.peak, memory+mapped)
}

// measureProcess measures one process. It returns its private memory, and its shared memory without a file.
func (p *poller) measureProcess(pid int) (private, shared int64) {
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
	if others > sharedThreshold {
		_, line, _ := bytes.Cut(p.read(pid, "/status", buf[:]), []byte("\nRssShmem:"))
		shared = leadingNumber(bytes.TrimLeft(line, " \t")) << 10
	}
	return all - others, shared
}

// sharedThreshold is the amount of shared memory of a process above which the poller reads how much of it belongs to
// no file.
const sharedThreshold = 1 << 20

// mapsInterval is the minimum time between two searches for shared mappings, because a search takes longer than a
// normal check.
const mapsInterval = 64 * time.Millisecond

// find adds a process's shared mappings that belong to no file to segments, which maps inodes to sizes in bytes.
// Pages that an ended process touched stay in memory, but are not reported for any living process. So a mapping
// counts with its full size, and a mapping that an earlier check found still counts.
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
	n, _ := strconv.ParseInt(string(text), 16, 64) // written by the kernel, so it is valid
	return n
}

// read reads a small file of /proc about a process.
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

// used returns the CPU time measured so far, of living and ended processes.
func (p *poller) used() (total int64) {
	for _, t := range p.cpu {
		total += t
	}
	return total
}

// finish adds the kernel's data about ended processes.
func (p *poller) finish(usage *unix.Rusage) {
	if top := usage.Maxrss << 10; top > p.floor {
		p.peak = max(p.peak, top)
	}
}
