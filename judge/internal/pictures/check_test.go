package pictures_test

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"assay/judge/internal/pictures"
)

// drawn returns a small encoded picture.
func drawn(t testing.TB, format string) string {
	t.Helper()
	m := image.NewPaletted(image.Rect(0, 0, 40, 30), color.Palette{color.Black, color.White})
	for i := range m.Pix {
		m.Pix[i] = byte(i * i % 7 % 2)
	}
	var out bytes.Buffer
	var err error
	switch format {
	case "png":
		err = png.Encode(&out, m)
	case "jpeg":
		err = jpeg.Encode(&out, m, nil)
	case "gif":
		err = gif.EncodeAll(&out, &gif.GIF{Image: []*image.Paletted{m, m}, Delay: []int{1, 1}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestCheck(t *testing.T) {
	const (
		svg   = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">`
		other = "is not a PNG, JPEG, GIF, SVG, PDF or EPS file"
		read  = "cannot be read: "
	)
	cut := func(s string, n int) string { return s[:len(s)-n] }
	for _, row := range []struct{ it, data, want string }{
		{"takes a PNG", drawn(t, "png"), ""},
		{"takes a JPEG", drawn(t, "jpeg"), ""},
		{"takes an animation", drawn(t, "gif"), ""},
		{"takes an SVG", svg + "<g/></svg>\n", ""},
		{"takes an SVG with a head", "\ufeff<?xml version='1.0'?>\n<!-- by hand -->\n<!DOCTYPE svg>" + svg + "</svg>", ""},
		{"takes an SVG in Latin-1", "<?xml version='1.0' encoding='ISO-8859-1'?>" + svg + "<text>\xe9</text></svg>", ""},
		{"takes an SVG with links", `<svg:svg xmlns:svg="http://www.w3.org/2000/svg" xmlns:x="urn:x" xml:space="preserve" x:href="#a"/>`, ""},
		{"takes the entities of an SVG", `<!DOCTYPE svg [<!ENTITY ns "http://www.w3.org/2000/svg"> <!ENTITY b 'c'>]><svg xmlns="&ns;">&b;</svg>`, ""},
		{"takes a PDF", "%PDF-1.7\n1 0 obj\n%%EOF\n", ""},
		{"takes an EPS", "%!PS-Adobe-3.0 EPSF-3.0\n", ""},
		{"finds an empty file", "", "is empty"},
		{"finds a blank file", " \n", "is empty"},
		{"finds a text", "PNG", other},
		{"finds a page", "<html><svg/></html>", other},
		{"finds a cut PNG", cut(drawn(t, "png"), 20), read + "png: invalid format: unexpected EOF"},
		{"finds a PNG without an end", cut(drawn(t, "png"), 12), read + "unexpected EOF"},
		{"finds the head of a PNG", drawn(t, "png")[:12], read + "unexpected EOF"},
		{"finds a wrong byte", strings.Replace(drawn(t, "png"), "IDAT", "IDAT\x00", 1), read + "zlib: invalid header"},
		{"finds a cut JPEG", cut(drawn(t, "jpeg"), 200), read + "invalid JPEG format: short Huffman data"},
		{"finds a cut GIF", drawn(t, "gif")[:60], read + "gif: not enough image data"},
		{"finds a cut animation", cut(drawn(t, "gif"), 30), read + "unexpected EOF"},
		{"finds a GIF without an end", cut(drawn(t, "gif"), 1), read + "unexpected EOF"},
		{"finds an open element", svg + "<g></svg>", read + "XML syntax error on line 1: element <g> closed by </svg>"},
		{"finds a cut SVG", svg + "<g/>", read + "XML syntax error on line 1: unexpected EOF"},
		{"finds an SVG without a namespace", "<svg/>", read + `the first element is not <svg xmlns="http://www.w3.org/2000/svg">`},
		{"finds an SVG in a wrong namespace", `<svg xmlns="urn:x"/>`, read + `the first element is not <svg xmlns="http://www.w3.org/2000/svg">`},
		{"finds a name in capitals", strings.ToUpper(svg) + "</SVG>", read + `the first element is not <svg xmlns="http://www.w3.org/2000/svg">`},
		{"finds an unknown prefix", svg + "<a x:href=''/></svg>", read + "the prefix of x:href is not declared"},
		{"finds an unknown prefix of an element", svg + "<x:a/></svg>", read + "the prefix of x:a is not declared"},
		{"finds a name of HTML", svg + "&nbsp;</svg>", read + "XML syntax error on line 1: invalid character entity &nbsp;"},
		{"finds two pictures", svg + "</svg>" + svg + "</svg>", read + "there is an element after </svg>"},
		{"finds text behind it", svg + "</svg>x", read + "there is text outside of the element svg"},
		{"finds something before the head", "\n<?xml version='1.0'?>" + svg + "</svg>", read + "something stands before <?xml"},
		{"finds a cut PDF", "%PDF-1.7\n1 0 obj\n", read + "the end of the PDF file is missing"},
	} {
		if got := pictures.Check([]byte(row.data)); got != row.want {
			t.Errorf("it %s: %q, want %q", row.it, got, row.want)
		}
	}
}

func TestNamed(t *testing.T) {
	for _, row := range []struct{ file, format, want string }{
		{"a.png", "png", ""}, {"a.PNG", "png", ""}, {"a", "png", ""}, {"a.jpe", "jpeg", ""}, {"b/a.jpeg", "jpeg", ""},
		{"a.jpg", "png", "PNG .png"}, {"a.svg", "gif", "GIF .gif"}, {"a.b.png", "jpeg", "JPEG .jpg"}, {"a.txt", "none", ""},
	} {
		data := "text"
		if row.format != "none" {
			data = drawn(t, row.format)
		}
		format, extension := pictures.FormatMismatch(row.file, []byte(data))
		if got := strings.TrimSpace(format + " " + extension); got != row.want {
			t.Errorf("Named(%q) of a %s: %q, want %q", row.file, row.format, got, row.want)
		}
	}
}

// FuzzCheck checks that Check handles any bytes.
func FuzzCheck(f *testing.F) {
	for _, format := range []string{"png", "jpeg", "gif"} {
		f.Add(drawn(f, format))
	}
	f.Add(`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><g a="b">&lt;</g></svg>`)
	f.Fuzz(func(t *testing.T, data string) {
		if why := pictures.Check([]byte(data)); strings.Contains(why, "\n") {
			t.Errorf("%q has lines", why)
		}
	})
}
