package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"assay/judge/host/job"
)

// Results calls handle with each result, one at a time, until ctx is done. Only one server should call Results at
// a time. If handle returns nil, the result is acknowledged. It may still be delivered again if the
// acknowledgement gets lost. If handle returns an error, the result is delivered again after a second. A new call
// of Results receives it immediately. The fields Worker, Job and Generation come from the subject of the message,
// which the permissions of the worker's key restrict. Invalid messages are dropped and reported to
// Listener.Error.
func (q *Queue) Results(ctx context.Context, handle func(context.Context, *job.Result) error) error {
	// Without this reset, the consumer would wait resultAckWait for results that were delivered to a previous call.
	if _, err := q.js.ResetConsumer(ctx, resultsStream, resultConsumer); err != nil && ctx.Err() == nil {
		q.report(fmt.Errorf("request delivered results again: %w", err))
	}
	for ctx.Err() == nil {
		err := q.handleResults(ctx, handle)
		if err == nil || ctx.Err() != nil {
			continue
		}
		q.report(fmt.Errorf("read results: %w", err))
		if err := q.Ensure(ctx); err != nil && ctx.Err() == nil {
			q.report(err)
		}
		pause(ctx, time.Second)
	}
	return ctx.Err()
}

// handleResults handles the results that arrive within a few seconds.
func (q *Queue) handleResults(ctx context.Context, handle func(context.Context, *job.Result) error) error {
	c, err := q.js.Consumer(ctx, resultsStream, resultConsumer)
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		wait, cancel := context.WithTimeout(ctx, 10*time.Second)
		batch, err := c.Fetch(maxPendingResults, jetstream.FetchContext(wait))
		if err != nil {
			cancel()
			return err
		}
		for msg := range batch.Messages() {
			if err := q.handleResult(ctx, msg, handle); err != nil {
				q.report(err)
			}
		}
		cancel()
		if err := batch.Error(); err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return nil
}

func (q *Queue) handleResult(ctx context.Context, msg jetstream.Msg, handle func(context.Context, *job.Result) error) error {
	r, err := readResult(msg)
	if err != nil {
		return errors.Join(err, msg.TermWithReason("not a result"))
	}
	q.leases.recordFinished(r.Job)
	if err := handle(ctx, r); err != nil {
		return errors.Join(fmt.Errorf("take in the result of job %s: %w", r.Job, err), msg.NakWithDelay(time.Second))
	}
	return msg.Ack()
}

// readResult reads a message under result.<worker>.<job>.<generation>. The worker's permissions restrict the
// subject, but the body may be anything.
func readResult(msg jetstream.Msg) (*job.Result, error) {
	parts := strings.Split(msg.Subject(), ".")
	if len(parts) != 4 {
		return nil, fmt.Errorf("a result has the invalid subject %.200q", msg.Subject())
	}
	r, err := job.DecodeResult(msg.Data())
	if err != nil {
		return nil, fmt.Errorf("from the worker %s: %w", parts[1], err)
	}
	generation, err := strconv.Atoi(parts[3])
	if err != nil || r.Worker != parts[1] || r.Job != parts[2] || r.Generation != generation {
		return nil, fmt.Errorf("the worker %s published on %.200q a result of another worker, job or generation", parts[1], msg.Subject())
	}
	return r, nil
}

// CatchUp waits until Results has handled everything that was stored when CatchUp was called. Results must be
// running. If handle keeps failing, CatchUp waits forever, so ctx should have a deadline.
func (q *Queue) CatchUp(ctx context.Context) error {
	s, err := q.js.Stream(ctx, resultsStream)
	if err != nil {
		return fmt.Errorf("look into the results: %w", err)
	}
	last := s.CachedInfo().State.LastSeq
	for {
		info, err := s.Info(ctx)
		if err != nil {
			return fmt.Errorf("look into the results: %w", err)
		}
		if info.State.Msgs == 0 || info.State.FirstSeq > last {
			return nil
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return fmt.Errorf("wait for results to be processed: %w", err)
		}
	}
}

// pause waits for d. If ctx is done first, it returns the error of ctx.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
