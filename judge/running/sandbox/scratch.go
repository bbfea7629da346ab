//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// scratch is the private directory for a zygote's runs: a small file system in memory. Except for writable mounts,
// it is the only place that a program can write to.
//
// Its top directory belongs to user 0 and is sticky. So a program can leave no trace in it except entries and a
// time stamp. After both are reset, the directory is treated as new.
type scratch struct {
	fd    int
	size  int64 // zero before the first mount
	empty unix.Statfs_t
	owned bool // whether the program's user owns the top, and could leave traces in many ways
}

const (
	// defaultScratch is used if a command's limits do not set a size.
	defaultScratch = 256 << 20
	scratchFiles   = 64 << 10
	// newDirTime is the time stamp of a new directory.
	newDirTime = 946684800
	// maxRemovedFiles is the maximum number of files for which removing the files is faster than mounting a new scratch
	// directory. It also limits how deep removal descends.
	maxRemovedFiles = 64
)

// mount mounts a new scratch directory and opens it. It must be called on the main thread.
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
	if err := unix.Fstatfs(fd, &s.empty); err != nil {
		return fmt.Errorf("measure the scratch directory: %w", err)
	}
	return nil
}

// stamp sets the times to those of a new directory.
func (s *scratch) stamp() error {
	ts := []unix.Timespec{{Sec: newDirTime}, {Sec: newDirTime}}
	if err := unix.UtimesNanoAt(s.fd, ".", ts, 0); err != nil {
		return fmt.Errorf("stamp the scratch directory: %w", err)
	}
	return nil
}

// resize sets the size that a command requires.
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

// replace mounts a new directory in place of the old one.
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
	return unix.Fchdir(s.fd) // programs start in this directory
}

// used returns the number of bytes in the directory.
func (s *scratch) used() int64 {
	var now unix.Statfs_t
	if unix.Fstatfs(s.fd, &now) != nil {
		return 0
	}
	return int64(s.empty.Bfree-now.Bfree) * now.Bsize
}

// clean removes everything that a run left.
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
	files := s.empty.Ffree - now.Ffree
	if files == 0 && now.Bfree == s.empty.Bfree && st.Mtim.Sec == newDirTime {
		return nil
	}
	if files > maxRemovedFiles || removeAll(s.fd) != nil {
		return s.replace(z)
	}
	if err := unix.Fstatfs(s.fd, &now); err != nil || now.Ffree != s.empty.Ffree || now.Bfree != s.empty.Bfree {
		return s.replace(z)
	}
	return s.stamp()
}

// removeAll empties a directory. The directory must not be changed concurrently.
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
