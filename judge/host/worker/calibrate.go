package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/internal/atomicfile"
	"assay/judge/internal/raze"
	"assay/judge/workspace"
)

// loads are what a machine's speed is measured with: about a fifth of a second each.
var loads = map[string]func(out io.Writer){
	"arithmetic": arithmetic,
	"memory":     memory,
	"writes":     writes,
}

// loadNames are the loads in one order.
var loadNames = []string{"arithmetic", "memory", "writes"}

// Load does one of the fixed loads, with out for what it writes, and says whether there is one
// of this name. It is what a process does that Calibrate starts.
func Load(name string, out io.Writer) bool {
	do, known := loads[name]
	if known {
		runtime.GOMAXPROCS(1)
		debug.SetGCPercent(-1)
		do(out)
	}
	return known
}

// Loads are the names of the loads.
func Loads() []string { return slices.Clone(loadNames) }

// arithmetic computes, with branches that cannot be foreseen.
func arithmetic(io.Writer) {
	x, n := uint64(88172645463325252), uint64(0)
	for range 40_000_000 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		if x&1 == 0 {
			n += x % 1021
		} else if x&6 == 2 {
			n ^= x >> 3
		}
	}
	runtime.KeepAlive(n) // what nobody reads may be left out by a compiler
}

// memory follows pointers through more than fits the caches.
func memory(io.Writer) {
	const size = 4 << 20 // of 4 bytes
	next := make([]uint32, size)
	for i := range next {
		next[i] = uint32(i)
	}
	x := uint64(2463534242)
	for i := size - 1; i > 0; i-- { // one cycle: Sattolo's shuffle
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		j := x % uint64(i)
		next[i], next[j] = next[j], next[i]
	}
	at := uint32(0)
	for range size / 2 {
		at = next[at]
	}
	runtime.KeepAlive(at)
}

// writes asks the system for something small, often.
func writes(out io.Writer) {
	line := []byte("of many small writes\n")
	for range 100_000 {
		if _, err := out.Write(line); err != nil {
			return
		}
	}
}

const (
	calibrateRuns = 5
	// othersMost is how many processors others may keep busy while this is measured.
	othersMost = 0.25
	spreadMost = 0.1
	busyMost   = 1.15 // times as long as alone, with all slots busy
)

// calibrateLimits are far from what any load takes.
var calibrateLimits = judge.Limits{CPU: 20 * time.Second, Wall: 5 * time.Minute, Memory: 1 << 30, Output: 64 << 20, Processes: 64, Files: 64}

// Calibrate measures how fast this machine is: each load five times, in the sandbox, alone
// and with all slots busy. A result on which others had an influence says so. No job may run
// meanwhile. Lower has it look for fewer slots where all of them are too many. Program is this
// program's own file, which does Load for the last one of its arguments.
func (r *Runner) Calibrate(ctx context.Context, lower bool, program string, args ...string) (s *job.Speed, err error) {
	w, err := workspace.Find(r.env(nil))
	if err != nil {
		return nil, err
	}
	if err := w.Start(workspace.Running{Require: r.o.Require, Hidden: r.hidden(), Jobs: r.o.Slots}); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	dir, err := r.folder()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, raze.All(dir)) }()
	if err := copyProgram(program, filepath.Join(dir, filepath.Base(program))); err != nil {
		return nil, err
	}
	p := judge.Program{Dir: dir, Argv: append([]string{judge.ProgramDir + "/" + filepath.Base(program)}, args...), Env: []string{"PATH=/usr/bin:/bin"}}
	m := &measuring{slots: r.o.Slots, lower: lower, others: others, run: func(load string) (time.Duration, error) {
		var said strings.Builder
		c := p.Command(calibrateLimits, load)
		c.Stdout, c.Stderr = io.Discard, &said
		x, err := w.Box.Run(ctx, c)
		if err == nil && (x.Exit != 0 || x.Killed != judge.Nothing) {
			err = fmt.Errorf("the load %s: %s\n%s", load, x.Fate(), said.String())
		}
		return x.CPU, err
	}}
	if s, err = m.speed(); err != nil || !s.Known() {
		return s, err
	}
	data, err := json.MarshalIndent(s, "", "\t")
	if err == nil {
		err = atomicfile.Write(filepath.Join(r.o.Dir, speedFile), data)
	}
	if err != nil {
		err = fmt.Errorf("remember how fast this machine is: %w", err)
	}
	return s, err
}

// speedFile is where what was measured is remembered.
const speedFile = "speed.json"

// Measured is how fast the machine was when it was measured last so that it is to be believed,
// by the data folder of its worker; nil where it never was.
func Measured(dir string) (s *job.Speed, err error) {
	data, err := os.ReadFile(filepath.Join(dir, speedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return nil, &judge.Misuse{Err: fmt.Errorf("read how fast this machine is: %w\n    measure it again: judged worker --calibrate", err)}
	}
	return s, nil
}

// copyProgram copies a program to where the sandbox may show it.
func copyProgram(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		return fmt.Errorf("copy this program: %w", err)
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("copy this program: %w", err)
	}
	return nil
}

// measuring measures a machine.
type measuring struct {
	slots int
	lower bool // there may be fewer
	// run runs a load and says what processor time it took; it is called for several at once.
	run func(load string) (time.Duration, error)
	// others begins to look at what others do on the machine. What it returns says how many
	// processors they kept busy since, beside the processor time that is ours.
	others func() func(ours time.Duration) (processors float64, known bool)
}

// times are those of some runs of each load.
type times map[string][]time.Duration

// speed measures all.
func (m *measuring) speed() (*job.Speed, error) {
	s := &job.Speed{Loads: map[string]float64{}, At: time.Now()}
	alone, busyAlone, err := m.measure(1)
	if err != nil {
		return nil, err
	}
	for load, all := range alone {
		slices.Sort(all)
		s.Loads[load] = float64(all[0].Microseconds()) / 1000
		s.Spread = max(s.Spread, float64(all[len(all)/2])/float64(all[0])-1)
	}
	most := busyAlone
	for s.Slots = m.slots; ; s.Slots-- {
		together, busyTogether, err := m.measure(s.Slots)
		if err != nil {
			return nil, err
		}
		var ratios []float64
		for load, all := range together {
			slices.Sort(all)
			ratios = append(ratios, float64(all[len(all)/2].Microseconds())/1000/s.Loads[load])
		}
		slices.Sort(ratios)
		s.Busy, most = ratios[len(ratios)/2], max(most, busyTogether)
		if !m.lower || s.Slots == 1 || s.Busy <= busyMost || most > othersMost {
			break
		}
	}
	switch {
	case most > othersMost:
		s.Doubt = fmt.Sprintf("other programs kept %.1f processors of this machine busy", most)
	case s.Spread > spreadMost:
		s.Doubt = fmt.Sprintf("the same load took %.0f %% longer from run to run", 100*s.Spread)
	}
	return s, nil
}

// measure runs each load some times, with so many at once, and says how many processors others
// kept busy.
func (m *measuring) measure(atOnce int) (times, float64, error) {
	all, ours := times{}, time.Duration(0)
	look := m.others()
	var mu sync.Mutex
	var bad error
	for range calibrateRuns {
		for _, load := range loadNames { // one after the other, that a moment of noise hits one of each
			var running sync.WaitGroup
			for range atOnce {
				running.Go(func() {
					took, err := m.run(load)
					mu.Lock()
					defer mu.Unlock()
					all[load], ours, bad = append(all[load], took), ours+took, errors.Join(bad, err)
				})
			}
			running.Wait()
			if bad != nil {
				return nil, 0, bad
			}
		}
	}
	processors, known := look(ours)
	if !known {
		processors = 0 // the spread has to tell
	}
	return all, processors, nil
}

// others looks at the processors of the machine, by what Linux counts.
func others() func(time.Duration) (float64, bool) {
	start, before, known := time.Now(), time.Duration(0), false
	before, known = busy()
	own := used()
	return func(ours time.Duration) (float64, bool) {
		now, still := busy()
		took := time.Since(start)
		ours += used() - own
		if !known || !still || took <= 0 || now-before < ours/2 { // it does not count at all
			return 0, false
		}
		return max(0, float64(now-before-ours)/float64(took)), true
	}
}

// busy is for how long all processors together were busy since the machine's start, or taken
// away by the machine that it is part of.
func busy() (time.Duration, bool) {
	f, err := os.Open("/proc/stat")
	if err != nil {
		return 0, false
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	if !lines.Scan() {
		return 0, false
	}
	var name string
	var user, nice, system, idle, wait, irq, soft, steal int64
	if _, err := fmt.Sscan(lines.Text(), &name, &user, &nice, &system, &idle, &wait, &irq, &soft, &steal); err != nil {
		return 0, false
	}
	return time.Duration(user+nice+system+irq+soft+steal) * (time.Second / 100), true
}
