// Command judge judges programs that read stdin and write stdout: it runs them in
// a sandbox on the cases of a problem folder and says where they went wrong.
//
// The package holds no logic of its own: each command is a file with its flags,
// a call, and what it exits with. Only this package reads flags and environment,
// and joins the packages below judge/.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"assay/judge/running/sandbox"
)

func main() {
	sandbox.Main() // does not return in a process that the sandbox started
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	done := func() {}
	cobra.OnInitialize(func() { done = ownTemp() }) // help and --version make no files
	code := run(ctx, os.Args[1:], &console{in: os.Stdin, out: os.Stdout, err: os.Stderr})
	done()
	os.Exit(code)
}

// ownTemp has all temporary files of this process made in a folder of its own, which
// the next judge removes if this one is killed. Without room for one, whoever needs a
// temporary file says so.
func ownTemp() (done func()) {
	dir, remove, err := sandbox.Temp()
	if err != nil || os.Setenv("TMPDIR", dir) != nil {
		return func() {}
	}
	return func() { _ = remove() } // the next judge tries again
}

// commands is the table of contents.
func commands(c *console) []*cobra.Command {
	return []*cobra.Command{
		submitCommand(c),   // submit.go
		golfCommand(c),     // golf.go
		arenaCommand(c),    // arena.go
		verifyCommand(c),   // verify.go
		generateCommand(c), // generate.go
		stressCommand(c),   // stress.go
		shrinkCommand(c),   // shrink.go
		coverageCommand(c), // coverage.go
		adequacyCommand(c), // adequacy.go
		importCommand(c),   // import.go
		exportCommand(c),   // export.go
		freezeCommand(c),   // freeze.go
		loginCommand(c),    // login.go
		logoutCommand(c),
		publishCommand(c), // remote.go
		boardCommand(c),   // board.go
		reportCommand(c),  // report.go
		initCommand(c),    // init.go
		newCommand(c),     // new.go
		listCommand(c),    // list.go
		showCommand(c),    // show.go
		statementCommand(c),
		langCommand(c),   // lang.go
		doctorCommand(c), // doctor.go
	}
}
