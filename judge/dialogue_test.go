package judge_test

import (
	"testing"
	"time"

	"assay/judge"
)

func TestSettle(t *testing.T) {
	limits := judge.Limits{CPU: time.Second, Output: 100}
	accepts := judge.Outcome{Verdict: judge.Accepted}
	refuses := judge.Outcome{Verdict: judge.WrongAnswer, Message: "too many questions"}
	breaks := judge.Outcome{Verdict: judge.JudgeError, Message: "exit code 1"}
	well, crash := judge.Exec{}, judge.Exec{Exit: 1}
	slow, idle := judge.Exec{Killed: judge.CPUTime, CPU: 2 * time.Second}, judge.Exec{Killed: judge.WallTime}
	flood := judge.Exec{Killed: judge.Output, Signal: "SIGKILL"}
	for _, test := range []struct {
		name       string
		program    judge.Exec
		interactor judge.Outcome
		first      bool // whether the interactor exited first
		want       judge.Verdict
	}{
		{"it is a judge error when the interactor breaks, whatever the program does", crash, breaks, false, judge.JudgeError},
		{"it is a judge error when the interactor breaks first", well, breaks, true, judge.JudgeError},
		{"it is wrong when the interactor refuses first and the program crashes on that", crash, refuses, true, judge.WrongAnswer},
		{
			"it is wrong when the interactor refuses first and the program dies writing",
			judge.Exec{Signal: "SIGPIPE"}, refuses, true, judge.WrongAnswer,
		},
		{"it is wrong when the interactor refuses first and the program then runs on too long", slow, refuses, true, judge.WrongAnswer},
		{"it is a run-time error when the program leaves first, badly", crash, refuses, false, judge.RunTimeError},
		{"it is a run-time error when the program leaves first, badly, and is accepted", crash, accepts, false, judge.RunTimeError},
		{"it is over time when the program is", slow, refuses, false, judge.TimeLimit},
		{"it is idle when both wait for each other", idle, refuses, false, judge.IdlenessLimit},
		{"it is a run-time error when the program crashes after it was accepted", crash, accepts, true, judge.RunTimeError},
		{"it is over time when the program runs on after it was accepted", slow, accepts, true, judge.TimeLimit},
		{"it is wrong when the program leaves well and the interactor refuses then", well, refuses, false, judge.WrongAnswer},
		{"it is the output limit when the program floods the interactor", flood, refuses, false, judge.OutputLimit},
		{"it is accepted when both end well, the interactor first", well, accepts, true, judge.Accepted},
		{"it is accepted when both end well, the program first", well, accepts, false, judge.Accepted},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := judge.ClassifyInteractive(test.program, limits, test.interactor, test.first); got.Verdict != test.want {
				t.Errorf("Settle(%+v, %v, first %v) = %s, want %s", test.program, test.interactor.Verdict, test.first, got.Verdict, test.want)
			}
		})
	}
}
