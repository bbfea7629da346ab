package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"

	"assay/judge"
	"assay/judge/packages/ctd"
)

// readScript reads a checktestdata script, which is interpreted. The only supported argument is -w, which allows more
// white space than the script requires.
func (p *Problem) readScript(part *judge.SetterProgram) (*judge.Program, error) {
	data, err := p.scriptText(part.Path)
	if err != nil {
		return nil, err
	}
	read, err := ctd.Parse(part.Path, data)
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256(data)
	return &judge.Program{Name: part.Path, Key: hex.EncodeToString(key[:]), Interpret: func(args []string) (judge.InputCheckFunc, error) {
		var options ctd.Options
		for _, arg := range args {
			if arg != "-w" && arg != "--whitespace-ok" {
				return nil, &judge.ProblemError{
					File: part.Path, Text: fmt.Sprintf("unknown argument of a script: %q", arg),
					Hint: "use only -w, which allows additional white space",
				}
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

// scriptText reads a script. In a package, constants are replaced by their values.
func (p *Problem) scriptText(path string) ([]byte, error) {
	if p.Package != nil {
		dir, err := os.MkdirTemp("", "assay-script-")
		if err != nil {
			return nil, fmt.Errorf("read the script: %w", err)
		}
		defer os.RemoveAll(dir)
		staged, err := p.Package.Stage(path, dir, nil, "")
		if err != nil {
			return nil, err
		}
		path = staged.Path
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the script: %w", err)
	}
	return data, nil
}
