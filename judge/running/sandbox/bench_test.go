//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"bytes"
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/running/sandbox"
	"assay/judge/running/sandbox/sandboxtest"
)

// tinyProgram writes the smallest possible program, which exits with 0.
func tinyProgram(tb testing.TB) string {
	tb.Helper()
	if runtime.GOARCH != "amd64" {
		tb.Skip("the no-op program is written for amd64")
	}
	dir := tb.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(dir, "noop")
	if err := os.WriteFile(path, sandboxtest.TinyELF([]byte{0x31, 0xff, 0xb8, 0xe7, 0, 0, 0, 0x0f, 0x05}, 0), 0o755); err != nil {
		tb.Fatal(err)
	}
	return path
}

func newSandbox(tb testing.TB, o sandbox.Options) *sandbox.Sandbox {
	tb.Helper()
	s, err := sandbox.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

func noopCommand(path string) *judge.Command {
	return &judge.Command{
		Argv:   []string{"/program/" + filepath.Base(path)},
		Mounts: []judge.Mount{{Host: filepath.Dir(path), At: "/program"}},
		Limits: judge.Limits{CPU: time.Second, Wall: 3 * time.Second, Memory: 256 << 20, Output: 8 << 20, Processes: 32},
	}
}

func median(d []time.Duration) time.Duration {
	slices.SortFunc(d, cmp.Compare[time.Duration])
	return d[len(d)/2]
}

// versus alternates bare spawns and sandboxed runs, and reports the ratio of their medians. So changes in the
// machine's load affect both.
func versus(b *testing.B, pause time.Duration, bare, boxed func() error) {
	b.Helper()
	var bares, boxeds []time.Duration
	one := func(list *[]time.Duration, f func() error) {
		time.Sleep(pause)
		start := time.Now()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		*list = append(*list, time.Since(start))
	}
	for range 5 {
		one(&bares, bare)
		one(&boxeds, boxed)
	}
	bares, boxeds = nil, nil
	block := 20
	if pause > 0 {
		block = 1
	}
	for b.Loop() {
		for range block {
			one(&bares, bare)
		}
		for range block {
			one(&boxeds, boxed)
		}
	}
	x, y := median(bares), median(boxeds)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(x.Microseconds()), "bare-µs")
	b.ReportMetric(float64(y.Microseconds()), "boxed-µs")
	b.ReportMetric(float64(y)/float64(x), "ratio")
	b.ReportMetric(float64((y - x).Microseconds()), "added-µs")
}

// eachNoop runs a benchmark with a program of a few bytes, which is the hardest baseline for the sandbox. If there
// is a C compiler, it also runs the benchmark with a statically linked program.
func eachNoop(b *testing.B, bench func(b *testing.B, path string)) {
	b.Run("a few bytes", func(b *testing.B) { bench(b, tinyProgram(b)) })
	b.Run("static C", func(b *testing.B) {
		path := tinyProgram(b) // its directory is readable for all users
		source := path + ".c"
		if err := os.WriteFile(source, []byte("int main(void) { return 0; }\n"), 0o644); err != nil {
			b.Fatal(err)
		}
		if out, err := exec.Command("cc", "-O2", "-static", "-o", path, source).CombinedOutput(); err != nil {
			b.Skipf("no C compiler that links statically: apt-get install gcc libc6-dev: %v\n%s", err, out)
		}
		bench(b, path)
	})
}

func BenchmarkNoop(b *testing.B) {
	s := newSandbox(b, sandbox.Options{Isolation: os.Getenv("RUNG")})
	eachNoop(b, func(b *testing.B, path string) { alone(b, s, path, 0) })
}

func BenchmarkNoopSpaced(b *testing.B) {
	s := newSandbox(b, sandbox.Options{})
	eachNoop(b, func(b *testing.B, path string) { alone(b, s, path, 50*time.Millisecond) })
}

// alone measures a single worker.
func alone(b *testing.B, s *sandbox.Sandbox, path string, pause time.Duration) {
	c := noopCommand(path)
	versus(b, pause, func() error { return sandbox.BareSpawn(path) }, func() error {
		_, err := s.Run(b.Context(), c)
		return err
	})
}

func BenchmarkNoopTwoWorkers(b *testing.B) {
	s := newSandbox(b, sandbox.Options{Workers: 2})
	eachNoop(b, func(b *testing.B, path string) { twoWorkers(b, s, path) })
}

func twoWorkers(b *testing.B, s *sandbox.Sandbox, path string) {
	c := noopCommand(path)
	const block = 100
	pair := func(f func() error) func() error {
		return func() error {
			var wg sync.WaitGroup
			var failed error
			for range 2 {
				wg.Go(func() {
					for range block {
						if err := f(); err != nil {
							failed = err
						}
					}
				})
			}
			wg.Wait()
			return failed
		}
	}
	bare := pair(func() error { return sandbox.BareSpawn(path) })
	boxed := pair(func() error { _, err := s.Run(b.Context(), c); return err })
	var bares, boxeds []time.Duration
	for b.Loop() {
		t0 := time.Now()
		if err := bare(); err != nil {
			b.Fatal(err)
		}
		t1 := time.Now()
		if err := boxed(); err != nil {
			b.Fatal(err)
		}
		bares, boxeds = append(bares, t1.Sub(t0)), append(boxeds, time.Since(t1))
	}
	x, y := median(bares), median(boxeds)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(2*block/x.Seconds(), "bare/s")
	b.ReportMetric(2*block/y.Seconds(), "boxed/s")
	b.ReportMetric(float64(x)/float64(y), "of-bare")
}

// BenchmarkSmallCase measures a complete small case: input from a file, output captured and compared token by
// token.
func BenchmarkSmallCase(b *testing.B) {
	s, dir := newSandbox(b, sandbox.Options{}), sandboxtest.Programs(b)
	input := filepath.Join(b.TempDir(), "in")
	if err := os.WriteFile(input, []byte("1 2 3\n4 5 6\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	echo := filepath.Join(dir, "echo")
	c := noopCommand(echo)
	versus(b, 0, func() error { return sandbox.BareSpawn(echo) }, func() error {
		in, err := os.Open(input)
		if err != nil {
			return err
		}
		defer in.Close()
		var out bytes.Buffer
		c.Stdin, c.Stdout = in, &out
		x, err := s.Run(b.Context(), c)
		if err != nil {
			return err
		}
		if got := bytes.Fields(out.Bytes()); x.Exit != 0 || len(got) != 6 || string(got[5]) != "6" {
			b.Fatalf("got %+v, %q", x, out.String())
		}
		return nil
	})
}

// BenchmarkOvershoot measures by how much a loop exceeds its CPU limit.
func BenchmarkOvershoot(b *testing.B) {
	s, dir := newSandbox(b, sandbox.Options{}), sandboxtest.Programs(b)
	c := noopCommand(filepath.Join(dir, "spin"))
	c.Limits.CPU, c.Limits.Wall = 200*time.Millisecond, time.Minute
	var over []time.Duration
	for b.Loop() {
		x, err := s.Run(b.Context(), c)
		if err != nil || x.Killed != judge.CPUTime {
			b.Fatalf("Run() = %+v, %v", x, err)
		}
		over = append(over, x.CPU-c.Limits.CPU)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(median(over).Microseconds()), "over-µs")
	b.ReportMetric(float64(slices.Max(over).Microseconds()), "worst-µs")
}
