package media

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"
)

// drawn returns a single-color picture.
func drawn(mime string, width, height int) []byte {
	i := image.NewNRGBA(image.Rect(0, 0, width, height))
	for at := range i.Pix {
		i.Pix[at] = []byte{200, 0, 0, 255}[at%4]
	}
	var out bytes.Buffer
	if mime == JPEG {
		_ = jpeg.Encode(&out, i, nil)
	} else {
		_ = png.Encode(&out, i)
	}
	return out.Bytes()
}

const drawing = `<?xml version="1.0"?><!-- a logo --><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 20">` +
	`<rect width="9" height="9"/></svg>`

// TestNew checks the detected type of files, and which files an object cannot have.
func TestNew(t *testing.T) {
	png, pdf := string(drawn(PNG, 100, 50)), "%PDF-1.7\nx"
	for _, tt := range []struct{ path, data, want string }{
		{"organizations/u1/logo.png", png, "image/png 100x50 []"},
		{"organizations/u1/logo.light.56x56.png", png, "image/png 100x50 [light]"},
		{"teams/7/photo.jpg", string(drawn(JPEG, 8, 9)), "image/jpeg 8x9 []"},
		{"teams/7/photo.jpeg", string(drawn(JPEG, 8, 9)), "image/jpeg 8x9 []"},
		{"contest/banner.svg", drawing, "image/svg+xml 30x20 []"},
		{"contest/banner.svg", strings.Replace(drawing, "viewBox", `width="1in" height="48" viewBox`, 1), "image/svg+xml 96x48 []"},
		{"contest/problemset.pdf", pdf, "application/pdf 0x0 []"},
		{"contest/problemset.pdf", png, "the file is not a PDF"},
		{"contest/logo.pdf", pdf, "the file is not a picture in PNG, JPEG or SVG"},
		{"contest/logo.png", "GIF89a\x01\x00\x01\x00\x00\x00\x00", "the file is not a picture"},
		{"contest/logo.png", "", "the file is not a picture"},
		{"contest/logo.svg", "<html><svg></svg></html>", "the file is not a picture"},
		{"contest/logo.jpg", png, "the file is image/png, which does not match the extension \".jpg\" of its name"},
		{"contest/logo.svg", strings.Replace(drawing, "viewBox", "box", 1), "does not say its width and height"},
		{"contest/logo.svg", strings.Replace(drawing, "viewBox", `width="10" height="0" box`, 1), "does not say its width and height"},
		{"contest/logo.png", string(drawn(PNG, 1, 1)), "image/png 1x1 []"},
		{"contest/logo.png", string(drawn(PNG, maxSide, 1)), "image/png 8192x1 []"},
		{"contest/logo.png", string(drawn(PNG, 1, maxSide)), "image/png 1x8192 []"},
		{"contest/logo.png", string(drawn(PNG, 6000, 6000)), "image/png 6000x6000 []"},
		{"contest/problemset.pdf", pdf + strings.Repeat("x", MaxBytes-len(pdf)), "application/pdf 0x0 []"},
		{"contest/logo.png", png[:len(png)-30], "the picture is damaged"},
		{"contest/logo.png", string(drawn(PNG, maxSide+1, 1)),
			"the picture has 8193 x 1 pixels; the limits are 36 million pixels, and 8192 per side"},
		{"contest/logo.png", string(drawn(PNG, 6000, 6001)), "the picture has 6000 x 6001 pixels"},
		{"contest/problemset.pdf", pdf + strings.Repeat("x", MaxBytes), "more than 8 MiB"},
	} {
		at, is, err := Parse(tt.path)
		if !is || err != nil {
			t.Fatal(tt.path, is, err)
		}
		f, err := New(at, []byte(tt.data))
		got := fmt.Sprint(f.Mime, " ", f.Width, "x", f.Height, " ", f.Tags)
		if err != nil {
			got = err.Error()
		} else if f.Size != int64(len(tt.data)) || f.MD5 != MD5Sum([]byte(tt.data)) || f.Path() != tt.path || f.Scaled {
			t.Errorf("%s is %+v", tt.path, f)
		}
		if err == nil && got != tt.want || err != nil && !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.path, got, tt.want)
		}
	}
}

// TestParse checks which paths in a package are files of contests.
func TestParse(t *testing.T) {
	for path, want := range map[string]string{
		"contest/logo.png": "logo/logo.png", "organizations/u1/logo.56x56.dark.png": "organizations/u1/logo/logo.56x56.dark.png",
		"organizations/u.1/country_flag.svg": "organizations/u.1/country_flag/country_flag.svg", "groups/g/logo.jpeg": "groups/g/logo/logo.jpeg",
		"persons/p/photo.jpg":                           "persons/p/photo/photo.jpg",
		"organizations/u1/country_subdivision_flag.png": "organizations/u1/country_subdivision_flag/country_subdivision_flag.png",
		"logo.png": "none", "contest/x/logo.png": "none", "teams/logo.png": "none", "teams/7/logo.png": "none", "teams/7/photo": "wrong",
		"teams/7/x/photo.jpg": "none", "problems/a/statement.pdf": "none", "organizations/u1/logo.gif": "wrong",
		"organizations/u1/logo.a b.png": "wrong",
		"organizations/u1/logo..png":    "wrong", "organizations/a b/logo.png": "wrong", "organizations/../logo.png": "wrong",
		"contest/problemset.pdf":                                    "problemset/problemset.pdf",
		"organizations/u1/logo." + strings.Repeat("x", 31) + ".png": "wrong",
	} {
		at, is, err := Parse(path)
		got := "none"
		switch {
		case err != nil:
			got = "wrong"
		case is:
			got = at.Href()
		}
		if got != want || err == nil && is && at.Path() != path {
			t.Errorf("%s is %s (%v), want %s", path, got, err, want)
		}
	}
	for tag, want := range map[string]bool{"light": true, "a_b-1": true, "": false, "56x56": false, "a.b": false, "a b": false} {
		if ValidTag(tag) != want {
			t.Errorf("the tag %q is good: %v", tag, !want)
		}
	}
}

// TestProperties checks which properties of each type have files.
func TestProperties(t *testing.T) {
	for typ, want := range map[string]string{
		Contest: "logo banner problemset", Organizations: "logo country_flag country_subdivision_flag", Groups: "logo", Teams: "photo",
		Persons:  "photo",
		Problems: "statement", "accounts": "",
	} {
		got := Properties(typ)
		slices.Sort(got)
		wanted := strings.Fields(want)
		if slices.Sort(wanted); !slices.Equal(got, wanted) {
			t.Errorf("%s have files for %v, want %v", typ, got, wanted)
		}
	}
}

// TestNamed checks that a file gets the correct default filename.
func TestNamed(t *testing.T) {
	for want, tt := range map[string]struct {
		property string
		data     []byte
		tags     []string
	}{
		"logo.100x50.light.png": {Logo, drawn(PNG, 100, 50), []string{"light"}}, "photo.3x2.jpg": {"photo", drawn(JPEG, 3, 2), nil},
		"banner.30x20.svg": {"banner", []byte(drawing), nil}, "problemset.pdf": {ProblemSet, []byte("%PDF-1.7"), nil},
		"logo.": {Logo, []byte("x"), nil},
	} {
		if got := (Place{Type: Contest, Property: tt.property}).WithDefaultName(tt.data, tt.tags).Filename; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestScaled checks that, for each list of tags, missing sizes are generated from the largest picture.
func TestScaled(t *testing.T) {
	for name, tt := range map[string]struct {
		files []string // paths, with the dimensions in their names
		want  string
	}{
		"one":          {[]string{"logo.300x150.png"}, "logo.56x28.png logo.160x80.png"},
		"a line":       {[]string{"logo.1x300.png"}, "logo.1x56.png logo.1x160.png"},
		"rounded up":   {[]string{"logo.100x44.png"}, "logo.56x25.png logo.160x70.png"},
		"tall and up":  {[]string{"logo.44x100.png"}, "logo.25x56.png logo.70x160.png"},
		"tall":         {[]string{"logo.10x300.png"}, "logo.2x56.png logo.5x160.png"},
		"small":        {[]string{"logo.20x20.png"}, "logo.56x56.png logo.160x160.png"},
		"thin":         {[]string{"logo.300x1.png"}, "logo.56x1.png logo.160x1.png"},
		"the largest":  {[]string{"logo.100x100.png", "logo.200x100.png"}, "logo.56x28.png logo.160x80.png"},
		"the first":    {[]string{"logo.300x200.png", "logo.210x210.png"}, "logo.56x37.png logo.160x107.png"},
		"sizes":        {[]string{"logo.56x55.png", "logo.160x160.png"}, ""},
		"one is there": {[]string{"logo.56x56.png", "logo.300x300.png"}, "logo.160x160.png"},
		"tags": {[]string{"logo.300x300.light.png", "logo.100x50.dark.png"},
			"logo.56x28.dark.png logo.160x80.dark.png logo.56x56.light.png logo.160x160.light.png"},
		"SVG":         {[]string{"logo.30x20.svg"}, ""},
		"SVG and PNG": {[]string{"logo.56x56.svg", "logo.300x150.png"}, "logo.56x28.png logo.160x80.png"},
		"JPEG":        {[]string{"logo.300x150.jpg"}, "logo.56x28.png logo.160x80.png"},
		"none":        {nil, ""},
	} {
		data := map[string][]byte{}
		var files []File
		for _, file := range tt.files {
			at, _, err := Parse("organizations/u1/" + file)
			if err != nil {
				t.Fatal(err)
			}
			width, height := 0, 0
			_, _ = fmt.Sscanf(file, "logo.%dx%d", &width, &height)
			switch {
			case strings.HasSuffix(file, "svg"):
				data[file] = []byte(drawing)
			case strings.HasSuffix(file, "jpg"):
				data[file] = drawn(JPEG, width, height)
			default:
				data[file] = drawn(PNG, width, height)
			}
			f, err := New(at, data[file])
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		read := func(f File) ([]byte, error) { return data[f.Filename], nil }
		made, bytes, err := MakeScaled(files, read)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i, f := range made {
			got = append(got, f.Filename)
			if f.Digest == "" || f.Size != int64(len(bytes[i])) || !f.Scaled || f.Object != "u1" || Filename(Logo, f.Kind, f.Tags) != f.Filename {
				t.Errorf("%s: %+v", name, f)
			}
			picture, err := decode(bytes[i])
			if err != nil {
				t.Fatal(err)
			}
			if r, g, _, _ := picture.At(f.Width/2, f.Height/2).RGBA(); r>>8 < 190 || g>>8 > 10 {
				t.Errorf("%s: %s has the color %v", name, f.Filename, color.NRGBAModel.Convert(picture.At(f.Width/2, f.Height/2)))
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		again, _, err := MakeScaled(append(files, made...), read)
		if err != nil || len(again) != len(made) {
			t.Errorf("%s: again it makes %v, %v", name, again, err)
		}
	}
	untrue, err := New(Place{Type: Contest, Property: Logo, Filename: "logo.56x56.png"}, drawn(PNG, 300, 300))
	if err != nil {
		t.Fatal(err)
	}
	document := File{Place: Place{Type: Contest, Property: ProblemSet, Filename: "problemset.pdf"}, Kind: Kind{Mime: PDF}}
	made, _, err := MakeScaled([]File{untrue, document}, func(File) ([]byte, error) { return drawn(PNG, 300, 300), nil })
	if err != nil || len(made) != 1 || made[0].Filename != "logo.160x160.png" {
		t.Errorf("beside a file whose name is taken: %+v, %v", made, err)
	}
	broken := errors.New("the disk")
	f, err := New(Place{Type: Contest, Property: Logo, Filename: "logo.png"}, drawn(PNG, 9, 9))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := MakeScaled([]File{f}, func(File) ([]byte, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

// TestBest checks that Best chooses the smallest picture that is large enough, with the given tag or no tag.
func TestBest(t *testing.T) {
	file := func(name string, width int, tags ...string) File {
		return File{Place: Place{Filename: name}, Kind: Kind{Mime: PNG, Width: width, Height: width / 2}, Tags: tags}
	}
	svg := file("svg", 20)
	svg.Mime = SVG
	small, right, large, dark, light := file("small", 20), file("right", 60), file("large", 300), file("dark", 56, "dark"), file("light",
		300, "light")
	exact, untagged, dot := file("exact", 56), file("untagged", 300), file("dot", 1)
	for want, all := range map[string][]File{
		"right": {small, right, large}, "small": {small}, "large": {small, large}, "svg": {right, svg, large}, "light": {dark, light},
		"dark": {dark},
		"none": {{Kind: Kind{Mime: PDF}}}, "exact": {right, exact, file("second", 56)}, "untagged": {dark, untagged}, "dot": {dot},
	} {
		got := "none"
		if f := Best(all, 56, "light"); f != nil {
			got = f.Filename
		}
		if got != want {
			t.Errorf("%s is the best, want %s", got, want)
		}
	}
}

// FuzzNew checks that no file causes a panic, and that each accepted file has a type and dimensions.
func FuzzNew(f *testing.F) {
	f.Add("organizations/u1/logo.56x56.light.png", drawn(PNG, 3, 2))
	f.Add("contest/banner.svg", []byte(drawing))
	f.Add("contest/problemset.pdf", []byte("%PDF-1.4"))
	f.Fuzz(func(t *testing.T, path string, data []byte) {
		at, is, err := Parse(path)
		if err != nil || !is {
			return
		}
		if at.Path() != path {
			t.Errorf("%q is %+v", path, at)
		}
		one, err := New(at, data)
		if err == nil && (one.Mime == "" || (one.Width < 1 || one.Height < 1) != (one.Mime == PDF)) {
			t.Errorf("%s is %+v", path, one)
		}
	})
}
