package mutate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/judge/internal/golden"
	"assay/judge/running/config"
)

// inLanguage maps file extensions in testdata/mutations to languages in judge.toml.
var inLanguage = map[string]string{".py": "python3", ".cpp": "cpp", ".c": "c", ".java": "java", ".rs": "rust", ".js": "javascript"}

func family(t testing.TB, language string) *Family {
	t.Helper()
	f, err := familyOf(language)
	if err != nil || f == nil {
		t.Fatalf("familyOf(%q) = %v, %v", language, f, err)
	}
	return f
}

// TestMutations compares the mutants of a program in each language with a reviewed golden file.
func TestMutations(t *testing.T) {
	for ext, language := range inLanguage {
		t.Run(language, func(t *testing.T) {
			file := "testdata/mutations/main" + ext
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := &Source{Path: file, single: true, files: map[string][]byte{file: text}}
			var b strings.Builder
			for _, m := range family(t, language).mutants(file, string(text)) {
				if got := string(text[m.start:m.end]); got != m.Before {
					t.Errorf("mutant %d changes %q, and says %q", m.ID, got, m.Before)
				}
				b.WriteString(string(m.Operator) + " " + filepath.Base(s.Name(m)) + "\n" + s.Diff(m))
			}
			golden.Check(t, file+".golden", []byte(b.String()))
		})
	}
}

// TestFilesOfADirectory checks that hidden files and Go test files are not part of a program.
func TestFilesOfADirectory(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".git", ".old.cpp", "main.cpp", ".git/main.cpp", "main.go", "main_test.go"} {
		if name == ".git" {
			if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		write(t, filepath.Join(dir, name), []byte("package main\n\nfunc main() {}\n"))
	}
	s, err := readTokens(dir, &config.Language{ID: "cpp", Extensions: []string{"cpp"}}, family(t, "cpp"))
	if err != nil || len(s.files) != 3 || s.names[0] != "main.cpp" {
		t.Errorf("a program in C++ has %d files and the sources %v: %v", len(s.files), s.names, err)
	}
	s, err = Read(dir, tools(t))
	if err != nil || len(s.files) != 2 || s.names[0] != "main.go" {
		t.Errorf("a program in Go has %d files and the sources %v: %v", len(s.files), s.names, err)
	}
}

// TestTokens checks that code in a string, a comment, or a directive does not become tokens.
func TestTokens(t *testing.T) {
	for _, row := range []struct{ name, language, text, want string }{
		{"a comment and a string with a prefix", "python3", "x = rb'#' # a", "x = rb'#'"},
		{"a string of several lines", "python3", "x = '''a\nb''' + 1", "x = '''a\nb''' + 1"},
		{"lines between brackets", "python3", "f(a,\n  b)\n\n\nc", "f ( a , b ) \n c"},
		{"a raw string of C++", "cpp", `R"x(a)" )x" < b`, `R"x(a)" )x" < b`},
		{"a directive of two lines", "cpp", "#define a \\\n b\nc", "#define a \\\n b c"},
		{"digits in groups", "cpp", "1'000LL+'a'", "1'000LL + 'a'"},
		{"a nested comment", "rust", "a /* b /* c */ d */ e", "a e"},
		{"a lifetime and a character", "rust", "'a: 'b' 0..n r#\"a\"b\"#", "'a : 'b' 0 .. n r#\"a\"b\"#"},
		{"an attribute", "rust", "#[a(b = [1])] c", "#[a(b = [1])] c"},
		{"a division and an expression", "javascript", "a / b / c; x = /[/]\\//g", "a / b / c ; x = /[/]\\//g"},
		{"code in a text", "javascript", "`a${ {b:`}`} }c` + 1.5e-3", "`a${ {b:`}`} }c` + 1.5e-3"},
		{"a text that is cut off", "java", "a = \"b\nc", "a = \"b c"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var words []string
			for _, k := range family(t, row.language).Lexis.tokens(row.text) {
				words = append(words, k.text)
			}
			if got := strings.Join(words, " "); got != row.want {
				t.Errorf("tokens(%q) = %q, want %q", row.text, got, row.want)
			}
		})
	}
}

// TestAngles checks that angle brackets around types are distinguished from comparisons.
func TestAngles(t *testing.T) {
	for _, row := range []struct {
		language, text string
		want           int
	}{
		{"cpp", "vector<pair<int, int>> v;", 3},
		{"cpp", "if (a < b && c > d) f();", 0},
		{"cpp", "for (i = 0; i < n; i++) x > y;", 0},
		{"cpp", "max<int>(a, b) < c", 2},
		{"java", "Map<String, List<int[]>> m = new HashMap<>();", 5},
		{"rust", "x.parse::<i64>() < 3", 2},
	} {
		n := 0
		for _, k := range family(t, row.language).Lexis.tokens(row.text) {
			if k.angle {
				n++
			}
		}
		if n != row.want {
			t.Errorf("%s %q has %d angles, want %d", row.language, row.text, n, row.want)
		}
	}
}

// TestSteps checks that each loop counts its steps, except within the change of a mutant.
func TestSteps(t *testing.T) {
	f := family(t, "javascript")
	text := "for (;;) { a() } while (b) c(); for (i = 0; i < 3; i++) d(); do { e() } while (g); for (x of y) h()"
	s := &Source{names: []string{"m"}, files: map[string][]byte{"m": []byte(text)}, steps: f.steps(text), family: f}
	want := "for (;;) { assay_step(); a() } while (assay_step() && (b)) c(); for (i = 0; assay_step() && (i < 3); i++) d();" +
		" do { assay_step(); e() } while (assay_step() && (g)); for (x of y) h()"
	if got := s.mutantText(&Mutant{}); got != want {
		t.Errorf("changed =\n%s\nwant\n%s", got, want)
	}
	at := strings.Index(text, "while (b)")
	m := &Mutant{ID: 1, start: at, end: at + len("while (b) c();"), After: ";"}
	want = strings.Replace(want, "while (assay_step() && (b)) c();", ";", 1)
	if got := s.mutantText(m); got != want {
		t.Errorf("changed =\n%s\nwant\n%s", got, want)
	}
}

// FuzzMutants checks any text. Tokens must be in order and match the text, brackets must be paired, and mutants
// must change the text that they name.
func FuzzMutants(f *testing.F) {
	for ext, language := range inLanguage {
		text, err := os.ReadFile("testdata/mutations/main" + ext)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(language, string(text))
	}
	f.Add("rust", "r#\"")
	f.Add("python3", "if ]:\n\\")
	f.Fuzz(func(t *testing.T, language, text string) {
		family, err := familyOf(language)
		if err != nil || family == nil || len(text) > 1<<14 {
			return
		}
		toks, at := family.Lexis.tokens(text), 0
		for i, k := range toks {
			if k.start < at || k.end <= k.start || text[k.start:k.end] != k.text {
				t.Fatalf("token %d is %+v, behind %d", i, k, at)
			}
			if at = k.end; k.match >= 0 && toks[k.match].match != i {
				t.Fatalf("token %d is not the partner of its partner", i)
			}
		}
		s := &Source{names: []string{"m"}, files: map[string][]byte{"m": []byte(text)}, steps: family.steps(text), family: family}
		last := -1
		for _, m := range family.mutants("m", text) {
			if m.start < last || m.end > len(text) || text[m.start:m.end] != m.Before || m.After == m.Before || m.Line < 1 || m.Column < 1 {
				t.Fatalf("mutant %+v", m)
			}
			last = m.start
			if !strings.Contains(s.mutantText(m), m.After) {
				t.Fatalf("mutant %+v does not change the text", m)
			}
		}
	})
}

// TestAssembly checks that equal functions of two copies have equal fingerprints. The names of the copies and the
// numbers of their labels and constants must not matter.
func TestAssembly(t *testing.T) {
	text := func(id, label, constant, op string) string {
		return "\t.globl\t_Z6" + id + "fv\n_Z6" + id + "fv:\n.LFB" + label + ":\n\t.cfi_startproc\n\tleaq\t" + constant +
			"(%rip), %rdi\n\tjmp\t.L" + label + "\n.L" + label + ":\n\t" + op + "\t$1, %eax\n\tcall\t_Z6" + id + "gv\n\t.size\tx, .-x\n"
	}
	shared := "\t.section\t.rodata\n.LC7:\n\t.string\t\"a\"\n.LC8:\n\t.string\t\"a\"\n.LC9:\n\t.string\t\"b\"\n\t.text\n"
	found := map[string]string{}
	splitAssembly(shared+text(
		"m0000_", "1", ".LC7", "addl",
	)+text("m0001_", "2", ".LC8", "addl")+text("m0002_", "3", ".LC9", "addl")+text("m0003_", "4", ".LC7", "subl"),
		func(id, name, body string) { found[id] += name + "\n" + body })
	if len(found) != 4 || found["m0000_"] != found["m0001_"] || found["m0000_"] == found["m0002_"] || found["m0000_"] == found["m0003_"] {
		t.Errorf("got %q", found)
	}
}

// TestFamilies checks that the tables are consistent.
func TestFamilies(t *testing.T) {
	all, err := readFamilies()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[Operator]bool{}
	for _, f := range all {
		for _, s := range f.mutations {
			seen[s.operator] = true
		}
		if f.Table == (f.Copy != "") || len(f.Run) == 0 || f.MaxMutants == 0 || f.Not == "" {
			t.Errorf("%v: %+v", f.Languages, f)
		}
		for _, name := range append(slices.Clone(f.HarnessFiles), f.Harness) {
			if _, err := familyFiles.ReadFile("harness/" + name); err != nil {
				t.Error(err)
			}
		}
	}
	if len(seen) < 7 {
		t.Errorf("the tables have mutations of %d operators", len(seen))
	}
}
