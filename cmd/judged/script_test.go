package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"assay/cmd/internal/scripts"
	"assay/judge/host/freeport"
	"assay/judge/host/store/storetest"
	"assay/judge/host/worker"
	"assay/judge/running/sandbox"
	"assay/judge/running/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	play()
	scripts.RunTests(crowd{m}, map[string]func(){"judged": main}, "serve", "worker")
}

// crowd runs more tests in parallel than there are processors. This is useful because slow tests mostly wait until
// a lease expires or a lost connection is noticed.
type crowd struct{ *testing.M }

func (c crowd) Run() int {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "test.parallel" })
	if !asked {
		if err := flag.Set("test.parallel", "8"); err != nil {
			panic(err)
		}
	}
	return c.M.Run()
}

// TestScripts runs the commands of administrators and submitters, with real servers and workers on this machine.
func TestScripts(t *testing.T) {
	people := t.TempDir() // contains the command judge
	if out, err := exec.Command("go", "build", "-o", people, "../judge").CombinedOutput(); err != nil {
		t.Fatalf("build judge: %v\n%s", err, out)
	}
	require := cmp.Or(sandboxtest.Any().Isolation, "any")
	// The first worker queries all toolchains of this machine. The others find the results in the cache.
	first, err := worker.NewRunner(worker.RunnerOptions{Dir: t.TempDir(), Cache: os.Getenv("ASSAY_CACHE"), Slots: 1,
		RequiredIsolation: require})
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("ASSAY_CACHE", os.Getenv("ASSAY_CACHE"))
			bare, _, _ := strings.Cut(env.Getenv("PATH"), string(filepath.ListSeparator))
			env.Setenv("BARE", bare) // a directory that contains only judged
			env.Setenv("PATH", people+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("ASSAY_REQUIRE", require)
			env.Values[browser{}] = newBrowser()
			env.Values[secrets{}] = map[string]string{}
			for _, name := range []string{"ONE", "TWO", "N1", "N2", "N3", "R1", "R2", "R3"} {
				env.Setenv(name, freeport.Address(t))
			}
			return nil
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "slow":
				return os.Getenv("ASSAY_SLOW") != "", nil
			case "nginx":
				_, err := exec.LookPath("nginx")
				return err == nil, nil
			case "isolated":
				return require != "any", nil
			case "nicer": // whether a process may have a lower priority than this one
				said, err := exec.Command("nice").Output()
				if err != nil {
					return false, nil
				}
				now, err := strconv.Atoi(strings.TrimSpace(string(said)))
				return now <= 16, err
			}
			return false, fmt.Errorf("there is no condition %q", name)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exitcode": scripts.ExitCode, "until": until, "grab": grab, "untimed": scripts.RemoveTimes, "huge": huge, "term": term,
			"browse": browse, "pack": pack,
			"postgres": postgres,
			"secret":   secret, "hides": hides,
		},
		RequireUniqueNames: true,
	})
}

// until implements the command "until PATTERN command...", which repeats the command until its output matches the
// pattern.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until PATTERN command...")
	}
	want := regexp.MustCompile("(?m)" + args[0])
	for end := time.Now().Add(scripts.Timeout); ; time.Sleep(200 * time.Millisecond) {
		err := ts.Exec(args[1], args[2:]...)
		if said := ts.ReadFile("stdout") + ts.ReadFile("stderr"); want.MatchString(said) {
			return
		} else if time.Now().After(end) {
			ts.Fatalf("%v never says %s: at last %q, %v", args[1:], args[0], said, err)
		}
	}
}

// grab implements the command "grab VARIABLE PATTERN", which saves the first group matched in the last output.
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

// postgres implements the command "postgres VARIABLE". It starts a PostgreSQL server for the script, and stores
// the address of its empty database.
func postgres(ts *testscript.TestScript, _ bool, args []string) {
	p, err := storetest.StartPostgres()
	ts.Check(err)
	ts.Defer(func() { ts.Check(p.Stop()) })
	ts.Setenv(args[0], p.DSN("postgres"))
}

// huge implements the command "huge FILE", which writes a file of 1 MiB.
func huge(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), make([]byte, 1<<20), 0o644))
}

// term implements the command "term", which sends SIGTERM to the background commands, as an init system does.
func term(ts *testscript.TestScript, _ bool, _ []string) {
	for _, c := range ts.BackgroundCmds() {
		if err := c.Process.Signal(syscall.SIGTERM); !errors.Is(err, os.ErrProcessDone) {
			ts.Check(err)
		}
	}
}
