//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"assay/judge"
)

// errNotSent means that a request could not be sent, so nothing was run.
var errNotSent = errors.New("a worker of the sandbox had died")

// session is a run on a worker.
type session struct {
	w        *worker
	b        *isolated
	j        *job
	childFDs []int      // descriptors for the zygote; -1 is /dev/null, which the program opens itself
	owned    []int      // descriptors in theirs to be closed after they are sent
	keep     []*os.File // files whose descriptors are in theirs
	out      stream     // standard output
	err      stream     // standard error
	feed     *feeder    // for standard input from a reader
	size0    int64      // size of an output file before the run
}

// -1 if there is none
type stream struct {
	fd     int // -1 for none
	to     io.Writer
	count  int64
	limit  int64
	failed error // error of the writer
}

// run runs a job on this worker.
func (w *worker) run(ctx context.Context, b *isolated, j *job, keys []mountKey) (exec judge.Exec, err error) {
	w.seq++
	s := &session{w: w, b: b, j: j, out: stream{fd: -1}, err: stream{fd: -1}}
	defer s.close()
	if err := s.openFiles(); err != nil {
		return exec, fmt.Errorf("run %s: %w", j.Argv[0], err)
	}
	if err := s.send(keys); err != nil {
		return exec, fmt.Errorf("run %s: %w", j.Argv[0], err)
	}
	s.closeOwned()
	if j.placed != nil {
		p := place{pid: w.proc.Pid, inside: true}
		if w.leaf != nil {
			p.groups = w.leaf.dirs
		}
		j.placed(p)
	}
	j.handed()
	if s.feed != nil {
		s.feed.start()
	}
	seq := w.seq
	stopWatch := context.AfterFunc(ctx, func() {
		why := killedByJudge
		switch context.Cause(ctx) {
		case errOutput:
			why = killedOutput
		case errTurnLimit:
			why = killedWall
		}
		w.kill(seq, why)
	})
	r, err := s.wait()
	stopWatch()
	if err != nil {
		w.broken = true
		return exec, fmt.Errorf("run %s: %w", j.Argv[0], err)
	}
	return s.result(ctx, r)
}

// openFiles opens the three standard files of the program.
func (s *session) openFiles() error {
	if err := s.openInput(); err != nil {
		return err
	}
	if f, ok := s.j.Stdout.(*os.File); ok && f != nil {
		s.passFile(f)
		s.size0 = fileSize(f)
	} else if err := s.openStream(&s.out, s.j.Stdout, s.j.Limits.Output); err != nil {
		return err
	}
	if f, ok := s.j.Stderr.(*os.File); ok && f != nil {
		s.passFile(f)
		return nil
	}
	return s.openStream(&s.err, s.j.Stderr, 0)
}

// passFile passes a file to the program. If the file is a pipe, passFile also makes the program its owner; see
// pipe.
func (s *session) passFile(f *os.File) {
	if st, err := f.Stat(); err == nil && st.Mode()&os.ModeNamedPipe != 0 && !s.b.rootless {
		_ = s.giveToChild(int(f.Fd()))
	}
	s.childFDs, s.keep = append(s.childFDs, int(f.Fd())), append(s.keep, f)
}

// passOwned passes a descriptor to the zygote, which the session must close after the run.
func (s *session) passOwned(fd int) {
	s.childFDs, s.owned = append(s.childFDs, fd), append(s.owned, fd)
}

// openStream creates the pipe for an output. An output without a writer and without a limit goes to /dev/null.
func (s *session) openStream(st *stream, to io.Writer, limit int64) error {
	if to == nil && limit == 0 {
		s.childFDs = append(s.childFDs, -1)
		return nil
	}
	fds, err := s.pipe(1)
	if err != nil {
		return err
	}
	*st = stream{fd: fds[0], to: to, limit: limit}
	s.passOwned(fds[1])
	return nil
}

// pipe creates a pipe. The program becomes the owner of one end, whose index is theirs, so that it can open
// /dev/stdin and /dev/stdout, as many programs do.
func (s *session) pipe(theirs int) ([2]int, error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return fds, fmt.Errorf("make a pipe: %w", err)
	}
	if !s.b.rootless {
		if err := s.giveToChild(fds[theirs]); err != nil {
			unix.Close(fds[0])
			unix.Close(fds[1])
			return fds, fmt.Errorf("make a pipe: %w", err)
		}
	}
	return fds, nil
}

// giveToChild makes InsideUID the owner and the group of a pipe. If the worker's programs run as another user, their
// group is InsideUID, so give also grants access to the group.
func (s *session) giveToChild(fd int) error {
	if s.w.user != InsideUID {
		if err := unix.Fchmod(fd, 0o660); err != nil {
			return err
		}
	}
	return unix.Fchown(fd, InsideUID, InsideUID)
}

// send sends the request.
func (s *session) send(keys []mountKey) error {
	w, j, l := s.w, s.j, s.j.Limits
	req := request{
		kind: msgRun, seq: w.seq, inline: true, remount: !w.sameMounts(keys),
		cpu: int64(l.CPU), wall: int64(l.Wall), memory: l.Memory, processes: int64(l.Processes), files: int64(l.Files),
		scratch: l.Scratch, fileSize: s.fileLimit(),
		argv: make([][]byte, len(j.Argv)), env: make([][]byte, len(j.Env)),
	}
	var trees []int
	defer func() {
		for _, fd := range trees {
			unix.Close(fd)
		}
	}()
	if req.remount {
		req.mounts = make([]mountOrder, len(keys))
		for _, k := range keys {
			tree, err := shareDir(k, w.user)
			if err != nil {
				return err
			}
			trees = append(trees, tree)
		}
	}
	dir := j.Dir
	if dir == "" {
		dir = Scratch
	}
	body := appendString(nil, dir)
	for _, a := range j.Argv {
		body = appendString(body, a)
	}
	for _, e := range j.Env {
		body = appendString(body, e)
	}
	if req.remount {
		for _, k := range keys {
			body = appendString(body, k.At)
		}
	}
	var fds []int
	for i, fd := range s.childFDs {
		if fd < 0 {
			req.null[i] = true
		} else {
			fds = append(fds, fd)
		}
	}
	if len(body) > maxInline {
		req.inline = false
		large, err := unix.MemfdCreate("request", unix.MFD_CLOEXEC)
		if err != nil {
			return fmt.Errorf("make a memory file: %w", err)
		}
		trees = append([]int{large}, trees...)
		if _, err := fdWriter(large).Write(body); err != nil {
			return fmt.Errorf("write a long request: %w", err)
		}
		body = nil
	}
	w.buf = append(req.head(w.buf[:0]), body...)
	err := send(w.sock, w.buf, append(fds, trees...))
	runtime.KeepAlive(s.keep)
	if err == unix.EPIPE || err == unix.ECONNRESET {
		w.broken = true
		return fmt.Errorf("%w: %w", errWorkerLost, errNotSent)
	}
	if err != nil {
		return fmt.Errorf("send a request: %w", err)
	}
	if req.remount {
		w.mounts = keys
	}
	return nil
}

// fileLimit returns the maximum size of a file. Zero means no limit. An output file needs a limit. Host
// directories with a limit need one too, because they are checked only from time to time and a single call can
// enlarge a file. The scratch directory limits itself.
func (s *session) fileLimit() int64 {
	var most int64
	for _, m := range s.j.Mounts {
		if m.Writable && m.Bytes == 0 {
			return 0
		}
		most = max(most, m.Bytes)
	}
	if f, ok := s.j.Stdout.(*os.File); ok && f != nil && s.j.Limits.Output > 0 {
		most = max(most, satAdd(s.size0, s.j.Limits.Output))
	}
	if most == 0 {
		return 0
	}
	scratch := s.j.Limits.Scratch
	if scratch == 0 {
		scratch = defaultScratch
	}
	return satAdd(max(most, scratch), 1)
}

func fileSize(f *os.File) int64 {
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return 0
	}
	return st.Size()
}

// shareDir returns a detached mount of a host directory. The program must be able to enter the directory. A
// writable directory is given to the program's user.
func shareDir(k mountKey, user int) (int, error) {
	dir, err := unix.Open(k.Host, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("show %s inside: %w", k.Host, err)
	}
	defer unix.Close(dir)
	var st unix.Stat_t
	if err := unix.Fstat(dir, &st); err != nil {
		return -1, fmt.Errorf("show %s inside: %w", k.Host, err)
	}
	if k.Writable && st.Uid != InsideUID || st.Mode&0o5 != 0o5 {
		if err := unix.Fchownat(dir, "", InsideUID, InsideUID, unix.AT_EMPTY_PATH); err != nil {
			return -1, fmt.Errorf("give %s to the sandbox's user: %w", k.Host, err)
		}
	}
	if user != InsideUID && (k.Writable || st.Mode&0o5 != 0o5) {
		if err := grantGroup(dir, st.Mode); err != nil {
			return -1, fmt.Errorf("give %s to the sandbox's group: %w", k.Host, err)
		}
	}
	tree, err := unix.OpenTree(dir, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)
	if err != nil {
		return -1, fmt.Errorf("show %s inside: %w", k.Host, err)
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	if !k.Writable {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		unix.Close(tree)
		return -1, fmt.Errorf("protect %s inside: %w", k.Host, err)
	}
	return tree, nil
}

// grantGroup gives a directory's group the rights of the owner.
func grantGroup(dir int, mode uint32) error {
	fd, err := unix.Openat(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0) // dir was opened with O_PATH
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Fchmod(fd, mode&0o7777|mode&0o700>>3)
}

// firstReplyWait is how long the judge waits for the zygote's reply before it starts to read output. Most runs end
// within this time, and their output is then read at once. A longer run that fills its pipe is delayed once, by at
// most this time.
const firstReplyWait = 2 * time.Millisecond

// workerTimeout is how long after the wall time limit a zygote may take to reply before it is considered lost.
// Only a machine with serious problems is that slow.
const workerTimeout = 20 * time.Second

// wait waits for the zygote's reply. During the first moments, it does not read output; see firstReplyWait.
func (s *session) wait() (r reply, err error) {
	if r, err = s.w.receive(); err == unix.EAGAIN {
		if err := s.copyUntilReply(); err != nil {
			return r, err
		}
		r, err = s.w.receive()
	}
	if err == unix.ECONNRESET && s.out.count == 0 && s.err.count == 0 {
		// The kernel returns this error if the other side exited without reading the message.
		return r, fmt.Errorf("%w: %w", errWorkerLost, errNotSent)
	}
	if err != nil {
		return r, fmt.Errorf("%w: %w", errWorkerLost, err)
	}
	if r.seq != s.w.seq {
		return r, fmt.Errorf("%w: %s", errWorkerLost, r.text)
	}
	s.drain(&s.out)
	s.drain(&s.err)
	return r, nil
}

// copyUntilReply copies the program's output to its writers until the zygote replies.
func (s *session) copyUntilReply() error {
	polled := [3]unix.PollFd{
		{Fd: int32(s.w.sock), Events: unix.POLLIN}, {Fd: int32(s.out.fd), Events: unix.POLLIN}, {Fd: int32(s.err.fd), Events: unix.POLLIN},
	}
	start := time.Now()
	for {
		ts := unix.NsecToTimespec(int64(workerTimeout))
		_, err := unix.Ppoll(polled[:], &ts, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return fmt.Errorf("wait for the sandbox: %w", err)
		}
		if polled[0].Revents != 0 {
			return nil
		}
		if wall := s.j.Limits.Wall; wall > 0 && time.Since(start) > wall+maxStarved+workerTimeout {
			return fmt.Errorf("%w: no answer %v after the end of the wall time limit", errWorkerLost, maxStarved+workerTimeout)
		}
		for i, st := range []*stream{&s.out, &s.err} {
			if polled[i+1].Revents != 0 && !s.copyAvailable(st) {
				polled[i+1].Fd = -1
			}
		}
	}
}

// copyAvailable moves the data that is currently in a pipe. It returns false if no more data will follow.
func (s *session) copyAvailable(st *stream) bool {
	n, err := unix.Read(st.fd, s.w.data)
	if err == unix.EINTR || err == unix.EAGAIN {
		return true
	}
	if err != nil || n == 0 {
		return false
	}
	before := st.count
	st.count += int64(n)
	if st.limit > 0 && st.count > st.limit && before <= st.limit {
		s.w.kill(s.w.seq, killedOutput)
	}
	keep := n
	if st.limit > 0 { // so that a writer gets at most one byte more than the limit
		keep = int(max(0, min(int64(n), st.limit+1-before)))
	}
	if st.to != nil && st.failed == nil && keep > 0 {
		if _, st.failed = st.to.Write(s.w.data[:keep]); st.failed != nil {
			s.w.kill(s.w.seq, killedByJudge)
		}
	}
	return true
}

// drain reads the remaining data from a pipe after all writers have ended. It does not wait for EOF: if a program
// sent a descriptor to itself through a socket, the kernel closes it some time later.
func (s *session) drain(st *stream) {
	if st.fd < 0 {
		return
	}
	var zero unix.Timespec
	for {
		polled := [1]unix.PollFd{{Fd: int32(st.fd), Events: unix.POLLIN}}
		n, err := unix.Ppoll(polled[:], &zero, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 || polled[0].Revents&unix.POLLIN == 0 || !s.copyAvailable(st) {
			return
		}
	}
}

// result converts the zygote's reply to a judge.Exec.
func (s *session) result(ctx context.Context, r reply) (exec judge.Exec, err error) {
	switch r.kind {
	case msgNoExec:
		return exec, &judge.ExecError{Argv0: s.j.Argv[0], Reason: r.text}
	case msgFailed:
		s.w.broken = true
		return exec, fmt.Errorf("run %s: %s", s.j.Argv[0], r.text)
	}
	s.j.end = r.end
	exec = judge.Exec{
		CPU: time.Duration(r.cpu), Wall: time.Duration(r.wall), Memory: r.memory,
		Output: s.out.count, Killed: killedFor[r.killed],
	}
	if r.status.Signaled() {
		exec.Signal = signalName(r.status.Signal())
	} else {
		exec.Exit = r.status.ExitStatus()
	}
	if f, ok := s.j.Stdout.(*os.File); ok && f != nil {
		exec.Output = max(0, fileSize(f)-s.size0)
	}
	if limit := s.j.Limits.Output; limit > 0 && exec.Output > limit && exec.Killed == judge.NoResource {
		exec.Killed = judge.Output
	}
	if exec.Signal == "SIGXFSZ" && exec.Killed == judge.NoResource && s.fileLimit() > 0 {
		exec.Killed = judge.Output
	}
	for _, st := range []*stream{&s.out, &s.err} {
		if st.failed != nil {
			return exec, fmt.Errorf("run %s: forward its output: %w", s.j.Argv[0], st.failed)
		}
	}
	if s.feed != nil && s.feed.failed() != nil {
		return exec, fmt.Errorf("run %s: read its input: %w", s.j.Argv[0], s.feed.failed())
	}
	if r.killed == killedByJudge {
		return exec, context.Cause(ctx)
	}
	return exec, nil
}

var killedFor = map[killReason]judge.Resource{
	killedCPU: judge.CPUTime, killedWall: judge.WallTime, killedMemory: judge.Memory, killedOutput: judge.Output,
}

func signalName(sig unix.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return fmt.Sprintf("SIG%d", int(sig))
}

func (s *session) closeOwned() {
	for _, fd := range s.owned {
		unix.Close(fd)
	}
	s.owned = nil
}

func (s *session) close() {
	s.closeOwned()
	for _, st := range []*stream{&s.out, &s.err} {
		if st.fd >= 0 {
			unix.Close(st.fd)
		}
	}
	if s.feed != nil {
		s.feed.stop()
	}
}

// feeder copies a reader to standard input.
type feeder struct {
	from    io.Reader
	to      *os.File
	started bool
	done    chan struct{}
	err     atomic.Pointer[error] // error of the reader
}

func newFeeder(fd int, from io.Reader) (*feeder, error) {
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, err
	}
	return &feeder{from: from, to: os.NewFile(uintptr(fd), "stdin"), done: make(chan struct{})}, nil
}

// Read reads from the reader and records its error.
func (f *feeder) Read(b []byte) (int, error) {
	n, err := f.from.Read(b)
	if err != nil && err != io.EOF {
		f.err.Store(&err)
	}
	return n, err
}

func (f *feeder) failed() error {
	if p := f.err.Load(); p != nil {
		return *p
	}
	return nil
}

func (f *feeder) start() {
	f.started = true
	go func() { // ends with the reader, or when stop closes the pipe
		defer close(f.done)
		_, _ = io.Copy(f.to, onlyReader{f})
		f.to.Close()
	}()
}

// readerTimeout is how long stop waits for a pending Read. If a reader blocks longer, stop abandons it, and it is
// not read again.
const readerTimeout = 100 * time.Millisecond

func (f *feeder) stop() {
	f.to.Close()
	if !f.started {
		return
	}
	timeout := time.NewTimer(readerTimeout)
	defer timeout.Stop()
	select {
	case <-f.done:
	case <-timeout.C:
	}
}
