// Package kit is what a Go checker, validator or generator of a problem directory imports (see
// the examples). It uses testlib's words: In is the input, Out the contestant's output, Ans
// the answer of the reference solution, and Quit ends with a verdict.
//
// A kit program runs in two ways. By hand it is an ordinary command: a checker takes the
// names of the input, output and answer files and exits with testlib's codes (0 right, 1
// wrong, 3 at fault itself), a validator reads standard input and exits with 0 or 3, a
// generator prints a case; with --kattis, checkers and validators speak Kattis' protocol
// (see kattis.go). The judge starts it once instead and sends it a frame for each case (see
// Frame), so that ten thousand cases cost one process, and so that a variable declared
// before Check holds state across the cases of one submission, which come in judging order.
//
// The package is complete in itself and uses the standard library only, because it is also
// built outside this module. Referees of games have a package of their own, kit/referee. The
// kit is not for solutions, and it knows nothing of sandboxes, files on disk or verdicts
// other than its own three.
package kit

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

// Verdict is how a kit program judges one case.
type Verdict string

const (
	OK   Verdict = "ok"    // the output is right, or the input is valid
	WA   Verdict = "wrong" // the contestant's output is wrong, or the input is not valid
	Fail Verdict = "fail"  // the answer or the kit program itself is at fault
)

// quit is how Quit leaves the setter's function: it is thrown and caught here.
type quit struct {
	verdict Verdict
	message string
}

// catch runs f and returns how it ended. A panic of f's own is a Fail.
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

// Test is one case that a checker judges.
type Test struct {
	Name string  // such as "edge/corner-0-0"; empty when run by hand
	In   *Reader // the input
	Out  *Reader // what the contestant's program printed
	Ans  *Reader // what the reference solution printed
}

// Quit ends the case with a verdict and a message for people. It does not return.
func (t *Test) Quit(v Verdict, format string, args ...any) {
	panic(quit{v, fmt.Sprintf(format, args...)})
}

// Check is the main function of a checker: it calls f once for each case, in
// judging order. F must end with Quit. What f cannot read from Out is the
// contestant's fault (WA), and so is what an OK leaves of it but white space: a checker
// that takes more than it looks at reads the Rest. What f cannot read from In or Ans is
// the setter's (Fail).
//
// Print nothing before Check: with the judge, standard output carries the frames.
// What f prints then goes to standard error.
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

// judged runs a checker on an output and returns how that ended.
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

// Validate is the main function of a validator: it calls f for each input. F
// reads the input with the strict methods of Reader, down to the last byte; what
// it cannot read, and what it rejects with Refuse, is not valid.
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
		q.verdict = Fail // testlib's validators exit with 3
	}
	exit(q)
}

// exit ends a kit program that was run by hand.
func exit(q quit) {
	if q.message != "" {
		fmt.Fprintln(os.Stderr, strings.TrimRight(q.message, "\n"))
	}
	os.Exit(map[Verdict]int{OK: 0, WA: 1, Fail: 3}[q.verdict])
}
