package workspace

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"

	"assay/judge"
	"assay/judge/internal/pictures"
	"assay/judge/internal/tail"
)

// converter is what makes an SVG picture of a PDF file: of the Poppler tools.
const converter = "pdftocairo"

// mostConverted is the most bytes of a picture that is made; what has more is linked.
const mostConverted = 512 << 10

// Converted says whether a picture is a PDF file that Convert can make an SVG picture of.
func Converted(all map[string]*StatementFile) bool {
	for _, f := range all {
		if f.Type == pdfType && toolPath(converter) != "" {
			return true
		}
	}
	return false
}

// Convert puts an SVG picture in the place of each picture that is a PDF file, if the machine has
// pdftocairo. It runs in the sandbox: who wrote the file is not trusted. A file that it cannot
// read stays, and a page links it. The workspace must have been started.
func (w *Workspace) Convert(ctx context.Context, all map[string]*StatementFile) error {
	tool := toolPath(converter)
	for path, f := range all {
		if f.Type != pdfType || tool == "" {
			continue
		}
		var out bytes.Buffer
		limits := w.Config.Setter
		program := judge.Program{Argv: []string{tool, "-svg", "-", "-"}}
		c := program.Command(limits)
		c.Stdin, c.Stdout = bytes.NewReader(f.Data), &out
		x, err := w.Box.Run(ctx, c)
		if err != nil {
			return err
		}
		kind, width, height := pictures.Type(out.Bytes())
		if judge.Classify(x, limits) != judge.NotJudged || kind != "image/svg+xml" || out.Len() > mostConverted {
			continue
		}
		all[path] = &StatementFile{Name: f.Name + ".svg", Type: kind, Data: out.Bytes(), Width: width, Height: height, Made: true}
	}
	return nil
}

// drawer is what makes a PDF file of an SVG picture.
const drawer = "rsvg-convert"

// DrawPDF draws an SVG picture as a PDF file, with rsvg-convert in the sandbox. The error is a
// *judge.Fault without a file if the machine does not have that program, or if the program cannot
// read the picture. The workspace must have been started.
func (w *Workspace) DrawPDF(ctx context.Context, svg []byte) ([]byte, error) {
	tool := toolPath(drawer)
	if tool == "" {
		return nil, &judge.Fault{Text: "rsvg-convert is not installed",
			Hint: "install it: apt-get install librsvg2-bin (Debian, Ubuntu), brew install librsvg (macOS)"}
	}
	var out bytes.Buffer
	var stderr tail.Buffer
	limits := w.Config.Setter
	program := judge.Program{Argv: []string{tool, "-f", "pdf"}}
	c := program.Command(limits)
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(svg), &out, &stderr
	x, err := w.Box.Run(ctx, c)
	if err != nil {
		return nil, err
	}
	if kind, _, _ := pictures.Type(out.Bytes()); judge.Classify(x, limits) != judge.NotJudged || kind != pdfType {
		return nil, &judge.Fault{Text: "rsvg-convert cannot draw it (" + x.Fate() + ")", Hint: strings.TrimSpace(string(stderr.Bytes()))}
	}
	return out.Bytes(), nil
}

// toolPath is where a program is; "" if the machine does not have it.
func toolPath(name string) string {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && filepath.IsAbs(path) {
			return path
		}
	}
	return ""
}
