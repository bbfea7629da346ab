package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"assay/judge"

	"github.com/google/go-cmp/cmp"
)

func TestGolfText(t *testing.T) {
	r := &judge.GolfProved{
		File: "ans.py", Language: "Python 3", GolfSize: judge.GolfSize{Bytes: 137, Chars: 137, Adjusted: []string{"1 newline at the end not counted"}}, Claim: 134,
		How: "function f(i,j)", Problem: "wythoff", Verdict: judge.GolfWrong, Domain: 10000, Tried: 10000, Samples: 9, WrongMany: 2,
		Wrong: []judge.GolfWrongInput{{In: "55 89", Gave: "(54, 88)", Why: "is lost"}, {In: "56 89", Gave: "0", Why: "has a winning move"}},
	}
	want := `ans.py   Python 3   137 bytes (137 chars)   function f(i,j)
         claims 134, is 137
WRONG    2 of 10000 inputs; the samples all pass
  55 89  gave (54, 88)   is lost
  56 89  gave 0          has a winning move
count:   1 newline at the end not counted
run:     judge golf wythoff ans.py --case '55 89'
`
	if diff := cmp.Diff(want, GolfText(r)); diff != "" {
		t.Errorf("Text (-want +got):\n%s", diff)
	}
	r = &judge.GolfProved{File: "a.pl", Language: "Perl", Flags: []string{"-p"}, GolfSize: judge.GolfSize{Bytes: 1, Chars: 1}, How: "program, input i j", Verdict: judge.GolfRight, Domain: 10000, Tried: 10000, Samples: 9, Seconds: 3.14, Says: []string{"lost positions give 0"}}
	want = "a.pl   Perl + -p   1 byte (1 char)   program, input i j\nRIGHT    all 10000 inputs, a process each, 3.1 s; lost positions give 0\n"
	if diff := cmp.Diff(want, GolfText(r)); diff != "" {
		t.Errorf("Text (-want +got):\n%s", diff)
	}
	if got := golfPostHeader(r); got != "# Perl + -p, 1 byte" {
		t.Errorf("PostHeader = %q", got)
	}
}

func TestGolfProgress(t *testing.T) {
	for _, row := range []struct {
		done   int
		passed time.Duration
		want   string
	}{
		{0, time.Minute, "0 of 10000 inputs"},
		{100, 500 * time.Millisecond, "100 of 10000 inputs"},
		{1000, 10 * time.Second, "1000 of 10000 inputs, 100 a second, 1m30s left"},
		{10000, 10 * time.Second, "10000 of 10000 inputs, 1000 a second"},
	} {
		if got := GolfProgress(row.done, 10000, row.passed); got != row.want {
			t.Errorf("GolfProgress(%d, 10000, %v) = %q, want %q", row.done, row.passed, got, row.want)
		}
	}
}

// TestGolfRedrawn draws saved answers as they were drawn when they were proved.
func TestGolfRedrawn(t *testing.T) {
	one := &judge.GolfProved{Format: judge.EventFormat, Problem: "p", File: "a.py", Language: "Python 3", GolfSize: judge.GolfSize{Bytes: 5, Chars: 5}, Verdict: judge.GolfRight, Domain: 9, Tried: 9, Seconds: 1}
	two := &judge.GolfProved{Format: judge.EventFormat, Problem: "p", File: "b.py", Verdict: judge.GolfCannotRun, Log: "no such file"}
	for _, all := range [][]*judge.GolfProved{{one}, {one, two}} {
		var saved, drawn bytes.Buffer
		lines := JSON(&saved)
		for _, e := range all {
			lines.Event(e)
		}
		if err := lines.Close(); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(saved.String(), `{"event":"golf","format":1,"problem":"p",`) {
			t.Errorf("saved as %s", &saved)
		}
		if err := Replay(&saved, Terminal(&drawn, TerminalOptions{})); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(Golf(all), drawn.String()); diff != "" {
			t.Errorf("%d answers (-drawn at first +drawn again):\n%s", len(all), diff)
		}
	}
}
