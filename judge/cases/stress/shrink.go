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
// smaller first, as long as what it makes is smaller too. It calls step with each
// smaller input, unless step is nil.
func (l *Lab) Shrink(ctx context.Context, t *Trial, budget shrink.Budget, step func(shrink.Step)) (*Shrunk, error) {
	return l.shrink(ctx, t, budget, step, l.ways())
}

// way is one way of making an input smaller, and the share of what is left of the budget
// that it gets: one in part.
type way struct {
	name string
	part int
	run  func(s *shrinking, ctx context.Context, budget shrink.Budget) error
}

// declared are the ways for inputs whose form is declared: from the smallest case of
// the problem that fails in the same way, or a smaller generator line, on as the
// declared form has it. Other ways have won nothing then.
var declared = []way{
	{"smaller cases", 4, (*shrinking).byCases},
	{"generator lines", 3, (*shrinking).byLine},
	{"the text", 1, (*shrinking).byText},
}

// guessed are the ways for inputs without a declared form.
var guessed = []way{
	{"other inputs", 4, (*shrinking).byOthers},
	{"generator lines", 3, (*shrinking).byLine},
	{"the generator's choices", 3, (*shrinking).byChoices},
	{"the text", 1, (*shrinking).byText},
}

func (l *Lab) ways() []way {
	if l.grammar != nil {
		return declared
	}
	return guessed
}

func (l *Lab) shrink(ctx context.Context, t *Trial, budget shrink.Budget, step func(shrink.Step), ways []way) (*Shrunk, error) {
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
	s := &shrinking{bench: b, Shrunk: &Shrunk{Trial: &best}, original: *t, budget: budget, start: time.Now(), step: step}
	for _, w := range ways {
		left, over := s.left(w.part)
		if over {
			break
		}
		if err := w.run(s, ctx, left); err != nil {
			return nil, err
		}
	}
	return s.Shrunk, l.Complete(ctx, &best)
}

// shrinking is the state of a run of Shrink.
type shrinking struct {
	*bench
	*Shrunk
	original Trial
	budget   shrink.Budget
	start    time.Time
	step     func(shrink.Step)
}

// left returns a share of what is left of the budget.
func (s *shrinking) left(part int) (b shrink.Budget, over bool) {
	if s.budget.Time > 0 {
		b.Time = (s.budget.Time - time.Since(s.start)) / time.Duration(part)
		over = b.Time <= 0
	}
	if s.budget.Evaluations > 0 {
		rest := s.budget.Evaluations - s.Evaluations
		b.Evaluations = max(rest/part, 1)
		over = over || rest <= 0
	}
	return b, over
}

// spent returns a function that reports whether a way has used up the evaluations of its budget.
func (s *shrinking) spent(budget shrink.Budget) func() bool {
	most := s.Evaluations + budget.Evaluations
	return func() bool { return budget.Evaluations > 0 && s.Evaluations >= most }
}

// take continues with a smaller input.
func (s *shrinking) take(t *Trial, pass string) {
	*s.Trial = *t
	s.Steps++
	if s.step != nil {
		s.step(shrink.Step{Pass: pass, Evaluations: s.Evaluations, Text: t.Input})
	}
}

// byCases looks for the smallest case of the problem that fails in the same way.
func (s *shrinking) byCases(ctx context.Context, budget shrink.Budget) error {
	plan, err := s.lab.plan(0)
	if err != nil {
		return err
	}
	timed, cancel := within(ctx, budget.Time)
	defer cancel()
	spent := s.spent(budget)
	for _, base := range plan.bases {
		if spent() || !shrink.Less(base.input, s.Input) {
			return nil // those that follow are larger
		}
		s.Evaluations++
		t, err := s.fails(timed, base.input, &s.original)
		if over(timed) && ctx.Err() == nil {
			return nil
		}
		if err != nil {
			return err
		}
		if t != nil {
			t.Origin = "it is made from " + base.name
			s.take(t, "a smaller case")
			return nil
		}
	}
	return nil
}

// byText makes an input smaller step by step.
func (s *shrinking) byText(ctx context.Context, budget shrink.Budget) error {
	holds := func(text []byte) (bool, error) {
		t, err := s.fails(ctx, text, &s.original)
		if err == nil && t != nil {
			t.Line, t.Seed, t.Origin = s.Line, s.Seed, s.Origin
			*s.Trial = *t
		}
		return t != nil, err
	}
	told := func(at shrink.Step) {
		if s.step != nil {
			at.Evaluations += s.Evaluations
			s.step(at)
		}
	}
	var shape shrink.Shape = shrink.Guess{}
	if s.lab.grammar != nil {
		shape = s.lab.grammar
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
func (s *shrinking) byOthers(ctx context.Context, budget shrink.Budget) error {
	plan, err := s.lab.plan(0)
	if _, fault := errors.AsType[*judge.Fault](err); fault {
		return nil // there is nothing to make other inputs from
	}
	if err != nil {
		return err
	}
	plan.small = true
	timed, cancel := within(ctx, budget.Time)
	defer cancel()
	spent := s.spent(budget)
	for i := range others {
		if spent() {
			return nil
		}
		plan.below = s.Input
		c, err := plan.input(timed, s.bench, i)
		var t *Trial
		if err == nil && c != nil && shrink.Less(c.input, s.Input) {
			s.Evaluations++
			t, err = s.fails(timed, c.input, &s.original)
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
			s.take(t, "another input")
		}
	}
	return nil
}

// lineSalts is how many seeds each smaller line is tried with.
const lineSalts = 2

// byLine makes the generator line smaller.
func (s *shrinking) byLine(ctx context.Context, budget shrink.Budget) error {
	if s.Line == "" || s.generator == nil || problem.Derived(s.Line) {
		return nil
	}
	first := true
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
			input, err := s.generator.Generate(ctx, seed, words)
			if _, fault := errors.AsType[*judge.Fault](err); fault {
				return false, nil // such a line was not meant to be
			}
			if err != nil {
				return false, err
			}
			if !shrink.Less(input, s.Input) {
				continue
			}
			t, err := s.fails(ctx, input, &s.original)
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
	told := func(at shrink.Step) {
		if s.step != nil {
			s.step(shrink.Step{Pass: "generator line: " + string(at.Text), Evaluations: at.Evaluations, Text: s.Input})
		}
	}
	result, err := shrink.Text(ctx, []byte(s.Line), budget, holds, told)
	s.Evaluations += result.Evaluations - 1
	s.Steps += result.Steps
	return err
}

// byChoices makes the choices smaller from which the generator made an input: fewer and
// lower ones, in shortlex order. Each makes an input that is no larger than the one
// before it.
func (s *shrinking) byChoices(ctx context.Context, budget shrink.Budget) error {
	if s.Line == "" || s.Seed == "" || s.generator == nil {
		return nil
	}
	chooser := gen.Chooses(s.generator, s.Line)
	if chooser == nil {
		return nil
	}
	line := s.Line
	words := strings.Fields(line)
	first, err := chooser.Record(ctx, s.Seed, words)
	if _, fault := errors.AsType[*judge.Fault](err); fault || err == nil && !bytes.Equal(first.Input, s.Input) {
		return nil // it is not the generator's any more
	}
	if err != nil {
		return err
	}
	try := func(choices []uint64) ([]uint64, bool, error) {
		c, err := chooser.Replay(ctx, choices, words)
		if _, fault := errors.AsType[*judge.Fault](err); fault {
			return nil, false, nil // such choices were not meant to be
		}
		if err != nil {
			return nil, false, err
		}
		if bytes.Equal(c.Input, s.Input) {
			return c.Choices, true, nil
		}
		if !shrink.Less(c.Input, s.Input) {
			return nil, false, nil
		}
		s.Evaluations++
		t, err := s.fails(ctx, c.Input, &s.original)
		if t == nil || err != nil {
			return nil, false, err
		}
		t.Origin = fmt.Sprintf("it is made by the generator of the line %q with other choices", line)
		s.take(t, "the generator's choices")
		return c.Choices, true, nil
	}
	_, err = shrink.Choices(ctx, first.Choices, budget, try)
	return err
}

// fails tries an input, and returns the trial if it is valid and fails as another
// one does. An input on which the reference solution fails is not taken for valid.
func (b *bench) fails(ctx context.Context, input []byte, as *Trial) (*Trial, error) {
	b.lab.evaluated.Add(1)
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
