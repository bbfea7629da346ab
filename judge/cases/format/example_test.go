package format_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"assay/judge/cases/format"
	"assay/judge/cases/shrink"
)

// chance returns a source of random numbers.
func chance(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

func Example() {
	g, _ := format.Parse("input.format", []byte("line n: int 1..5\nline a[n]: int 0..99\n"))
	fmt.Println(g.Check([]byte("3\n5 100 7\n")))

	input := []byte("5\n17 42 9 63 8\n")
	small, _ := shrink.TextWithShape(context.Background(), input, g, shrink.Budget{}, func(text []byte) (bool, error) {
		return g.Check(text) == nil && len(text) > 7, nil
	}, nil)
	fmt.Printf("%s", small.Text)
	// Output:
	// line 2, column 3: a[2] = 100 is not in 0..99
	// 2
	// 10 10
}

func ExampleGrammar_Draw() {
	g, _ := format.Parse("input.format", []byte("line n: int 1..5\nline a[n]: int 0..99 sorted\n"))
	input, err := g.Draw(rand.New(rand.NewPCG(1, 2)), format.Options{Mode: "max"})
	fmt.Printf("%s%v", input, err)
	// Output:
	// 5
	// 99 99 99 99 99
	// <nil>
}
