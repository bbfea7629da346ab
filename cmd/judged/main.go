// Command judged hosts contests: a server that takes submissions, and workers on any number of machines that judge
// them. Contestants and problem setters use the command judge.
//
// The package has no logic of its own: each command is a file with flags, a call, and an exit code.
package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	_ "time/tzdata" // forms use the reader's time zone, even if the system has no zones

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge/running/sandbox"
)

func main() {
	sandbox.Main() // does not return in a process that the sandbox started
	os.Exit(run(context.Background(), os.Args[1:], &console{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}

// A console holds the input and output streams of a command.
type console struct {
	in       io.Reader
	out, err io.Writer
	debug    bool
}

// log returns a logger that writes JSON lines.
func (c *console) log() *slog.Logger {
	level := slog.LevelInfo
	if c.debug {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewJSONHandler(c.err, &slog.HandlerOptions{Level: level}))
}

const exitHelp = `Exit codes: 0 success, 2 wrong usage, 3 error in the configuration or a problem,
4 error of the program or the machine, 130 interrupted.`

// run runs the command line and returns the exit code.
func run(ctx context.Context, args []string, c *console) int {
	root := &cobra.Command{
		Use:           "judged",
		Version:       cli.Version(),
		Short:         "host contests: a server, and workers that judge",
		Long:          "judged runs a server that takes submissions, and workers that judge them, on this machine or others.\n\n" + exitHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.PersistentFlags().BoolVar(&c.debug, "debug", false, "log everything")
	root.SuggestionsMinimumDistance = 2
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetArgs(args)
	root.SetIn(c.in)
	root.SetOut(c.out)
	root.SetErr(c.err)
	root.SetFlagErrorFunc(cli.FlagError)
	root.AddCommand(serveCommand(c), workerCommand(c), adminCommand(c), publishCommand(c), prepareCommand(c), loadCommand(c),
		cli.VersionCommand())
	cli.CheckArguments(root.Commands())
	root.Args = cli.UnknownCommandError
	root.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	if err := cli.CheckCommand(root, args); err != nil {
		return cli.Exit(ctx, "judged", c.err, err)
	}
	return cli.Exit(ctx, "judged", c.err, root.ExecuteContext(ctx))
}
