//go:build unix

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
	"assay/judge/running/check"
	"assay/judge/running/sandbox"
)

var benchMiB = flag.Int("check.mib", 8, "size of each text of the benchmarks, in MiB; the published numbers are for 96")

// BenchmarkPairs compares the checkers with two simple methods in the same run: bytes.Equal on both whole files,
// and bufio.ScanWords.
//
//	go test ./judge/running/check -run - -bench Pairs -benchtime 5x -check.mib 96
func BenchmarkPairs(b *testing.B) {
	dir := b.TempDir()
	plain := benchText(b, dir, "plain", numberLine, "\n", 0)
	copied := benchText(b, dir, "copied", numberLine, "\n", 0)
	crlf := benchText(b, dir, "crlf", numberLine, "\r\n", 0)
	near := [2]*io.SectionReader{benchText(b, dir, "near1", floatLine, "\n", 1), benchText(b, dir, "near2", floatLine, "\n", 2)}
	cased := [2]*io.SectionReader{benchText(b, dir, "lower", wordLine, "\n", 0), benchText(b, dir, "upper", wordLine, "\n", 1)}

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

// lineWriter writes a line and returns its length, which is the same for all variants.
type lineWriter func(w *bufio.Writer, r *rand.Rand, eol string, variant int) int

func numberLine(w *bufio.Writer, r *rand.Rand, eol string, _ int) (n int) {
	for range 5 {
		m, _ := fmt.Fprintf(w, "%d ", r.IntN(100_000_000))
		n += m
	}
	m, _ := fmt.Fprintf(w, "%d%s", r.IntN(100_000_000), eol)
	return n + m
}

func floatLine(w *bufio.Writer, r *rand.Rand, eol string, lastDigit int) int {
	n, _ := fmt.Fprintf(w, "0.%08d%d%s", r.IntN(100_000_000), lastDigit, eol)
	return n
}

func wordLine(w *bufio.Writer, r *rand.Rand, eol string, upper int) int {
	word := fmt.Sprintf("w%xyes", r.IntN(1<<30))
	if upper > 0 {
		word = strings.ToUpper(word)
	}
	n, _ := fmt.Fprintf(w, "%s%s", word, eol)
	return n
}

// benchText writes a file of the benchmark size. Files with the same write function consist of the same lines,
// except for the variant and the line end.
func benchText(b *testing.B, dir, name string, write lineWriter, eol string, variant int) *io.SectionReader {
	b.Helper()
	file, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { file.Close() })
	w := bufio.NewWriterSize(file, 1<<20)
	r := rand.New(rand.NewPCG(1, 2))
	for size := 0; size < *benchMiB<<20; {
		size += write(w, r, eol, variant) - len(eol) + 1
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

// BenchmarkPrograms runs checker programs on a tiny case, to measure the cost of the protocol and the sandbox.
func BenchmarkPrograms(b *testing.B) {
	box, err := sandbox.New(sandbox.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer box.Close()
	for _, speaks := range []string{"kit", "testlib", "kattis"} {
		b.Run(speaks, func(b *testing.B) {
			c, err := check.Program(box, &judge.SetterProgram{Protocol: speaks, Args: arguments[speaks]}, self(b, speaks),
				judge.Limits{Wall: time.Minute})
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			for b.Loop() {
				if o, err := c.Check(context.Background(), request("right")); err != nil || o.Verdict != judge.Accepted {
					b.Fatalf("Check = %+v, %v", o, err)
				}
			}
		})
	}
}

// reportCPU starts measuring this process's CPU time, which a busy machine affects less than wall time.
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
