package gen

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"assay/judge"
	"assay/judge/internal/unboxed"
	"assay/judge/kit"
)

// BenchmarkStream generates small cases with wythoff's generator and checks each with its validator. Each program
// is one process that handles all requests.
func BenchmarkStream(b *testing.B) {
	part := &judge.SetterProgram{Protocol: "kit"}
	generator, err := NewGenerator(b.Context(), unboxed.Runner{}, built(b, "generator"), part, judge.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	defer generator.Close()
	validator, err := NewValidator(b.Context(), unboxed.Runner{}, built(b, "validator"), part, judge.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	defer validator.Close()
	cases := 0
	for b.Loop() {
		cases++
		seed := kit.Seed("salt", fmt.Sprintf("case %d", cases))
		input, err := generator.Generate(b.Context(), seed, []string{"several", "--count", "2"})
		if err != nil {
			b.Fatal(err)
		}
		if invalid, err := validator.Validate(b.Context(), "case", input); err != nil || invalid != "" {
			b.Fatalf("%q: %s, error %v", input, invalid, err)
		}
	}
	b.ReportMetric(float64(cases)/b.Elapsed().Seconds(), "cases/s")
}

// built builds one of wythoff's programs.
func built(b *testing.B, role string) *judge.Program {
	b.Helper()
	binary := filepath.Join(b.TempDir(), role)
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", binary, "assay/problems/wythoff/"+role).CombinedOutput(); err != nil {
		b.Skipf("the %s cannot be built here: %v\n%s", role, err, out)
	}
	return &judge.Program{Name: role, Argv: []string{binary}}
}
