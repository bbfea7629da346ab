// Package stress looks for a valid input on which a solution fails, and shrinks the input.
//
//	generator lines with fresh seeds --+
//	lines with other arguments --------+--> validator --> solution --> reference, checker --> the first that fails
//	cases with words and lines changed +                                                  \-> package shrink
//	the declared input format ---------+
//
// If a program talks to an interactor or runs more than once, the steps after the validator are those of judging
// (see staged.go). Input i depends only on the seed, i and the problem directory. Small inputs come first, and the
// failing input with the lowest number wins. So a seed gives the same result for any number of jobs. A failing
// input is shrunk in several ways, and each starts from the previous result (see way).
//
// A checker may keep state across the cases of a submission. Here each input is a separate submission, which
// consists of the samples that the solution solves and the input. So a failure that requires two inputs other than
// samples is not found.
//
// The package does not measure the quality of test data, and prints nothing.
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

// A Setting contains the problem, the solution, and the tools of a search.
type Setting struct {
	Directory *problem.Directory
	Runner    judge.Runner
	// Programs builds the setter's programs, and makes checkers.
	Programs *check.SetterPrograms
	Solution *judge.Program
	// Stage returns a bench that judges the solution with the given limits. It is needed only for problems whose
	// solutions talk to an interactor or run more than once.
	Stage func(ctx context.Context, limits judge.Limits) (trial.Executor, error)
	// Literals lists constants in the source of the programs; see gen.Literals.
	Literals []int64
	// FromFormat means that all inputs are drawn from the declared input format.
	FromFormat bool
	Limits     judge.Limits // limits of the generator and the validator, for each case
	Jobs       int
}

// A Tester tries inputs. It holds the problem's built programs, and runs as many processes of each as there are jobs.
type Tester struct {
	Setting
	programs     gen.Programs
	grammar      *format.Grammar // nil if the problem declares no format
	stateful     bool            // the checker may keep state
	samples      []solvedSample
	failedSample *Trial          // trial of the first sample on which the solution fails
	processCtx   context.Context // context of processes that are used for several inputs

	tried, evaluated   atomic.Int64 // inputs
	answering, solving runTimer

	mu   sync.Mutex
	idle []*worker
}

// A solvedSample is a sample with an accepted output.
type solvedSample struct {
	name         string
	in, ans, out []byte
}

// A Trial is one run of the solution on one input.
type Trial struct {
	Input    []byte
	Invalid  string        // message of the validator; if not empty, the solution was not run
	Verdict  judge.Verdict // Accepted, or the kind of failure
	Exec     judge.Exec
	Message  string
	Position *judge.Position
	Output   []byte
	Answer   []byte // answer of the reference solution; nil if it was not run
	Stderr   []byte
	// Dialogue records the communication of the solution and the interactor; see judge.CaseJudged.
	Dialogue string
	Line     string // generator line that made the input; empty if there is none
	Seed     string // of the line
	Origin   string // describes where the input comes from, for reports
}

// Fails reports whether the solution fails on a valid input.
func (t *Trial) Fails() bool { return t.Invalid == "" && t.Verdict != judge.Accepted }

// FailsLike reports whether two trials fail in the same way. They must have the same verdict and, if the program exited
// by itself, the same exit code or signal.
func (t *Trial) FailsLike(o *Trial) bool {
	if !t.Fails() || !o.Fails() || t.Verdict != o.Verdict {
		return false
	}
	return t.Verdict != judge.RunTimeError || t.Exec.Exit == o.Exec.Exit && t.Exec.Signal == o.Exec.Signal
}

// Event returns the trial as a judged case, for reports.
func (t *Trial) Event(group, name string) *judge.CaseJudged {
	e := &judge.CaseJudged{
		Group: group, Case: name, Verdict: t.Verdict, Exec: t.Exec,
		Message: strings.ToValidUTF8(t.Message, "\uFFFD"), Line: t.Line, Dialogue: t.Dialogue,
	}
	if t.Fails() {
		e.Stderr = strings.ToValidUTF8(string(t.Stderr), "\uFFFD")
		e.Detail = window.Detail(section(t.Input), section(t.Answer), section(t.Output), t.Position)
	}
	return e
}

// Open builds the problem's programs, and runs the solution on the samples. The caller must close the Tester no later
// than when ctx is done. If cases need answers and the problem has no reference solution, Open returns a
// *judge.ProblemError.
func Open(ctx context.Context, s Setting) (*Tester, error) {
	l := &Tester{Setting: s, processCtx: ctx}
	if s.Directory.Reference == nil && !s.Directory.LacksAnswers() {
		return nil, s.Directory.Fault(
			"reference", "without a reference no correct output is known",
			`add: [reference] program = "reference"`,
		)
	}
	var err error
	if l.grammar, err = s.Directory.Format(); err != nil {
		return nil, err
	}
	if s.FromFormat && l.grammar == nil {
		return nil, &judge.ProblemError{
			File: s.Directory.Dir, Text: "the problem does not declare its input format",
			Hint: "declare it in " + filepath.Join(s.Directory.Dir, problem.FormatFile),
		}
	}
	if l.programs, err = gen.Build(ctx, s.Programs, s.Directory); err != nil {
		return nil, err
	}
	part := s.Directory.Checker.Program
	l.stateful = part != nil && part.Protocol == "kit"
	if err := l.solveSamples(ctx); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Close kills all processes of the lab.
func (l *Tester) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var errs []error
	for _, b := range l.idle {
		errs = append(errs, b.close())
	}
	l.idle = nil
	return errors.Join(errs...)
}

// Notes returns messages for the setter about shortcomings that make the search less effective.
func (l *Tester) Notes() (notes []string) {
	if l.programs.Validator == nil && l.grammar == nil {
		notes = append(
			notes,
			"the problem has no validator: inputs of the generator are not checked, and smaller inputs may not be valid",
		)
	}
	if l.programs.Generator == nil && l.grammar == nil {
		notes = append(notes, "the problem has no generator: inputs are made from its cases")
	}
	return notes
}

// solveSamples runs the solution on the samples in judging order. The checker will see the solved samples before
// each input.
func (l *Tester) solveSamples(ctx context.Context) error {
	b, err := l.acquire()
	if err != nil {
		return err
	}
	defer l.release(b)
	for _, g := range l.Directory.Groups {
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
				return l.Directory.CaseFault(
					c, fmt.Sprintf("case %s has no answer that can be read", c.ID()),
					"run: judge generate "+l.Directory.ID,
				)
			}
			t, err := b.run(ctx, c.ID(), input, answer)
			if err != nil {
				return err
			}
			switch {
			case !t.Fails():
				l.samples = append(l.samples, solvedSample{c.ID(), input, answer, t.Output})
			case l.failedSample == nil:
				l.failedSample, t.Origin = t, "it is the case "+c.ID()
			}
		}
	}
	return nil
}

// Try runs the solution on one input.
func (l *Tester) Try(ctx context.Context, name string, input []byte) (*Trial, error) {
	b, err := l.acquire()
	if err != nil {
		return nil, err
	}
	defer l.release(b)
	return b.try(ctx, name, input)
}

// acquire returns an unused bench.
func (l *Tester) acquire() (*worker, error) {
	l.mu.Lock()
	if n := len(l.idle); n > 0 {
		b := l.idle[n-1]
		l.idle = l.idle[:n-1]
		l.mu.Unlock()
		return b, nil
	}
	l.mu.Unlock()
	g, v, err := l.programs.Open(l.processCtx, l.Runner, l.Directory, l.Limits)
	return &worker{tester: l, generator: g, validator: v, limits: l.Directory.Limits}, err
}

func (l *Tester) release(b *worker) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.idle = append(l.idle, b)
}

// A worker holds what one goroutine needs to try inputs.
type worker struct {
	tester      *Tester
	validator   gen.Validator // may be nil
	generator   gen.Generator // may be nil
	checker     check.Checker // created when first needed; nil until then
	stage       *stage        // created when first needed; nil until then; see staged
	limits      judge.Limits  // limits of the solution
	checkerUsed bool          // whether the scout keeps state and has seen more than the samples
}

func (b *worker) close() error {
	errs := []error{b.stage.close()}
	if b.validator != nil {
		errs = append(errs, b.validator.Close())
	}
	if b.generator != nil {
		errs = append(errs, b.generator.Close())
	}
	if b.checker != nil {
		errs = append(errs, b.checker.Close())
	}
	return errors.Join(errs...)
}

// try validates an input and runs the solution on it.
func (b *worker) try(ctx context.Context, name string, input []byte) (*Trial, error) {
	invalid, err := b.validate(ctx, name, input)
	if err != nil || invalid != "" {
		return &Trial{Input: input, Invalid: invalid}, err
	}
	return b.run(ctx, name, input, nil)
}

// validate returns what is wrong with an input, or "" if it is valid.
func (b *worker) validate(ctx context.Context, name string, input []byte) (string, error) {
	if text, _ := gen.EncodingProblem(input); text != "" || b.validator == nil {
		return text, nil
	}
	invalid, err := b.validator.Validate(ctx, name, input)
	return invalid, b.tester.blame(err, b.tester.Directory.Validator, input)
}

// A program may reach its wall time limit because the machine is busy. This is assumed if the program has used
// more than 1/starved of its CPU time limit. It then runs again with its wall time limit multiplied by longer.
const (
	starved = 10
	longer  = 4
)

// run runs the solution on a valid input. If answer is nil, it also runs the reference solution.
func (b *worker) run(ctx context.Context, name string, input, answer []byte) (t *Trial, err error) {
	staged := b.tester.usesStage()
	if staged && answer == nil { // a staged trial needs the answer
		if answer, err = b.tester.Answer(ctx, input); err != nil {
			return nil, err
		}
	}
	try := func(limits judge.Limits) (*Trial, error) {
		defer b.tester.solving.start()()
		if staged {
			return b.runStaged(ctx, limits, name, input, answer)
		}
		return b.tester.execute(ctx, limits, input)
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
		if t.Answer, err = b.tester.Answer(ctx, input); err != nil {
			return nil, err
		}
	}
	return t, b.check(ctx, name, t)
}

// execute runs the solution, and classifies the result of the run.
func (l *Tester) execute(ctx context.Context, limits judge.Limits, input []byte) (*Trial, error) {
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
		t.Message = x.Termination()
	}
	return t, nil
}

// Answer runs the reference solution on a valid input. If cases need no answers, it returns nil, nil.
func (l *Tester) Answer(ctx context.Context, input []byte) ([]byte, error) {
	if l.Directory.LacksAnswers() {
		return nil, nil
	}
	defer l.answering.start()()
	answer, err := gen.RunReference(ctx, l.Runner, l.programs.Reference, l.Directory.Reference, l.Directory.Limits, bytes.NewReader(input))
	return answer, l.blame(err, l.Directory.Reference, input)
}

// Complete runs the reference solution on the input of a trial, unless the trial already has an answer.
func (l *Tester) Complete(ctx context.Context, t *Trial) (err error) {
	if t.Answer == nil {
		t.Answer, err = l.Answer(ctx, t.Input)
	}
	return err
}

// check judges the output of a trial, and sets its verdict.
func (b *worker) check(ctx context.Context, name string, t *Trial) (err error) {
	if !b.tester.stateful && bytes.Equal(t.Output, t.Answer) {
		t.Verdict = judge.Accepted
		return nil
	}
	outcome, err := b.judge(ctx, name, t)
	if err != nil {
		return err
	}
	if outcome.Verdict == judge.JudgeError {
		return b.tester.blame(&judge.ProblemError{Text: outcome.Message}, nil, t.Input)
	}
	t.Verdict, t.Message, t.Position = outcome.Verdict, outcome.Message, outcome.Place
	return nil
}

// newChecker starts a checker. If the checker keeps state, briefed gives it the samples.
func (l *Tester) newChecker(ctx context.Context) (check.Checker, error) {
	checker, err := l.Programs.Checker(ctx)
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

// judge runs the checker. If a checker that keeps state rejects an output, the reason may be an earlier input. In
// that case, a checker that has seen only the samples decides.
func (b *worker) judge(ctx context.Context, name string, t *Trial) (judge.Outcome, error) {
	for {
		if b.checker == nil {
			var err error
			if b.checker, err = b.tester.newChecker(ctx); err != nil {
				return judge.Outcome{}, err
			}
			b.checkerUsed = false
		}
		outcome, err := b.checker.Check(
			ctx, check.Request{Case: name, In: section(t.Input), Ans: section(t.Answer), Out: section(t.Output)},
		)
		if err == nil && (outcome.Verdict == judge.Accepted || !b.checkerUsed) {
			b.checkerUsed = b.tester.stateful
			return outcome, nil
		}
		err = errors.Join(err, b.checker.Close())
		if b.checker = nil; err != nil {
			return judge.Outcome{}, err
		}
	}
}

// repeats runs the solution on the input of t again, and reports whether it fails in the same way as before.
func (b *worker) repeats(ctx context.Context, t *Trial) (bool, error) {
	again, err := b.run(ctx, "again", t.Input, t.Answer)
	return err == nil && again.FailsLike(t), err
}

// blame sets the position of a fault in a setter's program, and adds the input that caused the fault.
func (l *Tester) blame(err error, part *judge.SetterProgram, input []byte) error {
	f, ok := errors.AsType[*judge.ProblemError](err)
	if !ok || f.File != "" {
		return err
	}
	placed := *f
	placed.File = l.Directory.Dir
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

// errTimeUp is the cause of a context whose search time is over.
var errTimeUp = errors.New("the time is over")

// withTimeLimit returns a context that ends after a duration. Zero means no limit.
func withTimeLimit(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, d, errTimeUp)
}

// timeUp reports whether ctx is done because the search time is over.
func timeUp(ctx context.Context) bool { return context.Cause(ctx) == errTimeUp }
