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
	digest   Digest
	size     int64
	lastUsed time.Time // when it was last used
	linked   bool      // whether it has other hard links
}

// removeAbandoned removes abandoned temporary files, at most once in cleanInterval. Errors are ignored, because a later
// call tries again.
func (f *Dir) removeAbandoned() {
	f.mu.Lock()
	due := time.Since(f.cleaned) >= cleanInterval
	if due {
		f.cleaned = time.Now()
	}
	f.mu.Unlock()
	if !due {
		return
	}
	tops, _ := os.ReadDir(f.dir)
	for _, top := range tops {
		if !strings.HasPrefix(top.Name(), tempName) {
			continue
		}
		if info, err := top.Info(); err == nil && time.Since(info.ModTime()) > staleAfter {
			os.Remove(filepath.Join(f.dir, top.Name()))
		}
	}
}

// list returns the blobs.
func (f *Dir) list() (blobs []stored, err error) {
	tops, err := os.ReadDir(f.dir)
	if err != nil {
		return nil, fmt.Errorf("list blobs: %w", err)
	}
	for _, top := range tops {
		at := filepath.Join(f.dir, top.Name())
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
			info, statErr := e.Info()
			if bad != nil || statErr != nil || !info.Mode().IsRegular() {
				continue
			}
			last, links := usage(info)
			blobs = append(blobs, stored{d, info.Size(), last, links})
		}
	}
	return blobs, nil
}

// recordGrowth counts a new blob of n bytes. If the quota is exceeded, it removes the least recently used blobs until at
// most 90% of the quota is used. It does not remove the new blob.
func (f *Dir) recordGrowth(d Digest, n int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.used += n
	if f.quota == 0 || f.counted && f.used <= f.quota {
		return nil
	}
	blobs, err := f.list()
	if err != nil {
		return err
	}
	f.counted, f.used = true, 0
	for _, b := range blobs {
		f.used += b.size
	}
	if f.used <= f.quota {
		return nil
	}
	slices.SortFunc(blobs, func(a, b stored) int {
		return cmp.Or(a.lastUsed.Compare(b.lastUsed), strings.Compare(string(a.digest), string(b.digest)))
	})
	for _, b := range blobs {
		if f.used <= f.quota/10*9 {
			break
		}
		if b.linked || b.digest == d {
			continue
		}
		if err := os.Remove(f.path(b.digest)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("drop a blob: %w", err)
		}
		f.used -= b.size
	}
	return nil
}
