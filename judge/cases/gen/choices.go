package gen

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"assay/judge"
	"assay/judge/internal/kitproc"
	"assay/judge/kit"
	"assay/judge/problem"
)

// A Chosen is an input with the random choices that its generator made (see package kit).
type Chosen struct {
	Choices []uint64
	Input   []byte
}

// A Chooser is a Generator that can report and repeat its random choices, as programs of the kit can.
type Chooser interface {
	// Record makes the input for a seed, as Generate does.
	Record(ctx context.Context, seed string, args []string) (*Chosen, error)
	// Replay makes an input from choices, which need not come from a seed. It adapts the choices to the ranges
	// that the generator requests. The result contains the choices that were used.
	Replay(ctx context.Context, choices []uint64, args []string) (*Chosen, error)
}

// Chooses returns the generator of a line as a Chooser. It returns nil if that generator is not a Chooser.
func Chooses(g Generator, line string) Chooser {
	if d, ok := g.(*derived); ok {
		if g = d.program; problem.Derived(line) {
			return nil
		}
	}
	c, _ := g.(Chooser)
	return c
}

func (g kitGenerator) Record(ctx context.Context, seed string, args []string) (*Chosen, error) {
	return g.chosen(ctx, "record "+seed, args)
}

func (g kitGenerator) Replay(ctx context.Context, choices []uint64, args []string) (*Chosen, error) {
	words := []byte("replay")
	for _, c := range choices {
		words = strconv.AppendUint(append(words, ' '), c, 10)
	}
	return g.chosen(ctx, string(words), args)
}

func (g kitGenerator) chosen(ctx context.Context, how string, args []string) (*Chosen, error) {
	reply, err := g.Generate(ctx, how, args)
	if err != nil {
		return nil, err
	}
	line, input, _ := bytes.Cut(reply, []byte{'\n'})
	words := strings.Fields(string(line))
	if len(words) == 0 || words[0] != "choices" {
		return nil, &judge.Fault{
			Text: fmt.Sprintf("the generator does not report its choices: %.40q", line),
			Hint: "build it with the kit of this judge",
		}
	}
	c := &Chosen{Input: input}
	for _, word := range words[1:] {
		n, err := strconv.ParseUint(word, 10, 64)
		if err != nil {
			return nil, &judge.Fault{Text: fmt.Sprintf("%.40q is not a choice", word)}
		}
		c.Choices = append(c.Choices, n)
	}
	return c, nil
}

var _ Chooser = kitGenerator{(*kitproc.Proc)(nil)}

// StoredSeed returns the seed of a generated case. That is normally the seed of its line. If that seed gave the
// input of another case, it is the seed with which the case was redrawn.
func StoredSeed(f *problem.Directory, group string, c *judge.Case) string {
	if m, _ := ReadManifest(filepath.Join(f.Tests, group)); m != nil { // its errors are reported elsewhere
		if e := m.entry(c.Name); e != nil && e.Line == c.Line {
			return e.Seed
		}
	}
	return SeedOf(f, c.Line)
}

// SeedOf returns the seed for a generator line of a problem.
func SeedOf(f *problem.Directory, line string) string { return kit.Seed(f.Salt, line) }
