package printing

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for data, want := range map[string]string{
		"a\r\nb\rc\n": "a\nb\nc\n", "\ufeffä\tb\f": "ä\tb\f", strings.Repeat("x", MaxBytes): strings.Repeat("x", MaxBytes),
	} {
		if got, err := Text([]byte(data)); err != nil || got != want {
			t.Errorf("%.20q is %.20q, %v", data, got, err)
		}
	}
	for data, want := range map[string]error{
		"": ErrEmpty, " \n\f": ErrEmpty, "\ufeff": ErrEmpty, "a\x00": ErrNotText, "\x1b[2J": ErrNotText, "\xff\xfea": ErrNotText,
		"%PDF-1.7\n\x93":                ErrNotText,
		strings.Repeat("x", MaxBytes+1): ErrTooLarge,
	} {
		if _, err := Text([]byte(data)); !errors.Is(err, want) {
			t.Errorf("%.20q: %v, want %v", data, err, want)
		}
	}
	if ErrTooLarge.Error() != "the file has more than 100 KiB" || ErrTooLong.Error() != "the file has more than 10 pages" {
		t.Errorf("%q, %q", ErrTooLarge, ErrTooLong)
	}
}

func TestName(t *testing.T) {
	for name, want := range map[string]string{
		"": "", ".": "", "/": "", " a.py ": "a.py", "/home/team/a.py": "a.py", `C:\a b\c.cpp`: "c.cpp",
		strings.Repeat("ü", 101): strings.Repeat("ü", 100),
	} {
		if got := BaseName(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

func TestPages(t *testing.T) {
	line := strings.Repeat("x", pageColumns)
	for name, tt := range map[string]struct {
		text string
		want []string // first and last line of each page, and its number of lines
	}{
		"one line":         {"a\n", []string{"a a 1"}},
		"a full page":      {strings.Repeat("a\n", pageLines), []string{"a a 62"}},
		"one line more":    {strings.Repeat("a\n", pageLines) + "b", []string{"a a 62", "b b 1"}},
		"a form feed":      {"a\n\fb\n\f", []string{"a  2", "b b 1"}},
		"a long line":      {line + "yz\nb", []string{line + " b 3"}},
		"a line that fits": {line + "\nb", []string{line + " b 2"}},
		"tabs":             {"a\tb\n\tc", []string{"a   b     c 2"}},
		"a tab at the end": {strings.Repeat("x", pageColumns-1) + "\tb", []string{strings.Repeat("x", pageColumns-1) + "    b 2"}},
		"a longer line":    {line + line + line, []string{line + " " + line + " 3"}},
		"wide letters":     {strings.Repeat("漢", pageColumns/2) + "字", []string{strings.Repeat("漢", pageColumns/2) + " 字 2"}},
		"fullwidth":        {strings.Repeat("！", pageColumns/2) + "？", []string{strings.Repeat("！", pageColumns/2) + " ？ 2"}},
		"emoji":            {strings.Repeat("🎈", pageColumns/2) + "🎉", []string{strings.Repeat("🎈", pageColumns/2) + " 🎉 2"}},
		"joiners":          {strings.Repeat("a\u200d", pageColumns) + "b", []string{strings.Repeat("a\u200d", pageColumns) + " b 2"}},
		"marks":            {strings.Repeat("e\u0301", pageColumns) + "b", []string{strings.Repeat("e\u0301", pageColumns) + " b 2"}},
		"most": {strings.Repeat("a\f", MaxPages),
			[]string{"a a 1", "a a 1", "a a 1", "a a 1", "a a 1", "a a 1", "a a 1", "a a 1", "a a 1", "a a 1"}},
	} {
		pages, err := Pages(tt.text)
		var got []string
		for _, p := range pages {
			all := strings.Split(p, "\n")
			got = append(got, all[0]+" "+all[len(all)-1]+" "+string(rune('0'+len(all)/10))+string(rune('0'+len(all)%10)))
			got[len(got)-1] = strings.Replace(got[len(got)-1], " 0", " ", 1)
		}
		if err != nil || strings.Join(got, "|") != strings.Join(tt.want, "|") {
			t.Errorf("%s: %q, %v, want %q", name, got, err, tt.want)
		}
	}
	for name, text := range map[string]string{
		"lines": strings.Repeat("a\n", pageLines*MaxPages+1), "form feeds": strings.Repeat("a\f", MaxPages) + "b",
		"a line": strings.Repeat("x", pageColumns*pageLines*MaxPages+1),
	} {
		if _, err := Pages(text); !errors.Is(err, ErrTooLong) {
			t.Errorf("too many pages by %s: %v", name, err)
		}
	}
}

func TestWidth(t *testing.T) {
	for r, want := range map[rune]int{
		'a': 1, 'ä': 1, '\u0301': 0, '漢': 2, '한': 2, '\uff00': 1, '\uff01': 2, '\uff60': 2, '\uff61': 1,
		0x1f2ff: 1, 0x1f300: 2, 0x1faff: 2, 0x1fb00: 1,
	} {
		if got := width(r); got != want {
			t.Errorf("%U has %d columns, want %d", r, got, want)
		}
	}
}

func TestFile(t *testing.T) {
	h := PageHeader{Team: "The\nFo\u2028x\u2029es\u202e", Number: "7", Seat: "B2", Groups: []string{"North", "Room 3"}, File: "a.py",
		Language: "Python 3", Contest: "Spring", Time: "10:00"}
	want := "TheFoxes | team 7 | seat B2 | North | Room 3\na.py | Python 3 | Spring | 10:00 | page 1 of 2\n" +
		strings.Repeat("-", pageColumns) + "\n\nx\n\f" +
		"TheFoxes | team 7 | seat B2 | North | Room 3\na.py | Python 3 | Spring | 10:00 | page 2 of 2\n" + strings.Repeat("-", pageColumns) +
		"\n\ny\n"
	if got := Document(h, []string{"x", "y"}); got != want {
		t.Errorf("the file is\n%q\nwant\n%q", got, want)
	}
	if got := (PageHeader{Team: "Foxes", File: "b"}).Lines(1, 1); got != [2]string{"Foxes", "b | page 1 of 1"} {
		t.Errorf("a short head is %q", got)
	}
}

func FuzzPages(f *testing.F) {
	f.Add("a\tb\f漢\n")
	f.Fuzz(func(t *testing.T, data string) {
		text, err := Text([]byte(data))
		if err != nil {
			return
		}
		pages, err := Pages(text)
		if err != nil {
			return
		}
		if len(pages) == 0 || len(pages) > MaxPages {
			t.Fatalf("%d pages", len(pages))
		}
		letters := func(s string) string { return strings.NewReplacer("\n", "", "\f", "", " ", "", "\t", "").Replace(s) }
		if all := strings.Join(pages, ""); letters(all) != letters(text) || !utf8.ValidString(all) {
			t.Errorf("%q became %q", text, all)
		}
		for _, p := range pages {
			for i, line := range strings.Split(p, "\n") {
				wide := 0
				for _, r := range line {
					wide += width(r)
				}
				if wide > pageColumns || i >= pageLines {
					t.Errorf("line %d of a page has %d columns", i, wide)
				}
			}
		}
	})
}
