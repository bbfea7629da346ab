package dispatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/judge"
	"assay/judge/host/flow"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// mostRuns is the maximum number of workers that judge a submission whose time is near the limit. If the
// submission is within the limit on one of these workers, it counts as being in time.
const mostRuns = 3

// doubt returns why another worker must judge the submission before a result becomes current: its time is near the
// limit, and a worker of the class that has not judged it is online. Otherwise doubt returns nil.
func (d *Dispatcher) doubt(ctx context.Context, r *job.Result) (*store.Doubt, error) {
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
	why := job.Borderline(events)
	if why == "" {
		return nil, nil
	}
	runs, err := d.o.Store.Runs(ctx, r.Job)
	if err != nil || len(runs) == 0 {
		return nil, err // a job of a workflow
	}
	_, class, err := d.o.Store.Place(ctx, r.Job)
	if err != nil {
		return nil, err
	}
	untrusted, err := d.o.Store.Guests(ctx, class)
	if err != nil {
		return nil, err
	}
	ran := []string{r.Worker}
	for _, run := range runs {
		if run.Worker != "" && !slices.Contains(untrusted, run.Worker) && !slices.Contains(ran, run.Worker) {
			ran = append(ran, run.Worker)
		}
	}
	if here, _ := d.view.others(class, slices.Concat(ran, untrusted)...); !here || len(ran) >= mostRuns {
		return nil, nil
	}
	return &store.Doubt{Why: why + " on " + r.Worker, Exclude: ran}, nil
}

// believe handles the result of a trusted worker for a submission that untrusted workers have also judged. For
// each of their verdicts, it records whether the verdict was wrong, and it reports contradictions to the
// administrators.
func (d *Dispatcher) believe(ctx context.Context, r *job.Result, f store.Folded) {
	if r.Finished == nil || len(f.Guests) == 0 {
		return
	}
	of, err := d.o.Store.Submission(ctx, f.Submission)
	if err == nil {
		for _, g := range f.Guests {
			wrong := flow.Disagree(g.Verdict, r.Finished.Verdict)
			if wrong {
				what := fmt.Sprintf("the untrusted worker %s says %s; %s says %s", g.Worker, g.Verdict, r.Worker, r.Finished.Verdict)
				err = errors.Join(err, d.differ(ctx, f.Submission, what))
			}
			if wrong || g.Verdict == r.Finished.Verdict {
				err = errors.Join(err, d.judged(ctx, g.Worker, of.Account, wrong))
			}
		}
	}
	if err != nil && ctx.Err() == nil {
		d.o.Log.Error("compare an untrusted worker's verdict", "submission", f.Submission, "error", err)
	}
}

// takeOut drains a worker if it is active.
func (d *Dispatcher) takeOut(ctx context.Context, worker, note string) error {
	w, err := d.o.Store.Worker(ctx, worker)
	if err != nil || w.State != store.Active {
		return err
	}
	return errors.Join(d.o.Store.SetWorkerState(ctx, w.ID, store.Drained, note), d.Drain(worker))
}

// lonely is how long a submission with a time near the limit waits if no connected worker may rejudge it. After
// that, its verdict becomes current. An audit waits equally long for workers that are offline.
const lonely = time.Minute

// Stranded returns the submissions that must be rejudged but that no connected worker may rejudge.
func (d *Dispatcher) Stranded(ctx context.Context) (stranded []*store.Repeat, err error) {
	repeats, err := d.o.Store.Repeats(ctx)
	for _, r := range repeats {
		exclude := r.Exclude
		if r.Origin == store.OfGuest { // workers that failed to judge it may try again
			exclude = d.view.untrusted(r.Class)
		}
		if here, _ := d.view.others(r.Class, exclude...); !here {
			stranded = append(stranded, r)
		}
	}
	return stranded, err
}

// attend handles submissions that no connected worker may rejudge. A submission whose time was near the limit
// keeps its verdict. A submission that only untrusted workers have judged continues to wait, and the log reports
// it.
func (d *Dispatcher) attend(ctx context.Context, now time.Time) error {
	stranded, err := d.Stranded(ctx)
	if err != nil {
		return err
	}
	alone, waits := map[string]time.Time{}, map[string]int{}
	for _, r := range stranded {
		since, known := d.alone[r.ID]
		if !known {
			since = now
		}
		alone[r.ID] = since
		switch {
		case r.Origin == store.OfGuest:
			waits[r.Class]++
		case now.Sub(since) >= lonely:
			if _, err := d.Cancel(ctx, r.ID); err != nil {
				return err
			}
			d.o.Log.Warn("no other worker can rejudge a submission near the time limit; its verdict counts", "submission",
				r.Submission, "class", r.Class)
		}
	}
	for class, n := range waits {
		if d.waits[class] == 0 {
			d.o.Log.Warn("submissions that only untrusted workers have judged wait for a trusted worker", "class", class, "submissions", n)
		}
	}
	d.alone, d.waits = alone, waits
	return nil
}
