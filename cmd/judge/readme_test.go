package main

import (
	"assay/cmd/internal/cli"

	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestReadme runs the commands in README.md, and compares their output with the output shown there. Times, memory,
// and whether the program was already built may differ.
func TestReadme(t *testing.T) {
	t.Chdir("../..")
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)```\n\\$ judge ([^\n]*)\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(shown) < 2 {
		t.Fatalf("README.md shows %d commands with their output", len(shown))
	}
	for _, m := range shown {
		t.Run(m[1], func(t *testing.T) {
			var out, errs bytes.Buffer
			c := &console{in: strings.NewReader(""), out: &out, err: &errs}
			code := run(t.Context(), strings.Fields(m[1]), c)
			if code != cli.ExitAccepted && code != cli.ExitNotAccepted {
				t.Fatalf("exit code %d\n%s", code, &errs)
			}
			if got, want := steady(out.String()), steady(m[2]); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
	first := "go run ./cmd/judge " + shown[0][1]
	if !strings.Contains(string(text), "\n    "+first+"\n") {
		t.Errorf("README.md does not show how to run %q", first)
	}
}

// steady removes the parts of a report that differ from run to run.
func steady(report string) string {
	for _, part := range []struct{ pattern, to string }{
		{`(?m)^(built .*|note: .*|      start a contest.*)\n`, ""},
		{`(?m)^    time .*(\n +at .*)?`, "    time"}, // a slow machine may show another case with a longer name
		{`[0-9.]+ (s|KiB|MiB)\b`, "N $1"},
		{`N KiB`, "N MiB"},
		{`N s, N MiB`, "N s"}, // a short run may report no memory
	} {
		report = regexp.MustCompile(part.pattern).ReplaceAllString(report, part.to)
	}
	return strings.TrimSpace(report)
}
