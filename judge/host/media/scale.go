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

// MakeScaled returns the scaled files that a property needs in addition to the given files, and their bytes. For each
// list of tags, it generates the missing Sizes from the largest picture that is not an SVG. It calls read for the
// bytes of a file.
func MakeScaled(files []File, read func(File) ([]byte, error)) (created []File, data [][]byte, err error) {
	byTags := map[string][]File{}
	for _, f := range files {
		if !f.Scaled && f.Width > 0 && f.Mime != SVG {
			key := strings.Join(f.Tags, ".")
			byTags[key] = append(byTags[key], f)
		}
	}
	taken := func(name string) bool {
		return slices.ContainsFunc(files, func(f File) bool { return !f.Scaled && f.Filename == name })
	}
	for _, key := range slices.Sorted(maps.Keys(byTags)) {
		same := byTags[key]
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
			place := source.Place
			if place.Filename = Filename(place.Property, k, source.Tags); taken(place.Filename) {
				continue
			}
			f, err := New(place, small)
			if err != nil {
				return nil, nil, fmt.Errorf("scale %s: %w", source.Path(), err)
			}
			f.Scaled = true
			created, data = append(created, f), append(data, small)
		}
	}
	return created, data, nil
}

// scale scales a picture to a PNG whose longer side has px pixels.
func scale(data []byte, px int) ([]byte, Kind, error) {
	picture, err := decode(data)
	if err != nil {
		return nil, Kind{}, err
	}
	size := picture.Bounds().Size()
	k := Kind{Mime: PNG, Width: px, Height: px}
	if size.X > size.Y {
		k.Height = max(1, (size.Y*px+size.X/2)/size.X)
	} else {
		k.Width = max(1, (size.X*px+size.Y/2)/size.Y)
	}
	scaled := image.NewNRGBA(image.Rect(0, 0, k.Width, k.Height))
	draw.CatmullRom.Scale(scaled, scaled.Bounds(), picture, picture.Bounds(), draw.Src, nil)
	var out bytes.Buffer
	if err := png.Encode(&out, scaled); err != nil {
		return nil, Kind{}, err
	}
	return out.Bytes(), k, nil
}
