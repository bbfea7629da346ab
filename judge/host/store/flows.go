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

// Flow is work that is made of many jobs.
type Flow struct {
	ID     string
	Kind   string
	Spec   []byte // JSON; its maker knows what it means
	State  FlowState
	Reason string // why it ended so; "" where there is nothing to say
	Owner  string // id of an account
	Made   time.Time
	Ended  time.Time // zero while it runs
}

// FlowState says where a flow is.
type FlowState string

// The states of a flow.
const (
	FlowRunning   FlowState = "running"
	FlowDone      FlowState = "done"
	FlowFailed    FlowState = "failed"
	FlowCancelled FlowState = "cancelled"
)

// NewFlow makes a flow that runs. Its id comes from the caller, so that asking twice makes one
// flow; ErrTaken says that it is another's, or one of another kind. Spec must be JSON.
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

// FlowBounds are how many flows an account may ask for.
type FlowBounds struct {
	Kinds     []string // those that are counted
	Open      int      // that have not ended
	PerMinute int64
}

// AskFlow is NewFlow for somebody who may have so many: else the error is ErrManyOpen or
// ErrTooFast. ErrRevoked says that the account was shut out.
func (s *Store) AskFlow(ctx context.Context, id, kind string, spec []byte, owner string, most FlowBounds) (f *Flow, err error) {
	err = s.tx(ctx, "make the flow "+id, func(q *query.Queries) error {
		if n, err := q.HoldAccount(ctx, owner); err != nil || n == 0 { // of two that ask at once, one counts the other's
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

// OpenFlows are the ids of the flows of an account and of some kinds that have not ended; nil is
// for all kinds.
func (s *Store) OpenFlows(ctx context.Context, owner string, kinds []string) ([]string, error) {
	ids, err := openFlows(ctx, s.read, owner, kinds)
	return ids, failed("read the flows of an account", err)
}

// Flow reads a flow.
func (s *Store) Flow(ctx context.Context, id string) (*Flow, error) {
	row, err := s.read.GetFlow(ctx, id)
	return flow(row), failed("read the flow "+id, err)
}

// Flows reads the flows that run, the oldest first.
func (s *Store) Flows(ctx context.Context) ([]*Flow, error) {
	rows, err := s.read.OpenFlows(ctx)
	flows := make([]*Flow, 0, len(rows))
	for _, r := range rows {
		flows = append(flows, flow(r))
	}
	return flows, failed("read the flows", err)
}

// FlowsOfKind reads at most n flows of a kind, the latest first.
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

// FlowJob is a job of a flow.
type FlowJob struct {
	// Key names the part that it makes, once in its flow.
	Key   string
	Work  job.Work
	Lane  job.Lane
	Class string
	Cost  time.Duration // estimated processor time
	// Exclude are the workers that must not take it.
	Exclude []string
	// Owner, the same of all jobs, is between whom the judging time is shared; "" is the flow.
	Owner string
}

// JobID is the id of the job that makes a part of a flow: always the same, so that to plan
// twice adds nothing.
func JobID(flow, key string) string {
	sum := sha256.Sum256([]byte(flow + "\x00" + key))
	return hex.EncodeToString(sum[:16])
}

// AddJobs puts jobs of a flow into the queue, in this order, and says how many were new. Where
// none is, nothing is written. ErrEnded says that the flow has ended, or is none.
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

// Part is what one job brought to a flow. It never changes.
type Part struct {
	Key    string
	Job    string      // id
	Result *job.Result // without its events and its token
	Events blob.Digest // "" for none
	At     time.Time
}

func (s *Store) part(ctx context.Context, q *query.Queries, flow string, p Part) (bool, error) {
	short := *p.Result
	short.Events, short.Token = nil, ""
	result, err := toJSON(short)
	if err != nil {
		return false, err
	}
	n, err := q.InsertPart(ctx, query.InsertPartParams{Flow: flow, PartKey: p.Key, Job: p.Job, Result: result, Events: string(p.Events), At: s.now()})
	return n == 1, err
}

// Parts reads the parts of a flow in the order in which they came.
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

// FinishFlow ends a flow and cancels its jobs that have not ended; those are returned, for
// some may be out. A flow that has ended stays as it is: then the error is ErrEnded.
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
