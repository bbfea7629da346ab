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

// Capabilities returns the capabilities of this machine when the runner was created.
func (r *Runner) Capabilities() *job.Capabilities {
	o := *r.capabilities
	o.Languages, o.InstallHints = maps.Clone(o.Languages), maps.Clone(o.InstallHints)
	return &o
}

// findCapabilities checks the sandbox and the toolchains of the machine. It calls note for each installed toolchain
// that does not work.
func (r *Runner) findCapabilities(ctx context.Context, note func(string)) (o *job.Capabilities, err error) {
	w, err := workspace.Find(r.env(nil))
	if err != nil {
		return nil, err
	}
	// Check the versions of all tools now, so that they are not checked while jobs run. They are checked once a
	// day.
	options := workspace.RunOptions{RequiredIsolation: r.o.RequiredIsolation, Hidden: r.secretDirs(), Jobs: runtime.GOMAXPROCS(0)}
	if err := w.Start(options); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	o = &job.Capabilities{
		Protocol: job.Protocol, Version: r.o.Version, Arch: runtime.GOOS + "/" + runtime.GOARCH,
		Slots: r.o.Slots, Machine: r.machine, Languages: map[string]string{}, InstallHints: map[string]string{},
	}
	var weaker []string
	if o.IsolationLevel, weaker = w.Isolation(); len(weaker) > 0 {
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
			o.InstallHints[l.ID] = "apt-get install " + l.Package
		case l.Obtain != "":
			o.InstallHints[l.ID] = l.Obtain
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
		if room, known := cachedir.FreeDisk(dir); known && room < minFree {
			return &UnhealthyError{fmt.Errorf("the disk of %s has only %d MiB left", dir, room>>20)}
		}
	}
	if err := r.checkWritable(); err != nil {
		return &UnhealthyError{err}
	}
	if err := r.checkServer(ctx); err != nil {
		return &UnhealthyError{err}
	}
	now, err := r.findCapabilities(ctx, func(string) {}) // already reported at the start
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return &UnhealthyError{fmt.Errorf("the judge cannot be started here: %w", err)}
	}
	for _, id := range slices.Sorted(maps.Keys(r.capabilities.Languages)) {
		switch old, is := r.capabilities.Languages[id], now.Languages[id]; {
		case is == "": // perhaps during an upgrade
			return &UnhealthyError{fmt.Errorf("the toolchain for %s, which was %q, is missing or does not work", id, old)}
		case old != is:
			return &UnhealthyError{&ToolchainChangedError{id, old, is}}
		}
	}
	return nil
}

// A ToolchainChangedError means that a toolchain differs from the one reported to the server. It ends the worker, which
// reports its toolchains when it starts again.
type ToolchainChangedError struct{ Language, Old, New string }

// Error says which toolchains have changed.
func (e *ToolchainChangedError) Error() string {
	return fmt.Sprintf("the toolchain of %s has changed from %q to %q: restart the worker", e.Language, e.Old, e.New)
}

// A DirRemovedError means that a directory of the worker was removed. It ends the worker, which creates its directories
// when it starts again.
type DirRemovedError struct{ Dir string }

// Error names the directory.
func (e *DirRemovedError) Error() string {
	return fmt.Sprintf("a directory of the worker was removed: %s: restart the worker", e.Dir)
}

// checkWritable returns an error if the directories for jobs and for pending results cannot be written.
func (r *Runner) checkWritable() error {
	for _, dir := range []string{r.o.Dir, r.tmp} {
		f, err := os.CreateTemp(dir, ".well-*")
		if p, is := errors.AsType[*fs.PathError](err); is { // without the file name, so that the text stays the same
			err = p.Err
		}
		if errors.Is(err, fs.ErrNotExist) {
			return &DirRemovedError{dir}
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

// checkServer returns an error if the server still cannot send the blob that it last failed to send.
func (r *Runner) checkServer(ctx context.Context) error {
	r.mu.Lock()
	away := r.unavailable
	r.mu.Unlock()
	if away == nil {
		return nil
	}
	err := r.fetch.tryFetch(ctx, away.claim, away.digest, away.size, func(b io.Reader) error {
		_, err := io.CopyN(io.Discard, b, 1)
		return err
	})
	if _, still := errors.AsType[*unavailableError](err); still {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unavailable == away {
		r.unavailable = nil
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

// DefaultSlots returns the default number of jobs that a machine runs at once. It is one less than the number of cores,
// which leaves one for the worker itself.
func DefaultSlots() int { return max(1, min(physicalCores(), runtime.GOMAXPROCS(0))-1) }

// physicalCores returns the number of physical processor cores.
func physicalCores() int {
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

// describeMachine returns a description of this machine.
func describeMachine() string {
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
