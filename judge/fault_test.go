package judge_test

import (
	"errors"
	"testing"
	"time"

	"assay/judge"
)

func TestFaultsSayWhere(t *testing.T) {
	for _, test := range []struct {
		fault judge.ProblemError
		want  string
	}{
		{judge.ProblemError{Text: "what"}, "what"},
		{judge.ProblemError{File: "p.toml", Text: "what"}, "p.toml: what"},
		{judge.ProblemError{File: "p.toml", Line: 1, Text: "what"}, "p.toml:1: what"},
		{judge.ProblemError{File: "p.toml", Line: 3, Column: 1, Text: "what"}, "p.toml:3:1: what"},
		{judge.ProblemError{File: "p.toml", Column: 4, Text: "what"}, "p.toml: what"},
		{judge.ProblemError{Text: "what", Hint: "do\nthis"}, "what\n    do\n    this"},
	} {
		if got := test.fault.Error(); got != test.want {
			t.Errorf("%#v: %q, want %q", test.fault, got, test.want)
		}
	}
}

func TestFaultsAreAnErrorWhereThereAreSome(t *testing.T) {
	if err := (judge.ProblemErrors{}).AsError(); err != nil {
		t.Errorf("no faults: %v", err)
	}
	two := judge.ProblemErrors{{File: "a", Text: "first"}, {File: "b", Text: "second"}}
	err := two.AsError()
	if got, ok := errors.AsType[judge.ProblemErrors](err); !ok || len(got) != 2 || err.Error() != "a: first\nb: second" {
		t.Errorf("two faults: %v", err)
	}
}

// TestJudgingLimits checks that each limit that a problem sets for its checkers overrides the default. The wall
// time must leave room for the CPU time.
func TestJudgingLimits(t *testing.T) {
	usual := judge.Limits{CPU: 10 * time.Second, Wall: 30 * time.Second, Memory: 1 << 30, Output: 1 << 20, Processes: 5}
	for _, test := range []struct {
		own    judge.Limits
		change func(l *judge.Limits)
	}{
		{judge.Limits{}, func(*judge.Limits) {}},
		{judge.Limits{CPU: 1}, func(l *judge.Limits) { l.CPU = 1 }},
		{judge.Limits{CPU: 20 * time.Second}, func(l *judge.Limits) { l.CPU, l.Wall = 20*time.Second, 40*time.Second }},
		{judge.Limits{CPU: 20 * time.Second, Wall: 25 * time.Second}, func(l *judge.Limits) { l.CPU, l.Wall = 20*time.Second, 25*time.Second }},
		{judge.Limits{Wall: 1}, func(l *judge.Limits) { l.Wall = 1 }},
		{judge.Limits{Memory: 1}, func(l *judge.Limits) { l.Memory = 1 }},
		{judge.Limits{Output: 1}, func(l *judge.Limits) { l.Output = 1 }},
	} {
		want := usual
		test.change(&want)
		if got := (&judge.Problem{Validation: test.own}).JudgingLimits(usual); got != want {
			t.Errorf("with %+v:\n got %+v\nwant %+v", test.own, got, want)
		}
	}
	if judge.DefaultPasses != 2 {
		t.Errorf("a problem that does not say has %d passes, want 2, as the package format says", judge.DefaultPasses)
	}
}

func TestWhatAProblemHas(t *testing.T) {
	p := twoGroups()
	for id, want := range map[string]bool{"a/a0": true, "b/b4": true, "a/b0": false, "b4": false, "": false} {
		if got := p.HasCase(id); got != want {
			t.Errorf("Has(%q) = %v", id, got)
		}
	}
	for _, test := range []struct {
		kind      judge.Kind
		reference *judge.SetterProgram
		want      bool
	}{
		{judge.Kind{}, nil, false},
		{judge.Kind{Interactive: true}, nil, true},
		{judge.Kind{MultiPass: true}, nil, true},
		{judge.Kind{Interactive: true}, &judge.SetterProgram{}, false},
		{judge.Kind{MultiPass: true}, &judge.SetterProgram{}, false},
		{judge.Kind{OutputOnly: true}, nil, false},
	} {
		p := &judge.Problem{Kind: test.kind, Reference: test.reference}
		if got := p.LacksAnswers(); got != test.want {
			t.Errorf("%+v, reference %v: %v, want %v", test.kind, test.reference, got, test.want)
		}
	}
	for _, kind := range []judge.Kind{{}, {OutputOnly: true}} {
		p := &judge.Problem{Kind: kind, Checker: judge.CheckerSpec{Program: &judge.SetterProgram{}}}
		if got := p.LacksAnswers(); got != kind.OutputOnly {
			t.Errorf("%+v, a checker of its own: %v", kind, got)
		}
	}
}
