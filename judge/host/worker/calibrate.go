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
	"assay/judge/internal/forceremove"
	"assay/judge/workspace"
)

// loads maps names to loads that measure the speed of a machine. Each load takes about 0.2 s.
var loads = map[string]func(out io.Writer){
	"arithmetic": arithmeticLoad,
	"memory":     memoryLoad,
	"writes":     syscallLoad,
}

// loadNames lists the loads in a fixed order.
var loadNames = []string{"arithmetic", "memory", "writes"}

// RunLoad runs the load with the given name and writes its output to out. It reports whether the load exists.
// Processes started by Calibrate call it.
func RunLoad(name string, out io.Writer) bool {
	do, known := loads[name]
	if known {
		runtime.GOMAXPROCS(1)
		debug.SetGCPercent(-1)
		do(out)
	}
	return known
}

// LoadNames returns the names of the loads.
func LoadNames() []string { return slices.Clone(loadNames) }

// arithmeticLoad computes with branches that a processor cannot predict well.
func arithmeticLoad(io.Writer) {
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
	runtime.KeepAlive(n) // otherwise the compiler may remove the loop
}

// memoryLoad follows pointers through more memory than fits into the caches.
func memoryLoad(io.Writer) {
	const size = 4 << 20 // of 4 bytes
	next := make([]uint32, size)
	for i := range next {
		next[i] = uint32(i)
	}
	x := uint64(2463534242)
	for i := size - 1; i > 0; i-- { // Sattolo's algorithm gives a single cycle
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

// syscallLoad makes many small system calls.
func syscallLoad(out io.Writer) {
	line := []byte("of many small writes\n")
	for range 100_000 {
		if _, err := out.Write(line); err != nil {
			return
		}
	}
}

const (
	calibrateRuns = 5
	// maxOthers is the maximum number of processors that other programs may keep busy during a measurement.
	maxOthers = 0.25
	maxSpread = 0.1
	maxBusy   = 1.15 // ratio to the time alone, with all slots busy
)

// calibrateLimits are far above the needs of any load.
var calibrateLimits = judge.Limits{
	CPU: 20 * time.Second, Wall: 5 * time.Minute, Memory: 1 << 30, Output: 64 << 20, Processes: 64, Files: 64,
}

// Calibrate measures the speed of this machine. It runs each load five times in the sandbox, alone and with all
// slots busy. No job may run meanwhile. If other programs influenced the result, Speed.Doubt says so. If lower is
// set, Calibrate reduces the number of slots until the machine can run all of them at full speed. It runs program
// with the name of a load as the last argument, and program must call Load.
func (r *Runner) Calibrate(ctx context.Context, lower bool, program string, args ...string) (s *job.Speed, err error) {
	w, err := workspace.Find(r.env(nil))
	if err != nil {
		return nil, err
	}
	if err := w.Start(workspace.RunOptions{RequiredIsolation: r.o.RequiredIsolation, Hidden: r.secretDirs(), Jobs: r.o.Slots}); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	dir, err := r.newDir()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, forceremove.All(dir)) }()
	if err := copyProgram(program, filepath.Join(dir, filepath.Base(program))); err != nil {
		return nil, err
	}
	p := judge.Program{
		Dir: dir, Argv: append([]string{judge.ProgramDir + "/" + filepath.Base(program)}, args...),
		Env: []string{"PATH=/usr/bin:/bin"},
	}
	m := &calibration{slots: r.o.Slots, canReduce: lower, others: measureOthers, run: func(load string) (time.Duration, error) {
		var said strings.Builder
		c := p.Command(calibrateLimits, load)
		c.Stdout, c.Stderr = io.Discard, &said
		x, err := w.Sandbox.Run(ctx, c)
		if err == nil && (x.Exit != 0 || x.Killed != judge.NoResource) {
			err = fmt.Errorf("the load %s: %s\n%s", load, x.Termination(), said.String())
		}
		return x.CPU, err
	}}
	if s, err = m.speed(); err != nil || !s.Reliable() {
		return s, err
	}
	data, err := json.MarshalIndent(s, "", "\t")
	if err == nil {
		err = atomicfile.Write(filepath.Join(r.o.Dir, speedFile), data)
	}
	if err != nil {
		err = fmt.Errorf("save the measured speed: %w", err)
	}
	return s, err
}

// speedFile stores the last measurement.
const speedFile = "speed.json"

// ReadSpeed returns the last reliable measurement from a worker's data directory. It returns nil, nil if there is
// none.
func ReadSpeed(dir string) (s *job.Speed, err error) {
	data, err := os.ReadFile(filepath.Join(dir, speedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return nil, &judge.UsageError{Err: fmt.Errorf("read the measured speed: %w\n    measure it again: judged worker --calibrate", err)}
	}
	return s, nil
}

// copyProgram copies a program to a directory that is visible in the sandbox.
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

// A calibration measures a machine.
type calibration struct {
	slots     int
	canReduce bool // the number of slots may be reduced
	// run runs a load and returns the CPU time that it took. It is called concurrently.
	run func(load string) (time.Duration, error)
	// others starts to observe other programs on the machine. The caller passes its own CPU time to the returned
	// function, which returns the number of processors that other programs have kept busy since.
	others func() func(ours time.Duration) (processors float64, known bool)
}

// times maps loads to the times of their runs.
type times map[string][]time.Duration

// speed measures the time of all loads.
func (m *calibration) speed() (*job.Speed, error) {
	s := &job.Speed{Loads: map[string]float64{}, At: time.Now()}
	alone, busyAlone, err := m.measure(1)
	if err != nil {
		return nil, err
	}
	for load, times := range alone {
		slices.Sort(times)
		s.Loads[load] = float64(times[0].Microseconds()) / 1000
		s.Spread = max(s.Spread, float64(times[len(times)/2])/float64(times[0])-1)
	}
	slowdown := busyAlone
	for s.Slots = m.slots; ; s.Slots-- {
		together, busyTogether, err := m.measure(s.Slots)
		if err != nil {
			return nil, err
		}
		var ratios []float64
		for load, times := range together {
			slices.Sort(times)
			ratios = append(ratios, float64(times[len(times)/2].Microseconds())/1000/s.Loads[load])
		}
		slices.Sort(ratios)
		s.BusyFactor, slowdown = ratios[len(ratios)/2], max(slowdown, busyTogether)
		if !m.canReduce || s.Slots == 1 || s.BusyFactor <= maxBusy || slowdown > maxOthers {
			break
		}
	}
	switch {
	case slowdown > maxOthers:
		s.Doubt = fmt.Sprintf("other programs kept %.1f processors of this machine busy", slowdown)
	case s.Spread > maxSpread:
		s.Doubt = fmt.Sprintf("the time of the same load varied by %.0f %%", 100*s.Spread)
	}
	return s, nil
}

// measure runs each load several times, with the number of concurrent runs in atOnce. It returns the times of the
// loads, and the number of processors that other programs kept busy meanwhile.
func (m *calibration) measure(atOnce int) (times, float64, error) {
	results, ours := times{}, time.Duration(0)
	look := m.others()
	var mu sync.Mutex
	var bad error
	for range calibrateRuns {
		for _, load := range loadNames { // in turn, so that short noise affects one run of each load
			var running sync.WaitGroup
			for range atOnce {
				running.Go(func() {
					took, err := m.run(load)
					mu.Lock()
					defer mu.Unlock()
					results[load], ours, bad = append(results[load], took), ours+took, errors.Join(bad, err)
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
		processors = 0 // the spread must show noise
	}
	return results, processors, nil
}

// measureOthers measures how many processors other programs keep busy, from Linux statistics.
func measureOthers() func(time.Duration) (float64, bool) {
	start, before, known := time.Now(), time.Duration(0), false
	before, known = busyTime()
	own := processTime()
	return func(ours time.Duration) (float64, bool) {
		now, still := busyTime()
		took := time.Since(start)
		ours += processTime() - own
		if !known || !still || took <= 0 || now-before < ours/2 { // the system's statistics are unusable
			return 0, false
		}
		return max(0, float64(now-before-ours)/float64(took)), true
	}
}

// busyTime returns the total time for which processors have been busy since the machine started. It includes time
// stolen by a hypervisor.
func busyTime() (time.Duration, bool) {
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
