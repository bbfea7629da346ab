package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"assay/judge"
)

// Joined is one of several processes that are connected by pipes.
type Joined struct {
	*judge.Command // its Stdin and Stdout must be nil

	// To is the index of the process that reads what this one writes.
	To int
	// Copy gets what this process writes, on its way to the reader; nil for none.
	// The way with a copy is slower, as the bytes pass through the judge.
	Copy io.Writer
}

// Ended is what happened to one joined process.
type Ended struct {
	judge.Exec
	Order int   // 1 for the process that ended first, and so on
	Err   error // an *judge.ExecError, or an error of the judge or the machine
}

// pipeSize is how much may be under way between two joined processes.
const pipeSize = 1 << 20

// Join runs processes together, each with its own limits, the output of each
// connected to the input of another; two processes that talk to each other are
//
//	s.Join(ctx, []Joined{{Command: solution, To: 1}, {Command: interactor, To: 0}})
//
// Each process has one that reads it. When a process ends, its reader sees the end
// of its input, and who writes to it gets SIGPIPE: Order says who was first, which
// decides whose fault it is. (The rung None measures it only roughly.) No time that a process spends waiting for another
// counts as CPU time. Standard output is not counted.
//
// The processes are started together; they do not count against Options.Workers.
// The error is the first one that is not a program's own doing.
func (s *Sandbox) Join(ctx context.Context, all []Joined) ([]Ended, error) {
	if err := checkJoined(all); err != nil {
		return nil, err
	}
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.running.Done()
	pipes, err := joinPipes(all)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	ended := make([]Ended, len(all))
	jobs := make([]job, len(all))
	var wait sync.WaitGroup
	for i := range all {
		own := *all[i].Command
		own.Stdin, own.Stdout = pipes[i].in, pipes[i].out
		jobs[i] = job{Command: &own, handed: pipes[i].close}
		wait.Go(func() {
			x, err := s.backend.run(ctx, &jobs[i])
			ended[i] = Ended{Exec: x, Err: err}
			if !blameless(err) {
				cancel(err)
			}
		})
	}
	for i := range pipes {
		if pipes[i].relay != nil {
			wait.Go(func() { pipes[i].relay.run(all[i].Copy) })
		}
	}
	wait.Wait()
	rank(all, jobs, ended)
	if i := slices.IndexFunc(ended, func(e Ended) bool { return !blameless(e.Err) }); i >= 0 {
		return ended, context.Cause(ctx)
	}
	return ended, nil
}

// rank sets the order in which the processes ended. A process closes its pipes a
// moment before it counts as ended, and who is killed by that may count as ended
// sooner: so who ended by SIGPIPE comes after its reader.
func rank(all []Joined, jobs []job, ended []Ended) {
	for i := range ended {
		to := all[i].To
		if ended[i].Signal == "SIGPIPE" && ended[to].Signal != "SIGPIPE" {
			jobs[to].end = min(jobs[to].end, jobs[i].end-1)
		}
	}
	for i := range ended {
		for k := range jobs {
			if jobs[k].end < jobs[i].end || jobs[k].end == jobs[i].end && k <= i {
				ended[i].Order++
			}
		}
	}
}

// blameless tells whether an error is none of the judge's or the machine's.
func blameless(err error) bool {
	_, refused := errors.AsType[*judge.ExecError](err)
	return err == nil || refused
}

func checkJoined(all []Joined) error {
	readers := map[int]bool{}
	for i, j := range all {
		if err := check(j.Command); err != nil {
			return fmt.Errorf("join process %d: %w", i, err)
		}
		if j.Stdin != nil || j.Stdout != nil {
			return fmt.Errorf("join process %d: Stdin and Stdout must be nil", i)
		}
		if j.To < 0 || j.To >= len(all) || readers[j.To] {
			return fmt.Errorf("join process %d: cannot write to process %d", i, j.To)
		}
		readers[j.To] = true
	}
	return nil
}

// ends are the pipe ends of one process.
type ends struct {
	in, out *os.File
	relay   *relay // between this process and its reader
}

func (e *ends) close() {
	e.in.Close()
	e.out.Close()
}

// relay copies from one pipe to another, and to a transcript.
type relay struct{ from, to *os.File }

func (r *relay) run(transcript io.Writer) {
	defer r.from.Close()
	defer r.to.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := r.from.Read(buf)
		if n > 0 {
			_, _ = transcript.Write(buf[:n])
			if _, werr := r.to.Write(buf[:n]); werr != nil {
				return // the reader is gone: the writer is to feel it
			}
		}
		if err != nil {
			return
		}
	}
}

// joinPipes makes the pipes between all processes.
func joinPipes(all []Joined) (pipes []ends, err error) {
	pipes = make([]ends, len(all))
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
	for i, j := range all {
		r, w, err := widePipe()
		if err != nil {
			return pipes, err
		}
		pipes[i].out = w
		if j.Copy == nil {
			pipes[j.To].in = r
			continue
		}
		r2, w2, err := widePipe()
		if err != nil {
			r.Close()
			return pipes, err
		}
		pipes[j.To].in, pipes[i].relay = r2, &relay{r, w2}
	}
	return pipes, nil
}

func widePipe() (r, w *os.File, err error) {
	if r, w, err = os.Pipe(); err == nil {
		widen(w)
	}
	return r, w, err
}
