//go:build unix

package check_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/kit"
	"assay/judge/running/check"
	"assay/judge/running/sandbox"
	"assay/judge/running/sandbox/sandboxtest"
)

// TestMain also acts as the checker programs of these tests, if CHECK_TEST_SPEAKS names a protocol. The output to
// be judged tells the program what to do.
func TestMain(m *testing.M) {
	sandbox.Main()
	switch os.Getenv("CHECK_TEST_SPEAKS") {
	case "kit":
		cases := 0
		kit.Check(func(t *kit.Test) {
			cases++
			if t.In.Rest() != "in" || t.Ans.Rest() != "ans" || t.Name != "group/case" {
				t.Quit(kit.Fail, "the files are mixed up")
			}
			obey(t.Out.Rest(), map[string]func(){
				"right": func() { t.Quit(kit.OK, "case %d", cases) },
				"wrong": func() { t.Quit(kit.WA, "line 1: \x1b[31mred\x00\xff\n") },
				"fault": func() { t.Quit(kit.Fail, "the answer is wrong") },
			})
		})
	case "testlib":
		standIn(os.Args[1:], []string{"--group", "a"}, nil, 0, 1)
	case "kattis":
		standIn(os.Args[1:], nil, []string{"tolerance", "3"}, 42, 43)
	case "passes": // requests another pass, and logs the outputs that it saw
		out, _ := io.ReadAll(os.Stdin)
		diary, _ := os.OpenFile(os.Args[3]+"judgemessage.txt", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		fmt.Fprintf(diary, "seen: %s\n", out)
		if string(out) == "first" {
			os.WriteFile(os.Args[3]+"nextpass.in", []byte("first again"), 0o600)
		}
		os.Exit(42)
	case "":
		os.Exit(m.Run())
	}
}

// standIn acts as a checker program that is started for each case. It fails unless args consists of first, three
// file names, and last. The exit codes for a correct and a wrong output are right and wrong.
func standIn(args, first, last []string, right, wrong int) {
	mixed := func(what string) { fmt.Fprintln(os.Stderr, "mixed up:", what, args); os.Exit(3) }
	if len(args) != len(first)+3+len(last) {
		mixed("arguments")
	}
	for i, a := range first {
		if args[i] != a {
			mixed(a)
		}
	}
	for i, a := range last {
		if args[len(first)+3+i] != a {
			mixed(a)
		}
	}
	args = args[len(first):]
	read := func(name, want string) string {
		b, err := os.ReadFile(name)
		if err != nil || want != "" && string(b) != want {
			mixed(fmt.Sprint(name, err))
		}
		return string(b)
	}
	feedback := ""
	var script string
	read(args[0], "in")
	if right == 42 {
		read(args[1], "ans")
		feedback = args[2]
		b, _ := io.ReadAll(os.Stdin)
		script = string(b)
		if entries, err := os.ReadDir(feedback); err != nil || len(entries) > 0 || !strings.HasSuffix(feedback, "/") {
			mixed(fmt.Sprint("feedback", err, entries))
		}
	} else {
		script = read(args[1], "")
		read(args[2], "ans")
	}
	leave := func(name, text string) { os.WriteFile(feedback+name, []byte(text), 0o600) }
	obey(script, map[string]func(){
		"right": func() { fmt.Fprintln(os.Stderr, "ok 3 tokens"); os.Exit(right) },
		"wrong": func() {
			fmt.Fprintln(os.Stderr, "wrong answer 1st words differ: \x1b[31m\xff")
			leave("judgemessage.txt", "1st words differ: \x1b[31m\xff\n")
			os.Exit(wrong)
		},
		"quiet": func() { os.Exit(wrong) },
		"exception": func() {
			fmt.Fprintln(os.Stderr, "Traceback (most recent call last):\nValueError: no number")
			os.Exit(1)
		},
		"fault":            func() { fmt.Fprintln(os.Stderr, "FAIL the answer is wrong"); os.Exit(3) },
		"long":             func() { leave("judgemessage.txt", strings.Repeat("x", 1<<20)); os.Exit(wrong) },
		"next run":         func() { fmt.Print("more"); os.Exit(right) },
		"next pass":        func() { leave("nextpass.in", "1"); os.Exit(right) },
		"next pass, wrong": func() { leave("nextpass.in", "1"); os.Exit(wrong) },
		"score":            func() { leave("score.txt", " 12.50\n"); leave("teammessage.txt", "well done"); os.Exit(right) },
		"multiplier":       func() { leave("score_multiplier.txt", "0.25"); os.Exit(right) },
		"both":             func() { leave("score.txt", "1"); leave("score_multiplier.txt", "1"); os.Exit(right) },
		"points":           func() { fmt.Fprintln(os.Stderr, "points 2.5 half of it"); os.Exit(7) },
		"noisy points": func() {
			fmt.Fprintln(os.Stderr, "points so far: 3\n"+strings.Repeat("debug ", 1<<10)+"\npoints 1.5 off by one\nor two")
			os.Exit(7)
		},
		"bare points": func() { fmt.Fprintln(os.Stderr, "debug: 7\n\n0.5 off"); os.Exit(7) },
		"no points":   func() { fmt.Fprintln(os.Stderr, "points 0 none of it"); os.Exit(7) },
		"link": func() {
			os.Symlink("/etc/passwd", feedback+"judgemessage.txt")
			os.Exit(wrong)
		},
		"link to a directory": func() {
			os.Symlink("/", feedback+"judgemessage.txt")
			os.Symlink("/etc", feedback+"etc")
			os.Exit(wrong)
		},
		"pipe": func() {
			if err := syscall.Mkfifo(feedback+"judgemessage.txt", 0o666); err != nil {
				leave("judgemessage.txt", err.Error())
			}
			os.Exit(wrong)
		},
		"folders": func() {
			os.MkdirAll(feedback+"judgemessage.txt/a/b/c", 0o777)
			os.MkdirAll(feedback+"deep/"+strings.Repeat("d/", levels), 0o777)
			os.Exit(wrong)
		},
	})
}

// obey executes the script.
func obey(script string, more map[string]func()) {
	if f := more[script]; f != nil {
		f()
	}
	switch script {
	case "crash":
		fmt.Fprintln(os.Stderr, "last words")
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "hang":
		time.Sleep(time.Hour)
	}
	var code int
	fmt.Sscanf(script, "exit %d", &code)
	fmt.Fprintln(os.Stderr, "last words")
	os.Exit(code)
}

// accept42 is the hint for a program that uses the exit codes of testlib.
const accept42 = `; accept with exit code 42 and reject with 43 (0 and 1 need speaks = "testlib")`

// programRows lists scripts for a checker program, with the expected outcome of each.
var programRows = []struct {
	speaks, script string
	verdict        judge.Verdict
	message        string // with PATIENCE in place of a time
}{
	{"kit", "right", judge.Accepted, "case 1"},
	{"kit", "wrong", judge.WrongAnswer, `line 1: \x1b[31mred\x00\xff`},
	{"kit", "fault", judge.JudgeError, "checker me is at fault: the answer is wrong"},
	{"kit", "crash", judge.JudgeError, "checker me ended (signal SIGKILL) before it answered\nits standard error ends:\nlast words"},
	{"kit", "exit 42", judge.JudgeError, "checker me ended (exit code 42) before it answered\nits standard error ends:\nlast words"},
	{"kit", "hang", judge.JudgeError, "checker me gave no answer within PATIENCE"},

	{"testlib", "right", judge.Accepted, "3 tokens"},
	{"testlib", "wrong", judge.WrongAnswer, `1st words differ: \x1b[31m\xff`},
	{"testlib", "quiet", judge.WrongAnswer, ""},
	{"testlib", "fault", judge.JudgeError, "checker me is at fault (exit code 3)\nits standard error ends:\nFAIL the answer is wrong"},
	{"testlib", "exit 2", judge.WrongAnswer, "last words"},
	{"testlib", "exception", judge.JudgeError, "checker me ended by an exception that it does not catch (exit code 1)\n" +
		"its standard error ends:\nTraceback (most recent call last):\nValueError: no number"},
	{"testlib", "exit 4", judge.WrongAnswer, "last words"},
	{"testlib", "exit 8", judge.WrongAnswer, "last words"},
	{"testlib", "exit 7", judge.JudgeError, "checker me gives points, but not how many\nits standard error ends:\nlast words"},
	{"testlib", "points", judge.Accepted, "half of it"},
	{"testlib", "noisy points", judge.Accepted, "off by one\nor two"},
	{"testlib", "bare points", judge.Accepted, "off"},
	{"testlib", "no points", judge.WrongAnswer, "none of it"},
	{
		"testlib", "exit 43", judge.JudgeError,
		"checker me ended in a way that testlib does not know (exit code 43); accept with exit code 0 and reject with 1 " +
			"(42 and 43 need speaks = \"kattis\")\nits standard error ends:\nlast words",
	},
	{
		"testlib", "exit 42", judge.JudgeError,
		"checker me ended in a way that testlib does not know (exit code 42); accept with exit code 0 and reject with 1 " +
			"(42 and 43 need speaks = \"kattis\")\nits standard error ends:\nlast words",
	},
	{
		"testlib", "exit 9", judge.JudgeError,
		"checker me ended in a way that testlib does not know (exit code 9)\nits standard error ends:\nlast words",
	},
	{"testlib", "crash", judge.JudgeError, "checker me did not end by itself: signal SIGKILL\nits standard error ends:\nlast words"},
	{"testlib", "hang", judge.JudgeError, "checker me did not end by itself: killed while it waited"},

	{"kattis", "right", judge.Accepted, ""},
	{"kattis", "wrong", judge.WrongAnswer, `1st words differ: \x1b[31m\xff`},
	{"kattis", "quiet", judge.WrongAnswer, ""},
	{
		"kattis", "fault", judge.JudgeError,
		"checker me ended with neither 42 nor 43 (exit code 3)" + accept42 + "\nits standard error ends:\nFAIL the answer is wrong",
	},
	{"kattis", "exit 0", judge.JudgeError, "checker me ended with neither 42 nor 43 (exit code 0)" + accept42 +
		"\nits standard error ends:\nlast words"},
	{"kattis", "exit 1", judge.JudgeError, "checker me ended with neither 42 nor 43 (exit code 1)" + accept42 +
		"\nits standard error ends:\nlast words"},
	{"kattis", "exit 9", judge.JudgeError, "checker me ended with neither 42 nor 43 (exit code 9)\nits standard error ends:\nlast words"},
	{
		"kattis", "exception", judge.JudgeError,
		"checker me ended with neither 42 nor 43 (exit code 1)\nits standard error ends:\nTraceback (most recent call last):\n" +
			"ValueError: no number",
	},
	{"kattis", "crash", judge.JudgeError, "checker me did not end by itself: signal SIGKILL\nits standard error ends:\nlast words"},
	{"kattis", "hang", judge.JudgeError, "checker me did not end by itself: killed while it waited"},
	{"kattis", "next pass", judge.JudgeError, "checker me asks for another pass (nextpass.in), which this kind of problem does not have"},
	{"kattis", "next pass, wrong", judge.JudgeError, "checker me asks for another pass (nextpass.in), but does not accept"},
	{"kattis", "both", judge.JudgeError, "checker me leaves both a score.txt and a score_multiplier.txt"},
	{"kattis", "long", judge.WrongAnswer, strings.Repeat("x", 2048) + "..."},
	{"kattis", "link", judge.WrongAnswer, ""},
	{"kattis", "link to a directory", judge.WrongAnswer, ""},
	{"kattis", "pipe", judge.WrongAnswer, ""},
	{"kattis", "folders", judge.WrongAnswer, ""},
}

func TestPrograms(t *testing.T) {
	box := newBox(t, "")
	for _, row := range programRows {
		t.Run(row.speaks+" calls "+row.script+" "+row.verdict.Words(), func(t *testing.T) {
			limits := judge.Limits{Wall: time.Minute}
			if row.script == "hang" {
				limits.Wall = 300 * time.Millisecond
			}
			c := program(t, box, row.speaks, limits)
			o := ask(t, c, row.script)
			for row.script == "hang" && strings.Contains(o.Message, "greet") { // on a slow machine, it had no time to start
				limits.Wall *= 2
				o = ask(t, program(t, box, row.speaks, limits), row.script)
			}
			want := strings.ReplaceAll(row.message, "PATIENCE", limits.Wall.String())
			if o.Verdict != row.verdict || o.Message != want {
				t.Errorf("Check = %s %q\nwant    %s %q", o.Verdict, o.Message, row.verdict, want)
			}
		})
	}
}

// TestAwards checks the points and messages that programs return in addition to the verdict.
func TestAwards(t *testing.T) {
	box := newBox(t, "")
	for _, row := range []struct {
		speaks, script string
		want           judge.Award
		team           string
	}{
		{"kattis", "right", judge.Award{}, ""},
		{"kattis", "score", judge.Award{By: judge.AwardPoints, Value: 12.5}, "well done"},
		{"kattis", "multiplier", judge.Award{By: judge.AwardMultiplier, Value: 0.25}, ""},
		{"testlib", "points", judge.Award{By: judge.AwardPoints, Value: 2.5, Alone: true}, ""},
		{"testlib", "noisy points", judge.Award{By: judge.AwardPoints, Value: 1.5, Alone: true}, ""},
		{"testlib", "bare points", judge.Award{By: judge.AwardPoints, Value: 0.5, Alone: true}, ""},
		{"testlib", "exit 60", judge.Award{By: judge.AwardMultiplier, Value: 0.05, Alone: true}, ""},
	} {
		part := &judge.SetterProgram{Protocol: row.speaks, Args: arguments[row.speaks], PartialFrom: 50}
		c, err := check.Program(box, part, self(t, row.speaks), judge.Limits{Wall: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		o := ask(t, c, row.script)
		if o.Verdict != judge.Accepted || o.Award != row.want || o.Team != row.team {
			t.Errorf("%s: Check of %q = %+v, want %+v, %q", row.speaks, row.script, o, row.want, row.team)
		}
		c.Close()
	}
}

// TestPasses judges a case in two passes with a validator, while another case is open.
func TestPasses(t *testing.T) {
	v, err := check.NewValidator(newBox(t, ""), self(t, "passes"), "kattis", nil, judge.Limits{Wall: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	other, err := v.Open(request("x"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	s, err := v.Open(request("first"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for pass, want := range []string{"seen: first\n", "seen: first\nseen: second\n"} {
		o, err := s.Run(t.Context(), section([]string{"first", "second"}[pass]))
		if err != nil || o.Verdict != judge.Accepted || o.Message+"\n" != want {
			t.Errorf("pass %d: %+v, %v, want %q", pass+1, o, err, want)
		}
		again, o, err := s.WantsPass(o)
		if err != nil || o.Verdict != judge.Accepted || again != (pass == 0) {
			t.Errorf("after pass %d: %v, %+v, %v", pass+1, again, o, err)
		}
		if in, err := os.ReadFile(s.Input()); err != nil || string(in) != "first again" {
			t.Errorf("the next input is %q, %v", in, err)
		}
	}
}

// TestBetween judges consecutive runs with a checker that uses testlib. The checker prints the input of the next
// run.
func TestBetween(t *testing.T) {
	v, err := check.NewValidator(newBox(t, ""), self(t, "testlib"), "testlib", arguments["testlib"], judge.Limits{Wall: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	s, err := v.Open(check.Request{Case: "group/case", In: section("the first input"), Ans: section("ans")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.SetInput(section("in")); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		script  string
		verdict judge.Verdict
		next    string
	}{{"next run", judge.Accepted, "more"}, {"wrong", judge.WrongAnswer, ""}, {"right", judge.Accepted, ""}} {
		var next strings.Builder
		o, err := s.CheckPass(t.Context(), section(row.script), &next)
		if err != nil || o.Verdict != row.verdict || next.String() != row.next {
			t.Errorf("%s: Between = %+v, %v, and the next run reads %q", row.script, o, err, &next)
		}
	}
}

func TestArgumentsOfACase(t *testing.T) {
	c, err := check.Builtin("tokens", []string{"case_sensitive"})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args string
		out  string
		want judge.Verdict
	}{
		{"", "A 1.0", judge.Accepted},
		{"", "A 1", judge.WrongAnswer},
		{"float_tolerance 1e-6", "A 1", judge.Accepted},
		{"float_tolerance 1e-6", "a 1", judge.WrongAnswer},
		{"float_tolerance -1", "A 1.0", judge.JudgeError},
		{"bogus", "A 1.0", judge.JudgeError},
		{"", "A 1", judge.WrongAnswer},
	} {
		r := check.Request{In: section(""), Ans: section("A 1.0"), Out: section(row.out), Args: strings.Fields(row.args)}
		if o, err := c.Check(t.Context(), r); err != nil || o.Verdict != row.want {
			t.Errorf("Check of %q with %q = %+v, %v, want %s", row.out, row.args, o, err, row.want)
		}
	}
}

// TestProgramsWithoutIsolation checks programs that run without mounts.
func TestProgramsWithoutIsolation(t *testing.T) {
	box := newBox(t, sandbox.None)
	for _, speaks := range []string{"kit", "testlib", "kattis"} {
		c := program(t, box, speaks, judge.Limits{Wall: time.Minute})
		for script, want := range map[string]judge.Verdict{"right": judge.Accepted, "wrong": judge.WrongAnswer, "fault": judge.JudgeError} {
			if o := ask(t, c, script); o.Verdict != want {
				t.Errorf("%s: Check of %q = %s %q, want %s", speaks, script, o.Verdict, o.Message, want)
			}
		}
	}
}

// TestProgramsAreAskedAgain checks that a checker judges many cases in a row, even after failures.
func TestProgramsAreAskedAgain(t *testing.T) {
	box := newBox(t, "")
	for _, speaks := range []string{"kit", "testlib", "kattis"} {
		t.Run(speaks, func(t *testing.T) {
			c := program(t, box, speaks, judge.Limits{Wall: time.Minute})
			for _, row := range programRows {
				if row.speaks != speaks || row.script == "hang" {
					continue
				}
				if o := ask(t, c, row.script); o.Verdict != row.verdict {
					t.Errorf("%s: Check of %q = %s %q, want %s", speaks, row.script, o.Verdict, o.Message, row.verdict)
				}
			}
		})
	}
}

func TestAKitCheckerKeepsStateUntilItDies(t *testing.T) {
	c := program(t, newBox(t, ""), "kit", judge.Limits{Wall: time.Minute})
	for _, row := range []struct{ script, want string }{
		{"right", "case 1"},
		{"wrong", `line 1: \x1b[31mred\x00\xff`},
		{"fault", "checker me is at fault: the answer is wrong"},
		{"right", "case 4"},
		{"exit 5", "checker me ended (exit code 5) before it answered; it is started again, and has lost its state from 4 cases\n" +
			"its standard error ends:\nlast words"},
		{"right", "case 1"},
	} {
		if o := ask(t, c, row.script); o.Message != row.want {
			t.Errorf("Check of %q says %q, want %q", row.script, o.Message, row.want)
		}
	}
}

func TestProgramsOfTheWrongKind(t *testing.T) {
	box := newBox(t, "")
	p := self(t, "testlib")
	c, err := check.Program(box, &judge.SetterProgram{Protocol: "kit"}, p, judge.Limits{Wall: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if o := ask(t, c, "right"); o.Verdict != judge.JudgeError || !strings.Contains(o.Message, `needs speaks = "testlib" or "kattis"`) {
		t.Errorf("a testlib checker that should speak kit: %s %q", o.Verdict, o.Message)
	}
	p.Argv = []string{"/program/nothing-of-that-name"}
	for _, speaks := range []string{"kit", "testlib", "kattis"} {
		c, err := check.Program(box, &judge.SetterProgram{Protocol: speaks}, p, judge.Limits{Wall: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if o := ask(t, c, "right"); o.Verdict != judge.JudgeError || !strings.Contains(o.Message, "cannot be run") {
			t.Errorf("%s program that does not exist: %s %q", speaks, o.Verdict, o.Message)
		}
	}
	_, err = check.Program(box, &judge.SetterProgram{Protocol: "testlip"}, p, judge.Limits{})
	if fault, ok := errors.AsType[*judge.ProblemError](err); !ok || fault.Hint != `did you mean "testlib"?` {
		t.Errorf("Program with a misspelt protocol: %v", err)
	}
}

// TestTestlibInC compiles a checker in C that reads the files in the same way as testlib.h.
func TestTestlibInC(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc: apt-get install gcc")
	}
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), gcc, "-O1", "-o", filepath.Join(dir, "ncmp"), filepath.Join("testdata", "ncmp.c"))
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := &judge.Program{Name: "ncmp.c", Dir: dir, Argv: []string{judge.ProgramDir + "/ncmp"}}
	c, err := check.Program(newBox(t, ""), &judge.SetterProgram{Protocol: "testlib"}, p, judge.Limits{Wall: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, row := range []struct {
		out     string
		verdict judge.Verdict
		message string
	}{
		{"1 2 3\n", judge.Accepted, "3 numbers"},
		{"1 02 3", judge.Accepted, "3 numbers"},
		{"1 2 4\n", judge.WrongAnswer, "number 3 differs: want 3, got 4"},
		{"1 2\n", judge.WrongAnswer, "wrong output format: want number 3"},
		{"1 2 3 4\n", judge.WrongAnswer, "wrong output format: something behind number 3"},
	} {
		r := request(row.out)
		r.Ans = section("1\n2\n3\n")
		o, err := c.Check(t.Context(), r)
		if err != nil || o.Verdict != row.verdict || o.Message != row.message {
			t.Errorf("Check of %q = %+v, %v, want %s %q", row.out, o, err, row.verdict, row.message)
		}
	}
}

// arguments contains a setter's arguments for the programs of these tests.
var arguments = map[string][]string{"testlib": {"--group", "a"}, "kattis": {"tolerance", "3"}}

func program(t *testing.T, box judge.Runner, speaks string, limits judge.Limits) check.Checker {
	t.Helper()
	c, err := check.Program(box, &judge.SetterProgram{Protocol: speaks, Args: arguments[speaks]}, self(t, speaks), limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func ask(t *testing.T, c check.Checker, script string) judge.Outcome {
	t.Helper()
	o, err := c.Check(t.Context(), request(script))
	if err != nil {
		t.Errorf("Check of %q: %v", script, err)
	}
	return o
}

func request(out string) check.Request {
	return check.Request{Case: "group/case", In: section("in"), Ans: section("ans"), Out: section(out)}
}

// self returns this test binary as a program.
func self(t testing.TB, speaks string) *judge.Program {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &judge.Program{
		Name: "me", Dir: filepath.Dir(path), Argv: []string{judge.ProgramDir + "/" + filepath.Base(path)},
		Env: []string{"CHECK_TEST_SPEAKS=" + speaks},
	}
}

// newBox returns a sandbox with the isolation level. If level is empty, the sandbox has the best available level.
func newBox(t *testing.T, level sandbox.Level) *sandbox.Sandbox {
	t.Helper()
	o := sandbox.Options{Isolation: string(level)}
	if level == "" {
		o = sandboxtest.Any()
	}
	box, err := sandbox.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the sandbox is on level %s", box.Level())
	t.Cleanup(func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	return box
}
