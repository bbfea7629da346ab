//go:build unix

package trial_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/running/check"
	"assay/judge/running/lang"
	"assay/judge/running/sandbox"
	"assay/judge/running/sandbox/sandboxtest"
	"assay/judge/running/trial"
)

// TestMain also acts as every program of these tests. Each argument is an action. A setter's program also gets the
// file names of its protocol as arguments.
func TestMain(m *testing.M) {
	sandbox.Main()
	switch os.Getenv("TRIAL_TEST_ROLE") {
	case "":
		os.Exit(m.Run())
	case "program":
		act(os.Args[1:], "")
	case "kattis":
		act(os.Args[4:], os.Args[3])
	case "testlib":
		act(os.Args[1:len(os.Args)-3], filepath.Dir(os.Args[len(os.Args)-2])+"/")
	case "static": // arguments: language, entry, feedback, args
		fmt.Fprintf(os.Stderr, "asked about %s in %s\n", os.Args[2], os.Args[1])
		code, err := os.ReadFile(os.Args[2])
		if err != nil {
			os.Exit(1)
		}
		os.WriteFile(os.Args[3]+"judgemessage.txt", fmt.Appendf(nil, "%d bytes, %s, %v", len(code), os.Args[1], os.Args[4:]), 0o600)
		act(os.Args[4:], os.Args[3])
	case "grader":
		text, _ := io.ReadAll(os.Stdin)
		fmt.Printf("AC %d\n", len(strings.Fields(string(text))))
		act(os.Args[1:], "")
	}
	os.Exit(0)
}

// act executes the actions in order. The action "until N" requests another pass and exits, unless the program has
// been started at least N times.
func act(todo []string, feedback string) {
	in := bufio.NewReader(os.Stdin)
	for i, what := range todo {
		word, rest, _ := strings.Cut(what, " ")
		var n int
		fmt.Sscan(rest, &n)
		switch word {
		case "say":
			fmt.Println(rest)
		case "mutter":
			fmt.Print(rest)
		case "hear": // read a line, which must be equal
			line, err := in.ReadString('\n')
			if err != nil || rest != "" && line != rest+"\n" {
				fmt.Fprintf(os.Stderr, "heard %q, %v\n", line, err)
				os.Exit(9)
			}
		case "drain":
			io.Copy(io.Discard, in)
		case "ask": // n questions, each with an answer
			for i := range n {
				fmt.Println(i)
				if line, err := in.ReadString('\n'); err != nil || line != fmt.Sprintln(i) {
					os.Exit(9)
				}
			}
		case "answer": // answer until the input ends
			for line, err := in.ReadString('\n'); err == nil; line, err = in.ReadString('\n') {
				fmt.Print(line)
			}
		case "echo":
			line, _ := in.ReadString('\n')
			fmt.Print(line)
		case "write":
			name, text, _ := strings.Cut(rest, "=")
			os.WriteFile(feedback+name, []byte(text), 0o600)
		case "flood":
			block := make([]byte, 1<<16)
			for range n * 16 { // mebibytes
				if _, err := os.Stdout.Write(block); err != nil {
					os.Exit(8)
				}
			}
		case "close":
			os.Stdout.Close()
		case "spin":
			//lint:ignore SA5002 it is to use up its time
			for {
			}
		case "sleep":
			time.Sleep(time.Hour)
		case "nap": // sleep for n milliseconds
			time.Sleep(time.Duration(n) * time.Millisecond)
		case "crash":
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			time.Sleep(time.Hour)
		case "exit":
			os.Exit(n)
		case "show": // print a file from the working directory
			text, err := os.ReadFile(rest)
			fmt.Print(string(text))
			if err != nil {
				os.Exit(9)
			}
		case "until": // before the n-th start, only request another pass
			starts, _ := os.ReadFile(feedback + "starts")
			if len(starts)+1 < n {
				os.WriteFile(feedback+"starts", append(starts, 'x'), 0o600)
				os.WriteFile(feedback+"nextpass.in", fmt.Appendf(nil, "pass %d\n", len(starts)+2), 0o600)
				os.Exit(42)
			}
		default:
			panic(fmt.Sprint("what is ", i, what))
		}
	}
}

// play is a problem with one case.
type play struct {
	kind       judge.Kind
	program    string // the actions of the program: "say 1; hear 2"
	interactor string
	checker    string
	speaks     string // the interactor's protocol; if empty, kattis
	change     func(p *judge.Problem, c *judge.Case, s *trial.Setup)
}

var tight = judge.Limits{CPU: 400 * time.Millisecond, Wall: time.Minute, Output: 4 << 20}

// idles sets a short wall time limit, so that an idle program is killed soon. No program needs that long for
// computing.
func idles(p *judge.Problem, _ *judge.Case, _ *trial.Setup) { p.Limits.Wall = 500 * time.Millisecond }

// newBox returns a sandbox for a test.
func newBox(t testing.TB) *sandbox.Sandbox {
	t.Helper()
	box, err := sandbox.New(sandboxtest.Any())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { box.Close() })
	if box.Level() == sandbox.None {
		t.Skip("the sandbox cannot isolate here, so it is unknown which program ended first")
	}
	return box
}

// run judges the case.
func (y play) run(t testing.TB, box *sandbox.Sandbox) (*judge.CaseJudged, *judge.Finished) {
	t.Helper()
	dir := t.TempDir()
	c := judge.Case{
		Group: "g", Name: "c", In: filepath.Join(dir, "c.in"), Ans: filepath.Join(dir, "c.ans"),
		Args: acts(y.program), CheckerArgs: acts(y.interactor + y.checker),
	}
	for path, text := range map[string]string{c.In: "pass 1\n", c.Ans: "answer\n", dir + "/source.txt": "12345678"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := &judge.Problem{Kind: y.kind, Limits: tight, Validation: judge.Limits{Wall: time.Minute}}
	if y.speaks == "" {
		y.speaks = "kattis"
	}
	p.Checker.Program = &judge.SetterProgram{Path: "kattis", Protocol: "kattis"}
	if y.kind.Interactive {
		p.Interactor = &judge.SetterProgram{Path: y.speaks, Protocol: y.speaks}
		p.Checker = judge.CheckerSpec{}
	}
	s := trial.Setup{
		Problem: p, Runner: box, Source: dir + "/source.txt", TempDir: dir,
		BuildSubmission: func(context.Context) (*lang.Result, error) {
			return &lang.Result{OK: true, Program: self(t, "program")}, nil
		},
		Programs: &check.SetterPrograms{Problem: p, Runner: box, Builder: selves{t}},
	}
	if y.change != nil {
		y.change(p, &c, &s)
	}
	p.Groups = []judge.Group{{Name: "g", Cases: []judge.Case{c}}}
	bench, err := trial.New(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := bench.Close(); err != nil {
			t.Error(err)
		}
		if left, _ := filepath.Glob(dir + "/assay-*"); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}()
	var judged *judge.CaseJudged
	sum, err := judge.Run(t.Context(), p, bench, judge.Options{Dialogues: true}, func(e judge.Event) {
		if e, ok := e.(*judge.CaseJudged); ok {
			judged = e
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return judged, sum
}

func acts(what string) (list []string) {
	for a := range strings.SplitSeq(what, ";") {
		if a = strings.TrimSpace(a); a != "" {
			list = append(list, a)
		}
	}
	return list
}

// self returns this test binary as a program. A binary built with the race detector would sleep for a second
// before it exits, so this is disabled.
func self(t testing.TB, role string) *judge.Program {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &judge.Program{
		Name: "me", Language: "go", Dir: filepath.Dir(path), Argv: []string{judge.ProgramDir + "/" + filepath.Base(path)},
		Env: []string{"TRIAL_TEST_ROLE=" + role, "GORACE=atexit_sleep_ms=0"},
	}
}

func TestInteractive(t *testing.T) {
	box := newBox(t)
	for _, test := range []struct {
		name, program, interactor string
		want                      judge.Verdict
		message                   string // text contained in the message
	}{
		{"it accepts a dialogue that ends well", "hear ask; say 7; hear ok", "say ask; hear 7; say ok; exit 42", judge.Accepted, ""},
		{"it accepts a program that leaves before the interactor", "say 7", "hear 7; drain; exit 42", judge.Accepted, ""},
		{
			"it accepts where the interactor writes to a program that has left", "say 7",
			"hear 7; say 1; say 2; flood 3; exit 42", judge.Accepted, "",
		},
		{"it accepts where the program writes to an interactor that has left", "flood 2", "exit 42", judge.Accepted, ""},

		{
			"it is a judge error when the interactor ends with another code", "say 7", "hear 7; exit 1",
			judge.JudgeError, "neither 42 nor 43 (exit code 1)",
		},
		{"it is a judge error when the interactor ends with 0", "say 7", "hear 7", judge.JudgeError, "exit code 0"},
		{"it is a judge error when the interactor crashes", "say 7; hear x", "hear 7; crash", judge.JudgeError, "SIGKILL"},
		{"it is a judge error when the interactor crashes because the program has", "exit 3", "hear 7; exit 42", judge.JudgeError, "exit code 9"},
		{
			"it is wrong when the interactor refuses and the program crashes on that", "say 8; hear ok",
			"hear 8; write judgemessage.txt=too large; exit 43", judge.WrongAnswer, "too large",
		},
		{"it is wrong when the interactor refuses and the program runs on", "say 8; spin", "hear 8; exit 43", judge.WrongAnswer, ""},
		{"it is wrong when the interactor refuses and the program waits on", "say 8; sleep", "hear 8; exit 43", judge.WrongAnswer, ""},
		{"it is wrong when the interactor refuses and the program writes on", "say 8; flood 3; exit 1", "hear 8; exit 43", judge.WrongAnswer, ""},
		{"it is a run-time error when the program leaves first, badly", "exit 3", "drain; exit 43", judge.RunTimeError, "exit code 3"},
		{"it is a run-time error when the program crashes first", "crash", "drain; exit 43", judge.RunTimeError, "SIGKILL"},
		{"it is over time when the program computes too long", "spin", "drain; exit 43", judge.TimeLimit, "time limit"},
		{
			"it is a run-time error when the program crashes after it was accepted", "say 7; drain; exit 4",
			"hear 7; exit 42", judge.RunTimeError, "exit code 4",
		},
		{"it is over time when the program computes on after it was accepted", "say 7; drain; spin", "hear 7; exit 42", judge.TimeLimit, ""},
		{"it is wrong when the program leaves well and the interactor refuses then", "say 8", "hear 8; drain; exit 43", judge.WrongAnswer, ""},
		{"it is the output limit when the program says too much", "flood 20", "drain; exit 43", judge.OutputLimit, ""},
		{"it is idle when both wait for each other", "hear ok", "drain; exit 43", judge.IdlenessLimit, "both wait: was the output flushed?"},
		{"it is idle when the program sleeps", "say 7; sleep", "hear 7; drain; exit 43", judge.IdlenessLimit, "killed while it waited"},
		{"it is a judge error when the interactor breaks over a program that was idle", "hear ok", "hear 7; exit 43", judge.JudgeError, ""},
		{
			"it is idle when the program does not end its line", "mutter 7; hear ok", "drain; exit 43",
			judge.IdlenessLimit, "both wait: the last line that the program wrote has no end",
		},
		{"it is over time although the interactor goes on for long", "spin", "sleep", judge.TimeLimit, "time limit"},
		{
			"it is accepted where the interactor keeps it waiting", "hear ask; say 7; hear ok",
			"nap 1500; say ask; hear 7; say ok; exit 42", judge.Accepted, "",
		},
		{
			"it is a judge error when the interactor falls asleep", "hear ask; say 7; hear ok",
			"say ask; hear 7; sleep", judge.JudgeError,
			"interactor me did not end by itself: killed while it waited",
		},
		{
			"it shows the interactor the end of what the program says, although that lives on",
			"say 7; close; drain", "hear 7; drain; exit 42", judge.Accepted, "",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			y := play{kind: judge.Kind{Interactive: true}, program: test.program, interactor: test.interactor}
			switch {
			case strings.Contains(test.name, "idle"):
				y.change = idles
			case strings.Contains(test.name, "runs on"): // until it is stopped
				y.change = func(p *judge.Problem, _ *judge.Case, _ *trial.Setup) { p.Limits.CPU = time.Minute }
			case strings.Contains(test.name, "waiting"): // less than the interactor takes
				y.change = func(p *judge.Problem, _ *judge.Case, _ *trial.Setup) { p.Limits.Wall = time.Second }
			case strings.Contains(test.name, "asleep"):
				y.change = func(p *judge.Problem, _ *judge.Case, _ *trial.Setup) { p.Validation.Wall = 500 * time.Millisecond }
			}
			c, _ := y.run(t, box)
			if c.Verdict != test.want || !strings.Contains(c.Message, test.message) {
				t.Errorf("%s %q, want %s %q\n%s%s", c.Verdict, c.Message, test.want, test.message, c.Dialogue, c.Stderr)
			}
		})
	}
}

func TestDialogue(t *testing.T) {
	c, _ := play{
		kind: judge.Kind{Interactive: true}, program: "hear ask; say 7; hear ok; mutter bye \x1b",
		interactor: "say ask; hear 7; say ok; drain; exit 43",
	}.run(t, newBox(t))
	if want := "< ask\n> 7\n< ok\n> bye \\x1B\n"; c.Dialogue != want {
		t.Errorf("the dialogue is %q, want %q", c.Dialogue, want)
	}
}

func TestTestlibInteractors(t *testing.T) {
	box := newBox(t)
	for _, test := range []struct {
		name, interactor, checker string
		want                      judge.Verdict
	}{
		{"it is accepted without a checker", "hear 7; exit 0", "", judge.Accepted},
		{"it is the interactor's verdict where that is bad", "hear 7; exit 1", "exit 0", judge.WrongAnswer},
		{"it is a judge error where the interactor fails", "hear 7; exit 3", "exit 0", judge.JudgeError},
		{"it is the checker's verdict where the interactor is content", "hear 7; write output=right; exit 0", "tokens", judge.WrongAnswer},
		{"it shows the checker what the interactor wrote", "hear 7; write output=answer; exit 0", "tokens", judge.Accepted},
	} {
		t.Run(test.name, func(t *testing.T) {
			y := play{kind: judge.Kind{Interactive: true}, speaks: "testlib", program: "say 7", interactor: test.interactor}
			y.change = func(p *judge.Problem, _ *judge.Case, s *trial.Setup) {
				if test.checker == "tokens" {
					p.Checker = judge.CheckerSpec{Name: "tokens"}
					// The built-in checker has other arguments than the interactor.
					p.Interactor.Args, y.interactor = acts(test.interactor), ""
				}
			}
			if test.checker == "tokens" {
				y.interactor = ""
			}
			c, _ := y.run(t, box)
			if c.Verdict != test.want {
				t.Errorf("%s %q, want %s\n%s", c.Verdict, c.Message, test.want, c.Dialogue)
			}
		})
	}
}

func TestMultiPass(t *testing.T) {
	box := newBox(t)
	both := judge.Kind{Interactive: true, MultiPass: true}
	for _, test := range []struct {
		name    string
		kind    judge.Kind
		program string
		setter  string
		passes  int
		want    judge.Verdict
		message string
	}{
		{"it stops where no other pass is asked for", judge.Kind{MultiPass: true}, "echo", "hear pass 1; exit 42", 0, judge.Accepted, ""},
		{"it runs again on the next input", judge.Kind{MultiPass: true}, "echo", "until 2; hear pass 2; exit 42", 0, judge.Accepted, ""},
		{"it runs as often as the problem allows", judge.Kind{MultiPass: true}, "echo", "until 5; hear pass 5; exit 42", 5, judge.Accepted, ""},
		{
			"it is a judge error to ask for more", judge.Kind{MultiPass: true}, "echo", "until 5; exit 42", 4,
			judge.JudgeError, "requests pass 5; the problem has at most 4",
		},
		{
			"it has two passes where the problem does not say", judge.Kind{MultiPass: true}, "echo",
			"until 3; exit 42", 0, judge.JudgeError, "at most 2",
		},
		{
			"it is wrong in a later pass", judge.Kind{MultiPass: true}, "echo",
			"until 2; write judgemessage.txt=no; exit 43", 0, judge.WrongAnswer, "in pass 2: no",
		},
		{
			"it is a run-time error in a later pass", judge.Kind{MultiPass: true}, "hear pass 1",
			"until 2; exit 42", 0, judge.RunTimeError, "in pass 2: exit code 9",
		},
		{
			"it is a judge error to ask for another pass and refuse", judge.Kind{MultiPass: true}, "echo",
			"write nextpass.in=1; exit 43", 0, judge.JudgeError, "but does not accept",
		},
		{"it is over time before the checker says a word", judge.Kind{MultiPass: true}, "spin", "exit 42", 0, judge.TimeLimit, ""},
		{"it talks pass by pass", both, "echo", "until 3; say ask; hear ask; exit 42", 3, judge.Accepted, ""},
		{"it is wrong in a later dialogue", both, "echo", "until 2; say ask; hear ask; exit 43", 2, judge.WrongAnswer, "in pass 2"},
		{
			"it is a judge error to ask for another pass in a problem of one", judge.Kind{Interactive: true},
			"echo", "until 2; exit 42", 0, judge.JudgeError, "does not have",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			y := play{kind: test.kind, program: test.program, checker: test.setter}
			y.change = func(p *judge.Problem, _ *judge.Case, _ *trial.Setup) { p.Passes = test.passes }
			c, _ := y.run(t, box)
			if c.Verdict != test.want || !strings.Contains(c.Message, test.message) {
				t.Errorf("%s %q, want %s %q\n%s%s", c.Verdict, c.Message, test.want, test.message, c.Dialogue, c.Stderr)
			}
		})
	}
}

func TestCasesWithArgumentsAndFiles(t *testing.T) {
	y := play{program: "show data/a.txt", checker: "hear some text; exit 42"}
	y.change = func(_ *judge.Problem, c *judge.Case, s *trial.Setup) {
		path := filepath.Join(s.TempDir, "a")
		if err := os.WriteFile(path, []byte("some text\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		c.Files = []judge.CaseFile{{Name: "data/a.txt", Path: path}}
	}
	if c, _ := y.run(t, newBox(t)); c.Verdict != judge.Accepted {
		t.Errorf("%s %q\n%s", c.Verdict, c.Message, c.Stderr)
	}
}

func TestStaticValidatorsAndGraders(t *testing.T) {
	box := newBox(t)
	t.Run("a static validator sees the submission", func(t *testing.T) {
		y := play{program: "say 7", checker: "exit 42"}
		y.change = func(p *judge.Problem, _ *judge.Case, _ *trial.Setup) {
			p.Static = &judge.SetterProgram{Path: "static", Protocol: "kattis"}
			p.Grading = &judge.Grading{Form: judge.Format2025, Root: &judge.Node{
				Children: []*judge.Node{{Name: "g", Static: &judge.StaticCheck{PassFail: true, Args: []string{"exit 43"}}}},
			}}
		}
		c, sum := y.run(t, box)
		if sum.Verdict != judge.WrongAnswer || sum.First != "g/"+judge.StaticName || c.Verdict != judge.Skipped {
			t.Errorf("%+v, then %+v", sum, c)
		}
	})
	t.Run("a grader folds", func(t *testing.T) {
		y := play{program: "say 7", checker: "exit 42"}
		y.change = func(p *judge.Problem, _ *judge.Case, _ *trial.Setup) {
			n := &judge.Node{Name: "g", Aggregate: judge.AggregateSum, Legacy: judge.DefaultLegacy()}
			n.Legacy.Grader = &judge.SetterProgram{Path: "grader"}
			p.Grading = &judge.Grading{Form: judge.FormatLegacy, Scored: true, Root: &judge.Node{
				Legacy: judge.DefaultLegacy(), Children: []*judge.Node{n},
			}}
		}
		if _, sum := y.run(t, box); sum.Score == nil || sum.Score.Points != 2 {
			t.Errorf("%+v", sum)
		}
	})
	t.Run("a grader that talks nonsense is a judge error", func(t *testing.T) {
		y := play{program: "say 7", checker: "exit 42"}
		y.change = func(p *judge.Problem, _ *judge.Case, _ *trial.Setup) {
			p.Grading = &judge.Grading{Form: judge.FormatLegacy, Scored: true, Root: &judge.Node{
				Legacy: judge.DefaultLegacy(), Children: []*judge.Node{{Name: "g", Legacy: judge.DefaultLegacy()}},
			}}
			p.Grading.Root.Legacy.Grader, p.Grading.Root.Legacy.GraderArgs = &judge.SetterProgram{Path: "grader"}, []string{"say what"}
		}
		if _, sum := y.run(t, box); sum.Verdict != judge.JudgeError || sum.Score != nil {
			t.Errorf("%+v", sum)
		}
	})
}

func TestCodeLimit(t *testing.T) {
	y := play{program: "say 7", checker: "exit 42"}
	for limit, want := range map[int64]judge.Verdict{8: judge.Accepted, 7: judge.CompileError, 0: judge.Accepted} {
		y.change = func(p *judge.Problem, _ *judge.Case, _ *trial.Setup) { p.CodeLimit = limit }
		if _, sum := y.run(t, newBox(t)); sum.Verdict != want {
			t.Errorf("8 bytes of code with a limit of %d: %s, want %s", limit, sum.Verdict, want)
		}
	}
}

func TestSetupsThatCannotBe(t *testing.T) {
	for name, kind := range map[string]judge.Kind{
		"it refuses outputs that interact":                     {OutputOnly: true, Interactive: true},
		"it refuses to interact without an interactor":         {Interactive: true},
		"it refuses several passes without a checker for that": {MultiPass: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := &judge.Problem{Kind: kind, Checker: judge.CheckerSpec{Name: "tokens"}}
			_, err := trial.New(t.Context(), trial.Setup{Problem: p, Programs: &check.SetterPrograms{Problem: p}})
			if _, ok := errors.AsType[*judge.ProblemError](err); !ok {
				t.Errorf("got %v", err)
			}
		})
	}
}

// selves is a builder whose programs are the test binary.
type selves struct{ t testing.TB }

func (b selves) BuildProgram(_ context.Context, p *judge.SetterProgram) (*judge.Program, error) {
	return self(b.t, p.Path), nil
}
