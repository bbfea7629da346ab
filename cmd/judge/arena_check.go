package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assay/judge/contests/arena"
	"assay/judge/problem"
	"assay/judge/workspace"
)

// checking are the flags of judge arena check.
type checking struct {
	running
	rules    string
	language string
}

func arenaCheckCommand(c *console) *cobra.Command {
	var k checking
	cmd := &cobra.Command{
		Use:   "check [game] <bot>",
		Short: "try a bot before the event: handshake, odd positions, speed",
		Long: `Check has a bot play the game's tester from the starts that the game's folder names
for this, on both seats and each game twice, and says what it did wrong and how long
it took. The game may be left out where the contest has only one that bots play.

Exit codes: 0 nothing wrong, 1 something, 2 wrong usage, 3 the folder is at fault,
4 the judge or the machine is, 130 interrupted.`,
		Example: "  judge arena check sylver mine.py --rules s1",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 && len(args) != 2 {
				return usageError{fmt.Errorf("got %d arguments\n    usage: judge arena check [game] <bot>", len(args))}
			}
			return k.within(func(contest *workspace.Workspace) error { return k.run(cmd.Context(), c, contest, args) })
		},
	}
	cmd.Flags().StringVar(&k.rules, "rules", "", "the `NAME` of the rule set; if not said, the one that the bot was made for, else the game's first")
	cmd.Flags().StringVar(&k.language, "lang", "", "the bot's language, where its name does not tell")
	k.running.flags(cmd.Flags())
	return cmd
}

func (k *checking) run(ctx context.Context, c *console, contest *workspace.Workspace, args []string) error {
	var err error
	if len(args) == 1 {
		name, err := contest.OnlyGame()
		if err != nil {
			return err
		}
		args = []string{name, args[0]}
	}
	folder, err := contest.Game(args[0])
	if err != nil {
		return err
	}
	if folder.Game.Tester == "" {
		return usageError{fmt.Errorf("%s has no tester: its [game] table does not name one", folder.ID)}
	}
	rules, why := k.rules, ""
	if rules == "" {
		if rules = arena.MadeFor(folder.Game, args[1]); rules != "" {
			why = ", for which it was made"
		}
	}
	set, err := workspace.RuleSet(folder, rules)
	if err != nil {
		return err
	}
	event, err := contest.Event(ctx, folder, arena.FromSet(set), []string{args[1], folder.Game.Tester}, k.language)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "%s: %s by the rules %s%s\n\n", folder.ID, event.Bots[0].File, set.Name, why)
	checks := folder.Game.Checks
	if len(checks) == 0 {
		checks = []problem.Check{{Name: "a game from each seat"}}
	}
	t := tried{pure: true}
	for i := range checks {
		found, err := t.try(ctx, event, set, &checks[i])
		if err != nil {
			return err
		}
		mark := "ok "
		if len(found) > 0 {
			mark, t.wrong = "BAD", true
		}
		fmt.Fprintf(c.out, "%s  %s\n", mark, checks[i].Name)
		for _, line := range found {
			fmt.Fprintf(c.out, "     %s\n", line)
		}
		if t.refused {
			break
		}
	}
	t.show(c)
	if t.wrong {
		return errNotAccepted
	}
	return nil
}

// tried is what was seen of a bot.
type tried struct {
	wrong, refused bool
	pure           bool // it says that it is, and answered alike
	says           bool // it says that it is
	moves          int
	total, slowest time.Duration
}

// try plays two games from a start, twice, and says what was wrong.
func (t *tried) try(ctx context.Context, e *arena.Event, set *problem.RuleSet, check *problem.Check) ([]string, error) {
	e.Rules = arena.FromSet(set)
	e.Rules.Rounds, e.Rules.Games, e.Rules.Costs = 1, 2, nil // whatever it costs: go on
	maps.Copy(e.Rules.Options, check.Options)
	e.Jobs = 1
	var found []string
	var first []*arena.Game
	for range 2 {
		out, err := e.Run(ctx)
		if options, ok := errors.AsType[*arena.OptionsError](err); ok {
			return []string{"cannot be tried by these rules: " + options.Text}, nil
		}
		if err != nil {
			return nil, err
		}
		r := out.Results
		for _, d := range r.Out {
			if d.Bot == e.Bots[0].ID {
				t.refused = true
				return []string{faultLine(&d.Fault)}, nil
			}
			return nil, fmt.Errorf("the tester: %s", faultLine(&d.Fault))
		}
		t.says = r.Bot(e.Bots[0].ID).Pure
		games, err := r.LoadAll()
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = games
			found = t.look(games, e.Bots[0].ID)
			continue
		}
		if t.says && !sameMoves(first, games) {
			t.pure = false
			found = append(found, "it says that it is pure, and did not answer alike in two games that are alike")
		}
	}
	return found, nil
}

// look finds what a bot did wrong in games.
func (t *tried) look(games []*arena.Game, id int) (found []string) {
	for _, g := range games {
		seat := 1
		if g.Second == id {
			seat = 2
		}
		where := []string{"going first: ", "going second: "}[seat-1]
		for k := range g.Moves {
			if int(g.Seats[k]-'0') == seat {
				took := time.Duration(g.Micros[k]) * time.Microsecond
				t.moves++
				t.total += took
				t.slowest = max(t.slowest, took)
			}
		}
		for _, n := range g.Notes {
			if n.Seat == seat && n.Kind != "comment" {
				found = append(found, where+n.Kind+": "+n.Text)
			}
		}
		for _, f := range []*arena.GameFault{g.Fault, g.After} {
			if f != nil && f.Seat == seat {
				found = append(found, fmt.Sprintf("%s%s, after %s", where, faultLine(f), strings.Join(append([]string{"[" + g.Start + "]"}, g.Moves...), " ")))
			}
		}
	}
	return found
}

func sameMoves(a, b []*arena.Game) bool {
	return slices.EqualFunc(a, b, func(a, b *arena.Game) bool { return slices.Equal(a.Moves, b.Moves) })
}

func (t *tried) show(c *console) {
	fmt.Fprintln(c.out)
	if t.moves > 0 {
		fmt.Fprintf(c.out, "%d moves, %v each on average, %v the slowest\n", t.moves, (t.total / time.Duration(t.moves)).Round(time.Microsecond), t.slowest.Round(time.Microsecond))
	}
	if t.wrong {
		fmt.Fprintln(c.out, "something is wrong")
	} else {
		fmt.Fprintln(c.out, "nothing is wrong")
	}
}

// showTry says what a bot did wrong that was tried against the tester.
func showTry(c *console, r *arena.Results, id int) error {
	games, err := r.LoadAll()
	if err != nil {
		return err
	}
	var t tried
	found := t.look(games, id)
	fmt.Fprintln(c.out)
	for _, line := range found {
		fmt.Fprintln(c.out, line)
	}
	t.wrong = len(found) > 0 || slices.ContainsFunc(r.Out, func(d arena.Disqualified) bool { return d.Bot == id })
	t.show(c)
	return nil
}
