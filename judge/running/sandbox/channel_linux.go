//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// NewChannel makes a channel.
func NewChannel() (*Channel, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("make a channel: %w", err)
	}
	if err := unix.SetNonblock(pair[0], true); err != nil { // os.File needs this to wait in the poller
		return nil, fmt.Errorf("make a channel: %w", err)
	}
	c := &Channel{judgeEnd: os.NewFile(uintptr(pair[0]), "channel"), childEnd: os.NewFile(uintptr(pair[1]), "channel")}
	fd, err := unix.MemfdCreate("page", unix.MFD_CLOEXEC)
	if err == nil {
		c.memory = os.NewFile(uintptr(fd), "page")
		if err = unix.Ftruncate(fd, int64(os.Getpagesize())); err == nil {
			c.page, err = unix.Mmap(fd, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		}
	}
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("make a channel's memory: %w", err)
	}
	runtime.AddCleanup(c, func(page []byte) { _ = unix.Munmap(page) }, c.page)
	return c, nil
}

// Send sends a message with files.
func (c *Channel) Send(msg []byte, files ...*os.File) error {
	if len(files) == 0 {
		_, err := c.judgeEnd.Write(msg)
		return err
	}
	fds := make([]int, len(files))
	for i, f := range files {
		fds[i] = int(f.Fd())
	}
	conn, err := c.judgeEnd.SyscallConn()
	if err != nil {
		return err
	}
	sent := 0
	var failed error
	err = conn.Write(func(fd uintptr) bool {
		sent, failed = unix.SendmsgN(int(fd), msg, unix.UnixRights(fds...), nil, unix.MSG_NOSIGNAL)
		return failed != unix.EAGAIN
	})
	runtime.KeepAlive(files)
	if err == nil {
		err = failed
	}
	if err == nil && sent < len(msg) {
		_, err = c.judgeEnd.Write(msg[sent:])
	}
	return err
}
