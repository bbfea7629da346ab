package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"assay/judge/contests/arena"
	"assay/judge/kit/referee"
)

// replaying are the flags of judge arena replay.
type replaying struct {
	running
	json     bool
	notation bool
	bot      string
}

func arenaReplayCommand(c *console) *cobra.Command {
	var r replaying
	cmd := &cobra.Command{
		Use:   "replay <log> [game]...",
		Short: "show the games of a log",
		Long: `Replay lists the games that count of a log, or shows those that are named by their
numbers in the list, move by move. A damaged line is named, and the rest is shown.

The notation of a game is one line: its number, round.leg, the two bots, the start in
brackets, the moves, who won, and why.`,
		Example: "  judge arena replay sylver-s1-9f0c2a11.jsonl\n  judge arena replay sylver-s1-9f0c2a11.jsonl 17\n  judge arena replay sylver-s1-9f0c2a11.jsonl --bot king --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) < 1 {
				return usageError{errors.New("got no log\n    usage: judge arena replay <log> [game]...")}
			}
			return r.run(cmd.Context(), c, args[0], args[1:])
		},
	}
	cmd.Flags().BoolVar(&r.json, "json", false, "print the games as they stand in the log, a line each")
	cmd.Flags().BoolVar(&r.notation, "notation", false, "print the games in notation, a line each")
	cmd.Flags().StringVar(&r.bot, "bot", "", "only the games of this bot")
	r.running.flags(cmd.Flags())
	return cmd
}

func (r *replaying) run(ctx context.Context, c *console, path string, numbers []string) error {
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
				return usageError{fmt.Errorf("no game %q: the log has the games 1 to %d", text, len(res.Games))}
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
			seen, err := r.look(ctx, res, g)
			if err != nil {
				return err
			}
			showGame(c.out, res, i+1, g, seen)
		}
	}
	return nil
}

// readLog reads what counts of a log, and names what is damaged.
func readLog(c *console, path string) (*arena.Results, error) {
	_, res, err := replayLog(c, path)
	return res, err
}

// replayLog reads a log, says what is damaged of it, and replays it.
func replayLog(c *console, path string) (*arena.Log, *arena.Results, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, usageError{err}
	}
	defer file.Close()
	log, err := arena.ReadLog(file, path)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range log.Damaged {
		fmt.Fprintf(c.err, "judge: %s, %v: left out, and the rest is kept\n", path, d)
	}
	res, err := log.Replay()
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

// look asks the game's referee what there was to see, if the contest has the game.
func (r *replaying) look(ctx context.Context, res *arena.Results, g *arena.Game) (seen []referee.Position, err error) {
	contest, err := findContest()
	if err != nil {
		return nil, err
	}
	folder, err := contest.Open(res.Game)
	if err != nil || folder.Game == nil {
		return nil, nil // then the moves alone must do
	}
	if err := contest.Start(r.running.options()); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, contest.Close()) }()
	event, err := contest.Event(ctx, folder, res.Rules, nil, "")
	if err != nil {
		return nil, err
	}
	all, err := event.Look(ctx, []*arena.Game{g})
	return all[g.Key()], err
}

// showGame shows a game move by move.
func showGame(w io.Writer, r *arena.Results, number int, g *arena.Game, seen []referee.Position) {
	name := func(seat int) string { return r.Bot([]int{g.First, g.Second}[seat-1]).Name }
	fmt.Fprintf(w, "game %d: round %d, game %d of the encounter, seed %d\n", number, g.Round, g.Leg, g.Seed)
	fmt.Fprintf(w, "%s begins against %s", name(1), name(2))
	if g.Start != "" {
		fmt.Fprintf(w, ", from %s", g.Start)
	}
	fmt.Fprintln(w)
	if g.Again != "" {
		fmt.Fprintf(w, "played again: %s\n", g.Again)
	}
	wide := max(len([]rune(name(1))), len([]rune(name(2))))
	notes := func(move int) {
		for _, n := range g.Notes {
			if n.Move == move {
				fmt.Fprintf(w, "      %-*s  %s: %s\n", wide, name(n.Seat), n.Kind, n.Text)
			}
		}
	}
	if len(seen) > 0 {
		fmt.Fprintf(w, "      %-*s  %s\n", wide, "", positionText(&seen[0]))
	}
	for i, m := range g.Moves {
		notes(i)
		line := fmt.Sprintf("%4d  %-*s  %s", i+1, wide, name(g.Seat(i)), m)
		if i+1 < len(seen) {
			line += "   " + positionText(&seen[i+1])
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
	notes(len(g.Moves))
	if g.Winner == 0 {
		fmt.Fprintf(w, "a draw: %s\n", g.Reason)
	} else {
		fmt.Fprintf(w, "%s wins: %s\n", name(g.Winner), g.Reason)
	}
	for _, f := range []*arena.GameFault{g.Fault, g.After} {
		if f == nil {
			continue
		}
		fmt.Fprintf(w, "%s: %s\n", name(f.Seat), faultLine(f))
		if f.Stderr != "" {
			fmt.Fprintf(w, "its standard error ends:\n%s\n", strings.TrimRight(f.Stderr, "\n"))
		}
	}
}

// positionText says what is left, and whether it is won for who moves.
func positionText(p *referee.Position) string {
	words := []string{}
	switch {
	case p.Count < 0:
		words = append(words, "infinitely many left")
	case len(p.Options) > 0 && len(p.Options) <= 12:
		words = append(words, "left: "+strings.Join(p.Options, " "))
	case p.Count > 0:
		words = append(words, fmt.Sprintf("%d left", p.Count))
	}
	if p.Exact != "" {
		words = append(words, p.Exact)
	}
	if n := len(p.Best); n > 0 && n <= 6 {
		words = append(words, "by "+strings.Join(p.Best, " "))
	}
	if p.Text != "" {
		words = append(words, p.Text)
	}
	if len(words) == 0 {
		return "" // as after the last move of most games
	}
	return "(" + strings.Join(words, ", ") + ")"
}
