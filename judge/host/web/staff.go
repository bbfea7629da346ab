package web

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/desk"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// accountsView is the page of all accounts.
type accountsView struct {
	Accounts []*store.Account
	Roles    []auth.Role
	Slips    []auth.Slip
	There    []auth.Slip
	Address  string
	Mine     string // login of the reader
	Wrong    string
}

func (s *site) accounts(w http.ResponseWriter, r *ask) error {
	return s.accountsPage(w, r, http.StatusOK, accountsView{})
}

func (s *site) accountsPage(w http.ResponseWriter, r *ask, code int, v accountsView) (err error) {
	if v.Accounts, err = s.Store.Accounts(r.Context()); err != nil {
		return err
	}
	v.Accounts = slices.DeleteFunc(v.Accounts, func(a *store.Account) bool { return !a.Erased.IsZero() })
	v.Roles, v.Address, v.Mine = auth.Roles[1:], s.URL, r.me.Login
	return s.page(w, r, code, "accounts", "Accounts", v)
}

// setAccount changes an account: a new password, its role, in or out.
func (s *site) setAccount(w http.ResponseWriter, r *ask) error {
	if err := form(w, r, small); err != nil {
		return err
	}
	a, err := s.Store.AccountByLogin(r.Context(), r.PathValue("login"))
	if err != nil {
		return err
	}
	v, did := accountsView{}, r.PostFormValue("do")
	mine := a.ID == r.me.ID
	switch {
	case mine && did != "reset":
		v.Wrong = "nobody shuts out the account that asks, or changes its role"
		return s.accountsPage(w, r, http.StatusConflict, v)
	case did == "reset":
		slip := auth.Slip{Login: a.Login, Name: a.Display, Password: auth.NewPassword()}
		hash, herr := s.Passwords.Hash(r.Context(), slip.Password)
		if herr != nil {
			return herr
		}
		err, v.Slips = s.Store.SetPassword(r.Context(), a.ID, hash), []auth.Slip{slip}
	case did == "out":
		err = s.ShutOut(r.Context(), a)
	case did == "in":
		err = s.Store.Disable(r.Context(), a.ID, false)
	case did == "role" && auth.Known(r.PostFormValue("role")):
		role := r.PostFormValue("role")
		err = s.Store.SetRole(r.Context(), a.ID, role, desk.Scopes(auth.Role(role)))
		did += " " + role
	default:
		return bad("the form asks for nothing that is known here")
	}
	if err != nil {
		return err
	}
	if err := s.audit(r.Context(), r, "change account", a.ID, did); err != nil {
		return err
	}
	if v.Slips == nil {
		return go303(w, r, "/admin/accounts")
	}
	return s.accountsPage(w, r, http.StatusOK, v)
}

// workersView is the page of workers and the queue.
type workersView struct {
	Workers []workerLine
	Queues  []queueLine
	Waits   string // why judging is slow, in words; "" where it is not
	Backups Backups
	Late    bool // so are the backups
}

// Backups says how the nightly backups do.
type Backups struct {
	On                 bool
	Folder             string
	Last, Next         time.Time // Last is zero where there is none
	Keep, Kept, Failed int
	Wrong              string // with the last one; "" for nothing
}

// Late says that the last backup is older than a night, and some hours for a machine that
// was off.
func (b Backups) Late(now time.Time) bool {
	return b.Wrong != "" || !b.Last.IsZero() && now.Sub(b.Last) > 26*time.Hour
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

func (s *site) workers(w http.ResponseWriter, r *ask) error {
	all, err := s.Store.Workers(r.Context())
	if err != nil {
		return err
	}
	queues, err := s.Dispatch.Queues(r.Context())
	if err != nil {
		return err
	}
	v := workersView{}
	here, waiting := 0, 0
	for _, one := range all {
		if one.State == store.Revoked {
			continue
		}
		now := s.Dispatch.Presence(one.Name)
		if now.Connected && one.State == store.Active {
			here++
		}
		v.Workers = append(v.Workers, workerLine{
			Name: one.Name, Class: one.Class, State: string(one.State), Note: cmp.Or(one.Note, now.Note), Machine: one.Offer.Machine, Here: now.Connected,
			Running: now.Running, Slots: one.Offer.Slots,
		})
	}
	for _, q := range queues {
		state := "waiting"
		if q.State == store.Out {
			state = "with a worker"
		} else {
			waiting += q.Jobs
		}
		v.Queues = append(v.Queues, queueLine{job.Lane(q.Lane).String(), q.Class, state, q.Jobs, s.Time().Sub(q.Oldest)})
	}
	if here == 0 {
		v.Waits = "No worker is connected: nothing is judged until one is."
	} else if waiting > 0 && here < len(v.Workers) {
		v.Waits = fmt.Sprintf("Only %d of %d workers are at work, and %d jobs wait.", here, len(v.Workers), waiting)
	}
	if s.Options.Backups != nil {
		v.Backups = s.Options.Backups()
		v.Late = v.Backups.Late(s.Time())
	}
	return s.page(w, r, http.StatusOK, "workers", "Workers and queue", v)
}
