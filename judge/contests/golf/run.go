package golf

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"assay/judge"
	"assay/judge/internal/tail"
)

// output is the output for one input.
type output struct {
	input         int // index in the domain
	text          string
	failure       string // how the call failed, or empty; text is used in any case
	stderr        string // end of the program's standard error
	slow          bool   // the time was exceeded, so there is no text
	fresh         bool   // from a process that handled only this input
	died          bool   // the process exited during the call
	fromArguments bool   // text is the content of the arguments, which the call changed
	arguments     string // unchanged content of the arguments, used for functions that work in place
	cpu           time.Duration
}

// The frames of a driver. The driver reads all of standard input. The first line is a mark. In drivers with one
// build for all forms, the next line contains the number of the form and the function's name. Then there is one
// input per line. What a call prints goes to standard output unchanged. After the call, the driver writes the
// mark, one letter, a text, the mark again, and a line feed, and flushes. The letters are
//
//	l  the submission was loaded; what it printed so far belongs to no input
//	x  instead of l: the submission could not be loaded, and could not with another form of the call
//	v  the text is what the call returned
//	n  the call returned nothing; the text counts only if nothing was printed
//	c  the call returned nothing and changed its arguments; the text is their content
//	u  the call returned nothing and did not change its mutable arguments; the text is their content
//	e  the call ended with an error, which is the text; what was printed counts
//
// If a driver exits before it has written the frame for an input, it is restarted after that input.
type frame struct {
	kind    byte
	printed string
	text    string
}

// splitFrames parses frames. Rest is the text after the last frame.
func splitFrames(out, mark string) (frames []frame, rest string) {
	for {
		printed, after, ok := strings.Cut(out, mark)
		if !ok || after == "" {
			return frames, out
		}
		text, behind, ok := strings.Cut(after[1:], mark+"\n")
		if !ok {
			return frames, out
		}
		frames = append(frames, frame{after[0], printed, text})
		out = behind
	}
}

// output converts a frame to the output for an input.
func (f frame) output(input int) output {
	o := output{input: input, text: f.text}
	switch {
	case strings.IndexByte("ncu", f.kind) >= 0 && strings.TrimSpace(f.printed) != "":
		o.text = f.printed
	case f.kind == 'c':
		o.fromArguments = true
	case f.kind == 'u':
		o.text, o.arguments = "", f.text
	case f.kind == 'e':
		o.text, o.failure = f.printed, strings.TrimSpace(f.text)
	}
	return o
}

// loadError means that a driver could not load the submission.
type loadError struct {
	text   string
	always bool // other forms of the call would fail too
}

func (e *loadError) Error() string { return e.text }

// batch calls a function on the inputs, in the given order. It uses one process until that process exits. It
// passes each output to the function got, which may return false to stop. The time limit applies to each input.
func (p *checkRun) batch(ctx context.Context, w *builtCandidate, order []int, onOutput func(o output) (more bool)) error {
	return p.exchangeFrames(ctx, w.program, p.requests(w), order, func(o output) bool { return onOutput(w.inPlaceOutput(o)) })
}

// inPlaceOutput uses the unchanged arguments of a function that works in place as its output. If the function printed
// something, the printed output stays.
func (w *builtCandidate) inPlaceOutput(o output) output {
	if w.inPlace && o.arguments != "" {
		o.text = o.arguments
	}
	return o
}

// requests defines what a driver reads: a head, and one or more lines for each input.
type requests struct {
	head func(mark string) string
	line func(mark string, input int) string
}

// plainHead returns the head for a driver that reads one input per line.
func plainHead(mark string) string { return mark + "\n" }

// requests returns the requests for a driver. If the driver is an interpreter that reads code, a request is code.
// Otherwise, it is a line with one input.
func (p *checkRun) requests(w *builtCandidate) requests {
	g := p.driver
	if g.Each == "" {
		head := plainHead
		if g.OneBuild {
			form := slices.Index(formsOf(g), w.form)
			head = func(mark string) string { return fmt.Sprintf("%s\n%d %s\n", mark, form, w.name) }
		}
		return requests{head, func(_ string, i int) string { return p.r.Domain.Inputs[i].String() + "\n" }}
	}
	code := func(template, mark string, args []string) string {
		words := map[string]string{
			"mark": mark, "name": w.name, "args": strings.Join(args, ", "), "spaced": strings.Join(args, " "),
			"list": strings.Join(args, ","),
		}
		words["call"] = fillWords(g.Calls[w.form], words)
		return strings.Trim(fillWords(template, words), "\n") + "\n"
	}
	return requests{
		func(mark string) string { return code(g.Loaded, mark, nil) },
		func(mark string, i int) string { return code(g.Each, mark, p.r.Domain.Inputs[i].Args) },
	}
}

// exchangeFrames does the work of batch for any program that writes frames.
func (p *checkRun) exchangeFrames(
	ctx context.Context, program *judge.Program, ask requests, order []int, onOutput func(o output) (more bool),
) error {
	for len(order) > 0 {
		frames, rest, x, stderr, err := p.runDriver(ctx, program, ask, order)
		if err != nil {
			return err
		}
		timeOver := x.Killed == judge.CPUTime || x.Killed == judge.WallTime
		if len(frames) == 0 && timeOver && p.probing > 0 && p.probing < p.o.Time {
			p.probing *= 4 // the language starts slowly
			continue
		}
		if len(frames) == 0 || frames[0].kind != 'l' {
			always := len(frames) > 0 && frames[0].kind == 'x'
			return &loadError{firstLine(strings.TrimSpace(stderr), x.Termination()), always}
		}
		frames = frames[1:]
		for k, f := range frames[:min(len(frames), len(order))] {
			if !onOutput(f.output(order[k])) {
				return nil
			}
		}
		if len(frames) >= len(order) {
			return nil
		}
		order = order[len(frames):]
		if timeOver && p.quickBatches {
			return nil
		}
		if (timeOver && p.probing == 0 || x.Killed == judge.Output) && len(frames) > 0 {
			continue // all inputs shared the limit, so give this one its own
		}
		o := output{input: order[0], text: rest, failure: x.Termination(), slow: timeOver, died: true}
		if why := strings.TrimSpace(stderr); why != "" && !timeOver {
			o.failure += ": " + cut(tail.Reason(why))
		}
		if !onOutput(o) {
			return nil
		}
		order = order[1:]
	}
	return nil
}

// The maximum output of a process in bytes: in total if the process has one input, and for each input if it has
// several. A batch that prints more continues in another process.
const (
	maxOneOutput  = 256 << 10
	maxEachOutput = 512
)

// runDriver runs a driver once.
func (p *checkRun) runDriver(ctx context.Context, program *judge.Program, ask requests, order []int) (
	frames []frame, rest string, x judge.Exec, stderr string, err error,
) {
	mark := p.mark(len(order))
	var in strings.Builder
	in.WriteString(ask.head(mark))
	for _, i := range order {
		in.WriteString(ask.line(mark, i))
	}
	limits := p.limits()
	limits.Output += maxEachOutput * int64(len(order))
	out, errs, x, err := p.runWithRetry(
		ctx, program, limits, in.String(), nil,
		func(out string) bool { return strings.Count(out, mark) > 2 },
	)
	if err != nil {
		return nil, "", x, "", err
	}
	frames, rest = splitFrames(out, mark)
	return frames, rest, x, errs, nil
}

// longerWall is the factor for the wall time limit of a process that is run again. It was stopped at its limit
// although it was not idle, so the machine was busy.
const longerWall = 20

// ErrInterrupted is returned by a Runner that has stopped a process because other work has priority. The process
// is restarted from the beginning, as if it had not run.
var ErrInterrupted = errors.New("the process was stopped for other work")

// runWithRetry runs a program. If the program is stopped by its wall time limit although it was computing, patiently
// runs it again, unless the function enough accepts its output.
func (p *checkRun) runWithRetry(
	ctx context.Context, program *judge.Program, limits judge.Limits, in string, args []string,
	enough func(out string) bool,
) (stdout, stderr string, x judge.Exec, err error) {
	for {
		var out bytes.Buffer
		errs := tail.Buffer{MaxBytes: 4 << 10}
		c := program.Command(limits, args...)
		c.Stdin, c.Stdout, c.Stderr = strings.NewReader(in), &out, &errs
		x, err = p.r.Runner.Run(ctx, c)
		if errors.Is(err, ErrInterrupted) {
			continue
		}
		if err != nil {
			return "", "", x, err
		}
		p.spent.Add(int64(x.CPU))
		idle := x.CPU < x.Wall/20
		if x.Killed != judge.WallTime || idle || enough(out.String()) || limits.Wall > p.limits().Wall {
			return out.String(), string(errs.Bytes()), x, nil
		}
		limits.Wall *= longerWall
	}
}

// mark returns a text that no submission prints by accident.
func (p *checkRun) mark(n int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s %v", p.o.Seed, n, p.a.Code, time.Now().UnixNano()))
	return "~" + hex.EncodeToString(sum[:8]) + "~"
}

// briefTime is the CPU time for counting the wrong inputs of a submission.
const briefTime = 1500 * time.Millisecond

// limits returns the limits of a process for one input, or of a driver until its next output. The wall time limit
// only stops programs that wait forever.
func (p *checkRun) limits() judge.Limits {
	l := p.r.Limits
	l.Output = maxOneOutput
	l.CPU = p.o.Time
	if p.probing > 0 {
		l.CPU = min(l.CPU, p.probing)
	}
	if p.quickBatches {
		l.CPU = min(l.CPU, briefTime)
	}
	l.Wall = time.Duration(math.Max(float64(4*p.o.Time), float64(20*time.Second)))
	return l
}

// runPrograms runs a program once for each input, on several CPUs, and passes the outputs to got in input order.
// After got returns false, no further process is started.
func (p *checkRun) runPrograms(ctx context.Context, w *builtCandidate, order []int, onOutput func(o output) (more bool)) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	type slot struct {
		o   output
		err error
	}
	slots := make([]chan slot, len(order))
	for k := range slots {
		slots[k] = make(chan slot, 1)
	}
	var workers sync.WaitGroup
	next := make(chan int)
	for range min(p.o.Jobs, len(order)) {
		workers.Go(func() {
			for k := range next {
				o, err := p.runOnce(ctx, w, order[k])
				slots[k] <- slot{o, err}
			}
		})
	}
	workers.Go(func() {
		defer close(next)
		for k := range order {
			select {
			case next <- k:
			case <-ctx.Done():
				return
			}
		}
	})
	defer workers.Wait()
	defer stop()
	for k := range order {
		select {
		case s := <-slots[k]:
			if s.err != nil {
				return s.err
			}
			if !onOutput(s.o) {
				return nil
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// read converts the output of a program for the checker.
func (w *builtCandidate) read(text string) string {
	if w.input.name == unaryForm {
		return fromUnary(text)
	}
	return text
}

// runOnce runs a program on one input. The output is used even if the program failed.
func (p *checkRun) runOnce(ctx context.Context, w *builtCandidate, i int) (output, error) {
	in, args := "", []string(nil)
	if numbers := p.r.Domain.Inputs[i].Args; w.input.argv != nil {
		args = w.input.argv(numbers)
	} else {
		in = w.input.stdin(numbers)
	}
	out, errs, x, err := p.runWithRetry(ctx, w.program, p.limits(), in, args, func(string) bool { return false })
	if err != nil {
		return output{}, err
	}
	o := output{input: i, text: w.read(out), stderr: strings.TrimSpace(errs), fresh: true, cpu: x.CPU}
	o.slow = x.Killed == judge.CPUTime || x.Killed == judge.WallTime
	if x.Exit != 0 || x.Signal != "" || x.Killed != judge.NoResource {
		o.failure = x.Termination()
		if why := strings.TrimSpace(errs); why != "" {
			o.failure += ": " + cut(tail.Reason(why))
		}
	}
	return o, nil
}

// runInputs runs the submission on the inputs in the given way, and passes the outputs to the function got. The order
// of the inputs matters only for functions.
func (p *checkRun) runInputs(ctx context.Context, w *builtCandidate, order []int, onOutput func(o output) bool) error {
	if w.function {
		return p.batch(ctx, w, order, onOutput)
	}
	return p.runPrograms(ctx, w, order, onOutput)
}

func firstLine(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return cut(tail.Reason(t))
		}
	}
	return ""
}

// cut shortens a text for messages.
func cut(text string) string {
	const most = 200
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}
