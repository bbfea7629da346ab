package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/store"
	"assay/judge/host/workflow"
)

// BenchmarkHole measures the time from a correct golf submission in Python to a hole until it is proved on all 10,000
// inputs of wythoff, by a worker with one slot.
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
	data, err := os.ReadFile("../judge/testdata/golf/right/last_line_lambda.py")
	must(b, err)
	check := func() {
		s, err := admin.SubmitGolf(b.Context(), "wythoff", "answer.py", data, workflow.GolfSubmissionOptions{Language: "python3"})
		must(b, err)
		s, err = admin.FollowGolf(b.Context(), s, func(*client.TaskResult) error { return nil })
		must(b, err)
		if s.Verdict != judge.GolfCorrect {
			b.Fatalf("got %+v", s)
		}
	}
	check() // builds the setter's programs
	before := cpuTime(b, worker.Process.Pid)
	for b.Loop() {
		check()
	}
	b.ReportMetric((cpuTime(b, worker.Process.Pid)-before)/float64(b.N), "cpu-s/op")
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
