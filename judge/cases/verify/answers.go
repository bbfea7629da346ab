package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"assay/judge"
	"assay/judge/cases/gen"
	"assay/judge/internal/window"
	"assay/judge/running/check"
	"assay/judge/running/lang"
	"assay/judge/running/trial"
)

// answersCheck returns the name of the check of answer files.
func (v *Verifier) answersCheck() string {
	if v.Directory.Reference == nil {
		return "the checker accepts every answer"
	}
	return "every answer is the reference's, and right"
}

// referenceResult is the reference solution's result on a case.
type referenceResult struct {
	output []byte              // output; nil if it equals the answer file
	fault  *judge.ProblemError // set if the reference solution failed
}

// answers checks every answer file with the checker, and compares it with the current output of the reference
// solution. Only a few outputs are held in memory at a time, because they can be large.
func (v *Verifier) answers(ctx context.Context) (n int, faults judge.ProblemErrors, err error) {
	var program *judge.Program
	if part := v.Directory.Reference; part != nil {
		if program, err = v.Programs.BuildProgram(ctx, part); err != nil {
			return 0, nil, err
		}
	} else if v.Directory.Checker.Program == nil || v.Directory.Kind.Interactive || v.Directory.Kind.MultiPass {
		return 0, nil, nil // there is nothing to compare with
	}
	b := &answerComparison{v: v}
	if !v.Directory.Kind.Interactive && !v.Directory.Kind.MultiPass { // otherwise an answer file is not an output
		if b.answers, err = v.Programs.Checker(ctx); err != nil {
			v.checkerError = "the checker cannot be used"
			return 0, nil, err
		}
		defer b.answers.Close()
		if b.outputs, err = v.Programs.Checker(ctx); err != nil {
			return 0, nil, err
		}
		defer b.outputs.Close()
	}
	var cases []*judge.Case
	for c := range v.cases {
		if info, err := os.Stat(c.Ans); c.Ans == "" || v.Directory.LacksAnswers() && err == nil && info.Size() == 0 {
			continue // the case needs no answer
		}
		cases = append(cases, c)
	}
	ready := make([]chan referenceResult, len(cases))
	for i := range ready {
		ready[i] = make(chan referenceResult, 1)
	}
	group, gctx := errgroup.WithContext(ctx)
	ahead := make(chan bool, 2*max(v.Jobs, 1)) // limits the number of outputs waiting to be compared
	group.Go(func() error {
		runs, rctx := errgroup.WithContext(gctx)
		runs.SetLimit(max(v.Jobs, 1))
		for i, c := range cases {
			select {
			case ahead <- true:
			case <-rctx.Done():
				return errors.Join(runs.Wait(), gctx.Err())
			}
			runs.Go(func() error {
				r, err := v.reply(rctx, program, c)
				if err == nil {
					ready[i] <- r
				}
				return err
			})
		}
		return runs.Wait()
	})
	group.Go(func() error {
		for i, c := range cases { // in judging order, because a checker may keep state
			select {
			case r := <-ready[i]:
				if b.timedOutOn != "" {
					<-ahead
					continue
				}
				fault, err := b.compare(gctx, c, r)
				if err != nil {
					return err
				}
				if n++; fault != nil {
					faults = append(faults, fault)
				}
				if v.changed && c.Line != "" && (fault != nil || r.fault != nil) {
					v.doubtful[c.ID()] = true // another reference solution made the answer
				}
				<-ahead
			case <-gctx.Done():
				return gctx.Err()
			}
		}
		return nil
	})
	err = group.Wait()
	switch {
	case b.timedOutOn != "":
		v.checkerError = "the checker does not end on case " + b.timedOutOn
	case n > 0 && b.crashes.cases == n:
		v.checkerError = "the checker fails on every test case"
	}
	return n, slices.Concat(b.crashes.faults(), b.failed.faults(), limitFaults(faults)), err
}

// maxDisagreements is the maximum number of disagreements with the reference solution that are shown.
const maxDisagreements = 5

// limitFaults keeps the first maxDisagreements faults, and adds the number of omitted faults to the last of them.
func limitFaults(faults judge.ProblemErrors) judge.ProblemErrors {
	more := len(faults) - maxDisagreements
	if more <= 0 {
		return faults
	}
	kept := slices.Clone(faults[:maxDisagreements])
	last := *kept[maxDisagreements-1]
	last.Hint = strings.TrimLeft(last.Hint+fmt.Sprintf("\nso it is with %d more cases", more), "\n")
	kept[maxDisagreements-1] = &last
	return kept
}

// reply runs the reference solution again on a case. If program is nil, it does nothing.
func (v *Verifier) reply(ctx context.Context, program *judge.Program, c *judge.Case) (r referenceResult, err error) {
	if program == nil {
		return referenceResult{}, nil
	}
	got, err := v.solve(ctx, program, c)
	if f, ok := errors.AsType[*judge.ProblemError](err); ok {
		return referenceResult{fault: f}, nil
	}
	if err != nil {
		return referenceResult{}, err
	}
	want, err := os.ReadFile(c.Ans)
	if err != nil {
		return referenceResult{}, &judge.ProblemError{File: c.Ans, Text: err.Error()}
	}
	if !bytes.Equal(got, want) {
		r.output = append([]byte{}, got...) // not nil, even if it is empty
	}
	return r, nil
}

// An answerComparison compares answer files with the outputs of the reference solution. A checker may keep state
// across cases. So one checker judges all answer files as one submission, and another judges all outputs of the
// reference solution. If the problem's programs interact or run several times, both checkers are nil.
type answerComparison struct {
	v                *Verifier
	answers, outputs check.Checker
	crashes, failed  crashes // crashes of the checker and of the reference solution
	timedOutOn       string  // case on which the checker timed out; if set, no other case is tried
}

// compare returns a fault for one case if the checker rejects the answer file, or if the answer file and the
// reference solution disagree.
func (b *answerComparison) compare(ctx context.Context, c *judge.Case, r referenceResult) (*judge.ProblemError, error) {
	if r.fault != nil {
		b.failed.add(referenceFault(b.v.Directory.Reference, r.fault), c.ID())
		return nil, nil
	}
	ans, err := readOptional(c.Ans)
	if err != nil {
		return nil, err
	}
	builtin := b.v.Directory.Checker.Program == nil
	switch {
	case r.output == nil && b.answers == nil:
		return nil, nil
	case r.output != nil && b.answers == nil:
		return b.v.disagreement(c, ans, r.output, ""), nil
	case r.output != nil && builtin:
		o, err := judgeAnswer(ctx, b.outputs, c, ans, r.output)
		if err != nil || o.Verdict == judge.Accepted {
			return nil, err
		}
		return b.v.disagreement(c, ans, r.output, outcomeText(o)), nil
	}
	own, err := judgeAnswer(ctx, b.answers, c, ans, ans)
	if err != nil {
		return nil, err
	}
	if own.Verdict == judge.JudgeError {
		if fault := b.v.crashOf(own.Message); fault != nil {
			if b.crashes.add(fault, c.ID()); timedOut(fault) {
				b.timedOutOn = c.ID()
			}
			return nil, nil
		}
	}
	if r.output == nil {
		if !builtin && b.v.Directory.Checker.Program.Protocol == "kit" { // only kit checkers keep state
			_, err = judgeAnswer(ctx, b.outputs, c, ans, ans)
		}
		return b.v.rejectedAnswer(c, own), err
	}
	theirs, err := judgeAnswer(ctx, b.outputs, c, ans, r.output)
	if err != nil {
		return nil, err
	}
	return b.judgePair(ctx, c, answerPair{ans: ans, out: r.output, stored: own, reference: theirs})
}

// An answerPair is an answer file and a different output of the reference solution, with the checker's result for
// each. In both results, the answer file serves as the answer.
type answerPair struct {
	ans, out          []byte
	stored, reference judge.Outcome
}

// judgePair decides whether both texts are correct, and otherwise which of them is at fault. A checker may accept
// everything that is at least as good as the answer. To find the worse text, settle also judges both with the
// reference solution's output as the answer.
func (b *answerComparison) judgePair(ctx context.Context, c *judge.Case, p answerPair) (*judge.ProblemError, error) {
	swapped := func(out []byte) (judge.Outcome, error) {
		checker, err := b.v.Programs.Checker(ctx)
		if err != nil {
			return judge.Outcome{}, err
		}
		defer checker.Close()
		return judgeAnswer(ctx, checker, c, p.out, out)
	}
	ansByOut, err := swapped(p.ans)
	if err != nil {
		return nil, err
	}
	outByOut, err := swapped(p.out)
	if err != nil {
		return nil, err
	}
	accepted := func(o judge.Outcome) bool { return o.Verdict == judge.Accepted }
	switch {
	case !accepted(p.stored) && !accepted(outByOut):
		fault := b.v.rejectedAnswer(c, p.stored)
		fault.Hint += "\nthe checker also rejects the reference's output: " + outcomeText(outByOut) + "\n" + showDifference(c, p.ans, p.out)
		return fault, nil
	case !accepted(p.stored):
		return b.v.disagreement(c, p.ans, p.out, outcomeText(p.stored)), nil
	case !accepted(p.reference) && outByOut.Verdict == judge.WrongAnswer:
		return &judge.ProblemError{File: b.v.Directory.Reference.Path,
			Text: fmt.Sprintf("the checker rejects what the reference prints for case %s: %s", c.ID(), outcomeText(p.reference)),
			Hint: fmt.Sprintf("it accepts %s: fix the reference\n%s", c.Ans, showDifference(c, p.ans, p.out))}, nil
	case !accepted(p.reference):
		return b.v.disagreement(c, p.ans, p.out, outcomeText(p.reference)), nil
	case p.stored.Award != p.reference.Award:
		return b.v.disagreement(c, p.ans, p.out, awardDifference(p.stored.Award, p.reference.Award)), nil
	case !accepted(outByOut): // answer files have another form than outputs
		return nil, nil
	case !accepted(ansByOut):
		return b.v.disagreement(c, p.ans, p.out, outcomeText(ansByOut)), nil
	case ansByOut.Award != outByOut.Award:
		return b.v.disagreement(c, p.ans, p.out, awardDifference(ansByOut.Award, outByOut.Award)), nil
	}
	return nil, nil
}

// rejectedAnswer returns the fault for an answer file that the checker rejects. The caller uses this fault if the
// reference solution prints the same text as the answer file, or if there is no reference solution.
func (v *Verifier) rejectedAnswer(c *judge.Case, o judge.Outcome) *judge.ProblemError {
	if o.Verdict == judge.Accepted {
		return nil
	}
	file, hint := c.Ans, "fix the checker or the reference"
	switch {
	case c.Line != "":
	case v.Directory.Reference == nil:
		hint = fmt.Sprintf("correct %s, or fix the checker", c.Ans)
	default:
		hint = fmt.Sprintf("fix the checker, or correct %s and the reference", c.Ans)
	}
	if part := v.Directory.Checker.Program; part != nil && o.Verdict == judge.JudgeError {
		file = part.Path
	}
	text := fmt.Sprintf("the checker does not accept the answer of case %s itself: %s", c.ID(), outcomeText(o))
	return &judge.ProblemError{File: file, Text: text, Hint: hint}
}

// disagreement returns the fault for an answer file that differs from the reference solution's output. The parameter
// why is the checker's message, or empty if the checker was not run.
func (v *Verifier) disagreement(c *judge.Case, ans, out []byte, reason string) *judge.ProblemError {
	text := fmt.Sprintf("the reference does not give this answer to case %s", c.ID())
	if reason != "" {
		text += ": " + reason
	}
	hint := fmt.Sprintf("correct %s, or fix the reference", c.Ans)
	if c.Line != "" {
		hint = "the file is generated: fix the reference, then run: judge generate " + v.Directory.ID
	}
	return &judge.ProblemError{File: c.Ans, Text: text, Hint: hint + "\n" + showDifference(c, ans, out)}
}

// outcomeText formats an outcome.
func outcomeText(o judge.Outcome) string {
	return strings.TrimSuffix(fmt.Sprintf("%s: %s", o.Verdict.Words(), o.Message), ": ")
}

// awardDifference describes the difference between the scores of an answer file and of the reference solution's output.
func awardDifference(ans, out judge.Award) string {
	word := func(a judge.Award) string {
		if a.By == judge.NoAward {
			return "no score"
		}
		return fmt.Sprintf("%v (%s)", a.Value, a.By)
	}
	return fmt.Sprintf("the checker gives the answer file %s, and the reference's output %s", word(ans), word(out))
}

// showDifference shows an answer file and another text around their first difference.
func showDifference(c *judge.Case, ans, out []byte) string {
	whole := func(data []byte) *io.SectionReader {
		return io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))
	}
	d := window.Detail(nil, whole(ans), whole(out), nil)
	differ := 1 + bytes.Count(ans[:samePrefix(ans, out)], []byte{'\n'})
	return shorten("answer file", d.Want, differ) + "\n" + shorten("reference", d.Got, differ)
}

// samePrefix returns the length of the longest common prefix.
func samePrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// linesShown is the number of lines of a text that a fault shows, and lineShown the number of characters per line.
const (
	linesShown = 3
	lineShown  = 70
)

// shorten returns some lines of a text, starting with line from.
func shorten(name string, e judge.Excerpt, from int) string {
	if e.Size == 0 {
		return name + " is empty"
	}
	all := strings.Split(strings.TrimSuffix(e.Text, "\n"), "\n")
	skip := min(max(from-e.FirstLine, 0), len(all))
	lines, more := all[skip:], e.After
	if len(lines) == 0 {
		return fmt.Sprintf("%s ends after line %d", name, e.FirstLine+len(all)-1)
	}
	if len(lines) > linesShown {
		lines, more = lines[:linesShown], true
	}
	if more {
		lines = append(slices.Clone(lines), window.Cut)
	}
	for i, line := range lines {
		if r := []rune(line); len(r) > lineShown {
			lines[i] = string(r[:lineShown]) + window.Cut
		}
	}
	where := ""
	if first := e.FirstLine + skip; first > 1 {
		where = fmt.Sprintf(" from line %d", first)
	}
	if len(lines) == 1 {
		return fmt.Sprintf("%s%s: %s", name, where, lines[0])
	}
	return fmt.Sprintf("%s%s:\n  %s", name, where, strings.Join(lines, "\n  "))
}

// solve runs the reference solution on a case. If the case contains more than an input, the reference solution
// runs like a submission.
func (v *Verifier) solve(ctx context.Context, program *judge.Program, c *judge.Case) ([]byte, error) {
	part := v.Directory.Reference
	if len(c.Args)+len(c.Files) == 0 {
		in, err := os.Open(c.In)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		return gen.RunReference(ctx, v.Runner, program, part, v.Directory.Limits, in)
	}
	told := *program
	told.Argv = slices.Concat(program.Argv, part.Args)
	limits := v.Directory.Limits.Scaled(2)
	run := trial.Batch{Runner: v.Runner, Limits: limits, BuildSubmission: func(context.Context) (*lang.Result, error) {
		return &lang.Result{OK: true, Program: &told}, nil
	}}
	defer run.Close()
	if _, err := run.Build(ctx); err != nil {
		return nil, err
	}
	a, err := run.Try(ctx, c)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	if verdict := judge.Classify(a.Exec, limits); verdict != judge.NotJudged {
		text := fmt.Sprintf("the reference fails on it: %s (%s)", verdict.Words(), a.Exec.Termination())
		return nil, &judge.ProblemError{Text: text, Hint: "fix the reference\n" + string(a.Stderr)}
	}
	return io.ReadAll(a.Out)
}
