package check

import (
	"context"
	"fmt"
	"io"
	"slices"

	"assay/judge"
)

// Give replaces the input of the case, which Input returns.
func (s *Session) Give(text *io.SectionReader) error {
	if err := s.put(s.in, text); err != nil {
		return fmt.Errorf("show an input to %s: %w", s.program.Name, err)
	}
	return nil
}

// Between judges the output of a submission with a checker that uses testlib, and writes the checker's output to
// next. In problems whose submissions run several times, the checker's output is the input of the next run.
func (s *Session) Between(ctx context.Context, out *io.SectionReader, next io.Writer) (judge.Outcome, error) {
	if err := s.put("output", out); err != nil {
		return judge.Outcome{}, fmt.Errorf("show the output to checker %s: %w", s.program.Name, err)
	}
	args := append(slices.Clone(s.args), caseDir+"/"+s.in, caseDir+"/output", caseDir+"/"+s.ans)
	command := s.program.Command(s.limits, args...)
	command.Mounts = append(command.Mounts, s.mount("case", caseDir, false))
	command.Stdout = next
	exec, stderr, fault, err := s.run(ctx, command)
	if err != nil {
		return judge.Outcome{}, err
	}
	if fault != nil {
		return *fault, nil
	}
	return testlibOutcome(s.perCase, exec, stderr)
}
