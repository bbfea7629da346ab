package kit

import (
	"encoding/json"
	"fmt"
	"os"
)

// Golf is what one answer to a golf problem gave, on the inputs that were tried so
// far. A checker of answers sees them all together, so that it can ask for what no
// single one shows: the same text in every lost position, say.
type Golf struct {
	All     bool         // every input of the domain is here
	Answers []GolfAnswer // what came out for each input so far

	report GolfReport
}

// GolfAnswer is what came out for one input. The same input may come several
// times, with different outputs.
type GolfAnswer struct {
	In  []string // the arguments
	Out []byte   // what was printed, or returned as text
}

// GolfReport is what a checker says of the answers.
type GolfReport struct {
	Wrong []GolfWrong // none where all are right
	Notes []string    // policies that were needed to accept an answer
	Says  []string    // what is worth telling of a correct answer
}

// GolfWrong is one wrong answer.
type GolfWrong struct {
	Index int    // in Golf.Answers
	Why   string // what was expected instead
}

// Wrong says that the answer with this index is wrong.
func (g *Golf) Wrong(index int, format string, args ...any) {
	g.report.Wrong = append(g.report.Wrong, GolfWrong{index, fmt.Sprintf(format, args...)})
}

// Note names a policy without which an answer would not be correct. Some
// golfers play by stricter rules.
func (g *Golf) Note(format string, args ...any) {
	g.report.Notes = append(g.report.Notes, fmt.Sprintf(format, args...))
}

// Say tells something of a correct answer: "lost positions give 0".
func (g *Golf) Say(format string, args ...any) {
	g.report.Says = append(g.report.Says, fmt.Sprintf(format, args...))
}

// Report returns what was said so far.
func (g *Golf) Report() GolfReport { return g.report }

// CheckGolf is the main function of a checker of golf answers: it calls f with
// more and more answers, and finally with all. F must not remember anything.
//
// The judge asks "golf <request>", where the request is a Golf in JSON, and the
// program replies with OK or WA and a GolfReport in JSON.
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
