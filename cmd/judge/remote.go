package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/host/client"
)

// server returns a client for the server at address. The client prints a notice when it has to wait for the
// server.
func (c *console) server(address string) (*client.Client, error) {
	return cli.Connect(address, func(err error) { fmt.Fprintln(c.err, "judge: "+err.Error()) })
}

// serverFlagHelp is the help text of the flag --on.
const serverFlagHelp = "run on the workers of the server at this `URL`; log in first: judge login URL"

// rejectLocalFlags rejects flags that have no effect if a server judges. The parameter flag selects the server, and others
// lists the flags that may be combined with it.
func rejectLocalFlags(cmd *cobra.Command, flag string, others ...string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && f.Name != "quiet" && !slices.Contains(others, f.Name) {
			err = usageError{fmt.Errorf("--%s is for judging on this machine: it cannot be combined with --%s", f.Name, flag)}
		}
	})
	return err
}

// submitToServer sends submissions to a server and prints their results.
func (s *submitOptions) submitToServer(ctx context.Context, c *console, problem string, paths []string) error {
	if err := checkPaths(paths); err != nil {
		return err
	}
	api, err := c.server(s.server)
	if err != nil {
		return err
	}
	return s.judgeEach(ctx, c, paths, func(ctx context.Context, path string, listen func(judge.Event)) (judge.Verdict, error) {
		sent, err := api.Submit(
			ctx, problem,
			client.Program{Path: path, Name: path, Language: s.language, ContinueOnFailure: s.all, Contest: s.contest},
		)
		if err != nil {
			return "", err
		}
		if sent.Contest != "" {
			fmt.Fprintf(c.err, "judge: submission %d in the contest %s\n", sent.Number, sent.Contest)
		}
		var sum *judge.Finished
		waits := fmt.Sprintf("submission %d waits", sent.Number)
		if sent.Position != nil {
			waits += fmt.Sprintf(": %s", sent.Position)
		}
		c.notice(func() string { return waits })
		if c.live() {
			fmt.Fprint(c.err, waits)
		}
		waiting := sync.OnceFunc(c.clear)
		end, err := api.FollowSubmission(ctx, sent.ID, func(e judge.Event) {
			waiting()
			listen(e)
			if f, ends := e.(*judge.Finished); ends {
				sum = f
			}
		})
		waiting()
		switch {
		case err != nil && ctx.Err() != nil:
			fmt.Fprintf(c.err, "judge: the server has submission %d and will still judge it\n", sent.Number)
			return "", err
		case err != nil:
			return "", fmt.Errorf("submission %d is stored; its result did not arrive: %w", sent.Number, err)
		case end.State == "cancelled":
			return "", usageError{fmt.Errorf("submission %d was cancelled", sent.Number)}
		case sum == nil:
			return "", fmt.Errorf("submission %d could not be judged: %s", sent.Number, end.Reason)
		}
		return sum.Verdict, nil
	})
}

// listServerProblems lists the problems on a server.
func (c *console) listServerProblems(ctx context.Context, address string) error {
	api, err := c.server(address)
	if err != nil {
		return err
	}
	all, err := api.Problems(ctx)
	if err != nil {
		return err
	}
	t := c.table()
	for _, p := range all {
		fmt.Fprintf(t, "%s\t%s\n", p.Slug, p.Title)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	s, err := api.Server(ctx)
	switch {
	case err != nil:
		return err
	case s.Preparing:
		fmt.Fprintln(c.err, "the server is still preparing problems: try again in a minute")
	case len(all) == 0:
		fmt.Fprintln(c.out, "the server has no problems yet: judge publish PROBLEM --to "+address)
	}
	return nil
}

func publishCommand(c *console) *cobra.Command {
	var r runOptions
	var to, as string
	var n client.NewProblem
	cmd := &cobra.Command{
		Use:   "publish <problem>",
		Short: "upload a problem to a server",
		Long: `Publish bundles a problem (see judge bundle) and uploads it to a server, where it replaces the
problem of the same name. Only files that the server lacks are sent. Submissions that are
being judged keep the earlier version.

` + exitHelp,
		Example: "  judge publish wythoff --to https://judge.example",
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if to == "" {
				return usageError{errors.New("no server given\n    name the server with --to URL")}
			}
			api, err := c.server(to)
			if err != nil {
				return err
			}
			contest, err := cli.FindContest()
			if err != nil {
				return err
			}
			at, err := contest.Locate(args[0])
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, contest.Close()) }()
			id, sent, err := cli.Publish(cmd.Context(), api, contest, at, strings.ToLower(as), n, r.workspaceOptions())
			if err != nil {
				return err
			}
			if n.Candidate {
				fmt.Fprintf(c.out, "%s has a candidate on %s: %d files uploaded, id %s\n", args[0], to, sent, id)
				fmt.Fprintf(
					c.out,
					"to compare it with the active version: judged admin rejudge new CONTEST --problem %s --against %.12s\n",
					cmp.Or(strings.ToLower(as), args[0]), id,
				)
				return nil
			}
			fmt.Fprintf(c.out, "%s is on %s: %d files uploaded, id %s\n", args[0], to, sent, id)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&to, "to", "", "the server's `URL`")
	f.StringVar(&as, "as", "", "the problem's `NAME` there, if not its own")
	f.StringVar(
		&n.Practice, "practice", "",
		"what practice with the problem shows: off, verdict, samples, all, or default for the server's setting (default unchanged)",
	)
	f.BoolVar(&n.Candidate, "candidate", false, "keep the present version active, and use the new one in rejudgings only")
	r.flags(c, f)
	return cmd
}
