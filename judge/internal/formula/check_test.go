package formula_test

import (
	"fmt"
	"strings"
	"testing"

	"assay/judge/internal/formula"
)

func TestCheck(t *testing.T) {
	const (
		open  = "the dollar sign begins a formula that does not end in the same paragraph"
		blank = "the dollar sign has a blank behind it, and begins no formula"
	)
	for _, row := range []struct {
		markdown string
		n        int
		want     string
	}{
		{"A\n\n$a + \\frac{1}{$", 1, `3: the formula $a + \frac{1}{$ is broken: { is not closed`},
		{"a $1 \\le n$ b\n$n \\leq\n10^5$ c", 2, ""},
		{"one\r\n\r\n$\\left( a$", 1, `3: the formula $\left( a$ is broken: \left is not closed`},
		{"$\\foo a$", 1, `1: the formula $\foo a$ cannot be drawn: pages show its source`},
		{"- item\n- $n is open", 0, "2: " + open},
		{"# $n\n\ntext", 0, "1: " + open},
		{"a\nb $10^5 is open", 0, "2: " + open},
		{"$10 \\le n", 0, "1: " + open},
		{"$\\frac 12", 0, "1: " + open},
		{"$(a+b) is", 0, "1: " + open},
		{"costs $5, $7.50 and $10k; ($3) or $1,000.", 0, ""},
		{"costs $5-$7 or $5/day", 0, ""},
		{"in US$", 0, ""},
		{"for 5$ each", 0, ""},
		{
			"costs $5, where $x^2$ is", 1,
			"1: the formula $5, where $x^2$ is broken: it has a dollar sign in it; an earlier formula may not be closed",
		},
		{"costs $ 5, where $x^2$ is", 1, ""},
		{"a$$", 0, "1: $$ begins a formula that does not end in the same paragraph"},
		{"costs \\$x and `$HOME`", 0, ""},
		{"    $HOME\n\n```\n$x\n```", 0, ""},
		{"set $HOME", 0, "1: " + open},
		{"with $ n^2 $ blanks", 0, "1: " + blank},
		{"costs $ 5 and $ 7", 0, ""},
		{"where n \\le 5$ holds", 0, "1: " + blank},
		{"$$ a\n\nb", 0, "1: $$ begins a formula that does not end in the same paragraph"},
		{"$$\na\n$$", 1, ""},
		{"$a and then $b$ c", 1, "1: the formula $a and then $b$ is broken: it has a dollar sign in it; an earlier formula may not be closed"},
		{"| a | b |\n|--|--|\n| $x$ | $y |", 1, "3: " + open},
		{"[a $x](b)\n\n*$y there*", 0, "1: " + open + "\n3: " + open},
		{"a \\(a + \\frac{1}{\\) b", 0, `1: \( begins no formula in Markdown`},
		{"a\n\\[\nn_i \\le 5\n\\]", 0, `2: \[ begins no formula in Markdown`},
		{"\\(see above\\), \\[1, 10^5\\] and \\(n^{2}", 0, ""},
		{"\\(n^{2}\\) `\\(n^{2}\\)`", 0, `1: \( begins no formula in Markdown`},
		{"\\(where $n_{1}$ is small\\)", 1, ""},
		{"a\\", 0, ""},
		{"<!-- $x -->\n\n<b>$y</b>", 0, "3: " + open}, // a tag does not begin a block here
	} {
		n, found := formula.Check([]byte(row.markdown))
		var got []string
		for _, f := range found {
			got = append(got, fmt.Sprintf("%d: %s", f.Line, f.Text))
		}
		if text := strings.Join(got, "\n"); text != row.want || n != row.n {
			t.Errorf("Check(%q) = %d and\n%s\nwant %d and\n%s", row.markdown, n, text, row.n, row.want)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte("$a$ $b \\$ $$c$$ | $d\n\n$ e_1 $"))
	f.Fuzz(func(t *testing.T, markdown []byte) {
		lines := strings.Count(string(markdown), "\n") + 1
		_, found := formula.Check(markdown)
		for _, finding := range found {
			if finding.Line < 1 || finding.Line > lines {
				t.Errorf("line %d of %d", finding.Line, lines)
			}
		}
	})
}
