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
	"time"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge/report"
	"assay/judge/running/sandbox"
)

func main() { start(report.NoticeInterval) }

// start runs the command line. Notices on long work are written at this interval.
func start(interval time.Duration) {
	sandbox.Main() // does not return in a process that the sandbox started
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	done := func() {}
	cobra.OnInitialize(func() { done = ownTemp() }) // help and --version make no files
	notices := report.NewNotices(os.Stderr, interval)
	code := run(ctx, os.Args[1:], &console{in: os.Stdin, out: os.Stdout, err: os.Stderr, noticing: notices})
	notices.Close()
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

// group is a part of the table of contents.
type group struct {
	id, title string
	commands  []*cobra.Command
}

// contents is the table of contents, as `judge help` shows it.
func contents(c *console) []group {
	return []group{
		{"judge", "Judge solutions:", []*cobra.Command{submitCommand(c), listCommand(c), showCommand(c), statementCommand(c), reportCommand(c)}},
		{"set", "Set problems:", []*cobra.Command{
			initCommand(c), newCommand(c), generateCommand(c), verifyCommand(c), stressCommand(c), shrinkCommand(c),
			coverageCommand(c), adequacyCommand(c), importCommand(c), exportCommand(c), freezeCommand(c),
		}},
		{"golf", "Code golf:", []*cobra.Command{golfCommand(c)}},
		{"arena", "Games between bots:", []*cobra.Command{arenaCommand(c)}},
		{"server", "Work with a server:", []*cobra.Command{loginCommand(c), logoutCommand(c), publishCommand(c), boardCommand(c)}},
		{toolGroup, "This machine and this program:", []*cobra.Command{doctorCommand(c), langCommand(c), cli.VersionCommand()}},
	}
}

// toolGroup is the group that also has help and completion, which cobra adds.
const toolGroup = "tool"
