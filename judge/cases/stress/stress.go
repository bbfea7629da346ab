// Package stress looks for a valid input on which a solution fails, and shrinks it.
//
//	generator lines with fresh seeds --+
//	lines with other arguments --------+--> validator --> solution --> reference, checker --> the first that fails
//	cases with words and lines changed +                                                  \-> package shrink
//	the declared input format ---------+
//
// Where a program talks to an interactor or runs more than once (staged.go), the steps after
// the validator are those of a case that is judged. What input i is depends on the seed, i
// and the problem directory alone, small ones come first, and the failing input with the lowest
// number wins: so a seed finds the same at any number of jobs. A find is made smaller in
// several ways, each from what the one before it came to (see way).
//
// A checker may hold state across the cases of a submission. Here each input is a submission
// of its own, of the samples that the solution solves and then the input. It does not find
// what fails only between two inputs that are not samples.
//
// The package does not say how strong a suite is, and prints nothing.
package stress

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"assay/judge"
	"assay/judge/cases/format"
	"assay/judge/cases/gen"
	"assay/judge/internal/tail"
	"assay/judge/internal/window"
	"assay/judge/problem"
	"assay/judge/running/check"
	"assay/judge/running/trial"
)

// Setting is what a search works with.
type Setting struct {
	Folder *problem.Directory
	Runner judge.Runner
	// Crew builds the setter's programs, and makes checkers.
	Crew     *check.Crew
	Solution *judge.Program
	// Stage makes the bench on which the solution is judged with the given limits, for
	// problems where it talks to an interactor or runs more than once. Others need none.
	Stage func(ctx context.Context, limits judge.Limits) (trial.Bench, error)
	// Literals are numbers that the programs treat apart, as far as one can tell from
	// their text: see Literals.
	Literals []int64
	// Derived has inputs drawn from the declared input format alone.
	Derived bool
	Limits  judge.Limits // of the generator and the validator, for one case
	Jobs    int
}

// Lab is where inputs are tried: the problem's programs, built, and as many of each
// as there are jobs.
type Lab struct {
	Setting
	programs gen.Programs
	grammar  *format.Grammar // nil if the problem declares none
	stateful bool            // the checker may remember
	samples  []solved
	broken   *Trial          // of the first sample that the solution fails
	life     context.Context // of the processes that stay from input to input

	looked, evaluated  atomic.Int64 // inputs
	answering, solving clock

	mu    sync.Mutex
	spare []*bench
}

// solved is a sample with the output that was accepted.
type solved struct {
	name         string
	in, ans, out []byte
}

// Trial is one run of the solution on one input.
type Trial struct {
	Input   []byte
	Invalid string        // what the validator says; then the solution did not run
	Verdict judge.Verdict // Accepted, or how it fails
	Exec    judge.Exec
	Message string
	Place   *judge.Place
	Output  []byte
	Answer  []byte // of the reference solution; nil if it was not asked
	Stderr  []byte
	// Dialogue is what the solution and the interactor said; see judge.CaseJudged.
	Dialogue string
	Line     string // the generator line that made the input; empty if there is none
	Seed     string // that the line was given
	Origin   string // where the input comes from, as text
}

// Fails reports whether the solution fails on a valid input.
func (t *Trial) Fails() bool { return t.Invalid == "" && t.Verdict != judge.Accepted }

// Same reports whether two trials fail in the same way: with the same verdict, and
// where the program ended by itself, with the same exit code or signal.
func (t *Trial) Same(o *Trial) bool {
	if !t.Fails() || !o.Fails() || t.Verdict != o.Verdict {
		return false
	}
	return t.Verdict != judge.RunTimeError || t.Exec.Exit == o.Exec.Exit && t.Exec.Signal == o.Exec.Signal
}

// Event returns the trial as a case that was judged, for the reports.
func (t *Trial) Event(group, name string) *judge.CaseJudged {
	e := &judge.CaseJudged{
		Group: group, Case: name, Verdict: t.Verdict, Exec: t.Exec,
		Message: strings.ToValidUTF8(t.Message, "\uFFFD"), Line: t.Line, Dialogue: t.Dialogue,
	}
	if t.Fails() {
		e.Stderr = strings.ToValidUTF8(string(t.Stderr), "\uFFFD")
		e.Detail = window.Detail(section(t.Input), section(t.Answer), section(t.Output), t.Place)
	}
	return e
}

// Open builds what the problem has, and runs the solution on the samples. Close the
// Lab before ctx ends, or with it. A problem whose cases need answers and that has no
// reference is a *judge.Fault.
func Open(ctx context.Context, s Setting) (*Lab, error) {
	l := &Lab{Setting: s, life: ctx}
	if s.Folder.Reference == nil && !s.Folder.Unanswered() {
		return nil, s.Folder.Fault("reference", "without a reference no correct output is known", `add: [reference] program = "reference"`)
	}
	var err error
	if l.grammar, err = s.Folder.Format(); err != nil {
		return nil, err
	}
	if s.Derived && l.grammar == nil {
		return nil, &judge.Fault{
			File: s.Folder.Dir, Text: "the problem does not declare its input format",
			Hint: "declare it in " + filepath.Join(s.Folder.Dir, problem.FormatFile),
		}
	}
	if l.programs, err = gen.Build(ctx, s.Crew, s.Folder); err != nil {
		return nil, err
	}
	part := s.Folder.Checker.Program
	l.stateful = part != nil && part.Speaks == "kit"
	if err := l.solveSamples(ctx); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Close ends what the lab started.
func (l *Lab) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var errs []error
	for _, b := range l.spare {
		errs = append(errs, b.close())
	}
	l.spare = nil
	return errors.Join(errs...)
}

// Notes returns what weakens the search, for people.
func (l *Lab) Notes() (notes []string) {
	if l.programs.Validator == nil && l.grammar == nil {
		notes = append(
			notes,
			"the problem has no validator: inputs are taken as they come from the generator, and what is made smaller may not be valid",
		)
	}
	if l.programs.Generator == nil && l.grammar == nil {
		notes = append(notes, "the problem has no generator: inputs are made from its cases")
	}
	return notes
}

// solveSamples runs the solution on the samples in judging order. Those that it
// solves are what the checker sees before each input.
func (l *Lab) solveSamples(ctx context.Context) error {
	b, err := l.take()
	if err != nil {
		return err
	}
	defer l.give(b)
	for _, g := range l.Folder.Groups {
		for i := range g.Cases {
			c := &g.Cases[i]
			if c.Group != problem.Sample || c.Line != "" {
				continue
			}
			input, err := os.ReadFile(c.In)
			if err != nil {
				return fmt.Errorf("read case %s: %w", c.ID(), err)
			}
			var answer []byte
			if c.Ans != "" {
				answer, err = os.ReadFile(c.Ans)
			}
			if err != nil {
				return l.Folder.CaseFault(c, fmt.Sprintf("case %s has no answer that can be read", c.ID()), "run: judge generate "+l.Folder.ID)
			}
			t, err := b.run(ctx, c.ID(), input, answer)
			if err != nil {
				return err
			}
			switch {
			case !t.Fails():
				l.samples = append(l.samples, solved{c.ID(), input, answer, t.Output})
			case l.broken == nil:
				l.broken, t.Origin = t, "it is the case "+c.ID()
			}
		}
	}
	return nil
}

// Try runs the solution on one input.
func (l *Lab) Try(ctx context.Context, name string, input []byte) (*Trial, error) {
	b, err := l.take()
	if err != nil {
		return nil, err
	}
	defer l.give(b)
	return b.try(ctx, name, input)
}

// take returns a bench that is not in use.
func (l *Lab) take() (*bench, error) {
	l.mu.Lock()
	if n := len(l.spare); n > 0 {
		b := l.spare[n-1]
		l.spare = l.spare[:n-1]
		l.mu.Unlock()
		return b, nil
	}
	l.mu.Unlock()
	g, v, err := l.programs.Open(l.life, l.Runner, l.Folder, l.Limits)
	return &bench{lab: l, generator: g, validator: v, limits: l.Folder.Limits}, err
}

func (l *Lab) give(b *bench) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spare = append(l.spare, b)
}

// bench is what one goroutine needs to try inputs.
type bench struct {
	lab       *Lab
	validator gen.Validator // nil for none
	generator gen.Generator // nil for none
	scout     check.Checker // nil until it is needed
	stage     *stage        // nil until it is needed, and if nothing is staged
	limits    judge.Limits  // of the solution
	stale     bool          // the scout remembers, and has seen more than the samples
}

func (b *bench) close() error {
	errs := []error{b.stage.close()}
	if b.validator != nil {
		errs = append(errs, b.validator.Close())
	}
	if b.generator != nil {
		errs = append(errs, b.generator.Close())
	}
	if b.scout != nil {
		errs = append(errs, b.scout.Close())
	}
	return errors.Join(errs...)
}

// try validates an input and runs the solution on it.
func (b *bench) try(ctx context.Context, name string, input []byte) (*Trial, error) {
	invalid, err := b.validate(ctx, name, input)
	if err != nil || invalid != "" {
		return &Trial{Input: input, Invalid: invalid}, err
	}
	return b.run(ctx, name, input, nil)
}

// validate returns what is wrong with an input, "" if nothing is.
func (b *bench) validate(ctx context.Context, name string, input []byte) (string, error) {
	if text, _ := gen.Flaw(input); text != "" || b.validator == nil {
		return text, nil
	}
	invalid, err := b.validator.Validate(ctx, name, input)
	return invalid, b.lab.blame(err, b.lab.Folder.Validator, input)
}

// A program that ran into its wall limit after a starved-th of its CPU limit was kept
// from running by a busy machine, and runs again with a limit longer by the factor longer.
const (
	starved = 10
	longer  = 4
)

// run runs the solution on a valid input, and the reference solution if there is no answer
// yet.
func (b *bench) run(ctx context.Context, name string, input, answer []byte) (t *Trial, err error) {
	staged := b.lab.staged()
	if staged && answer == nil { // it is judged as it runs
		if answer, err = b.lab.Answer(ctx, input); err != nil {
			return nil, err
		}
	}
	try := func(limits judge.Limits) (*Trial, error) {
		defer b.lab.solving.start()()
		if staged {
			return b.perform(ctx, limits, name, input, answer)
		}
		return b.lab.execute(ctx, limits, input)
	}
	t, err = try(b.limits)
	if err == nil && t.Verdict == judge.IdlenessLimit && t.Exec.CPU > b.limits.CPU/starved {
		limits := b.limits
		limits.Wall *= longer
		t, err = try(limits)
	}
	if err != nil || t.Verdict != judge.NotJudged {
		return t, err
	}
	if t.Answer = answer; answer == nil {
		if t.Answer, err = b.lab.Answer(ctx, input); err != nil {
			return nil, err
		}
	}
	return t, b.check(ctx, name, t)
}

// execute runs the solution, and judges how it ended.
func (l *Lab) execute(ctx context.Context, limits judge.Limits, input []byte) (*Trial, error) {
	var out bytes.Buffer
	var stderr tail.Buffer
	cmd := l.Solution.Command(limits)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &stderr
	x, err := l.Runner.Run(ctx, cmd)
	if broken, ok := errors.AsType[*judge.ExecError](err); ok {
		x, err = judge.Exec{Exit: 127}, nil
		fmt.Fprintln(&stderr, broken.Error())
	}
	if err != nil {
		return nil, err
	}
	t := &Trial{Input: input, Exec: x, Output: out.Bytes(), Stderr: stderr.Bytes(), Verdict: judge.Classify(x, limits)}
	if t.Verdict != judge.NotJudged {
		t.Message = x.Fate()
	}
	return t, nil
}

// Answer has the reference solution answer a valid input. Where cases need no answers, there is
// none.
func (l *Lab) Answer(ctx context.Context, input []byte) ([]byte, error) {
	if l.Folder.Unanswered() {
		return nil, nil
	}
	defer l.answering.start()()
	answer, err := gen.Answer(ctx, l.Runner, l.programs.Reference, l.Folder.Reference, l.Folder.Limits, bytes.NewReader(input))
	return answer, l.blame(err, l.Folder.Reference, input)
}

// Complete asks the reference solution for the answer to a trial, if it was not asked.
func (l *Lab) Complete(ctx context.Context, t *Trial) (err error) {
	if t.Answer == nil {
		t.Answer, err = l.Answer(ctx, t.Input)
	}
	return err
}

// check judges an output.
func (b *bench) check(ctx context.Context, name string, t *Trial) (err error) {
	if !b.lab.stateful && bytes.Equal(t.Output, t.Answer) {
		t.Verdict = judge.Accepted
		return nil
	}
	outcome, err := b.judge(ctx, name, t)
	if err != nil {
		return err
	}
	if outcome.Verdict == judge.JudgeError {
		return b.lab.blame(&judge.Fault{Text: outcome.Message}, nil, t.Input)
	}
	t.Verdict, t.Message, t.Place = outcome.Verdict, outcome.Message, outcome.Place
	return nil
}

// briefed makes a checker that has seen the samples.
func (l *Lab) briefed(ctx context.Context) (check.Checker, error) {
	checker, err := l.Crew.Checker(ctx)
	if err != nil || !l.stateful {
		return checker, err
	}
	for _, s := range l.samples {
		if _, err := checker.Check(ctx, check.Request{Case: s.name, In: section(s.in), Ans: section(s.ans), Out: section(s.out)}); err != nil {
			return nil, errors.Join(err, checker.Close())
		}
	}
	return checker, nil
}

// judge asks the checker. One that remembers may be at odds with an input that was
// tried before: then one that has seen the samples and nothing else decides.
func (b *bench) judge(ctx context.Context, name string, t *Trial) (judge.Outcome, error) {
	for {
		if b.scout == nil {
			var err error
			if b.scout, err = b.lab.briefed(ctx); err != nil {
				return judge.Outcome{}, err
			}
			b.stale = false
		}
		outcome, err := b.scout.Check(ctx, check.Request{Case: name, In: section(t.Input), Ans: section(t.Answer), Out: section(t.Output)})
		if err == nil && (outcome.Verdict == judge.Accepted || !b.stale) {
			b.stale = b.lab.stateful
			return outcome, nil
		}
		err = errors.Join(err, b.scout.Close())
		if b.scout = nil; err != nil {
			return judge.Outcome{}, err
		}
	}
}

// repeats reports whether the trial fails in the same way once more.
func (b *bench) repeats(ctx context.Context, t *Trial) (bool, error) {
	again, err := b.run(ctx, "again", t.Input, t.Answer)
	return err == nil && again.Same(t), err
}

// blame gives a fault of a setter's program its place, and the input that caused
// it.
func (l *Lab) blame(err error, part *judge.Part, input []byte) error {
	f, ok := errors.AsType[*judge.Fault](err)
	if !ok || f.File != "" {
		return err
	}
	placed := *f
	placed.File = l.Folder.Dir
	if part != nil {
		placed.File = part.Path
	}
	const most = 400
	shown := strings.ToValidUTF8(string(input[:min(len(input), most)]), "\uFFFD")
	if len(input) > most {
		shown += fmt.Sprintf("... (%d bytes)", len(input))
	}
	placed.Hint = strings.TrimSpace(f.Hint + "\nthe input was:\n" + shown)
	return &placed
}

func section(text []byte) *io.SectionReader {
	return io.NewSectionReader(bytes.NewReader(text), 0, int64(len(text)))
}

// errOver ends what still runs when the time of a search is over.
var errOver = errors.New("the time is over")

// within makes a context that ends after a budget of time; 0 means no bound.
func within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, d, errOver)
}

// over reports whether ctx has ended because the time is over.
func over(ctx context.Context) bool { return context.Cause(ctx) == errOver }
