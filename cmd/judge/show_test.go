package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"assay/cmd/internal/cli"
)

// TestShowWithoutABrowser: who cannot print is told what to do.
func TestShowWithoutABrowser(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"show", "wythoff", "--pdf", filepath.Join(t.TempDir(), "a.pdf")}, &console{in: strings.NewReader(""), out: &out, err: &errs})
	if code != cli.ExitUsage || !strings.Contains(errs.String(), "needs Chromium") {
		t.Errorf("exit code %d: %s", code, &errs)
	}
}
