package example

import (
	"slices"
	"strings"
)

// Shows returns a function that reports whether a Markdown statement shows a sample. The sample must be an
// example, or two consecutive texts even without a heading or label. If out is empty, the sample has no output.
func Shows(markdown string) func(in, out string) bool {
	events := scanMarkdown(bounded(markdown))
	found := pairUp(events)
	var texts []Text
	for _, e := range events {
		switch e.kind {
		case block:
			if may, _ := fenceRole(e.info); may {
				texts = append(texts, e.text)
			}
		case table:
			for _, row := range e.rows {
				texts = append(texts, row...)
			}
		}
	}
	return func(in, out string) bool {
		if slices.ContainsFunc(found, func(e Example) bool { return e.Input.Equals(in) && e.Output.Equals(out) }) {
			return true
		}
		if strings.TrimSpace(in) == "" || strings.TrimSpace(out) == "" {
			return false // an empty text would match anywhere
		}
		for i, t := range texts {
			if t.Equals(in) && i+1 < len(texts) && texts[i+1].Equals(out) || t.both(in, out) {
				return true
			}
		}
		return false
	}
}

// both reports whether the text consists of an input and its output. Each may follow one label, such as "Input:".
func (t Text) both(in, out string) bool {
	rest := withoutEmpty(lines(t.Text))
	for _, part := range []string{in, out} {
		want := withoutEmpty(lines(part))
		if len(rest) > 0 && !starts(rest, want) {
			label, first, _ := strings.Cut(rest[0], ":")
			if first = strings.TrimSpace(first); first != "" && classify(label).isLabel() {
				rest[0] = first
			} else if classify(rest[0]).isLabel() {
				rest = rest[1:]
			}
		}
		if !starts(rest, want) {
			return false
		}
		rest = rest[len(want):]
	}
	return len(rest) == 0
}

func starts(all, first []string) bool {
	return len(all) >= len(first) && slices.Equal(all[:len(first)], first)
}

func withoutEmpty(all []string) []string {
	return slices.DeleteFunc(all, func(line string) bool { return line == "" })
}
