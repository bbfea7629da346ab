package kit

import (
	"strconv"
	"strings"
	"testing"
)

// read runs f on a text as a checker's output or, if strict, as a validator's input.
func read(text string, strict bool, f func(r *Reader)) quit {
	r := &Reader{data: []byte(text), name: "output", blame: WA, strict: strict}
	return catch(func() { f(r) })
}

func TestReader(t *testing.T) {
	int64s := func(r *Reader) { r.Int64(); r.EOF() }
	bounded := func(r *Reader) { r.Int(1, 10, "n"); r.EOF() }
	word := func(r *Reader) { r.Word(1, 3, "name"); r.EOF() }
	lines := func(r *Reader) { r.Line(); r.Line(); r.EOF() }
	for _, row := range []struct {
		name   string
		strict bool
		text   string
		f      func(r *Reader)
		want   string // "" is right
	}{
		{"takes blanks around a number", false, " \n 7\t\n", int64s, ""},
		{"takes a sign", false, "+7", int64s, ""},
		{"takes zeros in front", false, "-007", int64s, ""},
		{"refuses another base", false, "0x7", int64s, `output, line 1, column 1: want an integer, got "0x7"`},
		{"refuses digits with underscores", false, "1_000", int64s, `output, line 1, column 1: want an integer, got "1_000"`},
		{"refuses a point", false, "\n 7.0", int64s, `output, line 2, column 2: want an integer, got "7.0"`},
		{"refuses a sign alone", false, "-", int64s, `output, line 1, column 1: want an integer, got "-"`},
		{
			"refuses what does not fit", false, "9223372036854775808", int64s,
			`output, line 1, column 1: want an integer, got "9223372036854775808"`,
		},
		{"takes the least number", false, "-9223372036854775808", int64s, ""},
		{"refuses a second number", false, "7 8", int64s, "output, line 1, column 3: want the end of the file, got '8'"},
		{"refuses nothing", false, " \n", int64s, "output, line 2, column 1: want a word, got the end of the file"},
		{"cuts long words in messages", false, strings.Repeat("x", 100), int64s,
			`output, line 1, column 1: want an integer, got "` + strings.Repeat("x", 30) + `"..."` + strings.Repeat("x", 15) + `" (100 bytes)`},
		{"points at a word behind blanks", false, "\n xxxx", word, "output, line 2, column 2: name has 4 characters, not 1 to 3"},
		{"takes the bounds", false, "10", bounded, ""},
		{"refuses less than the bounds", false, "0", bounded, "output, line 1, column 1: n = 0 is not in 1..10"},
		{"refuses more than the bounds", false, "11", bounded, "output, line 1, column 1: n = 11 is not in 1..10"},
		{"takes a word of the longest", false, "abc", word, ""},
		{"refuses a longer word", false, "abcd", word, "output, line 1, column 1: name has 4 characters, not 1 to 3"},
		{"refuses a word that cannot be printed", false, "a\x00", word, `output, line 1, column 1: name = "a\x00" is not printable ASCII`},
		{"reads lines", false, "a b\nc", lines, ""},
		{"refuses too few lines", false, "a b\n", lines, "output, line 2, column 1: want a line, got the end of the file"},

		{"strictly takes a number", true, "-7", int64s, ""},
		{"strictly refuses a blank", true, " 7", int64s, "output, line 1, column 1: want a word, got a blank"},
		{"strictly refuses a plus", true, "+7", int64s, `output, line 1, column 1: want an integer, got "+7"`},
		{"strictly refuses a zero in front", true, "07", int64s, `output, line 1, column 1: want an integer, got "07"`},
		{"strictly refuses minus zero", true, "-0", int64s, `output, line 1, column 1: want an integer, got "-0"`},
		{
			"strictly refuses a line feed at the end", true, "7\n", int64s,
			"output, line 1, column 2: want the end of the file, got the end of the line",
		},
		{"strictly refuses a carriage return", true, "7\r\n", func(r *Reader) { r.Int64(); r.EOLN() },
			`output, line 1, column 2: want the end of the line, got '\r'`},
		{"strictly refuses two blanks", true, "7  8", func(r *Reader) { r.Int64(); r.Space(); r.Int64() },
			"output, line 1, column 3: want a word, got a blank"},
		{
			"strictly refuses a last line without an end", true, "a\nb", lines,
			"output, line 2, column 2: want the end of the line, got the end of the file",
		},
	} {
		t.Run("it "+row.name, func(t *testing.T) {
			q := read(row.text, row.strict, row.f)
			if q.message != row.want || (q.verdict == WA) != (row.want != "") {
				t.Errorf("reading %q: %q %q, want %q", row.text, q.verdict, q.message, row.want)
			}
		})
	}
}

func TestWhoIsToBlame(t *testing.T) {
	answer := &Reader{data: []byte("x"), name: "answer", blame: Fail}
	if q := catch(func() { answer.Int64() }); q.verdict != Fail {
		t.Errorf("an answer that cannot be read: %q, want %q", q.verdict, Fail)
	}
	if q := catch(func() { var list []int; _ = list[len(list)] }); q.verdict != Fail || !strings.Contains(q.message, "index out of range") {
		t.Errorf("a panic of the checker: %q %q, want %q", q.verdict, q.message, Fail)
	}
}

// FuzzInt64 checks that Int64 agrees with strconv, both in a strict Reader and in the Reader of a checker.
func FuzzInt64(f *testing.F) {
	for _, seed := range []string{"0", "-1", "007", "+5", "--1", "9223372036854775808", "1_0", "0b1", "१", " 5 ", "5\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got int64
		strict := read(text, true, func(r *Reader) { got = r.Int64(); r.EOF() })
		want, err := strconv.ParseInt(text, 10, 64)
		canonical := err == nil && strconv.FormatInt(want, 10) == text
		if (strict.verdict == "") != canonical || canonical && got != want {
			t.Errorf("strictly reading %q: %q %q, number %d", text, strict.verdict, strict.message, got)
		}
		word := strings.Trim(text, " \t\n\v\f\r")
		want, err = strconv.ParseInt(word, 10, 64)
		loose := read(text, false, func(r *Reader) { got = r.Int64(); r.EOF() })
		if (loose.verdict == "") != (err == nil) || err == nil && got != want {
			t.Errorf("reading %q: %q %q, number %d", text, loose.verdict, loose.message, got)
		}
	})
}
