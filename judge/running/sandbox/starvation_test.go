//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"assay/judge"
)

// TestStarvation checks how much of the waiting of several threads is attributed to other programs on the CPUs.
func TestStarvation(t *testing.T) {
	const ms = int64(time.Millisecond)
	for name, tt := range map[string]struct {
		took    int64
		threads [][2]int64 // for each thread, milliseconds: ran, waited
		want    int64
	}{
		"one that is kept from it":              {50, [][2]int64{{20, 30}}, 30},
		"one that sleeps":                       {50, [][2]int64{{1, 2}}, 2},
		"some that hand over to each other":     {50, [][2]int64{{2, 15}, {2, 15}, {1, 10}}, 40},
		"some that wait for each other":         {50, [][2]int64{{25, 25}, {25, 25}}, 25},
		"some that wait for others, too":        {50, [][2]int64{{10, 40}, {10, 40}}, 40},
		"on several processors":                 {50, [][2]int64{{50, 0}, {50, 0}}, 0},
		"two that wait beside each other, only": {50, [][2]int64{{0, 50}, {0, 50}}, 50},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var s starvation
			s.begin()
			var folders []string
			for look := range int64(3) { // earlier times must not be counted again
				folders = folders[:0]
				for i, thread := range tt.threads {
					folders = append(folders, isAt(t, filepath.Join(dir, fmt.Sprint(i)), 'R', (look+1)*thread[0]*ms, (look+1)*thread[1]*ms))
				}
				s.add(folders, tt.took*ms, 0)
				if want := (look + 1) * tt.want * ms; s.total != want {
					t.Errorf("after %d looks %v was waited, want %v", look+1, time.Duration(s.total), time.Duration(want))
				}
			}
		})
	}
}

// isAt writes a thread's data in the kernel's format.
func isAt(t *testing.T, folder string, state rune, ran, waited int64) string {
	t.Helper()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"schedstat": fmt.Sprintf("%d %d 7\n", ran, waited), "stat": fmt.Sprintf("12 (a) b) %c 1 1", state),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// TestStarvationUpToNow checks that a thread's current wait is counted before the kernel adds it, and is counted
// only once.
func TestStarvationUpToNow(t *testing.T) {
	folder := t.TempDir()
	var s starvation
	s.begin()
	for i, look := range []struct {
		state             rune
		ran, waited, want int64
	}{
		{'R', 10, 0, 0},
		{'R', 10, 0, 50},    // it waits
		{'R', 10, 0, 100},   // and waits
		{'R', 13, 120, 120}, // it continued after 120
		{'S', 13, 120, 120},
		{'S', 13, 120, 120},
		{'R', 13, 120, 170}, // it is ready since a moment that may be up to 50 ago
		{'S', 14, 121, 170},
	} {
		s.add([]string{isAt(t, folder, look.state, look.ran, look.waited)}, 50, 0)
		if s.total != look.want {
			t.Errorf("at look %d it has waited %d, want %d", i+1, s.total, look.want)
		}
	}
}

// TestThreadsSince checks that each thread is compared with its own earlier record. A large value that one thread
// had before must not hide a change in another thread.
func TestThreadsSince(t *testing.T) {
	before := Threads{"main": {ran: 9, waited: 600}, "second": {ran: 8, waited: 10}}
	for name, tt := range map[string]struct {
		now         Threads
		ran, waited time.Duration
		waiting     bool
	}{
		"another thread waited longer before": {Threads{"main": {9, 600, false}, "second": {9, 510, false}}, 1, 500, false},
		"all have run and waited":             {Threads{"main": {12, 700, true}, "second": {9, 60, true}}, 4, 100, false},
		"one waits":                           {Threads{"main": {12, 600, false}, "second": {8, 10, true}}, 3, 0, true},
		"a thread is new":                     {Threads{"main": {9, 600, false}, "third": {0, 40, true}}, 0, 40, false},
		"all are gone":                        {nil, 0, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			if ran, waited, waiting := tt.now.Ran(before), tt.now.Waited(before), tt.now.Waiting(before); ran != tt.ran ||
				waited != tt.waited || waiting != tt.waiting {
				t.Errorf("ran %d, waited %d, waiting %v, want %d, %d, %v", ran, waited, waiting, tt.ran, tt.waited, tt.waiting)
			}
		})
	}
}

// TestStarvationSeenLate checks a zygote that is itself kept from a CPU, so that its check is late. If a thread
// ran since the previous check and is ready now, it has waited for as long as the check was late. This time must
// be counted once.
func TestStarvationSeenLate(t *testing.T) {
	type look struct {
		took, late        int64
		state             rune
		ran, waited, want int64
	}
	for name, looks := range map[string][]look{
		"it ran at once, and waits since": {{601, 551, 'R', 7, 39, 39 + 551}, {50, 0, 'R', 7, 39, 39 + 551 + 50}, {50, 0, 'R', 20, 681, 681}},
		"it was seen before":              {{50, 0, 'R', 20, 30, 30}, {601, 551, 'R', 27, 69, 69 + 551}, {50, 0, 'S', 30, 630, 630}},
		"it sleeps":                       {{601, 551, 'S', 7, 39, 39}},
		"it had the processor":            {{601, 551, 'R', 560, 39, 39 + 2}, {50, 0, 'R', 612, 39, 39 + 2}},
		"no process came late":            {{50, 0, 'R', 7, 3, 3}, {50, 0, 'R', 14, 3, 3}},
		"it woke up when it was seen":     {{601, 4, 'R', 7, 39, 39 + 4}},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			var s starvation
			s.begin()
			for i, l := range looks {
				s.add([]string{isAt(t, folder, l.state, l.ran, l.waited)}, l.took, l.late)
				if s.total != l.want {
					t.Errorf("at look %d it has waited %d, want %d", i+1, s.total, l.want)
				}
			}
		})
	}
}

// TestWaitsOfAStartedProcess checks that the time until a process starts counts as waiting. After that, the waits
// of the process's threads count. If the system reports nothing about the process, no time counts.
func TestWaitsOfAStartedProcess(t *testing.T) {
	const noProcess = 1 << 30 // no process has this id
	dir := filepath.Join(t.TempDir(), "thread")
	type look struct {
		pid         int
		ran, waited int64 // times of its thread; -1 if it has none
		want        int64
	}
	for name, looks := range map[string][]look{
		"it is started late": {{0, -1, -1, 50}, {0, -1, -1, 100}, {
			os.Getpid(), -1, -1, 150,
		}, {os.Getpid(), 20, 30, 180}, {os.Getpid(), 70, 30, 180}},
		"it has ended unnoticed": {{os.Getpid(), 20, 30, 30}, {os.Getpid(), -1, -1, 30}},
		"no times are known":     {{0, -1, -1, 50}, {noProcess, -1, -1, 50}, {noProcess, -1, -1, 50}},
	} {
		t.Run(name, func(t *testing.T) {
			var w waits
			w.begin()
			for i, l := range looks {
				w.at(place{pid: l.pid})
				var threads []string
				if l.ran >= 0 {
					threads = []string{isAt(t, dir, 'R', l.ran, l.waited)}
				}
				if w.add(threads, 50); w.total != l.want {
					t.Errorf("at look %d it has waited %d, want %d", i+1, w.total, l.want)
				}
			}
		})
	}
}

// TestMoreWall checks that the wall time limit of a run without isolation is extended by its waits for a CPU. If
// the waits are too long, this is a failure of the machine.
func TestMoreWall(t *testing.T) {
	const most = judge.MaxCPUWait
	for name, tt := range map[string]struct {
		before, starved, more time.Duration
		blame                 judge.Blame
	}{
		"it did not wait":               {0, 0, 0, judge.Contestant},
		"it waited":                     {0, 3 * time.Second, 3 * time.Second, judge.NoBlame},
		"it waited again":               {3 * time.Second, 5 * time.Second, 2 * time.Second, judge.NoBlame},
		"it waited, and slept then":     {3 * time.Second, 3 * time.Second, 0, judge.Contestant},
		"it waited for very long":       {0, most + 1, most + 1, judge.NoBlame},
		"it waits for ever":             {most + 1, most + 2, 0, judge.Machine},
		"it waited for ever, and slept": {most + 1, most + 1, 0, judge.Contestant},
	} {
		more, err := wallExtension(tt.before, tt.starved)
		blame := judge.BlameOf(err)
		if err == errWall {
			blame = judge.Contestant
		}
		if more != tt.more || blame != tt.blame {
			t.Errorf("%s: moreWall(%v, %v) = %v, %v", name, tt.before, tt.starved, more, err)
		}
	}
}
