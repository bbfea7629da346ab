//go:build amd64 || arm64

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"assay/judge"
)

// writables watches the writable mounts of a run: what the run adds to them, and whether the disk still has space.
//
// A check is one statfs for each mount, which is cheap. Files are counted if the file system's free space has
// decreased by as much as the run may add, and once per second. So a run can exceed its limits by what it writes
// between two checks. Files without a name are counted while the run has them open. The system call filter refuses
// calls that allocate space without writing, and RLIMIT_FSIZE limits each file.
type writables struct {
	all    []*writable
	cancel context.CancelCauseFunc
	runs   place // place of the run, once it is known
	timer  *time.Timer

	mu    sync.Mutex // held during a check
	ended bool
	found error // errOutput, or an error about the disk
}

// writable is a writable mount.
type writable struct {
	judge.Mount
	fd    int
	began int64 // files last changed before this time, in nanoseconds, do not belong to the run

	counted unix.Statfs_t // file system statistics when the files were last counted
	when    time.Time
	took    time.Duration
	bytes   int64 // bytes by which free space may decrease before files are counted again
	files   int64
}

const (
	// diskInterval is the time between two checks of the disk.
	diskInterval = 5 * time.Millisecond
	// countInterval is the time after which files are counted even if the free space has not decreased. Another
	// process may have freed as much space as the run used.
	countInterval = time.Second
	// coarseClock is by how much the time stamps of files may lag behind the clock.
	coarseClock = 20 * time.Millisecond
	// minFreeSpace is how many bytes must be free on a disk when a run ends. With less, the disk may have been full
	// during the run.
	minFreeSpace = 1 << 20
	// maxDirDepth is the maximum depth of directories that are searched. Deeper ones are treated as too many files.
	maxDirDepth = 100
)

// watchWritables starts watching. The caller must call stop.
func watchWritables(mounts []judge.Mount, cancel context.CancelCauseFunc) (*writables, error) {
	w := &writables{cancel: cancel}
	for _, m := range mounts {
		if !m.Writable {
			continue
		}
		r, err := openWritable(m)
		if err == nil {
			w.all = append(w.all, r)
			err = diskFullError(m.Host, &r.counted)
		}
		if err != nil {
			w.close()
			return nil, err
		}
	}
	w.mu.Lock()
	w.timer = time.AfterFunc(diskInterval, w.tick)
	w.mu.Unlock()
	return w, nil
}

func openWritable(m judge.Mount) (*writable, error) {
	fd, err := unix.Open(m.Host, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("show %s inside: %w", m.Host, err)
	}
	now := time.Now()
	r := &writable{Mount: m, fd: fd, began: now.Add(-coarseClock).UnixNano(), when: now, bytes: m.Bytes, files: m.Files}
	if err := unix.Fstatfs(fd, &r.counted); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("measure the disk of %s: %w", m.Host, err)
	}
	return r, nil
}

// diskFullError returns an error if the disk has no space left for a program.
func diskFullError(path string, st *unix.Statfs_t) error {
	spare := min(minFreeSpace, int64(st.Blocks)*int64(st.Bsize)/64)
	if st.Blocks > 0 && int64(st.Bavail)*int64(st.Bsize) < spare {
		return fmt.Errorf("no space is left on the disk of %s", path)
	}
	if st.Files > 0 && st.Ffree == 0 { // some file systems do not count files
		return fmt.Errorf("no free inodes are left on the disk of %s", path)
	}
	return nil
}

// placed records where the run takes place.
func (w *writables) placed(p place) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs = p
}

func (w *writables) tick() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return
	}
	if w.look(time.Now(), false); w.found != nil {
		w.cancel(w.found)
		return
	}
	w.timer.Reset(diskInterval)
}

// stop ends the watch with a last check, and returns the error that was found, if any.
func (w *writables) stop() error {
	w.timer.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.found == nil {
		w.look(time.Now(), true)
	}
	w.ended = true
	w.close()
	return w.found
}

func (w *writables) close() {
	for _, r := range w.all {
		unix.Close(r.fd)
	}
}

// look checks each mount. The last check always counts the files. It does not rely on the free space, because
// another process may have freed as much as the run wrote.
func (w *writables) look(now time.Time, last bool) {
	for _, r := range w.all {
		if err := r.check(now, last, &w.runs); err != nil {
			w.found = err
			return
		}
	}
}

func (r *writable) check(now time.Time, last bool, runs *place) error {
	var st unix.Statfs_t
	if err := unix.Fstatfs(r.fd, &st); err != nil {
		return fmt.Errorf("measure the disk of %s: %w", r.Host, err)
	}
	if err := diskFullError(r.Host, &st); err != nil {
		return err
	}
	lost := r.Bytes > 0 && int64(r.counted.Bfree-st.Bfree)*int64(st.Bsize) > r.bytes ||
		r.Files > 0 && int64(r.counted.Ffree-st.Ffree) > r.files
	due := (r.Bytes > 0 || r.Files > 0) && (last || now.Sub(r.when) > max(countInterval, 50*r.took))
	if !lost && !due {
		return nil
	}
	var c count
	start := time.Now()
	c.dir(r, r.fd, 0)
	if lost && !last {
		c.unlinked(r, runs.threads())
	}
	r.when, r.took = time.Now(), time.Since(start)
	if c.deep || r.Bytes > 0 && c.bytes > r.Bytes || r.Files > 0 && c.files > r.Files || lost && c.hidden {
		return errOutput
	}
	r.counted = st
	r.bytes, r.files = max(r.Bytes-c.bytes, r.Bytes/16), max(r.Files-c.files, r.Files/16)
	return nil
}

// count is what a run has added to a directory.
type count struct {
	bytes, files int64
	hidden       bool // whether some directory cannot be searched
	deep         bool // whether some directory is too deep
}

// dir counts the files in a directory that programs may change concurrently. It opens entries only relative to
// their directory and does not follow links.
func (c *count) dir(r *writable, dir, depth int) {
	if depth > maxDirDepth {
		c.deep = true
		return
	}
	if _, err := unix.Seek(dir, 0, unix.SEEK_SET); err != nil {
		return
	}
	var buf [8 << 10]byte
	for {
		n, err := unix.ReadDirent(dir, buf[:])
		if err != nil || n == 0 {
			return
		}
		_, _, names := unix.ParseDirent(buf[:n], -1, nil)
		for _, name := range names {
			c.entry(r, dir, depth, name)
		}
	}
}

// unlinked counts the files without a name that the run's threads have open or mapped. The threads are given as
// directories of /proc.
func (c *count) unlinked(r *writable, threads []string) {
	var own unix.Stat_t
	if unix.Fstat(r.fd, &own) != nil {
		return
	}
	seen := map[uint64]bool{}
	for _, dir := range threads {
		for _, fd := range numbered(dir + "/fd") {
			var st unix.Stat_t
			if unix.Stat(dir+"/fd/"+fd, &st) == nil && st.Nlink == 0 && st.Dev == own.Dev && !seen[st.Ino] {
				seen[st.Ino] = true
				c.files++
				c.bytes += st.Blocks * 512
			}
		}
		maps, _ := os.ReadFile(dir + "/maps")
		for line := range strings.Lines(string(maps)) { // from-to access offset device inode name
			f := strings.Fields(line)
			if !strings.HasSuffix(line, " (deleted)\n") || len(f) < 6 ||
				f[3] != fmt.Sprintf("%02x:%02x", unix.Major(own.Dev), unix.Minor(own.Dev)) {
				continue
			}
			from, to, _ := strings.Cut(f[0], "-")
			a, _ := strconv.ParseInt(from, 16, 64)
			b, _ := strconv.ParseInt(to, 16, 64)
			if inode, _ := strconv.ParseUint(f[4], 10, 64); !seen[inode] {
				seen[inode] = true
				c.files++
				c.bytes += b - a
			}
		}
	}
}

func (c *count) entry(r *writable, dir, depth int, name string) {
	var st unix.Stat_t
	if unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return // the file is already gone
	}
	if st.Ctim.Nano() >= r.began { // programs cannot set this time
		c.files++
		c.bytes += st.Blocks * 512
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return
	}
	sub, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		c.hidden = c.hidden || errors.Is(err, unix.EACCES)
		return
	}
	c.dir(r, sub, depth+1)
	unix.Close(sub)
}
