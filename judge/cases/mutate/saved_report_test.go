package mutate_test

import (
	"os"
	"path/filepath"
	"testing"

	"assay/judge"
	"assay/judge/cases/mutate"
)

// TestReportsAreKeptByContent checks that a report is found for the same files in another directory, and then
// contains the names of that directory.
func TestReportsAreKeptByContent(t *testing.T) {
	lay := func(text string) []string {
		dir := filepath.Join(t.TempDir(), "sums")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "reference.go"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return []string{dir}
	}
	here, there, changed := lay("package main"), lay("package main"), lay("package other")
	keys := map[string]bool{}
	var key string
	for _, roots := range [][]string{here, there, changed} {
		k, err := mutate.Key(roots, mutate.SearchBudget{}, false)
		if err != nil {
			t.Fatal(err)
		}
		if keys[k] = true; key == "" {
			key = k
		}
	}
	if len(keys) != 2 {
		t.Errorf("%d keys of three directories, two of which are the same", len(keys))
	}
	cache := t.TempDir()
	report := &judge.AdequacyMeasured{Format: judge.EventFormat, Key: key, Programs: []judge.ProgramMutants{
		{Path: filepath.Join(here[0], "reference.go")},
	}}
	if err := mutate.Save(cache, report, here); err != nil {
		t.Fatal(err)
	}
	for _, roots := range [][]string{here, there} {
		r := mutate.Load(cache, key, roots)
		if r == nil || r.Programs[0].Path != filepath.Join(roots[0], "reference.go") {
			t.Errorf("Load(%s) = %+v", roots, r)
		}
	}
}
