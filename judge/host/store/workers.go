package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"assay/judge/host/job"
	"assay/judge/host/store/internal/query"
)

// WorkerState is the state of a worker.
type WorkerState string

// The states of a worker. A revoked worker stays revoked.
const (
	WorkerActive  WorkerState = "active"
	WorkerDrained WorkerState = "drained" // it takes no jobs
	WorkerRevoked WorkerState = "revoked" // its key is no longer valid
)

// Worker is a worker that has joined.
type Worker struct {
	ID           string
	Name         string // unique
	Key          string // public half of its nkey; unique
	Class        string
	Untrusted    bool // untrusted: a trusted worker must confirm its judgements
	State        WorkerState
	Capabilities job.Capabilities // capabilities that it last reported
	Enrolled     time.Time
	AdmittedBy   string // id of an account
	Note         string // reason for its state
}

// WorkerInvite is a join code with which one worker can join once.
type WorkerInvite struct {
	Name      string // of the worker
	Class     string
	Untrusted bool   // see Worker
	CreatedBy string // id of an account
	Expires   time.Time
}

// inviteLifetime is how long a join code is valid.
const inviteLifetime = 24 * time.Hour

// What codes let in.
const (
	workerCode = "worker"
	adminCode  = "admin"
)

// NewWorkerInvite stores the hash of a join code that is valid for 24 hours. It returns the invite with Expires set.
func (s *Store) NewWorkerInvite(ctx context.Context, hash string, i WorkerInvite) (*WorkerInvite, error) {
	now := fromMicros(s.now())
	i.Expires = now.Add(inviteLifetime)
	err := s.write.InsertInvite(ctx, query.InsertInviteParams{
		Hash: hash, Makes: workerCode, Name: i.Name, Class: i.Class, Guest: i.Untrusted, Made: now.UnixMicro(), MadeBy: i.CreatedBy,
		Expires: i.Expires.UnixMicro(),
	})
	if err != nil {
		return nil, wrapError("keep a join code", err)
	}
	return &i, nil
}

// WorkerInvite reads an invite without using it. It returns ErrNotFound if the code does not exist, ErrUsed if a worker
// has joined with it, and ErrExpired if it has expired.
func (s *Store) WorkerInvite(ctx context.Context, hash string) (*WorkerInvite, error) {
	i, err := s.workerInvite(ctx, s.read, hash, workerCode)
	return i, wrapError("look for a join code", err)
}

func (s *Store) workerInvite(ctx context.Context, q *query.Queries, hash, purpose string) (*WorkerInvite, error) {
	r, err := q.GetInvite(ctx, hash)
	switch {
	case err != nil:
		return nil, err
	case r.Makes != purpose:
		return nil, ErrNotFound
	case r.UsesLeft == 0:
		return nil, ErrUsed
	case r.Expires <= s.now():
		return nil, ErrExpired
	}
	return &WorkerInvite{Name: r.Name, Class: r.Class, Untrusted: r.Guest, CreatedBy: r.MadeBy, Expires: fromMicros(r.Expires)}, nil
}

// NewWorker is a worker that joins.
type NewWorker struct {
	// Invite is the hash of a join code. If it is set, AdmitWorker uses up the code, and the invite determines Name,
	// Class, Untrusted and AdmittedBy. If empty, the server itself creates the worker.
	Invite       string
	Name         string
	Class        string
	Untrusted    bool
	Key          string // the public half of its nkey
	Capabilities job.Capabilities
	AdmittedBy   string // account that admitted the worker, if Invite is empty
}

// AdmitWorker admits a worker. If its key is known, AdmitWorker returns the known worker and does not use up the invite,
// because the worker may have lost the first response. It returns the errors of Invite, and ErrTaken if another
// worker has the name. The caller must check that the capabilities fit the class.
func (s *Store) AdmitWorker(ctx context.Context, n NewWorker) (w *Worker, err error) {
	capabilities, err := toJSON(n.Capabilities)
	if err != nil {
		return nil, fmt.Errorf("encode the capabilities of a worker: %w", err)
	}
	err = s.tx(ctx, "let a worker join", func(q *query.Queries) error {
		row, err := q.WorkerByKey(ctx, n.Key)
		if err == nil {
			w, err = worker(row)
			return err
		}
		if !errors.Is(ifNoRows(err, ErrNotFound), ErrNotFound) {
			return err
		}
		if n.Invite != "" {
			used, err := q.UseInvite(ctx, query.UseInviteParams{Hash: n.Invite, Makes: workerCode, Now: s.now()})
			if err != nil {
				return err
			}
			if used == 0 {
				_, err := s.workerInvite(ctx, q, n.Invite, workerCode)
				return err
			}
			i, err := q.GetInvite(ctx, n.Invite)
			if err != nil {
				return err
			}
			n.Name, n.Class, n.Untrusted, n.AdmittedBy = i.Name, i.Class, i.Guest, i.MadeBy
		}
		w = &Worker{
			ID: newID(), Name: n.Name, Key: n.Key, Class: n.Class, Untrusted: n.Untrusted, State: WorkerActive,
			Capabilities: n.Capabilities, Enrolled: fromMicros(s.now()), AdmittedBy: n.AdmittedBy,
		}
		return q.InsertWorker(ctx, query.InsertWorkerParams{
			ID: w.ID, Name: w.Name, Nkey: w.Key, Class: w.Class, Guest: w.Untrusted, Offer: capabilities, Enrolled: w.Enrolled.UnixMicro(),
			EnrolledBy: w.AdmittedBy,
		})
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// WorkerByKey reads the worker with the given public key.
func (s *Store) WorkerByKey(ctx context.Context, key string) (*Worker, error) {
	row, err := s.read.WorkerByKey(ctx, key)
	return convertRow(row, err, "look for a worker", worker)
}

// Worker reads the worker with the given name.
func (s *Store) Worker(ctx context.Context, name string) (*Worker, error) {
	row, err := s.read.WorkerByName(ctx, name)
	return convertRow(row, err, "read the worker "+name, worker)
}

// Workers reads all workers, including revoked ones, in the order in which they joined.
func (s *Store) Workers(ctx context.Context) ([]*Worker, error) {
	rows, err := s.read.ListWorkers(ctx)
	return parseRows(rows, err, "read the workers", worker)
}

func worker(r query.Worker) (*Worker, error) {
	w := &Worker{
		ID: r.ID, Name: r.Name, Key: r.Nkey, Class: r.Class, Untrusted: r.Guest, State: WorkerState(r.State),
		Enrolled: fromMicros(r.Enrolled), AdmittedBy: r.EnrolledBy, Note: r.Note,
	}
	return w, fromJSON("what worker "+r.Name+" offers", r.Offer, &w.Capabilities)
}

// SetWorkerState sets the state of the worker with the given id, and the reason. It returns ErrNotFound if the
// worker does not exist or is revoked.
func (s *Store) SetWorkerState(ctx context.Context, id string, state WorkerState, note string) error {
	n, err := s.write.SetWorkerState(ctx, query.SetWorkerStateParams{ID: id, State: string(state), Note: sanitize(note)})
	return wrapError("change the state of a worker", errIfUnchanged(n, err))
}

// SetCapabilities stores the current capabilities of the worker with the given id.
func (s *Store) SetCapabilities(ctx context.Context, id string, capabilities job.Capabilities) error {
	data, err := toJSON(capabilities)
	if err != nil {
		return fmt.Errorf("encode the capabilities of a worker: %w", err)
	}
	n, err := s.write.SetWorkerOffer(ctx, id, data)
	return wrapError("keep what a worker offers", errIfUnchanged(n, err))
}

// Class is what the workers of a class have in common.
type Class struct {
	Name           string
	Arch           string
	IsolationLevel string
	Languages      map[string]string // maps language ids to toolchain identities
	Speed          *job.Speed        // of the first measured machine; nil if none was measured
	Updated        time.Time
}

// Class reads a class. It returns ErrNotFound if no worker has filled the class.
func (s *Store) Class(ctx context.Context, name string) (*Class, error) {
	row, err := s.read.GetClass(ctx, name)
	return convertRow(row, err, "read the class "+name, class)
}

// Classes reads all classes, oldest first.
func (s *Store) Classes(ctx context.Context) ([]*Class, error) {
	rows, err := s.read.ListClasses(ctx)
	return parseRows(rows, err, "read the classes", class)
}

func class(r query.Class) (*Class, error) {
	c := &Class{Name: r.Name, Arch: r.Arch, IsolationLevel: r.Rung, Updated: fromMicros(r.Filled)}
	return c, errors.Join(fromJSON("the class "+r.Name, r.Languages, &c.Languages), fromJSON("the class "+r.Name, r.Speed, &c.Speed))
}

// SetClassSpeed sets the speed of a class unless the class already has one. It returns the class.
func (s *Store) SetClassSpeed(ctx context.Context, name string, measured *job.Speed) (*Class, error) {
	speed, err := toJSON(measured)
	if err != nil {
		return nil, fmt.Errorf("write the speed of class %s: %w", name, err)
	}
	if err := s.write.SetClassSpeed(ctx, name, speed); err != nil {
		return nil, wrapError("keep the speed of class "+name, err)
	}
	return s.Class(ctx, name)
}

// CreateClass creates a class with the capabilities of its first worker, and returns it. If the class exists,
// CreateClass returns the existing class. Settled ladders resume, because toolchains may have changed.
func (s *Store) CreateClass(ctx context.Context, name string, capabilities job.Capabilities) (*Class, error) {
	var row query.Class
	err := s.tx(ctx, "fill the class "+name, func(q *query.Queries) (err error) {
		if row, err = q.GetClass(ctx, name); errors.Is(err, sql.ErrNoRows) {
			row, err = s.putClass(ctx, q, name, capabilities)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return class(row)
}

func (s *Store) putClass(ctx context.Context, q *query.Queries, name string, o job.Capabilities) (row query.Class, err error) {
	languages, err := toJSON(o.Languages)
	if err != nil {
		return row, fmt.Errorf("write the languages of class %s: %w", name, err)
	}
	if err := q.InsertClass(ctx, query.InsertClassParams{Name: name, Arch: o.Arch, Rung: o.IsolationLevel, Languages: languages,
		Filled: s.now()}); err != nil {
		return row, err
	}
	if err := resumeSettledLadders(ctx, q); err != nil {
		return row, err
	}
	return q.GetClass(ctx, name)
}

// UpdateClass replaces the capabilities of a class by those of one of its workers. It returns ErrNotFound if no
// worker has filled the class.
func (s *Store) UpdateClass(ctx context.Context, name string, capabilities job.Capabilities) error {
	return s.tx(ctx, "refill the class "+name, func(q *query.Queries) error {
		n, err := q.DeleteClass(ctx, name)
		if err := errIfUnchanged(n, err); err != nil {
			return err
		}
		_, err = s.putClass(ctx, q, name, capabilities)
		return err
	})
}
