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
	"strings"

	"assay/judge"
	"assay/judge/problem"
)

// IsArchive says whether a path is named as a package in an archive is.
func IsArchive(name string) bool {
	return strings.EqualFold(filepath.Ext(name), ".zip") || strings.EqualFold(filepath.Ext(name), ".kpp")
}

// What an archive may hold.
const (
	maxUnpacked = 4 << 30 // bytes
	maxEntry    = 1 << 30 // bytes of one file
	maxEntries  = 100_000
	maxRatio    = 200       // of the bytes inside to those of the archive
	alwaysGood  = 256 << 20 // bytes inside, whatever the ratio is
)

// Unpack lays an archive out in the new folder to, and returns the package's
// folder there. An entry that would leave the folder, or that is a link, is a
// fault, and so is an archive that is far larger inside than a package is.
//
// Other says of folders whether they are packages of another format.
func Unpack(archive, to string, other ...func(dir string) bool) (dir string, err error) {
	fault := func(text, hint string) *judge.Fault { return &judge.Fault{File: archive, Text: text, Hint: hint} }
	z, err := zip.OpenReader(archive)
	if err != nil {
		if errors.Is(err, zip.ErrFormat) || errors.Is(err, zip.ErrAlgorithm) || errors.Is(err, zip.ErrChecksum) {
			return "", fault("no archive in the ZIP format", "pack the folder with: zip -r")
		}
		return "", fmt.Errorf("unpack %s: %w", archive, err)
	}
	defer z.Close()
	if len(z.File) > maxEntries {
		return "", fault(fmt.Sprintf("an archive of %d files", len(z.File)), "")
	}
	packed, err := os.Stat(archive)
	if err != nil {
		return "", fmt.Errorf("unpack %s: %w", archive, err)
	}
	var inside uint64
	for _, f := range z.File {
		// To read an entry beyond the size that the archive says is an error.
		switch inside += min(f.UncompressedSize64, maxUnpacked+1); {
		case inside > maxUnpacked:
			return "", fault("an archive of more than 4 GiB", "")
		case f.UncompressedSize64 > maxEntry:
			return "", fault(fmt.Sprintf("the entry %q has more than 1 GiB", f.Name), "leave out what a generator makes")
		case inside > alwaysGood && inside > maxRatio*uint64(packed.Size()):
			return "", fault(fmt.Sprintf("what is in the archive has more than %d times its bytes", maxRatio), "leave out what a generator makes")
		}
		name := inArchive(f.Name)
		switch mode := f.Mode(); {
		case !filepath.IsLocal(strings.TrimSuffix(name, "/")) || strings.ContainsRune(name, 0):
			return "", fault(fmt.Sprintf("the entry %q would be outside of the package", f.Name), "pack the folder itself, without .. and absolute paths")
		case mode&fs.ModeSymlink != 0:
			return "", fault(fmt.Sprintf("the entry %q is a link", f.Name), "pack the file that it leads to")
		case !mode.IsDir() && !mode.IsRegular():
			return "", fault(fmt.Sprintf("the entry %q is neither a file nor a folder", f.Name), "")
		}
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
		if slices.ContainsFunc(strings.Split(inArchive(f.Name), "/"), problem.Leftover) {
			continue
		}
		if err := unpackFile(root, f); err != nil {
			return "", fault(fmt.Sprintf("the entry %q: %s", f.Name, problem.Reason(err)), "")
		}
	}
	return PackageIn(archive, to, other...)
}

// inArchive is a name in an archive; some tools of Windows write it with backslashes.
func inArchive(name string) string { return strings.ReplaceAll(name, `\`, "/") }

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

// PackageIn finds the package in an archive that was laid out in the folder to: the
// folder itself, or a folder in it.
func PackageIn(archive, to string, other ...func(dir string) bool) (string, error) {
	is := func(dir string) bool {
		return Is(dir) || slices.ContainsFunc(other, func(is func(string) bool) bool { return is(dir) })
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
	return "", &judge.Fault{File: archive, Text: "the archive has no " + File, Hint: "pack the folder of the package"}
}
