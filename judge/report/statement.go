package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fatih/color"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Statement draws a problem statement, written in Markdown, as text for a
// terminal of this width (0 is 80). Without colour, emphasis and code keep their
// Markdown marks.
//
// Code is never wrapped: samples are to be copied.
func Statement(w io.Writer, markdown []byte, columns int, colour bool) error {
	if columns <= 0 {
		columns = usualWidth
	}
	markdown = []byte(strings.ReplaceAll(string(markdown), "\r\n", "\n"))
	parser := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()
	s := &sheet{source: markdown, paint: paint(colour)}
	lines := s.children(parser.Parse(text.NewReader(markdown)), min(max(columns, leastWidth), mostWidth), false)
	if _, err := io.WriteString(w, strings.Join(lines, "\n")+"\n"); err != nil {
		return fmt.Errorf("write the statement: %w", err)
	}
	return nil
}

// sheet draws the nodes of a document as lines.
type sheet struct {
	source []byte
	paint  paint
	depth  int // of the nesting, which a hostile text may make very deep
}

const maxDepth = 40

// children draws the blocks inside a node, one below the other: with an empty
// line between them, or tight.
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
		return s.flow(s.inline(n, nil), room)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return indented(strings.Split(strings.TrimRight(s.raw(n), "\n"), "\n"), "    ", "    ")
	case *ast.Blockquote:
		return indented(s.children(n, room-2, false), "| ", "| ")
	case *ast.List:
		return s.list(n, room)
	case *ast.ThematicBreak:
		return []string{strings.Repeat("-", room)}
	case *ast.HTMLBlock, *ast.LinkReferenceDefinition: // comments, mostly
		return nil
	case *tables.Table:
		return s.table(n, room)
	}
	return s.children(n, room, false)
}

// raw is the text of a block as it stands in the source.
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

// indented puts a text before the first line and another before the others.
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

// word is a piece of running text without a blank in it.
type word struct {
	text  string
	style []attribute
	space bool // a blank before it, where the line may break
	hard  bool // a line break before it
}

// inline collects the words inside a node.
func (s *sheet) inline(parent ast.Node, style []attribute) []word {
	if s.depth == maxDepth {
		return []word{{text: cut}}
	}
	s.depth++
	defer func() { s.depth-- }()
	var all []word
	add := func(text string, style []attribute) { all = append(all, cutWords(text, style)...) }
	marked := func(mark string, inner []word) {
		if s.paint || len(inner) == 0 {
			mark = ""
		}
		if mark != "" {
			inner[0].text = mark + inner[0].text
			inner[len(inner)-1].text += mark
		}
		all = append(all, inner...)
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			add(s.written(n.Segment.Value(s.source)), style)
			switch {
			case n.HardLineBreak():
				all = append(all, word{hard: true})
			case n.SoftLineBreak():
				add(" ", style)
			}
		case *ast.String:
			add(safe(string(n.Value)), style)
		case *ast.CodeSpan:
			var code strings.Builder
			for t := n.FirstChild(); t != nil; t = t.NextSibling() {
				if t, ok := t.(*ast.Text); ok {
					code.WriteString(strings.ReplaceAll(safe(string(t.Segment.Value(s.source))), "\n", " "))
				}
			}
			marked("`", cutWords(code.String(), with(style, color.FgCyan)))
		case *ast.Emphasis:
			look := color.Italic
			if n.Level > 1 {
				look = color.Bold
			}
			marked(strings.Repeat("*", n.Level), s.inline(n, with(style, look)))
		case *ast.Link:
			inner := s.inline(n, with(style, color.Underline))
			all = append(all, inner...)
			if to := oneLine(string(n.Destination)); to != "" && to != wordsText(inner) {
				add(" <"+to+">", style)
			}
		case *ast.AutoLink:
			add(oneLine(string(n.Label(s.source))), with(style, color.Underline))
		case *ast.Image:
			add("[image: ", style)
			all = append(all, s.inline(n, style)...)
			add(" "+oneLine(string(n.Destination))+"]", style)
		case *ast.RawHTML:
			if tag := string(n.Segments.Value(s.source)); strings.HasPrefix(tag, "<br") {
				all = append(all, word{hard: true})
			}
		default:
			all = append(all, s.inline(n, style)...)
		}
	}
	return all
}

// written is a text of the source with its escapes and entities resolved.
func (s *sheet) written(source []byte) string {
	source = util.UnescapePunctuations(source)
	return safe(string(util.ResolveEntityNames(util.ResolveNumericReferences(source))))
}

func with(style []attribute, more attribute) []attribute {
	return append(slices.Clone(style), more)
}

// cutWords cuts a text at its blanks.
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

// wordsText is the text of words.
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
