package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkVersion measures the CPU time of `judge --version`, as a multiple of that of an empty program in Go.
func BenchmarkVersion(b *testing.B) {
	dir := b.TempDir()
	empty := filepath.Join(dir, "empty.go")
	if err := os.WriteFile(empty, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	cpuOf(b, nil, "go", "build", "-o", filepath.Join(dir, "empty"), empty)
	cpuOf(b, nil, "go", "build", "-o", filepath.Join(dir, "judge"), ".")
	var ours, baseline time.Duration
	for b.Loop() {
		for range 50 {
			ours += cpuOf(b, nil, filepath.Join(dir, "judge"), "--version")
			baseline += cpuOf(b, nil, filepath.Join(dir, "empty"))
		}
	}
	b.ReportMetric(float64(ours)/float64(baseline), "x-empty")
}

// BenchmarkFirstVerdict measures README's first command with empty caches, as a multiple of the time that compiling
// the judge takes. It reports CPU time, too.
func BenchmarkFirstVerdict(b *testing.B) {
	b.Chdir("../..")
	var compile, verdict, compileCPU, verdictCPU time.Duration
	for b.Loop() {
		dir := b.TempDir()
		env := []string{"GOENV=off", "GOFLAGS=", "GOCACHE=" + filepath.Join(dir, "go"), "ASSAY_CACHE=" + filepath.Join(dir, "assay")}
		judge := filepath.Join(dir, "judge")
		start := time.Now()
		compileCPU += cpuOf(b, env, "go", "build", "-o", judge, "./cmd/judge")
		compile += time.Since(start)
		start = time.Now()
		verdictCPU += cpuOf(b, env, judge, "submit", "wythoff", "solutions/wythoff/accepted/square_root.go")
		verdict += time.Since(start)
	}
	b.ReportMetric(float64(compile+verdict)/float64(compile), "x-compile")
	b.ReportMetric(float64(compileCPU+verdictCPU)/float64(compileCPU), "x-compile-cpu")
}

// cpuOf runs a command with additional environment variables, and returns the CPU time that it used.
func cpuOf(b *testing.B, env []string, argv ...string) time.Duration {
	b.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%q: %v\n%s", argv, err, out)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}
