package problem_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/judge/problem"
)

func TestPictures(t *testing.T) {
	const markdown = "# A\n" +
		"![a](a.png#width=50pc) and ![b [x]](<b c.png> \"title\")\n" +
		"![web](https://x.y/z.png) ![data](data:image/png;base64,AA) [link](no.png) \\![x] `![code](no.png)`\n" +
		"```\n![code](no.png)\n~~~\n```\n" +
		"- ```\n  ![code](no.png)\n  ```\n" +
		"<!-- ![no](no.png)\n<img src=\"no.png\"> -->\n" +
		"![](d\\_e.png 'x') ![paren](f(1).png)\n" +
		"![g][G  h] ![g h] ![none][]\n" +
		"<img alt=x\n src='i.svg'> <IMG SRC=j.gif> <img src=\"k&amp;l.png?v=1\"/> <img src=//web/x.png>\n" +
		"\n[g h]: <m.png>\n[a]: no.png\n"
	var got []string
	for _, p := range problem.Pictures(markdown) {
		got = append(got, strings.Repeat("|", p.Line)+p.Name)
	}
	want := []string{"a.png", "b c.png", "d_e.png", "f(1).png", "m.png", "m.png", "i.svg", "j.gif", "k&l.png"}
	lines := []int{2, 2, 13, 13, 14, 14, 15, 16, 16}
	for i := range want {
		want[i] = strings.Repeat("|", lines[i]) + want[i]
	}
	if !slices.Equal(got, want) {
		t.Errorf("pictures\n%q, want\n%q", got, want)
	}
}

func TestFindPicture(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "statement")
	for _, name := range []string{"statement/a.png", "statement/my pic.jpg", "statement/sub/c.svg", "above.png", "statement/dir.png/x"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(t.TempDir(), "x.png")
	if err := os.WriteFile(outside, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(folder, "out.png")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"a.png": "statement/a.png", "a": "statement/a.png", "my%20pic.jpg": "statement/my pic.jpg", "my pic": "statement/my pic.jpg", "sub/c": "statement/sub/c.svg",
		"../above.png": "above.png", "b.png": "", "A.png": "", "../../x.png": "", "out.png": "", "dir.png": "", "": "", "100%.png": "",
	} {
		got, ok := problem.FindPicture(root, folder, name)
		if rel, _ := filepath.Rel(root, got); ok != (want != "") || ok && filepath.ToSlash(rel) != want {
			t.Errorf("FindPicture(%q) = %q, %v, want %q", name, got, ok, want)
		}
	}
}

func FuzzPictures(f *testing.F) {
	for _, seed := range []string{"![a](b)", "![a][b]\n\n[b]: c", "<img src=x>", "```\n![a](b)", "![[[](", "![](<", "`` ` ``![](x)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, markdown string) {
		lines := 1 + strings.Count(markdown, "\n")
		for _, p := range problem.Pictures(markdown) {
			if p.Line < 1 || p.Line > lines {
				t.Errorf("line %d of %d", p.Line, lines)
			}
		}
	})
}
