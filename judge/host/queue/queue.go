// Package queue is the only package that uses NATS. A server puts jobs that should run soon into a JetStream stream,
// workers lease them, and results come back the same way.
//
// The package does not keep or order jobs: the database does. Everything in the queue may be lost at any time, and
// the server enqueues it again. The package knows jobs only as package job defines them.
//
// There are two sides. A Queue is the server's: it starts the embedded NATS server, or connects to an external
// cluster. It publishes and cancels jobs, receives results and messages of workers, and decides who may connect. A
// Member is a worker's: it connects, takes Leases and returns results.
//
// The life of a job: Publish stores it under job.<lane>.<class>.<id>, at most once at a time. Wake notifies one idle
// worker, which pulls the job, publishes to taken.<worker>, and sends a heartbeat every 5 s. Its result is stored
// under result.<worker>.<job>.<generation> before the job is acknowledged. If a worker dies, its connection ends, or
// 20 s pass without a heartbeat.
package queue

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"assay/judge/host/job"
)

// The streams, and the times after which a worker counts as dead.
const (
	jobsStream    = "JOBS"
	resultsStream = "RESULTS"
	foldConsumer  = "fold"

	ackWait   = 20 * time.Second // a lease without a heartbeat
	beatEvery = 5 * time.Second
	// leaseLife is how long a worker trusts a lease without a heartbeat that succeeded. It is shorter than ackWait.
	// A later acknowledgement would count for the next holder's lease without notice.
	leaseLife   = 15 * time.Second
	foldWait    = 30 * time.Second
	returnTime  = 3 * time.Second        // within which a worker may reconnect after its connection broke
	pollEvery   = 2 * time.Second        // of an idle worker that nothing wakes
	besideEvery = 500 * time.Millisecond // of a worker that runs a preemptible job
	excluded    = 250 * time.Millisecond // doubles with each refusal

	mostExcluded = 5 * time.Second

	maxPayload  = 1 << 20
	maxJobs     = 20_000
	maxResults  = 1 << 30 // bytes
	maxStore    = 2 << 30 // bytes
	maxMemory   = 64 << 20
	maxPending  = 4096
	foldPending = 64
)

// When a job is given up. A job that was delivered too often may crash workers. A refusal by an excluded worker
// counts as a delivery, too.
const (
	maxDeliveries         = 3
	maxDeliveriesExcludes = 12
	maxGenerations        = 50
)

// Protocol is the protocol that workers ask for when they upgrade a request to a connection of the queue. Path is
// where servers usually offer it.
const (
	Protocol = "assay-queue"
	Path     = "/queue"
)

// ErrRefused means that the server rejects the key of a worker: it was revoked, or never admitted. Retrying does not
// help.
var ErrRefused = errors.New("the server does not accept this worker's key: it was revoked, or never admitted; join with a new code")

// Permissions returns the subjects to which a worker of a class may publish and subscribe, in the notation of NATS:
// a queue group follows a space. An untrusted worker gets nothing of running contests. The embedded server enforces
// the permissions. The operator of an external cluster must give the same ones to each worker's user (see User).
// Note that NATS does not check reply subjects: a worker there can make the cluster publish to any subject of its
// account. The Bridge does check them.
func Permissions(worker, class string, guest bool) (publish, subscribe []string) {
	for _, lane := range job.Lanes {
		if guest && lane == job.Contest {
			continue
		}
		c := consumer(lane, class)
		publish = append(publish, nextSubject(c), ackPrefix+c+".>")
	}
	publish = append(publish, "result."+worker+".>", "taken."+worker, "beat."+worker, "progress."+worker+".>")
	return publish, []string{inbox(worker) + ".>", "wake." + class + " " + idle, "ctl." + worker}
}

// User returns the entry of a worker for the list of users in the configuration of an external cluster: the worker's
// key and its permissions.
func User(worker, class, key string, guest bool) string {
	publish, subscribe := Permissions(worker, class, guest)
	return fmt.Sprintf("{ nkey: %s, permissions: { publish: %s, subscribe: %s } }", key, quoted(publish), quoted(subscribe))
}

func quoted(subjects []string) string {
	all := make([]string, len(subjects))
	for i, s := range subjects {
		all[i] = strconv.Quote(s)
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// Prefixes of the subjects by which a worker asks for a job, and answers for one.
const (
	nextPrefix = "$JS.API.CONSUMER.MSG.NEXT." + jobsStream + "."
	ackPrefix  = "$JS.ACK." + jobsStream + "."
)

// idle is the queue group of waiting workers: one wake-up reaches one of them.
const idle = "idle"

func inbox(worker string) string           { return "_INBOX_" + worker }
func consumer(l job.Lane, c string) string { return fmt.Sprintf("l%d-%s", l, c) }
func nextSubject(consumer string) string   { return nextPrefix + consumer }
func jobSubject(l job.Lane, class, id string) string {
	return fmt.Sprintf("job.%d.%s.%s", l, class, id)
}

// checkName returns an error if a word cannot be part of a subject.
func checkName(what, name string) error {
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}
	if name == "" || len(name) > 64 || strings.ContainsFunc(name, odd) {
		return fmt.Errorf("the %s %.80q is not 1 to 64 letters, digits, - and _", what, name)
	}
	return nil
}

func checkJob(lane job.Lane, class, id string) error {
	if lane < 0 || int(lane) >= len(job.Lanes) {
		return fmt.Errorf("there is no lane %d", lane)
	}
	return errors.Join(checkName("class", class), checkName("job", id))
}

// A notice is what a worker publishes to taken.<worker>: it took a job, or releases it.
type notice struct {
	job.Running
	Reply string `json:"reply"` // the subject for answers to the lease
	// Back reports that the job is released. Other workers may take it after Delay.
	Back  bool          `json:"back,omitempty"`
	Delay time.Duration `json:"delay_ns,omitempty"`
}
