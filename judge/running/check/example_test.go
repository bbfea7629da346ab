package check_test

import (
	"context"
	"fmt"

	"assay/judge"
	"assay/judge/running/check"
)

func ExampleBuiltin() {
	c, err := check.Builtin("tokens", []string{"float_tolerance", "1e-6"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	for _, out := range []string{"0.5000001\nyes\n", "0.6 yes", "0.5"} {
		o, err := c.Check(context.Background(), check.Request{Ans: section("0.5 Yes\n"), Out: section(out)})
		fmt.Println(o.Verdict, o.Message, err)
	}
	// Output:
	// AC  <nil>
	// WA line 1, token 1: want "0.5", got "0.6" (off by 0.1, relatively 0.2) <nil>
	// WA output ends early, in line 1: want 1 more token, first "Yes" <nil>
}

func ExampleBuiltin_unordered() {
	c, err := check.Builtin("unordered", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	o, err := c.Check(context.Background(), check.Request{Ans: section("1 2\n3\n3\n"), Out: section("3\n1 2\n4\n")})
	fmt.Println(o.Verdict, o.Message, err)
	// Output: WA line 3: got "4", which the answer does not have; want "3" twice, got it once <nil>
}

func ExampleBuiltin_misspelt() {
	_, err := check.Builtin("floats", []string{"absolute", "1e-9"})
	fmt.Println(err)
	// Output:
	// checker floats: unknown option "absolute"
	//     one of: abs, case_sensitive, rel
}

func ExampleDescriptions() {
	for _, d := range check.Descriptions() {
		fmt.Println(d.Name)
	}
	// Output:
	// any-of
	// case-insensitive
	// case-sensitive
	// exact
	// floats
	// lines
	// polygon
	// tokens
	// unordered
}

// This example runs a checker program of a problem directory that is compiled and ready to run.
func ExampleProgram() {
	var runner judge.Runner
	var program *judge.Program
	c, err := check.Program(runner, &judge.SetterProgram{Protocol: "kit"}, program, judge.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
}
