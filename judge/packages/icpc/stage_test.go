package icpc_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/packages/icpc"
)

// files returns the files below a directory with their content.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

const staged = `
-- problem.yaml --
problem_format_version: 2025-09
name: One
uuid: 117b564d-429b-44d4-bf8c-c264a3703e07
constants: {n: 10}
-- data/secret/1.in --
1
-- data/secret/1.ans --
1
-- include/default/both.txt --
default {{n}}
-- include/cpp/both.txt --
cpp
-- include/cpp/grader.cpp --
int main() {}
-- submissions/accepted/one.cpp --
int n = {{n}}, m = {{m}};
-- submissions/accepted/two/Thumbs.db --
x
-- submissions/accepted/two/main.cpp --
two
-- submissions/accepted/two/grader.cpp --
its own
-- submissions/accepted/two/main.o --
junk
-- submissions/accepted/two/.git --
junk
-- submissions/accepted/two/sub/x.h --
x
`

func TestStage(t *testing.T) {
	dir := unpack(t, parse(staged))
	p := open(t, dir)
	include := p.Includes(func(code string) bool { return code == "cpp" })
	if want := []string{"default", "cpp"}; !slices.Equal(include, want) {
		t.Errorf("Includes = %q, want %q", include, want)
	}
	for _, row := range []struct {
		it, path string
		include  []string
		entry    string
		want     map[string]string
		starts   string
	}{
		{"fills constants in, and leaves what is none", "submissions/accepted/one.cpp", nil, "", map[string]string{
			"one.cpp": "int n = 10, m = {{m}};\n",
		}, ""},
		{"lays a file and what is included into a directory", "submissions/accepted/one.cpp", include, "", map[string]string{
			"program/one.cpp": "int n = 10, m = {{m}};\n", "program/both.txt": "cpp\n", "program/grader.cpp": "int main() {}\n"}, "one.cpp"},
		{"drops junk, and puts what is included over a directory's own", "submissions/accepted/two", include, "main.cpp", map[string]string{
			"two/main.cpp": "two\n", "two/grader.cpp": "int main() {}\n", "two/both.txt": "cpp\n", "two/sub/x.h": "x\n"}, "main.cpp"},
	} {
		to := t.TempDir()
		s, err := p.Stage(filepath.Join(dir, row.path), to, row.include, row.entry)
		if err != nil {
			t.Errorf("it %s: %v", row.it, err)
			continue
		}
		got := files(t, to)
		if len(got) != len(row.want) || s.Entry != row.starts {
			t.Errorf("it %s: got %q, starting with %q, want %q and %q", row.it, got, s.Entry, row.want, row.starts)
		}
		for name, text := range row.want {
			if got[name] != text {
				t.Errorf("it %s: %s is %q, want %q", row.it, name, got[name], text)
			}
		}
	}
}

// TestStageLinks checks that the copy of a program includes link targets inside the package, and no files outside
// it.
func TestStageLinks(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "validation.h")
	if err := os.WriteFile(outside, []byte("not of the package\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	dir := unpack(t, parse(staged))
	for link, to := range map[string]string{
		"submissions/accepted/two/in.h":  "../../../include/default/both.txt",
		"submissions/accepted/two/out.h": outside,
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	to := t.TempDir()
	if _, err := open(t, dir).Stage(filepath.Join(dir, "submissions/accepted/two"), to, nil, ""); err != nil {
		t.Fatal(err)
	}
	got := files(t, to)
	if got["two/in.h"] != "default 10\n" {
		t.Errorf("the link inside the package gives %q", got["two/in.h"])
	}
	if text, there := got["two/out.h"]; there {
		t.Errorf("the link out of the package gives %q", text)
	}
}

func TestHeader(t *testing.T) {
	dir := unpack(t, parse(staged+"-- output_validators/lib/validate.h --\nthe header\n-- input_validators/v.cpp --\n#include <validate.h>\n"))
	p := open(t, dir)
	find := p.Header(filepath.Join(dir, "input_validators", "v.cpp"))
	if data, ok := find("validate.h"); !ok || string(data) != "the header\n" {
		t.Errorf("Header(validate.h) = %q, %v", data, ok)
	}
	if data, ok := find("vector"); ok {
		t.Errorf("Header(vector) = %q", data)
	}
	if data, ok := find("../../../../../../etc/passwd"); ok {
		t.Errorf("Header of a path out of the package = %q", data)
	}
}

// archive returns a ZIP archive.
func archive(t *testing.T, entries ...zip.FileHeader) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pkg.zip")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for _, e := range entries {
		w, err := z.CreateHeader(&e)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(e.Name, "/") {
			if _, err := w.Write([]byte("name: x\n")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// bomb returns the path of an archive with the given number of entries, which contain zeros. The archive states
// `says` as the uncompressed size of each entry. The actual size is `really`.
func bomb(t *testing.T, entries int, says, really uint64) string {
	t.Helper()
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(w, zeros{}, int64(min(really, 1<<20))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "bomb.zip")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for i := range entries {
		e, err := z.CreateRaw(&zip.FileHeader{
			Name: fmt.Sprint("data/", i), Method: zip.Deflate, UncompressedSize64: says,
			CompressedSize64: uint64(packed.Len()),
		})
		if err == nil {
			_, err = e.Write(packed.Bytes())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// zeros never ends.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestUnpack(t *testing.T) {
	entry := func(name string, mode fs.FileMode) zip.FileHeader {
		h := zip.FileHeader{Name: name}
		h.SetMode(mode)
		return h
	}
	deep := func(n int) []zip.FileHeader { return []zip.FileHeader{entry(strings.Repeat("d/", n-1)+"f", 0o644)} }
	longest := strings.Repeat(strings.Repeat("n", 203)+"/", 5) + "file"
	for _, row := range []struct {
		it      string
		entries []zip.FileHeader
		dir     string // path of the package in the directory
		fault   string
	}{
		{"takes a package that stands at the top", []zip.FileHeader{entry("problem.yaml", 0o644), entry("data/", fs.ModeDir|0o755)}, ".", ""},
		{"takes a package in a directory", []zip.FileHeader{entry("one/problem.yaml", 0o644)}, "one", ""},
		{"takes names as Windows writes them", []zip.FileHeader{entry(`one\problem.yaml`, 0o644)}, "one", ""},
		{"takes directories as Windows writes them", []zip.FileHeader{entry(`one\`, 0o644), entry(`one\data\`, 0o644), entry(
			`one\problem.yaml`, 0o644,
		), entry(`one\data\1.in`, 0o644)}, "one", ""},
		{"passes over what computers leave", []zip.FileHeader{entry(
			"__MACOSX/problem.yaml", 0o644,
		), entry("one/._problem.yaml", 0o644), entry("one/problem.yaml", 0o644)}, "one", ""},
		{"refuses to climb out", []zip.FileHeader{
			entry("problem.yaml", 0o644), entry("../evil", 0o644),
		}, "", `the entry "../evil" would be outside of the package`},
		{"refuses to climb out with backslashes", []zip.FileHeader{entry(`..\evil`, 0o644)}, "", "would be outside of the package"},
		{"refuses absolute paths", []zip.FileHeader{entry("/tmp/evil", 0o644)}, "", "would be outside of the package"},
		{"refuses links", []zip.FileHeader{entry("problem.yaml", 0o644), entry("link", fs.ModeSymlink|0o777)}, "", `the entry "link" is a link`},
		{"refuses devices", []zip.FileHeader{entry("dev", fs.ModeDevice|0o666)}, "", "neither a file nor a directory"},
		{"takes the deepest and longest names", append(deep(64), entry(longest, 0o644), entry("problem.yaml", 0o644)), ".", ""},
		{"takes a directory that is listed twice", []zip.FileHeader{
			entry("a/", fs.ModeDir|0o755), entry("a/x", 0o644), entry("a/", fs.ModeDir|0o755),
			entry("problem.yaml", 0o644),
		}, ".", ""},
		{"passes over two of one name that computers leave", []zip.FileHeader{
			entry("__MACOSX/x", 0o644), entry("__MACOSX/x", 0o644), entry("problem.yaml", 0o644),
		}, ".", ""},
		{"refuses deeper directories", deep(65), "", "has 65 nested directories and files; the limit is 64"},
		{"refuses deeper directories without files", []zip.FileHeader{
			entry(strings.Repeat("d/", 65), fs.ModeDir|0o755),
		}, "", `the entry "d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/...d/d/d/d/d/d/d/d/d/d/" has 65 nested`},
		{"refuses a longer name", []zip.FileHeader{
			entry("a/"+strings.Repeat("n", 256)+"/b", 0o644),
		}, "", "has a name of 256 bytes; the limit is 255"},
		{"refuses a longer path", []zip.FileHeader{entry(longest+"x", 0o644)}, "", "has a path of 1025 bytes; the limit is 1024"},
		{"shortens a very long name", []zip.FileHeader{
			entry(strings.Repeat("n", 60_000), 0o644),
		}, "", `the entry "` + strings.Repeat("n", 60) + "..." + strings.Repeat("n", 20) + `" has a name of 60000 bytes`},
		{"refuses two of one name", []zip.FileHeader{
			entry("problem.yaml", 0o644), entry("./problem.yaml", 0o644),
		}, "", `two entries named "problem.yaml"`},
		{"refuses two names by case", []zip.FileHeader{
			entry("problem.yaml", 0o644), entry("Problem.YAML", 0o644),
		}, "", `the entries "problem.yaml" and "Problem.YAML", which differ only in the case`},
		{"refuses two directories by case", []zip.FileHeader{
			entry("Data/1.in", 0o644), entry(`data\2.in`, 0o644),
		}, "", `the entries "Data/" and "data/", which differ only in the case`},
		{"refuses a file that is a directory, too", []zip.FileHeader{
			entry("a", 0o644), entry("a/b", 0o644),
		}, "", `has "a" both as a file and as a directory`},
		{"refuses a directory that is a file, too", []zip.FileHeader{
			entry("a/b/c", 0o644), entry("a/b", 0o644),
		}, "", `has "a/b" both as a file and as a directory`},
		{"refuses an archive of something else", []zip.FileHeader{entry("README", 0o644)}, "", "the archive has no problem.yaml"},
	} {
		to := filepath.Join(t.TempDir(), "to")
		dir, err := icpc.Unpack(archive(t, row.entries...), to)
		if row.fault != "" {
			if fault, ok := errors.AsType[*judge.ProblemError](err); !ok || !strings.Contains(fault.Error(), row.fault) {
				t.Errorf("it %s: Unpack = %q, %v, want the fault %q", row.it, dir, err, row.fault)
			}
			if _, err := os.Stat(filepath.Join(to, "..", "evil")); err == nil {
				t.Errorf("it %s: there is a file outside of the directory", row.it)
			}
			continue
		}
		if err != nil || dir != filepath.Join(to, row.dir) {
			t.Errorf("it %s: Unpack = %q, %v, want %q", row.it, dir, err, filepath.Join(to, row.dir))
		}
	}
	for _, row := range []struct {
		it           string
		entries      int
		says, really uint64 // stated and real size of each entry, in bytes
		fault        string
	}{
		{"refuses what is far larger inside", 1, 300 << 20, 300 << 20, "more than 200 times its own size"},
		{"refuses what lies of its size", 1, 10, 1 << 20, "zip: not a valid zip file"},
		{"refuses more than 4 GiB in one", 1, 1 << 62, 10, "more than 4 GiB"},
		{"refuses an entry of more than 1 GiB, by its name", 1, 1200 << 20, 10, "0\" has more than 1 GiB"},
		{"refuses what is far larger in many", 300, 1 << 20, 10, "more than 200 times its own size"},
		{"refuses too many", 100_001, 0, 0, "the archive has 100001 entries; the limit is 100000"},
	} {
		to := filepath.Join(t.TempDir(), "to")
		_, err := icpc.Unpack(bomb(t, row.entries, row.says, row.really), to)
		if fault, ok := errors.AsType[*judge.ProblemError](err); !ok || !strings.Contains(fault.Error(), row.fault) {
			t.Errorf("it %s: %v, want the fault %q", row.it, err, row.fault)
		}
	}
	t.Run("what is not an archive is a fault", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "x.zip")
		if err := os.WriteFile(path, []byte("no archive\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := icpc.Unpack(path, filepath.Join(t.TempDir(), "to")); err == nil ||
			!strings.Contains(err.Error(), "this is not an archive in the ZIP format") {
			t.Errorf("Unpack = %v", err)
		}
	})
}

func TestMarkdown(t *testing.T) {
	dir := unpack(t, parse(`
-- problem.yaml --
problem_format_version: 2025-09
name: {en: One, sv: Ett}
uuid: 117b564d-429b-44d4-bf8c-c264a3703e07
type: interactive
constants: {n: 10}
-- statement/problem.en.md --
Print $n \le {{n}}$ or {{other}}.
{{nextsample}}
Then talk.
{{remainingsamples}}
The end.
-- statement/problem.sv.tex --
\problemname{Ett}
Skriv \constant{n}.
-- statement/problem.de.pdf --
%PDF
-- data/sample/1.in --
secret input
-- data/sample/1.in.statement --
shown input
-- data/sample/1.ans --
1
-- data/sample/1.out --
2
-- data/sample/2.interaction --
<5
>6
-- data/secret/1.in --
1
-- data/secret/1.ans --
1
-- output_validator/v.py --
print(42)
`))
	p := open(t, dir)
	for _, row := range []struct{ language, want string }{
		{"", "# One\n\nPrint $n \\le 10$ or {{other}}.\n## Sample 1\n\nInput:\n\n```\nshown input\n```\n\nOutput:\n\n```\n2\n```\n\n\n" +
			"Then talk.\n" +
			"## Sample 2\n\nLines of the judge start with <, lines of your program with >:\n\n```\n<5\n>6\n```\n\n\nThe end."},
		{"sv", "# Ett\n\nSkriv 10.\n\n## Exempel 1\n\nIndata:\n"},
		{"de", "The statement is a PDF: `" + filepath.Join(dir, "statement", "problem.de.pdf") + "`"},
	} {
		got, err := p.Markdown(row.language)
		if err != nil || !strings.Contains(got, row.want) {
			t.Errorf("Markdown(%q) = %v\n%s\nwant\n%s", row.language, err, got, row.want)
		}
	}
	if _, err := p.Markdown("fi"); err == nil || !strings.Contains(err.Error(), "one of: en, de, sv") {
		t.Errorf(`Markdown("fi"): %v, want the languages that there are`, err)
	}
}

// TestSamplesOnce checks that samples which a statement shows itself are not added again.
func TestSamplesOnce(t *testing.T) {
	for name, row := range map[string]struct {
		statement string
		want      []string // headings of the samples that are added after it
	}{
		"none":      {"Double it.", []string{"## Sample 1", "## Sample 2"}},
		"the first": {"Double it.\n\n### Example\n\nInput:\n\n```\n1\n```\n\nOutput:\n\n```\n2\n```\n", []string{"## Sample 2"}},
		"other answer": {"Double it.\n\n### Example\n\nInput:\n\n```\n1\n```\n\nOutput:\n\n```\n3\n```\n", []string{
			"## Sample 1", "## Sample 2",
		}},
		"all": {"Double it.\n\n| Input | Output |\n| --- | --- |\n| 1 | 2 |\n| 4 | 8 |\n", nil},
		"a mark": {"As in\n\n### Example\n\nInput:\n\n```\n1\n```\n\nOutput:\n\n```\n2\n```\n\n{{remainingsamples}}\n", []string{
			"## Sample 1", "## Sample 2",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := unpack(t, parse(`
-- problem.yaml --
problem_format_version: 2025-09
name: Double
uuid: 117b564d-429b-44d4-bf8c-c264a3703e07
-- data/sample/1.in --
1
-- data/sample/1.ans --
2
-- data/sample/2.in --
4
-- data/sample/2.ans --
8
-- data/secret/1.in --
1
-- data/secret/1.ans --
2
-- statement/problem.en.md --
`+row.statement))
			text, err := open(t, dir).Markdown("")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for line := range strings.Lines(text) {
				if strings.HasPrefix(line, "## Sample") {
					got = append(got, strings.TrimSpace(line))
				}
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("samples after the statement: %q, want %q\n%s", got, row.want, text)
			}
		})
	}
}
