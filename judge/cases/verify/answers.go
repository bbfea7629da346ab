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
	if v.Folder.Reference == nil {
		return "the checker accepts every answer"
	}
	return "every answer is the reference's, and right"
}

// replied is the reference solution's result on a case.
type replied struct {
	out   []byte       // output; nil if it equals the answer file
	fault *judge.Fault // set if the reference solution failed
}

// answers checks every answer file with the checker, and compares it with the current output of the reference
// solution. Only a few outputs are held in memory at a time, because they can be large.
func (v *Verifier) answers(ctx context.Context) (n int, faults judge.Faults, err error) {
	var program *judge.Program
	if part := v.Folder.Reference; part != nil {
		if program, err = v.Crew.Part(ctx, part); err != nil {
			return 0, nil, err
		}
	} else if v.Folder.Checker.Program == nil || v.Folder.Kind.Interactive || v.Folder.Kind.MultiPass {
		return 0, nil, nil // there is nothing to compare with
	}
	b := &bout{v: v}
	if !v.Folder.Kind.Interactive && !v.Folder.Kind.MultiPass { // otherwise an answer file is not an output
		if b.answers, err = v.Crew.Checker(ctx); err != nil {
			v.broken = "the checker cannot be used"
			return 0, nil, err
		}
		defer b.answers.Close()
		if b.outputs, err = v.Crew.Checker(ctx); err != nil {
			return 0, nil, err
		}
		defer b.outputs.Close()
	}
	var cases []*judge.Case
	for c := range v.cases {
		if info, err := os.Stat(c.Ans); c.Ans == "" || v.Folder.Unanswered() && err == nil && info.Size() == 0 {
			continue // the case needs no answer
		}
		cases = append(cases, c)
	}
	ready := make([]chan replied, len(cases))
	for i := range ready {
		ready[i] = make(chan replied, 1)
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
				if b.hung != "" {
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
	case b.hung != "":
		v.broken = "the checker does not end on case " + b.hung
	case n > 0 && b.crashes.cases == n:
		v.broken = "the checker fails on every test case"
	}
	return n, slices.Concat(b.crashes.faults(), b.failed.faults(), first(faults)), err
}

// mostDisagreements is the maximum number of disagreements with the reference solution that are shown.
const mostDisagreements = 5

// first keeps the first mostDisagreements faults, and adds the number of omitted faults to the last of them.
func first(faults judge.Faults) judge.Faults {
	more := len(faults) - mostDisagreements
	if more <= 0 {
		return faults
	}
	kept := slices.Clone(faults[:mostDisagreements])
	last := *kept[mostDisagreements-1]
	last.Hint = strings.TrimLeft(last.Hint+fmt.Sprintf("\nso it is with %d more cases", more), "\n")
	kept[mostDisagreements-1] = &last
	return kept
}

// reply runs the reference solution again on a case. If program is nil, it does nothing.
func (v *Verifier) reply(ctx context.Context, program *judge.Program, c *judge.Case) (r replied, err error) {
	if program == nil {
		return replied{}, nil
	}
	got, err := v.solve(ctx, program, c)
	if f, ok := errors.AsType[*judge.Fault](err); ok {
		return replied{fault: f}, nil
	}
	if err != nil {
		return replied{}, err
	}
	want, err := os.ReadFile(c.Ans)
	if err != nil {
		return replied{}, &judge.Fault{File: c.Ans, Text: err.Error()}
	}
	if !bytes.Equal(got, want) {
		r.out = append([]byte{}, got...) // not nil, even if it is empty
	}
	return r, nil
}

// A bout compares answer files with the outputs of the reference solution. A checker may keep state across cases.
// So one checker judges all answer files as one submission, and another judges all outputs of the reference
// solution. If the problem's programs interact or run several times, both checkers are nil.
type bout struct {
	v                *Verifier
	answers, outputs check.Checker
	crashes, failed  crashes // crashes of the checker and of the reference solution
	hung             string  // case on which the checker timed out; if set, no other case is tried
}

// compare returns a fault for one case if the checker rejects the answer file, or if the answer file and the
// reference solution disagree.
func (b *bout) compare(ctx context.Context, c *judge.Case, r replied) (*judge.Fault, error) {
	if r.fault != nil {
		b.failed.add(referenceFault(b.v.Folder.Reference, r.fault), c.ID())
		return nil, nil
	}
	ans, err := optional(c.Ans)
	if err != nil {
		return nil, err
	}
	builtin := b.v.Folder.Checker.Program == nil
	switch {
	case r.out == nil && b.answers == nil:
		return nil, nil
	case r.out != nil && b.answers == nil:
		return b.v.disagree(c, ans, r.out, ""), nil
	case r.out != nil && builtin:
		o, err := judgeAnswer(ctx, b.outputs, c, ans, r.out)
		if err != nil || o.Verdict == judge.Accepted {
			return nil, err
		}
		return b.v.disagree(c, ans, r.out, said(o)), nil
	}
	own, err := judgeAnswer(ctx, b.answers, c, ans, ans)
	if err != nil {
		return nil, err
	}
	if own.Verdict == judge.JudgeError {
		if fault := b.v.crashOf(own.Message); fault != nil {
			if b.crashes.add(fault, c.ID()); timedOut(fault) {
				b.hung = c.ID()
			}
			return nil, nil
		}
	}
	if r.out == nil {
		if !builtin && b.v.Folder.Checker.Program.Speaks == "kit" { // only kit checkers keep state
			_, err = judgeAnswer(ctx, b.outputs, c, ans, ans)
		}
		return b.v.rejected(c, own), err
	}
	theirs, err := judgeAnswer(ctx, b.outputs, c, ans, r.out)
	if err != nil {
		return nil, err
	}
	return b.settle(ctx, c, pairing{ans: ans, out: r.out, own: own, theirs: theirs})
}

// A pairing is an answer file and a different output of the reference solution, with the checker's result for
// each. In both results, the answer file serves as the answer.
type pairing struct {
	ans, out    []byte
	own, theirs judge.Outcome
}

// settle decides whether both texts are correct, and otherwise which of them is at fault. A checker may accept
// everything that is at least as good as the answer. To find the worse text, settle also judges both with the
// reference solution's output as the answer.
func (b *bout) settle(ctx context.Context, c *judge.Case, p pairing) (*judge.Fault, error) {
	swapped := func(out []byte) (judge.Outcome, error) {
		checker, err := b.v.Crew.Checker(ctx)
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
	case !accepted(p.own) && !accepted(outByOut):
		fault := b.v.rejected(c, p.own)
		fault.Hint += "\nthe checker also rejects the reference's output: " + said(outByOut) + "\n" + both(c, p.ans, p.out)
		return fault, nil
	case !accepted(p.own):
		return b.v.disagree(c, p.ans, p.out, said(p.own)), nil
	case !accepted(p.theirs) && outByOut.Verdict == judge.WrongAnswer:
		return &judge.Fault{File: b.v.Folder.Reference.Path,
			Text: fmt.Sprintf("the checker rejects what the reference prints for case %s: %s", c.ID(), said(p.theirs)),
			Hint: fmt.Sprintf("it accepts %s: fix the reference\n%s", c.Ans, both(c, p.ans, p.out))}, nil
	case !accepted(p.theirs):
		return b.v.disagree(c, p.ans, p.out, said(p.theirs)), nil
	case p.own.Award != p.theirs.Award:
		return b.v.disagree(c, p.ans, p.out, awards(p.own.Award, p.theirs.Award)), nil
	case !accepted(outByOut): // answer files have another form than outputs
		return nil, nil
	case !accepted(ansByOut):
		return b.v.disagree(c, p.ans, p.out, said(ansByOut)), nil
	case ansByOut.Award != outByOut.Award:
		return b.v.disagree(c, p.ans, p.out, awards(ansByOut.Award, outByOut.Award)), nil
	}
	return nil, nil
}

// rejected returns the fault for an answer file that the checker rejects. The caller uses this fault if the
// reference solution prints the same text as the answer file, or if there is no reference solution.
func (v *Verifier) rejected(c *judge.Case, o judge.Outcome) *judge.Fault {
	if o.Verdict == judge.Accepted {
		return nil
	}
	file, hint := c.Ans, "fix the checker or the reference"
	switch {
	case c.Line != "":
	case v.Folder.Reference == nil:
		hint = fmt.Sprintf("correct %s, or fix the checker", c.Ans)
	default:
		hint = fmt.Sprintf("fix the checker, or correct %s and the reference", c.Ans)
	}
	if part := v.Folder.Checker.Program; part != nil && o.Verdict == judge.JudgeError {
		file = part.Path
	}
	text := fmt.Sprintf("the checker does not accept the answer of case %s itself: %s", c.ID(), said(o))
	return &judge.Fault{File: file, Text: text, Hint: hint}
}

// disagree returns the fault for an answer file that differs from the reference solution's output. The parameter
// why is the checker's message, or empty if the checker was not run.
func (v *Verifier) disagree(c *judge.Case, ans, out []byte, why string) *judge.Fault {
	text := fmt.Sprintf("the reference does not give this answer to case %s", c.ID())
	if why != "" {
		text += ": " + why
	}
	hint := fmt.Sprintf("correct %s, or fix the reference", c.Ans)
	if c.Line != "" {
		hint = "the file is generated: fix the reference, then run: judge generate " + v.Folder.ID
	}
	return &judge.Fault{File: c.Ans, Text: text, Hint: hint + "\n" + both(c, ans, out)}
}

// said formats an outcome.
func said(o judge.Outcome) string {
	return strings.TrimSuffix(fmt.Sprintf("%s: %s", o.Verdict.Words(), o.Message), ": ")
}

// awards describes the difference between the scores of an answer file and of the reference solution's output.
func awards(ans, out judge.Award) string {
	word := func(a judge.Award) string {
		if a.By == judge.NoAward {
			return "no score"
		}
		return fmt.Sprintf("%v (%s)", a.Value, a.By)
	}
	return fmt.Sprintf("the checker gives the answer file %s, and the reference's output %s", word(ans), word(out))
}

// both shows an answer file and another text around their first difference.
func both(c *judge.Case, ans, out []byte) string {
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
	part := v.Folder.Reference
	if len(c.Args)+len(c.Files) == 0 {
		in, err := os.Open(c.In)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		return gen.Answer(ctx, v.Runner, program, part, v.Folder.Limits, in)
	}
	told := *program
	told.Argv = slices.Concat(program.Argv, part.Args)
	limits := v.Folder.Limits.Scaled(2)
	run := trial.Batch{Runner: v.Runner, Limits: limits, Make: func(context.Context) (*lang.Result, error) {
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
		text := fmt.Sprintf("the reference fails on it: %s (%s)", verdict.Words(), a.Exec.Fate())
		return nil, &judge.Fault{Text: text, Hint: "fix the reference\n" + string(a.Stderr)}
	}
	return io.ReadAll(a.Out)
}
