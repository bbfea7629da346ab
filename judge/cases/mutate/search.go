package mutate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"assay/judge"
	"assay/judge/cases/shrink"
	"assay/judge/cases/stress"
)

// FailingInput is an input that kills mutants which no case kills.
type FailingInput struct {
	Input  []byte
	Answer []byte // answer of the reference solution
	Origin string // describes where the input comes from
	Kills  []*Result
}

// SearchBudget limits a search for inputs that kill surviving mutants.
type SearchBudget struct {
	Seed  uint64        `json:"seed"`
	Count int           `json:"count"`             // inputs
	Time  time.Duration `json:"time_ns,omitempty"` // zero means no limit; with a limit, results depend on the machine
	// Shrink is the maximum number of evaluations for shrinking one find. Zero means that finds are not shrunk.
	Shrink int `json:"shrink,omitempty"`
}

// mostSteps is the maximum number of steps of a program on an input of a search. Small inputs are enough to expose
// a mutant.
const mostSteps = 30_000

// familySteps replaces mostSteps for a program of a family, whose steps are units of 100 ns.
const familySteps = 300_000

func (s *Subject) mostSteps() int64 {
	if s.family != nil {
		return familySteps
	}
	return mostSteps
}

// searchSlot is the case number that workers use for inputs of a search.
const searchSlot = 1 << 30

// Search looks for inputs that kill surviving mutants, and shrinks them. Supply generates the inputs. The same
// seed and count give the same result for any number of jobs. Search also returns a note for each input on which a
// correct program disagrees with the reference solution.
func (l *Runner) Search(ctx context.Context, results []*Result, supply *stress.Tester, h SearchBudget) ([]*FailingInput, []string, error) {
	s := &searcher{
		runner: l, h: h, supply: supply, firsts: map[*Result]int{}, inputs: map[int]*FailingInput{},
		seen: map[[sha256.Size]byte]int{}, surviving: map[*Subject][]*Result{},
	}
	for i := range l.cases {
		s.seen[sha256.Sum256(l.cases[i].in)] = -1
	}
	for _, r := range results {
		if r.State == Unseparated || r.State == Unreached {
			s.surviving[r.Subject] = append(s.surviving[r.Subject], r)
		}
	}
	if len(s.surviving) == 0 || h.Count <= 0 {
		return nil, nil, nil
	}
	var err error
	if s.stream, err = supply.Inputs(h.Seed); err != nil {
		return nil, nil, err
	}
	if err := s.tryAll(ctx); err != nil {
		return nil, nil, l.blame(err)
	}
	finds, err := s.finishResults(ctx, results)
	slices.Sort(s.notes)
	return finds, s.notes, l.blame(err)
}

// searcher is the state of a search.
type searcher struct {
	runner    *Runner
	h         SearchBudget
	supply    *stress.Tester
	stream    *stress.Inputs
	surviving map[*Subject][]*Result

	mu     sync.Mutex
	next   int
	seen   map[[sha256.Size]byte]int // lowest number of each input
	firsts map[*Result]int           // number of the first input that kills each mutant
	inputs map[int]*FailingInput
	notes  []string
}

// errTimeUp ends a search that has used up its time.
var errTimeUp = errors.New("the time is over")

// tryAll tries all inputs.
func (s *searcher) tryAll(ctx context.Context) error {
	outer := ctx
	if s.h.Time > 0 {
		timed, cancel := context.WithTimeoutCause(ctx, s.h.Time, errTimeUp)
		defer cancel()
		ctx = timed
	}
	group, ctx := errgroup.WithContext(ctx)
	for range max(s.runner.Jobs, 1) {
		group.Go(func() error {
			p := s.runner.newRunnerSet(outer, s.supply)
			defer p.close()
			for ctx.Err() == nil {
				s.mu.Lock()
				i := s.next
				s.next++
				s.mu.Unlock()
				if i >= s.h.Count {
					return nil
				}
				if err := s.tryInput(ctx, p, i); err != nil {
					if context.Cause(ctx) == errTimeUp {
						return nil
					}
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil && !errors.Is(err, errTimeUp) {
		return err
	}
	return outer.Err()
}

// runnerSet holds what one goroutine needs to run the mutants of all programs.
type runnerSet struct {
	runner       *Runner
	workers      map[*Subject]*workerSet
	outputJudges map[*Subject]*outputJudge
	answer       func(ctx context.Context, input []byte) ([]byte, error)
}

func (l *Runner) newRunnerSet(ctx context.Context, supply *stress.Tester) *runnerSet {
	p := &runnerSet{l, map[*Subject]*workerSet{}, map[*Subject]*outputJudge{}, supply.Answer}
	for _, s := range l.Subjects {
		p.workers[s], p.outputJudges[s] = l.newWorkerSet(ctx, s), l.newOutputJudge(s)
	}
	return p
}

func (p *runnerSet) close() {
	for s, w := range p.workers {
		w.close()
		_ = p.outputJudges[s].close()
	}
}

// tryInput runs the surviving mutants on input i.
func (s *searcher) tryInput(ctx context.Context, p *runnerSet, i int) error {
	input, err := s.stream.Generate(ctx, i)
	if fault, ok := errors.AsType[*judge.ProblemError](err); ok {
		s.note(fault.Error()) // judge stress reports it as well
		return nil
	}
	if input == nil || err != nil {
		return err
	}
	key := sha256.Sum256(input.Text)
	s.mu.Lock()
	if k, twice := s.seen[key]; twice && k < i {
		s.mu.Unlock()
		return nil
	}
	s.seen[key] = i
	left := map[*Subject][]*Result{}
	for subject, list := range s.surviving {
		for _, r := range list {
			if first, found := s.firsts[r]; !found || first > i {
				left[subject] = append(left[subject], r)
			}
		}
	}
	s.mu.Unlock()
	killed, answer, err := p.killedBy(ctx, input.Text, left)
	if wrong, ok := errors.AsType[*disagreement](err); ok {
		s.note(wrong.Error())
		return nil
	}
	if len(killed) == 0 || err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inputs[i] = &FailingInput{Input: input.Text, Answer: answer, Origin: input.Origin}
	for _, r := range killed {
		if first, found := s.firsts[r]; !found || i < first {
			s.firsts[r] = i
		}
	}
	return nil
}

// note adds a note, unless it already exists or there are too many notes.
func (s *searcher) note(text string) {
	const most = 10
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.notes) < most && !slices.Contains(s.notes, text) {
		s.notes = append(s.notes, text)
	}
}

// disagreement is an input on which a program that is supposed to be correct, or the reference solution, is wrong.
type disagreement struct {
	path, message string
	input         []byte
}

func (d *disagreement) Error() string {
	return fmt.Sprintf("%s and the reference do not agree: %s, on the input\n%s", d.path, d.message, d.input)
}

// killedBy runs mutants on a valid input. It returns the killed mutants and the reference solution's answer.
func (p *runnerSet) killedBy(
	ctx context.Context, input []byte, surviving map[*Subject][]*Result,
) (killed []*Result, answer []byte, err error) {
	reference := p.runner.Subjects[0]
	c := &solvedCase{id: "search", in: input}
	if reference.Path != p.runner.Directory.Reference.Path { // the reference solution is not mutated
		if c.ans, err = p.answer(ctx, input); err != nil {
			return nil, nil, err
		}
		reference = nil
	}
	for _, s := range p.runner.Subjects {
		if len(surviving[s]) == 0 && s != reference {
			continue
		}
		w, d := p.workers[s], p.outputJudges[s]
		w.set(searchSlot, input)
		t, err := w.load(searchSlot)
		if err != nil {
			return nil, nil, err
		}
		if t.end != otherOutput || t.steps > s.mostSteps() {
			return nil, nil, nil // the input is too large or not suitable
		}
		if s == reference {
			c.ans = t.out
		} else if !bytes.Equal(t.out, c.ans) {
			if wrong, message, err := d.wrong(ctx, c, t.out); err != nil || wrong {
				if err == nil {
					err = &disagreement{s.Path, message, input}
				}
				return nil, nil, err
			}
		}
		c.out = t.out
		more, err := p.killedOf(ctx, s, c, t, surviving[s])
		if err != nil {
			return nil, nil, err
		}
		killed = append(killed, more...)
	}
	return killed, c.ans, nil
}

// killedOf runs the mutants of one program on an input.
func (p *runnerSet) killedOf(ctx context.Context, s *Subject, c *solvedCase, t *trace, list []*Result) (killed []*Result, err error) {
	var reached []*Result
	var mutants []*Mutant
	for _, r := range list {
		if t.cover[r.block] {
			reached, mutants = append(reached, r), append(mutants, r.Mutant)
		}
	}
	if len(mutants) == 0 {
		return nil, nil
	}
	runs, err := p.workers[s].runAll(mutants, searchSlot)
	if err != nil {
		return nil, err
	}
	for i, ran := range runs {
		wrong := ran.end != sameOutput
		if ran.end == otherOutput {
			if wrong, err = p.wrong(ctx, reached[i], c, ran.out); err != nil {
				return nil, err
			}
		}
		if wrong {
			killed = append(killed, reached[i])
		}
	}
	return killed, nil
}

// wrong reports whether an output that differs from the original program's is wrong. A checker that keeps state
// first sees the mutant's own outputs for the samples.
func (p *runnerSet) wrong(ctx context.Context, r *Result, c *solvedCase, out []byte) (bool, error) {
	d := p.outputJudges[r.Subject]
	if p.runner.stateful && len(r.outs) > 0 {
		behind := append(r.Subject.outputs(p.runner.cases[:p.runner.samples]), *c)
		outs := map[int][]byte{len(behind) - 1: out}
		for i, o := range r.outs {
			if i < p.runner.samples {
				outs[i] = o
			}
		}
		at, _, err := d.judgeSubmission(ctx, behind, outs)
		return at >= 0, err
	}
	wrong, _, err := d.wrong(ctx, c, out)
	return wrong, err
}

// finishResults sets the search results of each mutant, and shrinks each find. If the smaller find also kills other
// mutants, these need no separate find.
func (s *searcher) finishResults(ctx context.Context, results []*Result) (finds []*FailingInput, err error) {
	p := s.runner.newRunnerSet(ctx, s.supply)
	defer p.close()
	for _, r := range results {
		first, found := s.firsts[r]
		if !found || r.State == Survived || r.State == Killed {
			continue
		}
		if err := s.runSpared(ctx, p, r); err != nil {
			return nil, err
		}
		if r.State == Killed {
			continue
		}
		f := *s.inputs[first]
		if err := s.shrinkInput(ctx, p, r, &f); err != nil {
			return nil, err
		}
		left := map[*Subject][]*Result{}
		for _, o := range results {
			if _, found := s.firsts[o]; found && o.State != Killed && o.FailingInput == nil {
				left[o.Subject] = append(left[o.Subject], o)
			}
		}
		killed, answer, err := p.killedBy(ctx, f.Input, left)
		if err != nil {
			return nil, err
		}
		f.Answer = answer
		for _, o := range killed {
			if o != r {
				if err := s.runSpared(ctx, p, o); err != nil {
					return nil, err
				}
			}
			if o.State != Killed {
				o.State, o.FailingInput = Survived, &f
				f.Kills = append(f.Kills, o)
			}
		}
		if r.FailingInput == nil {
			continue // the result is not reproducible
		}
		finds = append(finds, &f)
	}
	return finds, nil
}

// runSpared runs a mutant on the cases that were skipped.
func (s *searcher) runSpared(ctx context.Context, p *runnerSet, r *Result) error {
	if len(r.spared) == 0 {
		return nil
	}
	slots := r.spared
	r.spared = nil
	return r.findKill(
		p.workers[r.Subject], s.runner, slots,
		func(c *solvedCase, out []byte) (bool, error) { return p.wrong(ctx, r, c, out) },
	)
}

// shrinkInput shrinks a find as long as it kills the mutant.
func (s *searcher) shrinkInput(ctx context.Context, p *runnerSet, r *Result, f *FailingInput) error {
	if s.h.Shrink <= 0 {
		return nil
	}
	before := len(f.Input)
	only := map[*Subject][]*Result{r.Subject: {r}}
	holds := func(text []byte) (bool, error) {
		invalid, err := s.supply.Validate(ctx, "shrink", text)
		if err != nil || invalid != "" {
			return false, err
		}
		killed, _, err := p.killedBy(ctx, text, only)
		if _, ok := errors.AsType[*disagreement](err); ok {
			return false, nil
		}
		return len(killed) > 0, err
	}
	result, err := shrink.Text(ctx, f.Input, shrink.Budget{Evaluations: s.h.Shrink}, holds, nil)
	if errors.Is(err, shrink.ErrPropertyNotHeld) {
		return nil
	}
	if _, fault := errors.AsType[*judge.ProblemError](err); fault {
		return nil // it may be another find, but not this one
	}
	if err != nil {
		return err
	}
	if f.Input = result.Text; len(f.Input) < before {
		f.Origin += fmt.Sprintf(", shrunk from %d bytes", before)
	}
	return nil
}
