//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"strings"
	"testing"

	"assay/judge/running/sandbox"
	"assay/judge/running/sandbox/sandboxtest"
)

// TestPin checks which CPUs a program may use.
func TestPin(t *testing.T) {
	s := newSandbox(t, sandbox.Options{Workers: 2, Pin: true})
	if s.Level() == sandbox.None {
		t.Skip("plain processes are not kept on a processor")
	}
	for range 4 {
		var out strings.Builder
		c := noopCommand(sandboxtest.Programs(t) + "/noop")
		c.Argv, c.Env, c.Stdout = []string{"/program/hostile", "processors"}, []string{"ASSAY_HOSTILE=1"}, &out
		if x, err := s.Run(t.Context(), c); err != nil || x.Exit != 0 || out.String() != "1\n" {
			t.Errorf("a program may use %q processors: %+v, %v", out.String(), x, err)
		}
	}
}
