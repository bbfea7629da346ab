package golf

import (
	"context"
	"encoding/json"
	"fmt"

	"assay/judge"
	"assay/judge/internal/kitproc"
	"assay/judge/kit"
)

// Checker is the puzzle's own checker of answers.
type Checker struct{ proc *kitproc.Proc }

// NewChecker starts a checker. Close it.
func NewChecker(ctx context.Context, r judge.Runner, p *judge.Program, limits judge.Limits) (*Checker, error) {
	proc, err := kitproc.Start(ctx, r, p, "golf", limits)
	if err != nil {
		return nil, setters(p, err)
	}
	return &Checker{proc}, nil
}

// Close ends the checker.
func (c *Checker) Close() error { return c.proc.Close() }

// setters makes a fault of what is the setter's.
func setters(p *judge.Program, err error) error {
	if broken, ok := err.(*kitproc.BrokenError); ok {
		return &judge.Fault{File: p.Name, Text: "the golf checker " + broken.What, Hint: broken.Stderr}
	}
	return err
}

// check asks what is wrong with the outputs.
func (c *Checker) check(ctx context.Context, d *Domain, outputs []output, all bool) (*kit.GolfReport, error) {
	g := kit.Golf{All: all}
	for _, o := range outputs {
		g.Answers = append(g.Answers, kit.GolfAnswer{In: d.Inputs[o.input].Args, Out: []byte(o.text)})
	}
	request, err := json.Marshal(&g)
	if err != nil {
		return nil, fmt.Errorf("ask the golf checker: %w", err)
	}
	verdict, reply, err := c.proc.Ask(ctx, "golf", kitproc.Bytes(request))
	if err != nil {
		return nil, setters(&judge.Program{}, err)
	}
	if verdict == kit.Fail {
		return nil, &judge.Fault{Text: "the golf checker fails: " + string(reply)}
	}
	var report kit.GolfReport
	if err := json.Unmarshal(reply, &report); err != nil {
		return nil, &judge.Fault{Text: "the golf checker answers nonsense: " + err.Error()}
	}
	for _, w := range report.Wrong {
		if w.Index < 0 || w.Index >= len(outputs) {
			return nil, &judge.Fault{Text: fmt.Sprintf("the golf checker blames answer %d of %d", w.Index, len(outputs))}
		}
	}
	return &report, nil
}
