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

// plan says what input i is.
type plan struct {
	seed  uint64
	salt  string
	lines []string // generator lines, those of small cases first
	bases []base   // cases that others are made from, small ones first
	words *words
	whole bool   // all lines and cases from the start, instead of more and more
	small bool   // small ones first, without exception
	valid bool   // there is a validator
	below []byte // only inputs that are smaller than this one are wanted; nil for all

	grammar  *format.Grammar // nil for none
	derived  bool            // from the grammar alone
	literals []int64
}

// base is a case that inputs are made from.
type base struct {
	input []byte
	name  string // as text: "the case edge/one"
}

// candidate is an input to try; it is valid.
type candidate struct {
	input  []byte
	line   string
	seed   string // that the line was given
	origin string
	from   string // origin, without what was changed
}

// Cases beyond maxBase bytes are not changed: what is wrong with a solution shows
// in smaller ones, and whether it is slow comes from the generator.
const maxBase = 64 << 10

// plan reads the cases that are there. Files that are missing are omitted: the
// lines that make them are used all the same.
func (l *Lab) plan(seed uint64) (*plan, error) {
	p := &plan{
		seed: seed, salt: l.Folder.Salt, valid: l.programs.Validator != nil || l.grammar != nil,
		grammar: l.grammar, derived: l.Derived, literals: l.Literals,
	}
	type sized struct {
		line string
		size int64
	}
	var lines []sized
	for _, g := range l.Folder.Groups {
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
		return nil, &judge.Fault{
			File: l.Folder.Dir, Text: "there is nothing to make inputs from",
			Hint: "the problem needs generator lines, or a validator and some cases; give it: [generator] program = \"generator\"",
		}
	}
	p.words = newWords(p.bases, l.Literals, l.Folder.Groups)
	return p, nil
}

// canChange reports whether cases may be changed: the problem has some, and a
// validator.
func (p *plan) canChange() bool { return p.valid && len(p.bases) > 0 }

// wants says whether an input may be of use.
func (p *plan) wants(input []byte) bool { return p.below == nil || shrink.Less(input, p.below) }

// rand makes the source of chance of input i.
func (p *plan) rand(i int) *rand.Rand {
	sum := sha256.Sum256(fmt.Appendf(nil, "stress %d %d", p.seed, i))
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:])))
}

// grown is how many inputs it takes until all lines and cases are in use.
const grown = 400

// open returns how many of n lines or cases input i may come from: the first ones at
// first. Every fourth four inputs may come from all of them, because a slow solution
// does not get far.
func (p *plan) open(n, i int) int {
	if p.whole || !p.small && i/4%4 == 3 {
		return n
	}
	return max(min(n, 8), min(n, n*i/grown))
}

// rich is the number of cases from which on changed cases find more than random
// ones.
const rich = 20

// input makes input i; nil if it is not valid. Half of them are drawn from the
// declared input format, if there is one; a quarter if there are many cases. Of four
// others one comes from a line with another seed, one from a line with other arguments,
// two from a case.
func (p *plan) input(ctx context.Context, b *bench, i int) (*candidate, error) {
	if p.grammar != nil {
		pair, of := i/2, 2
		if len(p.bases) >= rich {
			of = 4
		}
		if p.derived || pair%of == 0 || len(p.lines) == 0 && !p.canChange() {
			return p.drawn(ctx, b, i)
		}
		i = 2*(pair-pair/of-1) + i%2
	}
	switch {
	case len(p.lines) == 0, p.canChange() && i%2 == 1:
		r := p.rand(i)
		return p.changed(ctx, b, i, p.bases[r.IntN(p.open(len(p.bases), i))])
	case i%4 == 2 && p.valid:
		return p.otherArguments(ctx, b, i)
	}
	r := p.rand(i)
	line := p.lines[r.IntN(p.open(len(p.lines), i))]
	salt := fmt.Sprintf("%s stress %d %d", p.salt, p.seed, i)
	return p.generated(ctx, b, i, line, salt, false)
}

// drawn draws an input from the declared input format, small ones first.
func (p *plan) drawn(ctx context.Context, b *bench, i int) (*candidate, error) {
	o := format.Options{Literals: p.literals, Most: maxBase, Size: 2 + int64(i)/32}
	switch {
	case p.whole:
		o.Size, o.Most = 0, 8<<20
	case !p.small && i%16 == 6:
		o.Size = 0
	}
	r := p.rand(i)
	for range tries {
		input, err := p.grammar.Draw(r, o)
		if err != nil {
			return nil, nil // such a size leaves nothing
		}
		if !p.wants(input) {
			return nil, nil
		}
		invalid, err := b.validate(ctx, fmt.Sprintf("stress/%d", i), input)
		if err != nil {
			return nil, err
		}
		if invalid == "" {
			from := "an input drawn from the declared format"
			return &candidate{input: input, origin: "it is " + from, from: from}, nil
		}
	}
	return nil, nil
}

// generated makes an input of a line. Where the line is not the setter's own, the
// generator may reject it.
func (p *plan) generated(ctx context.Context, b *bench, i int, line, salt string, lenient bool) (*candidate, error) {
	seed := kit.Seed(salt, line)
	input, err := b.generator.Generate(ctx, seed, strings.Fields(line))
	if _, fault := errors.AsType[*judge.Fault](err); fault && lenient {
		return nil, nil
	}
	if err != nil {
		return nil, p.blameLine(b, line, err)
	}
	if !p.wants(input) {
		return nil, nil
	}
	text, _ := gen.Flaw(input)
	if text == "" {
		if text, err = b.validate(ctx, fmt.Sprintf("stress/%d", i), input); err != nil {
			return nil, err
		}
	}
	switch {
	case text != "" && lenient:
		return nil, nil
	case text != "":
		return nil, p.blameLine(b, line, b.lab.blame(
			&judge.Fault{Text: "the generated input is not valid: " + text, Hint: "fix the generator or the validator"},
			b.lab.Folder.Generator, input,
		))
	}
	from := fmt.Sprintf("an input of the generator line %q", line)
	return &candidate{input, line, seed, fmt.Sprintf("it is made by the generator line %q with another seed", line), from}, nil
}

// blameLine names the line that caused a fault.
func (p *plan) blameLine(b *bench, line string, err error) error {
	f, ok := errors.AsType[*judge.Fault](err)
	if !ok {
		return err
	}
	text := fmt.Sprintf("line %q with another seed: %s", line, f.Text)
	for _, g := range b.lab.Folder.Groups {
		for i := range g.Cases {
			if g.Cases[i].Line == line {
				return b.lab.Folder.CaseFault(&g.Cases[i], text, f.Hint)
			}
		}
	}
	placed := *f
	if placed.Text = text; placed.File == "" {
		placed.File = b.lab.Folder.FormatPath()
		if b.lab.Folder.Generator != nil {
			placed.File = b.lab.Folder.Generator.Path
		}
	}
	return &placed
}

// otherArguments makes an input of a line with one or two of its numbers changed,
// within what the lines have for that kind and option.
func (p *plan) otherArguments(ctx context.Context, b *bench, i int) (*candidate, error) {
	r := p.rand(i)
	words := strings.Fields(p.lines[r.IntN(p.open(len(p.lines), i))])
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
		lo, hi := p.words.span(words, k)
		words[k] = strconv.FormatInt(format.Between(r, lo, hi), 10)
	}
	line := strings.Join(words, " ")
	salt := fmt.Sprintf("%s stress %d %d", p.salt, p.seed, i)
	c, err := p.generated(ctx, b, i, line, salt, true)
	if c != nil {
		c.origin = fmt.Sprintf("it is made by the generator line %q", line)
	}
	return c, err
}

// tries is how often a case is changed again until the result is valid.
const tries = 8

// changed makes an input of a case.
func (p *plan) changed(ctx context.Context, b *bench, i int, from base) (*candidate, error) {
	r := p.rand(i)
	r.Uint64() // that chose the case
	doc := shrink.Parse(from.input)
	for range tries {
		text := p.words.change(r, doc).Bytes()
		if len(text) > 2*maxBase || !p.wants(text) {
			continue
		}
		invalid, err := b.validate(ctx, fmt.Sprintf("stress/%d", i), text)
		if err != nil {
			return nil, err
		}
		if invalid == "" {
			return &candidate{input: text, origin: "it is " + from.name + ", changed", from: from.name}, nil
		}
	}
	return nil, nil
}
