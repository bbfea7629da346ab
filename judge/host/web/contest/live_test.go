package contest

import (
	"fmt"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/host/web"
)

// TestLiveGroups checks that each test group of a running judgement has its own cells, which change as its cases
// are judged.
func TestLiveGroups(t *testing.T) {
	var lines [][]byte
	add := func(all ...judge.Event) {
		t.Helper()
		for _, e := range all {
			line, err := judge.EncodeEvent(e)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, line)
		}
	}
	judged := func(group, name string, v judge.Verdict) *judge.CaseJudged {
		return &judge.CaseJudged{Group: group, Case: name, Verdict: v}
	}
	page := func() string {
		t.Helper()
		v := liveView{Number: 3, State: web.State{Pending: true}}
		v.addEvents(lines, judge.ShowAll)
		all, err := templates()
		if err != nil {
			t.Fatal(err)
		}
		var page strings.Builder
		if err := all["submission"].ExecuteTemplate(&page, "live", v); err != nil {
			t.Fatal(err)
		}
		return page.String()
	}
	has := func(when string, wants ...string) {
		t.Helper()
		got := page()
		for _, want := range wants {
			lacks, is := strings.CutPrefix(want, "not ")
			if strings.Contains(got, lacks) == is {
				t.Errorf("%s: %s\n%s", when, want, got)
			}
		}
	}
	add(&judge.Started{Cases: 400, Groups: []string{"a", "b", "c"}}, &judge.Built{})
	has("at first", `<h2>a <small>waiting</small></h2>`, `<h2>c <small>waiting</small></h2>`, "0 of 400 cases", "not class=\"cells\"")
	add(judged("a", "1", judge.Accepted))
	has("after one case", `<section class="fold ac"><h2>a <span class="chip" title="accepted">AC</span> <small>1 of 1 judged passed</small>`,
		`title="a/1: accepted, 0 ms">.</span>`, `<h2>b <small>waiting`, "1 of 400 cases")
	add(judged("a", "2", judge.WrongAnswer), judged("a", "3", judge.Accepted), judged("a", "4", judge.RunTimeError))
	has("after a failure", `<section class="fold wa"><h2>a <span class="chip" title="wrong answer">WA</span> <small>2 of 4 judged `+
		`passed</small>`, `<span class="cell rte" title="a/4: run-time error, 0 ms" role="img">`)
	for i := range 350 {
		add(judged("b", fmt.Sprintf("%03d-%s", i, strings.Repeat("long", 20)), judge.Accepted))
	}
	has("with many cases", `<small>350 of 350 judged passed</small>`, `<p class="cells"><small>176 more</small> `, "not a/1:", "not b/175-",
		"b/176-", "354 of 400 cases")
	if n := len(page()); n > 36<<10 {
		t.Errorf("the part that changes has %d bytes", n)
	}
	for range 5 {
		add(judged("c", "x", judge.Skipped))
	}
	has("with skipped cases", `<h2>c <small> 5 skipped</small></h2>`, "359 of 400 cases")
	add(judged("late", "1", judge.TimeLimit))
	has("of a group that was not announced", `<h2>late <span class="chip" title="time limit exceeded">TLE</span> <small>0 of 1 judged passed`)
}
