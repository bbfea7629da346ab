package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"assay/judge"
)

// TestSafe checks that untrusted texts cannot control the terminal.
func TestSafe(t *testing.T) {
	var b strings.Builder
	const evil = "\x1b]0;title\a\x1b[2J one\r\n\ttwo\rthree \u202e four\xff\n"
	if n, err := fmt.Fprint(NewSafeWriter(&b), evil); n != len(evil) || err != nil {
		t.Errorf("%d of %d bytes are written, %v", n, len(evil), err)
	}
	if want := `\x1B]0;title\x07\x1B[2J one` + "\n    two" + `\x0Dthree \xE2\x80\xAE four` + "\uFFFD\n"; b.String() != want {
		t.Errorf("%q is written, want %q", b.String(), want)
	}
}

// TestCells checks that texts are cut and padded by terminal cells. East Asian characters and emoji take two
// cells. A combining accent takes none.
func TestCells(t *testing.T) {
	const wide, accent, flag = "日本語", "e\u0301", "🇩🇪"
	for _, test := range []struct {
		name string
		got  any
		want any
	}{
		{"wide", width(wide), 6},
		{"accent", width("caf" + accent), 4},
		{"flag", width(flag), 2},
		{"plain", width("abc"), 3},
		{"fit", fit(wide+"abc", 6), "日本…"},
		{"fit never takes half", fit(wide, 4), "日…"},
		{"fit keeps accents", fit("caf"+accent+"teria", 5), "caf" + accent + "…"},
		{"fit tail", fitTail(wide+"abc", 6), "…語abc"},
		{"pad", pad(wide, 8), wide + "  "},
		{"pad left", padLeft("caf"+accent, 6), "  caf" + accent},
		{"wrap at blanks", fmt.Sprint(len(wrap(strings.Repeat(wide+" ", 4), 14))), "2"},
		{"wrap without", fmt.Sprint(wrap(strings.Repeat("語", 12), 10)), "[語語語語語 語語語語語 語語]"},
		{"common start", commonStart("日本x", "日本y"), 4},
		{"common start before an accent", commonStart("cafe", "caf"+accent), 3},
	} {
		if test.got != test.want {
			t.Errorf("%s: %v, want %v", test.name, test.got, test.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := sanitize(rapid.StringOf(rapid.RuneFrom([]rune("ab 日語e\u0301🇩🇪é…"))).Draw(t, "text"))
		n := rapid.IntRange(1, 20).Draw(t, "n")
		if w := width(fit(text, n)); w > n {
			t.Errorf("fit(%q, %d) takes %d cells", text, n, w)
		}
		if w := width(fitTail(text, n)); w > n {
			t.Errorf("fitTail(%q, %d) takes %d cells", text, n, w)
		}
		for _, l := range wrap(text, n+10) {
			if width(l) > n+10 {
				t.Errorf("wrap(%q, %d) has a line %q", text, n+10, l)
			}
		}
		if s := cropSpans([]span{{text, false}}, n, width(text), 10); width(text) > 10 && width(s[0].Text) != 10 {
			t.Errorf("cropSpans(%q, %d) = %q takes %d cells, want 10", text, n, s[0].Text, width(s[0].Text))
		}
	})
}

// TestPointerUnderWideCharacters checks that carets are below the difference if wide characters precede it.
func TestPointerUnderWideCharacters(t *testing.T) {
	for _, test := range []struct{ want, got, pointer string }{
		{"日本 1", "日本 2", "     ^"},
		{"cafe\u0301 1", "cafe\u0301 2", "     ^"},
		{"日本語", "日本人", "    ^^"},
		{"cafe", "cafe\u0301", "   ^"},
		{"résume\u0301", "résume", "     ^"},
		{"résume\u0301e", "résum", "^^^^^"},
	} {
		if in := compare(test.want, test.got, true); in.pointer != test.pointer {
			t.Errorf("compare(%q, %q) points with %q, want %q", test.want, test.got, in.pointer, test.pointer)
		}
	}
	d := &judge.Detail{
		Want: judge.Excerpt{Text: "日本 1\n", FirstLine: 1, Size: 9, At: 7}, Got: judge.Excerpt{Text: "日本 語\n", FirstLine: 1, Size: 11, At: 7},
		Place: &judge.Position{Line: 1, Column: 4},
	}
	all := diffLines(d)
	if last := all[len(all)-1]; last.Kind != pointerLine || last.text() != "     ^^" {
		t.Errorf("the pointer at a place is %q", last.text())
	}
}

// TestFailingCases checks that the table of failing cases shows names and messages on a narrow terminal, and also
// memory if there is room.
func TestFailingCases(t *testing.T) {
	draw := func(columns int) string {
		var out bytes.Buffer
		r := Terminal(&out, TerminalOptions{Width: columns})
		r.Event(&judge.Started{Problem: "p", Program: "s", Cases: 2, Groups: []string{"edge"}})
		for _, name := range []string{"pair-1e18-999999999999999999", "pair-1-0"} {
			r.Event(&judge.CaseJudged{Group: "edge", Case: name, Verdict: judge.OutputLimit, Message: "killed at its output limit",
				Exec: judge.Exec{Killed: judge.Output, Memory: 7 << 20}})
		}
		r.Event(&judge.Finished{Verdict: judge.OutputLimit, First: "edge/pair-1e18-999999999999999999", Judged: 2, Cases: 2})
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	narrow, wide := draw(80), draw(100)
	row := "  edge/pair-1e18-999999999999999999  OLE  under 1 ms  killed at its output limit\n"
	if !strings.Contains(narrow, row) {
		t.Errorf("at 80 columns there is no row\n%s\nin\n%s", row, narrow)
	}
	if want := "    time    under 1 ms\n    memory  too little to be measured\n"; !strings.Contains(narrow, want) {
		t.Errorf("of a run that nothing could be measured of it does not say\n%s\nin\n%s", want, narrow)
	}
	if strings.Contains(narrow, "memory  message") || !strings.Contains(wide, "memory  message") {
		t.Errorf("80 columns:\n%s\n100 columns:\n%s", narrow, wide)
	}
}

// TestTooMuchOutput checks that an output that exceeded its limit is shown with its size and its first lines. It
// is not compared with the answer, which is shorter.
func TestTooMuchOutput(t *testing.T) {
	var out bytes.Buffer
	r := Terminal(&out, TerminalOptions{})
	r.Event(&judge.Started{Problem: "p", Program: "s", Cases: 1, Groups: []string{"edge"}})
	text := strings.Repeat("spam and eggs\n", 20)
	r.Event(&judge.CaseJudged{Group: "edge", Case: "one", Verdict: judge.OutputLimit, Message: "killed at its output limit",
		Exec: judge.Exec{Killed: judge.Output, Output: 64 << 10}, Detail: &judge.Detail{
			Input: judge.Excerpt{Text: "1\n", FirstLine: 1, Size: 2}, Want: judge.Excerpt{Text: "7\n", FirstLine: 1, Size: 2},
			Got: judge.Excerpt{Text: text, FirstLine: 1, Size: 64 << 10, After: true}}})
	r.Event(&judge.Finished{Verdict: judge.OutputLimit, First: "edge/one", Judged: 1, Cases: 1})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Count(got, "spam and eggs") != maxInput ||
		strings.Count(got, "64 KiB") != 1 || strings.Contains(got, "expected") {
		t.Errorf("the report is\n%s", got)
	}
}

// TestInterruptedGroup checks that an interrupted group is not shown as accepted, even if its cases so far were
// accepted.
func TestInterruptedGroup(t *testing.T) {
	var out bytes.Buffer
	r := Terminal(&out, TerminalOptions{})
	for _, e := range []judge.Event{
		&judge.Started{Problem: "p", Program: "s", Cases: 9, Groups: []string{"sample", "edge"}},
		&judge.CaseJudged{Group: "sample", Case: "1", Verdict: judge.Accepted}, &judge.GroupJudged{
			Group: "sample", Verdict: judge.Accepted, Passed: 1, Cases: 1,
		},
		&judge.CaseJudged{
			Group: "edge", Case: "1", Verdict: judge.Accepted,
		}, &judge.CaseJudged{Group: "edge", Case: "2", Verdict: judge.Accepted},
	} {
		r.Event(e)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"\n  sample  AC    1/1  .\n", "\n  edge    --   2/2…  ..\n", "\nstopped: 3 cases judged\n"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("there is no line %q in\n%s", line, out.String())
		}
	}
}

// TestAligned checks that columns with wide characters are aligned.
func TestAligned(t *testing.T) {
	for _, test := range []struct {
		right bool
		want  string
	}{
		{false, "a     12345  x\n日本  1      y\n"},
		{true, "     a  12345x\n  日本      1y\n"},
	} {
		var out bytes.Buffer
		table := NewTable(&out, test.right)
		fmt.Fprintf(table, "a\t12345\tx\n日本\t1\ty\n")
		if err := table.Flush(); err != nil || out.String() != test.want {
			t.Errorf("right %v: %q, want %q (%v)", test.right, out.String(), test.want, err)
		}
	}
}
