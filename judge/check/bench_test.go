package check_test

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/check"
)

var benchMiB = flag.Int("check.mib", 8, "size of each text of the benchmarks, in MiB; the published numbers are for 96")

// BenchmarkPairs holds the checkers against two plain ways to compare, in the same
// run: bytes.Equal on both files read whole, and bufio.ScanWords.
//
//	go test ./judge/check -run - -bench Pairs -benchtime 5x -check.mib 96
func BenchmarkPairs(b *testing.B) {
	dir := b.TempDir()
	numbers := func(w *bufio.Writer, r *rand.Rand, blank, eol string, tail int) int {
		n := 0
		for k := range 6 {
			gap := blank
			if k == 5 {
				gap = eol
			}
			m, _ := fmt.Fprintf(w, "%d%s", r.IntN(100_000_000), gap)
			n += m
		}
		return n
	}
	floats := func(w *bufio.Writer, r *rand.Rand, blank, eol string, last int) int {
		n, _ := fmt.Fprintf(w, "0.%08d%d\n", r.IntN(100_000_000), last)
		return n
	}
	words := func(w *bufio.Writer, r *rand.Rand, blank, eol string, upper int) int {
		word := fmt.Sprintf("w%xyes", r.IntN(1<<30))
		if upper > 0 {
			word = strings.ToUpper(word)
		}
		n, _ := fmt.Fprintf(w, "%s\n", word)
		return n
	}
	type text func(w *bufio.Writer, r *rand.Rand, blank, eol string, variant int) int
	write := func(name string, f text, blank, eol string, variant int) *io.SectionReader {
		file, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { file.Close() })
		w := bufio.NewWriterSize(file, 1<<20)
		r := rand.New(rand.NewPCG(1, 2))
		for size := 0; size < *benchMiB<<20; {
			size += f(w, r, blank, eol, variant) + 1 - max(1, len(eol)) // variants have the same lines
		}
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
		info, err := file.Stat()
		if err != nil {
			b.Fatal(err)
		}
		return io.NewSectionReader(file, 0, info.Size())
	}
	plain := write("plain", numbers, " ", "\n", 0)
	copied := write("copied", numbers, " ", "\n", 0)
	crlf := write("crlf", numbers, " ", "\r\n", 0)
	near := [2]*io.SectionReader{write("near1", floats, "", "", 1), write("near2", floats, "", "", 2)}
	cased := [2]*io.SectionReader{write("lower", words, "", "", 0), write("upper", words, "", "", 1)}

	b.Run("baseline/bytes.Equal", func(b *testing.B) {
		b.SetBytes(plain.Size())
		defer reportCPU(b)()
		for b.Loop() {
			x, y := make([]byte, plain.Size()), make([]byte, copied.Size())
			plain.ReadAt(x, 0)
			copied.ReadAt(y, 0)
			if !bytes.Equal(x, y) {
				b.Fatal("not equal")
			}
		}
	})
	b.Run("baseline/ScanWords", func(b *testing.B) {
		b.SetBytes(plain.Size())
		defer reportCPU(b)()
		for b.Loop() {
			x := bufio.NewScanner(io.NewSectionReader(plain, 0, plain.Size()))
			y := bufio.NewScanner(io.NewSectionReader(crlf, 0, crlf.Size()))
			x.Split(bufio.ScanWords)
			y.Split(bufio.ScanWords)
			for x.Scan() {
				if !y.Scan() || !bytes.Equal(x.Bytes(), y.Bytes()) {
					b.Fatal("not equal")
				}
			}
		}
	})
	for _, row := range []struct {
		name     string
		checker  string
		args     []string
		ans, out *io.SectionReader
	}{
		{"exact/equal", "exact", nil, plain, copied},
		{"tokens/equal", "tokens", nil, plain, copied},
		{"tokens/CRLF", "tokens", nil, plain, crlf},
		{"tokens/other-case", "tokens", nil, cased[0], cased[1]},
		{"lines/equal", "lines", nil, plain, copied},
		{"lines/CRLF", "lines", nil, plain, crlf},
		{"floats/equal", "floats", nil, plain, copied},
		{"floats/9th-decimal", "floats", nil, near[0], near[1]},
		{"unordered/equal", "unordered", nil, plain, copied},
	} {
		b.Run(row.name, func(b *testing.B) {
			c, err := check.Builtin(row.checker, row.args)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(row.ans.Size())
			b.ReportAllocs()
			defer reportCPU(b)()
			for b.Loop() {
				o, err := c.Check(context.Background(), check.Request{Ans: row.ans, Out: row.out})
				if err != nil || o.Verdict != judge.Accepted {
					b.Fatalf("Check = %+v, %v", o, err)
				}
			}
		})
	}
}

// reportCPU starts to measure this process's CPU time, which a busy machine
// disturbs less than the clock.
func reportCPU(b *testing.B) (stop func()) {
	start := cpuTime(b)
	return func() {
		b.ReportMetric(float64((cpuTime(b)-start).Microseconds())/1000/float64(b.N), "cpu-ms/op")
	}
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
