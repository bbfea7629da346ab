package main

import (
	"io"
	"testing"
)

// TestWorkersIsolate checks that programs run without isolation only if the operator has requested it.
func TestWorkersIsolate(t *testing.T) {
	for set, want := range map[string]string{"": "isolated", "any": "any", "none": "none"} {
		t.Setenv("ASSAY_REQUIRE", set)
		if got := workerCommand(&console{err: io.Discard}).Flag("require").Value.String(); got != want {
			t.Errorf("with ASSAY_REQUIRE=%q a worker requires %q, want %q", set, got, want)
		}
	}
}
