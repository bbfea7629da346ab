package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"assay/cmd/internal/cli"
	"assay/judge/packages/exchange"
	"assay/judge/problem/scaffold"
)

// TestNewProblems starts a problem of each kind in each language. It checks that the problem and its exports
// verify, and that the docs mention the kind.
func TestNewProblems(t *testing.T) {
	docs, err := os.ReadFile("../../docs/setter.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	do := func(t *testing.T, want int, args ...string) {
		t.Helper()
		cmd := exec.Command("judge", args...)
		cmd.Dir = dir
		if said, err := cmd.CombinedOutput(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != want {
			t.Fatalf("judge %s: %v, want exit code %d\n%s", strings.Join(args, " "), err, want, said)
		}
	}
	do(t, cli.ExitAccepted, "init", ".")
	for _, kind := range scaffold.Kinds {
		if !strings.Contains(string(docs), "`"+kind+"`") {
			t.Errorf("docs/setter.md does not name the kind %s", kind)
		}
		for _, language := range scaffold.Languages {
			t.Run(kind+" "+language, func(t *testing.T) {
				t.Parallel()
				if tool := map[string]string{"python": "python3", "cpp": "g++"}[language]; tool != "" {
					if _, err := exec.LookPath(tool); err != nil {
						t.Skipf("no %s: apt-get install %[1]s", tool)
					}
				}
				if os.Getenv("ASSAY_SLOW") == "" && (kind != "multi-pass" || language != "go") {
					t.Skip("builds and runs many programs: set ASSAY_SLOW=1")
				}
				id := kind + "-" + language
				do(t, cli.ExitAccepted, "new", id, "--kind", kind, "--lang", language)
				do(t, cli.ExitAccepted, "verify", id)
				exported(t, do, id, kind)
				if kind == "golf" && language != "go" {
					do(t, cli.ExitAccepted, "golf", id, "problems/"+id+"/golf/right.py", "--quick")
				}
			})
		}
	}
}

// notInFormat maps each format to the kinds that it cannot express and must reject.
var notInFormat = map[string][]string{
	"icpc-legacy":  {"scores", "multi-pass", "answers", "game"},
	"icpc-2025-09": {"game"},
}

// exported exports a problem to every format, and verifies the results.
func exported(t *testing.T, do func(t *testing.T, want int, args ...string), id, kind string) {
	t.Helper()
	for format := range exchange.Formats {
		to := format + "/" + exchange.Name(id)
		if slices.Contains(notInFormat[format], kind) {
			do(t, cli.ExitFault, "export", id, "--to", format, "--out", to)
			continue
		}
		do(t, cli.ExitAccepted, "export", id, "--to", format, "--out", to)
		// Building a Go program includes building its standard library, which takes 40 s of CPU time. So only one
		// of the Go problems is verified, in one format. It is a problem whose checker includes the kit.
		if os.Getenv("ASSAY_SLOW") != "" && (!strings.HasSuffix(id, "-go") || id == "multi-pass-go" && format == "icpc-2025-09") {
			do(t, cli.ExitAccepted, "verify", to)
		}
	}
}
