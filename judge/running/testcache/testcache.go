// Package testcache gives tests a cache whose built programs outlive the run of the
// tests, for compilers take most of their time. Only what compilers made is shared,
// which is kept by the content of all that goes into it: what the judge found out by
// running programs is not, or a test would see what an older judge did. It is for tests
// and not for the judge.
package testcache

import (
	"fmt"
	"os"
	"path/filepath"
)

// New makes a cache for a run of tests, which done removes except the programs. They
// stay in the directory that the variable ASSAY_TEST_CACHE names, or else in assay-test
// among the user's caches. Where ASSAY_CACHE is set, it is used unchanged.
func New() (dir string, done func(), err error) {
	if dir := os.Getenv("ASSAY_CACHE"); dir != "" {
		return dir, func() {}, nil
	}
	dir, err = os.MkdirTemp("", "assay-test-cache-*")
	if err != nil {
		return "", nil, fmt.Errorf("make a cache for tests: %w", err)
	}
	done = func() { os.RemoveAll(dir) }
	stays := os.Getenv("ASSAY_TEST_CACHE")
	if stays == "" {
		caches, err := os.UserCacheDir()
		if err != nil {
			return dir, done, nil // nothing stays
		}
		stays = filepath.Join(caches, "assay-test")
	}
	for _, name := range []string{"programs", "prepared", "keep"} {
		there := filepath.Join(stays, name)
		if err := os.MkdirAll(there, 0o755); err != nil {
			return dir, done, nil // as little
		}
		if err := os.Symlink(there, filepath.Join(dir, name)); err != nil {
			done()
			return "", nil, fmt.Errorf("make a cache for tests: %w", err)
		}
	}
	return dir, done, nil
}
