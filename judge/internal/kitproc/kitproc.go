// Package kitproc communicates with a program written with judge/kit. It starts the program in stream mode, sends
// it one request after another, and restarts it if it fails.
//
//	proc, err := kitproc.Start(ctx, runner, program, "validator", limits)
//	verdict, message, err := proc.Ask(ctx, "validate", kitproc.Text(name), input)
//	err = proc.Close()
//
// Requests are streamed from their source, so their size costs no memory here; a reply is held in memory. The
// package does not judge: the caller decides what a verdict means, and whether a broken program is a problem error
// or a judge error. It does not know how programs are isolated either.
package kitproc

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/internal/tail"
	"assay/judge/internal/timeout"
	"assay/judge/kit"
)

// A RequestPart is one part of a request: an *io.SectionReader, *bytes.Reader or *strings.Reader. Its read
// position is ignored and does not change.
type RequestPart interface {
	io.ReaderAt
	Size() int64
}

// Text returns a part with the content of s.
func Text(s string) RequestPart { return strings.NewReader(s) }

// Bytes returns a part with the content of b, which must not change before Ask returns.
func Bytes(b []byte) RequestPart { return bytes.NewReader(b) }

const (
	defaultTimeout = time.Minute // for one answer, if the limits have no time
	defaultReply   = 1 << 30     // bytes of one answer, if the limits have no output size
	exitTimeout    = 2 * time.Second
	stderrKept     = 8 << 10 // bytes
	copySize       = 1 << 16 // bytes; the capacity of a pipe
)

// Proc is a kit program in stream mode. Only one goroutine may use it at a time.
type Proc struct {
	program  string
	role     string
	launch   func() (judge.Process, *tail.Buffer, error)
	timeout  time.Duration
	maxReply int64

	proc    judge.Process // nil if the program is not running
	stderr  *tail.Buffer
	replies *bufio.Reader
	answers int    // number of answers of the running process
	batch   []byte // buffer for a request
}

// Start starts the program and waits for its greeting. Role is the expected role: "checker", "validator" or
// "generator". Args come before any other arguments. The process, and any later one, ends no later than ctx.
//
// Limits apply to the process as in the runner, except that the times and the output apply to one answer. The time
// is the wall time or, if that is not limited, twice the CPU time plus one second. (Runners do not report the CPU
// time of a running process, so a busy program is stopped by wall time.)
//
// A *BrokenError means that the program is at fault: it exits at once, or it does not have the role. Time that a
// process spends waiting for a CPU does not count; if there is too much of it, the error is a *judge.BusyError.
func Start(ctx context.Context, r judge.Runner, p *judge.Program, role string, limits judge.Limits, args ...string) (*Proc, error) {
	k := New(ctx, r, p, role, limits, args...)
	if err := k.start(ctx); err != nil {
		return nil, err
	}
	return k, nil
}

// New is like Start, but the program is started by the first call of Ask.
func New(ctx context.Context, r judge.Runner, p *judge.Program, role string, limits judge.Limits, args ...string) *Proc {
	k := &Proc{program: p.Name, role: role, timeout: limits.Wall, maxReply: limits.Output}
	if k.timeout == 0 && limits.CPU > 0 {
		k.timeout = 2*limits.CPU + time.Second
	}
	if k.timeout == 0 {
		k.timeout = defaultTimeout
	}
	if k.maxReply == 0 {
		k.maxReply = defaultReply
	}
	limits.CPU, limits.Wall, limits.Output = 0, 0, 0
	k.launch = func() (judge.Process, *tail.Buffer, error) {
		stderr := &tail.Buffer{MaxBytes: stderrKept}
		c := p.Command(limits, args...)
		c.Env = append(slices.Clone(c.Env), kit.StreamEnv+"=1")
		c.Stderr = stderr
		proc, err := r.Start(ctx, c)
		return proc, stderr, err
	}
	return k
}

// BrokenError means that the program is at fault: it exited, was too slow, or violated the protocol. Its process
// has ended. The next Ask starts a new process, which knows nothing of earlier requests.
type BrokenError struct {
	Program     string // name of the program
	Role        string // "checker", "validator" or "generator"
	Reason      string // `ended (exit code 2) before it answered`
	Stderr      string // end of its standard error
	LostAnswers int    // answers that the process had given and may have remembered
}

func (e *BrokenError) Error() string {
	text := fmt.Sprintf("%s %s %s", e.Role, e.Program, e.Reason)
	if e.Stderr != "" {
		text += "\nits standard error ends:\n" + e.Stderr
	}
	return text
}

// Ask sends a request and waits for the answer, which is the program's verdict and one text. It restarts the
// program if it is no longer running.
//
// A *BrokenError means that the program is at fault. For any other error, the machine is at fault or ctx has
// ended.
func (k *Proc) Ask(ctx context.Context, verb string, parts ...RequestPart) (kit.Verdict, []byte, error) {
	if err := context.Cause(ctx); err != nil {
		return "", nil, err
	}
	if len(parts) > kit.MaxParts {
		return "", nil, k.newBrokenError(fmt.Sprintf("takes at most %d arguments, got %d", kit.MaxParts, len(parts)))
	}
	sizes := make([]int64, len(parts))
	for i, p := range parts {
		if sizes[i] = p.Size(); sizes[i] > kit.MaxPart {
			return "", nil, k.newBrokenError(fmt.Sprintf("takes texts of at most %d bytes, got %d", int64(kit.MaxPart), sizes[i]))
		}
	}
	if k.proc == nil {
		if err := k.start(ctx); err != nil {
			return "", nil, err
		}
	}
	var verdict kit.Verdict
	var answer []byte
	err := k.withTimeout(ctx, "gave no answer", func() error {
		if err := k.send(verb, sizes, parts); err != nil {
			return err
		}
		var err error
		verdict, answer, err = k.receive()
		return err
	})
	if err != nil {
		return "", nil, err
	}
	k.answers++
	return verdict, answer, nil
}

// Close ends the program, which may still write for a short time.
func (k *Proc) Close() error {
	if k.proc == nil {
		return nil
	}
	_, err := k.end()
	return err
}

// start starts the program and reads its greeting.
func (k *Proc) start(ctx context.Context) error {
	proc, stderr, err := k.launch()
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return fmt.Errorf("start %s %s: %w", k.role, k.program, err)
	}
	k.proc, k.stderr, k.answers = proc, stderr, 0
	k.replies = bufio.NewReader(proc.Stdout())
	return k.withTimeout(ctx, noGreeting, k.greeting)
}

// noGreeting is the error text for a program that waits for input instead of greeting.
const noGreeting = "did not greet the judge"

// advice returns a hint for a program that does not speak the protocol.
func (k *Proc) advice() string {
	words, start := `"testlib" or "kattis"`, "kit.Check"
	switch k.role {
	case "generator":
		words, start = `"plain"`, "kit.Generate"
	case "validator":
		start = "kit.Validate"
	}
	return "; a program without judge/kit needs speaks = " + words + ", and one with it must not print before " + start
}

// greeting reads the first line of a program and checks its role.
func (k *Proc) greeting() error {
	line, err := k.replies.ReadSlice('\n')
	switch {
	case err == io.EOF && len(line) == 0:
		return k.exitError(k.advice())
	case err == bufio.ErrBufferFull || err == io.EOF:
		return k.protocolError(fmt.Sprintf("does not speak the kit's protocol: it first wrote %.60q", line), k.advice())
	case err != nil:
		return err
	}
	want := kit.Hello + " " + k.role
	got := string(line[:len(line)-1])
	if got == want {
		return nil
	}
	words := strings.Fields(got)
	hello := strings.Fields(kit.Hello)
	switch {
	case len(words) != 3 || words[0] != hello[0]:
		return k.protocolError(fmt.Sprintf("does not speak the kit's protocol: it first wrote %.60q", got), k.advice())
	case words[1] != hello[1]:
		return k.protocolError(fmt.Sprintf("speaks version %.20q of the kit's protocol, the judge speaks %s", words[1], hello[1]), "")
	}
	return k.protocolError(fmt.Sprintf("calls itself %.20q, and should be %q", words[2], k.role), "")
}

// send writes a request. It is no error if the program does not read the whole request, because receive detects
// that the program exits or does not answer.
func (k *Proc) send(verb string, sizes []int64, parts []RequestPart) error {
	w := &pipeWriter{w: k.proc.Stdin()}
	if k.batch == nil {
		k.batch = make([]byte, 0, copySize)
	}
	batch := kit.AppendHead(k.batch[:0], verb, sizes...)
	for _, p := range parts {
		section := io.NewSectionReader(p, 0, p.Size())
		for left := p.Size(); left > 0 && w.err == nil; {
			if len(batch) == cap(batch) {
				batch = w.flush(batch)
			}
			n := int(min(left, int64(cap(batch)-len(batch))))
			got, err := io.ReadFull(section, batch[len(batch):len(batch)+n])
			if err != nil {
				return fmt.Errorf("read part of a request: its last %d bytes are missing: %w", left-int64(got), err)
			}
			batch = batch[:len(batch)+n]
			left -= int64(n)
		}
	}
	k.batch = w.flush(batch)
	return nil
}

// pipeWriter remembers the first write error.
type pipeWriter struct {
	w   io.Writer
	err error
}

// flush writes b and returns the emptied slice.
func (p *pipeWriter) flush(b []byte) []byte {
	if p.err == nil {
		_, p.err = p.w.Write(b)
	}
	return b[:0]
}

// receive reads one answer.
func (k *Proc) receive() (kit.Verdict, []byte, error) {
	f, err := kit.ReadFrame(k.replies, k.maxReply)
	if err == io.EOF {
		return "", nil, k.exitError("")
	}
	if err != nil {
		return "", nil, k.protocolError("answers nonsense: "+err.Error(), "")
	}
	verdict := kit.Verdict(f.Verb)
	switch {
	case verdict != kit.OK && verdict != kit.WA && verdict != kit.Fail:
		return "", nil, k.protocolError(fmt.Sprintf("answers nonsense: %.40q is not a verdict", f.Verb), "")
	case len(f.Parts) != 1:
		return "", nil, k.protocolError(fmt.Sprintf("answers nonsense: %d texts instead of one", len(f.Parts)), "")
	case k.replies.Buffered() > 0:
		return "", nil, k.protocolError("answers nonsense: more than one answer", "")
	}
	return verdict, f.Parts[0], nil
}

// withTimeout calls talk, and kills the process if its time limit passes or ctx ends before talk returns. After any
// error, the process has ended.
func (k *Proc) withTimeout(ctx context.Context, silence string, talk func() error) error {
	timer := timeout.Start(k.proc, k.timeout)
	stop := context.AfterFunc(ctx, k.proc.Kill)
	err := talk()
	undisturbed := stop()
	late := timer.Stop()
	if err == nil && late == nil && undisturbed {
		return nil
	}
	if k.proc != nil {
		k.proc.Kill()
		if _, endErr := k.end(); endErr != nil && late == nil && err == nil {
			err = endErr
		}
	}
	switch {
	case context.Cause(ctx) != nil:
		return context.Cause(ctx)
	case late == timeout.ErrExceeded:
		what := fmt.Sprintf("%s within %v", silence, k.timeout)
		if silence == noGreeting {
			what += k.advice()
		}
		return k.newBrokenError(what)
	case late != nil:
		return fmt.Errorf("%s %s %s: %w", k.role, k.program, silence, late)
	}
	return err
}

// exitError returns the error for a process that closed its standard output. If advice is not empty, the process had
// not sent its greeting, and advice is part of the error.
func (k *Proc) exitError(advice string) error {
	exec, err := k.end()
	if err != nil {
		return err
	}
	what := "ended (" + exec.Termination() + ") before it answered"
	if advice != "" {
		what = "ended (" + exec.Termination() + ") before it greeted the judge" + advice
	}
	return k.newBrokenError(what)
}

// protocolError kills a process that violated the protocol, and returns the error.
func (k *Proc) protocolError(reason, advice string) error {
	k.proc.Kill()
	if _, err := k.end(); err != nil {
		return err
	}
	return k.newBrokenError(reason + advice)
}

func (k *Proc) newBrokenError(reason string) *BrokenError {
	e := &BrokenError{Program: k.program, Role: k.role, Reason: reason, LostAnswers: k.answers}
	if k.proc == nil && k.stderr != nil {
		e.Stderr = string(k.stderr.Bytes())
	}
	return e
}

// end closes the process's input and waits at most the grace period for its exit.
func (k *Proc) end() (judge.Exec, error) {
	proc := k.proc
	k.proc = nil
	proc.Stdin().Close() // the process may have closed it first
	timer := timeout.Start(proc, exitTimeout)
	exec, err := proc.Wait()
	if late := timer.Stop(); late != nil && late != timeout.ErrExceeded {
		return exec, fmt.Errorf("wait for %s %s: %w", k.role, k.program, late)
	}
	if err != nil {
		return exec, fmt.Errorf("wait for %s %s: %w", k.role, k.program, err)
	}
	return exec, nil
}
