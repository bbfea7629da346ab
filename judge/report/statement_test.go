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

func statement(t testing.TB, markdown []byte, width int, color bool) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := report.Statement(&b, markdown, width, color, nil); err != nil {
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
			golden.Check(t, base+".color.txt", statement(t, markdown, 80, true))
			var page bytes.Buffer
			if err := report.StatementHTML(&page, name, "en", markdown, nil, ""); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, base+".html", page.Bytes())
		})
	}
}

// TestStatementLanguage checks that the page declares its language for browsers and screen readers.
func TestStatementLanguage(t *testing.T) {
	var page bytes.Buffer
	if err := report.StatementHTML(&page, "Summe", "de", []byte("Addiere."), nil, ""); err != nil ||
		!strings.Contains(page.String(), `<html lang="de">`) {
		t.Errorf("%v\n%.200s", err, page.String())
	}
}

// FuzzStatement checks that arbitrary statements cause no panic, and that only printable text is written. Texts
// are short, because the fuzzer takes long to minimize long ones.
func FuzzStatement(f *testing.F) {
	const most = 90
	for _, file := range golden.Files(f, "testdata/statements/*.md") {
		markdown, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, block := range bytes.Split(markdown, []byte("\n\n")) {
			if len(block) <= most {
				f.Add(block)
			}
		}
	}
	f.Add([]byte("| a |\n|-|\n| b | c |\n"))
	f.Add([]byte(strings.Repeat(">", most)))
	f.Fuzz(func(t *testing.T, markdown []byte) {
		if len(markdown) > most {
			return
		}
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

// TestDocumentHTML checks that a statement in HTML needs no scripts and no other files: its formulas are drawn, its pictures
// embedded, and its text is UTF-8.
func TestDocumentHTML(t *testing.T) {
	page := report.DocumentHTML(
		[]byte("<meta charset=latin1><p>Gr\xf6\xdfe \\(n\\) and $m$. <code>$k$</code><img src=\"a.png\"><img src=\"b.pdf\"><img src=\"c.png\">"),
		func(path string) *report.Picture {
			return map[string]*report.Picture{
				"a.png": {URL: report.DataURL("image/png", []byte("x"))},
				"b.pdf": {URL: "data:,", Linked: true},
			}[path]
		})
	want := `<meta charset=latin1><p>Größe <math><mi>n</mi></math> and <math><mi>m</mi></math>. <code>$k$</code>` +
		`<img src="data:image/png;base64,eA=="><img src="b.pdf"><img src="c.png">`
	if string(page) != want {
		t.Errorf("the page is\n%s\nwant\n%s", page, want)
	}
}
