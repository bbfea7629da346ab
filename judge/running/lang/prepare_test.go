package lang_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/running/config"
	"assay/judge/running/lang"
)

// prepares returns the toy language with a prepared cache. Its prepare and build commands call the function
// command.
func prepares(t *testing.T, command func(c *judge.Command, cache string) judge.Exec) (*lang.Toolbox, *config.Language) {
	cfg, l := toy(t)
	l.Cache, l.Prepare = "/cache", [][]string{{"/usr/bin/toyc", "--library"}}
	box := lang.New(cfg, compiler(func(build string, c *judge.Command) judge.Exec {
		cache := ""
		for _, m := range c.Mounts {
			if m.At == "/cache" {
				cache = m.Host
			}
		}
		if x := command(c, cache); x != (judge.Exec{}) || strings.HasPrefix(c.Argv[1], "--") {
			return x
		}
		return copies(build, c)
	}), t.TempDir(), nil)
	box.Idle()
	return box, l
}

// TestPrepareOnce checks that the cache is prepared once, before the first build, for any number and origin of
// programs. The preparation is not subject to the programs' time limits, and a contestant's build does not change
// the prepared cache.
func TestPrepareOnce(t *testing.T) {
	var prepared, early atomic.Int32
	var box *lang.Toolbox
	box, l := prepares(t, func(c *judge.Command, cache string) judge.Exec {
		library := filepath.Join(cache, "library")
		if c.Argv[1] == "--library" {
			if c.Limits.CPU != 0 || c.Limits.Wall != 30*time.Minute || c.Limits.Memory != 0 {
				t.Errorf("it is prepared with the limits %+v", c.Limits)
			}
			if box.Preparing() != "Toy" {
				t.Errorf("while it is prepared, Preparing() = %q", box.Preparing())
			}
			time.Sleep(50 * time.Millisecond)
			prepared.Add(1)
			return fails(os.WriteFile(library, []byte("good"), 0o644))
		}
		if data, err := os.ReadFile(library); string(data) != "good" || c.Limits.CPU != 7*time.Second {
			early.Add(1)
			t.Errorf("a program is built with the library %q, %v, and the limits %+v", data, err, c.Limits)
		}
		if source, _ := os.ReadFile(filepath.Join(c.Mounts[0].Host, "main.toy")); strings.HasPrefix(string(source), "bad") {
			return fails(os.WriteFile(filepath.Join(cache, "poison"), nil, 0o644))
		}
		if _, err := os.Stat(filepath.Join(cache, "poison")); err == nil {
			t.Error("a setter's program is built with what a contestant's build wrote")
		}
		return judge.Exec{}
	})
	var all sync.WaitGroup
	for i, from := range []lang.Origin{lang.BySetter, lang.ByContestant, lang.BySetter, lang.ByContestant} {
		all.Go(func() {
			r, err := box.Build(t.Context(), write(t, "main.toy", strings.Repeat("bad", i%2)+strings.Repeat("x", i+1)), l, from)
			if err != nil || !r.OK {
				t.Errorf("Build: %+v, %v", r, err)
			}
		})
	}
	all.Wait()
	if prepared.Load() != 1 || box.Preparing() != "" {
		t.Errorf("it was prepared %d times, and is now: %q", prepared.Load(), box.Preparing())
	}
	if r, err := box.Build(t.Context(), write(t, "main.toy", "after the poison"), l, lang.BySetter); err != nil || !r.OK {
		t.Errorf("Build: %+v, %v", r, err)
	}
	// If the prepare commands change, a new cache is prepared, which does not contain the changes by the
	// contestant's build.
	l.Prepare = append(l.Prepare, []string{"/usr/bin/toyc", "--library"})
	if r, err := box.Build(t.Context(), write(t, "main.toy", "another"), l, lang.BySetter); err != nil || !r.OK {
		t.Errorf("Build: %+v, %v", r, err)
	}
	if prepared.Load() != 3 {
		t.Errorf("two new commands have prepared it %d times, want 2", prepared.Load()-1)
	}
}

// TestPrepareSaysHowFarItIs checks that the parts printed by prepare commands are counted, and are not part of the
// message if a command fails.
func TestPrepareSaysHowFarItIs(t *testing.T) {
	var box *lang.Toolbox
	var told []string
	lists := true
	box, l := prepares(t, func(c *judge.Command, _ string) judge.Exec {
		switch c.Argv[1] {
		case "--list":
			if !lists {
				return judge.Exec{Exit: 1}
			}
			_, _ = c.Stdout.Write([]byte("io\nos\nfmt\n"))
		case "--library":
			for _, part := range []string{"", "io\no", "s\nerror in os\n", "unknown\nfmt"} {
				_, _ = c.Stderr.Write([]byte(part))
				told = append(told, box.Preparing())
			}
			return judge.Exec{Exit: 2}
		}
		return judge.Exec{}
	})
	l.Prepares = config.PreparedParts{Name: "packages", List: []string{"/usr/bin/toyc", "--list"}}
	_, err := box.Build(t.Context(), write(t, "main.toy", "x"), l)
	if want := []string{
		"Toy: 0 of 3 packages", "Toy: 1 of 3 packages", "Toy: 2 of 3 packages", "Toy: 2 of 3 packages",
	}; !slices.Equal(told, want) {
		t.Errorf("it is told %q, want %q", told, want)
	}
	if want := "exit code 2\n    error in os\n    unknown\n    fmt"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("Build: %v, want an error with %q", err, want)
	}
	told, lists = nil, false
	if _, err := box.Build(t.Context(), write(t, "main.toy", "x"), l); err == nil || told[3] != "Toy" {
		t.Errorf("without a list it is told %q, %v", told, err)
	}
}

// fails returns the end of a command that fails if err is not nil.
func fails(err error) judge.Exec {
	if err != nil {
		return judge.Exec{Exit: 9}
	}
	return judge.Exec{}
}

// TestPrepareThatFails checks that a failed preparation is a failure of the machine, for programs of setters and
// contestants, and that it is retried.
func TestPrepareThatFails(t *testing.T) {
	for name, row := range map[string]struct {
		exec judge.Exec
		want string
	}{
		"it is stopped": {
			judge.Exec{Killed: judge.WallTime},
			"prepare Toy: /usr/bin/toyc --library killed while it waited\n    the compiler was stopped after 30m0s",
		},
		"it does not work": {judge.Exec{Exit: 2}, "prepare Toy: /usr/bin/toyc --library exit code 2\n    no library"},
	} {
		t.Run(name, func(t *testing.T) {
			failing := true
			box, l := prepares(t, func(c *judge.Command, _ string) judge.Exec {
				if c.Argv[1] != "--library" || !failing {
					return judge.Exec{}
				}
				if row.exec.Exit > 0 {
					_, _ = c.Stdout.Write([]byte("no library\n"))
				}
				return row.exec
			})
			for _, from := range []lang.Origin{lang.BySetter, lang.ByContestant} {
				r, err := box.Build(t.Context(), write(t, "main.toy", "x"), l, from)
				if judge.BlameOf(err) != judge.Machine || !strings.Contains(err.Error(), row.want) {
					t.Fatalf("Build by %s: %+v, %v\nwant an error with %q", from, r, err, row.want)
				}
				if _, fault := errors.AsType[*judge.ProblemError](err); fault {
					t.Errorf("it is a fault of the directory: %v", err)
				}
			}
			failing = false
			if r, err := box.Build(t.Context(), write(t, "main.toy", "x"), l, lang.BySetter); err != nil || !r.OK {
				t.Errorf("Build after that: %+v, %v", r, err)
			}
		})
	}
}

// TestStoppedBuild checks that the result of a build that exceeded a time limit contains the limit.
func TestStoppedBuild(t *testing.T) {
	for killed, want := range map[judge.Resource]judge.Resource{
		judge.CPUTime: judge.CPUTime, judge.WallTime: judge.WallTime, judge.Memory: judge.NoResource,
	} {
		box, l := prepares(t, func(c *judge.Command, _ string) judge.Exec {
			if c.Argv[1] == "--library" {
				return judge.Exec{}
			}
			return judge.Exec{Killed: killed}
		})
		r, err := box.Build(t.Context(), write(t, "main.toy", "x"), l)
		if err != nil || r.OK || r.Stopped != want {
			t.Errorf("a build that was killed for its %s: %+v, %v, want Stopped = %q", killed, r, err, want)
		}
	}
}
