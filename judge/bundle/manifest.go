package bundle

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/internal/collide"
)

// Entry is a file of a bundle.
type Entry struct {
	Path       string // relative to the problem directory, with slashes
	Size       int64
	Digest     blob.Digest
	Executable bool
}

// Manifest lists the files of a bundle.
type Manifest struct {
	Files    []Entry // sorted by path, bytewise
	Findings Entry   // FindingsFile, which is not a file of the problem
}

// FindingsFile is the name under which the manifest lists the file with the findings about the problem.
const FindingsFile = "frozen.json"

// The first word of each line.
const (
	modeFile       = "644"
	modeExecutable = "755"
	modeFindings   = "frozen"
)

// The limits of a bundle.
const (
	maxEntries  = 200_000
	maxPath     = 1024     // bytes
	maxDepth    = 32       // directories
	maxTotal    = 64 << 30 // total bytes of all files
	maxFindings = 16 << 20
)

// The maximum sizes, in bytes, of a manifest and of the configuration in a bundle.
const (
	MaxManifest = 64 << 20
	MaxConfig   = 16 << 20
)

// Bytes encodes the manifest. It has one line for each file, and one for FindingsFile.
//
//	644 1203 9f86d0…0a08 cases/sample/1.in
//	755 88 60303a…9752 generator/build
//	frozen 310 fd61a0…7b1e frozen.json
func (m *Manifest) Bytes() []byte {
	var b strings.Builder
	line := func(mode string, e Entry) { fmt.Fprintf(&b, "%s %d %s %s\n", mode, e.Size, e.Digest, e.Path) }
	for _, e := range m.Files {
		if e.Executable {
			line(modeExecutable, e)
		} else {
			line(modeFile, e)
		}
	}
	line(modeFindings, m.Findings)
	return []byte(b.String())
}

// ID returns the bundle's id, which is the digest of its manifest.
func (m *Manifest) ID() blob.Digest { return blob.DigestOf(m.Bytes()) }

// ParseManifest parses the output of Bytes, and rejects any other encoding. So equal manifests have equal bytes.
// Errors are of type *judge.ProblemError, and name file.
func ParseManifest(file string, data []byte) (*Manifest, error) {
	fault := func(line int, text string, args ...any) error {
		return &judge.ProblemError{
			File: file, Line: line, Text: "the manifest of the bundle: " + fmt.Sprintf(text, args...),
			Hint: damagedHint,
		}
	}
	if len(data) > MaxManifest {
		return nil, fault(0, "it is larger than %d MiB", MaxManifest>>20)
	}
	text, whole := strings.CutSuffix(string(data), "\n")
	if !whole {
		return nil, fault(0, "the last line has no end")
	}
	m := &Manifest{}
	lines := strings.Split(text, "\n")
	if len(lines) > maxEntries+1 {
		return nil, fault(0, "it has more than %d files", maxEntries)
	}
	for i, line := range lines {
		mode, e, err := parseEntry(line)
		switch last := i == len(lines)-1; {
		case err != nil:
			return nil, fault(i+1, "%s", err)
		case last != (mode == modeFindings):
			return nil, fault(i+1, "%s stands in the last line, and only there", FindingsFile)
		case last && (e.Path != FindingsFile || e.Size > maxFindings):
			return nil, fault(i+1, "%s is called so, and has at most %d MiB", FindingsFile, maxFindings>>20)
		case last:
			m.Findings = e
		default:
			e.Executable = mode == modeExecutable
			m.Files = append(m.Files, e)
		}
	}
	if line, err := m.check(); err != nil {
		return nil, fault(line, "%s", err)
	}
	return m, nil
}

// parseEntry reads one line.
func parseEntry(line string) (mode string, e Entry, err error) {
	parts := strings.SplitN(line, " ", 4)
	if len(parts) < 4 {
		return "", e, fmt.Errorf("%.80q is not a line of mode, size, SHA-256 and path", line)
	}
	mode = parts[0]
	if mode != modeFile && mode != modeExecutable && mode != modeFindings {
		return "", e, fmt.Errorf("the mode %.20q is neither %s nor %s", mode, modeFile, modeExecutable)
	}
	e.Size, err = strconv.ParseInt(parts[1], 10, 64)
	if err != nil || e.Size < 0 || strconv.FormatInt(e.Size, 10) != parts[1] {
		return "", e, fmt.Errorf("%.40q is not a size", parts[1])
	}
	if e.Digest, err = blob.Parse(parts[2]); err != nil {
		return "", e, err
	}
	e.Path = parts[3]
	return mode, e, checkPath(e.Path)
}

// checkPath returns an error unless path names a file inside the directory on every operating system.
func checkPath(path string) error {
	unfit := func(r rune) bool { return r == '\\' || unicode.IsControl(r) || r == utf8.RuneError }
	switch {
	case !fs.ValidPath(path) || path == "." || !filepath.IsLocal(filepath.FromSlash(path)):
		return fmt.Errorf("the path %.200q is not inside the directory", path)
	case strings.ContainsFunc(path, unfit):
		return fmt.Errorf("the path %.200q has a character that not every system can write", path)
	case len(path) > maxPath || strings.Count(path, "/") > maxDepth:
		return fmt.Errorf("the path %.80q... is too long", path)
	}
	return nil
}

// check checks that the files are consistent. If they are not, it returns an error and the line of the first
// invalid file.
func (m *Manifest) check() (line int, err error) {
	total, sizes := m.Findings.Size, map[blob.Digest]int64{m.Findings.Digest: m.Findings.Size}
	for i, e := range m.Files {
		if size, known := sizes[e.Digest]; known && size != e.Size {
			return i + 1, fmt.Errorf("the same bytes have a size of %d and of %d", size, e.Size)
		}
		sizes[e.Digest] = e.Size
		if i > 0 && e.Path <= m.Files[i-1].Path {
			return i + 1, fmt.Errorf("the path %.200q stands twice, or not in its order", e.Path)
		}
		if total += e.Size; total > maxTotal || total < 0 {
			return i + 1, fmt.Errorf("the files total more than %d GiB", maxTotal>>30)
		}
	}
	paths := make([]string, len(m.Files))
	for i, e := range m.Files {
		paths[i] = e.Path
	}
	if i, a, b := collide.First(paths); i >= 0 {
		return i + 1, fmt.Errorf(
			"%.200q and %.200q are one name where capital letters do not matter, or one would be both a file and a directory",
			a, b,
		)
	}
	return 0, nil
}

// Blobs returns the distinct contents of all files and of FindingsFile, sorted by digest.
func (m *Manifest) Blobs() []Entry {
	all := append(slices.Clone(m.Files), m.Findings)
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(string(a.Digest), string(b.Digest)) })
	return slices.CompactFunc(all, func(a, b Entry) bool { return a.Digest == b.Digest })
}
