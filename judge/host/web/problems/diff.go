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
	Kind             string // CSS class: same, got (removed), want (added) or more (omitted lines)
	Mark             string
	OldLine, NewLine int // line number in each text; zero if it is not in the text
	Text             string
}

// ScreenReaderText returns the screen reader text for the mark.
func (l diffLine) ScreenReaderText() string {
	return map[string]string{"got": "removed", "want": "added"}[l.Kind]
}

// Limits on what is compared and shown.
const (
	maxCompared  = 256 << 10 // bytes of text
	maxDrawn     = 400       // lines of difference
	contextLines = 3         // unchanged lines around a change
)

// isText reports whether data is text that a page can show.
func isText(data []byte) bool { return utf8.Valid(data) && !bytes.Contains(data, []byte{0}) }

// textDiff returns the difference between two texts, with a few unchanged lines around each change. The result all
// reports whether the difference is complete rather than cut off at its end.
func textDiff(before, after string) (lines []diffLine, complete bool) {
	oldLines, newLines := splitLines(before), splitLines(after)
	var diff []diffLine
	for _, s := range report.Align(oldLines, newLines) {
		switch {
		case s.New < 0:
			diff = append(diff, diffLine{"got", "-", s.Old + 1, 0, oldLines[s.Old]})
		case s.Old < 0:
			diff = append(diff, diffLine{"want", "+", 0, s.New + 1, newLines[s.New]})
		default:
			diff = append(diff, diffLine{"same", " ", s.Old + 1, s.New + 1, oldLines[s.Old]})
		}
	}
	return omitUnchanged(diff)
}

func splitLines(text string) []string {
	lines := slices.Collect(strings.Lines(text))
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\n")
	}
	return lines
}

// omitUnchanged omits unchanged lines, except a few around each change.
func omitUnchanged(diff []diffLine) (lines []diffLine, complete bool) {
	near := make([]bool, len(diff))
	for i, l := range diff {
		if l.Kind != "same" {
			for k := max(0, i-contextLines); k <= min(len(diff)-1, i+contextLines); k++ {
				near[k] = true
			}
		}
	}
	left := 0
	for i, l := range diff {
		switch {
		case !near[i]:
			left++
			continue
		case len(lines) >= maxDrawn:
			return lines, false
		case left > 0 && len(lines) > 0:
			lines = append(lines, diffLine{Kind: "more", Text: "…"})
		}
		left = 0
		lines = append(lines, l)
	}
	return lines, true
}
