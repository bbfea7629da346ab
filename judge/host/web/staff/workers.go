package staff

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// workersView is the page of the workers and the queue.
type workersView struct {
	Workers    []workerLine
	Queues     []queueLine
	SlowReason string         // why judging is slow; empty if it is not
	Servers    []store.Server // set if there are several
	Now        time.Time
	Backups    web.Backups
	Late       bool // the last backup is too old
	SeesAudit  bool // the reader may see the audit log
}

// Connected returns the number of connected workers.
func (v workersView) Connected() (n int) {
	for _, worker := range v.Workers {
		if worker.Online {
			n++
		}
	}
	return n
}

type workerLine struct {
	Name, Class, State, Note, Machine string
	Online                            bool
	Running, Slots                    int
}

type queueLine struct {
	Priority, Class, State string
	Jobs                   int
	Oldest                 time.Duration
}

// workerLines returns the workers that are not revoked.
func (s *site) workerLines(r *web.Request) (lines []workerLine, err error) {
	workers, err := s.Store.Workers(r.Context())
	for _, worker := range workers {
		if worker.State == store.WorkerRevoked {
			continue
		}
		now := s.Dispatch.WorkerStatus(worker.Name)
		lines = append(lines, workerLine{
			Name: worker.Name, Class: worker.Class, State: string(worker.State), Note: cmp.Or(worker.Note, now.Note),
			Machine: worker.Capabilities.Machine, Online: now.Connected,
			Running: now.Running, Slots: worker.Capabilities.Slots,
		})
	}
	return lines, err
}

func (s *site) workers(w http.ResponseWriter, r *web.Request) (err error) {
	v := workersView{Now: s.Time(), SeesAudit: r.Can(auth.SeeAudit)}
	if v.Workers, err = s.workerLines(r); err != nil {
		return err
	}
	servers, err := s.Store.Servers(r.Context())
	if err != nil {
		return err
	}
	if len(servers) > 1 {
		v.Servers = servers
	}
	queues, err := s.Dispatch.QueueCounts(r.Context())
	if err != nil {
		return err
	}
	online, waiting := 0, 0
	for _, worker := range v.Workers {
		if worker.Online && worker.State == string(store.WorkerActive) {
			online++
		}
	}
	for _, q := range queues {
		state := "waiting"
		if q.State == store.JobDispatched {
			state = "running"
		} else {
			waiting += q.Jobs
		}
		v.Queues = append(v.Queues, queueLine{job.Priority(q.Priority).String(), q.Class, state, q.Jobs, s.Time().Sub(q.Oldest)})
	}
	if online == 0 {
		v.SlowReason = "No worker is connected. Submissions wait until one connects."
	} else if waiting > 0 && online < len(v.Workers) {
		v.SlowReason = fmt.Sprintf(
			"Only %d of %d workers take jobs, and %s.", online, len(v.Workers), web.CountText(waiting, "job is waiting", "jobs are waiting"),
		)
	}
	if s.Options.Backups != nil {
		v.Backups = s.Options.Backups()
		v.Late = v.Backups.Late(s.Time())
	}
	return s.RenderPage(w, r, http.StatusOK, "workers", "Workers", v)
}
