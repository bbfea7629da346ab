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

// deliveries are the jobs that the embedded server has sent to workers, as the bridge sees
// them pass, until their answers pass. Leases know what workers say that they hold; this is
// what they were given. A worker that takes a job, says that it is there and does nothing is
// found out by it.
type deliveries struct {
	mu sync.Mutex
	of map[string]*hands // by worker
}

// hands are what one worker holds.
type hands struct {
	heard time.Time
	gaps  int                  // how often since its last result it was silent for longer than awakeFor, or believed a lease to be lost
	gap   time.Time            // when it believed so last
	open  map[string]*delivery // by the subject of the lease's answers
	slots int
}

type delivery struct {
	job    string
	class  string
	since  time.Time
	beaten bool      // the worker has beaten for it
	until  time.Time // the end of the lease
	gaps   int       // of the worker when it was given the job
	link   uint64    // the connection on which it was given it, or beat for it last
	ended  time.Time // when that connection ended; zero: it stands
	result bool      // a result has passed
}

const (
	// awakeFor is how long a worker may say nothing at all: it beats every five seconds, and
	// one that is silent for longer may be frozen, or its network is away.
	awakeFor = 2 * beatEvery
	// mostGaps is how often in a row it may lose jobs so. A worker that has beaten for a job, and
	// does not any more, may not have been answered.
	mostGaps = 3
	// moreHeld is how many jobs a worker may hold beyond twice its slots, of which one runs
	// and one makes way: answers may be on their way.
	moreHeld = 4
)

// loss is a job that a worker was given and did not answer for.
type loss struct {
	worker, job, class, reply string
	// why says what the worker did, where it was no accident of its network.
	why string
}

func (o *delivery) loss(worker, reply string) loss {
	return loss{worker: worker, job: o.job, class: o.class, reply: reply}
}

func newDeliveries() *deliveries { return &deliveries{of: map[string]*hands{}} }

// hands returns what a worker holds; the caller holds mu.
func (d *deliveries) hands(worker string) *hands {
	h := d.of[worker]
	if h == nil {
		h = &hands{heard: time.Now(), open: map[string]*delivery{}}
		d.of[worker] = h
	}
	return h
}

// line notes that a worker said something.
func (d *deliveries) line(worker string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h, now := d.hands(worker), time.Now()
	if now.Sub(h.heard) > awakeFor {
		h.gaps++
	}
	h.heard = now
}

// has notes how many slots a worker says that it has.
func (d *deliveries) has(worker string, slots int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hands(worker).slots = slots
}

// sent notes that a job was given to a worker on a connection.
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

// result notes that a worker brings a result.
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

// closed notes that a connection of a worker has ended: its process may have, and another one
// that comes for it knows nothing of its jobs.
func (d *deliveries) closed(worker string, link uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, o := range d.hands(worker).open {
		if o.link == link {
			o.ended = time.Now()
		}
	}
}

// answered notes an answer to a lease. One that ends the job though there is no result is a
// loss.
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
	l.why = "it said that it had done the job, and brought no result"
	return &l
}

// abandoned takes out the jobs that nobody has though their leases go on: they were given on
// connections that have ended, and their worker does not name them in the beat that is heard now, or
// has not come back for them in time.
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

// full says whether a worker holds as many jobs as it may, of those that this connection knows.
func (d *deliveries) full(worker string, link uint64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.hands(worker)
	slots := h.slots
	if slots == 0 { // its first beat says how many
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

// expired are the jobs whose leases have run out by now.
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

// link is one connection of a worker, as the bridge sees it. The name that it gives counts only
// when the embedded server has seen the key proved.
type link struct {
	people *people
	id     atomic.Uint64 // as the embedded server calls it
	name   atomic.Value  // string
	proved atomic.Bool
}

// worker is the worker whose key the connection has proved; "" before that.
func (l *link) worker() string {
	name, _ := l.name.Load().(string)
	if name == "" || !l.proved.Load() && !l.people.connected(name, l.id.Load()) {
		return ""
	}
	l.proved.Store(true)
	return name
}

// maxDown bounds a line that the embedded server writes: its greeting is the longest.
const maxDown = 64 << 10

// down copies what the embedded server sends to a worker, and notes each job in it.
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
			// MSG subject sid [reply] size, and HMSG has a size more.
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
