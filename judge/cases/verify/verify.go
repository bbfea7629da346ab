// Package verify checks a whole problem directory:
//
//   - The directory is complete, and the generated files match the manifest.
//   - Every input is valid, and the validator rejects invalid inputs.
//   - Every answer file agrees with the reference solution. The checker accepts every answer file, and rejects junk.
//   - The examples in the statement are sample cases.
//   - Every solution gets the verdict of its directory.
//
// It finds as many errors as it can in one run, and reports them as events. A *judge.ProblemError never ends the
// verification. The package changes nothing. It regenerates inputs only if the programs have changed; `judge
// generate --check` regenerates all cases.
package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"assay/judge"
	"assay/judge/cases/gen"
	"assay/judge/internal/mark"
	"assay/judge/internal/tail"
	"assay/judge/problem"
	"assay/judge/running/check"
	"assay/judge/running/lang"
	"assay/judge/running/trial"
)

// Verifier verifies one problem.
type Verifier struct {
	Directory *problem.Directory
	Solutions string // directory of the solutions, which may be missing
	Runner    judge.Runner
	Jobs      int
	Limits    judge.Limits          // limits of the validator, for each input
	Programs  *check.SetterPrograms // builds the setter's programs
	Builder   Builder               // builds the solutions or submissions
	Cache     *Cache                // cache for runs of a package; nil for none
	Isolation string                // isolation level of the sandbox; runs under another one are not reused
	// Only lists fragments of paths. A solution is judged if its path contains at least one of them. If Only is
	// empty, all solutions are judged.
	Only []string
	// All judges every solution on every case, regardless of failures. Several lets a solution fail on several
	// cases, which reveals more about the cases than the first failure does.
	All, Several bool
	// Game checks a game by playing it. It reports each check, and adds notes about what it could not check.
	Game func(ctx context.Context, report func(what string, count int, faults judge.ProblemErrors), note func(string)) error
	// Score returns the measured quality of the cases, or "" if it is unknown. Score may be nil.
	Score func() (string, error)

	onEvent        func(judge.Event)
	oddlyEncoded   []string            // ids of cases with text in an unexpected encoding
	doubtful       map[string]bool     // ids of generated cases that do not match their lines
	changed        bool                // programs have changed since they made the cases
	validatorError error               // why the validator does not start; nil if it does or was not tried
	checkerError   string              // why outputs cannot be judged; empty if the checker works
	buildFaults    judge.ProblemErrors // faults of programs that cannot be built
	judgedBy       string              // hash of the programs that judge a package's submissions

	mu sync.Mutex // held while prepare runs
}

// Builder builds what a verification judges, which is the solutions of a problem or the submissions of a package.
type Builder interface {
	// Solution builds the program at a path.
	Solution(ctx context.Context, path string) (*lang.Result, error)
	// Submission builds a submission of a package.
	Submission(ctx context.Context, s *problem.Submission) (*lang.Result, error)
	// Faster builds a submission with a faster toolchain of its language. It returns nil, nil if there is none.
	Faster(ctx context.Context, s *problem.Submission) (*lang.Result, error)
	// Executor returns a bench for a built solution or submission, with the limits of p.
	Executor(ctx context.Context, p *judge.Problem, path string, made *lang.Result, way trial.RunMode) (trial.Executor, error)
	// Prepared returns the result of Prepare. It is called once.
	Prepared(ctx context.Context) (*Prepared, error)
}

// Checks runs all checks that precede the solutions, and reports whether the solutions can be judged. It never
// returns a problem error.
func (v *Verifier) Checks(ctx context.Context, onEvent func(judge.Event)) (ready bool, err error) {
	v.onEvent = onEvent
	if v.Cache == nil {
		v.Cache = &Cache{}
	}
	defer v.Cache.save()
	if note := v.Directory.LeftoverNote(); note != "" {
		v.onEvent(&judge.Noted{Text: note})
	}
	if v.Directory.Package != nil {
		return v.packageChecks(ctx)
	}
	v.report("the directory is complete", 1, v.Directory.Lint())
	if v.Directory.OnlyGame() {
		return false, v.Game(ctx, v.report, v.note)
	}
	faults, warnings := v.texts()
	v.report("every case is a text with proper line ends", v.Directory.CaseCount(), limitPerText(append(faults, warnings...)))
	if v.Directory.Generator != nil || v.Directory.Makes() {
		if err := v.checkGenerated(ctx); err != nil {
			return false, err
		}
	}
	if err := v.runSteps(ctx,
		step{name: "every input is valid", do: v.inputs},
		step{name: "the validator refuses junk", do: v.checkInvalidInputs},
		step{name: "the validator and the format agree", do: v.agreement},
		step{name: v.answersCheck(), do: v.answers},
		step{name: "the statement's examples are sample cases", do: v.examples},
		step{name: "the statement's pictures can be shown", do: v.pictures},
		step{name: "no formula of the statement is broken", do: v.formulas},
		step{name: "every formula of the statement can be drawn", do: v.undrawn, advisory: true},
		step{name: "all of the statement is shown", do: v.unshown, advisory: true},
		step{name: "no two sample cases are the same", do: v.equalSamples, advisory: true},
		step{name: "the checker refuses junk", do: v.checkWrongOutputs},
	); err != nil {
		return false, err
	}
	if v.Directory.Game != nil {
		if err := v.Game(ctx, v.report, v.note); err != nil {
			return false, err
		}
	}
	if v.casesUnusable() {
		return false, nil
	}
	if built, err := v.buildJudgingPrograms(ctx); !built {
		return false, err
	}
	if err := v.coverage(); err != nil {
		return false, fmt.Errorf("see what the cases show: %w", err)
	}
	found, faults := v.findSolutions()
	if len(found) == 0 && len(v.Only) == 0 {
		faults = append(faults, v.noneAccepted())
	}
	for _, f := range faults {
		v.onEvent(&judge.ProblemErrorFound{Fault: f})
	}
	return true, nil
}

// checkGenerated compares the generated cases with their manifests. If the programs that made them have changed, it
// regenerates the inputs for comparison. Later steps check all inputs with the validator, and all answers against
// the reference solution.
func (v *Verifier) checkGenerated(ctx context.Context) error {
	m := &gen.CaseGenerator{Directory: v.Directory, Runner: v.Runner, Builder: v.Programs, Jobs: max(v.Jobs, 1), Limits: v.Limits}
	faults, doubtful, changed := m.CompareFiles()
	v.report("the generated files are those of the manifest", v.Directory.CaseCount(), limitPerText(faults))
	if v.changed = len(changed) > 0; v.changed {
		redraw := func(ctx context.Context) (int, judge.ProblemErrors, error) {
			n, faults, other, err := m.Redraw(ctx, changed)
			doubtful = append(doubtful, other...)
			return n, faults, err
		}
		if err := v.runSteps(ctx, step{name: "the changed programs make the same inputs", do: redraw}); err != nil {
			return err
		}
	}
	v.doubtful = map[string]bool{}
	for _, c := range doubtful {
		v.doubtful[c.ID()] = true
	}
	return nil
}

// casesUnusable reports whether the cases prevent judging the solutions, and if so, adds a note. A solution that passes
// might fail on a missing case, and one that fails might be correct.
func (v *Verifier) casesUnusable() bool {
	bad := v.Directory.CaseCount()
	for c := range v.cases {
		if !slices.Contains(v.oddlyEncoded, c.ID()) {
			bad--
		}
	}
	if bad == 0 && v.checkerError != "" {
		v.note("the solutions are not judged: " + v.checkerError)
		return true
	}
	if bad > 0 {
		v.onEvent(
			&judge.Noted{
				Text: fmt.Sprintf("the solutions are not judged: %d of %d cases are not as they should be", bad, v.Directory.CaseCount()),
			},
		)
	}
	return bad > 0
}

// step is a check that runs programs. Do returns the number of checked items, and the faults.
type step struct {
	name string
	do   func(ctx context.Context) (int, judge.ProblemErrors, error)
	// advisory means that faults are only advice.
	advisory bool
}

// runSteps runs the steps one by one, and reports each step that checked something.
func (v *Verifier) runSteps(ctx context.Context, steps ...step) error {
	for _, s := range steps {
		n, faults, err := s.do(ctx)
		var warnings judge.ProblemErrors
		if s.advisory {
			faults, warnings = nil, limitPerText(faults)
		}
		if fault, ok := errors.AsType[*judge.ProblemError](err); ok {
			faults, err = append(faults, fault), nil
		}
		if err != nil {
			return fmt.Errorf("verify that %s: %w", s.name, err)
		}
		v.Cache.save()
		if n > 0 || len(faults) > 0 {
			v.reportCheck(s.name, n, limitPerText(faults), warnings)
		}
	}
	return nil
}

// report sends the result of one check.
func (v *Verifier) report(name string, count int, faults judge.ProblemErrors) {
	v.reportCheck(name, count, faults, nil)
}

// note sends a remark that is not a fault.
func (v *Verifier) note(text string) { v.onEvent(&judge.Noted{Text: text}) }

// reportCheck sends the result of one check, with faults and warnings.
func (v *Verifier) reportCheck(name string, count int, faults, warnings judge.ProblemErrors) {
	for _, f := range faults {
		if !v.isReported(f) {
			v.onEvent(&judge.ProblemErrorFound{Fault: f})
		}
	}
	for _, f := range warnings {
		v.onEvent(&judge.WarningFound{Fault: f})
	}
	v.onEvent(&judge.Checked{What: name, Count: count, Faults: len(faults), Warnings: len(warnings)})
}

// isReported reports whether another check has found the same fault. Several checks may need a program that cannot
// be built.
func (v *Verifier) isReported(f *judge.ProblemError) bool {
	if slices.ContainsFunc(v.buildFaults, func(known *judge.ProblemError) bool { return *known == *f }) {
		return true
	}
	v.buildFaults = append(v.buildFaults, f)
	return false
}

// buildJudgingPrograms builds the programs that judge submissions, and reports the first that cannot be built.
func (v *Verifier) buildJudgingPrograms(ctx context.Context) (bool, error) {
	err := v.judgingPrograms(ctx)
	if fault, ok := errors.AsType[*judge.ProblemError](err); ok {
		v.report("the programs that judge can be built", 1, judge.ProblemErrors{fault})
		return false, nil
	}
	return err == nil, err
}

// cases yields every case whose input and answer files exist. It omits generated cases that do not match their
// generator lines.
func (v *Verifier) cases(yield func(c *judge.Case) bool) {
	for g := range v.Directory.Groups {
		for i := range v.Directory.Groups[g].Cases {
			c := &v.Directory.Groups[g].Cases[i]
			if v.doubtful[c.ID()] {
				continue // CompareFiles has reported it
			}
			if _, err := os.Stat(c.In); err != nil {
				continue // Lint has reported it
			}
			if _, err := os.Stat(c.Ans); err != nil && c.Ans != "" {
				continue
			}
			if !yield(c) {
				return
			}
		}
	}
}

// texts checks the encoding and form of the files. Text that no program can read is a fault. Everything else is
// only a warning if the package's format does not require it.
func (v *Verifier) texts() (faults, warnings judge.ProblemErrors) {
	for c := range v.cases {
		for _, path := range []string{c.In, c.Ans} {
			if path == "" {
				continue
			}
			data, err := os.ReadFile(path)
			if err != nil {
				faults = append(faults, &judge.ProblemError{File: path, Text: err.Error()})
				continue
			}
			if len(data) == 0 && path == c.Ans && v.Directory.LacksAnswers() {
				continue
			}
			if (v.Directory.Package != nil || v.Directory.Loosely) && len(data) == 0 {
				continue // an answer may be empty
			}
			if text, hint := gen.EncodingProblem(data); text != "" {
				to := &warnings
				if encoding, _ := mark.UnexpectedEncoding(data); encoding != "" {
					to = &faults
					v.oddlyEncoded = append(v.oddlyEncoded, c.ID())
				}
				*to = append(*to, &judge.ProblemError{File: path, Text: "the file " + text, Hint: hint})
			}
		}
	}
	return faults, warnings
}

// validator starts the problem's validator. It returns nil, nil if the problem has none. A validator that failed
// to start is not started again, because the failure may take long.
func (v *Verifier) validator(ctx context.Context) (gen.Validator, error) {
	part := v.Directory.Validator
	if part == nil || v.validatorError != nil {
		return nil, v.validatorError
	}
	program, err := v.Programs.BuildProgram(ctx, part)
	if err != nil {
		return nil, err
	}
	made, err := gen.NewValidator(ctx, v.Runner, program, part, v.Limits)
	return made, v.startFault(err)
}

// startFault returns an error from starting the validator, with its position. If the validator is at fault, it is
// not started again.
func (v *Verifier) startFault(err error) error {
	if err = v.locateInProgram(v.Directory.Validator, err); err != nil {
		if _, fault := errors.AsType[*judge.ProblemError](err); fault {
			v.validatorError = err
		}
	}
	return err
}

// locateInProgram sets the position of err to the program's path if err is a fault without a position.
func (v *Verifier) locateInProgram(part *judge.SetterProgram, err error) error {
	if f, ok := errors.AsType[*judge.ProblemError](err); ok && f.File == "" {
		f.File = part.Path
	}
	return err
}

// inputs checks every input against the declared format and with the validator.
func (v *Verifier) inputs(ctx context.Context) (n int, faults judge.ProblemErrors, err error) {
	if _, err := v.Directory.Format(); err != nil {
		return 0, nil, nil // Lint has reported errors in the format
	}
	var programs gen.Programs
	if v.Directory.Validator != nil {
		if programs.Validator, err = v.Programs.BuildProgram(ctx, v.Directory.Validator); err != nil {
			return 0, nil, err
		}
	}
	validator, err := gen.OpenValidator(ctx, v.Runner, v.Directory, programs, v.Limits)
	if validator == nil || err != nil {
		return 0, nil, v.startFault(err)
	}
	defer validator.Close()
	var failed crashes
	defer func() { faults = append(failed.faults(), faults...) }()
	for c := range v.cases {
		data, err := os.ReadFile(c.In)
		if err != nil {
			return n, faults, err
		}
		text, err := validator.Validate(ctx, c.ID(), data)
		if fault := v.validatorCrash(text, err); fault != nil {
			failed.add(fault, c.ID())
			n++
			continue
		}
		if err != nil {
			return n, faults, v.locateInProgram(v.Directory.Validator, err)
		}
		if text != "" {
			faults = append(
				faults,
				v.Directory.CaseFault(
					c, fmt.Sprintf("the input of case %s is not valid: %s", c.ID(), text),
					"fix the case or the validator",
				),
			)
		}
		n++
	}
	return n, faults, nil
}

// validatorCrash returns the fault for a validator that crashed on an input. It returns nil if it did not crash.
func (v *Verifier) validatorCrash(text string, err error) *judge.ProblemError {
	part := v.Directory.Validator
	if part == nil {
		return nil
	}
	if f, ok := errors.AsType[*judge.ProblemError](err); ok && f.File == "" {
		return crashFault("validator", part, strings.TrimPrefix(f.Text, "the validator ")+"\n"+f.Hint)
	}
	if err == nil && (tail.Crashed(text) || strings.HasPrefix(text, gen.SignalPrefix)) {
		return crashFault("validator", part, "ended with "+strings.SplitN(strings.TrimPrefix(text, gen.SignalPrefix), "\n", 2)[0]+"\n"+text)
	}
	return nil
}

// invalidInput is an input that a validator must reject.
type invalidInput struct{ Name, Text string }

// checkInvalidInputs passes inputs to the validator that are invalid in any problem, and modified samples. All inputs
// that the validator accepts are reported as one fault.
func (v *Verifier) checkInvalidInputs(ctx context.Context) (n int, faults judge.ProblemErrors, err error) {
	validator, err := v.validator(ctx)
	if validator == nil || err != nil {
		return 0, nil, err
	}
	defer validator.Close()
	var tries []invalidInput
	for _, junk := range gen.InvalidInputs() {
		tries = append(tries, invalidInput(junk))
	}
	valid := map[string]bool{} // texts that are valid inputs of this problem
	for c := range v.cases {
		if info, err := os.Stat(c.In); err == nil && info.Size() < 1000 {
			data, _ := os.ReadFile(c.In)
			valid[string(data)] = true
		}
	}
	for c := range v.cases {
		sample, err := os.ReadFile(c.In)
		if err != nil {
			return n, nil, err
		}
		if text, err := validator.Validate(ctx, c.ID(), sample); err != nil || text != "" {
			continue // a modified invalid case would prove nothing
		}
		tries = append(tries,
			invalidInput{"case " + c.ID() + " without its final line feed", string(bytes.TrimRight(sample, "\n"))},
			invalidInput{"case " + c.ID() + " with an extra line at the end", string(sample) + "junk\n"},
			invalidInput{"case " + c.ID() + " with blanks before it", "  " + string(sample)},
			invalidInput{"case " + c.ID() + " with CRLF line ends", string(bytes.ReplaceAll(sample, []byte("\n"), []byte("\r\n")))},
		)
		break
	}
	var accepted []string
	for _, try := range tries {
		if valid[try.Text] {
			continue
		}
		text, err := validator.Validate(ctx, "junk", []byte(try.Text))
		if err != nil {
			return n, nil, v.locateInProgram(v.Directory.Validator, err)
		}
		if text == "" {
			accepted = append(accepted, try.Name)
		}
		n++
	}
	if len(accepted) == 0 {
		return n, nil, nil
	}
	text := "the validator accepts " + strings.Join(accepted, "; ")
	if len(accepted) == n {
		text = "the validator accepts everything, such as " + accepted[0]
	}
	return n, judge.ProblemErrors{
		{File: v.Directory.Validator.Path, Text: text, Hint: "read the input to its last byte, and nothing else (kit: Space, EOLN, EOF)"},
	}, nil
}
