//go:build unix

package main

import (
	"encoding/json"
	"strconv"
	"syscall"
	"testing"
	"time"

	"assay/cmd/internal/cli"
	"assay/judge"
)

// BenchmarkAdequacy is judge adequacy without a search, of the problems of the house: all
// mutants of the reference and the accepted solution in Go on all cases, with a checker
// that remembers (wythoff), many numbers (sylver) and many turns (pd-duel). It counts
// those that are run at all, and the processor time of everything but the builds.
func BenchmarkAdequacy(b *testing.B) {
	b.Chdir("../..")
	for _, problem := range []string{"wythoff", "sylver", "pd-duel"} {
		b.Run(problem, func(b *testing.B) {
			var report judge.AdequacyMeasured
			seed := int(time.Now().UnixNano())
			measure := func() {
				seed++ // another key, so that nothing was kept
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

// processorTime is that of this process and of all that it has waited for.
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
