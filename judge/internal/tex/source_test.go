package tex_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/judge/internal/tex"
)

func TestPictures(t *testing.T) {
	for _, row := range []struct{ it, latex, want string }{
		{"has no size if none is given", `\includegraphics{fig_1.png}`, "![](fig_1.png)"},
		{"takes a part of the text's width", `\includegraphics[width=0.5\textwidth]{a}`, "![](a#width=50pc)"},
		{
			"takes the line's width",
			`\includegraphics[ width = .25 \linewidth , angle=90]{a} \includegraphics[width=\columnwidth]{b}`,
			"![](a#width=25pc) ![](b#width=100pc)",
		},
		{"keeps to the text's width", `\includegraphics[width=3\hsize]{a}`, "![](a#width=100pc)"},
		{"takes lengths", `\includegraphics[width=5cm]{a} \includegraphics[height=30mm]{b} \includegraphics[width=2in]{c} ` +
			`\includegraphics[width=72.27pt]{d} \includegraphics[height=2em]{e} \includegraphics[width=40px]{f}`,
			"![](a#width=189px) ![](b#height=113px) ![](c#width=192px) ![](d#width=96px) ![](e#height=32px) ![](f#width=40px)"},
		{"takes the width before the height", `\includegraphics[height=3cm,width=.4\textwidth,keepaspectratio]{a}`, "![](a#width=40pc)"},
		{"takes a scale", `\includegraphics[scale=1.5]{a}`, "![](a#scale=150pc)"},
		{
			"leaves out a size that it cannot tell",
			`\includegraphics[height=.2\textheight]{a} \includegraphics[scale=x]{b} \includegraphics[height=.2\linewidth]{c}`,
			"![](a) ![](b) ![](c)",
		},
		{"knows the size of a macro", `\newcommand{\w}{0.3\textwidth}\includegraphics[width=\w]{a}`, "![](a#width=30pc)"},
		{
			"puts blanks and parentheses in angles",
			`\includegraphics[scale=.5]{my pic (1).png} \includegraphics{"a b.png"} \includegraphics{a(1)}`,
			"![](<my pic (1).png#scale=50pc>) ![](<a b.png>) ![](<a(1)>)",
		},
		{"knows names with braces and escapes", `\includegraphics{{v1.2}.png} \includegraphics{./a\_b}`, "![](v1.2.png) ![](a_b)"},
		{"reads stars and old corners", `\includegraphics*[0,0][10,10]{a}`, "![](a)"},
		{"illustrates", `x \illustration{0.3}{cat.jpg}{A \emph{cat} by \href{https://x.y/}{X}, $5_6$} y`,
			"x\n\n![A cat by X, 5\\_6](cat.jpg#width=30pc)\n\n*A *cat* by [X](https://x.y/), $5_6$*\n\ny"},
		{"illustrates without a caption", `\illustration{.5}{cat.jpg}{}`, "![](cat.jpg#width=50pc)"},
		{
			"gives a figure's caption to its picture",
			"\\begin{figure}[h]\n  \\centering\n  \\includegraphics{a}\n  \\caption{The $n$ [1].}\\label{f}\\end{figure}",
			"![The n \\[1\\].](a)\n\n*The $n$ \\[1\\].*",
		},
		{"takes a caption above", `\begin{figure}\caption[short]{Long}\includegraphics{a}\end{figure}`, "*Long*\n\n![Long](a)"},
		{"tells figures in figures apart", `\begin{figure*}\begin{subfigure}[t]{.4\textwidth}\includegraphics[width=\linewidth]{a}\caption{A}` +
			`\end{subfigure}\subfloat[B]{\includegraphics{b}}\subcaptionbox{C}[2cm]{\includegraphics{c}}\caption*{All}\end{figure*}`,
			"![A](a#width=40pc)\n\n*A*\n\n![B](b)\n\n*B*\n\n![C](c)\n\n*C*\n\n*All*"},
		{
			"reads what text flows around",
			`\begin{wrapfigure}[5]{r}{0.3\textwidth}\vspace{-1em}\includegraphics[width=0.5\textwidth]{a}\end{wrapfigure}`,
			"![](a#width=50pc)",
		},
		{
			"reads what stands beside",
			`\begin{minipage}[t]{0.5\textwidth}\includegraphics[width=\textwidth]{a}\end{minipage}\hfill\begin{minipage}{5cm}b\end{minipage}`,
			"![](a#width=50pc)\n\nb",
		},
		{
			"has the whole width beside wrapped figures",
			`\begin{wrapfigure}[9]{r}{0.3\textwidth}\includegraphics[width=0.28\textwidth]{a}\includegraphics[width=.5\linewidth]{b}` +
				`\begin{minipage}{\linewidth}\includegraphics[width=\textwidth]{c}\end{minipage}\includegraphics[width=.5\hsize]{d}\end{wrapfigure}`,
			"![](a#width=28pc)![](b#width=15pc)\n\n![](c#width=30pc)\n\n![](d#width=15pc)",
		},
		{
			"takes the first of two captions",
			`\begin{figure}\includegraphics{a}\caption{A}\includegraphics{b}\caption{B}\end{figure}`,
			"![A](a)\n\n*A*\n\n![A](b)\n\n*B*",
		},
		{"captions without a figure", `\begin{center}\includegraphics{a}\captionof{figure}{C}\end{center}`, "![](a)\n\n*C*"},
		{"looks in the directory of pictures", `\graphicspath{{img/}}\includegraphics{a.png}`, "![](img/a.png)"},
		{"reads the preamble's", "\\documentclass{article}\n" +
			"\\newcommand{\\pic}[1]{\\includegraphics{#1.png}}\\graphicspath{{img}}hidden\\begin {document}\\pic{a}\\end {document} after",
			"![](img/a.png)"},
	} {
		if got := strings.TrimSpace(tex.Markdown(row.latex)); got != row.want {
			t.Errorf("it %s: Markdown(%q) =\n%q, want\n%q", row.it, row.latex, got, row.want)
		}
	}
	find := func(name string) string { return map[string]string{"b/x.png": "b/x.png", "y.png": "pics/y.png"}[name] }
	got := tex.Source{
		Text: `\graphicspath{{a/}{b/}}\includegraphics{x.png}\includegraphics{y.png}\includegraphics{z.png}`,
		Find: find,
	}.Convert().Markdown
	if want := "![](b/x.png)![](pics/y.png)![](a/z.png)\n"; got != want {
		t.Errorf("in one of two directories: %q, want %q", got, want)
	}
}

// TestOlymp checks the conversion of a statement exported by Polygon.
func TestOlymp(t *testing.T) {
	const latex = `\begin{problem}{Add}{standard input}{standard output}{1 second}{256 megabytes}

{\it Add} two numbers.

\InputFile
Two.

\OutputFile
One.

\Interaction
None.

\Scoring
All.

\Examples

\begin{example}
\exmpfile{example.01}{example.01.a}%
\exmp{1\_ 2
3}{
4 \\ 5
}{Why not?}%
\end{example}

\Note
The end.
\end{problem}
`
	files := map[string]string{"example.01": "1 2\n", "example.01.a": "3\r\n```\r\n"}
	read := func(name string) (string, error) {
		if text, ok := files[name]; ok {
			return text, nil
		}
		return "", errors.New("it is not there")
	}
	const body = "*Add* two numbers.\n\n## Input\n\nTwo.\n\n## Output\n\nOne.\n\n## Interaction\n\nNone.\n\n## Scoring\n\nAll.\n\n"
	const note = "## Note\n\nThe end.\n"
	doc := tex.Source{Text: latex, Read: read}.Convert()
	want := body + "## Sample 1\n\nInput:\n\n```\n1 2\n```\n\nOutput:\n\n````\n3\n```\n````\n\n## Sample 2\n\nInput:\n\n```\n1_ 2\n3\n" +
		"```\n\nOutput:\n\n```\n4\n5\n```\n\nWhy not?\n\n" + note
	if diff := cmp.Diff(want, doc.Markdown); diff != "" || doc.Examples != 2 {
		t.Errorf("%d examples (-want +got):\n%s", doc.Examples, diff)
	}
	for it, text := range map[string]string{
		"names no example": strings.Replace(latex, latex[strings.Index(latex, `\begin{example}`):strings.Index(latex, `\Note`)], "", 1),
		"has only files":   strings.Replace(latex, latex[strings.Index(latex, `\exmp{`):strings.Index(latex, `\end{example}`)], "", 1),
		"has a sixth entry": strings.Replace(strings.Replace(
			latex, "{256 megabytes}", "{256 megabytes}%\n{feedback}", 1,
		), latex[strings.Index(latex, `\begin{example}`):strings.Index(latex, `\Note`)], "", 1),
	} {
		doc := tex.Source{Text: text}.Convert()
		if diff := cmp.Diff(body+"{{remainingsamples}}\n\n"+note, doc.Markdown); diff != "" || doc.Examples != 0 {
			t.Errorf("a statement that %s has %d examples (-want +got):\n%s", it, doc.Examples, diff)
		}
	}
}

func TestIncludedFiles(t *testing.T) {
	files := map[string]string{
		"a.tex": "A \\input{b}", "b.tex": "B\n\\includegraphics{pic}", "sub/c.tex": "C", "d": "D",
		"loop.tex": `L \input{loop}`, "code.py": "print(1)\n",
		"standalone.tex": "\\documentclass{standalone}\n\\begin{document}\nE \\includegraphics{e}\\end{document}",
	}
	source := tex.Source{File: "main.tex", Text: "x\n\\input{a}\n\n\\input d \\import{sub/}{c} \\include{none}\n\n" +
		"\\lstinputlisting[language=Python]{code.py}\n\\input{loop} \\input{standalone}",
		Read: func(name string) (string, error) {
			if text, ok := files[name]; ok {
				return text, nil
			}
			return "", errors.New("it is not there")
		}}
	doc := source.Convert()
	if want := "x A B ![](pic)\n\nD C \\[none: not found\\]\n\n```\nprint(1)\n```\n\nL E ![](e)\n"; doc.Markdown != want {
		t.Errorf("%q, want\n%q", doc.Markdown, want)
	}
	if want := []tex.Picture{{"pic", "b.tex", 2}, {"e", "standalone.tex", 3}}; !slices.Equal(doc.Pictures, want) {
		t.Errorf("pictures %v, want %v", doc.Pictures, want)
	}
	var told []string
	for _, w := range doc.Warnings {
		told = append(told, fmt.Sprintf("%s:%d: %s", w.File, w.Line, w.Text))
	}
	if want := []string{
		"main.tex:4: the statement includes none: it is not there",
		"loop.tex:1: loop.tex includes itself, or files are nested too deeply",
	}; !slices.Equal(told, want) {
		t.Errorf("%q, want\n%q", told, want)
	}
	many := tex.Source{
		Text: `\input{m}`,
		Read: func(name string) (string, error) { return `\input{m1}\input{m2}\input{m3}` + name, nil },
	}.Convert()
	if len(many.Markdown) > 1<<20 {
		t.Errorf("files that include others without end: %d bytes", len(many.Markdown))
	}
	long := 0
	tex.Source{Text: strings.Repeat(`\input{m}`, 300), Read: func(name string) (string, error) { long++; return "m", nil }}.Convert()
	if long != 200 {
		t.Errorf("%d files were read, want 200", long)
	}
}

func TestNotShown(t *testing.T) {
	quiet := tex.Source{Text: `\tikz{a}\includegraphics{a}\exmp{1}{2}\begin{document}b\end{document}`}.Convert()
	if quiet.Markdown != "b\n" || len(quiet.Pictures)+len(quiet.Warnings)+quiet.Examples > 0 {
		t.Errorf("of a preamble: %+v", quiet)
	}
	doc := tex.Source{File: "p.tex", Text: `\begin{figure}
% \begin{tikzpicture}
\centering
\begin{tikzpicture}[scale=2]
  \draw (0,0) -- (1,1) node {secret};
\end{tikzpicture}
\caption{A line.}
\end{figure}
\begin{frobnicate}[a]{b} secret \begin{frobnicate} secret \end{frobnicate} secret
\end{frobnicate}
\newcommand{\dot}{\tikz \fill (0,0) circle (1);}
Here \tikz[x=1]{\draw secret;} and \dot there.
\ifnum\x=1 secret\ifx a b secret\fi\else secret\fi\iftrue shown\else secret\fi\iffalse secret\else ed\fi
`}.Convert()
	if want := "\\[drawing in TikZ: not shown\\]\n\n*A line.*\n\n\\[frobnicate: not shown\\]\n\n" +
		"Here \\[drawing in TikZ: not shown\\] and \\[drawing in TikZ: not shown\\] there. shown ed\n"; doc.Markdown != want {
		t.Errorf("%q, want\n%q", doc.Markdown, want)
	}
	var told []string
	for _, w := range doc.Warnings {
		told = append(told, fmt.Sprintf("%s:%d: %s", w.File, w.Line, w.Text))
	}
	want := []string{
		"p.tex:4: the statement has a tikzpicture, which is not shown", "p.tex:9: the statement has a frobnicate, which is not shown",
		"p.tex:12: the statement has a tikz, which is not shown", "p.tex:12: the statement has a tikz, which is not shown",
		"p.tex:13: the text between \\ifnum and \\fi is not shown",
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNoSourceText checks that typesetting instructions for TeX do not appear in the output.
func TestNoSourceText(t *testing.T) {
	for _, row := range []struct{ latex, want string }{
		{`a \sout{b c} d`, "a <s>b c</s> d"},
		{"a \\sout{b\n\nc} d", "a b\n\nc d"},
		{`\texttt{\sout{b}\textsuperscript{2}} x\textsuperscript{2}\textsubscript{i}`, "`b2` x<sup>2</sup><sub>i</sub>"},
		{`\parskip=3pt plus 1pt minus 1pt a \parindent 0pt b \vskip-1em c \baselineskip=1.2\baselineskip d \hskip 0pt plus 1filll e ` +
			`\tolerance=1000 f`, "a b c d e f"},
		{`\foo[x=1]{2em}{text} \noindent[1] \unknown{1}`, `text \[1\] 1`},
		{`{\bf a} {\it b} {\tt c} {\small d} {\bfseries\itshape e} \bf{f} {\bf{g} h}`, "**a** *b* `c` d **e** **f** **g** h"},
		{
			`\setcounter{x}{3}\definecolor{c}{rgb}{0,1,0}\textcolor{c}{a}\colorbox{c}{b}\fcolorbox{c}{d}{e}\parbox[t]{3cm}{f}\makebox[2cm][l]{g}`,
			"abefg",
		},
		{`\newcommand{\x}[2][d]{#1#2}\x{a}\x[b]{c}`, "dabc"},
		{`\let\qa=\qb\let\qb=\qa x\qa\qb y`, "xy"},
		{`\let\y=\textbf \let\z\x \y{a}`, "**a**"},
		{`\newenvironment{note}[1]{\textbf{#1:} }{!}\begin{note}{N}text\end{note}`, "**N:** text!"},
		{`\newtheorem{claim}[x]{Claim}\begin{claim}All\end{claim}`, "**Claim.** All"},
		{`\begin{tabular*}{\textwidth}{@{}lr@{}}\toprule a & b\\\cmidrule(lr){1-2} \multirow[t]{2}{*}{c} & ` +
			`\makecell{d}\\\bottomrule\end{tabular*}`, "| a | b |\n|---|---|\n| c | d |"},
		{"\\begin {itemize}[noitemsep]\n\\item a % \\end{itemize}\n\\item b\n\\end {itemize}", "- a\n- b"},
		{`\begin{alignat*}{2} a &= b \end{alignat*}`, "$$a &= b$$"},
		{`a\footnote{b} c\footnotemark[1] \footnotetext[1]{d}`, "a (b) c (d)"},
		{`\lstinline[language=C]|a| \mintinline{c}{b} \path{c} \verb+d+`, "`a` `b` `c` `d`"},
		{"a\n\t\n\tb $x$\n\n \t c\td \\begin{center}\te\\end{center}", "a\n\nb $x$\n\nc d\n\ne"},
		{`\epsfig{width=3cm, file=a.eps} \psfig{figure=b} \epsfig{x} \epsfbox[0 0 9 9]{c.eps}`, "![](a.eps#width=113px) ![](b) ![](c.eps)"},
		{`\href{https://x.y/a_(b).jpg}{c (d)}`, "[c (d)](https://x.y/a_%28b%29.jpg)"},
		{`\begin{enumerate}\label{a}\item A\end{enumerate}\ref{a}`, "1. A\n\n??"},
		{`\hyperlink{x}{a} \cref{y} \foreignlanguage{german}{b} a\xspace.`, "a ?? b a."},
	} {
		if got := strings.TrimSpace(tex.Markdown(row.latex)); got != row.want {
			t.Errorf("Markdown(%q) =\n%q, want\n%q", row.latex, got, row.want)
		}
	}
	const drawing = `\tikz{a}`
	if got := (tex.Source{Text: drawing, PDF: "my_problem.pdf"}).Convert().Markdown; got != "\\[drawing in TikZ: see my\\_problem.pdf\\]\n" {
		t.Errorf("beside a PDF: %q", got)
	}
}

// TestReferences checks that a caption shows its number only if the text refers to it.
func TestReferences(t *testing.T) {
	for _, row := range []struct{ it, language, latex, want string }{
		{"numbers what is referred to", "en", `See Figure~\ref{b}.\begin{figure}\includegraphics{a}\caption{A}\label{a}\end{figure}` +
			`\begin{figure}\caption{B}\label{b}\end{figure}`,
			"See Figure 2.\n\n![A](a)\n\n*A*\n\n*Figure 2: B*"},
		{"knows figures and tables apart", "de", `\begin{figure}\caption{A}\end{figure}\begin{table}\caption{B\label{b}}\end{table} \cref{b}, ` +
			`\autoref{ b }`,
			"*A*\n\n*Tabelle 1: B*\n\nTabelle 1, Tabelle 1"},
		{
			"takes a label above the caption for the next one", "en",
			`\begin{figure}\caption{A}\end{figure}\begin{figure}\label{b}\caption{B}\end{figure}\ref{b}`,
			"*A*\n\n*Figure 2: B*\n\n2",
		},
		{"numbers parts", "sv", `\begin{figure}\begin{subfigure}{.4\textwidth}\caption{A}\end{subfigure}\begin{subfigure}{.4\textwidth}` +
			`\caption{B}\label{b}\end{subfigure}\caption{All}\end{figure}\begin{figure}\subfloat[C]{x\label{c}}\caption{D}\end{figure}\ref{b} ` +
			`\ref{c}`,
			"*A*\n\n*(b) B*\n\n*Figur 1: All*\n\nx\n\n*(a) C*\n\n*Figur 2: D*\n\n1b 2a"},
		{"does not count starred captions, nor illustrations", "en",
			`\illustration{.5}{a}{A}\begin{figure}\caption*{B}\end{figure}\begin{center}\captionof{figure}{C}\label{c}\end{center}\begin{figure}` +
				`\caption{D}\label{d}\end{figure}\ref{d}`,
			"![A](a#width=50pc)\n\n*A*\n\n*B*\n\n*C*\n\n*Figure 2: D*\n\n2"},
		{
			"numbers items", "en",
			`\begin{enumerate}\item A\item[x] X\item B\label{b}\begin{itemize}\item C\label{c}\end{itemize}\begin{enumerate}\item D\label{d}` +
				`\end{enumerate}\item E\label{e}\end{enumerate}\ref{b} \ref{d} \ref{e} \autoref{b}`,
			"1. A\n1. **x** X\n1. B\n\n   - C\n\n   1. D\n1. E\n\n2 1 3 item 2",
		},
		{
			"numbers the float around an item", "en",
			`\begin{table}\caption{T}\begin{enumerate}\item A\label{a}\end{enumerate}\end{table}\ref{a}`,
			"*Table 1: T*\n\n1. A\n\n1",
		},
		{
			"keeps reference marks out of images' texts", "en",
			`\begin{figure}\includegraphics{a}\caption{A\ref{a_b}}\label{a_b}\end{figure}`,
			"![A1](a)\n\n*Figure 1: A1*",
		},
	} {
		doc := tex.Source{Text: row.latex, Language: row.language}.Convert()
		if got := strings.TrimSpace(doc.Markdown); got != row.want || len(doc.Warnings) > 0 {
			t.Errorf("it %s: Markdown(%q) =\n%q, want\n%q; %v", row.it, row.latex, got, row.want, doc.Warnings)
		}
	}
	doc := tex.Source{File: "p.tex", Text: "a\n\n\\section{B}\\label{b} See \\ref{b}."}.Convert()
	if want := "a\n\n## B\n\nSee ??.\n"; doc.Markdown != want || len(doc.Warnings) != 1 ||
		doc.Warnings[0].Line != 3 || doc.Warnings[0].File != "p.tex" {
		t.Errorf("%q, want %q; %+v", doc.Markdown, want, doc.Warnings)
	}
}

// TestLineBreaks checks that a line break becomes a Markdown line break or a blank, and never a visible backslash.
func TestLineBreaks(t *testing.T) {
	for _, row := range []struct{ latex, want string }{
		{"a\\\\\n\nb", "a\n\nb"},
		{`\textbf{a}\\[4pt] \begin{itemize}\item b\\c\end{itemize} d\\`, "**a**\n\n- b\\\n  c\n\nd"},
		{`a\\ \\ b`, "a\n\nb"},
		{`\textbf{a\\}b \textbf{c\\d}`, "**a**\\\nb **c\\\nd**"},
		{`\texttt{1 2\\3 \\}`, "`1 2`\\\n`3`"},
		{`\section{a\\b} \illustration{.5}{x}{c \\ d}`, "## a b\n\n![c d](x#width=50pc)\n\n*c d*"},
		{`\begin{tabular}{l}a\newline b\\\makecell{c\\d}\end{tabular}`, "| a b |\n|---|\n| c d |"},
		{`\begin{quote}a\\b\\\end{quote}`, "> a\\\n> b"},
		{"a\\textbackslash\n\nb", `a\\` + "\n\nb"},
	} {
		if got := strings.TrimSpace(tex.Markdown(row.latex)); got != row.want {
			t.Errorf("Markdown(%q) =\n%q, want\n%q", row.latex, got, row.want)
		}
	}
}

// TestMissingEnds checks that the search for missing end marks is limited. Without the limit this test takes
// hours.
func TestMissingEnds(t *testing.T) {
	for _, piece := range []string{`\\[`, `\ifnum`, `\(`, `\includegraphics[`, `\verb|`} {
		if got := tex.Markdown(strings.Repeat(piece, 1_500_000/len(piece))); len(got) > 8<<20 {
			t.Errorf("%d bytes of %s", len(got), piece)
		}
	}
}
