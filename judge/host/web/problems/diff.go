package problems

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"assay/judge/report"
)

// diffLine is a line of what is other in one text than in another.
type diffLine struct {
	Kind     string // of the style sheet: same, got for one that is gone, want for a new one, more for some that are left out
	Mark     string
	Was, Now int // its number in each text; 0 if there is none
	Text     string
}

// Said returns the word that a screen reader says for the mark.
func (l diffLine) Said() string { return map[string]string{"got": "removed", "want": "added"}[l.Kind] }

// The bounds of what is compared and shown.
const (
	mostCompared = 256 << 10 // bytes of a text
	mostDrawn    = 400       // lines of a difference
	aroundDiff   = 3         // lines that are the same beside one that is not
)

// isText reports whether bytes are a text that a page can show.
func isText(data []byte) bool { return utf8.Valid(data) && !bytes.Contains(data, []byte{0}) }

// textDiff says how one text becomes another, with a few lines around each difference. All reports
// whether nothing was left out at its end.
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

// around leaves out what is the same, except some lines beside each difference.
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
