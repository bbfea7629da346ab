package formula_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"assay/judge/internal/formula"
)

func TestCheckHTML(t *testing.T) {
	const open = " begins a formula that does not end in the same text"
	for _, row := range []struct {
		page string
		n    int
		want string
	}{
		{"<p>A\n\n\\(a + \\frac{1}{\\)</p>", 1, `3: the formula $a + \frac{1}{$ is broken: { is not closed`},
		{"<p>$n \\le 5$ and \\[ m &lt; n \\] and $$$k$$$ and $$j$$</p>", 4, ""},
		{"<p>$$$$$$n$$$$$$</p>", 1, ""},
		{"<p>$\\foo a$</p>", 1, `1: the formula $\foo a$ cannot be drawn: pages show its source`},
		{"<p>\\(n <b>x</b>\\)</p>", 0, `1: \(` + open},
		{"<p>\\[n</p>\n<p>$$n</p>\n<p>$$$n</p>", 0, `1: \[` + open + "\n2: $$" + open + "\n3: $$$" + open},
		{"<p>where $n^2 is</p>", 0, "1: the dollar sign" + open},
		{"<p>it costs $5 or $7, in US$; set $HOME; \\$x^2, \\$</p>", 0, ""},
		{"<pre>\\(x</pre><code>$x^2</code><script>if (a < b) { $('x^2') }</script><style>$x_1</style>$y$", 1, ""},
		{"<code>$x^2", 0, ""},
		{"<p>$a &lt; b$</p>", 1, ""},
		{"<p>$a and $b$ c</p>", 1, ""},
		{"", 0, ""},
	} {
		n, found := formula.CheckHTML([]byte(row.page))
		var got []string
		for _, f := range found {
			got = append(got, fmt.Sprintf("%d: %s", f.Line, f.Text))
		}
		if text := strings.Join(got, "\n"); text != row.want || n != row.n {
			t.Errorf("CheckHTML(%q) = %d and\n%s\nwant %d and\n%s", row.page, n, text, row.n, row.want)
		}
	}
}

func TestDrawHTML(t *testing.T) {
	if got := string(formula.DrawHTML([]byte("$n &lt; m$"))); !strings.Contains(got, ">&lt;</mo>") {
		t.Errorf("a sign that is escaped is drawn as %s", got)
	}
	for _, row := range []struct{ page, want string }{
		{"<p>no formula, $5</p>", "<p>no formula, $5</p>"},
		{"<p>a $n$ b \\(m\\) c</p><pre>$n$</pre>", "<p>a <math>n</math> b <math>m</math> c</p><pre>$n$</pre>"},
		{"\\[n\\]", "<math display>n</math>"},
		{"$$$n$$$ and $$$$$$n$$$$$$ and $$n$$", "<math>n</math> and <math display>n</math> and <math display>n</math>"},
		{"$n<m$ and $x$", "$n<m$ and $x$"}, // <m begins a tag that extends to the end
		{"$\\foo$ $\\sqrt$ and $n", "$\\foo$ $\\sqrt$ and $n"},
	} {
		got := string(formula.DrawHTML([]byte(row.page)))
		for _, name := range []string{"n", "m"} {
			got = strings.ReplaceAll(got, "<math><mi>"+name+"</mi></math>", "<math>"+name+"</math>")
			got = strings.ReplaceAll(got, `<math display="block"><mi>`+name+"</mi></math>", "<math display>"+name+"</math>")
		}
		if got != row.want {
			t.Errorf("DrawHTML(%q) =\n%s\nwant\n%s", row.page, got, row.want)
		}
	}
}

// FuzzHTML checks that reported lines are on the page, and that a page without formulas stays unchanged.
func FuzzHTML(f *testing.F) {
	f.Add([]byte("<p>$a$ \\(b\\) $$c$$ \\[d <pre>$e$</pre> $f &lt; g$"))
	f.Fuzz(func(t *testing.T, page []byte) {
		n, found := formula.CheckHTML(page)
		for _, finding := range found {
			if finding.Line < 1 || finding.Line > bytes.Count(page, []byte("\n"))+1 {
				t.Errorf("line %d of %q", finding.Line, page)
			}
		}
		if drawn := formula.DrawHTML(page); n == 0 && !bytes.Equal(drawn, page) {
			t.Errorf("DrawHTML(%q) = %q without formulas", page, drawn)
		}
	})
}
