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

// Checker is the problem's own checker of answers, for any number of goroutines.
type Checker struct {
	mu   sync.Mutex // one question at a time
	proc *kitproc.Proc
}

// NewChecker starts a checker. Close it.
func NewChecker(ctx context.Context, r judge.Runner, p *judge.Program, limits judge.Limits) (*Checker, error) {
	proc, err := kitproc.Start(ctx, r, p, "golf", limits)
	if err != nil {
		return nil, setters(p, err)
	}
	return &Checker{proc: proc}, nil
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

// longest is how much of an output a checker gets to see, in bytes. No right one of a
// golf problem is near that long.
const longest = 4 << 10

// bounded cuts a text that is too long. What was cut off stands there as a sum, for two
// long texts may differ in their last letter only.
func bounded(text string) string {
	text = strings.TrimSpace(text)
	if len(text) <= longest {
		return text
	}
	return fmt.Sprintf("%s... (%d bytes, sha256 %x)", strings.ToValidUTF8(text[:longest], ""), len(text), sha256.Sum256([]byte(text)))
}

// check asks what is wrong with the outputs.
func (c *Checker) check(ctx context.Context, d *Domain, outputs []output, all bool) (*kit.GolfReport, error) {
	g := kit.Golf{All: all}
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
