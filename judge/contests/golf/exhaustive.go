package golf

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"assay/judge"
	"assay/judge/contests/golf/drivers"
	"assay/judge/internal/pattern"
	"assay/judge/kit"
	"assay/judge/running/config"
)

// checkRun is the check of a submission.
type checkRun struct {
	r      *SubmissionChecker
	o      Options
	a      *Submission
	res    *Result
	lang   *config.Language // language with the flags
	driver *drivers.Driver
	dir    string

	built   map[*drivers.Wrap]*builtCandidate // built programs, by the code that wraps them
	drivers map[string]*builtCandidate        // built drivers, by text

	mu           sync.Mutex
	outputs      []output // only distinct outputs
	seen         map[outputKey]bool
	tried        map[int]bool
	slow         []int
	used         time.Duration // CPU time of the counted runs of a program
	runs         int
	failed       map[int]string // inputs whose call ended with an error
	stopped      bool
	quickBatches bool          // batches end after briefTime
	probing      time.Duration // time per input during detection
	spent        atomic.Int64  // total CPU time of all processes, in nanoseconds
	budgetUsed   bool          // the budget was used up before the end
}

// outputKey identifies an output, to detect duplicates.
type outputKey struct {
	input int
	text  string
	fresh bool
}

func (p *checkRun) close() {
	if p.dir != "" {
		os.RemoveAll(p.dir)
	}
}

func (p *checkRun) run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "judge-golf-*")
	if err != nil {
		return fmt.Errorf("lay the answer: %w", err)
	}
	p.dir, p.tried, p.failed = dir, map[int]bool{}, map[int]string{}
	p.built, p.drivers = map[*drivers.Wrap]*builtCandidate{}, map[string]*builtCandidate{}
	p.res.Samples = len(p.r.Domain.Samples)
	if strings.TrimSpace(p.a.Counted) == "" {
		p.res.Verdict, p.res.Log = CannotRun, "the file has no code"
		return nil
	}
	w, err := p.detect(ctx)
	if err != nil || w == nil {
		return err
	}
	p.res.How = w.description(p.r.Domain.Arity)
	p.res.found = w.candidate
	if len(p.o.Cases) > 0 {
		return p.runCases(ctx, w)
	}
	return p.checkDomain(ctx, w)
}

// checkDomain checks the submission on all inputs, starting with samples and edge cases.
func (p *checkRun) checkDomain(ctx context.Context, w *builtCandidate) error {
	d := p.r.Domain
	quick := p.quickInputs()
	var err error
	if w.function {
		err = p.batchGuarded(ctx, w, quick, wrongDeaths)
	} else {
		err = p.runPrograms(ctx, w, quick, p.collect)
	}
	if err != nil {
		return err
	}
	report, err := p.check(ctx)
	if err != nil {
		return err
	}
	p.res.Quick = p.o.Quick
	clean := len(report.Wrong) == 0 && len(p.slow) == 0
	switch {
	case p.o.Quick, p.stopped:
	case !clean && !p.o.All && !w.function:
	case w.function:
		report, err = p.checkFunction(ctx, w, clean)
	default:
		report, err = p.checkChunks(ctx, w, report)
	}
	if err != nil {
		return err
	}
	if w.function && (p.o.Quick || !clean) && len(report.Wrong) > 0 {
		if report, err = p.retryWrong(ctx, w, report); err != nil {
			return err
		}
	}
	p.finish(report, len(p.tried) == len(d.Inputs))
	return nil
}

// quickInputs returns the samples, followed by the edge cases.
func (p *checkRun) quickInputs() []int {
	quick := slices.Clone(p.r.Domain.Samples)
	for i, in := range p.r.Domain.Inputs {
		if in.Edge && !slices.Contains(p.r.Domain.Samples, i) {
			quick = append(quick, i)
		}
	}
	return quick
}

// collect records an output. It returns false to stop if an input was too slow.
func (p *checkRun) collect(o output) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tried[o.input] = true
	if o.cpu > 0 {
		p.used += o.cpu
		p.runs++
	}
	if o.slow {
		p.slow = append(p.slow, o.input)
		p.stopped = p.stopped || !p.o.All
		return !p.stopped
	}
	if p.o.Budget > 0 && p.spent.Load() > int64(p.o.Budget) {
		p.budgetUsed, p.stopped = true, true
		return false
	}
	key := outputKey{o.input, o.text, o.fresh}
	if !p.seen[key] {
		p.seen[key] = true
		p.outputs = append(p.outputs, o)
	}
	if o.failure != "" {
		p.failed[o.input] = o.failure
	}
	if p.o.Progress != nil {
		p.o.Progress(len(p.tried), len(p.r.Domain.Inputs))
	}
	return !p.stopped
}

func (p *checkRun) check(ctx context.Context) (*kit.GolfReport, error) {
	return p.r.Checker.check(ctx, p.r.Domain, p.outputs, len(p.tried) == len(p.r.Domain.Inputs))
}

// checkFunction calls a function on the whole domain in two orders, each in one process, and on some inputs in
// separate processes. If the function is already known to be wrong, it is called only once more, for a short time,
// to count the wrong inputs.
func (p *checkRun) checkFunction(ctx context.Context, w *builtCandidate, clean bool) (*kit.GolfReport, error) {
	orders := [][]int{p.shuffled(1), p.shuffled(2)}
	if !clean {
		orders = orders[:1]
		p.quickBatches = !p.o.All
	}
	most := maxDeaths
	if p.quickBatches {
		most = wrongDeaths
	}
	errs := make([]error, len(orders))
	var both sync.WaitGroup
	for k, order := range orders {
		both.Go(func() { errs[k] = p.batchGuarded(ctx, w, order, most) })
	}
	both.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	p.quickBatches = false
	p.res.Shuffles = len(orders)
	report, err := p.check(ctx)
	if err != nil || len(report.Wrong) > 0 || len(p.slow) > 0 {
		if err == nil && clean && len(report.Wrong) > 0 {
			return p.retryWrong(ctx, w, report)
		}
		return report, err
	}
	return p.checkFresh(ctx, w)
}

// The number of process deaths after which the outputs so far are checked. maxDeaths applies to the whole domain.
// wrongDeaths applies to samples and edge cases, and to submissions already known to be wrong.
const (
	maxDeaths   = 100
	wrongDeaths = 5
)

// batchGuarded is like batch, but checks the outputs so far after every multiple of most process deaths, because each
// new process takes time. If an output is wrong, guarded stops. It does not check outputs before all samples have
// been tried.
func (p *checkRun) batchGuarded(ctx context.Context, w *builtCandidate, order []int, interval int) error {
	deaths := 0
	var checkErr error
	err := p.batch(ctx, w, order, func(o output) bool {
		more := p.collect(o)
		if !o.died || !more {
			return more
		}
		if deaths++; deaths%interval != 0 || p.o.All {
			return true
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.tried) < len(p.r.Domain.Samples) {
			return true
		}
		report, err := p.check(ctx)
		if err != nil || len(report.Wrong) > 0 {
			checkErr, p.stopped = err, true
			return false
		}
		return true
	})
	return errors.Join(err, checkErr)
}

func (p *checkRun) shuffled(n uint64) []int {
	return rand.New(rand.NewPCG(p.o.Seed, n)).Perm(len(p.r.Domain.Inputs))
}

// freshCalls is the number of inputs that are run in separate processes.
const freshCalls = 40

// checkFresh calls a function in processes that handle one input each.
func (p *checkRun) checkFresh(ctx context.Context, w *builtCandidate) (*kit.GolfReport, error) {
	d := p.r.Domain
	picked := append(slices.Clone(d.Samples), 0, len(d.Inputs)-1)
	var edges []int
	for _, i := range p.shuffled(3) {
		if d.Inputs[i].Edge {
			edges = append(edges, i)
		}
	}
	picked = append(picked, edges[:min(len(edges), 24)]...)
	picked = append(picked, p.shuffled(4)...)
	var order []int
	for _, i := range picked {
		if len(order) < freshCalls && !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	if err := p.callSeparately(ctx, w, order); err != nil {
		return nil, err
	}
	p.res.FreshCalls = len(order)
	return p.check(ctx)
}

// callSeparately calls a function on each input in a separate process.
func (p *checkRun) callSeparately(ctx context.Context, w *builtCandidate, order []int) error {
	queue := make(chan int, len(order))
	for _, i := range order {
		queue <- i
	}
	close(queue)
	errs := make([]error, p.o.Jobs)
	var workers sync.WaitGroup
	for k := range p.o.Jobs {
		workers.Go(func() {
			for i := range queue {
				err := p.batch(ctx, w, []int{i}, func(o output) bool {
					o.fresh = true
					return p.collect(o)
				})
				if err != nil {
					errs[k] = err
					return
				}
			}
		})
	}
	workers.Wait()
	return errors.Join(errs...)
}

// maxRetriedWrong is the number of wrong inputs in a batch that are retried in separate processes.
const maxRetriedWrong = 4

// retryWrong retries some wrong inputs in separate processes. A function that is correct there depends on earlier
// calls.
func (p *checkRun) retryWrong(ctx context.Context, w *builtCandidate, report *kit.GolfReport) (*kit.GolfReport, error) {
	var order []int
	for _, wrong := range report.Wrong {
		if i := p.outputs[wrong.Index].input; !slices.Contains(order, i) && len(order) < maxRetriedWrong {
			order = append(order, i)
		}
	}
	p.stopped = false
	if err := p.callSeparately(ctx, w, order); err != nil {
		return nil, err
	}
	return p.check(ctx)
}

// runCases records the outputs for the requested inputs.
func (p *checkRun) runCases(ctx context.Context, w *builtCandidate) error {
	var order []int
	for _, text := range p.o.Cases {
		i, ok := p.r.Domain.Index(text)
		if !ok {
			return &UnknownInputError{text, p.r.Domain.Inputs[0].String()}
		}
		order = append(order, i)
	}
	p.res.Picked = true
	if err := p.runInputs(ctx, w, order, p.collect); err != nil {
		return err
	}
	for _, o := range p.outputs {
		p.res.Shown = append(
			p.res.Shown,
			judge.GolfOutput{In: p.r.Domain.Inputs[o.input].String(), Gave: shorten(o.text, 1000), Fate: o.failure},
		)
	}
	report, err := p.check(ctx)
	if err != nil {
		return err
	}
	p.finish(report, false)
	return nil
}

// UnknownInputError means that the domain does not contain a requested input.
type UnknownInputError struct{ Input, Example string }

func (e *UnknownInputError) Error() string {
	return fmt.Sprintf("the domain has no input %q; inputs look like %q", e.Input, e.Example)
}

// finish sets the verdict.
func (p *checkRun) finish(report *kit.GolfReport, complete bool) {
	res := p.res
	res.Tried = len(p.tried)
	res.Says, res.Notes = report.Says, append(res.found.notes(), report.Notes...)
	wrong := map[int]kit.GolfWrong{}
	for _, w := range report.Wrong {
		o := p.outputs[w.Index]
		if old, ok := wrong[o.input]; !ok || p.outputs[old.Index].fresh && !o.fresh {
			wrong[o.input] = w
		}
	}
	blamed := map[int]bool{}
	for _, w := range report.Wrong {
		blamed[w.Index] = true
	}
	right := map[int]bool{}
	for k, o := range p.outputs {
		right[o.input] = right[o.input] || !blamed[k]
	}
	for i := range wrong {
		res.Stateful = res.Stateful || right[i]
	}
	for i := range p.r.Domain.Inputs {
		w, bad := wrong[i]
		if !bad {
			continue
		}
		o := p.outputs[w.Index]
		gave := shorten(o.text, maxShown)
		if o.failure != "" {
			gave = strings.TrimSpace(gave + " [" + cut(o.failure) + "]")
		}
		res.Wrong = append(res.Wrong, judge.GolfWrongInput{In: p.r.Domain.Inputs[i].String(), Gave: gave, Why: w.Why})
		if slices.Contains(p.r.Domain.Samples, i) {
			res.BadCases++
		}
	}
	res.WrongMany = len(res.Wrong)
	const most = 5
	if !p.o.All && len(res.Wrong) > most {
		res.Wrong = res.Wrong[:most]
	}
	slices.Sort(p.slow)
	for _, i := range slices.Compact(p.slow) {
		res.Slow = append(res.Slow, p.r.Domain.Inputs[i].String())
	}
	switch {
	case res.WrongMany > 0:
		res.Verdict = Incorrect
	case len(res.Slow) > 0:
		res.Verdict = TooSlow
	case p.budgetUsed:
		res.Verdict = TooSlow
		res.Log = fmt.Sprintf(
			"it takes more than %g s of CPU time to check: none of the %s that were tried is wrong",
			p.o.Budget.Seconds(), judge.Quantity(res.Tried, "input"),
		)
	case !complete && !p.o.Quick && !res.Picked:
		res.Verdict = TooSlow
	default:
		res.Verdict = Correct
	}
	p.noteAddresses()
	if n := len(p.failed); n > 0 && res.Verdict == Correct && !strings.HasPrefix(res.How, "program") {
		i := slices.Min(slices.Collect(keysOf(p.failed)))
		res.Notes = append(res.Notes, fmt.Sprintf("%s with an error, e.g. %s (%s); what was printed before counts",
			ends(n), p.r.Domain.Inputs[i], cut(p.failed[i])))
	}
}

// address matches a memory address, as in the default text of functions and objects.
var address = pattern.New(`\b0x[0-9a-fA-F]{9,16}\b`)

// noteAddresses looks for outputs with a memory address. Such outputs are reproducible only because the sandbox lays
// out memory the same way each time.
func (p *checkRun) noteAddresses() {
	at := slices.IndexFunc(p.outputs, func(o output) bool { return address().MatchString(o.text) })
	if at < 0 || p.res.Verdict != Correct {
		return
	}
	o := p.outputs[at]
	if p.res.found.function {
		p.res.Notes = append(p.res.Notes, "an address in memory is the same text in one process only: "+shorten(o.text, maxShown))
		return
	}
	p.res.Verdict, p.res.WrongMany = Incorrect, 1
	p.res.Wrong = []judge.GolfWrongInput{
		{In: p.r.Domain.Inputs[o.input].String(), Gave: shorten(o.text, maxShown), Why: "an address in memory is another one each time"},
	}
}

func ends(n int) string {
	if n == 1 {
		return "1 input ends"
	}
	return fmt.Sprintf("%d inputs end", n)
}

func keysOf(m map[int]string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// maxShown is the maximum number of bytes of an output that a line of a table shows. Correct outputs are shorter.
const maxShown = 60

// shorten makes an output fit on a line. Limit is the maximum length in bytes.
func shorten(text string, limit int) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return "nothing"
	}
	quoted := text
	if strings.ContainsAny(text, "\n\r\t\x00\x1b") || !isPlain(text) {
		quoted = fmt.Sprintf("%q", text[:min(len(text), limit)])
	}
	if len(quoted) > limit {
		return fmt.Sprintf("%s... (%s)", strings.ToValidUTF8(quoted[:limit], ""), judge.Quantity(len(text), "byte"))
	}
	return quoted
}

func isPlain(text string) bool {
	return strings.IndexFunc(text, func(c rune) bool { return c < ' ' || c == 0x7f || c == 0xfffd }) < 0
}
