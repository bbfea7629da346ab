package report

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// lineDiff is the difference between two lines.
type lineDiff struct {
	want, got []span
	pointer   string // "^" below each part of got that differs
	first     int    // the first column that differs, in cells
}

// compare compares a line of the answer with a line of the output. If depth is set, it finds all differences, and
// otherwise only the first column that differs. It aligns whole words, because a part of a number has no meaning
// by itself.
func compare(want, got string, depth bool) (in lineDiff) {
	first := commonStart(want, got)
	plain := lineDiff{
		want:    []span{{want, false}},
		got:     []span{{got, false}},
		pointer: strings.Repeat(" ", first) + "^",
		first:   first,
	}
	if !depth || len(want) > maxInner || len(got) > maxInner {
		return plain
	}
	defer func() {
		if recover() != nil {
			in = plain
		}
	}()
	in.first = first
	words := tokens(want)
	others := tokens(got)
	ops := Align(words, others)
	for i := 0; i < len(ops); {
		if ops[i].Old >= 0 && ops[i].New >= 0 {
			in.want = append(in.want, span{words[ops[i].Old], false})
			in.got = append(in.got, span{others[ops[i].New], false})
			i++
			continue
		}
		var gone, come []string
		for ; i < len(ops) && (ops[i].Old < 0 || ops[i].New < 0); i++ {
			if ops[i].Old >= 0 {
				gone = append(gone, words[ops[i].Old])
			} else {
				come = append(come, others[ops[i].New])
			}
		}
		in.addWords(gone, come)
	}
	in.want, in.got = merge(in.want), merge(in.got)
	in.buildPointer(plain.pointer)
	return in
}

// addWords adds the words in gone, which only the answer contains, and the words in come, which the output contains
// instead.
func (in *lineDiff) addWords(removed, added []string) {
	for i := range max(len(removed), len(added)) {
		switch {
		case i >= len(added):
			in.want = append(in.want, span{removed[i], true})
		case i >= len(removed):
			in.got = append(in.got, span{added[i], true})
		default:
			w, g := compareWords(removed[i], added[i])
			in.want, in.got = append(in.want, w...), append(in.got, g...)
		}
	}
}

// buildPointer builds the pointer. It marks at least the first column that differs.
func (in *lineDiff) buildPointer(plain string) {
	var b strings.Builder
	for _, s := range in.got {
		mark := " "
		if s.Hot {
			mark = "^"
		}
		b.WriteString(strings.Repeat(mark, width(s.Text)))
	}
	in.pointer = strings.TrimRight(b.String(), " ")
	if start := strings.IndexByte(in.pointer, '^'); start < 0 || start > in.first { // words are missing at the first column
		in.pointer = plain
	}
}

// compareWords finds the differences between two words. If more than half of the characters differ, it marks both
// words completely.
func compareWords(want, got string) (w, g []span) {
	x, y := splitCharacters(want), splitCharacters(got)
	if len(x) == len(y) { // for example rows of a board: compare character by character
		differ := 0
		for i := range x {
			hot := x[i] != y[i]
			if hot {
				differ++
			}
			w, g = append(w, span{x[i], hot}), append(g, span{y[i], hot})
		}
		if 2*differ <= len(x) {
			return merge(w), merge(g)
		}
		return []span{{want, true}}, []span{{got, true}}
	}
	if len(x) < utf8.RuneCountInString(want) || len(y) < utf8.RuneCountInString(got) {
		return []span{{want, true}}, []span{{got, true}} // go-diff would separate an accent from its letter
	}
	differ := newDiffer()
	equal := 0
	for _, diff := range differ.DiffCleanupSemantic(differ.DiffMain(want, got, false)) {
		switch diff.Type {
		case diffmatchpatch.DiffEqual:
			w, g = append(w, span{diff.Text, false}), append(g, span{diff.Text, false})
			equal += utf8.RuneCountInString(diff.Text)
		case diffmatchpatch.DiffDelete:
			w = append(w, span{diff.Text, true})
		case diffmatchpatch.DiffInsert:
			g = append(g, span{diff.Text, true})
		}
	}
	if 2*equal < max(len(x), len(y)) {
		return []span{{want, true}}, []span{{got, true}}
	}
	return w, g
}

// merge joins neighboring spans that are both hot or both not hot.
func merge(spans []span) []span {
	var merged []span
	for _, s := range spans {
		if n := len(merged); n > 0 && merged[n-1].Hot == s.Hot {
			merged[n-1].Text += s.Text
		} else {
			merged = append(merged, s)
		}
	}
	return merged
}

// tokens splits a line into words, sequences of blanks, and escapes of the form \xNN.
func tokens(line string) []string {
	var parts []string
	for line != "" {
		n := 0
		switch {
		case line[0] == ' ':
			n = len(line) - len(strings.TrimLeft(line, " "))
		case isEscape(line):
			n = len(`\xNN`)
		default:
			_, n = utf8.DecodeRuneInString(line)
			for n < len(line) && line[n] != ' ' && !isEscape(line[n:]) {
				n++
			}
		}
		parts = append(parts, line[:n])
		line = line[n:]
	}
	return slices.Clip(parts)
}

// isEscape reports whether s begins with an escape.
func isEscape(s string) bool {
	const digits = "0123456789ABCDEF"
	return len(s) >= 4 && s[0] == '\\' && s[1] == 'x' &&
		strings.IndexByte(digits, s[2]) >= 0 && strings.IndexByte(digits, s[3]) >= 0
}

// commonStart returns the width in cells of the common prefix of two lines.
func commonStart(a, b string) int {
	x, y := splitCharacters(a), splitCharacters(b)
	cells := 0
	for i := 0; i < min(len(x), len(y)) && x[i] == y[i]; i++ {
		cells += width(x[i])
	}
	return cells
}

// visibleBlank is the visible form of a blank.
const visibleBlank = "·"

// showBlanks replaces blanks by visible ones at the end of a line, and in spans that differ only in blanks.
func showBlanks(spans []span) []span {
	atEnd := true
	for i := len(spans) - 1; i >= 0; i-- {
		s := &spans[i]
		end := s.Text
		if atEnd {
			end = strings.TrimRight(end, " ")
		}
		if s.Hot && strings.Trim(end, " ") == "" {
			end = ""
		}
		s.Text = end + strings.Repeat(visibleBlank, len(s.Text)-len(end))
		atEnd = atEnd && end == ""
	}
	return spans
}

// legend explains the marks that appear in text, such as \x09 for a tab.
func legend(text string) []string {
	var explanations []string
	for _, row := range []struct{ mark, words string }{
		{visibleBlank, "a blank"},
		{`\x09`, "a tab"},
		{`\x0D`, "a carriage return"},
		{`\x00`, "a zero byte"},
	} {
		if strings.Contains(text, row.mark) {
			explanations = append(explanations, row.mark+" is "+row.words)
		}
		text = strings.ReplaceAll(text, row.mark, "")
	}
	if strings.Contains(text, `\x`) {
		explanations = append(explanations, `\xNN is a byte in hexadecimal`)
	}
	return explanations
}
