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
	Contest string // id
	Filter  Filter // selected the submissions
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
	Submissions, Open int
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
	Filter  Filter // Contest, Before and Limit work as in Submissions
	Why     string
	Account string // id of the caller
	// Bundle is the version of the problem in Filter with which the submissions are judged. If empty, the active
	// version of each problem is used.
	Bundle blob.Digest
	// Repeats is how often each submission is judged, from 1 to MostRepeats. Zero means 1. If the verdicts of a
	// submission's runs differ, the best one counts, as for runs near the time limit.
	Repeats int
}

// MostRepeats is the maximum of NewRejudging.Repeats.
const MostRepeats = 10

// Errors of rejudgings.
var (
	ErrFinal    = errors.New("the results of the contest are final")
	ErrNotReady = errors.New("it cannot be applied yet")
	// ErrTooMany means that a rejudging would have more than MostRejudged runs.
	ErrTooMany = errors.New("too many submissions")
)

// MostRejudged is the maximum number of runs in a rejudging.
const MostRejudged = 20_000

// Rejudge creates a rejudging of the submissions that the filter in n selects. Each is judged in the background
// lane. Left is the number of selected submissions that are left out because they have no verdict yet or are in
// another running rejudging. Rejudge returns ErrNotFound if the filter selects no submission or the version in n
// does not exist. It returns ErrTooMany if there would be more than MostRejudged runs, and ErrFinal if the results
// of the contest are final.
func (s *Store) Rejudge(ctx context.Context, n NewRejudging) (r *Rejudging, left int, err error) {
	n.Repeats = max(n.Repeats, 1)
	if n.Filter.Limit == 0 {
		n.Filter.Limit = MostRejudged/n.Repeats + 1
	}
	chosen, err := s.Submissions(ctx, n.Filter)
	if err == nil && len(chosen)*n.Repeats > MostRejudged {
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
		if problems[c.Problem], err = s.problemAt(ctx, c.Problem, n.Bundle); err != nil {
			return nil, 0, err
		}
		if costs[c.Problem], err = s.Cost(ctx, c.Problem); err != nil {
			return nil, 0, err
		}
	}
	id := newID()
	err = s.tx(ctx, "begin a rejudging", func(q *query.Queries) error {
		left = 0
		if len(chosen) == 0 {
			return ErrNotFound
		}
		contest := chosen[0].Contest
		now, err := s.step(ctx, q, contest, OfRejudging, id, Created) // locks the contest
		if err != nil {
			return err
		}
		if c, err := q.GetContest(ctx, contest); err != nil || c.Finalized.Valid {
			return errors.Join(err, ErrFinal)
		}
		running, err := q.RunningRejudged(ctx, contest)
		if err != nil {
			return err
		}
		taken := map[string]bool{}
		for _, one := range running {
			taken[one] = true
		}
		if err := q.InsertRejudging(ctx, query.InsertRejudgingParams{
			ID: id, Contest: contest, Filter: filter, Why: clean(n.Why), Account: n.Account, Made: now, Bundle: string(n.Bundle),
			Repeats: int64(n.Repeats),
		}); err != nil {
			return err
		}
		var jobs []newJob
		for i := len(chosen) - 1; i >= 0; i-- { // in order of submission
			c := chosen[i]
			old, err := q.StandingJudgement(ctx, c.ID)
			if err != nil {
				return err
			}
			none := len(c.Files) == 0 || problems[c.Problem].Bundle == "" // deleted content cannot be judged
			if taken[c.ID] || !old.Ended.Valid || none {
				left++
				continue
			}
			runs, err := s.judgeBeside(ctx, q, id, &old, problems[c.Problem], n.Repeats, now)
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
		return enqueue(ctx, q, id, job.Background, jobs)
	})
	if err != nil {
		return nil, left, err
	}
	r, err = s.Rejudging(ctx, id)
	return r, left, err
}

// problemAt reads a problem, and replaces its active version by the given one. If bundle is empty, it keeps the
// active version.
func (s *Store) problemAt(ctx context.Context, slug string, bundle blob.Digest) (*Problem, error) {
	p, err := s.Problem(ctx, slug)
	if err != nil || bundle == "" {
		return p, err
	}
	versions, err := s.Versions(ctx, p)
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

// judgeBeside creates the judgements of a submission in a rejudging. The first judgement is the one that the
// others repeat.
func (s *Store) judgeBeside(
	ctx context.Context, q *query.Queries, rejudging string, old *query.StandingJudgementRow, p *Problem, repeats int, now int64,
) (jobs []newJob, err error) {
	did, err := q.GetJob(ctx, old.ID)
	if err != nil {
		return nil, err
	}
	var work job.Work
	if err := fromJSON("job "+did.ID, did.Spec, &work); err != nil {
		return nil, err
	}
	work.Bundle, work.Config, work.Alone = p.Bundle, p.Config, false
	of, err := q.GetSubmission(ctx, old.Submission)
	if err != nil {
		return nil, err
	}
	verify, err := s.verifyMode(ctx, q, of.Contest, of.ID)
	if err != nil {
		return nil, err
	}
	root := newID()
	for id := root; len(jobs) < repeats; id = newID() {
		if err := q.InsertJudgement(ctx, query.InsertJudgementParams{
			Verify: verify, ID: id, Submission: old.Submission, Bundle: string(p.Bundle), Config: string(p.Config), Class: did.Class,
			Origin: string(OfRejudge), Root: root, Started: now,
		}); err != nil {
			return nil, err
		}
		jobs = append(jobs, newJob{id: id, work: work, lane: job.Background, class: did.Class, made: now})
	}
	return jobs, q.InsertRejudged(ctx, query.InsertRejudgedParams{Rejudging: rejudging, Submission: old.Submission, Old: old.ID, Root: root})
}

// count makes a judgement the current one of its submission. If the judgement belongs to a rejudging, the current
// one stays, and count makes the judgement the one that becomes current when the rejudging is applied.
func count(ctx context.Context, q *query.Queries, of query.JudgementOfJobRow, id string) error {
	if n, err := q.SetRejudged(ctx, of.Root, id); err != nil || n > 0 {
		return err
	}
	if err := q.SetStanding(ctx, of.Submission, id); err != nil {
		return err
	}
	return q.SettleStanding(ctx, of.Submission)
}

// Rejudging reads a rejudging.
func (s *Store) Rejudging(ctx context.Context, id string) (*Rejudging, error) {
	r, err := s.read.GetRejudging(ctx, id)
	if err != nil {
		return nil, failed("read the rejudging "+id, err)
	}
	all, err := s.Rejudgings(ctx, r.Contest)
	for _, one := range all {
		if one.ID == id {
			return one, nil
		}
	}
	return nil, errors.Join(err, fmt.Errorf("read the rejudging %s: %w", id, ErrNotFound))
}

// Rejudgings reads the rejudgings of a contest, newest first.
func (s *Store) Rejudgings(ctx context.Context, contest string) ([]*Rejudging, error) {
	rows, err := s.read.RejudgingsOf(ctx, contest)
	if err != nil {
		return nil, failed("read the rejudgings of a contest", err)
	}
	all := make([]*Rejudging, len(rows))
	for i, r := range rows {
		all[i] = &Rejudging{
			ID: r.ID, Contest: r.Contest, Why: r.Why, Login: r.Login, State: RejudgingState(r.State), Made: instant(r.Made),
			Ended:       instant(r.Ended.Int64),
			Submissions: int(r.Submissions), Open: int(r.Open), Bundle: blob.Digest(r.Bundle), Repeats: int(r.Repeats),
		}
		if err := fromJSON("the filter of the rejudging "+r.ID, r.Filter, &all[i].Filter); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// A Rejudged is a submission in a rejudging.
type Rejudged struct {
	Submission string // id
	Number     int64
	Problem    string // slug
	Login      string
	Display    string
	Was        judge.Verdict
	WasScore   string
	Done       bool          // all runs have ended
	Verdict    judge.Verdict // empty if pending or canceled
	Score      string
	Finished   *judge.Finished
	Reason     string // why the judge gave no verdict
	Moved      bool   // the current judgement has changed since the rejudging began
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

// Differ reports whether the runs have different verdicts or scores.
func (r *Rejudged) Differ() bool {
	for _, run := range r.Runs {
		if run.Verdict != r.Runs[0].Verdict || run.Score != r.Runs[0].Score {
			return true
		}
	}
	return false
}

// Changed reports whether applying r would change the verdict or the score.
func (r *Rejudged) Changed() bool { return r.Done && (r.Verdict != r.Was || r.Score != r.WasScore) }

// Lost reports whether applying r would lose a verdict.
func (r *Rejudged) Lost() bool {
	none := func(v judge.Verdict) bool { return v == judge.NotJudged || v == judge.JudgeError }
	return r.Done && none(r.Verdict) && !none(r.Was)
}

// RejudgedOf reads the submissions of a rejudging, ordered by number.
func (s *Store) RejudgedOf(ctx context.Context, id string) ([]*Rejudged, error) {
	all, err := rejudgedOf(ctx, s.read, id)
	return all, failed("read the submissions of a rejudging", err)
}

func rejudgedOf(ctx context.Context, q *query.Queries, id string) ([]*Rejudged, error) {
	runs, err := q.RejudgedRuns(ctx, id)
	if err != nil {
		return nil, err
	}
	of := map[string][]RejudgedRun{}
	for _, r := range runs {
		of[r.Submission] = append(of[r.Submission], RejudgedRun{judge.Verdict(r.Verdict), r.Score, r.Worker})
	}
	rows, err := q.RejudgedOf(ctx, id)
	all := make([]*Rejudged, len(rows))
	for i, r := range rows {
		all[i] = &Rejudged{
			Submission: r.ID, Number: r.Number, Problem: r.Slug, Login: r.Login, Display: r.Display,
			Was: judge.Verdict(r.OldVerdict.String), WasScore: r.OldScore.String,
			Runs: of[r.ID], Done: r.Open == 0, Verdict: judge.Verdict(r.Verdict.String), Score: r.Score.String, Reason: r.Reason,
			Moved: r.Standing != r.Old,
		}
		if err := fromJSON("a judgement of submission "+r.ID, r.Finished.String, &all[i].Finished); err != nil {
			return nil, err
		}
	}
	return all, err
}

// An Unready lists the numbers of the submissions that keep a rejudging from being applied. As an error it matches
// ErrNotReady.
type Unready struct {
	Open, Lost, Moved []int64
}

func (u *Unready) Error() string {
	switch {
	case len(u.Open) > 0:
		return fmt.Sprintf("%d submissions are still being judged; the first is %d", len(u.Open), u.Open[0])
	case len(u.Lost) > 0:
		return fmt.Sprintf("%d submissions would lose their verdict to a judge error; the first is %d", len(u.Lost), u.Lost[0])
	}
	return fmt.Sprintf("the verdict of %d submissions has changed since the rejudging began; the first is %d", len(u.Moved), u.Moved[0])
}

// Is reports whether err is ErrNotReady.
func (u *Unready) Is(err error) bool { return err == ErrNotReady }

// Apply makes all judgements of a rejudging the current ones, in one transaction. It returns ErrEnded if the
// rejudging was applied or canceled before, an *Unready if something prevents it, and ErrFinal if the results of
// the contest are final.
func (s *Store) Apply(ctx context.Context, id string) error {
	return s.tx(ctx, "apply a rejudging", func(q *query.Queries) error {
		if err := s.endRejudging(ctx, q, id, RejudgingApplied); err != nil {
			return err
		}
		r, err := q.GetRejudging(ctx, id)
		if err != nil {
			return err
		}
		if c, err := q.GetContest(ctx, r.Contest); err != nil || c.Finalized.Valid {
			return errors.Join(err, ErrFinal)
		}
		all, err := rejudgedOf(ctx, q, id)
		if err != nil {
			return err
		}
		var not Unready
		for _, one := range all {
			switch {
			case !one.Done:
				not.Open = append(not.Open, one.Number)
			case one.Lost():
				not.Lost = append(not.Lost, one.Number)
			case one.Moved:
				not.Moved = append(not.Moved, one.Number)
			}
		}
		if len(not.Open)+len(not.Lost)+len(not.Moved) > 0 {
			return &not
		}
		if err := q.KeepVerified(ctx, id); err != nil {
			return err
		}
		if err := q.ApplyRejudged(ctx, id); err != nil {
			return err
		}
		for _, one := range all {
			if err := q.SettleStanding(ctx, one.Submission); err != nil {
				return err
			}
			if _, err := s.step(ctx, q, r.Contest, OfSubmission, one.Submission, Updated); err != nil {
				return err
			}
		}
		return nil
	})
}

// Forget cancels a rejudging and its pending jobs. It returns these jobs, because workers may already be running
// some of them. It returns ErrEnded if the rejudging was already applied or canceled.
func (s *Store) Forget(ctx context.Context, id string) (jobs []string, err error) {
	err = s.tx(ctx, "cancel a rejudging", func(q *query.Queries) error {
		if err := s.endRejudging(ctx, q, id, RejudgingCancelled); err != nil {
			return err
		}
		if jobs, err = q.CancelJobsOfOwner(ctx, id, some(s.now())); err != nil {
			return err
		}
		for _, one := range jobs {
			if _, err := s.endJudgement(ctx, q, query.EndJudgementParams{ID: one, Toolchains: "{}"}); err != nil {
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
	now, err := s.step(ctx, q, r.Contest, OfRejudging, id, Updated)
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
