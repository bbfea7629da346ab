package main

import (
	"assay/cmd/internal/cli"

	"bytes"
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestQuickStarts follows the quick starts in docs/. It writes the files that a page shows, runs its commands in a
// separate directory, and checks their output against the page. It repeats this for problem setters who use Python
// and C++, on a machine without Go.
func TestQuickStarts(t *testing.T) {
	for _, test := range []struct {
		page, needs string
		slow        bool   // runs Python hundreds of times, or builds with an empty cache
		lang        string // language of the setter's programs; empty means Go
		words       int    // maximum length of the page; zero means 650
	}{
		{page: "contestant.md", needs: "python3", slow: true}, {
			page: "golfer.md", needs: "python3", slow: true,
		}, {page: "bot-author.md", needs: "python3"}, {page: "golf-setter.md", needs: "python3", slow: true},
		{page: "setter.md", needs: "sh"}, {
			page: "setter.md", needs: "python3", slow: true, lang: "python",
		}, {page: "setter.md", needs: "g++", slow: true, lang: "cpp"},
		{page: "tutorial.md", needs: "sh", words: 1300},
	} {
		t.Run(test.page+test.lang, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("../../docs", test.page))
			if err != nil {
				t.Fatal(err)
			}
			if words := len(strings.Fields(string(text))); words > cmp.Or(test.words, 650) {
				t.Errorf("docs/%s has %d words: a quick start is at most a page", test.page, words)
			}
			if _, err := exec.LookPath(test.needs); err != nil {
				t.Skipf("no %s: apt-get install %s", test.needs, test.needs)
			}
			if test.slow && os.Getenv("ASSAY_SLOW") == "" {
				t.Skip("its commands run many programs; they are typed with ASSAY_SLOW=1")
			}
			if test.lang != "" {
				t.Setenv("ASSAY_CACHE", t.TempDir()) // contains nothing built by Go
				text = inLanguage(t, text, test.lang)
			}
			t.Chdir(t.TempDir())
			typed := 0
			for _, block := range fenced(string(text)) {
				if block.kind == "console" {
					typed += typeIn(t, block.text)
				} else if block.file != "" {
					if err := os.MkdirAll(filepath.Dir(block.file), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(block.file, []byte(block.text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			if typed < 4 {
				t.Errorf("docs/%s shows %d commands", test.page, typed)
			}
			if test.lang != "" { // Go was never available
				var out bytes.Buffer
				if err := os.WriteFile("sum.go", []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				if code := run(t.Context(), []string{"submit", "two-sum", "sum.go"}, &console{
					in: strings.NewReader(""), out: &out, err: &out,
				}); code != cli.ExitJudge || !strings.Contains(out.String(), "Go needs no-go") {
					t.Errorf("a program in Go: exit code %d\n%s", code, &out)
				}
			}
		})
	}
}

// inLanguage converts a page for problem setters to a language other than Go. It changes the commands and files,
// and adds a judge.toml without Go to the contest.
func inLanguage(t *testing.T, page []byte, language string) []byte {
	t.Helper()
	for from, to := range map[string]string{
		"$ judge init my-contest\n": "$ judge init my-contest --lang " + language + "\n",
		"$ judge new two-sum\n":     "$ judge new two-sum --lang " + language + "\n",
		"$ cd my-contest\n":         "$ cd my-contest\n```\n```toml judge.toml\n" + noGo + "```\n```console\n",
	} {
		if !bytes.Contains(page, []byte(from)) {
			t.Fatalf("the page does not say %q", from)
		}
		page = bytes.ReplaceAll(page, []byte(from), []byte(to))
	}
	return bytes.ReplaceAll(page, []byte(".go\n"), []byte(map[string]string{"python": ".py\n", "cpp": ".cpp\n"}[language]))
}

// noGo is a judge.toml for a machine without Go. Otherwise, the judge would find Go outside the PATH.
const noGo = `[[language]]
id      = "go"
tools   = ["no-go"]
locate  = ["no-go", "env", "GOROOT"]
version = ["no-go", "env", "GOVERSION"]
build   = [["no-go", "build", "-o", "main", "."]]
`

// block is a fenced block: its info string, the file it is written to, and its text.
type block struct{ kind, file, text string }

func fenced(page string) (blocks []block) {
	end := "" // closing fence of the current block, which may contain shorter fences
	for line := range strings.Lines(page) {
		fence := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case end != "" && strings.TrimSpace(line) == end:
			end = ""
		case end != "":
			blocks[len(blocks)-1].text += line
		case len(fence) >= 3:
			kind, file, _ := strings.Cut(strings.TrimSpace(line[len(fence):]), " ")
			blocks, end = append(blocks, block{kind: kind, file: file}), fence
		}
	}
	return blocks
}

// typeIn types the commands of a block. Each line below one must stand in what it
// prints, in this order.
func typeIn(t *testing.T, text string) (typed int) {
	t.Helper()
	for _, command := range strings.Split("\n"+text, "\n$ ")[1:] {
		line, shown, _ := strings.Cut(command, "\n")
		words := strings.Fields(regexp.MustCompile(`'[^']*'`).ReplaceAllStringFunc(line, func(s string) string {
			return strings.ReplaceAll(strings.Trim(s, "'"), " ", "\x00")
		}))
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "\x00", " ")
		}
		switch words[0] {
		case "cd":
			t.Chdir(words[1])
			continue
		case "rm":
			if err := os.Remove(words[1]); err != nil {
				t.Error(err)
			}
			continue
		}
		var out bytes.Buffer
		c := &console{in: strings.NewReader(""), out: &out, err: &out}
		if code := run(t.Context(), words[1:], c); words[0] != "judge" || code != cli.ExitAccepted && code != cli.ExitNotAccepted {
			t.Errorf("%s: exit code %d\n%s", line, code, &out)
		}
		rest := out.String()
		for want := range strings.Lines(shown) {
			_, after, found := strings.Cut(rest, strings.TrimRight(want, "\n"))
			if !found {
				t.Errorf("%s: there is no %q in\n%s", line, want, &out)
			} else {
				rest = after
			}
		}
		typed++
	}
	return typed
}
