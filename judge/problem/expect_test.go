package problem

import (
	"strings"
	"testing"

	"assay/judge"
)

// got returns a result with one case for each word of a text such as "AC WA TLE".
func got(final judge.Verdict, cases string) *Result {
	r := &Result{Final: final, Groups: map[string]float64{"secret/a": 30}}
	for i, word := range strings.Fields(cases) {
		id := "secret/" + string(rune('a'+i)) + "/1"
		r.Cases = append(r.Cases, CaseResult{ID: id, Verdict: judge.Verdict(word), Message: "case " + id})
	}
	return r
}

// verdicts parses a text such as "AC WA".
func verdicts(text string) (all []judge.Verdict) {
	for _, word := range strings.Fields(text) {
		all = append(all, judge.Verdict(word))
	}
	return all
}

func TestHolds(t *testing.T) {
	one := func(from string, r Rule) []Rule { r.From = from; return []Rule{r} }
	old := func(dir string) []Rule { // either the final verdict or the sets must hold
		return one(dir, map[string]Rule{
			"accepted":            {Final: verdicts("AC")},
			"partially_accepted":  {Final: verdicts("AC"), Partial: true},
			"wrong_answer":        {Final: verdicts("WA"), Permitted: verdicts("AC WA"), Required: verdicts("WA")},
			"time_limit_exceeded": {Final: verdicts("TLE"), Permitted: verdicts("AC WA TLE"), Required: verdicts("TLE")},
			"run_time_error":      {Final: verdicts("RTE"), Required: verdicts("RTE")},
		}[dir])
	}
	now := func(dir string) []Rule { // only the sets must hold
		return one(dir, map[string]Rule{
			"rejected":            {Required: verdicts("RTE TLE WA")},
			"wrong_answer":        {Permitted: verdicts("AC WA"), Required: verdicts("WA")},
			"time_limit_exceeded": {Permitted: verdicts("AC TLE"), Required: verdicts("TLE")},
			"brute_force":         {Permitted: verdicts("AC RTE TLE"), Required: verdicts("RTE TLE")},
		}[dir])
	}
	scored := func(points, of float64, final judge.Verdict) *Result {
		r := got(final, "AC WA")
		r.Score = &judge.Score{Points: points, Of: of}
		return r
	}
	for _, row := range []struct {
		it    string
		rules []Rule
		got   *Result
		why   string // "" if the rules hold
	}{
		{"takes anything where nothing is known", nil, got("WA", "WA"), ""},
		{"legacy: accepts what is accepted", old("accepted"), got("AC", "AC AC"), ""},
		{"legacy: does not take a wrong answer for accepted", old("accepted"), got("WA", "AC WA"), "it gets WA, but accepted expects AC"},
		{"legacy: takes the verdict of the whole", old("time_limit_exceeded"), got("TLE", "TLE"), ""},
		{"legacy: takes a slow case behind a wrong one, as the format's text says", old("time_limit_exceeded"), got("WA", "WA TLE"), ""},
		{
			"legacy: does not take a crash for slow", old("time_limit_exceeded"), got("WA", "WA TLE RTE"),
			"it gets WA, but time_limit_exceeded expects TLE",
		},
		{
			"legacy: a wrong answer must not be slow as well, unless it is wrong first", old("wrong_answer"),
			got("TLE", "TLE WA"), "it gets TLE, but wrong_answer expects WA",
		},
		{"legacy: a wrong answer that is wrong first may be anything later", old("wrong_answer"), got("WA", "WA TLE"), ""},
		{"takes too much memory for a crash", old("run_time_error"), got("MLE", "MLE"), ""},
		{"takes idling for slow", old("time_limit_exceeded"), got("ILE", "ILE"), ""},
		{"takes a flood for slow", old("time_limit_exceeded"), got("OLE", "OLE"), ""},
		{"does not take a wrong answer for a crash", old("run_time_error"), got("WA", "WA"), "it gets WA, but run_time_error expects RTE"},
		{
			"does not take a compile error for rejected cases", now("rejected"), got("CE", ""),
			"it does not compile, but rejected expects RTE or TLE or WA",
		},
		{
			"2025: every case must be permitted", now("wrong_answer"), got("WA", "AC WA TLE"),
			"it gets TLE on secret/c/1, but wrong_answer permits AC or WA",
		},
		{"2025: some case must be required", now("brute_force"), got("AC", "AC AC"), "no case gets RTE or TLE, which brute_force expects"},
		{
			"2025: brute force may be slow but never wrong", now("brute_force"), got("WA", "TLE WA"),
			"it gets WA on secret/b/1, but brute_force permits AC or RTE or TLE",
		},
		{"2025: skipped cases do not count", now("time_limit_exceeded"), got("TLE", "TLE SK"), ""},
		{"a rule may be about some cases", []Rule{{From: "y", Cases: "secret/b", Permitted: verdicts("AC")}}, got("WA", "WA AC"), ""},
		{"a rule may be about the wrong cases", []Rule{
			{From: "y", Cases: "secret/{a,c}", Permitted: verdicts("AC")},
		}, got("WA", "WA AC"), "it gets WA on secret/a/1, but y permits AC"},
		{"a message must stand somewhere", []Rule{{From: "y", Message: "line 7"}}, got("WA", "WA"),
			`no message contains "line 7", which y expects`},
		{"a message may stand anywhere", []Rule{{From: "y", Message: "secret/b"}}, got("WA", "WA WA"), ""},
		{"a score must be in its range", []Rule{
			{From: "y", Score: &Range{1, 20}},
		}, scored(21, 100, "WA"), "its score is 21, but y expects 1 to 20"},
		{"a score of decimals may be off by rounding", []Rule{
			{From: "y", Score: &Range{88.37, 88.37}},
		}, scored(88.37000000000001, 100, "AC"), ""},
		{"a score may be that of a group", []Rule{{From: "y", Cases: "secret/a", Score: &Range{30, 30}}}, scored(1, 100, "WA"), ""},
		{
			"a part of the points is less than all", old("partially_accepted"), scored(100, 100, "AC"),
			"it gets all 100 points, but partially_accepted expects a part of them",
		},
		{"a part of the points is some", old("partially_accepted"), scored(40, 100, "AC"), ""},
		{"a part of the points may come with a case that fails", old("partially_accepted"), scored(40, 100, "WA"), ""},
		{
			"no points are no part of them", old("partially_accepted"), scored(0, 100, "WA"),
			"it gets WA, but partially_accepted expects a part of the points",
		},
	} {
		s := &Submission{Name: "x/y.py", Rules: row.rules}
		ok, why := s.Holds(row.got)
		if why != row.why || ok != (row.why == "") {
			t.Errorf("it %s: Holds = %v, %q, want %q", row.it, ok, why, row.why)
		}
	}
}

func TestCovers(t *testing.T) {
	for _, row := range []struct {
		glob, name string
		want       bool
	}{
		{"accepted", "accepted/a.py", true},
		{"accepted/*", "accepted/a.py", true},
		{"accepted/*.py", "accepted/dir/a.py", false},
		{"*/a.{py,cpp}", "wrong_answer/a.cpp", true},
		{"*", "accepted/a.py", true},
		{"secret/*-hard", "secret/01-hard", true},
		{"secret/*-hard", "secret/01-hardest", false},
		{"secret/a", "secret/ab/1", false},
		{"secret/[ab]", "secret/a", false}, // character classes are not supported
		{"a.py", "axpy", false},
		{"{a,{b,c}}/x", "c/x", true},
		{"secret/*{ 4, 5 }{ 2 }", "secret/42", true},
		{"{a", "a", true},
	} {
		if got := Covers(row.glob, row.name); got != row.want {
			t.Errorf("Covers(%q, %q) = %v, want %v", row.glob, row.name, got, row.want)
		}
	}
}

// TestOpen checks that Open returns true if an accepted submission could get its expected result from further
// cases.
func TestOpen(t *testing.T) {
	for _, row := range []struct {
		it   string
		rule Rule
		got  *Result
		want bool
	}{
		{"a wrong answer may still come", Rule{Final: verdicts("WA")}, got("AC", "AC AC"), true},
		{"a required one too", Rule{Permitted: verdicts("AC TLE"), Required: verdicts("TLE")}, got("AC", "AC"), true},
		{"a message too", Rule{Message: "off by one"}, got("AC", "AC"), true},
		{"a score too", Rule{Final: verdicts("AC"), Score: &Range{30, 30}}, got("AC", "AC"), true},
		{"another failure came", Rule{Final: verdicts("WA")}, got("RTE", "RTE"), false},
		{"no case may be accepted", Rule{Permitted: verdicts("WA")}, got("AC", "AC"), false},
		{"what compiles compiles", Rule{Final: verdicts("CE")}, got("AC", "AC"), false},
	} {
		if s := (&Submission{Rules: []Rule{row.rule}}); s.Open(row.got) != row.want {
			t.Errorf("%s: Open(%+v) of %+v = %v, want %v", row.it, row.got, row.rule, !row.want, row.want)
		}
	}
}

func TestPromised(t *testing.T) {
	for _, row := range []struct {
		it    string
		rules []Rule
		one   judge.Verdict
		words string
	}{
		{"nothing is known", nil, "", ""},
		{"the whole is accepted", []Rule{{Final: verdicts("AC")}}, "AC", "AC"},
		{"every case is accepted", []Rule{{Permitted: verdicts("AC")}}, "AC", "AC"},
		{"a part of the points is no verdict", []Rule{{Final: verdicts("AC"), Partial: true}}, "", "AC"},
		{"some case fails, and all others are accepted", []Rule{{Permitted: verdicts("AC WA"), Required: verdicts("WA")}}, "WA", "WA"},
		{"some case fails, and others may fail in another way", []Rule{{Permitted: verdicts("AC WA TLE"), Required: verdicts("TLE")}}, "", "TLE"},
		{"it may be accepted", []Rule{{Permitted: verdicts("AC WA")}}, "", "AC or WA"},
		{"several will do", []Rule{{Final: verdicts("WA TLE")}}, "", "WA or TLE"},
		{"any will do", []Rule{{Permitted: verdicts("AC WA TLE RTE")}}, "", ""},
		{"two rules agree", []Rule{{Final: verdicts("AC")}, {Permitted: verdicts("AC")}}, "AC", "AC"},
		{"two rules do not", []Rule{{Final: verdicts("AC")}, {Final: verdicts("WA")}, {Final: verdicts("WA")}}, "", "AC or WA"},
		{"some cases, a score and a message say nothing of the whole", []Rule{{Final: verdicts("WA")}, {
			Cases: "secret/a", Permitted: verdicts("AC"),
		}, {Score: &Range{1, 2}, Message: "x"}}, "WA", "WA"},
	} {
		if one, words := (&Submission{Rules: row.rules}).Promised(); one != row.one || words != row.words {
			t.Errorf("%s: Promised() = %q, %q, want %q, %q", row.it, one, words, row.one, row.words)
		}
	}
}
