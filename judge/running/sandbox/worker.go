//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"assay/judge"
)

// worker is the judge's side of a zygote. Only one goroutine may use it at a time, but kill may be called
// concurrently.
type worker struct {
	number int
	user   int // user id for its programs, unless they are rootless
	proc   *os.Process
	sock   int
	leaf   *leaf // nil without control groups
	seq    uint64
	mounts []mountKey
	locks  bool   // whether its programs may lock files
	broken bool   // whether it must not be used again
	buf    []byte // buffer for messages to be sent
	msg    []byte // buffer for received messages
	data   []byte // buffer for copying from pipes to writers

	mu     sync.Mutex // protects sock from a kill while it is being closed
	closed bool
}

// mountKey identifies a mount by its paths and by the identity of the host directory. The paths are not enough,
// because the directory may have been replaced by another one.
type mountKey struct {
	judge.Mount
	dev, ino uint64
}

// errWorkerLost means that a zygote died. If it died before the request was sent, nothing has been run.
var errWorkerLost = errors.New("a worker of the sandbox died")

// startTimeout is the maximum time for a zygote to become ready.
const startTimeout = 30 * time.Second

// startWorker starts a zygote and waits until it is ready.
func (b *isolated) startWorker(number int, mounts []mountKey, locks bool) (_ *worker, err error) {
	w := &worker{number: number, user: b.user(number), locks: locks, sock: -1, data: make([]byte, 64<<10), msg: make([]byte, 64<<10)}
	defer func() {
		if err != nil {
			w.stop()
			err = fmt.Errorf("start a worker of the sandbox: %w", err)
		}
	}()
	conf := config{Version: 0, UID: w.user, GID: InsideUID, Rootless: b.rootless, Locks: locks, ReadOnly: b.options.ReadOnly}
	if b.options.Pin {
		conf.Processor = 1 + b.processors[number%len(b.processors)]
	}
	var fds []int
	if b.groups != nil {
		if w.leaf, err = b.groups.newLeaf(number); err != nil {
			return nil, err
		}
		defer w.leaf.close()
		conf.Version, conf.Files = b.groups.version, w.leaf.names
		for _, f := range w.leaf.files {
			fds = append(fds, int(f.Fd()))
		}
	}
	if b.rootless {
		w.mounts = mounts
		for _, m := range mounts {
			conf.Mounts = append(conf.Mounts, boundDir{m.Host, m.At, m.Writable})
		}
	}
	if err := w.spawn(b); err != nil {
		return nil, err
	}
	text, err := json.Marshal(conf)
	if err != nil {
		return nil, err
	}
	if err := send(w.sock, text, fds); err != nil {
		return nil, err
	}
	return w, w.awaitReady()
}

// spawn executes this binary again as a zygote.
func (w *worker) spawn(b *isolated) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	w.sock = pair[0]
	theirs := os.NewFile(uintptr(pair[1]), "zygote socket")
	defer theirs.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	attr := &syscall.SysProcAttr{
		Setsid:     true,
		Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWIPC | unix.CLONE_NEWNET | unix.CLONE_NEWUTS,
	}
	if b.own {
		attr.Cloneflags |= unix.CLONE_NEWUSER
	}
	if b.own && !b.rootless { // the zygote keeps the judge's user, and programs have another one
		ids := []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1}, {ContainerID: InsideUID, HostID: InsideUID, Size: 1}}
		attr.UidMappings, attr.GidMappings, attr.GidMappingsEnableSetgroups = ids, ids, true
	}
	if b.rootless {
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	if w.leaf != nil && w.leaf.dir != nil {
		attr.UseCgroupFD, attr.CgroupFD = true, int(w.leaf.dir.Fd())
	}
	w.proc, err = os.StartProcess(b.self, []string{zygoteName}, &os.ProcAttr{
		Dir:   "/",
		Env:   []string{"GOMAXPROCS=2"},
		Files: []*os.File{null, null, os.Stderr, theirs},
		Sys:   attr,
	})
	return err
}

func (w *worker) awaitReady() error {
	limit := unix.NsecToTimeval(int64(startTimeout))
	if err := unix.SetsockoptTimeval(w.sock, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit); err != nil {
		return err
	}
	r, err := w.receive()
	if err != nil {
		return err
	}
	if r.kind != msgReady {
		return errors.New(r.text)
	}
	limit = unix.NsecToTimeval(int64(firstReplyWait))
	return unix.SetsockoptTimeval(w.sock, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit)
}

func (w *worker) receive() (r reply, err error) {
	n, _, err := receive(w.sock, w.msg, nil, nil)
	if err == nil && n == 0 {
		err = errWorkerLost
	}
	if err != nil {
		return r, err
	}
	return r, r.decode(w.msg[:n])
}

// alive reports whether an idle zygote is usable. A zygote that sends anything while idle has failed or exited.
func (w *worker) alive() bool {
	polled := [1]unix.PollFd{{Fd: int32(w.sock), Events: unix.POLLIN}}
	n, err := unix.Poll(polled[:], 0)
	return n == 0 || err == unix.EINTR // even a poll without a timeout can be interrupted
}

// kill requests that the zygote end a run.
func (w *worker) kill(seq uint64, reason killReason) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		_ = send(w.sock, encodeKill(nil, seq, reason), nil)
	}
}

// stop kills the zygote with everything in it, and removes its control groups.
func (w *worker) stop() {
	w.mu.Lock()
	w.closed = true
	if w.sock >= 0 {
		unix.Close(w.sock)
	}
	w.mu.Unlock()
	if w.proc != nil {
		_ = w.proc.Kill()
		_, _ = w.proc.Wait()
	}
	if w.leaf != nil {
		w.leaf.remove()
	}
}

// sameMounts reports whether the zygote already has these mounts.
func (w *worker) sameMounts(keys []mountKey) bool { return slices.Equal(w.mounts, keys) }
