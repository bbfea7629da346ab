package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/store/internal/query"
)

// A Rejudging is a set of submissions of a contest that are rejudged while their current judgements remain in
// effect. Only the jury sees the rejudging until it is applied.
type Rejudging struct {
	ID      string
	Contest string           // id
	Filter  SubmissionFilter // selected the submissions
	Why     string
	Login   string // username of the judge who started it
	State   RejudgingState
	Made    time.Time
	Ended   time.Time // zero while it runs
	// Bundle is the problem version to judge with. If empty, the active version of each problem is used.
	Bundle blob.Digest
	// Repeats is how often each submission is judged.
	Repeats int
	// Submissions is the number of submissions. Open is how many of them have a run that has not ended.
	Submissions, Pending int
}

// RejudgingState is the state of a rejudging.
type RejudgingState string

// The states of a rejudging.
const (
	RejudgingRunning   RejudgingState = "running"   // until applied or canceled, even if all runs have ended
	RejudgingApplied   RejudgingState = "applied"   // its judgements count
	RejudgingCancelled RejudgingState = "cancelled" // it changed nothing
)

// A NewRejudging is a rejudging to be started.
type NewRejudging struct {
	Filter  SubmissionFilter // Contest, Before and Limit work as in Submissions
	Why     string
	Account string // id of the caller
	// Bundle is the version of the problem in Filter with which the submissions are judged. If empty, the active
	// version of each problem is used.
	Bundle blob.Digest
	// Repeats is how often each submission is judged, from 1 to MaxRepeats. Zero means 1. If the verdicts of a
	// submission's runs differ, the best one counts, as for runs near the time limit.
	Repeats int
}

// MaxRepeats is the maximum of NewRejudging.Repeats.
const MaxRepeats = 10

// Errors of rejudgings.
var (
	ErrResultsFinal = errors.New("the results of the contest are final")
	ErrNotReady     = errors.New("it cannot be applied yet")
	// ErrTooMany means that a rejudging would have more than MaxRejudged runs.
	ErrTooMany = errors.New("too many submissions")
)

// MaxRejudged is the maximum number of runs in a rejudging.
const MaxRejudged = 20_000

// Rejudge creates a rejudging of the submissions that the filter in n selects. Each is judged in the background
// priority. Omitted is the number of selected submissions that are left out because they have no verdict yet or are in
// another running rejudging. Rejudge returns ErrNotFound if the filter selects no submission or the version in n
// does not exist. It returns ErrTooMany if there would be more than MaxRejudged runs, and ErrResultsFinal if the results
// of the contest are final.
func (s *Store) Rejudge(ctx context.Context, n NewRejudging) (r *Rejudging, omitted int, err error) {
	n.Repeats = max(n.Repeats, 1)
	if n.Filter.Limit == 0 {
		n.Filter.Limit = MaxRejudged/n.Repeats + 1
	}
	chosen, err := s.Submissions(ctx, n.Filter)
	if err == nil && len(chosen)*n.Repeats > MaxRejudged {
		err = ErrTooMany
	}
	if err != nil {
		return nil, 0, err
	}
	filter, err := toJSON(n.Filter)
	if err != nil {
		return nil, 0, err
	}
	costs, problems := map[string]time.Duration{}, map[string]*Problem{}
	for _, c := range chosen {
		if problems[c.Problem] != nil {
			continue
		}
		if problems[c.Problem], err = s.problemWithBundle(ctx, c.Problem, n.Bundle); err != nil {
			return nil, 0, err
		}
		if costs[c.Problem], err = s.EstimateCost(ctx, c.Problem); err != nil {
			return nil, 0, err
		}
	}
	id := newID()
	err = s.tx(ctx, "begin a rejudging", func(q *query.Queries) error {
		omitted = 0
		if len(chosen) == 0 {
			return ErrNotFound
		}
		contest := chosen[0].Contest
		now, err := s.appendEvent(ctx, q, contest, KindRejudging, id, OpCreated) // locks the contest
		if err != nil {
			return err
		}
		if c, err := q.GetContest(ctx, contest); err != nil || c.Finalized.Valid {
			return errors.Join(err, ErrResultsFinal)
		}
		running, err := q.RunningRejudged(ctx, contest)
		if err != nil {
			return err
		}
		taken := map[string]bool{}
		for _, runningID := range running {
			taken[runningID] = true
		}
		if err := q.InsertRejudging(ctx, query.InsertRejudgingParams{
			ID: id, Contest: contest, Filter: filter, Why: sanitize(n.Why), Account: n.Account, Made: now, Bundle: string(n.Bundle),
			Repeats: int64(n.Repeats),
		}); err != nil {
			return err
		}
		var jobs []queuedJob
		for i := len(chosen) - 1; i >= 0; i-- { // in order of submission
			c := chosen[i]
			old, err := q.StandingJudgement(ctx, c.ID)
			if err != nil {
				return err
			}
			notJudgeable := len(c.Files) == 0 || problems[c.Problem].Bundle == "" // deleted content cannot be judged
			if taken[c.ID] || !old.Ended.Valid || notJudgeable {
				omitted++
				continue
			}
			runs, err := s.addRejudgements(ctx, q, id, &old, problems[c.Problem], n.Repeats, now)
			if err != nil {
				return err
			}
			for _, j := range runs {
				j.cost = costs[c.Problem]
				jobs = append(jobs, j)
			}
		}
		if len(jobs) == 0 {
			return ErrNotFound
		}
		return enqueue(ctx, q, id, job.BackgroundPriority, jobs)
	})
	if err != nil {
		return nil, omitted, err
	}
	r, err = s.Rejudging(ctx, id)
	return r, omitted, err
}

// problemWithBundle reads a problem, and replaces its active version by the given one. If bundle is empty, it keeps the
// active version.
func (s *Store) problemWithBundle(ctx context.Context, slug string, bundle blob.Digest) (*Problem, error) {
	p, err := s.Problem(ctx, slug)
	if err != nil || bundle == "" {
		return p, err
	}
	versions, err := s.BundleVersions(ctx, p)
	if err != nil {
		return nil, err
	}
	for _, v := range versions {
		if v.ID == bundle {
			p.Bundle, p.Config = v.ID, v.Config
			return p, nil
		}
	}
	return nil, fmt.Errorf("look for the version %s of %s: %w", bundle, slug, ErrNotFound)
}

// addRejudgements creates the judgements of a submission in a rejudging. The first judgement is the one that the
// others repeat.
func (s *Store) addRejudgements(
	ctx context.Context, q *query.Queries, rejudging string, old *query.StandingJudgementRow, p *Problem, repeats int, now int64,
) (jobs []queuedJob, err error) {
	oldJob, err := q.GetJob(ctx, old.ID)
	if err != nil {
		return nil, err
	}
	var work job.Work
	if err := fromJSON("job "+oldJob.ID, oldJob.Spec, &work); err != nil {
		return nil, err
	}
	work.Bundle, work.Config, work.Retime = p.Bundle, p.Config, false
	row, err := q.GetSubmission(ctx, old.Submission)
	if err != nil {
		return nil, err
	}
	verify, err := s.verifyMode(ctx, q, row.Contest, row.ID)
	if err != nil {
		return nil, err
	}
	root := newID()
	for id := root; len(jobs) < repeats; id = newID() {
		if err := q.InsertJudgement(ctx, query.InsertJudgementParams{
			Verify: verify, ID: id, Submission: old.Submission, Bundle: string(p.Bundle), Config: string(p.Config), Class: oldJob.Class,
			Origin: string(OriginRejudge), Root: root, Started: now,
		}); err != nil {
			return nil, err
		}
		jobs = append(jobs, queuedJob{id: id, work: work, priority: job.BackgroundPriority, class: oldJob.Class, made: now})
	}
	return jobs, q.InsertRejudged(
		ctx, query.InsertRejudgedParams{Rejudging: rejudging, Submission: old.Submission, Old: old.ID, Root: root},
	)
}

// makeCurrent makes a judgement the current one of its submission. If the judgement belongs to a rejudging, the current
// one stays, and count makes the judgement the one that becomes current when the rejudging is applied.
func makeCurrent(ctx context.Context, q *query.Queries, judgement query.JudgementOfJobRow, id string) error {
	if n, err := q.SetRejudged(ctx, judgement.Root, id); err != nil || n > 0 {
		return err
	}
	if err := q.SetStanding(ctx, judgement.Submission, id); err != nil {
		return err
	}
	return q.SettleStanding(ctx, judgement.Submission)
}

// Rejudging reads a rejudging.
func (s *Store) Rejudging(ctx context.Context, id string) (*Rejudging, error) {
	r, err := s.read.GetRejudging(ctx, id)
	if err != nil {
		return nil, wrapError("read the rejudging "+id, err)
	}
	rejudgings, err := s.Rejudgings(ctx, r.Contest)
	for _, other := range rejudgings {
		if other.ID == id {
			return other, nil
		}
	}
	return nil, errors.Join(err, fmt.Errorf("read the rejudging %s: %w", id, ErrNotFound))
}

// Rejudgings reads the rejudgings of a contest, newest first.
func (s *Store) Rejudgings(ctx context.Context, contest string) ([]*Rejudging, error) {
	rows, err := s.read.RejudgingsOf(ctx, contest)
	if err != nil {
		return nil, wrapError("read the rejudgings of a contest", err)
	}
	rejudgings := make([]*Rejudging, len(rows))
	for i, r := range rows {
		rejudgings[i] = &Rejudging{
			ID: r.ID, Contest: r.Contest, Why: r.Why, Login: r.Login, State: RejudgingState(r.State), Made: fromMicros(r.Made),
			Ended:       fromMicros(r.Ended.Int64),
			Submissions: int(r.Submissions), Pending: int(r.Open), Bundle: blob.Digest(r.Bundle), Repeats: int(r.Repeats),
		}
		if err := fromJSON("the filter of the rejudging "+r.ID, r.Filter, &rejudgings[i].Filter); err != nil {
			return nil, err
		}
	}
	return rejudgings, nil
}

// A RejudgedSubmission is a submission in a rejudging.
type RejudgedSubmission struct {
	Submission     string // id
	Number         int64
	Problem        string // slug
	Login          string
	Display        string
	OldVerdict     judge.Verdict
	OldScore       string
	Ended          bool          // all runs have ended
	Verdict        judge.Verdict // empty if pending or canceled
	Score          string
	Finished       *judge.Finished
	Reason         string // why the judge gave no verdict
	CurrentChanged bool   // the current judgement has changed since the rejudging began
	// Runs lists the runs that have ended with a verdict, in order. There are several if the rejudging judges each
	// submission more than once, or if a run was near the time limit.
	Runs []RejudgedRun
}

// A RejudgedRun is one run of a submission in a rejudging.
type RejudgedRun struct {
	Verdict judge.Verdict
	Score   string
	Worker  string
}

// RunsDiffer reports whether the runs have different verdicts or scores.
func (r *RejudgedSubmission) RunsDiffer() bool {
	for _, run := range r.Runs {
		if run.Verdict != r.Runs[0].Verdict || run.Score != r.Runs[0].Score {
			return true
		}
	}
	return false
}

// ChangesResult reports whether applying r would change the verdict or the score.
func (r *RejudgedSubmission) ChangesResult() bool {
	return r.Ended && (r.Verdict != r.OldVerdict || r.Score != r.OldScore)
}

// LosesVerdict reports whether applying r would lose a verdict.
func (r *RejudgedSubmission) LosesVerdict() bool {
	hasNone := func(v judge.Verdict) bool { return v == judge.NotJudged || v == judge.JudgeError }
	return r.Ended && hasNone(r.Verdict) && !hasNone(r.OldVerdict)
}

// RejudgedSubmissions reads the submissions of a rejudging, ordered by number.
func (s *Store) RejudgedSubmissions(ctx context.Context, id string) ([]*RejudgedSubmission, error) {
	submissions, err := rejudgedSubmissions(ctx, s.read, id)
	return submissions, wrapError("read the submissions of a rejudging", err)
}

func rejudgedSubmissions(ctx context.Context, q *query.Queries, id string) ([]*RejudgedSubmission, error) {
	runs, err := q.RejudgedRuns(ctx, id)
	if err != nil {
		return nil, err
	}
	runsBySubmission := map[string][]RejudgedRun{}
	for _, r := range runs {
		runsBySubmission[r.Submission] = append(runsBySubmission[r.Submission], RejudgedRun{judge.Verdict(r.Verdict), r.Score, r.Worker})
	}
	rows, err := q.RejudgedOf(ctx, id)
	submissions := make([]*RejudgedSubmission, len(rows))
	for i, r := range rows {
		submissions[i] = &RejudgedSubmission{
			Submission: r.ID, Number: r.Number, Problem: r.Slug, Login: r.Login, Display: r.Display,
			OldVerdict: judge.Verdict(r.OldVerdict.String), OldScore: r.OldScore.String,
			Runs: runsBySubmission[r.ID], Ended: r.Open == 0, Verdict: judge.Verdict(r.Verdict.String), Score: r.Score.String,
			Reason:         r.Reason,
			CurrentChanged: r.Standing != r.Old,
		}
		if err := fromJSON("a judgement of submission "+r.ID, r.Finished.String, &submissions[i].Finished); err != nil {
			return nil, err
		}
	}
	return submissions, err
}

// An ApplyBlockers lists the numbers of the submissions that keep a rejudging from being applied. As an error it matches
// ErrNotReady.
type ApplyBlockers struct {
	Pending, Lost, CurrentChanged []int64
}

func (u *ApplyBlockers) Error() string {
	switch {
	case len(u.Pending) > 0:
		return fmt.Sprintf("%d submissions are still being judged; the first is %d", len(u.Pending), u.Pending[0])
	case len(u.Lost) > 0:
		return fmt.Sprintf("%d submissions would lose their verdict to a judge error; the first is %d", len(u.Lost), u.Lost[0])
	}
	return fmt.Sprintf(
		"the verdict of %d submissions has changed since the rejudging began; the first is %d", len(u.CurrentChanged),
		u.CurrentChanged[0],
	)
}

// Is reports whether err is ErrNotReady.
func (u *ApplyBlockers) Is(err error) bool { return err == ErrNotReady }

// ApplyRejudging makes all judgements of a rejudging the current ones, in one transaction. It returns ErrEnded if the
// rejudging was applied or canceled before, an *ApplyBlockers if something prevents it, and ErrResultsFinal if the
// results of the contest are final.
func (s *Store) ApplyRejudging(ctx context.Context, id string) error {
	return s.tx(ctx, "apply a rejudging", func(q *query.Queries) error {
		if err := s.endRejudging(ctx, q, id, RejudgingApplied); err != nil {
			return err
		}
		r, err := q.GetRejudging(ctx, id)
		if err != nil {
			return err
		}
		if c, err := q.GetContest(ctx, r.Contest); err != nil || c.Finalized.Valid {
			return errors.Join(err, ErrResultsFinal)
		}
		submissions, err := rejudgedSubmissions(ctx, q, id)
		if err != nil {
			return err
		}
		var not ApplyBlockers
		for _, rejudged := range submissions {
			switch {
			case !rejudged.Ended:
				not.Pending = append(not.Pending, rejudged.Number)
			case rejudged.LosesVerdict():
				not.Lost = append(not.Lost, rejudged.Number)
			case rejudged.CurrentChanged:
				not.CurrentChanged = append(not.CurrentChanged, rejudged.Number)
			}
		}
		if len(not.Pending)+len(not.Lost)+len(not.CurrentChanged) > 0 {
			return &not
		}
		if err := q.KeepVerified(ctx, id); err != nil {
			return err
		}
		if err := q.ApplyRejudged(ctx, id); err != nil {
			return err
		}
		for _, rejudged := range submissions {
			if err := q.SettleStanding(ctx, rejudged.Submission); err != nil {
				return err
			}
			if _, err := s.appendEvent(ctx, q, r.Contest, KindSubmission, rejudged.Submission, OpUpdated); err != nil {
				return err
			}
		}
		return nil
	})
}

// CancelRejudging cancels a rejudging and its pending jobs. It returns these jobs, because workers may already be running
// some of them. It returns ErrEnded if the rejudging was already applied or canceled.
func (s *Store) CancelRejudging(ctx context.Context, id string) (jobs []string, err error) {
	err = s.tx(ctx, "cancel a rejudging", func(q *query.Queries) error {
		if err := s.endRejudging(ctx, q, id, RejudgingCancelled); err != nil {
			return err
		}
		if jobs, err = q.CancelJobsOfOwner(ctx, id, nullInt(s.now())); err != nil {
			return err
		}
		for _, jobID := range jobs {
			if _, err := s.endJudgement(ctx, q, query.EndJudgementParams{ID: jobID, Toolchains: "{}"}); err != nil {
				return err
			}
		}
		return nil
	})
	return jobs, err
}

// endRejudging ends a running rejudging, and locks its contest.
func (s *Store) endRejudging(ctx context.Context, q *query.Queries, id string, state RejudgingState) error {
	r, err := q.GetRejudging(ctx, id)
	if err != nil {
		return err
	}
	now, err := s.appendEvent(ctx, q, r.Contest, KindRejudging, id, OpUpdated)
	if err != nil {
		return err
	}
	n, err := q.EndRejudging(ctx, query.EndRejudgingParams{ID: id, State: string(state), Ended: sql.NullInt64{Int64: now, Valid: true}})
	if err != nil {
		return err
	}
	if n == 0 {
		return ErrEnded
	}
	return q.CloseRejudged(ctx, id)
}
