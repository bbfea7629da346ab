package queue

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"assay/judge/host/job"
)

// deliveryLog records the jobs that the embedded server has sent to workers and that are not answered yet, as seen
// by the bridge. Leases record which jobs workers claim to hold, and deliveries which jobs they were given.
// Therefore deliveries can find a worker that takes a job, stays connected and does nothing.
type deliveryLog struct {
	mu      sync.Mutex
	workers map[string]*heldJobs // by worker
}

// A heldJobs contains the jobs that one worker holds.
type heldJobs struct {
	lastHeard time.Time
	// gaps counts, since the worker's last result, how often it was silent for longer than maxSilence, or gave up a
	// lease that it assumed to be expired.
	gaps    int
	lastGap time.Time            // time of the last gap
	open    map[string]*delivery // by the reply subject of the lease
	slots   int
}

type delivery struct {
	job       string
	class     string
	since     time.Time
	confirmed bool      // the worker has named the job in a heartbeat
	expires   time.Time // the end of the lease
	gaps      int       // gaps of the worker when it got the job
	link      uint64    // connection of the delivery, or of the last heartbeat that names the job
	closed    time.Time // when that connection was closed; zero if it is open
	finished  bool      // the worker has sent a result
}

const (
	// maxSilence is how long a worker may be silent. It sends a heartbeat every 5 s. A worker that is silent for
	// longer may be frozen or disconnected.
	maxSilence = 2 * heartbeatEvery
	// maxGaps is how many consecutive jobs a worker may lose because it was silent. The responses to a worker's
	// heartbeats may also be lost.
	maxGaps = 3
	// extraHeld is how many jobs a worker may hold in addition to two per slot. There are two per slot because a
	// preemptible job waits while another one runs. The additional jobs allow for answers in transit.
	extraHeld = 4
)

// A loss is a job that a worker was given but neither finished nor released.
type loss struct {
	worker, job, class, reply string
	// reason says what the worker did. It is empty if its network may be the cause.
	reason string
}

func (o *delivery) loss(worker, reply string) loss {
	return loss{worker: worker, job: o.job, class: o.class, reply: reply}
}

func newDeliveryLog() *deliveryLog { return &deliveryLog{workers: map[string]*heldJobs{}} }

// workerFor returns the jobs of a worker. The caller must hold mu.
func (d *deliveryLog) workerFor(worker string) *heldJobs {
	h := d.workers[worker]
	if h == nil {
		h = &heldJobs{lastHeard: time.Now(), open: map[string]*delivery{}}
		d.workers[worker] = h
	}
	return h
}

// recordLine records that a worker has sent a line.
func (d *deliveryLog) recordLine(worker string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h, now := d.workerFor(worker), time.Now()
	if now.Sub(h.lastHeard) > maxSilence {
		h.gaps++
	}
	h.lastHeard = now
}

// setSlots records the number of a worker's slots.
func (d *deliveryLog) setSlots(worker string, slots int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.workerFor(worker).slots = slots
}

// recordDelivery records that a job was delivered to a worker on a connection.
func (d *deliveryLog) recordDelivery(worker string, link uint64, subject, reply string) {
	parts := strings.Split(subject, ".")
	if worker == "" || len(parts) != 4 || parts[0] != "job" {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.workerFor(worker)
	now := time.Now()
	h.open[reply] = &delivery{class: parts[2], job: parts[3], since: now, expires: now.Add(ackWait), gaps: h.gaps, link: link}
}

// recordResult records that a worker sends a result.
func (d *deliveryLog) recordResult(worker, id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.workerFor(worker)
	h.gaps = 0
	for _, o := range h.open {
		o.gaps = 0
		if o.job == id {
			o.finished = true
		}
	}
}

// recordClosed records that a connection of a worker was closed. The worker's process may also have exited, and a new
// process does not know the jobs of the old one.
func (d *deliveryLog) recordClosed(worker string, link uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, o := range d.workerFor(worker).open {
		if o.link == link {
			o.closed = time.Now()
		}
	}
}

// recordAnswer records an answer to a lease. If the worker acknowledges the job but has sent no result, answered
// returns a loss. Otherwise it returns nil.
func (d *deliveryLog) recordAnswer(worker string, link uint64, reply, text string) *loss {
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.workerFor(worker)
	o := h.open[reply]
	if o == nil {
		return nil
	}
	if strings.HasPrefix(text, "+WPI") {
		o.expires, o.link, o.closed, o.confirmed = time.Now().Add(ackWait), link, time.Time{}, true
		return nil
	}
	delete(h.open, reply)
	if o.finished || strings.HasPrefix(text, "-NAK") {
		return nil
	}
	l := o.loss(worker, reply)
	l.reason = "it acknowledged the job and sent no result"
	return &l
}

// takeAbandoned removes and returns the jobs that no process runs although their leases have not expired. Such a job
// was delivered on a connection that is closed. Either its worker has not reconnected in time, or it is the worker
// beats, whose current heartbeat names only the jobs in named.
func (d *deliveryLog) takeAbandoned(subject string, named map[string]bool) (losses []loss) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for worker, h := range d.workers {
		for reply, o := range h.open {
			if o.closed.IsZero() || o.finished {
				continue
			}
			if worker == subject && !named[o.job] || time.Since(o.closed) >= releaseTimeout {
				delete(h.open, reply)
				losses = append(losses, o.loss(worker, reply))
			}
		}
	}
	return losses
}

// isFull reports whether a worker holds the maximum number of jobs.
func (d *deliveryLog) isFull(worker string, link uint64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.workerFor(worker)
	slots := h.slots
	if slots == 0 { // its first heartbeat contains the number
		slots = job.MaxSlots
	}
	held := 0
	for _, o := range h.open {
		if o.link == link {
			held++
		}
	}
	return held >= 2*slots+extraHeld
}

// takeExpired removes and returns the jobs whose leases have expired.
func (d *deliveryLog) takeExpired(now time.Time) (losses []loss) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for worker, h := range d.workers {
		for reply, o := range h.open {
			long := now.Sub(o.since) > job.MaxClaim
			if now.Before(o.expires.Add(idleCheckEvery)) && !long {
				continue
			}
			delete(h.open, reply)
			if o.finished {
				continue
			}
			l := o.loss(worker, reply)
			excused := h.gaps > o.gaps || now.Sub(h.lastHeard) > maxSilence || o.confirmed
			switch {
			case long:
				l.reason = fmt.Sprintf("it held the job for %v", job.MaxClaim)
			case o.closed.IsZero() && (!excused || h.gaps >= maxGaps):
				l.reason = fmt.Sprintf("it took the job and said nothing of it for %v, though it was connected", ackWait)
			case o.confirmed && now.Sub(h.lastGap) > ackWait:
				h.gaps, h.lastGap = h.gaps+1, now
			}
			losses = append(losses, l)
		}
		if len(h.open) == 0 && now.Sub(h.lastHeard) > time.Hour {
			delete(d.workers, worker)
		}
	}
	slices.SortFunc(losses, func(a, b loss) int { return strings.Compare(a.reply, b.reply) })
	return losses
}

// A workerLink is one connection of a worker, as seen by the bridge. The name in it is valid only after the embedded
// server has verified the key.
type workerLink struct {
	workers *workerRegistry
	id      atomic.Uint64 // the id in the embedded server
	name    atomic.Value  // string
	proved  atomic.Bool
}

// worker returns the worker whose key the connection has proved. It returns an empty string if there is none.
func (l *workerLink) worker() string {
	name, _ := l.name.Load().(string)
	if name == "" || !l.proved.Load() && !l.workers.connected(name, l.id.Load()) {
		return ""
	}
	l.proved.Store(true)
	return name
}

// maxServerLine is the maximum length of a line from the embedded server. The longest line is its greeting.
const maxServerLine = 64 << 10

// copyDown copies the data that the embedded server sends to a worker, and records each delivered job.
func (l *workerLink) copyDown(target io.Writer, source io.Reader, d *deliveryLog) error {
	in, out := bufio.NewReaderSize(source, maxServerLine), bufio.NewWriter(target)
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		words := strings.Fields(string(line))
		size := -1
		switch {
		case len(words) > 1 && words[0] == "INFO" && l.id.Load() == 0:
			var greeting struct {
				ID uint64 `json:"client_id"`
			}
			if json.Unmarshal(bytes.TrimPrefix(line, []byte("INFO ")), &greeting) == nil {
				l.id.Store(greeting.ID)
			}
		case len(words) > 3 && (words[0] == "MSG" || words[0] == "HMSG"):
			if size, err = strconv.Atoi(words[len(words)-1]); err != nil {
				return err
			}
			// MSG subject sid [reply] size; HMSG has an additional size.
			if with := map[string]int{"MSG": 5, "HMSG": 6}[words[0]]; len(words) == with && strings.HasPrefix(words[3], ackPrefix) {
				d.recordDelivery(l.worker(), l.id.Load(), words[1], words[3])
			}
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
		if size >= 0 {
			if _, err := io.CopyN(out, in, int64(size)+2); err != nil {
				return err
			}
		}
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
}
