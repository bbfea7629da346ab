// Package media handles the pictures and documents of contests. It defines which objects of the Contest API have
// which files, detects the type of a file from its bytes, builds and parses default filenames, and scales logos.
//
// The package is pure. It stores nothing, and does not decide who may see a file.
package media

import (
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"assay/judge/blob"
	"assay/judge/host/clics"
	"assay/judge/internal/pictures"
)

// MaxBytes is the maximum size of a file in bytes.
const MaxBytes = 8 << 20

// The maximum dimensions of a picture in pixels. A small file can contain a picture that is too large for the
// server to decode.
const (
	maxSide   = 8192
	maxPixels = 36_000_000
)

// The types of objects that have files.
const (
	Contest       = string(clics.Contest)
	Groups        = string(clics.Groups)
	Organizations = string(clics.Organizations)
	Teams         = string(clics.Teams)
	Persons       = string(clics.Persons)
	Problems      = string(clics.Problems) // have only a Statement, which contest packages do not contain
)

// The types of files.
const (
	PNG  = "image/png"
	JPEG = "image/jpeg"
	SVG  = "image/svg+xml"
	PDF  = "application/pdf"
)

// The properties that are used specially.
const (
	Logo       = "logo"
	Flag       = "country_flag"
	ProblemSet = "problemset" // all problems of a contest as a PDF
	Statement  = "statement"  // PDF of a problem, if no package on this server contains one
)

// A FileProperty is a property with files, for a type of objects.
type FileProperty struct {
	Type, Property string
	Name           string // for people
	Scaled         bool   // the server adds pictures in the sizes of Sizes
}

// FileProperties are all of them.
var FileProperties = []FileProperty{
	{Contest, "banner", "Banner", false}, {Contest, Logo, "Logo", true}, {Contest, ProblemSet, "All problems as a PDF", false},
	{Organizations, Logo, "Logo", true}, {Organizations, Flag, "Flag of the country", true},
	{Organizations, "country_subdivision_flag", "Flag of the region", true},
	{Groups, Logo, "Logo", true}, {Teams, "photo", "Photo", false}, {Persons, "photo", "Photo", false},
}

// FindProperty returns the slot of a property. It returns false if objects of the type have no such files.
func FindProperty(typ, property string) (FileProperty, bool) {
	at := slices.IndexFunc(FileProperties, func(s FileProperty) bool { return s.Type == typ && s.Property == property })
	if at < 0 {
		return FileProperty{}, false
	}
	return FileProperties[at], true
}

// Properties returns the properties with files for a type of objects.
func Properties(typ string) (names []string) {
	for _, s := range FileProperties {
		if s.Type == typ {
			names = append(names, s.Property)
		}
	}
	if typ == Problems {
		names = append(names, Statement)
	}
	return names
}

// A Place is the position of a file in a contest.
type Place struct {
	Type     string
	Object   string // id in the Contest API; empty for the contest
	Property string
	Filename string // unique within its object
}

// Path returns the path of a file in a contest package.
func (p Place) Path() string { return path.Join(p.Type, p.Object, p.Filename) }

// Href returns the address of a file, relative to its contest.
func (p Place) Href() string {
	if p.Object == "" {
		return path.Join(p.Property, p.Filename)
	}
	return path.Join(p.Type, p.Object, p.Property, p.Filename)
}

// A Kind describes the content of a file.
type Kind struct {
	Mime          string
	Width, Height int // in pixels; zero for a document
}

// A File is a file of a contest.
type File struct {
	Place
	Kind
	Tags   []string // such as "light"
	Digest blob.Digest
	Size   int64
	MD5    string
	Scaled bool // generated from another file of the property
}

// New returns a file with the given bytes. If an object cannot have such a file, New returns an error to show to
// the user.
func New(place Place, data []byte) (File, error) {
	k, err := inspect(place, data)
	return File{Place: place, Kind: k, Tags: tags(place), Digest: blob.DigestOf(data), Size: int64(len(data)), MD5: MD5Sum(data)}, err
}

// MD5Sum returns the MD5 digest of a file in the format of the Contest API.
func MD5Sum(data []byte) string {
	sum := md5.Sum(data)
	return hex.EncodeToString(sum[:])
}

// inspect detects the type and the dimensions of a file.
func inspect(place Place, data []byte) (k Kind, err error) {
	k.Mime, k.Width, k.Height = pictures.Type(data)
	wanted, document := []string{PNG, JPEG, SVG}, place.Property == ProblemSet || place.Property == Statement
	if document {
		wanted = []string{PDF}
	}
	switch extension := path.Ext(place.Filename); {
	case len(data) > MaxBytes:
		return k, fmt.Errorf("the file has more than %d MiB", MaxBytes>>20)
	case !slices.Contains(wanted, k.Mime) && document:
		return k, errors.New("the file is not a PDF")
	case !slices.Contains(wanted, k.Mime):
		return k, errors.New("the file is not a picture in PNG, JPEG or SVG")
	case extensions[extension] != k.Mime:
		return k, fmt.Errorf("the file is %s, which does not match the extension %q of its name", k.Mime, extension)
	case k.Mime == PDF:
		return Kind{Mime: PDF}, nil
	case k.Width < 1 || k.Height < 1:
		return k, errors.New("the picture does not say its width and height")
	case k.Mime != SVG && (k.Width > maxSide || k.Height > maxSide || k.Width*k.Height > maxPixels):
		return k, fmt.Errorf("the picture has %d x %d pixels; the limits are %d million pixels, and %d per side", k.Width, k.Height,
			maxPixels/1_000_000, maxSide)
	}
	if k.Mime == SVG {
		return k, nil
	}
	if _, err := decode(data); err != nil {
		return k, fmt.Errorf("the picture is damaged: %w", err)
	}
	return k, nil
}

// extensions maps the extensions of default filenames to media types.
var extensions = map[string]string{".png": PNG, ".jpg": JPEG, ".jpeg": JPEG, ".svg": SVG, ".pdf": PDF}

// ValidTag reports whether tag is valid in a default filename.
func ValidTag(tag string) bool { return tagPattern.MatchString(tag) && !sides.MatchString(tag) }

var (
	tagPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,30}$`)
	sides      = regexp.MustCompile(`^[0-9]{1,5}x[0-9]{1,5}$`)
	idPattern  = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,35}$`)
)

// tags returns the tags in a default filename, except the size.
func tags(place Place) (tags []string) {
	parts := strings.Split(strings.TrimPrefix(strings.TrimSuffix(place.Filename, path.Ext(place.Filename)), place.Property), ".")
	for _, part := range parts[1:] {
		if !sides.MatchString(part) {
			tags = append(tags, part)
		}
	}
	return tags
}

// Filename returns a default filename, such as logo.56x56.light.png.
func Filename(property string, k Kind, tags []string) string {
	parts := []string{property}
	if k.Width > 0 {
		parts = append(parts, strconv.Itoa(k.Width)+"x"+strconv.Itoa(k.Height))
	}
	extension := map[string]string{PNG: "png", JPEG: "jpg", SVG: "svg", PDF: "pdf"}[k.Mime]
	return strings.Join(append(append(parts, tags...), extension), ".")
}

// WithDefaultName returns p with the default filename for a file with the given bytes and tags.
func (p Place) WithDefaultName(data []byte, tags []string) Place {
	var k Kind
	k.Mime, k.Width, k.Height = pictures.Type(data)
	p.Filename = Filename(p.Property, k, tags)
	return p
}

// Parse parses the path of a file with a default filename in a contest package. It returns false if the path
// belongs to no slot, and an error if a default filename is wrong.
func Parse(name string) (place Place, ok bool, err error) {
	dir, file := path.Split(name)
	parts := strings.Split(strings.TrimSuffix(dir, "/"), "/")
	place = Place{Type: parts[0], Filename: file}
	place.Property, _, _ = strings.Cut(file, ".")
	switch _, known := FindProperty(place.Type, place.Property); {
	case !known, place.Type == Contest && len(parts) != 1, place.Type != Contest && len(parts) != 2:
		return Place{}, false, nil
	case len(parts) == 2:
		if place.Object = parts[1]; !idPattern.MatchString(place.Object) {
			return place, true, fmt.Errorf("%.60q is not an id", place.Object)
		}
	}
	extension := path.Ext(file)
	if extensions[extension] == "" {
		return place, true, errors.New("the name must end in .png, .jpg, .jpeg, .svg or .pdf")
	}
	for _, tag := range strings.Split(strings.TrimSuffix(file, extension), ".")[1:] {
		if !tagPattern.MatchString(tag) {
			return place, true, fmt.Errorf("%.60q is not a tag: use letters, digits, - and _, at most 30", tag)
		}
	}
	return place, true, nil
}

// Best returns the file of a property that fits best into a square of px by px pixels. It prefers files with the
// given tag. It returns nil if there are no files.
func Best(files []File, px int, tag string) (best *File) {
	cost := func(f *File) int {
		side, c := max(f.Width, f.Height), 0
		switch {
		case f.Mime == SVG:
		case side >= px:
			c = side - px
		default: // too small
			c = 1<<20 - side
		}
		if len(f.Tags) > 0 && !slices.Contains(f.Tags, tag) {
			c += 1 << 22
		}
		return c
	}
	for i := range files {
		if files[i].Width > 0 && (best == nil || cost(&files[i]) < cost(best)) {
			best = &files[i]
		}
	}
	return best
}
