package mutate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/types"
	"math/bits"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"assay/judge"
	"assay/judge/problem"
	"assay/judge/running/check"
	"assay/judge/running/config"
	"assay/judge/running/lang"
)

// Setting contains what is needed to judge mutants.
type Setting struct {
	Directory *problem.Directory
	Runner    judge.Runner
	// Language returns the language of a program.
	Language func(path string) (*config.Language, error)
	// Build builds a directory of sources. If setters is set, it builds the reference solution.
	Build    func(ctx context.Context, dir string, l *config.Language, setters bool, extra lang.BuildOptions) (*lang.Result, error)
	Programs *check.SetterPrograms // makes checkers
	// Solutions lists the paths of accepted programs to mutate in addition to the reference solution.
	Solutions []string
	Tools     Toolchain
	Jobs      int
	// Thorough runs mutants on all cases. If it is false and a mutant has survived many steps, the mutant is not
	// run on the slowest cases until an input is found that kills it.
	Thorough bool
	// Journal is the file that stores the result of each mutant, so that an interrupted measurement can be
	// resumed. If empty, results are not stored.
	Journal string
	// Progress, if not nil, is called with the number of judged mutants. It may be called from several
	// goroutines.
	Progress func(done, of int)
}

// Runner judges mutants.
type Runner struct {
	Setting
	Subjects []*Subject // the first is the reference solution, if it is mutated
	Notes    []string   // describe what is omitted, and why

	cases    []solvedCase // the outputs are the reference solution's answers
	samples  int          // number of samples, which come first
	stateful bool         // the checker may keep state across cases
}

// Subject is a correct program, with its mutants ready to be run.
type Subject struct {
	*Source
	programs []*judge.Program // each contains the original program and some mutants
	batch    map[int]int      // maps mutants to indices in programs; nil if there is one program
	traces   []*trace         // runs of the original program, by case
	order    []uint32         // cases, by increasing number of steps
	stack    uint32           // stack size of a mutant, in MiB; for a family, its memory
}

// The states of a mutant; see package judge.
const (
	Killed      = judge.MutantKilled
	Survived    = judge.MutantSurvived
	Equivalent  = judge.MutantEquivalent
	Unseparated = judge.MutantUnseparated
	Unreached   = judge.MutantUnreached
)

// Result is the result for one mutant.
type Result struct {
	*Mutant
	Subject      *Subject
	State        judge.MutantState
	How          string        // "wrong answer", "crash", "too many steps", "exit code", "worker lost"
	Case         string        // id of the case that killed it
	Killers      []string      // ids of cases that kill it, as far as FindKillers found them
	Reason       string        // of a mark
	FailingInput *FailingInput // an input that kills it, if no case does

	outs   map[int][]byte // differing outputs that are correct, by case
	spared []uint32       // cases with many steps that were skipped
}

// Open reads the cases and the programs and builds the mutants. If a case lacks files, it returns a *judge.ProblemError.
func Open(ctx context.Context, s Setting) (*Runner, error) {
	l := &Runner{Setting: s}
	l.Tools.known = map[string]*types.Package{}
	if s.Directory.Reference == nil {
		return nil, s.Directory.Fault(
			"reference", "without a reference no correct output is known",
			`add: [reference] program = "reference"`,
		)
	}
	part := s.Directory.Checker.Program
	l.stateful = part != nil && part.Protocol == "kit"
	if err := l.read(); err != nil {
		return nil, err
	}
	if err := l.addSubject(ctx, s.Directory.Reference.Path, s.Directory.Reference.Args); err != nil {
		return nil, err
	}
	for _, path := range s.Solutions {
		if err := l.addSubject(ctx, path, nil); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// read reads the cases.
func (l *Runner) read() error {
	if fault := l.Directory.NotGenerated(l.Directory.Ungenerated()); fault != nil {
		return fault
	}
	for _, g := range l.Directory.Groups {
		for i := range g.Cases {
			c := &g.Cases[i]
			in, err := os.ReadFile(c.In)
			ans, err2 := os.ReadFile(c.Ans)
			if err := errors.Join(err, err2); err != nil {
				return l.Directory.CaseFault(c, fmt.Sprintf("files of case %s are missing", c.ID()), "run: judge generate "+l.Directory.ID)
			}
			l.cases = append(l.cases, solvedCase{c.ID(), in, ans, ans})
			if c.Group == problem.Sample && l.samples == len(l.cases)-1 {
				l.samples++
			}
		}
	}
	if len(l.cases) == 0 {
		return &judge.ProblemError{
			File: l.Directory.Dir, Text: "there are no cases to measure",
			Hint: "add generator lines, and run: judge generate " + l.Directory.ID,
		}
	}
	return nil
}

// addSubject adds a program to the lab's subjects. If the program cannot be mutated, subject adds a note with the
// reason instead.
func (l *Runner) addSubject(ctx context.Context, path string, args []string) error {
	s, err := l.newSubject(ctx, path, args)
	if unmutable, ok := errors.AsType[*UnmutableError](err); ok {
		l.Notes = append(l.Notes, "not mutated: "+unmutable.Error())
		return nil
	}
	if missing, ok := errors.AsType[*lang.MissingError](err); ok {
		l.Notes = append(l.Notes, fmt.Sprintf("not mutated: %s: %s", path, missing))
		return nil
	}
	if err != nil {
		return err
	}
	for _, note := range s.Notes {
		l.Notes = append(l.Notes, path+": "+note)
	}
	l.Subjects = append(l.Subjects, s)
	return nil
}

// newSubject generates the mutants of a program, after running the original program on all cases. If the program cannot
// be mutated, made returns an *UnmutableError.
func (l *Runner) newSubject(ctx context.Context, path string, args []string) (*Subject, error) {
	language, err := l.Language(path)
	if err != nil {
		return nil, err
	}
	family, err := familyOf(language.ID)
	if err != nil {
		return nil, err
	}
	if family != nil {
		return l.newTokenSubject(ctx, path, args, language, family)
	}
	if language.ID != goLanguage {
		return nil, &UnmutableError{path, "no mutants are made of programs in " + language.Name}
	}
	if l.Tools.Goroot == "" {
		return nil, &UnmutableError{path, "this machine does not have the Go distribution: apt-get install golang-go"}
	}
	source, err := Read(path, l.Tools)
	if err != nil {
		return nil, err
	}
	program, log, err := l.compile(ctx, source.Schemata(), language, l.isReference(path), lang.BuildOptions{})
	if err != nil {
		return nil, err
	}
	if program == nil {
		return nil, &UnmutableError{path, "its mutants do not compile: " + log}
	}
	s := &Subject{Source: source, programs: []*judge.Program{l.withArguments(program, path, args)}, stack: smallStack}
	wrong, err := l.trace(ctx, s)
	if err == nil && wrong != "" {
		s.stack = largeStack
		wrong, err = l.trace(ctx, s)
	}
	if err == nil && wrong != "" {
		err = &UnmutableError{path, wrong}
	}
	return s, err
}

// newTokenSubject does the work of made for a program of a family.
func (l *Runner) newTokenSubject(
	ctx context.Context, path string, args []string, language *config.Language, family *Family,
) (*Subject, error) {
	source, err := readTokens(path, language, family)
	if err != nil {
		return nil, err
	}
	p := &packer{Runner: l, s: source, setters: l.isReference(path)}
	program, log, err := p.build(ctx, nil)
	if err != nil {
		return nil, err
	}
	if program == nil {
		first, _, _ := strings.Cut(log, "\n")
		return nil, &UnmutableError{path, "it does not compile as a part of what runs its mutants: " + first}
	}
	alone := &Subject{Source: source, programs: []*judge.Program{l.withArguments(program, path, args)}, stack: l.memory()}
	wrong, err := l.trace(ctx, alone)
	if err == nil && wrong != "" {
		err = &UnmutableError{path, wrong}
	}
	if err == nil {
		err = p.buildAll(ctx)
	}
	if err == nil && family.Table {
		err = p.requestFingerprints(ctx, args)
	}
	if err != nil {
		return nil, err
	}
	s, note := p.dropEqual()
	for _, program := range s.programs {
		l.withArguments(program, path, args)
	}
	if len(s.programs) == 0 {
		s.programs = alone.programs
	}
	s.traces, s.order, s.stack = alone.traces, alone.order, alone.stack
	source.Notes = append(source.Notes, note)
	return s, nil
}

func (l *Runner) isReference(path string) bool { return path == l.Directory.Reference.Path }

// withArguments sets the name of a program and appends its arguments.
func (l *Runner) withArguments(program *judge.Program, path string, args []string) *judge.Program {
	program.Name, program.Argv = path, append(slices.Clone(program.Argv), args...)
	return program
}

// memory returns the memory in MiB for a program that runs in a separate process.
func (l *Runner) memory() uint32 { return uint32(max(l.Directory.Limits.Memory, 256<<20) >> 20) }

// trace runs an original program on all cases. If the program is not correct, it returns a description of the
// error.
func (l *Runner) trace(ctx context.Context, s *Subject) (string, error) {
	s.traces, s.order = nil, nil
	w := l.newWorkerSet(ctx, s)
	defer w.close()
	for i := range l.cases {
		t, err := w.load(uint32(i))
		if err != nil {
			return "", err
		}
		if t.end != otherOutput {
			return fmt.Sprintf("it ends badly on case %s (%s)", l.cases[i].id, t.description()), nil
		}
		s.traces = append(s.traces, t)
		s.order = append(s.order, uint32(i))
	}
	slices.SortStableFunc(s.order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(s.weight(a), s.weight(b)), cmp.Compare(len(l.cases[a].in), len(l.cases[b].in)))
	})
	first := s.order[0]
	again, err := w.load(first)
	if err != nil {
		return "", err
	}
	if !bytes.Equal(again.out, s.traces[first].out) {
		return fmt.Sprintf("it prints something else when it runs again, on case %s", l.cases[first].id), nil
	}
	if s.family == nil {
		return l.checkOutputs(ctx, s)
	}
	slots, _ := s.splitSpared(s.order)
	if at, ran, err := w.findKill(&Mutant{}, slots); err != nil || at < len(slots) {
		return fmt.Sprintf(
			"it does something else when it runs again in the same process, on case %s (%s)",
			l.cases[slots[min(at, len(slots)-1)]].id, ran.description(),
		), err
	}
	return l.checkOutputs(ctx, s)
}

// checkOutputs checks whether a program's outputs are correct if they are judged as one submission. It returns "" if they
// are, and otherwise a description of the error.
func (l *Runner) checkOutputs(ctx context.Context, s *Subject) (string, error) {
	own := s.outputs(l.cases)
	if !slices.ContainsFunc(own, func(c solvedCase) bool { return !bytes.Equal(c.out, c.ans) }) {
		return "", nil
	}
	d := l.newOutputJudge(s)
	defer d.close()
	at, message, err := d.judgeSubmission(ctx, own, nil)
	if err != nil {
		return "", l.blame(err)
	}
	if at >= 0 {
		return fmt.Sprintf("it is not right on case %s: %s", own[at].id, message), nil
	}
	return "", nil
}

// newWorkerSet returns a bench for the mutants of a program.
func (l *Runner) newWorkerSet(ctx context.Context, s *Subject) *workerSet {
	b := &workerSet{batch: s.batch}
	for _, program := range s.programs {
		w := newWorker(ctx, l.Runner, program, s.blocks, l.Directory.Limits)
		w.stack = s.stack
		if s.family != nil {
			w.base = timeBase
			w.limits.Memory += familyMemory
			w.limits.Processes = max(w.limits.Processes, 128)
		}
		b.workers = append(b.workers, w)
	}
	for i := range l.cases {
		b.set(uint32(i), l.cases[i].in)
	}
	return b
}

func (l *Runner) newOutputJudge(s *Subject) *outputJudge {
	return &outputJudge{new: l.Programs.Checker, stateful: l.stateful, samples: s.outputs(l.cases[:l.samples])}
}

// blame sets the position of a fault of the checker.
func (l *Runner) blame(err error) error {
	if f, ok := errors.AsType[*judge.ProblemError](err); ok && f.File == "" {
		placed := *f
		placed.File = l.Directory.Dir
		return &placed
	}
	return err
}

// forEachIndex calls do for the n indices, with one worker per job.
func (l *Runner) forEachIndex(
	ctx context.Context, s *Subject, n int, do func(ctx context.Context, w *workerSet, d *outputJudge, i int) error,
	onDone func(done int),
) error {
	var mu sync.Mutex
	next, done := 0, 0
	group, ctx := errgroup.WithContext(ctx)
	for range min(max(l.Jobs, 1), n) {
		group.Go(func() error {
			w := l.newWorkerSet(ctx, s)
			defer w.close()
			d := l.newOutputJudge(s)
			defer d.close()
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= n {
					return nil
				}
				if err := context.Cause(ctx); err != nil {
					return err
				}
				if err := do(ctx, w, d, i); err != nil {
					return l.blame(err)
				}
				mu.Lock()
				done++
				onDone(done)
				mu.Unlock()
			}
		})
	}
	return group.Wait()
}

// judgeMutant judges one mutant.
func (l *Runner) judgeMutant(ctx context.Context, s *Subject, w *workerSet, d *outputJudge, m *Mutant) (*Result, error) {
	r := &Result{Mutant: m, Subject: s, State: Unseparated, outs: map[int][]byte{}}
	slots := s.reaching(m)
	if !l.Thorough {
		slots, r.spared = s.splitSpared(slots)
	}
	if len(slots) == 0 {
		r.State = Unreached
		return r, nil
	}
	wrong := func(c *solvedCase, out []byte) (bool, error) {
		wrong, _, err := d.wrong(ctx, c, out)
		return wrong, err
	}
	if l.stateful {
		// A checker with state has seen the correct outputs for the samples. If the mutant's outputs for the
		// samples differ from these, each other output is judged alone, and then all outputs of the mutant
		// together.
		alone := func(c *solvedCase, out []byte) (bool, error) { return d.wrongAlone(ctx, c, out) }
		samples, others := l.split(slots)
		if err := r.findKill(w, l, samples, alone); err != nil || r.State == Killed {
			return r, err
		}
		if slots = others; len(r.outs) > 0 {
			wrong = alone
		}
	}
	if err := r.findKill(w, l, slots, wrong); err != nil || r.State == Killed {
		return r, err
	}
	if l.stateful && len(r.outs) > 0 {
		at, _, err := d.judgeSubmission(ctx, s.outputs(l.cases), r.outs)
		if err != nil {
			return nil, err
		}
		if at >= 0 {
			r.State, r.How, r.Case = Killed, run{end: otherOutput}.description(), l.cases[at].id
		}
	}
	return r, nil
}

// findKill runs the mutant on cases until one kills it. It records differing outputs that are correct.
func (r *Result) findKill(w *workerSet, l *Runner, slots []uint32, wrong func(c *solvedCase, out []byte) (bool, error)) error {
	for len(slots) > 0 {
		at, ran, err := w.findKill(r.Mutant, slots)
		if err != nil || at == len(slots) {
			return err
		}
		c, kills := &l.cases[slots[at]], true
		if ran.end == otherOutput {
			if kills, err = wrong(c, ran.out); err != nil {
				return err
			}
		}
		if kills {
			r.State, r.How, r.Case = Killed, ran.description(), c.id
			return nil
		}
		r.outs[int(slots[at])] = ran.out
		slots = slots[at+1:]
	}
	return nil
}

// split separates the samples from the other cases.
func (l *Runner) split(slots []uint32) (samples, others []uint32) {
	for _, i := range slots {
		if int(i) < l.samples {
			samples = append(samples, i)
		} else {
			others = append(others, i)
		}
	}
	return samples, others
}

// reaching lists the cases on which the program executes the mutant's block, by increasing number of steps. On all
// other cases, the mutant behaves like the original.
func (s *Subject) reaching(m *Mutant) (slots []uint32) {
	for _, i := range s.order {
		if s.traces[i].cover[m.block] {
			slots = append(slots, i)
		}
	}
	return slots
}

// enoughSteps is the number of steps of the original program after which a mutant is not run on further cases.
const enoughSteps = 3_000_000

// weight returns the number of steps of a case. For a family, steps measure time. Because time varies, only its
// order of magnitude is used.
func (s *Subject) weight(slot uint32) int64 {
	steps := s.traces[slot].steps
	if s.family != nil {
		const millisecond = 10_000
		return int64(bits.Len64(uint64(steps / millisecond)))
	}
	return steps
}

// splitSpared splits slots into the cases on which a mutant is run and the spared cases. The first case is always run.
func (s *Subject) splitSpared(slots []uint32) (run, spared []uint32) {
	var steps int64
	for i, slot := range slots {
		if steps += s.traces[slot].steps; steps > enoughSteps && i > 0 {
			return slots[:i], slots[i:]
		}
	}
	return slots, nil
}

// outputs returns the cases with the program's own outputs.
func (s *Subject) outputs(cases []solvedCase) []solvedCase {
	own := slices.Clone(cases)
	for i := range own {
		own[i].out = s.traces[i].out
	}
	return own
}

// description describes the end of a run.
func (r run) description() string {
	switch r.end {
	case otherOutput:
		return "wrong answer"
	case crashed:
		return "crash"
	case tooManySteps:
		return "too many steps"
	case nonzeroExit:
		return "exit code"
	case workerExited:
		return "worker lost"
	}
	return "the same"
}
