package report

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"regexp"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// StatementHTML draws a statement, written in Markdown, as one page that needs
// nothing else. HTML in the statement is not let through but for the plain tags of
// text, nor are links that a browser would run. Formulas are drawn as MathML.
func StatementHTML(w io.Writer, title string, markdown []byte) error {
	var body bytes.Buffer
	if err := StatementPart(&body, markdown); err != nil {
		return err
	}
	style, err := pageFiles.ReadFile("page/style.css")
	if err != nil {
		return fmt.Errorf("draw the statement: %w", err)
	}
	page := struct {
		Title string
		Style template.CSS
		Body  template.HTML
	}{title, template.CSS(style), template.HTML(body.String())}
	if err := statementPage.Execute(w, page); err != nil {
		return fmt.Errorf("write the statement: %w", err)
	}
	return nil
}

// StatementPart draws a statement as StatementHTML does, without the page around it.
func StatementPart(w io.Writer, markdown []byte) error {
	md := goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Footnote),
		goldmark.WithParserOptions(withFormulas),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(plainTags{}, 100), util.Prioritized(formulas{}, 100))),
	)
	if err := md.Convert(markdown, w); err != nil {
		return fmt.Errorf("draw the statement: %w", err)
	}
	return nil
}

// plainTags lets the tags of running text through that have no attributes.
type plainTags struct{}

var plainTag = regexp.MustCompile(`(?i)^</?(sup|sub|b|i|em|strong|code|kbd|tt|u|s)>$|^<br ?/?>$`)

// RegisterFuncs is goldmark's way of asking who draws what.
func (plainTags) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if tag := n.(*ast.RawHTML).Segments.Value(source); entering && plainTag.Match(tag) {
			_, _ = w.Write(tag) // an error is told by the buffer's Flush
		}
		return ast.WalkSkipChildren, nil
	})
}

var statementPage = template.Must(template.New("statement").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}</title>
<style>
{{.Style}}
main { max-width: 46rem; margin: 0 auto; padding: 1rem; line-height: 1.5; }
main pre { padding: 0.6rem; overflow-x: auto; border: 1px solid; }
main table { border-collapse: collapse; }
main td, main th { border: 1px solid; padding: 0.2rem 0.5rem; }
@page { margin: 2cm; }
@media print {
  :root { color-scheme: light; }
  body { background: white; color: black; font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  main pre { white-space: pre-wrap; }
  main pre, main table, main tr, main img { break-inside: avoid; }
  h1, h2, h3, h4 { break-after: avoid; }
  p, li { orphans: 3; widows: 3; }
}
</style>
</head>
<body>
<main>
{{.Body}}</main>
</body>
</html>
`))
