//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// scratch is the private directory of the runs of a zygote: a small file system
// in memory, the only thing that a program can write besides writable mounts.
//
// Its top belongs to user 0 and is sticky, so a program can leave no trace on it
// but entries and a time stamp. If neither is there, it is as new.
type scratch struct {
	fd    int
	size  int64 // 0 before the first mount
	fresh unix.Statfs_t
	owned bool // the program's user owns the top, and could mark it in many ways
}

const (
	// defaultScratch is for commands whose limits say nothing.
	defaultScratch = 256 << 20
	scratchFiles   = 64 << 10
	// oldTime is the time stamp of a fresh directory.
	oldTime = 946684800
	// fewFiles are quicker to remove than a mount is to replace. It also bounds
	// how deep the removal has to go.
	fewFiles = 64
)

// mount mounts a new one and opens it. Only the main thread may.
func (s *scratch) mount(z *zygote, at string) error {
	if s.size == 0 {
		s.size = defaultScratch
	}
	s.owned = z.conf.Rootless
	options := fmt.Sprintf("mode=1777,size=%d,nr_inodes=%d", s.size, scratchFiles)
	if err := unix.Mount("tmpfs", at, "tmpfs", rootFlags|unix.MS_NOATIME|unix.MS_NODIRATIME, options); err != nil {
		return fmt.Errorf("mount the scratch directory: %w", err)
	}
	fd, err := unix.Open(at, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return fmt.Errorf("open the scratch directory: %w", err)
	}
	s.fd = fd
	if err := s.stamp(); err != nil {
		return err
	}
	if err := unix.Fstatfs(fd, &s.fresh); err != nil {
		return fmt.Errorf("measure the scratch directory: %w", err)
	}
	return nil
}

// stamp sets the times of a fresh directory.
func (s *scratch) stamp() error {
	ts := []unix.Timespec{{Sec: oldTime}, {Sec: oldTime}}
	if err := unix.UtimesNanoAt(s.fd, ".", ts, 0); err != nil {
		return fmt.Errorf("stamp the scratch directory: %w", err)
	}
	return nil
}

// resize sees to the size that a command asks for.
func (s *scratch) resize(z *zygote, size int64) error {
	if size <= 0 {
		size = defaultScratch
	}
	if size == s.size {
		return nil
	}
	s.size = size
	return s.replace(z)
}

// replace mounts a new one in the place of the old.
func (s *scratch) replace(z *zygote) error {
	err := z.mountThread(func() error {
		unix.Close(s.fd)
		if err := unix.Unmount(Scratch, unix.MNT_DETACH); err != nil {
			return fmt.Errorf("unmount the scratch directory: %w", err)
		}
		return s.mount(z, Scratch)
	})
	if err != nil {
		return err
	}
	return unix.Fchdir(s.fd) // programs begin there
}

// used is how many bytes lie in it.
func (s *scratch) used() int64 {
	var now unix.Statfs_t
	if unix.Fstatfs(s.fd, &now) != nil {
		return 0
	}
	return int64(s.fresh.Bfree-now.Bfree) * now.Bsize
}

// clean removes all that a run left.
func (s *scratch) clean(z *zygote) error {
	if s.owned {
		return s.replace(z)
	}
	var now unix.Statfs_t
	if err := unix.Fstatfs(s.fd, &now); err != nil {
		return fmt.Errorf("measure the scratch directory: %w", err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(s.fd, &st); err != nil {
		return fmt.Errorf("look at the scratch directory: %w", err)
	}
	files := s.fresh.Ffree - now.Ffree
	if files == 0 && now.Bfree == s.fresh.Bfree && st.Mtim.Sec == oldTime {
		return nil
	}
	if files > fewFiles || removeAll(s.fd) != nil {
		return s.replace(z)
	}
	if err := unix.Fstatfs(s.fd, &now); err != nil || now.Ffree != s.fresh.Ffree || now.Bfree != s.fresh.Bfree {
		return s.replace(z)
	}
	return s.stamp()
}

// removeAll empties a directory. Nobody else changes it meanwhile.
func removeAll(dir int) error {
	if _, err := unix.Seek(dir, 0, unix.SEEK_SET); err != nil {
		return err
	}
	var buf [8 << 10]byte
	var names []string
	for {
		n, err := unix.ReadDirent(dir, buf[:])
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names)
	}
	for _, name := range names {
		err := unix.Unlinkat(dir, name, 0)
		if err != unix.EISDIR {
			if err != nil {
				return err
			}
			continue
		}
		sub, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		err = removeAll(sub)
		unix.Close(sub)
		if err != nil {
			return err
		}
		if err := unix.Unlinkat(dir, name, unix.AT_REMOVEDIR); err != nil {
			return err
		}
	}
	return nil
}
