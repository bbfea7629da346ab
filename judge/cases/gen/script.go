package gen

import (
	"context"
	"fmt"
	"os"

	"assay/judge"
	"assay/judge/packages/ctd"
)

// scriptValidator is a checktestdata script, which needs no process. Of the
// arguments it knows one: -w lets white space be more than the script says.
type scriptValidator struct {
	script  *ctd.Program
	options ctd.Options
}

func newScript(part *judge.Part) (Validator, error) {
	data, err := os.ReadFile(part.Path)
	if err != nil {
		return nil, fmt.Errorf("read the script: %w", err)
	}
	var v scriptValidator
	for _, arg := range part.Args {
		if arg != "-w" && arg != "--whitespace-ok" {
			return nil, &judge.Fault{File: part.Path, Text: fmt.Sprintf("a script does not know the argument %q", arg), Hint: "-w lets white space be more than the script says"}
		}
		v.options.Lenient = true
	}
	v.script, err = ctd.Parse(part.Path, data)
	return v, err
}

func (v scriptValidator) Validate(ctx context.Context, name string, input []byte) (string, error) {
	m, err := v.script.Check(ctx, input, v.options)
	if m == nil || err != nil {
		return "", err
	}
	return m.Error(), nil
}

func (scriptValidator) Close() error { return nil }
