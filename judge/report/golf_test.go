package report

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"assay/judge"

	"github.com/google/go-cmp/cmp"
)

func TestGolfText(t *testing.T) {
	r := &judge.GolfChecked{
		File: "ans.py", Language: "Python 3", GolfSize: judge.GolfSize{
			Bytes: 137, Chars: 137, Adjusted: []string{"1 newline at the end not counted"},
		}, Claim: 134,
		How: "function f(i,j)", Problem: "wythoff", Verdict: judge.GolfIncorrect, Domain: 10000, Tried: 10000, Samples: 9, WrongMany: 2,
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
	if diff := cmp.Diff(want, GolfResult(r)); diff != "" {
		t.Errorf("Text (-want +got):\n%s", diff)
	}
	r = &judge.GolfChecked{
		File: "a.pl", Language: "Perl", Flags: []string{"-p"}, GolfSize: judge.GolfSize{Bytes: 1, Chars: 1},
		How: "program, input i j", Verdict: judge.GolfCorrect, Domain: 10000, Tried: 10000, Samples: 9,
		WallMS: 3140, Says: []string{"lost positions give 0"},
	}
	want = "a.pl   Perl + -p   1 byte (1 char)   program, input i j\nRIGHT    all 10000 inputs, a process each, 3.1 s; lost positions give 0\n"
	if diff := cmp.Diff(want, GolfResult(r)); diff != "" {
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

// TestGolfRedrawn checks that saved golf results are shown in the same way as right after the check.
func TestGolfRedrawn(t *testing.T) {
	one := &judge.GolfChecked{
		Format: judge.EventFormat, Problem: "p", File: "a.py", Language: "Python 3",
		GolfSize: judge.GolfSize{Bytes: 5, Chars: 5}, Verdict: judge.GolfCorrect, Domain: 9, Tried: 9,
		WallMS: 1000,
	}
	two := &judge.GolfChecked{Format: judge.EventFormat, Problem: "p", File: "b.py", Verdict: judge.GolfCannotRun, Log: "no such file"}
	for _, all := range [][]*judge.GolfChecked{{one}, {one, two}} {
		var saved, drawn bytes.Buffer
		lines := JSON(&saved)
		for _, e := range all {
			lines.Event(e)
		}
		if err := lines.Close(); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(saved.String(), `{"event":"golf-proved","format":1,"problem":"p",`) {
			t.Errorf("saved as %s", &saved)
		}
		if err := Replay(&saved, Terminal(&drawn, TerminalOptions{})); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(GolfResults(all), drawn.String()); diff != "" {
			t.Errorf("%d answers (-drawn at first +drawn again):\n%s", len(all), diff)
		}
	}
}

// TestGolfColumns checks that columns are aligned if characters take two cells.
func TestGolfColumns(t *testing.T) {
	r := &judge.GolfChecked{Verdict: judge.GolfIncorrect, WrongMany: 2, Domain: 2, Tried: 2, Wrong: []judge.GolfWrongInput{
		{In: "1", Gave: "日本", Why: "low"}, {In: "2", Gave: "abcde", Why: "high"},
	}}
	for _, want := range []string{"  1  gave 日本    low\n", "  2  gave abcde   high\n"} {
		if !strings.Contains(GolfResult(r), want) {
			t.Errorf("drawn is\n%s\nwant %q in it", GolfResult(r), want)
		}
	}
	table := GolfResults([]*judge.GolfChecked{{File: "日.py", How: "f"}, {File: "abc.py", How: "f"}})
	for _, want := range []string{" 日.py   f\n", " abc.py  f\n"} {
		if !strings.Contains(table, want) {
			t.Errorf("drawn is\n%s\nwant %q in it", table, want)
		}
	}
}

// TestGolfHTML checks that a page contains the verdict, the size, each wrong input, and no tag from the
// submission.
func TestGolfHTML(t *testing.T) {
	var page bytes.Buffer
	r := HTML(&page)
	r.Event(&judge.GolfChecked{Format: 1, Problem: "p", File: "a.py", Language: "Python 3", GolfSize: judge.GolfSize{Bytes: 5, Chars: 5},
		Verdict: judge.GolfIncorrect, WrongMany: 2,
		Domain: 9, Tried: 9, Samples: 3, Wrong: []judge.GolfWrongInput{{In: "5 7", Gave: "<b>",
			Why: "is lost"}}, Code: "<script>alert(1)</script>"})
	r.Event(&judge.GolfChecked{
		Format: 1, Problem: "p", File: "b.py", GolfSize: judge.GolfSize{Bytes: 77, Chars: 70},
		Verdict: judge.GolfCannotRun, Log: "no such file",
	})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"p: 2 answers", "5 bytes (5 chars)", "77 bytes (70 chars)", "WRONG 2 of 9 inputs", "5 7", "&lt;b&gt;",
		"is lost", "and 1 more", "&lt;script&gt;", "CANNOT RUN no such file",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page.String(), "<script>alert") {
		t.Error("the page runs what is in the answer")
	}
}

func TestGolfLines(t *testing.T) {
	r := &judge.GolfChecked{
		File: "a.py", GolfSize: judge.GolfSize{Bytes: 7, Chars: 7}, Domain: 9, Verdict: judge.GolfCannotRun,
		Log: "no such file\nnor there",
	}
	for got, want := range map[string]string{
		GolfWatchLine(r, 0):                        "a.py  7 bytes  CANNOT RUN  no such file\n",
		GolfWatchLine(r, -3):                       "a.py  7 bytes (-3)  CANNOT RUN  no such file\n",
		GolfUnreadable("a.py", errors.New("x\ny")): "a.py  x\n",
	} {
		if got != want {
			t.Errorf("drawn is %q, want %q", got, want)
		}
	}
}

// TestGolfIsHarmless checks that the output of a submission cannot move the cursor.
func TestGolfIsHarmless(t *testing.T) {
	r := &judge.GolfChecked{
		File: "a\x1b[2J.py", Verdict: judge.GolfIncorrect, WrongMany: 1,
		Wrong:   []judge.GolfWrongInput{{In: "1", Gave: "\x1b[2J", Why: "\a"}},
		Explain: []judge.GolfCallAttempt{{How: "\x1b", Gave: []string{"\x1b[H"}}},
	}
	for name, drawn := range map[string]string{
		"alone": GolfResult(r), "in a table": GolfResults([]*judge.GolfChecked{r, r}), "watched": GolfWatchLine(r, 0),
		"explained": GolfCallText(r),
	} {
		if strings.ContainsAny(drawn, "\x1b\a") {
			t.Errorf("%s: %q", name, drawn)
		}
	}
}
