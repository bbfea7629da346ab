package scaffold

import (
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
