package lang

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"assay/judge"
	"assay/judge/running/config"
)

// prepareTime is how long each command of prepare may take. It is the time that a machine needs to
// compile a standard library, so it is no limit of any program.
const prepareTime = 30 * time.Minute

// Preparing returns the name of a language whose cache is being prepared now, which keeps the first
// programs in it waiting. It is empty if there is none.
func (t *Toolbox) Preparing() string {
	if name := t.preparing.Load(); name != nil {
		return *name
	}
	return ""
}

// prepared returns what the prepare commands of a language make of its cache. The first build with
// these tools runs them, and builds that come meanwhile wait for it.
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
		t.preparing.Store(&l.Name)
		defer t.preparing.CompareAndSwap(&l.Name, nil)
		if dir, err = t.cache.prepared.Add(ctx, key, func(dir string) error { return t.prepare(ctx, l, chain, words, preparedIn(dir)) }); err != nil {
			return seed{}, err
		}
	}
	return seed{preparedIn(dir), key}, nil
}

// preparedIn is the cache in a prepared entry.
func preparedIn(dir string) string { return filepath.Join(dir, "cache") }

// prepare runs the prepare commands on a new cache. No program of anybody's is there meanwhile. What
// goes wrong is the machine's failure.
func (t *Toolbox) prepare(ctx context.Context, l *config.Language, chain *toolchain, words map[string]string, cache string) error {
	work, done, err := t.cache.programs.Temp()
	if err != nil {
		return err
	}
	defer done()
	build := filepath.Join(work, "build")
	if err := errors.Join(openFolder(build), openFolder(cache)); err != nil {
		return t.cache.prepared.Wrap(err)
	}
	limits := t.cfg.Build
	limits.CPU, limits.Wall = 0, prepareTime
	for _, command := range l.Prepare {
		var log head
		p := judge.Program{Argv: chain.command(command, words, nil), Env: chain.environment(words, t.cfg.Env, l.Env, l.BuildEnv)}
		c := p.Command(limits)
		c.Dir, c.Locks = buildDir, true
		c.Mounts = []judge.Mount{
			{Host: build, At: buildDir, Writable: true, Bytes: t.cfg.Built.Size, Files: int64(t.cfg.Built.Files)},
			{Host: cache, At: l.Cache, Writable: true, Bytes: t.cache.kept.Bytes, Files: int64(t.cache.kept.Files)},
		}
		x, err := t.patiently(ctx, c, &log)
		if err != nil {
			return fmt.Errorf("prepare %s: %w", l.Name, ofCommand(l, err))
		}
		if judge.Classify(x, limits) == judge.NotJudged {
			continue
		}
		if t.outOfRoom(build, &log) {
			return t.cache.prepared.Wrap(syscall.ENOSPC)
		}
		said := strings.TrimSpace(log.text(stopped(x, limits)))
		return fmt.Errorf("prepare %s: %s %s\n    %s", l.Name, strings.Join(command[:min(2, len(command))], " "), x.Fate(), strings.ReplaceAll(said, "\n", "\n    "))
	}
	return nil
}
