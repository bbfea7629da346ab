// Package golf checks a submission to a golf problem on the whole domain, and counts its size.
//
//	answer --Read--> Answer --detect--> way --quick, all--> outputs --checker--> Result
//
// It finds out by trying the samples whether a submission is a program or a function, and how it takes its
// arguments, and then keeps to that. A program runs once for each input. A function is called for all inputs
// in one process, by the driver of its language (package drivers), in shuffled order and twice. Then it is
// called again in separate processes, which detects functions that work only once.
//
// The problem's own checker (kit.CheckGolf) decides what is correct. The package knows no language and no
// problem by name, and it prints nothing.
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

// Verdict is the verdict of a golf submission.
type Verdict = judge.GolfVerdict

// The verdicts, as package judge spells them.
const (
	Right     = judge.GolfRight
	Wrong     = judge.GolfWrong
	Slow      = judge.GolfSlow
	CannotRun = judge.GolfCannotRun
)

// Options say how to check. With the zero value, everything is detected.
type Options struct {
	As    string        `json:"as,omitempty"`      // "function" or "program"; empty tries both
	Entry string        `json:"entry,omitempty"`   // the name of the function
	Call  string        `json:"call,omitempty"`    // how it is called, as Forms or Calls name it
	In    string        `json:"in,omitempty"`      // how a program gets its input, as Inputs names it
	Flags []string      `json:"-"`                 // of the interpreter or compiler; set when the submission is read
	Time  time.Duration `json:"time_ns,omitempty"` // CPU time for one input; zero means DefaultTime
	// Budget is the CPU time for all inputs together. Zero means no limit.
	Budget time.Duration `json:"budget_ns,omitempty"`
	Seed   uint64        `json:"seed"` // of the order
	Jobs   int           `json:"-"`
	Quick  bool          `json:"quick,omitempty"`  // samples and edge cases only
	Cases  []string      `json:"cases,omitempty"`  // these inputs only
	All    bool          `json:"all,omitempty"`    // find every wrong input
	Strict bool          `json:"strict,omitempty"` // submissions that need a lenient rule are wrong
	// Dialect says that the interpreter of another dialect cannot parse the file. If this one cannot either, no
	// call is tried.
	Dialect bool `json:"-"`
	// Progress, if not nil, is called with how far the check is.
	Progress func(done, of int) `json:"-"`
	// Milestone, if not nil, is called once when a program that takes long to check is
	// correct on its hardest inputs.
	Milestone func(done, of int) `json:"-"`
}

// Reading says how submissions are read, if their files do not say so. With the zero value, the files decide.
type Reading struct {
	Stdin    io.Reader `json:"-"`                   // the submission named "-"
	At       string    `json:"-"`                   // path of the submission, if it differs from its name
	Language string    `json:"language,omitempty"`  // requested
	Flags    []string  `json:"flags,omitempty"`     // of the interpreter or compiler
	Header   string    `json:"header,omitempty"`    // a file to put before the code, not counted
	Footer   string    `json:"footer,omitempty"`    // a file to put after the code, not counted
	Encoding string    `json:"encoding,omitempty"`  // in which bytes are counted
	Claim    int       `json:"claim,omitempty"`     // the claimed size in bytes
	OldFlags bool      `json:"old_flags,omitempty"` // count flags, as golf sites did before 2018
}

// DefaultTime is the CPU time for one input.
const DefaultTime = 10 * time.Second

// Range checks a problem's submissions. It is safe for concurrent use.
type Range struct {
	ID      string // of the problem
	Runner  judge.Runner
	Tools   *lang.Toolbox
	Drivers drivers.Set
	Limits  judge.Limits // for a submission's processes, without the times
	Domain  *Domain
	Checker *Checker
}

// Result is the result of a check: an event, and how the submission was called.
type Result struct {
	judge.GolfProved
	found    candidate // how it was called
	Rejected bool      `json:"-"` // the interpreter cannot parse the file
}

// NotRun returns the result of a submission that cannot be run.
func NotRun(file, why string) *Result {
	return &Result{GolfProved: judge.GolfProved{Format: judge.EventFormat, File: file, Verdict: CannotRun, Log: why}}
}

// Prove finds out how to call the submission, and checks it.
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

// withFlags returns the language as its driver builds it, with further flags for its compiler or interpreter.
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
