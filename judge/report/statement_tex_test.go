package report_test

import (
	"strings"
	"testing"

	"assay/judge/report"
)

func TestStatementTeX(t *testing.T) {
	for _, row := range []struct{ it, markdown, want string }{
		{"drops the heading that is the title", "# A & B\n\nText.\n", "Text.\n"},
		{"has headings", "## Input\n\n### Form\n", "\\section*{Input}\n\n\\subsection*{Form}\n"},
		{
			"sets what LaTeX takes for its own", "50% of {a_b} & $x_i$ ^ ~ \\\\ #1\n",
			"50\\% of \\{a\\_b\\} \\& $x_i$ \\textasciicircum{} \\textasciitilde{} \\textbackslash{} \\#1\n",
		},
		{"has signs as formulas", "1 ≤ n × 2\n", "1 $\\le$ n $\\times$ 2\n"},
		{
			"has words that stand out, code and links", "*a* **b** `c_d` [e](http://f/%20)\n",
			"\\emph{a} \\textbf{b} \\texttt{c\\_d} \\href{http://f/\\%20}{e}\n",
		},
		{"has exponents and indices", "10<sup>9</sup> a<sub>i</sub>\n", "10\\textsuperscript{9} a\\textsubscript{i}\n"},
		{
			"has lists", "- a\n- b\n\n1. c\n",
			"\\begin{itemize}\n\\item a\n\\item b\n\\end{itemize}\n\n\\begin{enumerate}\n\\item c\n\\end{enumerate}\n",
		},
		{"keeps code as it is", "```\n% $\n```\n", "\\begin{verbatim}\n% $\n\\end{verbatim}\n"},
		{
			"has tables", "| a | b |\n| - | - |\n| 1 | `2` |\n",
			"\\begin{tabular}{ll}\na & b \\\\\n\\hline\n1 & \\texttt{2} \\\\\n\\end{tabular}\n",
		},
		{"has pictures", "![c](a_b.png) ![](c.png#width=25pc) ![](d#width=96px) ![](e#height=10pc) ![](f#scale=50pc) <img src=g.png>\n",
			"\\includegraphics[width=0.5\\textwidth]{a_b.png} \\includegraphics[width=0.25\\textwidth]{c.png} \\includegraphics[width=72pt]{d} " +
				"\\includegraphics[height=0.1\\textheight]{e} \\includegraphics[scale=0.5]{f} \\includegraphics[width=0.5\\textwidth]{g.png}\n"},
		{"names pictures in a form that LaTeX can show", "![](a.svg) ![](b/c.d.SVG) ![](e.gif#scale=50pc) ![](f.pdf)\n",
			"\\includegraphics[width=0.5\\textwidth]{a-svg.pdf} \\includegraphics[width=0.5\\textwidth]{b/c.d-svg.pdf} " +
				"\\includegraphics[scale=0.5]{e-gif.png} \\includegraphics[width=0.5\\textwidth]{f.pdf}\n"},
		{"links pictures of other servers", "![](http://f/a.png)\n", "\\url{http://f/a.png}\n"},
	} {
		var b strings.Builder
		if err := report.StatementTeX(&b, "A & B", []byte(row.markdown)); err != nil {
			t.Fatal(err)
		}
		if want := "\\problemname{A \\& B}\n\n" + row.want; b.String() != want {
			t.Errorf("it %s: got %q, want %q", row.it, b.String(), want)
		}
	}
}
