package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge/contests/arena"
	"assay/judge/kit/referee"
	"assay/judge/report"
)

// replayOptions holds the flags of judge arena replay.
type replayOptions struct {
	runOptions
	json     bool
	notation bool
	bot      string
}

func arenaReplayCommand(c *console) *cobra.Command {
	var r replayOptions
	cmd := &cobra.Command{
		Use:   "replay <log> [game]...",
		Short: "show the games of a log",
		Long: `Replay lists the games of a log that count. If you name games by their numbers in the list,
it shows them move by move. It reports damaged lines, and shows the rest.

The notation of a game is one line: its number, round.leg, the two bots, the start in
brackets, the moves, the winner, and the reason.`,
		Example: `  judge arena replay sylver-s1-9f0c2a11.jsonl
  judge arena replay sylver-s1-9f0c2a11.jsonl 17
  judge arena replay sylver-s1-9f0c2a11.jsonl --bot king --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.run(cmd.Context(), c, args[0], args[1:])
		},
	}
	cmd.Flags().BoolVar(&r.json, "json", false, "print the games as in the log, one per line")
	cmd.Flags().BoolVar(&r.notation, "notation", false, "print the games in notation, one per line")
	cmd.Flags().StringVar(&r.bot, "bot", "", "only the games of this bot")
	r.runOptions.flags(c, cmd.Flags())
	return cmd
}

func (r *replayOptions) run(ctx context.Context, c *console, path string, numbers []string) error {
	res, err := readLog(c, path)
	if err != nil {
		return err
	}
	games := make([]int, len(res.Games)) // indexes
	for i := range games {
		games[i] = i
	}
	if len(numbers) > 0 {
		games = games[:0]
		for _, text := range numbers {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 || n > len(res.Games) {
				if len(res.Games) == 0 {
					return usageError{
						errors.New("the log has no games\n    judge arena standings lists the bots that were disqualified before"),
					}
				}
				return usageError{fmt.Errorf("no game %q: the log has games from 1 to %d", text, len(res.Games))}
			}
			games = append(games, n-1)
		}
	}
	if r.bot != "" {
		id := botByName(res, r.bot)
		if id == 0 {
			return usageError{fmt.Errorf("no bot %q in the log", r.bot)}
		}
		games = slices.DeleteFunc(games, func(i int) bool { return res.Games[i].First != id && res.Games[i].Second != id })
	}
	for _, i := range games {
		loaded, err := res.Load(&res.Games[i])
		if err != nil {
			return err
		}
		g := loaded[0]
		switch {
		case r.json:
			if err := json.NewEncoder(c.out).Encode(g); err != nil {
				return err
			}
		case r.notation || len(numbers) == 0:
			fmt.Fprintln(c.out, arena.Notation(res, i+1, g))
		default:
			seen, err := r.positions(ctx, res, g)
			if err != nil {
				return err
			}
			if err := report.ArenaGame(c.out, res, i+1, g, seen); err != nil {
				return err
			}
		}
	}
	return nil
}

// readLog reads the results of a log, and reports damaged lines.
func readLog(c *console, path string) (*arena.Results, error) {
	_, res, err := replayLog(c, path)
	return res, err
}

// replayLog reads a log, reports damaged lines, and replays it.
func replayLog(c *console, path string) (*arena.Log, *arena.Results, error) {
	file, err := openFile(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	log, err := arena.ReadLog(file, path)
	if err != nil {
		return nil, nil, err
	}
	res, err := log.Replay()
	if errors.Is(err, arena.ErrNoTournament) {
		return nil, nil, usageError{fmt.Errorf("%s is not the log of an event\n    judge arena writes logs, and prints their names", path)}
	}
	for _, d := range log.Damaged {
		fmt.Fprintf(c.err, "judge: %s, %v: ignored; the rest is used\n", path, d)
	}
	if err != nil {
		return nil, nil, usageError{fmt.Errorf("%s: %w", path, err)}
	}
	return log, res, nil
}

func botByName(r *arena.Results, name string) int {
	for _, b := range r.Bots {
		if b.Name == name {
			return b.ID
		}
	}
	return 0
}

// positions asks the game's referee for the positions of g. If the contest does not contain the game, look returns nil,
// nil, so that only the moves are shown.
func (r *replayOptions) positions(ctx context.Context, res *arena.Results, g *arena.Game) (seen []referee.Position, err error) {
	contest, err := cli.FindContest()
	if err != nil {
		return nil, err
	}
	folder, err := contest.Open(res.Game)
	if err != nil || folder.Game == nil {
		return nil, nil // then only the moves are shown
	}
	if err := contest.Start(r.runOptions.workspaceOptions()); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, contest.Close()) }()
	event, err := contest.NewTournament(ctx, folder, res.Rules, nil, "")
	if err != nil {
		return nil, err
	}
	event.Seed, event.Opened = res.Seed, &arena.Opened{Bots: res.Bots} // as the referee received them
	all, err := event.Positions(ctx, []*arena.Game{g}, nil)
	return all[g.Key()], err
}
