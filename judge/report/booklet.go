package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"

	"assay/judge/internal/tex"
)

// Papers lists the paper sizes that BookletHTML supports.
var Papers = []string{"a4", "letter"}

// A Booklet contains the statements of several problems, for printing.
type Booklet struct {
	Title    string // on the cover; if empty, there is no cover
	About    string // below the title, such as the date
	Problems []BookletProblem
}

// A BookletProblem is a problem in a booklet.
type BookletProblem struct {
	Label    string // such as "A"; if empty, the problem has none
	Title    string
	Language string        // code of the statement's language
	CPU      time.Duration // per test case; if zero, no limit is shown
	Memory   int64         // in bytes; if zero, no limit is shown
	Markdown []byte
	Pictures PictureFunc
	Samples  []BookletSample // samples that the statement itself does not show
	// If the statement is a file such as a PDF, Document is its name, and Link its URL. If both are empty, the
	// statement is Markdown.
	Document, Link string
}

// Text returns text without the empty lines at its end.
func (BookletSample) Text(text string) string { return sanitize(strings.TrimRight(text, "\r\n")) }

// A BookletSample is a sample below a statement. If Out is empty, it has no output.
type BookletSample struct{ In, Out string }

// Limits returns the text below the title that states the limits.
func (p BookletProblem) Limits() string {
	var parts []string
	if p.CPU > 0 {
		parts = append(parts, "Time limit "+strconv.FormatFloat(p.CPU.Seconds(), 'f', -1, 64)+" s")
	}
	if p.Memory > 0 {
		parts = append(parts, fmt.Sprintf("memory limit %d MiB", p.Memory>>20))
	}
	return strings.Join(parts, " · ")
}

// Name returns the title, preceded by the label if there is one.
func (p BookletProblem) Name() string {
	if p.Label == "" {
		return p.Title
	}
	return p.Label + ". " + p.Title
}

// Translate translates an English heading to the language of the statement.
func (p BookletProblem) Translate(english string) string { return tex.Word(p.Language, english) }

// TrimTitle removes the heading at the start of a statement, for pages that show the title themselves.
func TrimTitle(statement string) string {
	statement = strings.TrimLeft(statement, "\r\n")
	if first, rest, _ := strings.Cut(statement, "\n"); strings.HasPrefix(first, "# ") {
		return rest
	}
	return statement
}

// BookletFragment renders a booklet without the page around it. The page must include the rules of BookletStyle.
func BookletFragment(b *Booklet) (template.HTML, error) {
	type problem struct {
		BookletProblem
		Body  template.HTML
		Lines [6]struct{} // for notes
	}
	view := struct {
		Title, About string
		Problems     []problem
	}{b.Title, b.About, nil}
	for i, p := range b.Problems {
		var body bytes.Buffer
		if p.Document == "" {
			notes := extension.NewFootnote(
				extension.WithFootnoteIDPrefixFunction(func(ast.Node) []byte { return fmt.Appendf(nil, "p%d-", i+1) }),
			)
			if err := renderStatement(&body, []byte(TrimTitle(string(p.Markdown))), p.Pictures, notes); err != nil {
				return "", err
			}
		}
		view.Problems = append(view.Problems, problem{BookletProblem: p, Body: template.HTML(body.String())})
	}
	t, err := pageTemplates()
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = t.ExecuteTemplate(&out, "booklet.html", view)
	return template.HTML(out.String()), err
}

// BookletStyle returns the CSS rules of a booklet. When printed, they number the pages.
func BookletStyle() string { return bookletStyle }

//go:embed page/booklet.css
var bookletStyle string

// BookletHTML writes a booklet as an HTML page. If the URLs of its pictures are data URLs, the page is
// self-contained. Paper is one of Papers.
func BookletHTML(w io.Writer, b *Booklet, paper string) error {
	body, err := BookletFragment(b)
	if err != nil {
		return err
	}
	title, language := b.Title, "en"
	if len(b.Problems) > 0 {
		language = b.Problems[0].Language
		if title == "" {
			title = b.Problems[0].Title
		}
	}
	style := template.CSS(BookletStyle() + "@page { size: " + paper + "; }\n")
	return statementHTML(w, statementView{Title: title, Language: language, Style: style, Body: body})
}
