package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/store"
	"assay/judge/host/workflow"
)

// BenchmarkHole measures golf submissions in Python to a hole with the 10,000 inputs of wythoff, and a worker with one
// slot: the time until a correct function is proved, and the time until a wrong one is rejected by its samples, while
// the worker checks a function that takes 1 ms for each input.
func BenchmarkHole(b *testing.B) {
	h, contest := realServer(b, 0)
	must(b, os.RemoveAll(filepath.Join(contest, "problems"))) // the bundled problems are published
	h.openFor(contest, 0)
	h.stop()
	h.inStore(func(s *store.Store) {
		must(b, s.NewHole(b.Context(), &store.Hole{Slug: "wythoff", Name: "Wythoff", ProblemSlug: "wythoff", Visibility: store.VisibilityPublic}))
	})
	admin := h.openFor(contest, 0)
	worker := h.real(admin, "w", 1)
	right, err := os.ReadFile("../judge/testdata/golf/right/last_line_lambda.py")
	must(b, err)
	submit := func(code string) *client.GolfSubmission {
		s, err := admin.SubmitGolf(b.Context(), "wythoff", "answer.py", []byte(code), workflow.GolfSubmissionOptions{Language: "python3"})
		must(b, err)
		return s
	}
	follow := func(s *client.GolfSubmission, want judge.GolfVerdict, listen func(*client.TaskResult)) {
		s, err := admin.FollowGolf(b.Context(), s, func(r *client.TaskResult) error { listen(r); return nil })
		must(b, err)
		if s.Verdict != want {
			b.Errorf("got %+v", s)
		}
	}
	check := func() { follow(submit(string(right)), judge.GolfCorrect, func(*client.TaskResult) {}) }
	check() // builds the setter's programs
	b.Run("right", func(b *testing.B) {
		before := cpuTime(b, worker.Process.Pid)
		for b.Loop() {
			check()
		}
		b.ReportMetric((cpuTime(b, worker.Process.Pid)-before)/float64(b.N), "cpu-s/op")
	})
	slow := strings.Replace(string(right), "lambda i,j:", "import time\ndef wait():\n t=time.perf_counter()\n"+
		" while time.perf_counter()-t<.001:0\nlambda i,j:wait()or ", 1)
	b.Run("wrong", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			sampled, ended := make(chan bool, 1), make(chan bool)
			go func() {
				defer close(ended)
				follow(submit(slow), judge.GolfCorrect, func(r *client.TaskResult) {
					if r.Key == workflow.SamplesKey {
						sampled <- true
					}
				})
			}()
			<-sampled
			time.Sleep(3 * time.Second) // until all inputs are checked
			b.StartTimer()
			follow(submit("lambda i,j:(0,0)"), judge.GolfIncorrect, func(*client.TaskResult) {})
			b.StopTimer()
			<-ended
			b.StartTimer()
		}
	})
}

// cpuTime returns the CPU time in seconds that a process and its descendants have used.
func cpuTime(b *testing.B, pid int) (seconds float64) {
	b.Helper()
	for _, pid := range running("", pid) {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue // it has ended
		}
		_, after, _ := strings.Cut(string(data), ") ")
		for _, ticks := range strings.Fields(after)[11:15] { // own and of children, in user and in kernel mode
			n, err := strconv.ParseFloat(ticks, 64)
			must(b, err)
			seconds += n / 100
		}
	}
	return seconds
}
