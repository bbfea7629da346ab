package pictures_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/judge/internal/pictures"
)

func TestPaths(t *testing.T) {
	got := pictures.Paths([]byte(`# Title

![one](img/a.png#width=50pc) and again ![](img/a.png)
and <img alt="x" src="b%20c.svg">

| x |
|---|
| ![](<d e.jpg>) |

<center>
<p>
<img src=f.gif>
</center>

- ![in a list](g)

![](https://elsewhere.example/h.png) ![](data:image/png;base64,aa) ![]() ` + "`![](code.png)`" + `

![by name][n]

[n]: last.png
`))
	want := []pictures.Reference{{"img/a.png", 3}, {"b c.svg", 4}, {"d e.jpg", 8}, {"f.gif", 12}, {"g", 15}, {"last.png", 19}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestPathsInAllForms(t *testing.T) {
	const markdown = "# A\n" +
		"![a](a.png#width=50pc) and ![b [x]](<b c.png> \"title\")\n" +
		"![web](https://x.y/z.png) ![data](data:image/png;base64,AA) [link](no.png) \\![x] `![code](no.png)`\n" +
		"```\n![code](no.png)\n~~~\n```\n" +
		"- ```\n  ![code](no.png)\n  ```\n" +
		"<!-- ![no](no.png)\n<img src=\"no.png\"> -->\n" +
		"![](d\\_e.png 'x') ![paren](f(1).png)\n" +
		"![g][G  h] ![g h] ![none][]\n" +
		"<img alt=x\n src='i.svg'> <IMG SRC=j.gif> <img src=\"k&amp;l.png?v=1\"/> <img src=//web/x.png>\n" +
		"\n[g h]: <m.png>\n"
	var got []string
	for _, p := range pictures.Paths([]byte(markdown)) {
		got = append(got, strings.Repeat("|", p.Line)+p.Path)
	}
	want := []string{"a.png", "b c.png", "d_e.png", "f(1).png", "m.png", "i.svg", "j.gif", "k&l.png"}
	lines := []int{2, 2, 13, 13, 13, 15, 16, 16} // for references, the line of their block
	for i := range want {
		want[i] = strings.Repeat("|", lines[i]) + want[i]
	}
	if !slices.Equal(got, want) {
		t.Errorf("pictures\n%q, want\n%q", got, want)
	}
}

func FuzzPaths(f *testing.F) {
	f.Add("![a](b.png#width=50pc) <img src=c> [d]: e\n\n<div>\n<img src='f'>")
	f.Fuzz(func(t *testing.T, text string) {
		lines := 1 + strings.Count(text, "\n")
		for _, p := range pictures.Paths([]byte(text)) {
			if p.Path == "" || p.Line < 1 || p.Line > lines {
				t.Errorf("%q has %+v", text, p)
			}
		}
	})
}

func TestInHTML(t *testing.T) {
	const page = "<html>\n<!-- <img src=no.png> -->\n\n        <p><IMG\n src='a.png'> <img src=\"b/c.png#x\"/>\n" +
		"<img src=a.png><img src=http://d/e.png>\n"
	got := pictures.PathsInHTML([]byte(page))
	want := []pictures.Reference{{Path: "a.png", Line: 4}, {Path: "b/c.png", Line: 5}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
