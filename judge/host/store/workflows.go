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

// A Workflow is a workflow that consists of many jobs.
type Workflow struct {
	ID     string
	Kind   string
	Spec   []byte // JSON in the format of package workflow
	State  WorkflowState
	Reason string // why the workflow ended in this state; may be empty
	Owner  string // id of an account
	Made   time.Time
	Ended  time.Time // zero while the workflow runs
}

// A WorkflowState is the state of a workflow.
type WorkflowState string

// The states of a workflow.
const (
	WorkflowRunning   WorkflowState = "running"
	WorkflowDone      WorkflowState = "done"
	WorkflowFailed    WorkflowState = "failed"
	WorkflowCancelled WorkflowState = "cancelled"
)

// NewWorkflow stores a workflow and starts it. The caller chooses the id, so that a repeated call does not create a second
// workflow. It returns ErrTaken if the id belongs to a workflow of another account or of another kind. Spec must be JSON.
func (s *Store) NewWorkflow(ctx context.Context, id, kind string, spec []byte, owner string) (*Workflow, error) {
	f := &Workflow{ID: id, Kind: kind, Spec: spec, State: WorkflowRunning, Owner: owner, Made: fromMicros(s.now())}
	n, err := s.write.InsertWorkflow(
		ctx, query.InsertWorkflowParams{ID: id, Kind: kind, Spec: string(spec), Owner: owner, Made: f.Made.UnixMicro()},
	)
	if err != nil {
		return nil, wrapError("make a workflow", err)
	}
	if n == 1 {
		return f, nil
	}
	existing, err := s.Workflow(ctx, id)
	if err == nil && (existing.Owner != owner || existing.Kind != kind) {
		err = wrapError("make the workflow "+id, ErrTaken)
	}
	return existing, err
}

// WorkflowLimits limits how many workflows an account may create.
type WorkflowLimits struct {
	Kinds      []string // the kinds that count
	MaxRunning int      // maximum number that run at once
	PerMinute  int64
}

// RequestWorkflow is like NewWorkflow, but also limits the number of workflows that the account may have. The argument
// most contains the limits. RequestWorkflow returns ErrTooManyPending or ErrRateLimit if the account exceeds a limit,
// and ErrRevoked if the account is disabled.
func (s *Store) RequestWorkflow(
	ctx context.Context, id, kind string, spec []byte, owner string, limits WorkflowLimits,
) (f *Workflow, err error) {
	err = s.tx(ctx, "make the workflow "+id, func(q *query.Queries) error {
		if n, err := q.HoldAccount(ctx, owner); err != nil || n == 0 { // of two concurrent calls, one counts the workflow of the other
			return cmp.Or(err, ErrRevoked)
		}
		existing, err := q.GetWorkflow(ctx, id)
		if err == nil {
			if f = workflow(existing); f.Owner != owner || f.Kind != kind {
				return ErrTaken
			}
			return nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		open, err := runningWorkflows(ctx, q, owner, limits.Kinds)
		if err != nil {
			return err
		}
		if len(open) >= limits.MaxRunning {
			return ErrTooManyPending
		}
		now := s.now()
		var recent int64
		for _, k := range limits.Kinds {
			n, err := q.CountWorkflows(ctx, query.CountWorkflowsParams{Kind: k, Owner: owner, After: now - minuteMicros, Until: now + minuteMicros})
			if err != nil {
				return err
			}
			recent += n
		}
		if recent >= limits.PerMinute {
			return ErrRateLimit
		}
		f = &Workflow{ID: id, Kind: kind, Spec: spec, State: WorkflowRunning, Owner: owner, Made: fromMicros(now)}
		n, err := q.InsertWorkflow(ctx, query.InsertWorkflowParams{ID: id, Kind: kind, Spec: string(spec), Owner: owner, Made: now})
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

func runningWorkflows(ctx context.Context, q *query.Queries, owner string, kinds []string) (ids []string, err error) {
	running, err := q.OpenWorkflowsOf(ctx, owner)
	for _, f := range running {
		if kinds == nil || slices.Contains(kinds, f.Kind) {
			ids = append(ids, f.ID)
		}
	}
	return ids, err
}

// RunningWorkflowIDs returns the ids of the running workflows of an account. If kinds is nil, it returns workflows of all kinds.
func (s *Store) RunningWorkflowIDs(ctx context.Context, owner string, kinds []string) ([]string, error) {
	ids, err := runningWorkflows(ctx, s.read, owner, kinds)
	return ids, wrapError("read the workflows of an account", err)
}

// Workflow reads a workflow.
func (s *Store) Workflow(ctx context.Context, id string) (*Workflow, error) {
	row, err := s.read.GetWorkflow(ctx, id)
	return workflow(row), wrapError("read the workflow "+id, err)
}

// RunningWorkflows reads the running workflows, oldest first.
func (s *Store) RunningWorkflows(ctx context.Context) ([]*Workflow, error) {
	rows, err := s.read.OpenWorkflows(ctx)
	workflows := make([]*Workflow, 0, len(rows))
	for _, r := range rows {
		workflows = append(workflows, workflow(r))
	}
	return workflows, wrapError("read the workflows", err)
}

// WorkflowsOfKind reads at most n workflows of a kind, newest first.
func (s *Store) WorkflowsOfKind(ctx context.Context, kind string, n int) ([]*Workflow, error) {
	rows, err := s.read.WorkflowsOfKind(ctx, kind, int32(n))
	workflows := make([]*Workflow, 0, len(rows))
	for _, r := range rows {
		workflows = append(workflows, workflow(r))
	}
	return workflows, wrapError("read the workflows of a kind", err)
}

func workflow(r query.Flow) *Workflow {
	return &Workflow{
		r.ID, r.Kind, []byte(r.Spec), WorkflowState(r.State), r.Reason, r.Owner, fromMicros(r.Made),
		fromMicros(r.DoneAt.Int64),
	}
}

// A WorkflowJob is a job of a workflow.
type WorkflowJob struct {
	// Key names the task that the job runs. It is unique in the workflow.
	Key      string
	Work     job.Work
	Priority job.Priority
	Class    string
	Cost     time.Duration // estimated CPU time
	// Exclude lists the workers that must not take the job.
	Exclude []string
	// Owner is the account that is charged for the judging time. All jobs of a workflow must have the same owner. If
	// empty, the workflow itself counts as the owner.
	Owner string
}

// WorkflowJobID returns the id of the job that runs the task of a workflow with the given key. The id depends only on workflow
// and key, so planning a workflow twice adds no jobs.
func WorkflowJobID(workflow, key string) string {
	sum := sha256.Sum256([]byte(workflow + "\x00" + key))
	return hex.EncodeToString(sum[:16])
}

// AddWorkflowJobs adds jobs of a workflow to the queue, in this order, and returns how many were new. If none is new, it writes
// nothing. It returns ErrEnded if the workflow has ended or does not exist.
func (s *Store) AddWorkflowJobs(ctx context.Context, workflow string, jobs ...WorkflowJob) (added int, err error) {
	before, err := s.read.JobsOfWorkflow(ctx, nullText(workflow))
	if err != nil {
		return 0, wrapError("read the jobs of the workflow "+workflow, err)
	}
	old := setOf(before)
	if !slices.ContainsFunc(jobs, func(j WorkflowJob) bool { return !old[WorkflowJobID(workflow, j.Key)] }) {
		return 0, nil
	}
	err = s.tx(ctx, "add jobs to the workflow "+workflow, func(q *query.Queries) error {
		added = 0
		n, err := q.HoldWorkflow(ctx, workflow)
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrEnded
		}
		existing, err := q.JobsOfWorkflow(ctx, nullText(workflow))
		if err != nil {
			return err
		}
		existingSet := setOf(existing)
		now := s.now()
		byPriority := map[job.Priority][]queuedJob{}
		for _, j := range jobs {
			if id := WorkflowJobID(workflow, j.Key); !existingSet[id] {
				existingSet[id] = true
				byPriority[j.Priority] = append(byPriority[j.Priority], queuedJob{
					id: id, work: j.Work, priority: j.Priority, class: j.Class, cost: j.Cost, made: now, workflow: workflow,
					key: j.Key, exclude: j.Exclude,
				})
			}
		}
		for _, priority := range job.Priorities {
			if len(byPriority[priority]) == 0 {
				continue
			}
			if err := enqueue(ctx, q, cmp.Or(jobs[0].Owner, workflow), priority, byPriority[priority]); err != nil {
				return err
			}
			added += len(byPriority[priority])
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

// A TaskResult is the result of one job of a workflow. It never changes.
type TaskResult struct {
	Key    string
	Job    string      // id
	Result *job.Result // without its events and its token
	Events blob.Digest // may be empty
	At     time.Time
}

func (s *Store) addTaskResult(ctx context.Context, q *query.Queries, workflow string, p TaskResult) (bool, error) {
	short := *p.Result
	short.Events, short.Token = nil, ""
	result, err := toJSON(short)
	if err != nil {
		return false, err
	}
	n, err := q.InsertPart(ctx, query.InsertPartParams{
		Flow: workflow, PartKey: p.Key, Job: p.Job, Result: result, Events: string(p.Events), At: s.now(),
	})
	return n == 1, err
}

// TaskResults reads the results of a workflow's tasks in order of arrival.
func (s *Store) TaskResults(ctx context.Context, workflow string) ([]*TaskResult, error) {
	rows, err := s.read.PartsOf(ctx, workflow)
	if err != nil {
		return nil, wrapError("read the task results of a workflow", err)
	}
	parts := make([]*TaskResult, len(rows))
	for i, r := range rows {
		parts[i] = &TaskResult{Key: r.PartKey, Job: r.Job, Events: blob.Digest(r.Events), At: fromMicros(r.At)}
		if err := fromJSON("the task result "+r.PartKey, r.Result, &parts[i].Result); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// FinishWorkflow ends a workflow and cancels its open jobs. It returns the canceled jobs, because workers may still run
// some of them. It returns ErrEnded if the workflow had already ended.
func (s *Store) FinishWorkflow(ctx context.Context, id string, state WorkflowState, reason string) (cancelled []string, err error) {
	err = s.tx(ctx, "end the workflow "+id, func(q *query.Queries) error {
		now := nullInt(s.now())
		n, err := q.EndWorkflow(ctx, query.EndWorkflowParams{ID: id, State: string(state), Reason: sanitize(reason), DoneAt: now})
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrEnded
		}
		cancelled, err = q.CancelJobsOfWorkflow(ctx, nullText(id), now)
		return err
	})
	return cancelled, err
}
