package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"image/gif"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"assay/judge"
	"assay/judge/internal/pictures"
	"assay/judge/problem"
)

// replacementTypes maps file extensions of pictures that LaTeX cannot show to those of their replacements. Package report
// uses the same names.
var replacementTypes = map[string]string{".svg": ".pdf", ".gif": ".png"}

// redraw replaces the copies of a statement's pictures that LaTeX cannot show. For example, board.svg becomes
// board-svg.pdf.
func (e *exporter) redraw(markdown []byte, statement, to string) error {
	for _, p := range pictures.Paths(markdown) {
		file, ok := problem.FindPicture(e.from.Dir, filepath.Dir(statement), p.Path)
		extension := strings.ToLower(filepath.Ext(file))
		name, err := filepath.Rel(filepath.Dir(statement), file)
		if !ok || replacementTypes[extension] == "" || err != nil || !filepath.IsLocal(name) {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return &judge.ProblemError{File: file, Text: problem.Reason(err)}
		}
		place := func(err error) error {
			f := &judge.ProblemError{File: statement, Line: p.Line,
				Text: fmt.Sprintf("the picture %s cannot be shown in LaTeX, as %s wants it", p.Path, e.formatName),
				Hint: "save it as a PNG or PDF file, or export to icpc-2025-09"}
			if why, ok := errors.AsType[*judge.ProblemError](err); ok {
				f.Text, f.Hint = f.Text+": "+why.Text, strings.TrimLeft(why.Hint+"\n"+f.Hint, "\n")
				return f
			}
			return err
		}
		switch {
		case extension == ".gif":
			data, err = asPNG(data)
		case e.options.PDF == nil:
			err = &judge.ProblemError{Text: "nothing here draws it"}
		default:
			data, err = e.options.PDF(data)
		}
		if err != nil {
			return place(err)
		}
		base := strings.TrimSuffix(name, filepath.Ext(name))
		if filepath.Ext(p.Path) != "" { // otherwise LaTeX finds the extension
			base += "-" + extension[1:]
		}
		base += replacementTypes[extension]
		if err := write(filepath.Join(to, base), data, 0o644); err != nil {
			return err
		}
		if err := os.Remove(filepath.Join(to, name)); err != nil && !errors.Is(err, fs.ErrNotExist) { // two languages may show it
			return err
		}
	}
	return nil
}

// asPNG returns the first picture of a GIF file as a PNG file.
func asPNG(data []byte) ([]byte, error) {
	picture, err := gif.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, &judge.ProblemError{Text: "it is not a GIF file: " + err.Error()}
	}
	var out bytes.Buffer
	err = png.Encode(&out, picture)
	return out.Bytes(), err
}
