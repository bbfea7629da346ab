package store

import (
	"cmp"
	"context"
	"crypto/subtle"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"time"

	"assay/judge/host/fair"
	"assay/judge/host/job"
	"assay/judge/host/store/internal/query"
)

// EnqueueLease is the leader lease that MarkDispatched requires.
const EnqueueLease = "feed"

// NextJobs reads at most n waiting jobs of a priority and class, in the order that package fair defines. It does not mark
// them; see MarkDispatched.
func (s *Store) NextJobs(ctx context.Context, priority job.Priority, class string, n int) ([]*job.Spec, error) {
	rows, err := s.read.NextJobs(ctx, query.NextJobsParams{Lane: int64(priority), Class: class, Limit: int32(n)})
	if err != nil {
		return nil, wrapError("read the waiting jobs", err)
	}
	firsts, served, err := s.firstJobs(ctx, priority, class)
	if err != nil {
		return nil, err
	}
	byID, tagged := map[string]query.NextJobsRow{}, make([]string, len(rows))
	for i, r := range rows {
		byID[r.ID], tagged[i] = r, r.ID
	}
	var specs []*job.Spec
	for _, id := range fair.Order(served, firsts, tagged, n) {
		r, read := byID[id]
		if !read {
			late, err := s.read.WaitingJob(ctx, id)
			if errors.Is(err, sql.ErrNoRows) {
				continue // it has ended meanwhile
			}
			if err != nil {
				return nil, wrapError("read the waiting job "+id, err)
			}
			r = query.NextJobsRow(late)
		}
		spec := &job.Spec{}
		if err := errors.Join(fromJSON("job "+r.ID, r.Spec, &spec.Work), fromJSON("job "+r.ID, r.Excluded, &spec.Exclude)); err != nil {
			return nil, err
		}
		spec.ID, spec.Generation, spec.Token = r.ID, int(r.Generation), r.Token
		spec.Priority, spec.Class, spec.Tries = priority, class, int(r.Tries)
		specs = append(specs, spec)
	}
	return specs, nil
}

// firstJobs reads the first waiting job of each owner of a priority and class, sorted by Due. It also returns how many
// jobs the priority has dispatched so far.
func (s *Store) firstJobs(ctx context.Context, priority job.Priority, class string) (firsts []fair.First, served int64, err error) {
	rows, err := s.read.FirstOfOwners(ctx, int64(priority), class)
	if err == nil {
		served, err = s.read.Served(ctx, int64(priority))
	}
	for _, r := range rows {
		firsts = append(firsts, fair.First{ID: r.ID, Due: r.Due})
	}
	return firsts, served, wrapError("read who is due", err)
}

// Ahead counts the jobs that will be dispatched before a waiting job if no more jobs arrive.
type Ahead struct {
	Jobs           int
	HigherPriority int // jobs of higher priority
	Later          int // jobs of the same priority that arrived later
}

// AheadOf counts the jobs that will be dispatched before the job with the given id. It returns ErrNotFound if the
// job is not waiting or if its problem is paused.
func (s *Store) AheadOf(ctx context.Context, id string) (a Ahead, err error) {
	j, err := s.read.GetJob(ctx, id)
	if err == nil && (j.DoneAt.Valid || j.Paused || j.State != string(JobWaiting)) {
		err = sql.ErrNoRows
	}
	if err != nil {
		return a, wrapError("look for the waiting job "+id, err)
	}
	n, err := s.read.CountAhead(ctx, query.CountAheadParams{Lane: j.Lane, Class: j.Class, StartTag: j.StartTag, ID: j.ID})
	if err != nil {
		return a, wrapError("count the jobs before "+id, err)
	}
	firsts, served, err := s.firstJobs(ctx, job.Priority(j.Lane), j.Class)
	if err != nil {
		return a, err
	}
	if i := slices.IndexFunc(firsts, func(f fair.First) bool { return f.ID == id }); i >= 0 {
		maximum := max(firsts[i].Due-served, 0)
		n.Ahead, n.Later = min(n.Ahead, maximum), min(n.Later, maximum)
	}
	return Ahead{int(n.Ahead + n.Priority), int(n.Priority), int(n.Later)}, nil
}

// MarkDispatched records that jobs were enqueued, and returns the jobs that it marked. It does not mark jobs that were
// canceled, have ended, or have a new generation; the caller must remove those from the queue. If the leader lease
// EnqueueLease has another epoch, MarkDispatched changes nothing and returns ErrNotLeader.
func (s *Store) MarkDispatched(ctx context.Context, epoch int64, jobs ...job.Running) (marked []job.Running, err error) {
	err = s.tx(ctx, "mark jobs as out", func(q *query.Queries) error {
		marked = nil
		n, err := q.HoldEpoch(ctx, EnqueueLease, epoch)
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrNotLeader
		}
		now, rowsByPriority := s.now(), map[int64][]query.MarkDispatchedRow{}
		for _, j := range jobs {
			row, err := q.MarkDispatched(ctx, query.MarkDispatchedParams{ID: j.Job, Generation: int64(j.Generation), OutAt: nullInt(now)})
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			marked = append(marked, j)
			rowsByPriority[row.Lane] = append(rowsByPriority[row.Lane], row)
		}
		for _, priority := range job.Priorities { // a fixed order prevents deadlocks: priorities are locked
			if err := updatePriority(ctx, q, int64(priority), rowsByPriority[int64(priority)]); err != nil {
				return err
			}
		}
		return nil
	})
	return marked, err
}

// updatePriority updates a priority after jobs of the priority were dispatched, and limits how long the next jobs of their owners
// may wait. A job that was dispatched before a job with a lower start tag does not advance the priority's virtual
// time. Otherwise the debts of other owners would be forgiven.
func updatePriority(ctx context.Context, q *query.Queries, priority int64, rows []query.MarkDispatchedRow) error {
	if len(rows) == 0 {
		return nil
	}
	var v int64
	owners := map[string]bool{}
	for _, g := range rows {
		owners[g.Owner] = true
		isFirst, err := q.IsFirst(ctx, query.IsFirstParams{Lane: priority, Class: g.Class, StartTag: g.StartTag})
		if err != nil {
			return err
		}
		if isFirst {
			v = max(v, g.StartTag)
		}
	}
	served, err := q.AdvancePriority(ctx, query.AdvancePriorityParams{Lane: priority, V: v, Served: int64(len(rows))})
	if err != nil {
		return err
	}
	for _, owner := range slices.Sorted(maps.Keys(owners)) {
		others, err := q.CountOthers(ctx, priority, owner)
		if err != nil {
			return err
		}
		if err := q.SetDue(ctx, query.SetDueParams{Lane: priority, Owner: owner, Due: fair.Due(served, int(others))}); err != nil {
			return err
		}
	}
	return nil
}

// A QueueCount counts the jobs of a priority and class in one state.
type QueueCount struct {
	Priority job.Priority
	Class    string
	State    JobState // JobWaiting or JobDispatched
	Jobs     int
	Oldest   time.Time // when the oldest job was created
}

// QueueCounts counts the open jobs. It omits counts of zero.
func (s *Store) QueueCounts(ctx context.Context) ([]QueueCount, error) {
	rows, err := s.read.OpenJobs(ctx)
	return convertRows(rows, err, "count the jobs", func(r query.OpenJobsRow) QueueCount {
		return QueueCount{job.Priority(r.Lane), r.Class, JobState(r.State), int(r.Jobs), fromMicros(r.Oldest)}
	})
}

// An AccountLoad is an account with open work.
type AccountLoad struct {
	Login         string
	Jobs          int // jobs of submissions and workflows
	Workflows     int
	IdleWorkflows int       // workflows without jobs, which wait to be planned
	Oldest        time.Time // when the oldest open job or workflow was created
}

// AccountLoads returns the accounts with open work, busiest first.
func (s *Store) AccountLoads(ctx context.Context) ([]AccountLoad, error) {
	rows, err := s.read.OpenByAccount(ctx)
	return convertRows(rows, err, "count what has not ended", func(r query.OpenByAccountRow) AccountLoad {
		return AccountLoad{r.Login, int(r.Jobs), int(r.Flows), int(r.Idle), fromMicros(r.Oldest)}
	})
}

// An DispatchedJob is an enqueued job.
type DispatchedJob struct {
	job.Running
	Priority job.Priority
	Class    string
	At       time.Time
}

// DispatchedBefore reads the jobs that were enqueued before the given time, oldest first.
func (s *Store) DispatchedBefore(ctx context.Context, before time.Time) ([]DispatchedJob, error) {
	rows, err := s.read.DispatchedBefore(ctx, nullMicros(before))
	return convertRows(rows, err, "read the jobs that are out", func(r query.DispatchedBeforeRow) DispatchedJob {
		return DispatchedJob{
			job.Running{Job: r.ID, Generation: int(r.Generation)}, job.Priority(r.Lane), r.Class,
			fromMicros(r.OutAt.Int64),
		}
	})
}

// Requeue queues an enqueued job again, with the next generation and its old position. It returns false if the job
// has ended or has another generation.
func (s *Store) Requeue(ctx context.Context, j job.Running) (bool, error) {
	n, err := s.write.RequeueJob(ctx, j.Job, int64(j.Generation))
	return n == 1, wrapError("put a job back into the queue", err)
}

// PriorityAndClass returns the priority and the class of a job.
func (s *Store) PriorityAndClass(ctx context.Context, id string) (job.Priority, string, error) {
	j, err := s.read.GetJob(ctx, id)
	return job.Priority(j.Lane), j.Class, wrapError("look for the job "+id, err)
}

// JobWork returns the work of a job.
func (s *Store) JobWork(ctx context.Context, id string) (*job.Work, error) {
	j, err := s.read.GetJob(ctx, id)
	if err != nil {
		return nil, wrapError("look for the job "+id, err)
	}
	w := &job.Work{}
	return w, fromJSON("job "+id, j.Spec, w)
}

// AssignedWork returns the work of a job for a worker that has its token. It returns ErrNotFound if the job does not exist
// or has another token.
func (s *Store) AssignedWork(ctx context.Context, id, token string) (*job.Work, error) {
	_, w, err := s.assignedJob(ctx, id, token)
	return w, err
}

func (s *Store) assignedJob(ctx context.Context, id, token string) (*query.Job, *job.Work, error) {
	j, err := s.read.GetJob(ctx, id)
	if err == nil && subtle.ConstantTimeCompare([]byte(j.Token), []byte(token)) == 0 {
		err = sql.ErrNoRows
	}
	if err != nil {
		return nil, nil, wrapError("look for the job "+id, err)
	}
	w := &job.Work{}
	return &j, w, fromJSON("job "+id, j.Spec, w)
}

// AssignedWorkFor is like Given, for a worker that fetches the blobs of its job. If the worker is untrusted, it returns
// ErrNotFound if the job excludes the worker, is of ContestPriority, or belongs to a workflow or to a problem that IsReserved reports.
func (s *Store) AssignedWorkFor(ctx context.Context, holder *Worker, id, token string) (*job.Work, error) {
	j, w, err := s.assignedJob(ctx, id, token)
	if err != nil || !holder.Untrusted {
		return w, err
	}
	var excluded []string
	if err := fromJSON("job "+id, j.Excluded, &excluded); err != nil {
		return nil, err
	}
	reserved, err := s.IsReserved(ctx, w.Problem)
	if err != nil {
		return nil, err
	}
	if reserved || j.Flow.Valid || job.Priority(j.Lane) == job.ContestPriority || slices.Contains(excluded, holder.Name) {
		return nil, wrapError("look for the job "+id+" for an untrusted worker", ErrNotFound)
	}
	return w, nil
}

// CancelJob ends a job without a result. It returns false if the job had already ended. The job's judgement ends
// without a verdict; if it belonged to a rejudging, the submission's earlier judgement counts again. Cancel makes
// Fold drop a result that arrives later.
func (s *Store) CancelJob(ctx context.Context, id string) (cancelled bool, err error) {
	return s.cancelJob(ctx, id, false)
}

// CancelIfUnassigned is like CancelJob, but only for the first judgement of a submission. It returns ErrAssigned if a
// worker may already have the job, or if the job belongs to a rejudging.
func (s *Store) CancelIfUnassigned(ctx context.Context, id string) (cancelled bool, err error) {
	return s.cancelJob(ctx, id, true)
}

// ErrAssigned means that a job was enqueued, and a worker may have it.
var ErrAssigned = errors.New("a worker may have the job")

func (s *Store) cancelJob(ctx context.Context, id string, ifUnassigned bool) (cancelled bool, err error) {
	err = s.tx(ctx, "cancel the job "+id, func(q *query.Queries) error {
		j, err := q.GetJob(ctx, id)
		if err != nil {
			return err
		}
		if ifUnassigned && !j.DoneAt.Valid {
			// MarkDispatched waits for this lock, so the job cannot be enqueued before the transaction ends.
			if n, err := q.HoldUntouched(ctx, id); err != nil || n == 0 {
				return cmp.Or(err, ErrAssigned)
			}
		}
		n, err := q.EndJob(ctx, query.EndJobParams{ID: id, State: string(JobCancelled), DoneAt: nullInt(s.now())})
		cancelled = n == 1
		if err != nil || !cancelled || j.Flow.Valid {
			return err
		}
		if _, err = s.endJudgement(ctx, q, query.EndJudgementParams{ID: id, Toolchains: "{}"}); err != nil {
			return err
		}
		untrusted, err := q.GuestsOf(ctx, j.Class)
		if err != nil {
			return err
		}
		return s.selectCurrent(ctx, q, &j, untrusted, nil, &RecordedResult{})
	})
	return cancelled, err
}

// GenerationAndToken returns the generation and the token of an enqueued job, which a result must have. It returns
// ErrNotFound if the job is not enqueued.
func (s *Store) GenerationAndToken(ctx context.Context, id string) (generation int, token string, err error) {
	j, err := s.read.GetJob(ctx, id)
	if err == nil && j.State != string(JobDispatched) {
		err = sql.ErrNoRows
	}
	return int(j.Generation), j.Token, wrapError("look for the job "+id, err)
}
