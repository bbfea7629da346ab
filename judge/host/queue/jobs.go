package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"assay/judge/host/job"
)

// PublishResult is the result of Publish.
type PublishResult string

// The values of PublishResult.
const (
	NewlyStored   PublishResult = "stored" // the job waits for a worker
	AlreadyStored PublishResult = "alive"  // the stream already has the job, waiting or taken
)

// Publish stores a job in the stream. If the stream already has a job with the same id, it stores nothing and
// returns AlreadyStored. In a cluster, the stream keeps an acknowledged job for some milliseconds, so the caller must repeat
// the call later. Publish does not wake workers. After an error the state is unknown. Repeating the call is always
// safe.
func (q *Queue) Publish(ctx context.Context, s *job.Spec) (PublishResult, error) {
	if err := checkJob(s.Priority, s.Class, s.ID); err != nil {
		return "", err
	}
	data, err := s.Encode()
	if err != nil {
		return "", err
	}
	if err := q.addClass(ctx, s.Class); err != nil {
		return "", err
	}
	msg := &nats.Msg{Subject: jobSubject(s.Priority, s.Class, s.ID), Data: data}
	// Message ids are not suitable to prevent duplicates. Within their window, JetStream silently drops a job that
	// is published again after it was acknowledged.
	publish := func() error {
		_, err := q.js.PublishMsg(ctx, msg, jetstream.WithExpectLastSequencePerSubject(0), jetstream.WithRetryAttempts(0))
		return err
	}
	err = publish()
	if errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrNoStreamResponse) {
		if err := q.Ensure(ctx, s.Class); err != nil {
			return "", err
		}
		err = publish()
	}
	var api *jetstream.APIError
	switch {
	case errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence:
		return AlreadyStored, nil
	case err != nil:
		return "", fmt.Errorf("publish the job %s: %w", s.ID, err)
	}
	q.leases.recordPublished(s.ID, s.Class)
	return NewlyStored, nil
}

// HasJob reports whether the stream has a job. The job may be waiting, or a worker may not have acknowledged it
// yet.
func (q *Queue) HasJob(ctx context.Context, priority job.Priority, class, id string) (bool, error) {
	if err := checkJob(priority, class, id); err != nil {
		return false, err
	}
	seq, err := q.find(ctx, priority, class, id)
	return seq > 0, err
}

// Delete removes a waiting or running job from the stream. If the job is not there, Delete does nothing. The
// worker is not notified; see Control. It may still finish the job without harm, and its result arrives as usual.
func (q *Queue) Delete(ctx context.Context, priority job.Priority, class, id string) error {
	if err := checkJob(priority, class, id); err != nil {
		return err
	}
	q.leases.forget(id)
	seq, err := q.find(ctx, priority, class, id)
	if seq == 0 || err != nil {
		return err
	}
	request, err := json.Marshal(map[string]any{"seq": seq, "no_erase": true})
	if err != nil {
		return err
	}
	var answer struct {
		Error *jetstream.APIError `json:"error"`
	}
	err = q.request(ctx, "$JS.API.STREAM.MSG.DELETE."+jobsStream, request, &answer)
	if answer.Error != nil {
		// JetStream reports one of several errors if the worker has acknowledged the job in the meantime. If the
		// job's message is gone, ignore the error.
		if now, ferr := q.find(ctx, priority, class, id); ferr != nil || now == seq {
			err = answer.Error
		}
	}
	return wrap("delete the job "+id, err)
}

// find returns the sequence number of a job's message. It returns 0 if there is none. It asks the leader of the
// stream, because a replica could be behind.
func (q *Queue) find(ctx context.Context, priority job.Priority, class, id string) (uint64, error) {
	request, err := json.Marshal(map[string]string{"last_by_subj": jobSubject(priority, class, id)})
	if err != nil {
		return 0, err
	}
	var answer struct {
		Error   *jetstream.APIError `json:"error"`
		Message struct {
			Seq uint64 `json:"seq"`
		} `json:"message"`
	}
	err = q.request(ctx, "$JS.API.STREAM.MSG.GET."+jobsStream, request, &answer)
	if answer.Error != nil && !isMissing(answer.Error) {
		err = answer.Error
	}
	return answer.Message.Seq, wrap("look for the job "+id, err)
}

// isMissing reports whether the error means that the message or the whole stream does not exist.
func isMissing(e *jetstream.APIError) bool { return e.Code == 404 }

// request sends a request to JetStream. The library's own calls need a stream handle. That costs another request, and
// the handle becomes stale when the stream is recreated.
func (q *Queue) request(ctx context.Context, subject string, request []byte, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	msg, err := q.nc.RequestWithContext(ctx, subject, request)
	if err != nil {
		return err
	}
	return json.Unmarshal(msg.Data, answer)
}

// PendingCount returns the number of jobs of a priority and class that have never been delivered to a worker. It does not
// count released jobs, and may miss jobs that were published a moment ago.
func (q *Queue) PendingCount(ctx context.Context, priority job.Priority, class string) (int, error) {
	if err := checkJob(priority, class, "-"); err != nil {
		return 0, err
	}
	if err := q.addClass(ctx, class); err != nil {
		return 0, err
	}
	for again := true; ; again = false {
		var info struct {
			Error   *jetstream.APIError `json:"error"`
			Pending int                 `json:"num_pending"`
		}
		err := q.request(ctx, "$JS.API.CONSUMER.INFO."+jobsStream+"."+consumer(priority, class), nil, &info)
		missing := info.Error != nil && isMissing(info.Error)
		if missing && again {
			if err := q.Ensure(ctx, class); err != nil {
				return 0, err
			}
			continue
		}
		if info.Error != nil {
			err = info.Error
		}
		return info.Pending, wrap("count the jobs of class "+class, err)
	}
}

// Wake tells one idle worker of a class that there is a job. A wake-up may get lost. Therefore idle workers poll
// every 2 s, and the Queue repeats the wake-up for jobs that no worker takes.
func (q *Queue) Wake(class string) error {
	if err := checkName("class", class); err != nil {
		return err
	}
	return wrap("wake a worker", q.nc.Publish("wake."+class, nil))
}

// Control sends a control message to a worker. The message may get lost if the worker is not connected.
func (q *Queue) Control(worker string, o job.Control) error {
	if err := checkName("worker", worker); err != nil {
		return err
	}
	data, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return wrap("order the worker "+worker, q.nc.Publish("ctl."+worker, data))
}

// Stats contains numbers for monitoring.
type Stats struct {
	Jobs, JobBytes       uint64 // in the stream, including running ones
	Results, ResultBytes uint64 // not yet handled by Results
	Store                uint64 // size of all files in bytes
	Calls, Errors        uint64 // JetStream API requests since the server started
	Workers              int    // connected
}

// Stats returns the numbers of messages in the streams, and other statistics.
func (q *Queue) Stats(ctx context.Context) (Stats, error) {
	account, err := q.js.AccountInfo(ctx)
	if err != nil {
		return Stats{}, fmt.Errorf("ask the queue for its counts: %w", err)
	}
	s := Stats{Store: account.Store, Calls: account.API.Total, Errors: account.API.Errors, Workers: len(q.Connected())}
	for name, to := range map[string][2]*uint64{jobsStream: {&s.Jobs, &s.JobBytes}, resultsStream: {&s.Results, &s.ResultBytes}} {
		stream, err := q.js.Stream(ctx, name)
		if err != nil {
			return Stats{}, fmt.Errorf("count the stream %s: %w", name, err)
		}
		state := stream.CachedInfo().State
		*to[0], *to[1] = state.Msgs, state.Bytes
	}
	return s, nil
}
