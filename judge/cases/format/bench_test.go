package format_test

import (
	"os"
	"testing"

	"assay/judge/cases/format"
	"assay/judge/cases/shrink"
)

func house(b *testing.B, name string) *format.Grammar {
	b.Helper()
	file := "../../../problems/" + name + "/input.format"
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	g, faults := format.Parse(file, text)
	if len(faults) > 0 {
		b.Fatal(faults)
	}
	return g
}

// BenchmarkSmallCases draws small cases and checks them against the declaration.
func BenchmarkSmallCases(b *testing.B) {
	for _, name := range []string{"wythoff", "sylver", "pd-duel"} {
		b.Run(name, func(b *testing.B) {
			g := house(b, name)
			seed := uint64(0)
			for b.Loop() {
				seed++
				drawn(b, g, seed, format.Options{Size: 5, Literals: []int64{10, 1000, 65536}})
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cases/s")
		})
	}
}

// BenchmarkCheckLarge checks an input of a million numbers.
func BenchmarkCheckLarge(b *testing.B) {
	g := parse(b, "line n: int 1..10^6\nline a[n]: int 0..10^9\n")
	input, err := g.Draw(chance(1), format.Options{Mode: "uniform", Ranges: map[string][2]int64{"n": {1e6, 1e6}}, MaxSize: 1 << 25})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(input)))
	for b.Loop() {
		if refusal := g.Check(input); refusal != nil {
			b.Fatal(refusal)
		}
	}
}

// BenchmarkShrink measures the cost of proposals. It shrinks an input of several kilobytes with a failure that can
// be checked without starting a process.
func BenchmarkShrink(b *testing.B) {
	g := house(b, "pd-duel")
	input, err := g.Draw(chance(3), format.Options{Ranges: map[string][2]int64{"n": {60, 60}}})
	if err != nil {
		b.Fatal(err)
	}
	evaluations, size := 0, 0
	for b.Loop() {
		result, err := shrink.TextWithShape(b.Context(), input, g, shrink.Budget{}, func(text []byte) (bool, error) {
			return g.Check(text) == nil && len(text) >= 40, nil
		}, nil)
		if err != nil {
			b.Fatal(err)
		}
		evaluations += result.Evaluations
		size = len(result.Text)
	}
	b.ReportMetric(float64(evaluations)/float64(b.N), "evaluations")
	b.ReportMetric(float64(size), "bytes")
	b.ReportMetric(float64(len(input)), "bytes-before")
}
