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

// attempt is an output that the checker must reject.
type attempt struct {
	name, text string
	beside     bool // only tested if the checker accepts the answer itself
}

// attempts returns incorrect outputs to try on a case, given the text of its answer file.
func attempts(ans string) (all []attempt) {
	words := strings.Fields(ans)
	for _, junk := range gen.Junk() {
		if strings.TrimSpace(junk.Text) != "" || len(words) > 0 {
			all = append(all, attempt{name: junk.Name, text: junk.Text})
		}
	}
	all = append(all,
		attempt{name: "a number of 100000 digits", text: strings.Repeat("7", 100_000) + "\n"},
		attempt{name: "the answer and a word more", text: strings.TrimRight(ans, " \r\n") + "\njunk\n", beside: true})
	if n := len(words); n > 1 {
		all = append(all, attempt{name: "the first half of the answer", text: strings.Join(words[:n/2], " ") + "\n", beside: true})
	}
	return all
}

// The limits for the number of cases to try, and for the size of their files.
const (
	mostTried    = 20
	largestTried = 64 << 10
)

// tried selects cases whose files are small, spread evenly over the whole problem.
func (v *Verifier) tried() (some []*judge.Case) {
	small := func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.Size() <= largestTried
	}
	var all []*judge.Case
	for c := range v.cases {
		if c.Ans != "" && small(c.In) && small(c.Ans) {
			all = append(all, c)
		}
	}
	for i := range min(len(all), mostTried) {
		some = append(some, all[i*len(all)/min(len(all), mostTried)])
	}
	return some
}

// took is the checker's result for an attempt over several cases.
type took struct {
	tried, refused bool // whether it was tried or rejected at least once
	failed         bool
}

// junkOutputs passes outputs to the checker that it must reject. In a single case, any text may be correct. But if
// one text is accepted in all tested cases, the problem can be solved without a program.
func (v *Verifier) junkOutputs(ctx context.Context) (n int, faults judge.Faults, err error) {
	part := v.Folder.Checker.Program
	if part == nil || v.broken != "" || v.Folder.Kind.Interactive || v.Folder.Kind.MultiPass {
		return 0, nil, nil
	}
	if _, err := v.Crew.Part(ctx, part); err != nil {
		return 0, nil, nil // judging reports the error
	}
	made := map[string]*took{}
	var first *judge.Fault // the first failure
	var names []string
	for _, c := range v.tried() {
		ans, err := os.ReadFile(c.Ans)
		if err != nil {
			return n, nil, &judge.Fault{File: c.Ans, Text: err.Error()}
		}
		right, err := v.alone(ctx, c, ans)
		if err != nil {
			return n, nil, err
		}
		if right.Verdict == judge.JudgeError {
			continue // the answer itself causes the failure
		}
		for _, a := range attempts(string(ans)) {
			t := made[a.name]
			if t == nil {
				t = &took{}
				made[a.name], names = t, append(names, a.name)
			}
			if t.refused || t.failed || a.beside && right.Verdict != judge.Accepted {
				continue
			}
			o, err := v.alone(ctx, c, []byte(a.text))
			if err != nil {
				return n, nil, err
			}
			n, t.tried = n+1, true
			t.refused = o.Verdict != judge.Accepted || o.Award != right.Award // a lower score is enough
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
		case t.tried && !t.refused:
			accepted = append(accepted, name)
		}
	}
	if len(failed) > 0 {
		first.Text = fmt.Sprintf("the checker"+failingOn+"%s: %s", strings.Join(failed, "; "), first.Text)
		first.Hint += "fix the checker: contestants can print anything, and an unreadable output is a wrong answer"
		faults = append(faults, first)
	}
	if len(accepted) > 0 {
		faults = append(faults, &judge.Fault{
			File: part.Path, Text: "the checker accepts " + strings.Join(accepted, "; "),
			Hint: "refuse what is no answer, and read the output to its end (kit: EOF; testlib: readEof)",
		})
	}
	return n, faults, nil
}

// failsOn returns the fault for a checker that failed on a case. The position of the fault is in the checker.
func (v *Verifier) failsOn(c *judge.Case, message string) *judge.Fault {
	if f := v.crashOf(message); f != nil {
		_, f.Text, _ = strings.Cut(f.Text, failing)
		f.Hint = strings.TrimRight(fmt.Sprintf("first with case %s\n%s", c.ID(), f.Hint), "\n") + "\n"
		return f
	}
	return &judge.Fault{File: v.Folder.Checker.Program.Path, Text: fmt.Sprintf("case %s: %s", c.ID(), message)}
}

// alone judges one output with a new checker.
func (v *Verifier) alone(ctx context.Context, c *judge.Case, out []byte) (judge.Outcome, error) {
	checker, err := v.Crew.Checker(ctx)
	if err != nil {
		return judge.Outcome{}, err
	}
	defer checker.Close()
	return judgeText(ctx, checker, c, out)
}

// judgeText judges a text as the output of a case.
func judgeText(ctx context.Context, checker check.Checker, c *judge.Case, out []byte) (judge.Outcome, error) {
	ans, err := optional(c.Ans)
	if err != nil {
		return judge.Outcome{}, err
	}
	return judgeAnswer(ctx, checker, c, ans, out)
}

// judgeAnswer judges a text as the output of a case that has the given answer.
func judgeAnswer(ctx context.Context, checker check.Checker, c *judge.Case, ans, out []byte) (judge.Outcome, error) {
	in, err := optional(c.In)
	if err != nil {
		return judge.Outcome{}, err
	}
	whole := func(data []byte) *io.SectionReader {
		return io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))
	}
	return checker.Check(ctx, check.Request{Case: c.ID(), In: whole(in), Ans: whole(ans), Out: whole(out), Args: c.CheckerArgs})
}

// optional reads a file. If path is empty, it returns nil, nil.
func optional(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, &judge.Fault{File: path, Text: err.Error()}
	}
	return data, nil
}
