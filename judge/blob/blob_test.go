package blob_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/judge/blob"
)

func open(t *testing.T, dir string, quota int64) *blob.Dir {
	t.Helper()
	f, err := blob.Open(dir, quota)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func has(t *testing.T, f *blob.Dir, d blob.Digest, size int64) bool {
	t.Helper()
	there, err := f.Has(d, size)
	if err != nil {
		t.Fatal(err)
	}
	return there
}

func put(t *testing.T, f *blob.Dir, text string) blob.Digest {
	t.Helper()
	d := blob.DigestOf([]byte(text))
	if err := f.Put(d, int64(len(text)), strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	return d
}

func read(t *testing.T, f *blob.Dir, d blob.Digest, size int) (string, error) {
	t.Helper()
	file, err := f.Open(d, int64(size))
	if err != nil {
		return "", err
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data), nil
}

// pathOf finds the file of a blob.
func pathOf(dir string, d blob.Digest) string {
	return filepath.Join(dir, string(d[:2]), string(d[2:]))
}

func TestPutAndOpen(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, 0)
	for _, text := range []string{"", "one", strings.Repeat("long ", 1<<16)} {
		d := put(t, f, text)
		put(t, f, text)
		if got, err := read(t, f, d, len(text)); err != nil || got != text {
			t.Errorf("read %.20q, %v, want %.20q", got, err, text)
		}
		added, n, err := f.Add(strings.NewReader(text))
		if err != nil || added != d || n != int64(len(text)) {
			t.Errorf("Add(%.20q) = %s, %d, %v", text, added, n, err)
		}
	}
	if _, err := read(t, f, blob.DigestOf([]byte("never")), 5); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a blob that is not there: %v", err)
	}
}

func TestRemove(t *testing.T) {
	f := open(t, t.TempDir(), 0)
	d := put(t, f, "hello")
	for range 2 { // the second time, the blob is missing
		if err := f.Remove(d); err != nil {
			t.Fatal(err)
		}
		if has(t, f, d, 5) {
			t.Error("a blob that was removed is there")
		}
	}
}

func TestPutRefusesOtherBytes(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, 0)
	d := blob.DigestOf([]byte("right"))
	for _, text := range []string{"wrong", "righ", "right and more", ""} {
		if err := f.Put(d, 5, strings.NewReader(text)); !errors.Is(err, blob.ErrDamaged) {
			t.Errorf("Put(%q) = %v, want ErrDamaged", text, err)
		}
	}
	if has(t, f, d, 5) {
		t.Error("something was kept")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".tmp-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestAnotherSize checks that a request with a wrong size gets fs.ErrNotExist. The blob must stay available to
// requests with the correct size, whether or not its bytes must be checked.
func TestAnotherSize(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, 0)
	d := put(t, f, "right")
	for _, touch := range []func() error{
		func() error { return nil },
		func() error { return os.Chtimes(pathOf(dir, d), time.Now(), time.Now()) },
	} {
		for _, size := range []int{0, 4, 6} {
			if err := touch(); err != nil {
				t.Fatal(err)
			}
			if _, err := read(t, f, d, size); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, blob.ErrDamaged) {
				t.Errorf("with %d bytes: %v", size, err)
			}
			if err := f.Put(d, int64(size), strings.NewReader("right")); !errors.Is(err, blob.ErrDamaged) {
				t.Errorf("put with %d bytes: %v", size, err)
			}
			if err := f.Link(d, int64(size), filepath.Join(t.TempDir(), "x"), false); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("linked with %d bytes: %v", size, err)
			}
		}
		if got, err := read(t, f, d, 5); err != nil || got != "right" {
			t.Errorf("afterwards it is %q, %v", got, err)
		}
	}
}

// TestStage checks that staging reads the bytes even if the blob exists, and that staged bytes become a blob only
// when they are kept.
func TestStage(t *testing.T) {
	dir := t.TempDir()
	f, err := blob.OpenDurable(dir)
	if err != nil {
		t.Fatal(err)
	}
	d := blob.DigestOf([]byte("right"))
	for n := range 3 { // the third time, the blob exists
		s, err := f.Stage(strings.NewReader("right"))
		if err != nil || s.Verify(d, 5) != nil || has(t, f, d, 5) != (n == 2) {
			t.Fatalf("time %d: %v, %+v", n, err, s)
		}
		if n > 0 {
			if err := s.Commit(); err != nil || !has(t, f, d, 5) {
				t.Errorf("time %d: %v", n, err)
			}
		}
		s.Close()
	}
	for _, other := range []string{"", "wrong", "righ", "rights"} {
		s, err := f.Stage(strings.NewReader(other))
		if err != nil || !errors.Is(s.Verify(d, 5), blob.ErrDamaged) {
			t.Errorf("%q is taken for it: %v", other, err)
		}
		s.Close()
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".tmp-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestHeals checks that any other content at a blob's path is removed, and that the blob can be stored there
// again.
func TestHeals(t *testing.T) {
	damage := map[string]func(path string) error{
		"other bytes": func(path string) error { return write(path, "wrong") },
		"truncated":   func(path string) error { return write(path, "ri") },
		"longer":      func(path string) error { return write(path, "right and more") },
		"gone":        os.Remove,
		"a directory": func(path string) error { return errors.Join(os.Remove(path), os.MkdirAll(path+"/x", 0o755)) },
		"a link":      func(path string) error { return errors.Join(os.Remove(path), os.Symlink("/etc/hostname", path)) },
		"its directory a file": func(path string) error {
			return errors.Join(os.RemoveAll(filepath.Dir(path)), write(filepath.Dir(path), "x"))
		},
		"its directory is gone": func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
		"only its time moved":   func(path string) error { return os.Chtimes(path, time.Now(), time.Now()) },
	}
	for name, harm := range damage {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			f := open(t, dir, 0)
			d := put(t, f, "right")
			if err := harm(pathOf(dir, d)); err != nil {
				t.Fatal(err)
			}
			got, err := read(t, f, d, 5)
			if err == nil && got != "right" || err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("read %q, %v", got, err)
			}
			put(t, f, "right")
			if got, err := read(t, f, d, 5); err != nil || got != "right" {
				t.Errorf("after it was put again: %q, %v", got, err)
			}
			if err := harm(pathOf(dir, d)); err != nil {
				t.Fatal(err)
			}
			if got, err := f.Read(d, 100); err == nil && string(got) != "right" || err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("read without its size: %q, %v", got, err)
			}
		})
	}
}

func write(path, text string) error {
	if err := os.Chmod(path, 0o644); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

func TestFolderThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "blobs")
	if err := write(file, "x"); err != nil {
		t.Fatal(err)
	}
	if _, err := blob.Open(file, 0); err == nil || !strings.Contains(err.Error(), "is a file: remove it") {
		t.Errorf("a file in the directory's place: %v", err)
	}
	if os.Getuid() == 0 {
		t.Log("root may write to read-only directories: that part is not tested")
		return
	}
	f := open(t, filepath.Join(dir, "readonly"), 0)
	d := put(t, f, "before")
	if err := os.Chmod(filepath.Join(dir, "readonly"), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "readonly"), 0o755) })
	if _, _, err := f.Add(strings.NewReader("x")); err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("a read-only directory: %v", err)
	}
	if got, err := read(t, f, d, 6); err != nil || got != "before" {
		t.Errorf("read from a read-only directory: %q, %v", got, err)
	}
}

// TestFull checks that a full disk is reported as such, and that no partial blob remains.
func TestFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full on this system")
	}
	dir := t.TempDir()
	f := open(t, dir, 0)
	if _, _, err := f.Add(io.MultiReader(strings.NewReader("half"), failing{})); err == nil ||
		!strings.Contains(err.Error(), "no space left") {
		t.Errorf("Add = %v", err)
	}
	var files []string
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if len(files) > 0 {
		t.Errorf("left behind: %v", files)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestLink(t *testing.T) {
	dir := t.TempDir()
	f := open(t, filepath.Join(dir, "blobs"), 0)
	for _, executable := range []bool{true, false} {
		d := put(t, f, "text")
		path := filepath.Join(dir, fmt.Sprint(executable))
		if err := f.Link(d, 4, path, executable); err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(path)
		if err != nil || !blob.IsUnmodified(info, 4, executable) || blob.IsUnmodified(info, 4, !executable) ||
			blob.IsUnmodified(info, 5, executable) {
			t.Errorf("executable %v: %v, %v", executable, info.Mode(), err)
		}
		if info.Mode()&0o222 != 0 {
			t.Errorf("executable %v: it can be written: %v", executable, info.Mode())
		}
		if err := f.Link(d, 4, path, executable); err == nil {
			t.Error("linked over a file that is there")
		}
		if err := write(path, "tent"); err != nil {
			t.Fatal(err)
		}
		if info, err = os.Lstat(path); err != nil || blob.IsUnmodified(info, 4, executable) {
			t.Errorf("executable %v: a changed file counts as untouched", executable)
		}
		if has(t, f, d, 4) != executable {
			t.Errorf("executable %v: after a change of the file, Has is %v", executable, !executable)
		}
	}
}

func TestQuota(t *testing.T) {
	dir := t.TempDir()
	f := open(t, filepath.Join(dir, "blobs"), 1000)
	text := func(i int) string { return fmt.Sprintf("%0100d", i) }
	first := put(t, f, text(0))
	linked := put(t, f, text(1))
	if err := f.Link(linked, 100, filepath.Join(dir, "link"), false); err != nil {
		t.Fatal(err)
	}
	for i := 2; i < 30; i++ {
		time.Sleep(2 * time.Millisecond) // file times have a limited resolution
		if !has(t, f, first, 100) {
			t.Fatalf("a blob that is used all the time is dropped for number %d", i)
		}
		put(t, f, text(i))
	}
	if !has(t, f, linked, 100) {
		t.Error("a blob is dropped that a laid out directory uses")
	}
	if !has(t, f, blob.DigestOf([]byte(text(29))), 100) {
		t.Error("the newest is dropped")
	}
	var size int64
	filepath.WalkDir(filepath.Join(dir, "blobs"), func(_ string, d fs.DirEntry, err error) error {
		if info, err := d.Info(); err == nil && !d.IsDir() {
			size += info.Size()
		}
		return err
	})
	if size > 1000 {
		t.Errorf("%d bytes are kept, over the quota", size)
	}
}

// TestAbandonedFiles checks that temporary files of killed processes are removed when they are a day old, in each kind of
// directory, and that a directory is not searched for each blob.
func TestAbandonedFiles(t *testing.T) {
	for kind, openDir := range map[string]func(dir string) (*blob.Dir, error){
		"durable": blob.OpenDurable,
		"quota":   func(dir string) (*blob.Dir, error) { return blob.Open(dir, 1000) },
		"shared": func(dir string) (*blob.Dir, error) {
			shared, err := blob.OpenSharedDir(dir)
			return shared.Dir, err
		},
	} {
		dir := t.TempDir()
		names := map[string]time.Duration{".tmp-old": 25 * time.Hour, ".tmp-new": 23 * time.Hour, "last-log": 25 * time.Hour}
		lay := func() {
			for name, age := range names {
				path, at := filepath.Join(dir, name), time.Now().Add(-age)
				if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, at, at)); err != nil {
					t.Fatal(err)
				}
			}
		}
		lay()
		f, err := openDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range []string{"one", "two"} {
			put(t, f, text)
			for name := range names {
				_, err := os.Stat(filepath.Join(dir, name))
				if want := i > 0 || name != ".tmp-old"; (err == nil) != want {
					t.Errorf("%s: %s after blob %d: %v", kind, name, i+1, err)
				}
			}
			lay()
		}
	}
}

// TestManyAtOnce checks that concurrent writers of the same blobs in one directory do not interfere.
func TestManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			f, err := blob.Open(dir, 2000)
			if err != nil {
				t.Error(err)
				return
			}
			for i := range 100 {
				text := fmt.Sprintf("%0100d", i%30)
				d := blob.DigestOf([]byte(text))
				if err := f.Put(d, 100, strings.NewReader(text)); err != nil {
					t.Error(err)
				}
				if file, err := f.Open(d, 100); err == nil {
					data, _ := io.ReadAll(file)
					file.Close()
					if string(data) != text {
						t.Errorf("blob %d is %.20q", i, data)
					}
				} else if !errors.Is(err, fs.ErrNotExist) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// TestKilled checks that a process killed while it writes leaves no blob with wrong bytes.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("BLOB_TEST_WRITER"); dir != "" {
		f := open(t, dir, 0)
		for i := 0; ; i++ {
			f.Add(bytes.NewReader(bytes.Repeat([]byte{byte(i)}, 1<<20)))
		}
	}
	dir := t.TempDir()
	for i := range 5 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), "BLOB_TEST_WRITER="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(20+13*i) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
	}
	for i := range 256 {
		data := bytes.Repeat([]byte{byte(i)}, 1<<20)
		path := pathOf(dir, blob.DigestOf(data))
		if got, err := os.ReadFile(path); err == nil && !bytes.Equal(got, data) {
			t.Errorf("blob %d is half-written", i)
		}
	}
}

func TestReadOfUnknownSize(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, 0)
	d := put(t, f, "right")
	if got, err := f.Read(d, 5); err != nil || string(got) != "right" {
		t.Errorf("Read = %q, %v", got, err)
	}
	if got, err := f.Read(d, 4); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read of at most 4 bytes = %q, %v", got, err)
	}
	if _, err := f.Read(blob.DigestOf([]byte("other")), 5); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read of a missing blob: %v", err)
	}
	// The size and time are correct, so Open does not check the bytes.
	path := pathOf(dir, d)
	if err := errors.Join(write(path, "wrong"), os.Chtimes(path, time.Now(), time.Unix(0, 0))); err != nil {
		t.Fatal(err)
	}
	if got, err := f.Read(d, 5); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read of other bytes = %q, %v", got, err)
	}
}

func TestParse(t *testing.T) {
	good := blob.DigestOf(nil)
	if d, err := blob.Parse(string(good)); err != nil || d != good {
		t.Errorf("Parse(%s) = %s, %v", good, d, err)
	}
	for _, bad := range []string{"", "ab", strings.ToUpper(string(good)), string(good) + "0", strings.Repeat("../", 21) + "x"} {
		if _, err := blob.Parse(bad); err == nil {
			t.Errorf("Parse(%q) found nothing wrong", bad)
		}
	}
}
