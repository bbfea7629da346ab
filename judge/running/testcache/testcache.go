// Package testcache provides tests with a cache whose built programs outlive the test run, because compilers take
// most of the time. Only the output of compilers is shared. It is stored under a hash of everything that affects
// it. Results of running programs are not shared, so a test never sees the results of an older judge. The package
// is only for tests.
package testcache

import (
	"fmt"
	"os"
	"path/filepath"
)

// New creates a cache for a test run. The function done removes it, except for the programs. They stay in the
// directory named by ASSAY_TEST_CACHE, or by default in assay-test in the user's cache directory. If ASSAY_CACHE
// is set, that cache is used unchanged.
func New() (dir string, remove func(), err error) {
	if dir := os.Getenv("ASSAY_CACHE"); dir != "" {
		return dir, func() {}, nil
	}
	dir, err = os.MkdirTemp("", "assay-test-cache-*")
	if err != nil {
		return "", nil, fmt.Errorf("make a cache for tests: %w", err)
	}
	remove = func() { os.RemoveAll(dir) }
	stays := os.Getenv("ASSAY_TEST_CACHE")
	if stays == "" {
		caches, err := os.UserCacheDir()
		if err != nil {
			return dir, remove, nil // no program outlives the test run
		}
		stays = filepath.Join(caches, "assay-test")
	}
	for _, name := range []string{"programs", "prepared", "keep"} {
		there := filepath.Join(stays, name)
		if err := os.MkdirAll(there, 0o755); err != nil {
			return dir, remove, nil // as little
		}
		if err := os.Symlink(there, filepath.Join(dir, name)); err != nil {
			remove()
			return "", nil, fmt.Errorf("make a cache for tests: %w", err)
		}
	}
	return dir, remove, nil
}
