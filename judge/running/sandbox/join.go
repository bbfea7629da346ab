package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"assay/judge"
)

// Joined is one of several processes that are connected by pipes.
type Joined = judge.JoinedCommand

// Ended contains the result of one joined process.
type Ended = judge.JoinedResult

var _ judge.Joiner = (*Sandbox)(nil)

// errDismissed is the cause of a context that was canceled because another process ended.
var errDismissed = errors.New("dismissed")

// errTurnLimit is the cause of a context that was canceled because a process exceeded its own wall time limit while the
// other process waited for it.
var errTurnLimit = errors.New("the wall time limit passed while the other one waited")

// turnInterval is the time between two checks of a dialogue.
const turnInterval = 20 * time.Millisecond

// pipeSize is the capacity of a pipe between two joined processes.
const pipeSize = 1 << 20

// Join runs processes together, each with its own limits. The output of each is connected to the input of another.
// Two processes that talk to each other are
//
//	s.Join(ctx, []Joined{{Command: solution, To: 1}, {Command: interactor, To: 0}})
//
// Each process has one reader. When a process ends, its reader reaches the end of its input, and its writer gets
// SIGPIPE. Order tells which process ended first, which decides who is at fault. (Isolation level None measures it
// only roughly.) A process that is Held is not affected by the end of its reader. The time that a process spends
// waiting for another is not CPU time. Standard output is counted only if the process is Held.
//
// If two processes talk to each other through relays (Copy), Limits.Wall of each process limits how long the other
// one waits for it. That requires that the system reports which process waits.
//
// The processes start together and take one slot. The returned error is the first one that was not caused by a
// program.
func (s *Sandbox) Join(ctx context.Context, joined []Joined) ([]Ended, error) {
	if err := checkJoined(joined); err != nil {
		return nil, err
	}
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.running.Done()
	slot, err := s.slots.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer slot.release()
	pipes, err := joinPipes(joined)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	ended := make([]Ended, len(joined))
	jobs := make([]job, len(joined))
	lives := make([]lifetime, len(joined))
	for i := range lives {
		lives[i].ctx, lives[i].end = context.WithCancelCause(ctx)
		lives[i].over = make(chan struct{})
		defer lives[i].end(nil)
	}
	turns := newTurns(joined, pipes, lives)
	var wait sync.WaitGroup
	for i := range joined {
		own := *joined[i].Command
		own.Stdin, own.Stdout = pipes[i].in, pipes[i].out
		jobs[i] = job{Command: &own, handed: pipes[i].close, placed: slot.watch}
		if turns != nil {
			own.Limits = turns.limits(i)
			jobs[i].placed = func(p place) {
				turns.place(i, p)
				slot.watch(p)
			}
		}
		wait.Go(func() {
			x, err := s.runJob(lives[i].ctx, &jobs[i])
			close(lives[i].over)
			if jobs[i].end == 0 { // other processes ended before this one could start
				jobs[i].end = moment()
			}
			ended[i] = Ended{Exec: x, Err: err}
			if errors.Is(err, errDismissed) {
				ended[i].Dismissed, ended[i].Err = true, nil
			}
			if !isProgramError(ended[i].Err) {
				cancel(err)
			}
			if joined[i].OnExit != nil && joined[i].OnExit(x) {
				for k := range lives {
					lives[k].end(errDismissed)
				}
			}
			if joined[i].GracePeriod > 0 && x.Killed != judge.NoResource {
				waitForAll(lives, joined[i].GracePeriod)
			}
		})
	}
	if turns != nil {
		wait.Go(turns.watch)
	}
	for i := range pipes {
		if r := pipes[i].relay; r != nil {
			r.life = lives[i]
			r.ended = func() bool { return turns != nil && turns.ended(i) }
			wait.Go(func() { r.run(&joined[i]) })
		}
	}
	wait.Wait()
	completeResults(joined, jobs, ended, pipes, turns)
	setExitOrder(joined, jobs, ended)
	if i := slices.IndexFunc(ended, func(e Ended) bool { return !isProgramError(e.Err) }); i >= 0 {
		return ended, context.Cause(ctx)
	}
	return ended, nil
}

// completeResults adds the remaining facts about ended processes: what they wrote, whether they were stuck, and when each
// one ended.
func completeResults(joined []Joined, jobs []job, ended []Ended, pipes []ends, turns *turns) {
	for i := range pipes {
		if pipes[i].relay != nil {
			e, l := &ended[i], joined[i].Limits.Output
			e.Output = pipes[i].relay.count
			if joined[i].KeepPipesOpen && l > 0 && e.Output > l && e.Killed == judge.NoResource && e.Err == nil && !e.Dismissed {
				e.Killed = judge.Output // the process ended before it was killed
			}
		}
	}
	for i := range ended {
		ended[i].Deadlocked = turns != nil && turns.stuck[i] && ended[i].Killed == judge.WallTime
		ended[i].Asleep = ended[i].Asleep || ended[i].Deadlocked
	}
	for i := range pipes {
		if r := pipes[i].relay; r != nil && r.readerEnded > 0 { // what the writer did later follows the end of its reader
			to := joined[i].OutputTo
			jobs[to].end = min(jobs[to].end, r.readerEnded)
		}
	}
}

// waitForAll waits for all processes to end. After the time in most, it kills the processes that still run.
func waitForAll(lives []lifetime, limit time.Duration) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for i := range lives {
		select {
		case <-lives[i].over:
		case <-timer.C:
			for k := range lives {
				lives[k].end(errDismissed)
			}
			return
		}
	}
}

// setExitOrder sets the order in which the processes ended. A process closes its pipes shortly before its end is recorded.
// If the closed pipe kills the process that writes to it, the end of the writer may be recorded first. So a
// process that ended by SIGPIPE is placed after its reader.
func setExitOrder(joined []Joined, jobs []job, ended []Ended) {
	for i := range ended {
		to := joined[i].OutputTo
		if ended[i].Signal == "SIGPIPE" && ended[to].Signal != "SIGPIPE" {
			jobs[to].end = min(jobs[to].end, jobs[i].end-1)
		}
	}
	for i := range ended {
		for k := range jobs {
			if jobs[k].end < jobs[i].end || jobs[k].end == jobs[i].end && k <= i {
				ended[i].ExitOrder++
			}
		}
	}
}

// isProgramError reports whether an error was caused neither by the judge nor by the machine.
func isProgramError(err error) bool {
	_, refused := errors.AsType[*judge.ExecError](err)
	return err == nil || refused
}

func checkJoined(joined []Joined) error {
	readers := map[int]bool{}
	for i, j := range joined {
		if err := check(j.Command); err != nil {
			return fmt.Errorf("join process %d: %w", i, err)
		}
		if j.Stdin != nil || j.Stdout != nil {
			return fmt.Errorf("join process %d: Stdin and Stdout must be nil", i)
		}
		if j.OutputTo < 0 || j.OutputTo >= len(joined) || readers[j.OutputTo] {
			return fmt.Errorf("join process %d: cannot write to process %d", i, j.OutputTo)
		}
		readers[j.OutputTo] = true
	}
	return nil
}

// ends contains the pipe ends of one process.
type ends struct {
	in, out *os.File
	relay   *relay // relay between this process and its reader
}

func (e *ends) close() {
	e.in.Close()
	e.out.Close()
}

// lifetime is the lifetime of a joined process.
type lifetime struct {
	ctx  context.Context
	end  context.CancelCauseFunc
	over chan struct{} // closed when the process has ended
}

// relay copies the data from one pipe to another and to a transcript.
type relay struct {
	from, to    *os.File
	life        lifetime    // lifetime of the writing process
	ended       func() bool // reports whether the writer has ended, as far as the system knows
	count       int64       // bytes written by the writer
	readerEnded int64       // when the reader was first seen to have ended; zero if it was not

	carries atomic.Bool // whether data was ready to be read and has not been written yet
}

// closeDelay is how long the relay waits for a Held process to end after the process has closed its output. Then
// the relay closes the reader's input. A process that is about to end usually ends within this delay, and thus
// before the reader reacts. The slowest such processes are language runtimes that shut down on a busy machine. If
// a process instead waits for its reader to end, the whole delay passes. If the process has ended but the judge
// has not noticed it, the delay is extended.
const closeDelay = 1500 * time.Millisecond

func (r *relay) run(j *Joined) {
	defer r.carries.Store(false)
	defer r.from.Close()
	defer r.to.Close()
	block(r.from)
	block(r.to)
	buf := make([]byte, 64<<10)
	readerGone := false
	for {
		ready(r.from, -1)
		r.carries.Store(true)
		n, err := r.from.Read(buf)
		if n > 0 {
			_, _ = j.Copy.Write(buf[:n])
			r.count += int64(n)
			if j.KeepPipesOpen && j.Limits.Output > 0 && r.count > j.Limits.Output {
				r.life.end(errOutput)
			}
			if !readerGone {
				_, werr := r.to.Write(buf[:n])
				if readerGone = werr != nil; readerGone {
					r.readerEnded = moment()
				}
			}
			if readerGone && !j.KeepPipesOpen {
				return // the writer must notice that the reader has ended
			}
		}
		if err != nil {
			break
		}
		r.carries.Store(false)
	}
	if j.KeepPipesOpen && !readerGone {
		r.awaitWriterExit()
	}
}

// awaitWriterExit waits for the writing process to end. It gives up after closeDelay, unless the process has ended and the
// judge has not noticed it.
func (r *relay) awaitWriterExit() {
	for delay := closeDelay; ; delay = turnInterval {
		select {
		case <-r.life.over:
			return
		case <-time.After(delay):
			if !r.ended() {
				return
			}
		}
	}
}

// joinPipes creates the pipes between all processes.
func joinPipes(joined []Joined) (pipes []ends, err error) {
	pipes = make([]ends, len(joined))
	defer func() {
		if err != nil {
			for i := range pipes {
				pipes[i].close()
				if r := pipes[i].relay; r != nil {
					r.from.Close()
					r.to.Close()
				}
			}
			err = fmt.Errorf("join processes: %w", err)
		}
	}()
	for i, j := range joined {
		r, w, err := widePipe()
		if err != nil {
			return pipes, err
		}
		pipes[i].out = w
		if j.Copy == nil {
			pipes[j.OutputTo].in = r
			continue
		}
		r2, w2, err := widePipe()
		if err != nil {
			r.Close()
			return pipes, err
		}
		pipes[j.OutputTo].in, pipes[i].relay = r2, &relay{from: r, to: w2}
	}
	return pipes, nil
}

func widePipe() (r, w *os.File, err error) {
	if r, w, err = os.Pipe(); err == nil {
		widen(w)
	}
	return r, w, err
}
