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
	Workers []workerLine
	Queues  []queueLine
	Waits   string         // why judging is slow; empty if it is not
	Servers []store.Server // set if there are several
	Now     time.Time
	Backups web.Backups
	Late    bool // the last backup is too old
	Audit   bool // the reader may see the audit log
}

// Connected returns the number of connected workers.
func (v workersView) Connected() (n int) {
	for _, one := range v.Workers {
		if one.Here {
			n++
		}
	}
	return n
}

type workerLine struct {
	Name, Class, State, Note, Machine string
	Here                              bool
	Running, Slots                    int
}

type queueLine struct {
	Lane, Class, State string
	Jobs               int
	Oldest             time.Duration
}

// workerLines returns the workers that are not revoked.
func (s *site) workerLines(r *web.Request) (lines []workerLine, err error) {
	all, err := s.Store.Workers(r.Context())
	for _, one := range all {
		if one.State == store.Revoked {
			continue
		}
		now := s.Dispatch.Presence(one.Name)
		lines = append(lines, workerLine{
			Name: one.Name, Class: one.Class, State: string(one.State), Note: cmp.Or(one.Note, now.Note), Machine: one.Offer.Machine, Here: now.Connected,
			Running: now.Running, Slots: one.Offer.Slots,
		})
	}
	return lines, err
}

func (s *site) workers(w http.ResponseWriter, r *web.Request) (err error) {
	v := workersView{Now: s.Time(), Audit: r.Can(auth.SeeAudit)}
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
	queues, err := s.Dispatch.Queues(r.Context())
	if err != nil {
		return err
	}
	here, waiting := 0, 0
	for _, one := range v.Workers {
		if one.Here && one.State == string(store.Active) {
			here++
		}
	}
	for _, q := range queues {
		state := "waiting"
		if q.State == store.Out {
			state = "running"
		} else {
			waiting += q.Jobs
		}
		v.Queues = append(v.Queues, queueLine{job.Lane(q.Lane).String(), q.Class, state, q.Jobs, s.Time().Sub(q.Oldest)})
	}
	if here == 0 {
		v.Waits = "No worker is connected. Submissions wait until one connects."
	} else if waiting > 0 && here < len(v.Workers) {
		v.Waits = fmt.Sprintf("Only %d of %d workers take jobs, and %s.", here, len(v.Workers), web.Counted(waiting, "job is waiting", "jobs are waiting"))
	}
	if s.Options.Backups != nil {
		v.Backups = s.Options.Backups()
		v.Late = v.Backups.Late(s.Time())
	}
	return s.Page(w, r, http.StatusOK, "workers", "Workers", v)
}
