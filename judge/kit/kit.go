// Package kit is a library for checkers, validators, generators and interactors of a problem directory in Go (see
// the examples). It uses the names of testlib: In is the input, Out the contestant's output, Ans the answer of the
// reference solution, and Quit ends with a verdict.
//
// Outside stream mode, a kit program is an ordinary command. A checker takes the names of the input, output and
// answer files, and exits with 0 if the output is correct, 1 if it is wrong, and 3 if the checker or the answer is
// at fault. A validator reads standard input, and exits with 0 or 3. A generator prints a case. With --kattis,
// checkers and validators follow the Kattis protocol (see kattis.go).
//
// The judge starts a kit program only once, and sends it a frame for each case (see Frame). Thus ten thousand
// cases need only one process, and a variable declared before Check keeps its value across the cases of a
// submission, which are checked in judging order.
//
// The package uses only the standard library, because it is also built outside this module. Game referees use
// kit/referee. The kit is not for solutions. It does not know sandboxes or files of the judge, and has only three
// verdicts.
package kit

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

// A Verdict is the decision of a kit program about one case.
type Verdict string

const (
	OK   Verdict = "ok"    // the output is correct, or the input is valid
	WA   Verdict = "wrong" // the contestant's output is wrong, or the input is not valid
	Fail Verdict = "fail"  // the answer or the kit program itself is at fault
)

// quit is the panic value with which Quit leaves the setter's function. The package recovers it.
type quit struct {
	verdict Verdict
	message string
}

// catch runs f and returns the quit with which it ended. Any other panic of f becomes a Fail.
func catch(f func()) (q quit) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case quit:
			q = r
		default:
			fmt.Fprintf(os.Stderr, "panic: %v\n%s", r, debug.Stack())
			q = quit{Fail, fmt.Sprintf("panic: %v", r)}
		}
	}()
	f()
	return quit{}
}

// A Test is a case that a checker judges.
type Test struct {
	Name string  // such as "edge/corner-0-0"; empty when run manually
	In   *Reader // the input
	Out  *Reader // output of the contestant's program
	Ans  *Reader // output of the reference solution
}

// Quit ends the case with a verdict and a message. It does not return.
func (t *Test) Quit(v Verdict, format string, args ...any) {
	panic(quit{v, fmt.Sprintf(format, args...)})
}

// Check is the main function of a checker. It calls f once for each case, in judging order. The function f must
// end with Quit. If f cannot read from Out, the case ends with WA. It also ends with WA if f quits with OK before
// the end of Out, ignoring white space. A checker that allows more output reads it with Rest. If f cannot read
// from In or Ans, the case ends with Fail, which blames the setter.
//
// Print nothing before Check, because it uses standard output for frames. Check redirects the output of f to
// standard error.
func Check(f func(t *Test)) {
	check := func(name string, in, out, ans []byte) quit {
		t := &Test{
			Name: name,
			In:   &Reader{data: in, name: "input", blame: Fail},
			Out:  &Reader{data: out, name: "output", blame: WA},
			Ans:  &Reader{data: ans, name: "answer", blame: Fail},
		}
		return judged(t.Out, func() { f(t) })
	}
	if streaming() {
		serve("checker", func(parts [][]byte) quit {
			if len(parts) != 4 {
				return quit{Fail, fmt.Sprintf("a check has 4 parts, got %d", len(parts))}
			}
			return check(string(parts[0]), parts[1], parts[2], parts[3])
		})
		return
	}
	if askedForKattis() {
		checkForKattis(check)
	}
	if len(os.Args) != 4 {
		exit(quit{Fail, "usage: " + os.Args[0] + " <input file> <output file> <answer file>"})
	}
	var data [3][]byte
	for i := range data {
		var err error
		if data[i], err = os.ReadFile(os.Args[i+1]); err != nil {
			exit(quit{Fail, err.Error()})
		}
	}
	exit(check("", data[0], data[1], data[2]))
}

// judged runs the checker function f on the output out, and returns the result. If f accepts the output but has
// not read all of it, judged rejects the output.
func judged(out *Reader, f func()) quit {
	q := catch(f)
	if q.verdict == OK && !out.AtEOF() {
		q = catch(func() { out.Refuse("extra output: want the end of the file, got %s", out.next()) })
	}
	if q.verdict == "" {
		q = quit{Fail, "the checker returned without calling Quit"}
	}
	return q
}

// Validate is the main function of a validator. It calls f for each input. The function f reads the input with the
// strict methods of Reader, to the last byte. An input is not valid if f cannot read it, or rejects it with
// Refuse.
func Validate(f func(in *Reader)) {
	validate := func(data []byte) quit {
		in := &Reader{data: data, name: "input", blame: WA, strict: true}
		q := catch(func() { f(in); in.EOF() })
		if q.verdict == "" {
			q.verdict = OK
		}
		return q
	}
	if streaming() {
		serve("validator", func(parts [][]byte) quit {
			if len(parts) != 2 {
				return quit{Fail, fmt.Sprintf("a validation has 2 parts, got %d", len(parts))}
			}
			return validate(parts[1])
		})
		return
	}
	data, err := readAll(os.Stdin)
	if err != nil {
		exit(quit{Fail, err.Error()})
	}
	q := validate(data)
	if askedForKattis() {
		exitForKattis("", q)
	}
	if q.verdict == WA {
		q.verdict = Fail // testlib validators exit with 3
	}
	exit(q)
}

// exit ends a kit program that was run manually.
func exit(q quit) {
	if q.message != "" {
		fmt.Fprintln(os.Stderr, strings.TrimRight(q.message, "\n"))
	}
	os.Exit(map[Verdict]int{OK: 0, WA: 1, Fail: 3}[q.verdict])
}
