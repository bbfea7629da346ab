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

// MostBytes is the maximum size of a file in bytes.
const MostBytes = 8 << 20

// The maximum dimensions of a picture in pixels. A small file can contain a picture that is too large for the
// server to decode.
const (
	mostSide   = 8192
	mostPixels = 36_000_000
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

// A Slot is a property with files, for a type of objects.
type Slot struct {
	Type, Property string
	Name           string // for people
	Scaled         bool   // the server adds pictures in the sizes of Sizes
}

// Slots are all of them.
var Slots = []Slot{
	{Contest, "banner", "Banner", false}, {Contest, Logo, "Logo", true}, {Contest, ProblemSet, "All problems as a PDF", false},
	{Organizations, Logo, "Logo", true}, {Organizations, Flag, "Flag of the country", true},
	{Organizations, "country_subdivision_flag", "Flag of the region", true},
	{Groups, Logo, "Logo", true}, {Teams, "photo", "Photo", false}, {Persons, "photo", "Photo", false},
}

// Find returns the slot of a property. It returns false if objects of the type have no such files.
func Find(typ, property string) (Slot, bool) {
	at := slices.IndexFunc(Slots, func(s Slot) bool { return s.Type == typ && s.Property == property })
	if at < 0 {
		return Slot{}, false
	}
	return Slots[at], true
}

// Properties returns the properties with files for a type of objects.
func Properties(typ string) (all []string) {
	for _, s := range Slots {
		if s.Type == typ {
			all = append(all, s.Property)
		}
	}
	if typ == Problems {
		all = append(all, Statement)
	}
	return all
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
func New(at Place, data []byte) (File, error) {
	k, err := inspect(at, data)
	return File{Place: at, Kind: k, Tags: tags(at), Digest: blob.Of(data), Size: int64(len(data)), MD5: Sum(data)}, err
}

// Sum returns the MD5 digest of a file in the format of the Contest API.
func Sum(data []byte) string {
	sum := md5.Sum(data)
	return hex.EncodeToString(sum[:])
}

// inspect detects the type and the dimensions of a file.
func inspect(at Place, data []byte) (k Kind, err error) {
	k.Mime, k.Width, k.Height = pictures.Type(data)
	wanted, document := []string{PNG, JPEG, SVG}, at.Property == ProblemSet || at.Property == Statement
	if document {
		wanted = []string{PDF}
	}
	switch extension := path.Ext(at.Filename); {
	case len(data) > MostBytes:
		return k, fmt.Errorf("the file has more than %d MiB", MostBytes>>20)
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
	case k.Mime != SVG && (k.Width > mostSide || k.Height > mostSide || k.Width*k.Height > mostPixels):
		return k, fmt.Errorf("the picture has %d x %d pixels; the limits are %d million pixels, and %d per side", k.Width, k.Height,
			mostPixels/1_000_000, mostSide)
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

// GoodTag reports whether tag is valid in a default filename.
func GoodTag(tag string) bool { return goodTags.MatchString(tag) && !sides.MatchString(tag) }

var (
	goodTags = regexp.MustCompile(`^[A-Za-z0-9_-]{1,30}$`)
	sides    = regexp.MustCompile(`^[0-9]{1,5}x[0-9]{1,5}$`)
	objects  = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,35}$`)
)

// tags returns the tags in a default filename, except the size.
func tags(at Place) (all []string) {
	parts := strings.Split(strings.TrimPrefix(strings.TrimSuffix(at.Filename, path.Ext(at.Filename)), at.Property), ".")
	for _, part := range parts[1:] {
		if !sides.MatchString(part) {
			all = append(all, part)
		}
	}
	return all
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

// Named returns p with the default filename for a file with the given bytes and tags.
func (p Place) Named(data []byte, tags []string) Place {
	var k Kind
	k.Mime, k.Width, k.Height = pictures.Type(data)
	p.Filename = Filename(p.Property, k, tags)
	return p
}

// Parse parses the path of a file with a default filename in a contest package. It returns false if the path
// belongs to no slot, and an error if a default filename is wrong.
func Parse(name string) (at Place, is bool, err error) {
	dir, file := path.Split(name)
	parts := strings.Split(strings.TrimSuffix(dir, "/"), "/")
	at = Place{Type: parts[0], Filename: file}
	at.Property, _, _ = strings.Cut(file, ".")
	switch _, known := Find(at.Type, at.Property); {
	case !known, at.Type == Contest && len(parts) != 1, at.Type != Contest && len(parts) != 2:
		return Place{}, false, nil
	case len(parts) == 2:
		if at.Object = parts[1]; !objects.MatchString(at.Object) {
			return at, true, fmt.Errorf("%.60q is not an id", at.Object)
		}
	}
	extension := path.Ext(file)
	if extensions[extension] == "" {
		return at, true, errors.New("the name must end in .png, .jpg, .jpeg, .svg or .pdf")
	}
	for _, tag := range strings.Split(strings.TrimSuffix(file, extension), ".")[1:] {
		if !goodTags.MatchString(tag) {
			return at, true, fmt.Errorf("%.60q is not a tag: use letters, digits, - and _, at most 30", tag)
		}
	}
	return at, true, nil
}

// Best returns the file of a property that fits best into a square of px by px pixels. It prefers files with the
// given tag. It returns nil if there are no files.
func Best(all []File, px int, tag string) (best *File) {
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
	for i := range all {
		if all[i].Width > 0 && (best == nil || cost(&all[i]) < cost(best)) {
			best = &all[i]
		}
	}
	return best
}
