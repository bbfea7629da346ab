//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/sandbox"
)

// tinyProgram writes the smallest program that there is: it exits with 0.
func tinyProgram(tb testing.TB) string {
	tb.Helper()
	if runtime.GOARCH != "amd64" {
		tb.Skip("the no-op program is written for amd64")
	}
	code := []byte{0x31, 0xff, 0xb8, 0xe7, 0, 0, 0, 0x0f, 0x05} // exit_group(0)
	const base, headers = 0x400000, 64 + 56
	var elf bytes.Buffer
	elf.Write([]byte{0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	le := binary.LittleEndian
	for _, field := range []any{
		uint16(2), uint16(62), uint32(1), uint64(base + headers), uint64(64), uint64(0), uint32(0), uint16(64), uint16(56), uint16(1), uint16(0), uint16(0), uint16(0),
		uint32(1), uint32(5), uint64(0), uint64(base), uint64(base), uint64(headers + len(code)), uint64(headers + len(code)), uint64(0x1000),
	} {
		if err := binary.Write(&elf, le, field); err != nil {
			tb.Fatal(err)
		}
	}
	elf.Write(code)
	dir := tb.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(dir, "noop")
	if err := os.WriteFile(path, elf.Bytes(), 0o755); err != nil {
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

// versus runs bare spawns and sandboxed runs in turn, and reports the ratio of
// their medians: the machine's mood strikes both.
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

func noopPath(b *testing.B) string {
	if p := os.Getenv("NOOP"); p != "" {
		return p
	}
	return tinyProgram(b)
}

func BenchmarkNoop(b *testing.B) {
	s, path := newSandbox(b, sandbox.Options{Isolation: os.Getenv("RUNG")}), noopPath(b)
	c := noopCommand(path)
	versus(b, 0, func() error { return sandbox.BareSpawn(path) }, func() error {
		_, err := s.Run(b.Context(), c)
		return err
	})
}

func BenchmarkNoopSpaced(b *testing.B) {
	s, path := newSandbox(b, sandbox.Options{}), noopPath(b)
	c := noopCommand(path)
	versus(b, 50*time.Millisecond, func() error { return sandbox.BareSpawn(path) }, func() error {
		_, err := s.Run(b.Context(), c)
		return err
	})
}

func BenchmarkNoopTwoWorkers(b *testing.B) {
	s, path := newSandbox(b, sandbox.Options{Workers: 2}), noopPath(b)
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
