package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"assay/judge"
	"assay/judge/host/client"
)

// shadowContest returns the command to follow another judging system.
func (a *admin) shadowContest() *cobra.Command {
	var n client.NewShadow
	var score string
	var stop bool
	cmd := a.subcommand("shadow [address of a contest]", "follow a contest of another judging system, and compare the verdicts",
		func(ctx context.Context, api *client.Client, args []string) error {
			if stop {
				if n.Contest == "" || len(args) > 0 {
					return &judge.UsageError{Err: errors.New("to stop, name the contest with --contest and give no address")}
				}
				if err := api.EndShadow(ctx, n.Contest); err != nil {
					return err
				}
				fmt.Fprintf(a.out, "contest %s follows no other judging system\n", n.Contest)
				return nil
			}
			if len(args) != 1 {
				return &judge.UsageError{
					Err: errors.New("give the address of the contest, such as https://primary.example/api/contests/spring-2026"),
				}
			}
			if score != "theirs" && score != "ours" {
				return &judge.UsageError{Err: fmt.Errorf("--score is %q; it must be theirs or ours", score)}
			}
			var err error
			if n.URL, n.OwnVerdicts = args[0], score == "ours"; n.SecretFile != "" {
				if n.SecretFile, err = filepath.Abs(n.SecretFile); err != nil {
					return err
				}
			}
			made, err := api.StartShadow(ctx, n)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.out, "contest %s follows %s: its page Shadow compares the verdicts\n", made.Contest, n.URL)
			return nil
		})
	f := cmd.Flags()
	f.StringVar(&n.Contest, "contest", "", "the `NAME` of the contest in addresses (default: its id at the other system)")
	f.StringVar(&n.Login, "username", "", "the `NAME` of the account at the other system (default: none)")
	f.StringVar(&n.SecretFile, "secret-file", "", "the `FILE` on the server's machine with the password of the account")
	f.StringVar(&score, "score", "theirs", "whose verdicts count: theirs or ours")
	f.BoolVar(&stop, "stop", false, "stop following: everything stays unchanged")
	cmd.Long = `Shadow lets a contest follow that of another judging system, the primary, by its Contest API in version 2026-01 or
2023-06. If the server has no such contest, it is made: groups, organizations, teams, problems and
submissions come from the primary. A contest that the server has keeps its problems: they are linked by
their ids and labels.

Submissions are judged here if the problem has a package. The verdicts of the primary count for the
scoreboard and the awards, unless --score is ours.

To change the account or whose verdicts count, give the same address again.`
	return cmd
}
