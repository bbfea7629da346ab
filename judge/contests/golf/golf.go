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
	"strings"
	"time"

	"assay/judge"
	"assay/judge/contests/golf/drivers"
	"assay/judge/running/config"
	"assay/judge/running/lang"
)

// Verdict is what an answer is worth.
type Verdict string

const (
	Right     Verdict = "RIGHT"
	Wrong     Verdict = "WRONG"
	Slow      Verdict = "SLOW"       // nothing wrong, but some input took too long
	CannotRun Verdict = "CANNOT RUN" // no interpreter, or it does not compile
)

// Options say how to prove. The zero value proves with what can be found out.
type Options struct {
	As     string        // "function" or "program"; "" tries both
	Entry  string        // the name of the function
	Call   string        // how it is called, as Forms or Calls name it
	In     string        // how a program gets its input, as Inputs names it
	Flags  []string      // of the interpreter or compiler
	Time   time.Duration // processor time for one input; 0 is DefaultTime
	Seed   uint64        // of the order
	Jobs   int
	Quick  bool     // samples and edges only
	Cases  []string // these inputs only
	All    bool     // find every wrong input
	Strict bool     // policies that were needed make an answer wrong
	// Progress, if it is not nil, is told how far the proof is.
	Progress func(done, of int)
	// Milestone, if it is not nil, is told once that a program which takes long to
	// prove is right on its hardest inputs.
	Milestone func(done, of int)
}

// DefaultTime is the processor time for one input.
const DefaultTime = 10 * time.Second

// Range is where a problem's answers are proved, several at a time if need be.
type Range struct {
	ID      string // of the problem
	Runner  judge.Runner
	Tools   *lang.Toolbox
	Drivers drivers.Set
	Limits  judge.Limits // for an answer's processes, but for the times
	Domain  *Domain
	Checker *Checker
}

// Result is all that is known of an answer.
type Result struct {
	File     string   `json:"file"`
	Language string   `json:"language"`
	Flags    []string `json:"flags,omitempty"`
	Size
	Claim int `json:"claimed_bytes,omitempty"`

	Verdict Verdict `json:"verdict"`
	How     string  `json:"how,omitempty"` // "function f(i,j)", "program, input 'i j'"
	Log     string  `json:"log,omitempty"` // why it cannot run

	Domain   int  `json:"domain"`
	Tried    int  `json:"tried"` // inputs
	Picked   bool `json:"picked,omitempty"`
	Quick    bool `json:"quick,omitempty"`
	Samples  int  `json:"samples"`
	BadCases int  `json:"wrong_samples"`
	Shuffles int  `json:"shuffles,omitempty"`
	Fresh    int  `json:"fresh_calls,omitempty"`
	Server   int  `json:"server_agreed_on,omitempty"` // inputs on which processes of their own were run too

	Wrong     []WrongInput `json:"wrong,omitempty"` // the smallest first
	WrongMany int          `json:"wrong_inputs"`
	Slow      []string     `json:"slow,omitempty"`
	Stateful  bool         `json:"depends_on_earlier_calls,omitempty"`
	Shown     []Shown      `json:"shown,omitempty"` // with Cases: what each gave
	Says      []string     `json:"says,omitempty"`
	Notes     []string     `json:"notes,omitempty"`

	TimeMS  int64         `json:"time_limit_ms"`
	Seed    uint64        `json:"seed"`
	Seconds float64       `json:"seconds"`
	Explain []Explanation `json:"explain,omitempty"`
	Code    string        `json:"-"`

	found candidate // the way it was called
}

// WrongInput is an input that an answer is wrong about.
type WrongInput struct {
	In   string `json:"in"`
	Gave string `json:"gave"`
	Why  string `json:"why"`
}

// Shown is what an answer gave for one input.
type Shown struct {
	In   string `json:"in"`
	Gave string `json:"gave"`
	Fate string `json:"fate,omitempty"`
}

// Explanation is one way of calling the answer that was tried, and what came of it
// on the samples.
type Explanation struct {
	How    string   `json:"how"`
	Right  int      `json:"right"` // samples
	Gave   []string `json:"gave,omitempty"`
	Reason string   `json:"reason,omitempty"` // why it could not be tried
	Driver string   `json:"driver,omitempty"`

	clean int // right samples that are neither errors nor empty
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
	res := &Result{
		File: a.File, Language: a.Language.Name, Flags: o.Flags, Size: a.Size, Claim: a.Claim,
		Domain: len(r.Domain.Inputs), TimeMS: o.Time.Milliseconds(), Seed: o.Seed, Code: a.Counted,
	}
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
	res.Seconds = time.Since(start).Seconds()
	return res, nil
}

// withFlags is the language as its driver builds it, with further flags: of its interpreter where the
// answer is run as it is, of its compiler where it is built.
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
