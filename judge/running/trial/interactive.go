package trial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/internal/tail"
	"assay/judge/running/check"
)

// interactive runs a program that talks to an interactor.
//
//	program ---> relay ---> interactor
//	        <--- relay <---
//
// The relays record the dialogue and count what the program writes. Each relay hides the end of one process from
// the other process until the first process has really ended. So the order in which the processes end shows which
// one was first, and judge.ClassifyInteractive uses this order. A process that writes to a process that has ended is not
// killed.
type interactive struct {
	passes
	join          judge.Joiner
	checkerJudges bool // whether a checker judges the interactor's output (testlib)
}

func newInteractive(ctx context.Context, b *Batch, limits judge.Limits) (Executor, error) {
	s := &b.setter.Setup
	join, err := s.joiner()
	if err != nil {
		return nil, err
	}
	p, err := newPasses(ctx, b, s.Problem.Interactor, limits)
	if err != nil {
		return nil, err
	}
	t := &interactive{passes: p, join: join}
	if c := s.Problem.Checker; s.Problem.Interactor.Protocol == "testlib" && (c.Program != nil || c.Name != "") {
		t.checkerJudges = true
		b.Checker, err = s.Programs.Checker(ctx)
	}
	return t, err
}

// Try runs the program and the interactor together, pass by pass.
func (t *interactive) Try(ctx context.Context, c *judge.Case) (*judge.Attempt, error) {
	return t.repeatIfSlow(func(limits judge.Limits) (*judge.Attempt, error) {
		var talk transcript
		return t.runPasses(c, func(s *check.Session, pass int) (*judge.Attempt, judge.Outcome, error) {
			if pass > 1 {
				talk.pass(true)
			}
			return t.runPass(ctx, c, s, limits, &talk)
		}, func(s *check.Session, all *judge.Attempt) error {
			talk.pass(false)
			all.Dialogue, all.Out = talk.String(), section("")
			if t.KeepOutput != nil {
				if err := t.KeepOutput(c, section(all.Dialogue)); err != nil {
					return err
				}
			}
			if t.checkerJudges && all.Outcome.Verdict == judge.Accepted {
				return t.useInteractorOutput(s, all)
			}
			return nil
		})
	})
}

// backlogTime is how long the interactor may continue to read output after the program was killed at its limit. The
// unread output may be megabytes long, and no longer affects the result.
const backlogTime = 2 * time.Second

// runPass runs the two programs together for one pass.
func (t *interactive) runPass(ctx context.Context, c *judge.Case, s *check.Session, limits judge.Limits, talk *transcript) (
	*judge.Attempt, judge.Outcome, error,
) {
	program, at, err := t.command(c, limits)
	if err != nil {
		return nil, judge.Outcome{}, err
	}
	defer at.remove()
	interactor := s.Command()
	interactor.Limits.Output = 0
	var words tail.Buffer
	var stderr stderrTail
	program.Stderr, interactor.Stderr = &stderr, &words
	ended, err := t.join.Join(ctx, []judge.JoinedCommand{
		{Command: program, OutputTo: 1, Copy: talk.writer(fromProgram), KeepPipesOpen: true, GracePeriod: backlogTime},
		{
			Command: interactor, OutputTo: 0, Copy: talk.writer(fromInteractor), KeepPipesOpen: true,
			OnExit: func(x judge.Exec) bool { return !s.Accepts(x) },
		},
	})
	if err != nil {
		return nil, judge.Outcome{}, err
	}
	x := ended[0].Exec
	if refused, ok := errors.AsType[*judge.ExecError](ended[0].Err); ok {
		x = unexecutable(refused, &stderr)
	}
	t.countAll(&x, &stderr, &at)
	if ended[1].Dismissed {
		o := judge.ClassifyInteractive(x, t.Limits, judge.Outcome{}, false)
		return &judge.Attempt{Exec: x, Stderr: stderr.Bytes(), InteractorCPU: ended[1].CPU}, o, nil
	}
	refused, _ := errors.AsType[*judge.ExecError](ended[1].Err)
	o, err := s.Judge(ended[1].Exec, refused, string(words.Bytes()))
	if err != nil {
		return nil, o, err
	}
	o = judge.ClassifyInteractive(x, t.Limits, o, ended[1].ExitOrder < ended[0].ExitOrder)
	if ended[0].Deadlocked && o.Verdict == judge.IdlenessLimit {
		o.Message = talk.stallNote()
	}
	return &judge.Attempt{Exec: x, Stderr: stderr.Bytes(), InteractorCPU: ended[1].CPU}, o, nil
}

// useInteractorOutput replaces the attempt's output by the output that the interactor wrote for the checker.
func (t *interactive) useInteractorOutput(s *check.Session, a *judge.Attempt) error {
	text, file, err := s.Output()
	if err != nil {
		return fmt.Errorf("read the output of the interactor: %w", err)
	}
	defer file.Close()
	kept := &capture{dir: t.TempDir}
	_, err = io.Copy(kept, text)
	if err == nil {
		a.Out, err = kept.reader()
	}
	if err != nil {
		kept.close()
		return fmt.Errorf("save the output of the interactor: %w", err)
	}
	a.Outcome, a.Close = nil, kept.close
	return nil
}

// section returns a text as a section, which supports reads at any offset.
func section(text string) *io.SectionReader {
	return io.NewSectionReader(strings.NewReader(text), 0, int64(len(text)))
}
