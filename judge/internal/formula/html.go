package formula

import (
	"bytes"
	"fmt"

	"golang.org/x/net/html"

	"assay/judge/internal/tex"
)

// Statements in HTML have formulas as MathJax reads them: between \( and \), or \[ and \] for a line of its own;
// between dollars as in Markdown; and between three dollars on each side, as Codeforces writes them. A formula
// has no tags in it. Code has none.

// CheckHTML returns how many formulas a page has, and what is wrong with them.
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
			if flaw := tex.Flaw(s.source); flaw != "" {
				note(s.from, Finding{Text: tex.Broken(s.source, flaw), Hint: "correct it; " + escape})
			} else if _, ok := tex.MathML(s.source, s.display); !ok {
				note(s.from, Finding{
					Undrawn: true,
					Text:    fmt.Sprintf("the formula %s cannot be drawn: pages show its source", tex.Short(s.source)),
					Hint:    "write it with other commands",
				})
			}
		}
	})
	return n, found
}

// DrawHTML returns a page with its formulas as MathML. Those that cannot be drawn stay as they are.
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

// unread are elements whose text has no formulas.
var unread = map[string]bool{
	"script": true, "style": true, "pre": true, "code": true, "kbd": true, "samp": true, "tt": true, "textarea": true,
	"title": true, "math": true, "svg": true,
}

// walkHTML calls visit with each text of a page that may have formulas, unchanged, and with where it is.
func walkHTML(page []byte, visit func(text []byte, at int)) {
	z := html.NewTokenizer(bytes.NewReader(page))
	var within []string // elements that are not read
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
			if name, _ := z.TagName(); unread[string(name)] {
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

// span is a formula in a text of HTML.
type span struct {
	from, to int
	source   string
	display  bool
	open     string // what begins a formula that does not end; "" for a whole formula
}

// delimiters of formulas, longer ones before those that they begin with.
var delimiters = []struct {
	begin, end string
	display    bool
}{{`\(`, `\)`, false}, {`\[`, `\]`, true}, {"$$$$$$", "$$$$$$", true}, {"$$$", "$$$", false}, {"$$", "$$", true}}

// spans finds the formulas of a text.
func spans(text []byte) (all []span) {
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
				all = append(all, span{from: i, open: d.begin})
				i += len(d.begin)
				continue scan
			}
			to := i + len(d.begin) + length + len(d.end)
			all = append(all, whole(i, to, inner[:length], d.display))
			i = to
			continue scan
		}
		if text[i] == '$' && i+1 < len(text) && !isBlank(text[i+1]) {
			inner := text[i+1:]
			length := closing(nil, inner, []byte("$"))
			if length >= 0 && bytes.IndexByte(inner[:length], '$') < 0 && (notation().Match(inner[:length]) || !money().Match(text[i:])) {
				all = append(all, whole(i, i+1+length+1, inner[:length], false))
				i += 1 + length + 1
				continue
			}
			if next := bytes.IndexByte(inner, '$'); next < 0 && notation().Match(inner) {
				all = append(all, span{from: i, open: "the dollar sign"})
			}
		}
		i++
	}
	return all
}

func whole(from, to int, source []byte, display bool) span {
	return span{from: from, to: to, source: html.UnescapeString(string(bytes.TrimSpace(source))), display: display}
}
