package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/store/internal/query"
)

// A Flow is a workflow that consists of many jobs.
type Flow struct {
	ID     string
	Kind   string
	Spec   []byte // JSON in the format of package flow
	State  FlowState
	Reason string // why the flow ended in this state; may be empty
	Owner  string // id of an account
	Made   time.Time
	Ended  time.Time // zero while the flow runs
}

// A FlowState is the state of a flow.
type FlowState string

// The states of a flow.
const (
	FlowRunning   FlowState = "running"
	FlowDone      FlowState = "done"
	FlowFailed    FlowState = "failed"
	FlowCancelled FlowState = "cancelled"
)

// NewFlow stores a flow and starts it. The caller chooses the id, so that a repeated call does not create a second
// flow. It returns ErrTaken if the id belongs to a flow of another account or of another kind. Spec must be JSON.
func (s *Store) NewFlow(ctx context.Context, id, kind string, spec []byte, owner string) (*Flow, error) {
	f := &Flow{ID: id, Kind: kind, Spec: spec, State: FlowRunning, Owner: owner, Made: instant(s.now())}
	n, err := s.write.InsertFlow(ctx, query.InsertFlowParams{ID: id, Kind: kind, Spec: string(spec), Owner: owner, Made: f.Made.UnixMicro()})
	if err != nil {
		return nil, failed("make a flow", err)
	}
	if n == 1 {
		return f, nil
	}
	known, err := s.Flow(ctx, id)
	if err == nil && (known.Owner != owner || known.Kind != kind) {
		err = failed("make the flow "+id, ErrTaken)
	}
	return known, err
}

// FlowBounds limits how many flows an account may create.
type FlowBounds struct {
	Kinds     []string // the kinds that count
	Open      int      // maximum number that run at once
	PerMinute int64
}

// AskFlow is like NewFlow, but also limits the number of flows that the account may have. The argument most
// contains the limits. AskFlow returns ErrManyOpen or ErrTooFast if the account exceeds a limit, and ErrRevoked if
// the account is disabled.
func (s *Store) AskFlow(ctx context.Context, id, kind string, spec []byte, owner string, most FlowBounds) (f *Flow, err error) {
	err = s.tx(ctx, "make the flow "+id, func(q *query.Queries) error {
		if n, err := q.HoldAccount(ctx, owner); err != nil || n == 0 { // of two concurrent calls, one counts the flow of the other
			return cmp.Or(err, ErrRevoked)
		}
		known, err := q.GetFlow(ctx, id)
		if err == nil {
			if f = flow(known); f.Owner != owner || f.Kind != kind {
				return ErrTaken
			}
			return nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		open, err := openFlows(ctx, q, owner, most.Kinds)
		if err != nil {
			return err
		}
		if len(open) >= most.Open {
			return ErrManyOpen
		}
		now := s.now()
		var recent int64
		for _, k := range most.Kinds {
			n, err := q.CountFlows(ctx, query.CountFlowsParams{Kind: k, Owner: owner, After: now - minute, Until: now + minute})
			if err != nil {
				return err
			}
			recent += n
		}
		if recent >= most.PerMinute {
			return ErrTooFast
		}
		f = &Flow{ID: id, Kind: kind, Spec: spec, State: FlowRunning, Owner: owner, Made: instant(now)}
		n, err := q.InsertFlow(ctx, query.InsertFlowParams{ID: id, Kind: kind, Spec: string(spec), Owner: owner, Made: now})
		if err == nil && n == 0 {
			err = ErrTaken
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

func openFlows(ctx context.Context, q *query.Queries, owner string, kinds []string) (ids []string, err error) {
	all, err := q.OpenFlowsOf(ctx, owner)
	for _, f := range all {
		if kinds == nil || slices.Contains(kinds, f.Kind) {
			ids = append(ids, f.ID)
		}
	}
	return ids, err
}

// OpenFlows returns the ids of the running flows of an account. If kinds is nil, it returns flows of all kinds.
func (s *Store) OpenFlows(ctx context.Context, owner string, kinds []string) ([]string, error) {
	ids, err := openFlows(ctx, s.read, owner, kinds)
	return ids, failed("read the flows of an account", err)
}

// Flow reads a flow.
func (s *Store) Flow(ctx context.Context, id string) (*Flow, error) {
	row, err := s.read.GetFlow(ctx, id)
	return flow(row), failed("read the flow "+id, err)
}

// Flows reads the running flows, oldest first.
func (s *Store) Flows(ctx context.Context) ([]*Flow, error) {
	rows, err := s.read.OpenFlows(ctx)
	flows := make([]*Flow, 0, len(rows))
	for _, r := range rows {
		flows = append(flows, flow(r))
	}
	return flows, failed("read the flows", err)
}

// FlowsOfKind reads at most n flows of a kind, newest first.
func (s *Store) FlowsOfKind(ctx context.Context, kind string, n int) ([]*Flow, error) {
	rows, err := s.read.FlowsOfKind(ctx, kind, int32(n))
	flows := make([]*Flow, 0, len(rows))
	for _, r := range rows {
		flows = append(flows, flow(r))
	}
	return flows, failed("read the flows of a kind", err)
}

func flow(r query.Flow) *Flow {
	return &Flow{r.ID, r.Kind, []byte(r.Spec), FlowState(r.State), r.Reason, r.Owner, instant(r.Made), instant(r.DoneAt.Int64)}
}

// A FlowJob is a job of a flow.
type FlowJob struct {
	// Key names the part that the job produces. It is unique in the flow.
	Key   string
	Work  job.Work
	Lane  job.Lane
	Class string
	Cost  time.Duration // estimated CPU time
	// Exclude lists the workers that must not take the job.
	Exclude []string
	// Owner is the account that is charged for the judging time. All jobs of a flow must have the same owner. If
	// empty, the flow itself counts as the owner.
	Owner string
}

// JobID returns the id of the job that produces the part of a flow with the given key. The id depends only on flow
// and key, so planning a flow twice adds no jobs.
func JobID(flow, key string) string {
	sum := sha256.Sum256([]byte(flow + "\x00" + key))
	return hex.EncodeToString(sum[:16])
}

// AddJobs adds jobs of a flow to the queue, in this order, and returns how many were new. If none is new, it writes
// nothing. It returns ErrEnded if the flow has ended or does not exist.
func (s *Store) AddJobs(ctx context.Context, flow string, jobs ...FlowJob) (added int, err error) {
	before, err := s.read.JobsOfFlow(ctx, text(flow))
	if err != nil {
		return 0, failed("read the jobs of the flow "+flow, err)
	}
	old := setOf(before)
	if !slices.ContainsFunc(jobs, func(j FlowJob) bool { return !old[JobID(flow, j.Key)] }) {
		return 0, nil
	}
	err = s.tx(ctx, "add jobs to the flow "+flow, func(q *query.Queries) error {
		added = 0
		n, err := q.HoldFlow(ctx, flow)
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrEnded
		}
		known, err := q.JobsOfFlow(ctx, text(flow))
		if err != nil {
			return err
		}
		there := setOf(known)
		now := s.now()
		lanes := map[job.Lane][]newJob{}
		for _, j := range jobs {
			if id := JobID(flow, j.Key); !there[id] {
				there[id] = true
				lanes[j.Lane] = append(lanes[j.Lane], newJob{
					id: id, work: j.Work, lane: j.Lane, class: j.Class, cost: j.Cost, made: now, flow: flow, key: j.Key, exclude: j.Exclude,
				})
			}
		}
		for _, lane := range job.Lanes {
			if len(lanes[lane]) == 0 {
				continue
			}
			if err := enqueue(ctx, q, cmp.Or(jobs[0].Owner, flow), lane, lanes[lane]); err != nil {
				return err
			}
			added += len(lanes[lane])
		}
		return nil
	})
	return added, err
}

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// A Part is the result of one job of a flow. It never changes.
type Part struct {
	Key    string
	Job    string      // id
	Result *job.Result // without its events and its token
	Events blob.Digest // may be empty
	At     time.Time
}

func (s *Store) part(ctx context.Context, q *query.Queries, flow string, p Part) (bool, error) {
	short := *p.Result
	short.Events, short.Token = nil, ""
	result, err := toJSON(short)
	if err != nil {
		return false, err
	}
	n, err := q.InsertPart(ctx, query.InsertPartParams{
		Flow: flow, PartKey: p.Key, Job: p.Job, Result: result, Events: string(p.Events), At: s.now(),
	})
	return n == 1, err
}

// Parts reads the parts of a flow in order of arrival.
func (s *Store) Parts(ctx context.Context, flow string) ([]*Part, error) {
	rows, err := s.read.PartsOf(ctx, flow)
	if err != nil {
		return nil, failed("read the parts of a flow", err)
	}
	parts := make([]*Part, len(rows))
	for i, r := range rows {
		parts[i] = &Part{Key: r.PartKey, Job: r.Job, Events: blob.Digest(r.Events), At: instant(r.At)}
		if err := fromJSON("the part "+r.PartKey, r.Result, &parts[i].Result); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// FinishFlow ends a flow and cancels its open jobs. It returns the canceled jobs, because workers may still run
// some of them. It returns ErrEnded if the flow had already ended.
func (s *Store) FinishFlow(ctx context.Context, id string, state FlowState, reason string) (cancelled []string, err error) {
	err = s.tx(ctx, "end the flow "+id, func(q *query.Queries) error {
		now := some(s.now())
		n, err := q.EndFlow(ctx, query.EndFlowParams{ID: id, State: string(state), Reason: clean(reason), DoneAt: now})
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrEnded
		}
		cancelled, err = q.CancelJobsOfFlow(ctx, text(id), now)
		return err
	})
	return cancelled, err
}
