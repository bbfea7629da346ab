package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/judge"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawing formats a difference for comparisons in tests.
func drawing(all []diffLine) string {
	var b strings.Builder
	for _, d := range all {
		number := ""
		if d.Number > 0 {
			number = fmt.Sprint(d.Number)
		}
		fmt.Fprintf(&b, "%2s%c", number, d.Kind)
		for _, s := range d.Spans {
			if s.Hot {
				fmt.Fprintf(&b, "[%s]", s.Text)
			} else {
				b.WriteString(s.Text)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestDifference(t *testing.T) {
	for _, row := range []struct {
		name      string
		want, got string
		place     int // byte offset in got that the checker reported; -1 if none
		drawn     string
	}{
		{"points at a digit", "4 5 7\n", "4 5 8\n", -1, "1-4 5 [7]\n 1+4 5 [8]\n  ^    ^\n"},
		{"points where the checker says", "1.0 2.7 3\n", "1.0000001 2.5 3\n", 10, "1-[1.0] 2.[7] 3\n 1+[1.0000001] 2.[5] 3\n  ^          ^^^\n"},
		{"highlights numbers that have little in common as wholes", "-2000 7\n", "0 7\n", -1, "1-[-2000] 7\n 1+[0] 7\n  ^^\n"},
		{"highlights the places of a board", "#..#..\n", "#.##.#\n", -1, "1-#.[.]#.[.]\n 1+#.[#]#.[#]\n  ^  ^  ^\n"},
		{"highlights what was put into a long word", "abcdefgh\n", "abcXdefgh\n", -1, "1-abcdefgh\n 1+abc[X]defgh\n  ^   ^\n"},
		{
			"keeps the lines that both have", "a\nb\nc\n", "a\nB\nc\n", -1,
			"1 a\n 2-[b]\n 2+[B]\n  ^^\n  #only upper and lower case differ\n 3 c\n",
		},
		{"finds a missing line", "1\n2\n3\n", "1\n3\n", -1, "1 1\n 2-2\n 2 3\n"},
		{"finds one line too many", "1\n3\n", "1\n2\n3\n", -1, "1 1\n 2+2\n 3 3\n"},
		{"says that the output is empty", "1\n", "", -1, "1-1\n  #the output is empty\n"},
		{"says that the answer is empty", "", "1\n", -1, "1+1\n  #the answer is empty\n"},
		{"says that both are empty", "", "", -1, "#the output is empty\n  #the answer is empty\n"},
		{"shows blanks at the end", "1\n", "1  \n", -1, "1-1\n 1+1[··]\n  ^ ^^\n  #only blanks differ\n"},
		{"shows blanks too many", "1 2\n", "1  2\n", -1, "1-1 2\n 1+1 [·]2\n  ^  ^\n  #only blanks differ\n"},
		{"shows a tab", "1 2\n", `1\x092` + "\n", -1, "1-1[·]2\n 1+1[\\x09]2\n  ^ ^^^^\n"},
		{"shows CR LF once", "1\n2\n", `1\x0D` + "\n" + `2\x0D` + "\n", -1,
			"1-1\n 1+1[\\x0D]\n  ^ ^^^^\n  #only the line end differs: the output has CR LF\n 2-2\n 2+2[\\x0D]\n"},
		{"shows a missing line end", "1\n2\n", "1\n2", -1, "1 1\n 2 2\n  #no line end here in the output\n"},
		{"shows a line end too many", "1\n2", "1\n2\n", -1, "1 1\n 2 2\n  #no line end here in the answer\n"},
		{"points at a missing end of the line", "1 2 3\n", "1 2\n", -1, "1-1 2[ 3]\n 1+1 2\n  ^   ^\n"},
		{
			"stops soon after the last difference", "x\n1\n2\n3\n4\n5\n6\n", "y\n1\n2\n3\n4\n5\n6\n", -1,
			"1-[x]\n 1+[y]\n  ^^\n 2 1\n 3 2\n 4 3\n  ~…\n",
		},
		{"points in a line that looks the same", "1 2\n", "1 2\n", 2, "1 1 2\n  ^  ^\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := &judge.Detail{Want: whole(row.want), Got: whole(row.got)}
			if row.place >= 0 {
				d.Got.At, d.Place = row.place, &judge.Position{Line: 1, Column: row.place + 1}
			}
			if diff := cmp.Diff(row.drawn, strings.TrimLeft(drawing(diffLines(d)), " ")); diff != "" {
				t.Errorf("difference(%q, %q), want - got +:\n%s", row.want, row.got, diff)
			}
		})
	}
}

// whole returns a whole text as an excerpt.
func whole(text string) judge.Excerpt {
	return judge.Excerpt{Text: text, FirstLine: 1, Size: int64(len(text))}
}

func TestDifferenceLeavesOutWhatTheOtherWindowDoesNotReach(t *testing.T) {
	d := &judge.Detail{Want: whole("1\n2\n3\n4\n"), Got: whole("1\n2\n")}
	d.Got.After, d.Got.Size = true, 1000
	want := "  1 1\n 2 2\n  ~…\n"
	if got := drawing(diffLines(d)); got != want[1:] {
		t.Errorf("difference = %q, want %q", got, want[1:])
	}
}

// TestDifferenceProperties checks that the lines of either side are complete and in order, and that the same texts
// always give the same difference.
func TestDifferenceProperties(t *testing.T) {
	lineOf := rapid.StringMatching(`[ab 1]{0,6}`)
	textOf := rapid.Custom(func(t *rapid.T) string {
		text := strings.Join(rapid.SliceOfN(lineOf, 0, 24).Draw(t, "lines"), "\n")
		return text + rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end")
	})
	rapid.Check(t, func(t *rapid.T) {
		want, got := textOf.Draw(t, "want"), textOf.Draw(t, "got")
		d := &judge.Detail{Want: whole(want), Got: whole(got)}
		all := diffLines(d)
		if again := diffLines(d); drawing(all) != drawing(again) {
			t.Fatalf("drawn twice:\n%s\n%s", drawing(all), drawing(again))
		}
		side := func(k lineKind) []string {
			var texts []string
			for _, l := range all {
				if l.Kind == sameLine || l.Kind == k {
					texts = append(texts, strings.ReplaceAll(l.text(), visibleBlank, " "))
				}
			}
			return texts
		}
		check := func(name, text string, drawn []string) {
			var texts []string
			for l := range strings.Lines(text) {
				texts = append(texts, strings.TrimSuffix(l, "\n"))
			}
			if all[len(all)-1].Kind == moreLine {
				texts = texts[:len(drawn)]
			}
			if !slices.Equal(texts, drawn) {
				t.Fatalf("%s is drawn as %q, want %q", name, drawn, texts)
			}
		}
		if len(all) > 0 {
			check("the answer", want, side(expectedLine))
			check("the output", got, side(actualLine))
		}
	})
}

// FuzzDifference compares arbitrary texts, which reach go-diff. Nothing may panic, and the size of the difference
// must be bounded.
func FuzzDifference(f *testing.F) {
	f.Add("1\n2\n", "1\n3", 2, true)
	f.Add("\x00\xff", strings.Repeat("x", 2000), 1, false)
	f.Add("\U00010FFF\uFFFD\uE000", "\uE000\uE001", 0, true)
	f.Fuzz(func(t *testing.T, want, got string, at int, placed bool) {
		d := &judge.Detail{Want: whole(want), Got: whole(got)}
		if placed {
			d.Got.At, d.Place = at, &judge.Position{}
		}
		if n := len(diffLines(d)); n > 4*maxSide+8 {
			t.Errorf("%d lines drawn", n)
		}
	})
}
