package lang

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/judge"

	"pgregory.net/rapid"
)

// TestPlant checks that each of a language's caches starts as a copy of the prepared cache, and that the caches do
// not share later changes.
func TestPlant(t *testing.T) {
	c := newCache(t.TempDir())
	ready, key := t.TempDir(), strings.Repeat("ab", 20)
	day := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	keep := func(name, key string, now time.Time) string {
		t.Helper()
		dir, done, err := c.ownCache(name, seed{ready, key}, now)
		if err != nil {
			t.Fatal(err)
		}
		done()
		return dir
	}
	if err := errors.Join(os.MkdirAll(filepath.Join(ready, "00"), 0o700), os.WriteFile(filepath.Join(ready, "00", "a"), []byte("std"), 0o600),
		os.Symlink("/etc/passwd", filepath.Join(ready, "link"))); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(c.dir, "keep", "x-setter")
	if err := os.MkdirAll(old, 0o755); err != nil { // made by a judge that did not prepare
		t.Fatal(err)
	}
	setter, other := keep("x-setter", key, day), keep("x-contestant", key, day)
	for _, dir := range []string{setter, other} {
		if data, err := os.ReadFile(filepath.Join(dir, "00", "a")); string(data) != "std" || err != nil {
			t.Errorf("the new cache has %q, %v, want what was prepared", data, err)
		}
		if info, err := os.Stat(filepath.Join(dir, "00")); err != nil || info.Mode().Perm() != 0o777 {
			t.Errorf("a directory of the new cache: %v, want it writable for the sandbox's user", err)
		}
		if _, err := os.Lstat(filepath.Join(dir, "link")); err == nil {
			t.Error("a link was taken over")
		}
	}
	if err := os.WriteFile(filepath.Join(other, "b"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	has := func(dir, name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	if has(keep("x-setter", key, day), "b") || has(ready, "b") || !has(keep("x-contestant", key, day.Add(time.Hour)), "b") {
		t.Error("a file of the contestants' cache is in the setters', or in what was prepared, or lost")
	}
	if has(old, ".") {
		t.Error("the cache of before is still there")
	}
	later := keep("x-contestant", key, day.Add(ownCacheLifetime))
	if has(later, "b") || !has(later, "00/a") || has(other, ".") {
		t.Error("a cache that is old is not made from what was prepared again")
	}
	changed := keep("x-contestant", strings.Repeat("cd", 20), day.Add(ownCacheLifetime))
	if changed == later || has(later, ".") || !has(changed, "00/a") || !has(setter, ".") {
		t.Error("a cache of other tools is not made again, or another one is gone")
	}
	c.ownLimits.Bytes = 1
	if err := os.WriteFile(filepath.Join(changed, "large"), make([]byte, 1<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	if again := keep("x-contestant", strings.Repeat("cd", 20), day.Add(ownCacheLifetime)); has(again, "large") || !has(again, "00/a") {
		t.Error("a cache that grew too large is not made from what was prepared")
	}
	own, done, err := c.privateCache(seed{ready, key})
	if err != nil || !has(own, "00/a") {
		t.Errorf("the cache for one build: %v, want what was prepared", err)
	}
	done()
	if err := os.RemoveAll(ready); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.ownCache("y-setter", seed{ready, key}, day); err == nil {
		t.Error("a cache that cannot be copied is an empty one")
	}
}

// TestKeepHeals checks that a compiler's cache that is a plain file or too large is replaced, but not while a
// build uses it.
func TestKeepHeals(t *testing.T) {
	c := newCache(t.TempDir())
	dir := filepath.Join(c.dir, "keep", "x-contestant")
	if err := errors.Join(os.MkdirAll(filepath.Dir(dir), 0o700), os.WriteFile(dir, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	_, done, err := c.ownCache("x-contestant", seed{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(dir, "large")
	if err := errors.Join(os.WriteFile(large, nil, 0o644), os.Truncate(large, keepBytes+1)); err != nil {
		t.Fatal(err)
	}
	_, done2, err := c.ownCache("x-contestant", seed{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	done2()
	if _, err := os.Stat(large); err != nil {
		t.Errorf("what a build uses was thrown away: %v", err)
	}
	done()
	_, done, err = c.ownCache("x-contestant", seed{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	done()
	if _, err := os.Stat(large); err == nil {
		t.Error("what grew too large is kept")
	}
}

// TestProbesThatFail checks that a failed attempt to run a tool is not remembered, so that the tool is tried
// again.
func TestProbesThatFail(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tools.json")
	if said, err := (&probes{file: file}).get(
		"question", func() (string, error) { return "", errors.New("no memory") },
	); said != "" || err == nil {
		t.Fatalf("get = %q, %v, want the error", said, err)
	}
	if said, err := (&probes{file: file}).get("question", func() (string, error) { return "here", nil }); said != "here" || err != nil {
		t.Errorf("get after a failure = %q, %v, want it asked again", said, err)
	}
}

// TestProbesOfSeveral checks that simultaneous requests for the same tool use one probe, and that results stored
// by another process are kept.
func TestProbesOfSeveral(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tools.json")
	ours := &probes{file: file}
	begun, answer := make(chan bool, 2), make(chan bool)
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			said, err := ours.get("slow", func() (string, error) { begun <- true; <-answer; return "here", nil })
			if said != "here" || err != nil {
				t.Errorf("get = %q, %v", said, err)
			}
		})
	}
	<-begun
	if said, err := ours.get("quick", func() (string, error) { return "at once", nil }); said != "at once" || err != nil {
		t.Errorf("another question meanwhile: get = %q, %v", said, err)
	}
	if _, err := (&probes{file: file}).get("theirs", func() (string, error) { return "there", nil }); err != nil {
		t.Error(err)
	}
	close(answer)
	both.Wait()
	if len(begun) > 0 {
		t.Error("it was asked twice at the same time")
	}
	for question, want := range map[string]string{"slow": "here", "quick": "at once", "theirs": "there"} {
		if said, err := (&probes{file: file}).get(question, func() (string, error) { return "forgotten", nil }); said != want || err != nil {
			t.Errorf("the next process: get(%s) = %q, %v, want %q", question, said, err, want)
		}
	}
}

// TestProbesOfWhatIsNotInstalled checks that a shim whose tool is not installed is not run at every start.
func TestProbesOfWhatIsNotInstalled(t *testing.T) {
	dir := t.TempDir()
	path, file := filepath.Join(dir, "shim"), filepath.Join(dir, "tools.json")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho asked >>"+dir+"/log\necho 'no such command' >&2\nexit 127\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	get := func() error {
		_, err := (&probes{file: file}).get("question", func() (string, error) { return run(t.Context(), []string{path}, dir) })
		return err
	}
	first, second := get(), get()
	if first == nil || second == nil || first.Error() != second.Error() || !strings.Contains(first.Error(), "no such command") {
		t.Errorf("get = %v, then %v, want the shim's words twice", first, second)
	}
	if log, err := os.ReadFile(dir + "/log"); err != nil || string(log) != "asked\n" {
		t.Errorf("the shim was %q, %v, want it asked once", log, err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var known map[string]probe
	if err := json.Unmarshal(data, &known); err != nil {
		t.Fatal(err)
	}
	for key, p := range known {
		p.When = p.When.Add(-absentValidity)
		known[key] = p
	}
	if data, err = json.Marshal(known); err == nil {
		err = os.WriteFile(file, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if said, err := (&probes{file: file}).get("question", func() (string, error) { return "here", nil }); said != "here" || err != nil {
		t.Errorf("get ten minutes later = %q, %v, want it asked again", said, err)
	}
}

// TestPatience checks that a build that exceeded its wall time limit is retried with more time if the machine is
// busy.
func TestPatience(t *testing.T) {
	const wall = 10 * time.Second
	slow := func(cpu time.Duration) judge.Exec { return judge.Exec{Killed: judge.WallTime, CPU: cpu, Wall: wall} }
	for _, row := range []struct {
		it   string
		busy bool
		runs []judge.Exec // in order
		want judge.Resource
		err  string
	}{
		{"leaves alone what ends in time", true, []judge.Exec{{}}, judge.NoResource, ""},
		{"runs again what got too little of a busy machine", true, []judge.Exec{slow(0), {}}, judge.NoResource, ""},
		{"stops what waits by itself", false, []judge.Exec{slow(0)}, judge.WallTime, ""},
		{"stops what sleeps nearly all the time", false, []judge.Exec{slow(wall / 10)}, judge.WallTime, ""},
		{"gives up on a machine that is too busy", true, []judge.Exec{
			slow(time.Second), slow(2 * time.Second),
		}, judge.WallTime, "the machine is too busy: the compiler got only 2s of CPU time in 30s"},
		{"does not run again what used its CPU time", true, []judge.Exec{{Killed: judge.CPUTime, CPU: wall}}, judge.CPUTime, ""},
	} {
		runs := 0
		box := &Toolbox{overloaded: func() bool { return row.busy }, runner: runnerFunc(func(c *judge.Command) judge.Exec {
			fmt.Fprintf(c.Stdout, "run %d", runs)
			runs++
			return row.runs[runs-1]
		})}
		var log head
		fmt.Fprint(&log, "before, ")
		x, err := box.runRetrying(t.Context(), &judge.Command{Limits: judge.Limits{Wall: wall}}, &log)
		if text := fmt.Sprint(err); x.Killed != row.want || err == nil && row.err != "" || err != nil &&
			(row.err == "" || !strings.HasPrefix(text, row.err)) || runs != len(row.runs) {
			t.Errorf("it %s: %+v, %v after %d runs, want %q and %q after %d", row.it, x, err, runs, row.want, row.err, len(row.runs))
		}
		if got, want := log.text(""), fmt.Sprintf("before, run %d", runs-1); got != want {
			t.Errorf("it %s: the log is %q, want %q", row.it, got, want)
		}
	}
}

type runnerFunc func(c *judge.Command) judge.Exec

func (f runnerFunc) Run(_ context.Context, c *judge.Command) (judge.Exec, error) { return f(c), nil }

func (f runnerFunc) Start(context.Context, *judge.Command) (judge.Process, error) {
	return nil, errors.New("nothing is started")
}

func TestProbesGetOld(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tools.json")
	asked := 0
	ask := func() (string, error) { asked++; return fmt.Sprint("answer ", asked), nil }
	get := func() string {
		t.Helper()
		said, err := (&probes{file: file}).get("question", ask) // read from the file again
		if err != nil {
			t.Fatal(err)
		}
		return said
	}
	if a, b := get(), get(); a != "answer 1" || b != "answer 1" {
		t.Errorf("get = %q, then %q, want the first answer twice", a, b)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	today := time.Now().Format("2006-01")
	aged := strings.Replace(string(data), `"when": "`+today, `"when": "2020-01`, 1)
	if aged == string(data) {
		t.Fatalf("no time in %s", data)
	}
	if err := os.WriteFile(file, []byte(aged), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := get(); got != "answer 2" {
		t.Errorf("get of an old answer = %q, want it asked again", got)
	}
	for _, broken := range []string{"", "null", "[1]", `{"x": 1}`} {
		if err := os.WriteFile(file, []byte(broken), 0o644); err != nil {
			t.Fatal(err)
		}
		before := asked
		if get(); asked != before+1 {
			t.Errorf("with the file %q nothing was asked", broken)
		}
	}
}

func TestOutermost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		paths := rapid.SliceOf(rapid.StringMatching(`(/[ab-]{1,2}){1,4}`)).Draw(t, "paths")
		got := outermost(paths)
		inside := func(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }
		for _, p := range paths {
			if !slices.ContainsFunc(got, func(dir string) bool { return inside(p, dir) }) {
				t.Errorf("outermost(%q) = %q, which does not show %s", paths, got, p)
			}
		}
		for i, a := range got {
			if !slices.Contains(paths, a) {
				t.Errorf("outermost(%q) = %q: %s was not asked for", paths, got, a)
			}
			for k, b := range got {
				if i != k && inside(a, b) {
					t.Errorf("outermost(%q) = %q: %s is inside %s", paths, got, a, b)
				}
			}
		}
	})
}

// TestHomesStayHidden checks that a tool never makes a whole home directory visible, wherever the tool is.
func TestHomesStayHidden(t *testing.T) {
	for dir, want := range map[string]bool{
		"/home/ann": false, "/home": false, "/": false, "/usr/local/go": false,
		"/home/ann/.pyenv/versions/3": true, "/opt/node": true, "/home/annabel": true,
	} {
		c := &toolchain{}
		c.show(dir, "/home/ann")
		if got := len(c.visible) == 1; got != want {
			t.Errorf("show(%s) shows it: %v, want %v", dir, got, want)
		}
	}
}
