package verify

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"assay/judge"
	"assay/judge/cases/gen"
	"assay/judge/running/check"
)

// wrongOutput is an output that the checker must reject.
type wrongOutput struct {
	name, text  string
	afterAnswer bool // only tested if the checker accepts the answer itself
}

// wrongOutputs returns incorrect outputs to try on a case, given the text of its answer file.
func wrongOutputs(ans string) (list []wrongOutput) {
	words := strings.Fields(ans)
	for _, junk := range gen.InvalidInputs() {
		if strings.TrimSpace(junk.Text) != "" || len(words) > 0 {
			list = append(list, wrongOutput{name: junk.Name, text: junk.Text})
		}
	}
	list = append(list,
		wrongOutput{name: "a number of 100000 digits", text: strings.Repeat("7", 100_000) + "\n"},
		wrongOutput{name: "the answer and a word more", text: strings.TrimRight(ans, " \r\n") + "\njunk\n", afterAnswer: true})
	if n := len(words); n > 1 {
		list = append(
			list,
			wrongOutput{name: "the first half of the answer", text: strings.Join(words[:n/2], " ") + "\n", afterAnswer: true},
		)
	}
	return list
}

// The limits for the number of cases to try, and for the size of their files.
const (
	maxTriedCases = 20
	maxTriedBytes = 64 << 10
)

// smallCases selects cases whose files are small, spread evenly over the whole problem.
func (v *Verifier) smallCases() (selected []*judge.Case) {
	small := func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.Size() <= maxTriedBytes
	}
	var all []*judge.Case
	for c := range v.cases {
		if c.Ans != "" && small(c.In) && small(c.Ans) {
			all = append(all, c)
		}
	}
	for i := range min(len(all), maxTriedCases) {
		selected = append(selected, all[i*len(all)/min(len(all), maxTriedCases)])
	}
	return selected
}

// wrongOutputResult is the checker's result for an attempt over several cases.
type wrongOutputResult struct {
	tried, rejected bool // whether it was tried or rejected at least once
	failed          bool
}

// checkWrongOutputs passes outputs to the checker that it must reject. In a single case, any text may be correct. But if
// one text is accepted in all tested cases, the problem can be solved without a program.
func (v *Verifier) checkWrongOutputs(ctx context.Context) (n int, faults judge.ProblemErrors, err error) {
	part := v.Directory.Checker.Program
	if part == nil || v.checkerError != "" || v.Directory.Kind.Interactive || v.Directory.Kind.MultiPass {
		return 0, nil, nil
	}
	if _, err := v.Programs.BuildProgram(ctx, part); err != nil {
		return 0, nil, nil // judging reports the error
	}
	made := map[string]*wrongOutputResult{}
	var first *judge.ProblemError // the first failure
	var names []string
	for _, c := range v.smallCases() {
		ans, err := os.ReadFile(c.Ans)
		if err != nil {
			return n, nil, &judge.ProblemError{File: c.Ans, Text: err.Error()}
		}
		right, err := v.judgeAlone(ctx, c, ans)
		if err != nil {
			return n, nil, err
		}
		if right.Verdict == judge.JudgeError {
			continue // the answer itself causes the failure
		}
		for _, a := range wrongOutputs(string(ans)) {
			t := made[a.name]
			if t == nil {
				t = &wrongOutputResult{}
				made[a.name], names = t, append(names, a.name)
			}
			if t.rejected || t.failed || a.afterAnswer && right.Verdict != judge.Accepted {
				continue
			}
			o, err := v.judgeAlone(ctx, c, []byte(a.text))
			if err != nil {
				return n, nil, err
			}
			n, t.tried = n+1, true
			t.rejected = o.Verdict != judge.Accepted || o.Award != right.Award // a lower score is enough
			if o.Verdict == judge.JudgeError {
				t.failed = true
				if first == nil {
					first = v.failsOn(c, o.Message)
				}
			}
		}
	}
	var accepted, failed []string
	for _, name := range names {
		switch t := made[name]; {
		case t.failed:
			failed = append(failed, name)
		case t.tried && !t.rejected:
			accepted = append(accepted, name)
		}
	}
	if len(failed) > 0 {
		first.Text = fmt.Sprintf("the checker"+failingOn+"%s: %s", strings.Join(failed, "; "), first.Text)
		first.Hint += "fix the checker: contestants can print anything, and an unreadable output is a wrong answer"
		faults = append(faults, first)
	}
	if len(accepted) > 0 {
		faults = append(faults, &judge.ProblemError{
			File: part.Path, Text: "the checker accepts " + strings.Join(accepted, "; "),
			Hint: "refuse what is no answer, and read the output to its end (kit: EOF; testlib: readEof)",
		})
	}
	return n, faults, nil
}

// failsOn returns the fault for a checker that failed on a case. The position of the fault is in the checker.
func (v *Verifier) failsOn(c *judge.Case, message string) *judge.ProblemError {
	if f := v.crashOf(message); f != nil {
		_, f.Text, _ = strings.Cut(f.Text, failing)
		f.Hint = strings.TrimRight(fmt.Sprintf("first with case %s\n%s", c.ID(), f.Hint), "\n") + "\n"
		return f
	}
	return &judge.ProblemError{File: v.Directory.Checker.Program.Path, Text: fmt.Sprintf("case %s: %s", c.ID(), message)}
}

// judgeAlone judges one output with a new checker.
func (v *Verifier) judgeAlone(ctx context.Context, c *judge.Case, out []byte) (judge.Outcome, error) {
	checker, err := v.Programs.Checker(ctx)
	if err != nil {
		return judge.Outcome{}, err
	}
	defer checker.Close()
	return judgeText(ctx, checker, c, out)
}

// judgeText judges a text as the output of a case.
func judgeText(ctx context.Context, checker check.Checker, c *judge.Case, out []byte) (judge.Outcome, error) {
	ans, err := readOptional(c.Ans)
	if err != nil {
		return judge.Outcome{}, err
	}
	return judgeAnswer(ctx, checker, c, ans, out)
}

// judgeAnswer judges a text as the output of a case that has the given answer.
func judgeAnswer(ctx context.Context, checker check.Checker, c *judge.Case, ans, out []byte) (judge.Outcome, error) {
	in, err := readOptional(c.In)
	if err != nil {
		return judge.Outcome{}, err
	}
	whole := func(data []byte) *io.SectionReader {
		return io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))
	}
	return checker.Check(ctx, check.Request{Case: c.ID(), In: whole(in), Ans: whole(ans), Out: whole(out), Args: c.CheckerArgs})
}

// readOptional reads a file. If path is empty, it returns nil, nil.
func readOptional(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, &judge.ProblemError{File: path, Text: err.Error()}
	}
	return data, nil
}
