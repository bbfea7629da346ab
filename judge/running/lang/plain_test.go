package lang_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/running/config"
	"assay/judge/running/lang"
)

// plain runs commands without a sandbox, and counts them. In commands, it replaces mount points by the mounted
// directories.
type plain struct {
	runs atomic.Int64
	fail func(*judge.Command) (judge.Exec, error, bool) // if it returns true, its result replaces the run
}

func (r *plain) Run(ctx context.Context, c *judge.Command) (judge.Exec, error) {
	r.runs.Add(1)
	if r.fail != nil {
		if x, err, answers := r.fail(c); answers {
			return x, err
		}
	}
	swap := func(s string) string {
		for _, m := range c.Mounts {
			s = strings.ReplaceAll(s, m.At, m.Host)
		}
		return s
	}
	var argv, env []string
	for _, a := range c.Argv {
		argv = append(argv, swap(a))
	}
	for _, e := range c.Env {
		env = append(env, swap(e))
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdin = env, swap(c.Dir), c.Stdin
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	start := time.Now()
	err := cmd.Run()
	if ctx.Err() != nil {
		return judge.Exec{}, ctx.Err()
	}
	for _, pipe := range []struct {
		to   io.Writer
		text []byte
	}{{c.Stdout, out.Bytes()}, {c.Stderr, stderr.Bytes()}} {
		if pipe.to != nil {
			if _, err := pipe.to.Write(pipe.text); err != nil {
				return judge.Exec{}, err
			}
		}
	}
	if cmd.ProcessState == nil {
		return judge.Exec{}, &judge.ExecError{Argv0: c.Argv[0], Reason: err.Error()}
	}
	x := judge.Exec{Exit: max(cmd.ProcessState.ExitCode(), 0), Wall: time.Since(start), Output: int64(out.Len())}
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		x.Signal = status.Signal().String()
	}
	return x, nil
}

func (r *plain) Start(context.Context, *judge.Command) (judge.Process, error) {
	return nil, errors.New("plain starts nothing")
}

// ours returns the judge.toml that is included with the judge.
func ours(t testing.TB) *config.Config {
	t.Helper()
	data, err := os.ReadFile("../../../judge.toml")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load("judge.toml", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

var kit fs.FS = os.DirFS("../../kit")

// toolbox returns a toolbox with a plain runner and a new cache.
func toolbox(t testing.TB) (*lang.Toolbox, *plain, string) {
	t.Helper()
	r, cache := new(plain), t.TempDir()
	return lang.New(ours(t), r, cache, kit), r, cache
}

// write writes a file of a test and returns its path.
func write(t testing.TB, name, text string) string {
	t.Helper()
	return writeIn(t, t.TempDir(), name, text)
}

func writeIn(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}
