package golf

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"assay/judge"
	"assay/judge/kit"
)

// This file checks programs. Each input gets a separate process: first the samples and edge cases, then the rest,
// cheap inputs first. That takes long if a language starts slowly. So the drivers of some languages have a server,
// which loads the program once and forks for each input. The server is not trusted: it is used only if it agrees
// with separate processes on a sample of the inputs. Without a server, the hardest inputs come before the rest, so
// that a result can be reported early.

// slowStart is a limit for the mean CPU time of a process. Above this limit, the hardest inputs are run first. The
// constant hardest is the number of these inputs.
const (
	slowStart = 20 * time.Millisecond
	hardest   = 2000
)

// The minimum and maximum number of inputs in a chunk, after which the outputs are checked, and the intended
// duration of a chunk with a server. Chunks are small because a server handles each chunk in one run of a program.
// A worker can be interrupted for other work only between two runs.
const (
	smallChunk = 64
	largeChunk = 1024
	longChunk  = time.Second / 2
)

// checkChunks runs a program on the rest of the domain, and checks the outputs after each chunk.
func (p *checkRun) checkChunks(ctx context.Context, w *builtCandidate, report *kit.GolfReport) (*kit.GolfReport, error) {
	rest := p.untried()
	var server *judge.Program
	if len(rest) >= worthServer {
		var err error
		if server, err = p.verifiedServer(ctx, w); err != nil {
			return nil, err
		}
		rest = p.untried()
	}
	milestone := 0
	if mean := p.used / time.Duration(max(p.runs, 1)); server == nil && mean > slowStart && len(rest) > hardest {
		rest = slices.Concat(rest[len(rest)-hardest:], rest[:len(rest)-hardest])
		milestone = len(rest) - hardest
	}
	size := smallChunk
	for len(rest) > 0 && (p.o.All || len(report.Wrong) == 0 && len(p.slow) == 0) {
		n, began := min(size, len(rest)), time.Now()
		var err error
		if server != nil {
			err = p.serve(ctx, w, server, rest[:n], p.collect)
		} else {
			err = p.runPrograms(ctx, w, rest[:n], p.collect)
		}
		if err != nil {
			return nil, err
		}
		if report, err = p.check(ctx); err != nil {
			return nil, err
		}
		rest = rest[n:]
		size = min(2*size, largeChunk)
		if took := time.Since(began); server != nil && took > longChunk {
			size = max(int(int64(n)*int64(longChunk)/int64(took)), smallChunk)
		}
		if milestone > 0 && len(rest) <= milestone && len(report.Wrong) == 0 && len(p.slow) == 0 && p.o.Milestone != nil {
			p.o.Milestone(len(p.tried), len(p.r.Domain.Inputs))
			milestone = 0
		}
	}
	return report, nil
}

// untried returns the inputs that have not been tried yet, cheap ones first.
func (p *checkRun) untried() []int {
	var rest []int
	for i := range p.r.Domain.Inputs {
		if !p.tried[i] {
			rest = append(rest, i)
		}
	}
	return rest
}

// worthServer is the minimum number of inputs for which starting and comparing a server is worthwhile.
const worthServer = 250

// randomSample is the number of inputs, in addition to samples and edge cases, on which a server must agree.
const randomSample = 32

// verifiedServer builds the language's server for the program, and compares it with separate processes. It returns nil,
// nil if there is no server, or if the results differ.
func (p *checkRun) verifiedServer(ctx context.Context, w *builtCandidate) (*judge.Program, error) {
	server, err := p.server(ctx, w)
	if err != nil || server == nil {
		return nil, err
	}
	var more []int
	for _, i := range p.shuffled(5) {
		if !p.tried[i] && len(more) < randomSample {
			more = append(more, i)
		}
	}
	if err := p.runPrograms(ctx, w, more, p.collect); err != nil {
		return nil, err
	}
	want := map[int]output{}
	var order []int
	for _, o := range p.outputs {
		if _, twice := want[o.input]; !twice {
			order = append(order, o.input)
		}
		want[o.input] = o
	}
	bad := ""
	err = p.serve(ctx, w, server, order, func(o output) bool {
		process := want[o.input]
		if o.text != process.text || o.slow {
			bad = fmt.Sprintf("at %s a separate process gave %s, the server %s",
				p.r.Domain.Inputs[o.input], shorten(process.text, maxShown), shorten(strings.TrimSpace(o.text+" "+o.failure), maxShown))
		}
		return bad == ""
	})
	if failed, ok := errors.AsType[*loadError](err); ok {
		bad, err = failed.text, nil
	}
	if err != nil {
		return nil, err
	}
	e := judge.GolfCallAttempt{How: "fork server", Correct: len(p.r.Domain.Samples), Reason: bad}
	p.res.Explain = append(p.res.Explain, e)
	if bad != "" {
		return nil, nil
	}
	p.res.CrossChecked = len(order)
	return server, nil
}

// server builds the server for a program. It returns nil, nil if the language has none.
func (p *checkRun) server(ctx context.Context, w *builtCandidate) (*judge.Program, error) {
	if p.driver.Server == "" || p.inline() {
		return nil, nil
	}
	l := *p.lang
	if len(l.Result) == 0 {
		l.Build = nil
	}
	if len(p.driver.ServerRun) > 0 {
		l.Run = p.driver.ServerRun
	}
	dir := p.dir + "/server"
	files := map[string]string{driverFile(p.lang): p.driver.Server, serverProgramFile: w.driver}
	if err := writeFiles(dir, files); err != nil {
		return nil, err
	}
	made, err := p.make(ctx, dir, &l)
	if _, failed := errors.AsType[*buildError](err); failed {
		return nil, nil
	}
	return made, err
}

// serverProgramFile is the name of the program's file in the server's directory.
const serverProgramFile = "answer"

// serve distributes the inputs over servers, one per CPU.
func (p *checkRun) serve(ctx context.Context, w *builtCandidate, server *judge.Program, order []int, onOutput func(o output) bool) error {
	jobs := max(min(p.o.Jobs, len(order)), 1)
	parts := make([][]int, jobs)
	for k, i := range order {
		parts[k%jobs] = append(parts[k%jobs], i)
	}
	ask := requests{plainHead, func(_ string, i int) string {
		args := p.r.Domain.Inputs[i].Args
		if w.input.argv != nil {
			return requestLine("", w.input.argv(args))
		}
		return requestLine(w.input.stdin(args), nil)
	}}
	errs := make([]error, jobs)
	var workers sync.WaitGroup
	var mu sync.Mutex
	for k, part := range parts {
		workers.Go(func() {
			errs[k] = p.exchangeFrames(ctx, server, ask, part, func(o output) bool {
				o.fresh, o.text = true, w.read(o.text)
				mu.Lock()
				defer mu.Unlock()
				return onOutput(o)
			})
		})
	}
	workers.Wait()
	return errors.Join(errs...)
}

// requestLine formats a server's request for an input. It contains standard input and then each argument, in
// hexadecimal, with "-" for an empty one.
func requestLine(stdin string, args []string) string {
	words := []string{stdin}
	words = append(words, args...)
	for k, w := range words {
		if words[k] = fmt.Sprintf("%x", w); w == "" {
			words[k] = "-"
		}
	}
	return strings.Join(words, " ") + "\n"
}
