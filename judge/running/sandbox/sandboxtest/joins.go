//go:build linux

package sandboxtest

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/running/sandbox"
)

func (su *suite) join(t *testing.T, all ...sandbox.Joined) []sandbox.Ended {
	t.Helper()
	ended, err := su.s.Join(t.Context(), all)
	if err != nil {
		t.Fatalf("Join() = %+v, %v", ended, err)
	}
	return ended
}

func (su *suite) joined(to int, argv ...string) sandbox.Joined {
	return sandbox.Joined{Command: su.command(generousLimits, argv...), OutputTo: to}
}

// turns checks which of two processes that talk to each other is charged for waiting.
func (su *suite) turns(t *testing.T) {
	first, second := []judge.Resource{judge.WallTime, ""}, []judge.Resource{"", judge.WallTime}
	for _, test := range []struct {
		name   string
		a, b   []string
		wa, wb time.Duration
		killed []judge.Resource
		soon   bool // whether it ends before its wall time limit
	}{
		{
			"what only the other computes is its own", []string{"ask", "4"}, []string{"answer", "500ms"},
			time.Second, time.Minute, []judge.Resource{"", ""}, false,
		},
		{
			"a process that has been asked and sleeps pays", []string{"ask", "1"}, []string{"write-then-sleep"},
			time.Minute, 300 * time.Millisecond, second, false,
		},
		{"who sleeps pays, as the first one, too", []string{"sleep", "1h"}, []string{"cat"}, 300 * time.Millisecond, time.Minute, first, false},
		{"the first one pays where both wait", []string{"cat"}, []string{"cat"}, 300 * time.Millisecond, time.Minute, first, false},
		{"it pays soon where neither can go on", []string{"listen"}, []string{"cat"}, 3 * time.Minute, 3 * time.Minute, first, true},
		{"it has its time where a thread may wake up", []string{"cat"}, []string{"cat"}, 2 * time.Second, time.Minute, first, false},
		{
			"it has its time if it sleeps and no process waits for it", []string{"pause"}, []string{"cat"},
			2 * time.Second, time.Minute, first, false,
		},
		{"who does not read pays", []string{"sleep", "1h"}, []string{"pester"}, 300 * time.Millisecond, time.Minute, first, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, tiny := tinyPrograms[test.a[0]]; !tiny {
				test.a = append([]string{hostileName}, test.a...)
			}
			a, b := su.joined(1, test.a...), su.joined(0, append([]string{hostileName}, test.b...)...)
			a.Copy, b.Copy, a.KeepPipesOpen, b.KeepPipesOpen = io.Discard, io.Discard, true, true
			a.Limits.Wall, b.Limits.Wall, b.Limits.Output = test.wa, test.wb, 0
			over := func(x judge.Exec) bool { return x.Killed != "" }
			a.OnExit, b.OnExit = over, over
			ended := su.join(t, a, b)
			for i, want := range test.killed {
				if ended[i].Killed != want {
					t.Errorf("process %d: %+v, want it killed for %q", i, ended[i], want)
				}
			}
			if ended[0].Deadlocked != ended[0].Asleep || test.soon && !ended[0].Deadlocked {
				t.Errorf("stuck: %v, asleep: %v", ended[0].Deadlocked, ended[0].Asleep)
			}
			if test.killed[0] != "" && ended[0].Wall < test.wa != test.soon {
				t.Errorf("it was killed after %v of %v: %+v", ended[0].Wall, test.wa, ended[0])
			}
		})
	}
}

// joins checks programs that are connected by pipes.
func (su *suite) joins(t *testing.T) {
	if su.can&Isolates == 0 {
		t.Logf("not measured exactly at the level %s: which process ended first", su.s.Level())
		return
	}
	join, program := su.join, su.joined
	t.Run("two talk to each other, and what they say is copied", func(t *testing.T) {
		var asked, answered bytes.Buffer
		asker, echo := program(1, hostileName, "ask", "1000"), program(0, hostileName, "cat")
		asker.Copy, echo.Copy = &asked, &answered
		for i, e := range join(t, asker, echo) {
			if e.Exit != 0 || e.Signal != "" || e.Err != nil {
				t.Errorf("process %d: %+v", i, e)
			}
		}
		if asked.String() != answered.String() || strings.Count(asked.String(), "\n") != 1000 {
			t.Errorf("asked %d bytes, answered %d", asked.Len(), answered.Len())
		}
	})
	t.Run("it reports which process ends first", func(t *testing.T) {
		ended := join(t, program(1, hostileName, "exit", "0"), program(0, hostileName, "pester"))
		if ended[0].ExitOrder != 1 || ended[1].ExitOrder != 2 || ended[1].Signal != "SIGPIPE" && ended[1].Exit == 0 {
			t.Errorf("one left at once, the other wrote on: %+v", ended)
		}
	})
	t.Run("a full pipe is not a fault, and waiting is not CPU time", func(t *testing.T) {
		slow, fast := program(1, hostileName, "sleep-then-read", "100ms"), program(0, hostileName, "pester")
		ended := join(t, slow, fast)
		if ended[0].Exit != 0 || ended[0].CPU >= ended[0].Wall || ended[1].ExitOrder != 2 {
			t.Errorf("%+v", ended)
		}
	})
	t.Run("each has its own limits", func(t *testing.T) {
		spinner, listener := program(1, "spin"), program(0, hostileName, "cat")
		spinner.Limits.CPU = 100 * time.Millisecond
		ended := join(t, spinner, listener)
		if ended[0].Killed != judge.CPUTime || ended[0].ExitOrder != 1 || ended[1].Killed != "" || ended[1].Exit != 0 {
			t.Errorf("%+v", ended)
		}
	})
	t.Run("both may hold a pipe without end", func(t *testing.T) {
		deaf, deaf2 := program(1, hostileName, "pester"), program(0, hostileName, "pester")
		deaf.Limits.Wall, deaf2.Limits.Wall = 300*time.Millisecond, time.Minute
		ended := join(t, deaf, deaf2)
		if ended[0].Killed != judge.WallTime || ended[0].ExitOrder != 1 || ended[1].Killed != "" {
			t.Errorf("two that only write: %+v", ended)
		}
	})
	t.Run("only the command that cannot be executed gets the error", func(t *testing.T) {
		ended := join(t, program(1, "absent"), program(0, hostileName, "cat"))
		if ended[0].Err == nil || ended[1].Err != nil || ended[1].Exit != 0 {
			t.Errorf("%+v", ended)
		}
	})
	t.Run("one that is held does not feel its reader's end, and what it writes is counted", func(t *testing.T) {
		leaver, writer := program(1, hostileName, "exit", "0"), program(0, hostileName, "pester")
		writer.KeepPipesOpen, writer.Copy, writer.Limits.Output = true, io.Discard, 4<<20
		ended := join(t, leaver, writer)
		if ended[1].Killed != judge.Output || ended[1].Output <= 4<<20 { // more than the pipes can hold
			t.Errorf("one left at once, the other wrote on: %+v", ended)
		}
	})
	t.Run("one that is held has ended before its reader can", func(t *testing.T) {
		leaver, reader := program(1, hostileName, "exit", "7"), program(0, hostileName, "cat")
		leaver.KeepPipesOpen, leaver.Copy = true, io.Discard
		for range 20 {
			if ended := join(t, leaver, reader); ended[0].ExitOrder != 1 || ended[0].Exit != 7 {
				t.Fatalf("%+v", ended)
			}
		}
	})
	t.Run("one may end them all", func(t *testing.T) {
		boss, other := program(1, hostileName, "exit", "3"), program(0, "spin")
		boss.OnExit = func(x judge.Exec) bool { return x.Exit == 3 }
		ended := join(t, boss, other)
		if ended[0].Exit != 3 || ended[0].Dismissed || !ended[1].Dismissed || ended[1].Err != nil || ended[1].ExitOrder != 2 {
			t.Errorf("%+v", ended)
		}
	})
}
