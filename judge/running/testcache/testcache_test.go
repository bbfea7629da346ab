package testcache_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"assay/judge/running/testcache"
)

func TestWhatStays(t *testing.T) {
	stays := t.TempDir()
	t.Setenv("ASSAY_CACHE", "")
	t.Setenv("ASSAY_TEST_CACHE", stays)
	dir, done, err := testcache.New()
	if err != nil {
		t.Fatal(err)
	}
	program, run := filepath.Join(dir, "programs", "p"), filepath.Join(dir, "runs")
	if err := errors.Join(os.WriteFile(program, nil, 0o644), os.WriteFile(run, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	done()
	if _, err := os.Stat(dir); err == nil {
		t.Error("the cache of the run is still there")
	}
	if _, err := os.Stat(filepath.Join(stays, "programs", "p")); err != nil {
		t.Errorf("the programs: %v", err)
	}
	if dir, done, err = testcache.New(); err != nil {
		t.Fatal(err)
	}
	defer done()
	if _, err := os.Stat(filepath.Join(dir, "programs", "p")); err != nil {
		t.Errorf("the next run has no programs: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "runs")); err == nil {
		t.Error("the next run has what came of running programs")
	}
	t.Setenv("ASSAY_CACHE", stays)
	if dir, _, err := testcache.New(); dir != stays || err != nil {
		t.Errorf("New = %s, %v, want the cache that was asked for", dir, err)
	}
}
