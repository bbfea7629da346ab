//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// clock opens the control group's file for the CPU time.
func (p *place) clock() *os.File {
	for _, dir := range p.groups {
		for _, name := range []string{"cpuacct.usage", "cpu.stat"} {
			if f, err := os.Open(filepath.Join(dir, name)); err == nil {
				return f
			}
		}
	}
	return nil
}

// cpu returns the CPU time of the process. It reads the time from the control group. Without a control group, it
// reads the clock of the process, which does not include living children.
func (p *place) cpu() (time.Duration, bool) {
	for _, dir := range p.groups {
		if text, err := os.ReadFile(filepath.Join(dir, "cpuacct.usage")); err == nil {
			return time.Duration(leadingNumber(text)), true
		}
		if text, err := os.ReadFile(filepath.Join(dir, "cpu.stat")); err == nil {
			for line := range strings.Lines(string(text)) {
				if usec, ok := strings.CutPrefix(line, "usage_usec "); ok {
					return time.Duration(leadingNumber([]byte(usec))) * time.Microsecond, true
				}
			}
		}
	}
	main := p.process()
	if main == 0 {
		return 0, false
	}
	var ts unix.Timespec
	if err := unix.ClockGettime(processClock(main), &ts); err != nil {
		return 0, false
	}
	return time.Duration(ts.Nano()), true
}

// done returns the CPU use of all threads of the run.
func (p *place) done() Threads {
	all := Threads{}
	for _, dir := range p.threads() {
		s := schedule(dir)
		all[dir] = thread{time.Duration(s.ran), time.Duration(s.waited), state(dir) == 'R'}
	}
	return all
}

// used reports whether all living threads of the process and of its children sleep. If so, it also returns their
// CPU time and the bytes of their private memory. If any thread runs, or waits for a CPU or a disk, sleeps is
// false.
func (p *place) used() (sum time.Duration, memory int64, sleeps bool) {
	threads := p.threads()
	for _, dir := range threads {
		if state(dir) != 'S' { // runs, or waits for a CPU or a disk
			return 0, 0, false
		}
		sum += time.Duration(schedule(dir).ran)
		if process, tid, _ := strings.Cut(dir, "/task/"); process == "/proc/"+tid {
			text, _ := os.ReadFile(process + "/statm") // "size resident shared ...", counted in pages
			if f := bytes.Fields(text); len(f) > 2 {
				memory += (leadingNumber(f[1]) - leadingNumber(f[2])) * int64(os.Getpagesize())
			}
		}
	}
	return sum, memory, len(threads) > 0
}

// pin binds every thread of the process to a CPU, including threads that start while pin runs.
func (p *place) pin(processor int) error {
	main := p.process()
	if main == 0 {
		return errors.New("pin a process: it is gone")
	}
	var set unix.CPUSet
	set.Set(processor)
	for bound := map[int]bool{}; ; {
		tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", main))
		if err != nil {
			return fmt.Errorf("pin a process: %w", err)
		}
		before := len(bound)
		for _, t := range tasks {
			tid, err := strconv.Atoi(t.Name())
			if err != nil || bound[tid] {
				continue
			}
			if err := unix.SchedSetaffinity(tid, &set); err != nil && err != unix.ESRCH {
				return fmt.Errorf("pin a process to processor %d: %w", processor, err)
			}
			bound[tid] = true
		}
		if len(bound) == before || len(bound) > maxThreads {
			return nil
		}
	}
}

// maxThreads is the maximum number of threads that pin binds. It limits the work for a process that keeps starting
// threads.
const maxThreads = 10_000

// process returns the id of the process itself. In a sandbox, p.pid is the zygote, and the process is its child.
// If there is no such child, process returns zero.
func (p *place) process() int {
	if !p.inside {
		return p.pid
	}
	if p.main != 0 {
		return p.main
	}
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", p.pid)) // most kernels have this file
	for _, name := range threads {
		if text, err := os.ReadFile(name); err == nil && len(text) > 0 {
			child, _, _ := strings.Cut(string(text), " ")
			p.main, _ = strconv.Atoi(child)
			return p.main
		}
	}
	if len(threads) > 0 {
		return 0
	}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, stat := range stats {
		text, err := os.ReadFile(stat)
		if err != nil {
			continue
		}
		// The format is "pid (name) state ppid ...". The name may contain blanks and brackets.
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(p.pid) {
			p.main, _ = strconv.Atoi(filepath.Base(filepath.Dir(stat)))
			return p.main
		}
	}
	return 0
}
