package kit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/judge/kit"
)

// TestForKattis runs kit programs in the same way as an ICPC problem package.
func TestForKattis(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"7": "7\n", "x": "x\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "feedback"), 0o777); err != nil {
		t.Fatal(err)
	}
	rows := []struct {
		it, play, args, stdin string
		exit                  int
		message               string // expected message in the feedback directory
	}{
		{"accepts a right output", "checker", "7 7 feedback/", "7\n", 42, ""},
		{"takes further arguments", "checker", "7 7 feedback/ one two", "7\n", 42, ""},
		{"refuses a wrong output", "checker", "7 7 feedback/", "8\n", 43, "want 7, got 8\n"},
		{"is at fault with a bad answer", "checker", "7 x feedback/", "7\n", 1, "answer, line 1, column 1: want an integer, got \"x\"\n"},
		{"is at fault without its files", "checker", "7 nothing feedback/", "7\n", 1, "open nothing: no such file or directory\n"},
		{"says how it is used", "checker", "7", "7\n", 1, ""},
		{"accepts a valid input", "validator", "", "7\n", 42, ""},
		{"refuses another input", "validator", "", "77\n", 43, ""},
	}
	for _, row := range rows {
		kit.InEach(t, "it "+row.it, func(t *testing.T, l kit.Language) {
			message := filepath.Join(dir, "feedback", "judgemessage.txt")
			if err := os.RemoveAll(message); err != nil {
				t.Fatal(err)
			}
			cmd := l.Start(t, row.play, append([]string{"--kattis"}, strings.Fields(row.args)...)...)
			cmd.Dir = dir
			cmd.Stdin = strings.NewReader(row.stdin)
			_, stderr, exit := run(t, cmd)
			said, _ := os.ReadFile(message) // missing if there is no message
			if exit != row.exit || string(said) != row.message {
				t.Errorf("exit code %d, message %q, want %d, %q\n%s", exit, said, row.exit, row.message, stderr)
			}
		})
	}
}
