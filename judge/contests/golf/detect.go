package golf

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"assay/judge"
	"assay/judge/kit"
)

// This file detects how to call a submission, by trying the samples. It must not spend much time on wrong
// candidates, because most are wrong, and a function with unexpected arguments often runs forever. So each
// candidate has little time at first, and only candidates that were correct so far get the full time.

// The CPU time that a candidate gets at first. functionProbe is for all samples of a function, and programProbe is
// for one sample of a program. Drivers of languages that start slowly get more.
const (
	functionProbe = 300 * time.Millisecond
	programProbe  = time.Second
)

// maxRetried is the maximum number of candidates that are stopped early and then retried with the full time.
const maxRetried = 3

// triedCandidate is a candidate that has been tried on the samples.
type triedCandidate struct {
	way  *builtCandidate
	e    *judge.GolfCallAttempt
	slow bool // whether an input took too long

	clean int // number of correct samples whose output is neither an error nor empty
}

// allCorrect reports whether all samples were correct.
func (t *triedCandidate) allCorrect(samples int) bool { return t.e.Correct == samples }

// detection is the search for a way to call the submission.
type detection struct {
	*checkRun
	best       *triedCandidate
	probed     []*triedCandidate
	logs       []buildError // why candidates cannot be built
	samples    int
	rejections rejectionTracker
	unparsable map[reading]bool // readings of the code that the compiler or interpreter rejects
	broken     bool             // the submission is a whole program that the compiler cannot parse
	unloadable *candidate       // a function that no form of a call can load
}

// reading describes how a driver reads the submission of a candidate. It does not include the form of the call.
type reading struct{ named, last bool }

func readingOf(c candidate) reading { return reading{c.name != "", c.last} }

// detect returns the way to call the submission. This is the first candidate that is correct on all samples or, if
// there is none, the candidate with the most correct samples. In the second case, errors and empty outputs do not
// count as correct, because some inputs may allow any output. If no candidate can be built, detect returns nil and
// sets the result.
func (p *checkRun) detect(ctx context.Context) (*builtCandidate, error) {
	d := &detection{checkRun: p, rejections: rejectionTracker{}, unparsable: map[reading]bool{}, samples: len(p.r.Domain.Samples)}
	all := candidates(p.a, p.r.Domain.Arity, p.o)
	if p.o.Dialect {
		if log, err := p.rejection(ctx); err != nil || log != "" {
			p.res.Verdict, p.res.Log = CannotRun, log
			return nil, err
		}
	}
	p.probing = functionProbe
	defer func() { p.probing = 0 }()
	found, err := d.search(ctx, all)
	if err != nil {
		return nil, err
	}
	if !found {
		if err := d.retryStopped(ctx); err != nil {
			return nil, err
		}
	}
	for _, t := range d.probed {
		p.res.Explain = append(p.res.Explain, *t.e)
	}
	if said, refused := d.rejections.allRejected(); refused && d.best != nil && d.best.clean == 0 {
		p.res.Verdict, p.res.Log = CannotRun, said
		return nil, nil
	}
	if d.best != nil {
		return d.best.way, nil
	}
	p.res.Verdict, p.res.Log = CannotRun, d.reason(all)
	p.res.Rejected = len(p.lang.Result) == 0 && p.rejected() != nil
	return nil, nil
}

// rejection builds the submission's file without a driver. If the build fails, rejection returns its log. It
// returns an empty string if the build succeeds, or if the file cannot be built by itself.
func (p *checkRun) rejection(ctx context.Context) (log string, err error) {
	if p.inline() || len(p.lang.Build) == 0 {
		return "", nil
	}
	_, err = p.build(ctx, candidate{input: inputForms[0]}, 0)
	if failed, ok := errors.AsType[*buildError](err); ok {
		return failed.log, nil
	}
	return "", err
}

// rejected returns the error of the earlier build of the submission's file without a driver. It returns nil if
// that build succeeded, or if there was no such build.
func (p *checkRun) rejected() *buildError {
	if made, ok := p.built[nil]; ok {
		failed, _ := errors.AsType[*buildError](made.err)
		return failed
	}
	return nil
}

// search tries the candidates in order until one is correct.
func (d *detection) search(ctx context.Context, list []candidate) (found bool, err error) {
	var readings []reading // readings as functions that have been tried
	for len(list) > 0 {
		n := 1
		for !list[0].function && n < len(list) && !list[n].function {
			n++
		}
		probing := d.probing
		switch {
		case list[0].function:
			found, err = d.function(ctx, list[0])
			readings = append(readings, readingOf(list[0]))
		case d.unparsed(readings):
			return false, nil
		default:
			d.probing = max(probing, programProbe)
			found, err = d.programs(ctx, list[:n])
			d.probing = probing
		}
		if found || err != nil || d.broken {
			return found, err
		}
		list = list[n:]
	}
	return false, nil
}

// unparsed reports whether the compiler could parse no reading of the submission as a function, and the submission
// does not look like a whole program either. The submission then cannot be a program, because the driver has
// patterns that recognize programs.
func (d *detection) unparsed(readings []reading) bool {
	return len(readings) > 0 && len(d.driver.Broken) > 0 && !matchesAny(d.driver.Programs, d.a.Code) &&
		!slices.ContainsFunc(readings, func(r reading) bool { return !d.unparsable[r] })
}

// canSkip reports whether c need not be tried. This is so if the best candidate so far is correct on more than
// half of the samples, unless c is a rival of it.
func (d *detection) canSkip(c candidate) bool {
	return d.best != nil && 2*d.best.clean > d.samples && !d.best.way.mayBeat(c, d.a.Code, d.compiled())
}

// compiled reports whether each form of a call must be compiled separately.
func (d *detection) compiled() bool {
	return len(d.lang.Result) > 0 && len(d.driver.Run) == 0 && !d.driver.OneBuild
}

// mayBeat reports whether c may be correct although w is correct on more than half of the samples. This is possible
// if c is a function that calls w, or if c calls the same function in another form. Another form is considered
// only if forms are not compiled separately, because otherwise types determine the form.
func (w *builtCandidate) mayBeat(c candidate, code string, compiled bool) bool {
	if !w.function || !c.function {
		return false
	}
	if w.name == c.name && w.last == c.last {
		return !compiled
	}
	return w.name == "" || len(regexp.MustCompile(`(?:^|[^\w$])`+regexp.QuoteMeta(w.name)+`(?:[^\w$]|$)`).FindAllString(code, 2)) > 1
}

// make builds a candidate. If it cannot be built, make returns nil, nil.
func (d *detection) make(ctx context.Context, c candidate) (*triedCandidate, error) {
	t := &triedCandidate{e: &judge.GolfCallAttempt{How: c.description(d.r.Domain.Arity)}}
	w, err := d.build(ctx, c, len(d.probed))
	d.probed = append(d.probed, t)
	if failed, ok := errors.AsType[*buildError](err); ok {
		d.broken = d.broken || !c.function && matchesAny(d.driver.Programs, d.a.Code) && matchesAny(d.driver.Broken, failed.log)
		known := slices.ContainsFunc(d.logs, func(one buildError) bool { return one.log == failed.log && one.shown == failed.shown })
		if t.e.Reason = failed.shown; !c.function && known {
			d.probed = d.probed[:len(d.probed)-1] // allRejected forms of input share the build
		}
		if !known {
			d.logs = append(d.logs, *failed)
		}
		if c.function && matchesAny(d.driver.Broken, failed.log) { // other forms of the call would not help
			d.unparsable[readingOf(c)] = true
			return nil, nil
		}
		if c.function { // the errors may be about the driver, so one of them must also occur without it
			beside := fillWords(d.driver.Answer, map[string]string{"name": c.name})
			return nil, d.unloaded(ctx, c, func(log string) bool {
				_, alone := d.inSubmission(log, []*builtFile{{d.a.name(), d.wrapped(nil), []piece{{0, len(d.a.Code), 0}}}})
				return log == failed.log || beside != "" && strings.ReplaceAll(log, d.a.name(), beside) == failed.log ||
					slices.ContainsFunc(alone, func(one string) bool { return slices.Contains(failed.own, one) })
			})
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t.way, t.e.Driver = w, w.driver
	return t, nil
}

// function tries a candidate that is a function.
func (d *detection) function(ctx context.Context, c candidate) (found bool, err error) {
	u := d.unloadable
	if d.canSkip(c) || d.unparsable[readingOf(c)] || u != nil && u.name == c.name && u.last == c.last {
		return false, nil
	}
	t, err := d.make(ctx, c)
	if t == nil || err != nil {
		return false, err
	}
	return d.try(ctx, t, d.r.Domain.Samples)
}

// try runs the samples, and records the candidate if it is the best so far.
func (d *detection) try(ctx context.Context, t *triedCandidate, samples []int) (found bool, err error) {
	outputs, slow, err := d.outputs(ctx, t, samples)
	if unloaded, ok := errors.AsType[*loadError](err); ok {
		if t.e.Reason = unloaded.text; unloaded.always {
			d.unloadable = &t.way.candidate
		}
		return false, d.unloaded(ctx, t.way.candidate, func(log string) bool { return firstLine(log) == unloaded.text })
	}
	if err != nil {
		return false, err
	}
	t.slow = slow
	d.rejections.record(t.way, slow, outputs...)
	return d.rate(ctx, t, outputs)
}

// unloaded handles a candidate whose driver could not load the submission. It tries to build the file without a
// driver. If that fails for the same reason, as the function same decides, the interpreter rejects the file
// itself. Then no other call with the same reading can succeed.
func (d *detection) unloaded(ctx context.Context, c candidate, same func(log string) bool) error {
	log, err := d.rejection(ctx)
	d.unparsable[readingOf(c)] = log != "" && same(log)
	return err
}

// rate counts correct outputs.
func (d *detection) rate(ctx context.Context, t *triedCandidate, outputs []output) (found bool, err error) {
	report, err := d.r.Checker.check(ctx, d.r.Domain, outputs, false)
	if err != nil {
		return false, err
	}
	t.e.Correct, t.clean = len(outputs)-len(report.Wrong), 0
	for k, o := range outputs {
		blamed := slices.ContainsFunc(report.Wrong, func(w kit.GolfWrong) bool { return w.Index == k })
		if !blamed && (o.failure == "" || !t.way.function) && strings.TrimSpace(o.text) != "" {
			t.clean++
		}
	}
	if t.allCorrect(d.samples) {
		d.best = t
		return true, nil
	}
	if d.best == nil || t.clean > d.best.clean {
		d.best = t
	}
	return false, nil
}

// outputs returns the outputs for the samples up to the first that is too slow.
func (d *detection) outputs(ctx context.Context, t *triedCandidate, samples []int) (outputs []output, slow bool, err error) {
	err = d.runInputs(ctx, t.way, samples, func(o output) bool {
		if slow = slow || o.slow; !o.slow {
			outputs = append(outputs, o)
		}
		t.way.inPlace = t.way.inPlace || o.fromArguments
		t.e.Gave = append(t.e.Gave, d.outputText(o))
		return !slow
	})
	for k, o := range outputs {
		outputs[k] = t.way.inPlaceOutput(o)
	}
	return outputs, slow, err
}

// outputText formats the output for an input, for messages.
func (d *detection) outputText(o output) string {
	shown := strings.TrimSpace(o.text)
	if o.failure != "" {
		shown = strings.TrimSpace(shown + " [" + o.failure + "]")
	}
	return fmt.Sprintf("%s: %s", d.r.Domain.Inputs[o.input], cut(shown))
}

// maxPartialForms is the number of input forms that are tried on all samples although they fail on one, because their
// outputs may help the author.
const maxPartialForms = 2

// programs tries input forms on one sample, several concurrently. It then tries the correct ones on all samples.
// If the submission is correct, some form is correct on that sample.
func (d *detection) programs(ctx context.Context, list []candidate) (found bool, err error) {
	var ways, hopeful []*triedCandidate
	for _, c := range list {
		if d.canSkip(c) {
			continue
		}
		t, err := d.make(ctx, c)
		if err != nil {
			return false, err
		}
		if t != nil {
			ways = append(ways, t)
		}
	}
	samples, err := d.orderedSamples(ctx)
	if err != nil {
		return false, err
	}
	for chunk := range slices.Chunk(ways, max(d.o.Jobs, 1)) {
		outputs, err := d.each(ctx, chunk, samples[0])
		if err != nil {
			return false, err
		}
		for k, t := range chunk {
			o := outputs[k]
			if found, err = d.evaluateFirst(ctx, t, o, samples); found || err != nil {
				return found, err
			}
			if len(hopeful) < maxPartialForms && len(t.e.Gave) == 1 && o.failure == "" && strings.TrimSpace(o.text) != "" {
				hopeful = append(hopeful, t)
			}
		}
	}
	if d.best != nil && 2*d.best.clean > d.samples {
		return false, nil
	}
	for _, t := range hopeful {
		t.e.Gave = nil
		if found, err = d.try(ctx, t, samples); found || err != nil {
			return found, err
		}
	}
	return false, nil
}

// orderedSamples returns the samples, starting with the most informative one. That is the last sample for which an empty
// output is wrong.
func (d *detection) orderedSamples(ctx context.Context) ([]int, error) {
	samples := slices.Clone(d.r.Domain.Samples)
	outputs := make([]output, len(samples))
	for k, i := range samples {
		outputs[k].input = i
	}
	report, err := d.r.Checker.check(ctx, d.r.Domain, outputs, false)
	if err != nil {
		return nil, err
	}
	last := len(samples) - 1
	if n := len(report.Wrong); n > 0 {
		last = report.Wrong[n-1].Index
	}
	return toFront(samples, last), nil
}

// toFront moves the k-th element of a list to the front.
func toFront(list []int, k int) []int {
	return slices.Concat([]int{list[k]}, list[:k], list[k+1:])
}

// each runs several programs concurrently on one input.
func (d *detection) each(ctx context.Context, ways []*triedCandidate, probe int) ([]output, error) {
	outputs, errs := make([]output, len(ways)), make([]error, len(ways))
	var running sync.WaitGroup
	for k, t := range ways {
		running.Go(func() { outputs[k], errs[k] = d.runOnce(ctx, t.way, probe) })
	}
	running.Wait()
	return outputs, errors.Join(errs...)
}

// evaluateFirst evaluates a program's output for the first sample. If the output is correct, follow runs the program on
// the remaining samples.
func (d *detection) evaluateFirst(ctx context.Context, t *triedCandidate, first output, samples []int) (found bool, err error) {
	if first.slow {
		t.slow = true
		d.rejections.record(t.way, true)
		return false, nil
	}
	d.rejections.record(t.way, false, first)
	t.e.Gave = append(t.e.Gave, d.outputText(first))
	report, err := d.r.Checker.check(ctx, d.r.Domain, []output{first}, false)
	if err != nil {
		return false, err
	}
	if len(report.Wrong) > 0 {
		return d.rate(ctx, t, []output{first})
	}
	others := slices.DeleteFunc(slices.Clone(samples), func(i int) bool { return i == first.input })
	outputs, slow, err := d.outputs(ctx, t, others)
	if err != nil {
		return false, err
	}
	t.slow = slow
	d.rejections.record(t.way, slow, outputs...)
	return d.rate(ctx, t, append([]output{first}, outputs...))
}

// retryStopped retries some of the candidates that were stopped early, and gives them the full time. It takes the
// candidates whose samples so far were correct, and the first candidates that were tried.
func (d *detection) retryStopped(ctx context.Context) error {
	d.probing = 0
	var again []*triedCandidate
	for n, t := range d.probed {
		if t.slow && (t.clean > 0 || n < maxRetried-1) {
			again = append(again, t)
		}
	}
	slices.SortStableFunc(again, func(a, b *triedCandidate) int { return b.clean - a.clean })
	for _, t := range again[:min(len(again), maxRetried)] {
		t.e.Gave = nil
		if found, err := d.try(ctx, t, d.r.Domain.Samples); found || err != nil {
			return err
		}
	}
	return nil
}

// reason returns the reason why no candidate could be tried.
func (d *detection) reason(list []candidate) string {
	alone, own := d.rejected(), slices.IndexFunc(d.logs, func(one buildError) bool { return len(one.own) > 0 })
	switch {
	case alone != nil && (!list[0].function || own < 0 && slices.Contains(slices.Collect(maps.Values(d.unparsable)), true)):
		return alone.log
	case len(d.logs) > 0:
		return d.logs[max(own, 0)].shown
	case len(list) == 0:
		return d.a.Language.Name + " has no driver for functions: see docs/golf.md for how to write one"
	}
	return d.probed[0].e.Reason
}
