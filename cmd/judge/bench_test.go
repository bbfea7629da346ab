//go:build unix

package main

import (
	"assay/cmd/internal/cli"

	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// benchContest makes a contest with one problem of n tiny cases, and a static program that does nothing. The
// program is correct on all cases.
func benchContest(b *testing.B, n int) (program string) {
	b.Helper()
	dir := b.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	write("judge.toml", "")
	write("problems/nothing/problem.toml", "title = \"Nothing\"\n")
	for i := range n {
		write(fmt.Sprintf("problems/nothing/cases/sample/c%04d.in", i), "1 2\n")
		write(fmt.Sprintf("problems/nothing/cases/sample/c%04d.ans", i), "\n")
	}
	write("noop/main.go", "package main\n\nfunc main() {}\n")
	program = filepath.Join(dir, "noop.exe")
	build := exec.Command("go", "build", "-o", program, filepath.Join(dir, "noop", "main.go"))
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	b.Chdir(dir)
	return program
}

// spawnBare runs the program n times without any sandbox and returns the time.
func spawnBare(b *testing.B, program string, n int) time.Duration {
	b.Helper()
	start := time.Now()
	for range n {
		pid, err := syscall.ForkExec(program, []string{program}, &syscall.ProcAttr{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := syscall.Wait4(pid, nil, 0, nil); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(start)
}

// BenchmarkSubmit measures `judge submit` of a static program that does nothing, on 200 tiny cases, one at a time.
// It reports the cost per case beyond a bare spawn of the program, and the ratio of the total to bare spawns.
func BenchmarkSubmit(b *testing.B) {
	const cases = 200
	program := benchContest(b, cases)
	submit := func() {
		var out bytes.Buffer
		c := &console{in: strings.NewReader(""), out: &out, err: &out}
		if code := run(b.Context(), []string{"submit", "nothing", program, "-j", "1", "--color", "never"}, c); code != cli.ExitAccepted {
			b.Fatalf("exit code %d\n%s", code, &out)
		}
	}
	submit() // fills the caches
	var judged, bare time.Duration
	for b.Loop() {
		bare += spawnBare(b, program, cases)
		start := time.Now()
		submit()
		judged += time.Since(start)
	}
	perCase := func(d time.Duration) float64 {
		return float64(d.Microseconds()) / 1000 / float64(b.N*cases)
	}
	b.ReportMetric(perCase(judged-bare), "ms-over-bare/case")
	b.ReportMetric(float64(judged)/float64(bare), "x-bare")
}

// BenchmarkSubmitAgain measures a whole `judge submit` of an unchanged solution with one case. Nearly all of the
// time is overhead.
func BenchmarkSubmitAgain(b *testing.B) {
	program := benchContest(b, 1)
	args := []string{"submit", "nothing", program, "-j", "1", "--color", "never"}
	for b.Loop() {
		var out bytes.Buffer
		if code := run(b.Context(), args, &console{in: strings.NewReader(""), out: &out, err: &out}); code != cli.ExitAccepted {
			b.Fatalf("exit code %d\n%s", code, &out)
		}
	}
}
