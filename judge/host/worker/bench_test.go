package worker_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/worker"
)

// BenchmarkRunnerOfSubmit compares a worker, with one slot and with two, with a loop of `judge submit` for an
// unchanged solution. It reports how many times more submissions per second the worker judges. The problem has one
// test case and an empty program, or a hundred test cases of 5 ms each.
func BenchmarkRunnerOfSubmit(b *testing.B) {
	b.Run("one", func(b *testing.B) { ofSubmit(b, 1, 20, "") })
	b.Run("hundred", func(b *testing.B) {
		ofSubmit(b, 100, 2, "for t := time.Now(); time.Since(t) < 5*time.Millisecond; {\n}")
	})
}

func ofSubmit(b *testing.B, cases, each int, body string) {
	archive := "-- judge.toml --\n-- problems/nothing/problem.toml --\ntitle = \"Nothing\"\n-- noop/main.go --\n" +
		"package main\n\nimport \"time\"\n\nvar _ time.Time\n\nfunc main() {\n" + body + "\n}\n"
	for i := range cases {
		archive += fmt.Sprintf("-- problems/nothing/cases/sample/c%d.in --\n1 2\n-- problems/nothing/cases/sample/c%d.ans --\n\n", i, i)
	}
	root := lay(b, archive)
	build := func(name, from string) string {
		out := filepath.Join(root, name)
		cmd := exec.Command("go", "build", "-o", out, from)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if text, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, text)
		}
		return out
	}
	program, command := build("noop.exe", filepath.Join(root, "noop", "main.go")), build("judge", "assay/cmd/judge")
	w, s := contest(b, root), newServer()
	_, bundle := s.freeze(b, w, "nothing")
	spec := s.spec(b, bundle, program)
	jobs := func(r *worker.Runner, slots, n int) time.Duration {
		start := time.Now()
		var all sync.WaitGroup
		left := atomic.Int64{}
		left.Store(int64(n))
		for range slots {
			all.Go(func() {
				for left.Add(-1) >= 0 {
					if result, err := r.Run(b.Context(), spec, nil, nil); err != nil || result.Finished == nil ||
						result.Finished.Verdict != judge.Accepted {
						b.Errorf("%+v, %v", result, err)
					}
				}
			})
		}
		all.Wait()
		return time.Since(start)
	}
	submit := func() {
		cmd := exec.Command(command, "submit", "nothing", program, "-j", "1", "--color", "never")
		cmd.Dir, cmd.Env = root, append(os.Environ(), "ASSAY_CACHE="+cache)
		if text, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, text)
		}
	}
	runners := map[int]*worker.Runner{}
	for slots := 1; slots <= 2; slots++ {
		runners[slots] = runner(b, worker.RunnerOptions{Blobs: s, Slots: slots})
		jobs(runners[slots], slots, each) // fills the caches
	}
	submit()
	took, loop := map[int]time.Duration{}, time.Duration(0)
	for b.Loop() {
		for slots, r := range runners {
			took[slots] += jobs(r, slots, each)
		}
		start := time.Now()
		for range each {
			submit()
		}
		loop += time.Since(start)
	}
	for slots, t := range took {
		b.ReportMetric(float64(loop)/float64(t), fmt.Sprintf("x-submit/%d-slots", slots))
		b.ReportMetric(float64(t.Microseconds())/1000/float64(b.N*each), fmt.Sprintf("ms/job/%d-slots", slots))
	}
	b.ReportMetric(float64(loop.Microseconds())/1000/float64(b.N*each), "ms/submit")
}
