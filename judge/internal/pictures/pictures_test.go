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
		"<img src=a.png><img src=http://d/e.png>\n<script>\"<img src=f.png>\"</script>"
	got := pictures.PathsInHTML([]byte(page))
	want := []pictures.Reference{{Path: "a.png", Line: 4}, {Path: "b/c.png", Line: 5}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestPostScript(t *testing.T) {
	for data, want := range map[string]string{
		"%!PS-Adobe-3.0 EPSF-3.0": "application/postscript", "\x04%!PS": "application/postscript",
		"\xc5\xd0\xd3\xc6\x20\x00": "application/postscript", "\x04\x04%!": "", "% !PS": "",
	} {
		if kind, _, _ := pictures.Type([]byte(data)); kind != want {
			t.Errorf("the type of %q is %q, want %q", data, kind, want)
		}
	}
}

func TestSizeAttributes(t *testing.T) {
	for _, row := range []struct{ markdown, want string }{
		{"![a](b.png){width=50%} c", "![a](b.png#width=50pc) c"},
		{`![](<a b.png> "t"){ .x height="2cm" }`, `![](<a b.png#height=76px> "t")`},
		{"![](b.png){#fig:b width=7.6}![](c){width=1e9}", "![](b.png#width=8px)![](c)"},
		{"![](b.png#width=3px){width=50%}", "![](b.png#width=3px)"},
		{"![](b.png){{n}} ![](b.png){see} [](b.png){width=5} ![](b.png) {width=5}",
			"![](b.png){{n}} ![](b.png){see} [](b.png){width=5} ![](b.png) {width=5}"},
	} {
		if got := pictures.SizeAttributes(row.markdown); got != row.want {
			t.Errorf("SizeAttributes(%q) = %q, want %q", row.markdown, got, row.want)
		}
	}
}

func TestEmbedHTML(t *testing.T) {
	const page = "<!DOCTYPE html>\n<p title='a'>x &lt; y<IMG SRC='a b.png' width=5 srcset='c.png 2x'><img src=none.png><img>" +
		"<embed src='a b.png'>" +
		"<picture><source srcset=c.webp><img src=\"https://d/e.png\"/></picture>" +
		"<script>if (a<b) '<img src=\"a b.png\">'</script><!-- <img src='a b.png'> -->"
	const want = "<!DOCTYPE html>\n<p title='a'>x &lt; y<img width=\"5\" src=\"data:a b.png\"><img src=none.png><img><embed src='a b.png'>" +
		"<picture><img src=\"https://d/e.png\"/></picture>" +
		"<script>if (a<b) '<img src=\"a b.png\">'</script><!-- <img src='a b.png'> -->"
	embed := func(path string) string {
		if path == "none.png" {
			return ""
		}
		return "data:" + path
	}
	if got := string(pictures.EmbedHTML([]byte(page), embed)); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

func FuzzEmbedHTML(f *testing.F) {
	f.Add("<p>a<img src='b.png' srcset=c><source><script><img src=d>")
	f.Fuzz(func(t *testing.T, page string) {
		kept := pictures.EmbedHTML([]byte(page), func(string) string { return "" })
		if !strings.Contains(strings.ToLower(page), "<source") && string(kept) != page {
			t.Errorf("without pictures to embed, %q becomes %q", page, kept)
		}
		out := pictures.EmbedHTML([]byte(page), func(string) string { return "data:x" })
		for _, p := range pictures.PathsInHTML(out) {
			t.Errorf("%q becomes %q, which still refers to %q", page, out, p.Path)
		}
	})
}
