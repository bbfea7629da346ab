package gen

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"assay/judge"
	"assay/judge/internal/golden"
	"assay/judge/problem"
)

var example = &Manifest{
	Sources: "0123abcd",
	Cases: []ManifestCase{
		{Name: "corner-0-0", Line: "corner 0 0", Seed: "00ff", In: "aa", Ans: "bb"},
		{Name: "odd-1a2b3c4d", Line: `odd "quoted" \ back`, Seed: "11", In: "cc", Ans: "dd"},
	},
}

func TestManifestFormat(t *testing.T) {
	golden.Check(t, "testdata/manifest.toml", example.format())
}

func TestManifestIsReadAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m Manifest
		hash := rapid.StringMatching(`[0-9a-f]{1,8}`)
		m.Sources, m.Generator, m.Validator, m.Reference = hash.Draw(t, "sources"), hash.Draw(t, "generator"), hash.Draw(t,
			"validator"), hash.Draw(t, "reference")
		for i := range rapid.IntRange(1, 4).Draw(t, "cases") {
			e := ManifestCase{Name: "n" + strings.Repeat("x", i), Line: rapid.String().Draw(t, "line"), Seed: "s", In: "i", Ans: "a"}
			m.Cases = append(m.Cases, e)
		}
		got, faults := parseManifest("m", m.format())
		if err := faults.AsError(); err != nil || !reflect.DeepEqual(got, &m) {
			t.Errorf("wrote\n%s\nread %+v, %v", m.format(), got, err)
		}
	})
}

// TestBundledManifests checks that `judge generate` does not change a file of the bundled problems: their manifests
// have the hashes of all programs.
func TestBundledManifests(t *testing.T) {
	for _, file := range golden.Files(t, "../../../problems/*/problem.toml") {
		dir := filepath.Dir(file)
		f, faults := problem.Open(nil, dir, filepath.Join("../../../testcases", filepath.Base(dir)), judge.Limits{})
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		m := &CaseGenerator{Directory: f}
		sources, err := m.sources()
		if err != nil {
			t.Fatal(err)
		}
		programs, err := m.programHashes()
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range f.Groups {
			path := filepath.Join(m.dir(g.Name), ManifestFile)
			data, err := os.ReadFile(path)
			if os.IsNotExist(err) {
				continue // all cases of the group are written by hand
			}
			manifest, faults := parseManifest(path, data)
			if err != nil || len(faults) > 0 {
				t.Fatal(err, faults)
			}
			manifest.Sources, manifest.ProgramHashes = sources, programs
			if string(manifest.format()) != string(data) {
				t.Errorf("judge generate %s would change %s", filepath.Base(dir), path)
			}
		}
	}
}

func FuzzManifest(f *testing.F) {
	f.Add(example.format())
	f.Add([]byte("[[case]]\nname = \"../../etc/passwd\"\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, faults := parseManifest("m", data)
		if m == nil && len(faults) == 0 {
			t.Fatal("neither a manifest nor a fault")
		}
		if len(faults) > 0 {
			return
		}
		for _, e := range m.Cases {
			if strings.ContainsAny(e.Name, `/\`) || !filepath.IsLocal(e.Name) {
				t.Errorf("a case is called %q", e.Name)
			}
		}
	})
}

func TestFlaw(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"text with a final line feed is fine", "1 2\n", ""},
		{"UTF-8 is fine", "größe\n", ""},
		{"nothing is a flaw", "", "is empty"},
		{"CRLF is a flaw, and the line is named", "1\n2\r\n", "has a carriage return in line 2"},
		{"a missing line end is a flaw", "1 2", "does not end with a line feed"},
		{"a byte order mark is a flaw", "\xef\xbb\xbf1\n", "begins with a byte order mark"},
		{"Latin-1 is a flaw", "gr\xf6\xdfe\n", "is not UTF-8"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text, hint := EncodingProblem([]byte(test.data))
			if text != test.want || (text == "") != (hint == "") {
				t.Errorf("Flaw(%q) = %q, %q, want %q", test.data, text, hint, test.want)
			}
		})
	}
}

func TestHashPartsSeesEveryChange(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("p/a.go", "a")
	part := &judge.SetterProgram{Path: filepath.Join(dir, "p"), Protocol: "kit"}
	seen := map[string]string{}
	look := func(what string, parts ...*judge.SetterProgram) {
		t.Helper()
		sum, err := hashParts(parts...)
		if err != nil {
			t.Fatal(err)
		}
		if before, twice := seen[sum]; twice {
			t.Errorf("%s has the hash of %s", what, before)
		}
		seen[sum] = what
	}
	look("one part", part)
	look("a part behind a missing one", nil, part)
	look("another argument", &judge.SetterProgram{Path: part.Path, Protocol: "kit", Args: []string{"x"}})
	look("another protocol", &judge.SetterProgram{Path: part.Path, Protocol: "plain"})
	write("p/b.go", "a")
	look("another file", part)
	write("p/b.go", "b")
	look("another content", part)
}
