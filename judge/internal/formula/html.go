package formula

import (
	"bytes"
	"fmt"

	"golang.org/x/net/html"

	"assay/judge/internal/tex"
)

// Formulas in HTML statements are written as for MathJax: in \( and \), or in \[ and \] for a separate line. They
// may also be written in dollar signs as in Markdown, or in three dollar signs on each side, as on Codeforces. A
// formula contains no tags. Code contains no formulas.

// CheckHTML returns the number of formulas on a page, and their errors.
func CheckHTML(page []byte) (n int, found []Finding) {
	walkHTML(page, func(text []byte, at int) {
		note := func(from int, f Finding) {
			f.Line = 1 + bytes.Count(page[:at+from], []byte("\n"))
			found = append(found, f)
		}
		for _, s := range spans(text) {
			if s.open != "" {
				note(s.from, Finding{
					Text: s.open + " begins a formula that does not end in the same text",
					Hint: "close the formula before the next tag, and write < as &lt;; " + escape,
				})
				continue
			}
			n++
			if flaw := tex.FormulaError(s.source); flaw != "" {
				note(s.from, Finding{Text: tex.BrokenMessage(s.source, flaw), Hint: "correct it; " + escape})
			} else if _, ok := tex.MathML(s.source, s.display); !ok {
				note(s.from, Finding{
					Unsupported: true,
					Text:        fmt.Sprintf("the formula %s cannot be drawn: pages show its source", tex.Excerpt(s.source)),
					Hint:        "write it with other commands",
				})
			}
		}
	})
	return n, found
}

// DrawHTML returns a page with its formulas rendered as MathML. Formulas that cannot be rendered stay unchanged.
func DrawHTML(page []byte) []byte {
	var out []byte
	copied := 0
	walkHTML(page, func(text []byte, at int) {
		for _, s := range spans(text) {
			drawn, ok := tex.MathML(s.source, s.display)
			if s.open != "" || !ok {
				continue
			}
			out = append(append(out, page[copied:at+s.from]...), drawn...)
			copied = at + s.to
		}
	})
	return append(out, page[copied:]...)
}

// skippedElements lists elements whose text contains no formulas.
var skippedElements = map[string]bool{
	"script": true, "style": true, "pre": true, "code": true, "kbd": true, "samp": true, "tt": true, "textarea": true,
	"title": true, "math": true, "svg": true,
}

// walkHTML calls visit with the source and the offset of each text that may contain formulas.
func walkHTML(page []byte, visit func(text []byte, at int)) {
	z := html.NewTokenizer(bytes.NewReader(page))
	var within []string // open elements without formulas
	for at := 0; ; {
		kind := z.Next()
		raw := z.Raw()
		switch kind {
		case html.ErrorToken:
			return
		case html.TextToken:
			if len(within) == 0 {
				visit(page[at:at+len(raw)], at)
			}
		case html.StartTagToken:
			if name, _ := z.TagName(); skippedElements[string(name)] {
				within = append(within, string(name))
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); len(within) > 0 && within[len(within)-1] == string(name) {
				within = within[:len(within)-1]
			}
		}
		at += len(raw)
	}
}

// span is a formula in HTML text.
type span struct {
	from, to int
	source   string
	display  bool
	open     string // delimiter of an unclosed formula; otherwise empty
}

// delimiters lists the delimiters of formulas. Longer ones come before their prefixes.
var delimiters = []struct {
	begin, end string
	display    bool
}{{`\(`, `\)`, false}, {`\[`, `\]`, true}, {"$$$$$$", "$$$$$$", true}, {"$$$", "$$$", false}, {"$$", "$$", true}}

// spans finds the formulas in a text.
func spans(text []byte) (found []span) {
scan:
	for i := 0; i < len(text); {
		if bytes.HasPrefix(text[i:], []byte(`\$`)) {
			i += 2
			continue
		}
		for _, d := range delimiters {
			if !bytes.HasPrefix(text[i:], []byte(d.begin)) {
				continue
			}
			inner := text[i+len(d.begin):]
			length := bytes.Index(inner, []byte(d.end))
			if length < 0 {
				found = append(found, span{from: i, open: d.begin})
				i += len(d.begin)
				continue scan
			}
			to := i + len(d.begin) + length + len(d.end)
			found = append(found, newSpan(i, to, inner[:length], d.display))
			i = to
			continue scan
		}
		if text[i] == '$' && i+1 < len(text) && !isBlank(text[i+1]) {
			inner := text[i+1:]
			length := closing(nil, inner, []byte("$"))
			if length >= 0 && bytes.IndexByte(inner[:length], '$') < 0 && (notation().Match(inner[:length]) || !money().Match(text[i:])) {
				found = append(found, newSpan(i, i+1+length+1, inner[:length], false))
				i += 1 + length + 1
				continue
			}
			if next := bytes.IndexByte(inner, '$'); next < 0 && notation().Match(inner) {
				found = append(found, span{from: i, open: "the dollar sign"})
			}
		}
		i++
	}
	return found
}

func newSpan(from, to int, source []byte, display bool) span {
	return span{from: from, to: to, source: html.UnescapeString(string(bytes.TrimSpace(source))), display: display}
}
