package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/store/internal/query"
)

// An Origin is the reason for a judgement.
type Origin string

// The origins of a judgement. A judgement that repeats another one has its own job, which must run on other
// workers. Until that job has ended, the submission is pending.
const (
	OriginFirst     Origin = "first"
	OriginNearLimit Origin = "near-limit" // the time was near the limit; see package job
	OriginUntrusted Origin = "untrusted"  // the previous judgement is from an untrusted worker and needs confirmation
	OriginRejudge   Origin = "rejudge"    // part of a rejudging; it repeats no judgement
)

// A Doubt says why a result does not count yet, and which workers must not judge the submission again.
type Doubt struct {
	Why     string
	Exclude []string // workers
}

// A Run is one judgement of a submission. Other runs may repeat it.
type Run struct {
	ID      string // of the judgement and of its job
	Origin  Origin
	Worker  string
	Verdict judge.Verdict // empty if there is none
	Ended   time.Time     // zero while it is pending
	score   string
}

// Runs reads the judgement of a job, and all judgements that repeat it or that it repeats, in order. For a job of
// a workflow it returns none.
func (s *Store) Runs(ctx context.Context, id string) ([]*Run, error) {
	judgement, err := s.read.JudgementOfJob(ctx, id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, wrapError("look for a judgement", err)
	}
	found, err := runs(ctx, s.read, judgement)
	return found, wrapError("read the judgings of a submission", err)
}

func runs(ctx context.Context, q *query.Queries, judgement query.JudgementOfJobRow) ([]*Run, error) {
	rows, err := q.RunsOf(ctx, judgement.Submission, judgement.Root)
	list := make([]*Run, len(rows))
	for i, r := range rows {
		list[i] = &Run{r.ID, Origin(r.Origin), r.Worker, judge.Verdict(r.Verdict.String), fromMicros(r.Ended.Int64), r.Score.String}
	}
	return list, err
}

// selectCurrent decides which judgement of a submission counts after the judgement of job j has ended. It is that
// judgement, one that it repeats, or a new one that settle creates.
func (s *Store) selectCurrent(
	ctx context.Context, q *query.Queries, j *query.Job, untrusted []string, doubt *Doubt, f *RecordedResult,
) error {
	judgement, err := q.JudgementOfJob(ctx, j.ID)
	if err != nil {
		return err
	}
	ended, err := runs(ctx, q, judgement)
	if err != nil {
		return err
	}
	newest := ended[slices.IndexFunc(ended, func(r *Run) bool { return r.ID == j.ID })]
	switch isUntrusted := slices.Contains(untrusted, newest.Worker); {
	case f.Outcome == Counted && isUntrusted:
		f.NeedsRepeat = true
		return s.repeatJudgement(ctx, q, j, judgement, OriginUntrusted, Doubt{newest.Worker + " is untrusted", untrusted})
	case f.Outcome == Counted && doubt != nil:
		f.NeedsRepeat = true
		return s.repeatJudgement(ctx, q, j, judgement, OriginNearLimit, Doubt{doubt.Why, slices.Concat(doubt.Exclude, untrusted)})
	}
	for _, r := range ended {
		if slices.Contains(untrusted, r.Worker) {
			f.UntrustedRuns = append(f.UntrustedRuns, r)
		}
	}
	return s.makeBestCurrent(ctx, q, judgement, ended, untrusted)
}

// makeBestCurrent makes the best run of a trusted worker count. A judge error is worse than any verdict, and a time limit
// verdict is worse than any other verdict. Of two runs with scores, the one with the higher score is better. If no
// trusted worker has run the submission, nothing changes.
func (s *Store) makeBestCurrent(
	ctx context.Context, q *query.Queries, judgement query.JudgementOfJobRow, ended []*Run, untrusted []string,
) error {
	var best *Run
	for _, r := range ended {
		if r.Verdict != "" && !slices.Contains(untrusted, r.Worker) && (best == nil || r.isBetter(best)) {
			best = r
		}
	}
	if best == nil || len(ended) == 1 {
		return nil
	}
	return makeCurrent(ctx, q, judgement, best.ID)
}

// isBetter reports whether r is preferred to an earlier run.
func (r *Run) isBetter(earlier *Run) bool {
	rank := func(r *Run) int {
		switch r.Verdict {
		case judge.JudgeError:
			return 0
		case judge.TimeLimit:
			return 1
		}
		return 2
	}
	points := func(r *Run) (float64, error) {
		text, _, _ := strings.Cut(r.score, " ") // "40 of 100"
		return strconv.ParseFloat(text, 64)
	}
	score, err1 := points(r)
	before, err2 := points(earlier)
	if err1 == nil && err2 == nil && rank(r) > 0 {
		return score > before
	}
	return rank(r) > rank(earlier)
}

// repeatJudgement creates a further judgement for the submission of a job. The new judgement becomes the current one.
func (s *Store) repeatJudgement(
	ctx context.Context, q *query.Queries, j *query.Job, judgement query.JudgementOfJobRow, origin Origin, d Doubt,
) error {
	var work job.Work
	if err := fromJSON("job "+j.ID, j.Spec, &work); err != nil {
		return err
	}
	work.Retime = origin == OriginNearLimit
	id := newID()
	now, err := s.appendEvent(ctx, q, judgement.Contest, KindJudgement, id, OpCreated)
	if err != nil {
		return err
	}
	if err := q.InsertJudgement(ctx, query.InsertJudgementParams{
		ID: id, Submission: judgement.Submission, Bundle: string(work.Bundle), Config: string(work.Config), Class: j.Class,
		Origin: string(origin), Root: judgement.Root, Why: sanitize(d.Why), Started: now, Verify: judgement.Verify,
	}); err != nil {
		return err
	}
	if err := makeCurrent(ctx, q, judgement, id); err != nil {
		return err
	}
	return enqueue(ctx, q, j.Owner, job.Priority(j.Lane), []queuedJob{{
		id: id, work: work, priority: job.Priority(j.Lane), class: j.Class, cost: time.Duration(j.Cost) * time.Microsecond,
		made: now, exclude: d.Exclude,
	}})
}

// UntrustedWorkers returns the names of the untrusted workers of a class.
func (s *Store) UntrustedWorkers(ctx context.Context, class string) ([]string, error) {
	names, err := s.read.GuestsOf(ctx, class)
	return names, wrapError("read the untrusted workers", err)
}

// A PendingRejudge is a pending judgement that certain workers must not run.
type PendingRejudge struct {
	ID         string // of the judgement and of its job
	Submission string // id
	Origin     Origin
	Priority   job.Priority
	Class      string
	Exclude    []string // workers
}

// PendingRejudges reads the pending repetitions.
func (s *Store) PendingRejudges(ctx context.Context) ([]*PendingRejudge, error) {
	rows, err := s.read.OpenRepeats(ctx)
	if err != nil {
		return nil, wrapError("read the pending repetitions", err)
	}
	pending := make([]*PendingRejudge, len(rows))
	for i, r := range rows {
		pending[i] = &PendingRejudge{
			ID: r.ID, Submission: r.Submission, Origin: Origin(r.Origin), Priority: job.Priority(r.Lane),
			Class: r.Class,
		}
		if err := fromJSON("job "+r.ID, r.Excluded, &pending[i].Exclude); err != nil {
			return nil, err
		}
	}
	return pending, nil
}

// A JuryJudgement is a judgement as the jury sees it.
type JuryJudgement struct {
	Run
	Root           string // the judgement that it repeats, or itself
	Why            string // why it repeats that one
	Reason         string // why there is no verdict
	Started        time.Time
	Submission     string
	Number         int64
	Problem        string // slug
	Login          string
	Program        string
	Current        bool          // it is the current one
	Case           string        // the first failed test case; may be empty
	Time           time.Duration // of Case, or of the slowest test case
	Version        string        // of the judge
	IsolationLevel string
	Toolchains     map[string]string // maps language ids to toolchain identities
}

// A JudgementFilter selects judgements. The zero value selects the first page of all judgements.
type JudgementFilter struct {
	Worker string // if empty, all workers
	// Origin selects the judgements that were repeated for this reason, and their repetitions. If empty,
	// judgements are selected whether or not they were repeated.
	Origin Origin
	Before string // only judgements with a smaller id; if empty, all
	Limit  int    // maximum number of results; zero means 200
}

// JuryJudgements reads judgements, newest first. For the next page, set f.Before to the last id of this page.
func (s *Store) JuryJudgements(ctx context.Context, f JudgementFilter) ([]*JuryJudgement, error) {
	if f.Before == "" {
		f.Before = "~" // after all ids
	}
	if f.Limit == 0 {
		f.Limit = 200
	}
	rows, err := s.read.Judgings(ctx, query.JudgingsParams{
		Before: f.Before, Worker: f.Worker, Origin: string(f.Origin), Most: int32(min(f.Limit, math.MaxInt32)),
	})
	if err != nil {
		return nil, wrapError("read judgings", err)
	}
	judgements := make([]*JuryJudgement, len(rows))
	for i, r := range rows {
		judgements[i] = &JuryJudgement{
			Run:  Run{r.ID, Origin(r.Origin), r.Worker, judge.Verdict(r.Verdict.String), fromMicros(r.Ended.Int64), r.Score.String},
			Root: r.Root, Why: r.Why, Reason: r.Reason, Started: fromMicros(r.Started), Submission: r.Submission, Number: r.Number,
			Problem: r.Slug, Login: r.Login, Program: r.Entry, Current: r.Standing == r.ID,
			Version: r.Version, IsolationLevel: r.Rung,
		}
		if err := errors.Join(judgements[i].measure(r.Finished.String, r.CaseRows.String),
			fromJSON("the judgement "+r.ID, r.Toolchains, &judgements[i].Toolchains)); err != nil {
			return nil, err
		}
	}
	return judgements, nil
}

// measure sets the test case and the time of a judgement.
func (j *JuryJudgement) measure(finished, rows string) error {
	var end judge.Finished
	var cases []job.CaseRow
	if err := errors.Join(fromJSON("the judgement "+j.ID, finished, &end), fromJSON("the judgement "+j.ID, rows, &cases)); err != nil {
		return err
	}
	j.Case, j.Time = end.First, time.Duration(end.TimeMS*float64(time.Millisecond))
	for _, c := range cases {
		if c.Case == end.First {
			j.Time = time.Duration(c.CPUUS) * time.Microsecond
		}
	}
	return nil
}

// requeueForTrusted queues a job again, so that only trusted workers can run it. It is called if an untrusted worker failed
// or returned the result of a task, because neither can end the job.
func (s *Store) requeueForTrusted(ctx context.Context, q *query.Queries, j *query.Job, r *job.Result, untrusted []string) (Outcome, error) {
	if j.DoneAt.Valid || j.Generation != int64(r.Generation) {
		return Dropped, nil
	}
	var excluded []string
	if err := fromJSON("job "+j.ID, j.Excluded, &excluded); err != nil {
		return "", err
	}
	for _, g := range untrusted {
		if !slices.Contains(excluded, g) {
			excluded = append(excluded, g)
		}
	}
	list, err := toJSON(excluded)
	if err != nil {
		return "", fmt.Errorf("write who must not do a job: %w", err)
	}
	n, err := q.FailJob(ctx, query.FailJobParams{ID: j.ID, Generation: j.Generation, Excluded: list})
	if n == 0 {
		return Dropped, err
	}
	return Retried, err
}
