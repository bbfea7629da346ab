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

// turns bounds how long each of two processes that talk to each other may keep the other
// one waiting: whose turn it is pays with its wall time limit. That is the one with
// something to read; with nothing to read for both, the one that is not waiting for input
// while the other one is. Where both wait, or neither, it is the first one, so that a
// program that forgot to flush pays for the silence and not its interactor. It pays at once
// where neither can go on before the other one does. Nobody pays while what they wait for is
// with a relay, which a busy machine keeps from its processors.
type turns struct {
	all   []Joined
	lives []life
	relay [2]*relay // of what each process writes
	used  [2]time.Duration
	last  [2]starvation
	seen  [2]bool       // it was there
	begun [2]bool       // it was there before this look, or nobody tells
	quiet time.Duration // of what the first used, in which both waited
	still time.Duration // for how long neither could go on, up to now
	stuck [2]bool       // both waited for most of the time for which one was ended

	mu     sync.Mutex
	placed [2]place
}

// newTurns is nil unless the processes are two that talk to each other through relays.
func newTurns(all []Joined, pipes []ends, lives []life) *turns {
	if len(all) != 2 || all[0].To != 1 || pipes[0].relay == nil || pipes[1].relay == nil {
		return nil
	}
	return &turns{all: all, lives: lives, relay: [2]*relay{pipes[0].relay, pipes[1].relay}}
}

// limits gives a process what both may take together, as each turn is bounded here.
func (t *turns) limits(i int) judge.Limits {
	l, own, other := t.all[i].Limits, t.all[i].Limits.Wall, t.all[1-i].Limits.Wall
	if l.Wall = own + other; own == 0 || other == 0 {
		l.Wall = 0
	}
	return l
}

// place is told where a process runs.
func (t *turns) place(i int, p place) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.placed[i] = p
	t.seen[i] = len(p.threads()) > 0
}

// watch looks at the two until both have ended.
func (t *turns) watch() {
	tick := time.NewTicker(turnEvery)
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
		t.look(min(now.Sub(before), 2*turnEvery))
		before = now
	}
}

// look adds some time to the one whose turn it is, without what it waited for a processor. The
// time until a worker has started its process is nobody's, and so is the time that the judge
// takes to notice that one has ended.
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
	i, both := t.whose()
	if i < 0 {
		t.still = 0
		return
	}
	if !t.begun[i] {
		t.begun[i] = t.seen[i] || !t.placed[i].told()
		return
	}
	starved := t.last[i].total
	t.last[i].add(t.placed[i].threads(), int64(took), 0)
	used := max(0, took-time.Duration(t.last[i].total-starved))
	t.used[i] += used
	if both {
		t.quiet += used
	}
	if t.still += used; !both || !t.forever() {
		t.still = 0
	}
	if most := t.all[i].Limits.Wall; most > 0 && (t.used[i] > most || t.still > longestStill) && t.lives[i].ctx.Err() == nil {
		t.stuck[i] = i == 0 && t.quiet > t.used[i]/2 || t.still > longestStill
		t.lives[i].end(errTurn)
	}
}

// longestStill is for how long two that wait for each other are looked at before the first
// one is ended, whatever its wall time limit is.
const longestStill = time.Second

// forever tells whether two that wait for each other can do nothing else: no thread of them
// wakes up by itself. The first one, a contestant's, also has no alarm set as far as that can
// be seen. In the other one a single thread may wake up, as the run time of Go has one that
// does.
func (t *turns) forever() bool {
	for i := range t.placed {
		timed, ok := t.placed[i].timed(t.input(i))
		if !ok || timed > i {
			return false
		}
	}
	return !t.placed[0].alarmed()
}

// ended tells whether a process that was begun has ended, which the judge need not have
// noticed.
func (t *turns) ended(i int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := &t.placed[i]
	return (t.seen[i] || p.pid != 0 && p.told()) && !p.lives()
}

func (t *turns) over(i int) bool {
	select {
	case <-t.lives[i].over:
		return true
	default:
		return false
	}
}

// whose turn it is, or -1 for nobody's; both says that they wait for each other.
func (t *turns) whose() (i int, both bool) {
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

// input is the judge's end of the pipe that a process reads.
func (t *turns) input(i int) *os.File { return t.relay[1-i].to }

func (t *turns) waits(i int) bool { return t.placed[i].waits(t.input(i)) }

// late tells whether the relay has something to do that it has not done.
func (r *relay) late() bool { return r.carries.Load() || ready(r.from, 0) }

// threads lists the folders in /proc of all threads of the process and of what it started,
// or of its first process where the kernel does not tell who started what.
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
	if p.inside { // the zygote is none of its threads
		dirs = nil
	}
	for {
		for _, dir := range parents {
			children, _ := os.ReadFile(dir + "/children")
			todo = append(todo, strings.Fields(string(children))...)
		}
		if len(todo) == 0 || len(dirs) > mostLooked {
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

// lives tells whether a thread of the process, or of what it started, has not ended.
func (p *place) lives() bool {
	return slices.ContainsFunc(p.threads(), func(dir string) bool { return !strings.ContainsRune("\x00ZX", rune(state(dir))) })
}

// told tells whether the system says anything of the process, or of its zygote.
func (p *place) told() bool { return len(numbered("/proc/"+strconv.Itoa(p.pid)+"/task")) > 0 }

// mostLooked bounds how long a look at a process of many threads takes.
const mostLooked = 100

// waits tells whether the process waits for something to come through a pipe, of which
// input is any end: no thread of it runs, and one is in a call that waits for that pipe.
func (p *place) waits(input *os.File) (found bool) {
	pipe := pipeName(input)
	for _, dir := range p.threads() {
		c, ok := callOf(dir)
		switch {
		case !ok:
			if state(dir) != 'S' { // it runs, or waits for a processor or a disk
				return false
			}
			found = true // nobody tells more
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

// timed counts the threads of the process that wake up by themselves; the others wait for a
// pipe, for each other or for a process that it started. It is not ok where some thread does
// something else, or nobody tells.
func (p *place) timed(input *os.File) (n int, ok bool) {
	pipe, threads := pipeName(input), p.threads()
	for _, dir := range threads {
		c, told := callOf(dir)
		switch {
		case !told || c.running || len(threads) > mostLooked:
			return n, false
		case slices.Contains(readCalls, c.number):
			if !slices.Contains(c.files(dir), pipe) {
				return n, false
			}
		case slices.Contains(epollCalls, c.number):
			for _, file := range c.files(dir) {
				if !strings.HasPrefix(file, "pipe:") && file != "anon_inode:[eventfd]" { // a clock, perhaps
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

// alarmed tells whether a process hears a signal that it may have asked to get later.
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

// firstRealTime is the first signal that the threads of C's library leave to programs.
const firstRealTime = 34

// files are what the descriptors lead to that a thread waits for in this call.
func (c doing) files(dir string) (links []string) {
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

// pipeName is how /proc names the pipe that a file is an end of, "" once that is closed.
func pipeName(f *os.File) (name string) {
	onPipe(f, func(fd int) {
		var st unix.Stat_t
		if unix.Fstat(fd, &st) == nil {
			name = "pipe:[" + strconv.FormatUint(st.Ino, 10) + "]"
		}
	})
	return name
}

// waiting is how many bytes are in a pipe that nobody has read yet.
func waiting(f *os.File) (n int) {
	onPipe(f, func(fd int) { n, _ = unix.IoctlGetInt(fd, unix.TIOCINQ) })
	return n
}
