package lang

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"assay/judge"
	"assay/judge/running/config"
)

// prepareTime is the wall time limit for each prepare command. It allows a machine to compile a standard library,
// and is not a limit for any program.
const prepareTime = 30 * time.Minute

// Preparing describes the preparation of a language's cache, such as "Go: 7 of 60 packages". The first programs in
// the language wait for the preparation. Preparing returns the empty string if no cache is being prepared.
func (t *Toolbox) Preparing() string {
	if p := t.preparing.Load(); p != nil {
		return p.String()
	}
	return ""
}

// preparation is the work of preparing a language's cache.
type preparation struct {
	language *config.Language
	parts    atomic.Pointer[map[string]bool] // maps each part to whether it is done; nil if unknown
	done     atomic.Int64
}

// String returns the language's name and, if the parts are known, how many of them are finished.
func (p *preparation) String() string {
	parts := p.parts.Load()
	if parts == nil || len(*parts) == 0 {
		return p.language.Name
	}
	return fmt.Sprintf("%s: %d of %d %s", p.language.Name, p.done.Load(), len(*parts), p.language.Prepares.Name)
}

// countLine records a line printed by a prepare command, and reports whether the line names a finished part.
func (p *preparation) countLine(line string) bool {
	parts := p.parts.Load()
	if parts == nil || !(*parts)[line] {
		return false
	}
	p.done.Add(1)
	return true
}

// list runs c to find out which parts will be prepared. If c fails, finished parts are not counted.
func (p *preparation) list(ctx context.Context, r judge.Runner, c *judge.Command) {
	var listed bytes.Buffer
	c.Stdout = &listed
	if x, err := r.Run(ctx, c); err != nil || judge.Classify(x, c.Limits) != judge.NotJudged {
		return
	}
	parts := map[string]bool{}
	for line := range strings.Lines(listed.String()) {
		parts[strings.TrimSpace(line)] = true
	}
	p.parts.Store(&parts)
}

// prepared returns the cache made by a language's prepare commands. The first build with the current tools runs
// the commands, and concurrent builds wait for them.
func (t *Toolbox) prepared(ctx context.Context, l *config.Language, chain *toolchain, words map[string]string) (seed, error) {
	if len(l.Prepare) == 0 {
		return seed{}, nil
	}
	what, err := json.Marshal([]any{cacheFormat, l.ID, l.Prepare, l.Cache, l.Env, l.BuildEnv, t.cfg.Env, chain.identity, chain.paths})
	if err != nil {
		return seed{}, fmt.Errorf("prepare %s: %w", l.Name, err)
	}
	sum := sha256.Sum256(what)
	key := hex.EncodeToString(sum[:20])
	dir, ok := t.cache.prepared.Find(key)
	if !ok {
		work := &preparation{language: l}
		dir, err = t.cache.prepared.Add(ctx, key, func(dir string) error {
			t.preparing.Store(work)
			defer t.preparing.CompareAndSwap(work, nil)
			return t.prepare(ctx, work, chain, words, preparedIn(dir))
		})
		if err != nil {
			return seed{}, err
		}
	}
	return seed{preparedIn(dir), key}, nil
}

// preparedIn returns the cache directory in a prepared entry.
func preparedIn(dir string) string { return filepath.Join(dir, "cache") }

// prepare runs a language's prepare commands on a new cache. No program has been built with the cache before.
// Errors are failures of the machine.
func (t *Toolbox) prepare(ctx context.Context, p *preparation, chain *toolchain, words map[string]string, cache string) error {
	l := p.language
	work, done, err := t.cache.programs.Temp()
	if err != nil {
		return err
	}
	defer done()
	build := filepath.Join(work, "build")
	if err := errors.Join(makeWritable(build), makeWritable(cache)); err != nil {
		return t.cache.prepared.Wrap(err)
	}
	limits := t.cfg.Build
	limits.CPU, limits.Wall = 0, prepareTime
	command := func(argv []string) *judge.Command {
		program := judge.Program{Argv: chain.command(argv, words, nil), Env: chain.environment(words, t.cfg.Env, l.Env, l.BuildEnv)}
		c := program.Command(limits)
		c.Dir, c.Locks = buildDir, true
		c.Mounts = []judge.Mount{
			{Host: build, At: buildDir, Writable: true, Bytes: t.cfg.Built.Size, Files: int64(t.cfg.Built.Files)},
			{Host: cache, At: l.Cache, Writable: true, Bytes: t.cache.ownLimits.Bytes, Files: int64(t.cache.ownLimits.Files)},
		}
		return c
	}
	if len(l.Prepares.List) > 0 {
		p.list(ctx, t.runner, command(l.Prepares.List))
	}
	if l.Prepares.GoCache {
		t.reuseGoPackages(ctx, p, chain, cache)
	}
	for _, argv := range l.Prepare {
		log := head{omit: p.countLine}
		x, err := t.runRetrying(ctx, command(argv), &log)
		if err != nil {
			return fmt.Errorf("prepare %s: %w", l.Name, commandError(l, err))
		}
		if judge.Classify(x, limits) == judge.NotJudged {
			continue
		}
		if t.diskFull(build, &log) {
			return t.cache.prepared.Wrap(syscall.ENOSPC)
		}
		said := strings.TrimSpace(log.text(stopped(x, limits)))
		return fmt.Errorf(
			"prepare %s: %s %s\n    %s", l.Name, strings.Join(argv[:min(2, len(argv))], " "), x.Termination(),
			strings.ReplaceAll(said, "\n", "\n    "),
		)
	}
	return nil
}
