package scaffold

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEachKindHasSolutions checks that a new problem contains solutions, in the setter's language, that are
// correct, incorrect, and too slow.
func TestEachKindHasSolutions(t *testing.T) {
	usual := []string{"accepted", "time_limit_exceeded", "wrong_answer"}
	other := map[string][]string{
		"answers": {"accepted", "wrong_answer"}, // outputs take no time
		"game":    {"bots"},
	}
	extensions := map[string]string{"go": ".go", "python": ".py", "cpp": ".cpp"}
	for _, kind := range Kinds {
		for _, language := range Languages {
			root := t.TempDir()
			draft, err := Problem(root, "p", kind, language)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range draft.files {
				rel, err := filepath.Rel(filepath.Join(root, "solutions", "p"), f.path)
				if err != nil || strings.HasPrefix(rel, "..") {
					continue
				}
				folder, name, _ := strings.Cut(filepath.ToSlash(rel), "/")
				if kind != "answers" && kind != "game" && filepath.Ext(name) != extensions[language] {
					t.Errorf("%s in %s has the solution %s", kind, language, rel)
				}
				got = append(got, folder)
			}
			slices.Sort(got)
			want, ok := other[kind]
			if !ok {
				want = usual
			}
			if got := slices.Compact(got); !slices.Equal(got, want) {
				t.Errorf("%s in %s has solutions in %v, want %v", kind, language, got, want)
			}
		}
	}
}

// TestAFileIsKept checks that a file of the user survives if a contest cannot be written below its name.
func TestAFileIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes")
	draft, err := Contest(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(draft); err == nil {
		t.Error("Write wrote a contest below a file")
	}
	if text, err := os.ReadFile(path); string(text) != "mine\n" {
		t.Errorf("the file is %q, %v", text, err)
	}
	if _, err := Contest(filepath.Join(path, "below")); err == nil {
		t.Error("Contest took a path below a file")
	}
}

// TestNothingIsLeft checks that Write leaves no file if one of the files cannot be written.
func TestNothingIsLeft(t *testing.T) {
	for _, taken := range []string{"problems", "solutions"} {
		root := t.TempDir()
		draft, err := Problem(root, "p", "batch", "go")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, taken), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Write(draft); err == nil {
			t.Errorf("Write wrote below the file %s", taken)
		}
		if entries, err := os.ReadDir(root); err != nil || len(entries) != 1 {
			t.Errorf("beside the file %s there are %v, %v", taken, entries, err)
		}
	}
}

// TestNewDirectoriesAreRemoved checks that Write removes the files and directories that it created before a file that
// cannot be written, but no directory of the user.
func TestNewDirectoriesAreRemoved(t *testing.T) {
	root := t.TempDir()
	draft := &Draft{files: []file{
		{path: filepath.Join(root, "a", "b", "file")}, {path: filepath.Join(root, "a", "file")},
		{path: filepath.Join(root, "c", "d", "no\x00name")},
	}}
	if paths, err := Write(draft); err == nil || paths != nil {
		t.Errorf("Write wrote %v, %v", paths, err)
	}
	if entries, err := os.ReadDir(root); err != nil || len(entries) != 0 {
		t.Errorf("%v are left, %v", entries, err)
	}
}
