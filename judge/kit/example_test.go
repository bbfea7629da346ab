package kit_test

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"assay/judge/kit"
)

// A checker for a problem that requires a divisor of the input other than 1 and the input itself.
func ExampleCheck() {
	kit.Check(func(t *kit.Test) {
		n, got := t.In.Int64(), t.Out.Int(2, 1e18, "divisor")
		t.Out.EOF()
		if got == n || n%got != 0 {
			t.Quit(kit.WA, "%d does not divide %d", got, n)
		}
		t.Quit(kit.OK, "")
	})
}

// A checker that keeps state. All outputs of a submission must be different.
func ExampleCheck_state() {
	seen := map[string]string{}
	kit.Check(func(t *kit.Test) {
		word := t.Out.Token()
		if where, twice := seen[word]; twice {
			t.Quit(kit.WA, "%q was the output for case %s too", word, where)
		}
		seen[word] = t.Name
		t.Quit(kit.OK, "")
	})
}

// A validator for an input of two lines: a count, and that many numbers.
func ExampleValidate() {
	kit.Validate(func(in *kit.Reader) {
		n := in.Int(1, 100_000, "n")
		in.EOLN()
		for i := range n {
			if i > 0 {
				in.Space()
			}
			in.Int(-1e9, 1e9, "a")
		}
		in.EOLN()
	})
}

// A generator for lines such as "random 10 --max 99" and "given 3 1 4 1 5".
func ExampleGenerate() {
	kit.Generate(func(g *kit.Gen) {
		switch g.Kind {
		case "random":
			n, most := g.Int64(0), g.IntOption("max", 1e9)
			g.Println(n)
			for range n {
				g.Println(g.Rand.Between(0, most))
			}
		case "given":
			g.Println(len(g.Words(0)))
			for _, w := range g.Words(0) {
				g.Println(w)
			}
		default:
			g.Refuse("unknown kind %q", g.Kind)
		}
	})
}

func ExampleWriteFrame() {
	kit.WriteFrame(os.Stdout, "check", []byte("edge/0-0"), []byte("10 1\n"), []byte("0 1\n"), []byte("-1\n"))
	// Output:
	// check 8 5 4 3
	// edge/0-010 1
	// 0 1
	// -1
}

func ExampleReadFrame() {
	wire := bufio.NewReader(strings.NewReader("wrong 15\n1 is not a move"))
	reply, err := kit.ReadFrame(wire, 1<<20)
	fmt.Println(reply.Verb, string(reply.Parts[0]), err)
	// Output: wrong 1 is not a move <nil>
}

// The first line of a request whose parts are sent separately.
func ExampleAppendHead() {
	fmt.Printf("%q\n", kit.AppendHead(nil, "validate", 6, 1<<30))
	// Output: "validate 6 1073741824\n"
}

func ExampleSeed() {
	fmt.Println(kit.Seed("wythoff", "random --max 99"))
	fmt.Println(kit.Seed("wythoff", "random --max 98"))
	// Output:
	// 30fa85867a9974f6d98b9377413de61d
	// 78548274cd9a55166be2b0eca6d45f92
}
