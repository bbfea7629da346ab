package main

import (
	"assay/cmd/internal/cli"

	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"testing"
)

// benchJudge runs a command line in the bundled contest, and returns its output.
func benchJudge(b *testing.B, want int, args ...string) string {
	b.Helper()
	var out, errs bytes.Buffer
	if got := run(b.Context(), args, &console{in: &bytes.Buffer{}, out: &out, err: &errs}); got != want {
		b.Fatalf("judge %q: exit code %d, want %d\n%s%s", args, got, want, &out, &errs)
	}
	return out.String()
}

// BenchmarkStress measures judge stress of a correct solution on a problem whose validator, generator, and checker
// use the kit. Each input needs two processes.
func BenchmarkStress(b *testing.B) {
	b.Chdir("../..")
	const count = 1000
	seed := 0
	stress := func() {
		seed++
		benchJudge(
			b, cli.ExitAccepted, "stress", "wythoff", "solutions/wythoff/accepted/square_root.go", "--count",
			fmt.Sprint(count), "--time", "0s", "--seed", fmt.Sprint(seed),
		)
	}
	stress() // builds
	for b.Loop() {
		stress()
	}
	b.ReportMetric(float64(b.N*count)/b.Elapsed().Seconds(), "inputs/s")
}

var evaluations = regexp.MustCompile(`to (\d+) bytes in (\d+) evaluations; no smaller input was found`)

// BenchmarkShrink runs judge shrink until the input gets no smaller. The inputs are large bundled cases on which
// incorrect solutions fail. The problems have a checker that keeps state, a bound that needs 64 bits, and a
// validator that plays the game.
func BenchmarkShrink(b *testing.B) {
	b.Chdir("../..")
	for _, row := range []struct{ problem, solution, input string }{
		{"wythoff", "math_phi.go", "large/lost-fib-85"},
		{"sylver", "entry_off_by_one.go", "large/chain-m-1e6-side-at"},
		{"pd-duel", "last_window_one_too_long.go", "large/many-1-100-turns-40-side-1"},
	} {
		b.Run(row.problem, func(b *testing.B) {
			size, done := 0, 0
			shrink := func() {
				out := benchJudge(
					b, cli.ExitNotAccepted, "shrink", row.problem,
					"solutions/"+row.problem+"/wrong_answer/"+row.solution, row.input, "--budget", "60s",
				)
				m := evaluations.FindStringSubmatch(out)
				if m == nil {
					b.Fatalf("it is not shrunk to the end:\n%s", out)
				}
				size, _ = strconv.Atoi(m[1])
				n, _ := strconv.Atoi(m[2])
				done += n
			}
			shrink() // builds
			done = 0
			for b.Loop() {
				shrink()
			}
			b.ReportMetric(float64(done)/float64(b.N), "evaluations")
			b.ReportMetric(float64(size), "bytes")
		})
	}
}
