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

// converter converts a PDF file to SVG. It is one of the Poppler tools.
const converter = "pdftocairo"

// mostConverted is the maximum size in bytes of a picture that Convert makes. For a larger one, pages link the PDF
// file.
const mostConverted = 512 << 10

// Converted reports whether any picture is a PDF file that Convert can convert to SVG.
func Converted(all map[string]*StatementFile) bool {
	for _, f := range all {
		if f.Type == pdfType && toolPath(converter) != "" {
			return true
		}
	}
	return false
}

// Convert replaces each picture that is a PDF file with an SVG picture, if the machine has pdftocairo. The tool
// runs in the sandbox, because the file is untrusted. If it cannot read a file, the file stays, and pages link it.
// The workspace must have been started.
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

// drawer converts an SVG picture to a PDF file.
const drawer = "rsvg-convert"

// DrawPDF converts an SVG picture to a PDF file, with rsvg-convert in the sandbox. If the machine does not have
// rsvg-convert, or it cannot read the picture, the error is a *judge.Fault without a file. The workspace must have
// been started.
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

// toolPath returns the path of a program, or the empty string if the machine does not have it.
func toolPath(name string) string {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && filepath.IsAbs(path) {
			return path
		}
	}
	return ""
}
