package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/job"
	"assay/judge/host/server"
	"assay/judge/host/store"
)

// TestAServerIsKilled kills a server once. It always runs, because it takes only a few seconds.
func TestAServerIsKilled(t *testing.T) {
	killServers(t, newHarness(t, nil), 1, 20)
}

// TestAServerIsKilledEightTimes kills a server at random moments, while accounts submit.
func TestAServerIsKilledEightTimes(t *testing.T) {
	slow(t)
	killServers(t, newHarness(t, nil), 8, 300)
}

func killServers(t *testing.T, h *harness, kills, submissions int) {
	h.serve()
	for _, name := range []string{"w1", "w2"} {
		h.work(h.hire(name, 2, 20*time.Millisecond))
	}
	all := h.submitAll(submissions)
	for range kills {
		time.Sleep(200*time.Millisecond + rand.N(time.Second))
		h.serving.kill()
		time.Sleep(rand.N(200 * time.Millisecond))
		h.serve()
	}
	all.Wait()
	h.audit()
}

// TestAServerDiesAtEachStep kills a server five times at each step, with five submissions in progress.
func TestAServerDiesAtEachStep(t *testing.T) {
	slow(t)
	for _, step := range []string{"received", "kept", "published", "dispatched", "answered", "recorded", "again"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t, nil)
			h.serve()
			w := h.hire("w", 5, 20*time.Millisecond)
			worker := h.work(w)
			h.wait("the worker is known", func() bool { return h.count("SELECT count(*) FROM worker") == 1 })
			var all sync.WaitGroup
			submit := func() { all.Go(func() { h.submit(h.client(h.tokens[0], time.Minute), "a") }) }
			if step == "again" { // five jobs are dispatched, but no worker or queue has them
				worker.kill()
				slow := w
				slow.Delay = time.Hour
				worker = h.work(slow)
				for range 5 {
					submit()
				}
				h.wait("five jobs are out", func() bool { return h.count("SELECT count(*) FROM job WHERE state = 'dispatched'") == 5 })
				worker.kill()
				time.Sleep(5 * time.Second) // dispatched jobs are assumed to be delivered for this long
				h.serving.kill()
				must(t, os.RemoveAll(filepath.Join(h.part.Data, "queue")))
			} else {
				h.serving.kill()
			}
			h.part.DieAt = step
			for range 5 {
				if step != "again" {
					submit()
				}
				h.serve().waitEnd(t)
			}
			h.part.DieAt = ""
			h.serve()
			if step == "again" {
				h.work(w)
			}
			all.Wait()
			h.audit()
		})
	}
}

// TestAWorkerDiesAtEachStep kills a worker at each step of a job. It uses five jobs per step, and kills the worker
// when a job is first delivered.
func TestAWorkerDiesAtEachStep(t *testing.T) {
	slow(t)
	for _, step := range []string{"taken", "judged", "offered"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t, nil)
			h.serve()
			w := h.hire("w", 1, 20*time.Millisecond)
			w.DieAt = step
			stop := h.keepWorking(w)
			h.submitAll(5).Wait()
			h.audit()
			stop()
		})
	}
}

// TestWorkersAreKilledAndFrozen uses three workers. One is killed repeatedly, one is frozen until after its leases
// expire, and one works normally.
func TestWorkersAreKilledAndFrozen(t *testing.T) {
	slow(t)
	h := newHarness(t, nil)
	h.serve()
	h.work(h.hire("good", 1, 300*time.Millisecond))
	frozen := h.work(h.hire("frozen", 2, 300*time.Millisecond))
	killed := h.hire("killed", 2, 300*time.Millisecond)
	dies := h.work(killed)
	all := h.submitAll(60)
	time.Sleep(2 * time.Second)
	must(t, frozen.Process.Signal(syscall.SIGSTOP))
	thawed := make(chan error)
	go func() {
		time.Sleep(25 * time.Second)
		thawed <- frozen.Process.Signal(syscall.SIGCONT)
	}()
	for range 3 {
		dies.kill()
		dies = h.work(killed)
		time.Sleep(2*time.Second + rand.N(2*time.Second))
	}
	all.Wait()
	must(t, <-thawed)
	h.audit()
}

// TestTheQueueIsDeleted deletes the queue while the server is down. At that time, 200 jobs are waiting and 4 are
// dispatched. All of them must be judged.
func TestTheQueueIsDeleted(t *testing.T) {
	slow(t)
	h := newHarness(t, nil)
	h.serve()
	w := h.hire("w", 4, time.Hour)
	worker := h.work(w)
	h.submitAll(204).Wait()
	h.wait("four are being judged", func() bool { return h.count("SELECT count(*) FROM job WHERE state = 'dispatched'") >= 4 })
	worker.kill()
	h.serving.kill()
	must(t, os.RemoveAll(filepath.Join(h.part.Data, "queue")))
	h.serve()
	w.Delay = 20 * time.Millisecond
	h.work(w)
	h.audit()
}

// TestAcknowledgementsAreLost loses or delays acknowledgements on their way from the worker to the server.
func TestAcknowledgementsAreLost(t *testing.T) {
	slow(t)
	h := newHarness(t, nil)
	h.serve()
	w := h.hire("w", 4, 20*time.Millisecond)
	w.Bridge = "http://" + lossy(t, h.part.Listen)
	h.work(w)
	h.submitAll(100).Wait()
	h.audit()
}

// TestPoison checks that a job that kills every worker process is given up, and that other jobs are judged.
func TestPoison(t *testing.T) {
	slow(t)
	h := newHarness(t, nil)
	h.serve()
	for _, name := range []string{"w1", "w2", "w3"} {
		h.keepWorking(h.hire(name, 1, 20*time.Millisecond))
	}
	all := h.submitAll(10)
	bad := h.submit(h.client(h.tokens[0], time.Minute), poison)
	all.Wait()
	h.submitAll(9).Wait()
	h.answered[bad] = judge.JudgeError
	h.audit()
}

// TestFlood checks that background jobs and an owner with many jobs do not delay other owners.
func TestFlood(t *testing.T) {
	slow(t)
	h := newHarness(t, nil)
	const many, some = 1000, 50
	var single string
	h.inStore(func(s *store.Store) {
		p, err := s.Problem(t.Context(), problem)
		must(t, err)
		add := func(login string, priority job.Priority, n int) (id string) {
			a, err := s.AccountByLogin(t.Context(), login)
			must(t, err)
			for range n {
				work := job.Work{Kind: job.Submission, Bundle: p.Bundle, Config: p.Config, Problem: problem, Program: "a.py",
					Files: []job.File{{Path: "a.py", Digest: p.Bundle}}}
				kept, err := s.Submit(t.Context(), store.NewSubmission{Account: a.ID, Problem: problem, Work: work, Priority: priority,
					Class: server.Class, Cost: time.Second})
				must(t, err)
				h.answered[kept.ID] = verdictOf(string(p.Bundle))
				id = kept.Job
			}
			return id
		}
		add("team0", job.BackgroundPriority, many)
		add("team1", job.PracticePriority, some)
		single = add("team2", job.PracticePriority, 1)
	})
	h.serve()
	h.work(h.hire("w", 2, 10*time.Millisecond))
	h.audit()
	// The server keeps two more jobs ready than there are slots. So four jobs were already dispatched when the
	// single job was submitted.
	const ready = 4
	if before := h.count("SELECT count(*) FROM job WHERE lane = 1 AND done_at < (SELECT done_at FROM job WHERE id = $1)",
		single); before > ready+2 {
		t.Errorf("%d jobs of another owner went before the only one of its own", before)
	}
	last := h.count("SELECT count(*) FROM job WHERE lane = 2 AND done_at < (SELECT max(done_at) FROM job WHERE lane = 1)")
	// Every fifteenth job is a background job. There may be more background jobs if no other job was enqueued in
	// time. The tests of package queue check the exact order.
	if most := (some+1)/3 + ready + 2; last > most {
		t.Errorf("%d jobs of the background went before the last in front of them, want at most %d", last, most)
	}
}

// TestCancel cancels submissions at random moments. A cancelled submission must have no verdict, and all others
// must have one.
func TestCancel(t *testing.T) {
	slow(t)
	h := newHarness(t, nil)
	h.serve()
	h.work(h.hire("w", 2, 50*time.Millisecond))
	var all sync.WaitGroup
	var cancelled sync.Map
	for _, token := range h.tokens {
		c := h.client(token, time.Minute)
		for range 33 {
			all.Go(func() {
				time.Sleep(rand.N(2 * time.Second))
				id := h.submit(c, "a")
				time.Sleep(rand.N(2 * time.Second))
				err := c.CancelSubmission(t.Context(), id)
				if err == nil {
					cancelled.Store(id, true)
				} else if refused, is := err.(*client.Error); !is || refused.Status != http.StatusConflict {
					t.Errorf("cancel: %v", err)
				}
			})
		}
	}
	all.Wait()
	n := 0
	cancelled.Range(func(id, _ any) bool {
		n++
		h.answered[id.(string)] = ""
		return true
	})
	t.Logf("%d of %d were cancelled in time", n, len(h.answered))
	h.audit()
}

// TestTwoVersions checks that a worker of another version can work, and that a worker with another protocol is
// asked to upgrade.
func TestTwoVersions(t *testing.T) {
	slow(t)
	h := newHarness(t, nil)
	h.serve()
	for name, protocol := range map[string]int{"old": job.Protocol - 1, "new": job.Protocol + 1} {
		w := h.hire(name, 1, 0)
		w.Protocol = protocol
		h.work(w).waitEnd(t)
		said, err := os.ReadFile(filepath.Join(h.dir, name+".log"))
		must(t, err)
		if !strings.Contains(string(said), "upgrade") {
			t.Errorf("a worker that speaks version %d is told: %s", protocol, said)
		}
	}
	other := h.hire("other", 2, 20*time.Millisecond)
	other.Version = "another"
	h.work(other)
	h.submitAll(20).Wait()
	h.audit()
}

// TestTheDiskIsFull checks that a server with a full disk rejects submissions and stores nothing partly. Once
// there is space, it must continue.
func TestTheDiskIsFull(t *testing.T) {
	slow(t)
	disk := t.TempDir()
	if err := syscall.Mount("none", disk, "tmpfs", 0, "size=2g"); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { must(t, syscall.Unmount(disk, syscall.MNT_DETACH)) })
	resize := func(size string) { must(t, syscall.Mount("none", disk, "tmpfs", syscall.MS_REMOUNT, "size="+size)) }
	h := newHarness(t, func(p *serverPart) { p.Data = filepath.Join(disk, "data") })
	h.serve()
	h.work(h.hire("w", 2, 20*time.Millisecond))
	h.submitAll(30).Wait()
	resize("200m")
	c, before := h.client(h.tokens[0], -1), h.count("SELECT count(*) FROM submission")
	file := filepath.Join(h.dir, "full.py")
	must(t, os.WriteFile(file, []byte("# no room"), 0o600))
	if _, err := c.Submit(t.Context(), problem, client.Program{Path: file, Name: "full.py"}); err == nil ||
		!strings.Contains(err.Error(), "the server's disk") {
		t.Errorf("with a full disk a submission is answered: %v", err)
	}
	if n := h.count("SELECT count(*) FROM submission"); n != before {
		t.Errorf("%d submissions were kept while there was no room", n-before)
	}
	resize("2g")
	more := h.submitAll(30)
	time.Sleep(100 * time.Millisecond)
	var used syscall.Statfs_t // now fill the disk completely while jobs are judged
	must(t, syscall.Statfs(disk, &used))
	resize(fmt.Sprint((used.Blocks-used.Bfree)*uint64(used.Bsize) + 64<<10))
	time.Sleep(3 * time.Second)
	resize("2g")
	more.Wait()
	h.serving.kill() // the queue may have stopped permanently
	h.serve()
	h.audit()
}
