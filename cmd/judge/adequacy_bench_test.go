//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"assay/cmd/internal/cli"
	"assay/judge"
)

// BenchmarkAdequacy runs judge adequacy without a search on bundled problems. It judges all mutants of the
// reference and of the accepted solution in Go on all cases. The problems have a checker that keeps state
// (wythoff), many numbers (sylver), and many turns (pd-duel). It reports the number of mutants run per second of
// CPU time, without the builds.
func BenchmarkAdequacy(b *testing.B) {
	house, err := filepath.Abs("../..")
	if err != nil {
		b.Fatal(err)
	}
	b.Chdir(b.TempDir())
	for _, problem := range []string{"wythoff", "sylver", "pd-duel"} {
		b.Run(problem, func(b *testing.B) {
			inGo(b, house, problem)
			var report judge.AdequacyMeasured
			seed := int(time.Now().UnixNano())
			measure := func() {
				seed++ // a new key, so that nothing is cached
				out := benchJudge(b, cli.ExitAccepted, "adequacy", problem, "--count", "0", "--json", "--seed", strconv.Itoa(seed))
				if err := json.Unmarshal([]byte(out), &report); err != nil {
					b.Fatal(err)
				}
			}
			measure() // builds
			start := processorTime(b)
			for b.Loop() {
				measure()
			}
			run := report.Total.Mutants - report.Total.Unreached
			b.ReportMetric(float64(b.N*run)/(processorTime(b)-start).Seconds(), "mutants/cpu-s")
		})
	}
}

// inGo copies a bundled problem into the current directory, with only its Go solutions.
func inGo(b *testing.B, house, problem string) {
	b.Helper()
	accepted := filepath.Join("solutions", problem, "accepted")
	err := errors.Join(os.WriteFile("judge.toml", nil, 0o644), os.MkdirAll(accepted, 0o755))
	for _, dir := range []string{"problems", "testcases"} {
		if _, statErr := os.Stat(filepath.Join(dir, problem)); statErr != nil {
			err = errors.Join(err, os.CopyFS(filepath.Join(dir, problem), os.DirFS(filepath.Join(house, dir, problem))))
		}
	}
	files, globErr := filepath.Glob(filepath.Join(house, accepted, "*.go"))
	if err = errors.Join(err, globErr); err == nil && len(files) == 0 {
		err = errors.New("it has none")
	}
	for _, file := range files {
		data, readErr := os.ReadFile(file)
		err = errors.Join(err, readErr, os.WriteFile(filepath.Join(accepted, filepath.Base(file)), data, 0o644))
	}
	if err != nil {
		b.Fatalf("solutions of %s in Go: %v", problem, err)
	}
}

// processorTime returns the CPU time of this process and of all child processes that it has waited for.
func processorTime(b *testing.B) (sum time.Duration) {
	b.Helper()
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}
