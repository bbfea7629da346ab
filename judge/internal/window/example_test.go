package window_test

import (
	"fmt"
	"io"
	"strings"

	"assay/judge"
	"assay/judge/internal/window"
)

func section(s string) *io.SectionReader {
	return io.NewSectionReader(strings.NewReader(s), 0, int64(len(s)))
}

func ExampleAround() {
	text := "one\ntwo\nthree\nfour\nfive\nsix\r\n" + strings.Repeat("7", 1000)
	e := window.Around(section(text), int64(strings.Index(text, "five")))
	fmt.Printf("from line %d of %d bytes\n%s", e.FirstLine, e.Size, e.Text[:32])
	// Output:
	// from line 2 of 1029 bytes
	// two
	// three
	// four
	// five
	// six\x0D
	// 7777
}

func ExampleDetail() {
	in, ans, out := section("3\n"), section("1\n2\n3\n"), section("1\n2\n4\n")
	d := window.Detail(in, ans, out, &judge.Position{Line: 3, Column: 1, AnsOffset: 4, OutOffset: 4})
	fmt.Printf("want %q, got %q, different at byte %d\n", d.Want.Text, d.Got.Text, d.Got.At)
	// Output:
	// want "1\n2\n3\n", got "1\n2\n4\n", different at byte 4
}
