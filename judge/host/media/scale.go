package media

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	_ "image/jpeg" // to decode pictures that are scaled
	"image/png"
	"maps"
	"slices"
	"strings"

	"golang.org/x/image/draw"
)

// Sizes lists the side lengths, in pixels, of the scaled pictures that the Contest API asks for.
var Sizes = []int{56, 160}

func decode(data []byte) (image.Image, error) {
	i, _, err := image.Decode(bytes.NewReader(data))
	return i, err
}

// Scaled returns the scaled files that a property needs in addition to the given files, and their bytes. For each
// list of tags, it generates the missing Sizes from the largest picture that is not an SVG. It calls read for the
// bytes of a file.
func Scaled(files []File, read func(File) ([]byte, error)) (made []File, data [][]byte, err error) {
	of := map[string][]File{}
	for _, f := range files {
		if !f.Scaled && f.Width > 0 && f.Mime != SVG {
			key := strings.Join(f.Tags, ".")
			of[key] = append(of[key], f)
		}
	}
	taken := func(name string) bool {
		return slices.ContainsFunc(files, func(f File) bool { return !f.Scaled && f.Filename == name })
	}
	for _, key := range slices.Sorted(maps.Keys(of)) {
		same := of[key]
		source := slices.MaxFunc(same, func(a, b File) int {
			return cmp.Or(cmp.Compare(a.Width*a.Height, b.Width*b.Height), cmp.Compare(b.Filename, a.Filename))
		})
		for _, px := range Sizes {
			if slices.ContainsFunc(same, func(f File) bool { return max(f.Width, f.Height) == px }) {
				continue
			}
			large, err := read(source)
			if err != nil {
				return nil, nil, err
			}
			small, k, err := scale(large, px)
			if err != nil {
				return nil, nil, fmt.Errorf("scale %s: %w", source.Path(), err)
			}
			at := source.Place
			if at.Filename = Filename(at.Property, k, source.Tags); taken(at.Filename) {
				continue
			}
			f, err := New(at, small)
			if err != nil {
				return nil, nil, fmt.Errorf("scale %s: %w", source.Path(), err)
			}
			f.Scaled = true
			made, data = append(made, f), append(data, small)
		}
	}
	return made, data, nil
}

// scale scales a picture to a PNG whose longer side has px pixels.
func scale(data []byte, px int) ([]byte, Kind, error) {
	from, err := decode(data)
	if err != nil {
		return nil, Kind{}, err
	}
	size := from.Bounds().Size()
	k := Kind{Mime: PNG, Width: px, Height: px}
	if size.X > size.Y {
		k.Height = max(1, (size.Y*px+size.X/2)/size.X)
	} else {
		k.Width = max(1, (size.X*px+size.Y/2)/size.Y)
	}
	to := image.NewNRGBA(image.Rect(0, 0, k.Width, k.Height))
	draw.CatmullRom.Scale(to, to.Bounds(), from, from.Bounds(), draw.Src, nil)
	var out bytes.Buffer
	if err := png.Encode(&out, to); err != nil {
		return nil, Kind{}, err
	}
	return out.Bytes(), k, nil
}
