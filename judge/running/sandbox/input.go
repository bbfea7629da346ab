//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"io"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// openInput opens the program's standard input.
func (s *session) openInput() error {
	switch in := s.j.Stdin.(type) {
	case nil:
		s.childFDs = append(s.childFDs, -1)
		return nil
	case *os.File:
		if in == nil {
			s.childFDs = append(s.childFDs, -1)
			return nil
		}
		st, err := in.Stat()
		if err != nil {
			return err
		}
		if !st.Mode().IsRegular() {
			s.passFile(in)
			return nil
		}
		if hidden, err := s.openHidden(in, st.Size()); hidden || err != nil {
			return err
		}
	case interface {
		io.Reader
		Len() int
	}: // in these types, all bytes are already available
		if in.Len() <= maxMemoryInput {
			return s.openMemory(in)
		}
	}
	fds, err := s.pipe(0)
	if err != nil {
		return err
	}
	s.passOwned(fds[0])
	s.feed, err = newFeeder(fds[1], s.j.Stdin)
	return err
}

// maxMemoryInput is the maximum size of an input that is copied to a memory file. Larger inputs use a pipe.
const maxMemoryInput = 64 << 20

// copiedInput is the maximum size of an input file that is copied. For larger files, it is faster to mount the
// file under another name.
const copiedInput = 256 << 10

// openHidden passes the unread part of a file to the program without the file's name. The program could find the
// name in /proc/self/fd, and the name may reveal the test case. If openHidden returns false, the caller must send
// the bytes through a pipe. It returns false for a large file if programs run under the judge's user id, because a
// program could reopen the file for writing.
func (s *session) openHidden(f *os.File, size int64) (bool, error) {
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return false, err
	}
	if size-at <= copiedInput {
		return true, s.openMemory(io.NewSectionReader(f, at, max(0, size-at)))
	}
	if s.b.rootless {
		return false, nil
	}
	// A file that is mounted by itself has the name "/".
	tree, err := unix.OpenTree(int(f.Fd()), "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH)
	runtime.KeepAlive(f)
	if err != nil {
		return false, nil
	}
	defer unix.Close(tree)
	fd, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", tree), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false, nil
	}
	s.passOwned(fd)
	_, err = unix.Seek(fd, at, io.SeekStart)
	return true, err
}

// openMemory passes the bytes of r to the program in a sealed memory file.
func (s *session) openMemory(r io.Reader) error {
	fd, err := unix.MemfdCreate("stdin", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return fmt.Errorf("make a memory file: %w", err)
	}
	s.passOwned(fd)
	if _, err := io.CopyBuffer(fdWriter(fd), onlyReader{r}, s.w.data); err != nil {
		return fmt.Errorf("fill standard input: %w", err)
	}
	const seals = unix.F_SEAL_WRITE | unix.F_SEAL_GROW | unix.F_SEAL_SHRINK | unix.F_SEAL_SEAL
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		return fmt.Errorf("seal standard input: %w", err)
	}
	_, err = unix.Seek(fd, 0, unix.SEEK_SET)
	return err
}

// onlyReader hides a reader's WriteTo method. Otherwise io.Copy would call that method and bypass the buffer.
type onlyReader struct{ io.Reader }

type fdWriter int

func (fd fdWriter) Write(b []byte) (done int, err error) {
	for done < len(b) {
		n, err := unix.Write(int(fd), b[done:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}
