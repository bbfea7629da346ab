package arena

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"assay/judge"
	"assay/judge/kit"
	"assay/judge/kit/referee"
	"assay/judge/running/sandbox"
)

// court is a referee's process with the players that are before it. Only the
// director speaks to it; one goroutine hears what it says.
type court struct {
	number  int
	cpu     int // processor for it and its players
	held    *sandbox.Held
	channel *sandbox.Channel
	page    *[4]uint64 // shared with the referee, see kit
	last    *lastWords
	heard   chan<- reply

	waiting []func(kit.Frame) error // what to do with each answer, in order
	playing int                     // games among them
	queued  time.Duration           // what these are going to take
	since   time.Time               // when the first of them began
	out     bytes.Buffer

	lost    bool     // the referee skips games, as a player is gone
	skipped []*match // to be played again then
	present map[int]*player
}

// reply is what a court says: what has come at one time. The error comes after it.
type reply struct {
	court  *court
	frames []kit.Frame
	err    error
}

// maxReply bounds an answer of a referee.
const maxReply = 256 << 20

// openCourt starts a referee.
func openCourt(ctx context.Context, e *Event, number int, heard chan<- reply) (*court, error) {
	channel, err := sandbox.NewChannel()
	if err != nil {
		return nil, err
	}
	c := &court{number: number, channel: channel, heard: heard, last: &lastWords{}, present: map[int]*player{}}
	c.page = (*[4]uint64)(unsafe.Pointer(&channel.Page()[0]))
	limits := e.RefereeLimits
	limits.CPU, limits.Wall, limits.Output = 0, 0, 0
	command := e.Referee.Command(limits, e.RefereeArgs...)
	command.Env = append(command.Env, kit.StreamEnv+"=1", "GOMAXPROCS=1")
	command.Stdin, command.Stdout, command.Stderr = channel.Theirs(), channel.Theirs(), c.last
	if c.held, err = e.Box.Hold(ctx, command); err != nil {
		channel.Close()
		return nil, fmt.Errorf("start the referee: %w", err)
	}
	channel.Theirs().Close()
	go c.hear(ctx)
	return c, nil
}

// hear passes on what the referee says, until it ends.
func (c *court) hear(ctx context.Context) {
	in := bufio.NewReaderSize(c.channel, 1<<16)
	pass := func(r reply) bool {
		select {
		case c.heard <- r:
			return r.err == nil
		case <-ctx.Done():
			return false
		}
	}
	line, err := in.ReadString('\n')
	if want := kit.Hello + " referee\n"; err == nil && line != want {
		err = fmt.Errorf("it greets with %.60q, not with %q", line, want)
	}
	if err != nil {
		pass(reply{court: c, err: err})
		return
	}
	var frames []kit.Frame
	for {
		f, err := kit.ReadFrame(in, maxReply)
		if err == nil {
			frames = append(frames, f)
		}
		if err == nil && in.Buffered() > 0 && len(frames) < ahead {
			continue
		}
		if !pass(reply{c, frames, err}) {
			return
		}
		frames = nil
	}
}

// broken makes a fault of a referee that failed.
func (c *court) broken(e *Event, what string) error {
	c.held.Kill()
	_, _ = c.held.Wait()
	f := &judge.Fault{File: e.RefereePath, Text: "the referee failed: " + what}
	if text := c.last.text(); text != "" {
		f.Hint = "its standard error ends:\n" + text
	}
	return f
}

// ask sends a request; done gets the answer.
func (c *court) ask(done func(kit.Frame) error, files []*os.File, verb string, parts ...[]byte) error {
	c.waiting = append(c.waiting, done)
	_ = kit.WriteFrame(&c.out, verb, parts...)
	if len(files) == 0 {
		return nil
	}
	return c.flush(files...)
}

// say sends what is not answered.
func (c *court) say(verb string) { _ = kit.WriteFrame(&c.out, verb) }

// flush sends what was written. The files go with its last byte's request.
func (c *court) flush(files ...*os.File) error {
	if c.out.Len() == 0 {
		return nil
	}
	err := c.channel.Send(c.out.Bytes(), files...)
	c.out.Reset()
	if err != nil {
		return fmt.Errorf("speak with the referee: %w", err)
	}
	return nil
}

// seat brings a player, or a file, before the referee. What it has said before and
// nobody has taken goes with it.
func (c *court) seat(id int, seed uint64, who *Contestant, p *player, said []string, unread []byte, done func(*referee.Greeted) error) error {
	about, err := json.Marshal(struct {
		ID   int      `json:"id"`
		Name string   `json:"name"`
		Seed uint64   `json:"seed"`
		Said []string `json:"said,omitempty"`
	}{id, who.Name, seed, said})
	if err != nil {
		return err
	}
	var files []*os.File
	if p != nil {
		files = p.files()
		c.present[id] = p
		if err := c.flush(); err != nil {
			return err
		}
	}
	return c.ask(func(f kit.Frame) error {
		g := &referee.Greeted{}
		if f.Verb != "ok" || len(f.Parts) != 1 {
			return fmt.Errorf("%s to a bot", f.Verb)
		}
		if err := json.Unmarshal(f.Parts[0], g); err != nil {
			return err
		}
		if p != nil { // it was greeted, so it has started: before, there may be nothing to pin
			_ = p.held.Pin(c.cpu) // where it cannot be, it is only slower
		}
		return done(g)
	}, files, "bot", about, who.Text, unread)
}

// turn is whose turn it is at a court, by the shared page.
type turn struct {
	number  uint64 // changes with every turn; odd while somebody is waited for
	bot     int
	budget  int64 // CPU time for it, in nanoseconds; 0 for no limit
	telling bool  // it has not taken all it is told
}

func (c *court) turn() (t turn) {
	t.number = atomic.LoadUint64(&c.page[0])
	t.bot = int(atomic.LoadUint64(&c.page[1]))
	t.budget = int64(atomic.LoadUint64(&c.page[2]))
	t.telling = atomic.LoadUint64(&c.page[3]) == 1
	if atomic.LoadUint64(&c.page[0]) != t.number {
		t.number = 0 // it has just changed: look again later
	}
	return t
}

// processors are those that courts can be kept on.
func processors() []int {
	all := make([]int, runtime.NumCPU())
	for i := range all {
		all[i] = i
	}
	return all
}

func (c *court) close() {
	c.held.Kill()
	_, _ = c.held.Wait()
	c.channel.Close()
}
