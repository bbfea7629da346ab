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
	under string // the folder that paths are told from
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
		Long:          "judge runs programs in a sandbox on the cases of a problem, and says where they went wrong.\n\n" + exitHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	c.color = "auto"
	oneOf(root.PersistentFlags(), &c.color, "color", "colours on the terminal: auto, always or never (NO_COLOR is respected)", "auto", "always", "never")
	root.SuggestionsMinimumDistance = 2
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetArgs(args)
	root.SetIn(c.in)
	root.SetErr(c.err)
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(commands(c)...)
	takeArguments(root.Commands())
	completion(root)
	root.Args = unknownCommand
	root.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	out := &watched{to: c.out}
	c.out = out
	root.SetOut(out)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil {
		err = swapped(cmd, err)
	}
	if out.err != nil && (err == nil || errors.Is(err, errNotAccepted)) {
		err = fmt.Errorf("write the output: %w", out.err)
	}
	return c.exit(ctx, err)
}

// takeArguments makes commands, and those below them, check arguments and flags.
func takeArguments(all []*cobra.Command) {
	for _, cmd := range all {
		cmd.Args = takes
		cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return checkFlags(cmd.Flags()) }
		takeArguments(cmd.Commands())
	}
}

// watched remembers the first error of writing: what a full disk took is not printed,
// and nobody should think that it was.
type watched struct {
	to  io.Writer
	err error
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if err != nil && w.err == nil {
		w.err = err
	}
	return n, err
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
	case judge.Asker, judge.Contestant:
		return exitUsage
	case judge.Setter:
		return exitFault
	}
	return exitJudge
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
