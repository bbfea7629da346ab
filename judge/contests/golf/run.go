package golf

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"assay/judge"
	"assay/judge/internal/tail"
)

// output is what came out for one input.
type output struct {
	input int // index in the domain
	text  string
	fate  string // how the call ended, if not well; its text counts all the same
	said  string // the end of a program's standard error
	slow  bool   // there is no text: the time was over
	fresh bool   // from a process that was asked nothing else
	died  bool   // the process ended with it
	moved bool   // the text is what the call left in its arguments, and changed
	left  string // what it left there unchanged, which counts for functions that work in place
	cpu   time.Duration
}

// The frames of a driver. It reads everything on standard input: a mark on the
// first line, in drivers with one build for all forms the number of the form and the
// function's name on the next, then an input a line. Whatever a call prints goes to standard output
// unchanged; after it the driver writes the mark, one letter, a text, the mark
// again and a line feed, and flushes. The letters are
//
//	l  the answer was loaded; what it printed so far belongs to no input
//	v  the text is what the call returned
//	n  the call returned nothing; the text counts only where nothing was printed
//	c  the call returned nothing and changed its arguments; the text is what they hold
//	u  it returned nothing and did not change what it may; the text is the same
//	e  the call ended with an error, which is the text; what was printed counts
//
// A driver that ends before it wrote the frame of an input is started again behind
// that input.
type frame struct {
	kind    byte
	printed string
	text    string
}

// splitFrames reads frames; rest is what stands behind the last one.
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

// output is what a frame gives for an input.
func (f frame) output(input int) output {
	o := output{input: input, text: f.text}
	switch {
	case strings.IndexByte("ncu", f.kind) >= 0 && strings.TrimSpace(f.printed) != "":
		o.text = f.printed
	case f.kind == 'c':
		o.moved = true
	case f.kind == 'u':
		o.text, o.left = "", f.text
	case f.kind == 'e':
		o.text, o.fate = f.printed, strings.TrimSpace(f.text)
	}
	return o
}

// loadError says that an answer could not be loaded by its driver.
type loadError struct{ text string }

func (e *loadError) Error() string { return e.text }

// batch calls a function on the inputs, in this order and in one process as long
// as it lives, and gives each output to got, which may say to stop. The time is
// for each input.
func (p *proof) batch(ctx context.Context, w *way, order []int, got func(o output) (more bool)) error {
	return p.converse(ctx, w.program, p.requests(w), order, func(o output) bool { return got(w.unmoved(o)) })
}

// unmoved takes what a function that works in place did not change for its output. A
// function that may change its arguments, but prints, has none there.
func (w *way) unmoved(o output) output {
	if w.inPlace && o.left != "" {
		o.text = o.left
	}
	return o
}

// requests is what a driver reads: the head of its input, and for each input of
// the domain a line, or more.
type requests struct {
	head func(mark string) string
	line func(mark string, input int) string
}

// plainHead is the head of a driver's input.
func plainHead(mark string) string { return mark + "\n" }

// requests are an input a line, or code where the driver is an interpreter that
// reads code.
func (p *proof) requests(w *way) requests {
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
		words := map[string]string{"mark": mark, "name": w.name, "args": strings.Join(args, ", "), "spaced": strings.Join(args, " "), "list": strings.Join(args, ",")}
		words["call"] = fillWords(g.Calls[w.form], words)
		return strings.Trim(fillWords(template, words), "\n") + "\n"
	}
	return requests{
		func(mark string) string { return code(g.Loaded, mark, nil) },
		func(mark string, i int) string { return code(g.Each, mark, p.r.Domain.Inputs[i].Args) },
	}
}

// converse is batch for any program that speaks in frames.
func (p *proof) converse(ctx context.Context, program *judge.Program, ask requests, order []int, got func(o output) (more bool)) error {
	for len(order) > 0 {
		frames, rest, x, stderr, err := p.drive(ctx, program, ask, order)
		if err != nil {
			return err
		}
		timeOver := x.Killed == judge.CPUTime || x.Killed == judge.WallTime
		if len(frames) == 0 && timeOver && p.probing > 0 && p.probing < p.o.Time {
			p.probing *= 4 // it starts slowly
			continue
		}
		if len(frames) == 0 || frames[0].kind != 'l' {
			return &loadError{firstLine(strings.TrimSpace(stderr), x.Fate())}
		}
		frames = frames[1:]
		for k, f := range frames[:min(len(frames), len(order))] {
			if !got(f.output(order[k])) {
				return nil
			}
		}
		if len(frames) >= len(order) {
			return nil
		}
		order = order[len(frames):]
		if timeOver && p.brief {
			return nil
		}
		if (timeOver && p.probing == 0 || x.Killed == judge.Output) && len(frames) > 0 {
			continue // the limit was that of all of them: this one gets its own
		}
		o := output{input: order[0], text: rest, fate: x.Fate(), slow: timeOver, died: true}
		if why := strings.TrimSpace(stderr); why != "" && !timeOver {
			o.fate += ": " + cut(tail.Reason(why))
		}
		if !got(o) {
			return nil
		}
		order = order[1:]
	}
	return nil
}

// What a process may print, in bytes: for its only input, or for each
// of many. A batch that prints more goes on in another process.
const (
	maxOneOutput  = 256 << 10
	maxEachOutput = 512
)

// drive runs a driver once.
func (p *proof) drive(ctx context.Context, program *judge.Program, ask requests, order []int) (frames []frame, rest string, x judge.Exec, stderr string, err error) {
	mark := p.mark(len(order))
	var in strings.Builder
	in.WriteString(ask.head(mark))
	for _, i := range order {
		in.WriteString(ask.line(mark, i))
	}
	limits := p.limits()
	limits.Output += maxEachOutput * int64(len(order))
	out, errs, x, err := p.patiently(ctx, program, limits, in.String(), nil, func(out string) bool { return strings.Count(out, mark) > 2 })
	if err != nil {
		return nil, "", x, "", err
	}
	frames, rest = splitFrames(out, mark)
	return frames, rest, x, errs, nil
}

// longerWall is how much longer the clock may run for a process that was not idle when
// it was stopped: the machine was busy with something else.
const longerWall = 20

// patiently runs a program, and once more where it was stopped by the clock on the
// wall although it computed, unless what it printed is enough.
func (p *proof) patiently(ctx context.Context, program *judge.Program, limits judge.Limits, in string, args []string, enough func(out string) bool) (stdout, stderr string, x judge.Exec, err error) {
	for {
		var out bytes.Buffer
		errs := tail.Buffer{Most: 4 << 10}
		c := program.Command(limits, args...)
		c.Stdin, c.Stdout, c.Stderr = strings.NewReader(in), &out, &errs
		if x, err = p.r.Runner.Run(ctx, c); err != nil {
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

// mark is a text that no answer prints by chance.
func (p *proof) mark(n int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s %v", p.o.Seed, n, p.a.Code, time.Now().UnixNano()))
	return "~" + hex.EncodeToString(sum[:8]) + "~"
}

// briefTime is the CPU time to count how often an answer is wrong.
const briefTime = 1500 * time.Millisecond

// limits are those of a process that gets one input, or of a driver until the next
// answer. The wall time is only for programs that wait forever.
func (p *proof) limits() judge.Limits {
	l := p.r.Limits
	l.Output = maxOneOutput
	l.CPU = p.o.Time
	if p.probing > 0 {
		l.CPU = min(l.CPU, p.probing)
	}
	if p.brief {
		l.CPU = min(l.CPU, briefTime)
	}
	l.Wall = time.Duration(math.Max(float64(4*p.o.Time), float64(20*time.Second)))
	return l
}

// programs runs a program once for each input, on several processors, and gives
// the outputs to got in the order of the inputs. Nothing is started after got said
// to stop.
func (p *proof) programs(ctx context.Context, w *way, order []int, got func(o output) (more bool)) error {
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
				o, err := p.once(ctx, w, order[k])
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
			if !got(s.o) {
				return nil
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// read makes what a program printed fit for the checker.
func (w *way) read(text string) string {
	if w.input.name == unaryForm {
		return fromUnary(text)
	}
	return text
}

// once runs a program on one input. What it printed counts, however it ended.
func (p *proof) once(ctx context.Context, w *way, i int) (output, error) {
	in, args := "", []string(nil)
	if numbers := p.r.Domain.Inputs[i].Args; w.input.argv != nil {
		args = w.input.argv(numbers)
	} else {
		in = w.input.stdin(numbers)
	}
	out, errs, x, err := p.patiently(ctx, w.program, p.limits(), in, args, func(string) bool { return false })
	if err != nil {
		return output{}, err
	}
	o := output{input: i, text: w.read(out), said: strings.TrimSpace(errs), fresh: true, cpu: x.CPU}
	o.slow = x.Killed == judge.CPUTime || x.Killed == judge.WallTime
	if x.Exit != 0 || x.Signal != "" || x.Killed != judge.Nothing {
		o.fate = x.Fate()
		if why := strings.TrimSpace(errs); why != "" {
			o.fate += ": " + cut(tail.Reason(why))
		}
	}
	return o, nil
}

// calls asks for the inputs in the way's manner; order counts for functions only.
func (p *proof) calls(ctx context.Context, w *way, order []int, got func(o output) bool) error {
	if w.function {
		return p.batch(ctx, w, order, got)
	}
	return p.programs(ctx, w, order, got)
}

func firstLine(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return cut(tail.Reason(t))
		}
	}
	return ""
}

// cut shortens a text for people.
func cut(text string) string {
	const most = 200
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}
