package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"assay/judge/internal/formula"
	"assay/judge/internal/mark"
	"assay/judge/internal/pattern"
	images "assay/judge/internal/pictures"
)

// StatementHTML writes a Markdown statement as an HTML page. If the URLs of its pictures are data URLs, the page
// is self-contained. Of HTML in the statement, the page keeps only plain elements without attributes. Links that
// run scripts are removed. Formulas become MathML. Language is the code of the statement's language. Document, if
// not empty, is the data URL of a PDF or HTML file that the page shows.
func StatementHTML(w io.Writer, title, language string, markdown []byte, pictures PictureFunc, document string) error {
	var body bytes.Buffer
	if err := StatementFragment(&body, markdown, pictures); err != nil {
		return err
	}
	return statementHTML(w, statementView{
		Title: title, Language: language, Body: template.HTML(body.String()), Document: template.URL(document),
		PDF: strings.HasPrefix(document, "data:application/pdf"),
	})
}

// DocumentHTML returns a statement in HTML as a page that needs no other files: its formulas become MathML, and it contains
// the data of its pictures.
func DocumentHTML(page []byte, pictures PictureFunc) []byte {
	declared := ""
	if found := charset().FindSubmatch(page); found != nil {
		declared = string(found[1])
	}
	text, _ := mark.Decode(page, declared)
	return images.EmbedHTML(formula.DrawHTML([]byte(text)), func(path string) string {
		if p := pictures(path); p != nil && !p.Linked {
			return p.URL
		}
		return ""
	})
}

// charset matches the declaration of the encoding in an HTML file.
var charset = pattern.New(`(?i)<meta[^>]*\bcharset\s*=\s*["']?([a-z0-9_-]+)`)

// DataURL returns a URL that contains a file.
func DataURL(kind string, data []byte) string {
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// statementView is the page around a statement or a booklet.
type statementView struct {
	Title    string
	Language string
	Style    template.CSS // CSS rules in addition to those of all pages
	Body     template.HTML
	Document template.URL
	PDF      bool
}

func statementHTML(w io.Writer, v statementView) error {
	v.Style = template.CSS(pageStyle) + v.Style
	if err := statementPage.Execute(w, v); err != nil {
		return fmt.Errorf("write the statement: %w", err)
	}
	return nil
}

// StatementFragment is like StatementHTML, but without the page around the statement.
func StatementFragment(w io.Writer, markdown []byte, pictures PictureFunc) error {
	return renderStatement(w, markdown, pictures, extension.Footnote)
}

func renderStatement(w io.Writer, markdown []byte, pictures PictureFunc, footnotes goldmark.Extender) error {
	md := goldmark.New(
		goldmark.WithExtensions(extension.Table, footnotes),
		goldmark.WithParserOptions(formula.ParserOption),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(pictures, 100), util.Prioritized(formulas{}, 100))),
	)
	if err := md.Convert(markdown, w); err != nil {
		return fmt.Errorf("draw the statement: %w", err)
	}
	return nil
}

var statementExtensions = goldmark.WithExtensions(extension.Table, extension.Footnote)

// plainTag matches an inline tag without attributes.
var plainTag = pattern.New(`(?i)^</?(sup|sub|b|i|em|strong|code|kbd|tt|u|s)>$|^<br ?/?>$`)

var statementPage = template.Must(template.New("statement").Parse(`<!doctype html>
<html lang="{{.Language}}">
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
main img { max-width: 100%; background: white; }
main object, main iframe { width: 100%; height: 90vh; }
@page { margin: 2cm; }
@media print {
  :root { color-scheme: light; }
  body { background: white; color: black; font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  main pre { white-space: pre-wrap; }
  main pre, main table, main tr, main img { break-inside: avoid; }
  h1, h2, h3, h4, p:has(+ pre) { break-after: avoid; }
  p, li { orphans: 3; widows: 3; }
}
</style>
</head>
<body>
<main>
{{.Body}}{{with .Document}}{{if $.PDF}}<object data="{{.}}" type="application/pdf"></object>
<p><a href="{{.}}" download="statement.pdf">The statement as a PDF file</a></p>
{{else}}<iframe src="{{.}}" title="the statement" sandbox></iframe>
{{end}}{{end}}</main>
</body>
</html>
`))
