package golf

import (
	"slices"
	"strings"
	"testing"

	"assay/judge/contests/golf/drivers"

	"github.com/google/go-cmp/cmp"
)

func TestCandidates(t *testing.T) {
	d := &drivers.Driver{
		Programs: []string{`read`}, Argv: []string{`ARGV`}, Names: []string{`def (\w+)`}, Values: []string{`(\w+) =`}, Driver: "d", Split: true,
		Calls: map[string]string{"args": "x", "list": "x"},
		Wraps: []drivers.Wrap{
			{Name: "needed", When: `prompt`, Code: "{code}"},
			{Name: "spare", Unless: `bare`, Code: "{code}"},
		},
	}
	for _, row := range []struct {
		it, code string
		o        Options
		first    []string // names tried first
		never    string
	}{
		{it: "tries functions first where nothing tells a program", code: "def f", first: []string{
			"function f(i,j)", "function f([i,j])", "anonymous function, called as f(i,j)",
		}},
		{it: "tries the last function first", code: "def f\ndef g", first: []string{"function g(i,j)", "function g([i,j])", "function f(i,j)"}},
		{it: "tries values after functions", code: "def f\nv = 1", first: []string{"function f(i,j)", "function f([i,j])", "function v(i,j)"}},
		{it: "tries programs first where it reads", code: "read", first: []string{"program, input i j", "program, input lines"}},
		{it: "tries arguments first where it takes them", code: "ARGV", first: []string{"program, input argv", "program, input argv 'i j'"}},
		{it: "tries a wrap first where the text needs it", code: "read prompt", first: []string{"program, input i j, needed"}},
		{it: "does not wrap what needs none", code: "read bare", never: "spare"},
		{it: "tries wraps after the plain program", code: "read", never: "needed"},
		{
			it: "keeps to the kind that is asked for", code: "def f", o: Options{Kind: "program"},
			first: []string{"program, input i j"}, never: "function",
		},
		{it: "keeps to the form that is asked for", code: "def f", o: Options{Call: "f([i,j])"}, first: []string{
			"function f([i,j])", "anonymous function, called as f([i,j])",
		}, never: "program"},
		{
			it: "keeps to the input that is asked for", code: "def f", o: Options{InputForm: "unary"},
			first: []string{"program, input unary"}, never: "function",
		},
		{it: "tries first what was right before", code: "def f\ndef g", o: Options{First: "function f([i,j])"}, first: []string{
			"function f([i,j])", "function g(i,j)", "function g([i,j])", "function f(i,j)",
		}},
		{it: "tries a program first that was right before", code: "def f", o: Options{First: "program, input argv"}, first: []string{
			"program, input argv", "function f(i,j)",
		}},
		{it: "tries the usual first where it does not know what was right", code: "def f", o: Options{First: "function h(i,j)"},
			first: []string{"function f(i,j)"}},
		{it: "tries rare inputs only where the language has them", code: "read", never: "full stops"},
	} {
		var got []string
		for _, c := range candidates(&Submission{Driver: d, Code: row.code}, 2, row.o) {
			got = append(got, c.description(2))
		}
		if len(got) < len(row.first) || !slices.Equal(got[:len(row.first)], row.first) {
			t.Errorf("it %s: %q, want first %q", row.it, got, row.first)
		}
		if row.never != "" && strings.Contains(strings.Join(got, "\n"), row.never) {
			t.Errorf("it %s: %q has %q", row.it, got, row.never)
		}
	}
}

func TestCandidatesOfLanguageWithFormsOfItsOwn(t *testing.T) {
	d := &drivers.Driver{Inputs: []string{"lines with full stops", "[i j]"}}
	all := candidates(&Submission{Driver: d, Code: "x"}, 2, Options{})
	if all[0].input.name != "lines with full stops" || all[1].input.name != "[i j]" || all[2].input.name != "i j" {
		t.Errorf("tried first: %q, %q, %q", all[0].input.name, all[1].input.name, all[2].input.name)
	}
}

func TestRivals(t *testing.T) {
	best := &builtCandidate{candidate: candidate{function: true, name: "c", form: "args"}}
	for _, row := range []struct {
		it, code string
		c        candidate
		compiled bool
		want     bool
	}{
		{"tries a function that calls the best one", "c=1;f=c", candidate{function: true, name: "f"}, true, true},
		{"does not try others if nothing calls the best one", "f=1;c=f", candidate{function: true, name: "f"}, true, false},
		{"tries another form of the same function", "c=1", candidate{function: true, name: "c", form: "list"}, false, true},
		{"does not compile for another form", "c=1", candidate{function: true, name: "c", form: "list"}, true, false},
		{"does not run it as a program", "c=1;f=c", candidate{}, false, false},
	} {
		if got := best.mayBeat(row.c, row.code, row.compiled); got != row.want {
			t.Errorf("it %s: rivals = %v", row.it, got)
		}
	}
}

func TestHoist(t *testing.T) {
	for _, row := range []struct{ it, expr, code, hoisted, rest string }{
		{"takes imports from the start", `\Aimport [^\n]+\n`, "import a\nimport b\nf", "import a\nimport b\n", "f"},
		{"leaves later ones", `\Aimport [^\n]+\n`, "f\nimport a\n", "", "f\nimport a\n"},
		{"does nothing without an expression", "", "import a\n", "", "import a\n"},
		{"does not wait for ever for nothing", `\A\s*`, "f", "", "f"},
	} {
		if hoisted, rest := hoist(row.expr, row.code); hoisted != row.hoisted || rest != row.rest {
			t.Errorf("it %s: hoist(%q, %q) = %q, %q", row.it, row.expr, row.code, hoisted, rest)
		}
	}
}

func TestFromUnary(t *testing.T) {
	for text, want := range map[string]string{
		"111 1\n": "3 1", " 11\n": "0 2", "11,\n": "2 0", " \n": "0 0", "x\n": "x\n", "12 1\n": "12 1\n",
		"111\n": "111\n", "": "", "1 1 1": "1 1 1",
	} {
		if got := fromUnary(text); got != want {
			t.Errorf("fromUnary(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestRequestLine(t *testing.T) {
	if got, want := requestLine("3 5\n", nil), "3320350a\n"; got != want {
		t.Errorf("requestLine of standard input = %q, want %q", got, want)
	}
	if got, want := requestLine("", []string{"3", "", "15"}), "- 33 - 3135\n"; got != want {
		t.Errorf("requestLine of arguments = %q, want %q", got, want)
	}
}

func TestFillDriverOfLastLine(t *testing.T) {
	g := &drivers.Driver{Driver: "{hoisted}|{definition}|{function}|{call}", Hoist: `\Ause \w+\n`, Calls: map[string]string{"args": "c"}}
	got, _ := fillDriver(g, candidate{last: true, form: "args"}, "use x\nlet a\nlet b\n\\i -> j;\n", 2, "")
	if want := "use x\n|let a\nlet b|(\\i -> j)|c"; got != want {
		t.Errorf("fillDriver = %q, want %q", got, want)
	}
}

func TestCountFlags(t *testing.T) {
	a := &Submission{Size: Size{Bytes: 10, Chars: 9}}
	a.CountFlags([]string{"-pa", "--long"})
	want := Size{Bytes: 19, Chars: 18, Adjusted: []string{"flags counted as 9 bytes"}}
	if diff := cmp.Diff(want, a.Size); diff != "" {
		t.Errorf("CountFlags (-want +got):\n%s", diff)
	}
}

func TestToFront(t *testing.T) {
	list := []int{5, 6, 7, 8}
	for k, want := range [][]int{{5, 6, 7, 8}, {6, 5, 7, 8}, {7, 5, 6, 8}, {8, 5, 6, 7}} {
		if got := toFront(list, k); !slices.Equal(got, want) {
			t.Errorf("toFront(%v, %d) = %v, want %v", list, k, got, want)
		}
	}
}
