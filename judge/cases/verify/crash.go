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
	all   []*crash
	cases int // number of cases on which the program fails
}

// crash is a failure of a program at one position in its source.
type crash struct {
	fault *judge.Fault // the hint is the program's output
	first string       // the case
	more  int          // number of further cases
}

// add records that a program fails on a case.
func (c *crashes) add(f *judge.Fault, on string) {
	c.cases++
	for _, known := range c.all {
		if sameCrash(known.fault, f) {
			known.more++
			return
		}
	}
	c.all = append(c.all, &crash{fault: f, first: on})
}

// faults returns one fault for each position at which the program fails.
func (c *crashes) faults() (all judge.Faults) {
	for _, one := range c.all {
		where := "it fails on case " + one.first
		if one.more == 1 {
			where += ", and on 1 more case"
		} else if one.more > 1 {
			where += fmt.Sprintf(", and on %d more cases", one.more)
		}
		f := *one.fault
		f.Hint = strings.TrimRight(where+"\n"+f.Hint, "\n")
		all = append(all, &f)
	}
	return all
}

// sameCrash reports whether two faults are failures of one program at the same position.
func sameCrash(a, b *judge.Fault) bool {
	return a.File == b.File && a.Line == b.Line && (a.Line > 0 || a.Text == b.Text)
}

// timedOut reports whether a fault says that a setter's program was stopped at its time limit.
func timedOut(f *judge.Fault) bool {
	ends := func(r judge.Resource) bool { return strings.HasSuffix(f.Text, ": "+judge.Exec{Killed: r}.Fate()) }
	return ends(judge.CPUTime) || ends(judge.WallTime) || strings.Contains(f.Text, " gave no answer within ")
}

// isCrash reports whether a fault is a failure of a setter's program.
func isCrash(f *judge.Fault) bool {
	for _, word := range []string{failing, failingOn} {
		if role, _, found := strings.Cut(f.Text, word); found && strings.HasPrefix(role, "the ") && strings.Count(role, " ") == 1 {
			return true
		}
	}
	return false
}

// crashed returns the fault for a crash of a setter's program. The program's standard error becomes the hint.
func crashed(role string, part *judge.Part, message string) *judge.Fault {
	what, stderr, _ := strings.Cut(message, "\n")
	stderr = strings.TrimPrefix(stderr, errorEnds+"\n")
	if _, after, found := strings.Cut(what, filepath.Base(part.Path)+" "); found { // for example "checker p/check.py ended"
		what = after
	}
	f := &judge.Fault{File: part.Path, Text: "the " + role + failing + what, Hint: stderr}
	if file, line := tail.Place(stderr, tail.Sources(part.Path)); line > 0 {
		f.File, f.Line = file, line
	}
	if reason := tail.Reason(stderr); reason != "" && (f.Line > 0 || tail.Crashed(stderr)) {
		f.Text = "the " + role + failing + reason
	}
	return f
}

// referenceFault sets the position of a fault of the reference solution.
func referenceFault(part *judge.Part, f *judge.Fault) *judge.Fault {
	placed := &judge.Fault{File: part.Path, Text: strings.Replace(f.Text, "the reference fails on it", "the reference fails", 1), Hint: f.Hint}
	if file, line := tail.Place(f.Hint, tail.Sources(part.Path)); line > 0 {
		placed.File, placed.Line = file, line
	}
	if reason := tail.Reason(f.Hint); tail.Crashed(f.Hint) {
		placed.Text += ": " + reason
	}
	return placed
}

// errorEnds introduces the end of a program's standard error.
const errorEnds = "its standard error ends:"

// saidItself occurs in the message of a program that exited normally and reported an error of its own, for example
// an unreadable answer file.
const saidItself = " is at fault"

// crashOf returns the fault of the setter's checker or interactor if the message of a judge error shows that this
// program crashed. Otherwise, it returns nil.
func (v *Verifier) crashOf(message string) *judge.Fault {
	role, _, _ := strings.Cut(message, " ")
	part := map[string]*judge.Part{"checker": v.Folder.Checker.Program, "interactor": v.Folder.Interactor}[role]
	if first, _, _ := strings.Cut(message, "\n"); part == nil || strings.Contains(first, saidItself) {
		return nil
	}
	return crashed(role, part, message)
}

// once returns a function that forwards events, but omits repeated faults of the same crash.
func once(listen func(judge.Event)) func(judge.Event) {
	var told judge.Faults
	return func(e judge.Event) {
		if f, is := e.(*judge.FaultFound); is && isCrash(f.Fault) {
			for _, known := range told {
				if sameCrash(known, f.Fault) {
					return
				}
			}
			told = append(told, f.Fault)
		}
		listen(e)
	}
}
