package report_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/internal/window"
	"assay/judge/report"
)

const huge = 100_000_000 // size of each output, in bytes

// outputs returns two files of 100 MB that repeat a line and differ in one byte.
func outputs(tb testing.TB, line string, differ int64) (ans, out *os.File) {
	data := bytes.Repeat([]byte(line), huge/len(line)+1)[:huge]
	open := func(name string) *os.File {
		path := filepath.Join(tb.TempDir(), name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			tb.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { f.Close() })
		return f
	}
	ans = open("ans")
	data[differ] = 'X'
	return ans, open("out")
}

// draw cuts excerpts from two outputs and writes the report of the case.
func draw(w io.Writer, ans, out *os.File, differ int64) error {
	section := func(f *os.File) *io.SectionReader { return io.NewSectionReader(f, 0, huge) }
	var place *judge.Position
	if differ >= 0 {
		place = &judge.Position{Line: 1, Column: 1, AnsOffset: differ, OutOffset: differ}
	}
	r := report.Terminal(w, report.TerminalOptions{Color: true})
	r.Event(&judge.CaseJudged{Group: "big", Case: "01", Verdict: judge.WrongAnswer, Detail: window.Detail(
		nil, section(ans), section(out), place,
	)})
	r.Event(&judge.Finished{Verdict: judge.WrongAnswer, First: "big/01"})
	return r.Close()
}

func readBoth(buf []byte, files ...*os.File) {
	for _, f := range files {
		for at := int64(0); ; {
			n, err := f.ReadAt(buf, at)
			if at += int64(n); err != nil {
				break
			}
		}
	}
}

// BenchmarkDraw measures the cost of showing the difference between two outputs of 100 MB, relative to the cost of
// reading both once in the same run.
func BenchmarkDraw(b *testing.B) {
	for _, row := range []struct {
		name, line string
		differ     int64
		placed     bool
	}{
		{"lines, early", "123456 789\n", 1000, true},
		{"lines, late", "123456 789\n", huge - 1000, true},
		{"lines, late, no place", "123456 789\n", huge - 1000, false},
		{"one line, early", "123456 789 ", 1000, true},
		{"one line, late", "123456 789 ", huge - 1000, true},
		{"a digit a line, late", "7\n", huge - 1000, true},
	} {
		b.Run(row.name, func(b *testing.B) {
			ans, out := outputs(b, row.line, row.differ)
			buf := make([]byte, 128<<10)
			differ := row.differ
			if !row.placed {
				differ = -1
			}
			var reading, drawing time.Duration
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				start := time.Now()
				readBoth(buf, ans, out)
				reading += time.Since(start)
				start = time.Now()
				b.StartTimer()
				if err := draw(io.Discard, ans, out, differ); err != nil {
					b.Fatal(err)
				}
				drawing += time.Since(start)
			}
			b.ReportMetric(float64(drawing)/float64(reading), "x-reading")
		})
	}
}

// TestDrawingIsBounded checks that the report on the difference between two outputs of 100 MB requires little
// memory and shows the byte that differs.
func TestDrawingIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 200 MB; run it without -short")
	}
	for name, line := range map[string]string{"lines": "123456 789\n", "one line": "123456 789 "} {
		ans, out := outputs(t, line, huge-500)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var b bytes.Buffer
		if err := draw(&b, ans, out, -1); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		const most = 10 << 20
		if took := after.TotalAlloc - before.TotalAlloc; took > most {
			t.Errorf("%s: %d bytes of memory, want at most %d", name, took, most)
		}
		if text := colors.ReplaceAllString(b.String(), ""); !strings.Contains(text, "X") || len(text) > 20_000 {
			t.Errorf("%s: the byte that differs is not to be seen:\n%.2000s", name, text)
		}
	}
}
