package problems

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"assay/judge/report"
)

// diffLine is a line in the difference between two texts.
type diffLine struct {
	Kind     string // CSS class: same, got (removed), want (added) or more (omitted lines)
	Mark     string
	Was, Now int // line number in each text; zero if it is not in the text
	Text     string
}

// Said returns the screen reader text for the mark.
func (l diffLine) Said() string { return map[string]string{"got": "removed", "want": "added"}[l.Kind] }

// Limits on what is compared and shown.
const (
	mostCompared = 256 << 10 // bytes of text
	mostDrawn    = 400       // lines of difference
	aroundDiff   = 3         // unchanged lines around a change
)

// isText reports whether data is text that a page can show.
func isText(data []byte) bool { return utf8.Valid(data) && !bytes.Contains(data, []byte{0}) }

// textDiff returns the difference between two texts, with a few unchanged lines around each change. The result all
// reports whether the difference is complete rather than cut off at its end.
func textDiff(before, after string) (lines []diffLine, all bool) {
	was, now := linesOf(before), linesOf(after)
	var whole []diffLine
	for _, s := range report.Align(was, now) {
		switch {
		case s.New < 0:
			whole = append(whole, diffLine{"got", "-", s.Old + 1, 0, was[s.Old]})
		case s.Old < 0:
			whole = append(whole, diffLine{"want", "+", 0, s.New + 1, now[s.New]})
		default:
			whole = append(whole, diffLine{"same", " ", s.Old + 1, s.New + 1, was[s.Old]})
		}
	}
	return around(whole)
}

func linesOf(text string) []string {
	all := slices.Collect(strings.Lines(text))
	for i := range all {
		all[i] = strings.TrimSuffix(all[i], "\n")
	}
	return all
}

// around omits unchanged lines, except a few around each change.
func around(whole []diffLine) (lines []diffLine, all bool) {
	near := make([]bool, len(whole))
	for i, l := range whole {
		if l.Kind != "same" {
			for k := max(0, i-aroundDiff); k <= min(len(whole)-1, i+aroundDiff); k++ {
				near[k] = true
			}
		}
	}
	left := 0
	for i, l := range whole {
		switch {
		case !near[i]:
			left++
			continue
		case len(lines) >= mostDrawn:
			return lines, false
		case left > 0 && len(lines) > 0:
			lines = append(lines, diffLine{Kind: "more", Text: "…"})
		}
		left = 0
		lines = append(lines, l)
	}
	return lines, true
}
