package workspace

import (
	"context"
	"fmt"
	"os"

	"assay/judge"
	"assay/judge/packages/ctd"
)

// script reads a checktestdata script, which is interpreted. Of the arguments it knows
// one: -w lets white space be more than the script says.
func script(part *judge.Part) (*judge.Program, error) {
	data, err := os.ReadFile(part.Path)
	if err != nil {
		return nil, fmt.Errorf("read the script: %w", err)
	}
	read, err := ctd.Parse(part.Path, data)
	if err != nil {
		return nil, err
	}
	return &judge.Program{Name: part.Path, Interpret: func(args []string) (judge.Interpreted, error) {
		var options ctd.Options
		for _, arg := range args {
			if arg != "-w" && arg != "--whitespace-ok" {
				return nil, &judge.Fault{File: part.Path, Text: fmt.Sprintf("a script does not know the argument %q", arg), Hint: "-w lets white space be more than the script says"}
			}
			options.Lenient = true
		}
		return func(ctx context.Context, input []byte) (string, error) {
			m, err := read.Check(ctx, input, options)
			if m == nil || err != nil {
				return "", err
			}
			return m.Error(), nil
		}, nil
	}}, nil
}
