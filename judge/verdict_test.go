package judge_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"assay/judge"
)

func TestClassify(t *testing.T) {
	limits := judge.Limits{CPU: time.Second, Wall: 3 * time.Second, Memory: 1 << 20, Output: 100}
	tests := []struct {
		name string
		exec judge.Exec
		want judge.Verdict
	}{
		{"a clean end leaves it to the checker", judge.Exec{CPU: time.Millisecond}, judge.NotJudged},
		{"exactly at the time limit is fine", judge.Exec{CPU: time.Second}, judge.NotJudged},
		{"a long time on the clock is not proof, the kill is", judge.Exec{Wall: 4 * time.Second}, judge.NotJudged},
		{"exactly at the output limit is fine", judge.Exec{Output: 100}, judge.NotJudged},
		{"a peak above the memory limit is not proof, the kill is", judge.Exec{Memory: 2 << 20}, judge.NotJudged},
		{"a microsecond over is too slow, also when it ended by itself", judge.Exec{CPU: time.Second + time.Microsecond}, judge.TimeLimit},
		{"waiting with time to spare is idleness", judge.Exec{
			Wall: 4 * time.Second, Killed: judge.WallTime, Signal: "SIGKILL",
		}, judge.IdlenessLimit},
		{"waiting with the time used up is slow", judge.Exec{
			CPU: 2 * time.Second, Wall: 4 * time.Second, Killed: judge.WallTime,
		}, judge.TimeLimit},
		{"a byte too much is a flood", judge.Exec{Output: 101}, judge.OutputLimit},
		{"an exit code is a run-time error", judge.Exec{Exit: 1}, judge.RunTimeError},
		{"a signal is a run-time error", judge.Exec{Signal: "SIGSEGV"}, judge.RunTimeError},
		{"out of processes shows as the program's own failure", judge.Exec{Exit: 1, Killed: judge.Processes}, judge.RunTimeError},
		{"big and slow is too big", judge.Exec{Killed: judge.Memory, CPU: 2 * time.Second, Signal: "SIGKILL"}, judge.MemoryLimit},
		{"big and flooding is too big", judge.Exec{Killed: judge.Memory, Output: 101}, judge.MemoryLimit},
		{"big and exit 0 is too big", judge.Exec{Killed: judge.Memory}, judge.MemoryLimit},
		{"flooding and slow is a flood", judge.Exec{Killed: judge.Output, CPU: 2 * time.Second, Signal: "SIGKILL"}, judge.OutputLimit},
		{"flooding and crashing is a flood", judge.Exec{Output: 101, Signal: "SIGXFSZ"}, judge.OutputLimit},
		{"slow and crashing is slow", judge.Exec{CPU: 2 * time.Second, Exit: 3}, judge.TimeLimit},
		{"slow and killed for it is slow", judge.Exec{CPU: 2 * time.Second, Killed: judge.CPUTime, Signal: "SIGKILL"}, judge.TimeLimit},
		{"idle and crashing is idle", judge.Exec{Killed: judge.WallTime, Exit: 1}, judge.IdlenessLimit},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := judge.Classify(test.exec, limits); got != test.want {
				t.Errorf("Classify(%+v) = %q, want %q", test.exec, got, test.want)
			}
		})
	}
	t.Run("the smallest limit is one", func(t *testing.T) {
		limits := judge.Limits{CPU: 1, Output: 1}
		for want, x := range map[judge.Verdict]judge.Exec{
			judge.TimeLimit: {CPU: 2}, judge.OutputLimit: {Output: 2}, judge.NotJudged: {CPU: 1, Output: 1},
		} {
			if got := judge.Classify(x, limits); got != want {
				t.Errorf("Classify(%+v) = %q, want %q", x, got, want)
			}
		}
	})
	t.Run("no limit is never passed", func(t *testing.T) {
		x := judge.Exec{CPU: time.Hour, Wall: time.Hour, Memory: 1 << 40, Output: 1 << 40}
		if got := judge.Classify(x, judge.Limits{}); got != judge.NotJudged {
			t.Errorf("Classify(%+v) without limits = %q, want not judged", x, got)
		}
	})
}

// TestWorst checks each pair of verdicts: Worst must follow the order of Verdicts, whatever the order of its
// arguments is.
func TestWorst(t *testing.T) {
	order := append([]judge.Verdict{judge.NotJudged}, judge.Verdicts()...)
	for i, better := range order {
		for _, worse := range order[i:] {
			if got := judge.Worst(better, worse); got != worse {
				t.Errorf("Worst(%q, %q) = %q, want %q", better, worse, got, worse)
			}
			if got := judge.Worst(worse, better); got != worse {
				t.Errorf("Worst(%q, %q) = %q, want %q", worse, better, got, worse)
			}
		}
	}
	if got := judge.Worst("no verdict"); got != judge.NotJudged {
		t.Errorf("Worst(no verdict) = %q, want not judged", got)
	}
	if got := judge.Worst(); got != judge.NotJudged {
		t.Errorf("Worst() = %q, want not judged", got)
	}
}

func TestVerdictsHaveWordsAndFolders(t *testing.T) {
	folders := map[string]judge.Verdict{}
	for _, v := range judge.Verdicts() {
		if v.Words() == "" || v.Words() == judge.NotJudged.Words() {
			t.Errorf("%q has no words", v)
		}
		if v.Dir() == "" {
			continue
		}
		folders[v.Dir()] = v
		if got, ok := judge.VerdictOfDir(v.Dir()); !ok || got != v {
			t.Errorf("VerdictOfDir(%q) = %q, %v, want %q", v.Dir(), got, ok, v)
		}
	}
	for v, want := range map[judge.Verdict][2]string{
		judge.NotJudged: {"not judged", ""}, judge.Accepted: {"accepted", "accepted"}, judge.WrongAnswer: {
			"wrong answer", "wrong_answer",
		}, judge.JudgeError: {"judge error", ""},
	} {
		if got := [2]string{v.Words(), v.Dir()}; got != want {
			t.Errorf("%q has the words and the directory %q, want %q", v, got, want)
		}
	}
	for _, unpromised := range []judge.Verdict{judge.Skipped, judge.JudgeError} {
		if slices.Contains(slices.Collect(maps.Values(folders)), unpromised) {
			t.Errorf("a directory promises %q", unpromised)
		}
	}
	if v, ok := judge.VerdictOfDir(""); ok {
		t.Errorf("VerdictOfDir of no name = %q", v)
	}
}

func TestFate(t *testing.T) {
	tests := []struct {
		exec judge.Exec
		want string
	}{
		{judge.Exec{}, "exit code 0"},
		{judge.Exec{Exit: 3}, "exit code 3"},
		{judge.Exec{Signal: "SIGSEGV"}, "signal SIGSEGV"},
		{judge.Exec{Signal: "SIGKILL", Killed: judge.CPUTime}, "killed at its time limit"},
		{judge.Exec{Signal: "SIGKILL", Killed: judge.WallTime}, "killed while it waited"},
		{judge.Exec{Signal: "SIGKILL", Killed: judge.Memory}, "killed at its memory limit"},
		{judge.Exec{Signal: "SIGKILL", Killed: judge.Output}, "killed at its output limit"},
		{judge.Exec{Exit: 1, Killed: judge.Processes}, "exit code 1, with too many processes"},
	}
	for _, test := range tests {
		if got := test.exec.Termination(); got != test.want {
			t.Errorf("%+v: %q, want %q", test.exec, got, test.want)
		}
	}
}
