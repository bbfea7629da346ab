package referee

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"assay/judge/kit"
)

// The referee's standard input and output are a socket to the arena. The arena sends frames, and passes file
// descriptors with some of them:
//
//	event <JSON> + the shared page    -> ok | fail <text>
//	bot <JSON> <file> <unread> + its pipes -> ok <JSON>
//	leave <id>                        -> ok <unread>; the bot moves to another referee
//	play <Order>                      -> game <Outcome>;
//	                                     skipped if a bot was lost earlier, or
//	                                     if the Live bot of a replay is lost;
//	                                     before it, ended <Outcome> if a bot is slow to
//	                                     read the end of the game
//	go                                ends the skipping; no reply
//	look <JSON>                       -> ok <JSON>
//
// Several requests may be pending. The shared page shows the arena whose turn it is. Word 0 changes with every
// turn, and is odd while the referee waits for a bot. Word 1 is the bot's id. Word 2 is its CPU time limit for the
// turn in nanoseconds; zero means no limit. Word 3 is 1 until the bot has read its input.

// pipes contains the file descriptors for a bot process.
type pipes struct {
	alive bool
	in    int // standard input of the bot
	out   int // standard output of the bot
	clock int // CPU time of the process; -1 if unavailable
	page  *[4]uint64
	table *table
}

// waitFor is the maximum time that the referee waits for a bot before it sends unsent outcomes of finished games
// to the arena. It then also sends the outcome of the current game if the result of that game is known.
const waitFor = 100 * time.Millisecond

type table struct {
	rules *Rules
	event Event
	bots  map[int]*Bot
	page  *[4]uint64
	lost  bool // skip games until the arena sends go
	sock  *sockReader
	out   *bufio.Writer

	game  Game // reused for every game
	moves []byte
	reply []byte
}

// flushAt is the number of buffered bytes above which replies are flushed even if more requests are available. The
// buffer is larger than flushAt, so a flush usually ends with a complete reply.
const flushAt = 4 << 10

// serve answers requests from the arena until it closes the socket.
func serve(r *Rules) {
	runtime.LockOSThread()
	debug.SetGCPercent(400)
	os.Stdout = os.Stderr
	t := &table{rules: r, bots: map[int]*Bot{}, page: new([4]uint64), sock: &sockReader{}}
	t.out = bufio.NewWriterSize(fdWriter(0), 1<<16)
	fmt.Fprintf(t.out, "%s referee\n", kit.Hello)
	t.out.Flush()
	in := bufio.NewReaderSize(t.sock, 1<<16)
	for {
		if in.Buffered() == 0 { // no more requests: send everything that is pending
			for _, b := range t.bots {
				b.conn.flush()
			}
		}
		if in.Buffered() == 0 || t.out.Buffered() > flushAt {
			if t.out.Flush() != nil {
				return
			}
		}
		f, err := kit.ReadFrame(in, 1<<40)
		if err == io.EOF {
			return
		}
		if err == nil {
			err = t.answer(f)
		}
		if err != nil {
			exit(err.Error())
		}
	}
}

func (t *table) answer(f kit.Frame) error {
	if len(f.Parts) == 0 && f.Verb != "go" {
		return fmt.Errorf("%s without a part", f.Verb)
	}
	switch f.Verb {
	case "event":
		return t.open(f.Parts[0])
	case "bot":
		return t.seat(f.Parts)
	case "leave":
		id, _ := strconv.Atoi(string(f.Parts[0]))
		var unread []byte
		if b := t.bots[id]; b != nil {
			unread = b.conn.leave()
			delete(t.bots, id)
		}
		return kit.WriteFrame(t.out, "ok", unread)
	case "go":
		t.lost = false
		return nil
	case "play":
		return t.play(f.Parts)
	case "look":
		seen, err := t.rules.look(&t.event, f.Parts[0])
		if err != nil {
			return kit.WriteFrame(t.out, "fail", []byte(err.Error()))
		}
		return kit.WriteFrame(t.out, "ok", seen)
	}
	return fmt.Errorf("unknown request %q", f.Verb)
}

func (t *table) open(data []byte) error {
	t.event = Event{}
	if err := json.Unmarshal(data, &t.event); err != nil {
		return err
	}
	if len(t.sock.files) > 0 {
		memory, err := syscall.Mmap(t.sock.take(), 0, os.Getpagesize(), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
		if err != nil {
			return fmt.Errorf("map the shared page: %w", err)
		}
		t.page = (*[4]uint64)(unsafe.Pointer(&memory[0]))
	}
	if t.rules.Check != nil {
		if err := t.rules.Check(&t.event); err != nil {
			return kit.WriteFrame(t.out, "fail", []byte(err.Error()))
		}
	}
	return kit.WriteFrame(t.out, "ok", []byte{})
}

func (t *table) seat(parts [][]byte) error {
	if len(parts) != 3 {
		return fmt.Errorf("a bot has 3 parts, got %d", len(parts))
	}
	b := &Bot{Event: &t.event, Text: parts[1]}
	if err := json.Unmarshal(parts[0], b); err != nil {
		return err
	}
	b.conn.page, b.conn.table = t.page, t
	b.conn.pipes.clock = -1
	if n := len(t.sock.files); n >= 2 {
		b.conn.in, b.conn.out, b.conn.alive = t.sock.take(), t.sock.take(), true
		if n > 2 {
			b.conn.pipes.clock = t.sock.take()
		}
		if err := errors.Join(syscall.SetNonblock(b.conn.in, true), syscall.SetNonblock(b.conn.out, true)); err != nil {
			return err
		}
	}
	b.conn.unread = parts[2]
	if old := t.bots[b.ID]; old != nil {
		old.conn.leave()
	}
	t.bots[b.ID] = b
	reply, err := json.Marshal(t.rules.greet(b))
	if err != nil {
		return err
	}
	return kit.WriteFrame(t.out, "ok", reply)
}

func (t *table) play(parts [][]byte) error {
	o, err := readOrder(parts)
	if err != nil {
		return err
	}
	ids := [2]int{int(o.First), int(o.Second)}
	bots := [2]*Bot{t.bots[ids[0]], t.bots[ids[1]]}
	back := o.Live > 0 // a restarted bot replays the game
	if back {          // its opponent need not be running
		for i := range bots {
			if bots[i] == nil {
				bots[i] = &Bot{Event: &t.event, ID: ids[i]}
			}
		}
	}
	if !back && t.lost || back && bots[o.Live-1].conn.dead != "" {
		return kit.WriteFrame(t.out, "skipped", nil)
	}
	if bots[0] == nil || bots[1] == nil {
		return fmt.Errorf("a game of bots that are not there: %d and %d", o.First, o.Second)
	}
	t.game.begin(&t.event, &o, bots)
	out := t.rules.play(&t.game)
	if !back {
		t.lost = bots[0].conn.dead != "" || bots[1].conn.dead != ""
	} else if bots[o.Live-1].conn.dead != "" {
		return kit.WriteFrame(t.out, "skipped", nil)
	}
	return t.tell("game", &out)
}

// tell writes the outcome of a game.
func (t *table) tell(verb string, out *Outcome) error {
	t.moves = t.game.log.appendMoves(t.moves[:0])
	out.Moves = t.moves
	reply, err := out.parts(t.reply)
	if err != nil {
		return err
	}
	t.reply = reply[0]
	return kit.WriteFrame(t.out, verb, reply...)
}

// hasNews reports whether there are unsent outcomes.
func (t *table) hasNews() bool {
	return t != nil && (t.out.Buffered() > 0 || t.game.untold)
}

// tellNews sends pending outcomes. A write error is detected later.
func (t *table) tellNews() {
	if g := &t.game; g.untold {
		g.untold = false
		g.sum(&g.early)
		if t.tell("ended", &g.early) != nil {
			return
		}
	}
	_ = t.out.Flush()
}

// begin resets the CPU time for a new game.
func (c *conn) begin() {
	c.wall, c.seen, c.spent, c.took, c.moved = 0, 0, 0, 0, 0
	c.comment = c.comment[:0]
	c.last = c.last[:0]
	c.cpuAt = -1
}

// used returns the CPU time of the bot in its turns of this game. The wall time of a turn is never shorter than
// its CPU time, so the clock is not read again until the wall time has grown by a millisecond.
func (c *conn) used() time.Duration {
	if c.wall-c.seen < time.Millisecond {
		return c.spent
	}
	c.seen = c.wall
	c.spent = c.wall
	if now, ok := c.cpu(); ok && c.cpuAt >= 0 {
		c.spent = min(c.wall, now-c.cpuAt)
	}
	return c.spent
}

// cpu reads the CPU time of the process.
func (c *conn) cpu() (time.Duration, bool) {
	if c.pipes.clock < 0 || !c.alive {
		return 0, false
	}
	var buf [64]byte
	n, err := syscall.Pread(c.pipes.clock, buf[:], 0)
	if err != nil || n <= 0 {
		return 0, false
	}
	unit, text := time.Nanosecond, buf[:n]
	if rest, ok := bytes.CutPrefix(text, []byte("usage_usec ")); ok {
		unit, text = time.Microsecond, rest
	}
	var v int64
	for _, d := range text {
		if d < '0' || d > '9' {
			break
		}
		v = v*10 + int64(d-'0')
	}
	return time.Duration(v) * unit, true
}

// ask sends the pending lines and a request, and waits for the answer.
func (c *conn) ask(id int, request []byte, budget int64, game bool) []byte {
	c.tell(request)
	if c.local != nil {
		return c.askLocal()
	}
	if c.dead != "" || !c.alive {
		c.gone("its process is gone")
	}
	c.silent()
	if c.cpuAt < 0 && game {
		c.cpuAt, _ = c.cpu()
	}
	start := time.Now()
	atomic.StoreUint64(&c.page[1], uint64(id))
	atomic.StoreUint64(&c.page[2], uint64(budget))
	atomic.StoreUint64(&c.page[3], 1)
	atomic.AddUint64(&c.page[0], 1)
	defer func() { // also after a panic
		if atomic.LoadUint64(&c.page[0])%2 == 1 {
			atomic.AddUint64(&c.page[0], 1)
		}
		took := time.Since(start)
		c.wall += took
		c.took = took.Microseconds()
	}()
	c.send(true)
	atomic.StoreUint64(&c.page[3], 0)
	return c.line(game)
}

// silent disqualifies a bot that has written anything but comments without a request.
func (c *conn) silent() {
	for len(c.unread) <= MaxOutput {
		if !c.available() {
			break
		}
	}
	if len(c.unread) == 0 && c.dead == "" {
		return
	}
	c.comments()
	switch {
	case len(c.unread) > MaxOutput:
		c.throw("flood", fmt.Sprintf("it has written more than %d bytes without a request", MaxOutput))
	case len(c.unread) > 0 && c.unread[0] != '#':
		c.throw("unsolicited", "it answered when it was not asked")
	case c.dead != "":
		c.gone("")
	}
}

func (c *conn) throw(kind, text string) {
	if c.dead == "" {
		c.dead = text // stop reading its output
	}
	panic(BotFault{Kind: kind, Text: text, Bytes: quote(c.unread)})
}

// comments moves complete comment lines from the unread bytes to the notes.
func (c *conn) comments() {
	for len(c.unread) > 0 && c.unread[0] == '#' {
		line, rest, whole := bytes.Cut(c.unread, []byte("\n"))
		if !whole {
			return
		}
		c.comment = append(c.comment, Note{Move: c.moved, Kind: "comment", Text: string(bytes.ToValidUTF8(
			bytes.TrimSpace(line[1:]), []byte("?"),
		))})
		c.unread = rest
	}
}

// line waits for a line that is not a comment. In a game, the last answer of a process is valid even without a
// line feed. In a greeting it is not valid, because a process that has exited cannot play.
func (c *conn) line(game bool) []byte {
	said := 0 // size of this answer in bytes, including comments
	for {
		before := len(c.unread)
		c.comments()
		said += before - len(c.unread)
		if end := bytes.IndexByte(c.unread, '\n'); end >= 0 {
			c.last = append(c.last[:0], c.unread[:end]...)
			c.unread = c.unread[end+1:]
			return c.last
		}
		if said+len(c.unread) > MaxOutput {
			c.throw("flood", fmt.Sprintf("it has said more than %d bytes at a time", MaxOutput))
		}
		if c.dead != "" || !c.read() {
			if game && len(c.unread) > 0 && c.unread[0] != '#' { // last answer without a line feed
				c.last = append(c.last[:0], c.unread...)
				c.unread = c.unread[len(c.unread):]
				return c.last
			}
			c.gone("")
		}
	}
}

// raw reads or writes without notifying the Go scheduler. If notified, the scheduler would wake up every few
// microseconds because of the waiting thread, although no other thread has work. b must not be empty.
func raw(call uintptr, fd int, b []byte) (int, syscall.Errno) {
	n, _, err := syscall.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	return int(n), err
}

// read waits for output of the bot and reads it. It returns false at EOF.
func (c *conn) read() bool {
	for !c.available() {
		switch {
		case c.dead != "":
			return false
		case !c.table.hasNews():
			poll(c.out, pollIn, -1)
		case poll(c.out, pollIn, waitFor) == 0:
			c.table.tellNews()
		}
	}
	return true
}

// available reads output of the bot without waiting, and reports whether there was any. The bot usually answers while
// the referee writes the request, so most answers need no poll.
func (c *conn) available() bool {
	if c.buffer == nil {
		c.buffer = make([]byte, 4<<10)
	}
	if len(c.unread) == 0 {
		c.unread = c.buffer[:0]
	}
	if cap(c.unread)-len(c.unread) < 512 {
		c.unread = append(make([]byte, 0, 2*len(c.unread)+4096), c.unread...)
	}
	for {
		n, err := raw(syscall.SYS_READ, c.out, c.unread[len(c.unread):cap(c.unread)])
		switch {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN:
			return false
		case err != 0 || n <= 0:
			c.dead = "its output ended"
			return false
		default:
			c.unread = c.unread[:len(c.unread)+n]
			return true
		}
	}
}

// send writes the pending bytes. It also reads output of the bot, because otherwise the bot and the referee could
// block each other.
func (c *conn) send(wait bool) {
	for len(c.pending) > 0 {
		n, err := raw(syscall.SYS_WRITE, c.in, c.pending)
		switch {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN && !wait:
			return
		case err == syscall.EAGAIN:
			c.waitForRoom()
		case err != 0: // the last answer before its exit may still be read
			c.pending = c.pending[:0]
			return
		case n == len(c.pending):
			c.pending = c.pending[:0]
		default:
			c.pending = append(c.pending[:0], c.pending[n:]...)
		}
	}
}

func (c *conn) waitForRoom() {
	fds := [2]pollFD{{int32(c.in), pollOut, 0}, {int32(c.out), pollIn, 0}}
	if c.dead != "" {
		fds[1].fd = -1
	}
	ppoll(&fds[0], 2, -1)
	if fds[1].revents != 0 {
		if len(c.unread) > MaxOutput {
			c.throw("flood", fmt.Sprintf("it has said more than %d bytes before it was asked", MaxOutput))
		}
		c.read()
	}
}

// flush sends pending lines that need no answer, until the bot's pipe is full.
func (c *conn) flush() {
	if c.alive && c.dead == "" && len(c.pending) > 0 {
		c.send(false)
	}
}

// leave sends pending lines, closes the pipes, and returns the bytes that were read from the bot but not used.
func (c *conn) leave() []byte {
	if !c.alive {
		return nil
	}
	c.flush()
	c.alive = false
	syscall.Close(c.in)
	syscall.Close(c.out)
	if c.pipes.clock >= 0 {
		syscall.Close(c.pipes.clock)
	}
	return c.unread
}

const (
	pollIn  = 1
	pollOut = 4
)

type pollFD struct {
	fd              int32
	events, revents int16
}

// poll returns the events for which a file descriptor is ready. It returns zero if there are none.
func poll(fd int, events int16, wait time.Duration) int16 {
	p := pollFD{int32(fd), events, 0}
	ppoll(&p, 1, wait)
	return p.revents
}

// ppoll waits for file descriptors. If wait is negative, it waits forever.
func ppoll(fds *pollFD, n int, wait time.Duration) {
	ts := syscall.NsecToTimespec(int64(wait))
	limit := &ts
	if wait < 0 {
		limit = nil
	}
	_, _, _ = syscall.RawSyscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(fds)), uintptr(n), uintptr(unsafe.Pointer(limit)), 0, 0, 0)
}

// A sockReader reads the socket, and collects the file descriptors that are passed with the bytes.
type sockReader struct{ files []int }

func (s *sockReader) take() int {
	fd := s.files[0]
	s.files = s.files[1:]
	return fd
}

func (s *sockReader) Read(p []byte) (int, error) {
	var oob [256]byte
	for {
		n, oobn, _, _, err := syscall.Recvmsg(0, p, oob[:], syscall.MSG_CMSG_CLOEXEC)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return 0, err
		}
		if oobn > 0 {
			messages, err := syscall.ParseSocketControlMessage(oob[:oobn])
			if err != nil {
				return 0, err
			}
			for i := range messages {
				fds, err := syscall.ParseUnixRights(&messages[i])
				if err != nil {
					return 0, err
				}
				s.files = append(s.files, fds...)
			}
		}
		if n == 0 {
			return 0, io.EOF
		}
		return n, nil
	}
}

type fdWriter int

func (fd fdWriter) Write(b []byte) (done int, err error) {
	for done < len(b) {
		n, err := syscall.Write(int(fd), b[done:])
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}
