package window_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"assay/judge"
	"assay/judge/window"
)

// outputs are two files of 100 MB that differ in one byte.
func outputs(b *testing.B, line string, differ int64) (ans, out *os.File) {
	const size = 100_000_000
	data := bytes.Repeat([]byte(line), size/len(line))
	open := func(name string) *os.File {
		path := filepath.Join(b.TempDir(), name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			b.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { f.Close() })
		return f
	}
	ans = open("ans")
	data[differ] = 'X'
	return ans, open("out")
}

// BenchmarkDetail says what it costs to find and cut the windows of two outputs
// of 100 MB, next to what it costs to read them once.
func BenchmarkDetail(b *testing.B) {
	const early, late = 1000, 99_000_000
	for _, row := range []struct {
		name   string
		line   string
		differ int64
		placed bool
	}{
		{"early", "123456 789\n", early, true},
		{"late", "123456 789\n", late, true},
		{"late, found here", "123456 789\n", late, false},
		{"one line, early", "123456 789 ", early, true},
		{"one line, late", "123456 789 ", late, true},
		{"digit lines, late", "7\n", late, true},
	} {
		b.Run(row.name, func(b *testing.B) {
			ans, out := outputs(b, row.line, row.differ)
			var place *judge.Place
			if row.placed {
				place = &judge.Place{AnsOffset: row.differ, OutOffset: row.differ}
			}
			section := func(f *os.File) *io.SectionReader { return io.NewSectionReader(f, 0, 100_000_000) }
			b.ReportAllocs()
			for b.Loop() {
				window.Detail(nil, section(ans), section(out), place)
			}
		})
	}
	b.Run("read both once", func(b *testing.B) {
		ans, out := outputs(b, "123456 789\n", early)
		buf := make([]byte, 128<<10)
		for b.Loop() {
			for _, f := range []*os.File{ans, out} {
				for at := int64(0); ; {
					n, err := f.ReadAt(buf, at)
					if at += int64(n); err != nil {
						break
					}
				}
			}
		}
	})
}
