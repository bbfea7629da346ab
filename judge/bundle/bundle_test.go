package bundle_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/bundle"
)

// lay writes files. A path that ends with "!" is made executable.
func lay(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for path, text := range files {
		path, executable := strings.CutSuffix(path, "!")
		mode := fs.FileMode(0o644)
		if executable {
			mode = 0o755
		}
		full := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(full, mode); err != nil {
			t.Fatal(err)
		}
	}
}

var small = map[string]string{
	"problem.toml":        "title = \"x\"\n",
	"statement.md":        "add them\n",
	"cases/sample/1.in":   "1\n",
	"cases/sample/1.ans":  "1\n",
	"generator/build!":    "#!/bin/sh\n",
	"generator/two words": "x\n",
}

func frozen() *bundle.Findings { return &bundle.Findings{Format: bundle.FindingsFormat} }

func freeze(t testing.TB, s bundle.Source) *bundle.Bundle {
	t.Helper()
	b, err := bundle.Create(s, frozen(), []byte("config"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// written writes a bundle file and returns its path.
func written(t testing.TB, b *bundle.Bundle) string {
	t.Helper()
	var data bytes.Buffer
	if err := b.Write(&data); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.bundle")
	if err := os.WriteFile(path, data.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func blobs(t testing.TB) *blob.Dir {
	t.Helper()
	f, err := blob.Open(filepath.Join(t.TempDir(), "blobs"), 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func solutions(path string) bool { return path == "solutions" }

// TestSameID checks that the id depends only on contents, paths, and the executable bit.
func TestSameID(t *testing.T) {
	here := filepath.Join(t.TempDir(), "here")
	lay(t, here, small)
	want := freeze(t, bundle.Source{Dir: here}).Manifest.ID()

	there := filepath.Join(t.TempDir(), "else where", "renamed")
	lay(t, there, small)
	lay(
		t, there,
		map[string]string{".git/config": "x", "reference/__pycache__/a.pyc": "x", "statement.md~": "x", "#x#": "x", "solutions/a.py": "x"},
	)
	for path := range small {
		path = filepath.Join(there, filepath.FromSlash(strings.TrimSuffix(path, "!")))
		info, _ := os.Stat(path)
		if err := errors.Join(os.Chmod(path, info.Mode()&0o700), os.Chtimes(path, time.Unix(5, 0), time.Unix(7, 0))); err != nil {
			t.Fatal(err)
		}
	}
	b := freeze(t, bundle.Source{Dir: there, Tests: filepath.Join(there, "missing"), Exclude: solutions})
	if got := b.Manifest.ID(); got != want {
		t.Errorf("another id elsewhere:\n%s", b.Manifest.Bytes())
	}

	os.Chmod(filepath.Join(there, "generator", "build"), 0o644)
	if freeze(t, bundle.Source{Dir: there, Exclude: solutions}).Manifest.ID() == want {
		t.Error("the id does not know what is executable")
	}
}

func TestGeneratedCasesAreMergedIn(t *testing.T) {
	dir, tests, spare := t.TempDir(), t.TempDir(), t.TempDir()
	lay(t, dir, map[string]string{"problem.toml": "", "testcases/old/1.in": "not used"})
	lay(t, tests, map[string]string{"manifest.toml": "m", "g/1.in": "1"})
	lay(t, spare, map[string]string{"big.in": "2"})
	b := freeze(t, bundle.Source{Dir: dir, Tests: tests, Cases: map[string][]string{"h": {filepath.Join(spare, "big.in")}}})
	var paths []string
	for _, e := range b.Manifest.Files {
		paths = append(paths, e.Path)
	}
	if want := []string{"problem.toml", "testcases/g/1.in", "testcases/h/big.in", "testcases/manifest.toml"}; !slices.Equal(paths, want) {
		t.Errorf("the bundle has %q, want %q", paths, want)
	}
}

// TestOneBlobForOneChange checks that a changed statement adds only one new blob, and that the manifest changes.
func TestOneBlobForOneChange(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, small)
	before := freeze(t, bundle.Source{Dir: dir}).Manifest
	lay(t, dir, map[string]string{"statement.md": "subtract them\n"})
	after := freeze(t, bundle.Source{Dir: dir}).Manifest
	changed := 0
	for i, e := range after.Files {
		if e != before.Files[i] {
			changed++
		}
	}
	if changed != 1 || after.ID() == before.ID() {
		t.Errorf("%d entries changed", changed)
	}
}

// TestRoundTrip freezes, writes, reads, lays out, and again freezes random directories. The id and the bundle file
// must not change.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		word := rapid.StringMatching(`[a-c][a-c_.é]{0,2}`)
		paths := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) string {
			return strings.Join(rapid.SliceOfN(word, 1, 3).Draw(r, "words"), "/")
		}), 1, 8).Draw(r, "paths")
		dir := filepath.Join(t.TempDir(), "a")
		os.RemoveAll(dir)
		for _, path := range paths {
			full := filepath.Join(dir, filepath.FromSlash(path))
			if os.MkdirAll(filepath.Dir(full), 0o755) != nil {
				continue // a parent of the path is already a file
			}
			if info, err := os.Stat(full); err == nil && info.IsDir() {
				continue
			}
			if os.WriteFile(full, []byte(rapid.SampledFrom([]string{"", "one\n", "two\n"}).Draw(r, "text")), 0o644) != nil {
				continue
			}
			if rapid.Bool().Draw(r, "executable") {
				os.Chmod(full, 0o755)
			}
		}
		first := freeze(t, bundle.Source{Dir: dir})
		file := written(t, first)
		read, err := bundle.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		defer read.Close()
		if string(read.Config) != "config" || read.Manifest.ID() != first.Manifest.ID() {
			t.Fatalf("read the id %s and the configuration %q", read.Manifest.ID(), read.Config)
		}
		to := filepath.Join(t.TempDir(), "laid", "out")
		if err := read.Extract(blobs(t), to); err != nil {
			t.Fatal(err)
		}
		again := freeze(t, bundle.Source{Dir: to})
		if again.Manifest.ID() != first.Manifest.ID() {
			t.Fatalf("frozen again:\n%s\nwant:\n%s", again.Manifest.Bytes(), first.Manifest.Bytes())
		}
		one, _ := os.ReadFile(file)
		two, _ := os.ReadFile(written(t, again))
		if !bytes.Equal(one, two) {
			t.Fatal("the same bundle is another file")
		}
	})
}

// TestLayOutAgain checks that an unchanged directory is reused, that a changed one is replaced, and that damaged
// blobs are fetched again.
func TestLayOutAgain(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, small)
	b, err := bundle.Read(written(t, freeze(t, bundle.Source{Dir: dir})))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	kept, to := blobs(t), filepath.Join(t.TempDir(), "x")
	statement := filepath.Join(to, "statement.md")
	harm := map[string]func() error{
		"untouched": func() error { return nil },
		"changed": func() error {
			return errors.Join(os.Chmod(statement, 0o644), os.WriteFile(statement, []byte("bad them\n"), 0o644))
		},
		"one more":       func() error { return os.WriteFile(filepath.Join(to, "cases", "sample", "2.in"), nil, 0o644) },
		"one less":       func() error { return os.Remove(statement) },
		"a link":         func() error { return errors.Join(os.Remove(statement), os.Symlink("/etc/hostname", statement)) },
		"a file instead": func() error { return errors.Join(os.RemoveAll(to), os.WriteFile(to, nil, 0o644)) },
	}
	if err := b.Extract(kept, to); err != nil {
		t.Fatal(err)
	}
	for name, f := range harm {
		if err := f(); err != nil {
			t.Fatal(err)
		}
		before, _ := os.Stat(to)
		if err := b.Extract(kept, to); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := os.Stat(to); err != nil || os.SameFile(before, after) != (name == "untouched") {
			t.Errorf("%s: used again or not, the other way round (%v)", name, err)
		}
		if got := freeze(t, bundle.Source{Dir: to}).Manifest.ID(); got != b.Manifest.ID() {
			t.Errorf("%s: another directory is laid out", name)
		}
	}
}

// TestFromBlobs checks that a bundle stored as blobs is laid out like a bundle file. A missing blob must be
// reported as fs.ErrNotExist, and an invalid manifest as an error of the problem setter.
func TestFromBlobs(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, small)
	b := freeze(t, bundle.Source{Dir: dir})
	kept := blobs(t)
	id := b.Manifest.ID()
	if _, err := bundle.FromBlobs(kept, id, "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a manifest: %v", err)
	}
	if _, _, err := kept.Add(bytes.NewReader(b.Manifest.Bytes())); err != nil {
		t.Fatal(err)
	}
	if _, err := bundle.FromBlobs(kept, id, "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without %s: %v", bundle.FindingsFile, err)
	}
	if err := b.StoreBlobs(kept); err != nil {
		t.Fatal(err)
	}
	again, err := bundle.FromBlobs(kept, id, "x")
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "x")
	if err := again.Extract(kept, to); err != nil {
		t.Fatal(err)
	}
	if got := freeze(t, bundle.Source{Dir: to}).Manifest.ID(); got != id {
		t.Errorf("laid out is %s, want %s", got, id)
	}
	d, _, err := kept.Add(strings.NewReader("no manifest\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bundle.FromBlobs(kept, d, "x"); judge.BlameOf(err) != judge.Setter {
		t.Errorf("a manifest that is none: %v", err)
	}
}

func TestFreezeRefuses(t *testing.T) {
	for name, row := range map[string]struct {
		make func(dir string) error
		want string
	}{
		"a link out":       {func(dir string) error { return os.Symlink("/etc/hostname", filepath.Join(dir, "x")) }, "the link leads"},
		"a dangling link":  {func(dir string) error { return os.Symlink("nothing", filepath.Join(dir, "x")) }, "the link leads"},
		"a link to itself": {func(dir string) error { return os.Symlink(".", filepath.Join(dir, "x")) }, "the link leads"},
		"capital letters": {func(dir string) error {
			return errors.Join(os.WriteFile(filepath.Join(dir, "a"), nil, 0o644), os.WriteFile(filepath.Join(dir, "A"), nil, 0o644))
		}, "capital letters do not matter"},
		"a line end in a name": {func(dir string) error {
			return os.WriteFile(
				filepath.Join(dir, "a\nb"), nil, 0o644,
			)
		}, "not every system can write"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := row.make(dir); err != nil {
				t.Fatal(err)
			}
			_, err := bundle.Create(bundle.Source{Dir: dir}, frozen(), nil)
			if _, ok := errors.AsType[*judge.ProblemError](err); !ok || !strings.Contains(err.Error(), row.want) {
				t.Errorf("Freeze = %v, want a fault with %q", err, row.want)
			}
		})
	}
}

func TestALinkInsideIsFollowed(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, map[string]string{"a/x": "text"})
	if err := errors.Join(os.Symlink("a/x", filepath.Join(dir, "y")), os.Symlink("a", filepath.Join(dir, "z"))); err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, e := range freeze(t, bundle.Source{Dir: dir}).Manifest.Files {
		paths = append(paths, e.Path)
	}
	if want := []string{"a/x", "y", "z/x"}; !slices.Equal(paths, want) {
		t.Errorf("the bundle has %q, want %q", paths, want)
	}
}

func TestAFileThatChangesWhileItIsFrozen(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, small)
	b := freeze(t, bundle.Source{Dir: dir})
	lay(t, dir, map[string]string{"statement.md": "sub them\n"})
	if err := b.Write(io.Discard); err == nil || !strings.Contains(err.Error(), "statement.md") {
		t.Errorf("Write = %v", err)
	}
}

// member is one member of a hostile bundle file.
type member struct {
	name string
	data string
	kind byte
	size int64 // size in the header, if it lies
}

// hostile writes a bundle file with these members.
func hostile(t testing.TB, members ...member) string {
	t.Helper()
	var data bytes.Buffer
	for _, m := range members {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: m.name, Size: int64(len(m.data)), Mode: 0o444}
		if m.kind != 0 {
			h.Typeflag, h.Size, h.Linkname = m.kind, 0, m.data
			m.data = ""
		}
		if m.size != 0 {
			h.Size = m.size
		}
		if err := tar.NewWriter(&data).WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		data.WriteString(m.data)
		data.Write(make([]byte, -len(m.data)&511)) // pad to a full block
	}
	data.Write(make([]byte, 2*512))
	path := filepath.Join(t.TempDir(), "x.bundle")
	if err := os.WriteFile(path, data.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestHostileFiles(t *testing.T) {
	const found = "{\"format\":1}\n"
	sum := func(text string) string { return string(blob.DigestOf([]byte(text))) }
	last := fmt.Sprintf("frozen %d %s frozen.json\n", len(found), sum(found))
	line := func(mode string, size int, text, path string) string {
		return fmt.Sprintf("%s %d %s %s\n", mode, size, sum(text), path)
	}
	whole := func(manifest string, blobs ...string) []member {
		all := []member{{name: "manifest", data: manifest}, {name: "config"}}
		slices.SortFunc(blobs, func(a, b string) int { return strings.Compare(sum(a), sum(b)) })
		for _, text := range blobs {
			all = append(all, member{name: "blobs/" + sum(text), data: text})
		}
		return all
	}
	a := line("644", 1, "a", "a")
	lie := whole(a+last, "a", found)
	for i := range lie {
		if lie[i].data == "a" {
			lie[i].data = "b"
		}
	}
	// claims returns members whose manifest and headers declare these sizes for the two blobs.
	claims := func(frozen, file int64) []member {
		all := whole(a+last, "a", found)
		all[2].size, all[3].size = frozen, file // in digest order
		all[0].data = fmt.Sprintf("644 %d %s a\nfrozen %d %s frozen.json\n", file, sum("a"), frozen, sum(found))
		return all
	}
	header := func(i int, size int64) []member {
		all := whole(a+last, "a", found)
		all[i].size = size
		return all
	}
	many := strings.Repeat(line("644", 1, "a", "a"), 200_002)
	for name, row := range map[string]struct {
		members []member
		want    string
	}{
		"empty":                      {nil, "the bundle ends before manifest"},
		"no manifest":                {[]member{{name: "config"}}, `want manifest, got "config"`},
		"a manifest that is a link":  {[]member{{name: "manifest", data: "/etc/passwd", kind: tar.TypeSymlink}}, "want manifest"},
		"an empty manifest":          {whole(""), "the last line has no end"},
		"no last line":               {whole(a, "a"), "frozen.json stands in the last line"},
		"a path out":                 {whole(line("644", 1, "a", "../a")+last, "a", found), `the path "../a" is not inside`},
		"a path out in the middle":   {whole(line("644", 1, "a", "b/../../a")+last, "a", found), "is not inside"},
		"an absolute path":           {whole(line("644", 1, "a", "/etc/passwd")+last, "a", found), "is not inside"},
		"the directory itself":       {whole(line("644", 1, "a", ".")+last, "a", found), "is not inside"},
		"a backslash":                {whole(line("644", 1, "a", `..\a`)+last, "a", found), "not every system"},
		"a zero byte":                {whole(line("644", 1, "a", "a\x00b")+last, "a", found), "not every system"},
		"a path twice":               {whole(a+a+last, "a", found), `the path "a" stands twice`},
		"capital letters":            {whole(line("644", 1, "a", "A")+a+last, "a", found), `"A" and "a" are one name`},
		"a file that is a directory": {whole(a+line("644", 1, "a", "a/b")+last, "a", found), "both a file and a directory"},
		"out of order":               {whole(line("644", 1, "a", "b")+a+last, "a", found), "not in its order"},
		"a negative size":            {whole(line("644", -1, "a", "a")+last, "a", found), "not a size"},
		"a size with a zero before":  {whole("644 01"+a[5:]+last, "a", found), "not a size"},
		"sizes over every limit":     {whole(fmt.Sprintf("644 %d %s a\n", int64(1)<<62, sum("a"))+last, "a", found), "GiB"},
		"sizes that overflow": {whole(fmt.Sprintf(
			"644 %d %s a\n644 %d %s b\n", int64(1)<<35, sum("a"), int64(1<<63-1), sum("b"),
		)+last, "a", found), "GiB"},
		"one content of two sizes":      {whole(a+line("644", 2, "a", "b")+last, "a", found), "the same bytes have a size of 1 and of 2"},
		"a size that lies":              {whole(line("644", 2, "a", "a")+last, "a", found), "has 1 bytes, but the manifest says 2"},
		"a manifest over its limit":     {header(0, bundle.MaxManifest+1), "manifest has more than 64 MiB"},
		"a manifest that ends early":    {header(0, bundle.MaxManifest), "the bundle ends within manifest"},
		"a configuration over its":      {header(1, bundle.MaxConfig+1), "config has more than 16 MiB"},
		"a configuration that ends":     {header(1, bundle.MaxConfig), "the bundle ends within config"},
		"a header that lies":            {header(2, 1<<30), "has 1073741824 bytes, but the manifest says"},
		"a first blob that is short":    {claims(1<<20, 1), "want blobs/"},
		"a last blob that is short":     {claims(int64(len(found)), 1<<30), "but should have"},
		"findings larger than they say": {claims(12, 1), "the bytes of frozen.json"},
		"a file smaller than it says":   {claims(int64(len(found)), 2), "the bytes of a"},
		"findings over their limit":     {claims(16<<20+1, 16<<20+1), "has at most 16 MiB"},
		"another mode":                  {whole(line("4755", 1, "a", "a")+last, "a", found), `the mode "4755"`},
		"no digest":                     {whole("644 1 xyz a\n"+last, "a", found), "is not a SHA-256"},
		"too many files":                {whole(many+last, "a", found), "more than 200000 files"},
		"a blob is missing":             {whole(a+last, found), "blobs/" + sum("a")},
		"a blob too many":               {whole(last, found, "zz"), "bundle"},
		"bytes of another blob":         {lie, "the bytes of a are not those of the manifest"},
		"what was found is not JSON":    {whole(line("frozen", 1, "x", "frozen.json"), "x"), "cannot be read"},
		"of a later judge":              {whole(line("frozen", 13, `{"format":99}`, "frozen.json"), `{"format":99}`), "has the format 99"},
		"a reference outside": {whole(line(
			"frozen", 34, `{"format":1,"reference":"../../a"}`, "frozen.json",
		), `{"format":1,"reference":"../../a"}`), "is not inside"},
		"frozen.json under other name": {whole(line("frozen", 13, found, "other"), found), "is called so"},
	} {
		t.Run(name, func(t *testing.T) {
			wantFault(t, hostile(t, row.members...), row.want)
		})
	}
}

// wantFault checks that reading and laying out a bundle file fails with want, and creates no files.
func wantFault(t *testing.T, file, want string) {
	t.Helper()
	to := filepath.Join(t.TempDir(), "deep", "x")
	b, err := bundle.Read(file)
	if err == nil {
		err = b.Extract(blobs(t), to)
		b.Close()
	}
	fault, ok := errors.AsType[*judge.ProblemError](err)
	if !ok || !strings.Contains(fault.Text, want) || fault.File != file || fault.Hint == "" {
		t.Errorf("got %v, want a fault of %s with %q and a hint", err, file, want)
	}
	if _, err := os.Stat(to); err == nil {
		t.Error("it is laid out nevertheless")
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(to), "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestDamagedFiles checks that a truncated bundle, or one with a changed byte, is rejected or is still the same
// bundle.
func TestDamagedFiles(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, small)
	whole := freeze(t, bundle.Source{Dir: dir})
	data, err := os.ReadFile(written(t, whole))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "x.bundle")
	for cut := 0; cut < len(data); cut += 499 {
		if err := os.WriteFile(file, data[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		wantFault(t, file, "")
	}
	for at := 0; at < len(data); at += 307 {
		flipped := bytes.Clone(data)
		flipped[at] ^= 0x15
		if err := os.WriteFile(file, flipped, 0o644); err != nil {
			t.Fatal(err)
		}
		b, err := bundle.Read(file)
		if err == nil && b.Manifest.ID() == whole.Manifest.ID() {
			err = b.Extract(blobs(t), filepath.Join(t.TempDir(), "x"))
		}
		if err == nil {
			b.Close()
			continue
		}
		if _, ok := errors.AsType[*judge.ProblemError](err); !ok {
			t.Errorf("byte %d: %v", at, err)
		}
	}
	if _, err := bundle.Read(filepath.Join(dir, "none.bundle")); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a file that is not there: %v", err)
	}
}

func FuzzParseManifest(f *testing.F) {
	dir := f.TempDir()
	lay(f, dir, small)
	f.Add(freeze(f, bundle.Source{Dir: dir}).Manifest.Bytes())
	f.Add([]byte("644 0 x ../a\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := bundle.ParseManifest("x", data)
		if err != nil {
			if _, ok := errors.AsType[*judge.ProblemError](err); !ok {
				t.Fatalf("not a fault: %v", err)
			}
			return
		}
		if !bytes.Equal(m.Bytes(), data) {
			t.Fatalf("read %q, wrote %q", data, m.Bytes())
		}
		for _, e := range m.Files {
			if !filepath.IsLocal(e.Path) || strings.HasPrefix(e.Path, "/") {
				t.Fatalf("the path %q", e.Path)
			}
		}
	})
}
