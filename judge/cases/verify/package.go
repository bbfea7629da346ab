package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"assay/judge"
	"assay/judge/cases/gen"
	"assay/judge/internal/pattern"
	"assay/judge/problem"
	"assay/judge/running/check"
)

// packageChecks runs the checks that precede the submissions of a package.
func (v *Verifier) packageChecks(ctx context.Context) (ready bool, err error) {
	p := v.Directory.Package
	if p.Assumed != "" {
		v.note(p.Assumed)
	}
	v.report("the package is as the format says", 1, append(p.Warnings, checkName(v.Directory.ID, v.Directory.Dir, p.Foreign)...))
	// The following results are only advice, and so are the validators' results for junk, because the format does
	// not require these checks to succeed.
	faults, warnings := v.texts()
	v.reportCheck("every case is a text with proper line ends", v.Directory.CaseCount(), limitPerText(faults), limitPerText(warnings))
	v.reportCheck("no two secret cases are the same", v.Directory.CaseCount(), nil, v.duplicates())
	if err := v.runSteps(ctx,
		step{name: "every input is valid", do: v.packageInputs},
		step{name: "the validators refuse junk", do: v.packageInvalidInputs, advisory: true},
		step{name: "the validators prove themselves", do: v.validatorCases},
		step{name: "the validator judges every answer", do: v.packageAnswers},
		step{name: "the statement's examples are sample cases", do: v.examples},
		step{name: "the statement's pictures can be shown", do: v.pictures},
		step{name: "no formula of the statement is broken", do: v.formulas},
		step{name: "every formula of the statement can be drawn", do: v.undrawn, advisory: true},
		step{name: "all of the statement is shown", do: v.unshown, advisory: true},
		step{name: "no two sample cases are the same", do: v.equalSamples, advisory: true},
		step{name: "the output validator refuses junk", do: v.checkWrongOutputs, advisory: true},
	); err != nil {
		return false, err
	}
	if len(v.oddlyEncoded) > 0 && v.casesUnusable() {
		return false, nil
	}
	if built, err := v.buildJudgingPrograms(ctx); !built {
		return false, err
	}
	prepared, err := v.Builder.Prepared(ctx)
	if err != nil {
		return false, err
	}
	if n := len(prepared.Graders); n > 0 {
		v.report("the graders can be built", n, prepared.Graders)
	}
	if prepared.Limit != "" {
		v.onEvent(&judge.Noted{Text: prepared.Limit})
	}
	return true, nil
}

// packageName matches valid names for the directory of a package.
var packageName = pattern.New(`^[a-z0-9]+$`)

func checkName(id, dir string, foreign bool) judge.ProblemErrors {
	if foreign || packageName().MatchString(id) {
		return nil
	}
	return judge.ProblemErrors{
		{File: dir, Text: fmt.Sprintf("%q cannot be the name of a package", id), Hint: "small letters and digits will do"},
	}
}

// limitPerText keeps the first five faults with each text. If it omits faults, it adds the number of all faults with that
// text to a hint.
func limitPerText(faults judge.ProblemErrors) (kept judge.ProblemErrors) {
	const most = 5
	count := map[string]int{}
	for _, f := range faults {
		if count[f.Text]++; count[f.Text] <= most {
			kept = append(kept, f)
		}
	}
	for _, f := range kept {
		if n := count[f.Text]; n > most {
			f.Hint = strings.TrimSpace(fmt.Sprintf("%s\n%d files are so", f.Hint, n))
			count[f.Text] = 0
		}
	}
	return kept
}

// duplicates finds secret cases that are identical from a submission's point of view.
func (v *Verifier) duplicates() (faults judge.ProblemErrors) {
	first := map[string]string{}
	for c := range v.cases {
		if c.Group == "sample" || strings.HasPrefix(c.Group, "sample/") {
			continue
		}
		sum, err := v.Cache.hash(c.In)
		if err != nil {
			continue // judging reports unreadable files
		}
		words := []any{sum, c.Group, fmt.Sprintf("%q", c.Args)}
		for _, f := range c.Files {
			if sum, err := v.Cache.hash(f.Path); err == nil {
				words = append(words, f.Name, sum)
			}
		}
		key := digest(words...)
		if other := first[key]; other != "" {
			faults = append(faults, &judge.ProblemError{File: c.In, Text: fmt.Sprintf("the same case as %s", other), Hint: "remove one"})
			continue
		}
		first[key] = c.ID()
	}
	return faults
}

// inputCheck is a built input validator.
type inputCheck struct {
	*problem.InputValidator
	program *judge.Program
	cache   *runCache
	mu      sync.Mutex
	ready   map[string]gen.Validator // running validators, by arguments
}

// inputChecks builds the input validators.
func (v *Verifier) inputChecks(ctx context.Context) (list []*inputCheck, err error) {
	for _, in := range v.Directory.Package.Inputs {
		program, err := v.Programs.BuildProgram(ctx, &in.SetterProgram)
		if err != nil {
			return nil, err
		}
		key := program.Key
		if key == "" { // nothing was built, so hash the file itself
			if key, err = v.Cache.hash(in.Path); err != nil {
				return nil, &judge.ProblemError{File: in.Path, Text: err.Error()}
			}
		}
		list = append(list, &inputCheck{InputValidator: in, program: program, cache: v.Cache.cache(key), ready: map[string]gen.Validator{}})
	}
	return list, nil
}

// validate runs an input validator. It returns "" if the validator accepts the input.
func (v *Verifier) validate(ctx context.Context, in *inputCheck, args []string, data []byte) (string, error) {
	key := digest("input", string(data), fmt.Sprintf("%q", args), v.Limits)
	var known string
	if in.cache.get(key, &known) {
		return known, nil
	}
	in.mu.Lock()
	words := fmt.Sprintf("%q", args)
	validator := in.ready[words]
	if validator == nil {
		part := in.SetterProgram
		part.Args = args
		made, err := gen.NewValidator(ctx, v.Runner, in.program, &part, v.Limits)
		if err != nil {
			in.mu.Unlock()
			return "", v.locateInProgram(&in.SetterProgram, err)
		}
		validator = made
		in.ready[words] = made
	}
	in.mu.Unlock()
	text, err := validator.Validate(ctx, in.Name, data)
	if err != nil {
		return "", v.locateInProgram(&in.SetterProgram, err)
	}
	in.cache.put(key, text)
	return text, nil
}

func closeChecks(validators []*inputCheck) {
	for _, in := range validators {
		for _, validator := range in.ready {
			validator.Close()
		}
	}
}

// packageInputs runs every input validator on every input.
func (v *Verifier) packageInputs(ctx context.Context) (n int, faults judge.ProblemErrors, err error) {
	all, err := v.inputChecks(ctx)
	if err != nil {
		return 0, nil, err
	}
	defer closeChecks(all)
	if len(all) == 0 {
		return 0, judge.ProblemErrors{{File: filepath.Join(
			v.Directory.Dir, "input_validators",
		), Text: "there is no input validator", Hint: "add one: it reads an input, and exits with 42 if it is valid"}}, nil
	}
	var cases []*judge.Case
	for c := range v.cases {
		cases = append(cases, c)
	}
	for i := range v.Directory.Package.Extra {
		// In Polygon, validators do not check the inputs of checker tests, and these inputs keep their Windows
		// line endings.
		if e := &v.Directory.Package.Extra[i]; e.Kind != problem.InvalidInput && !v.Directory.Package.Foreign {
			cases = append(cases, &e.Case)
		}
	}
	found := make([]judge.ProblemErrors, len(cases))
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(max(v.Jobs, 1))
	for i, c := range cases {
		group.Go(func() error {
			data, err := os.ReadFile(c.In)
			if err != nil {
				found[i] = judge.ProblemErrors{{File: c.In, Text: err.Error()}}
				return nil
			}
			for _, in := range all {
				text, err := v.validate(gctx, in, v.Directory.Package.InputArgs(in.InputValidator, c), data)
				if err != nil {
					return err
				}
				if text != "" {
					found[i] = append(found[i], &judge.ProblemError{
						File: c.In, Text: fmt.Sprintf("the input is not valid, says %s: %s", in.Name, text),
						Hint: "fix the case or the validator",
					})
				}
			}
			return nil
		})
	}
	err = group.Wait()
	for _, f := range found {
		faults = append(faults, f...)
	}
	return len(cases), faults, err
}

// packageInvalidInputs passes invalid inputs to the input validators. At least one validator must reject each.
func (v *Verifier) packageInvalidInputs(ctx context.Context) (n int, faults judge.ProblemErrors, err error) {
	all, err := v.inputChecks(ctx)
	if err != nil || len(all) == 0 {
		return 0, nil, nil // packageInputs has reported it
	}
	defer closeChecks(all)
	valid := map[string]bool{} // texts that are valid inputs of this problem
	for c := range v.cases {
		if info, err := os.Stat(c.In); err == nil && info.Size() < 1000 {
			data, _ := os.ReadFile(c.In)
			valid[string(data)] = true
		}
	}
	for _, try := range gen.InvalidInputs() {
		if valid[try.Text] {
			continue
		}
		n++
		refused, err := v.anyRejects(ctx, all, nil, []byte(try.Text))
		if err != nil {
			return n, faults, err
		}
		if !refused {
			faults = append(faults, &judge.ProblemError{
				File: all[0].Path, Text: "the input validators accept " + try.Name,
				Hint: "read the input to its last byte, and nothing else",
			})
		}
	}
	return n, faults, nil
}

// anyRejects reports whether any of the input validators rejects an input.
func (v *Verifier) anyRejects(ctx context.Context, validators []*inputCheck, c *judge.Case, data []byte) (bool, error) {
	for _, in := range validators {
		var args []string
		if c != nil {
			args = v.Directory.Package.InputArgs(in.InputValidator, c)
		}
		text, err := v.validate(ctx, in, args, data)
		if err != nil || text != "" {
			return text != "", err
		}
	}
	return false, nil
}

// validatorCases checks the cases in invalid_input, invalid_output and valid_output.
func (v *Verifier) validatorCases(ctx context.Context) (n int, faults judge.ProblemErrors, err error) {
	extra := v.Directory.Package.Extra
	if len(extra) == 0 {
		return 0, nil, nil
	}
	all, err := v.inputChecks(ctx)
	if err != nil {
		return 0, nil, nil // packageInputs has reported the error
	}
	defer closeChecks(all)
	for i := range extra {
		e := &extra[i]
		n++
		if e.Kind == problem.InvalidInput {
			data, err := os.ReadFile(e.In)
			if err != nil {
				return n, faults, &judge.ProblemError{File: e.In, Text: err.Error()}
			}
			refused, err := v.anyRejects(ctx, all, &e.Case, data)
			if err != nil {
				return n, faults, err
			}
			if !refused {
				faults = append(
					faults,
					&judge.ProblemError{
						File: e.In, Text: "no input validator rejects this input",
						Hint: "fix a validator, or remove the case",
					},
				)
			}
			continue
		}
		if v.Directory.Kind.Interactive || v.Directory.Kind.MultiPass {
			continue // the case has no output to check
		}
		o, err := v.validateOutput(ctx, &e.Case, e.Out)
		if err != nil {
			return n, faults, err
		}
		if want := (map[problem.ProofKind]judge.Verdict{
			problem.InvalidOutput: judge.WrongAnswer, problem.ValidOutput: judge.Accepted,
		})[e.Kind]; o.Verdict != want {
			faults = append(faults, &judge.ProblemError{
				File: e.Out,
				Text: strings.TrimSuffix(
					fmt.Sprintf("the output validator says %s, want %s: %s", o.Verdict.Words(), want.Words(), o.Message),
					": ",
				),
				Hint: "fix the validator, or move the case",
			})
		}
	}
	return n, faults, nil
}

// validateOutput runs the output validator on a file as an output.
func (v *Verifier) validateOutput(ctx context.Context, c *judge.Case, out string) (judge.Outcome, error) {
	checker, err := v.Programs.Checker(ctx)
	if err != nil {
		return judge.Outcome{}, err
	}
	defer checker.Close()
	return judgeFile(ctx, checker, c, out)
}

func judgeFile(ctx context.Context, checker check.Checker, c *judge.Case, out string) (judge.Outcome, error) {
	data, err := readOptional(out)
	if err != nil {
		return judge.Outcome{}, err
	}
	return judgeText(ctx, checker, c, data)
}

// packageAnswers judges each answer file as an output with the package's own output validator. The default
// validator always accepts equal texts. A rejected answer is only noted, because answer files may have another
// form than outputs.
func (v *Verifier) packageAnswers(ctx context.Context) (n int, faults judge.ProblemErrors, err error) {
	part := v.Directory.Checker.Program
	if part == nil || v.Directory.Kind.Interactive || v.Directory.Kind.MultiPass {
		return 0, nil, nil
	}
	program, err := v.Programs.BuildProgram(ctx, part)
	if err != nil {
		return 0, nil, err
	}
	cache := v.Cache.cache(program.Key)
	checker, err := v.Programs.Checker(ctx)
	if err != nil {
		return 0, nil, err
	}
	defer checker.Close()
	var refused []string
	defer func() {
		if len(refused) > 0 {
			v.onEvent(&judge.Noted{Text: fmt.Sprintf(
				"the output validator does not accept %d of %d answers as outputs, which is right where answers have a form of their own: %s",
				len(refused), n, refused[0],
			)})
		}
	}()
	for c := range v.cases {
		n++
		in, err1 := v.Cache.hash(c.In)
		ans, err2 := v.Cache.hash(c.Ans)
		if err := errors.Join(err1, err2); err != nil {
			return n, faults, &judge.ProblemError{File: c.In, Text: err.Error()}
		}
		key := digest("answer", in, ans, fmt.Sprintf("%q %q", part.Args, c.CheckerArgs))
		var known answerResult
		if !cache.get(key, &known) {
			o, err := judgeFile(ctx, checker, c, c.Ans)
			if err != nil {
				return n, faults, err
			}
			known = answerResult{o.Verdict, o.Message}
			cache.put(key, known)
		}
		switch known.Verdict {
		case judge.Accepted:
		case judge.JudgeError:
			faults = append(
				faults,
				&judge.ProblemError{
					File: c.Ans, Text: "the output validator fails on the answer itself: " + known.Message,
					Hint: "fix the validator",
				},
			)
		default:
			refused = append(refused, strings.TrimSuffix(c.ID()+": "+known.Message, ": "))
		}
	}
	return n, faults, nil
}

// answerResult is the output validator's result for an answer file.
type answerResult struct {
	Verdict judge.Verdict `json:"verdict"`
	Message string        `json:"message"`
}

// judgingPrograms builds the programs that judge, and records their hash. Because of the hash, stored results of
// other programs are not used.
func (v *Verifier) judgingPrograms(ctx context.Context) error {
	var keys []string
	for _, part := range []*judge.SetterProgram{v.Directory.Checker.Program, v.Directory.Interactor, v.Directory.Static} {
		if part == nil {
			continue
		}
		program, err := v.Programs.BuildProgram(ctx, part)
		if err != nil {
			return err
		}
		keys = append(keys, program.Key, fmt.Sprintf("%q %s", part.Args, part.Protocol))
	}
	v.judgedBy = digest(fmt.Sprintf("%q", slices.Clip(keys)))
	return nil
}
