package sandbox

import (
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge"
)

func TestRank(t *testing.T) {
	for name, row := range map[string]struct {
		to      []int
		ends    []int64
		signals []string
		want    []int
	}{
		"it goes by the clock":                           {[]int{1, 0}, []int64{5, 3}, []string{"", ""}, []int{2, 1}},
		"it puts a reader before who died writing to it": {[]int{1, 0}, []int64{3, 5}, []string{"SIGPIPE", ""}, []int{2, 1}},
		"it leaves what is right already":                {[]int{1, 0}, []int64{5, 3}, []string{"SIGPIPE", ""}, []int{2, 1}},
		"it goes by the clock where both died writing":   {[]int{1, 0}, []int64{3, 5}, []string{"SIGPIPE", "SIGPIPE"}, []int{1, 2}},
		"it takes the first of two that ended at a time": {[]int{1, 0}, []int64{3, 3}, []string{"", ""}, []int{1, 2}},
		"it follows a ring of three":                     {[]int{1, 2, 0}, []int64{3, 9, 6}, []string{"SIGPIPE", "", ""}, []int{2, 1, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			n := len(row.to)
			all, jobs, ended := make([]Joined, n), make([]job, n), make([]Ended, n)
			for i := range n {
				all[i].OutputTo, jobs[i].end, ended[i].Exec = row.to[i], row.ends[i], judge.Exec{Signal: row.signals[i]}
			}
			setExitOrder(all, jobs, ended)
			var got []int
			for _, e := range ended {
				got = append(got, e.ExitOrder)
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("got %v, want %v", got, row.want)
			}
		})
	}
}

// TestRelayLingers checks how long after a process closes its output the relay closes the reader's input.
func TestRelayLingers(t *testing.T) {
	for name, row := range map[string]struct {
		held         bool
		ended, known time.Duration // time after the output was closed; zero means never
		want         time.Duration
	}{
		"it goes on":               {true, 0, 0, closeDelay},
		"it ends":                  {true, time.Second, time.Second, time.Second},
		"it ends later":            {true, time.Minute, time.Minute, closeDelay},
		"its end is seen late":     {true, time.Second, time.Minute, time.Minute},
		"it is not Held, and ends": {false, time.Second, time.Second, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				j := Joined{Command: &judge.Command{}, Copy: io.Discard, KeepPipesOpen: row.held}
				pipes, err := joinPipes([]Joined{j})
				if err != nil {
					t.Fatal(err)
				}
				pipes[0].close()
				r, begun := pipes[0].relay, time.Now()
				r.life.over = make(chan struct{})
				r.ended = func() bool { return row.ended > 0 && time.Since(begun) >= row.ended }
				if row.known > 0 {
					time.AfterFunc(row.known, func() { close(r.life.over) })
				}
				if r.run(&j); time.Since(begun) != row.want {
					t.Errorf("its reader saw its end after %v, want %v", time.Since(begun), row.want)
				}
			})
		})
	}
}
