package report_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"assay/judge/internal/golden"
	"assay/judge/report"
)

func statement(t testing.TB, markdown []byte, width int, colour bool) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := report.Statement(&b, markdown, width, colour); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestStatement(t *testing.T) {
	for _, file := range golden.Files(t, "testdata/statements/*.md") {
		name := strings.TrimSuffix(filepath.Base(file), ".md")
		t.Run(name, func(t *testing.T) {
			markdown, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			base := strings.TrimSuffix(file, ".md")
			golden.Check(t, base+".txt", statement(t, markdown, 0, false))
			golden.Check(t, base+".narrow.txt", statement(t, markdown, 44, false))
			golden.Check(t, base+".colour.txt", statement(t, markdown, 80, true))
			var page bytes.Buffer
			if err := report.StatementHTML(&page, name, markdown); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, base+".html", page.Bytes())
		})
	}
}

// FuzzStatement gives any bytes as a statement: nothing panics, and nothing but
// printable text leaves.
func FuzzStatement(f *testing.F) {
	for _, file := range golden.Files(f, "testdata/statements/*.md") {
		markdown, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(markdown)
	}
	f.Add([]byte("| a |\n|-|\n| b | c |\n"))
	f.Add([]byte(strings.Repeat("> - ", 100) + "deep"))
	f.Fuzz(func(t *testing.T, markdown []byte) {
		text := string(statement(t, markdown, 40, false))
		for i, r := range text {
			if r != '\n' && !strconv.IsPrint(r) {
				t.Fatalf("byte %d is %q", i, r)
			}
		}
		if !utf8.ValidString(text) {
			t.Fatal("no UTF-8")
		}
	})
}
