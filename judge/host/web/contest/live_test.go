package contest

import (
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/host/web"
	"assay/judge/report"
)

// TestLiveSkipsOnce: cases that were skipped share one row of a judging that runs, and count as done.
func TestLiveSkipsOnce(t *testing.T) {
	events := []judge.Event{&judge.Started{Cases: 9}, &judge.Built{}, &judge.CaseJudged{Group: "a", Case: "1", Verdict: judge.Accepted}, &judge.CaseJudged{Group: "a", Case: "2", Verdict: judge.WrongAnswer}}
	for range 5 {
		events = append(events, &judge.CaseJudged{Group: "b", Case: "x", Verdict: judge.Skipped})
	}
	var lines [][]byte
	for _, e := range events {
		line, err := judge.EncodeEvent(e)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	v := liveView{Number: 3, State: web.State{Open: true}}
	v.add(lines, judge.ShowAll)
	if v.Done != 7 || v.Of != 9 || len(v.Cases) != 2 || v.Skipped != 5 || v.Cases[1].Class != report.VerdictClass(judge.WrongAnswer) {
		t.Errorf("what is shown of a judging: %+v", v)
	}
	all, err := templates()
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	if err := all["judging"].ExecuteTemplate(&page, "live", v); err != nil {
		t.Fatal(err)
	}
	if got := page.String(); strings.Count(got, "<tr ") != 3 || !strings.Contains(got, ">5 cases</th>") {
		t.Errorf("the rows:\n%s", got)
	}
}
