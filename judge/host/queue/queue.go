// Package queue is the only door to NATS. A server lays jobs that are about to run into a
// JetStream, workers lease them, and results come back the same way.
//
// It is not where jobs are kept or ordered: that is the database's work. Everything here
// may vanish at any moment, and the server lays it in again. Nor does it know what a job
// is, beyond the words of package job.
//
// Two sides. A Queue is the server's: it opens the embedded NATS server, or joins a cluster
// that exists, publishes, cancels, hears results and what workers say, and says who may
// connect. A Member is a worker's: it connects, takes Leases and gives results back.
//
// How a job goes: Publish stores it under job.<lane>.<class>.<id>, at most once at a time;
// Wake tells one idle worker, which pulls, says "taken.<worker>" and beats every 5 s; its
// result is stored under result.<worker>.<job>.<generation> before the job is acknowledged.
// A worker that dies is noticed by its connection, or by 20 s without a beat.
package queue

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"assay/judge/host/job"
)

// The streams, and the limits that decide how soon a death is noticed.
const (
	jobsStream    = "JOBS"
	resultsStream = "RESULTS"
	foldConsumer  = "fold"

	ackWait   = 20 * time.Second // a lease without a beat
	beatEvery = 5 * time.Second
	// leaseLife is how long a worker believes in a lease without a beat that succeeded. It
	// ends before the server's patience, for a late acknowledgement would count for the
	// next holder's lease, and nobody would be told.
	leaseLife   = 15 * time.Second
	foldWait    = 30 * time.Second
	returnTime  = 3 * time.Second        // within which a worker whose connection broke may come back
	pollEvery   = 2 * time.Second        // of an idle worker that nobody wakes
	besideEvery = 500 * time.Millisecond // of one that does a job which makes way
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

// What is given up: a job that was delivered too often ends the processes that take it. A
// job that some workers must not take is refused by these, which counts as a delivery, too.
const (
	maxDeliveries         = 3
	maxDeliveriesExcludes = 12
	maxGenerations        = 50
)

// Protocol is what workers ask for when they upgrade a request to a connection of the
// queue, and Path is where a server usually offers it.
const (
	Protocol = "assay-queue"
	Path     = "/queue"
)

// ErrRefused means that the server does not accept the key of a worker: it was revoked, or
// never admitted. Trying again does not help.
var ErrRefused = errors.New("the server does not accept this worker's key: it was revoked, or never admitted; join with a new code")

// Permissions are the subjects that a worker of a class may publish and subscribe to, in NATS'
// notation; a queue group stands behind a space. A guest takes nothing of running contests. The
// embedded server holds workers to them. The operator of an outer cluster must give each worker's
// user the same (see User), and should know that NATS does not check where a client lets answers
// go: a worker there can make the cluster publish to any subject of its account. The Bridge does
// check.
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

// User is what the configuration of an outer cluster says of a worker, in the list of users of
// its table authorization: the worker's key, and what it may publish and subscribe to.
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

// What begins the subjects by which a worker asks for a job, and answers for one.
const (
	nextPrefix = "$JS.API.CONSUMER.MSG.NEXT." + jobsStream + "."
	ackPrefix  = "$JS.ACK." + jobsStream + "."
)

// idle is the queue group of workers that wait: one wake-up reaches one of them.
const idle = "idle"

func inbox(worker string) string           { return "_INBOX_" + worker }
func consumer(l job.Lane, c string) string { return fmt.Sprintf("l%d-%s", l, c) }
func nextSubject(consumer string) string   { return nextPrefix + consumer }
func jobSubject(l job.Lane, class, id string) string {
	return fmt.Sprintf("job.%d.%s.%s", l, class, id)
}

// checkName says what is wrong with a word that becomes a part of a subject.
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

// notice is what a worker says on taken.<worker>: that it took a job, or gives it back.
type notice struct {
	job.Running
	Reply string `json:"reply"` // the subject by which the lease is answered
	// Back says that the job is given back, for others to take in Delay.
	Back  bool          `json:"back,omitempty"`
	Delay time.Duration `json:"delay_ns,omitempty"`
}
