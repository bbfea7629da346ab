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

// A Recording is an input with the random choices that its generator made (see package kit).
type Recording struct {
	Choices []uint64
	Input   []byte
}

// A Replayer is a Generator that can report and repeat its random choices, as programs of the kit can.
type Replayer interface {
	// Record makes the input for a seed, as Generate does.
	Record(ctx context.Context, seed string, args []string) (*Recording, error)
	// Replay makes an input from choices, which need not come from a seed. It adapts the choices to the ranges
	// that the generator requests. The result contains the choices that were used.
	Replay(ctx context.Context, choices []uint64, args []string) (*Recording, error)
}

// AsReplayer returns the generator of a line as a Replayer. It returns nil if that generator is not a Replayer.
func AsReplayer(g Generator, line string) Replayer {
	if d, ok := g.(*formatGenerator); ok {
		if g = d.program; problem.Derived(line) {
			return nil
		}
	}
	c, _ := g.(Replayer)
	return c
}

func (g kitGenerator) Record(ctx context.Context, seed string, args []string) (*Recording, error) {
	return g.requestRecording(ctx, "record "+seed, args)
}

func (g kitGenerator) Replay(ctx context.Context, choices []uint64, args []string) (*Recording, error) {
	words := []byte("replay")
	for _, c := range choices {
		words = strconv.AppendUint(append(words, ' '), c, 10)
	}
	return g.requestRecording(ctx, string(words), args)
}

func (g kitGenerator) requestRecording(ctx context.Context, command string, args []string) (*Recording, error) {
	reply, err := g.Generate(ctx, command, args)
	if err != nil {
		return nil, err
	}
	line, input, _ := bytes.Cut(reply, []byte{'\n'})
	words := strings.Fields(string(line))
	if len(words) == 0 || words[0] != "choices" {
		return nil, &judge.ProblemError{
			Text: fmt.Sprintf("the generator does not report its choices: %.40q", line),
			Hint: "build it with the kit of this judge",
		}
	}
	c := &Recording{Input: input}
	for _, word := range words[1:] {
		n, err := strconv.ParseUint(word, 10, 64)
		if err != nil {
			return nil, &judge.ProblemError{Text: fmt.Sprintf("%.40q is not a choice", word)}
		}
		c.Choices = append(c.Choices, n)
	}
	return c, nil
}

var _ Replayer = kitGenerator{(*kitproc.Proc)(nil)}

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
