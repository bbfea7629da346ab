package tex_test

import (
	"os"
	"strings"
	"testing"

	"assay/judge/internal/tex"
)

func TestFlaw(t *testing.T) {
	for _, row := range []struct{ formula, want string }{
		{`a + \frac{1}{`, "{ is not closed"},
		{`a}`, "a } has no { before it"},
		{`\{a\}`, ""},
		{`\left( a`, `\left is not closed`},
		{`\left( {a \right) }`, "{ is not closed"},
		{`\left( a }`, "a } has no { before it"},
		{`a \right)`, `a \right has no \left before it`},
		{`\left\{ a \right.`, ""},
		{`\begin{pmatrix} a & b \\ c \end{pmatrix}`, ""},
		{`\begin{pmatrix} a`, `\begin{pmatrix} is not closed`},
		{`\begin{pmatrix} a \end{matrix}`, `\begin{pmatrix} is not closed`},
		{`a \end{matrix}`, `\end{matrix} has no \begin before it`},
		{`\begin{pmatrx} a \end{pmatrx}`, `there is no environment "pmatrx"`},
		{`\begin{tabular}{l} a \end{tabular}`, ""},
		{`\begin{align*} a &= b \end{align*}`, ""},
		{`\begin{own} a \end{own}`, ""},
		{`\begin`, `\begin needs 1 argument`},
		{`\frac{1}`, `\frac needs 2 arguments`},
		{`{\frac12}`, ""},
		{`{\frac1}`, `\frac needs 2 arguments`},
		{`\sqrt[3]{n} \sqrt n`, ""},
		{`\sqrt[3]`, `\sqrt needs 1 argument`},
		{`\begin{matrix}\sqrt & a\end{matrix}`, `\sqrt needs 1 argument`},
		{`\begin{matrix}\sqrt \\ a\end{matrix}`, `\sqrt needs 1 argument`},
		{`\begin{matrix}\sqrt\end{matrix}`, `\sqrt needs 1 argument`},
		{`a^`, "^ needs 1 argument"},
		{`a_{i}^2`, ""},
		{`a^b^c`, "it has two exponents in a row: put braces around one"},
		{`a_b^c_d`, "it has two indices in a row: put braces around one"},
		{`a^{b}{}^c`, ""},
		{`x^\frac12^2`, ""}, // the end of the argument is not determined
		{`a $ b`, "it has a dollar sign in it; an earlier formula may not be closed"},
		{`\text{if $a$ is \$5}`, ""},
		{`\text{if $a is}`, "a dollar sign in it is not closed"},
		{`a % b`, `% begins a comment, which hides the rest: write \%`},
		{`a \% b \\\% c`, ""},
		{"a % b\n+ c", ""},
		{"a % }\n+ c", ""},
		{`\foo{a}`, ""}, // it may be defined elsewhere
		{"", ""},
	} {
		if got := tex.FormulaError(row.formula, "own"); got != row.want {
			t.Errorf("Flaw(%q) = %q, want %q", row.formula, got, row.want)
		}
	}
}

// TestFlawOfDrawn checks that Flaw finds no error in formulas that MathML renders.
func TestFlawOfDrawn(t *testing.T) {
	data, err := os.ReadFile("testdata/formulas.txt")
	if err != nil {
		t.Fatal(err)
	}
	for source := range strings.Lines(string(data)) {
		source = strings.TrimSuffix(source, "\n")
		if _, ok := tex.MathML(source, true); ok {
			if flaw := tex.FormulaError(source); flaw != "" {
				t.Errorf("%q is drawn, but: %s", source, flaw)
			}
		}
	}
}

func TestBroken(t *testing.T) {
	const latex = "\\newcommand{\\bm}{\\begin{pmatrix}}\\newcommand{\\N}{10^{5}}\\newenvironment{own}{}{}\n" +
		"$\\bm a\\end{pmatrix} \\le \\N$ is well.\n" +
		"$\\begin{own}a\\end{own}$ $a$ \\[ b \\]\n$\\frac{1}$ is not, nor\n\\(\\left( a\\)\n\n\\[ x % y\n\n" +
		"\\begin{align*} a^b^c \\end{align*}\n\n$ open"
	doc := tex.Source{Text: latex, File: "problem.tex"}.Convert()
	var got []string
	for _, w := range doc.Broken {
		got = append(got, strings.Repeat("|", w.Line)+w.Text)
	}
	want := []string{
		`||||the formula $\frac{1}$ is broken: \frac needs 2 arguments`,
		`|||||the formula $\left( a$ is broken: \left is not closed`,
		`|||||||the formula has no \] at its end`,
		`|||||||||the formula $a^b^c$ is broken: it has two exponents in a row: put braces around one`,
		`|||||||||||the dollar sign begins a formula that does not end`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if doc.Formulas != 7 {
		t.Errorf("%d formulas, want 7", doc.Formulas)
	}
}
