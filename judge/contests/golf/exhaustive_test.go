package golf

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/contests/golf/drivers"
	"assay/judge/kit"
	"assay/judge/running/config"
	"assay/judge/running/lang"
)

// A toy is an in-memory Runner for submissions in a language of its own. A submission is a Go function. Given the
// earlier requests to its process, it returns the reply for an input. The checker expects sums.
type toy struct {
	answer func(before []string, in string) reply
	busy   int    // number of processes to stop at the wall time limit although they compute
	stops  int    // number of processes to stop for other work, in the middle of their outputs
	server bool   // whether the language's server works
	load   string // how the function f fails to load: "x" or "dies"; if empty, it loads
	loads  int    // number of processes that failed to load it
	lie    string // input for which the server prints 0
	mu     sync.Mutex
}

// A reply describes what a submission prints for an input.
type reply struct {
	text string
	kind byte // kind of a function's frame; 0 for a returned text
	said string
	died bool
	slow bool
	cpu  time.Duration
}

const (
	toyDriver = "DRIVER"
	toyServer = "SERVER"
)

func (r *toy) Run(_ context.Context, c *judge.Command) (judge.Exec, error) {
	r.mu.Lock()
	if r.busy > 0 {
		r.busy--
		r.mu.Unlock()
		return judge.Exec{Killed: judge.WallTime, CPU: time.Second, Wall: 2 * time.Second}, nil
	}
	stops := r.stops > 0
	if stops {
		r.stops--
	}
	r.mu.Unlock()
	if stops {
		fmt.Fprint(c.Stdout, "~")
		fmt.Fprint(c.Stderr, "half a line")
		return judge.Exec{CPU: time.Hour}, fmt.Errorf("run: %w", ErrInterrupted)
	}
	files, err := filepath.Glob(c.Mounts[0].Host + "/*.toy")
	if err != nil || len(files) != 1 {
		return judge.Exec{}, fmt.Errorf("the files of the program are %v, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		return judge.Exec{}, err
	}
	in, err := io.ReadAll(c.Stdin)
	if err != nil {
		return judge.Exec{}, err
	}
	lines := strings.Split(strings.TrimSuffix(string(in), "\n"), "\n")
	switch {
	case strings.HasPrefix(string(text), toyDriver):
		return r.frames(c, lines, func(line string) string { return line })
	case strings.HasPrefix(string(text), toyServer):
		if !r.server {
			fmt.Fprint(c.Stderr, "the server does not start")
			return judge.Exec{Exit: 1}, nil
		}
		return r.frames(c, lines, func(line string) string {
			data, _ := hex.DecodeString(strings.Fields(line)[0])
			if in := strings.TrimSpace(string(data)); in != r.lie {
				return in
			}
			return "0 0"
		})
	}
	a := r.answer(nil, lines[0])
	if a.slow {
		return judge.Exec{Killed: judge.CPUTime, CPU: time.Second}, nil
	}
	fmt.Fprint(c.Stdout, a.text)
	fmt.Fprint(c.Stderr, a.said)
	x := judge.Exec{CPU: max(a.cpu, time.Microsecond), Wall: time.Millisecond}
	if a.died || a.kind == 'e' {
		x.Exit = 1
	}
	return x, nil
}

// frames answers each line as a driver or a server does.
func (r *toy) frames(c *judge.Command, lines []string, read func(line string) string) (judge.Exec, error) {
	mark := lines[0]
	if r.load != "" {
		r.loads++
		if r.load == "x" {
			fmt.Fprintf(c.Stdout, "loading\n%sx%s\n", mark, mark)
		}
		fmt.Fprint(c.Stderr, "f is a list")
		return judge.Exec{Exit: 1}, nil
	}
	fmt.Fprintf(c.Stdout, "loading\n%sl%s\n", mark, mark)
	var before []string
	for _, line := range lines[1:] {
		in := read(line)
		a := r.answer(before, in)
		before = append(before, in)
		switch {
		case a.slow:
			return judge.Exec{Killed: judge.CPUTime, CPU: time.Second}, nil
		case a.died:
			fmt.Fprint(c.Stdout, a.text)
			fmt.Fprint(c.Stderr, a.said)
			return judge.Exec{Exit: 1}, nil
		case a.kind == 'e':
			fmt.Fprintf(c.Stdout, "%s%se%s%s\n", a.text, mark, a.said, mark)
		case a.kind == 'n':
			fmt.Fprintf(c.Stdout, "%s%snNone%s\n", a.text, mark, mark)
		default:
			fmt.Fprintf(c.Stdout, "%sv%s%s\n", mark, a.text, mark)
		}
	}
	return judge.Exec{CPU: time.Millisecond}, nil
}

// Start starts the checker, which expects the sum of the numbers.
func (r *toy) Start(ctx context.Context, _ *judge.Command) (judge.Process, error) {
	p := &toyChecker{ended: make(chan struct{})}
	p.stdin, p.in = io.Pipe()
	p.out, p.stdout = io.Pipe()
	go p.serve() // returns at EOF on its standard input
	context.AfterFunc(ctx, p.Kill)
	return p, nil
}

type toyChecker struct {
	stdin  *io.PipeReader
	in     *io.PipeWriter
	out    *io.PipeReader
	stdout *io.PipeWriter
	ended  chan struct{}
}

func (p *toyChecker) Stdin() io.WriteCloser  { return p.in }
func (p *toyChecker) Stdout() io.Reader      { return p.out }
func (p *toyChecker) CPUWait() time.Duration { return 0 }
func (p *toyChecker) Kill()                  { p.in.Close() }

func (p *toyChecker) Wait() (judge.Exec, error) {
	p.in.Close()
	<-p.ended
	return judge.Exec{}, nil
}

func (p *toyChecker) serve() {
	defer close(p.ended)
	defer p.stdout.Close()
	fmt.Fprintln(p.stdout, kit.Hello+" golf")
	for requests := bufio.NewReader(p.stdin); ; {
		f, err := kit.ReadFrame(requests, 1<<30)
		if err != nil {
			return
		}
		var g kit.Golf
		if err := json.Unmarshal(f.Parts[0], &g); err != nil {
			_ = kit.WriteFrame(p.stdout, string(kit.Fail), []byte(err.Error()))
			continue
		}
		for i, a := range g.Answers {
			if want := sum(strings.Join(a.In, " ")); string(a.Out) != want {
				g.Wrong(i, "it is %s", want)
			}
		}
		if g.All {
			g.Say("all inputs")
		}
		data, _ := json.Marshal(g.Report())
		verdict := kit.OK
		if len(g.Report().Wrong) > 0 {
			verdict = kit.WA
		}
		_ = kit.WriteFrame(p.stdout, string(verdict), data)
	}
}

// sum returns the correct output for an input.
func sum(in string) string {
	n := 0
	for _, word := range strings.Fields(in) {
		k, _ := strconv.Atoi(word)
		n += k
	}
	return strconv.Itoa(n)
}

func correct(_ []string, in string) reply { return reply{text: sum(in)} }

// toyRange returns a SubmissionChecker with n inputs. Every tenth is an edge case, and three are samples.
func toyRange(t *testing.T, n int) (*SubmissionChecker, *toy, *drivers.Driver) {
	t.Helper()
	var domain strings.Builder
	for i := range n {
		fmt.Fprintf(&domain, "%d %d%s\n", i, 1000+7*i, map[bool]string{true: " !"}[i%10 == 4])
	}
	d, err := ParseDomain(domain.String(), 2)
	if err != nil {
		t.Fatal(err)
	}
	d.Samples = []int{2, 5, 17}
	r := &toy{answer: correct, server: true}
	cfg := &config.Config{}
	cfg.Source.Size, cfg.Source.Files = 1<<20, 10
	driver := &drivers.Driver{
		Driver: toyDriver + " {call}\n{code}", Arg: "a{n}", Names: []string{`(\w+)=`}, Calls: map[string]string{
			"args": "{name}({args})",
		}, Server: toyServer,
	}
	rng := &SubmissionChecker{ID: "sum", Runner: r, Tools: lang.New(cfg, r, t.TempDir(), nil), Domain: d}
	if rng.Checker, err = NewChecker(t.Context(), r, &judge.Program{Name: "check"}, judge.Limits{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rng.Checker.Close() })
	return rng, r, driver
}

// prove checks a submission in the toy language.
func prove(t *testing.T, rng *SubmissionChecker, driver *drivers.Driver, o Options) *Result {
	t.Helper()
	return proveCode(t, rng, driver, "f=sum", o)
}

func proveCode(t *testing.T, rng *SubmissionChecker, driver *drivers.Driver, code string, o Options) *Result {
	t.Helper()
	l := &config.Language{ID: "toy", Name: "Toy", Extensions: []string{"toy"}, File: "main.toy", Run: []string{"toy", "{entry}"}}
	a, err := NewSubmission("a.toy", l, driver, []byte(code), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := rng.Check(t.Context(), a, o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// manners lists the ways in which submissions are called.
var manners = []struct {
	name   string
	inputs int
	server bool
	o      Options
}{
	{"functions", 60, false, Options{Kind: "function"}},
	{"functions, all wrong inputs", 60, false, Options{Kind: "function", All: true}},
	{"programs", 60, false, Options{Kind: "program"}},
	{"programs, several at a time", 60, false, Options{Kind: "program", Jobs: 3}},
	{"programs, all wrong inputs", 60, false, Options{Kind: "program", All: true, Jobs: 2}},
	{"a server", worthServer + 40, true, Options{Kind: "program", Jobs: 2}},
}

// faults maps names to the ways in which a submission fails on an input.
var faults = map[string]func(in string) reply{
	"another number": func(in string) reply { return reply{text: sum(in) + "1"} },
	"nothing":        func(string) reply { return reply{} },
	"an error":       func(string) reply { return reply{kind: 'e', said: "IndexError"} },
	"its death":      func(string) reply { return reply{died: true, said: "killed"} },
	"no end":         func(string) reply { return reply{slow: true} },
}

// TestOneInput checks that a submission that fails on exactly one input is never accepted. It tries every input,
// every kind of failure, and every way of calling the submission.
func TestOneInput(t *testing.T) {
	for _, m := range manners {
		t.Run(m.name, func(t *testing.T) {
			rng, r, driver := toyRange(t, m.inputs)
			r.server = m.server
			if res := prove(t, rng, driver, m.o); res.Verdict != Correct || res.Tried != m.inputs || len(res.Wrong) > 0 || len(res.Says) != 1 {
				t.Fatalf("a correct answer: %s, %d inputs, %+v, %v", res.Verdict, res.Tried, res.Wrong, res.Says)
			} else if (res.CrossChecked > 0) != m.server {
				t.Fatalf("the server ran %d inputs", res.CrossChecked)
			}
			n := 0
			for k, in := range rng.Domain.Inputs {
				for name, fault := range faults {
					if n++; m.server && (n+k)%3 > 0 { // every input is tried, but only with some of the faults
						continue
					}
					bad := in.String()
					r.answer = func(_ []string, in string) reply {
						if in == bad {
							return fault(in)
						}
						return correct(nil, in)
					}
					res := prove(t, rng, driver, m.o)
					if res.Verdict == Correct || res.Verdict == CannotRun {
						t.Errorf("%s at %s: %s", name, bad, res.Verdict)
					}
					named := slices.Contains(res.Slow, bad) || slices.ContainsFunc(res.Wrong, func(w judge.GolfWrongInput) bool { return w.In == bad })
					if !named || len(res.Wrong)+len(res.Slow) != 1 || res.WrongMany != len(res.Wrong) {
						t.Errorf("%s at %s: wrong %+v, slow %q", name, bad, res.Wrong, res.Slow)
					}
					if want := slices.Contains(rng.Domain.Samples, k) && name != "no end"; (res.BadCases == 1) != want {
						t.Errorf("%s at %s: %d samples are wrong", name, bad, res.BadCases)
					}
				}
			}
		})
	}
}

// TestQuick checks that a quick check covers exactly the samples and edge cases.
func TestQuick(t *testing.T) {
	for _, as := range []string{"function", "program"} {
		rng, r, driver := toyRange(t, 60)
		for k, in := range rng.Domain.Inputs {
			bad := in.String()
			r.answer = func(_ []string, in string) reply {
				if in == bad {
					return reply{text: "x"}
				}
				return correct(nil, in)
			}
			res := prove(t, rng, driver, Options{Kind: as, Quick: true})
			asked := in.Edge || slices.Contains(rng.Domain.Samples, k)
			if (res.Verdict == Correct) == asked || res.Tried != 9 || !res.Quick || len(res.Says) > 0 {
				t.Errorf("a %s that is wrong at %s (%v): %s, %d inputs, %v", as, bad, asked, res.Verdict, res.Tried, res.Says)
			}
		}
	}
}

// TestMemory checks that a function whose outputs depend on earlier calls is never accepted.
func TestMemory(t *testing.T) {
	for name, wrong := range map[string]func(before []string, in string) bool{
		"once":                  func(before []string, _ string) bool { return len(before) > 0 },
		"all but the first":     func(before []string, _ string) bool { return len(before) == 0 },
		"few":                   func(before []string, _ string) bool { return len(before) > 40 },
		"until a certain input": func(before []string, _ string) bool { return slices.Contains(before, "33 1231") },
		"twice the same":        func(before []string, in string) bool { return slices.Contains(before, in) },
		"in order": func(before []string, in string) bool {
			return len(before) > 0 && len(before[len(before)-1]) > len(in)
		},
	} {
		rng, r, driver := toyRange(t, 60)
		r.answer = func(before []string, in string) reply {
			if wrong(before, in) {
				return reply{text: "-1"}
			}
			return correct(nil, in)
		}
		res := prove(t, rng, driver, Options{Kind: "function", Seed: 1})
		if name == "twice the same" { // no process gets the same input twice, so it is correct
			if res.Verdict != Correct {
				t.Errorf("correct %s: %s", name, res.Verdict)
			}
			continue
		}
		if res.Verdict != Incorrect || !res.Stateful {
			t.Errorf("correct %s: %s, stateful %v", name, res.Verdict, res.Stateful)
		}
	}
}

// TestProofs checks what a successful check reports: how the submission was called, the number of orders and
// processes, and the notes.
func TestProofs(t *testing.T) {
	rng, r, driver := toyRange(t, 60)
	res := prove(t, rng, driver, Options{Kind: "function"})
	if res.Shuffles != 2 || res.FreshCalls != freshCalls || res.How != "function f(i,j)" || res.CrossChecked != 0 {
		t.Errorf("a function: %d orders, %d processes, %q", res.Shuffles, res.FreshCalls, res.How)
	}
	res = prove(t, rng, driver, Options{})
	if res.How != "function f(i,j)" {
		t.Errorf("an answer that may be both: %q", res.How)
	}
	driver.Programs = []string{"sum"}
	if res = prove(t, rng, driver, Options{}); res.How != "program, input i j" || res.FreshCalls != 0 {
		t.Errorf("an answer that looks like a program: %q", res.How)
	}
	driver.Programs = nil

	// Output printed before an error counts, with a note.
	r.answer = func(_ []string, in string) reply {
		if in == "33 1231" {
			return reply{text: sum(in), kind: 'e', said: "IndexError"}
		}
		return reply{text: sum(in), kind: 'n'}
	}
	res = prove(t, rng, driver, Options{Kind: "function"})
	if res.Verdict != Correct || len(res.Notes) != 1 ||
		!strings.Contains(res.Notes[0], "1 input ends with an error, e.g. 33 1231 (IndexError)") {
		t.Errorf("printed before an error: %s, %q", res.Verdict, res.Notes)
	}
	if res = prove(t, rng, driver, Options{Kind: "function", Strict: true}); res.Verdict != Incorrect {
		t.Errorf("and strictly: %s", res.Verdict)
	}
	if res = prove(t, rng, driver, Options{Kind: "program"}); res.Verdict != Correct || len(res.Notes) > 0 {
		t.Errorf("of a program: %s, %q", res.Verdict, res.Notes)
	}

	// At most five wrong inputs are shown, unless all are requested.
	r.answer = func(_ []string, in string) reply {
		if n, _ := strconv.Atoi(strings.Fields(in)[0]); n > 20 {
			return reply{text: "0"}
		}
		return correct(nil, in)
	}
	for _, all := range []bool{false, true} {
		for _, as := range []string{"function", "program"} {
			res = prove(t, rng, driver, Options{Kind: as, All: all})
			if want := map[bool]int{false: min(5, res.WrongMany), true: 39}[all]; res.Verdict != Incorrect ||
				len(res.Wrong) != want || all && res.WrongMany != 39 {
				t.Errorf("many wrong inputs of a %s: %s, %d of %d shown", as, res.Verdict, len(res.Wrong), res.WrongMany)
			}
		}
	}

	// A process that was stopped at its wall time limit while computing is restarted.
	r.answer, r.busy = correct, 1
	if res = prove(t, rng, driver, Options{Kind: "program"}); res.Verdict != Correct {
		t.Errorf("on a busy machine: %s %s", res.Verdict, res.Log)
	}

	// A process that was stopped for other work is also restarted. Its output and time are discarded.
	for _, as := range []string{"function", "program"} {
		r.stops = 12
		res = prove(t, rng, driver, Options{Kind: as, Budget: time.Minute})
		if res.Verdict != Correct || r.stops > 0 {
			t.Errorf("stopped for other work, a %s is %s %s, %d stops left", as, res.Verdict, res.Log, r.stops)
		}
	}

	// A check that finds no errors ends when the budget is used up.
	r.answer = func(_ []string, in string) reply { return reply{text: sum(in), cpu: time.Second} }
	res = prove(t, rng, driver, Options{Kind: "program", Budget: 20 * time.Second})
	if res.Verdict != TooSlow || !strings.Contains(res.Log, "more than 20 s of CPU time") || res.Tried >= 60 {
		t.Errorf("over its budget: %s, %d inputs, %q", res.Verdict, res.Tried, res.Log)
	}
	if res = prove(t, rng, driver, Options{Kind: "program", Budget: 200 * time.Second}); res.Verdict != Correct {
		t.Errorf("within its budget: %s", res.Verdict)
	}
}

// TestCases checks that only the outputs for the requested inputs are shown.
func TestCases(t *testing.T) {
	rng, r, driver := toyRange(t, 60)
	r.answer = func(_ []string, in string) reply {
		if in == "33 1231" {
			return reply{text: "x", kind: 'e', said: "IndexError"}
		}
		return correct(nil, in)
	}
	for _, as := range []string{"function", "program"} {
		res := prove(t, rng, driver, Options{Kind: as, Cases: []string{"3 1021", "(4, 1028)"}})
		if res.Verdict != Correct || !res.Picked || res.Tried != 2 || len(res.Shown) != 2 ||
			res.Shown[0].In != "3 1021" || res.Shown[1].Gave != "1032" {
			t.Errorf("two inputs of a %s: %s, %+v", as, res.Verdict, res.Shown)
		}
		res = prove(t, rng, driver, Options{Kind: as, Cases: []string{"33 1231"}})
		if res.Verdict != Incorrect || len(res.Shown) != 1 || res.Shown[0].Gave != "x" || res.Shown[0].Fate == "" {
			t.Errorf("a wrong input of a %s: %s, %+v", as, res.Verdict, res.Shown)
		}
	}
}

// TestServerDisagrees checks that a server is not used if its outputs differ from those of separate processes.
func TestServerDisagrees(t *testing.T) {
	rng, r, driver := toyRange(t, worthServer+40)
	r.server = false
	res := prove(t, rng, driver, Options{Kind: "program"})
	if res.Verdict != Correct || res.CrossChecked != 0 ||
		!strings.Contains(res.Explain[len(res.Explain)-1].Reason, "the server does not start") {
		t.Errorf("a server that does not start: %s, %d, %+v", res.Verdict, res.CrossChecked, res.Explain)
	}
	// The server is compared on all samples and edge cases, and on some other inputs.
	for _, in := range []int{2, 4, 284} {
		rng, r, driver = toyRange(t, worthServer+40)
		r.lie = rng.Domain.Inputs[in].String()
		res = prove(t, rng, driver, Options{Kind: "program"})
		if why := res.Explain[len(res.Explain)-1].Reason; res.Verdict != Correct || res.CrossChecked != 0 ||
			!strings.Contains(why, "at "+r.lie+" a separate process gave") {
			t.Errorf("a server that is wrong at %s: %s, %d, %q", r.lie, res.Verdict, res.CrossChecked, why)
		}
	}
	rng, _, driver = toyRange(t, worthServer)
	if res = prove(t, rng, driver, Options{Kind: "program"}); res.Verdict != Correct || res.CrossChecked != 0 {
		t.Errorf("few inputs: %s, %d by the server", res.Verdict, res.CrossChecked)
	}
}
