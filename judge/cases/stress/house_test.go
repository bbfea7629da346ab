package stress_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/judge/cases/gen"
	"assay/judge/cases/shrink"
	"assay/judge/cases/stress"
	"assay/judge/running/sandbox"
	"assay/judge/running/testcache"
	"assay/judge/workspace"
)

var (
	solutions   = flag.Int("shrink.solutions", 6, "how many wrong solutions of the house BenchmarkShrinking takes")
	evaluations = flag.Int("shrink.evaluations", 400, "how many evaluations it grants to each input")
	only        = flag.String("shrink.only", "", "form, text, ways or guessed ways: the part that it measures")
)

func TestMain(m *testing.M) {
	flag.Parse()
	sandbox.Main() // does not return in a process that the sandbox started
	os.Exit(m.Run())
}

// failing is a bundled case on which one of the problem's solutions fails.
type failing struct {
	lab   *workspace.SolutionTester
	trial *stress.Trial
	known map[string]bool // result of the solution by text
}

// house finds, for bundled incorrect solutions, the first case on which each fails. It uses only languages that
// start quickly, and the same number of solutions from each problem.
func house(b *testing.B, w *workspace.Workspace) (all []*failing) {
	problems := []string{"wythoff", "sylver", "pd-duel"}
	for k, id := range problems {
		p, err := w.OpenForJudging(b.Context(), id, workspace.RunOptions{})
		if err != nil {
			b.Fatal(err)
		}
		var files []string
		for _, verdict := range []string{"wrong_answer", "run_time_error"} {
			for _, ending := range []string{"c", "cpp", "go", "rs"} {
				some, _ := filepath.Glob(filepath.Join("../../../solutions", id, verdict, "*."+ending))
				files = append(files, some...)
			}
		}
		slices.Sort(files)
		wanted := (*solutions + len(problems) - 1 - k) / len(problems)
		for i := range wanted {
			if f := fails(b, p, files[(2*i+1)*len(files)/(2*wanted)]); f != nil {
				all = append(all, f)
			}
		}
	}
	return all
}

func fails(b *testing.B, p *workspace.Problem, path string) *failing {
	lab, err := p.TestSolution(b.Context(), path, "", false)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { lab.Close() })
	for _, g := range p.Groups {
		for _, c := range g.Cases {
			input, err := os.ReadFile(c.In)
			if err != nil {
				b.Fatal(err)
			}
			t, err := lab.Try(b.Context(), c.ID(), input)
			if err != nil {
				b.Fatal(err)
			}
			if t.Fails() {
				if t.Line = c.Line; c.Line != "" {
					t.Seed = gen.SeedOf(p.Directory, c.Line)
				}
				b.Logf("%s fails on %s, %d bytes", path, c.ID(), len(input))
				return &failing{lab, t, map[string]bool{}}
			}
		}
	}
	return nil
}

// without is a Shape that skips one pass, and counts the proposals of each pass.
type without struct {
	shrink.Shape
	pass  string
	tried map[string]int
}

// kind returns a pass's name without the parts that depend on the input.
func kind(pass string) string {
	if pass, cut := strings.CutPrefix(pass, "fewer "); cut && pass != "rounds" && pass != "nodes" && pass != "decimals" {
		return "fewer of what is counted"
	}
	if strings.HasPrefix(pass, "drop words of line") {
		return "drop words of line"
	}
	return pass
}

func (w without) Propose(text []byte, try func(string, []byte) bool, over func() bool) bool {
	return w.Shape.Propose(text, func(pass string, text []byte) bool {
		if kind(pass) == w.pass {
			return false
		}
		w.tried[kind(pass)]++
		return try(pass, text)
	}, over)
}

// outcome is the result of shrinking all inputs.
type outcome struct {
	size, runs int
	sizes      []int
}

func (o *outcome) add(size, runs int) {
	o.size += size
	o.runs += runs
	o.sizes = append(o.sizes, size)
}

// row describes the benefit of a pass: the remaining bytes with and without it, and how many inputs become larger
// without it.
func (all outcome) row(name string, lacking outcome, tried int) string {
	worse, better := 0, 0
	for i := range all.sizes {
		switch cmp.Compare(lacking.sizes[i], all.sizes[i]) {
		case 1:
			worse++
		case -1:
			better++
		}
	}
	return fmt.Sprintf(
		"%-28s %6d bytes with, %6d without (%d larger, %d smaller); %6d runs with, %6d without; tried %d times",
		name, all.size, lacking.size, worse, better, all.runs, lacking.runs, tried,
	)
}

// BenchmarkShrinking prints the benefit of each pass of shrinking on bundled failing cases. It shows the remaining
// bytes and the runs, with and without the pass. The budget of runs is the same for both.
func BenchmarkShrinking(b *testing.B) {
	cache, done, err := testcache.New()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(done)
	w, err := workspace.Find(workspace.Env{Dir: "../../..", Cache: cache})
	if err != nil {
		b.Fatal(err)
	}
	if err := w.Start(workspace.RunOptions{Jobs: 1}); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { w.Close() })
	inputs := house(b, w)
	for b.Loop() {
		if *only == "" || *only == "form" {
			passes(b, "the declared form", inputs, func(f *failing) shrink.Shape { return f.lab.Grammar() })
		}
		if *only == "" || *only == "text" {
			passes(b, "guesses at the text", inputs, func(*failing) shrink.Shape { return shrink.Guess{} })
		}
		if *only == "" || *only == "ways" {
			ways(b, "ways, the form is declared", inputs)
		}
		for _, f := range inputs {
			f.lab.Forget()
		}
		if *only == "" || *only == "guessed ways" {
			ways(b, "ways, the form is not declared", inputs)
		}
	}
}

// passes measures the passes of a shape.
func passes(b *testing.B, title string, inputs []*failing, shape func(*failing) shrink.Shape) {
	run := func(pass string) (o outcome, tried map[string]int) {
		tried = map[string]int{}
		for _, f := range inputs {
			result, err := shrink.TextWithShape(
				b.Context(), f.trial.Input, without{shape(f), pass, tried},
				shrink.Budget{Evaluations: *evaluations}, f.holds(b), nil,
			)
			if err != nil {
				b.Fatal(err)
			}
			o.add(len(result.Text), result.Evaluations)
		}
		return o, tried
	}
	all, tried := run("")
	fmt.Printf("\n%s: %d inputs\n", title, len(inputs))
	for _, pass := range slices.Sorted(maps.Keys(tried)) {
		lacking, _ := run(pass)
		fmt.Println(all.row(pass, lacking, tried[pass]))
	}
}

// holds returns a function that reports whether the solution fails on a text in the same way as on the original
// input. The function caches its results.
func (f *failing) holds(b *testing.B) func(text []byte) (bool, error) {
	return func(text []byte) (bool, error) {
		if bytes.Equal(text, f.trial.Input) {
			return true, nil
		}
		same, known := f.known[string(text)]
		if !known {
			t, err := f.lab.Try(b.Context(), "shrink", text)
			if err != nil {
				return false, err
			}
			same = t.FailsLike(f.trial)
			f.known[string(text)] = same
		}
		return same, nil
	}
}

// ways measures the methods by which Shrink makes an input smaller.
func ways(b *testing.B, title string, inputs []*failing) {
	run := func(name string) (o outcome) {
		for _, f := range inputs {
			small, err := f.lab.ShrinkWithout(b.Context(), f.trial, shrink.Budget{Evaluations: *evaluations}, name)
			if err != nil {
				b.Fatal(err)
			}
			o.add(len(small.Input), small.Evaluations)
		}
		return o
	}
	all := run("")
	fmt.Printf("\n%s: %d inputs\n", title, len(inputs))
	for _, name := range inputs[0].lab.Ways() {
		fmt.Println(all.row(name, run(name), 1))
	}
}
