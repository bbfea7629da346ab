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

// maxClasses is how many bytes of class files are read: an archive may be packed tightly.
const maxClasses = 256 << 20

// startClass is the class in which the Java virtual machine starts the program of which
// the class files were kept, or an archive of them, which may name it itself.
func (src *source) startClass(program string) (string, error) {
	var classes []*jvm.Class
	left := int64(maxClasses)
	look := func(name string, f io.Reader) error {
		data, err := io.ReadAll(io.LimitReader(f, left))
		left -= int64(len(data))
		if err != nil {
			return fmt.Errorf("read what was built: %w", err)
		}
		// The machine finds a class only where its name says.
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
	if named = jvm.Start(classes, declared, src.starts); named == "" {
		return "", &noResultError{"nothing starts the program: no class of it has a public static void main(String[])"}
	}
	return named, nil
}

// inArchive looks at the class files of an archive, unless it names the class that starts.
func inArchive(f *os.File, look func(name string, f io.Reader) error) (named string, err error) {
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("read what was built: %w", err)
	}
	all, err := zip.NewReader(f, info.Size())
	if err != nil {
		return "", &noResultError{"the build makes an archive that is damaged"}
	}
	for _, part := range all.File {
		if path.Ext(part.Name) != ".class" && part.Name != "META-INF/MANIFEST.MF" {
			continue
		}
		open, err := part.Open()
		if err != nil {
			return "", &noResultError{"the build makes an archive that is damaged"}
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

// mainClass is the class that an archive's manifest names, whose long lines go on behind a
// blank.
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
