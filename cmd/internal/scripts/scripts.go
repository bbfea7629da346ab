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
const Timeout = 8 * time.Minute

// RunTests runs the tests of a package whose scripts call these commands. All tests share one cache, so that each
// program is built once. A command that hangs is stopped after a while and prints its goroutine stacks; otherwise
// all later scripts would run out of time. A command whose first argument is in lasting may run several times as
// long, because it runs as long as its script.
func RunTests(m testscript.TestingM, commands map[string]func(), background ...string) {
	watched := map[string]func(){}
	for name, run := range commands {
		watched[name] = func() {
			patience := Timeout
			if len(os.Args) > 1 && slices.Contains(background, os.Args[1]) {
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
	testscript.Main(cachedTests{m}, watched)
}

// cachedTests runs tests with one shared cache.
type cachedTests struct{ testscript.TestingM }

// Run runs the tests, and returns the exit code.
func (c cachedTests) Run() int {
	dir, done, err := testcache.New()
	if err != nil {
		panic(err)
	}
	defer done()
	os.Setenv("ASSAY_CACHE", dir)
	return c.TestingM.Run()
}

// exitError is the error of a program that ended with a nonzero exit code.
type exitError interface {
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
	code := 0
	if exit, ok := errors.AsType[exitError](err); ok {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// measuredFields matches the fields of saved reports that differ in each run.
var measuredFields = regexp.MustCompile(`"(build_ms|time_ms|cpu_ms|wall_ms|memory_bytes)":[0-9.]+|"(slowest)":"[^"]*"|` +
	`"(micros|used_ms)":\[[^]]*\]|,"cached":true|,"note":"ran again[^"]*"`)

// RemoveTimes implements the script command "untimed FILE...", which removes measurements from saved reports.
func RemoveTimes(ts *testscript.TestScript, _ bool, args []string) {
	for _, file := range args {
		text := measuredFields.ReplaceAllString(ts.ReadFile(file), "$1$2$3")
		ts.Check(os.WriteFile(ts.MkAbs(file), []byte(text), 0o644))
	}
}
