// Package golf proves an answer to a golf problem on the whole domain, and counts
// its size.
//
//	answer --Read--> Answer --detect--> way --quick, all--> outputs --checker--> Result
//
// Whether an answer is a program or a function, and how it wants its arguments, is
// found by trying the samples, and then fixed. A program runs once for each input.
// A function is called for all inputs in one process, by the driver of its
// language (package drivers), in shuffled order and twice; and then again in processes
// of its own, so that a function that works only once shows.
//
// The package does not know what is right: the problem's own checker (kit.CheckGolf)
// does. It knows no language and no problem by name, and it prints nothing.
package golf

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/contests/golf/drivers"
	"assay/judge/running/config"
	"assay/judge/running/lang"
)

// Verdict is what an answer is worth.
type Verdict = judge.GolfVerdict

// The verdicts, as package judge spells them.
const (
	Right     = judge.GolfRight
	Wrong     = judge.GolfWrong
	Slow      = judge.GolfSlow
	CannotRun = judge.GolfCannotRun
)

// Options say how to prove. The zero value proves with what can be found out.
type Options struct {
	As    string        `json:"as,omitempty"`      // "function" or "program"; "" tries both
	Entry string        `json:"entry,omitempty"`   // the name of the function
	Call  string        `json:"call,omitempty"`    // how it is called, as Forms or Calls name it
	In    string        `json:"in,omitempty"`      // how a program gets its input, as Inputs names it
	Flags []string      `json:"-"`                 // of the interpreter or compiler; reading the answer tells them
	Time  time.Duration `json:"time_ns,omitempty"` // CPU time for one input; zero means DefaultTime
	// Budget is the CPU time for all inputs together. Zero means no limit.
	Budget time.Duration `json:"budget_ns,omitempty"`
	Seed   uint64        `json:"seed"` // of the order
	Jobs   int           `json:"-"`
	Quick  bool          `json:"quick,omitempty"`  // samples and edges only
	Cases  []string      `json:"cases,omitempty"`  // these inputs only
	All    bool          `json:"all,omitempty"`    // find every wrong input
	Strict bool          `json:"strict,omitempty"` // policies that were needed make an answer wrong
	// Progress, if not nil, is called with how far the check is.
	Progress func(done, of int) `json:"-"`
	// Milestone, if not nil, is called once when a program that takes long to check is
	// correct on its hardest inputs.
	Milestone func(done, of int) `json:"-"`
}

// Reading says how answers are read, where their files do not tell. The zero value leaves
// everything to the files.
type Reading struct {
	Stdin    io.Reader `json:"-"`                   // the answer that is called "-"
	At       string    `json:"-"`                   // where the answer stands, if not where its name says
	Language string    `json:"language,omitempty"`  // asked for
	Flags    []string  `json:"flags,omitempty"`     // of the interpreter or compiler
	Header   string    `json:"header,omitempty"`    // a file that goes before the answer and is not counted
	Footer   string    `json:"footer,omitempty"`    // a file that goes behind it and is not counted
	Encoding string    `json:"encoding,omitempty"`  // in which bytes are counted
	Claim    int       `json:"claim,omitempty"`     // the bytes that it is said to have
	OldFlags bool      `json:"old_flags,omitempty"` // count flags, as sites did before 2018
}

// DefaultTime is the CPU time for one input.
const DefaultTime = 10 * time.Second

// Range is where a problem's answers are proved, several at a time if need be.
type Range struct {
	ID      string // of the problem
	Runner  judge.Runner
	Tools   *lang.Toolbox
	Drivers drivers.Set
	Limits  judge.Limits // for an answer's processes, without the times
	Domain  *Domain
	Checker *Checker
}

// Result is what was proved of an answer: an event, and how the answer was called.
type Result struct {
	judge.GolfProved
	found candidate // the way it was called
}

// NotRun is the result of an answer that there is nothing to run of.
func NotRun(file, why string) *Result {
	return &Result{GolfProved: judge.GolfProved{Format: judge.EventFormat, File: file, Verdict: CannotRun, Log: why}}
}

// Prove finds out how to call the answer, and proves it.
func (r *Range) Prove(ctx context.Context, a *Answer, o Options) (*Result, error) {
	start := time.Now()
	if o.Time <= 0 {
		o.Time = DefaultTime
	}
	if o.Jobs < 1 {
		o.Jobs = 1
	}
	res := &Result{GolfProved: judge.GolfProved{
		Format: judge.EventFormat, Problem: r.ID, File: a.File, Language: a.Language.Name, Flags: o.Flags, GolfSize: a.Size, Claim: a.Claim,
		Domain: len(r.Domain.Inputs), TimeMS: o.Time.Milliseconds(), Seed: o.Seed, Code: a.Counted,
	}}
	p := &proof{r: r, o: o, a: a, res: res, driver: a.Driver, lang: withFlags(a.Language, a.Driver, o.Flags), seen: map[outputKey]bool{}}
	defer p.close()
	err := p.run(ctx)
	if missing, ok := asMissing(err); ok {
		res.Verdict, res.Log = CannotRun, missing
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("prove %s: %w", a.File, err)
	}
	if o.Strict && res.Verdict == Right && len(res.Notes) > 0 {
		res.Verdict = Wrong
	}
	res.WallMS = float64(time.Since(start).Milliseconds())
	return res, nil
}

// withFlags returns the language as its driver builds it, with further flags: of its compiler if the
// answer is built, otherwise of its interpreter.
func withFlags(l *config.Language, d *drivers.Driver, flags []string) *config.Language {
	made := *l
	if len(d.Build) > 0 {
		made.Build = d.Build
	}
	if len(flags) == 0 {
		return &made
	}
	insert := func(command []string) []string {
		return append(append([]string{command[0]}, flags...), command[1:]...)
	}
	made.Build = append([][]string{}, made.Build...)
	if len(made.Result) == 0 {
		for k, command := range made.Build { // a check by the interpreter itself, which may need them
			if command[0] == made.Run[0] {
				made.Build[k] = insert(command)
			}
		}
		made.Run = insert(made.Run)
		return &made
	}
	if last := len(made.Build) - 1; last >= 0 {
		made.Build[last] = insert(made.Build[last])
	}
	return &made
}

// Letters names the arguments of a function: i, j, k.
func Letters(arity int) []string { return strings.Split("ijklmnopq"[:arity], "") }
