package kit

import (
	"encoding/json"
	"fmt"
	"os"
)

// A Golf contains the outputs of a golf submission for all inputs that were tried so far. A checker receives them
// together, so it can compare them. For example, it can require the same text for every lost position.
type Golf struct {
	All     bool         // Answers contains every input of the domain
	Answers []GolfAnswer // the outputs so far

	report GolfReport
}

// A GolfAnswer is the output for one input. The same input may appear several times, with different outputs.
type GolfAnswer struct {
	In  []string // the arguments
	Out []byte   // the printed text, or the returned value as text
}

// A GolfReport is the result of a checker.
type GolfReport struct {
	Wrong []GolfWrong // wrong outputs; empty if all are correct
	Notes []string    // lenient rules that were needed to accept an output
	Says  []string    // remarks about a correct submission
}

// A GolfWrong is a wrong output.
type GolfWrong struct {
	Index int    // index in Golf.Answers
	Why   string // expected output
}

// Wrong reports that the output with the given index in Answers is wrong. The text describes the expected output.
func (g *Golf) Wrong(index int, format string, args ...any) {
	g.report.Wrong = append(g.report.Wrong, GolfWrong{index, fmt.Sprintf(format, args...)})
}

// Note records a lenient rule that was needed to accept an output. With --strict, such an output is wrong.
func (g *Golf) Note(format string, args ...any) {
	g.report.Notes = append(g.report.Notes, fmt.Sprintf(format, args...))
}

// Say adds a remark about a correct submission, such as "lost positions give 0".
func (g *Golf) Say(format string, args ...any) {
	g.report.Says = append(g.report.Says, fmt.Sprintf(format, args...))
}

// Report returns the report so far.
func (g *Golf) Report() GolfReport { return g.report }

// CheckGolf is the main function of a golf checker. It calls f repeatedly with more outputs each time, and finally
// with all outputs. The function f must not keep state between calls.
//
// The judge sends "golf <request>", where the request is a Golf in JSON. The program replies with OK or WA, and a
// GolfReport in JSON.
func CheckGolf(f func(g *Golf)) {
	if !streaming() {
		exit(quit{Fail, "usage: judge golf <problem> <answer> starts " + os.Args[0]})
	}
	serve("golf", func(parts [][]byte) quit {
		if len(parts) != 1 {
			return quit{Fail, fmt.Sprintf("a request has 1 part, got %d", len(parts))}
		}
		var g Golf
		if err := json.Unmarshal(parts[0], &g); err != nil {
			return quit{Fail, "read the request: " + err.Error()}
		}
		if q := catch(func() { f(&g) }); q.verdict != "" {
			return quit{Fail, q.message}
		}
		text, err := json.Marshal(g.Report())
		if err != nil {
			return quit{Fail, err.Error()}
		}
		if len(g.report.Wrong) > 0 {
			return quit{WA, string(text)}
		}
		return quit{OK, string(text)}
	})
}
