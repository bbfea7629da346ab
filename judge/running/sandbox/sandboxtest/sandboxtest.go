//go:build linux

package sandboxtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/running/sandbox"
)

// Ability is a feature that a level may lack. Each test names the abilities that it requires.
type Ability uint

const (
	Isolates     Ability = 1 << iota // namespaces, and a system call filter
	CountsMemory                     // memory of all processes together, with a verdict for each process
	CountsCPU                        // CPU time of all processes together
	OtherUser                        // programs and the judge run as different users
	LimitsForks                      // limits the number of processes exactly
)

// abilities maps each level to its abilities.
var abilities = map[sandbox.Level]Ability{
	sandbox.RootV2:     Isolates | CountsMemory | CountsCPU | OtherUser | LimitsForks,
	sandbox.RootV1:     Isolates | CountsMemory | CountsCPU | OtherUser | LimitsForks,
	sandbox.Root:       Isolates | CountsCPU | OtherUser,
	sandbox.RootlessV2: Isolates | CountsMemory | CountsCPU | LimitsForks,
	sandbox.Rootless:   Isolates | CountsCPU,
	sandbox.None:       0,
}

// suite is a run of the tests on one level.
type suite struct {
	s    *sandbox.Sandbox
	can  Ability
	dir  string // directory of the hostile programs, visible as /program
	host string // a file that programs must not see
}

// Run runs the whole suite on the level that o requests. It sets Workers to 1, so that consecutive runs use the
// same worker.
func Run(t *testing.T, o sandbox.Options) {
	programs, host := Programs(t), t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	before := takeInventory(t)
	o.Workers = 1
	s, err := sandbox.New(o)
	if err != nil {
		t.Skipf("this machine does not offer this level: %v", err)
	}
	su := &suite{s: s, can: abilities[s.Level()], dir: programs, host: filepath.Join(host, "secret.ans")}
	if err := os.WriteFile(su.host, []byte("42\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Run("hostile", su.hostile)
	t.Run("facts", su.facts)
	t.Run("refuses", su.refuses)
	t.Run("streams", su.streams)
	t.Run("starts", su.starts)
	t.Run("joins", su.joins)
	t.Run("turns", su.turns)
	t.Run("writables", su.writables)
	if su.can&Isolates != 0 { // without isolation, it would change the machine
		t.Run("leaks", su.leaks)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
	before.compare(t)
}

// generousLimits contains limits for tests that do not test a limit.
var generousLimits = judge.Limits{
	CPU: 5 * time.Minute, Wall: 10 * time.Minute, Memory: 512 << 20, Output: 16 << 20, Processes: 100, Files: 100,
}

// command returns a command that runs one of the programs in Programs.
func (su *suite) command(l judge.Limits, argv ...string) *judge.Command {
	c := &judge.Command{
		Argv:   append([]string{"/program/" + argv[0]}, argv[1:]...),
		Mounts: []judge.Mount{{Host: su.dir, At: "/program"}},
		Limits: l,
	}
	if argv[0] == hostileName {
		c.Env = []string{hostileMark + "=1", "GOMAXPROCS=2", "GORACE=atexit_sleep_ms=0"}
	}
	return c
}

// result is the result of a run, as tests check it.
type result struct {
	judge.Exec
	out, stderr string
}

func (su *suite) run(t *testing.T, c *judge.Command) result {
	t.Helper()
	var out, stderr bytes.Buffer
	c.Stdout, c.Stderr = &out, &stderr
	x, err := su.s.Run(t.Context(), c)
	if err != nil {
		t.Fatalf("Run(%q) = %v", c.Argv, err)
	}
	return result{x, out.String(), stderr.String()}
}

// hostile runs each hostile program against which the isolation level protects, and checks for traces after each
// run.
func (su *suite) hostile(t *testing.T) {
	for _, row := range rows {
		if row.needs&^su.can != 0 {
			t.Logf("not enforced at the level %s: %s", su.s.Level(), row.name)
			continue
		}
		t.Run(row.name, func(t *testing.T) {
			limits := generousLimits
			if row.limits != nil {
				row.limits(&limits)
			}
			argv := row.argv
			for i := range argv {
				argv[i] = strings.NewReplacer("$SECRET", su.host, "$PROGRAMS", su.dir).Replace(argv[i])
			}
			c := su.command(limits, argv...)
			c.Locks = row.locks
			got := su.run(t, c)
			signal := got.Signal == row.signal || row.signalIfMissing != "" && got.Signal == row.signalIfMissing
			if got.Killed != row.killed || !signal && row.killed == judge.NoResource || got.Exit != row.exit {
				t.Errorf(
					"got %+v, want killed %q, signal %q, exit %d\nstdout: %.300q\nstderr: %.300q", got.Exec,
					row.killed, row.signal, row.exit, got.out, got.stderr,
				)
			}
			if row.check != nil {
				row.check(t, limits, got)
			}
			su.checkTraces(t)
		})
	}
}

// checkTraces runs a program that reports traces of previous runs.
func (su *suite) checkTraces(t *testing.T) {
	t.Helper()
	if su.can&Isolates == 0 {
		return
	}
	got := su.run(t, su.command(generousLimits, hostileName, "census"))
	if got.out != "" || got.Exit != 0 || got.Signal != "" {
		t.Errorf("the next run finds what the last one left: %+v\n%s%s", got.Exec, got.out, got.stderr)
	}
}

// facts checks the facts that are returned about harmless programs.
func (su *suite) facts(t *testing.T) {
	t.Run("it tells exit codes", func(t *testing.T) {
		if got := su.run(t, su.command(generousLimits, hostileName, "exit", "3")); got.Exit != 3 || got.Signal != "" || got.Killed != "" {
			t.Errorf("got %+v, want exit code 3", got.Exec)
		}
	})
	t.Run("it counts output to the byte", func(t *testing.T) {
		limits := generousLimits
		limits.Output = 100_000
		if got := su.run(t, su.command(limits, hostileName, "write", "100000")); got.Output != 100_000 ||
			len(got.out) != 100_000 || got.Killed != "" || got.Exit != 0 {
			t.Errorf("got %+v and %d bytes, want 100000 and no fault: exactly at the limit is fine", got.Exec, len(got.out))
		}
		got := su.run(t, su.command(limits, hostileName, "write", "100001"))
		if got.Output != 100_001 || len(got.out) != 100_001 || got.Killed != judge.Output {
			t.Errorf("got %+v and %d bytes, want 100001 and killed for its output", got.Exec, len(got.out))
		}
	})
	t.Run("it measures wall time apart from CPU time", func(t *testing.T) {
		got := su.run(t, su.command(generousLimits, hostileName, "sleep", "100ms"))
		if got.Wall < 100*time.Millisecond || got.CPU > got.Wall {
			t.Errorf("slept 100 ms: wall %v, CPU %v", got.Wall, got.CPU)
		}
	})
	t.Run("it tells who waited by itself from who waited for the judge", func(t *testing.T) {
		if su.can&Isolates == 0 {
			t.Logf("not reported at the level %s", su.s.Level())
			return
		}
		for name, asleep := range map[string]bool{"pause": true, "listen": false} {
			limits := generousLimits
			for limits.Wall = 300 * time.Millisecond; ; limits.Wall *= 2 { // a busy machine may check too late
				c := su.command(limits, name)
				c.Stdin = stuckReader{t.Context()}
				got := su.run(t, c)
				if got.Killed == judge.WallTime && !got.Asleep && asleep && limits.Wall < time.Minute {
					continue
				}
				if got.Killed != judge.WallTime || got.Asleep != asleep {
					t.Errorf("%s: %+v, want it asleep: %v", name, got.Exec, asleep)
				}
				break
			}
		}
	})
	t.Run("it measures the CPU time of children and threads", func(t *testing.T) {
		if su.can&CountsCPU == 0 {
			t.Logf("not enforced at the level %s", su.s.Level())
			return
		}
		got := su.run(t, su.command(generousLimits, hostileName, "burn-in-children", "3", "50ms"))
		if got.CPU < 150*time.Millisecond {
			t.Errorf("three children used 50 ms each: CPU %v", got.CPU)
		}
	})
	t.Run("it measures memory", func(t *testing.T) {
		got := su.run(t, su.command(generousLimits, hostileName, "touch", "100"))
		least := int64(95)
		if su.can&CountsMemory == 0 {
			least = 40 // memory up to the judge's own is only sampled
		}
		if mib := got.Memory >> 20; mib < least || mib > 140 {
			t.Errorf("touched 100 MiB: memory %d MiB", mib)
		}
	})
	t.Run("it forgets the peak of the run before", func(t *testing.T) {
		got := su.run(t, su.command(generousLimits, "noop"))
		if su.can&Isolates != 0 && got.Memory > 16<<20 {
			t.Errorf("a program that does nothing: memory %d", got.Memory)
		}
	})
}

// refuses checks files that cannot be executed.
func (su *suite) refuses(t *testing.T) {
	for name, row := range map[string]struct {
		argv []string
		want string
	}{
		"it says that there is no such file": {[]string{"/program/absent"}, "no such file"},
		"it looks commands up in PATH":       {[]string{"absent"}, "no such file"},
		"it says that a directory is one":    {[]string{"/program"}, "is a directory"},
		"it says that the mode is wrong":     {[]string{"/program/plain.txt"}, "not executable: it has no execute permission"},
		"it says that a script lacks its interpreter": {
			[]string{"/program/orphan.sh"}, "a script whose interpreter /no/such/interpreter does not exist",
		},
		"it says that a script has Windows line ends": {
			[]string{"/program/windows.sh"},
			`a script with Windows line ends: its interpreter would be "/bin/sh\r"`,
		},
		"it says that a text is not a program": {
			[]string{"/program/text"},
			"not an executable format: neither a binary for this machine nor a script that begins with #!",
		},
		"it says that a file is empty":                  {[]string{"/program/empty"}, "is empty"},
		"it says that a binary is for another machine":  {[]string{"/program/foreign"}, "made for another machine: S390, and this is X86_64"},
		"it says that a binary is for a 32-bit machine": {[]string{"/program/old"}, "made for another machine: 386, and this is X86_64"},
		"it says that a binary is damaged":              {[]string{"/program/damaged"}, "a damaged ELF file"},
		"it refuses arguments with NULs":                {[]string{"/program/noop", "a\x00b"}, "an argument contains a NUL byte"},
		"it refuses no command":                         {[]string{""}, "no command"},
		"it refuses arguments that are too long": {
			[]string{"/program/noop", strings.Repeat("x", 200<<10)}, "arguments and environment are too long",
		},
		"it says that a part of the path is a file": {[]string{"/program/noop/x"}, "no such file: a part of its path is not a directory"},
	} {
		if row.argv[0] == "/program/old" && su.s.Level() == sandbox.None {
			continue // without a filter, the program simply runs
		}
		t.Run(name, func(t *testing.T) {
			c := su.command(generousLimits, "noop")
			c.Argv = row.argv
			x, err := su.s.Run(t.Context(), c)
			refusal, ok := errors.AsType[*judge.ExecError](err)
			if !ok || !strings.HasPrefix(refusal.Reason, row.want) || refusal.Argv0 != row.argv[0] {
				t.Errorf("Run(%.100q) = %+v, %v, want an ExecError: %s", row.argv, x, err, row.want)
			}
		})
	}
	t.Run("it refuses negative limits", func(t *testing.T) {
		if _, err := su.s.Run(t.Context(), su.command(judge.Limits{Memory: -1}, "noop")); err == nil {
			t.Error("a negative limit was accepted")
		}
	})
	t.Run("it takes limits beyond the machine", func(t *testing.T) {
		huge := judge.Limits{
			CPU: 1 << 62, Wall: 1 << 62, Memory: 1 << 62, Output: 1 << 62, Processes: 1 << 40, Files: 100,
			Scratch: 1 << 40,
		}
		if got := su.run(t, su.command(huge, "noop")); got.Exit != 0 || got.Killed != "" {
			t.Errorf("got %+v", got.Exec)
		}
	})
	t.Run("it passes an environment of 200 KB", func(t *testing.T) {
		c := su.command(generousLimits, hostileName, "environment")
		for i := range 20 {
			c.Env = append(c.Env, fmt.Sprintf("BIG%d=%s", i, strings.Repeat("x", 10<<10)))
		}
		if got := su.run(t, c); got.out != "204800\n" {
			t.Errorf("got %q (%s), want 204800 bytes", got.out, got.stderr)
		}
	})
}

// streams checks the standard input and output of programs.
func (su *suite) streams(t *testing.T) {
	big := strings.Repeat("0123456789abcdef", 1<<16) // 1 MiB
	file := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(file, []byte(big), 0o644); err != nil {
		t.Fatal(err)
	}
	open, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	t.Run("it passes a reader of known length", func(t *testing.T) {
		c := su.command(generousLimits, hostileName, "cat")
		c.Stdin = strings.NewReader(big)
		if got := su.run(t, c); got.out != big {
			t.Errorf("got %d bytes, want %d", len(got.out), len(big))
		}
	})
	t.Run("it passes any reader", func(t *testing.T) {
		c := su.command(generousLimits, hostileName, "cat")
		c.Stdin = struct{ *strings.Reader }{strings.NewReader(big)}
		c.Stdin = onlyReader{strings.NewReader(big)}
		if got := su.run(t, c); got.out != big {
			t.Errorf("got %d bytes, want %d", len(got.out), len(big))
		}
	})
	t.Run("it passes a file", func(t *testing.T) {
		c := su.command(generousLimits, hostileName, "cat")
		c.Stdin = open
		if got := su.run(t, c); got.out != big {
			t.Errorf("got %d bytes, want %d", len(got.out), len(big))
		}
	})
	t.Run("it hides the name of a file, and begins where it stands", func(t *testing.T) {
		for _, text := range []string{"short", big} {
			f, err := os.Create(filepath.Join(t.TempDir(), "telling"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteString("xyz" + text); err != nil {
				t.Fatal(err)
			}
			if _, err := f.Seek(3, io.SeekStart); err != nil {
				t.Fatal(err)
			}
			c := su.command(generousLimits, hostileName, "name-of-stdin")
			c.Stdin = f
			if got := su.run(t, c); su.can&Isolates != 0 && (got.Exit != 0 || got.out != text) {
				t.Errorf("got %d bytes, want %d; %+v, %s", len(got.out), len(text), got.Exec, got.stderr)
			}
		}
	})
	t.Run("it lets a program open /dev/stdin and /dev/stdout", func(t *testing.T) {
		c := su.command(generousLimits, hostileName, "cat-devices")
		c.Stdin = onlyReader{strings.NewReader("hello\n")}
		if got := su.run(t, c); got.out != "hello\n" {
			t.Errorf("got %q %+v, %s", got.out, got.Exec, got.stderr)
		}
	})
	t.Run("it writes to a file, and bounds it", func(t *testing.T) {
		f, err := os.Create(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		limits := generousLimits
		limits.Output = 1000
		c := su.command(limits, hostileName, "write", "5000")
		c.Stdout = f
		x, err := su.s.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if su.can&Isolates != 0 && (x.Killed != judge.Output || x.Output <= 1000) {
			t.Errorf("wrote 5000 of 1000 bytes to a file: %+v", x)
		}
	})
	su.endings(t)
}

// endings checks how a program's input and output end.
func (su *suite) endings(t *testing.T) {
	t.Run("it does not wait for a reader that a program ignores", func(t *testing.T) {
		c := su.command(generousLimits, "noop")
		c.Stdin = stuckReader{t.Context()}
		if got := su.run(t, c); got.Exit != 0 {
			t.Errorf("got %+v", got.Exec)
		}
	})
	t.Run("it keeps reading errors", func(t *testing.T) {
		got := su.run(t, su.command(generousLimits, hostileName, "write-errors", "3000000"))
		if len(got.stderr) != 3_000_000 || got.Output != 0 || got.Exit != 0 {
			t.Errorf("got %d bytes of standard error, %+v", len(got.stderr), got.Exec)
		}
	})
	t.Run("it passes on the error of a writer", func(t *testing.T) {
		c := su.command(generousLimits, hostileName, "write", "3000000")
		c.Stdout = fullDisk{}
		if x, err := su.s.Run(t.Context(), c); !errors.Is(err, errFullDisk) {
			t.Errorf("Run() = %+v, %v, want the writer's error", x, err)
		}
	})
	t.Run("it ends with its context", func(t *testing.T) {
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		c := su.command(generousLimits, hostileName, "write-then-sleep")
		c.Stdout = callOnWrite(func() { cancel(cause) })
		if x, err := su.s.Run(ctx, c); !errors.Is(err, cause) {
			t.Errorf("Run() = %+v, %v, want %v", x, err, cause)
		}
		su.checkTraces(t)
	})
}
