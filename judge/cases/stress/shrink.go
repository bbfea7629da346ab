package stress

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/cases/gen"
	"assay/judge/cases/shrink"
	"assay/judge/kit"
	"assay/judge/problem"
)

// Shrunk is what shrinking a failing input came to.
type Shrunk struct {
	*Trial          // the smallest input, with its answer
	Evaluations int // of inputs, those that are not valid among them
	Steps       int
	Done        bool // nothing makes it smaller any more; else the budget is used up
}

// Shrink looks for a smaller input on which the solution fails in the same way,
// valid at every step. Where the input came from a generator line, the line is made
// smaller first, as long as what it makes is smaller too. Each smaller input is told
// to step, which may be nil.
func (l *Lab) Shrink(ctx context.Context, t *Trial, budget shrink.Budget, step func(shrink.Step)) (*Shrunk, error) {
	b, err := l.take()
	if err != nil {
		return nil, err
	}
	b.limits = hurried(l.Folder.Limits, t)
	defer func() {
		b.limits = l.Folder.Limits
		l.give(b)
	}()
	best := *t
	done := &Shrunk{Trial: &best}
	holds := func(text []byte) (bool, error) {
		again, err := b.fails(ctx, text, t)
		if err == nil && again != nil {
			again.Line, again.Seed, again.Origin = best.Line, best.Seed, best.Origin
			best = *again
		}
		return again != nil, err
	}
	if l.grammar != nil {
		err = done.byFormat(ctx, b, budget, holds, step)
	} else {
		err = done.byParts(ctx, b, budget, holds, step)
	}
	if err != nil {
		return nil, err
	}
	return done, l.Complete(ctx, &best)
}

// byParts makes an input smaller of whose form nobody knows.
func (s *Shrunk) byParts(ctx context.Context, b *bench, budget shrink.Budget, holds func([]byte) (bool, error), step func(shrink.Step)) error {
	if err := s.byOthers(ctx, b, budget, step); err != nil {
		return err
	}
	if s.Line != "" && b.generator != nil {
		if err := s.byLine(ctx, b, budget, step); err != nil {
			return err
		}
		if err := s.byChoices(ctx, b, s.Trial, budget, step); err != nil {
			return err
		}
	}
	return s.byText(ctx, nil, budget, holds, step)
}

// byFormat makes an input smaller whose form is declared: from the smallest case of
// the problem that fails in the same way, or a smaller generator line, on as the
// declared form has it; then by other inputs, and what they came to in the same way
// again.
func (s *Shrunk) byFormat(ctx context.Context, b *bench, budget shrink.Budget, holds func([]byte) (bool, error), step func(shrink.Step)) error {
	start, made := time.Now(), *s.Trial
	if err := s.byCases(ctx, b, budget, step); err != nil {
		return err
	}
	if s.Line != "" && b.generator != nil && !problem.Derived(s.Line) {
		part := budget
		part.Time /= 3
		if err := s.byLine(ctx, b, part, step); err != nil {
			return err
		}
	}
	if s.Line != "" {
		made = *s.Trial
	}
	if err := s.byText(ctx, b.lab.grammar, budget, holds, step); err != nil || !s.Done {
		return err
	}
	left := budget
	if left.Time > 0 {
		left.Time = max(budget.Time-time.Since(start), time.Millisecond)
	}
	if left.Evaluations > 0 {
		left.Evaluations = max(budget.Evaluations-s.Evaluations, 1)
	}
	before := s.Steps
	if err := s.byOthers(ctx, b, left, step); err != nil {
		return err
	}
	if err := s.byChoices(ctx, b, &made, left, step); err != nil || s.Steps == before {
		return err
	}
	return s.byText(ctx, b.lab.grammar, left, holds, step)
}

// byCases looks for the smallest case of the problem that fails in the same way.
func (s *Shrunk) byCases(ctx context.Context, b *bench, budget shrink.Budget, step func(shrink.Step)) error {
	plan, err := b.lab.plan(0)
	if err != nil {
		return err
	}
	timed, cancel := within(ctx, budget.Time/4)
	defer cancel()
	original := *s.Trial
	for _, base := range plan.bases {
		if !shrink.Less(base.input, s.Input) {
			return nil // those that follow are larger
		}
		s.Evaluations++
		t, err := b.fails(timed, base.input, &original)
		if over(timed) && ctx.Err() == nil {
			return nil
		}
		if err != nil {
			return err
		}
		if t != nil {
			t.Origin = "it is made from " + base.name
			s.take(t, "a smaller case", step)
			return nil
		}
	}
	return nil
}

// take goes on with a smaller input.
func (s *Shrunk) take(t *Trial, pass string, step func(shrink.Step)) {
	*s.Trial = *t
	s.Steps++
	if step != nil {
		step(shrink.Step{Pass: pass, Evaluations: s.Evaluations, Text: t.Input})
	}
}

// byText makes an input smaller step by step.
func (s *Shrunk) byText(ctx context.Context, shape shrink.Shape, budget shrink.Budget, holds func([]byte) (bool, error), step func(shrink.Step)) error {
	told := func(at shrink.Step) {
		if step != nil {
			at.Evaluations += s.Evaluations
			step(at)
		}
	}
	result, err := shrink.Guided(ctx, s.Input, shape, budget, holds, told)
	if errors.Is(err, shrink.ErrNotHeld) {
		return fmt.Errorf("%s is not repeatable: the solution does not fail in the same way again", s.Verdict.Words())
	}
	if err != nil {
		return err
	}
	s.Evaluations += result.Evaluations
	s.Steps += result.Steps
	s.Done = result.Done
	if result.Steps > 0 {
		s.Line = "" // no line makes it
	}
	return nil
}

// hurried are limits for inputs that are smaller than the one of the trial. If it
// was not slow, they need not be either: one on which the solution hangs does not
// fail in the same way, and need not cost the whole time limit.
func hurried(limits judge.Limits, t *Trial) judge.Limits {
	switch t.Verdict {
	case judge.TimeLimit, judge.IdlenessLimit, judge.MemoryLimit, judge.OutputLimit:
		return limits
	}
	const least, times = 15 * time.Millisecond, 5
	if quick := max(least, times*t.Exec.CPU); limits.CPU == 0 || quick < limits.CPU {
		limits.CPU = quick
	}
	return limits
}

// others is how many other inputs are looked at before one is made smaller.
const others = 400

// byOthers looks for a smaller input that fails in the same way among those that a
// search starts with: from a large one, steps that stay valid and failing may not
// lead to the smallest.
func (s *Shrunk) byOthers(ctx context.Context, b *bench, budget shrink.Budget, step func(shrink.Step)) error {
	plan, err := b.lab.plan(0)
	if _, fault := errors.AsType[*judge.Fault](err); fault {
		return nil // there is nothing to make other inputs from
	}
	if err != nil {
		return err
	}
	plan.small = true
	timed, cancel := within(ctx, budget.Time/4)
	defer cancel()
	original := *s.Trial
	for i := range others {
		plan.below = s.Input
		c, err := plan.input(timed, b, i)
		var t *Trial
		if err == nil && c != nil && shrink.Less(c.input, s.Input) {
			s.Evaluations++
			t, err = b.fails(timed, c.input, &original)
		}
		if _, fault := errors.AsType[*judge.Fault](err); fault {
			continue // a find of its own, but not this one
		}
		if over(timed) && ctx.Err() == nil {
			return nil
		}
		if err != nil {
			return err
		}
		if t != nil {
			t.Line, t.Seed, t.Origin = c.line, c.seed, c.origin
			s.take(t, "another input", step)
		}
	}
	return nil
}

// lineSalts is how many seeds each smaller line is tried with.
const lineSalts = 2

// byLine makes the generator line smaller.
func (s *Shrunk) byLine(ctx context.Context, b *bench, budget shrink.Budget, step func(shrink.Step)) error {
	first, original := true, *s.Trial
	holds := func(line []byte) (bool, error) {
		if first {
			first = false
			return true, nil
		}
		words := strings.Fields(string(line))
		if len(words) == 0 {
			return false, nil
		}
		for salt := range lineSalts {
			seed := kit.Seed(fmt.Sprintf("shrink %d", salt), string(line))
			input, err := b.generator.Generate(ctx, seed, words)
			if _, fault := errors.AsType[*judge.Fault](err); fault {
				return false, nil // such a line was not meant to be
			}
			if err != nil {
				return false, err
			}
			if !shrink.Less(input, s.Input) {
				continue
			}
			t, err := b.fails(ctx, input, &original)
			if err != nil {
				return false, err
			}
			if t != nil {
				t.Line, t.Seed, t.Origin = string(line), seed, fmt.Sprintf("it is made by the generator line %q", line)
				*s.Trial = *t
				return true, nil
			}
		}
		return false, nil
	}
	if budget.Time > 0 {
		budget.Time /= 3 // the text has more to gain
	}
	told := func(at shrink.Step) {
		if step != nil {
			step(shrink.Step{Pass: "generator line: " + string(at.Text), Evaluations: at.Evaluations, Text: s.Input})
		}
	}
	result, err := shrink.Text(ctx, []byte(s.Line), budget, holds, told)
	if result != nil {
		s.Evaluations += result.Evaluations - 1
		s.Steps += result.Steps
	}
	return err
}

// byChoices makes the choices smaller by which the generator made an input: fewer and
// lower ones, in shortlex order, each of which makes an input that is no larger than the
// one before it. What comes out is only taken where it is smaller than what there is.
func (s *Shrunk) byChoices(ctx context.Context, b *bench, made *Trial, budget shrink.Budget, step func(shrink.Step)) error {
	if made.Line == "" || made.Seed == "" {
		return nil
	}
	chooser := gen.Chooses(b.generator, made.Line)
	if chooser == nil {
		return nil
	}
	words, original, now := strings.Fields(made.Line), *made, made.Input
	first, err := chooser.Record(ctx, made.Seed, words)
	if _, fault := errors.AsType[*judge.Fault](err); fault || err == nil && !bytes.Equal(first.Input, now) {
		return nil // it is not the generator's any more
	}
	if err != nil {
		return err
	}
	if budget.Time > 0 {
		budget.Time /= 3 // the text has more to gain
	}
	evaluations := s.Evaluations
	try := func(choices []uint64) ([]uint64, bool, error) {
		c, err := chooser.Replay(ctx, choices, words)
		if _, fault := errors.AsType[*judge.Fault](err); fault {
			return nil, false, nil // such choices were not meant to be
		}
		if err != nil {
			return nil, false, err
		}
		if bytes.Equal(c.Input, now) {
			return c.Choices, true, nil
		}
		if !shrink.Less(c.Input, now) {
			return nil, false, nil
		}
		evaluations++
		t, err := b.fails(ctx, c.Input, &original)
		if t == nil || err != nil {
			return nil, false, err
		}
		if now = c.Input; shrink.Less(now, s.Input) {
			t.Origin = fmt.Sprintf("it is made by the generator of the line %q with other choices", original.Line)
			s.Evaluations = evaluations
			s.take(t, "the generator's choices", step)
		}
		return c.Choices, true, nil
	}
	_, err = shrink.Choices(ctx, first.Choices, budget, try)
	s.Evaluations = evaluations
	return err
}

// fails tries an input, and returns the trial if it is valid and fails as another
// one does. An input on which the reference fails is not taken for valid.
func (b *bench) fails(ctx context.Context, input []byte, as *Trial) (*Trial, error) {
	t, err := b.try(ctx, "shrink", input)
	if _, fault := errors.AsType[*judge.Fault](err); fault {
		return nil, nil // a find of its own, but not this one
	}
	if err != nil || !t.Same(as) {
		return nil, err
	}
	if b.validator == nil {
		err = b.lab.Complete(ctx, t)
		if _, fault := errors.AsType[*judge.Fault](err); fault {
			return nil, nil
		}
	}
	return t, err
}
