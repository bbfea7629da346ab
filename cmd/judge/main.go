// Command judge judges programs that read stdin and write stdout: it runs them in a sandbox on the cases of a
// problem directory and reports where they fail.
//
// The package contains no logic of its own: each command is a file with its flags, a call, and its exit code.
// Only this package reads flags and environment variables, and joins the packages below judge/.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge/report"
	"assay/judge/running/sandbox"
)

func main() { runMain(report.NoticeInterval) }

// runMain runs the command line. The parameter interval is the time between notices about long work.
func runMain(interval time.Duration) {
	sandbox.Main() // does not return in a process that the sandbox started
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	done := func() {}
	cobra.OnInitialize(func() { done = makeTempDir() }) // help and --version create no files
	notices := report.NewNotices(os.Stderr, interval)
	code := run(ctx, os.Args[1:], &console{in: os.Stdin, out: os.Stdout, err: os.Stderr, noticing: notices})
	notices.Close()
	done()
	os.Exit(code)
}

// makeTempDir makes a directory for all temporary files of this process. If this judge is killed, the next one
// removes the directory. If it cannot be made, later code that needs a temporary file reports the error.
func makeTempDir() (cleanUp func()) {
	dir, remove, err := sandbox.Temp()
	if err != nil || os.Setenv("TMPDIR", dir) != nil {
		return func() {}
	}
	return func() { _ = remove() } // the next judge tries again
}

// group is a section of the table of contents.
type group struct {
	id, title string
	commands  []*cobra.Command
}

// commandGroups returns the table of contents that `judge help` shows.
func commandGroups(c *console) []group {
	return []group{
		{
			"judge", "Judge solutions:",
			[]*cobra.Command{submitCommand(c), listCommand(c), showCommand(c), statementCommand(c), reportCommand(c)},
		},
		{"set", "Set problems:", []*cobra.Command{
			initCommand(c), newCommand(c), generateCommand(c), verifyCommand(c), stressCommand(c), shrinkCommand(c),
			coverageCommand(c), adequacyCommand(c), importCommand(c), exportCommand(c), bundleCommand(c),
		}},
		{"golf", "Code golf:", []*cobra.Command{golfCommand(c)}},
		{"arena", "Games between bots:", []*cobra.Command{arenaCommand(c)}},
		{"server", "Work with a server:", []*cobra.Command{loginCommand(c), logoutCommand(c), publishCommand(c), scoreboardCommand(c)}},
		{toolGroup, "This machine and this program:", []*cobra.Command{doctorCommand(c), langCommand(c), cli.VersionCommand()}},
	}
}

// toolGroup is the group that also contains help and completion, which cobra adds.
const toolGroup = "tool"
