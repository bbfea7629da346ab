package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge/contests/arena"
)

// standingsOptions holds the flags of judge arena standings.
type standingsOptions struct {
	runOptions
	tournamentOptions
}

func arenaStandingsCommand(c *console) *cobra.Command {
	var a standingsOptions
	cmd := &cobra.Command{
		Use:   "standings <log>",
		Short: "draw the standings of a log",
		Long: `Standings draws the same as judge arena for the event in a log, complete or not. It starts
no bot. If the contest has the game, its referee looks for blunders.`,
		Example: "  judge arena standings sylver-s1-9f0c2a11.jsonl --html tournament.html",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.run(cmd.Context(), c, args[0]) },
	}
	a.outputFlags(cmd.Flags())
	a.runOptions.flags(c, cmd.Flags())
	return cmd
}

func (a *standingsOptions) run(ctx context.Context, c *console, path string) (err error) {
	log, results, err := replayLog(c, path)
	if err != nil {
		return err
	}
	contest, err := cli.FindContest()
	if err != nil {
		return err
	}
	problem, err := contest.Open(results.Game)
	if err != nil || problem.Game == nil { // there is no referee to ask
		skipAnalysis := func(context.Context, []*arena.Game, func(done, of int)) (arena.GamePositions, error) { return nil, nil }
		return a.show(ctx, c, tournamentReport{results: results, complete: log.IsComplete(), analyze: skipAnalysis})
	}
	if err := contest.Start(a.runOptions.workspaceOptions()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, contest.Close()) }()
	event, err := contest.NewTournament(ctx, problem, results.Rules, nil, "")
	if err != nil {
		return err
	}
	event.Seed, event.Opened = results.Seed, &arena.Opened{Bots: results.Bots} // as the referee received them
	return a.show(ctx, c, tournamentReport{results: results, complete: log.IsComplete(), title: problem.Title, analyze: event.Positions})
}
