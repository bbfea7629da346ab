// Package queue is the only package that uses NATS. A server puts jobs that should run soon into a JetStream
// stream, workers lease them, and results are returned through another stream.
//
// The package does not keep or order jobs: the database does. Everything in the queue may be lost at any time,
// and the server then enqueues it again. The package knows jobs only as package job defines them.
//
// There are two sides. A Queue is the server's side. It starts the embedded NATS server, or connects to an
// external cluster. It publishes and cancels jobs, receives results and messages from workers, and decides who may
// connect. A Member is the worker's side. It connects, takes Leases and returns results.
//
// The life of a job: Publish stores the job under job.<priority>.<class>.<id>, at most once at a time. Wake notifies
// one idle worker. The worker pulls the job, publishes to taken.<worker>, and sends a heartbeat every 5 s. It
// stores its result under result.<worker>.<job>.<generation> before it acknowledges the job. If the worker's
// connection is closed, or 20 s pass without a heartbeat, the job goes to another worker.
package queue

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"assay/judge/host/job"
)

// The names of the streams, and the timeouts after which a worker is considered dead.
const (
	jobsStream     = "JOBS"
	resultsStream  = "RESULTS"
	resultConsumer = "fold"

	ackWait        = 20 * time.Second // after the last heartbeat of a lease
	heartbeatEvery = 5 * time.Second
	// leaseLifetime is how long a worker trusts a lease after the last successful heartbeat. It is shorter than
	// ackWait, because a later acknowledgement would silently apply to the next holder's lease.
	leaseLifetime    = 15 * time.Second
	resultAckWait    = 30 * time.Second
	releaseTimeout   = 3 * time.Second        // for a worker to reconnect after its connection broke
	pollEvery        = 2 * time.Second        // polling interval of an idle worker without wake-ups
	preemptPollEvery = 500 * time.Millisecond // polling interval of a worker that runs a preemptible job
	excluded         = 250 * time.Millisecond // delay after a rejection by an excluded worker; doubles each time

	maxExcludedDelay = 5 * time.Second

	maxPayload        = 1 << 20
	maxJobs           = 20_000
	maxResults        = 1 << 30 // bytes
	maxStore          = 2 << 30 // bytes
	maxMemory         = 64 << 20
	maxPending        = 4096
	maxPendingResults = 64
)

// The limits after which a job is given up. A job that was delivered too often may crash workers. A rejection by
// an excluded worker also counts as a delivery.
const (
	maxDeliveries         = 3
	maxDeliveriesExcludes = 12
	maxGenerations        = 50
)

// Protocol is the protocol that workers request when they upgrade a request to a queue connection. Path is the
// usual path of that request.
const (
	Protocol = "assay-queue"
	Path     = "/queue"
)

// ErrRefused means that the server rejects a worker's key, because it was revoked or never admitted. Retrying does
// not help.
var ErrRefused = errors.New("the server does not accept this worker's key: it was revoked, or never admitted; join with a new code")

// Permissions returns the subjects to which a worker of a class may publish and subscribe, in the notation of
// NATS: a queue group follows a space. An untrusted worker gets no subjects of running contests. The embedded
// server enforces the permissions. The operator of an external cluster must give the same permissions to each
// worker's user (see User). NATS does not check reply subjects, so a worker of a cluster can make it publish to
// any subject of its account. The Bridge does check them.
func Permissions(worker, class string, untrusted bool) (publish, subscribe []string) {
	for _, priority := range job.Priorities {
		if untrusted && priority == job.ContestPriority {
			continue
		}
		c := consumer(priority, class)
		publish = append(publish, nextSubject(c), ackPrefix+c+".>")
	}
	publish = append(publish, "result."+worker+".>", "taken."+worker, "beat."+worker, "progress."+worker+".>")
	return publish, []string{inbox(worker) + ".>", "wake." + class + " " + idleGroup, "ctl." + worker}
}

// UserConfig returns a worker's entry for the list of users in the configuration of an external cluster. It contains the
// worker's key and permissions.
func UserConfig(worker, class, key string, untrusted bool) string {
	publish, subscribe := Permissions(worker, class, untrusted)
	return fmt.Sprintf("{ nkey: %s, permissions: { publish: %s, subscribe: %s } }", key, quoted(publish), quoted(subscribe))
}

func quoted(subjects []string) string {
	all := make([]string, len(subjects))
	for i, s := range subjects {
		all[i] = strconv.Quote(s)
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// The prefixes of the subjects to which a worker publishes a request for a job, and an answer to a lease.
const (
	nextPrefix = "$JS.API.CONSUMER.MSG.NEXT." + jobsStream + "."
	ackPrefix  = "$JS.ACK." + jobsStream + "."
)

// idleGroup is the queue group of idle workers. Each wake-up reaches one of them.
const idleGroup = "idle"

func inbox(worker string) string                      { return "_INBOX_" + worker }
func consumer(priority job.Priority, c string) string { return fmt.Sprintf("l%d-%s", priority, c) }
func nextSubject(consumer string) string              { return nextPrefix + consumer }
func jobSubject(priority job.Priority, class, id string) string {
	return fmt.Sprintf("job.%d.%s.%s", priority, class, id)
}

// checkName returns an error if name cannot be used as a token in a NATS subject. The argument what describes the
// name in the error.
func checkName(kind, name string) error {
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}
	if name == "" || len(name) > 64 || strings.ContainsFunc(name, odd) {
		return fmt.Errorf("invalid %s %.80q: use 1 to 64 letters, digits, - and _", kind, name)
	}
	return nil
}

func checkJob(priority job.Priority, class, id string) error {
	if priority < 0 || int(priority) >= len(job.Priorities) {
		return fmt.Errorf("there is no priority %d", priority)
	}
	return errors.Join(checkName("class", class), checkName("job", id))
}

// A takenNotice is a worker's message to taken.<worker>: the worker took a job, or releases it.
type takenNotice struct {
	job.Running
	Reply string `json:"reply"` // reply subject of the lease
	// Released reports whether the job is released. Other workers may take it after Delay.
	Released bool          `json:"back,omitempty"`
	Delay    time.Duration `json:"delay_ns,omitempty"`
}
