// Package scripts is what the scripts of several commands have in common; for tests. It
// runs no scripts itself.
package scripts

import (
	"errors"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"assay/judge/running/testcache"
)

// Cached runs the tests with one cache for all, so that each program is built once.
type Cached struct{ M *testing.M }

// Run runs the tests, and returns the exit code.
func (c Cached) Run() int {
	dir, done, err := testcache.New()
	if err != nil {
		panic(err)
	}
	defer done()
	os.Setenv("ASSAY_CACHE", dir)
	return c.M.Run()
}

// exited is the error of a program that ended with another exit code than 0.
type exited interface {
	error
	ExitCode() int
}

// ExitCode is the command "exitcode N command...": it expects just this exit code,
// where "!" would take any but 0.
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

// measured are the fields of saved reports that are another in each run.
var measured = regexp.MustCompile(`"(build_ms|time_ms|cpu_ms|wall_ms|memory_bytes)":[0-9.]+|"(slowest)":"[^"]*"|,"cached":true|,"note":"ran again[^"]*"`)

// Untimed is the command "untimed FILE...": it takes out of saved reports what was
// measured.
func Untimed(ts *testscript.TestScript, _ bool, args []string) {
	for _, file := range args {
		text := measured.ReplaceAllString(ts.ReadFile(file), "$1$2")
		ts.Check(os.WriteFile(ts.MkAbs(file), []byte(text), 0o644))
	}
}
