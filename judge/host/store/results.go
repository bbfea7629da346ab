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

// The outcomes of RecordResult. After any of them, the result has been handled and must not be sent to RecordResult again.
const (
	Counted      Outcome = "counted"      // it is the result of its job
	Duplicate    Outcome = "duplicate"    // the job already had this verdict
	Disagreement Outcome = "disagreement" // the job keeps its different verdict; the audit log records the conflict
	Dropped      Outcome = "dropped"      // the job was canceled, does not exist, or belongs to another worker
	Retried      Outcome = "retried"      // the job is queued again, for another worker
	GaveUp       Outcome = "gave up"      // the job failed too often; the audit log records it
)

// RecordedResult describes what RecordResult did.
type RecordedResult struct {
	Outcome
	Submission string // id; empty if the job is part of a workflow, or unknown
	Workflow   string // id; empty if the job belongs to a submission, or is unknown
	// NeedsRepeat reports whether the submission must be judged once more before its verdict counts. UntrustedRuns lists the
	// runs of untrusted workers whose verdicts are to be compared with this result.
	NeedsRepeat   bool
	UntrustedRuns []*Run
}

// maxAttempts is the maximum number of times that a job may fail, on any workers. If a worker blames the problem or
// the caller for the failure, the maximum is maxAttemptsIfBlamed, so that only one other worker tries the job.
const (
	maxAttempts         = 5
	maxAttemptsIfBlamed = 2
)

// RecordResult stores a result once, even if it is offered several times. Events is the digest of the blob with r.Events,
// which the caller has stored; it may be empty. A verdict ends the job's judgement or becomes a part of the job's
// workflow. After a failure, the job is queued again and excludes the worker that failed. After too many failures, the
// verdict is a judge error. An untrusted worker's verdict counts only after a trusted worker has also judged the
// submission.
func (s *Store) RecordResult(ctx context.Context, r *job.Result, events blob.Digest) (RecordedResult, error) {
	return s.RecordDoubtfulResult(ctx, r, events, nil)
}

// RecordDoubtfulResult is like RecordResult. If doubt is not nil, other workers must check the result before it counts.
func (s *Store) RecordDoubtfulResult(ctx context.Context, r *job.Result, events blob.Digest, doubt *Doubt) (f RecordedResult, err error) {
	err = s.tx(ctx, "take the result of job "+sanitize(r.Job), func(q *query.Queries) error {
		f = RecordedResult{Outcome: Dropped}
		j, err := q.GetJob(ctx, r.Job)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil || subtle.ConstantTimeCompare([]byte(j.Token), []byte(r.Token)) == 0 {
			return err
		}
		f.Workflow = j.Flow.String
		if !j.Flow.Valid {
			judgement, err := q.JudgementOfJob(ctx, j.ID)
			if err != nil {
				return err
			}
			f.Submission = judgement.Submission
		}
		if !j.Flow.Valid && r.State == job.Done && r.Finished == nil {
			empty := *r
			empty.State, empty.Reason = job.Failed, "the worker says that it is done, and gives no verdict"
			r = &empty
		}
		untrusted, err := q.GuestsOf(ctx, j.Class)
		if err != nil {
			return err
		}
		f.Outcome, err = s.storeResult(ctx, q, &j, r, events, untrusted)
		if err == nil && !j.Flow.Valid && (f.Outcome == Counted || f.Outcome == GaveUp) {
			err = s.selectCurrent(ctx, q, &j, untrusted, doubt, &f)
		}
		return err
	})
	return f, err
}

// storeResult stores a result for a known job.
func (s *Store) storeResult(ctx context.Context, q *query.Queries, j *query.Job, r *job.Result, events blob.Digest,
	untrusted []string) (Outcome, error) {
	switch isUntrusted := slices.Contains(untrusted, sanitize(r.Worker)); {
	case isUntrusted && (r.State != job.Done || j.Flow.Valid):
		return s.requeueForTrusted(ctx, q, j, r, untrusted)
	case r.State != job.Done:
		return s.handleFailure(ctx, q, j, r)
	}
	ended, err := s.endJob(ctx, q, j, r, JobDone, events)
	if err != nil || ended {
		return Counted, err
	}
	return s.compareLateResult(ctx, q, r)
}

// endJob makes r the result of a job. It returns false if the job already has a result.
func (s *Store) endJob(
	ctx context.Context, q *query.Queries, j *query.Job, r *job.Result, state JobState, events blob.Digest,
) (bool, error) {
	n, err := q.EndJob(ctx, query.EndJobParams{ID: j.ID, State: string(state), DoneAt: nullInt(s.now()), Worker: sanitize(r.Worker)})
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
		return s.addTaskResult(ctx, q, j.Flow.String, TaskResult{Key: j.PartKey, Job: j.ID, Result: r, Events: events})
	}
	judgement := query.EndJudgementParams{
		ID: j.ID, Verdict: nullText(string(judge.JudgeError)), Reason: sanitize(r.Reason), Worker: sanitize(r.Worker),
		Version: sanitize(r.Version),
		Machine: sanitize(
			r.Machine,
		), Rung: sanitize(r.IsolationLevel), Cpu: max(r.CPUUS, 0), Events: sql.NullString{String: string(events), Valid: events != ""},
	}
	if r.Finished != nil {
		judgement.Verdict = nullText(string(verdict(r)))
		if r.Finished.Score != nil {
			judgement.Score = nullText(r.Finished.Score.String())
		}
	}
	finished, err1 := toJSON(r.Finished)
	rows, err2 := toJSON(r.Rows)
	toolchains, err3 := toJSON(r.Toolchains)
	if err := errors.Join(err1, err2, err3); err != nil {
		return false, fmt.Errorf("write a result: %w", err)
	}
	judgement.Finished, judgement.CaseRows, judgement.Toolchains = nullText(finished), nullText(rows), toolchains
	return s.endJudgement(ctx, q, judgement)
}

// endJudgement ends a pending judgement and logs it.
func (s *Store) endJudgement(ctx context.Context, q *query.Queries, j query.EndJudgementParams) (bool, error) {
	judgement, err := q.JudgementOfJob(ctx, j.ID)
	if err != nil {
		return false, err
	}
	now, err := s.appendEvent(ctx, q, judgement.Contest, KindJudgement, j.ID, OpUpdated)
	if err != nil {
		return false, err
	}
	j.Ended = nullInt(now)
	n, err := q.EndJudgement(ctx, j)
	if err != nil || n != 1 {
		return false, err
	}
	return true, q.SettleStanding(ctx, judgement.Submission)
}

// verdict returns the verdict of a result, or an empty string if it has none.
func verdict(r *job.Result) judge.Verdict {
	if r.Finished == nil {
		return ""
	}
	return r.Finished.Verdict
}

// compareLateResult handles another result for a job that has ended.
func (s *Store) compareLateResult(ctx context.Context, q *query.Queries, r *job.Result) (Outcome, error) {
	j, err := q.GetJob(ctx, r.Job)
	if err != nil || j.State == string(JobCancelled) {
		return Dropped, err
	}
	var recorded judge.Verdict
	if j.Flow.Valid {
		p, err := q.GetPart(ctx, j.Flow.String, j.PartKey)
		if err != nil {
			return "", err
		}
		var earlier job.Result
		if err := fromJSON("the part "+j.PartKey, p.Result, &earlier); err != nil {
			return "", err
		}
		recorded = verdict(&earlier)
	} else {
		earlier, err := q.JudgementOfJob(ctx, r.Job)
		if err != nil {
			return "", err
		}
		recorded = judge.Verdict(earlier.Verdict.String)
	}
	reported := verdict(r)
	if reported == recorded {
		return Duplicate, nil
	}
	return Disagreement, s.audit(ctx, q, AuditEntry{
		Actor: r.Worker, Action: "one job, two verdicts", Object: r.Job,
		Detail: fmt.Sprintf("%s says %s; %s said %s, which stands", r.Worker, reported, j.Worker, recorded),
	})
}

// handleFailure handles the failure of a worker. It ignores failures of earlier generations, because the job has been
// dispatched again since.
func (s *Store) handleFailure(ctx context.Context, q *query.Queries, j *query.Job, r *job.Result) (Outcome, error) {
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
	final := r.State == job.GivenUp && r.TooManyDeliveries && !r.Unproven
	rejected := r.State == job.GivenUp && r.Unproven
	maximum := int64(maxAttempts)
	if r.Blame == judge.Setter || r.Blame == judge.Caller {
		maximum = maxAttemptsIfBlamed
	}
	exclude := []string{sanitize(r.Worker)}
	if rejected {
		exclude = nil
		for _, worker := range r.LostWorkers {
			exclude = append(exclude, sanitize(worker))
		}
	}
	exclude = slices.DeleteFunc(exclude, func(worker string) bool { return slices.Contains(excluded, worker) })
	attempts := j.Tries + 1
	if rejected && len(excluded) > 0 && len(exclude) == 0 {
		attempts = j.Tries
	}
	if final || attempts >= maximum {
		ended, err := s.endJob(ctx, q, j, r, JobFailed, "")
		if err != nil || !ended {
			return Dropped, err
		}
		return GaveUp, s.audit(ctx, q, AuditEntry{Actor: r.Worker, Action: "a job failed", Object: j.ID, Detail: r.Reason})
	}
	list, err := toJSON(append(excluded, exclude...))
	if err != nil {
		return "", err
	}
	n, err := q.FailJob(ctx, query.FailJobParams{ID: j.ID, Generation: j.Generation, Excluded: list, Tries: attempts})
	if n == 0 {
		return Dropped, err
	}
	return Retried, err
}
