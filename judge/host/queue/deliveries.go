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

// deliveries records the jobs that the embedded server has sent to workers and that are not answered yet, as seen
// by the bridge. Leases record which jobs workers claim to hold, and deliveries which jobs they were given.
// Therefore deliveries can find a worker that takes a job, stays connected and does nothing.
type deliveries struct {
	mu sync.Mutex
	of map[string]*hands // by worker
}

// A hands contains the jobs that one worker holds.
type hands struct {
	heard time.Time
	// gaps counts, since the worker's last result, how often it was silent for longer than awakeFor, or gave up a
	// lease that it assumed to be expired.
	gaps  int
	gap   time.Time            // time of the last gap
	open  map[string]*delivery // by the reply subject of the lease
	slots int
}

type delivery struct {
	job    string
	class  string
	since  time.Time
	beaten bool      // the worker has named the job in a heartbeat
	until  time.Time // the end of the lease
	gaps   int       // gaps of the worker when it got the job
	link   uint64    // connection of the delivery, or of the last heartbeat that names the job
	ended  time.Time // when that connection was closed; zero if it is open
	result bool      // the worker has sent a result
}

const (
	// awakeFor is how long a worker may be silent. It sends a heartbeat every 5 s. A worker that is silent for
	// longer may be frozen or disconnected.
	awakeFor = 2 * beatEvery
	// mostGaps is how many consecutive jobs a worker may lose because it was silent. The responses to a worker's
	// heartbeats may also be lost.
	mostGaps = 3
	// moreHeld is how many jobs a worker may hold in addition to two per slot. There are two per slot because a
	// preemptible job waits while another one runs. The additional jobs allow for answers in transit.
	moreHeld = 4
)

// A loss is a job that a worker was given but neither finished nor released.
type loss struct {
	worker, job, class, reply string
	// why says what the worker did. It is empty if its network may be the cause.
	why string
}

func (o *delivery) loss(worker, reply string) loss {
	return loss{worker: worker, job: o.job, class: o.class, reply: reply}
}

func newDeliveries() *deliveries { return &deliveries{of: map[string]*hands{}} }

// hands returns the jobs of a worker. The caller must hold mu.
func (d *deliveries) hands(worker string) *hands {
	h := d.of[worker]
	if h == nil {
		h = &hands{heard: time.Now(), open: map[string]*delivery{}}
		d.of[worker] = h
	}
	return h
}

// line records that a worker has sent a line.
func (d *deliveries) line(worker string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h, now := d.hands(worker), time.Now()
	if now.Sub(h.heard) > awakeFor {
		h.gaps++
	}
	h.heard = now
}

// has records the number of a worker's slots.
func (d *deliveries) has(worker string, slots int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hands(worker).slots = slots
}

// sent records that a job was delivered to a worker on a connection.
func (d *deliveries) sent(worker string, link uint64, subject, reply string) {
	parts := strings.Split(subject, ".")
	if worker == "" || len(parts) != 4 || parts[0] != "job" {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.hands(worker)
	now := time.Now()
	h.open[reply] = &delivery{class: parts[2], job: parts[3], since: now, until: now.Add(ackWait), gaps: h.gaps, link: link}
}

// result records that a worker sends a result.
func (d *deliveries) result(worker, id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.hands(worker)
	h.gaps = 0
	for _, o := range h.open {
		o.gaps = 0
		if o.job == id {
			o.result = true
		}
	}
}

// closed records that a connection of a worker was closed. The worker's process may also have exited, and a new
// process does not know the jobs of the old one.
func (d *deliveries) closed(worker string, link uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, o := range d.hands(worker).open {
		if o.link == link {
			o.ended = time.Now()
		}
	}
}

// answered records an answer to a lease. If the worker acknowledges the job but has sent no result, answered
// returns a loss. Otherwise it returns nil.
func (d *deliveries) answered(worker string, link uint64, reply, text string) *loss {
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.hands(worker)
	o := h.open[reply]
	if o == nil {
		return nil
	}
	if strings.HasPrefix(text, "+WPI") {
		o.until, o.link, o.ended, o.beaten = time.Now().Add(ackWait), link, time.Time{}, true
		return nil
	}
	delete(h.open, reply)
	if o.result || strings.HasPrefix(text, "-NAK") {
		return nil
	}
	l := o.loss(worker, reply)
	l.why = "it acknowledged the job and sent no result"
	return &l
}

// abandoned removes and returns the jobs that no process runs although their leases have not expired. Such a job
// was delivered on a connection that is closed. Either its worker has not reconnected in time, or it is the worker
// beats, whose current heartbeat names only the jobs in named.
func (d *deliveries) abandoned(beats string, named map[string]bool) (lost []loss) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for worker, h := range d.of {
		for reply, o := range h.open {
			if o.ended.IsZero() || o.result {
				continue
			}
			if worker == beats && !named[o.job] || time.Since(o.ended) >= returnTime {
				delete(h.open, reply)
				lost = append(lost, o.loss(worker, reply))
			}
		}
	}
	return lost
}

// full reports whether a worker holds the maximum number of jobs.
func (d *deliveries) full(worker string, link uint64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.hands(worker)
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
	return held >= 2*slots+moreHeld
}

// expired removes and returns the jobs whose leases have expired.
func (d *deliveries) expired(now time.Time) (lost []loss) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for worker, h := range d.of {
		for reply, o := range h.open {
			long := now.Sub(o.since) > job.HeldMost
			if now.Before(o.until.Add(lookEvery)) && !long {
				continue
			}
			delete(h.open, reply)
			if o.result {
				continue
			}
			l := o.loss(worker, reply)
			excused := h.gaps > o.gaps || now.Sub(h.heard) > awakeFor || o.beaten
			switch {
			case long:
				l.why = fmt.Sprintf("it held the job for %v", job.HeldMost)
			case o.ended.IsZero() && (!excused || h.gaps >= mostGaps):
				l.why = fmt.Sprintf("it took the job and said nothing of it for %v, though it was connected", ackWait)
			case o.beaten && now.Sub(h.gap) > ackWait:
				h.gaps, h.gap = h.gaps+1, now
			}
			lost = append(lost, l)
		}
		if len(h.open) == 0 && now.Sub(h.heard) > time.Hour {
			delete(d.of, worker)
		}
	}
	slices.SortFunc(lost, func(a, b loss) int { return strings.Compare(a.reply, b.reply) })
	return lost
}

// A link is one connection of a worker, as seen by the bridge. The name in it is valid only after the embedded
// server has verified the key.
type link struct {
	people *people
	id     atomic.Uint64 // the id in the embedded server
	name   atomic.Value  // string
	proved atomic.Bool
}

// worker returns the worker whose key the connection has proved. It returns an empty string if there is none.
func (l *link) worker() string {
	name, _ := l.name.Load().(string)
	if name == "" || !l.proved.Load() && !l.people.connected(name, l.id.Load()) {
		return ""
	}
	l.proved.Store(true)
	return name
}

// maxDown is the maximum length of a line from the embedded server. The longest line is its greeting.
const maxDown = 64 << 10

// down copies the data that the embedded server sends to a worker, and records each delivered job.
func (l *link) down(to io.Writer, from io.Reader, d *deliveries) error {
	in, out := bufio.NewReaderSize(from, maxDown), bufio.NewWriter(to)
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
				d.sent(l.worker(), l.id.Load(), words[1], words[3])
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
