//go:build unix

package queue_test

import (
	"syscall"
	"testing"
	"time"

	"assay/judge/host/queue"
)

func TestAWorkerThatFreezesLosesItsJob(t *testing.T) {
	slow(t)
	s := open(t, queue.Listener{})
	a := s.worker("a", 6*time.Second)
	s.publish(spec("j"))
	a.says(t, "took j")
	time.Sleep(time.Second)
	if err := a.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	froze := time.Now()
	l := take(t, s.join("b"))
	took := time.Since(froze)
	t.Logf("redelivered after %v", took)
	if took > 21*time.Second || l.Deliveries != 2 {
		t.Errorf("delivery %d after %v; want within 21 s", l.Deliveries, took)
	}
	// It comes back, finishes, and must not acknowledge the job that another one holds.
	if err := a.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	a.says(t, "finished j true")
	within(t, 5*time.Second, "the late result", func() bool { return len(s.of("j")) == 1 })
	if alive, err := s.Alive(t.Context(), 0, "main", "j"); !alive || err != nil {
		t.Errorf("the late worker acknowledged the job: alive %v, %v", alive, err)
	}
	if err := l.Finish(t.Context(), accepted()); err != nil {
		t.Fatal(err)
	}
	if alive, err := s.Alive(t.Context(), 0, "main", "j"); alive || err != nil {
		t.Errorf("the holder finished: alive %v, %v", alive, err)
	}
}
