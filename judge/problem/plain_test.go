package problem_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/judge/packages"
	"assay/judge/problem"
)

// lay writes files with the same text to the current directory.
func lay(t *testing.T, text string, files string) {
	t.Helper()
	for name := range strings.FieldsSeq(files) {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPlainFolders checks that inputs with answers form a problem, with numbers in their names ordered by value.
// Inputs without an answer are not cases.
func TestPlainFolders(t *testing.T) {
	for _, test := range []struct{ name, files, want string }{
		{"numbers by value", "p/10.in p/10.ans p/2.in p/2.ans p/02.in p/02.ans p/1.in p/1.ans", "cases/1 cases/02 cases/2 cases/10"},
		{
			"words by letter, and what is short first",
			"p/b2a.in p/b2a.ans p/b2.in p/b2.ans p/a10.in p/a10.ans p/ab.in p/ab.ans p/b.in p/b.ans",
			"cases/a10 cases/ab cases/b cases/b2 cases/b2a",
		},
		{"other extensions", "p/a.in p/a.out p/b.in p/b.a p/c.in p/d.ans", "cases/a cases/b"},
		{
			"other names",
			"p/input1.txt p/output1.txt p/x.in.txt p/x.out.txt p/in7 p/out7 p/in8.txt p/out8.txt p/in9",
			"cases/in7 cases/in8 cases/input1 cases/x.in",
		},
		{"samples by name", "p/1.in p/1.ans p/Sample-2.in p/Sample-2.ans", "sample/Sample-2 cases/1"},
		{
			"directories are groups",
			"p/2.in p/2.ans p/hard/1.in p/hard/1.ans p/sample/3.in p/sample/3.ans p/cases/4.in p/cases/4.ans p/empty/notes",
			"sample/3 hard/1 cases/2 cases/4",
		},
		{
			"what computers leave is passed over",
			"p/1.in p/1.ans p/._1.in p/._1.ans p/Thumbs.db p/__MACOSX/1.in p/__MACOSX/1.ans p/.generate-1/2.in p/.generate-1/2.ans",
			"cases/1",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			lay(t, "1\n", test.files)
			f, faults := problem.Open(packages.Formats, "p", "t", usual)
			if f == nil {
				t.Fatal(faults)
			}
			var ids []string
			for _, g := range f.Groups {
				for _, c := range g.Cases {
					ids = append(ids, c.ID())
				}
			}
			if got := strings.Join(ids, " "); got != test.want || !problem.IsPlain("p") {
				t.Errorf("cases %s, want %s; plain: %v", got, test.want, problem.IsPlain("p"))
			}
		})
	}
}

// TestPlainFoldersLeaveRoomForAnswers checks that an output may be twice as long as the longest answer, even if
// the default limit is smaller.
func TestPlainFoldersLeaveRoomForAnswers(t *testing.T) {
	t.Chdir(t.TempDir())
	lay(t, strings.Repeat("x", 3000), "p/1.in p/1.ans")
	lay(t, "x", "p/2.in p/2.ans q/3.in q/3.ans")
	small := usual
	small.Output = 4000
	for dir, want := range map[string]int64{"p": 6000, "q": 4000} {
		if f, faults := problem.Open(packages.Formats, dir, "t", small); f == nil || f.Limits.Output != want {
			t.Errorf("%s: got %v, %v, want room for %d bytes", dir, f, faults, want)
		}
	}
}
