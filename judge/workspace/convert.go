package workspace

import (
	"bytes"
	"context"
	"os"
	"path/filepath"

	"assay/judge"
)

// converter is what makes an SVG picture of a PDF file: of the Poppler tools.
const converter = "pdftocairo"

// mostConverted is the most bytes of a picture that is made; what has more is linked.
const mostConverted = 512 << 10

// Converted says whether a picture is a PDF file that Convert can make an SVG picture of.
func Converted(all map[string]*StatementFile) bool {
	for _, f := range all {
		if f.Type == pdfType && converterPath() != "" {
			return true
		}
	}
	return false
}

// Convert puts an SVG picture in the place of each picture that is a PDF file, if the machine has
// pdftocairo. It runs in the sandbox: who wrote the file is not trusted. A file that it cannot
// read stays, and a page links it. The workspace must have been started.
func (w *Workspace) Convert(ctx context.Context, all map[string]*StatementFile) error {
	tool := converterPath()
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
		kind, width, height := pictureType(out.Bytes())
		if judge.Classify(x, limits) != judge.NotJudged || kind != "image/svg+xml" || out.Len() > mostConverted {
			continue
		}
		all[path] = &StatementFile{Name: f.Name + ".svg", Type: kind, Data: out.Bytes(), Width: width, Height: height, Made: true}
	}
	return nil
}

// converterPath is where pdftocairo is; "" where the machine has none.
func converterPath() string {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(dir, converter)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && filepath.IsAbs(path) {
			return path
		}
	}
	return ""
}
