package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assay/cmd/internal/cli"
	"assay/judge/contests/golf"
)

// golfOptions holds the flags of judge golf.
type golfOptions struct {
	runOptions
	outputOptions
	checks     golf.Options
	seconds    float64
	reading    golf.ReadOptions
	flagText   string
	explain    bool
	post       bool
	best       bool
	chars      bool
	watch      bool
	server     string // a server
	holeServer string // server of a hole
}

func golfCommand(c *console) *cobra.Command {
	var g golfOptions
	cmd := &cobra.Command{
		Use:   "golf <problem> <answer>...",
		Short: "check a golf submission on every input, and count its bytes",
		Long: `Golf runs a golf submission on every input of the problem's domain and counts its bytes. A
golf submission is a program or a function in a source file, a post (.md) with a header line
and a code block, or - for standard input. Golf finds out how to call it by trying the
samples. Several submissions make a table.

The verdicts are RIGHT, WRONG, SLOW (an input took too long) and CANNOT RUN.

` + exitHelp,
		Example: `  judge golf wythoff ans.py
  judge golf wythoff ans.py --case '5 7'
  judge golf wythoff ans.pl --flags -p
  judge golf wythoff *.py *.js`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if g.server != "" {
				if err := rejectLocalFlags(
					cmd, "on", "on", "as", "entry", "call", "in", "lang", "flags", "header", "footer",
					"encoding", "chars", "old-flags", "claim", "quick", "case", "time", "strict", "seed", "all",
					"json", "html", "explain", "post", "best",
				); err != nil {
					return err
				}
			}
			if g.holeServer != "" {
				if err := rejectLocalFlags(cmd, "to", "to", "as", "entry", "call", "in", "lang", "flags", "chars", "json", "html", "post"); err != nil {
					return err
				}
			}
			return g.run(cmd.Context(), c, args[0], args[1:])
		},
	}
	g.flags(c, cmd.Flags())
	return cmd
}

func (g *golfOptions) flags(c *console, f *pflag.FlagSet) {
	f.StringVar(&g.server, "on", "", serverFlagHelp)
	f.StringVar(&g.holeServer, "to", "", "submit to the hole <problem> of the server at this `URL`; log in first: judge login URL")
	cli.ChoiceFlag(f, &g.checks.Kind, "as", "function or program, if both are possible", "function", "program")
	f.StringVar(&g.checks.Entry, "entry", "", "the `NAME` of the function")
	f.StringVar(&g.checks.Call, "call", "", "how it is called: 'f(i,j)', 'f((i,j))', 'f([i,j])', 'f(i)(j)', inplace, ...")
	f.StringVar(&g.checks.InputForm, "in", "", "how a program gets its input: "+strings.Join(golf.InputForms(), "; "))
	f.StringVar(&g.reading.Language, "lang", "", "the language, if the file's name does not determine it")
	f.StringVar(&g.flagText, "flags", "", "`FLAGS` of the interpreter or compiler; shown, not counted")
	f.StringVar(&g.reading.Header, "header", "", "`FILE` to put before the code, not counted")
	f.StringVar(&g.reading.Footer, "footer", "", "`FILE` to put after the code, not counted")
	cli.ChoiceFlag(f, &g.reading.Encoding, "encoding", "count in this encoding: "+strings.Join(golf.Encodings, ", "), golf.Encodings...)
	f.BoolVar(&g.chars, "chars", false, "rank by characters, not bytes")
	f.BoolVar(&g.reading.CountFlags, "old-flags", false, "also count the flags, as was usual before 2018")
	f.IntVar(&g.reading.Claim, "claim", 0, "the claimed size in bytes; a difference is shown")
	f.BoolVar(&g.checks.Quick, "quick", false, "samples and edges only")
	f.StringArrayVar(&g.checks.Cases, "case", nil, "only this `INPUT`, such as '5 7' (repeatable)")
	f.Float64Var(&g.seconds, "time", golf.DefaultTime.Seconds(), "CPU time for one input, in `SECONDS`")
	f.BoolVar(&g.checks.Strict, "strict", false, "reject submissions that are correct only under a lenient rule")
	f.Uint64Var(&g.checks.Seed, "seed", 1, "the random seed of the order in which inputs are tried")
	f.BoolVar(&g.checks.All, "all", false, "list every wrong input")
	g.outputOptions.jsonFlag(f)
	g.outputOptions.htmlFlag(f)
	f.BoolVar(&g.explain, "explain", false, "show the calls that were tried, and the driver")
	f.BoolVar(&g.post, "post", false, "print the code as a post, with its header line")
	f.BoolVar(&g.best, "best", false, "save correct submissions in "+golf.BestFile+" of the contest")
	f.BoolVar(&g.watch, "watch", false, "check again whenever a file is saved, with one line each, until Ctrl-C")
	g.runOptions.flags(c, f)
}

func (g *golfOptions) run(ctx context.Context, c *console, name string, files []string) (err error) {
	if g.seconds <= 0 {
		return usageError{fmt.Errorf("--time %v: it must be above 0", g.seconds)}
	}
	if g.checks.Kind != "" && g.checks.Kind != "function" && g.checks.Kind != "program" {
		return usageError{fmt.Errorf(`invalid --as %q: use "function" or "program"`, g.checks.Kind)}
	}
	if g.checks.InputForm != "" && !slices.Contains(golf.InputForms(), g.checks.InputForm) {
		return usageError{fmt.Errorf("invalid --in %q: use one of: %s", g.checks.InputForm, strings.Join(golf.InputForms(), "; "))}
	}
	g.checks.Time = time.Duration(g.seconds * float64(time.Second))
	g.checks.Jobs = g.jobs
	g.reading.Stdin, g.reading.Flags = c.in, strings.Fields(g.flagText)
	contest, err := cli.FindContest()
	if err != nil {
		return err
	}
	if g.server != "" {
		return g.runOnServer(ctx, c, contest, name, files)
	}
	if g.holeServer != "" {
		return g.submitToHole(ctx, c, contest, name, files)
	}
	folder, err := contest.Open(name)
	if err != nil {
		return err
	}
	if err := contest.Start(g.runOptions.workspaceOptions()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, contest.Close()) }()
	stage, err := contest.StartGolf(ctx, folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stage.Checker.Close()) }()

	switch {
	case g.html != "" && g.watch:
		return usageError{errors.New("--html and --watch cannot be combined")}
	case g.watch:
		return g.watchFiles(ctx, c, contest, stage, files)
	}
	return g.checkAndShow(c, contest, folder.ID, files, func(i int) (*golf.Result, error) {
		return g.checkOne(ctx, c, contest, stage, files[i])
	})
}
