package worker

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/judge"
)

// TestMeasuring checks the results for loads with given times in milliseconds. The times depend on n, the number
// of the run, and on how many runs happen at once. Other programs may be busy.
func TestMeasuring(t *testing.T) {
	steady := func(n, _ int) int { return 100 + n }
	crowded := func(_, at int) int { return 100 + 10*(at-1) }
	for name, tt := range map[string]struct {
		took   func(n, at int) int
		slots  int
		lower  bool
		others float64 // processors; negative if unknown
		doubt  string
		busy   float64
		want   int // slots
	}{
		"quiet":                 {steady, 1, false, 0.1, "", 1.02, 1},
		"others are busy":       {steady, 1, true, 1.3, "other programs kept 1.3 processors of this machine busy", 1.02, 1},
		"unknown":               {steady, 1, false, -1, "", 1.02, 1},
		"it varies":             {func(n, _ int) int { return 100 + 20*n }, 1, false, 0, "the time of the same load varied by 40 %", 1.4, 1},
		"crowded":               {crowded, 4, false, 0, "", 1.3, 4},
		"crowded: fewer slots":  {crowded, 4, true, 0, "", 1.1, 2},
		"crowded, but by whom?": {crowded, 4, true, 1, "other programs kept 1.0 processors of this machine busy", 1.3, 4},
		"one slot is the least": {func(n, at int) int { return 100 + 90*(at-1) }, 2, true, 0, "", 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			ran, now, most, began := map[string]int{}, 0, 0, 0
			at := func() int { return max(1, min(tt.slots, tt.slots+2-began)) } // alone, then with all slots, then with fewer
			m := &calibration{slots: tt.slots, canReduce: tt.lower}
			m.others = func() func(time.Duration) (float64, bool) { // called at the start of each measurement
				mu.Lock()
				defer mu.Unlock()
				began++
				clear(ran)
				return func(time.Duration) (float64, bool) { return tt.others, tt.others >= 0 }
			}
			m.run = func(load string) (time.Duration, error) {
				mu.Lock()
				defer mu.Unlock()
				now++
				most = max(most, now)
				n, many := ran[load], at()
				if began == 1 {
					many = 1
				}
				ran[load]++
				mu.Unlock()
				time.Sleep(time.Millisecond)
				mu.Lock()
				now--
				return time.Duration(tt.took(n/many, many)) * time.Millisecond, nil
			}
			s, err := m.speed()
			if err != nil {
				t.Fatal(err)
			}
			for _, load := range loadNames {
				if s.Loads[load] != 100 {
					t.Errorf("%s took %v ms, want 100", load, s.Loads[load])
				}
			}
			if s.Doubt != tt.doubt || s.Slots != tt.want || math.Abs(s.BusyFactor-tt.busy) > 0.001 || most > tt.slots {
				t.Errorf("got %+v with %d at one time", s, most)
			}
		})
	}
	m := &calibration{slots: 2, others: measureOthers, run: func(string) (time.Duration, error) { return 0, errors.New("no sandbox") }}
	if s, err := m.speed(); err == nil || s != nil {
		t.Errorf("got %+v, %v", s, err)
	}
}

// TestLoads checks that each load can be run by its name, and that other names fail.
func TestLoads(t *testing.T) {
	if RunLoad("nothing", io.Discard) {
		t.Error("there is a load that is called nothing")
	}
	for _, name := range LoadNames() {
		if loads[name] == nil {
			t.Errorf("there is no load %s", name)
		}
	}
}

// TestMeasured checks that only a reliable stored measurement is returned.
func TestMeasured(t *testing.T) {
	dir := t.TempDir()
	if s, err := ReadSpeed(dir); s != nil || err != nil {
		t.Errorf("got %+v, %v", s, err)
	}
	if err := os.WriteFile(filepath.Join(dir, speedFile), []byte(`{"loads_ms":{"memory":3},"slots":2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := ReadSpeed(dir); err != nil || s.Loads["memory"] != 3 || s.Slots != 2 || !s.Reliable() {
		t.Errorf("got %+v, %v", s, err)
	}
	if err := os.WriteFile(filepath.Join(dir, speedFile), []byte(`{"loads_ms":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSpeed(dir); judge.BlameOf(err) != judge.Caller ||
		!strings.Contains(err.Error(), "measure it again: judged worker --calibrate") {
		t.Errorf("got %v", err)
	}
}
