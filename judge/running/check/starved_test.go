package check_test

import (
	"testing"
	"testing/synctest"
	"time"

	"assay/judge"
	"assay/judge/internal/unboxed"
	"assay/judge/kit"
	"assay/judge/running/check"
)

// TestWhoseSilence checks that a checker that does not respond causes a judge error. If the checker was waiting
// for a CPU, Check must instead return an error of the machine, without a verdict.
func TestWhoseSilence(t *testing.T) {
	for _, starved := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r := unboxed.Silent{Greeting: kit.Hello + " checker\n", Starved: starved}
			c, err := check.Program(r, &judge.SetterProgram{Protocol: "kit"}, &judge.Program{Name: "check.go"}, judge.Limits{Wall: 30 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			o, err := c.Check(t.Context(), request("right"))
			if starved && (judge.BlameOf(err) != judge.Machine || o.Verdict != "") || !starved && (err != nil || o.Verdict != judge.JudgeError) {
				t.Errorf("starved %v: Check() = %+v, %v", starved, o, err)
			}
		})
	}
}
