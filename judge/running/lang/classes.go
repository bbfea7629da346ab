package lang

import (
	"archive/zip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge/running/lang/jvm"
)

// maxClasses is the maximum number of bytes read from class files. A small archive may contain huge files.
const maxClasses = 256 << 20

// startClass returns the class in which the Java virtual machine starts the program. The result of the build is a
// set of class files, or an archive of them. An archive may name the class itself.
func (src *source) startClass(program string) (string, error) {
	var classes []*jvm.Class
	left := int64(maxClasses)
	look := func(name string, f io.Reader) error {
		data, err := io.ReadAll(io.LimitReader(f, left))
		left -= int64(len(data))
		if err != nil {
			return fmt.Errorf("read what was built: %w", err)
		}
		// The virtual machine finds a class only in the file with the corresponding name.
		if c, err := jvm.ReadClass(data); err == nil && c.Name+".class" == name {
			classes = append(classes, c)
		}
		return nil
	}
	named := ""
	err := fs.WalkDir(os.DirFS(program), ".", func(name string, d fs.DirEntry, err error) error {
		kind := path.Ext(name)
		if err != nil || d.IsDir() || kind != ".class" && kind != ".jar" {
			return err
		}
		f, err := os.Open(filepath.Join(program, name))
		if err != nil {
			return fmt.Errorf("read what was built: %w", err)
		}
		defer f.Close()
		if kind == ".class" {
			return look(name, f)
		}
		named, err = inArchive(f, look)
		return err
	})
	if err != nil || named != "" {
		return named, err
	}
	var declared []jvm.Type
	for _, f := range src.files {
		if slices.Contains(src.sources, f.name) {
			declared = append(declared, jvm.Types(f.data)...)
		}
	}
	if named = jvm.MainClass(classes, declared, src.entryFile); named == "" {
		return "", &noResultError{"the program cannot start: none of its classes has a public static void main(String[])"}
	}
	return named, nil
}

// inArchive calls look for the class files in an archive. If the archive's manifest names the class in which the
// program starts, inArchive returns that name and ignores the remaining files.
func inArchive(f *os.File, look func(name string, f io.Reader) error) (named string, err error) {
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("read what was built: %w", err)
	}
	all, err := zip.NewReader(f, info.Size())
	if err != nil {
		return "", &noResultError{"the build produces a damaged archive"}
	}
	for _, part := range all.File {
		if path.Ext(part.Name) != ".class" && part.Name != "META-INF/MANIFEST.MF" {
			continue
		}
		open, err := part.Open()
		if err != nil {
			return "", &noResultError{"the build produces a damaged archive"}
		}
		if path.Ext(part.Name) == ".class" {
			err = look(part.Name, open)
		} else {
			named, err = mainClass(open)
		}
		open.Close()
		if err != nil || named != "" {
			return named, err
		}
	}
	return "", nil
}

// mainClass returns the class that an archive's manifest names. Long lines of a manifest continue after a
// line break and a blank.
func mainClass(manifest io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(manifest, 64<<10))
	text := strings.ReplaceAll(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n ", "")
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(line, "Main-Class:"); ok {
			return strings.TrimSpace(name), nil
		}
	}
	return "", err
}
