package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"assay/judge/internal/formula"
	"assay/judge/internal/pictures"
)

// StatementTeX converts a Markdown statement to LaTeX for the legacy format of problem packages: it begins with
// \problemname, and has no preamble. Formulas stay unchanged. HTML is omitted, except superscripts and subscripts.
func StatementTeX(w io.Writer, title string, markdown []byte) error {
	markdown = []byte(strings.ReplaceAll(string(markdown), "\r\n", "\n"))
	parser := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(formula.ParserOption)).Parser()
	t := &texWriter{textRenderer: textRenderer{source: markdown}, title: title}
	t.WriteString("\\problemname{" + escapeTeX(title) + "}\n\n")
	t.blocks(parser.Parse(text.NewReader(markdown)))
	if _, err := io.WriteString(w, strings.TrimRight(t.String(), "\n")+"\n"); err != nil {
		return fmt.Errorf("write the statement: %w", err)
	}
	return nil
}

// A texWriter writes the nodes of a document as LaTeX.
type texWriter struct {
	strings.Builder
	textRenderer
	title string
}

func (t *texWriter) blocks(parent ast.Node) {
	if t.depth == maxDepth {
		return
	}
	t.depth++
	defer func() { t.depth-- }()
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		t.write(n)
	}
}

func (t *texWriter) write(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		heading := t.inlineText(n)
		if n.Level == 1 && heading == escapeTeX(t.title) {
			return // \problemname contains the title
		}
		command := `\section*`
		if n.Level > 2 {
			command = `\subsection*`
		}
		t.WriteString(command + "{" + heading + "}\n\n")
	case *ast.Paragraph:
		t.WriteString(t.inlineText(n) + "\n\n")
	case *ast.TextBlock:
		t.WriteString(t.inlineText(n) + "\n")
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		t.WriteString("\\begin{verbatim}\n" + strings.TrimRight(t.sourceText(n), "\n") + "\n\\end{verbatim}\n\n")
	case *ast.Blockquote:
		t.environment("quote", n)
	case *ast.List:
		kind := "itemize"
		if n.IsOrdered() {
			kind = "enumerate"
		}
		t.environment(kind, n)
	case *ast.ListItem:
		t.WriteString(`\item `)
		t.blocks(n)
	case *tables.Table:
		t.table(n)
	case *ast.ThematicBreak:
		t.WriteString("\\bigskip\n\n")
	case *ast.HTMLBlock, *ast.LinkReferenceDefinition: // comments, mostly
	default:
		t.blocks(n)
	}
}

func (t *texWriter) environment(kind string, n ast.Node) {
	t.WriteString("\\begin{" + kind + "}\n")
	t.blocks(n)
	t.WriteString("\\end{" + kind + "}\n\n")
}

func (t *texWriter) table(n *tables.Table) {
	t.WriteString("\\begin{tabular}{" + strings.Repeat("l", len(n.Alignments)) + "}\n")
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, t.inlineText(cell))
		}
		t.WriteString(strings.Join(cells, " & ") + " \\\\\n")
		if _, head := row.(*tables.TableHeader); head {
			t.WriteString("\\hline\n")
		}
	}
	t.WriteString("\\end{tabular}\n\n")
}

// inlineText returns the running text inside a node as LaTeX.
func (t *texWriter) inlineText(parent ast.Node) string {
	if t.depth == maxDepth {
		return ""
	}
	t.depth++
	defer func() { t.depth-- }()
	var b strings.Builder
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		b.WriteString(t.inlineNode(n))
	}
	return b.String()
}

func (t *texWriter) inlineNode(n ast.Node) string {
	switch n := n.(type) {
	case *ast.Text:
		end := ""
		switch {
		case n.HardLineBreak():
			end = "\\\\\n"
		case n.SoftLineBreak():
			end = "\n"
		}
		return escapeTeX(t.unescape(n.Segment.Value(t.source))) + end
	case *ast.String:
		return escapeTeX(string(n.Value))
	case *formula.Formula:
		if n.Display {
			return `\[` + n.Source + `\]`
		}
		return "$" + n.Source + "$"
	case *ast.CodeSpan:
		return `\texttt{` + escapeTeX(t.code(n)) + "}"
	case *ast.Emphasis:
		command := `\emph{`
		if n.Level > 1 {
			command = `\textbf{`
		}
		return command + t.inlineText(n) + "}"
	case *ast.Link:
		return `\href{` + escapeTeXAddress(n.Destination) + "}{" + t.inlineText(n) + "}"
	case *ast.AutoLink:
		return `\url{` + escapeTeXAddress(n.URL(t.source)) + "}"
	case *ast.Image:
		return texPicture(pictures.Address(n))
	case *ast.RawHTML:
		if all := pictures.Sources(n.Segments.Value(t.source)); len(all) > 0 {
			return texPicture(all[0])
		}
		return map[string]string{
			"<sup>": `\textsuperscript{`, "<sub>": `\textsubscript{`, "</sup>": "}", "</sub>": "}",
			"<br>": "\\\\\n",
		}[t.tag(n)]
	}
	return t.inlineText(n)
}

// texPicture returns the LaTeX command for the picture at the address. The picture has the size that the address
// sets, or by default half the text width.
func texPicture(address string) string {
	path, size := pictures.Split(address)
	if pictures.IsExternal(path) {
		return `\url{` + escapeTeXAddress([]byte(address)) + "}"
	}
	option := `width=0.5\textwidth`
	for _, key := range []string{"width", "height", "scale"} {
		n, unit, ok := measure(size[key])
		switch {
		case !ok:
			continue
		case key == "scale":
			option = fmt.Sprintf("scale=%g", n/100)
		case unit == "pc" || unit == "%":
			option = fmt.Sprintf(`%s=%g\text%s`, key, n/100, key)
		default:
			option = fmt.Sprintf("%s=%gpt", key, n*0.75) // an inch has 96 pixels or 72 points
		}
		break
	}
	return `\includegraphics[` + option + "]{" + escapeTeXAddress([]byte(texPath(path))) + "}"
}

// texPath returns the path of a picture in a format that LaTeX can include, such as board-svg.pdf for board.svg.
// The export writes that file.
func texPath(path string) string {
	extension := filepath.Ext(path)
	form := map[string]string{".svg": "-svg.pdf", ".gif": "-gif.png"}[strings.ToLower(extension)]
	if form == "" {
		return path
	}
	return strings.TrimSuffix(path, extension) + form
}

// escapeTeXAddress escapes an address for LaTeX.
func escapeTeXAddress(to []byte) string {
	return strings.NewReplacer(`\`, "", "{", "", "}", "", "%", `\%`, "#", `\#`).Replace(string(to))
}

// escapeTeX escapes a text for LaTeX.
func escapeTeX(s string) string { return texSpecial.Replace(sanitize(s)) }

var texSpecial = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`,
	"^", `\textasciicircum{}`, "~", `\textasciitilde{}`, "<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`,
	"≤", `$\le$`, "≥", `$\ge$`, "≠", `$\ne$`, "×", `$\times$`, "−", `$-$`, "·", `$\cdot$`, "→", `$\to$`, "∞", `$\infty$`,
)
