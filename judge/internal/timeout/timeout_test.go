package timeout_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge"
	"assay/judge/internal/timeout"
)

// process is a fake process whose CPU wait depends only on its age.
type process struct {
	judge.Process
	start  time.Time
	waits  func(age time.Duration) time.Duration // CPU wait of a process of this age
	late   time.Duration                         // delay of each check
	looks  int
	killed time.Duration // age when killed; zero means never
}

func (p *process) CPUWait() time.Duration {
	p.looks++
	time.Sleep(p.late)
	return p.waits(time.Since(p.start))
}
func (p *process) Kill()                   { p.killed = time.Since(p.start) }
func (*process) Wait() (judge.Exec, error) { return judge.Exec{}, nil }
func (*process) Stdin() io.WriteCloser     { return nil }

// share returns the CPU wait of a process that waits for a CPU for a percentage of its age.
func share(percent int) func(time.Duration) time.Duration {
	return func(age time.Duration) time.Duration { return age * time.Duration(percent) / 100 }
}

func TestTimer(t *testing.T) {
	const limit = 30 * time.Second
	for name, tt := range map[string]struct {
		waits       func(age time.Duration) time.Duration
		late        time.Duration
		answer      time.Duration // age at which the process answers
		want        error
		from, until time.Duration // limits for the age at which it is killed
	}{
		"answers in time":                {share(0), 0, 29 * time.Second, nil, 0, 0},
		"sleeps or spins":                {share(0), 0, time.Hour, timeout.ErrExceeded, 30 * time.Second, 31 * time.Second},
		"waits half of the time":         {share(50), 0, time.Hour, timeout.ErrExceeded, 60 * time.Second, 61 * time.Second},
		"answers late because it waited": {share(90), 0, 4 * time.Minute, nil, 0, 0},
		"waits for ever": {
			share(100), 0, time.Hour, errBusy, limit + judge.MaxCPUWait,
			limit + judge.MaxCPUWait + time.Second,
		},
		"had waited before the timer started": {
			func(time.Duration) time.Duration { return time.Hour }, 0, time.Hour, timeout.ErrExceeded,
			30 * time.Second, 31 * time.Second,
		},
		"waits first, and sleeps then": {
			func(age time.Duration) time.Duration { return min(age, 100*time.Second) }, 0, time.Hour,
			timeout.ErrExceeded, 130 * time.Second, 131 * time.Second,
		},
		"is looked at late by a starved judge": {share(0), 950 * time.Millisecond, 4 * time.Minute, nil, 0, 0},
		"sleeps, and the judge is starved": {
			share(0), 950 * time.Millisecond, time.Hour, timeout.ErrExceeded, 5 * time.Minute, 6 * time.Minute,
		},
		"waits more than there was time to wait": {
			share(200), 0, time.Hour, errBusy, limit + judge.MaxCPUWait,
			limit + judge.MaxCPUWait + time.Second,
		},
	} {
		t.Run("a program that "+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &process{start: time.Now(), waits: tt.waits, late: tt.late}
				timer := timeout.Start(p, limit)
				time.Sleep(tt.answer)
				err := timer.Stop()
				if busy, ok := errors.AsType[*judge.BusyError](err); ok && tt.want == errBusy {
					if !strings.Contains(
						busy.Error(),
						"the machine is too busy: in 10m30s it left a program 30s of its limit of 30s unused\n    repeat the command",
					) {
						t.Errorf("the error is %q", busy.Error())
					}
				} else if err != tt.want {
					t.Errorf("Stop() = %v, want %v", err, tt.want)
				}
				if (tt.until == 0) != (p.killed == 0) || p.killed < tt.from || p.killed > tt.until {
					t.Errorf("it was killed after %v, want from %v to %v", p.killed, tt.from, tt.until)
				}
			})
		})
	}
}

var errBusy = errors.New("busy")

// TestQuickAnswersCostNothing checks that a process that answers immediately is not checked, and that a stopped
// timer causes no checks.
func TestQuickAnswersCostNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &process{start: time.Now(), waits: share(0)}
		timer := timeout.Start(p, time.Second)
		time.Sleep(40 * time.Millisecond)
		if err := timer.Stop(); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Hour)
		if p.looks != 0 || p.killed != 0 {
			t.Errorf("it was looked at %d times, and killed after %v", p.looks, p.killed)
		}
	})
}

// TestShortLimit checks that a limit shorter than the interval between two checks is enforced.
func TestShortLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &process{start: time.Now(), waits: share(0)}
		timer := timeout.Start(p, 5*time.Millisecond)
		time.Sleep(time.Minute)
		if err := timer.Stop(); err != timeout.ErrExceeded || p.killed > 20*time.Millisecond {
			t.Errorf("Stop() = %v, killed after %v", err, p.killed)
		}
	})
}
