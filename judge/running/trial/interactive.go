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

// interactive tries a program that talks to an interactor.
//
//	program ---> relay ---> interactor
//	        <--- relay <---
//
// The relays keep the dialogue, count what the program writes, and keep each of the
// two from feeling the other's end before it has really ended: so the order in which
// they end says who was first, and judge.Settle decides by it. Neither is killed by
// writing to the other when that has left.
type interactive struct {
	*Batch
	join      judge.Joiner
	validator *check.Validator
	passes    int  // at most
	tells     bool // a checker judges what the interactor leaves (testlib)
}

func newInteractive(ctx context.Context, b *Batch, limits judge.Limits) (Bench, error) {
	s := &b.setter.Setup
	t := &interactive{Batch: b, passes: passes(s.Problem)}
	var err error
	if t.join, err = s.joiner(); err != nil {
		return nil, err
	}
	if t.validator, err = s.validator(ctx, s.Problem.Interactor, limits); err != nil {
		return nil, err
	}
	if c := s.Problem.Checker; s.Problem.Interactor.Speaks == "testlib" && (c.Program != nil || c.Name != "") {
		t.tells = true
		b.Checker, err = s.Crew.Checker(ctx)
	}
	return t, err
}

// passes is how many passes a case may have.
func passes(p *judge.Problem) int {
	switch {
	case !p.Kind.MultiPass:
		return 1
	case p.Passes > 0:
		return p.Passes
	}
	return judge.UsualPasses
}

// Close ends the setter's programs.
func (t *interactive) Close() error {
	return errors.Join(t.validator.Close(), t.Batch.Close())
}

// Try has the program and the interactor talk, pass by pass.
func (t *interactive) Try(ctx context.Context, c *judge.Case) (*judge.Attempt, error) {
	return t.retime(func(limits judge.Limits) (*judge.Attempt, error) { return t.try(ctx, c, limits) })
}

func (t *interactive) try(ctx context.Context, c *judge.Case, limits judge.Limits) (*judge.Attempt, error) {
	files, err := openCase(c)
	if err != nil {
		return nil, err
	}
	defer files.close()
	session, err := t.validator.Open(files.request(c, nil))
	if err != nil {
		return nil, err
	}
	defer session.Close()
	var talk transcript
	var all *judge.Attempt
	for pass := 1; ; pass++ {
		a, o, err := t.talk(ctx, c, session, limits, &talk)
		if err != nil {
			return nil, err
		}
		again, o, err := nextPass(session, o, pass, t.passes)
		if err != nil {
			return nil, err
		}
		a.Settled = &o
		all = worse(all, a)
		talk.pass(again)
		if !again {
			break
		}
	}
	all.Dialogue = talk.String()
	all.Out = section("")
	if t.KeepOutput != nil {
		if err := t.KeepOutput(c, section(all.Dialogue)); err != nil {
			return nil, err
		}
	}
	if t.tells && all.Settled.Verdict == judge.Accepted {
		return t.leave(session, all)
	}
	return all, nil
}

// backlog is how long the interactor may read on what a program has said that was
// killed at its limit. It may be megabytes, and changes nothing any more.
const backlog = 2 * time.Second

// talk runs the two programs together, once.
func (t *interactive) talk(ctx context.Context, c *judge.Case, s *check.Session, limits judge.Limits, talk *transcript) (*judge.Attempt, judge.Outcome, error) {
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
	return &judge.Attempt{Exec: x, Stderr: stderr.Bytes(), Beside: ended[1].CPU}, o, nil
}

// nextPass finds out whether there is another pass, after one with this outcome.
func nextPass(s *check.Session, o judge.Outcome, pass, most int) (bool, judge.Outcome, error) {
	again, o, err := s.Next(o)
	switch {
	case err != nil:
		return false, o, err
	case again && most == 1:
		return false, judge.Outcome{Verdict: judge.JudgeError, Message: "the checker asks for another pass (nextpass.in), which this kind of problem does not have"}, nil
	case again && pass >= most:
		return false, judge.Outcome{Verdict: judge.JudgeError, Message: fmt.Sprintf("the checker asks for pass %d; the problem has at most %d", pass+1, most)}, nil
	case !again && pass > 1 && o.Verdict != judge.Accepted:
		o.Message = strings.TrimSpace(fmt.Sprintf("in pass %d: %s", pass, o.Message))
	}
	return again, o, nil
}

// worse joins an attempt with that of the pass before it: it ended as the later one,
// and took as much as the one that took more.
func worse(before, a *judge.Attempt) *judge.Attempt {
	if before == nil {
		return a
	}
	if before.Close != nil {
		before.Close()
	}
	if a.Settled.Verdict == judge.Accepted {
		a.Exec.CPU, a.Exec.Wall = max(a.Exec.CPU, before.Exec.CPU), max(a.Exec.Wall, before.Exec.Wall)
	}
	a.Exec.Memory = max(a.Exec.Memory, before.Exec.Memory)
	return a
}

// leave makes what the interactor wrote for the checker the attempt's output.
func (t *interactive) leave(s *check.Session, a *judge.Attempt) (*judge.Attempt, error) {
	text, file, err := s.Output()
	if err != nil {
		return nil, fmt.Errorf("read what the interactor leaves: %w", err)
	}
	defer file.Close()
	kept := &capture{dir: t.TempDir}
	_, err = io.Copy(kept, text)
	if err == nil {
		a.Out, err = kept.reader()
	}
	if err != nil {
		kept.close()
		return nil, fmt.Errorf("keep what the interactor leaves: %w", err)
	}
	a.Settled, a.Close = nil, kept.close
	return a, nil
}

// section is a text that can be read anywhere.
func section(text string) *io.SectionReader {
	return io.NewSectionReader(strings.NewReader(text), 0, int64(len(text)))
}
