// Package gen generates a problem's test cases from the generator lines in problem.toml. The validator must accept
// each input, and the reference solution answers it. A manifest with hashes ensures that each machine gets the
// same files.
//
//	line --seed--> generator --input--> validator --> reference --answer--> files + manifest
//
// The seed of a line is a hash of the problem's salt and the line. So a case does not change if other lines are
// added, removed or moved. Only changed cases are generated again. The files are installed only after all cases
// have been generated without an error.
//
// The package does not measure the quality of the cases, and does not shrink them.
package gen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"assay/judge"
	"assay/judge/internal/mark"
	"assay/judge/internal/tail"
	"assay/judge/problem"
)

// A CaseGenerator generates the cases of one problem.
type CaseGenerator struct {
	Directory *problem.Directory
	Runner    judge.Runner
	// Builder builds the setter's programs.
	Builder judge.Builder
	// SpareDir returns the directory for cases that are not stored with the problem. Its argument manifest is the
	// content of their manifest. If SpareDir is nil, the cases stay in the problem's directory.
	SpareDir func(f *problem.Directory, manifest []byte) string
	Jobs     int
	// Limits apply to the generator and the validator, for each case.
	Limits judge.Limits
	// SavedDir is the directory where finished cases are saved if Generate is interrupted. If empty, they are lost.
	SavedDir string
	// SecondSolution must agree with the reference solution on every case. If nil, there is no second program.
	SecondSolution *SecondSolution
	// Progress, if not nil, is called with a label such as "cases made", the number done, and the total. It may be
	// called concurrently.
	Progress func(what string, done, of int)
}

// A Summary reports what Generate did.
type Summary struct {
	Generated, Kept, Removed int // cases
	Changed                  int // number of made cases that differ from the stored ones
}

// A task is a case to generate, with its state.
type task struct {
	c            *judge.Case
	seed         string
	staged       string      // path of the files, without the extension
	attempts     int         // number of other seeds given by apart
	repeats      int         // number of consecutive seeds that gave the same input
	previousHash string      // SHA-256 of the previous input while the case is redrawn
	in, ans      string      // SHA-256
	old          *storedCase // stored case made by other programs; if nil, the case is made from scratch
}

// drawn reports whether the task has an input.
func (t *task) drawn() bool { return t.in != "" }
func (t *task) made() bool  { return t.ans != "" }

// fixed reports whether the task's input seems to be the same for every seed.
func (t *task) fixed() bool { return t.repeats == maxSame }

func (t *task) pair() *pair { return &pair{c: t.c, in: t.staged + ".in", ans: t.staged + ".ans"} }

// Generate generates cases that are missing or out of date, and removes generated cases that no line produces. If
// it returns judge.ProblemErrors, it has changed nothing.
func (m *CaseGenerator) Generate(ctx context.Context) (_ *Summary, err error) {
	sources, err := m.sources()
	if err != nil {
		return nil, err
	}
	now, err := m.programHashes()
	if err != nil {
		return nil, err
	}
	var sum Summary
	var todo []*task
	current := map[string]*ManifestCase{} // maps case ids to entries that are up to date
	for _, g := range m.Directory.Groups {
		old, faults := ReadManifest(m.dir(g.Name))
		if len(faults) > 0 {
			old = &Manifest{} // if the manifest is invalid, regenerate all cases
		}
		for i := range g.Cases {
			c := &g.Cases[i]
			if c.Line == "" {
				continue
			}
			if e := old.entry(c.Name); e != nil && old.Sources == sources && e.Line == c.Line && e.Seed == m.seed(c) && m.intact(c, e) {
				current[c.ID()] = e
				continue
			}
			todo = append(todo, &task{c: c, seed: m.seed(c), old: m.storedCaseOf(c, old.entry(c.Name), old, now)})
		}
	}
	staging := ""
	var all []*task // the cases to generate
	defer func() {
		if err != nil {
			if unsaved := m.save(sources, all); unsaved != nil {
				err = errors.Join(err, unsaved)
			}
		}
		if staging != "" {
			m.unstage(staging)
		}
	}()
	if err := m.checkSeedCounts(todo); err != nil {
		return nil, err
	}
	made, err := m.drawDistinct(current, todo, func(todo []*task) error {
		if staging == "" {
			if staging, err = m.stage(todo); err != nil {
				return err
			}
		}
		for _, t := range todo {
			if !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
		err := m.restoreSaved(sources, staging, todo)
		if err == nil {
			err = reuseInputs(todo)
		}
		if err == nil {
			err = m.draw(ctx, staging, todo)
		}
		return m.unwritable(todo[0].c, err)
	})
	if err != nil {
		return nil, err
	}
	if len(all) > 0 {
		if err := m.unwritable(all[0].c, m.finishAll(ctx, m.inOrder(made))); err != nil {
			return nil, err
		}
	}
	keepUnchanged(current, made)
	sum.Kept = len(current)
	if err := m.checkSecondSolution(ctx, m.pairs(current, made)); err != nil {
		return nil, err
	}
	if err := m.answerHandwritten(ctx, &sum); err != nil {
		return nil, err
	}
	for _, g := range m.Directory.Groups {
		if err := m.installGroup(&g, &Manifest{Sources: sources, ProgramHashes: now}, current, made, &sum); err != nil {
			return nil, err
		}
	}
	if err := m.removeGroups(&sum); err != nil {
		return nil, err
	}
	return &sum, nil
}

// Check regenerates all cases in a temporary directory, and compares them with the manifests and the files. It
// changes nothing. It returns a fault for each difference.
func (m *CaseGenerator) Check(ctx context.Context) (judge.ProblemErrors, error) {
	faults := m.CheckFiles()
	var todo []*task
	for _, g := range m.Directory.Groups {
		for i := range g.Cases {
			if c := &g.Cases[i]; c.Line != "" {
				todo = append(todo, &task{c: c, seed: m.seed(c)})
			}
		}
	}
	if len(todo) == 0 {
		return faults, nil
	}
	staging, err := os.MkdirTemp("", "assay-generate-*")
	if err != nil {
		return nil, fmt.Errorf("create a directory for the cases: %w", err)
	}
	defer os.RemoveAll(staging)
	made, err := m.drawDistinct(nil, todo, func(todo []*task) error { return m.draw(ctx, staging, todo) })
	if err != nil {
		return nil, err
	}
	if err := m.finishAll(ctx, todo); err != nil {
		return nil, err
	}
	if err := m.checkSecondSolution(ctx, m.pairs(nil, made)); err != nil {
		return nil, err
	}
	manifests := map[string]*Manifest{}
	for _, t := range todo {
		manifest := manifests[t.c.Group]
		if manifest == nil {
			if manifest, _ = ReadManifest(m.dir(t.c.Group)); manifest == nil {
				manifest = &Manifest{} // CheckFiles has reported the error
			}
			manifests[t.c.Group] = manifest
		}
		if e := manifest.entry(t.c.Name); e != nil && (e.In != t.in || e.Ans != t.ans) {
			what := "input"
			if e.In == t.in {
				what = "answer"
			}
			faults = append(faults, m.Directory.CaseFault(
				t.c,
				fmt.Sprintf("the %s of case %s is not what the line %q makes now", what, t.c.ID(), t.c.Line),
				"if the change is meant, run: judge generate "+m.Directory.ID,
			))
		}
	}
	return faults, nil
}

func (m *CaseGenerator) dir(group string) string { return filepath.Join(m.Directory.Tests, group) }

// inOrder returns the tasks in judging order.
func (m *CaseGenerator) inOrder(byID map[string]*task) (tasks []*task) {
	for g := range m.Directory.Groups {
		for i := range m.Directory.Groups[g].Cases {
			if t := byID[m.Directory.Groups[g].Cases[i].ID()]; t != nil {
				tasks = append(tasks, t)
			}
		}
	}
	return tasks
}

// pairs returns the generated cases, in judging order.
func (m *CaseGenerator) pairs(current map[string]*ManifestCase, tasks map[string]*task) (pairs []*pair) {
	for g := range m.Directory.Groups {
		for i := range m.Directory.Groups[g].Cases {
			c := &m.Directory.Groups[g].Cases[i]
			if t := tasks[c.ID()]; t != nil {
				pairs = append(pairs, t.pair())
			} else if current[c.ID()] != nil {
				pairs = append(pairs, &pair{c: c, in: c.In, ans: c.Ans})
			}
		}
	}
	return pairs
}

func (m *CaseGenerator) sources() (string, error) {
	parts := []*judge.SetterProgram{m.Directory.Generator, m.Directory.Validator, m.Directory.Reference}
	if m.Directory.Derives() {
		parts = append(parts, &judge.SetterProgram{Path: m.Directory.FormatPath()})
	}
	return hashParts(parts...)
}

// Outdated reports whether cases were generated by older versions of the problem's programs. It returns false if
// that cannot be determined.
func (m *CaseGenerator) Outdated() bool {
	sources := ""
	if m.Directory.Tests == "" {
		return false
	}
	for _, g := range m.Directory.Groups {
		manifest, faults := ReadManifest(m.dir(g.Name))
		if len(faults) > 0 || manifest.Sources == "" {
			continue
		}
		if sources == "" {
			var err error
			if sources, err = m.sources(); err != nil {
				return false // the builder reports why
			}
		}
		if manifest.Sources != sources {
			return true
		}
	}
	return false
}

// intact reports whether the case's files match the entry.
func (m *CaseGenerator) intact(c *judge.Case, e *ManifestCase) bool {
	in, err := hashFile(c.In)
	if err != nil || in != e.In {
		return false
	}
	ans, err := hashFile(c.Ans)
	return err == nil && ans == e.Ans
}

// finishAll validates and answers the inputs of all unfinished tasks. It also generates all inputs a second time to
// compare them.
func (m *CaseGenerator) finishAll(ctx context.Context, todo []*task) error {
	crew, err := m.buildPrograms(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(todo, (*task).unchecked) {
		crew.Validator = nil
	}
	if crew.Validator != nil {
		v, err := NewValidator(ctx, m.Runner, crew.Validator, m.Directory.Validator, m.Limits)
		if err != nil {
			return m.locateInValidator(err)
		}
		if err := errors.Join(m.checkInvalidInputs(ctx, v), v.Close()); err != nil {
			return err
		}
	}
	done := m.counter("cases made", len(todo))
	err = runWorkers(ctx, m.Jobs, todo, func(ctx context.Context) (worker[*task], error) {
		v, err := OpenValidator(ctx, m.Runner, m.Directory, crew.Programs, m.Limits)
		if err != nil {
			return worker[*task]{}, err
		}
		w := &caseWorker{crew: crew, validator: v}
		return worker[*task]{func(t *task) error {
			if !t.made() {
				if err := w.finish(ctx, t); err != nil {
					return m.locateInCase(t.c, err)
				}
			}
			done()
			return nil
		}, w.close}, nil
	})
	if err != nil {
		return err
	}
	return m.checkDeterminism(ctx, crew, todo)
}

// checkDeterminism generates every input a second time, in reverse order and with a new process. A difference shows that the
// generator depends on the clock, on other random numbers, or on earlier cases.
func (m *CaseGenerator) checkDeterminism(ctx context.Context, crew *programSet, todo []*task) error {
	var reversed []*task
	for _, t := range slices.Backward(todo) {
		if !t.sameInput() { // repeats inputs have already been compared with the stored ones
			reversed = append(reversed, t)
		}
	}
	return m.forEachGenerator(ctx, crew, reversed, func(g Generator, t *task) error {
		input, err := g.Generate(ctx, t.seed, strings.Fields(t.c.Line))
		if err == nil && hashBytes(input) != t.in {
			err = &judge.ProblemError{
				Text: "the generator makes another input when it is run again",
				Hint: "take all random numbers from the seed (kit: g.Rand), and keep no state between cases",
			}
		}
		return err
	})
}

// locateInCase sets the position of err to that of case c if err is a fault without a position.
func (m *CaseGenerator) locateInCase(c *judge.Case, err error) error {
	if f, ok := err.(*judge.ProblemError); ok && f.File == "" {
		return m.Directory.CaseFault(c, fmt.Sprintf("case %s: %s", c.ID(), f.Text), f.Hint)
	}
	return err
}

// A programSet is the set of built programs that make cases.
type programSet struct {
	Programs
	m *CaseGenerator
}

func (m *CaseGenerator) buildPrograms(ctx context.Context) (*programSet, error) {
	p, err := Build(ctx, m.Builder, m.Directory)
	if err != nil {
		return nil, err
	}
	if p.Reference == nil && !m.Directory.LacksAnswers() {
		return nil, m.Directory.Fault("reference", "without a reference there are no answers", `add: [reference] program = "reference"`)
	}
	return &programSet{p, m}, nil
}

// A caseWorker generates the files of cases, one case at a time.
type caseWorker struct {
	crew      *programSet
	generator Generator // nil if the inputs already exist
	validator Validator // nil if the problem has none
}

func (c *programSet) worker(ctx context.Context) (*caseWorker, error) {
	g, v, err := c.Open(ctx, c.m.Runner, c.m.Directory, c.m.Limits)
	if err != nil {
		return nil, err
	}
	return &caseWorker{c, g, v}, nil
}

func (w *caseWorker) close() (err error) {
	if w.validator != nil {
		err = w.validator.Close()
	}
	if w.generator != nil {
		err = errors.Join(err, w.generator.Close())
	}
	return err
}

// finish validates and answers the input of a task.
func (w *caseWorker) finish(ctx context.Context, t *task) error {
	input, err := os.ReadFile(t.staged + ".in")
	if err != nil {
		return fmt.Errorf("read case %s: %w", t.c.ID(), err)
	}
	if w.validator != nil && t.unchecked() {
		text, err := w.validator.Validate(ctx, t.c.ID(), input)
		if err != nil {
			return err
		}
		if text != "" {
			return w.rejectedInputFault(ctx, text)
		}
	}
	if t.sameInput() && !t.old.answered {
		answer, err := os.ReadFile(t.old.ans)
		if err != nil {
			return fmt.Errorf("read case %s: %w", t.c.ID(), err)
		}
		return t.writeAnswer(answer)
	}
	answer, err := RunReference(
		ctx, w.crew.m.Runner, w.crew.Reference, referenceFor(w.crew.m.Directory, t.c), w.crew.m.Directory.Limits,
		bytes.NewReader(input),
	)
	if err != nil {
		return err
	}
	return t.writeAnswer(answer)
}

// writeInput writes the input file of the case.
func (t *task) writeInput(input []byte) error {
	if err := os.MkdirAll(filepath.Dir(t.staged), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(t.staged+".in", input, 0o644); err != nil {
		return err
	}
	t.in = hashBytes(input)
	return nil
}

// writeAnswer writes the answer file of the case, which completes the case.
func (t *task) writeAnswer(answer []byte) error {
	if err := os.WriteFile(t.staged+".ans", answer, 0o644); err != nil {
		return err
	}
	t.ans = hashBytes(answer)
	return nil
}

// referenceFor returns the reference solution with the arguments that a case gives to solutions.
func referenceFor(f *problem.Directory, c *judge.Case) *judge.SetterProgram {
	if f.Reference == nil || len(c.Args) == 0 {
		return f.Reference
	}
	reference := *f.Reference
	reference.Args = slices.Concat(reference.Args, c.Args)
	return &reference
}

// RunReference runs the reference solution on an input. If program is nil, as for interactive problems, the answer is
// empty.
func RunReference(
	ctx context.Context, r judge.Runner, program *judge.Program, part *judge.SetterProgram, limits judge.Limits,
	input io.Reader,
) ([]byte, error) {
	if program == nil {
		return nil, nil
	}
	out, stderr, x, v, err := solve(ctx, r, program, limits, input, part.Args)
	if err != nil {
		return nil, err
	}
	if v != judge.NotJudged {
		return nil, &judge.ProblemError{
			Text: fmt.Sprintf("the reference fails on it: %s (%s)", v.Words(), x.Termination()),
			Hint: stderrWithHint(
				stderr, "fix the reference",
			),
		}
	}
	if len(out) == 0 {
		return nil, &judge.ProblemError{
			Text: "the reference prints nothing",
			Hint: "an answer file has at least one line: fix the reference, or make the validator or input.format reject such inputs",
		}
	}
	return out, nil
}

// solve runs a program that solves the problem. It has a contestant's limits, except that the time limits are
// doubled because speed does not matter here.
func solve(ctx context.Context, r judge.Runner, program *judge.Program, limits judge.Limits, input io.Reader, args []string) (
	output []byte, stderr string, x judge.Exec, v judge.Verdict, err error,
) {
	var out bytes.Buffer
	var end tail.Buffer
	limits = limits.Scaled(2)
	cmd := program.Command(limits, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = input, &out, &end
	x, err = r.Run(ctx, cmd)
	return out.Bytes(), string(end.Bytes()), x, judge.Classify(x, limits), err
}

// EncodingProblem returns what is wrong with the encoding of a case file, and a hint. A case must be UTF-8 with LF line
// endings, and must end with LF. If the file is correct, text is empty.
func EncodingProblem(data []byte) (text, hint string) {
	wrong, hint := mark.UnexpectedEncoding(data)
	switch {
	case len(data) == 0:
		return "is empty", "a case has at least one line"
	case wrong != "":
		return wrong, hint
	case bytes.IndexByte(data, '\r') >= 0:
		line := 1 + bytes.Count(data[:bytes.IndexByte(data, '\r')], []byte{'\n'})
		return fmt.Sprintf("has a carriage return in line %d", line), "end lines with a line feed only"
	case !utf8.Valid(data):
		return "is not UTF-8", "save it as UTF-8"
	case data[len(data)-1] != '\n':
		return "does not end with a line feed", "end the last line"
	}
	return "", ""
}
