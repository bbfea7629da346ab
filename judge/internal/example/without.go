package example

import (
	"strings"
)

// RemoveSamples returns a Markdown statement without the examples whose inputs are samples, according to isSample. It
// also removes headings and labels that have nothing left below them. The text beside examples stays.
func RemoveSamples(markdown string, isSample func(input Text) bool) string {
	if len(markdown) > maxStatement {
		return markdown
	}
	events := scanMarkdown(markdown)
	lines := strings.Split(markdown, "\n")
	gone := make([]bool, len(lines))
	remove := func(e event) {
		for i := e.first; i < min(e.after, len(lines)); i++ {
			gone[i] = true
		}
	}
	texts, kept := map[int]bool{}, map[int]bool{} // lines where texts of samples begin, and those of other examples
	for _, e := range pairUp(events) {
		to := kept
		if isSample(e.Input) {
			to = texts
		}
		to[e.Input.Line], to[e.Output.Line] = true, true
	}
	for i, e := range events {
		switch {
		case e.kind == block && texts[e.text.Line] && !kept[e.text.Line]:
			remove(e)
			for k := i - 1; k >= 0 && events[k].kind == label; k-- { // remove labels of the block
				c := classify(events[k].words)
				if !c.isLabel() || c.remark {
					break
				}
				remove(events[k])
			}
		case e.kind == table && allSamples(e, texts, kept):
			remove(e)
		}
	}
	withoutHeadings(events, lines, gone)
	return joinKept(lines, gone)
}

// allSamples reports whether a table contains at least one sample and no other example. The keys of texts are the
// lines of samples, and the keys of kept are the lines of other examples.
func allSamples(e event, texts, kept map[int]bool) bool {
	some := false
	for _, row := range e.rows {
		for _, cell := range row {
			some = some || texts[cell.Line]
			if kept[cell.Line] {
				return false
			}
		}
	}
	return some
}

// withoutHeadings removes example headings if everything below them was removed.
func withoutHeadings(events []event, lines []string, removed []bool) {
	for i := len(events) - 1; i >= 0; i-- { // inner headings first
		e := events[i]
		if e.kind != heading || i == 0 && e.level == 1 || !classify(e.words).isLabel() && !classify(e.words).exact {
			continue
		}
		end := len(lines)
		for _, next := range events[i+1:] {
			if next.kind == heading && next.level <= e.level {
				end = next.first
				break
			}
		}
		some, left := false, false
		for k := e.after; k < end; k++ {
			some = some || removed[k]
			left = left || !removed[k] && strings.TrimSpace(lines[k]) != ""
		}
		if some && !left {
			for k := e.first; k < e.after; k++ {
				removed[k] = true
			}
		}
	}
}

// joinKept returns the lines that are not removed. It leaves one empty line in place of removed lines.
func joinKept(lines []string, removed []bool) string {
	var out []string
	cut := false
	for i, line := range lines {
		switch empty := strings.TrimSpace(line) == ""; {
		case removed[i]:
			cut = true
		case empty && cut && (len(out) == 0 || strings.TrimSpace(out[len(out)-1]) == ""):
		default:
			if cut && !empty && len(out) > 0 && strings.TrimSpace(out[len(out)-1]) != "" {
				out = append(out, "")
			}
			cut = cut && empty
			out = append(out, line)
		}
	}
	text := strings.Join(out, "\n")
	if len(out) > 0 && removed[len(lines)-1] || cut {
		text = strings.TrimRight(text, "\n") + "\n"
	}
	return text
}
