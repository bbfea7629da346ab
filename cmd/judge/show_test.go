package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"assay/cmd/internal/cli"
)

// TestPrintWithoutABrowser checks that the error names the missing browsers and what to install.
func TestPrintWithoutABrowser(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, args := range [][]string{{"show", "wythoff"}, {"statement", "wythoff"}} {
		var out, errs bytes.Buffer
		args = append(args, "--pdf", filepath.Join(t.TempDir(), "a.pdf"))
		code := run(t.Context(), args, &console{in: strings.NewReader(""), out: &out, err: &errs})
		if code != cli.ExitUsage {
			t.Errorf("%q: exit code %d", args, code)
		}
		for _, want := range []string{"needs Chromium", "google-chrome-stable", "install the package chromium", "--html"} {
			if !strings.Contains(errs.String(), want) {
				t.Errorf("%q: %q is not in\n%s", args, want, &errs)
			}
		}
	}
}

func TestLabel(t *testing.T) {
	for i, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 51: "AZ", 52: "BA", 701: "ZZ", 702: "AAA"} {
		if got := label(i); got != want {
			t.Errorf("the label of problem %d is %s, want %s", i, got, want)
		}
	}
}
