package verify

import (
	"fmt"
	"path/filepath"
	"strings"

	"assay/judge"
	"assay/judge/internal/tail"
)

// failing separates the role of a setter's program, such as "the checker", from the description of its crash.
const failing = " fails: "

// failingOn introduces the case on which a checker fails.
const failingOn = " fails on "

// crashes collects the failures of a setter's program on all cases.
type crashes struct {
	list  []*crash
	cases int // number of cases on which the program fails
}

// crash is a failure of a program at one position in its source.
type crash struct {
	fault     *judge.ProblemError // the hint is the program's output
	firstCase string              // the case
	more      int                 // number of further cases
}

// add records that a program fails on a case.
func (c *crashes) add(f *judge.ProblemError, caseID string) {
	c.cases++
	for _, known := range c.list {
		if sameCrash(known.fault, f) {
			known.more++
			return
		}
	}
	c.list = append(c.list, &crash{fault: f, firstCase: caseID})
}

// faults returns one fault for each position at which the program fails.
func (c *crashes) faults() (list judge.ProblemErrors) {
	for _, one := range c.list {
		where := "it fails on case " + one.firstCase
		if one.more == 1 {
			where += ", and on 1 more case"
		} else if one.more > 1 {
			where += fmt.Sprintf(", and on %d more cases", one.more)
		}
		f := *one.fault
		f.Hint = strings.TrimRight(where+"\n"+f.Hint, "\n")
		list = append(list, &f)
	}
	return list
}

// sameCrash reports whether two faults are failures of one program at the same position.
func sameCrash(a, b *judge.ProblemError) bool {
	return a.File == b.File && a.Line == b.Line && (a.Line > 0 || a.Text == b.Text)
}

// timedOut reports whether a fault says that a setter's program was stopped at its time limit.
func timedOut(f *judge.ProblemError) bool {
	ends := func(r judge.Resource) bool {
		return strings.HasSuffix(f.Text, ": "+judge.Exec{Killed: r}.Termination())
	}
	return ends(judge.CPUTime) || ends(judge.WallTime) || strings.Contains(f.Text, " gave no answer within ")
}

// isCrash reports whether a fault is a failure of a setter's program.
func isCrash(f *judge.ProblemError) bool {
	for _, word := range []string{failing, failingOn} {
		if role, _, found := strings.Cut(f.Text, word); found && strings.HasPrefix(role, "the ") && strings.Count(role, " ") == 1 {
			return true
		}
	}
	return false
}

// crashFault returns the fault for a crash of a setter's program. The program's standard error becomes the hint.
func crashFault(role string, part *judge.SetterProgram, message string) *judge.ProblemError {
	what, stderr, _ := strings.Cut(message, "\n")
	stderr = strings.TrimPrefix(stderr, stderrIntro+"\n")
	if _, after, found := strings.Cut(what, filepath.Base(part.Path)+" "); found { // for example "checker p/check.py ended"
		what = after
	}
	f := &judge.ProblemError{File: part.Path, Text: "the " + role + failing + what, Hint: stderr}
	if file, line := tail.SourcePosition(stderr, tail.Sources(part.Path)); line > 0 {
		f.File, f.Line = file, line
	}
	if reason := tail.Reason(stderr); reason != "" && (f.Line > 0 || tail.Crashed(stderr)) {
		f.Text = "the " + role + failing + reason
	}
	return f
}

// referenceFault sets the position of a fault of the reference solution.
func referenceFault(part *judge.SetterProgram, f *judge.ProblemError) *judge.ProblemError {
	placed := &judge.ProblemError{
		File: part.Path, Text: strings.Replace(f.Text, "the reference fails on it", "the reference fails", 1),
		Hint: f.Hint,
	}
	if file, line := tail.SourcePosition(f.Hint, tail.Sources(part.Path)); line > 0 {
		placed.File, placed.Line = file, line
	}
	if reason := tail.Reason(f.Hint); tail.Crashed(f.Hint) {
		placed.Text += ": " + reason
	}
	return placed
}

// stderrIntro introduces the end of a program's standard error.
const stderrIntro = "its standard error ends:"

// ownError occurs in the message of a program that exited normally and reported an error of its own, for example
// an unreadable answer file.
const ownError = " is at fault"

// crashOf returns the fault of the setter's checker or interactor if the message of a judge error shows that this
// program crashed. Otherwise, it returns nil.
func (v *Verifier) crashOf(message string) *judge.ProblemError {
	role, _, _ := strings.Cut(message, " ")
	part := map[string]*judge.SetterProgram{"checker": v.Directory.Checker.Program, "interactor": v.Directory.Interactor}[role]
	if first, _, _ := strings.Cut(message, "\n"); part == nil || strings.Contains(first, ownError) {
		return nil
	}
	return crashFault(role, part, message)
}

// withoutRepeats returns a function that forwards events, but omits repeated faults of the same crash.
func withoutRepeats(onEvent func(judge.Event)) func(judge.Event) {
	var told judge.ProblemErrors
	return func(e judge.Event) {
		if f, is := e.(*judge.ProblemErrorFound); is && isCrash(f.Fault) {
			for _, known := range told {
				if sameCrash(known, f.Fault) {
					return
				}
			}
			told = append(told, f.Fault)
		}
		onEvent(e)
	}
}
