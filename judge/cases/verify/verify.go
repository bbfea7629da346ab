// Package verify checks a whole problem directory:
//
//   - The directory is complete, and the generated files match the manifest.
//   - Every input is valid, and the validator rejects invalid inputs.
//   - Every answer file agrees with the reference solution. The checker accepts every answer file, and rejects junk.
//   - The examples in the statement are sample cases.
//   - Every solution gets the verdict of its directory.
//
// It finds as many errors as it can in one run, and reports them as events. A *judge.Fault never ends the
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
	Folder    *problem.Directory
	Solutions string // directory of the solutions, which may be missing
	Runner    judge.Runner
	Jobs      int
	Limits    judge.Limits // limits of the validator, for each input
	Crew      *check.Crew  // builds the setter's programs
	Entries   Entries      // builds the solutions or submissions
	Memory    *Memory      // cache for runs of a package; nil for none
	Isolation string       // isolation level of the sandbox; runs under another one are not reused
	// Only lists fragments of paths. A solution is judged if its path contains at least one of them. If Only is
	// empty, all solutions are judged.
	Only []string
	// All judges every solution on every case, regardless of failures. Several lets a solution fail on several
	// cases, which reveals more about the cases than the first failure does.
	All, Several bool
	// Game checks a game by playing it. It reports each check, and adds notes about what it could not check.
	Game func(ctx context.Context, report func(what string, count int, faults judge.Faults), note func(string)) error
	// Score returns the measured quality of the cases, or "" if it is unknown. Score may be nil.
	Score func() (string, error)

	listen    func(judge.Event)
	marked    []string        // ids of cases with text in an unexpected encoding
	doubtful  map[string]bool // ids of generated cases that do not match their lines
	changed   bool            // programs have changed since they made the cases
	unstarted error           // why the validator does not start; nil if it does or was not tried
	broken    string          // why outputs cannot be judged; empty if the checker works
	told      judge.Faults    // faults of programs that cannot be built
	judgedBy  string          // hash of the programs that judge a package's submissions

	mu sync.Mutex // held while prepare runs
}

// Entries builds what a verification judges, which is the solutions of a problem or the submissions of a package.
type Entries interface {
	// Solution builds the program at a path.
	Solution(ctx context.Context, path string) (*lang.Result, error)
	// Submission builds a submission of a package.
	Submission(ctx context.Context, s *problem.Submission) (*lang.Result, error)
	// Faster builds a submission with a faster toolchain of its language. It returns nil, nil if there is none.
	Faster(ctx context.Context, s *problem.Submission) (*lang.Result, error)
	// Bench returns a bench for a built solution or submission, with the limits of p.
	Bench(ctx context.Context, p *judge.Problem, path string, made *lang.Result, way trial.Way) (trial.Bench, error)
	// Prepared returns the result of Prepare. It is called once.
	Prepared(ctx context.Context) (*Prepared, error)
}

// Checks runs all checks that precede the solutions, and reports whether the solutions can be judged. It never
// returns a problem error.
func (v *Verifier) Checks(ctx context.Context, listen func(judge.Event)) (ready bool, err error) {
	v.listen = listen
	if v.Memory == nil {
		v.Memory = &Memory{}
	}
	defer v.Memory.save()
	if note := v.Folder.LeftoverNote(); note != "" {
		v.listen(&judge.Noted{Text: note})
	}
	if v.Folder.Package != nil {
		return v.packageChecks(ctx)
	}
	v.report("the directory is complete", 1, v.Folder.Lint())
	if v.Folder.OnlyGame() {
		return false, v.Game(ctx, v.report, v.note)
	}
	faults, warnings := v.texts()
	v.report("every case is a text with proper line ends", v.Folder.Count(), few(append(faults, warnings...)))
	if v.Folder.Generator != nil || v.Folder.Makes() {
		if err := v.generated(ctx); err != nil {
			return false, err
		}
	}
	if err := v.steps(ctx,
		step{what: "every input is valid", do: v.inputs},
		step{what: "the validator refuses junk", do: v.junk},
		step{what: "the validator and the format agree", do: v.agreement},
		step{what: v.answersCheck(), do: v.answers},
		step{what: "the statement's examples are sample cases", do: v.examples},
		step{what: "the statement's pictures can be shown", do: v.pictures},
		step{what: "no formula of the statement is broken", do: v.formulas},
		step{what: "every formula of the statement can be drawn", do: v.undrawn, warns: true},
		step{what: "all of the statement is shown", do: v.unshown, warns: true},
		step{what: "no two sample cases are the same", do: v.equalSamples, warns: true},
		step{what: "the checker refuses junk", do: v.junkOutputs},
	); err != nil {
		return false, err
	}
	if v.Folder.Game != nil {
		if err := v.Game(ctx, v.report, v.note); err != nil {
			return false, err
		}
	}
	if v.unfit() {
		return false, nil
	}
	if built, err := v.built(ctx); !built {
		return false, err
	}
	if err := v.coverage(); err != nil {
		return false, fmt.Errorf("see what the cases show: %w", err)
	}
	found, faults := v.find()
	if len(found) == 0 && len(v.Only) == 0 {
		faults = append(faults, v.noneAccepted())
	}
	for _, f := range faults {
		v.listen(&judge.FaultFound{Fault: f})
	}
	return true, nil
}

// generated compares the generated cases with their manifests. If the programs that made them have changed, it
// regenerates the inputs for comparison. Later steps check all inputs with the validator, and all answers against
// the reference solution.
func (v *Verifier) generated(ctx context.Context) error {
	m := &gen.Maker{Folder: v.Folder, Runner: v.Runner, Builder: v.Crew, Jobs: max(v.Jobs, 1), Limits: v.Limits}
	faults, doubtful, changed := m.Compare()
	v.report("the generated files are those of the manifest", v.Folder.Count(), few(faults))
	if v.changed = len(changed) > 0; v.changed {
		if err := v.steps(ctx, step{what: "the changed programs make the same inputs", do: func(ctx context.Context) (int, judge.Faults, error) {
			n, faults, other, err := m.Redraw(ctx, changed)
			doubtful = append(doubtful, other...)
			return n, faults, err
		}}); err != nil {
			return err
		}
	}
	v.doubtful = map[string]bool{}
	for _, c := range doubtful {
		v.doubtful[c.ID()] = true
	}
	return nil
}

// unfit reports whether the cases prevent judging the solutions, and if so, adds a note. A solution that passes
// might fail on a missing case, and one that fails might be correct.
func (v *Verifier) unfit() bool {
	bad := v.Folder.Count()
	for c := range v.cases {
		if !slices.Contains(v.marked, c.ID()) {
			bad--
		}
	}
	if bad == 0 && v.broken != "" {
		v.note("the solutions are not judged: " + v.broken)
		return true
	}
	if bad > 0 {
		v.listen(&judge.Noted{Text: fmt.Sprintf("the solutions are not judged: %d of %d cases are not as they should be", bad, v.Folder.Count())})
	}
	return bad > 0
}

// step is a check that runs programs. Do returns the number of checked items, and the faults.
type step struct {
	what string
	do   func(ctx context.Context) (int, judge.Faults, error)
	// warns means that faults are only advice.
	warns bool
}

// steps runs the steps one by one, and reports each step that checked something.
func (v *Verifier) steps(ctx context.Context, steps ...step) error {
	for _, s := range steps {
		n, faults, err := s.do(ctx)
		var warnings judge.Faults
		if s.warns {
			faults, warnings = nil, few(faults)
		}
		if fault, ok := errors.AsType[*judge.Fault](err); ok {
			faults, err = append(faults, fault), nil
		}
		if err != nil {
			return fmt.Errorf("verify that %s: %w", s.what, err)
		}
		v.Memory.save()
		if n > 0 || len(faults) > 0 {
			v.checked(s.what, n, few(faults), warnings)
		}
	}
	return nil
}

// report sends the result of one check.
func (v *Verifier) report(what string, count int, faults judge.Faults) {
	v.checked(what, count, faults, nil)
}

// note sends a remark that is not a fault.
func (v *Verifier) note(text string) { v.listen(&judge.Noted{Text: text}) }

// checked sends the result of one check, with faults and warnings.
func (v *Verifier) checked(what string, count int, faults, warnings judge.Faults) {
	for _, f := range faults {
		if !v.repeated(f) {
			v.listen(&judge.FaultFound{Fault: f})
		}
	}
	for _, f := range warnings {
		v.listen(&judge.Warned{Fault: f})
	}
	v.listen(&judge.Checked{What: what, Count: count, Faults: len(faults), Warnings: len(warnings)})
}

// repeated reports whether another check has found the same fault. Several checks may need a program that cannot
// be built.
func (v *Verifier) repeated(f *judge.Fault) bool {
	if slices.ContainsFunc(v.told, func(known *judge.Fault) bool { return *known == *f }) {
		return true
	}
	v.told = append(v.told, f)
	return false
}

// built builds the programs that judge submissions, and reports the first that cannot be built.
func (v *Verifier) built(ctx context.Context) (bool, error) {
	err := v.judgingPrograms(ctx)
	if fault, ok := errors.AsType[*judge.Fault](err); ok {
		v.report("the programs that judge can be built", 1, judge.Faults{fault})
		return false, nil
	}
	return err == nil, err
}

// cases yields every case whose input and answer files exist. It omits generated cases that do not match their
// generator lines.
func (v *Verifier) cases(yield func(c *judge.Case) bool) {
	for g := range v.Folder.Groups {
		for i := range v.Folder.Groups[g].Cases {
			c := &v.Folder.Groups[g].Cases[i]
			if v.doubtful[c.ID()] {
				continue // Compare has reported it
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
func (v *Verifier) texts() (faults, warnings judge.Faults) {
	for c := range v.cases {
		for _, path := range []string{c.In, c.Ans} {
			if path == "" {
				continue
			}
			data, err := os.ReadFile(path)
			if err != nil {
				faults = append(faults, &judge.Fault{File: path, Text: err.Error()})
				continue
			}
			if len(data) == 0 && path == c.Ans && v.Folder.Unanswered() {
				continue
			}
			if (v.Folder.Package != nil || v.Folder.Loosely) && len(data) == 0 {
				continue // an answer may be empty
			}
			if text, hint := gen.Flaw(data); text != "" {
				to := &warnings
				if encoding, _ := mark.Of(data); encoding != "" {
					to = &faults
					v.marked = append(v.marked, c.ID())
				}
				*to = append(*to, &judge.Fault{File: path, Text: "the file " + text, Hint: hint})
			}
		}
	}
	return faults, warnings
}

// validator starts the problem's validator. It returns nil, nil if the problem has none. A validator that failed
// to start is not started again, because the failure may take long.
func (v *Verifier) validator(ctx context.Context) (gen.Validator, error) {
	part := v.Folder.Validator
	if part == nil || v.unstarted != nil {
		return nil, v.unstarted
	}
	program, err := v.Crew.Part(ctx, part)
	if err != nil {
		return nil, err
	}
	made, err := gen.NewValidator(ctx, v.Runner, program, part, v.Limits)
	return made, v.startFault(err)
}

// startFault returns an error from starting the validator, with its position. If the validator is at fault, it is
// not started again.
func (v *Verifier) startFault(err error) error {
	if err = v.place(v.Folder.Validator, err); err != nil {
		if _, fault := errors.AsType[*judge.Fault](err); fault {
			v.unstarted = err
		}
	}
	return err
}

// place sets the position of err to the program's path if err is a fault without a position.
func (v *Verifier) place(part *judge.Part, err error) error {
	if f, ok := errors.AsType[*judge.Fault](err); ok && f.File == "" {
		f.File = part.Path
	}
	return err
}

// inputs checks every input against the declared format and with the validator.
func (v *Verifier) inputs(ctx context.Context) (n int, faults judge.Faults, err error) {
	if _, err := v.Folder.Format(); err != nil {
		return 0, nil, nil // Lint has reported errors in the format
	}
	var programs gen.Programs
	if v.Folder.Validator != nil {
		if programs.Validator, err = v.Crew.Part(ctx, v.Folder.Validator); err != nil {
			return 0, nil, err
		}
	}
	validator, err := gen.OpenValidator(ctx, v.Runner, v.Folder, programs, v.Limits)
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
			return n, faults, v.place(v.Folder.Validator, err)
		}
		if text != "" {
			faults = append(
				faults,
				v.Folder.CaseFault(c, fmt.Sprintf("the input of case %s is not valid: %s", c.ID(), text), "fix the case or the validator"),
			)
		}
		n++
	}
	return n, faults, nil
}

// validatorCrash returns the fault for a validator that crashed on an input. It returns nil if it did not crash.
func (v *Verifier) validatorCrash(text string, err error) *judge.Fault {
	part := v.Folder.Validator
	if part == nil {
		return nil
	}
	if f, ok := errors.AsType[*judge.Fault](err); ok && f.File == "" {
		return crashed("validator", part, strings.TrimPrefix(f.Text, "the validator ")+"\n"+f.Hint)
	}
	if err == nil && (tail.Crashed(text) || strings.HasPrefix(text, gen.BySignal)) {
		return crashed("validator", part, "ended with "+strings.SplitN(strings.TrimPrefix(text, gen.BySignal), "\n", 2)[0]+"\n"+text)
	}
	return nil
}

// try is an input that a validator must reject.
type try struct{ Name, Text string }

// junk passes inputs to the validator that are invalid in any problem, and modified samples. All inputs that the
// validator accepts are reported as one fault.
func (v *Verifier) junk(ctx context.Context) (n int, faults judge.Faults, err error) {
	validator, err := v.validator(ctx)
	if validator == nil || err != nil {
		return 0, nil, err
	}
	defer validator.Close()
	var tries []try
	for _, junk := range gen.Junk() {
		tries = append(tries, try(junk))
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
			try{"case " + c.ID() + " without its final line feed", string(bytes.TrimRight(sample, "\n"))},
			try{"case " + c.ID() + " with an extra line at the end", string(sample) + "junk\n"},
			try{"case " + c.ID() + " with blanks before it", "  " + string(sample)},
			try{"case " + c.ID() + " with CRLF line ends", string(bytes.ReplaceAll(sample, []byte("\n"), []byte("\r\n")))},
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
			return n, nil, v.place(v.Folder.Validator, err)
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
	return n, judge.Faults{
		{File: v.Folder.Validator.Path, Text: text, Hint: "read the input to its last byte, and nothing else (kit: Space, EOLN, EOF)"},
	}, nil
}
