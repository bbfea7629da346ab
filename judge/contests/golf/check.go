package golf

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"assay/judge"
	"assay/judge/internal/kitproc"
	"assay/judge/kit"
)

// Checker is the problem's own checker of outputs. It is safe for concurrent use.
type Checker struct {
	mu   sync.Mutex // held during a request
	proc *kitproc.Proc
}

// NewChecker starts a checker. The caller must call Close.
func NewChecker(ctx context.Context, r judge.Runner, p *judge.Program, limits judge.Limits) (*Checker, error) {
	proc, err := kitproc.Start(ctx, r, p, "golf", limits)
	if err != nil {
		return nil, asSetterError(p, err)
	}
	return &Checker{proc: proc}, nil
}

// Close stops the checker.
func (c *Checker) Close() error { return c.proc.Close() }

// asSetterError converts an error of the setter's program to a fault.
func asSetterError(p *judge.Program, err error) error {
	if broken, ok := err.(*kitproc.BrokenError); ok {
		return &judge.ProblemError{File: p.Name, Text: "the golf checker " + broken.Reason, Hint: broken.Stderr}
	}
	return err
}

// maxCheckedOutput is the maximum number of bytes of an output that a checker receives. Correct outputs of golf problems
// are much shorter.
const maxCheckedOutput = 4 << 10

// bounded truncates a text that is too long. It appends a hash of the whole text, because two long texts may
// differ only at the end.
func bounded(text string) string {
	text = strings.TrimSpace(text)
	if len(text) <= maxCheckedOutput {
		return text
	}
	return fmt.Sprintf(
		"%s... (%d bytes, sha256 %x)", strings.ToValidUTF8(text[:maxCheckedOutput], ""), len(text),
		sha256.Sum256([]byte(text)),
	)
}

// check asks the checker which outputs are wrong.
func (c *Checker) check(ctx context.Context, d *Domain, outputs []output, everyInput bool) (*kit.GolfReport, error) {
	g := kit.Golf{All: everyInput}
	for _, o := range outputs {
		g.Answers = append(g.Answers, kit.GolfAnswer{In: d.Inputs[o.input].Args, Out: []byte(bounded(o.text))})
	}
	request, err := json.Marshal(&g)
	if err != nil {
		return nil, fmt.Errorf("ask the golf checker: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	verdict, reply, err := c.proc.Ask(ctx, "golf", kitproc.Bytes(request))
	if err != nil {
		return nil, asSetterError(&judge.Program{}, err)
	}
	if verdict == kit.Fail {
		return nil, &judge.ProblemError{Text: "the golf checker fails: " + string(reply)}
	}
	var report kit.GolfReport
	if err := json.Unmarshal(reply, &report); err != nil {
		return nil, &judge.ProblemError{Text: "the golf checker gives an invalid answer: " + err.Error()}
	}
	for _, w := range report.Wrong {
		if w.Index < 0 || w.Index >= len(outputs) {
			return nil, &judge.ProblemError{Text: fmt.Sprintf("the golf checker rejects answer %d of %d", w.Index, len(outputs))}
		}
	}
	return &report, nil
}
