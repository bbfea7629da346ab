//go:build unix

package queue_test

import (
	"syscall"
	"testing"
	"time"

	"assay/judge/host/job"
	"assay/judge/host/queue"
)

func TestAWorkerThatFreezesLosesItsJob(t *testing.T) {
	slow(t)
	taken := make(chan string, 2)
	s := open(t, queue.Listener{Taken: func(w string, _ job.Running) { taken <- w }})
	a := s.worker("a", 15*time.Second)
	s.publish(spec("j"))
	<-taken
	if err := a.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	froze := time.Now()
	l := take(t, s.join("b"))
	t.Logf("redelivered after %v", time.Since(froze))
	if l.Deliveries != 2 {
		t.Errorf("delivery %d", l.Deliveries)
	}
	// Worker a continues and finishes. It must not acknowledge the job that another worker now holds.
	if err := a.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	a.says(t, "finished j true")
	waitUntil(t, "the late result", func() bool { return len(s.of("j")) == 1 })
	if alive, err := s.HasJob(t.Context(), 0, "main", "j"); !alive || err != nil {
		t.Errorf("the late worker acknowledged the job: alive %v, %v", alive, err)
	}
	if err := l.Finish(t.Context(), accepted()); err != nil {
		t.Fatal(err)
	}
	if alive, err := s.HasJob(t.Context(), 0, "main", "j"); alive || err != nil {
		t.Errorf("the holder finished: alive %v, %v", alive, err)
	}
}
