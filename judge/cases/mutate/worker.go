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

// runEnd tells how a run of a mutant ended.
type runEnd byte

const (
	sameOutput   runEnd = 'S' // sameOutput output as the original program
	otherOutput  runEnd = 'D' // different output
	crashed      runEnd = 'C' // panic
	tooManySteps runEnd = 'F' // stopped after too many steps
	nonzeroExit  runEnd = 'X' // nonzero exit code
	workerExited runEnd = 'G' // the worker process exited
)

// run is a run of a mutant.
type run struct {
	end  runEnd
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
	base    uint32          // readNumber of steps allowed to each mutant
	ctx     context.Context // context of the process

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
	return &worker{runner: r, program: p, limits: limits, blocks: blocks, ctx: ctx, cases: map[uint32][]byte{}, base: stepsBase}
}

func (w *worker) start() error {
	cmd := w.program.Command(w.limits)
	// Leave a margin below the limit for memory outside of the heap, because garbage may accumulate on a busy
	// machine.
	heap := fmt.Sprintf("GOMEMLIMIT=%dB", w.limits.Memory-128<<20)
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], "GOGC=400", "GOMAXPROCS=1", heap)
	proc, err := w.runner.Start(w.ctx, cmd)
	if err != nil {
		return fmt.Errorf("start the mutants of %s: %w", w.program.Name, err)
	}
	w.proc, w.in, w.out = proc, bufio.NewWriterSize(proc.Stdin(), 1<<16), bufio.NewReaderSize(proc.Stdout(), 1<<16)
	w.loaded = map[uint32]bool{}
	w.started++
	w.writeNumbers(w.stack, w.base, stepsTimes)
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

func (w *worker) writeNumbers(numbers ...uint32) {
	for _, n := range numbers {
		var b [4]byte
		binary.LittleEndian.PutUint32(b[:], n)
		_, _ = w.in.Write(b[:]) // an error shows up when the response is missing
	}
}

func (w *worker) readNumber() (uint32, error) {
	var b [4]byte
	_, err := io.ReadFull(w.out, b[:])
	return binary.LittleEndian.Uint32(b[:]), err
}

// readRun reads the result of a run.
func (w *worker) readRun() (r run, err error) {
	status, err := w.out.ReadByte()
	if err != nil {
		return r, err
	}
	r.end = runEnd(status)
	if r.code, err = w.readNumber(); err != nil {
		return r, err
	}
	n, err := w.readNumber()
	if err != nil || n == 0 {
		return r, err
	}
	r.out = make([]byte, n)
	_, err = io.ReadFull(w.out, r.out)
	return r, err
}

// answerTimeout is how long the process may be silent. The timeout inside the process is shorter.
const answerTimeout = 40 * time.Second

// errWorkerExited means that the process exited during a request.
var errWorkerExited = errors.New("the mutant ended the process that it ran in")

// roundTrip sends a request and reads the response. If a run has left goroutines behind, ask then kills the process.
func (w *worker) roundTrip(request func(), answer func() error) error {
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
		left, err = w.readNumber()
	}
	late := timer.Stop()
	if err != nil {
		w.close()
		if _, busy := errors.AsType[*judge.BusyError](late); busy {
			return fmt.Errorf("run the mutants of %s: %w", w.program.Name, late)
		}
		if w.ctx.Err() != nil {
			return context.Cause(w.ctx)
		}
		return errWorkerExited
	}
	if left > maxGoroutines {
		w.close()
	}
	return nil
}

// maxGoroutines is the maximum number of goroutines that may exist after a run: the one of the harness.
const maxGoroutines = 1

// set sets the input of a case.
func (w *worker) set(slot uint32, input []byte) {
	w.cases[slot] = input
	delete(w.loaded, slot)
}

// load runs the original program on a case.
func (w *worker) load(slot uint32) (t *trace, err error) {
	input := w.cases[slot]
	t = &trace{cover: make([]bool, w.blocks)}
	err = w.roundTrip(func() {
		w.writeNumbers('C', slot, uint32(len(input)))
		_, _ = w.in.Write(input)
		w.writeNumbers('O', slot)
	}, func() error { return w.original(t) })
	if err == errWorkerExited {
		t.end = workerExited
		return t, nil
	}
	if err == nil && w.proc != nil {
		w.loaded[slot] = true
	}
	return t, err
}

// original reads the response to request C, which loads a case, and then the response to request O into t.
func (w *worker) original(t *trace) (err error) {
	if _, err = w.readNumber(); err != nil { // of C
		return err
	}
	if t.run, err = w.readRun(); err != nil {
		return err
	}
	low, err := w.readNumber()
	if err != nil {
		return err
	}
	high, err := w.readNumber()
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

// loadMissing loads the cases that the process has not loaded yet.
func (w *worker) loadMissing(slots []uint32) error {
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

// findKill runs a mutant on cases until the outcome differs from the original, and returns that case's index in slots.
// If none differs, it returns len(slots). A mutant that kills its process must do so twice to count as killed.
func (w *worker) findKill(m *Mutant, slots []uint32) (slotIndex int, r run, err error) {
	if slotIndex, r, err = w.findKillOnce(m, slots); err != errWorkerExited {
		return slotIndex, r, err
	}
	for i := range slots { // find the case that killed the process
		for range 2 {
			if _, r, err = w.findKillOnce(m, slots[i:i+1]); err != errWorkerExited {
				break
			}
			r.end, r.out = workerExited, nil
		}
		if err == errWorkerExited {
			return i, r, nil
		}
		if err != nil || r.end != sameOutput {
			return i, r, err
		}
	}
	return len(slots), run{end: sameOutput}, nil
}

// findKillOnce does the work of hunt without a second attempt. It may return errWorkerExited.
func (w *worker) findKillOnce(m *Mutant, slots []uint32) (slotIndex int, r run, err error) {
	if err := w.loadMissing(slots); err != nil {
		return 0, r, err
	}
	err = w.roundTrip(func() {
		w.writeNumbers('H', uint32(m.ID), uint32(len(slots)))
		w.writeNumbers(slots...)
	}, func() error {
		n, err := w.readNumber()
		if err != nil {
			return err
		}
		slotIndex = int(n)
		r, err = w.readRun()
		return err
	})
	return slotIndex, r, err
}

// runAll runs several mutants on one case.
func (w *worker) runAll(ms []*Mutant, slot uint32) ([]run, error) {
	runs := make([]run, 0, len(ms))
	for len(runs) < len(ms) {
		if err := w.loadMissing([]uint32{slot}); err != nil {
			return nil, err
		}
		left := ms[len(runs):]
		err := w.roundTrip(func() {
			w.writeNumbers('A', slot, uint32(len(left)))
			for _, m := range left {
				w.writeNumbers(uint32(m.ID))
			}
		}, func() error {
			for range left {
				r, err := w.readRun()
				if err != nil {
					return err
				}
				runs = append(runs, r)
			}
			return nil
		})
		switch {
		case err == errWorkerExited && len(runs) == len(ms):
			return runs, nil
		case err == errWorkerExited:
			// The responses before the fatal run may be lost, so a later mutant may have killed the process. Run
			// this mutant alone.
			_, r, err := w.findKill(ms[len(runs)], []uint32{slot})
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

// fingerprints requests a hash for each mutant, which shows whether mutants compile and which are equal.
func (w *worker) fingerprints(ids []int) (prints []fingerprint, err error) {
	err = w.roundTrip(func() {
		w.writeNumbers('E', uint32(len(ids)))
		for _, id := range ids {
			w.writeNumbers(uint32(id))
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
