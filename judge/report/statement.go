package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/fatih/color"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	tags "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"assay/judge/internal/formula"
	"assay/judge/internal/pictures"
)

// Statement writes a Markdown problem statement as text for a terminal with this many columns. Zero means 80.
// Without color, emphasis and code keep their Markdown markup.
//
// Code is never wrapped, so that samples can be copied. A picture is replaced by its name and size.
func Statement(w io.Writer, markdown []byte, columns int, color bool, pictures PictureFunc) error {
	if columns <= 0 {
		columns = defaultWidth
	}
	markdown = []byte(strings.ReplaceAll(string(markdown), "\r\n", "\n"))
	parser := goldmark.New(statementExtensions, goldmark.WithParserOptions(formula.ParserOption)).Parser()
	s := &textRenderer{source: markdown, paint: paint(color), pictures: pictures}
	lines := s.renderChildren(parser.Parse(text.NewReader(markdown)), min(max(columns, minWidth), maxWidth), false)
	if _, err := io.WriteString(w, strings.Join(lines, "\n")+"\n"); err != nil {
		return fmt.Errorf("write the statement: %w", err)
	}
	return nil
}

// A textRenderer converts the nodes of a document to lines.
type textRenderer struct {
	source   []byte
	paint    paint
	pictures PictureFunc
	depth    int // nesting depth, which is bounded because hostile texts may nest very deeply
}

const maxDepth = 40

// renderChildren formats the blocks inside parent, one below the other. Unless tight is set, empty lines separate the
// blocks.
func (s *textRenderer) renderChildren(parent ast.Node, room int, tight bool) []string {
	if s.depth == maxDepth {
		return []string{omission}
	}
	s.depth++
	defer func() { s.depth-- }()
	var rendered []string
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		lines := s.renderBlock(n, max(room, 10))
		if len(lines) == 0 {
			continue
		}
		if len(rendered) > 0 && !tight {
			rendered = append(rendered, "")
		}
		rendered = append(rendered, lines...)
	}
	return rendered
}

// renderBlock draws one block.
func (s *textRenderer) renderBlock(n ast.Node, room int) []string {
	switch n := n.(type) {
	case *ast.Heading:
		return s.renderHeading(n, room)
	case *ast.Paragraph, *ast.TextBlock:
		if f, ok := n.FirstChild().(*formula.Formula); ok && f.Display && n.ChildCount() == 1 {
			return indented(s.fillLines(s.inlineWords(n, nil), room-2), "| ", "| ")
		}
		return s.fillLines(s.inlineWords(n, nil), room)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return indented(strings.Split(strings.TrimRight(s.sourceText(n), "\n"), "\n"), "    ", "    ")
	case *ast.Blockquote:
		return indented(s.renderChildren(n, room-2, false), "| ", "| ")
	case *ast.List:
		return s.renderList(n, room)
	case *ast.ThematicBreak:
		return []string{strings.Repeat("-", room)}
	case *ast.HTMLBlock:
		return s.fillLines(s.htmlWords(pictures.HTMLSource(n, s.source), nil), room)
	case *ast.LinkReferenceDefinition:
		return nil
	case *tables.Table:
		return s.renderTable(n, room)
	case *tables.FootnoteList:
		return s.renderChildren(n, room, true)
	case *tables.Footnote:
		mark := fmt.Sprintf("[%d] ", n.Index)
		return indented(s.renderChildren(n, room-len(mark), true), mark, strings.Repeat(" ", len(mark)))
	}
	return s.renderChildren(n, room, false)
}

// sourceText returns the unchanged source text of a block.
func (s *textRenderer) sourceText(n ast.Node) string {
	return sanitize(string(n.Lines().Value(s.source)))
}

func (s *textRenderer) renderHeading(n *ast.Heading, room int) []string {
	const underlines = "=-"
	if n.Level > len(underlines) {
		lines := s.fillLines(s.inlineWords(n, bold), room-n.Level-1)
		return indented(lines, strings.Repeat("#", n.Level)+" ", strings.Repeat(" ", n.Level+1))
	}
	words := s.inlineWords(n, bold)
	lines := s.fillLines(words, room)
	long := 0
	for _, l := range (&textRenderer{}).fillLines(words, room) {
		long = max(long, width(l))
	}
	return append(lines, strings.Repeat(underlines[n.Level-1:n.Level], max(long, 1)))
}

func (s *textRenderer) renderList(n *ast.List, room int) []string {
	var rendered []string
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "- "
		if n.IsOrdered() {
			mark = fmt.Sprintf("%d. ", number)
			number++
		}
		if len(rendered) > 0 && !n.IsTight {
			rendered = append(rendered, "")
		}
		lines := s.renderChildren(item, room-len(mark), n.IsTight)
		if len(lines) == 0 {
			lines = []string{""}
		}
		rendered = append(rendered, indented(lines, mark, strings.Repeat(" ", len(mark)))...)
	}
	return rendered
}

// indented adds a prefix to each line: the parameter first to the first line, and the parameter others to all
// other lines.
func indented(lines []string, first, others string) []string {
	prefixed := make([]string, len(lines))
	for i, l := range lines {
		prefixed[i] = strings.TrimRight(others+l, " ")
		if i == 0 {
			prefixed[i] = strings.TrimRight(first+l, " ")
		}
	}
	return prefixed
}

// A textWord is a piece of running text without a blank.
type textWord struct {
	text        string
	style       []attribute
	blankBefore bool // whether a blank precedes it, where the line may break
	breakBefore bool // whether a line break precedes it
}

// inlineWords collects the words inside a node.
func (s *textRenderer) inlineWords(parent ast.Node, style []attribute) []textWord {
	if s.depth == maxDepth {
		return []textWord{{text: omission}}
	}
	s.depth++
	defer func() { s.depth-- }()
	var words []textWord
	script, from := "", 0 // the open <sup> or <sub>, and the index of its first word
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch tag := s.tag(n); {
		case tag == "<sup>" || tag == "<sub>":
			script, from = tag, len(words)
		case script != "" && tag == strings.Replace(script, "<", "</", 1):
			words = slices.Concat(words[:from], scriptWords(script, words[from:]))
			script = ""
		default:
			words = append(words, s.nodeWords(n, style)...)
		}
	}
	return words
}

// tag returns the HTML tag of a node, in lower case. It returns "" if the node is not a tag.
func (s *textRenderer) tag(n ast.Node) string {
	if raw, ok := n.(*ast.RawHTML); ok {
		return strings.ToLower(string(raw.Segments.Value(s.source)))
	}
	return ""
}

// scriptWords returns the words of a superscript or subscript, such as 10^18 or a_(i + 1).
func scriptWords(script string, words []textWord) []textWord {
	if len(words) == 0 {
		return nil
	}
	open, end := map[string]string{"<sup>": "^", "<sub>": "_"}[script], ""
	if strings.ContainsFunc(wordsText(words), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		open, end = open+"(", ")"
	}
	words[0].text = open + words[0].text
	words[len(words)-1].text += end
	return words
}

// nodeWords collects the words of one inline node.
func (s *textRenderer) nodeWords(n ast.Node, style []attribute) []textWord {
	switch n := n.(type) {
	case *ast.Text:
		words := splitWords(s.unescape(n.Segment.Value(s.source)), style)
		switch {
		case n.HardLineBreak():
			words = append(words, textWord{breakBefore: true})
		case n.SoftLineBreak():
			words = append(words, textWord{blankBefore: true})
		}
		return words
	case *formula.Formula:
		return splitWords(formulaText(n), style)
	case *ast.String:
		return splitWords(sanitize(string(n.Value)), style)
	case *ast.CodeSpan:
		return s.addMarks("`", splitWords(s.code(n), addStyle(style, color.FgCyan)))
	case *ast.Emphasis:
		look := color.Italic
		if n.Level > 1 {
			look = color.Bold
		}
		return s.addMarks(strings.Repeat("*", n.Level), s.inlineWords(n, addStyle(style, look)))
	case *ast.Link:
		words := s.inlineWords(n, addStyle(style, color.Underline))
		if destination := sanitizeLine(string(n.Destination)); destination != "" && destination != wordsText(words) {
			words = append(words, splitWords(" <"+destination+">", style)...)
		}
		return words
	case *ast.AutoLink:
		return splitWords(sanitizeLine(string(n.Label(s.source))), addStyle(style, color.Underline))
	case *ast.Image:
		caption := plainText(n, s.source)
		if hasCaption(n, s.source, sanitizeLine(caption)) {
			caption = ""
		}
		return s.pictureWords(pictures.Address(n), caption, style)
	case *tables.FootnoteLink:
		return splitWords(fmt.Sprintf("[%d]", n.Index), style)
	case *tables.FootnoteBacklink:
		return nil
	case *ast.RawHTML:
		switch tag := s.tag(n); {
		case strings.HasPrefix(tag, "<br"):
			return []textWord{{breakBefore: true}}
		case tag == "<s>" || tag == "</s>":
			return splitWords("~", style)
		}
		return s.htmlWords(n.Segments.Value(s.source), style)
	}
	return s.inlineWords(n, style)
}

// pictureWords returns the words that replace a picture.
func (s *textRenderer) pictureWords(address, caption string, style []attribute) []textWord {
	found, path, _ := s.pictures.find(address)
	words := splitWords("["+found.altText(path)+"]", style)
	if caption = sanitizeLine(caption); caption != "" {
		words = append(append(words, textWord{blankBefore: true}), splitWords(caption, style)...)
	}
	return words
}

// htmlWords returns the texts and the pictures of a piece of HTML.
func (s *textRenderer) htmlWords(piece []byte, style []attribute) (words []textWord) {
	z := tags.NewTokenizer(bytes.NewReader(piece))
	silent := 0
	for {
		switch kind := z.Next(); kind {
		case tags.ErrorToken:
			return words
		case tags.TextToken:
			if silent == 0 {
				words = append(words, splitWords(sanitize(string(z.Text())), style)...)
			}
		case tags.StartTagToken, tags.SelfClosingTagToken, tags.EndTagToken:
			t := z.Token()
			switch {
			case removedElements[t.DataAtom] && kind == tags.StartTagToken:
				silent++
			case removedElements[t.DataAtom] && kind == tags.EndTagToken:
				silent = max(0, silent-1)
			case t.DataAtom == atom.Img:
				words = append(words, s.pictureWords(pictures.Attribute(t.Attr, "src"), pictures.Attribute(t.Attr, "alt"), style)...)
			case t.DataAtom == atom.Br || t.DataAtom == atom.Tr || t.DataAtom == atom.Li || t.DataAtom == atom.P:
				words = append(words, textWord{breakBefore: true})
			case !inlineElements[t.DataAtom]:
				words = append(words, textWord{blankBefore: true})
			}
		}
	}
}

// code returns the text of a code span. It has no escapes.
func (s *textRenderer) code(n *ast.CodeSpan) string {
	var b strings.Builder
	for t := n.FirstChild(); t != nil; t = t.NextSibling() {
		if t, ok := t.(*ast.Text); ok {
			b.WriteString(sanitize(string(t.Segment.Value(s.source))))
		}
	}
	return b.String()
}

// addMarks puts marks around words, unless colors are used.
func (s *textRenderer) addMarks(mark string, words []textWord) []textWord {
	if len(words) > 0 && !bool(s.paint) {
		words[0].text = mark + words[0].text
		words[len(words)-1].text += mark
	}
	return words
}

// unescape resolves the escapes and entities in a text of the source.
func (s *textRenderer) unescape(source []byte) string {
	source = util.UnescapePunctuations(source)
	return sanitize(string(util.ResolveEntityNames(util.ResolveNumericReferences(source))))
}

func addStyle(style []attribute, more attribute) []attribute {
	return append(slices.Clone(style), more)
}

// splitWords splits a text at its blanks.
func splitWords(text string, style []attribute) []textWord {
	var words []textWord
	space := false
	for i, piece := range strings.Split(strings.ReplaceAll(text, "\n", " "), " ") {
		space = space || i > 0
		if piece != "" {
			words = append(words, textWord{text: piece, style: style, blankBefore: space})
			space = false
		}
	}
	if space {
		words = append(words, textWord{blankBefore: true})
	}
	return words
}

// wordsText returns the text of words.
func wordsText(words []textWord) string {
	var b strings.Builder
	for _, w := range words {
		if w.blankBefore && b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.text)
	}
	return b.String()
}

// fillLines fills lines with words. Words without a blank between them stay together.
func (s *textRenderer) fillLines(words []textWord, room int) []string {
	var lines []string
	var line strings.Builder
	used := 0
	end := func() {
		lines = append(lines, line.String())
		line.Reset()
		used = 0
	}
	space := false
	for i := 0; i < len(words); {
		if words[i].breakBefore {
			end()
			space = false
			i++
			continue
		}
		space = space || words[i].blankBefore
		n, long := i, 0 // the words up to n belong together
		for n < len(words) && !words[n].breakBefore && (n == i || !words[n].blankBefore) {
			long += width(words[n].text)
			n++
		}
		if long == 0 {
			i = n
			continue
		}
		if space && used > 0 {
			if used+1+long > room {
				end()
			} else {
				line.WriteByte(' ')
				used++
			}
		}
		space = false
		for ; i < n; i++ {
			line.WriteString(s.paint.style(words[i].style, words[i].text))
		}
		used += long
	}
	if used > 0 {
		end()
	}
	return lines
}
