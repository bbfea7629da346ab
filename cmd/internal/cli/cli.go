// Package cli contains what the commands of this project share: checks of arguments and flags, error
// messages, exit codes, and the locations of the user's contest and logins. It has no commands of its own.
package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"assay/judge"
)

// Exit codes. They are part of the interface: scripts and CI rely on them.
const (
	ExitAccepted    = 0
	ExitNotAccepted = 1
	ExitUsage       = 2   // the command line, a missing file, an unknown name
	ExitFault       = 3   // error in the problem directory or judge.toml
	ExitJudge       = 4   // judge or system error
	ExitInterrupted = 130 // Ctrl-C
)

// Exit prints err after the program's name, and returns the exit code for err.
func Exit(ctx context.Context, program string, out io.Writer, err error) int {
	if err == nil {
		return ExitAccepted
	}
	if ctx.Err() != nil {
		fmt.Fprintln(out, program+": interrupted")
		return ExitInterrupted
	}
	fmt.Fprintln(out, program+": "+strings.TrimRight(err.Error(), "\n"))
	switch judge.BlameOf(err) {
	case judge.Caller, judge.Contestant:
		return ExitUsage
	case judge.Setter:
		return ExitFault
	}
	return ExitJudge
}

// ErrorWriter is a writer that remembers its first write error. After such an error, for example on a full disk, a
// command must not exit as if everything was printed.
type ErrorWriter struct {
	Out io.Writer
	Err error
}

// Write writes.
func (w *ErrorWriter) Write(p []byte) (int, error) {
	n, err := w.Out.Write(p)
	if err != nil && w.Err == nil {
		w.Err = err
	}
	return n, err
}

// Version returns the version of this program and its commit, such as
// "1.0.0 (a1b2c3d4e5f6, go1.26.0, linux/amd64)". A build of changed files has "+dirty" in its version.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "of unknown origin"
	}
	version, commit := strings.TrimPrefix(info.Main.Version, "v"), ""
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			commit = s.Value[:min(len(s.Value), 12)] + ", "
		}
	}
	if version == "" {
		version = "(devel)"
	}
	return fmt.Sprintf("%s (%s%s, %s/%s)", version, commit, info.GoVersion, runtime.GOOS, runtime.GOARCH)
}
