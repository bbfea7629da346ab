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

// Offer returns the capabilities of this machine when the runner was created.
func (r *Runner) Offer() *job.Offer {
	o := *r.own
	o.Languages, o.Obtain = maps.Clone(o.Languages), maps.Clone(o.Obtain)
	return &o
}

// look checks the sandbox and the toolchains of the machine. It calls note for each installed toolchain that does
// not work.
func (r *Runner) look(ctx context.Context, note func(string)) (o *job.Offer, err error) {
	w, err := workspace.Find(r.env(nil))
	if err != nil {
		return nil, err
	}
	// Check the versions of all tools now, so that they are not checked while jobs run. They are checked once a
	// day.
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

// CheckHealth returns nil if the machine can judge. Otherwise it returns the reason: a full disk, a missing
// sandbox, changed toolchains, or a server that still does not send a required blob. Without this check, unhealthy
// workers would take and release each job until it was delivered too often.
func (r *Runner) CheckHealth(ctx context.Context) error {
	for _, dir := range []string{r.o.Dir, os.TempDir()} {
		if room, known := cachedir.FreeDisk(dir); known && room < leastRoom {
			return &UnhealthyError{fmt.Errorf("the disk of %s has only %d MiB left", dir, room>>20)}
		}
	}
	if err := r.writes(); err != nil {
		return &UnhealthyError{err}
	}
	if err := r.sends(ctx); err != nil {
		return &UnhealthyError{err}
	}
	now, err := r.look(ctx, func(string) {}) // already reported at the start
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return &UnhealthyError{fmt.Errorf("the judge cannot be started here: %w", err)}
	}
	for _, id := range slices.Sorted(maps.Keys(r.own.Languages)) {
		switch was, is := r.own.Languages[id], now.Languages[id]; {
		case is == "": // perhaps during an upgrade
			return &UnhealthyError{fmt.Errorf("the toolchain for %s, which was %q, is missing or does not work", id, was)}
		case was != is:
			return &UnhealthyError{&ChangedError{id, was, is}}
		}
	}
	return nil
}

// A ChangedError means that a toolchain differs from the one reported to the server. It ends the worker, which
// reports its toolchains when it starts again.
type ChangedError struct{ Language, Was, Is string }

// Error says which toolchains have changed.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("the toolchain of %s has changed from %q to %q: restart the worker", e.Language, e.Was, e.Is)
}

// A GoneError means that a directory of the worker was removed. It ends the worker, which creates its directories
// when it starts again.
type GoneError struct{ Dir string }

// Error names the directory.
func (e *GoneError) Error() string {
	return fmt.Sprintf("a directory of the worker was removed: %s: restart the worker", e.Dir)
}

// writes returns an error if the directories for jobs and for pending results cannot be written.
func (r *Runner) writes() error {
	for _, dir := range []string{r.o.Dir, r.tmp} {
		f, err := os.CreateTemp(dir, ".well-*")
		if p, is := errors.AsType[*fs.PathError](err); is { // without the file name, so that the text stays the same
			err = p.Err
		}
		if errors.Is(err, fs.ErrNotExist) {
			return &GoneError{dir}
		}
		if err != nil {
			return fmt.Errorf("a directory of the worker cannot be written: %s: %w", dir, err)
		}
		_, err = f.WriteString("well")
		if err := errors.Join(err, f.Close(), os.Remove(f.Name())); err != nil {
			return fmt.Errorf("a directory of the worker cannot be written: %w", err)
		}
	}
	return nil
}

// sends returns an error if the server still cannot send the blob that it last failed to send.
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

// healthAfter calls CheckHealth after an error that the machine may have caused. It closes all open problems and
// workspaces, because they may be broken.
func (r *Runner) healthAfter(ctx context.Context, err error) error {
	r.problems.clear()
	r.workspaces.clear()
	if cachedir.IsFull(err) {
		return &UnhealthyError{err}
	}
	return r.CheckHealth(ctx)
}

// Slots returns the default number of jobs that a machine runs at once. It is one less than the number of cores,
// which leaves one for the worker itself.
func Slots() int { return max(1, min(cores(), runtime.GOMAXPROCS(0))-1) }

// cores returns the number of physical processor cores.
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

// machine returns a description of this machine.
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

// eachField calls field for each "name: value" line of a file in /proc. It does nothing if the file cannot be
// read.
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
