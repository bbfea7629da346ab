package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// setterMistakes maps error messages of `judge verify` to the mistakes in docs/setter.md that cause them. For each
// mistake, it contains the files that make it and the position that the error reports. An empty text removes a
// file.
var setterMistakes = map[string]struct {
	place string
	files map[string]string
}{
	`unknown key "tile"`: {"problems/p/problem.toml:1", map[string]string{"problems/p/problem.toml": "tile = \"Sum\"\n"}},
	`no such file`: {"problems/p/problem.toml:3", map[string]string{
		"problems/p/problem.toml": "title = \"Sum\"\n[reference]\nprogram = \"refrence.sh\"\n",
	}},
	`the statement is empty`: {"problems/p/statement.md", map[string]string{"problems/p/statement.md": "\n"}},
	`is missing in the statement`: {
		"problems/p/input.format:1", map[string]string{"problems/p/statement.md": "Add two numbers from 0 to 10.\n"},
	},
	`neither 42 nor 43`: {"problems/p/checker.sh", map[string]string{
		"problems/p/problem.toml": "title = \"Sum\"\n[checker]\nprogram = \"checker.sh\"\nspeaks = \"kattis\"\n",
		"problems/p/checker.sh":   "exit 0\n",
	}},
	`has a carriage return`: {
		"problems/p/cases/secret/high.in", map[string]string{"problems/p/cases/secret/high.in": "100 100\r\n"},
	},
	`not the one that was generated`: {"testcases/p/more/1-2.in", map[string]string{
		"problems/p/problem.toml":  "title = \"Sum\"\n[generator]\nspeaks = \"plain\"\n[[group]]\nname = \"more\"\ncases = [\"1 2\"]\n",
		"problems/p/generator.sh":  "echo $1 $2\n",
		"testcases/p/more/1-2.in:": "1 3\n", // after the generation
	}},
	`is not valid`: {"problems/p/cases/secret/high.in", map[string]string{
		"problems/p/cases/secret/high.in": "101 100\n", "problems/p/cases/secret/high.ans": "201\n",
	}},
	`accepts a lone line feed`: {"problems/p/validator.sh", map[string]string{
		"problems/p/problem.toml": "title = \"Sum\"\n[validator]\nspeaks = \"kattis\"\n", "problems/p/input.format": "",
		"problems/p/validator.sh": "read a b || exit 43\n[ \"${a:-0}\" -le 100 ] && [ \"${b:-0}\" -le 100 ] && exit 42\nexit 43\n",
	}},
	`the reference does not give this answer`: {
		"problems/p/cases/secret/high.ans", map[string]string{"problems/p/cases/secret/high.ans": "201\n"},
	},
	`the checker fails: IndexError`: {"problems/p/checker.py:2", map[string]string{
		"problems/p/problem.toml": "title = \"Sum\"\n[checker]\nprogram = \"checker.py\"\nspeaks = \"kattis\"\n",
		"problems/p/checker.py":   "words = []\nprint(words[3])\n",
	}},
	`the input of no sample case`: {"problems/p/statement.md:7", map[string]string{
		"problems/p/statement.md": "Add two numbers from 0 to 100.\n\n## Example\n\n| input | output |\n| --- | --- |\n| `3 5` | `8` |\n",
	}},
	`which does not exist`: {"problems/p/statement.md:3", map[string]string{
		"problems/p/statement.md": "Add two numbers from 0 to 100.\n\n![two](numbers.png)\n",
	}},
	`{ is not closed`: {"problems/p/statement.md:3", map[string]string{
		"problems/p/statement.md": "Add two numbers from 0 to 100.\n\n$\\frac{a}{b$\n",
	}},
	`accepts an empty file`: {"problems/p/checker.sh", map[string]string{
		"problems/p/problem.toml": "title = \"Sum\"\n[checker]\nprogram = \"checker.sh\"\nspeaks = \"kattis\"\n",
		"problems/p/checker.sh":   "exit 42\n",
	}},
	`are in no case`: {"problems/p/input.format", map[string]string{
		"problems/p/cases/secret/high.in": "", "problems/p/cases/secret/high.ans": "",
	}},
	`gets AC, its directory promises WA`: {
		"solutions/p/wrong_answer/sum.sh", map[string]string{"solutions/p/wrong_answer/sum.sh": "read a b\necho $((a + b))\n"},
	},
}

// TestMistakesOfSetters makes each mistake that docs/setter.md lists, in a problem that is otherwise correct. It
// omits the last two mistakes, which are about running times: TestSlow and TestTight of package verify test them.
func TestMistakesOfSetters(t *testing.T) {
	page, err := os.ReadFile("../../docs/setter.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(page), "\n## Classic mistakes\n")
	listed := regexp.MustCompile("(?m)^- .*: `(.*)`$").FindAllStringSubmatch(list, -1)
	if len(listed) != len(setterMistakes)+2 {
		t.Errorf("docs/setter.md lists %d mistakes, want %d and two about time", len(listed), len(setterMistakes))
	}
	for _, m := range listed {
		said := m[1]
		mistake, known := setterMistakes[said]
		if !known {
			if said != "it needs only 1.1 s" && said != "is tight" {
				t.Errorf("docs/setter.md lists %q, which is not tried", said)
			}
			continue
		}
		t.Run(said, func(t *testing.T) {
			if _, err := exec.LookPath("python3"); err != nil && strings.Contains(mistake.place, ".py") {
				t.Skip("no python3: apt-get install python3")
			}
			t.Chdir(t.TempDir())
			files := map[string]string{
				"judge.toml": "", "problems/p/problem.toml": "title = \"Sum\"\n", "problems/p/statement.md": "Add two numbers from 0 to 100.\n",
				"problems/p/input.format": "line a: int 0..100  b: int 0..100\n", "problems/p/reference.sh": "read a b\necho $((a + b))\n",
				"problems/p/cases/sample/one.in": "3 4\n", "problems/p/cases/sample/one.ans": "7\n",
				"problems/p/cases/secret/low.in": "0 0\n", "problems/p/cases/secret/low.ans": "0\n",
				"problems/p/cases/secret/high.in": "100 100\n", "problems/p/cases/secret/high.ans": "200\n",
				"solutions/p/accepted/sum.sh": "read a b\necho $((a + b))\n",
			}
			verify := func() (code int, said string) {
				t.Helper()
				var out bytes.Buffer
				code = run(t.Context(), []string{"verify", "p"}, &console{in: strings.NewReader(""), out: &out, err: &out})
				return code, strings.Join(strings.Fields(out.String()), " ")
			}
			writeAll(t, files)
			if code, got := verify(); code != 0 || strings.Contains(got, said) {
				t.Fatalf("without the mistake: exit code %d\n%s", code, got)
			}
			later := map[string]string{}
			for name, text := range mistake.files {
				if name, after := strings.CutSuffix(name, ":"); after {
					later[name] = text
				} else {
					files[name] = text
				}
			}
			writeAll(t, files)
			if len(later) > 0 {
				var out bytes.Buffer
				if code := run(t.Context(), []string{"generate", "p"}, &console{in: strings.NewReader(""), out: &out, err: &out}); code != 0 {
					t.Fatalf("judge generate: exit code %d\n%s", code, &out)
				}
				writeAll(t, later)
			}
			if _, got := verify(); !strings.Contains(got, said) || !strings.Contains(got, mistake.place) {
				t.Errorf("judge verify does not say %q of %s:\n%s", said, mistake.place, got)
			}
		})
	}
}

// writeAll writes files. A file with an empty text is removed instead, unless its name is judge.toml.
func writeAll(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if text == "" && name != "judge.toml" {
			_ = os.Remove(name)
			continue
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
