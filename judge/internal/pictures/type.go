package pictures

import (
	"bytes"
	"image"
	_ "image/gif" // to detect the size of GIF pictures
	_ "image/jpeg"
	_ "image/png"
	"math"
	"strconv"
	"strings"

	tags "golang.org/x/net/html"
)

// Type returns the MIME type of a picture, a PDF or a PostScript file, and the size of a picture in pixels. The
// size is zero if unknown. The type is empty if the data has another format. Programs on Windows write an end-of-transmission
// character, or a header with a preview, before PostScript.
func Type(data []byte) (kind string, width, height int) {
	if c, format, err := image.DecodeConfig(bytes.NewReader(data)); err == nil {
		return "image/" + format, c.Width, c.Height
	}
	head := data[:min(len(data), maxHead)]
	switch {
	case bytes.HasPrefix(head, []byte("%PDF-")):
		return "application/pdf", 0, 0
	case bytes.HasPrefix(bytes.TrimPrefix(head, []byte("\x04")), []byte("%!")) || bytes.HasPrefix(head, []byte("\xc5\xd0\xd3\xc6")):
		return "application/postscript", 0, 0
	}
	z := tags.NewTokenizer(bytes.NewReader(head))
	for {
		switch z.Next() {
		case tags.ErrorToken:
			return "", 0, 0
		case tags.StartTagToken, tags.SelfClosingTagToken:
			t := z.Token()
			if t.Data != "svg" && !strings.HasSuffix(t.Data, ":svg") {
				return "", 0, 0
			}
			width, height = pixels(Attribute(t.Attr, "width")), pixels(Attribute(t.Attr, "height"))
			if box := strings.FieldsFunc(
				Attribute(t.Attr, "viewbox"), func(r rune) bool { return r == ' ' || r == ',' },
			); len(box) == 4 && (width == 0 || height == 0) {
				w, _ := strconv.ParseFloat(box[2], 64)
				h, _ := strconv.ParseFloat(box[3], 64)
				width, height = int(min(max(w, 0), 1<<20)), int(min(max(h, 0), 1<<20))
			}
			return "image/svg+xml", width, height
		}
	}
}

// maxHead is the maximum offset of the first element of an SVG picture, after comments and entities.
const maxHead = 64 << 10

// perUnit maps CSS units to their size in pixels.
var perUnit = map[string]float64{"": 1, "px": 1, "pt": 96.0 / 72, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4}

// pixels converts a length in an SVG picture to pixels. It returns 0 if the length is relative.
func pixels(length string) int {
	number := strings.TrimRight(strings.TrimSpace(length), "abcdefghijklmnopqrstuvwxyz%")
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0
	}
	return int(math.Round(min(max(n*perUnit[strings.TrimSpace(length)[len(number):]], 0), 1<<20)))
}
