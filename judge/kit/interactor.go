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

// Talk is a case in which an interactor talks to the contestant's program.
type Talk struct {
	In  *Reader // the case's input, which the program does not see
	Ans *Reader // the answer; empty where the case has none

	from     *bufio.Reader
	to       io.Writer
	feedback string // directory; empty if there is none
}

// Interact is the main function of an interactor: it calls f, which talks to the
// contestant's program and must end with Quit. What f cannot read from the program
// is the contestant's fault (WA), what it cannot read from In or Ans is the
// setter's (Fail).
//
// An interactor is called as an output validator of the ICPC problem package format,
// so it is also one for other judges: "interactor input answer feedback/", with the
// program at its standard input and output. Each Print leaves at once.
func Interact(f func(t *Talk)) {
	signal.Ignore(syscall.SIGPIPE) // a program that has left is no reason to die
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

// interactorExits are the exit codes of an output validator.
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

// Quit ends the case with a verdict and a message for people. It does not return.
func (t *Talk) Quit(v Verdict, format string, args ...any) {
	panic(quit{v, fmt.Sprintf(format, args...)})
}

// Println says a line to the program, as fmt.Println prints it.
func (t *Talk) Println(args ...any) { fmt.Fprintln(t.to, args...) }

// Printf says a text to the program, as fmt.Printf prints it.
func (t *Talk) Printf(format string, args ...any) { fmt.Fprintf(t.to, format, args...) }

// maxToken is how long a word or a line of the program may be.
const maxToken = 1 << 20

// reject ends the case as the program's fault.
func (t *Talk) refuse(format string, args ...any) { t.Quit(WA, format, args...) }

// Token waits for the program's next word: everything between white space.
func (t *Talk) Token() string {
	var word []byte
	for {
		c, err := t.from.ReadByte()
		switch {
		case err != nil && len(word) == 0:
			t.refuse("want a word, but the program says no more")
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

// Line waits for the program's next line, and returns it without its end.
func (t *Talk) Line() string {
	var line []byte
	for {
		c, err := t.from.ReadByte()
		switch {
		case err != nil && len(line) == 0:
			t.refuse("want a line, but the program says no more")
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

// Int waits for a decimal integer in lo..hi. The name is for the message.
func (t *Talk) Int(lo, hi int64, name string) int64 {
	n := t.Int64()
	if n < lo || n > hi {
		t.refuse("%s = %d is not in %d..%d", name, n, lo, hi)
	}
	return n
}

// EOF waits for the program to end, or to close its output, without another word.
func (t *Talk) EOF() {
	for {
		c, err := t.from.ReadByte()
		if err != nil {
			return
		}
		if !isSpace(c) {
			t.refuse("the program says more than it should")
		}
	}
}

// Score gives points to a case that is then accepted. The most that a case can give
// is in its group (max_score).
func (t *Talk) Score(points float64) {
	t.leave("score.txt", strconv.FormatFloat(points, 'g', -1, 64))
}

// Share gives a part of the case's points, from 0 to 1, to a case that is then
// accepted.
func (t *Talk) Share(part float64) {
	t.leave("score_multiplier.txt", strconv.FormatFloat(math.Max(0, math.Min(1, part)), 'g', -1, 64))
}

// NextPass ends a pass of a multi-pass problem: the program is started again, and the
// interactor with this text as its In. It does not return.
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
