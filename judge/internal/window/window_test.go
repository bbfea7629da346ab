package window_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"assay/judge"
	"assay/judge/internal/window"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Limits that the package documents.
const (
	linesBefore = 3
	linesAfter  = 20
	lineWidth   = 160
	maxText     = 4 << 10
)

func TestAround(t *testing.T) {
	numbers := func(from, to int) string {
		var b strings.Builder
		for i := from; i <= to; i++ {
			b.WriteString(strings.Repeat("x", i%7) + "\n")
		}
		return b.String()
	}
	for _, row := range []struct {
		name   string
		text   string
		offset int64
		want   judge.Excerpt
	}{
		{"shows nothing of an empty text", "", 0, judge.Excerpt{FirstLine: 1}},
		{"takes an offset behind the end for the end", "ab", 99, judge.Excerpt{Text: "ab", FirstLine: 1, At: 2, Size: 2}},
		{"takes a negative offset for the start", "ab", -1, judge.Excerpt{Text: "ab", FirstLine: 1, Size: 2}},
		{"keeps a missing line feed missing", "a\nb", 2, judge.Excerpt{Text: "a\nb", FirstLine: 1, At: 2, Size: 3}},
		{"stands behind the last line feed", "a\n", 2, judge.Excerpt{Text: "a\n", FirstLine: 1, At: 2, Size: 2}},
		{"stands on a line feed", "a\nb\n", 1, judge.Excerpt{Text: "a\nb\n", FirstLine: 1, At: 1, Size: 4}},
		{"shows empty lines", "\n\n\n\n\n\n", 5, judge.Excerpt{Text: "\n\n\n\n", FirstLine: 3, At: 3, Size: 6, Before: true}},
		{"shows three lines before", "1\n2\n3\n4\n5\n", 8, judge.Excerpt{Text: "2\n3\n4\n5\n", FirstLine: 2, At: 6, Size: 10, Before: true}},
		{"shows twenty lines after", numbers(1, 30), 0, judge.Excerpt{
			Text: numbers(1, 21), FirstLine: 1, Size: int64(len(numbers(1, 30))), After: true,
		}},
		{"writes control bytes as escapes", "a\x00\t\r\n", 2, judge.Excerpt{Text: "a\\x00\\x09\\x0D\n", FirstLine: 1, At: 5, Size: 5}},
		{"writes broken UTF-8 as escapes", "\xff\xc3", 1, judge.Excerpt{Text: `\xFF\xC3`, FirstLine: 1, At: 4, Size: 2}},
		{"writes invisible characters as escapes", "a\u200bb\u202e", 0, judge.Excerpt{Text: `a\xE2\x80\x8Bb\xE2\x80\xAE`, FirstLine: 1, Size: 8}},
		{"keeps an escape of the text apart from its own", `\x41 \n`, 0, judge.Excerpt{Text: `\x5Cx41 \n`, FirstLine: 1, Size: 7}},
		{"keeps what is not an escape as it is", `\xG0 \x0g \x/0 \x:0 \xa0 \y41 \x4`, 0, judge.Excerpt{
			Text: `\xG0 \x0g \x/0 \x:0 \xa0 \y41 \x4`, FirstLine: 1, Size: 33,
		}},
		{"keeps an escape at the end apart from its own", `\x09\xAF`, 0, judge.Excerpt{Text: `\x5Cx09\x5CxAF`, FirstLine: 1, Size: 8}},
		{"keeps an ellipsis of the text apart from its own", "…", 0, judge.Excerpt{Text: `\xE2\x80\xA6`, FirstLine: 1, Size: 3}},
		{"shows a line as wide as there is room", strings.Repeat("a", 160), 0, judge.Excerpt{
			Text: strings.Repeat("a", 160), FirstLine: 1, Size: 160,
		}},
		{"crops a line one character wider", strings.Repeat("a", 161), 0, judge.Excerpt{
			Text: strings.Repeat("a", 160) + "…", FirstLine: 1, Size: 161,
		}},
		{"crops a long line at its end", strings.Repeat("a", 300), 0, judge.Excerpt{
			Text: strings.Repeat("a", 160) + "…", FirstLine: 1, Size: 300,
		}},
		{"crops a long line on both sides", strings.Repeat("a", 200) + "B" + strings.Repeat("c", 200), 200,
			judge.Excerpt{Text: "…" + strings.Repeat("a", 80) + "B" + strings.Repeat("c", 79) + "…", FirstLine: 1, At: 83, Size: 401}},
		{"crops the other lines at the same column", strings.Repeat("a", 1000) + "\n" + strings.Repeat("b", 1000), 500,
			judge.Excerpt{Text: "…" + strings.Repeat("a", 160) + "…\n…" + strings.Repeat("b", 160) + "…", FirstLine: 1, At: 83, Size: 2001}},
		{"does not crop within a character", strings.Repeat("é", 1000), 1000,
			judge.Excerpt{Text: "…" + strings.Repeat("é", 160) + "…", FirstLine: 1, At: 163, Size: 2000}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := window.Around(section(row.text), row.offset)
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("Around(%.40q, %d), want - got +:\n%s", row.text, row.offset, diff)
			}
		})
	}
}

// texts generates texts of all kinds, some much longer than a block.
func texts(t *rapid.T, name string) []byte {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{"\n", "1 2 3\n", "\r\n", "\x00", "\xff\xfe", "é", "…", `\x41`, "\u202e", "\n\n\n", "😀"}),
		rapid.Map(rapid.SampledFrom([]int{10, 150, 170, 700, 5000, 140_000}), func(n int) string { return strings.Repeat("x", n) }),
		rapid.Map(rapid.SampledFrom([]int{10, 150, 3000}), func(n int) string { return strings.Repeat("\x01", n) }),
		rapid.Map(rapid.SampledFrom([]int{3, 40, 70_000}), func(n int) string { return strings.Repeat("7\n", n) }),
	)
	return []byte(strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, name), ""))
}

// unescape is a slow, simple inverse of the escaping. It expects text without cut marks.
func unescape(s string) []byte {
	var b []byte
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && len(s) >= i+4 && s[i+1] == 'x' {
			hi, lo := strings.IndexByte("0123456789ABCDEF", s[i+2]), strings.IndexByte("0123456789ABCDEF", s[i+3])
			if hi >= 0 && lo >= 0 {
				b = append(b, byte(hi<<4|lo))
				i += 3
				continue
			}
		}
		b = append(b, s[i])
	}
	return b
}

// TestAroundProperties checks that a window is limited and printable, reports its position correctly, and contains
// the requested bytes.
func TestAroundProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := texts(t, "text")
		offset := rapid.Int64Range(0, int64(len(data))).Draw(t, "offset")
		e := window.Around(io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data))), offset)

		if len(e.Text) > maxText {
			t.Fatalf("%d bytes of text, want at most %d", len(e.Text), maxText)
		}
		if !utf8.ValidString(e.Text) {
			t.Fatalf("text is not UTF-8: %q", e.Text)
		}
		for _, line := range strings.Split(e.Text, "\n") {
			if n := utf8.RuneCountInString(line); n > lineWidth+2 {
				t.Fatalf("line of %d characters: %q", n, line)
			}
		}
		line := 1 + bytes.Count(data[:offset], []byte{'\n'})
		shown := e.FirstLine + strings.Count(e.Text[:e.At], "\n")
		if line != shown {
			t.Fatalf("the place is in line %d, the window says %d", line, shown)
		}
		if line-e.FirstLine != min(linesBefore, line-1) {
			t.Fatalf("line %d in a window from line %d", line, e.FirstLine)
		}
		if strings.Count(e.Text, "\n") > linesBefore+1+linesAfter {
			t.Fatalf("%d lines", strings.Count(e.Text, "\n"))
		}
		// The byte at the position and the bytes after it in the line are shown unchanged. A position within a
		// character is shown at the start of the character.
		start := offset
		if r, _ := utf8.DecodeRuneInString(e.Text[e.At:]); r > utf8.RuneSelf && r != utf8.RuneError {
			for !utf8.RuneStart(data[start]) {
				start--
			}
		}
		after := unescape(strings.TrimSuffix(firstLine(e.Text[e.At:]), window.Cut))
		if rest := firstLine(string(data[start:])); !strings.HasPrefix(rest, string(after)) || (len(after) == 0) != (len(rest) == 0) {
			t.Fatalf("at the place the window has %q, the text has %.200q", after, rest)
		}
		if !e.Before && !e.After && !strings.Contains(e.Text, window.Cut) {
			if got := unescape(e.Text); !bytes.Equal(got, data) {
				t.Fatalf("nothing is cut, and the window reads %q", got)
			}
		}
	})
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// TestLongLinesBefore checks that the lines before the position are located again in blocks that were read
// earlier, for all line lengths and block boundaries.
func TestLongLinesBefore(t *testing.T) {
	const block = 128 << 10
	for _, size := range []int{1, block/2 - 1, block - 2, block - 1, block, block + 1, 3 * block} {
		for lines := range 8 {
			var text strings.Builder
			want := ""
			for i := range lines {
				line := strings.Repeat(string(rune('a'+i)), size) + "\n"
				text.WriteString(line)
				if i >= lines-linesBefore {
					want += line
				}
			}
			text.WriteString("place\n")
			e := window.Around(section(text.String()), int64(text.Len()-len("place\n")))
			if e.FirstLine != max(lines-linesBefore, 0)+1 || strings.Count(e.Text[:e.At], "\n") != min(lines, linesBefore) ||
				e.Before != (lines > linesBefore) {
				t.Errorf(
					"after %d lines of %d bytes the window starts with line %d, and the place is at %d of %.20q",
					lines, size, e.FirstLine, e.At, e.Text,
				)
			}
			for i, line := range strings.SplitAfter(e.Text[:e.At], "\n")[:min(lines, linesBefore)] {
				if w := strings.SplitAfter(want, "\n")[i]; line[0] != w[0] || len(w) <= lineWidth && line != w {
					t.Errorf("after %d lines of %d bytes, line %d of the window is %.20q..., want %.20q", lines, size, i, line, w)
				}
			}
		}
	}
}

// TestDetailShowsTheDifference checks that, without a place, the windows are at the first byte that differs, and
// that their texts differ there.
func TestDetailShowsTheDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ans := texts(t, "answer")
		out := bytes.Clone(ans)
		if len(out) > 0 && rapid.Bool().Draw(t, "change a byte") {
			out[rapid.IntRange(0, len(out)-1).Draw(t, "where")] ^= 1
		}
		out = out[:rapid.IntRange(len(out)/2, len(out)).Draw(t, "length")]
		d := window.Detail(nil,
			io.NewSectionReader(bytes.NewReader(ans), 0, int64(len(ans))),
			io.NewSectionReader(bytes.NewReader(out), 0, int64(len(out))), nil)
		if bytes.Equal(ans, out) {
			if d.Want != d.Got || d.Want.Before {
				t.Fatalf("equal texts, want their heads, got\n%+v\n%+v", d.Want, d.Got)
			}
			return
		}
		if d.Want.FirstLine != d.Got.FirstLine {
			t.Fatalf("answer from line %d, output from line %d", d.Want.FirstLine, d.Got.FirstLine)
		}
		if firstLine(d.Want.Text[d.Want.At:]) == firstLine(d.Got.Text[d.Got.At:]) {
			a, b := strings.HasPrefix(d.Want.Text[d.Want.At:], "\n"), strings.HasPrefix(d.Got.Text[d.Got.At:], "\n")
			if a == b && (d.Want.At < len(d.Want.Text)) == (d.Got.At < len(d.Got.Text)) {
				t.Fatalf("the windows look the same:\n%q\n%q", d.Want.Text[d.Want.At:], d.Got.Text[d.Got.At:])
			}
		}
	})
}

func TestDetailTakesMissingTexts(t *testing.T) {
	d := window.Detail(nil, nil, section("7\n"), nil)
	want := &judge.Detail{
		Input: judge.Excerpt{FirstLine: 1},
		Want:  judge.Excerpt{FirstLine: 1},
		Got:   judge.Excerpt{Text: "7\n", FirstLine: 1, Size: 2},
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("Detail, want - got +:\n%s", diff)
	}
}

// broken is an io.ReaderAt that fails at and after the offset good.
type broken struct{ good int64 }

func (b broken) ReadAt(p []byte, off int64) (int, error) {
	if off >= b.good {
		return 0, errors.New("no such block")
	}
	n := int(min(int64(len(p)), b.good-off))
	copy(p, strings.Repeat("5\n", n/2+1))
	if n < len(p) {
		return n, errors.New("no such block")
	}
	return n, nil
}

func TestAroundShowsWhatCanBeRead(t *testing.T) {
	for _, offset := range []int64{0, 50, 999, 1 << 20, 1 << 21} {
		e := window.Around(io.NewSectionReader(broken{1 << 20}, 0, 1<<21), offset)
		if e.Size != 1<<21 || len(e.Text) > maxText {
			t.Errorf("Around(broken, %d) = %+v", offset, e)
		}
	}
}

func FuzzDetail(f *testing.F) {
	f.Add([]byte("1\n"), []byte("1\n2\n3\n"), []byte("1\n2\n4\n"), int64(4), int64(4), true)
	f.Add([]byte("\x00"), []byte("\xff\r\n"), []byte(""), int64(-1), int64(1<<40), true)
	f.Fuzz(func(t *testing.T, in, ans, out []byte, ansOffset, outOffset int64, placed bool) {
		section := func(b []byte) *io.SectionReader {
			return io.NewSectionReader(bytes.NewReader(b), 0, int64(len(b)))
		}
		var place *judge.Position
		if placed {
			place = &judge.Position{AnsOffset: ansOffset, OutOffset: outOffset}
		}
		d := window.Detail(section(in), section(ans), section(out), place)
		for _, e := range []judge.Excerpt{d.Input, d.Want, d.Got} {
			if len(e.Text) > maxText || e.At > len(e.Text) || e.FirstLine < 1 || !utf8.ValidString(e.Text) {
				t.Errorf("%+v is out of its bounds", e)
			}
		}
	})
}
