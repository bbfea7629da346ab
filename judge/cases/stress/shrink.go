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

// A Shrunk is the result of Shrink.
type Shrunk struct {
	*Trial          // smallest input, with its answer
	Evaluations int // number of inputs tried, including invalid ones
	Steps       int
	Done        bool // no attempted change makes it smaller; if false, the budget is used up
}

// Shrink looks for a smaller valid input on which the solution fails in the same way. If the input came from a
// generator line, Shrink first makes the line smaller, as long as the line's input also becomes smaller. It calls
// step, if not nil, with each smaller input.
func (l *Tester) Shrink(ctx context.Context, t *Trial, budget shrink.Budget, step func(shrink.Step)) (*Shrunk, error) {
	return l.shrink(ctx, t, budget, step, l.shrinkMethods())
}

// A shrinkMethod is one method to make an input smaller. Its budget is the remaining budget divided by the field part.
type shrinkMethod struct {
	name    string
	divisor int
	run     func(s *shrinkState, ctx context.Context, budget shrink.Budget) error
}

// formatMethods lists the ways for inputs with a declared format. They start from the smallest case that fails in the
// same way or from a smaller generator line, and continue with changes that follow the declared format. In
// measurements, other ways did not improve the result.
var formatMethods = []shrinkMethod{
	{"smaller cases", 4, (*shrinkState).byCases},
	{"generator lines", 3, (*shrinkState).byLine},
	{"the text", 1, (*shrinkState).byText},
}

// guessMethods lists the ways for inputs without a declared format.
var guessMethods = []shrinkMethod{
	{"other inputs", 4, (*shrinkState).byOthers},
	{"generator lines", 3, (*shrinkState).byLine},
	{"the generator's choices", 3, (*shrinkState).byChoices},
	{"the text", 1, (*shrinkState).byText},
}

func (l *Tester) shrinkMethods() []shrinkMethod {
	if l.grammar != nil {
		return formatMethods
	}
	return guessMethods
}

func (l *Tester) shrink(
	ctx context.Context, t *Trial, budget shrink.Budget, step func(shrink.Step), methods []shrinkMethod,
) (*Shrunk, error) {
	b, err := l.acquire()
	if err != nil {
		return nil, err
	}
	b.limits = tightenLimits(l.Directory.Limits, t)
	defer func() {
		b.limits = l.Directory.Limits
		l.release(b)
	}()
	best := *t
	s := &shrinkState{worker: b, Shrunk: &Shrunk{Trial: &best}, original: *t, budget: budget, start: time.Now(), step: step}
	for _, w := range methods {
		left, over := s.remaining(w.divisor)
		if over {
			break
		}
		if err := w.run(s, ctx, left); err != nil {
			return nil, err
		}
	}
	return s.Shrunk, l.Complete(ctx, &best)
}

// shrinkState is the state of a call of Shrink.
type shrinkState struct {
	*worker
	*Shrunk
	original Trial
	budget   shrink.Budget
	start    time.Time
	step     func(shrink.Step)
}

// remaining returns the remaining budget divided by part, and whether the budget is used up.
func (s *shrinkState) remaining(part int) (b shrink.Budget, exhausted bool) {
	if s.budget.Time > 0 {
		b.Time = (s.budget.Time - time.Since(s.start)) / time.Duration(part)
		exhausted = b.Time <= 0
	}
	if s.budget.Evaluations > 0 {
		rest := s.budget.Evaluations - s.Evaluations
		b.Evaluations = max(rest/part, 1)
		exhausted = exhausted || rest <= 0
	}
	return b, exhausted
}

// exhausted returns a function that reports whether a way has used up its budget of evaluations.
func (s *shrinkState) exhausted(budget shrink.Budget) func() bool {
	most := s.Evaluations + budget.Evaluations
	return func() bool { return budget.Evaluations > 0 && s.Evaluations >= most }
}

// adopt adopts a smaller input.
func (s *shrinkState) adopt(t *Trial, pass string) {
	*s.Trial = *t
	s.Steps++
	if s.step != nil {
		s.step(shrink.Step{Pass: pass, Evaluations: s.Evaluations, Text: t.Input})
	}
}

// byCases looks for the smallest case of the problem that fails in the same way.
func (s *shrinkState) byCases(ctx context.Context, budget shrink.Budget) error {
	plan, err := s.tester.plan(0)
	if err != nil {
		return err
	}
	timed, cancel := withTimeLimit(ctx, budget.Time)
	defer cancel()
	spent := s.exhausted(budget)
	for _, base := range plan.bases {
		if spent() || !shrink.Less(base.input, s.Input) {
			return nil // all remaining cases are larger
		}
		s.Evaluations++
		t, err := s.fails(timed, base.input, &s.original)
		if timeUp(timed) && ctx.Err() == nil {
			return nil
		}
		if err != nil {
			return err
		}
		if t != nil {
			t.Origin = "it is made from " + base.name
			s.adopt(t, "a smaller case")
			return nil
		}
	}
	return nil
}

// byText makes an input smaller step by step.
func (s *shrinkState) byText(ctx context.Context, budget shrink.Budget) error {
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
	if s.tester.grammar != nil {
		shape = s.tester.grammar
	}
	result, err := shrink.TextWithShape(ctx, s.Input, shape, budget, holds, told)
	if errors.Is(err, shrink.ErrPropertyNotHeld) {
		return fmt.Errorf("cannot shrink the input for %s: the solution did not fail in the same way again", s.Verdict.Words())
	}
	if err != nil {
		return err
	}
	s.Evaluations += result.Evaluations
	s.Steps += result.Steps
	s.Done = result.Done
	if result.Steps > 0 {
		s.Line = "" // no generator line makes the new input
	}
	return nil
}

// tightenLimits returns limits for inputs that are smaller than t's input. If t was not slow, it returns shorter limits.
// An input on which the solution hangs fails in another way, so it does not need the full time limit.
func tightenLimits(limits judge.Limits, t *Trial) judge.Limits {
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

// maxOthers is the maximum number of other inputs that byOthers tries.
const maxOthers = 400

// byOthers looks among the first inputs of a search for a smaller input that fails in the same way. It is useful
// because shrinking a large input in small steps may not reach the smallest failing input.
func (s *shrinkState) byOthers(ctx context.Context, budget shrink.Budget) error {
	plan, err := s.tester.plan(0)
	if _, fault := errors.AsType[*judge.ProblemError](err); fault {
		return nil // other inputs cannot be made
	}
	if err != nil {
		return err
	}
	plan.small = true
	timed, cancel := withTimeLimit(ctx, budget.Time)
	defer cancel()
	spent := s.exhausted(budget)
	for i := range maxOthers {
		if spent() {
			return nil
		}
		plan.smallerThan = s.Input
		c, err := plan.input(timed, s.worker, i)
		var t *Trial
		if err == nil && c != nil && shrink.Less(c.input, s.Input) {
			s.Evaluations++
			t, err = s.fails(timed, c.input, &s.original)
		}
		if _, fault := errors.AsType[*judge.ProblemError](err); fault {
			continue // the solution fails in another way
		}
		if timeUp(timed) && ctx.Err() == nil {
			return nil
		}
		if err != nil {
			return err
		}
		if t != nil {
			t.Line, t.Seed, t.Origin = c.line, c.seed, c.origin
			s.adopt(t, "another input")
		}
	}
	return nil
}

// lineSalts is the number of seeds that byLine tries for each smaller line.
const lineSalts = 2

// byLine makes the generator line smaller.
func (s *shrinkState) byLine(ctx context.Context, budget shrink.Budget) error {
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
			if _, fault := errors.AsType[*judge.ProblemError](err); fault {
				return false, nil // the generator rejects the line
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

// byChoices reduces the generator's random choices, in shortlex order: it makes them fewer and lower. Inputs must
// not become larger.
func (s *shrinkState) byChoices(ctx context.Context, budget shrink.Budget) error {
	if s.Line == "" || s.Seed == "" || s.generator == nil {
		return nil
	}
	chooser := gen.AsReplayer(s.generator, s.Line)
	if chooser == nil {
		return nil
	}
	line := s.Line
	words := strings.Fields(line)
	first, err := chooser.Record(ctx, s.Seed, words)
	if _, fault := errors.AsType[*judge.ProblemError](err); fault || err == nil && !bytes.Equal(first.Input, s.Input) {
		return nil // the input no longer comes from the generator
	}
	if err != nil {
		return err
	}
	try := func(choices []uint64) ([]uint64, bool, error) {
		c, err := chooser.Replay(ctx, choices, words)
		if _, fault := errors.AsType[*judge.ProblemError](err); fault {
			return nil, false, nil // the generator rejects the choices
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
		s.adopt(t, "the generator's choices")
		return c.Choices, true, nil
	}
	_, err = shrink.Choices(ctx, first.Choices, budget, try)
	return err
}

// fails tries an input. It returns the trial if the input is valid and the solution fails on it in the same way as
// in an earlier trial, which is the parameter as. Otherwise, it returns nil, nil. If the reference solution fails
// on an input, fails treats the input as invalid.
func (b *worker) fails(ctx context.Context, input []byte, original *Trial) (*Trial, error) {
	b.tester.evaluated.Add(1)
	t, err := b.try(ctx, "shrink", input)
	if _, fault := errors.AsType[*judge.ProblemError](err); fault {
		return nil, nil // the solution fails in another way
	}
	if err != nil || !t.FailsLike(original) {
		return nil, err
	}
	if b.validator == nil {
		err = b.tester.Complete(ctx, t)
		if _, fault := errors.AsType[*judge.ProblemError](err); fault {
			return nil, nil
		}
	}
	return t, err
}
