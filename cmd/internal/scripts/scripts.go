// Package scripts contains helpers for the test scripts of several commands. It runs no scripts itself.
package scripts

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime/pprof"
	"slices"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"assay/judge/running/testcache"
)

// The constant below bounds how long a command of a script may run, and how long a script waits for a
// condition.
const Patience = 8 * time.Minute

// Main runs the tests of a package whose scripts call these commands. All tests share one cache, so that each
// program is built once. A command that hangs is stopped after a while and prints its goroutine stacks; otherwise
// all later scripts would run out of time. A command whose first argument is in lasting may run several times as
// long, because it runs as long as its script.
func Main(m testscript.TestingM, commands map[string]func(), lasting ...string) {
	watched := map[string]func(){}
	for name, run := range commands {
		watched[name] = func() {
			patience := Patience
			if len(os.Args) > 1 && slices.Contains(lasting, os.Args[1]) {
				patience *= 5
			}
			time.AfterFunc(patience, func() {
				fmt.Fprintf(os.Stderr, "%q still runs after %v; its goroutines:\n", os.Args, patience)
				_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 2)
				os.Exit(9)
			})
			run()
		}
	}
	testscript.Main(cached{m}, watched)
}

// cached runs tests with one shared cache.
type cached struct{ testscript.TestingM }

// Run runs the tests, and returns the exit code.
func (c cached) Run() int {
	dir, done, err := testcache.New()
	if err != nil {
		panic(err)
	}
	defer done()
	os.Setenv("ASSAY_CACHE", dir)
	return c.TestingM.Run()
}

// exited is the error of a program that ended with a nonzero exit code.
type exited interface {
	error
	ExitCode() int
}

// ExitCode implements the script command "exitcode N command...", which expects exit code N. By contrast, "!"
// accepts any nonzero code.
func ExitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exitcode N command...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := errors.AsType[exited](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// measured matches the fields of saved reports that differ in each run.
var measured = regexp.MustCompile(`"(build_ms|time_ms|cpu_ms|wall_ms|memory_bytes)":[0-9.]+|"(slowest)":"[^"]*"|` +
	`"(micros|used_ms)":\[[^]]*\]|,"cached":true|,"note":"ran again[^"]*"`)

// Untimed implements the script command "untimed FILE...", which removes measurements from saved reports.
func Untimed(ts *testscript.TestScript, _ bool, args []string) {
	for _, file := range args {
		text := measured.ReplaceAllString(ts.ReadFile(file), "$1$2$3")
		ts.Check(os.WriteFile(ts.MkAbs(file), []byte(text), 0o644))
	}
}
