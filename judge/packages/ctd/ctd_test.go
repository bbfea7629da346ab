package ctd_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"assay/judge"
	"assay/judge/packages/ctd"
)

// TestScripts checks the texts in testdata against their scripts. Texts under ok/ must match. Texts under bad/
// must not match, for the reason in the file beside each text.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			checkArchive(t, archive)
		})
	}
}

func checkArchive(t *testing.T, archive *txtar.Archive) {
	have := map[string]string{}
	for _, f := range archive.Files {
		have[f.Name] = string(f.Data)
	}
	program, err := ctd.Parse("script", []byte(have["script"]))
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for name, text := range have {
		if name == "script" || name == "option" || strings.HasSuffix(name, ".want") {
			continue
		}
		got, err := program.Check(t.Context(), []byte(text), ctd.Options{Lenient: have["option"] != ""})
		if err != nil {
			t.Fatal(err)
		}
		want, isBad := strings.TrimSpace(have[name+".want"]), strings.HasPrefix(name, "bad/")
		switch {
		case isBad && want == "":
			t.Errorf("%s has no %s.want", name, name)
		case isBad && (got == nil || got.Error() != want):
			t.Errorf("Check(%s):\n got %v\nwant %s", name, got, want)
		case !isBad && got != nil:
			t.Errorf("Check(%s) = %v, want nothing", name, got)
		}
		checked++
	}
	if checked < 2 {
		t.Errorf("only %d texts", checked)
	}
}

func TestParseFaults(t *testing.T) {
	for _, row := range []struct{ it, script, want string }{
		{"suggests the word that was meant", "INT(1,2)\nNEWLIN", "x.ctd:2:1: unknown word NEWLIN\n    did you mean \"NEWLINE\"?"},
		{"wants brackets", "INT 1", `x.ctd:1:5: want "(", got "1"`},
		{"wants the second bound", "INT(1)", `x.ctd:1:6: want ",", got ")"`},
		{"finds a string without an end", "STRING(\"a\n)", "x.ctd:1:8: a string without an end\n    end it with \""},
		{"finds a block without an end", "REP(2)\nSPACE", "x.ctd:2:6: want END of the REP in line 1, got the end of the script"},
		{
			"finds an END too many", "END",
			"x.ctd:1:1: END without a beginning\n    every END ends a REP, WHILE or IF, and ELSE stands between IF and END",
		},
		{"finds an ELSE of a loop", "REP(1) ELSE END", `x.ctd:1:8: want END of the REP in line 1, got "ELSE"`},
		{
			"refuses a block between rounds", "REP(1, REP(2)) END",
			"x.ctd:1:14: REP cannot stand between the rounds of a loop\n    such as SPACE or NEWLINE",
		},
		{"refuses a value for a test", "ASSERT(1)", "x.ctd:1:8: want a test, got a value\n    compare it with something, such as x < 5"},
		{"refuses a test for a value", "INT(1,(2<3))", "x.ctd:1:7: want a value, got a test"},
		{"refuses to compare tests", "ASSERT((1<2)<3)", "x.ctd:1:13: a test cannot be compared"},
		{"refuses to add tests", "ASSERT((1<2)+3<1)", `x.ctd:1:13: "+" does not go with a test`},
		{"refuses an option that is none", "FLOAT(1,2,x,SPACE)", "x.ctd:1:13: want an option, got \"SPACE\"\n    FIXED or SCIENTIFIC"},
		{
			"refuses letters from nowhere", "INT(1,2) ?",
			"x.ctd:1:10: nothing starts with '?'\n    commands are in upper case, variables in lower case",
		},
		{"refuses a value as a command", "x", "x.ctd:1:1: want a command, got \"x\"\n    a command is such as INT(1,10) or NEWLINE"},
		{"refuses a byte above 255", `STRING("\777")`, "x.ctd:1:9: \\777 is not a byte\n    \\377 is the last one"},
		{
			"refuses a pattern that is none", "\nREGEX(\"(a\")",
			"x.ctd:2: REGEX(\"(a\"): a ( without its )\n    write \\\\( for the bracket itself",
		},
		{
			"refuses braces that mean nothing", `REGEX("a{,3}")`,
			"x.ctd:1: REGEX(\"a{,3}\"): a { that is not such as {3}, {3,} or {3,5}\n    write \\\\{ for the brace itself",
		},
		{"refuses a number as a pattern", `REGEX(3)`, "x.ctd:1: REGEX(3) has no pattern\n    write it as a string: REGEX(\"[0-9]+\")"},
		{"refuses what is nested without end", strings.Repeat("IF(1==1)", 300), "x.ctd:1:1596: nested more than 200 deep"},
	} {
		_, err := ctd.Parse("x.ctd", []byte(row.script))
		if fault, ok := errors.AsType[*judge.ProblemError](err); !ok || fault.Error() != row.want {
			t.Errorf("it %s: Parse(%q):\n got %v\nwant %s", row.it, row.script, err, row.want)
		}
	}
}

// TestEnds checks that a script that reads nothing ends when the context is canceled.
func TestEnds(t *testing.T) {
	program, err := ctd.Parse("x.ctd", []byte("WHILE(1==1) END"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if m, err := program.Check(ctx, nil, ctd.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Check with an ended context = %v, %v, want %v", m, err, context.Canceled)
	}
}

// TestIntAgainstItsGrammar checks that INT reads exactly what its grammar and bounds allow.
func TestIntAgainstItsGrammar(t *testing.T) {
	grammar := regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Int64Range(-1000, 1000).Draw(t, "lo")
		hi := rapid.Int64Range(lo, 1000).Draw(t, "hi")
		text := rapid.StringMatching(`-?0?[0-9]{0,4}`).Draw(t, "text")
		want := grammar.MatchString(text)
		if want {
			n, _ := new(big.Int).SetString(text, 10)
			want = n.Cmp(big.NewInt(lo)) >= 0 && n.Cmp(big.NewInt(hi)) <= 0
		}
		got := fits(t, fmt.Sprintf("INT(%d,%d)", lo, hi), text)
		if got != want {
			t.Fatalf("INT(%d,%d) on %q: %v, want %v", lo, hi, text, got, want)
		}
	})
}

// TestArithmetic checks that integer arithmetic agrees with package math/big.
func TestArithmetic(t *testing.T) {
	whole := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-9, 9), rapid.SampledFrom([]int64{1<<63 - 1, -1 << 63, 1 << 62, 3037000500}))
	ops := map[string]func(z, a, b *big.Int) *big.Int{
		"+": (*big.Int).Add, "-": (*big.Int).Sub, "*": (*big.Int).Mul, "/": (*big.Int).Quo, "%": (*big.Int).Rem,
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := big.NewInt(whole.Draw(t, "a")), big.NewInt(whole.Draw(t, "b"))
		op := rapid.SampledFrom([]string{"+", "-", "*", "/", "%"}).Draw(t, "op")
		if b.Sign() == 0 && (op == "/" || op == "%") {
			t.Skip("no division by zero")
		}
		want := ops[op](new(big.Int), a, b)
		if script := fmt.Sprintf("ASSERT((%s) %s (%s) == %s)", a, op, b, want); !fits(t, script, "") {
			t.Fatalf("%s does not hold", script)
		}
	})
}

// TestRepeats checks that repeat counts in braces work, alone and nested, even if they exceed the limit of package
// regexp.
func TestRepeats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.IntRange(0, 3000).Draw(t, "lo")
		hi := rapid.IntRange(lo, 3500).Draw(t, "hi")
		width := rapid.SampledFrom([]int{1, 3}).Draw(t, "width")
		n := rapid.OneOf(rapid.IntRange(0, 12000), rapid.SampledFrom([]int{lo * width, lo*width - 1, hi * width, hi*width + 1})).Draw(t, "n")
		atom := map[int]string{1: "x", 3: "x{3}"}[width]
		script := fmt.Sprintf(`REGEX("(%s){%d,%d}")`, atom, lo, hi)
		want := n >= 0 && n%width == 0 && lo*width <= n && n <= hi*width
		if got := fits(t, script, strings.Repeat("x", max(n, 0))); got != want && n >= 0 {
			t.Fatalf("%s on %d x: %v, want %v", script, n, got, want)
		}
	})
}

func fits(t *rapid.T, script, text string) bool {
	program, err := ctd.Parse("x.ctd", []byte(script))
	if err != nil {
		t.Fatalf("Parse(%q): %v", script, err)
	}
	m, err := program.Check(context.Background(), []byte(text), ctd.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m == nil
}

func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range archive.Files {
			if part.Name == "script" {
				f.Add(string(part.Data))
			}
		}
	}
	f.Fuzz(func(t *testing.T, script string) {
		_, err := ctd.Parse("x.ctd", []byte(script))
		if err == nil {
			return
		}
		fault, ok := errors.AsType[*judge.ProblemError](err)
		if !ok {
			t.Fatalf("Parse(%q) = %v, which is not a fault", script, err)
		}
		if lines := 1 + strings.Count(script, "\n"); fault.Line < 1 || fault.Line > lines {
			t.Fatalf("Parse(%q) blames line %d of %d", script, fault.Line, lines)
		}
	})
}

func ExampleProgram_Check() {
	program, err := ctd.Parse("input.ctd", []byte(`
INT(1,100,n) NEWLINE
REPI(i,n,SPACE) INT(-1000,1000,x[i]) END NEWLINE
ASSERT(UNIQUE(x))
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{"3\n1 2 3\n", "3\n1 2\n", "3\n1 2 1\n"} {
		m, err := program.Check(context.Background(), []byte(text), ctd.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		if m == nil {
			fmt.Println("it fits")
			continue
		}
		fmt.Println(m)
	}
	// Output:
	// it fits
	// line 2, column 4: want a space, got the end of the line (script line 3: SPACE)
	// line 3, column 1: the indexes 0 and 2 have the same: 1 (script line 4: ASSERT(UNIQUE(x)))
}
