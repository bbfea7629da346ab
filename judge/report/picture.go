package report

import (
	"bytes"
	"fmt"

	"html/template"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
	tags "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"assay/judge/internal/formula"
	"assay/judge/internal/pictures"
)

// A Picture is a picture in a statement.
type Picture struct {
	Name          string
	URL           string // URL for a page; empty for a terminal
	Width, Height int    // in pixels; zero if unknown
	Linked        bool   // whether the page shows a link, because browsers cannot show the picture
}

// PictureFunc returns the picture for a path in a statement, or nil if there is no such picture.
type PictureFunc func(path string) *Picture

// find parses an address in a statement with pictures.Split. It returns the path and the size in the address, and
// the picture, which is nil unless p returns one.
func (p PictureFunc) find(address string) (picture *Picture, path string, size map[string]string) {
	path, size = pictures.Split(address)
	if p != nil && path != "" && !pictures.IsExternal(path) {
		picture = p(path)
	}
	return picture, path, size
}

// altText returns the text that replaces a picture where pictures cannot be shown, without brackets.
func (p *Picture) altText(path string) string {
	switch {
	case p == nil:
		return "picture: " + sanitizeLine(path)
	case p.Width > 0 && p.Height > 0:
		return fmt.Sprintf("picture: %s, %d x %d", sanitizeLine(p.Name), p.Width, p.Height)
	}
	return "picture: " + sanitizeLine(p.Name)
}

// imageHTML draws a picture.
func (p PictureFunc) imageHTML(address, caption string, size map[string]string) string {
	picture, path, hints := p.find(address)
	for key, value := range size {
		hints[key] = value
	}
	switch {
	case picture == nil && pictures.IsExternal(path):
		return fmt.Sprintf(
			`<a href="%s">[picture: %s]</a>`, template.HTMLEscapeString(webAddress(address)),
			template.HTMLEscapeString(sanitizeLine(path)),
		)
	case picture == nil:
		return `<span class="absent">[` + template.HTMLEscapeString(picture.altText(path)) + `]</span>`
	case picture.Linked:
		return fmt.Sprintf(
			`<a href="%s">[%s]</a>`,
			template.HTMLEscapeString(picture.URL), template.HTMLEscapeString(picture.altText(path)),
		)
	}
	return fmt.Sprintf(
		`<img src="%s" alt="%s"%s>`, template.HTMLEscapeString(picture.URL), template.HTMLEscapeString(caption),
		picture.attributes(hints),
	)
}

// webAddress returns address if it is allowed in a link. Otherwise, it returns an address without a target.
func webAddress(address string) string {
	if u, err := url.Parse(address); err == nil && slices.Contains([]string{"http", "https"}, u.Scheme) {
		return address
	}
	return "#"
}

// attributes returns the HTML attributes for the size of a picture. A size is a number of pixels (px) or a
// percentage (pc) of the text width. For the key scale, it is a percentage of the picture's own width. By default,
// the picture has its own width.
func (p *Picture) attributes(size map[string]string) (text string) {
	for _, key := range []string{"width", "height", "scale"} {
		n, unit, ok := measure(size[key])
		switch {
		case !ok:
		case key == "scale" && p.Width > 0:
			text += fmt.Sprintf(` width="%.0f"`, max(1, float64(p.Width)*n/100))
		case key == "scale": // the width of the picture is unknown
		case unit == "pc" || unit == "%":
			text += fmt.Sprintf(` %s="%.0f%%"`, key, n)
		default:
			text += fmt.Sprintf(` %s="%.0f"`, key, n)
		}
	}
	if text == "" && p.Width > 0 {
		return fmt.Sprintf(` width="%d"`, p.Width) // otherwise an SVG would fill the text width
	}
	return text
}

// measure parses a size: a number from 1 to 10,000 with the unit px, pc, or %. The default unit is px.
func measure(text string) (n float64, unit string, ok bool) {
	unit = strings.TrimLeft(text, "0123456789.")
	n, err := strconv.ParseFloat(strings.TrimSuffix(text, unit), 64)
	return n, unit, err == nil && n >= 1 && n <= 10_000 && slices.Contains([]string{"", "px", "pc", "%"}, unit)
}

// plainElements lists elements that are kept, without their attributes. Other elements are replaced by their
// content.
var plainElements = map[atom.Atom]bool{
	atom.Sup: true, atom.Sub: true, atom.B: true, atom.I: true, atom.Em: true,
	atom.Strong: true, atom.Code: true, atom.Kbd: true, atom.Tt: true, atom.U: true, atom.S: true,
	atom.Br: true, atom.P: true, atom.Div: true, atom.Center: true, atom.Figure: true,
	atom.Figcaption: true, atom.Ul: true, atom.Ol: true, atom.Li: true, atom.Pre: true,
	atom.Table: true, atom.Thead: true, atom.Tbody: true, atom.Tr: true, atom.Td: true,
	atom.Th: true, atom.Caption: true, atom.Hr: true, atom.Blockquote: true, atom.Details: true, atom.Summary: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true,
	atom.Dl: true, atom.Dt: true, atom.Dd: true, atom.Del: true, atom.Ins: true, atom.Small: true,
}

// inlineElements lists elements that may occur inside a word.
var inlineElements = map[atom.Atom]bool{
	atom.A: true, atom.B: true, atom.Code: true, atom.Del: true, atom.Em: true, atom.Font: true,
	atom.I: true, atom.Ins: true, atom.Kbd: true, atom.S: true,
	atom.Small: true, atom.Span: true, atom.Strong: true, atom.Sub: true, atom.Sup: true, atom.Tt: true, atom.U: true,
}

// removedElements lists elements that are removed with their content.
var removedElements = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Iframe: true, atom.Object: true,
	atom.Template: true, atom.Noscript: true, atom.Svg: true, atom.Math: true, atom.Textarea: true, atom.Select: true, atom.Title: true,
}

// writeFragment writes an untrusted piece of HTML.
func (p PictureFunc) writeFragment(w io.Writer, piece []byte) {
	all, err := tags.ParseFragment(bytes.NewReader(piece), &tags.Node{Type: tags.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		return
	}
	for _, n := range all {
		p.writeElement(w, n, 0)
	}
}

func (p PictureFunc) writeElement(w io.Writer, n *tags.Node, depth int) {
	inside := func() {
		for c := n.FirstChild; c != nil && depth < maxDepth; c = c.NextSibling {
			p.writeElement(w, c, depth+1)
		}
	}
	switch {
	case n.Type == tags.TextNode:
		_, _ = io.WriteString(w, template.HTMLEscapeString(n.Data)) // the buffer's Flush reports an error
	case n.Type != tags.ElementNode || n.Namespace != "" || removedElements[n.DataAtom]:
	case n.DataAtom == atom.Img:
		size := map[string]string{}
		for _, key := range []string{"width", "height"} {
			if value := pictures.Attribute(n.Attr, key); value != "" {
				size[key] = value
			}
		}
		_, _ = io.WriteString(w, p.imageHTML(pictures.Attribute(n.Attr, "src"), pictures.Attribute(n.Attr, "alt"), size))
	case n.DataAtom == atom.A && webAddress(pictures.Attribute(n.Attr, "href")) != "#":
		fmt.Fprintf(w, `<a href="%s">`, template.HTMLEscapeString(webAddress(pictures.Attribute(n.Attr, "href"))))
		inside()
		_, _ = io.WriteString(w, "</a>")
	case plainElements[n.DataAtom]:
		_, _ = io.WriteString(w, "<"+n.Data+">")
		inside()
		if n.DataAtom != atom.Br && n.DataAtom != atom.Hr {
			_, _ = io.WriteString(w, "</"+n.Data+">")
		}
	default:
		inside()
	}
}

// RegisterFuncs implements renderer.NodeRenderer of goldmark.
func (p PictureFunc) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindImage, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, _ = w.WriteString(p.imageHTML(pictures.Address(n.(*ast.Image)), plainText(n, source), nil))
		}
		return ast.WalkSkipChildren, nil
	})
	r.Register(ast.KindRawHTML, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		tag := n.(*ast.RawHTML).Segments.Value(source)
		switch {
		case !entering:
		case plainTag().Match(tag):
			_, _ = w.Write(tag)
		case len(pictures.Sources(tag)) > 0:
			p.writeFragment(w, tag)
		}
		return ast.WalkSkipChildren, nil
	})
	r.Register(ast.KindHTMLBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			p.writeFragment(w, pictures.HTMLSource(n.(*ast.HTMLBlock), source))
		}
		return ast.WalkSkipChildren, nil
	})
}

// hasCaption reports whether an image's text is repeated as a caption below or above the image.
func hasCaption(n ast.Node, source []byte, text string) bool {
	block := n.Parent()
	for block != nil && block.Type() != ast.TypeBlock {
		block = block.Parent()
	}
	if block == nil || text == "" {
		return false
	}
	for _, sibling := range []ast.Node{block.NextSibling(), block.PreviousSibling()} {
		if sibling != nil && sibling.Kind() == ast.KindParagraph && strings.HasSuffix(sanitizeLine(plainText(sibling, source)), text) {
			return true
		}
	}
	return false
}

// plainText returns the text inside a node, without markup.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(util.UnescapePunctuations(n.Segment.Value(source)))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		case *formula.Formula:
			if entering {
				b.WriteString(formulaText(n))
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
