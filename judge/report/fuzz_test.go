package report_test

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"testing"

	"assay/judge/internal/golden"
	"assay/judge/report"
)

// FuzzReplay gives any bytes to Replay: no report panics, nothing but printable
// text reaches the terminal, and two times is the same.
func FuzzReplay(f *testing.F) {
	for _, file := range golden.Files(f, "testdata/recordings/*.jsonl") {
		stream, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(stream)
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		draw := func() (string, error) {
			var b bytes.Buffer
			err := report.Replay(bytes.NewReader(stream), report.Terminal(&b, report.TerminalOptions{Width: 50}),
				report.HTML(io.Discard), report.JUnit(io.Discard), report.JSON(io.Discard))
			return b.String(), err
		}
		once, err := draw()
		for i, r := range once {
			if r != '\n' && !strconv.IsPrint(r) {
				t.Fatalf("byte %d is %q", i, r)
			}
		}
		twice, again := draw()
		if once != twice || (err == nil) != (again == nil) {
			t.Fatalf("drawn twice:\n%s\n%s\nerrors %v and %v", once, twice, err, again)
		}
	})
}
