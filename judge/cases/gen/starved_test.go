package gen_test

import (
	"testing"
	"testing/synctest"
	"time"

	"assay/judge"
	"assay/judge/cases/gen"
	"assay/judge/internal/unboxed"
	"assay/judge/kit"
)

// TestWhoseSilence checks who is at fault if a generator or validator is silent. If the program is waiting for a
// processor, the machine is at fault. Otherwise, the setter is.
func TestWhoseSilence(t *testing.T) {
	limits := judge.Limits{Wall: 30 * time.Second}
	program, part := &judge.Program{Name: "gen.go"}, &judge.SetterProgram{Protocol: "kit"}
	for starved, want := range map[bool]judge.Blame{false: judge.Setter, true: judge.Machine} {
		synctest.Test(t, func(t *testing.T) {
			g, err := gen.NewGenerator(t.Context(), unboxed.Silent{Greeting: kit.Hello + " generator\n", Starved: starved}, program, part, limits)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := g.Generate(t.Context(), "seed", nil); judge.BlameOf(err) != want {
				t.Errorf("starved %v: Generate: %v is blamed on the %s, want the %s", starved, err, judge.BlameOf(err), want)
			}
			if _, err := gen.NewGenerator(t.Context(), unboxed.Silent{Starved: starved}, program, part, limits); judge.BlameOf(err) != want {
				t.Errorf("starved %v: NewGenerator: %v is blamed on the %s, want the %s", starved, err, judge.BlameOf(err), want)
			}
			v, err := gen.NewValidator(t.Context(), unboxed.Silent{Greeting: kit.Hello + " validator\n", Starved: starved}, program, part, limits)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := v.Validate(t.Context(), "a/b", []byte("1\n")); judge.BlameOf(err) != want {
				t.Errorf("starved %v: Validate: %v is blamed on the %s, want the %s", starved, err, judge.BlameOf(err), want)
			}
		})
	}
}
