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

// pdfConverter converts a PDF file to SVG. It is one of the Poppler tools.
const pdfConverter = "pdftocairo"

// maxConverted is the maximum size in bytes of a picture that ConvertPictures makes. For a larger one, pages link the PDF
// file.
const maxConverted = 512 << 10

// NeedsConversion reports whether any picture is a PDF file that ConvertPictures can convert to SVG.
func NeedsConversion(all map[string]*StatementFile) bool {
	for _, f := range all {
		if f.Type == pdfType && toolPath(pdfConverter) != "" {
			return true
		}
	}
	return false
}

// ConvertPictures replaces each picture that is a PDF file with an SVG picture, if the machine has pdftocairo. The tool
// runs in the sandbox, because the file is untrusted. If it cannot read a file, the file stays, and pages link it.
// The workspace must have been started.
func (w *Workspace) ConvertPictures(ctx context.Context, all map[string]*StatementFile) error {
	tool := toolPath(pdfConverter)
	for path, f := range all {
		if f.Type != pdfType || tool == "" {
			continue
		}
		var out bytes.Buffer
		limits := w.Config.Setter
		program := judge.Program{Argv: []string{tool, "-svg", "-", "-"}}
		c := program.Command(limits)
		c.Stdin, c.Stdout = bytes.NewReader(f.Data), &out
		x, err := w.Sandbox.Run(ctx, c)
		if err != nil {
			return err
		}
		kind, width, height := pictures.Type(out.Bytes())
		if judge.Classify(x, limits) != judge.NotJudged || kind != "image/svg+xml" || out.Len() > maxConverted {
			continue
		}
		all[path] = &StatementFile{Name: f.Name + ".svg", Type: kind, Data: out.Bytes(), Width: width, Height: height, Converted: true}
	}
	return nil
}

// svgConverter converts an SVG picture to a PDF file.
const svgConverter = "rsvg-convert"

// ConvertSVG converts an SVG picture to a PDF file, with rsvg-convert in the sandbox. If the machine does not have
// rsvg-convert, or it cannot read the picture, the error is a *judge.ProblemError without a file. The workspace must have
// been started.
func (w *Workspace) ConvertSVG(ctx context.Context, svg []byte) ([]byte, error) {
	tool := toolPath(svgConverter)
	if tool == "" {
		return nil, &judge.ProblemError{Text: "rsvg-convert is not installed",
			Hint: "install it: apt-get install librsvg2-bin (Debian, Ubuntu), brew install librsvg (macOS)"}
	}
	var out bytes.Buffer
	var stderr tail.Buffer
	limits := w.Config.Setter
	program := judge.Program{Argv: []string{tool, "-f", "pdf"}}
	c := program.Command(limits)
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(svg), &out, &stderr
	x, err := w.Sandbox.Run(ctx, c)
	if err != nil {
		return nil, err
	}
	if kind, _, _ := pictures.Type(out.Bytes()); judge.Classify(x, limits) != judge.NotJudged || kind != pdfType {
		return nil, &judge.ProblemError{
			Text: "rsvg-convert cannot draw it (" + x.Termination() + ")",
			Hint: strings.TrimSpace(string(stderr.Bytes())),
		}
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
