//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// The judge and a zygote communicate over a SOCK_SEQPACKET pair, one message per step:
//
//	judge -> zygote   a config (JSON), once           zygote -> judge   ready, once
//	judge -> zygote   a request, with descriptors     zygote -> judge   a reply
//	judge -> zygote   kill, while a request runs
//
// Numbers are 64-bit little-endian. Strings end in a NUL that is not part of their length, so that the zygote can
// pass them to execve without copying.

// Kinds of messages.
const (
	msgRun    = 1 // request: run a command
	msgKill   = 2 // request: kill the run with this number
	msgReady  = 3 // reply: the zygote is ready; the text is why it does not count events
	msgDone   = 4 // reply: the command ran, with these results
	msgNoExec = 5 // reply: the command could not be executed; the text is the reason
	msgFailed = 6 // reply: the zygote failed; the text is the reason
)

// maxInline is the maximum size of a request that the message itself contains. The strings of a longer request are
// in a memory file.
const maxInline = 32 << 10

// request is a run, as sent to the zygote. It comes with these descriptors: standard input, output and error
// except those that are /dev/null; a memory file if inline is false; one for each mount that is passed.
type request struct {
	kind      uint64
	seq       uint64
	inline    bool
	remount   bool // if set, mounts replaces the previous mounts; otherwise they are kept
	null      [3]bool
	cpu, wall int64
	memory    int64
	processes int64
	files     int64
	fileSize  int64
	scratch   int64
	dir       []byte
	argv, env [][]byte // each string includes its NUL
	mounts    []mountOrder
}

// mountOrder is the path at which to mount a descriptor that came with the request.
type mountOrder struct{ at string }

const requestHeader = 14

func (r *request) flags() (f uint64) {
	if r.inline {
		f |= 1
	}
	if r.remount {
		f |= 2
	}
	for i, null := range r.null {
		if null {
			f |= 4 << i
		}
	}
	return f
}

// head appends the fixed part of the request.
func (r *request) head(b []byte) []byte {
	for _, v := range [requestHeader]uint64{
		r.kind, r.seq, r.flags(), uint64(r.cpu), uint64(r.wall), uint64(r.memory), uint64(r.processes),
		uint64(r.files), uint64(r.fileSize), uint64(r.scratch),
		uint64(len(r.argv)), uint64(len(r.env)), uint64(len(r.mounts)), 0,
	} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

func appendString[S ~string | ~[]byte](b []byte, s S) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(len(s)))
	b = append(b, s...)
	return append(b, 0)
}

var (
	errShortMessage = errors.New("message cut short")
	errBadMessage   = errors.New("message with a string that does not end where it should, or with a negative count")
)

// cursor reads a message. After an error it returns zeros.
type cursor struct {
	b   []byte
	err error
}

func (c *cursor) number() uint64 {
	if len(c.b) < 8 {
		c.b, c.err = nil, errShortMessage
		return 0
	}
	v := binary.LittleEndian.Uint64(c.b)
	c.b = c.b[8:]
	return v
}

// text returns a string with its NUL, without a copy.
func (c *cursor) text() []byte {
	n := c.number()
	if n >= uint64(len(c.b)) || c.b[n] != 0 {
		c.b, c.err = nil, errBadMessage
		return []byte{0}
	}
	s := c.b[: n+1 : n+1]
	c.b = c.b[n+1:]
	return s
}

// readHead reads the fixed part and returns the number of strings of each kind that follow.
func (r *request) readHead(c *cursor) (argc, envc, mounts int) {
	var h [requestHeader]uint64
	for i := range h {
		h[i] = c.number()
	}
	r.kind, r.seq = h[0], h[1]
	r.inline, r.remount = h[2]&1 != 0, h[2]&2 != 0
	for i := range r.null {
		r.null[i] = h[2]&(4<<i) != 0
	}
	r.cpu, r.wall, r.memory, r.processes = int64(h[3]), int64(h[4]), int64(h[5]), int64(h[6])
	r.files, r.fileSize, r.scratch = int64(h[7]), int64(h[8]), int64(h[9])
	return int(h[10]), int(h[11]), int(h[12])
}

// readStrings reads the rest of the message into r, whose slices it reuses.
func (r *request) readStrings(c *cursor, argc, envc, mounts int) {
	r.dir = c.text()
	r.argv, r.env, r.mounts = r.argv[:0], r.env[:0], r.mounts[:0]
	if min(argc, envc, mounts) < 0 {
		c.err = errBadMessage
	}
	for i := 0; i < argc && c.err == nil; i++ {
		r.argv = append(r.argv, c.text())
	}
	for i := 0; i < envc && c.err == nil; i++ {
		r.env = append(r.env, c.text())
	}
	for i := 0; i < mounts && c.err == nil; i++ {
		s := c.text()
		r.mounts = append(r.mounts, mountOrder{string(s[:len(s)-1])})
	}
}

// reply is the zygote's reply.
type reply struct {
	kind   uint64
	seq    uint64
	status unix.WaitStatus
	killed killReason
	cpu    int64
	wall   int64
	memory int64
	end    int64 // when the run ended, on the machine's monotonic clock
	text   string
}

// killReason is why a run was killed, in a reply or in a kill message.
type killReason uint64

const (
	notKilled killReason = iota
	killedCPU
	killedWall
	killedMemory
	killedOutput
	killedByJudge // the context is done, or Kill was called
)

func (r *reply) encode(b []byte) []byte {
	for _, v := range [...]uint64{
		r.kind, r.seq, uint64(r.status), uint64(r.killed), uint64(r.cpu), uint64(r.wall), uint64(r.memory), uint64(r.end),
	} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return appendString(b, r.text)
}

func (r *reply) decode(b []byte) error {
	c := cursor{b: b}
	r.kind, r.seq = c.number(), c.number()
	r.status, r.killed = unix.WaitStatus(c.number()), killReason(c.number())
	r.cpu, r.wall, r.memory, r.end = int64(c.number()), int64(c.number()), int64(c.number()), int64(c.number())
	s := c.text()
	r.text = string(s[:len(s)-1])
	if c.err != nil {
		return fmt.Errorf("reply of the zygote: %w", c.err)
	}
	return nil
}

// encodeKill returns a message that kills the run seq.
func encodeKill(b []byte, seq uint64, reason killReason) []byte {
	r := request{kind: msgKill, seq: seq, cpu: int64(reason)}
	return r.head(b)
}

// send sends one message with descriptors.
func send(sock int, msg []byte, fds []int) error {
	var oob []byte
	if len(fds) > 0 {
		oob = unix.UnixRights(fds...)
	}
	for {
		err := unix.Sendmsg(sock, msg, oob, nil, unix.MSG_NOSIGNAL)
		if err != unix.EINTR {
			return err
		}
	}
}

// receive receives one message and appends its descriptors to fds. If the other side is closed, n is 0.
func receive(sock int, msg, oob []byte, fds []int) (n int, _ []int, err error) {
	for {
		var oobn, flags int
		n, oobn, flags, _, err = unix.Recvmsg(sock, msg, oob, unix.MSG_CMSG_CLOEXEC)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return 0, fds, err
		}
		if flags&(unix.MSG_TRUNC|unix.MSG_CTRUNC) != 0 {
			return 0, fds, errShortMessage
		}
		if oobn == 0 {
			return n, fds, nil
		}
		parts, err := unix.ParseSocketControlMessage(oob[:oobn])
		if err != nil {
			return 0, fds, err
		}
		for i := range parts {
			got, err := unix.ParseUnixRights(&parts[i])
			if err != nil {
				return 0, fds, err
			}
			fds = append(fds, got...)
		}
		return n, fds, nil
	}
}
