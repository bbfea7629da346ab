package store

import (
	"context"
	"crypto/subtle"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/store/internal/query"
)

// An Outcome is the effect of a result.
type Outcome string

// The outcomes of Fold. After any of them, the result has been handled and must not be sent to Fold again.
const (
	Counted      Outcome = "counted"      // it is the result of its job
	Duplicate    Outcome = "duplicate"    // the job already had this verdict
	Disagreement Outcome = "disagreement" // the job keeps its different verdict; the audit log records the conflict
	Dropped      Outcome = "dropped"      // the job was canceled, does not exist, or belongs to another worker
	Retried      Outcome = "retried"      // the job is queued again, for another worker
	GaveUp       Outcome = "gave up"      // the job failed too often; the audit log records it
)

// Folded describes what Fold did.
type Folded struct {
	Outcome
	Submission string // id; empty if the job is part of a flow, or unknown
	Flow       string // id; empty if the job belongs to a submission, or is unknown
	// Again reports whether the submission must be judged once more before its verdict counts. Guests lists the
	// runs of untrusted workers whose verdicts are to be compared with this result.
	Again  bool
	Guests []*Run
}

// maxTries is the maximum number of times that a job may fail, on any workers. If a worker blames the problem or
// the caller for the failure, the maximum is triesBlame, so that only one other worker tries the job.
const (
	maxTries   = 5
	triesBlame = 2
)

// Fold stores a result once, even if it is offered several times. Events is the digest of the blob with r.Events,
// which the caller has stored; it may be empty. A verdict ends the job's judgement or becomes a part of the job's
// flow. After a failure, the job is queued again and excludes the worker that failed. After too many failures, the
// verdict is a judge error. An untrusted worker's verdict counts only after a trusted worker has also judged the
// submission.
func (s *Store) Fold(ctx context.Context, r *job.Result, events blob.Digest) (Folded, error) {
	return s.FoldDoubtful(ctx, r, events, nil)
}

// FoldDoubtful is like Fold. If doubt is not nil, other workers must check the result before it counts.
func (s *Store) FoldDoubtful(ctx context.Context, r *job.Result, events blob.Digest, doubt *Doubt) (f Folded, err error) {
	err = s.tx(ctx, "take the result of job "+clean(r.Job), func(q *query.Queries) error {
		f = Folded{Outcome: Dropped}
		j, err := q.GetJob(ctx, r.Job)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil || subtle.ConstantTimeCompare([]byte(j.Token), []byte(r.Token)) == 0 {
			return err
		}
		f.Flow = j.Flow.String
		if !j.Flow.Valid {
			of, err := q.JudgementOfJob(ctx, j.ID)
			if err != nil {
				return err
			}
			f.Submission = of.Submission
		}
		if !j.Flow.Valid && r.State == job.Done && r.Finished == nil {
			empty := *r
			empty.State, empty.Reason = job.Failed, "the worker says that it is done, and gives no verdict"
			r = &empty
		}
		guests, err := q.GuestsOf(ctx, j.Class)
		if err != nil {
			return err
		}
		f.Outcome, err = s.outcome(ctx, q, &j, r, events, guests)
		if err == nil && !j.Flow.Valid && (f.Outcome == Counted || f.Outcome == GaveUp) {
			err = s.settle(ctx, q, &j, guests, doubt, &f)
		}
		return err
	})
	return f, err
}

// outcome stores a result for a known job.
func (s *Store) outcome(ctx context.Context, q *query.Queries, j *query.Job, r *job.Result, events blob.Digest,
	guests []string) (Outcome, error) {
	switch guest := slices.Contains(guests, clean(r.Worker)); {
	case guest && (r.State != job.Done || j.Flow.Valid):
		return s.without(ctx, q, j, r, guests)
	case r.State != job.Done:
		return s.failure(ctx, q, j, r)
	}
	ended, err := s.end(ctx, q, j, r, Done, events)
	if err != nil || ended {
		return Counted, err
	}
	return s.second(ctx, q, r)
}

// end makes r the result of a job. It returns false if the job already has a result.
func (s *Store) end(ctx context.Context, q *query.Queries, j *query.Job, r *job.Result, state JobState, events blob.Digest) (bool, error) {
	n, err := q.EndJob(ctx, query.EndJobParams{ID: j.ID, State: string(state), DoneAt: some(s.now()), Worker: clean(r.Worker)})
	if err != nil || n == 0 {
		return false, err
	}
	if events != "" {
		if err := q.PutBlob(ctx, query.PutBlobParams{Sha256: string(events), Size: int64(len(r.Events)), Kind: "events",
			Stored: s.now()}); err != nil {
			return false, err
		}
	}
	if j.Flow.Valid {
		return s.part(ctx, q, j.Flow.String, Part{Key: j.PartKey, Job: j.ID, Result: r, Events: events})
	}
	judgement := query.EndJudgementParams{
		ID: j.ID, Verdict: text(string(judge.JudgeError)), Reason: clean(r.Reason), Worker: clean(r.Worker), Version: clean(r.Version),
		Machine: clean(r.Machine), Rung: clean(r.Rung), Cpu: max(r.CPUUS, 0), Events: sql.NullString{String: string(events), Valid: events != ""},
	}
	if r.Finished != nil {
		judgement.Verdict = text(string(verdict(r)))
		if r.Finished.Score != nil {
			judgement.Score = text(r.Finished.Score.String())
		}
	}
	finished, err1 := toJSON(r.Finished)
	rows, err2 := toJSON(r.Rows)
	toolchains, err3 := toJSON(r.Toolchains)
	if err := errors.Join(err1, err2, err3); err != nil {
		return false, fmt.Errorf("write a result: %w", err)
	}
	judgement.Finished, judgement.CaseRows, judgement.Toolchains = text(finished), text(rows), toolchains
	return s.endJudgement(ctx, q, judgement)
}

// endJudgement ends a pending judgement and logs it.
func (s *Store) endJudgement(ctx context.Context, q *query.Queries, j query.EndJudgementParams) (bool, error) {
	of, err := q.JudgementOfJob(ctx, j.ID)
	if err != nil {
		return false, err
	}
	now, err := s.step(ctx, q, of.Contest, OfJudgement, j.ID, Updated)
	if err != nil {
		return false, err
	}
	j.Ended = some(now)
	n, err := q.EndJudgement(ctx, j)
	if err != nil || n != 1 {
		return false, err
	}
	return true, q.SettleStanding(ctx, of.Submission)
}

// verdict returns the verdict of a result, or an empty string if it has none.
func verdict(r *job.Result) judge.Verdict {
	if r.Finished == nil {
		return ""
	}
	return r.Finished.Verdict
}

// second handles another result for a job that has ended.
func (s *Store) second(ctx context.Context, q *query.Queries, r *job.Result) (Outcome, error) {
	j, err := q.GetJob(ctx, r.Job)
	if err != nil || j.State == string(Cancelled) {
		return Dropped, err
	}
	var first judge.Verdict
	if j.Flow.Valid {
		p, err := q.GetPart(ctx, j.Flow.String, j.PartKey)
		if err != nil {
			return "", err
		}
		var was job.Result
		if err := fromJSON("the part "+j.PartKey, p.Result, &was); err != nil {
			return "", err
		}
		first = verdict(&was)
	} else {
		was, err := q.JudgementOfJob(ctx, r.Job)
		if err != nil {
			return "", err
		}
		first = judge.Verdict(was.Verdict.String)
	}
	said := verdict(r)
	if said == first {
		return Duplicate, nil
	}
	return Disagreement, s.audit(ctx, q, Entry{
		Actor: r.Worker, Action: "one job, two verdicts", Object: r.Job,
		Detail: fmt.Sprintf("%s says %s; %s said %s, which stands", r.Worker, said, j.Worker, first),
	})
}

// failure handles the failure of a worker. It ignores failures of earlier generations, because the job has been
// dispatched again since.
func (s *Store) failure(ctx context.Context, q *query.Queries, j *query.Job, r *job.Result) (Outcome, error) {
	if j.DoneAt.Valid || j.Generation != int64(r.Generation) {
		return Dropped, nil
	}
	var excluded []string
	if err := fromJSON("job "+j.ID, j.Excluded, &excluded); err != nil {
		return "", err
	}
	// A worker that must not run a job refuses it, and the queue gives up a job that is refused too often. A
	// refusal says nothing about the job, so it does not count as a try. If a job was delivered too often although
	// no worker is known to have crashed, the queue may have failed. Such a job gets only a few more tries,
	// because it may crash workers.
	ends := r.State == job.GivenUp && r.TooOften && !r.Unproven
	refused := r.State == job.GivenUp && r.Unproven
	tries := int64(maxTries)
	if r.Blame == judge.Setter || r.Blame == judge.Caller {
		tries = triesBlame
	}
	who := []string{clean(r.Worker)}
	if refused {
		who = nil
		for _, worker := range r.Had {
			who = append(who, clean(worker))
		}
	}
	who = slices.DeleteFunc(who, func(worker string) bool { return slices.Contains(excluded, worker) })
	now := j.Tries + 1
	if refused && len(excluded) > 0 && len(who) == 0 {
		now = j.Tries
	}
	if ends || now >= tries {
		ended, err := s.end(ctx, q, j, r, Failed, "")
		if err != nil || !ended {
			return Dropped, err
		}
		return GaveUp, s.audit(ctx, q, Entry{Actor: r.Worker, Action: "a job failed", Object: j.ID, Detail: r.Reason})
	}
	list, err := toJSON(append(excluded, who...))
	if err != nil {
		return "", err
	}
	n, err := q.FailJob(ctx, query.FailJobParams{ID: j.ID, Generation: j.Generation, Excluded: list, Tries: now})
	if n == 0 {
		return Dropped, err
	}
	return Retried, err
}
