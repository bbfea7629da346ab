package queue

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// NATS checks the subjects to which a client publishes and subscribes, but not its reply subjects. A client could
// ask for a job with the reply subject $JS.API.STREAM.PURGE.JOBS, and the server would purge the stream. With
// job.0.main.x it would create a job. Therefore the bridge reads the messages of workers, and allows only replies
// to their own inbox. It accepts only the part of the protocol that clients use, in exactly one spelling, so that
// it cannot interpret a line differently from the server.

// maxLine is the maximum length of a line that the embedded server reads by default.
const maxLine = 4096

// errGuard is the error for messages that the bridge rejects. It closes the connection.
var errGuard = errors.New("a worker sends an invalid message")

// A guard copies and checks the messages of one worker.
type guard struct {
	from       *bufio.Reader
	to         *bufio.Writer
	nameOf     func(key string) string // returns the worker with the given key
	inbox      string                  // subject prefix for replies; empty until the worker sends its key
	link       *workerLink             // nil if messages are not recorded
	deliveries *deliveryLog
	onLoss     func(loss)
}

// copy copies until EOF, or until an invalid message.
func (g *guard) copy() error {
	for {
		if err := g.copyLine(); err != nil {
			return errors.Join(err, g.to.Flush())
		}
		if g.from.Buffered() == 0 {
			if err := g.to.Flush(); err != nil {
				return err
			}
		}
	}
}

// copyLine copies one protocol line and its payload.
func (g *guard) copyLine() error {
	line, err := g.from.ReadSlice('\n')
	if err != nil {
		return err
	}
	text, ends := bytes.CutSuffix(line, []byte("\r\n"))
	if !ends || len(line) > maxLine || bytes.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return errGuard
	}
	op, rest, _ := strings.Cut(string(text), " ")
	size := -1
	switch op {
	case "CONNECT":
		err = g.connect(rest)
	case "PING", "PONG":
		if rest != "" {
			err = errGuard
		}
	case "SUB", "UNSUB": // checked by the server's permissions
	case "PUB":
		size, err = g.checkPublish(strings.Split(rest, " "), 1)
	case "HPUB":
		size, err = g.checkPublish(strings.Split(rest, " "), 2)
		if strings.HasPrefix(rest, ackPrefix) || strings.HasPrefix(rest, nextPrefix) {
			err = errGuard // workers send no other messages with headers
		}
	default:
		err = errGuard
	}
	if err != nil {
		return err
	}
	if _, err := g.to.Write(line); err != nil {
		return err
	}
	subject, _, _ := strings.Cut(rest, " ")
	if err := g.recordMessage(subject, size); err != nil || size < 0 {
		return err
	}
	if _, err := io.CopyN(g.to, g.from, int64(size)); err != nil {
		return err
	}
	var end [2]byte
	if _, err := io.ReadFull(g.from, end[:]); err != nil {
		return err
	}
	if string(end[:]) != "\r\n" {
		return errGuard
	}
	_, err = g.to.Write(end[:])
	return err
}

// connect records the name that a worker claims. The server then verifies the key.
func (g *guard) connect(text string) error {
	var who struct {
		Key string `json:"nkey"`
	}
	if g.inbox != "" || json.Unmarshal([]byte(text), &who) != nil {
		return errGuard
	}
	name := g.nameOf(who.Key)
	g.inbox = inbox(name) + "."
	if g.link != nil {
		g.link.name.Store(name)
	}
	return nil
}

// recordMessage records the messages about jobs of a worker that has proved its key: requests, answers and results. Size is
// the size of the payload, or negative if the message has none.
func (g *guard) recordMessage(subject string, size int) error {
	if g.link == nil {
		return nil
	}
	worker := g.link.worker()
	if worker == "" {
		return nil
	}
	g.deliveries.recordLine(worker)
	switch {
	case size < 0:
	case strings.HasPrefix(subject, ackPrefix):
		text, err := g.from.Peek(min(size, len("+WPI")))
		if err != nil {
			return err
		}
		if l := g.deliveries.recordAnswer(worker, g.link.id.Load(), subject, string(text)); l != nil {
			g.onLoss(*l)
		}
	case strings.HasPrefix(subject, nextPrefix):
		var asks struct {
			Batch int `json:"batch"`
		}
		text, err := g.from.Peek(min(size, maxLine))
		if err != nil {
			return err
		}
		if size > maxLine || len(text) > 0 && json.Unmarshal(text, &asks) != nil || asks.Batch > 1 {
			return fmt.Errorf("%w: it asks for more than one job at once", errGuard)
		}
		if g.deliveries.isFull(worker, g.link.id.Load()) {
			return fmt.Errorf("%w: it asks for more jobs before it has returned those that it holds", errGuard)
		}
	case strings.HasPrefix(subject, "result."+worker+"."):
		if words := strings.Split(subject, "."); len(words) == 4 {
			g.deliveries.recordResult(worker, words[2])
		}
	}
	return nil
}

// checkPublish checks the arguments of PUB and HPUB: a subject, the reply subject, and sizes. The last size is that
// of all the data that follows.
func (g *guard) checkPublish(words []string, sizes int) (size int, err error) {
	if len(words) != 1+sizes && len(words) != 2+sizes {
		return 0, errGuard
	}
	if len(words) == 2+sizes && (g.inbox == "" || !strings.HasPrefix(words[1], g.inbox)) {
		return 0, fmt.Errorf("%w: an answer is to go to %.100q", errGuard, words[1])
	}
	last := words[len(words)-1]
	size, err = strconv.Atoi(last)
	if err != nil || size < 0 || size > maxPayload || strconv.Itoa(size) != last {
		return 0, errGuard
	}
	return size, nil
}
