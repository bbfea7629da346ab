package report

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge"
)

// TestNoticesAppearOncePerInterval checks that notices appear once per interval. It uses a fake clock, on which
// waiting takes no time.
func TestNoticesAppearOncePerInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		n := NewNotices(&out, 10*time.Second)
		wait := func(d time.Duration, want string) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			if got := out.String(); got != want {
				t.Errorf("after %v the notices are %q, want %q", d, got, want)
			}
			out.Reset()
		}
		wait(25*time.Second, "") // no work is in progress
		done := 3
		first := n.Add(func() string { return ProgressText("cases made", done, 7) })
		wait(4*time.Second, "")
		wait(2*time.Second, "after 30 s: 3 of 7 cases made\n")
		done = 5
		quiet := n.Add(func() string { return "" })
		second := n.Add(func() string { return "building\na/b" })
		wait(10*time.Second, "after 40 s: 5 of 7 cases made; building a/b\n")
		first()
		wait(10*time.Second, "after 50 s: building a/b\n")
		second()
		wait(30*time.Second, "")
		quiet()
		n.Close()
		n.Add(func() string { return "too late" })
		wait(30*time.Second, "")
	})
}

// TestWatcherDescribesWhatIsUnderWay checks the description of the progress of a submission and of a verification,
// from before the first event until after the last.
func TestWatcherDescribesWhatIsUnderWay(t *testing.T) {
	r, line := WatchProgress()
	for _, step := range []struct {
		event judge.Event
		want  string
	}{
		{&judge.Noted{Text: "x"}, ""},
		{&judge.Started{Program: "a/sol.go", Language: "Go", Cases: 4}, "building sol.go as Go"},
		{&judge.Progressed{Total: 4, Preparing: "Go"}, "preparing Go for its first program"},
		{&judge.Built{Verdict: judge.Accepted}, "[....................] 0/4"},
		{&judge.Progressed{Done: 2, Total: 4}, "[##########..........] 2/4"},
		{&judge.CaseJudged{Group: "g", Case: "1", Verdict: judge.Accepted}, "[##########..........] 2/4  AC 1"},
		{&judge.Finished{Verdict: judge.Accepted}, ""},
		{&judge.CaseJudged{Group: "g", Case: "1", Verdict: judge.Accepted}, ""},
		{&judge.VerifyStarted{}, "verifying: 0 checks, 0 solutions"},
		{&judge.Checked{What: "x"}, "verifying: 1 check, 0 solutions"},
		{&judge.Progressed{Done: 2, Total: 40}, "verifying: 1 check, 0 solutions, 2 of 40 have run"},
		{&judge.VerifyFinished{OK: true}, ""},
		{&judge.Started{Program: "b.go", Language: "Go", Cases: 1}, "building b.go as Go"},
	} {
		r.Event(step.event)
		if got := line(); got != step.want {
			t.Errorf("after %#v it is %q, want %q", step.event, got, step.want)
		}
	}
	if err := r.Close(); err != nil || line() != "" {
		t.Errorf("in the end it is %q, %v", line(), err)
	}
}
