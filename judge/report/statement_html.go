package report

import (
	"bytes"
	"fmt"
	"html/template"
	"io"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// StatementHTML draws a statement, written in Markdown, as one page that needs
// nothing else. HTML in the statement is not let through, nor are links that a
// browser would run.
func StatementHTML(w io.Writer, title string, markdown []byte) error {
	var body bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Footnote)).Convert(markdown, &body); err != nil {
		return fmt.Errorf("draw the statement: %w", err)
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
</style>
</head>
<body>
<main>
{{.Body}}</main>
</body>
</html>
`))
