package blob_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"assay/judge/blob"
)

// machines returns a marked shared directory, and the caches of two machines.
func machines(t *testing.T) (dir string, caches [2]*blob.Dir) {
	t.Helper()
	dir = t.TempDir()
	for i := range caches {
		shared, err := blob.OpenSharedDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			err = shared.SetMark("one")
		} else if mark, merr := shared.Mark(); merr != nil || mark != "one" {
			t.Fatalf("the mark is %q, %v", mark, merr)
		}
		if err != nil {
			t.Fatal(err)
		}
		caches[i] = open(t, t.TempDir(), 1000)
		caches[i].CacheOf(shared)
	}
	return dir, caches
}

// TestTwoMachinesShareBlobs checks that each machine can read blobs that the other stores, and cannot find blobs
// that the other removes.
func TestTwoMachinesShareBlobs(t *testing.T) {
	dir, m := machines(t)
	d := put(t, m[0], "hello")
	if _, err := os.Stat(pathOf(dir, d)); err != nil {
		t.Errorf("the blob is not in the shared directory: %v", err)
	}
	if !has(t, m[1], d, 5) || has(t, m[1], d, 6) {
		t.Error("the other machine does not know the blob, or not its size")
	}
	if got, err := m[1].Read(d, 5); err != nil || string(got) != "hello" {
		t.Errorf("the other machine reads %q, %v", got, err)
	}
	if err := os.Remove(pathOf(dir, d)); err != nil {
		t.Fatal(err)
	}
	if got, err := read(t, m[1], d, 5); err != nil || got != "hello" {
		t.Errorf("what is cached reads %q, %v", got, err)
	}
	if has(t, m[1], d, 5) {
		t.Error("a blob that another machine removed is there because it is cached")
	}
	if put(t, m[1], "hello"); !has(t, m[0], d, 5) {
		t.Error("a blob that is cached is not stored again")
	}
	if err := m[1].Remove(d); err != nil || has(t, m[0], d, 5) {
		t.Errorf("the blob is there after %v", err)
	}
	if _, err := m[1].Find(d); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the machine that removed it finds it: %v", err)
	}
}

// TestACacheHasAQuota checks that blobs dropped from the cache are fetched again, and that a backup bypasses the
// cache.
func TestACacheHasAQuota(t *testing.T) {
	_, m := machines(t)
	var all []blob.Digest
	for i := range 30 {
		all = append(all, put(t, m[0], strings.Repeat(string(rune('a'+i)), 100)))
	}
	to := open(t, t.TempDir(), 0)
	for _, d := range all {
		if got, err := read(t, m[1], d, 100); err != nil || len(got) != 100 {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if err := m[0].CopyTo(d, to); err != nil || !has(t, to, d, 100) {
			t.Errorf("a backup lacks a blob: %v", err)
		}
	}
	empty := open(t, t.TempDir(), 1000)
	shared, err := blob.OpenSharedDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	empty.CacheOf(shared)
	if err := empty.CopyTo(all[0], to); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a blob that is nowhere is shared: %v", err)
	}
}

// TestADamagedOrigin checks that a damaged blob is not returned, and then counts as missing.
func TestADamagedOrigin(t *testing.T) {
	dir, m := machines(t)
	d := put(t, m[0], "hello")
	info, err := os.Stat(pathOf(dir, d))
	if err == nil {
		err = errors.Join(os.Chmod(pathOf(dir, d), 0o600), write(pathOf(dir, d), "hullo"),
			os.Chtimes(pathOf(dir, d), info.ModTime(), info.ModTime()))
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, err := read(t, m[0], d, 5); err != nil || got != "hello" {
		t.Errorf("the machine that has it cached reads %q, %v", got, err)
	}
	if _, err := m[1].Find(d); !errors.Is(err, blob.ErrDamaged) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a damaged blob: %v", err)
	}
	if has(t, m[1], d, 5) {
		t.Error("it is still there")
	}
}

// flaky is an origin whose first responses are damaged in transit, time out, or fail after part of the blob.
type flaky struct {
	blob.Origin
	damaged, late, stalls, fails, away int
}

func (f *flaky) Get(d blob.Digest) (io.ReadCloser, error) {
	part := strings.NewReader("he")
	switch {
	case f.damaged > 0:
		f.damaged--
		return io.NopCloser(strings.NewReader("hullo")), nil
	case f.late > 0:
		f.late--
		return nil, fmt.Errorf("no answer: %w", context.DeadlineExceeded)
	case f.stalls > 0:
		f.stalls--
		return io.NopCloser(io.MultiReader(part, iotest.ErrReader(context.DeadlineExceeded))), nil
	case f.away > 0:
		f.away--
		return nil, fmt.Errorf("%w: %w", blob.ErrAway, context.DeadlineExceeded)
	case f.fails > 0:
		f.fails--
		return io.NopCloser(io.MultiReader(part, iotest.ErrReader(errors.New("the disk fails")))), nil
	}
	return f.Origin.Get(d)
}

func TestABadWayRemovesNothing(t *testing.T) {
	dir, m := machines(t)
	d := put(t, m[0], "hello")
	shared, err := blob.OpenSharedDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		way  flaky
		want string // part of the error
	}{
		{way: flaky{damaged: 1}},
		{way: flaky{late: 3, stalls: 7}},
		{way: flaky{damaged: 1, late: 10}},
		{way: flaky{late: 11}, want: "no answer"},
		{way: flaky{fails: 1}, want: "the disk fails"},
		{way: flaky{away: 1}, want: "the shared files do not respond"}, // it has waited itself
	} {
		test.way.Origin = shared
		way := fmt.Sprintf("%+v", test.way)
		cache := open(t, t.TempDir(), 1000)
		cache.CacheOf(&test.way)
		got, err := read(t, cache, d, 5)
		switch {
		case !has(t, m[1], d, 5):
			t.Errorf("%s: the blob is removed", way)
		case test.want == "" && (err != nil || got != "hello"):
			t.Errorf("%s: %q, %v", way, got, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: %v", way, err)
		}
	}
}

// unmount replaces a shared directory by what remains without its disk: an empty directory, or nothing. It returns a
// function that mounts the disk again.
func unmount(t *testing.T, dir string, empty bool) (mount func()) {
	t.Helper()
	err := os.Rename(dir, dir+"-away")
	if err == nil && empty {
		err = os.Mkdir(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if entries, err := os.ReadDir(dir); len(entries) > 0 || errors.Is(err, fs.ErrNotExist) == empty {
			t.Errorf("the directory below the disk has %v, %v", entries, err)
		}
		if err := errors.Join(os.RemoveAll(dir), os.Rename(dir+"-away", dir)); err != nil {
			t.Fatal(err)
		}
	}
}

// expectAway checks that err is temporary and says what the administrator must do.
func expectAway(t *testing.T, what, dir string, err error) {
	t.Helper()
	if !errors.Is(err, blob.ErrAway) || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), dir+" is not the directory") ||
		!strings.Contains(err.Error(), "mount the disk") {
		t.Errorf("%s: %v", what, err)
	}
}

// TestADiskThatIsNotMounted checks a shared directory whose disk is not mounted. Blobs must not be reported as missing
// or removed, and nothing may be stored there.
func TestADiskThatIsNotMounted(t *testing.T) {
	dir, m := machines(t)
	d, lost := put(t, m[0], "hello"), blob.DigestOf([]byte("new"))
	all := func(where string) {
		t.Helper()
		_, err := m[1].Has(d, 5)
		expectAway(t, where+": has", dir, err)
		_, err = m[1].Find(d)
		expectAway(t, where+": find", dir, err)
		_, err = m[1].Open(d, 5)
		expectAway(t, where+": open", dir, err)
		expectAway(t, where+": put", dir, m[1].Put(lost, 3, strings.NewReader("new")))
		expectAway(t, where+": remove", dir, m[1].Remove(d))
	}
	for _, empty := range []bool{true, false} {
		mount := unmount(t, dir, empty)
		all(fmt.Sprintf("not mounted, empty %v", empty))
		mount()
		if !has(t, m[1], d, 5) || has(t, m[1], lost, 3) {
			t.Errorf("mounted again, empty %v: a blob is missing, or is there without its bytes", empty)
		}
	}
	if got, err := m[1].Read(d, 5); err != nil || !bytes.Equal(got, []byte("hello")) {
		t.Errorf("mounted again: %q, %v", got, err)
	}
	mount := unmount(t, dir, false)
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // another error than that the blob does not exist
		t.Fatal(err)
	}
	expectAway(t, "a file: put", dir, m[1].Put(lost, 3, strings.NewReader("new")))
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	mount()
	mark := filepath.Join(dir, "assay-blobs")
	if err := os.WriteFile(mark, []byte("another\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := m[1].Has(lost, 3)
	expectAway(t, "another disk: has", dir, err)
	expectAway(t, "another disk: put", dir, m[1].Put(lost, 3, strings.NewReader("new")))
	if expectAway(t, "another disk: remove", dir, m[1].Remove(d)); !has(t, m[0], d, 5) {
		t.Error("a blob of another disk is removed")
	}
	if err := errors.Join(os.Remove(mark), os.Mkdir(mark, 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err = m[1].Has(lost, 3); !errors.Is(err, blob.ErrAway) || !strings.Contains(err.Error(), "read the mark") {
		t.Errorf("the mark cannot be read: %v", err)
	}
	if _, err := blob.OpenSharedDir(filepath.Join(dir, "nothing")); err == nil {
		t.Error("a directory is made where no disk is")
	}
}

// unmountingReader unmounts a disk when its bytes have been read. It then returns err, or io.EOF if err is nil.
type unmountingReader struct {
	*strings.Reader
	unmount func()
	err     error
}

func (r *unmountingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err == io.EOF && r.unmount != nil {
		r.unmount()
		r.unmount = nil
		err = cmp.Or(r.err, err)
	}
	return n, err
}

// TestADiskIsUnmountedWhileABlobArrives checks that a blob is not stored below a disk that is unmounted, or exchanged,
// while the blob arrives.
func TestADiskIsUnmountedWhileABlobArrives(t *testing.T) {
	for _, reads := range []error{nil, errors.New("stale file handle")} {
		empty := reads == nil
		dir, _ := machines(t)
		shared, err := blob.OpenSharedDir(dir)
		if err == nil {
			_, err = shared.Mark()
		}
		if err != nil {
			t.Fatal(err)
		}
		d, mount := blob.DigestOf([]byte("new")), func() {}
		err = shared.Put(d, 3, &unmountingReader{strings.NewReader("new"), func() { mount = unmount(t, dir, empty) }, reads})
		expectAway(t, fmt.Sprintf("put, empty %v", empty), dir, err)
		mount()
		if there, err := shared.Has(d, 3); there || err != nil {
			t.Errorf("mounted again, empty %v: %v, %v", empty, there, err)
		}
		if err := shared.Put(d, 3, strings.NewReader("new")); err != nil {
			t.Errorf("put again, empty %v: %v", empty, err)
		}
		if err := os.WriteFile(filepath.Join(dir, "assay-blobs"), []byte("another\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		expectAway(t, "a blob that another disk has", dir, shared.Put(d, 3, strings.NewReader("new")))
	}
}
