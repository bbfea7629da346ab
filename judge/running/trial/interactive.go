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
// one was first, and judge.Settle uses this order. A process that writes to a process that has ended is not
// killed.
type interactive struct {
	passes
	join  judge.Joiner
	tells bool // whether a checker judges the interactor's output (testlib)
}

func newInteractive(ctx context.Context, b *Batch, limits judge.Limits) (Bench, error) {
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
	if c := s.Problem.Checker; s.Problem.Interactor.Speaks == "testlib" && (c.Program != nil || c.Name != "") {
		t.tells = true
		b.Checker, err = s.Crew.Checker(ctx)
	}
	return t, err
}

// Try runs the program and the interactor together, pass by pass.
func (t *interactive) Try(ctx context.Context, c *judge.Case) (*judge.Attempt, error) {
	return t.retime(func(limits judge.Limits) (*judge.Attempt, error) {
		var talk transcript
		return t.each(c, func(s *check.Session, pass int) (*judge.Attempt, judge.Outcome, error) {
			if pass > 1 {
				talk.pass(true)
			}
			return t.talk(ctx, c, s, limits, &talk)
		}, func(s *check.Session, all *judge.Attempt) error {
			talk.pass(false)
			all.Dialogue, all.Out = talk.String(), section("")
			if t.KeepOutput != nil {
				if err := t.KeepOutput(c, section(all.Dialogue)); err != nil {
					return err
				}
			}
			if t.tells && all.Settled.Verdict == judge.Accepted {
				return t.leave(s, all)
			}
			return nil
		})
	})
}

// backlog is how long the interactor may continue to read output after the program was killed at its limit. The
// unread output may be megabytes long, and no longer affects the result.
const backlog = 2 * time.Second

// talk runs the two programs together for one pass.
func (t *interactive) talk(ctx context.Context, c *judge.Case, s *check.Session, limits judge.Limits, talk *transcript) (
	*judge.Attempt, judge.Outcome, error,
) {
	program, at, err := t.command(c, limits)
	if err != nil {
		return nil, judge.Outcome{}, err
	}
	defer at.done()
	interactor := s.Command()
	interactor.Limits.Output = 0
	var words tail.Buffer
	var stderr heard
	program.Stderr, interactor.Stderr = &stderr, &words
	ended, err := t.join.Join(ctx, []judge.Joined{
		{Command: program, To: 1, Copy: talk.by(fromProgram), Held: true, Outlived: backlog},
		{Command: interactor, To: 0, Copy: talk.by(fromInteractor), Held: true, Ends: func(x judge.Exec) bool { return !s.Accepts(x) }},
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
		o := judge.Settle(x, t.Limits, judge.Outcome{}, false)
		return &judge.Attempt{Exec: x, Stderr: stderr.Bytes(), Beside: ended[1].CPU}, o, nil
	}
	refused, _ := errors.AsType[*judge.ExecError](ended[1].Err)
	o, err := s.Judge(ended[1].Exec, refused, string(words.Bytes()))
	if err != nil {
		return nil, o, err
	}
	o = judge.Settle(x, t.Limits, o, ended[1].Order < ended[0].Order)
	if ended[0].Stuck && o.Verdict == judge.IdlenessLimit {
		o.Message = talk.silence()
	}
	return &judge.Attempt{Exec: x, Stderr: stderr.Bytes(), Beside: ended[1].CPU}, o, nil
}

// leave replaces the attempt's output by the output that the interactor wrote for the checker.
func (t *interactive) leave(s *check.Session, a *judge.Attempt) error {
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
	a.Settled, a.Close = nil, kept.close
	return nil
}

// section returns a text as a section, which supports reads at any offset.
func section(text string) *io.SectionReader {
	return io.NewSectionReader(strings.NewReader(text), 0, int64(len(text)))
}
