package kitproc_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge"
	"assay/judge/internal/kitproc"
	"assay/judge/internal/unboxed"
	"assay/judge/kit"
)

// TestABusyMachineIsNoBrokenProgram checks that a silent program is blamed if it could run but did not answer, and
// that the machine is blamed if the program waited for a CPU. Both are checked before the greeting and before an
// answer.
func TestABusyMachineIsNoBrokenProgram(t *testing.T) {
	const detail = "in 10m30s it left a program 30s of its limit of 30s unused\n    repeat the command when this machine is less busy, or " +
		"with fewer jobs (-j)"
	for name, tt := range map[string]struct {
		runner unboxed.Silent
		broken bool
		want   string
	}{
		"it sleeps before it greets": {unboxed.Silent{}, true, "generator gen.go did not greet the judge within 30s"},
		"it waits before it greets": {
			unboxed.Silent{Starved: true}, false,
			"generator gen.go did not greet the judge: the machine is too busy: " + detail,
		},
		"it sleeps before it answers": {unboxed.Silent{Greeting: kit.Hello + " generator\n"}, true, "generator gen.go gave no answer within 30s"},
		"it waits before it answers": {unboxed.Silent{
			Greeting: kit.Hello + " generator\n", Starved: true,
		}, false, "generator gen.go gave no answer: the machine is too busy: " + detail},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := kitproc.New(t.Context(), tt.runner, &judge.Program{Name: "gen.go"}, "generator", judge.Limits{Wall: 30 * time.Second})
				_, _, err := k.Ask(t.Context(), "generate", kitproc.Text("seed"))
				if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
					t.Fatalf("Ask() = %v\nwant    %s", err, tt.want)
				}
				if _, broken := errors.AsType[*kitproc.BrokenError](err); broken != tt.broken {
					t.Errorf("the program is blamed: %v, want %v", broken, tt.broken)
				}
				if _, busy := errors.AsType[*judge.BusyError](err); busy == tt.broken {
					t.Errorf("the machine is blamed: %v, want %v", busy, !tt.broken)
				}
			})
		})
	}
}

// TestCloseOnABusyMachine checks that a program that exits late because it waits for a processor gets more time,
// and that a program that does not exit is killed.
func TestCloseOnABusyMachine(t *testing.T) {
	for _, starved := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			k, err := kitproc.Start(
				t.Context(), unboxed.Silent{Greeting: kit.Hello + " checker\n", Starved: starved},
				&judge.Program{Name: "check.go"}, "checker", judge.Limits{},
			)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			err = k.Close()
			if took := time.Since(start); starved != (took > time.Minute) || starved != (err != nil) {
				t.Errorf("starved: %v, Close() = %v after %v", starved, err, took)
			}
		})
	}
}
