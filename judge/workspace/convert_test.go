package workspace_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/workspace"
)

// page is a PDF file that contains a square.
const page = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R>>endobj
4 0 obj<</Length 20>>stream
10 10 50 50 re f
endstream endobj
trailer<</Root 1 0 R>>
%%EOF
`

// drawing is an EPS file that contains a triangle, and prints a word.
const drawing = `%!PS-Adobe-3.0 EPSF-3.0
%%BoundingBox: 100 100 130 115
%%EndComments
100 100 moveto 130 100 lineto 115 115 lineto closepath fill
(hello) print flush showpage
%%EOF
`

func TestConvert(t *testing.T) {
	c, _ := contest(t, "-- judge.toml --\n")
	files := func() map[string]*workspace.StatementFile {
		return map[string]*workspace.StatementFile{
			"a.pdf": {Name: "a.pdf", Type: "application/pdf", Data: []byte(page)},
			"b.pdf": {Name: "b.pdf", Type: "application/pdf", Data: []byte("%PDF-1.4 and no more")},
			"large.pdf": {Name: "large.pdf", Type: "application/pdf",
				Data: []byte(strings.Replace(page, "10 10 50 50 re f", strings.Repeat("10 10 50 50 re f\n", 8000), 1))},
			"c.png": {Name: "c.png", Type: "image/png", Data: []byte("x")},
			"d.eps": {Name: "d.eps", Type: "application/postscript", Data: []byte("%!PS\nbroken")},
			"e.eps": {Name: "e.eps", Type: "application/postscript", Data: []byte(drawing)},
			"f.eps": {Name: "f.eps", Type: "application/postscript", Data: []byte("\x04" + strings.NewReplacer(
				": 100 100 130 115", ": (atend)", "%%EOF", "%%Trailer\n%%BoundingBox: 100 100 130 115").Replace(drawing))},
		}
	}
	_, noGhostscript := exec.LookPath("gs")
	hasGhostscript := noGhostscript == nil
	all := files()
	if _, err := exec.LookPath("pdftocairo"); err != nil {
		if err := c.ConvertPictures(t.Context(), all); err != nil || all["a.pdf"].Converted || workspace.NeedsConversion(all) {
			t.Errorf("without pdftocairo a.pdf is %+v, %v", all["a.pdf"], err)
		}
		t.Skip("no pdftocairo: apt-get install poppler-utils")
	}
	if !workspace.NeedsConversion(all) {
		t.Error("nothing is to be converted")
	}
	if err := c.ConvertPictures(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	if a := all["a.pdf"]; !a.Converted || a.Name != "a.pdf.svg" || a.Type != "image/svg+xml" ||
		a.Width != 267 || a.Height != 133 || !bytes.Contains(a.Data, []byte("<svg")) {
		t.Errorf("a.pdf becomes %+v", a)
	}
	for _, name := range []string{"e.eps", "f.eps"} {
		if e := all[name]; hasGhostscript &&
			(!e.Converted || e.Name != name+".svg" || e.Type != "image/svg+xml" || e.Width != 40 || e.Height != 20) {
			t.Errorf("%s becomes %+v", name, e)
		}
	}
	for name, was := range files() {
		converted := name == "a.pdf" || (name == "e.eps" || name == "f.eps") && hasGhostscript
		if is := all[name]; !converted && (is.Name != was.Name || is.Converted || !bytes.Equal(is.Data, was.Data)) {
			t.Errorf("%s becomes %+v", name, is)
		}
	}
	for name, want := range map[string]bool{"a.pdf": true, "c.png": false, "e.eps": hasGhostscript} {
		if got := workspace.NeedsConversion(map[string]*workspace.StatementFile{name: files()[name]}); got != want {
			t.Errorf("%s is to be converted: %t", name, got)
		}
	}
	only := t.TempDir() // has pdftocairo, but not Ghostscript
	if tool, err := exec.LookPath("pdftocairo"); err != nil || os.Symlink(tool, filepath.Join(only, "pdftocairo")) != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", only)
	if workspace.NeedsConversion(map[string]*workspace.StatementFile{"e.eps": files()["e.eps"]}) {
		t.Error("e.eps is to be converted without Ghostscript")
	}
	t.Setenv("PATH", strings.Repeat("relative:", 3))
	all = files()
	if err := c.ConvertPictures(t.Context(), all); err != nil || all["a.pdf"].Converted || workspace.NeedsConversion(all) {
		t.Errorf("without pdftocairo a.pdf is %+v, %v", all["a.pdf"], err)
	}
}

func TestDrawPDF(t *testing.T) {
	c, _ := contest(t, "-- judge.toml --\n")
	if _, err := exec.LookPath("rsvg-convert"); err == nil {
		drawn, err := c.ConvertSVG(
			t.Context(),
			[]byte(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="5" height="5"/></svg>`),
		)
		if err != nil || !bytes.HasPrefix(drawn, []byte("%PDF-")) {
			t.Errorf("it draws %.20q, %v", drawn, err)
		}
		if _, err = c.ConvertSVG(t.Context(), []byte("no picture")); judge.BlameOf(err) != judge.Setter {
			t.Errorf("what is no picture is drawn: %v", err)
		}
	}
	t.Setenv("PATH", strings.Repeat("relative:", 3))
	_, err := c.ConvertSVG(t.Context(), []byte("<svg/>"))
	if judge.BlameOf(err) != judge.Setter || !strings.Contains(err.Error(), "apt-get install librsvg2-bin") {
		t.Errorf("without rsvg-convert: %v", err)
	}
}
