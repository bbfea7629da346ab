package icpc

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"assay/judge"
	"assay/judge/internal/collide"
	"assay/judge/problem"
)

// IsArchive reports whether the extension of name is that of a package archive.
func IsArchive(name string) bool {
	return strings.EqualFold(filepath.Ext(name), ".zip") || strings.EqualFold(filepath.Ext(name), ".kpp")
}

// Bounds of an archive.
const (
	maxUnpacked  = 4 << 30 // bytes
	maxEntry     = 1 << 30 // maximum size of one file
	maxEntries   = 100_000
	maxRatio     = 200       // maximum ratio of unpacked to packed bytes
	minRatioSize = 256 << 20 // unpacked bytes that are accepted at any ratio
	maxDepth     = 64        // maximum number of names in a path
	maxName      = 255       // maximum bytes in a file name, as on most file systems
	maxPath      = 1024      // bytes
)

// Unpack unpacks an archive to the new directory to, and returns the package's directory there. It returns a fault
// for an archive with a link, an entry that would be written outside the directory, or two entries with the same
// name. It also returns a fault if paths are nested too deep, or the unpacked files are too large.
//
// IsOtherPackage reports whether a directory is a package of another format.
func Unpack(archive, to string, isOtherPackage ...func(dir string) bool) (dir string, err error) {
	fault := func(text, hint string) *judge.ProblemError {
		return &judge.ProblemError{File: archive, Text: text, Hint: hint}
	}
	z, err := zip.OpenReader(archive)
	if err != nil {
		if errors.Is(err, zip.ErrFormat) || errors.Is(err, zip.ErrAlgorithm) || errors.Is(err, zip.ErrChecksum) {
			return "", fault("this is not an archive in the ZIP format", "pack the directory with: zip -r")
		}
		return "", fmt.Errorf("unpack %s: %w", archive, err)
	}
	defer z.Close()
	if len(z.File) > maxEntries {
		return "", fault(
			fmt.Sprintf("the archive has %d entries; the limit is %d", len(z.File), maxEntries),
			"remove the files that a generator creates",
		)
	}
	packed, err := os.Stat(archive)
	if err != nil {
		return "", fmt.Errorf("unpack %s: %w", archive, err)
	}
	var inside uint64
	for _, f := range z.File {
		// Reading more than the size stated in the archive is an error.
		switch inside += min(f.UncompressedSize64, maxUnpacked+1); {
		case inside > maxUnpacked:
			return "", fault("the archive has more than 4 GiB inside", "remove the files that a generator creates")
		case f.UncompressedSize64 > maxEntry:
			return "", fault(fmt.Sprintf("the entry %s has more than 1 GiB", shown(f.Name)), "remove the files that a generator creates")
		case inside > minRatioSize && inside > maxRatio*uint64(packed.Size()):
			return "", fault(
				fmt.Sprintf("the archive has more than %d times its own size inside", maxRatio),
				"remove the files that a generator creates",
			)
		}
		name := inArchive(f.Name)
		switch mode := f.Mode(); {
		case !filepath.IsLocal(strings.TrimSuffix(name, "/")) || strings.ContainsRune(name, 0):
			return "", fault(
				fmt.Sprintf("the entry %s would be outside of the package", shown(f.Name)),
				"pack the directory itself, without .. and absolute paths",
			)
		case mode&fs.ModeSymlink != 0:
			return "", fault(fmt.Sprintf("the entry %s is a link", shown(f.Name)), "pack the file that it leads to")
		case !mode.IsDir() && !mode.IsRegular():
			return "", fault(fmt.Sprintf("the entry %s is neither a file nor a directory", shown(f.Name)), "")
		}
		if text, hint := tooLong(name); text != "" {
			return "", fault(fmt.Sprintf("the entry %s has %s", shown(f.Name), text), hint)
		}
	}
	if text := findCollision(z.File); text != "" {
		return "", fault(text, "rename one of them, and pack the directory again")
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return "", fmt.Errorf("unpack %s: %w", archive, err)
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return "", fmt.Errorf("unpack %s: %w", archive, err)
	}
	defer root.Close()
	for _, f := range z.File {
		if leftover(f) {
			continue
		}
		if err := unpackFile(root, f); err != nil {
			return "", fault(fmt.Sprintf("the entry %s: %s", shown(f.Name), problem.Reason(err)), "")
		}
	}
	return PackageIn(archive, to, isOtherPackage...)
}

// inArchive returns a name in an archive with slashes, because some Windows tools write backslashes.
func inArchive(name string) string { return strings.ReplaceAll(name, `\`, "/") }

// leftover reports whether an entry was left behind by a file manager or editor.
func leftover(f *zip.File) bool {
	return slices.ContainsFunc(strings.Split(inArchive(f.Name), "/"), problem.Leftover)
}

// shown quotes an entry name for a message. It keeps both ends of a long name.
func shown(name string) string {
	const most, end = 80, 20 // bytes
	if len(name) > most {
		name = name[:most-end] + "..." + name[len(name)-end:]
	}
	return strconv.Quote(name)
}

// tooLong describes which limit a name in an archive exceeds, and what to do. If it exceeds none, text is empty.
func tooLong(name string) (text, hint string) {
	parts := strings.Split(strings.TrimSuffix(name, "/"), "/")
	longest := slices.MaxFunc(parts, func(a, b string) int { return len(a) - len(b) })
	switch {
	case len(parts) > maxDepth:
		return fmt.Sprintf("%d nested directories and files; the limit is %d", len(parts), maxDepth), "move the files up"
	case len(longest) > maxName:
		return fmt.Sprintf("a name of %d bytes; the limit is %d", len(longest), maxName), "shorten the name"
	case len(name) > maxPath:
		return fmt.Sprintf("a path of %d bytes; the limit is %d", len(name), maxPath), "shorten the names"
	}
	return "", ""
}

// findCollision describes two entries that cannot both exist in a directory on all file systems. It returns the empty
// string if there are none.
func findCollision(entries []*zip.File) string {
	var names []string
	for _, f := range entries {
		name := path.Clean(inArchive(f.Name))
		if name == "." || leftover(f) {
			continue
		}
		if f.FileInfo().IsDir() || strings.HasSuffix(inArchive(f.Name), "/") {
			name += "/"
		}
		names = append(names, name)
	}
	i, a, b := collide.First(names)
	name := strings.TrimSuffix(a, "/")
	switch {
	case i < 0:
		return ""
	case name != strings.TrimSuffix(b, "/"):
		return fmt.Sprintf("the archive has the entries %s and %s, which differ only in the case of letters", shown(a), shown(b))
	case a != b:
		return fmt.Sprintf("the archive has %s both as a file and as a directory", shown(name))
	}
	return fmt.Sprintf("the archive has two entries named %s", shown(name))
}

// unpackFile writes one entry.
func unpackFile(root *os.Root, f *zip.File) error {
	name := path.Clean(inArchive(f.Name))
	if f.FileInfo().IsDir() || strings.HasSuffix(inArchive(f.Name), "/") {
		return root.MkdirAll(name, 0o755)
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, f.Mode().Perm()|0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// PackageIn finds the package in an archive that was unpacked to the directory to. The package is that directory,
// or a directory in it. The functions in other report whether a directory is a package of another format.
func PackageIn(archive, to string, isOtherPackage ...func(dir string) bool) (string, error) {
	is := func(dir string) bool {
		return IsPackage(dir) || slices.ContainsFunc(isOtherPackage, func(is func(string) bool) bool { return is(dir) })
	}
	if is(to) {
		return to, nil
	}
	entries, err := os.ReadDir(to)
	if err != nil {
		return "", fmt.Errorf("unpack %s: %w", archive, err)
	}
	for _, e := range entries {
		if dir := filepath.Join(to, e.Name()); e.IsDir() && is(dir) {
			return dir, nil
		}
	}
	return "", &judge.ProblemError{File: archive, Text: "the archive has no " + File, Hint: "pack the directory of the package"}
}
