package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/judge/host/server"
)

// BenchmarkVerifyOn verifies a problem with 30 solutions that run for about 400 ms each, first on one worker with
// one slot and then on two. It reports the speedup.
func BenchmarkVerifyOn(b *testing.B) {
	h, contest := realServer(b, 1)
	accepted := filepath.Join(contest, "solutions", "nothing", "accepted")
	must(b, os.MkdirAll(accepted, 0o755))
	for i := range 30 {
		text := fmt.Sprintf("s = %d\nfor i in range(5_000_000):\n    s += i\n", i)
		must(b, os.WriteFile(filepath.Join(accepted, fmt.Sprint(i, ".py")), []byte(text), 0o644))
	}
	admin := h.openFor(contest, 0)
	_, token, err := server.Admin(h.part.Data)
	must(b, err)
	command := built(b, filepath.Join(b.TempDir(), "judge"), "assay/cmd/judge")
	verify := func() time.Duration {
		b.Helper()
		start := time.Now()
		cmd := exec.Command(command, "verify", "nothing", "--on", "http://"+h.part.Listen, "--color", "never")
		cmd.Dir, cmd.Env = contest, append(os.Environ(), "ASSAY_TOKEN="+token)
		out, err := cmd.CombinedOutput() // it fails because the problem lacks a statement
		if !strings.Contains(string(out), "30 solutions") {
			b.Fatalf("%v\n%s", err, out)
		}
		return time.Since(start)
	}
	h.real(admin, "one", 1)
	verify() // builds the programs
	var one, two time.Duration
	for b.Loop() {
		one += verify()
	}
	h.real(admin, "two", 1)
	verify()
	for range b.N {
		two += verify()
	}
	b.ReportMetric(one.Seconds()/float64(b.N), "one-worker-s")
	b.ReportMetric(one.Seconds()/two.Seconds(), "two-workers-x")
}
