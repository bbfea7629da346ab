package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"assay/cmd/internal/scripts"
	"assay/judge/running/sandbox"
	"assay/judge/running/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	play()
	testscript.Main(scripts.Cached{M: m}, map[string]func(){"judged": main})
}

// TestScripts runs what those who host and those who submit type, with real servers and
// workers on this machine.
func TestScripts(t *testing.T) {
	people := t.TempDir() // of which the command judge is
	if out, err := exec.Command("go", "build", "-o", people, "../judge").CombinedOutput(); err != nil {
		t.Fatalf("build judge: %v\n%s", err, out)
	}
	require := sandboxtest.Any().Isolation
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("ASSAY_CACHE", os.Getenv("ASSAY_CACHE"))
			env.Setenv("PATH", people+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv("HOME", env.WorkDir)
			if require != "" {
				env.Setenv("ASSAY_REQUIRE", require)
			}
			for _, name := range []string{"ONE", "TWO"} { // addresses that nobody has
				l, err := net.Listen("tcp", "127.0.0.1:0")
				if err != nil {
					return err
				}
				env.Setenv(name, l.Addr().String())
				if err := l.Close(); err != nil {
					return err
				}
			}
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "slow" {
				return false, fmt.Errorf("there is no condition %q", name)
			}
			return os.Getenv("ASSAY_SLOW") != "", nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exitcode": scripts.ExitCode, "until": until, "grab": grab, "untimed": scripts.Untimed, "huge": huge, "term": term,
		},
		RequireUniqueNames: true,
	})
}

// until is the command "until PATTERN command...": it runs the command again and again,
// until what it says matches the pattern.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until PATTERN command...")
	}
	want := regexp.MustCompile("(?m)" + args[0])
	for end := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		err := ts.Exec(args[1], args[2:]...)
		if said := ts.ReadFile("stdout") + ts.ReadFile("stderr"); want.MatchString(said) {
			return
		} else if time.Now().After(end) {
			ts.Fatalf("%v never says %s: at last %q, %v", args[1:], args[0], said, err)
		}
	}
}

// grab is the command "grab VARIABLE PATTERN": it keeps the first group of what was said
// last.
func grab(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: grab VARIABLE PATTERN")
	}
	found := regexp.MustCompile("(?m)" + args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if found == nil {
		ts.Fatalf("%q does not match %s", ts.ReadFile("stdout"), args[1])
	}
	ts.Setenv(args[0], found[1])
}

// huge is the command "huge FILE": a file of 1 MiB.
func huge(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), make([]byte, 1<<20), 0o644))
}

// term is the command "term": it tells the commands in the background to end, as a system
// does.
func term(ts *testscript.TestScript, _ bool, _ []string) {
	for _, c := range ts.BackgroundCmds() {
		ts.Check(c.Process.Signal(syscall.SIGTERM))
	}
}
