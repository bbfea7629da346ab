package check

import (
	"context"
	"fmt"
	"io"
	"slices"

	"assay/judge"
)

// SetInput replaces the input of the case, which Input returns.
func (s *Session) SetInput(text *io.SectionReader) error {
	if err := s.put(s.in, text); err != nil {
		return fmt.Errorf("show an input to %s: %w", s.program.Name, err)
	}
	return nil
}

// CheckPass judges the output of a submission with a checker that uses testlib, and writes the checker's output to
// next. In problems whose submissions run several times, the checker's output is the input of the next run.
func (s *Session) CheckPass(ctx context.Context, out *io.SectionReader, input io.Writer) (judge.Outcome, error) {
	if err := s.put("output", out); err != nil {
		return judge.Outcome{}, fmt.Errorf("show the output to checker %s: %w", s.program.Name, err)
	}
	args := append(slices.Clone(s.args), caseDir+"/"+s.in, caseDir+"/output", caseDir+"/"+s.ans)
	command := s.program.Command(s.limits, args...)
	command.Mounts = append(command.Mounts, s.mount("case", caseDir, false))
	command.Stdout = input
	exec, stderr, fault, err := s.run(ctx, command)
	if err != nil {
		return judge.Outcome{}, err
	}
	if fault != nil {
		return *fault, nil
	}
	return testlibOutcome(s.caseRunner, exec, stderr)
}
