package workspace

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"

	"assay/judge"
	"assay/judge/internal/pattern"
	"assay/judge/internal/pictures"
	"assay/judge/internal/tail"
)

// The programs that convert pictures. pdfConverter, one of the Poppler tools, makes SVG from PDF. epsConverter, which is
// Ghostscript, makes PDF from EPS. svgConverter makes PDF from SVG.
const (
	pdfConverter = "pdftocairo"
	epsConverter = "gs"
	svgConverter = "rsvg-convert"
)

// maxConverted is the maximum size in bytes of a picture that ConvertPictures makes. For a larger one, pages link the
// original file.
const maxConverted = 512 << 10

// canConvert reports whether the machine has the programs that convert pictures of a type to SVG.
func canConvert(kind string) bool {
	return (kind == pdfType || kind == epsType && toolPath(epsConverter) != "") && toolPath(pdfConverter) != ""
}

// NeedsConversion reports whether any picture is a PDF or EPS file that ConvertPictures can convert to SVG.
func NeedsConversion(all map[string]*StatementFile) bool {
	for _, f := range all {
		if canConvert(f.Type) {
			return true
		}
	}
	return false
}

// ConvertPictures replaces each picture that is a PDF or EPS file with an SVG picture, if the machine has pdftocairo, and
// for EPS also Ghostscript. If these cannot read a file, the file stays, and pages link it. The workspace must have been
// started.
func (w *Workspace) ConvertPictures(ctx context.Context, all map[string]*StatementFile) error {
	for path, f := range all {
		if !canConvert(f.Type) {
			continue
		}
		out, fault, err := f.Data, (*judge.ProblemError)(nil), error(nil)
		if f.Type == epsType {
			out, fault, err = w.convert(ctx, cropped(out), pdfType, epsConverter, "-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-dEPSCrop",
				"-sDEVICE=pdfwrite", "-sOutputFile=%stdout", "-sstdout=%stderr", "-")
		}
		if err == nil && fault == nil {
			out, fault, err = w.convert(ctx, out, svgType, pdfConverter, "-svg", "-", "-")
		}
		if err != nil {
			return err
		}
		if fault != nil || len(out) > maxConverted {
			continue
		}
		_, width, height := pictures.Type(out)
		all[path] = &StatementFile{Name: f.Name + ".svg", Type: svgType, Data: out, Width: width, Height: height, Converted: true}
	}
	return nil
}

// cropped returns an EPS file in a form whose size Ghostscript knows: without the character that programs on Windows write before
// it, and with a bounding box at its beginning if it is at its end.
func cropped(eps []byte) []byte {
	eps = bytes.TrimPrefix(eps, []byte("\x04"))
	boxes := boundingBox().FindAll(eps, -1)
	if len(boxes) == 0 || !bytes.HasPrefix(eps, []byte("%!")) {
		return eps
	}
	return boxAtEnd().ReplaceAllLiteral(eps, boxes[len(boxes)-1])
}

var (
	boundingBox = pattern.New(`%%BoundingBox:[ \t]*-?[0-9][^\r\n]*`)
	boxAtEnd    = pattern.New(`%%BoundingBox:[ \t]*\(atend\)`)
)

// ConvertSVG converts an SVG picture to a PDF file. If the machine does not have rsvg-convert, or it cannot read the
// picture, the error is a *judge.ProblemError without a file. The workspace must have been started.
func (w *Workspace) ConvertSVG(ctx context.Context, svg []byte) ([]byte, error) {
	if toolPath(svgConverter) == "" {
		return nil, &judge.ProblemError{Text: "rsvg-convert is not installed",
			Hint: "install it: apt-get install librsvg2-bin (Debian, Ubuntu), brew install librsvg (macOS)"}
	}
	out, fault, err := w.convert(ctx, svg, pdfType, svgConverter, "-f", "pdf")
	if err == nil && fault != nil {
		err = fault
	}
	return out, err
}

// convert runs a program that converts the picture data to the type kind, in the sandbox, because pictures are untrusted.
// The fault says that the program cannot read the picture.
func (w *Workspace) convert(
	ctx context.Context, data []byte, kind, tool string, arguments ...string,
) (converted []byte, fault *judge.ProblemError, err error) {
	var out bytes.Buffer
	var stderr tail.Buffer
	limits := w.Config.Setter
	program := judge.Program{Argv: append([]string{toolPath(tool)}, arguments...)}
	c := program.Command(limits)
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(data), &out, &stderr
	x, err := w.Sandbox.Run(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	if made, _, _ := pictures.Type(out.Bytes()); judge.Classify(x, limits) != judge.NotJudged || made != kind {
		return nil, &judge.ProblemError{
			Text: tool + " cannot draw it (" + x.Termination() + ")",
			Hint: strings.TrimSpace(string(stderr.Bytes())),
		}, nil
	}
	return out.Bytes(), nil, nil
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
