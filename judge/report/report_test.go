package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"assay/judge"
	"assay/judge/internal/golden"
	"assay/judge/report"

	"github.com/google/go-cmp/cmp"
)

// TestJSON saves the recordings that the other tests read.
func TestJSON(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(recordings)) {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			r := report.JSON(&b)
			for _, e := range recordings[name] {
				r.Event(e)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, filepath.Join("testdata/recordings", name+".jsonl"), b.Bytes())
		})
	}
}

// eachRecording calls f with each saved stream.
func eachRecording(t *testing.T, f func(t *testing.T, name string, stream []byte)) {
	for _, file := range golden.Files(t, "testdata/recordings/*.jsonl") {
		name := filepath.Base(file[:len(file)-len(".jsonl")])
		t.Run(name, func(t *testing.T) {
			stream, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f(t, name, stream)
		})
	}
}

func drawTerminal(t testing.TB, stream []byte, o report.TerminalOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := report.Replay(bytes.NewReader(stream), report.Terminal(&b, o)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestTerminal(t *testing.T) {
	eachRecording(t, func(t *testing.T, name string, stream []byte) {
		golden.Check(t, "testdata/terminal/"+name+".txt", drawTerminal(t, stream, report.TerminalOptions{}))
		golden.Check(t, "testdata/terminal/"+name+".color.txt", drawTerminal(t, stream, report.TerminalOptions{Color: true, Width: 100}))
		golden.Check(t, "testdata/terminal/"+name+".narrow.txt", drawTerminal(t, stream, report.TerminalOptions{Width: 44}))
	})
}

// TestTerminalKeepsToItsWidth checks that no line is wider than the terminal, except lines with commands and file
// names, which users copy.
func TestTerminalKeepsToItsWidth(t *testing.T) {
	eachRecording(t, func(t *testing.T, name string, stream []byte) {
		for _, width := range []int{40, 44, 80, 132} {
			for line := range strings.Lines(string(drawTerminal(t, stream, report.TerminalOptions{Width: width}))) {
				line = strings.TrimSuffix(line, "\n")
				copied := strings.Contains(line, "  judge ") || strings.Contains(line, ": judge ") ||
					strings.Contains(line, " fault: ") || strings.Contains(line, " at edge/")
				if n := utf8.RuneCountInString(line); n > width && !copied {
					t.Errorf("at width %d, a line of %d: %q", width, n, line)
				}
			}
		}
	})
}

// TestTerminalIsPlain checks that, without color and progress, only plain text is written, whatever the contestant
// wrote.
func TestTerminalIsPlain(t *testing.T) {
	eachRecording(t, func(t *testing.T, name string, stream []byte) {
		for i, r := range string(drawTerminal(t, stream, report.TerminalOptions{})) {
			if r != '\n' && !strconv.IsPrint(r) {
				t.Fatalf("byte %d is %q", i, r)
			}
		}
	})
}

// colors matches escape sequences that change the look of text on a terminal.
var colors = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TestTerminalSaysNothingByColorAlone checks that the colored report without its colors equals the plain one.
func TestTerminalSaysNothingByColorAlone(t *testing.T) {
	eachRecording(t, func(t *testing.T, name string, stream []byte) {
		plain := drawTerminal(t, stream, report.TerminalOptions{})
		colored := drawTerminal(t, stream, report.TerminalOptions{Color: true})
		if bytes.Equal(plain, colored) {
			t.Error("there is no color")
		}
		if diff := cmp.Diff(string(plain), colors.ReplaceAllString(string(colored), "")); diff != "" {
			t.Errorf("plain - colored +:\n%s", diff)
		}
	})
}

// TestReplayDrawsWhatWasLive checks that replaying a saved stream gives the same report as was written during
// judging.
func TestReplayDrawsWhatWasLive(t *testing.T) {
	for name, events := range recordings {
		t.Run(name, func(t *testing.T) {
			o := report.TerminalOptions{Color: true}
			var live, saved bytes.Buffer
			r := report.Multi(report.Terminal(&live, o), report.JSON(&saved))
			for _, e := range events {
				r.Event(e)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(live.String(), string(drawTerminal(t, saved.Bytes(), o))); diff != "" {
				t.Errorf("live - replayed +:\n%s", diff)
			}
		})
	}
}

// screen returns the content of a terminal after bytes were written to it. It implements only what the progress
// line needs.
func screen(written string) string {
	var lines []string
	line := ""
	for i := 0; i < len(written); i++ {
		switch {
		case strings.HasPrefix(written[i:], "\r\x1b[K"):
			line = ""
			i += len("\r\x1b[K") - 1
		case written[i] == '\n':
			lines = append(lines, line)
			line = ""
		default:
			line += written[i : i+1]
		}
	}
	return strings.Join(append(lines, line), "\n")
}

// TestProgressLeavesNothingBehind checks that no progress line remains: after the report is closed, the terminal
// shows the text that would have been written to a pipe.
func TestProgressLeavesNothingBehind(t *testing.T) {
	for name, events := range recordings {
		t.Run(name, func(t *testing.T) {
			var live, pipe bytes.Buffer
			now := time.Unix(0, 0)
			clock := func() time.Time { now = now.Add(37 * time.Millisecond); return now }
			r := report.Multi(report.Terminal(&live, report.TerminalOptions{Live: true, Now: clock}), report.Terminal(
				&pipe, report.TerminalOptions{},
			))
			for _, e := range events {
				r.Event(e)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if _, whole := events[0].(*judge.AdequacyMeasured); live.Len() == pipe.Len() && !whole {
				t.Error("there was no progress")
			}
			if diff := cmp.Diff(pipe.String(), screen(live.String())); diff != "" {
				t.Errorf("pipe - terminal +:\n%s", diff)
			}
		})
	}
}

func TestProgress(t *testing.T) {
	var b bytes.Buffer
	now := time.Unix(0, 0)
	clock := func() time.Time { now = now.Add(time.Second); return now }
	r := report.Terminal(&b, report.TerminalOptions{Live: true, Now: clock})
	for _, e := range []judge.Event{
		started("a.py", "python3", 19, "sample"), &judge.Built{}, &judge.Progressed{Done: 7, Total: 19},
		good("sample", 2)[0],
	} {
		r.Event(e)
	}
	lines := strings.Split(screen(b.String()), "\n")
	want := "[#######.............] 7/19  AC 1  8 s"
	if got := lines[len(lines)-1]; got != want {
		t.Errorf("progress = %q, want %q", got, want)
	}
}

// TestNoProgressOfNoSolution checks that a run on several solutions shows no progress before the first solution
// starts.
func TestNoProgressOfNoSolution(t *testing.T) {
	var b bytes.Buffer
	r := report.Terminal(&b, report.TerminalOptions{Live: true, Now: time.Now})
	r.Event(submissionTable()[0])
	if strings.Contains(b.String(), "building") {
		t.Errorf("there is progress in %q", b.String())
	}
}

func TestReplayNamesTheLine(t *testing.T) {
	const head = `{"event":"started","format":1,"problem":"p","title":"","program":"a","language":"","time_limit_ms":0,` +
		`"memory_limit_bytes":0,"cases":0,"groups":null,"sandbox":""}` + "\n"
	for _, row := range []struct{ name, stream, want string }{
		{"refuses an empty stream", "", "the saved report is empty: it is made with --json"},
		{"refuses empty lines alone", "\n\n", "the saved report is empty: it is made with --json"},
		{"refuses what is not JSON", head + "verdict: AC\n", "line 2 of the saved report: not an event: "},
		{"refuses what has no kind", head + "\n" + `{"text":"rejudged"}`, `line 3 of the saved report: not an event: it has no member "event"`},
		{
			"refuses a newer format", `{"event":"started","format":2}`,
			"line 1 of the saved report: saved in format 2 by a newer judge; this one reads up to 1",
		},
		{"refuses a field of another type", head + `{"event":"case","verdict":7}`, `line 2 of the saved report: event "case": `},
		{"refuses a line without end", head + strings.Repeat("x", 17<<20), "line 2 of the saved report: bufio.Scanner: token too long"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var b bytes.Buffer
			err := report.Replay(strings.NewReader(row.stream), report.Terminal(&b, report.TerminalOptions{}))
			if err == nil || !strings.HasPrefix(err.Error(), row.want) {
				t.Errorf("Replay(%.60q) = %v, want %q", row.stream, err, row.want)
			}
			if strings.HasPrefix(row.stream, head) && !strings.HasPrefix(b.String(), "p\n") {
				t.Errorf("what came before the broken line is not drawn: %q", b.String())
			}
		})
	}
}

// TestALaterJudgesEvents checks that events of an unknown kind are passed on byte for byte, and that reports
// ignore them.
func TestALaterJudgesEvents(t *testing.T) {
	eachRecording(t, func(t *testing.T, name string, stream []byte) {
		const unknown = "{\"event\":\"rejudged\",  \"by\": {\"a\":[1]}}\n"
		with := func(stream []byte) []byte {
			lines := bytes.SplitAfter(stream, []byte("\n"))
			return bytes.Join(slices.Insert(lines, 1, []byte(unknown)), nil)
		}
		save := func(stream []byte) []byte {
			var saved bytes.Buffer
			if err := report.Replay(bytes.NewReader(stream), report.JSON(&saved)); err != nil {
				t.Fatal(err)
			}
			return saved.Bytes()
		}
		later := with(stream)
		if got, want := save(later), with(save(stream)); !bytes.Equal(got, want) {
			t.Errorf("saved again:\n%s", cmp.Diff(string(want), string(got)))
		}
		draw := map[string]func(*bytes.Buffer) report.Report{
			"terminal": func(b *bytes.Buffer) report.Report { return report.Terminal(b, report.TerminalOptions{}) },
			"HTML":     func(b *bytes.Buffer) report.Report { return report.HTML(b) },
			"JUnit":    func(b *bytes.Buffer) report.Report { return report.JUnit(b) },
		}
		for what, open := range draw {
			var with, without bytes.Buffer
			if err := errors.Join(report.Replay(bytes.NewReader(later), open(&with)), report.Replay(
				bytes.NewReader(stream), open(&without),
			)); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(with.Bytes(), without.Bytes()) {
				t.Errorf("%s is another:\n%s", what, cmp.Diff(without.String(), with.String()))
			}
		}
	})
}

// full is a writer to a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestCloseReturnsTheErrorOfWriting(t *testing.T) {
	for name, r := range map[string]report.Report{
		"terminal": report.Terminal(full{}, report.TerminalOptions{}),
		"json":     report.JSON(full{}),
	} {
		for _, e := range recordings["wrong_answer"] {
			r.Event(e)
		}
		if err := r.Close(); err == nil || !strings.Contains(err.Error(), "no space left on device") {
			t.Errorf("%s: Close() = %v, want the error of writing", name, err)
		}
	}
}

func TestUseColor(t *testing.T) {
	for _, row := range []struct {
		name     string
		mode     string
		terminal bool
		noColor  string
		want     bool
	}{
		{"colors a terminal", "auto", true, "", true},
		{"does not color a pipe", "auto", false, "", false},
		{"respects NO_COLOR", "auto", true, "1", false},
		{"colors a pipe on demand", "always", false, "1", true},
		{"does not color a terminal on demand", "never", true, "", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := report.UseColor(row.mode, row.terminal, row.noColor)
			if err != nil || got != row.want {
				t.Errorf("UseColor(%q, %v, %q) = %v, %v, want %v", row.mode, row.terminal, row.noColor, got, err, row.want)
			}
		})
	}
	if _, err := report.UseColor("sometimes", true, ""); err == nil {
		t.Error(`UseColor("sometimes") has no error`)
	}
}

func TestJUnit(t *testing.T) {
	eachRecording(t, func(t *testing.T, name string, stream []byte) {
		var b bytes.Buffer
		if err := report.Replay(bytes.NewReader(stream), report.JUnit(&b)); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "testdata/junit/"+name+".xml", b.Bytes())
		for decoder := xml.NewDecoder(&b); ; {
			if _, err := decoder.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("it is not XML: %v", err)
			}
		}
	})
}
