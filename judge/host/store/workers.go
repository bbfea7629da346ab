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
	Active  WorkerState = "active"
	Drained WorkerState = "drained" // it takes no jobs
	Revoked WorkerState = "revoked" // its key is no longer valid
)

// Worker is a worker that has joined.
type Worker struct {
	ID       string
	Name     string // unique
	Key      string // public half of its nkey; unique
	Class    string
	Guest    bool // untrusted: a trusted worker must confirm its judgements
	State    WorkerState
	Offer    job.Offer // capabilities that it last reported
	Enrolled time.Time
	By       string // id of an account
	Note     string // reason for its state
}

// Invite is a join code with which one worker can join once.
type Invite struct {
	Name    string // of the worker
	Class   string
	Guest   bool   // see Worker
	By      string // id of an account
	Expires time.Time
}

// inviteLives is how long a join code is valid.
const inviteLives = 24 * time.Hour

// What codes let in.
const (
	forWorker = "worker"
	forAdmin  = "admin"
)

// NewInvite stores the hash of a join code that is valid for 24 hours. It returns the invite with Expires set.
func (s *Store) NewInvite(ctx context.Context, hash string, i Invite) (*Invite, error) {
	now := instant(s.now())
	i.Expires = now.Add(inviteLives)
	err := s.write.InsertInvite(ctx, query.InsertInviteParams{
		Hash: hash, Makes: forWorker, Name: i.Name, Class: i.Class, Guest: i.Guest, Made: now.UnixMicro(), MadeBy: i.By,
		Expires: i.Expires.UnixMicro(),
	})
	if err != nil {
		return nil, failed("keep a join code", err)
	}
	return &i, nil
}

// Invite reads an invite without using it. It returns ErrNotFound if the code does not exist, ErrUsed if a worker
// has joined with it, and ErrExpired if it has expired.
func (s *Store) Invite(ctx context.Context, hash string) (*Invite, error) {
	i, err := s.invite(ctx, s.read, hash, forWorker)
	return i, failed("look for a join code", err)
}

func (s *Store) invite(ctx context.Context, q *query.Queries, hash, makes string) (*Invite, error) {
	r, err := q.GetInvite(ctx, hash)
	switch {
	case err != nil:
		return nil, err
	case r.Makes != makes:
		return nil, ErrNotFound
	case r.UsesLeft == 0:
		return nil, ErrUsed
	case r.Expires <= s.now():
		return nil, ErrExpired
	}
	return &Invite{Name: r.Name, Class: r.Class, Guest: r.Guest, By: r.MadeBy, Expires: instant(r.Expires)}, nil
}

// NewWorker is a worker that joins.
type NewWorker struct {
	// Invite is the hash of a join code. If it is set, Enrol uses up the code, and the invite determines Name,
	// Class, Guest and By. If empty, the server itself creates the worker.
	Invite string
	Name   string
	Class  string
	Guest  bool
	Key    string // the public half of its nkey
	Offer  job.Offer
	By     string // account that admitted the worker, if Invite is empty
}

// Enrol admits a worker. If its key is known, Enrol returns the known worker and does not use up the invite,
// because the worker may have lost the first response. It returns the errors of Invite, and ErrTaken if another
// worker has the name. The caller must check that the offer fits the class.
func (s *Store) Enrol(ctx context.Context, n NewWorker) (w *Worker, err error) {
	offer, err := toJSON(n.Offer)
	if err != nil {
		return nil, fmt.Errorf("encode the offer of a worker: %w", err)
	}
	err = s.tx(ctx, "let a worker join", func(q *query.Queries) error {
		row, err := q.WorkerByKey(ctx, n.Key)
		if err == nil {
			w, err = worker(row)
			return err
		}
		if !errors.Is(none(err, ErrNotFound), ErrNotFound) {
			return err
		}
		if n.Invite != "" {
			used, err := q.UseInvite(ctx, query.UseInviteParams{Hash: n.Invite, Makes: forWorker, Now: s.now()})
			if err != nil {
				return err
			}
			if used == 0 {
				_, err := s.invite(ctx, q, n.Invite, forWorker)
				return err
			}
			i, err := q.GetInvite(ctx, n.Invite)
			if err != nil {
				return err
			}
			n.Name, n.Class, n.Guest, n.By = i.Name, i.Class, i.Guest, i.MadeBy
		}
		w = &Worker{
			ID: newID(), Name: n.Name, Key: n.Key, Class: n.Class, Guest: n.Guest, State: Active, Offer: n.Offer,
			Enrolled: instant(s.now()), By: n.By,
		}
		return q.InsertWorker(ctx, query.InsertWorkerParams{
			ID: w.ID, Name: w.Name, Nkey: w.Key, Class: w.Class, Guest: w.Guest, Offer: offer, Enrolled: w.Enrolled.UnixMicro(),
			EnrolledBy: w.By,
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
	return one(row, err, "look for a worker", worker)
}

// Worker reads the worker with the given name.
func (s *Store) Worker(ctx context.Context, name string) (*Worker, error) {
	row, err := s.read.WorkerByName(ctx, name)
	return one(row, err, "read the worker "+name, worker)
}

// Workers reads all workers, including revoked ones, in the order in which they joined.
func (s *Store) Workers(ctx context.Context) ([]*Worker, error) {
	rows, err := s.read.ListWorkers(ctx)
	return eachRead(rows, err, "read the workers", worker)
}

func worker(r query.Worker) (*Worker, error) {
	w := &Worker{
		ID: r.ID, Name: r.Name, Key: r.Nkey, Class: r.Class, Guest: r.Guest, State: WorkerState(r.State),
		Enrolled: instant(r.Enrolled), By: r.EnrolledBy, Note: r.Note,
	}
	return w, fromJSON("what worker "+r.Name+" offers", r.Offer, &w.Offer)
}

// SetWorkerState sets the state of the worker with the given id, and the reason. It returns ErrNotFound if the
// worker does not exist or is revoked.
func (s *Store) SetWorkerState(ctx context.Context, id string, state WorkerState, note string) error {
	n, err := s.write.SetWorkerState(ctx, query.SetWorkerStateParams{ID: id, State: string(state), Note: clean(note)})
	return failed("change the state of a worker", changed(n, err))
}

// SetOffer stores the current capabilities of the worker with the given id.
func (s *Store) SetOffer(ctx context.Context, id string, offer job.Offer) error {
	data, err := toJSON(offer)
	if err != nil {
		return fmt.Errorf("encode the offer of a worker: %w", err)
	}
	n, err := s.write.SetWorkerOffer(ctx, id, data)
	return failed("keep what a worker offers", changed(n, err))
}

// Class is what the workers of a class have in common.
type Class struct {
	Name      string
	Arch      string
	Rung      string
	Languages map[string]string // maps language ids to toolchain identities
	Speed     *job.Speed        // of the first measured machine; nil if none was measured
	Filled    time.Time
}

// Class reads a class. It returns ErrNotFound if no worker has filled the class.
func (s *Store) Class(ctx context.Context, name string) (*Class, error) {
	row, err := s.read.GetClass(ctx, name)
	return one(row, err, "read the class "+name, class)
}

// Classes reads all classes, oldest first.
func (s *Store) Classes(ctx context.Context) ([]*Class, error) {
	rows, err := s.read.ListClasses(ctx)
	return eachRead(rows, err, "read the classes", class)
}

func class(r query.Class) (*Class, error) {
	c := &Class{Name: r.Name, Arch: r.Arch, Rung: r.Rung, Filled: instant(r.Filled)}
	return c, errors.Join(fromJSON("the class "+r.Name, r.Languages, &c.Languages), fromJSON("the class "+r.Name, r.Speed, &c.Speed))
}

// MeasureClass sets the speed of a class unless the class already has one. It returns the class.
func (s *Store) MeasureClass(ctx context.Context, name string, first *job.Speed) (*Class, error) {
	speed, err := toJSON(first)
	if err != nil {
		return nil, fmt.Errorf("write the speed of class %s: %w", name, err)
	}
	if err := s.write.SetClassSpeed(ctx, name, speed); err != nil {
		return nil, failed("keep the speed of class "+name, err)
	}
	return s.Class(ctx, name)
}

// FillClass creates a class with the capabilities of its first worker, and returns it. If the class exists,
// FillClass returns the existing class. Settled ladders resume, because toolchains may have changed.
func (s *Store) FillClass(ctx context.Context, name string, first job.Offer) (*Class, error) {
	var row query.Class
	err := s.tx(ctx, "fill the class "+name, func(q *query.Queries) (err error) {
		if row, err = q.GetClass(ctx, name); errors.Is(err, sql.ErrNoRows) {
			row, err = s.fill(ctx, q, name, first)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return class(row)
}

func (s *Store) fill(ctx context.Context, q *query.Queries, name string, o job.Offer) (row query.Class, err error) {
	languages, err := toJSON(o.Languages)
	if err != nil {
		return row, fmt.Errorf("write the languages of class %s: %w", name, err)
	}
	if err := q.InsertClass(ctx, query.InsertClassParams{Name: name, Arch: o.Arch, Rung: o.Rung, Languages: languages,
		Filled: s.now()}); err != nil {
		return row, err
	}
	if err := resume(ctx, q); err != nil {
		return row, err
	}
	return q.GetClass(ctx, name)
}

// RefillClass replaces the capabilities of a class by those of one of its workers. It returns ErrNotFound if no
// worker has filled the class.
func (s *Store) RefillClass(ctx context.Context, name string, now job.Offer) error {
	return s.tx(ctx, "refill the class "+name, func(q *query.Queries) error {
		n, err := q.DeleteClass(ctx, name)
		if err := changed(n, err); err != nil {
			return err
		}
		_, err = s.fill(ctx, q, name, now)
		return err
	})
}
