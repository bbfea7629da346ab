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
func Statement(w io.Writer, markdown []byte, columns int, color bool, pictures Pictures) error {
	if columns <= 0 {
		columns = usualWidth
	}
	markdown = []byte(strings.ReplaceAll(string(markdown), "\r\n", "\n"))
	parser := goldmark.New(statementExtensions, goldmark.WithParserOptions(formula.Parsed)).Parser()
	s := &sheet{source: markdown, paint: paint(color), pictures: pictures}
	lines := s.children(parser.Parse(text.NewReader(markdown)), min(max(columns, leastWidth), mostWidth), false)
	if _, err := io.WriteString(w, strings.Join(lines, "\n")+"\n"); err != nil {
		return fmt.Errorf("write the statement: %w", err)
	}
	return nil
}

// A sheet converts the nodes of a document to lines.
type sheet struct {
	source   []byte
	paint    paint
	pictures Pictures
	depth    int // nesting depth, which is bounded because hostile texts may nest very deeply
}

const maxDepth = 40

// children formats the blocks inside parent, one below the other. Unless tight is set, empty lines separate the
// blocks.
func (s *sheet) children(parent ast.Node, room int, tight bool) []string {
	if s.depth == maxDepth {
		return []string{cut}
	}
	s.depth++
	defer func() { s.depth-- }()
	var all []string
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		lines := s.block(n, max(room, 10))
		if len(lines) == 0 {
			continue
		}
		if len(all) > 0 && !tight {
			all = append(all, "")
		}
		all = append(all, lines...)
	}
	return all
}

// block draws one block.
func (s *sheet) block(n ast.Node, room int) []string {
	switch n := n.(type) {
	case *ast.Heading:
		return s.heading(n, room)
	case *ast.Paragraph, *ast.TextBlock:
		if f, ok := n.FirstChild().(*formula.Formula); ok && f.Display && n.ChildCount() == 1 {
			return indented(s.flow(s.inline(n, nil), room-2), "| ", "| ")
		}
		return s.flow(s.inline(n, nil), room)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return indented(strings.Split(strings.TrimRight(s.raw(n), "\n"), "\n"), "    ", "    ")
	case *ast.Blockquote:
		return indented(s.children(n, room-2, false), "| ", "| ")
	case *ast.List:
		return s.list(n, room)
	case *ast.ThematicBreak:
		return []string{strings.Repeat("-", room)}
	case *ast.HTMLBlock:
		return s.flow(s.shown(pictures.Block(n, s.source), nil), room)
	case *ast.LinkReferenceDefinition:
		return nil
	case *tables.Table:
		return s.table(n, room)
	case *tables.FootnoteList:
		return s.children(n, room, true)
	case *tables.Footnote:
		mark := fmt.Sprintf("[%d] ", n.Index)
		return indented(s.children(n, room-len(mark), true), mark, strings.Repeat(" ", len(mark)))
	}
	return s.children(n, room, false)
}

// raw returns the unchanged source text of a block.
func (s *sheet) raw(n ast.Node) string {
	return safe(string(n.Lines().Value(s.source)))
}

func (s *sheet) heading(n *ast.Heading, room int) []string {
	const underlines = "=-"
	if n.Level > len(underlines) {
		lines := s.flow(s.inline(n, bold), room-n.Level-1)
		return indented(lines, strings.Repeat("#", n.Level)+" ", strings.Repeat(" ", n.Level+1))
	}
	words := s.inline(n, bold)
	lines := s.flow(words, room)
	long := 0
	for _, l := range (&sheet{}).flow(words, room) {
		long = max(long, width(l))
	}
	return append(lines, strings.Repeat(underlines[n.Level-1:n.Level], max(long, 1)))
}

func (s *sheet) list(n *ast.List, room int) []string {
	var all []string
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "- "
		if n.IsOrdered() {
			mark = fmt.Sprintf("%d. ", number)
			number++
		}
		if len(all) > 0 && !n.IsTight {
			all = append(all, "")
		}
		lines := s.children(item, room-len(mark), n.IsTight)
		if len(lines) == 0 {
			lines = []string{""}
		}
		all = append(all, indented(lines, mark, strings.Repeat(" ", len(mark)))...)
	}
	return all
}

// indented adds a prefix to each line: the parameter first to the first line, and the parameter others to all
// other lines.
func indented(lines []string, first, others string) []string {
	all := make([]string, len(lines))
	for i, l := range lines {
		all[i] = strings.TrimRight(others+l, " ")
		if i == 0 {
			all[i] = strings.TrimRight(first+l, " ")
		}
	}
	return all
}

// A word is a piece of running text without a blank.
type word struct {
	text  string
	style []attribute
	space bool // whether a blank precedes it, where the line may break
	hard  bool // whether a line break precedes it
}

// inline collects the words inside a node.
func (s *sheet) inline(parent ast.Node, style []attribute) []word {
	if s.depth == maxDepth {
		return []word{{text: cut}}
	}
	s.depth++
	defer func() { s.depth-- }()
	var all []word
	script, from := "", 0 // the open <sup> or <sub>, and the index of its first word
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch tag := s.tag(n); {
		case tag == "<sup>" || tag == "<sub>":
			script, from = tag, len(all)
		case script != "" && tag == strings.Replace(script, "<", "</", 1):
			all = slices.Concat(all[:from], raised(script, all[from:]))
			script = ""
		default:
			all = append(all, s.piece(n, style)...)
		}
	}
	return all
}

// tag returns the HTML tag of a node, in lower case. It returns "" if the node is not a tag.
func (s *sheet) tag(n ast.Node) string {
	if raw, ok := n.(*ast.RawHTML); ok {
		return strings.ToLower(string(raw.Segments.Value(s.source)))
	}
	return ""
}

// raised returns the words of a superscript or subscript, such as 10^18 or a_(i + 1).
func raised(script string, words []word) []word {
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

// piece collects the words of one inline node.
func (s *sheet) piece(n ast.Node, style []attribute) []word {
	switch n := n.(type) {
	case *ast.Text:
		words := cutWords(s.written(n.Segment.Value(s.source)), style)
		switch {
		case n.HardLineBreak():
			words = append(words, word{hard: true})
		case n.SoftLineBreak():
			words = append(words, word{space: true})
		}
		return words
	case *formula.Formula:
		return cutWords(formulaText(n), style)
	case *ast.String:
		return cutWords(safe(string(n.Value)), style)
	case *ast.CodeSpan:
		return s.marked("`", cutWords(s.code(n), with(style, color.FgCyan)))
	case *ast.Emphasis:
		look := color.Italic
		if n.Level > 1 {
			look = color.Bold
		}
		return s.marked(strings.Repeat("*", n.Level), s.inline(n, with(style, look)))
	case *ast.Link:
		words := s.inline(n, with(style, color.Underline))
		if to := oneLine(string(n.Destination)); to != "" && to != wordsText(words) {
			words = append(words, cutWords(" <"+to+">", style)...)
		}
		return words
	case *ast.AutoLink:
		return cutWords(oneLine(string(n.Label(s.source))), with(style, color.Underline))
	case *ast.Image:
		caption := plainText(n, s.source)
		if captioned(n, s.source, oneLine(caption)) {
			caption = ""
		}
		return s.picture(pictures.Address(n), caption, style)
	case *tables.FootnoteLink:
		return cutWords(fmt.Sprintf("[%d]", n.Index), style)
	case *tables.FootnoteBacklink:
		return nil
	case *ast.RawHTML:
		switch tag := s.tag(n); {
		case strings.HasPrefix(tag, "<br"):
			return []word{{hard: true}}
		case tag == "<s>" || tag == "</s>":
			return cutWords("~", style)
		}
		return s.shown(n.Segments.Value(s.source), style)
	}
	return s.inline(n, style)
}

// picture returns the words that replace a picture.
func (s *sheet) picture(address, caption string, style []attribute) []word {
	found, path, _ := s.pictures.find(address)
	words := cutWords("["+found.words(path)+"]", style)
	if caption = oneLine(caption); caption != "" {
		words = append(append(words, word{space: true}), cutWords(caption, style)...)
	}
	return words
}

// shown returns the texts and the pictures of a piece of HTML.
func (s *sheet) shown(piece []byte, style []attribute) (words []word) {
	z := tags.NewTokenizer(bytes.NewReader(piece))
	silent := 0
	for {
		switch kind := z.Next(); kind {
		case tags.ErrorToken:
			return words
		case tags.TextToken:
			if silent == 0 {
				words = append(words, cutWords(safe(string(z.Text())), style)...)
			}
		case tags.StartTagToken, tags.SelfClosingTagToken, tags.EndTagToken:
			t := z.Token()
			switch {
			case silentElements[t.DataAtom] && kind == tags.StartTagToken:
				silent++
			case silentElements[t.DataAtom] && kind == tags.EndTagToken:
				silent = max(0, silent-1)
			case t.DataAtom == atom.Img:
				words = append(words, s.picture(pictures.Attribute(t.Attr, "src"), pictures.Attribute(t.Attr, "alt"), style)...)
			case t.DataAtom == atom.Br || t.DataAtom == atom.Tr || t.DataAtom == atom.Li || t.DataAtom == atom.P:
				words = append(words, word{hard: true})
			case !inlineElements[t.DataAtom]:
				words = append(words, word{space: true})
			}
		}
	}
}

// code returns the text of a code span. It has no escapes.
func (s *sheet) code(n *ast.CodeSpan) string {
	var b strings.Builder
	for t := n.FirstChild(); t != nil; t = t.NextSibling() {
		if t, ok := t.(*ast.Text); ok {
			b.WriteString(safe(string(t.Segment.Value(s.source))))
		}
	}
	return b.String()
}

// marked puts marks around words, unless colors are used.
func (s *sheet) marked(mark string, words []word) []word {
	if len(words) > 0 && !bool(s.paint) {
		words[0].text = mark + words[0].text
		words[len(words)-1].text += mark
	}
	return words
}

// written resolves the escapes and entities in a text of the source.
func (s *sheet) written(source []byte) string {
	source = util.UnescapePunctuations(source)
	return safe(string(util.ResolveEntityNames(util.ResolveNumericReferences(source))))
}

func with(style []attribute, more attribute) []attribute {
	return append(slices.Clone(style), more)
}

// cutWords splits a text at its blanks.
func cutWords(text string, style []attribute) []word {
	var all []word
	space := false
	for i, piece := range strings.Split(strings.ReplaceAll(text, "\n", " "), " ") {
		space = space || i > 0
		if piece != "" {
			all = append(all, word{text: piece, style: style, space: space})
			space = false
		}
	}
	if space {
		all = append(all, word{space: true})
	}
	return all
}

// wordsText returns the text of words.
func wordsText(words []word) string {
	var b strings.Builder
	for _, w := range words {
		if w.space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.text)
	}
	return b.String()
}

// flow fills lines with words. Words without a blank between them stay together.
func (s *sheet) flow(words []word, room int) []string {
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
		if words[i].hard {
			end()
			space = false
			i++
			continue
		}
		space = space || words[i].space
		n, long := i, 0 // the words up to n belong together
		for n < len(words) && !words[n].hard && (n == i || !words[n].space) {
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
