package pictures

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"io"
	"path"
	"slices"
	"strings"

	"assay/judge/internal/pattern"
)

// formats maps media types to the names of formats and their file extensions.
var formats = map[string]struct {
	name       string
	extensions []string
}{
	"image/png":              {"PNG", []string{".png"}},
	"image/jpeg":             {"JPEG", []string{".jpg", ".jpeg", ".jpe", ".jfif"}},
	"image/gif":              {"GIF", []string{".gif"}},
	"image/svg+xml":          {"SVG", []string{".svg"}},
	"application/pdf":        {"PDF", []string{".pdf"}},
	"application/postscript": {"EPS", []string{".eps", ".ps"}},
}

// Check returns why a picture cannot be shown, as the end of a sentence such as "is empty". It returns an empty
// string if the picture can be shown.
func Check(data []byte) string {
	kind, width, height := Type(data)
	err := error(nil)
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return "is empty"
	case kind == "":
		if _, _, err = image.DecodeConfig(bytes.NewReader(data)); errors.Is(err, image.ErrFormat) {
			return "is not a PNG, JPEG, GIF, SVG, PDF or EPS file"
		}
	case kind == "image/svg+xml":
		err = checkSVG(data)
	case kind == "application/pdf":
		if !bytes.Contains(data[max(0, len(data)-pdfEnd):], []byte("%%EOF")) {
			err = errors.New("the end of the PDF file is missing")
		}
	case kind == "application/postscript":
	case width <= maxPixels/max(height, 1): // larger ones would need too much memory
		if _, _, err = image.Decode(bytes.NewReader(data)); err == nil && kind == "image/gif" {
			err = checkGIF(data)
		}
	}
	if err != nil {
		return "cannot be read: " + strings.ReplaceAll(err.Error(), "\n", " ")
	}
	return ""
}

// maxPixels is the maximum size of a picture that is decoded, in pixels.
const maxPixels = 1 << 25

// pdfEnd is the size in bytes of the last part of a PDF file, which must contain the end marker. Some programs
// write data after the marker.
const pdfEnd = 4 << 10

// FormatMismatch returns the name of a picture's format and its usual file extension if the extension of file is for
// another format. It returns empty strings if the extension fits or file has none.
func FormatMismatch(file string, data []byte) (format, extension string) {
	kind, _, _ := Type(data)
	f := formats[kind]
	if e := strings.ToLower(path.Ext(file)); e == "" || len(f.extensions) == 0 || slices.Contains(f.extensions, e) {
		return "", ""
	}
	return f.name, f.extensions[0]
}

// checkGIF returns an error if a GIF file ends early, perhaps in a later picture of an animation.
func checkGIF(data []byte) error {
	r := bytes.NewReader(data)
	skip := func(n int64) { _, _ = r.Seek(n, io.SeekCurrent) } // after the end, the next read fails
	colors := func(flags byte) {
		if flags&0x80 != 0 {
			skip(3 << (flags&7 + 1))
		}
	}
	next := func() byte { // returns 0 after the end
		b, _ := r.ReadByte()
		return b
	}
	skip(10)
	flags := next()
	skip(2)
	colors(flags)
	for {
		switch block := next(); block {
		case 0x3b:
			return nil
		case 0x21, 0x2c:
			skip(1) // label of an extension
			if block == 0x2c {
				skip(7)
				colors(next())
				skip(1)
			}
			for n := next(); n > 0; n = next() {
				skip(int64(n))
			}
		default:
			return io.ErrUnexpectedEOF
		}
	}
}

const (
	svgSpace = "http://www.w3.org/2000/svg"
	xmlSpace = "http://www.w3.org/XML/1998/namespace"
)

// entities matches the entities defined in the head of an XML file.
var entities = pattern.New(`<!ENTITY\s+(\S+)\s+(?:"([^"]*)"|'([^']*)')`)

// checkSVG returns an error if browsers would not render an SVG picture, because it is not well-formed or not in
// the SVG namespace.
func checkSVG(data []byte) error {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Entity = map[string]string{}
	d.CharsetReader = singleBytes
	spaces, depth, roots := map[string]bool{"": true, "xmlns": true, xmlSpace: true}, 0, 0
	for {
		t, err := d.Token()
		switch {
		case err == io.EOF && roots == 0:
			return errors.New("the file has no element svg")
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		switch t := t.(type) {
		case xml.ProcInst:
			if t.Target == "xml" && !bytes.HasPrefix(data, []byte("<?xml")) {
				return errors.New("something stands before <?xml")
			}
		case xml.Directive:
			for _, e := range entities().FindAllSubmatch(t, -1) {
				d.Entity[string(e[1])] = string(e[2]) + string(e[3])
			}
		case xml.CharData:
			if depth == 0 && len(bytes.TrimSpace(t)) > 0 {
				return errors.New("there is text outside of the element svg")
			}
		case xml.StartElement:
			for _, a := range t.Attr {
				if a.Name.Space == "xmlns" || a.Name.Space == "" && a.Name.Local == "xmlns" {
					spaces[a.Value] = true
				}
			}
			if depth == 0 {
				if roots++; roots > 1 {
					return errors.New("there is an element after </svg>")
				}
				if t.Name.Local != "svg" || t.Name.Space != svgSpace {
					return fmt.Errorf("the first element is not <svg xmlns=%q>", svgSpace)
				}
			}
			for _, name := range append([]xml.Name{t.Name}, names(t.Attr)...) {
				if !spaces[name.Space] {
					return fmt.Errorf("the prefix of %s:%s is not declared", name.Space, name.Local)
				}
			}
			depth++
		case xml.EndElement:
			depth--
		}
	}
}

func names(all []xml.Attr) (names []xml.Name) {
	for _, a := range all {
		names = append(names, a.Name)
	}
	return names
}

// singleBytes decodes a text in an encoding other than UTF-8 as if each byte were one character. Names and markup
// of XML are ASCII in these encodings.
func singleBytes(_ string, in io.Reader) (io.Reader, error) {
	data, err := io.ReadAll(in)
	runes := make([]rune, len(data))
	for i, b := range data {
		runes[i] = rune(b)
	}
	return strings.NewReader(string(runes)), err
}
