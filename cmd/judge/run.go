package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/report"
)

const exitHelp = `Exit codes: 0 accepted, 1 not accepted, 2 wrong usage, 3 error in the problem
directory, 4 judge or system error, 130 interrupted.`

// console holds the input and output streams of a command.
type console struct {
	in  io.Reader
	out io.Writer
	err io.Writer

	color   string // --color: auto, always or never
	baseDir string // the directory that paths are relative to

	quiet    bool            // --quiet: report no progress
	noticing *report.Notices // if nil, no notices are written
	noticed  []func()        // functions that end the current notices; see clear
}

// usageError is an error of the user's command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Blame returns judge.Caller. If a disk is full, it returns judge.Machine.
func (e usageError) Blame() judge.Blame {
	if errors.Is(e.error, syscall.ENOSPC) {
		return judge.Machine
	}
	return judge.Caller
}

// errNotAccepted is returned by a command if a solution is not accepted and the report has already shown this.
var errNotAccepted = errors.New("not accepted")

// errJudgeFailed is returned by a command if judging failed and the report has already shown this.
var errJudgeFailed = errors.New("judge error")

// errFaults is returned by a command if the report has already shown the errors in the problem directory.
var errFaults = errors.New("the problem directory has errors")

// run runs the command line and returns the exit code.
func run(ctx context.Context, args []string, c *console) int {
	root := &cobra.Command{
		Use:           "judge",
		Version:       cli.Version(),
		Short:         "judge programs that read stdin and write stdout",
		Long:          "Judge runs programs in a sandbox on the cases of a problem, and reports where they fail.\n\n" + exitHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	c.color = "auto"
	cli.ChoiceFlag(
		root.PersistentFlags(), &c.color, "color",
		"colors on the terminal: auto, always or never (NO_COLOR is respected)", "auto", "always", "never",
	)
	root.PersistentFlags().BoolVar(&c.quiet, "quiet", false, "report no progress on standard error")
	root.SuggestionsMinimumDistance = 2
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetArgs(args)
	root.SetIn(c.in)
	root.SetErr(c.err)
	root.SetFlagErrorFunc(cli.FlagError)
	cobra.EnableCommandSorting = false // within groups, commands are in the order in which they are used
	for _, g := range commandGroups(c) {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, cmd := range g.commands {
			cmd.GroupID = g.id
		}
		root.AddCommand(g.commands...)
	}
	root.SetHelpCommandGroupID(toolGroup)
	root.SetCompletionCommandGroupID(toolGroup)
	cli.CheckArguments(root.Commands())
	addCompletion(root)
	root.Args = cli.UnknownCommandError
	root.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	out := &cli.ErrorWriter{Out: c.out}
	c.out = out
	root.SetOut(out)
	if err := cli.CheckCommand(root, args); err != nil {
		return c.exit(ctx, err)
	}
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil {
		err = swappedArguments(cmd, err)
	}
	if out.Err != nil && (err == nil || errors.Is(err, errNotAccepted)) {
		err = fmt.Errorf("write the output: %w", out.Err)
	}
	return c.exit(ctx, err)
}

// exit prints the error, and returns the exit code for it.
func (c *console) exit(ctx context.Context, err error) int {
	switch {
	case err == nil:
		return cli.ExitAccepted
	case errors.Is(err, errNotAccepted):
		return cli.ExitNotAccepted
	case errors.Is(err, errFaults):
		return cli.ExitFault
	case errors.Is(err, errJudgeFailed):
		return cli.ExitJudge
	}
	return cli.Exit(ctx, "judge", c.err, err)
}
