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
	"assay/judge/internal/atomicfile"
	"assay/judge/running/check"
)

// A SecondSolution is a second program that solves the problem. It must agree with the reference solution on every case,
// because a reference solution can also be wrong.
type SecondSolution struct {
	Name     string // for messages
	Program  *judge.Program
	Programs *check.SetterPrograms // makes the checker
	// CheckerKey identifies the checker's behavior. It changes whenever the checker may judge differently.
	CheckerKey string
	// Ledger is the file that records the cases on which the two programs agree. If empty, nothing is recorded.
	// The file can be removed at any time.
	Ledger string
}

// A pair is a case and its answer, to be compared with the second program.
type pair struct {
	c       *judge.Case
	in, ans string // paths
	key     string // key in the ledger
	out     []byte // output of the second program, after it ran
}

// checkSecondSolution runs the second program on the cases that the ledger does not contain. If the answers differ,
// it returns a *judge.ProblemError that shows both.
func (m *CaseGenerator) checkSecondSolution(ctx context.Context, pairs []*pair) error {
	s := m.SecondSolution
	if s == nil || m.Directory.Kind.Interactive || m.Directory.Kind.MultiPass || m.Directory.LacksAnswers() {
		return nil
	}
	known := readLedger(s.Ledger)
	var todo []*pair
	for _, p := range pairs {
		in, err := hashFile(p.in)
		ans, err2 := hashFile(p.ans)
		if err := errors.Join(err, err2); err != nil {
			return fmt.Errorf("read case %s: %w", p.c.ID(), err)
		}
		if p.key = hashBytes([]byte(s.Program.Key + s.CheckerKey + in + ans)); !known[p.key] {
			todo = append(todo, p)
		}
	}
	if len(todo) == 0 {
		return nil
	}
	if err := m.solve(ctx, todo); err != nil {
		return err
	}
	checker, err := s.Programs.Checker(ctx)
	if err != nil {
		return err
	}
	defer checker.Close()
	for _, p := range todo {
		if err := m.compare(ctx, checker, p); err != nil {
			return err
		}
	}
	return writeLedger(s.Ledger, pairs)
}

// solve runs the second program on all the cases.
func (m *CaseGenerator) solve(ctx context.Context, todo []*pair) error {
	done := m.counter("cases agreed on", len(todo))
	return forEach(ctx, m.Jobs, todo, func(ctx context.Context, p *pair) error {
		in, err := os.Open(p.in)
		if err != nil {
			return fmt.Errorf("read case %s: %w", p.c.ID(), err)
		}
		defer in.Close()
		out, stderr, x, v, err := solve(ctx, m.Runner, m.SecondSolution.Program, m.Directory.Limits, in, p.c.Args)
		if err != nil {
			return err
		}
		if v != judge.NotJudged {
			return m.Directory.CaseFault(
				p.c,
				fmt.Sprintf("case %s: %s fails on it: %s (%s)", p.c.ID(), m.SecondSolution.Name, v.Words(), x.Termination()),
				strings.TrimSpace("a second solution must agree with the reference on every case\n"+stderr),
			)
		}
		p.out = out
		done()
		return nil
	})
}

// compare judges the second program's output with the checker.
func (m *CaseGenerator) compare(ctx context.Context, checker check.Checker, p *pair) error {
	in, err := os.ReadFile(p.in)
	ans, err2 := os.ReadFile(p.ans)
	if err := errors.Join(err, err2); err != nil {
		return fmt.Errorf("read case %s: %w", p.c.ID(), err)
	}
	outcome, err := checker.Check(ctx, check.Request{
		Case: p.c.ID(), In: section(in), Ans: section(ans), Out: section(p.out), Args: p.c.CheckerArgs,
	})
	switch {
	case err != nil:
		return err
	case outcome.Verdict == judge.JudgeError:
		return m.Directory.CaseFault(p.c, fmt.Sprintf("case %s: the checker fails: %s", p.c.ID(), outcome.Message), "")
	case outcome.Verdict != judge.Accepted:
		hint := fmt.Sprintf(
			"%s\nthe input:\n%sthe reference:\n%s%s:\n%sone of them is wrong, or the problem has several right answers and needs another checker",
			outcome.Message, shown(in), shown(ans), m.SecondSolution.Name, shown(p.out),
		)
		return m.Directory.CaseFault(
			p.c, fmt.Sprintf("case %s: the reference and %s do not agree", p.c.ID(), m.SecondSolution.Name),
			strings.TrimSpace(hint),
		)
	}
	return nil
}

// shown returns the first lines of a text, indented.
func shown(text []byte) string {
	const lines, columns = 8, 100
	var b strings.Builder
	n := 0
	for line := range strings.Lines(strings.ToValidUTF8(string(text), string(utf8.RuneError))) {
		if n++; n > lines {
			b.WriteString("    ...\n")
			break
		}
		line = strings.TrimSuffix(line, "\n")
		if len(line) > columns {
			line = strings.ToValidUTF8(line[:columns], "") + "..."
		}
		b.WriteString("    " + line + "\n")
	}
	return b.String()
}

func section(text []byte) *io.SectionReader {
	return io.NewSectionReader(bytes.NewReader(text), 0, int64(len(text)))
}

// readLedger returns the keys in a ledger. If the file cannot be read, it returns no keys.
func readLedger(file string) map[string]bool {
	known := map[string]bool{}
	if data, err := os.ReadFile(file); err == nil && file != "" {
		for line := range strings.Lines(string(data)) {
			known[strings.TrimSpace(line)] = true
		}
	}
	return known
}

// writeLedger replaces the ledger with the keys of these cases.
func writeLedger(file string, pairs []*pair) error {
	if file == "" {
		return nil
	}
	var keys []string
	for _, p := range pairs {
		keys = append(keys, p.key+"\n")
	}
	slices.Sort(keys)
	return atomicfile.Write(filepath.Clean(file), []byte(strings.Join(keys, "")))
}
