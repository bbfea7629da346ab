package kit

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
)

// A Talk is a case in which an interactor communicates with the contestant's program.
type Talk struct {
	In  *Reader // input of the case; not visible to the program
	Ans *Reader // the answer; empty if the case has none

	from     *bufio.Reader
	to       io.Writer
	feedback string // directory; empty if there is none
}

// Interact is the main function of an interactor. It calls f, which communicates with the contestant's program and
// must end with Quit. If f cannot read from the program, the case ends with WA. If it cannot read from In or Ans,
// the case ends with Fail, which blames the setter.
//
// The command line is that of an output validator in the ICPC problem package format: "interactor input answer
// feedback/". Standard input and output are connected to the program. Therefore other judges can also use the
// interactor. Output is sent immediately.
func Interact(f func(t *Talk)) {
	signal.Ignore(syscall.SIGPIPE) // the interactor continues after the program has ended
	if len(os.Args) < 4 {
		interactorExit("", quit{Fail, "usage: " + os.Args[0] + " <input file> <answer file> <feedback directory>"})
	}
	t := &Talk{from: bufio.NewReader(os.Stdin), to: os.Stdout, feedback: os.Args[3]}
	for i, text := range []struct {
		name string
		to   **Reader
	}{{"input", &t.In}, {"answer", &t.Ans}} {
		data, err := os.ReadFile(os.Args[i+1])
		if err != nil {
			interactorExit(t.feedback, quit{Fail, err.Error()})
		}
		*text.to = &Reader{data: data, name: text.name, blame: Fail}
	}
	q := catch(func() { f(t) })
	if q.verdict == "" {
		q = quit{Fail, "the interactor returned without calling Quit"}
	}
	interactorExit(t.feedback, q)
}

// interactorExits maps verdicts to the exit codes of an output validator.
var interactorExits = map[Verdict]int{OK: 42, WA: 43, Fail: 3}

func interactorExit(feedback string, q quit) {
	if q.message != "" {
		fmt.Fprintln(os.Stderr, q.message)
		if feedback != "" && q.verdict != Fail {
			_ = os.WriteFile(filepath.Join(feedback, "judgemessage.txt"), []byte(q.message+"\n"), 0o644)
		}
	}
	os.Exit(interactorExits[q.verdict])
}

// Quit ends the case with a verdict and a message. It does not return.
func (t *Talk) Quit(v Verdict, format string, args ...any) {
	panic(quit{v, fmt.Sprintf(format, args...)})
}

// Println sends a line to the program, formatted as by fmt.Println.
func (t *Talk) Println(args ...any) { fmt.Fprintln(t.to, args...) }

// Printf sends a text to the program, formatted as by fmt.Printf.
func (t *Talk) Printf(format string, args ...any) { fmt.Fprintf(t.to, format, args...) }

// maxToken is the maximum length of a word or line from the program, in bytes.
const maxToken = 1 << 20

// refuse ends the case with WA.
func (t *Talk) refuse(format string, args ...any) { t.Quit(WA, format, args...) }

// Token waits for the program's next word. White space separates words.
func (t *Talk) Token() string {
	var word []byte
	for {
		c, err := t.from.ReadByte()
		switch {
		case err != nil && len(word) == 0:
			t.refuse("want a word, but the program has ended its output")
		case err != nil || isSpace(c) && len(word) > 0:
			return string(word)
		case isSpace(c):
		case len(word) == maxToken:
			t.refuse("a word of more than %d bytes", maxToken)
		default:
			word = append(word, c)
		}
	}
}

// Line waits for the program's next line, and returns it without its line feed.
func (t *Talk) Line() string {
	var line []byte
	for {
		c, err := t.from.ReadByte()
		switch {
		case err != nil && len(line) == 0:
			t.refuse("want a line, but the program has ended its output")
		case err != nil || c == '\n':
			return string(line)
		case len(line) == maxToken:
			t.refuse("a line of more than %d bytes", maxToken)
		default:
			line = append(line, c)
		}
	}
}

// Int64 waits for a decimal integer.
func (t *Talk) Int64() int64 {
	word := t.Token()
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil {
		t.refuse("want an integer, got %s", short(word))
	}
	return n
}

// Int waits for a decimal integer in lo..hi. The name appears in messages.
func (t *Talk) Int(lo, hi int64, name string) int64 {
	n := t.Int64()
	if n < lo || n > hi {
		t.refuse("%s = %d is not in %d..%d", name, n, lo, hi)
	}
	return n
}

// EOF waits until the program ends or closes its output. It rejects any further word.
func (t *Talk) EOF() {
	for {
		c, err := t.from.ReadByte()
		if err != nil {
			return
		}
		if !isSpace(c) {
			t.refuse("the program printed more than expected")
		}
	}
}

// Score sets the points of a case. The case must then end with OK. The maximum is max_score of its group.
func (t *Talk) Score(points float64) {
	t.leave("score.txt", strconv.FormatFloat(points, 'g', -1, 64))
}

// Share sets the fraction of the case's points to award, from 0 to 1. The case must then end with OK.
func (t *Talk) Share(part float64) {
	t.leave("score_multiplier.txt", strconv.FormatFloat(math.Max(0, math.Min(1, part)), 'g', -1, 64))
}

// NextPass ends a pass of a multi-pass problem. The judge then starts the program again, and starts the interactor
// with input as its In. NextPass does not return.
func (t *Talk) NextPass(input string) {
	t.leave("nextpass.in", input)
	t.Quit(OK, "")
}

// leave writes a feedback file.
func (t *Talk) leave(name, text string) {
	if err := os.WriteFile(filepath.Join(t.feedback, name), []byte(text), 0o644); err != nil {
		t.Quit(Fail, "leave %s: %v", name, err)
	}
}
