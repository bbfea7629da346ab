package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"assay/judge"
)

// Exit codes. They are part of the interface: scripts and CI rely on them.
const (
	exitAccepted    = 0
	exitNotAccepted = 1
	exitUsage       = 2   // the command line, a missing file, an unknown name
	exitFault       = 3   // the problem folder or judge.toml is at fault
	exitJudge       = 4   // the judge or the machine is
	exitInterrupted = 130 // Ctrl-C
)

const exitHelp = `Exit codes: 0 accepted, 1 not accepted, 2 wrong usage, 3 the problem folder
is at fault, 4 the judge or the machine is, 130 interrupted.`

// console is where a command reads and writes.
type console struct {
	in  io.Reader
	out io.Writer
	err io.Writer

	color string // --color: auto, always or never
}

// usageError is a mistake of the person at the keyboard.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Blame is the asker's.
func (usageError) Blame() judge.Blame { return judge.Asker }

// errNotAccepted ends a command whose report has said everything.
var errNotAccepted = errors.New("not accepted")

// errJudgeFailed ends a command whose report has said that judging failed.
var errJudgeFailed = errors.New("judge error")

// errFaults ends a command whose report has told the faults of the folder.
var errFaults = errors.New("the problem folder is at fault")

// run runs the command line and returns the exit code.
func run(ctx context.Context, args []string, c *console) int {
	root := &cobra.Command{
		Use:           "judge",
		Version:       version(),
		Short:         "judge programs that read stdin and write stdout",
		Long:          "judge runs programs in a sandbox on the cases of a puzzle, and says where they went wrong.\n\n" + exitHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.PersistentFlags().StringVar(&c.color, "color", "auto", "colours on the terminal: auto, always or never (NO_COLOR is respected)")
	root.SuggestionsMinimumDistance = 2
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetArgs(args)
	root.SetIn(c.in)
	root.SetOut(c.out)
	root.SetErr(c.err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(commands(c)...)
	root.Args = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		hint := "judge help lists the commands"
		if near := root.SuggestionsFor(args[0]); len(near) > 0 {
			hint = fmt.Sprintf("did you mean %q?", near[0])
		}
		return usageError{fmt.Errorf("unknown command %q\n    %s", args[0], hint)}
	}
	root.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	err := root.ExecuteContext(ctx)
	return c.exit(ctx, err)
}

// exit says what went wrong, and returns the exit code for it.
func (c *console) exit(ctx context.Context, err error) int {
	switch {
	case err == nil:
		return exitAccepted
	case errors.Is(err, errNotAccepted):
		return exitNotAccepted
	case errors.Is(err, errFaults):
		return exitFault
	case errors.Is(err, errJudgeFailed):
		return exitJudge
	}
	if ctx.Err() != nil {
		fmt.Fprintln(c.err, "judge: interrupted")
		return exitInterrupted
	}
	fmt.Fprintln(c.err, "judge: "+strings.TrimRight(err.Error(), "\n"))
	switch judge.Whose(err) {
	case judge.Asker:
		return exitUsage
	case judge.Setter:
		return exitFault
	}
	return exitJudge
}

// exactly and its like make usage errors of a wrong number of arguments.
func exactly(n int, usage string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return usageError{fmt.Errorf("got %d arguments\n    usage: %s", len(args), usage)}
		}
		return nil
	}
}

func atMost(n int, usage string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > n {
			return usageError{fmt.Errorf("got %d arguments\n    usage: %s", len(args), usage)}
		}
		return nil
	}
}

// version says of what this program was built: a module's version or a commit, the
// release of Go and the system.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "of unknown origin"
	}
	text := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && (text == "" || text == "(devel)") {
			text = s.Value
		}
	}
	return fmt.Sprintf("%s (%s, %s/%s)", cmp.Or(text, "(devel)"), info.GoVersion, runtime.GOOS, runtime.GOARCH)
}
