//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// meter measures and limits the runs of one zygote through the zygote's control groups.
//
// In version 1, only the zygote's forking thread is in the groups, so the groups count only the run and the CPU
// time of that thread. In version 2, the whole zygote is in the group. In both versions, the CPU time of the
// zygote is subtracted.
type meter struct {
	version int
	ownCPU  int32 // clock for the zygote's own CPU time within the group
	limit   int
	swap    int
	usage   int
	peak    int
	oom     int
	reclaim int
	pidsMax int
	pidsNow int
	cpu     int
	joins   []int

	resets    bool  // whether the peak can be reset
	limitNow  int64 // current value of limit
	pidsLimit int64 // current value of pidsMax; zero means no limit
	base      int64 // memory in use when the run began
	lastPeak  int64 // peak when the run began, if it cannot be reset
	sampled   int64 // highest sample since the run began, if the peak cannot be reset
	cpuStart  int64
	ownStart  int64
	oomKills  int64 // number of kills before this run

	poll *poller // nil if control groups measure the run

	buf [512]byte
}

// newMeter returns a meter for the files of a leaf. The slices names and fds contain their names and descriptors.
// Without control groups, the meter gets a poller later, once /proc is mounted.
func newMeter(version int, names []string, fds []int) *meter {
	m := &meter{version: version, ownCPU: unix.CLOCK_THREAD_CPUTIME_ID}
	if version == 2 {
		m.ownCPU = unix.CLOCK_PROCESS_CPUTIME_ID
	}
	files := map[string]*int{
		fileLimit: &m.limit, fileSwap: &m.swap, fileUsage: &m.usage, filePeak: &m.peak, fileOOM: &m.oom,
		fileReclaim: &m.reclaim, filePidsMax: &m.pidsMax, filePidsNow: &m.pidsNow, fileCPU: &m.cpu,
	}
	for _, fd := range files {
		*fd = -1
	}
	for i, name := range names {
		if fd := files[name]; fd != nil {
			*fd = fds[i]
		} else if name == fileJoin {
			m.joins = append(m.joins, fds[i])
		}
	}
	return m
}

// join moves the calling thread into the groups (version 1). The first move may wait 10 ms for the kernel. For
// this reason, runs are never moved.
func (m *meter) join() error {
	for _, fd := range m.joins {
		if _, err := unix.Pwrite(fd, []byte("0"), 0); err != nil {
			return fmt.Errorf("join a control group: %w", err)
		}
		unix.Close(fd)
	}
	m.joins = nil
	m.resets = m.peak >= 0 && m.writeText(m.peak, "0") == nil
	return nil
}

// chargeSlack is the memory that the kernel may charge to a run in addition to the run's own pages. The memory limit is
// increased by slack, and by the memory that remains charged from earlier runs, such as cached files.
const chargeSlack = 1 << 20

// staleCache is the amount of memory from earlier runs that may remain charged. If there is more, the meter
// reclaims it before a run.
const staleCache = 8 << 20

// begin sets the limits for a run and starts measuring.
func (m *meter) begin(memory, processes int64) error {
	if m.usage >= 0 {
		m.base = m.number(m.usage)
		if m.base > staleCache && m.reclaim >= 0 {
			m.reclaimCache()
			m.base = m.number(m.usage)
		}
	}
	if err := m.limitMemory(memory); err != nil {
		return err
	}
	if err := m.limitProcesses(processes); err != nil {
		return err
	}
	m.lastPeak = 0
	if m.resets {
		_ = m.writeText(m.peak, "0")
	} else if m.peak >= 0 {
		m.lastPeak, m.sampled = m.number(m.peak), 0
	}
	if m.cpu >= 0 && m.cpuStart == 0 {
		m.ownStart, m.cpuStart = clock(m.ownCPU), m.groupCPU()
	}
	if m.poll != nil {
		m.poll.begin()
	}
	return nil
}

func (m *meter) reclaimCache() {
	if m.version == 1 {
		_ = m.writeText(m.reclaim, "0")
		return
	}
	_ = m.writeText(m.reclaim, strconv.FormatInt(m.base-staleCache/2, 10))
}

func (m *meter) limitMemory(memory int64) error {
	if m.limit < 0 {
		return nil
	}
	limit := int64(0)
	if memory > 0 {
		limit = memory + (m.base+2*chargeSlack-1)/chargeSlack*chargeSlack
		if limit < memory { // overflow: no limit
			limit = 0
		}
	}
	if limit == m.limitNow {
		return nil
	}
	text := "max"
	if m.version == 1 {
		text = "-1"
	}
	if m.version == 1 && m.swap >= 0 { // memory plus swap must never be below the memory limit
		_ = m.writeText(m.swap, text)
	}
	if limit > 0 {
		text = strconv.FormatInt(limit, 10)
	}
	if err := m.writeText(m.limit, text); err != nil {
		return fmt.Errorf("set the memory limit to %s: %w", text, err)
	}
	if m.swap >= 0 {
		if m.version == 2 {
			text = "0"
		}
		_ = m.writeText(m.swap, text)
	}
	m.limitNow = limit
	return nil
}

// unlimitedProcesses is more than any kernel allows, so it stands for no limit.
const unlimitedProcesses = 4 << 20

func (m *meter) limitProcesses(processes int64) error {
	if m.pidsMax < 0 || processes == m.pidsLimit {
		return nil
	}
	text := "max"
	if processes > 0 && processes < unlimitedProcesses {
		ours := int64(1) // the forking thread
		if m.version == 2 {
			ours = m.number(m.pidsNow)
		}
		text = strconv.FormatInt(processes+ours, 10)
	}
	if err := m.writeText(m.pidsMax, text); err != nil {
		return fmt.Errorf("set the limit of processes to %s: %w", text, err)
	}
	m.pidsLimit = processes
	return nil
}

// cpuUsed returns the CPU time of the run so far in nanoseconds, or zero if it is unknown.
func (m *meter) cpuUsed() int64 {
	if m.poll != nil {
		return m.poll.used()
	}
	used, _, _ := m.cpuSince()
	return used
}

func (m *meter) cpuSince() (used, group, own int64) {
	group, own = m.groupCPU(), clock(m.ownCPU)
	return max(0, group-m.cpuStart-(own-m.ownStart)), group, own
}

// end returns the CPU time of a run whose processes have all ended. The time of the next run is counted from here
// on, because until then only the zygote runs, and the zygote's own time is subtracted.
func (m *meter) end(usage *unix.Rusage) (cpu int64) {
	if m.poll != nil {
		m.poll.finish(usage)
		return m.poll.used()
	}
	cpu, m.cpuStart, m.ownStart = m.cpuSince()
	return cpu
}

// threads returns an upper bound for the number of threads that can use a CPU now.
func (m *meter) threads(processors int64) int64 {
	if m.pidsNow < 0 {
		return processors
	}
	return max(1, min(processors, m.number(m.pidsNow)))
}

// sample records the current memory use of a running program. It does so only on kernels before 6.12, which cannot
// reset the peak.
func (m *meter) sample() {
	if !m.resets && m.usage >= 0 {
		m.sampled = max(m.sampled, m.number(m.usage))
	}
}

// memoryUsed returns the run's peak memory use, and whether a process was killed because of memory. A kill is
// detected by the kernel's count of kills, because a program may reach its limit and survive. If a program's own
// pages exceed the limit, killed is true even if the slack allowed the program to survive.
func (m *meter) memoryUsed(memory int64, usage *unix.Rusage) (peak int64, killed bool) {
	if m.poll != nil {
		return m.poll.peak, memory > 0 && m.poll.peak > memory
	}
	if m.peak < 0 {
		return 0, false
	}
	top := m.number(m.peak)
	hidden := !m.resets && top <= m.lastPeak // the peak is hidden by that of an earlier run
	if hidden {
		m.sample()
		top = m.sampled
	}
	peak = max(0, top-m.base)
	if rss := usage.Maxrss << 10; hidden && rss > ownMaxRSS() {
		peak = max(peak, rss)
	}
	if memory > 0 && m.oom >= 0 && (hidden || peak >= memory/2) { // far from the limit, nothing was killed because of memory
		kills := m.keyed(m.oom, "oom_kill ")
		killed, m.oomKills = kills > m.oomKills, kills
		if top-m.base > memory && usage.Maxrss<<10 > memory {
			killed = true
		}
		if killed || peak > memory {
			peak = memory
		}
	}
	return peak, killed
}

func (m *meter) groupCPU() int64 {
	if m.version == 1 {
		return m.number(m.cpu)
	}
	return m.keyed(m.cpu, "usage_usec ") * int64(time.Microsecond)
}

// number reads a file that contains one number.
func (m *meter) number(fd int) int64 {
	n, _ := unix.Pread(fd, m.buf[:], 0)
	return leadingNumber(m.buf[:max(n, 0)])
}

// keyed reads the value of a key from a file with one key per line.
func (m *meter) keyed(fd int, key string) int64 {
	n, _ := unix.Pread(fd, m.buf[:], 0)
	for line := range bytes.Lines(m.buf[:max(n, 0)]) {
		if value, ok := bytes.CutPrefix(line, []byte(key)); ok {
			return leadingNumber(value)
		}
	}
	return 0
}

func leadingNumber(b []byte) (v int64) {
	for _, c := range b {
		if c < '0' || c > '9' {
			break
		}
		v = v*10 + int64(c-'0')
	}
	return v
}

func (m *meter) writeText(fd int, text string) error {
	_, err := unix.Pwrite(fd, []byte(text), 0)
	return err
}

// moment returns the time on the clock of job.end. It always asks the kernel, because a cached value would be
// wrong if the process then waited for a CPU.
func moment() int64 { return clock(unix.CLOCK_MONOTONIC) }

// clock reads a clock in nanoseconds.
func clock(id int32) int64 {
	var ts unix.Timespec
	_ = unix.ClockGettime(id, &ts)
	return ts.Nano()
}
