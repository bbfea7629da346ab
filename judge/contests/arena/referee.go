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

// refereeProc is a referee process with its current players. Only the director sends requests to it, and one
// goroutine receives its replies.
type refereeProc struct {
	number  int
	cpu     int // CPU to which the referee and its players are pinned
	proc    *sandbox.FileProcess
	channel *sandbox.Channel
	page    *[4]uint64 // memory shared with the referee; see package kit
	stderr  *stderrTail
	replies chan<- reply

	handlers []func(kit.Frame) error // handlers of the pending answers, in order
	playing  int                     // number of pending games
	queued   time.Duration           // estimated duration of the pending games
	since    time.Time               // start of the first pending game
	out      bytes.Buffer

	lost    bool     // whether the referee skips games because a player is gone
	skipped []*match // skipped games, to be played when the player is back
	present map[int]*botProcess
}

// reply contains the frames that a referee sent at one time. If err is not nil, it occurred after these frames.
type reply struct {
	refereeProc *refereeProc
	frames      []kit.Frame
	err         error
}

// maxReply is the maximum length of a referee's answer, in bytes.
const maxReply = 256 << 20

// openReferee starts a referee.
func openReferee(ctx context.Context, e *Tournament, number int, heard chan<- reply) (*refereeProc, error) {
	channel, err := sandbox.NewChannel()
	if err != nil {
		return nil, err
	}
	c := &refereeProc{number: number, channel: channel, replies: heard, stderr: &stderrTail{}, present: map[int]*botProcess{}}
	c.page = (*[4]uint64)(unsafe.Pointer(&channel.Page()[0]))
	limits := e.RefereeLimits
	limits.CPU, limits.Wall, limits.Output = 0, 0, 0
	command := e.Referee.Command(limits, e.RefereeArgs...)
	command.Env = append(command.Env, kit.StreamEnv+"=1", "GOMAXPROCS=1")
	command.Stdin, command.Stdout, command.Stderr = channel.ChildEnd(), channel.ChildEnd(), c.stderr
	if c.proc, err = e.Sandbox.StartWithFiles(ctx, command); err != nil {
		channel.Close()
		return nil, fmt.Errorf("start the referee: %w", err)
	}
	channel.ChildEnd().Close()
	go c.receive(ctx)
	return c, nil
}

// receive receives what the referee sends, until EOF.
func (c *refereeProc) receive(ctx context.Context) {
	in := bufio.NewReaderSize(c.channel, 1<<16)
	pass := func(r reply) bool {
		select {
		case c.replies <- r:
			return r.err == nil
		case <-ctx.Done():
			return false
		}
	}
	line, err := in.ReadString('\n')
	if want := kit.Hello + " referee\n"; err == nil && line != want {
		err = fmt.Errorf("its greeting is %.60q, not %q", line, want)
	}
	if err != nil {
		pass(reply{refereeProc: c, err: err})
		return
	}
	var frames []kit.Frame
	for {
		f, err := kit.ReadFrame(in, maxReply)
		if err == nil {
			frames = append(frames, f)
		}
		if err == nil && in.Buffered() > 0 && len(frames) < maxQueuedGames {
			continue
		}
		if !pass(reply{c, frames, err}) {
			return
		}
		frames = nil
	}
}

// fail kills a referee that has failed, and returns a fault that describes the failure.
func (c *refereeProc) fail(e *Tournament, what string) error {
	c.proc.Kill()
	_, _ = c.proc.Wait()
	f := &judge.ProblemError{File: e.RefereePath, Text: "the referee failed: " + what}
	if text := c.stderr.text(); text != "" {
		f.Hint = "its standard error ends:\n" + text
	}
	return f
}

// request queues a request until the next flush. If there are files, ask calls flush itself. When the answer arrives,
// done is called with it.
func (c *refereeProc) request(onAnswer func(kit.Frame) error, files []*os.File, verb string, parts ...[]byte) error {
	c.handlers = append(c.handlers, onAnswer)
	_ = kit.WriteFrame(&c.out, verb, parts...)
	if len(files) == 0 {
		return nil
	}
	return c.flush(files...)
}

// send sends a message that has no answer.
func (c *refereeProc) send(verb string) { _ = kit.WriteFrame(&c.out, verb) }

// flush sends the queued requests. The files are sent together with the last byte.
func (c *refereeProc) flush(files ...*os.File) error {
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

// seatBot connects a player, or a file, to the referee. It also sends the player's unread output.
func (c *refereeProc) seatBot(
	id int, seed uint64, contestant *Contestant, p *botProcess, greeting []string, unread []byte,
	onSeated func(*referee.Greeted) error,
) error {
	about, err := json.Marshal(struct {
		ID   int      `json:"id"`
		Name string   `json:"name"`
		Seed uint64   `json:"seed"`
		Said []string `json:"said,omitempty"`
	}{id, contestant.Name, seed, greeting})
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
	return c.request(func(f kit.Frame) error {
		g := &referee.Greeted{}
		if f.Verb != "ok" || len(f.Parts) != 1 {
			return fmt.Errorf("%s to a bot", f.Verb)
		}
		if err := json.Unmarshal(f.Parts[0], g); err != nil {
			return err
		}
		if p != nil { // the bot has been greeted, so its process has started and can be pinned
			_ = p.proc.Pin(c.cpu) // if this fails, games are only slower
		}
		return onSeated(g)
	}, files, "bot", about, contestant.Text, unread)
}

// turn describes the current turn at a referee, as read from the shared page.
type turn struct {
	number  uint64 // changes with every turn; odd while a bot must move
	bot     int
	budget  int64 // CPU time for the turn, in nanoseconds; zero means no limit
	telling bool  // whether the bot has not read all that was sent to it
}

func (c *refereeProc) turn() (t turn) {
	t.number = atomic.LoadUint64(&c.page[0])
	t.bot = int(atomic.LoadUint64(&c.page[1]))
	t.budget = int64(atomic.LoadUint64(&c.page[2]))
	t.telling = atomic.LoadUint64(&c.page[3]) == 1
	if atomic.LoadUint64(&c.page[0]) != t.number {
		t.number = 0 // the turn has just changed, so look again later
	}
	return t
}

// processors returns the CPUs that referees can be pinned to.
func processors() []int {
	all := make([]int, runtime.NumCPU())
	for i := range all {
		all[i] = i
	}
	return all
}

func (c *refereeProc) close() {
	c.proc.Kill()
	_, _ = c.proc.Wait()
	c.channel.Close()
}
