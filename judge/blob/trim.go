package blob

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// stored is a blob in the directory.
type stored struct {
	digest Digest
	size   int64
	last   time.Time // when it was last used
	links  bool      // whether it has other hard links
}

// list returns the blobs, and removes abandoned temporary files.
func (f *Dir) list() (all []stored, err error) {
	tops, err := os.ReadDir(f.dir)
	if err != nil {
		return nil, fmt.Errorf("list blobs: %w", err)
	}
	for _, top := range tops {
		at := filepath.Join(f.dir, top.Name())
		if strings.HasPrefix(top.Name(), tempName) {
			if info, err := top.Info(); err == nil && time.Since(info.ModTime()) > staleAfter {
				os.Remove(at) // if this fails, the next call tries again
			}
			continue
		}
		if !top.IsDir() {
			continue
		}
		entries, err := os.ReadDir(at)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list blobs: %w", err)
		}
		for _, e := range entries {
			d, bad := Parse(top.Name() + e.Name())
			info, gone := e.Info()
			if bad != nil || gone != nil || !info.Mode().IsRegular() {
				continue
			}
			last, links := usage(info)
			all = append(all, stored{d, info.Size(), last, links})
		}
	}
	return all, nil
}

// grown counts a new blob of n bytes. If the quota is exceeded, it removes the least recently used blobs until at
// most 90% of the quota is used. It does not remove the new blob.
func (f *Dir) grown(d Digest, n int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.used += n
	if f.quota == 0 || f.known && f.used <= f.quota {
		return nil
	}
	all, err := f.list()
	if err != nil {
		return err
	}
	f.known, f.used = true, 0
	for _, b := range all {
		f.used += b.size
	}
	if f.used <= f.quota {
		return nil
	}
	slices.SortFunc(all, func(a, b stored) int {
		return cmp.Or(a.last.Compare(b.last), strings.Compare(string(a.digest), string(b.digest)))
	})
	for _, b := range all {
		if f.used <= f.quota/10*9 {
			break
		}
		if b.links || b.digest == d {
			continue
		}
		if err := os.Remove(f.path(b.digest)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("drop a blob: %w", err)
		}
		f.used -= b.size
	}
	return nil
}
