package tex_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"assay/judge/internal/tex"
)

func TestMarkdown(t *testing.T) {
	for _, row := range []struct{ it, latex, want string }{
		{"keeps text", "Hello, world.", "Hello, world."},
		{"makes headings", `\problemname{One} \section*{Input} a \subsection{B}`, "# One\n\n## Input\n\na\n\n### B"},
		{"joins lines and keeps paragraphs", "a\n  b\n\n\nc", "a b\n\nc"},
		{"drops comments, but not the sign", "a % comment\n  b 5\\% c", "a b 5% c"},
		{"marks fonts", `\textbf{a} \emph{b} \texttt{c\_d} \underline{e} \textit{ f }`, "**a** *b* `c_d` e *f*"},
		{"nests fonts", `\textbf{a \emph{b}}`, "**a *b***"},
		{"writes quotes and dashes", "``a'' `b' -- c---d <<e>> f~g", "“a” ‘b’ – c—d «e» f g"},
		{"escapes what Markdown would read", `a\_b * c # [d] x_1 \#`, `a\_b \* c \# \[d\] x\_1 \#`},
		{"keeps angle brackets apart from HTML", "<script>", `\<script>`},
		{"reads lists", `\begin{itemize}\item a \item b` + "\n\nc" + `\end{itemize}`, "- a\n- b\n\n  c"},
		{"reads lists in lists", `\begin{enumerate}\item a \begin{itemize}\item b\end{itemize} \item c\end{enumerate}`, "1. a\n\n   - b\n1. c"},
		{"keeps code as it is", "x\\begin{verbatim}\na $b$ % c\n  \\d\n\\end{verbatim}y", "x\n\n```\na $b$ % c\n  \\d\n```\n\ny"},
		{
			"reads tables",
			`\begin{tabular}{|l|r|} \hline a & $b_1$ \\ \hline \multicolumn{2}{c}{c} \\ d | e & \& \end{tabular}`,
			"| a | $b_1$ |\n|---|---|\n| c | |\n| d \\| e | & |",
		},
		{"writes links", `\url{https://a.b/c_d} \href{https://x.y/}{here}`, "<https://a.b/c_d> [here](https://x.y/)"},
		{
			"marks samples and constants", `a \nextsample b \constant{n} \remainingsamples`,
			"a\n\n{{nextsample}}\n\nb {{n}}\n\n{{remainingsamples}}",
		},
		{"writes accents", `Erd\H{o}s, na\"{\i}ve, \'etude, \c{c}a, \aa, \ss, M\"uller`, "Erdős, naïve, étude, ça, å, ß, Müller"},
		{"leaves out commands that it does not know", `\foo{a} \bar b \vspace{1cm} c`, "a b c"},
		{
			"runs macros of the statement",
			`\newcommand{\maxn}{10^5} \newcommand{\pair}[2]{(#1, #2)} $n \le \maxn$ \pair{a}{b}`,
			`$n \le 10^5$ (a, b)`,
		},
		{"does not run macros for ever", `\def\a{\a\a}\a b`, "b"},
		{"reads a whole document", `\documentclass{article}\usepackage{x}\begin{document}a\end{document}b`, "a"},
		{"reads quotes", `\begin{quote}a` + "\n\n" + `b\end{quote}`, "> a\n>\n> b"},
		{"reads environments of old packages", `\begin{Input}a\end{Input}`, "## Input\n\na"},
		{"ends with an open brace", `a {b \textbf{c`, "a b **c**"},
		{"ends with an open environment", `\begin{itemize}\item a`, "- a"},
		{"breaks lines", `a\\b\\[2mm]c`, "a\\\nb\\\nc"},
		{
			"leaves out rows of a table that are comments",
			"\\begin{tabular}{ll}\n% x & y \\\\\na & b \\\\ % {$\n  % x & y \\\\\nc & d\n\\end{tabular}",
			"| a | b |\n|---|---|\n| c | d |",
		},
		{
			"keeps columns below those that a cell spans",
			`\begin{tabular}{lll}a & b & c\\\multicolumn{2}{c}{d} & e\\\multicolumn{x}{l}{f} & g\end{tabular}`,
			"| a | b | c |\n|---|---|---|\n| d | | e |\n| f | g | |",
		},
		{
			"has a title once",
			`\newcommand{\problemname}[1]{\section*{#1}}\def\illustration#1#2#3{x}\problemname{A}\illustration{.5}{b}{c}`,
			"# A\n\n![c](b#width=50pc)\n\n*c*",
		},
		{"runs macros that only have a name of the format", `\newcommand{\illustration}[1]{<#1>}\illustration{a}`, `\<a>`},
		{"puts notes behind the samples", `a \begin{afterSample}b\end{afterSample}`, "a\n\n{{remainingsamples}}\n\nb"},
		{
			"has no numbers where all items have labels",
			"\\begin{enumerate}\\item[``\\textbf{\\texttt{+ x}}''] a\\item[(b)] b\\end{enumerate}",
			"- **“**`+ x`**”** a\n- **(b)** b",
		},
		{"has numbers where some items have labels", `\begin{enumerate}\item[x] a\item b\end{enumerate}`, "1. **x** a\n1. b"},
		{"reads epigraphs and footnotes", `a\footnote{b} \epigraph{c}{d}`, "a (b)\n\n> c\n>\n> — d"},
	} {
		if got := strings.TrimSpace(tex.Markdown(row.latex)); got != row.want {
			t.Errorf("it %s: Markdown(%q) =\n%q, want\n%q", row.it, row.latex, got, row.want)
		}
	}
}

func TestFormulas(t *testing.T) {
	for _, row := range []struct{ it, latex, want string }{
		{"relations", `1\le n\leq 10^5, a \neq b`, "1 ≤ n ≤ 10^5, a ≠ b"},
		{"exponents of several parts", `2^{n+1} - 10^{18}`, "2^(n+1) - 10^18"},
		{"indices", `a_1, a_2, \ldots, a_{n}`, "a_1, a_2, ..., a_n"},
		{"fractions and roots", `\frac{a+b}{2} \sqrt{n} \sqrt[3]{n}`, "(a+b)/2 √n 3√(n)"},
		{"words and spaces", `\gcd(a, b) = \text{the answer}\,x`, "gcd(a, b) = the answer x"},
		{"braces", `\{1, \dots, n\} \setminus \left(a\right)`, "{1, ..., n} ∖ (a)"},
		{"Greek letters and arrows", `\alpha \to \Omega`, "α → Ω"},
		{"products", `3 \cdot 10^5 \times n`, "3 · 10^5 × n"},
		{
			"matrices",
			`\begin{pmatrix} 1 & 0 \\[2mm] 0 & \frac{a}{2} \end{pmatrix} \begin{bmatrix}a\\b\end{bmatrix} \begin{vmatrix}a&b\end{vmatrix}`,
			"(1, 0; 0, a/2) [a; b] |a, b|",
		},
		{"cases", `f(n) = \begin{cases} n/2, & n \text{ even} \\ 3n+1 & \text{otherwise}\end{cases}`, "f(n) = { n/2, n even; 3n+1 otherwise }"},
		{"arrays", `\left[\begin{array}{cc} a & b \\ c & d \end{array}\right]`, "[a, b; c, d]"},
		{"aligned lines", `\begin{aligned} a &= b \\ &= c \end{aligned}`, "a = b ; = c"},
		{"marks over a letter", `\hat{x} \vec v \bar{y} \overline{z} \tilde n`, "x\u0302 v\u20d7 ȳ z\u0305 ñ"},
		{"marks over several", `\overline{ab} \vec{AB} \widehat{ABC} \overline{a+b}`, "a\u0305b\u0305 vec(AB) hat(ABC) overline(a+b)"},
		{"over and under", `\overset{!}{=} \underset{x}{y} \xrightarrow{f} \stackrel{a}{b} \textcolor{red}{z}`, "=^! y_x →^f b z"},
		{"a command that is not known", `\foo{x} + \operatorname{lcm}(a)`, "foo(x) + lcm(a)"},
		{"signs that only MathML had", `a \nmid b \lesssim c \lVert d \rVert`, "a ∤ b ≲ c ‖ d ‖"},
	} {
		if got := tex.Formula(row.latex); got != row.want {
			t.Errorf("%s: Formula(%q) = %q, want %q", row.it, row.latex, got, row.want)
		}
	}
}

// TestFormulasInMarkdown: they stay formulas, of which Markdown's marks are no part.
func TestFormulasInMarkdown(t *testing.T) {
	for _, row := range []struct{ it, latex, want string }{
		{"displays", `a \[ x = y \] b $$z$$`, "a\n\n$$x = y$$\n\nb\n\n$$z$$"},
		{"lines", "\\begin{align*}\n a &= b % why\n \\\\ &= c\n\\end{align*}", `$$a &= b \\ &= c$$`},
		{"a dollar without an end", `it costs \$5 and $`, `it costs \$5 and \$`},
		{
			"macros with arguments, in formulas",
			`\newcommand{\half}[1]{\frac{#1}{2}}\DeclareMathOperator{\lcm}{lcm}$\half{\half{x}} \lcm(a)$`,
			`$\frac{\frac{x}{2} }{2} \operatorname{lcm}(a)$`,
		},
		{"macros that never end", `\newcommand{\a}{\a\a}$x\a$`, `$x$`},
		{"constants", `$n \le \constant{n_max} {{n}}$`, `$n \le {{n_max}} { {n} }$`},
		{"formulas in words in formulas", `$x \text{ if $y$}$`, `$x \text{ if \(y\)}$`},
		{"bars in tables", `\begin{tabular}{l}$|x| \| y$ \\ b\end{tabular}`, "| $\\vert x\\vert \\Vert y$ |\n|---|\n| b |"},
		{"blanks at the end", `$a\ $ b`, `$a$ b`},
		{"nothing", `a $ $ b`, `a b`},
		{"formulas in code", `\texttt{$a_1$ b}`, "`a_1 b`"},
		{"quantities", `\SI{3}{\cm} $\SI{2}{\kilo\meter\per\hour}$ \num{5}`, `$3\,\mathrm{cm}$ $2\,\mathrm{km/h}$ $5$`},
		{"delimiters of the statement", `\DeclarePairedDelimiter{\ceil}{\lceil}{\rceil}$\ceil{x}$`, `$\lceil x\rceil$`},
	} {
		if got := strings.TrimSpace(tex.Markdown(row.latex)); got != row.want {
			t.Errorf("%s: Markdown(%q) = %q, want %q", row.it, row.latex, got, row.want)
		}
	}
	if got, want := tex.Plain(`The \textbf{$k$-th} $10^{5}$ for \$5`), "The k-th 10^5 for $5"; got != want {
		t.Errorf("as a name: %q, want %q", got, want)
	}
}

// TestPlainTextIsKept: letters, digits and blanks come through as they are.
func TestPlainTextIsKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zA-Z0-9,.;:!?()]{1,10}`), 1, 20).Draw(t, "words")
		text := strings.Join(words, " ")
		if got := strings.TrimSpace(tex.Markdown(text)); got != text {
			t.Fatalf("Markdown(%q) = %q", text, got)
		}
	})
}

func TestGroup(t *testing.T) {
	for text, want := range map[string]string{"x{a{b}\\}}c": "a{b}\\} 9 true", "x{a{b}": "a{b} 6 false", "x{a\\": "a\\ 4 false"} {
		body, end, closed := tex.Group(text, 1)
		if got := fmt.Sprint(body, " ", end, " ", closed); got != want {
			t.Errorf("Group(%q, 1) = %s, want %s", text, got, want)
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{`\begin{itemize}\item $a_{b^{c}}$\end{itemize}`, `\newcommand{\x}[2]{#1\x{#2}{#1}}\x{a}{b}`,
		`\begin{tabular}{l}a & \begin{tabular}{l}b\\c\end{tabular}\\\end{tabular}`, `\verb|a| \'{e} \"`, "{{{{", `\[ \frac{1}{\frac{2}{3}} \]`,
		`$\left. x \right|$ \\[`,
		`\begin{figure}\includegraphics[width=.5\linewidth]{a b}\caption{c \caption{d}}\end{figure}\illustration{0.3}{a}{b}\subfloat[c]{\tikz{}}`,
		`\begin{problem}{A}{b}{c}{d}{e}\InputFile\exmp{1\\2}{3}{x}\Examples\exmpfile{a}{b}\end{problem}`,
		`\input{self}\import{a}{self}\lstinputlisting[x]{self}`,
		`\newenvironment{a}[1]{#1\begin{a}{x}}{\end{a}}\begin{a}{b}\end{a}\ifnum1=2 a\else b\fi\let\x=\y\newtheorem{t}{T}`,
		`$\begin{cases}a&b\\c\end{cases}\overline{ab}\SI{1}{\m}$`, `\begin{frob}x\end{frob}\parskip=3pt plus 1fil\foo[x]{2em}{y}{\bf z}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, latex string) {
		source := tex.Source{
			Text: latex, Find: func(name string) string { return name[:len(name)%2*len(name)] },
			Read: func(name string) (string, error) { return latex, nil },
		}
		if got := source.Convert().Markdown; len(got) > 17<<20 {
			t.Errorf("%d bytes of LaTeX become %d of Markdown", len(latex), len(got))
		}
		tex.Formula(latex)
		tex.Plain(latex)
	})
}

func ExampleMarkdown() {
	fmt.Print(tex.Markdown(`\section*{Input} One line with an integer~$n$ ($1 \leq n \leq 10^5$).`))
	// Output:
	// ## Input
	//
	// One line with an integer $n$ ($1 \leq n \leq 10^5$).
}
