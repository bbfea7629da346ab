package dispatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/workflow"
)

// maxRuns is the maximum number of workers that judge a submission whose time is near the limit. If the
// submission is within the limit on one of these workers, it counts as being in time.
const maxRuns = 3

// needsSecondRun returns why another worker must judge the submission before a result becomes current: its time is near the
// limit, and a worker of the class that has not judged it is online. Otherwise doubt returns nil.
func (d *Dispatcher) needsSecondRun(ctx context.Context, r *job.Result) (*store.Doubt, error) {
	if r.State != job.Done || r.Finished == nil || len(r.Events) == 0 {
		return nil, nil
	}
	if r.Finished.Verdict != judge.TimeLimit && r.Finished.Score == nil {
		return nil, nil
	}
	events, err := job.Unpack(r.Events)
	if err != nil {
		return nil, nil // accept the result
	}
	why := job.NearLimit(events)
	if why == "" {
		return nil, nil
	}
	runs, err := d.o.Store.Runs(ctx, r.Job)
	if err != nil || len(runs) == 0 {
		return nil, err // a job of a workflow
	}
	_, class, err := d.o.Store.PriorityAndClass(ctx, r.Job)
	if err != nil {
		return nil, err
	}
	untrusted, err := d.o.Store.UntrustedWorkers(ctx, class)
	if err != nil {
		return nil, err
	}
	ran := []string{r.Worker}
	for _, run := range runs {
		if run.Worker != "" && !slices.Contains(untrusted, run.Worker) && !slices.Contains(ran, run.Worker) {
			ran = append(ran, run.Worker)
		}
	}
	if here, _ := d.view.available(class, slices.Concat(ran, untrusted)...); !here || len(ran) >= maxRuns {
		return nil, nil
	}
	return &store.Doubt{Why: why + " on " + r.Worker, Exclude: ran}, nil
}

// checkUntrusted handles the result of a trusted worker for a submission that untrusted workers have also judged. For
// each of their verdicts, it records whether the verdict was wrong, and it reports contradictions to the
// administrators.
func (d *Dispatcher) checkUntrusted(ctx context.Context, r *job.Result, f store.RecordedResult) {
	if r.Finished == nil || len(f.UntrustedRuns) == 0 {
		return
	}
	of, err := d.o.Store.Submission(ctx, f.Submission)
	if err == nil {
		for _, g := range f.UntrustedRuns {
			disagrees := workflow.Disagree(g.Verdict, r.Finished.Verdict)
			if disagrees {
				what := fmt.Sprintf("the untrusted worker %s says %s; %s says %s", g.Worker, g.Verdict, r.Worker, r.Finished.Verdict)
				err = errors.Join(err, d.reportDisagreement(ctx, f.Submission, what))
			}
			if disagrees || g.Verdict == r.Finished.Verdict {
				err = errors.Join(err, d.recordAgreement(ctx, g.Worker, of.Account, disagrees))
			}
		}
	}
	if err != nil && ctx.Err() == nil {
		d.o.Log.Error("compare an untrusted worker's verdict", "submission", f.Submission, "error", err)
	}
}

// drainWorker drains a worker if it is active.
func (d *Dispatcher) drainWorker(ctx context.Context, worker, note string) error {
	w, err := d.o.Store.Worker(ctx, worker)
	if err != nil || w.State != store.WorkerActive {
		return err
	}
	return errors.Join(d.o.Store.SetWorkerState(ctx, w.ID, store.WorkerDrained, note), d.Drain(worker))
}

// maxAlone is how long a submission with a time near the limit waits if no connected worker may rejudge it. After
// that, its verdict becomes current. An audit waits equally long for workers that are offline.
const maxAlone = time.Minute

// Stranded returns the submissions that must be rejudged but that no connected worker may rejudge.
func (d *Dispatcher) Stranded(ctx context.Context) (submissions []*store.PendingRejudge, err error) {
	repeats, err := d.o.Store.PendingRejudges(ctx)
	for _, r := range repeats {
		exclude := r.Exclude
		if r.Origin == store.OriginUntrusted { // workers that failed to judge it may try again
			exclude = d.view.untrusted(r.Class)
		}
		if here, _ := d.view.available(r.Class, exclude...); !here {
			submissions = append(submissions, r)
		}
	}
	return submissions, err
}

// handleStranded handles submissions that no connected worker may rejudge. A submission whose time was near the limit
// keeps its verdict. A submission that only untrusted workers have judged continues to wait, and the log reports
// it.
func (d *Dispatcher) handleStranded(ctx context.Context, now time.Time) error {
	stranded, err := d.Stranded(ctx)
	if err != nil {
		return err
	}
	strandedSince, untrustedOnly := map[string]time.Time{}, map[string]int{}
	for _, r := range stranded {
		since, known := d.strandedSince[r.ID]
		if !known {
			since = now
		}
		strandedSince[r.ID] = since
		switch {
		case r.Origin == store.OriginUntrusted:
			untrustedOnly[r.Class]++
		case now.Sub(since) >= maxAlone:
			if _, err := d.Cancel(ctx, r.ID); err != nil {
				return err
			}
			d.o.Log.Warn("no other worker can rejudge a submission near the time limit; its verdict counts", "submission",
				r.Submission, "class", r.Class)
		}
	}
	for class, n := range untrustedOnly {
		if d.untrustedOnly[class] == 0 {
			d.o.Log.Warn("submissions that only untrusted workers have judged wait for a trusted worker", "class", class, "submissions", n)
		}
	}
	d.strandedSince, d.untrustedOnly = strandedSince, untrustedOnly
	return nil
}
