package formula

import (
	"bytes"
	"fmt"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"assay/judge/internal/pattern"
	"assay/judge/internal/tex"
)

// A Finding is an error in a formula.
type Finding struct {
	Line int // line in the statement, from 1
	Text string
	Hint string
	// Unsupported reports that the formula may be correct LaTeX, but uses a feature that pages cannot render.
	Unsupported bool
}

// escape is the hint for writing a dollar sign.
const escape = "a dollar sign that is meant is written \\$"

// Check returns the number of formulas in a Markdown statement, and their errors.
func Check(markdown []byte) (n int, found []Finding) {
	markdown = bytes.ReplaceAll(markdown, []byte("\r\n"), []byte("\n"))
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Footnote), goldmark.WithParserOptions(ParserOption))
	note := func(at int, f Finding) {
		f.Line = 1 + bytes.Count(markdown[:at], []byte("\n"))
		found = append(found, f)
	}
	_ = ast.Walk(md.Parser().Parse(text.NewReader(markdown)), func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.CodeSpan:
			return ast.WalkSkipChildren, nil
		case *Formula:
			n++
			if flaw := tex.FormulaError(node.Source); flaw != "" {
				note(node.Offset, Finding{Text: tex.BrokenMessage(node.Source, flaw), Hint: "correct it; " + escape})
			} else if _, ok := tex.MathML(node.Source, node.Display); !ok {
				text := fmt.Sprintf("the formula %s cannot be drawn: pages show its source", tex.Excerpt(node.Source))
				note(node.Offset, Finding{Unsupported: true, Text: text, Hint: "write it with other commands"})
			}
		case *ast.Text:
			for at := node.Segment.Start; at < node.Segment.Stop; at++ {
				switch {
				case markdown[at] == '\\':
					if text := bracketed(markdown[at:]); text != "" {
						note(at, Finding{Text: text, Hint: "write a formula between dollars: $...$, or $$...$$ on a line of its own"})
					}
					at++
				case markdown[at] == '$':
					mark := 1
					if bytes.HasPrefix(markdown[at:], []byte("$$")) {
						mark = 2
					}
					if text := strayDollar(markdown, at, mark); text != "" {
						note(at, Finding{Text: text, Hint: "close the formula with another $, without a blank inside; " + escape})
					}
					at += mark - 1
				}
			}
		}
		return ast.WalkContinue, nil
	})
	return n, found
}

var (
	money = pattern.New(`^\$[0-9]+([.,][0-9]+)*[\pL%]{0,3}([/–-]\S*)?([\s.,;:!?'")\]*_|]|$)`)
	// notation matches characters that are common in formulas and rare in text.
	notation = pattern.New(`\\[a-zA-Z]{2}|[\^_{]`)
	// latex matches LaTeX commands and notation that do not occur in text. Unlike notation, it does not match
	// 10^5, because text in escaped brackets may contain such a power.
	latex = pattern.New(`\\[a-zA-Z]{2}|[\^_]\{`)
)

// strayDollar returns the error for the dollar sign at source[at:], which is outside formulas. It is an error if the
// formula that it begins has no end, or if a blank follows it although a formula seems to be meant. For an amount
// of money and for a single dollar sign, stray returns an empty string.
func strayDollar(source []byte, at, mark int) string {
	line, _, _ := bytes.Cut(source[at:], []byte("\n"))
	rest, _, closed := bytes.Cut(line[mark:], []byte("$"))
	after := byte(' ')
	if at+mark < len(source) {
		after = source[at+mark]
	}
	switch {
	case mark == 2:
		return "$$ begins a formula that does not end in the same paragraph"
	case isBlank(after):
		before := source[bytes.LastIndexByte(source[:at], '\n')+1 : at]
		if closed && notation().Match(rest) || bytes.IndexByte(before, '$') < 0 && notation().Match(before) {
			return "the dollar sign has a blank behind it, and begins no formula"
		}
		return ""
	case money().Match(line) && !notation().Match(rest):
		return ""
	case after >= '0' && after <= '9' || notation().Match(rest) || letter(after):
		return "the dollar sign begins a formula that does not end in the same paragraph"
	}
	return ""
}

// bracketed returns the error for a formula between \( and \), or between \[ and \], at the start of source.
// Markdown removes these backslashes, so they begin no formula. For brackets around text, which may contain
// formulas in dollar signs, bracketed returns an empty string.
func bracketed(source []byte) string {
	closing, opens := map[byte]string{'(': "\\)", '[': "\\]"}[source[min(1, len(source)-1)]]
	if !opens {
		return ""
	}
	paragraph, _, _ := bytes.Cut(source, []byte("\n\n"))
	inner, _, closed := bytes.Cut(paragraph[2:], []byte(closing))
	if !closed || !latex().Match(inner) || bytes.IndexByte(inner, '$') >= 0 {
		return ""
	}
	return fmt.Sprintf("%s begins no formula in Markdown", source[:2])
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '(' || c == '-' || c == '|'
}
