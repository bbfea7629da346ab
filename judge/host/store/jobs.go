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

// FeedLead is the leader lease that MarkOut requires.
const FeedLead = "feed"

// Next reads at most n waiting jobs of a lane and class, in the order that package fair defines. It does not mark
// them; see MarkOut.
func (s *Store) Next(ctx context.Context, lane job.Lane, class string, n int) ([]*job.Spec, error) {
	rows, err := s.read.NextJobs(ctx, query.NextJobsParams{Lane: int64(lane), Class: class, Limit: int32(n)})
	if err != nil {
		return nil, failed("read the waiting jobs", err)
	}
	firsts, served, err := s.firsts(ctx, lane, class)
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
				return nil, failed("read the waiting job "+id, err)
			}
			r = query.NextJobsRow(late)
		}
		spec := &job.Spec{}
		if err := errors.Join(fromJSON("job "+r.ID, r.Spec, &spec.Work), fromJSON("job "+r.ID, r.Excluded, &spec.Exclude)); err != nil {
			return nil, err
		}
		spec.ID, spec.Generation, spec.Token = r.ID, int(r.Generation), r.Token
		spec.Lane, spec.Class, spec.Tries = lane, class, int(r.Tries)
		specs = append(specs, spec)
	}
	return specs, nil
}

// firsts reads the first waiting job of each owner in a lane and class, sorted by Due. It also returns how many
// jobs the lane has dispatched so far.
func (s *Store) firsts(ctx context.Context, lane job.Lane, class string) (firsts []fair.First, served int64, err error) {
	rows, err := s.read.FirstOfOwners(ctx, int64(lane), class)
	if err == nil {
		served, err = s.read.Served(ctx, int64(lane))
	}
	for _, r := range rows {
		firsts = append(firsts, fair.First{ID: r.ID, Due: r.Due})
	}
	return firsts, served, failed("read who is due", err)
}

// Ahead counts the jobs that will be dispatched before a waiting job if no more jobs arrive.
type Ahead struct {
	Jobs     int
	Priority int // jobs in a lane of higher priority
	Later    int // jobs in the same lane that arrived later
}

// AheadOf counts the jobs that will be dispatched before the job with the given id. It returns ErrNotFound if the
// job is not waiting or if its problem is paused.
func (s *Store) AheadOf(ctx context.Context, id string) (a Ahead, err error) {
	j, err := s.read.GetJob(ctx, id)
	if err == nil && (j.DoneAt.Valid || j.Paused || j.State != string(Waiting)) {
		err = sql.ErrNoRows
	}
	if err != nil {
		return a, failed("look for the waiting job "+id, err)
	}
	n, err := s.read.CountAhead(ctx, query.CountAheadParams{Lane: j.Lane, Class: j.Class, StartTag: j.StartTag, ID: j.ID})
	if err != nil {
		return a, failed("count the jobs before "+id, err)
	}
	firsts, served, err := s.firsts(ctx, job.Lane(j.Lane), j.Class)
	if err != nil {
		return a, err
	}
	if i := slices.IndexFunc(firsts, func(f fair.First) bool { return f.ID == id }); i >= 0 {
		most := max(firsts[i].Due-served, 0)
		n.Ahead, n.Later = min(n.Ahead, most), min(n.Later, most)
	}
	return Ahead{int(n.Ahead + n.Priority), int(n.Priority), int(n.Later)}, nil
}

// MarkOut records that jobs were enqueued, and returns the jobs that it marked. It does not mark jobs that were
// canceled, have ended, or have a new generation; the caller must remove those from the queue. If the leader lease
// FeedLead has another epoch, MarkOut changes nothing and returns ErrNotLeader.
func (s *Store) MarkOut(ctx context.Context, epoch int64, jobs ...job.Running) (out []job.Running, err error) {
	err = s.tx(ctx, "mark jobs as out", func(q *query.Queries) error {
		out = nil
		n, err := q.HoldEpoch(ctx, FeedLead, epoch)
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrNotLeader
		}
		now, gone := s.now(), map[int64][]query.MarkOutRow{}
		for _, j := range jobs {
			row, err := q.MarkOut(ctx, query.MarkOutParams{ID: j.Job, Generation: int64(j.Generation), OutAt: some(now)})
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			out = append(out, j)
			gone[row.Lane] = append(gone[row.Lane], row)
		}
		for _, lane := range job.Lanes { // a fixed order prevents deadlocks: lanes are locked
			if err := serve(ctx, q, int64(lane), gone[int64(lane)]); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// serve updates a lane after jobs of the lane were dispatched, and limits how long the next jobs of their owners
// may wait. A job that was dispatched before a job with a lower start tag does not advance the lane's virtual
// time. Otherwise the debts of other owners would be forgiven.
func serve(ctx context.Context, q *query.Queries, lane int64, gone []query.MarkOutRow) error {
	if len(gone) == 0 {
		return nil
	}
	var v int64
	owners := map[string]bool{}
	for _, g := range gone {
		owners[g.Owner] = true
		first, err := q.IsFirst(ctx, query.IsFirstParams{Lane: lane, Class: g.Class, StartTag: g.StartTag})
		if err != nil {
			return err
		}
		if first {
			v = max(v, g.StartTag)
		}
	}
	served, err := q.MoveLane(ctx, query.MoveLaneParams{Lane: lane, V: v, Served: int64(len(gone))})
	if err != nil {
		return err
	}
	for _, owner := range slices.Sorted(maps.Keys(owners)) {
		others, err := q.CountOthers(ctx, lane, owner)
		if err != nil {
			return err
		}
		if err := q.SetDue(ctx, query.SetDueParams{Lane: lane, Owner: owner, Due: fair.Due(served, int(others))}); err != nil {
			return err
		}
	}
	return nil
}

// A Queue counts the jobs of a lane and class in one state.
type Queue struct {
	Lane   job.Lane
	Class  string
	State  JobState // Waiting or Out
	Jobs   int
	Oldest time.Time // when the oldest job was created
}

// Queues counts the open jobs. It omits counts of zero.
func (s *Store) Queues(ctx context.Context) ([]Queue, error) {
	rows, err := s.read.OpenJobs(ctx)
	return each(rows, err, "count the jobs", func(r query.OpenJobsRow) Queue {
		return Queue{job.Lane(r.Lane), r.Class, JobState(r.State), int(r.Jobs), instant(r.Oldest)}
	})
}

// An AccountLoad is an account with open work.
type AccountLoad struct {
	Login  string
	Jobs   int // jobs of submissions and flows
	Flows  int
	Idle   int       // flows without jobs, which wait to be planned
	Oldest time.Time // when the oldest open job or flow was created
}

// AccountLoads returns the accounts with open work, busiest first.
func (s *Store) AccountLoads(ctx context.Context) ([]AccountLoad, error) {
	rows, err := s.read.OpenByAccount(ctx)
	return each(rows, err, "count what has not ended", func(r query.OpenByAccountRow) AccountLoad {
		return AccountLoad{r.Login, int(r.Jobs), int(r.Flows), int(r.Idle), instant(r.Oldest)}
	})
}

// An OutJob is an enqueued job.
type OutJob struct {
	job.Running
	Lane  job.Lane
	Class string
	At    time.Time
}

// OutSince reads the jobs that were enqueued before the given time, oldest first.
func (s *Store) OutSince(ctx context.Context, before time.Time) ([]OutJob, error) {
	rows, err := s.read.OutSince(ctx, micros(before))
	return each(rows, err, "read the jobs that are out", func(r query.OutSinceRow) OutJob {
		return OutJob{job.Running{Job: r.ID, Generation: int(r.Generation)}, job.Lane(r.Lane), r.Class, instant(r.OutAt.Int64)}
	})
}

// Again queues an enqueued job again, with the next generation and its old position. It returns false if the job
// has ended or has another generation.
func (s *Store) Again(ctx context.Context, j job.Running) (bool, error) {
	n, err := s.write.Again(ctx, j.Job, int64(j.Generation))
	return n == 1, failed("put a job back into the queue", err)
}

// Place returns the lane and the class of a job.
func (s *Store) Place(ctx context.Context, id string) (job.Lane, string, error) {
	j, err := s.read.GetJob(ctx, id)
	return job.Lane(j.Lane), j.Class, failed("look for the job "+id, err)
}

// Work returns the work of a job.
func (s *Store) Work(ctx context.Context, id string) (*job.Work, error) {
	j, err := s.read.GetJob(ctx, id)
	if err != nil {
		return nil, failed("look for the job "+id, err)
	}
	w := &job.Work{}
	return w, fromJSON("job "+id, j.Spec, w)
}

// Given returns the work of a job for a worker that has its token. It returns ErrNotFound if the job does not exist
// or has another token.
func (s *Store) Given(ctx context.Context, id, token string) (*job.Work, error) {
	_, w, err := s.given(ctx, id, token)
	return w, err
}

func (s *Store) given(ctx context.Context, id, token string) (*query.Job, *job.Work, error) {
	j, err := s.read.GetJob(ctx, id)
	if err == nil && subtle.ConstantTimeCompare([]byte(j.Token), []byte(token)) == 0 {
		err = sql.ErrNoRows
	}
	if err != nil {
		return nil, nil, failed("look for the job "+id, err)
	}
	w := &job.Work{}
	return &j, w, fromJSON("job "+id, j.Spec, w)
}

// GivenTo is like Given, for a worker that fetches the blobs of its job. If the worker is untrusted, it returns
// ErrNotFound if the job excludes the worker, is in the lane Contest, or belongs to a flow or a Reserved problem.
func (s *Store) GivenTo(ctx context.Context, to *Worker, id, token string) (*job.Work, error) {
	j, w, err := s.given(ctx, id, token)
	if err != nil || !to.Guest {
		return w, err
	}
	var excluded []string
	if err := fromJSON("job "+id, j.Excluded, &excluded); err != nil {
		return nil, err
	}
	reserved, err := s.Reserved(ctx, w.Problem)
	if err != nil {
		return nil, err
	}
	if reserved || j.Flow.Valid || job.Lane(j.Lane) == job.Contest || slices.Contains(excluded, to.Name) {
		return nil, failed("look for the job "+id+" for a guest", ErrNotFound)
	}
	return w, nil
}

// Cancel ends a job without a result. It returns false if the job had already ended. The job's judgement ends
// without a verdict; if it belonged to a rejudging, the submission's earlier judgement counts again. Cancel makes
// Fold drop a result that arrives later.
func (s *Store) Cancel(ctx context.Context, id string) (done bool, err error) {
	return s.cancel(ctx, id, false)
}

// CancelUntouched is like Cancel, but only for the first judgement of a submission. It returns ErrGiven if a
// worker may already have the job, or if the job belongs to a rejudging.
func (s *Store) CancelUntouched(ctx context.Context, id string) (done bool, err error) {
	return s.cancel(ctx, id, true)
}

// ErrGiven means that a job was enqueued, and a worker may have it.
var ErrGiven = errors.New("a worker may have the job")

func (s *Store) cancel(ctx context.Context, id string, untouched bool) (done bool, err error) {
	err = s.tx(ctx, "cancel the job "+id, func(q *query.Queries) error {
		j, err := q.GetJob(ctx, id)
		if err != nil {
			return err
		}
		if untouched && !j.DoneAt.Valid {
			// MarkOut waits for this lock, so the job cannot be enqueued before the transaction ends.
			if n, err := q.HoldUntouched(ctx, id); err != nil || n == 0 {
				return cmp.Or(err, ErrGiven)
			}
		}
		n, err := q.EndJob(ctx, query.EndJobParams{ID: id, State: string(Cancelled), DoneAt: some(s.now())})
		done = n == 1
		if err != nil || !done || j.Flow.Valid {
			return err
		}
		if _, err = s.endJudgement(ctx, q, query.EndJudgementParams{ID: id, Toolchains: "{}"}); err != nil {
			return err
		}
		guests, err := q.GuestsOf(ctx, j.Class)
		if err != nil {
			return err
		}
		return s.settle(ctx, q, &j, guests, nil, &Folded{})
	})
	return done, err
}

// Ticket returns the generation and the token of an enqueued job, which a result must have. It returns ErrNotFound
// if the job is not enqueued.
func (s *Store) Ticket(ctx context.Context, id string) (generation int, token string, err error) {
	j, err := s.read.GetJob(ctx, id)
	if err == nil && j.State != string(Out) {
		err = sql.ErrNoRows
	}
	return int(j.Generation), j.Token, failed("look for the job "+id, err)
}
