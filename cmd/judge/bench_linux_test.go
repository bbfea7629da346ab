package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/running/sandbox"
	"assay/judge/running/sandbox/sandboxtest"
)

// BenchmarkSubmitOfSandbox compares `judge submit` of a tiny static program on 1,000 tiny cases with 1,000 sandbox
// runs of the same program. Both are measured in the same benchmark run.
func BenchmarkSubmitOfSandbox(b *testing.B) {
	const cases = 1000
	program := benchContest(b, cases)
	// exit_group(0)
	if err := os.WriteFile(program, sandboxtest.TinyELF([]byte{0x31, 0xff, 0xb8, 0xe7, 0, 0, 0, 0x0f, 0x05}, 0), 0o755); err != nil {
		b.Fatal(err)
	}
	box, err := sandbox.New(sandbox.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer box.Close()
	command := &judge.Command{
		Argv: []string{"/program/noop.exe"}, Mounts: []judge.Mount{{Host: filepath.Dir(program), At: "/program"}},
		Limits: judge.Limits{CPU: time.Second, Wall: 3 * time.Second, Memory: 256 << 20, Output: 8 << 20, Processes: 32},
	}
	runs := func() {
		var all sync.WaitGroup
		for range runtime.GOMAXPROCS(0) {
			all.Go(func() {
				for range cases / runtime.GOMAXPROCS(0) {
					if x, err := box.Run(b.Context(), command); err != nil || x.Exit != 0 {
						b.Errorf("Run() = %+v, %v", x, err)
					}
				}
			})
		}
		all.Wait()
	}
	submit := func() {
		var out bytes.Buffer
		c := &console{in: strings.NewReader(""), out: &out, err: &out}
		if code := run(b.Context(), []string{"submit", "nothing", program, "--color", "never"}, c); code != cli.ExitAccepted {
			b.Fatalf("exit code %d\n%s", code, &out)
		}
	}
	runs()
	submit() // fills the caches
	var judged, alone time.Duration
	for b.Loop() {
		start := time.Now()
		runs()
		alone += time.Since(start)
		start = time.Now()
		submit()
		judged += time.Since(start)
	}
	b.ReportMetric(float64(alone)/float64(judged), "of-sandbox")
	b.ReportMetric(float64(b.N*cases)/judged.Seconds(), "cases/s")
}
