package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge/contests/arena"
)

// again holds the flags of judge arena standings.
type again struct {
	running
	standing
}

func arenaStandingsCommand(c *console) *cobra.Command {
	var a again
	cmd := &cobra.Command{
		Use:   "standings <log>",
		Short: "draw the standings of a log",
		Long: `Standings draws the same as judge arena for the event in a log, complete or not. It starts
no bot. If the contest has the game, its referee looks for blunders.`,
		Example: "  judge arena standings sylver-s1-9f0c2a11.jsonl --html event.html",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.run(cmd.Context(), c, args[0]) },
	}
	a.drawing(cmd.Flags())
	a.running.flags(c, cmd.Flags())
	return cmd
}

func (a *again) run(ctx context.Context, c *console, path string) (err error) {
	log, so, err := replayLog(c, path)
	if err != nil {
		return err
	}
	contest, err := cli.Find()
	if err != nil {
		return err
	}
	folder, err := contest.Open(so.Game)
	if err != nil || folder.Game == nil { // there is no referee to ask
		nobody := func(context.Context, []*arena.Game, func(done, of int)) (arena.Seen, error) { return nil, nil }
		return a.show(ctx, c, shown{so: so, whole: log.Over(), look: nobody})
	}
	if err := contest.Start(a.running.options()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, contest.Close()) }()
	event, err := contest.Event(ctx, folder, so.Rules, nil, "")
	if err != nil {
		return err
	}
	event.Seed, event.Opened = so.Seed, &arena.Opened{Bots: so.Bots} // as the referee received them
	return a.show(ctx, c, shown{so: so, whole: log.Over(), title: folder.Title, look: event.Look})
}
