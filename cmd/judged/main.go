// Command judged hosts contests: a server that takes submissions, and workers that judge
// them, on as many machines as there are. What people use is the command judge.
//
// The package holds no logic of its own: each command is a file with its flags, a call,
// and what it exits with.
package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	_ "time/tzdata" // forms have times in the reader's zone, also where the system has no zones

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge/running/sandbox"
)

func main() {
	sandbox.Main() // does not return in a process that the sandbox started
	os.Exit(run(context.Background(), os.Args[1:], &console{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}

// console is where a command reads and writes.
type console struct {
	in       io.Reader
	out, err io.Writer
	debug    bool
}

// log writes what those who look after a server read later, as lines of JSON.
func (c *console) log() *slog.Logger {
	level := slog.LevelInfo
	if c.debug {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewJSONHandler(c.err, &slog.HandlerOptions{Level: level}))
}

const exitHelp = `Exit codes: 0 ended as it was told to, 2 wrong usage, 3 the configuration or a problem
is at fault, 4 the program or the machine is, 130 interrupted.`

// run runs the command line and returns the exit code.
func run(ctx context.Context, args []string, c *console) int {
	root := &cobra.Command{
		Use:           "judged",
		Version:       cli.Version(),
		Short:         "host contests: a server, and workers that judge for it",
		Long:          "judged takes submissions and has them judged, on this machine and on others.\n\n" + exitHelp,
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
	root.AddCommand(serveCommand(c), workerCommand(c), adminCommand(c), publishCommand(c), prepareCommand(c), loadCommand(c), cli.VersionCommand())
	cli.TakeArguments(root.Commands())
	root.Args = cli.UnknownCommand
	root.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	if err := cli.KnownCommand(root, args); err != nil {
		return cli.Exit(ctx, "judged", c.err, err)
	}
	return cli.Exit(ctx, "judged", c.err, root.ExecuteContext(ctx))
}
