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

	"assay/judge"
)

// turns limits how long each of two processes that talk to each other may keep the other one waiting. The wait
// counts against the wall time limit of the process whose turn it is. That is:
//   - the process that has something to read;
//   - if neither has anything to read and only one waits for input, the other process;
//   - if both wait or neither waits, the first process. So a program that forgot to flush is charged for the
//     silence, and not its interactor. If each process can only continue after the other one does, the first
//     one is ended at once.
//
// No time counts while the relay holds data for which a process waits, because a busy machine may keep the relay
// from its CPUs.
type turns struct {
	all   []Joined
	lives []lifetime
	relay [2]*relay // relay for the output of each process
	used  [2]time.Duration
	last  [2]starvation
	seen  [2]bool       // whether the process was seen
	begun [2]bool       // seen before this check, or the system does not report it
	quiet time.Duration // part of the first process's used time in which both waited
	still time.Duration // how long neither process could continue, up to now
	stuck [2]bool       // whether both waited for most of the time for which the process was ended

	mu     sync.Mutex
	placed [2]place
}

// newTurns returns nil unless there are two processes that talk to each other through relays.
func newTurns(all []Joined, pipes []ends, lives []lifetime) *turns {
	if len(all) != 2 || all[0].OutputTo != 1 || pipes[0].relay == nil || pipes[1].relay == nil {
		return nil
	}
	return &turns{all: all, lives: lives, relay: [2]*relay{pipes[0].relay, pipes[1].relay}}
}

// limits returns the limits for process i. Its wall time limit is the sum of the limits of both processes, because
// turns itself limits the turns of each.
func (t *turns) limits(i int) judge.Limits {
	l, own, other := t.all[i].Limits, t.all[i].Limits.Wall, t.all[1-i].Limits.Wall
	if l.Wall = own + other; own == 0 || other == 0 {
		l.Wall = 0
	}
	return l
}

// place records where a process runs.
func (t *turns) place(i int, p place) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.placed[i] = p
	t.seen[i] = len(p.threads()) > 0
}

// watch watches the two processes until both have ended.
func (t *turns) watch() {
	tick := time.NewTicker(turnInterval)
	defer tick.Stop()
	before := time.Now()
	for !t.over(0) || !t.over(1) {
		select {
		case <-tick.C:
		case <-t.lives[0].over:
			select {
			case <-tick.C:
			case <-t.lives[1].over:
			}
		}
		now := time.Now()
		t.look(min(now.Sub(before), 2*turnInterval))
		before = now
	}
}

// look adds the time since the previous check to the process whose turn it is, without its waits for a CPU. No
// process is charged for the time until a worker has started it, nor for the time until the judge notices that a
// process has ended.
func (t *turns) look(took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.placed[0].pid == 0 || t.placed[1].pid == 0 {
		return
	}
	for i := range t.placed {
		lives := t.placed[i].lives()
		if t.seen[i] && !lives && !t.over(i) {
			return
		}
		t.seen[i] = t.seen[i] || lives
	}
	i, both := t.currentTurn()
	if i < 0 {
		t.still = 0
		return
	}
	if !t.begun[i] {
		t.begun[i] = t.seen[i] || !t.placed[i].known()
		return
	}
	starved := t.last[i].total
	t.last[i].add(t.placed[i].threads(), int64(took), 0)
	used := max(0, took-time.Duration(t.last[i].total-starved))
	t.used[i] += used
	if both {
		t.quiet += used
	}
	if t.still += used; !both || !t.isDeadlock() {
		t.still = 0
	}
	if most := t.all[i].Limits.Wall; most > 0 && (t.used[i] > most || t.still > maxDeadlockWatch) && t.lives[i].ctx.Err() == nil {
		t.stuck[i] = i == 0 && t.quiet > t.used[i]/2 || t.still > maxDeadlockWatch
		t.lives[i].end(errTurnLimit)
	}
}

// maxDeadlockWatch is how long two processes that wait for each other are watched before the first one is ended,
// regardless of its wall time limit.
const maxDeadlockWatch = time.Second

// isDeadlock reports whether two processes that wait for each other will do so forever, because none of their threads
// wakes up by itself. The first process, a contestant's, must also have no alarm set, if the system reports
// alarms. In the other process a single thread may wake up, because Go's runtime has such a thread.
func (t *turns) isDeadlock() bool {
	for i := range t.placed {
		timed, ok := t.placed[i].timed(t.input(i))
		if !ok || timed > i {
			return false
		}
	}
	return !t.placed[0].alarmed()
}

// ended reports whether a process that has begun has ended. The judge may not have noticed it yet.
func (t *turns) ended(i int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := &t.placed[i]
	return (t.seen[i] || p.pid != 0 && p.known()) && !p.lives()
}

func (t *turns) over(i int) bool {
	select {
	case <-t.lives[i].over:
		return true
	default:
		return false
	}
}

// currentTurn returns the process whose turn it is, or -1 if no time counts. If both is set, the processes wait for each
// other.
func (t *turns) currentTurn() (i int, both bool) {
	for i := range 2 {
		if t.over(1 - i) {
			if waiting(t.input(i)) == 0 && t.relay[1-i].late() && t.waits(i) {
				return -1, false
			}
			return i, false
		}
	}
	switch {
	case waiting(t.input(0)) > 0:
		return 0, false
	case waiting(t.input(1)) > 0:
		return 1, false
	case !t.waits(0):
		return 0, false
	case !t.waits(1):
		return 1, false
	case t.relay[0].late() || t.relay[1].late():
		return -1, false
	}
	return 0, true
}

// input returns the judge's end of the pipe that a process reads.
func (t *turns) input(i int) *os.File { return t.relay[1-i].to }

func (t *turns) waits(i int) bool { return t.placed[i].waits(t.input(i)) }

// late reports whether there is data that the relay has not passed on yet.
func (r *relay) late() bool { return r.carries.Load() || ready(r.from, 0) }

// threads lists the directories in /proc for all threads of the process and of its children. If the kernel does
// not report children, it lists only the threads of the first process.
func (p *place) threads() (dirs []string) {
	add := func(pid string) []string {
		first := len(dirs)
		tasks := "/proc/" + pid + "/task"
		for _, tid := range numbered(tasks) {
			dirs = append(dirs, tasks+"/"+tid)
		}
		return dirs[first:]
	}
	var todo []string
	parents := add(strconv.Itoa(p.pid))
	if p.inside { // the zygote is not part of the process
		dirs = nil
	}
	for {
		for _, dir := range parents {
			children, _ := os.ReadFile(dir + "/children")
			todo = append(todo, strings.Fields(string(children))...)
		}
		if len(todo) == 0 || len(dirs) > maxCheckedThreads {
			break
		}
		parents = add(todo[0])
		todo = todo[1:]
	}
	if len(dirs) == 0 {
		if main := p.process(); main != 0 {
			add(strconv.Itoa(main))
		}
	}
	return dirs
}

// lives reports whether any thread of the process or of its children is still alive.
func (p *place) lives() bool {
	return slices.ContainsFunc(p.threads(), func(dir string) bool { return !strings.ContainsRune("\x00ZX", rune(state(dir))) })
}

// known reports whether the system has any information about the process or its zygote.
func (p *place) known() bool { return len(numbered("/proc/"+strconv.Itoa(p.pid)+"/task")) > 0 }

// maxCheckedThreads is the maximum number of threads that one check considers.
const maxCheckedThreads = 100

// waits reports whether the process waits for data from a pipe: none of its threads runs, and at least one is in a
// call that waits for the pipe. Input is any end of the pipe.
func (p *place) waits(input *os.File) (found bool) {
	pipe := pipeName(input)
	for _, dir := range p.threads() {
		c, ok := callOf(dir)
		switch {
		case !ok:
			if state(dir) != 'S' { // runs, or waits for a CPU or a disk
				return false
			}
			found = true // the system reports no details
		case c.running:
			return false
		case slices.Contains(pollCalls, c.number):
			found = true
		default:
			found = found || slices.Contains(c.files(dir), pipe)
		}
	}
	return found
}

// timed counts the threads of the process that wake up by themselves. The others wait for a pipe, for each other,
// or for a child process. If a thread does anything else, or the system does not report what it does, ok is false.
func (p *place) timed(input *os.File) (n int, ok bool) {
	pipe, threads := pipeName(input), p.threads()
	for _, dir := range threads {
		c, told := callOf(dir)
		switch {
		case !told || c.running || len(threads) > maxCheckedThreads:
			return n, false
		case slices.Contains(readCalls, c.number):
			if !slices.Contains(c.files(dir), pipe) {
				return n, false
			}
		case slices.Contains(epollCalls, c.number):
			for _, file := range c.files(dir) {
				if !strings.HasPrefix(file, "pipe:") && file != "anon_inode:[eventfd]" { // it may be a timer
					return n, false
				}
			}
			if c.timed() {
				return n, false
			}
		case c.number == unix.SYS_FUTEX:
			if c.timed() {
				n++
			}
		case !slices.Contains(childCalls, c.number):
			return n, false
		}
	}
	return n, true
}

// alarmed reports whether a process handles any signal by which a timer may wake it.
func (p *place) alarmed() bool {
	const alarms = 1<<(unix.SIGALRM-1) | ^uint64(1<<(firstRealTime-1)-1)
	for _, dir := range p.threads() {
		status, err := os.ReadFile(dir + "/status")
		if err != nil {
			return true
		}
		for line := range strings.Lines(string(status)) {
			if caught, ok := strings.CutPrefix(line, "SigCgt:"); ok {
				if set, err := strconv.ParseUint(strings.TrimSpace(caught), 16, 64); err != nil || set&alarms != 0 {
					return true
				}
			}
		}
	}
	return false
}

// firstRealTime is the first signal that the threads of the C library do not use themselves.
const firstRealTime = 34

// files returns the link targets of the descriptors for which a thread waits in this call.
func (c syscallState) files(dir string) (links []string) {
	add := func(fd string) {
		if link, err := os.Readlink(dir + "/fd/" + fd); err == nil {
			links = append(links, link)
		}
	}
	fd := strconv.FormatUint(c.args[0], 10)
	switch {
	case slices.Contains(readCalls, c.number):
		add(fd)
	case slices.Contains(epollCalls, c.number):
		info, _ := os.ReadFile(dir + "/fdinfo/" + fd)
		for line := range strings.Lines(string(info)) {
			if f := strings.Fields(line); len(f) > 1 && f[0] == "tfd:" {
				add(f[1])
			}
		}
	}
	return links
}

// pipeName returns the name in /proc of the pipe that f belongs to. It returns the empty string if f is closed.
func pipeName(f *os.File) (name string) {
	onPipe(f, func(fd int) {
		var st unix.Stat_t
		if unix.Fstat(fd, &st) == nil {
			name = "pipe:[" + strconv.FormatUint(st.Ino, 10) + "]"
		}
	})
	return name
}

// waiting returns the number of unread bytes in a pipe.
func waiting(f *os.File) (n int) {
	onPipe(f, func(fd int) { n, _ = unix.IoctlGetInt(fd, unix.TIOCINQ) })
	return n
}
