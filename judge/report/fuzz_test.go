package report_test

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"assay/judge/internal/golden"
	"assay/judge/report"
)

// FuzzReplay replays a stream of the first event and one fuzzed line. No report may panic, only printable text may
// reach the terminal, and two replays must be equal. The line is short, because the fuzzer takes long to minimize
// long texts.
func FuzzReplay(f *testing.F) {
	var streams []string
	seen := map[string]bool{} // lines that differ only in numbers are redundant
	for _, file := range golden.Files(f, "testdata/recordings/*.jsonl") {
		stream, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		first, rest, _ := strings.Cut(string(stream), "\n")
		for line := range strings.Lines(rest) {
			kind := lineNumberWidth.ReplaceAllString(line, "")
			if !seen[kind] && len(line) < 2000 {
				f.Add(len(streams), len(first)+10, 0, "")
				streams = append(streams, first+"\n"+line)
			}
			seen[kind] = true
		}
	}
	f.Fuzz(func(t *testing.T, which, at, without int, put string) {
		if len(put) > 24 {
			return
		}
		stream := golden.Splice(streams[uint(which)%uint(len(streams))], at, without, put)
		draw := func(others ...report.Report) (string, error) {
			var b bytes.Buffer
			err := report.Replay(strings.NewReader(stream), append(others, report.Terminal(&b, report.TerminalOptions{Width: 50}))...)
			return b.String(), err
		}
		once, err := draw(report.HTML(io.Discard), report.JUnit(io.Discard), report.JSON(io.Discard))
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

var lineNumberWidth = regexp.MustCompile(`[0-9]+`)
