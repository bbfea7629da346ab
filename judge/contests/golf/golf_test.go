package golf

import (
	"html"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/contests/golf/drivers"
	"assay/judge/running/config"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestCount(t *testing.T) {
	for _, row := range []struct {
		it, data, encoding string
		own                string
		code               string
		bytes, chars       int
		adjusted           int
		fails              bool
	}{
		{it: "counts bytes", data: "abc", code: "abc", bytes: 3, chars: 3},
		{it: "counts bytes and characters of UTF-8", data: "φ×2", code: "φ×2", bytes: 5, chars: 3},
		{it: "does not count the newline at the end", data: "a\n", code: "a", bytes: 1, chars: 1, adjusted: 1},
		{it: "counts newlines inside", data: "a\n\nb", code: "a\n\nb", bytes: 4, chars: 4},
		{it: "counts blanks at the end", data: "a \n", code: "a ", bytes: 2, chars: 2, adjusted: 1},
		{it: "counts CRLF as one", data: "a\r\nb\r\n", code: "a\nb", bytes: 3, chars: 3, adjusted: 2},
		{it: "counts a carriage return alone", data: "a\rb", code: "a\rb", bytes: 3, chars: 3},
		{it: "does not count a byte order mark", data: "\xef\xbb\xbfa", code: "a", bytes: 1, chars: 1, adjusted: 1},
		{it: "names each adjustment", data: "\xef\xbb\xbf\n\na\r\n", code: "a", bytes: 1, chars: 1, adjusted: 4},
		{it: "counts invalid UTF-8 as it is", data: "\xff\xfe", code: "\xff\xfe", bytes: 2, chars: 2, adjusted: 1},
		{it: "counts nothing", data: "", code: ""},
		{it: "counts in a code page of one byte", data: "φ×2", encoding: "sbcs", code: "φ×2", bytes: 3, chars: 3},
		{it: "counts in latin-1", data: "é", encoding: "latin-1", code: "é", bytes: 1, chars: 1},
		{it: "refuses what latin-1 does not have", data: "φ", encoding: "latin-1", fails: true},
		{it: "counts pairs in UTF-16", data: "a😀", encoding: "utf-16", code: "a😀", bytes: 6, chars: 2},
		{it: "counts in the language's own code page", data: "φ×\n2", own: "runes", code: "φ×\n2", bytes: 4, chars: 4},
		{it: "counts in UTF-8 what the own code page does not have", data: "φ×3", own: "runes", code: "φ×3", bytes: 5, chars: 3, adjusted: 1},
		{it: "takes bytes for those of the own code page", data: "a\xff", own: "runes", code: "a\xff", bytes: 2, chars: 2, adjusted: 1},
		{it: "lets an encoding go before the own code page", data: "φ", own: "runes", encoding: "utf-8", code: "φ", bytes: 2, chars: 1},
		{it: "counts in a code page that is asked for", data: "φḅ", encoding: "runes", code: "φḅ", bytes: 2, chars: 2},
		{it: "refuses what the code page does not have", data: "é", encoding: "runes", fails: true},
		{it: "refuses an unknown encoding", data: "a", encoding: "ebcdic", fails: true},
		{it: "refuses to recode what is not UTF-8", data: "\xff", encoding: "sbcs", fails: true},
	} {
		code, s, err := Count([]byte(row.data), row.encoding, row.own, map[string]string{"runes": "aφ×2ḅ"})
		if (err != nil) != row.fails {
			t.Errorf("it %s: Count(%q) error %v", row.it, row.data, err)
			continue
		}
		if code != row.code || s.Bytes != row.bytes || s.Chars != row.chars || len(s.Adjusted) != row.adjusted {
			t.Errorf("it %s: Count(%q) = %q, %+v", row.it, row.data, code, s)
		}
	}
}

func TestParsePost(t *testing.T) {
	for _, row := range []struct {
		it, text string
		want     Post
		fails    bool
	}{
		{it: "reads a plain header", text: "# Python 3, 137 bytes\n\n    f=1\n", want: Post{
			Language: "Python 3", Claim: 137, Code: "f=1", Blocks: 1, Headers: 1,
		}},
		{
			it:   "takes the last size that is not struck out",
			text: "## JavaScript (Node.js), <s>150</s> ~~140~~ 131 bytes\n```js\na\nb\n```\n",
			want: Post{Language: "JavaScript", Claim: 131, Code: "a\nb", Blocks: 1, Headers: 1},
		},
		{it: "reads a link", text: "# [Ruby](https://www.ruby-lang.org/), 12 bytes\n\n    ->{}", want: Post{
			Language: "Ruby", Claim: 12, Code: "->{}", Blocks: 1, Headers: 1,
		}},
		{it: "reads flags", text: "# Perl 5 + -p, 73 bytes\n\n    s/1//\n", want: Post{
			Language: "Perl 5", Flags: []string{"-p"}, Claim: 73, Code: "s/1//", Blocks: 1, Headers: 1,
		}},
		{it: "reads flags in backquotes", text: "# [Perl 5](x) `-nE`, 9 bytes\n\n    say\n", want: Post{
			Language: "Perl 5", Flags: []string{"-nE"}, Claim: 9, Code: "say", Blocks: 1, Headers: 1,
		}},
		{it: "takes the first block of several", text: "# C, 3 bytes\n\n    abc\n\ntext\n\n    def\n", want: Post{
			Language: "C", Claim: 3, Code: "abc", Blocks: 2, Headers: 1,
		}},
		{it: "takes the first of two headers", text: "# Lua, 5 bytes\n\n    a\n\n# Ruby, 9 bytes\n\n    b\n", want: Post{
			Language: "Lua", Claim: 5, Code: "a", Blocks: 2, Headers: 2,
		}},
		{it: "keeps empty lines and deeper blanks of a block", text: "    a\n\n     b\n", want: Post{Code: "a\n\n b", Blocks: 1}},
		{it: "reads a fence that is never closed", text: "```\na", want: Post{Code: "a", Blocks: 1}},
		{it: "reads a header without a blank", text: "#Perl, 9 bytes\n\n    say\n", want: Post{
			Language: "Perl", Claim: 9, Code: "say", Blocks: 1, Headers: 1,
		}},
		{it: "reads an underlined header", text: "Perl, 9 chars\n---\n\n    say\n", want: Post{
			Language: "Perl", Claim: 9, Code: "say", Blocks: 1, Headers: 1,
		}},
		{it: "reads a size without a unit", text: "## Python 3 - 45\n\n    f=1\n", want: Post{
			Language: "Python 3", Claim: 45, Code: "f=1", Blocks: 1, Headers: 1,
		}},
		{it: "takes a version for no size", text: "# Python 3.8\n\n    f=1\n", want: Post{
			Language: "Python 3.8", Code: "f=1", Blocks: 1, Headers: 1,
		}},
		{it: "reads HTML", text: "# C, 7 bytes\n\n<pre><code>a&lt;b\n\tc&amp;d\n</code></pre>\ntext\n", want: Post{
			Language: "C", Claim: 7, Code: "a<b\n\tc&d", Blocks: 1, Headers: 1,
		}},
		{it: "reads HTML that is never closed", text: "<pre>\na", want: Post{Code: "a", Blocks: 1}},
		{it: "reads the name of C++", text: "# C++ (gcc), 7 bytes\n\n    [](){}\n", want: Post{
			Language: "C++", Claim: 7, Code: "[](){}", Blocks: 1, Headers: 1,
		}},
		{it: "reads a bold header", text: "**[Ruby](x), 4 bytes**\n\n    ->{}\n", want: Post{
			Language: "Ruby", Claim: 4, Code: "->{}", Blocks: 1, Headers: 1,
		}},
		{it: "takes the first line with a size for a header", text: "Lua, 4 bytes\n\nSaved 7 bytes.\n\n    f=1\n", want: Post{
			Language: "Lua", Claim: 4, Code: "f=1", Blocks: 1, Headers: 1,
		}},
		{it: "reads a link by reference", text: "# [Lua][1], 3 bytes\n\n    f=1\n", want: Post{
			Language: "Lua", Claim: 3, Code: "f=1", Blocks: 1, Headers: 1,
		}},
		{it: "reads tags in a header", text: "<h1><a href=\"x\">C#</a>, 3 bytes</h1>\n<pre>a&amp;b</pre>", want: Post{
			Language: "C#", Claim: 3, Code: "a&b", Blocks: 1, Headers: 1,
		}},
		{
			it:   "reads code right behind a header or a comment",
			text: "# C, 3 bytes\n<!-- language: lang-c -->\n    f=1\n\nno:\n    g=2\n",
			want: Post{Language: "C", Claim: 3, Code: "f=1", Blocks: 1, Headers: 1},
		},
		{it: "takes the code's part of a sum", text: "# Perl -p, 12 + 1 = 13 bytes\n\n    s/1//\n", want: Post{
			Language: "Perl", Flags: []string{"-p"}, Claim: 12, Code: "s/1//", Blocks: 1, Headers: 1,
		}},
		{it: "reads the flags of how to run it", text: "# PHP, 4 bytes\n\n    f();\n\nRun as pipe with `php -nR`.\n", want: Post{
			Language: "PHP", Flags: []string{"-nR"}, Claim: 4, Code: "f();", Blocks: 1, Headers: 1,
		}},
		{it: "takes code in a line of its own", text: "# Lua, 3 bytes\n\n`f=1`\n\nIt is short.\n", want: Post{
			Language: "Lua", Claim: 3, Code: "f=1", Headers: 1,
		}},
		{
			it:   "takes code in a line with the claimed size, not its output",
			text: "# Lua, 3 bytes\n\nThe code is `f=1`, as `--` says.\n\nOutput:\n\n    1 2 3 4\n",
			want: Post{Language: "Lua", Claim: 3, Code: "f=1", Blocks: 1, Headers: 1},
		},
		{
			it:   "takes the block with the claimed size, not the first",
			text: "# Lua, 3 bytes\n\nIt prints this:\n\n    1 2 3 4\n\nfrom\n\n    f=1\n",
			want: Post{Language: "Lua", Claim: 3, Code: "f=1", Blocks: 2, Headers: 1},
		},
		{
			it:   "takes the block that is not an output, without a size",
			text: "# Lua\n\nSample output:\n\n    1 2 3 4\n\nCode:\n\n    f=1\n",
			want: Post{Language: "Lua", Code: "f=1", Blocks: 2, Headers: 1},
		},
		{it: "counts characters too, for code pages", text: "# Jelly, 2 bytes\n\nText:\n\n    abc\n\n`»ḅ`\n", want: Post{
			Language: "Jelly", Claim: 2, Code: "»ḅ", Blocks: 1, Headers: 1,
		}},
		{it: "takes a block before a word of the same size", text: "# Lua, 3 bytes\n\nWhere `abc` is not:\n\n    f=1\n", want: Post{
			Language: "Lua", Claim: 3, Code: "f=1", Blocks: 1, Headers: 1,
		}},
		{it: "reads code with backquotes in it", text: "# Lua, 3 bytes\n\n`` f`1 ``\n", want: Post{
			Language: "Lua", Claim: 3, Code: "f`1", Headers: 1,
		}},
		{it: "refuses to guess between a line and a block", text: "# Lua, 9 bytes\n\n`f=1`\n\n    1 2 3 4\n", fails: true},
		{it: "refuses a block of output", text: "# Lua, 9 bytes\n\nOutput:\n\n    1 2 3 4\n", fails: true},
		{it: "refuses words in the text that have another size", text: "# Lua, 9 bytes\n\nUse `f=1` here.\n", fails: true},
		{it: "refuses a post without code", text: "# C, 3 bytes\nabc\n", fails: true},
		{it: "refuses nothing", text: "", fails: true},
	} {
		got, err := ParsePost(row.text)
		if (err != nil) != row.fails {
			t.Errorf("it %s: error %v", row.it, err)
			continue
		}
		if err == nil {
			if diff := cmp.Diff(row.want, *got, cmpopts.IgnoreUnexported(Post{})); diff != "" {
				t.Errorf("it %s (-want +got):\n%s", row.it, diff)
			}
		}
	}
}

// FuzzParsePost: no text makes the parser panic, and the code comes from the text.
func FuzzParsePost(f *testing.F) {
	f.Add("# Python 3, 137 bytes\n\n    f=1\n")
	f.Add("```\n\n~~~\n```")
	f.Add("    a\n\t\n# x")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePost(text)
		if err != nil {
			return
		}
		if len(p.found) < 1 || p.Claim < 0 {
			t.Errorf("ParsePost(%q) = %+v", text, p)
		}
		plain := html.UnescapeString(tag().ReplaceAllString(text, ""))
		for _, line := range strings.Split(p.Code, "\n") {
			if !strings.Contains(text, line) && !strings.Contains(plain, line) {
				t.Errorf("the line %q is not in %q", line, text)
			}
		}
	})
}

func TestSplitFrames(t *testing.T) {
	const m = "~m~"
	for _, row := range []struct {
		it, out string
		want    []frame
		rest    string
	}{
		{"reads nothing", "", nil, ""},
		{"keeps what is printed", "hi\n" + m + "n" + m + "\n", []frame{{'n', "hi\n", ""}}, ""},
		{"reads texts of several lines", m + "va\nb" + m + "\n", []frame{{'v', "", "a\nb"}}, ""},
		{"reads several", m + "l" + m + "\n" + m + "v1" + m + "\nx", []frame{{'l', "", ""}, {'v', "", "1"}}, "x"},
		{"leaves a frame that is cut off", "a" + m + "v1", nil, "a" + m + "v1"},
		{"leaves a mark alone", m, nil, m},
	} {
		got, rest := splitFrames(row.out, m)
		if diff := cmp.Diff(row.want, got, cmp.AllowUnexported(frame{})); diff != "" || rest != row.rest {
			t.Errorf("it %s: rest %q, want %q (-want +got):\n%s", row.it, rest, row.rest, diff)
		}
	}
}

func TestBounded(t *testing.T) {
	flood := strings.Repeat("8 13\n", 1<<20)
	a, b := bounded(flood+"x"), bounded(flood+"y")
	if a == b || len(a) > maxCheckedOutput+200 {
		t.Errorf("bounded texts of %d bytes: %.40q, %.40q", len(a), a, b)
	}
	for text, want := range map[string]string{" 8 13\n": "8 13", "": "", strings.Repeat(" ", 1<<20) + "8 13": "8 13"} {
		if got := bounded(text); got != want {
			t.Errorf("bounded(%.20q) = %q, want %q", text, got, want)
		}
	}
}

func TestFrameOutput(t *testing.T) {
	for _, row := range []struct {
		it   string
		f    frame
		text string
		fate string
	}{
		{"takes what was returned", frame{'v', "debug\n", "3 5"}, "3 5", ""},
		{"takes what was printed where nothing was returned", frame{'n', "3 5\n", "None"}, "3 5\n", ""},
		{"takes the text of nothing where nothing was printed either", frame{'n', " \n", "None"}, "None", ""},
		{"takes what was left in the arguments", frame{'c', "", "3 5"}, "3 5", ""},
		{"takes nothing where the arguments are as they were", frame{'u', "", "4 7"}, "", ""},
		{"takes what was printed, whatever is in the arguments", frame{'c', "3 5", "0 0"}, "3 5", ""},
		{"takes what was printed before an error", frame{'e', "3", "IndexError"}, "3", "IndexError"},
	} {
		if o := row.f.output(7); o.text != row.text || o.failure != row.fate || o.input != 7 {
			t.Errorf("it %s: %+v", row.it, o)
		}
	}
}

// A function that works in place and leaves a lost position as it was says nothing.
func TestUnmoved(t *testing.T) {
	same := frame{'u', "", "4 7"}.output(0)
	for inPlace, want := range map[bool]string{true: "4 7", false: ""} {
		w := builtCandidate{inPlace: inPlace}
		if got := w.inPlaceOutput(same).text; got != want {
			t.Errorf("in place %v: the arguments give %q, want %q", inPlace, got, want)
		}
		if got := w.inPlaceOutput(frame{'u', "no\n", "4 7"}.output(0)).text; got != "no\n" {
			t.Errorf("in place %v: what was printed gives %q", inPlace, got)
		}
	}
}

func TestAddress(t *testing.T) {
	for text, want := range map[string]bool{
		"<function f at 0x7f3a5c1e2d40>": true, "CODE(0x55d0c8a3b2f8)": true, "0xdeadbeef": false, "3 5": false,
	} {
		for _, function := range []bool{true, false} {
			d, err := ParseDomain("4 7\n", 2)
			if err != nil {
				t.Fatal(err)
			}
			p := checkRun{
				r:       &SubmissionChecker{Domain: d},
				res:     &Result{GolfChecked: judge.GolfChecked{Verdict: Correct}, found: candidate{function: function}},
				outputs: []output{{text: text}},
			}
			p.noteAddresses()
			if noted := len(p.res.Notes) > 0; noted != (want && function) || (p.res.Verdict == Incorrect) != (want && !function) {
				t.Errorf("%q of a function %v: %s, notes %q", text, function, p.res.Verdict, p.res.Notes)
			}
		}
	}
}

func TestParseDomain(t *testing.T) {
	d, err := ParseDomain("0 0 !\n0 1\n-1 5\n", 2)
	if err != nil || len(d.Inputs) != 3 || !d.Inputs[0].Edge || d.Inputs[1].Edge {
		t.Fatalf("%+v, %v", d, err)
	}
	for _, text := range []string{"0 1", "0, 1", "(0, 1)", " [0,1]\n"} {
		if i, ok := d.Index(text); !ok || i != 1 {
			t.Errorf("Index(%q) = %d, %v", text, i, ok)
		}
	}
	for _, bad := range []string{"", "1\n", "1 2 3\n", "1 x\n", "1 2\n1 2\n", "!\n", "1 2\n\n3 4\n"} {
		if _, err := ParseDomain(bad, 2); err == nil {
			t.Errorf("ParseDomain(%q) is taken", bad)
		}
	}
}

func FuzzParseDomain(f *testing.F) {
	f.Add("0 0 !\n0 1\n", 2)
	f.Fuzz(func(t *testing.T, text string, arity int) {
		d, err := ParseDomain(text, arity)
		if err != nil {
			return
		}
		for i, in := range d.Inputs {
			if len(in.Args) != arity {
				t.Errorf("input %d has %d numbers", i, len(in.Args))
			}
		}
	})
}

func TestForms(t *testing.T) {
	for form, want := range map[string]string{
		"args": "f(i,j,k)", "tuple": "f((i,j,k))", "list": "f([i,j,k])", "curry": "f(i)(j)(k)",
		"inplace": "inplace",
	} {
		if got := FormName(form, 3); got != want {
			t.Errorf("FormName(%q, 3) = %q, want %q", form, got, want)
		}
	}
	d := &drivers.Driver{Calls: map[string]string{"inplace": "x", "list": "x", "anonymous curry": "x", "args": "x"}}
	if diff := cmp.Diff([]string{"f(i,j)", "f([i,j])", "f(i)(j)", "inplace"}, Calls(d, 2)); diff != "" {
		t.Errorf("Calls (-want +got):\n%s", diff)
	}
}

func TestFillDriver(t *testing.T) {
	g := &drivers.Driver{Driver: "{definition}\nrun {call} {other}", Arg: "a[{n}]", Around: "<{code}>", Calls: map[string]string{
		"args": "{function}({args})", "anonymous args": "({function})({args}){curry}",
	}}
	driver, answer := fillDriver(g, candidate{name: "f", form: "args"}, "f = {name};", 2, "")
	if want := "f = {name};\nrun f(a[0], a[1]) {other}"; driver != want || answer != "<f = {name};>" {
		t.Errorf("named: %q, %q; want %q", driver, answer, want)
	}
	all := &drivers.Driver{
		Driver: "{cases}", Case: "{form}:{call}", Words: map[string][]string{"both": {"<a{n}>", "+"}},
		Calls: map[string]string{"args": "{both}", "named list": "{name}", "anonymous list": "none"},
	}
	for name, want := range map[string]string{"f": "0:<a0>+<a1>+<a2>\n1:f", "": "0:<a0>+<a1>+<a2>\n1:none"} {
		if driver, _ := fillDriver(all, candidate{name: name, form: "args"}, "", 3, ""); driver != want {
			t.Errorf("all forms of %q: %q, want %q", name, driver, want)
		}
	}
	driver, _ = fillDriver(g, candidate{form: "args"}, "x -> x;", 2, "")
	if want := "run ((x -> x))(a[0], a[1])(a[0])(a[1]) {other}"; driver != want {
		t.Errorf("anonymous: %q, want %q", driver, want)
	}
}

func TestUnary(t *testing.T) {
	if got := unary([]string{"3", "0"}); got != "111 \n" {
		t.Errorf("unary(3, 0) = %q", got)
	}
}

func TestBest(t *testing.T) {
	now := time.Date(2024, 5, 6, 12, 0, 0, 0, time.UTC)
	right := func(file string, size int) *Result {
		return &Result{GolfChecked: judge.GolfChecked{File: file, Language: "Lua", Verdict: Correct, GolfSize: Size{Bytes: size}}}
	}
	b := &BestList{}
	b.Add("p", right("a.lua", 120), now.AddDate(0, 0, -1))
	b.Add("p", right("a.lua", 130), now)
	b.Add("p", right("b.lua", 110), now)
	b.Add("q", right("c.lua", 1), now)
	b.Add("p", &Result{GolfChecked: judge.GolfChecked{File: "w.lua", Language: "Lua", Verdict: Incorrect, GolfSize: Size{Bytes: 2}}}, now)
	path := t.TempDir() + "/" + BestFile
	if err := b.Write(path); err != nil {
		t.Fatal(err)
	}
	read, err := ReadBest(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := read.Text("p"), "   110  2024-05-06  Lua  b.lua\n   120  2024-05-05  Lua  a.lua\n"; got != want {
		t.Errorf("Text = %q, want %q", got, want)
	}
	if got, want := read.Compare("p", right("x.lua", 113), now), "best here: 110 (today, b.lua)   this: +3\n"; got != want {
		t.Errorf("Compare = %q, want %q", got, want)
	}
	for _, bad := range []string{"p\t1\tLua\n", "p\tx\tLua\t2024\tf\n"} {
		if _, err := parseBest("f", bad); err == nil {
			t.Errorf("parseBest(%q) is taken", bad)
		}
	}
}

func TestLanguageOf(t *testing.T) {
	cfg := &config.Config{Languages: []*config.Language{
		{ID: "python3", Name: "Python 3", Aliases: []string{"python"}}, {ID: "python2", Name: "Python 2"},
		{ID: "perl", Name: "Perl"}, {ID: "javascript", Name: "JavaScript"}, {ID: "c", Name: "C"},
	}}
	for header, want := range map[string]string{
		"Python 3.8 (pre-release)": "python3", "Python": "python3", "Python 2.7": "python2",
		"Python 3.8+": "python3", "python3": "python3", "Perl 5": "perl", "JavaScript (Node.js)": "javascript",
		"C (gcc)": "c", "Brainfuck": "", "": "",
	} {
		l, ok := LanguageOf(cfg, header)
		if got := map[bool]string{true: want}[ok]; ok != (want != "") || ok && l.ID != got {
			t.Errorf("LanguageOf(%q) = %v", header, l)
		}
	}
}

// result is one of a file, with a verdict and a size.
func result(file string, v Verdict, size int) *Result {
	return &Result{GolfChecked: judge.GolfChecked{File: file, Verdict: v, GolfSize: Size{Bytes: size}}}
}

func TestOrder(t *testing.T) {
	all := []*Result{
		result("w", Incorrect, 1), result("long", Correct, 9), result("none", CannotRun, 0), result("short", Correct, 5),
		result("slow", TooSlow, 0),
	}
	Order(all, false)
	var names []string
	for _, r := range all {
		names = append(names, r.File)
	}
	if diff := cmp.Diff([]string{"short", "long", "slow", "w", "none"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestRefusals(t *testing.T) {
	failed, other, printed := output{stderr: "line 1: syntax error"}, output{stderr: "line 2: no number"}, output{text: "1 2"}
	plain, wrapped := &builtCandidate{}, &builtCandidate{candidate: candidate{wrap: &drivers.Wrap{}}}
	function := &builtCandidate{candidate: candidate{function: true}}
	for _, row := range []struct {
		it   string
		see  func(r rejectionTracker)
		want bool
	}{
		{"is one where every run has the same error", func(r rejectionTracker) { r.record(plain, false, failed, failed, failed) }, true},
		{"may have another place in what stands around it", func(r rejectionTracker) {
			r.record(
				plain, false, failed, failed,
			)
			r.record(wrapped, false, other, other)
		}, true},
		{"does not mind functions that cannot be called either", func(r rejectionTracker) {
			r.record(plain, false, failed, failed)
			r.record(function, false, output{failure: "TypeError"})
		}, true},
		{"needs two runs", func(r rejectionTracker) { r.record(plain, false, failed) }, false},
		{"is none where the errors differ", func(r rejectionTracker) { r.record(plain, false, failed, other) }, false},
		{"is none where something is printed", func(r rejectionTracker) { r.record(plain, false, failed, failed, printed) }, false},
		{"is none where nothing is said", func(r rejectionTracker) { r.record(plain, false, output{}, output{}) }, false},
		{"is none where a run takes too long", func(r rejectionTracker) { r.record(plain, false, failed, failed); r.record(plain, true) }, false},
		{"is none where a function gives something", func(r rejectionTracker) {
			r.record(
				plain, false, failed, failed,
			)
			r.record(function, false, printed)
		}, false},
	} {
		seen := rejectionTracker{}
		row.see(seen)
		if said, got := seen.allRejected(); got != row.want || got && said != failed.stderr {
			t.Errorf("it %s: %q, %v", row.it, said, got)
		}
	}
}
