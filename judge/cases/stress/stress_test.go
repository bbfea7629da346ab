package stress_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/cases/shrink"
	"assay/judge/cases/stress"
	"assay/judge/kit"
	"assay/judge/packages"
	"assay/judge/problem"
	"assay/judge/running/check"
)

// program is a function that simulates a program.
type program func(in string, args []string, seed string, out io.Writer) judge.Exec

// runner runs programs by file name.
type runner struct {
	programs map[string]program
	runs     atomic.Int64
}

func (r *runner) Run(ctx context.Context, c *judge.Command) (judge.Exec, error) {
	r.runs.Add(1)
	var in []byte
	if c.Stdin != nil {
		in, _ = io.ReadAll(c.Stdin)
	}
	seed := ""
	for _, e := range c.Env {
		if s, ok := strings.CutPrefix(e, kit.SeedEnv+"="); ok {
			seed = s
		}
	}
	return r.programs[c.Argv[0]](string(in), c.Argv[1:], seed, c.Stdout), ctx.Err()
}

func (*runner) Start(context.Context, *judge.Command) (judge.Process, error) {
	return nil, errors.New("not here")
}

// sum returns a program that reads n and n numbers, and prints the sum of f of each number.
func sum(f func(a int) int) program {
	return func(in string, _ []string, _ string, out io.Writer) judge.Exec {
		total := 0
		for _, w := range strings.Fields(in)[1:] {
			a, _ := strconv.Atoi(w)
			total += f(a)
		}
		fmt.Fprintln(out, total)
		return judge.Exec{}
	}
}

func same(a int) int { return a }

// validate is a validator that accepts n followed by n lines, each with a number from 0 to 10000.
func validate(in string, _ []string, _ string, _ io.Writer) judge.Exec {
	lines := strings.Split(in, "\n")
	n, ok := shrink.Integer(lines[0])
	if !ok || n < 1 || n > 50 || len(lines) != int(n)+2 {
		return judge.Exec{Exit: 3}
	}
	for _, line := range lines[1 : len(lines)-1] {
		if a, ok := shrink.Integer(line); !ok || a < 0 || a > 10000 {
			return judge.Exec{Exit: 3}
		}
	}
	return judge.Exec{}
}

// generate is a generator for lines "random <n>". It prints n numbers derived from a hash of the seed.
func generate(_ string, args []string, seed string, out io.Writer) judge.Exec {
	if len(args) != 2 || args[0] != "random" {
		return judge.Exec{Exit: 1}
	}
	n, err := strconv.Atoi(args[1])
	if err != nil || n < 1 {
		return judge.Exec{Exit: 1}
	}
	fmt.Fprintln(out, n)
	seed = kit.Seed("", seed)
	for i := range n {
		a, _ := strconv.ParseUint(seed[i%24:i%24+4], 16, 32)
		fmt.Fprintln(out, a%500)
	}
	return judge.Exec{}
}

const usual = `title = "Sums"
[limits]
time = "1s"
[reference]
program = "reference.x"
[validator]
program = "validate.x"
speaks = "testlib"
[generator]
program = "generate.x"
speaks = "plain"
[[group]]
name = "some"
cases = ["random 3", "random 20"]
`

// open opens a lab for a solution.
func open(t testing.TB, toml string, jobs int, solution program, others map[string]program) (*stress.Tester, *runner) {
	t.Helper()
	return formatMethods(t, "", toml, jobs, solution, others)
}

// formatMethods opens a lab for a solution of a problem that declares its input format.
func formatMethods(t testing.TB, format, toml string, jobs int, solution program, others map[string]program) (*stress.Tester, *runner) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "sums")
	files := map[string]string{
		"problem.toml": toml, "reference.x": "", "validate.x": "", "generate.x": "",
		"cases/sample/one.in": "2\n3\n4\n", "cases/sample/one.ans": "7\n",
	}
	if format != "" {
		files[problem.FormatFile] = format
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	folder, faults := problem.Open(packages.Formats, dir, filepath.Join(dir, "testcases"), judge.Limits{})
	if err := faults.AsError(); err != nil {
		t.Fatal(err)
	}
	r := &runner{programs: map[string]program{"reference.x": sum(same), "validate.x": validate, "generate.x": generate, "solution": solution}}
	for name, p := range others {
		r.programs[name] = p
	}
	lab, err := stress.Open(t.Context(), stress.Setting{
		Directory: folder,
		Runner:    r,
		Programs:  &check.SetterPrograms{Problem: folder.Problem, Runner: r, Builder: named{}},
		Solution:  &judge.Program{Name: "solution", Argv: []string{"solution"}},
		Literals:  []int64{1000},
		Jobs:      jobs,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := lab.Close(); err != nil {
			t.Error(err)
		}
	})
	return lab, r
}

// threeDigits is wrong for numbers from 1000 on, which no generator line makes.
var threeDigits = sum(func(a int) int { return a % 1000 })

func TestSearchIsTheSameAtAnyNumberOfJobs(t *testing.T) {
	for seed := range uint64(5) {
		var first *stress.Trial
		for _, jobs := range []int{1, 2, 8} {
			lab, _ := open(t, usual, jobs, threeDigits, nil)
			found, tally, err := lab.Search(t.Context(), stress.Options{Seed: seed, Count: 2000})
			if err != nil || found == nil {
				t.Fatalf("seed %d, %d jobs: found %+v in %+v, %v", seed, jobs, found, tally, err)
			}
			if first == nil {
				first = found
			}
			if !bytes.Equal(found.Input, first.Input) || found.Origin != first.Origin || found.Verdict != judge.WrongAnswer {
				t.Errorf("seed %d, %d jobs: found %q (%s), at one job %q (%s)", seed, jobs, found.Input, found.Origin, first.Input, first.Origin)
			}
		}
	}
}

func TestSearchEndsWithNothingWhereNothingIsWrong(t *testing.T) {
	lab, _ := open(t, usual, 2, sum(same), nil)
	found, tally, err := lab.Search(t.Context(), stress.Options{Count: 300})
	if found != nil || err != nil || tally.Tried != 300 || tally.Run+tally.Invalid+tally.Repeated != 300 || tally.Run < 50 {
		t.Errorf("Search = %+v, %+v, %v; want nothing in 300 inputs, most of which run", found, tally, err)
	}
}

func TestSearchTakesOnlyWhatRepeats(t *testing.T) {
	var calls atomic.Int64
	lab, _ := open(t, usual, 1, func(in string, args []string, seed string, out io.Writer) judge.Exec {
		if calls.Add(1) == 10 {
			return judge.Exec{Exit: 1}
		}
		return sum(same)(in, args, seed, out)
	}, nil)
	if found, _, err := lab.Search(t.Context(), stress.Options{Count: 50}); found != nil || err != nil {
		t.Errorf("Search = %+v, %v; want nothing for a failure that does not come again", found, err)
	}
}

func TestSearchNamesTheSettersFaults(t *testing.T) {
	for _, row := range []struct {
		it     string
		others map[string]program
		want   string
	}{
		{"says that the reference fails", map[string]program{
			"reference.x": func(string, []string, string, io.Writer) judge.Exec { return judge.Exec{Exit: 9} },
		},
			"the reference fails on it: run-time error (exit code 9)"},
		{"says that a line makes what is not valid", map[string]program{"generate.x": func(
			_ string, _ []string, _ string, out io.Writer,
		) judge.Exec {
			fmt.Fprintln(out, "-1")
			return judge.Exec{}
		}}, `with another seed: the generated input is not valid`},
		{"says that the generator crashes", map[string]program{
			"generate.x": func(string, []string, string, io.Writer) judge.Exec { return judge.Exec{Signal: "SIGSEGV"} },
		},
			"the generator ended badly (run-time error, signal SIGSEGV)"},
	} {
		t.Run("it "+row.it, func(t *testing.T) {
			lab, _ := open(t, usual, 1, sum(same), row.others)
			_, _, err := lab.Search(t.Context(), stress.Options{Count: 50})
			fault, ok := errors.AsType[*judge.ProblemError](err)
			if !ok || !strings.Contains(fault.Text, row.want) || fault.File == "" {
				t.Errorf("Search: %v, want a fault with %q", err, row.want)
			}
		})
	}
}

func TestShrink(t *testing.T) {
	crash := func(in string, args []string, seed string, out io.Writer) judge.Exec {
		for _, w := range strings.Fields(in)[1:] {
			switch a, _ := strconv.Atoi(w); {
			case a > 300:
				return judge.Exec{Exit: 2}
			case a > 200:
				return judge.Exec{Exit: 1}
			}
		}
		return sum(same)(in, args, seed, out)
	}
	for _, row := range []struct {
		it       string
		solution program
		input    string
		want     string
	}{
		{"keeps a wrong answer", threeDigits, "5\n7\n1500\n4000\n3\n2\n", "1\n1000\n"},
		{"keeps the exit code of a crash", crash, "4\n250\n1\n2\n3\n", "1\n201\n"},
		{"does not change one crash for another", crash, "3\n1\n400\n3\n", "1\n301\n"},
	} {
		t.Run("it "+row.it, func(t *testing.T) {
			lab, _ := open(t, usual, 1, row.solution, nil)
			trial, err := lab.Try(t.Context(), "case", []byte(row.input))
			if err != nil || !trial.Fails() {
				t.Fatalf("Try = %+v, %v", trial, err)
			}
			small, err := lab.Shrink(t.Context(), trial, shrink.Budget{}, nil)
			if err != nil || string(small.Input) != row.want || !small.Done || len(small.Answer) == 0 {
				t.Errorf("Shrink(%q) = %+v, %v; want %q, with an answer", row.input, small, err, row.want)
			}
			if small.Exec.Exit != trial.Exec.Exit {
				t.Errorf("exit code %d, before %d", small.Exec.Exit, trial.Exec.Exit)
			}
		})
	}
}

// crashesAbove returns a program that crashes on more than n numbers.
func crashesAbove(n int) program {
	return func(in string, args []string, seed string, out io.Writer) judge.Exec {
		if len(strings.Fields(in)) > n+1 {
			return judge.Exec{Exit: 1}
		}
		return sum(same)(in, args, seed, out)
	}
}

func TestShrinkGoesThroughTheLine(t *testing.T) {
	lab, _ := open(t, usual, 1, crashesAbove(30), nil) // no generator line makes so many numbers
	trial, err := lab.Try(t.Context(), "case", []byte("40\n"+strings.Repeat("499\n", 40)))
	if err != nil || !trial.Fails() {
		t.Fatalf("Try = %+v, %v", trial, err)
	}
	trial.Line = "random 40"
	var passes []string
	small, err := lab.Shrink(t.Context(), trial, shrink.Budget{}, func(s shrink.Step) { passes = append(passes, s.Pass) })
	if err != nil || string(small.Input) != "31\n"+strings.Repeat("0\n", 31) {
		t.Errorf("Shrink = %+v, %v; want 31 zeros", small, err)
	}
	if !slices.Contains(passes, "generator line: random 31") {
		t.Errorf("the line was not made smaller: %q", passes)
	}
}

func TestShrinkLooksAtOtherInputs(t *testing.T) {
	lab, _ := open(t, usual, 1, crashesAbove(4), nil)
	trial, err := lab.Try(t.Context(), "case", []byte("40\n"+strings.Repeat("499\n", 40)))
	if err != nil || !trial.Fails() {
		t.Fatalf("Try = %+v, %v", trial, err)
	}
	var passes []string
	small, err := lab.Shrink(t.Context(), trial, shrink.Budget{}, func(s shrink.Step) { passes = append(passes, s.Pass) })
	if err != nil || string(small.Input) != "5\n0\n0\n0\n0\n0\n" || !slices.Contains(passes, "another input") {
		t.Errorf("Shrink = %+v, %v by %q; want five zeros, by way of another input", small, err, passes)
	}
}

// form is the declared format of the inputs that validate accepts.
const form = "line n: int 1..50\nrepeat n\n    line a: int 0..10_000\n"

// bare is a problem without a validator or a generator.
const bare = "title = \"Sums\"\n[limits]\ntime = \"1s\"\n[reference]\nprogram = \"reference.x\"\n"

func TestADeclaredFormatIsEnough(t *testing.T) {
	var first *stress.Trial
	for _, jobs := range []int{1, 8} {
		lab, _ := formatMethods(t, form, bare, jobs, threeDigits, nil)
		if notes := lab.Notes(); len(notes) > 0 {
			t.Errorf("Notes = %q, want none", notes)
		}
		found, tally, err := lab.Search(t.Context(), stress.Options{Seed: 3, Count: 500})
		if err != nil || found == nil || tally.Invalid > 0 {
			t.Fatalf("Search = %+v, %+v, %v; want a find, and only valid inputs", found, tally, err)
		}
		if first == nil {
			first = found
		}
		if !bytes.Equal(found.Input, first.Input) {
			t.Errorf("%d jobs find %q, one finds %q", jobs, found.Input, first.Input)
		}
		small, err := lab.Shrink(t.Context(), found, shrink.Budget{}, nil)
		if err != nil || string(small.Input) != "1\n1000\n" || !small.Done {
			t.Errorf("Shrink = %+v, %v; want one number, 1000", small, err)
		}
	}
}

func TestShrinkGoesThroughTheDeclaredFormat(t *testing.T) {
	lab, _ := formatMethods(t, form, usual, 1, crashesAbove(4), nil)
	trial, err := lab.Try(t.Context(), "case", []byte("40\n"+strings.Repeat("499\n", 40)))
	if err != nil || !trial.Fails() {
		t.Fatalf("Try = %+v, %v", trial, err)
	}
	var passes []string
	small, err := lab.Shrink(t.Context(), trial, shrink.Budget{}, func(s shrink.Step) { passes = append(passes, s.Pass) })
	if err != nil || string(small.Input) != "5\n0\n0\n0\n0\n0\n" ||
		!slices.Contains(passes, "fewer n") || slices.Contains(passes, "drop lines") {
		t.Errorf("Shrink = %+v, %v by %q; want five zeros, n falling with its lines", small, err, passes)
	}
}

func TestShrinkStartsFromASmallerCaseThatFails(t *testing.T) {
	toml := strings.Replace(usual, "cases = [", "cases = [\"random 1\", ", 1)
	odd := sum(func(a int) int { // wrong only for 4, which no shrinking step reaches
		if a == 4 || a > 9000 {
			return 0
		}
		return a
	})
	lab, _ := formatMethods(t, form, toml, 1, odd, nil)
	trial, err := lab.Try(t.Context(), "case", []byte("3\n9001\n9002\n9003\n"))
	if err != nil || !trial.Fails() {
		t.Fatalf("Try = %+v, %v", trial, err)
	}
	small, err := lab.Shrink(t.Context(), trial, shrink.Budget{}, nil)
	if err != nil || string(small.Input) != "1\n4\n" {
		t.Errorf("Shrink = %+v, %v; want the 4 of the sample", small, err)
	}
}

// TestTrying checks the verdict of a trial for each way in which a program can end.
func TestTrying(t *testing.T) {
	ends := func(x judge.Exec) program {
		return func(string, []string, string, io.Writer) judge.Exec { return x }
	}
	for _, row := range []struct {
		it       string
		solution program
		input    string
		want     judge.Verdict
		invalid  bool
	}{
		{"does not run on what is not valid", ends(judge.Exec{Exit: 1}), "1\n-5\n", judge.NotJudged, true},
		{"does not run on what is not text", ends(judge.Exec{Exit: 1}), "1\n5", judge.NotJudged, true},
		{"accepts what is right", sum(same), "1\n5\n", judge.Accepted, false},
		{"tells a wrong answer", threeDigits, "1\n5000\n", judge.WrongAnswer, false},
		{"tells a crash", ends(judge.Exec{Signal: "SIGSEGV"}), "1\n5\n", judge.RunTimeError, false},
		{"tells what is too slow", ends(judge.Exec{CPU: 2 * time.Second, Killed: judge.CPUTime}), "1\n5\n", judge.TimeLimit, false},
		{"tells what waits by itself", ends(judge.Exec{Killed: judge.WallTime}), "1\n5\n", judge.IdlenessLimit, false},
	} {
		t.Run("it "+row.it, func(t *testing.T) {
			lab, _ := open(t, usual, 1, row.solution, nil)
			got, err := lab.Try(t.Context(), "case", []byte(row.input))
			if err != nil || got.Verdict != row.want || (got.Invalid != "") != row.invalid ||
				got.Fails() == (row.want == judge.Accepted || row.invalid) {
				t.Errorf("Try(%q) = %+v, %v; want %q", row.input, got, err, row.want)
			}
		})
	}
	t.Run("it runs again what a busy machine starved", func(t *testing.T) {
		var calls atomic.Int64
		lab, _ := open(t, usual, 1, func(in string, args []string, seed string, out io.Writer) judge.Exec {
			if in == "1\n5\n" && calls.Add(1) == 1 {
				return judge.Exec{Killed: judge.WallTime, CPU: 900 * time.Millisecond}
			}
			return sum(same)(in, args, seed, out)
		}, nil)
		if got, err := lab.Try(t.Context(), "case", []byte("1\n5\n")); err != nil || got.Verdict != judge.Accepted || calls.Load() != 2 {
			t.Errorf("Try = %+v, %v after %d runs; want AC after 2", got, err, calls.Load())
		}
	})
}

func TestSlowest(t *testing.T) {
	lab, _ := open(t, usual, 2, func(in string, _ []string, _ string, _ io.Writer) judge.Exec {
		return judge.Exec{CPU: time.Duration(len(in)) * time.Millisecond}
	}, nil)
	found, _, err := lab.Slowest(t.Context(), stress.Options{Count: 400})
	if err != nil || found == nil || len(strings.Fields(string(found.Input))) < 30 {
		t.Errorf("Slowest = %+v, %v; want more numbers than any line makes", found, err)
	}
}

func TestWithoutAValidatorCasesAreNotChanged(t *testing.T) {
	toml := strings.Replace(usual, "[validator]\nprogram = \"validate.x\"\nspeaks = \"testlib\"\n", "", 1)
	lab, _ := open(t, toml, 1, threeDigits, nil)
	found, tally, err := lab.Search(t.Context(), stress.Options{Count: 300})
	if err != nil || found != nil || tally.Run == 0 || len(lab.Notes()) != 1 {
		t.Errorf("Search = %+v, %+v, %v with the notes %q; want only what the lines make, and a note", found, tally, err, lab.Notes())
	}
}

// BenchmarkSearch measures the overhead of a search, without processes.
func BenchmarkSearch(b *testing.B) {
	lab, r := open(b, usual, 2, sum(same), nil)
	looked, seed := 0, uint64(0)
	for b.Loop() {
		seed++
		_, tally, err := lab.Search(b.Context(), stress.Options{Seed: seed, Count: 200})
		if err != nil {
			b.Fatal(err)
		}
		looked += tally.Tried
	}
	b.ReportMetric(float64(looked)/b.Elapsed().Seconds(), "inputs/s")
	b.ReportMetric(float64(r.runs.Load())/float64(looked), "runs/input")
}

// named is a builder whose programs are named after their files.
type named struct{}

func (named) BuildProgram(_ context.Context, p *judge.SetterProgram) (*judge.Program, error) {
	return &judge.Program{Name: filepath.Base(p.Path), Argv: []string{filepath.Base(p.Path)}}, nil
}
