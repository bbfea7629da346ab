package bundle

import (
	"archive/tar"
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"assay/judge"
	"assay/judge/blob"
)

// The members of a bundle file.
const (
	manifestMember = "manifest"
	configMember   = "config"
	blobMember     = "blobs/"
)

// blockSize is the size to which members of a tar archive are padded. Two empty blocks end the archive.
const blockSize = 512

// Write writes the bundle file.
func (b *Bundle) Write(w io.Writer) error {
	t := tar.NewWriter(w)
	put := func(name string, size int64) error {
		return t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o444})
	}
	for _, m := range []struct {
		name string
		data []byte
	}{{manifestMember, b.Manifest.Bytes()}, {configMember, b.Config}} {
		if err := put(m.name, int64(len(m.data))); err != nil {
			return fmt.Errorf("write the bundle: %w", err)
		}
		if _, err := t.Write(m.data); err != nil {
			return fmt.Errorf("write the bundle: %w", err)
		}
	}
	for _, e := range b.Manifest.Blobs() {
		if err := put(blobMember+string(e.Digest), e.Size); err != nil {
			return fmt.Errorf("write the bundle: %w", err)
		}
		if err := b.copy(t, e); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	return nil
}

// WriteFile writes the bundle file at path atomically, and creates the parent directories.
func (b *Bundle) WriteFile(path string) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	defer os.Remove(tmp.Name()) // after the rename, the file is already gone
	buffered := bufio.NewWriterSize(tmp, 1<<20)
	if err = b.Write(buffered); err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	return err
}

// copy copies the bytes of an entry. It returns an error if they do not match the entry's digest.
func (b *Bundle) copy(w io.Writer, e Entry) error {
	r, err := b.open(e)
	if err != nil {
		return fmt.Errorf("read %s of %s: %w", e.Path, b.path, err)
	}
	defer r.Close()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, sum), io.LimitReader(r, e.Size))
	if err != nil {
		return fmt.Errorf("read %s of %s: %w", e.Path, b.path, err)
	}
	if n != e.Size || hex.EncodeToString(sum.Sum(nil)) != string(e.Digest) {
		return b.fault("the bytes of %s are not those of the manifest", e.Path)
	}
	return nil
}

// Read opens a bundle file. If the file is invalid, the error is a *judge.ProblemError. Errors in the manifest or in the
// file's structure are reported at once, and errors in the content of files when the bundle is laid out. The
// caller must close the bundle.
func Read(file string) (*Bundle, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, &judge.ProblemError{File: file, Text: "the bundle cannot be opened: " + reason(err)}
	}
	b := &Bundle{path: file, close: f.Close}
	if err := b.read(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return b, nil
}

func reason(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// read checks the structure of the file, and remembers the offsets of the blobs.
func (b *Bundle) read(f *os.File) error {
	t := tar.NewReader(f)
	// next advances to the next member, which must have this name, and returns its size.
	nextMember := func(name string) (int64, error) {
		h, err := t.Next()
		switch {
		case err == io.EOF:
			return 0, b.fault("the bundle ends before %s", name)
		case err != nil:
			return 0, b.fault("not a bundle, or a damaged one: want %s", name)
		case h.Name != name || h.Typeflag != tar.TypeReg:
			return 0, b.fault("not a bundle, or a damaged one: want %s, got %.80q", name, h.Name)
		}
		return h.Size, nil
	}
	small := func(name string, most int64) ([]byte, error) {
		size, err := nextMember(name)
		if err != nil {
			return nil, err
		}
		if size > most {
			return nil, b.fault("%s has more than %d MiB", name, most>>20)
		}
		data, err := io.ReadAll(t)
		if err != nil {
			return nil, b.fault("the bundle ends within %s", name)
		}
		return data, nil
	}
	data, err := small(manifestMember, MaxManifest)
	if err != nil {
		return err
	}
	if b.Manifest, err = ParseManifest(b.path, data); err != nil {
		return err
	}
	if b.Config, err = small(configMember, MaxConfig); err != nil {
		return err
	}
	at, end := map[blob.Digest]int64{}, int64(0)
	for _, e := range b.Manifest.Blobs() {
		size, err := nextMember(blobMember + string(e.Digest))
		if err != nil {
			return err
		}
		if size != e.Size {
			return b.fault("%s has %d bytes, but the manifest says %d", e.Path, size, e.Size)
		}
		if at[e.Digest], err = f.Seek(0, io.SeekCurrent); err != nil {
			return fmt.Errorf("read %s: %w", b.path, err)
		}
		end = at[e.Digest] + (e.Size+blockSize-1)/blockSize*blockSize + 2*blockSize
	}
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("read %s: %w", b.path, err)
	}
	if info.Size() != end {
		return b.fault("the bundle has %d bytes, but should have %d", info.Size(), end)
	}
	b.open = func(e Entry) (io.ReadCloser, error) {
		return io.NopCloser(io.NewSectionReader(f, at[e.Digest], e.Size)), nil
	}
	return b.readFindings()
}

// readFindings reads the findings about the problem.
func (b *Bundle) readFindings() error {
	var data writer
	if err := b.copy(&data, b.Manifest.Findings); err != nil {
		return err
	}
	var err error
	b.Findings, err = parseFindings(b.path, data)
	return err
}

// writer stores the bytes written to it.
type writer []byte

func (w *writer) Write(p []byte) (int, error) {
	*w = append(*w, p...)
	return len(p), nil
}
