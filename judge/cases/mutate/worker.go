package mutate

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"assay/judge"
	"assay/judge/internal/timeout"
)

// fate tells how a run of a mutant ended.
type fate byte

const (
	same    fate = 'S' // same output as the original program
	another fate = 'D' // different output
	crashed fate = 'C' // panic
	endless fate = 'F' // stopped after too many steps
	refused fate = 'X' // nonzero exit code
	gone    fate = 'G' // the worker process exited
)

// run is a run of a mutant.
type run struct {
	fate fate
	code uint32
	out  []byte // if another, the output; if crashed, the message
}

// trace is a run of the original program.
type trace struct {
	run
	steps int64
	cover []bool // which blocks were reached
}

// A mutant may take up to stepsTimes times as many steps as the original program, plus stepsBase.
const (
	stepsTimes = 20
	stepsBase  = 300_000
)

// timeBase replaces stepsBase if steps are CPU time, in units of 100 ns. familyMemory is the memory, in bytes, of
// a worker process that runs mutants in other processes.
const (
	timeBase     = 500_000
	familyMemory = 512 << 20
)

// Stack sizes in MiB. A mutant with endless recursion ends when its stack is full, which happens sooner with a
// small stack. The large stack is for programs that need it.
const (
	smallStack = 16
	largeStack = 512
)

// worker is a process that runs mutants. It must be used by one goroutine at a time.
type worker struct {
	runner  judge.Runner
	program *judge.Program
	limits  judge.Limits
	blocks  int
	stack   uint32          // MiB
	base    uint32          // number of steps allowed to each mutant
	life    context.Context // context of the process

	proc    judge.Process // nil if the process is not running
	in      *bufio.Writer
	out     *bufio.Reader
	cases   map[uint32][]byte
	loaded  map[uint32]bool // cases that the process has loaded, with the original program's run
	started int             // processes
}

func newWorker(ctx context.Context, r judge.Runner, p *judge.Program, blocks int, limits judge.Limits) *worker {
	limits.CPU, limits.Wall, limits.Output = 0, 0, 0
	limits.Memory = max(limits.Memory, 256<<20) + 256<<20
	limits.Scratch = max(limits.Scratch, 256<<20)
	return &worker{runner: r, program: p, limits: limits, blocks: blocks, life: ctx, cases: map[uint32][]byte{}, base: stepsBase}
}

func (w *worker) start() error {
	cmd := w.program.Command(w.limits)
	// Leave a margin below the limit for memory outside of the heap, because garbage may accumulate on a busy
	// machine.
	heap := fmt.Sprintf("GOMEMLIMIT=%dB", w.limits.Memory-128<<20)
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], "GOGC=400", "GOMAXPROCS=1", heap)
	proc, err := w.runner.Start(w.life, cmd)
	if err != nil {
		return fmt.Errorf("start the mutants of %s: %w", w.program.Name, err)
	}
	w.proc, w.in, w.out = proc, bufio.NewWriterSize(proc.Stdin(), 1<<16), bufio.NewReaderSize(proc.Stdout(), 1<<16)
	w.loaded = map[uint32]bool{}
	w.started++
	w.put(w.stack, w.base, stepsTimes)
	return nil
}

// close kills the process.
func (w *worker) close() {
	if w.proc != nil {
		w.proc.Kill()
		_, _ = w.proc.Wait()
		w.proc = nil
	}
}

func (w *worker) put(numbers ...uint32) {
	for _, n := range numbers {
		var b [4]byte
		binary.LittleEndian.PutUint32(b[:], n)
		_, _ = w.in.Write(b[:]) // an error shows up when the response is missing
	}
}

func (w *worker) number() (uint32, error) {
	var b [4]byte
	_, err := io.ReadFull(w.out, b[:])
	return binary.LittleEndian.Uint32(b[:]), err
}

// answer reads the result of a run.
func (w *worker) answer() (r run, err error) {
	status, err := w.out.ReadByte()
	if err != nil {
		return r, err
	}
	r.fate = fate(status)
	if r.code, err = w.number(); err != nil {
		return r, err
	}
	n, err := w.number()
	if err != nil || n == 0 {
		return r, err
	}
	r.out = make([]byte, n)
	_, err = io.ReadFull(w.out, r.out)
	return r, err
}

// answerTimeout is how long the process may be silent. The timeout inside the process is shorter.
const answerTimeout = 40 * time.Second

// errGone means that the process exited during a request.
var errGone = errors.New("the mutant ended the process that it ran in")

// ask sends a request and reads the response. If a run has left goroutines behind, ask then kills the process.
func (w *worker) ask(request func(), answer func() error) error {
	if w.proc == nil {
		if err := w.start(); err != nil {
			return err
		}
	}
	request()
	timer := timeout.Start(w.proc, answerTimeout)
	err := w.in.Flush()
	if err == nil {
		err = answer()
	}
	var left uint32
	if err == nil {
		left, err = w.number()
	}
	late := timer.Stop()
	if err != nil {
		w.close()
		if _, busy := errors.AsType[*judge.BusyError](late); busy {
			return fmt.Errorf("run the mutants of %s: %w", w.program.Name, late)
		}
		if w.life.Err() != nil {
			return context.Cause(w.life)
		}
		return errGone
	}
	if left > mostLeft {
		w.close()
	}
	return nil
}

// mostLeft is the maximum number of goroutines that may exist after a run: the one of the harness.
const mostLeft = 1

// set sets the input of a case.
func (w *worker) set(slot uint32, input []byte) {
	w.cases[slot] = input
	delete(w.loaded, slot)
}

// load runs the original program on a case.
func (w *worker) load(slot uint32) (t *trace, err error) {
	input := w.cases[slot]
	t = &trace{cover: make([]bool, w.blocks)}
	err = w.ask(func() {
		w.put('C', slot, uint32(len(input)))
		_, _ = w.in.Write(input)
		w.put('O', slot)
	}, func() error { return w.original(t) })
	if err == errGone {
		t.fate = gone
		return t, nil
	}
	if err == nil && w.proc != nil {
		w.loaded[slot] = true
	}
	return t, err
}

// original reads the response to request C, which loads a case, and then the response to request O into t.
func (w *worker) original(t *trace) (err error) {
	if _, err = w.number(); err != nil { // of C
		return err
	}
	if t.run, err = w.answer(); err != nil {
		return err
	}
	low, err := w.number()
	if err != nil {
		return err
	}
	high, err := w.number()
	if err != nil {
		return err
	}
	t.steps = int64(high)<<32 | int64(low)
	for i := range t.cover {
		b, err := w.out.ReadByte()
		if err != nil {
			return err
		}
		t.cover[i] = b == 1
	}
	return nil
}

// ready loads the cases that the process has not loaded yet.
func (w *worker) ready(slots []uint32) error {
	if w.proc == nil {
		w.loaded = nil
	}
	for _, s := range slots {
		if !w.loaded[s] {
			if _, err := w.load(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// hunt runs a mutant on cases until the outcome differs from the original, and returns that case's index in slots.
// If none differs, it returns len(slots). A mutant that kills its process must do so twice to count as killed.
func (w *worker) hunt(m *Mutant, slots []uint32) (at int, r run, err error) {
	if at, r, err = w.tryAll(m, slots); err != errGone {
		return at, r, err
	}
	for i := range slots { // find the case that killed the process
		for range 2 {
			if _, r, err = w.tryAll(m, slots[i:i+1]); err != errGone {
				break
			}
			r.fate, r.out = gone, nil
		}
		if err == errGone {
			return i, r, nil
		}
		if err != nil || r.fate != same {
			return i, r, err
		}
	}
	return len(slots), run{fate: same}, nil
}

// tryAll does the work of hunt without a second attempt. It may return errGone.
func (w *worker) tryAll(m *Mutant, slots []uint32) (at int, r run, err error) {
	if err := w.ready(slots); err != nil {
		return 0, r, err
	}
	err = w.ask(func() {
		w.put('H', uint32(m.ID), uint32(len(slots)))
		w.put(slots...)
	}, func() error {
		n, err := w.number()
		if err != nil {
			return err
		}
		at = int(n)
		r, err = w.answer()
		return err
	})
	return at, r, err
}

// all runs several mutants on one case.
func (w *worker) all(ms []*Mutant, slot uint32) ([]run, error) {
	runs := make([]run, 0, len(ms))
	for len(runs) < len(ms) {
		if err := w.ready([]uint32{slot}); err != nil {
			return nil, err
		}
		left := ms[len(runs):]
		err := w.ask(func() {
			w.put('A', slot, uint32(len(left)))
			for _, m := range left {
				w.put(uint32(m.ID))
			}
		}, func() error {
			for range left {
				r, err := w.answer()
				if err != nil {
					return err
				}
				runs = append(runs, r)
			}
			return nil
		})
		switch {
		case err == errGone && len(runs) == len(ms):
			return runs, nil
		case err == errGone:
			// The responses before the fatal run may be lost, so a later mutant may have killed the process. Run
			// this mutant alone.
			_, r, err := w.hunt(ms[len(runs)], []uint32{slot})
			if err != nil {
				return nil, err
			}
			runs = append(runs, r)
		case err != nil:
			return nil, err
		}
	}
	return runs, nil
}

// asked requests a hash for each mutant, which shows whether mutants compile and which are equal.
func (w *worker) asked(ids []int) (prints []fingerprint, err error) {
	err = w.ask(func() {
		w.put('E', uint32(len(ids)))
		for _, id := range ids {
			w.put(uint32(id))
		}
	}, func() error {
		for range ids {
			var f fingerprint
			if _, err := io.ReadFull(w.out, f[:16]); err != nil {
				return err
			}
			prints = append(prints, f)
		}
		return nil
	})
	return prints, err
}
