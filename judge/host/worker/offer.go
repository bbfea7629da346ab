package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"assay/judge/host/job"
	"assay/judge/internal/cachedir"
	"assay/judge/running/lang"
	"assay/judge/workspace"
)

// Offer says what this machine can do, as it was when the runner was made.
func (r *Runner) Offer() *job.Offer {
	o := *r.own
	o.Languages, o.Obtain = maps.Clone(o.Languages), maps.Clone(o.Obtain)
	return &o
}

// look looks at the machine: its sandbox, and its tool chains. Note is told of those that
// are there and do not work.
func (r *Runner) look(ctx context.Context, note func(string)) (o *job.Offer, err error) {
	w, err := workspace.Find(r.env(nil))
	if err != nil {
		return nil, err
	}
	// Not beside the jobs: tools are asked once a day, and all of them when the worker starts.
	if err := w.Start(workspace.Running{Require: r.o.Require, Hidden: r.hidden(), Jobs: runtime.GOMAXPROCS(0)}); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	o = &job.Offer{
		Protocol: job.Protocol, Version: r.o.Version, Arch: runtime.GOOS + "/" + runtime.GOARCH,
		Slots: r.o.Slots, Machine: r.machine, Languages: map[string]string{}, Obtain: map[string]string{},
	}
	var weaker []string
	if o.Rung, weaker = w.Isolation(); len(weaker) > 0 {
		note("this machine does not enforce: " + strings.Join(weaker, "; "))
	}
	identities := make([]string, len(w.Config.Languages))
	var all sync.WaitGroup
	for i, l := range w.Config.Languages {
		all.Go(func() {
			var err error
			identities[i], err = w.Tools.Identity(ctx, l)
			if _, missing := errors.AsType[*lang.MissingError](err); err != nil && !missing && ctx.Err() == nil {
				note(fmt.Sprintf("%s is not offered: %v", l.Name, err))
			}
		})
	}
	all.Wait()
	for i, l := range w.Config.Languages {
		switch {
		case l.Package != "":
			o.Obtain[l.ID] = "apt-get install " + l.Package
		case l.Obtain != "":
			o.Obtain[l.ID] = l.Obtain
		}
		if identities[i] != "" {
			o.Languages[l.ID] = identities[i]
		}
	}
	return o, context.Cause(ctx)
}

// Well says what makes the machine unfit for judging: no room on a disk, no sandbox, tool
// chains that are not those that the server was told, or a server that did not send what
// a job needed and does not now. Without this each worker would take each job, and give it
// back, until it was given out too often.
func (r *Runner) Well(ctx context.Context) error {
	for _, dir := range []string{r.o.Dir, os.TempDir()} {
		if room, known := cachedir.FreeDisk(dir); known && room < leastRoom {
			return &Unwell{fmt.Errorf("the disk of %s has only %d MiB left", dir, room>>20)}
		}
	}
	if err := r.writes(); err != nil {
		return &Unwell{err}
	}
	if err := r.sends(ctx); err != nil {
		return &Unwell{err}
	}
	now, err := r.look(ctx, func(string) {}) // it was told at the start
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return &Unwell{fmt.Errorf("the judge cannot be started here: %w", err)}
	}
	for _, id := range slices.Sorted(maps.Keys(r.own.Languages)) {
		switch was, is := r.own.Languages[id], now.Languages[id]; {
		case is == "": // perhaps while it is upgraded
			return &Unwell{fmt.Errorf("the tool chain of %s is gone, or does not work: it was %q", id, was)}
		case was != is:
			return &Unwell{&ChangedError{id, was, is}}
		}
	}
	return nil
}

// ChangedError is another tool chain than the server was told. It ends the worker, which
// says what it has when it is started again.
type ChangedError struct{ Language, Was, Is string }

// Error says what has changed.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("the tool chain of %s has changed from %q to %q: start the worker again", e.Language, e.Was, e.Is)
}

// GoneError is a folder of the worker that somebody removed. It ends the worker, which makes its
// folders when it is started again.
type GoneError struct{ Dir string }

// Error names the folder.
func (e *GoneError) Error() string {
	return fmt.Sprintf("the worker's folder is gone: %s: start the worker again", e.Dir)
}

// writes says what is wrong with the folders in which jobs are laid out, and results wait.
func (r *Runner) writes() error {
	for _, dir := range []string{r.o.Dir, r.tmp} {
		f, err := os.CreateTemp(dir, ".well-*")
		if p, is := errors.AsType[*fs.PathError](err); is { // without the name, so that it says the same each time
			err = p.Err
		}
		if errors.Is(err, fs.ErrNotExist) {
			return &GoneError{dir}
		}
		if err != nil {
			return fmt.Errorf("the worker's folder cannot be written: %s: %w", dir, err)
		}
		_, err = f.WriteString("well")
		if err := errors.Join(err, f.Close(), os.Remove(f.Name())); err != nil {
			return fmt.Errorf("the worker's folder cannot be written: %w", err)
		}
	}
	return nil
}

// sends asks for what the server did not send the last time.
func (r *Runner) sends(ctx context.Context) error {
	r.mu.Lock()
	away := r.away
	r.mu.Unlock()
	if away == nil {
		return nil
	}
	err := r.fetch.once(ctx, away.why, away.digest, away.size, func(b io.Reader) error {
		_, err := io.CopyN(io.Discard, b, 1)
		return err
	})
	if _, still := errors.AsType[*awayError](err); still {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.away == away {
		r.away = nil
	}
	return nil
}

// unwell is Well after an error that may be the machine's. It closes all that is open, since that
// may be what is broken.
func (r *Runner) unwell(ctx context.Context, err error) error {
	r.problems.clear()
	r.workspaces.clear()
	if cachedir.IsFull(err) {
		return &Unwell{err}
	}
	return r.Well(ctx)
}

// Slots is how many jobs a machine does at one time: a core less than it has, so that the
// worker itself can run.
func Slots() int { return max(1, min(cores(), runtime.GOMAXPROCS(0))-1) }

// cores counts the processor's cores, without those that are only threads of one.
func cores() int {
	seen := map[string]bool{}
	socket := ""
	eachField("/proc/cpuinfo", func(name, value string) {
		switch name {
		case "physical id":
			socket = value
		case "core id":
			seen[socket+"/"+value] = true
		}
	})
	if len(seen) == 0 {
		return runtime.NumCPU()
	}
	return len(seen)
}

// machine is what people are told of this machine.
func machine() string {
	model, memory := runtime.GOARCH, ""
	eachField("/proc/cpuinfo", func(name, value string) {
		if name == "model name" {
			model = value
		}
	})
	eachField("/proc/meminfo", func(name, value string) {
		var kib int64
		if _, err := fmt.Sscan(value, &kib); err == nil && name == "MemTotal" {
			memory = fmt.Sprintf(", %.1f GiB", float64(kib)/(1<<20))
		}
	})
	return fmt.Sprintf("%s, %d processors%s", model, runtime.NumCPU(), memory)
}

// eachField reads the lines "name: value" of a file of /proc; where there is none, none.
func eachField(file string, field func(name, value string)) {
	f, err := os.Open(file)
	if err != nil {
		return
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok {
			field(strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
}
