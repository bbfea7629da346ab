package pictures_test

import (
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
	want := []pictures.Path{{"img/a.png", 3}, {"b c.svg", 4}, {"d e.jpg", 8}, {"f.gif", 12}, {"g", 15}, {"last.png", 21}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
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
