package report

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// inner is the difference between two lines.
type inner struct {
	want, got []span
	pointer   string // "^" below each part of got that differs
	first     int    // the first column that differs, in cells
}

// compare compares a line of the answer with a line of the output. If depth is set, it finds all differences, and
// otherwise only the first column that differs. It aligns whole words, because a part of a number has no meaning
// by itself.
func compare(want, got string, depth bool) (in inner) {
	first := commonStart(want, got)
	plain := inner{
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
		in.replace(gone, come)
	}
	in.want, in.got = merge(in.want), merge(in.got)
	in.point(plain.pointer)
	return in
}

// replace adds the words in gone, which only the answer contains, and the words in come, which the output contains
// instead.
func (in *inner) replace(gone, come []string) {
	for i := range max(len(gone), len(come)) {
		switch {
		case i >= len(come):
			in.want = append(in.want, span{gone[i], true})
		case i >= len(gone):
			in.got = append(in.got, span{come[i], true})
		default:
			w, g := compareWords(gone[i], come[i])
			in.want, in.got = append(in.want, w...), append(in.got, g...)
		}
	}
}

// point builds the pointer. It marks at least the first column that differs.
func (in *inner) point(plain string) {
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
	x, y := characters(want), characters(got)
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
	var all []string
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
		all = append(all, line[:n])
		line = line[n:]
	}
	return slices.Clip(all)
}

// isEscape reports whether s begins with an escape.
func isEscape(s string) bool {
	const digits = "0123456789ABCDEF"
	return len(s) >= 4 && s[0] == '\\' && s[1] == 'x' &&
		strings.IndexByte(digits, s[2]) >= 0 && strings.IndexByte(digits, s[3]) >= 0
}

// commonStart returns the width in cells of the common prefix of two lines.
func commonStart(a, b string) int {
	x, y := characters(a), characters(b)
	cells := 0
	for i := 0; i < min(len(x), len(y)) && x[i] == y[i]; i++ {
		cells += width(x[i])
	}
	return cells
}

// blank is the visible form of a blank.
const blank = "·"

// visible replaces blanks by visible ones at the end of a line, and in spans that differ only in blanks.
func visible(spans []span) []span {
	atEnd := true
	for i := len(spans) - 1; i >= 0; i-- {
		s := &spans[i]
		kept := s.Text
		if atEnd {
			kept = strings.TrimRight(kept, " ")
		}
		if s.Hot && strings.Trim(kept, " ") == "" {
			kept = ""
		}
		s.Text = kept + strings.Repeat(blank, len(s.Text)-len(kept))
		atEnd = atEnd && kept == ""
	}
	return spans
}

// legend explains the marks that appear in text, such as \x09 for a tab.
func legend(text string) []string {
	var all []string
	for _, row := range []struct{ mark, words string }{
		{blank, "a blank"},
		{`\x09`, "a tab"},
		{`\x0D`, "a carriage return"},
		{`\x00`, "a zero byte"},
	} {
		if strings.Contains(text, row.mark) {
			all = append(all, row.mark+" is "+row.words)
		}
		text = strings.ReplaceAll(text, row.mark, "")
	}
	if strings.Contains(text, `\x`) {
		all = append(all, `\xNN is a byte in hexadecimal`)
	}
	return all
}
