package stress

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"assay/judge"
	"assay/judge/cases/format"
	"assay/judge/cases/gen"
	"assay/judge/cases/shrink"
	"assay/judge/kit"
	"assay/judge/problem"
)

// A plan determines input i of a search.
type plan struct {
	seed        uint64
	salt        string
	lines       []string // generator lines, starting with those of small cases
	bases       []base   // cases to change, in order of size
	vocabulary  *vocabulary
	useAll      bool   // use all lines and cases from the start; if false, use gradually more of them
	small       bool   // always use small ones first
	valid       bool   // there is a validator
	smallerThan []byte // if not nil, only inputs smaller than this are wanted

	grammar    *format.Grammar // may be nil
	fromFormat bool            // use only the grammar
	literals   []int64
}

// A base is a case from which inputs are made.
type base struct {
	input []byte
	name  string // for reports, such as "the case edge/one"
}

// A candidate is a valid input to try.
type candidate struct {
	input      []byte
	line       string
	seed       string // of the line
	origin     string
	baseOrigin string // origin of the unchanged input
}

// maxBase is the maximum size, in bytes, of cases that are changed. Smaller cases are enough to expose wrong
// answers, and the generator makes large inputs for slow solutions.
const maxBase = 64 << 10

// plan reads the stored cases. It skips missing files, but uses their generator lines.
func (l *Tester) plan(seed uint64) (*plan, error) {
	p := &plan{
		seed: seed, salt: l.Directory.Salt, valid: l.programs.Validator != nil || l.grammar != nil,
		grammar: l.grammar, fromFormat: l.FromFormat, literals: l.Literals,
	}
	type sized struct {
		line string
		size int64
	}
	var lines []sized
	for _, g := range l.Directory.Groups {
		for i := range g.Cases {
			c := &g.Cases[i]
			info, err := os.Stat(c.In)
			size := int64(maxBase)
			if err == nil {
				size = info.Size()
			}
			if c.Line != "" && (l.programs.Generator != nil || l.grammar != nil && problem.Derived(c.Line)) {
				lines = append(lines, sized{c.Line, size})
			}
			if err != nil || size > maxBase {
				continue
			}
			input, err := os.ReadFile(c.In)
			if err != nil {
				return nil, fmt.Errorf("read case %s: %w", c.ID(), err)
			}
			p.bases = append(p.bases, base{input, "the case " + c.ID()})
		}
	}
	slices.SortStableFunc(lines, func(a, b sized) int { return cmp.Compare(a.size, b.size) })
	slices.SortStableFunc(p.bases, func(a, b base) int { return cmp.Compare(len(a.input), len(b.input)) })
	for _, line := range lines {
		p.lines = append(p.lines, line.line)
	}
	if len(p.lines) == 0 && !p.canChange() && p.grammar == nil {
		return nil, &judge.ProblemError{
			File: l.Directory.Dir, Text: "there is nothing to make inputs from",
			Hint: "the problem needs generator lines, or a validator and some cases; give it: [generator] program = \"generator\"",
		}
	}
	p.vocabulary = newVocabulary(p.bases, l.Literals, l.Directory.Groups)
	return p, nil
}

// canChange reports whether cases can be changed: the problem has cases and a validator.
func (p *plan) canChange() bool { return p.valid && len(p.bases) > 0 }

// isSmallEnough reports whether an input is small enough.
func (p *plan) isSmallEnough(input []byte) bool {
	return p.smallerThan == nil || shrink.Less(input, p.smallerThan)
}

// rand returns the random numbers for input i.
func (p *plan) rand(i int) *rand.Rand {
	sum := sha256.Sum256(fmt.Appendf(nil, "stress %d %d", p.seed, i))
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:])))
}

// allUsedAfter is the number of inputs after which all lines and cases are used.
const allUsedAfter = 400

// available returns how many of n lines or cases may be the origin of input i. The number grows with i. Four of every
// sixteen inputs may come from any of them, because a search with a slow solution does not get far.
func (p *plan) available(n, i int) int {
	if p.useAll || !p.small && i/4%4 == 3 {
		return n
	}
	return max(min(n, 8), min(n, n*i/allUsedAfter))
}

// manyCases is the number of cases from which on changed cases find more failures than random inputs do.
const manyCases = 20

// input makes input i. It returns nil, nil if the input is not valid. If there is a declared input format, half of
// the inputs are drawn from it, or a quarter if there are many cases. Of every four other inputs, one comes from a
// generator line with another seed, one from a line with other arguments, and two from changed cases.
func (p *plan) input(ctx context.Context, b *worker, i int) (*candidate, error) {
	if p.grammar != nil {
		pair, of := i/2, 2
		if len(p.bases) >= manyCases {
			of = 4
		}
		if p.fromFormat || pair%of == 0 || len(p.lines) == 0 && !p.canChange() {
			return p.drawInput(ctx, b, i)
		}
		i = 2*(pair-pair/of-1) + i%2
	}
	switch {
	case len(p.lines) == 0, p.canChange() && i%2 == 1:
		r := p.rand(i)
		return p.changeCase(ctx, b, i, p.bases[r.IntN(p.available(len(p.bases), i))])
	case i%4 == 2 && p.valid:
		return p.changeLine(ctx, b, i)
	}
	r := p.rand(i)
	line := p.lines[r.IntN(p.available(len(p.lines), i))]
	salt := fmt.Sprintf("%s stress %d %d", p.salt, p.seed, i)
	return p.generateInput(ctx, b, i, line, salt, false)
}

// drawInput draws an input from the declared input format, starting with small ones.
func (p *plan) drawInput(ctx context.Context, b *worker, i int) (*candidate, error) {
	o := format.Options{Literals: p.literals, MaxSize: maxBase, Size: 2 + int64(i)/32}
	switch {
	case p.useAll:
		o.Size, o.MaxSize = 0, 8<<20
	case !p.small && i%16 == 6:
		o.Size = 0
	}
	r := p.rand(i)
	for range maxAttempts {
		input, err := p.grammar.Draw(r, o)
		if err != nil {
			return nil, nil // there is no valid input of this size
		}
		if !p.isSmallEnough(input) {
			return nil, nil
		}
		invalid, err := b.validate(ctx, fmt.Sprintf("stress/%d", i), input)
		if err != nil {
			return nil, err
		}
		if invalid == "" {
			from := "an input drawn from the declared format"
			return &candidate{input: input, origin: "it is " + from, baseOrigin: from}, nil
		}
	}
	return nil, nil
}

// generateInput makes an input from a generator line. If lenient is set, the setter did not write the line, so the
// generator may reject it.
func (p *plan) generateInput(ctx context.Context, b *worker, i int, line, salt string, lenient bool) (*candidate, error) {
	seed := kit.Seed(salt, line)
	input, err := b.generator.Generate(ctx, seed, strings.Fields(line))
	if _, fault := errors.AsType[*judge.ProblemError](err); fault && lenient {
		return nil, nil
	}
	if err != nil {
		return nil, p.blameLine(b, line, err)
	}
	if !p.isSmallEnough(input) {
		return nil, nil
	}
	text, _ := gen.EncodingProblem(input)
	if text == "" {
		if text, err = b.validate(ctx, fmt.Sprintf("stress/%d", i), input); err != nil {
			return nil, err
		}
	}
	switch {
	case text != "" && lenient:
		return nil, nil
	case text != "":
		return nil, p.blameLine(b, line, b.tester.blame(
			&judge.ProblemError{Text: "the generated input is not valid: " + text, Hint: "fix the generator or the validator"},
			b.tester.Directory.Generator, input,
		))
	}
	from := fmt.Sprintf("an input of the generator line %q", line)
	return &candidate{input, line, seed, fmt.Sprintf("it is made by the generator line %q with another seed", line), from}, nil
}

// blameLine adds the generator line that caused a fault to the fault's text. If the line belongs to a case, it
// sets the position of the fault to that case.
func (p *plan) blameLine(b *worker, line string, err error) error {
	f, ok := errors.AsType[*judge.ProblemError](err)
	if !ok {
		return err
	}
	text := fmt.Sprintf("line %q with another seed: %s", line, f.Text)
	for _, g := range b.tester.Directory.Groups {
		for i := range g.Cases {
			if g.Cases[i].Line == line {
				return b.tester.Directory.CaseFault(&g.Cases[i], text, f.Hint)
			}
		}
	}
	placed := *f
	if placed.Text = text; placed.File == "" {
		placed.File = b.tester.Directory.FormatPath()
		if b.tester.Directory.Generator != nil {
			placed.File = b.tester.Directory.Generator.Path
		}
	}
	return &placed
}

// changeLine makes an input from a generator line in which it has changed one or two numbers. The numbers stay
// within the ranges that span returns.
func (p *plan) changeLine(ctx context.Context, b *worker, i int) (*candidate, error) {
	r := p.rand(i)
	words := strings.Fields(p.lines[r.IntN(p.available(len(p.lines), i))])
	var numbers []int
	for k := 1; k < len(words); k++ {
		if shrink.IsInteger(words[k]) {
			numbers = append(numbers, k)
		}
	}
	if len(numbers) == 0 {
		return nil, nil
	}
	for range 1 + r.IntN(2) {
		k := numbers[r.IntN(len(numbers))]
		lo, hi := p.vocabulary.span(words, k)
		words[k] = strconv.FormatInt(format.Between(r, lo, hi), 10)
	}
	line := strings.Join(words, " ")
	salt := fmt.Sprintf("%s stress %d %d", p.salt, p.seed, i)
	c, err := p.generateInput(ctx, b, i, line, salt, true)
	if c != nil {
		c.origin = fmt.Sprintf("it is made by the generator line %q", line)
	}
	return c, err
}

// maxAttempts is the maximum number of attempts to change a case so that the result is valid.
const maxAttempts = 8

// changeCase makes an input by changing a case.
func (p *plan) changeCase(ctx context.Context, b *worker, i int, from base) (*candidate, error) {
	r := p.rand(i)
	r.Uint64() // skip the number that chose the case
	doc := shrink.Parse(from.input)
	for range maxAttempts {
		text := p.vocabulary.change(r, doc).Bytes()
		if len(text) > 2*maxBase || !p.isSmallEnough(text) {
			continue
		}
		invalid, err := b.validate(ctx, fmt.Sprintf("stress/%d", i), text)
		if err != nil {
			return nil, err
		}
		if invalid == "" {
			return &candidate{input: text, origin: "it is " + from.name + ", changed", baseOrigin: from.name}, nil
		}
	}
	return nil, nil
}
