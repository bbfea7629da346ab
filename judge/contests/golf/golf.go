// Package golf checks a submission to a golf problem on the whole domain, and counts its size.
//
//	answer --Read--> Answer --detect--> way --quick, all--> outputs --checker--> Result
//
// It tries the samples to determine whether a submission is a program or a function, and how it takes its
// arguments. The rest of the check uses that way of calling it. A program runs once for each input. The driver of
// the language (package drivers) calls a function for all inputs in one process, twice, in different orders. Then
// it calls the function again in separate processes, which detects functions that work only once.
//
// The problem's own checker (kit.CheckGolf) decides which outputs are correct. The package knows no language and
// no problem by name, and prints nothing.
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

// The verdicts, as defined in package judge.
const (
	Correct   = judge.GolfCorrect
	Incorrect = judge.GolfIncorrect
	TooSlow   = judge.GolfTooSlow
	CannotRun = judge.GolfCannotRun
)

// Options determine how to check a submission. The zero value detects everything.
type Options struct {
	Kind      string        `json:"as,omitempty"`      // "function" or "program"; empty tries both
	Entry     string        `json:"entry,omitempty"`   // name of the function
	Call      string        `json:"call,omitempty"`    // form of the call; see Forms and Calls
	InputForm string        `json:"in,omitempty"`      // how a program gets its input; see Inputs
	First     string        `json:"first,omitempty"`   // the way to call it that is tried first, as in GolfChecked.How
	Flags     []string      `json:"-"`                 // flags of the interpreter or compiler; set when the submission is read
	Time      time.Duration `json:"time_ns,omitempty"` // CPU time per input; zero means DefaultTime
	// Budget is the total CPU time for all inputs. Zero means no limit.
	Budget time.Duration `json:"budget_ns,omitempty"`
	Seed   uint64        `json:"seed"` // determines the order of inputs
	Jobs   int           `json:"-"`
	Quick  bool          `json:"quick,omitempty"`  // check only samples and edge cases
	Cases  []string      `json:"cases,omitempty"`  // run only these inputs
	All    bool          `json:"all,omitempty"`    // find every input with a wrong output
	Strict bool          `json:"strict,omitempty"` // reject submissions that need a lenient rule
	// Dialect means that the interpreter of another dialect of the language cannot parse the file. If the
	// interpreter of this dialect cannot parse it either, no call is tried.
	Dialect bool `json:"-"`
	// Progress, if not nil, is called with the number of inputs done and the total.
	Progress func(done, of int) `json:"-"`
	// Milestone, if not nil, is called once during a long check of a program, when the program is correct on the
	// hardest inputs.
	Milestone func(done, of int) `json:"-"`
}

// ReadOptions determines how submissions are read. With the zero value, everything follows from the submissions'
// files.
type ReadOptions struct {
	Stdin      io.Reader `json:"-"`                   // source of the submission named "-"
	Path       string    `json:"-"`                   // path of the submission, if different from its name
	Language   string    `json:"language,omitempty"`  // requested
	Flags      []string  `json:"flags,omitempty"`     // flags of the interpreter or compiler
	Header     string    `json:"header,omitempty"`    // file to insert before the code, not counted
	Footer     string    `json:"footer,omitempty"`    // file to append to the code, not counted
	Encoding   string    `json:"encoding,omitempty"`  // encoding in which bytes are counted
	Claim      int       `json:"claim,omitempty"`     // claimed size in bytes
	CountFlags bool      `json:"old_flags,omitempty"` // count flags, as golf sites did before 2018
}

// DefaultTime is the default CPU time per input.
const DefaultTime = 10 * time.Second

// SubmissionChecker checks a problem's submissions. Its methods are safe for concurrent use.
type SubmissionChecker struct {
	ID      string // id of the problem
	Runner  judge.Runner
	Tools   *lang.Toolbox
	Drivers drivers.Set
	Limits  judge.Limits // limits of a submission's processes, except times
	Domain  *Domain
	Checker *Checker
}

// Result is the result of a check as an event, and the way in which the submission was called.
type Result struct {
	judge.GolfChecked
	found    candidate // how it was called
	Rejected bool      `json:"-"` // the interpreter cannot parse the file
}

// CannotRunResult returns the result of a submission that cannot be run.
func CannotRunResult(file, reason string) *Result {
	return &Result{GolfChecked: judge.GolfChecked{Format: judge.EventFormat, File: file, Verdict: CannotRun, Log: reason}}
}

// Check detects how to call the submission, and checks it.
func (r *SubmissionChecker) Check(ctx context.Context, a *Submission, o Options) (*Result, error) {
	start := time.Now()
	if o.Time <= 0 {
		o.Time = DefaultTime
	}
	if o.Jobs < 1 {
		o.Jobs = 1
	}
	res := &Result{GolfChecked: judge.GolfChecked{
		Format: judge.EventFormat, Problem: r.ID, File: a.File, Language: a.Language.Name, Flags: o.Flags, GolfSize: a.Size, Claim: a.Claim,
		Domain: len(r.Domain.Inputs), TimeMS: o.Time.Milliseconds(), Seed: o.Seed, Code: a.Counted,
	}}
	p := &checkRun{r: r, o: o, a: a, res: res, driver: a.Driver, lang: withFlags(a.Language, a.Driver, o.Flags), seen: map[outputKey]bool{}}
	defer p.close()
	err := p.run(ctx)
	if missing, ok := asMissing(err); ok {
		res.Verdict, res.Log = CannotRun, missing
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("prove %s: %w", a.File, err)
	}
	if o.Strict && res.Verdict == Correct && len(res.Notes) > 0 {
		res.Verdict = Incorrect
	}
	res.WallMS = float64(time.Since(start).Milliseconds())
	return res, nil
}

// withFlags returns the language as its driver builds it, with additional flags for its compiler or interpreter.
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
		for k, command := range made.Build { // the interpreter may also check the code, and need the flags for that
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

// ArgumentNames returns the names of a function's arguments: i, j, k, and so on.
func ArgumentNames(arity int) []string { return strings.Split("ijklmnopq"[:arity], "") }
