package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/spf13/cobra"

	"assay/judge"
	"assay/judge/contests/arena"
	"assay/judge/report"
	"assay/judge/workspace"
)

// arenaCheckOptions holds the flags of judge arena check.
type arenaCheckOptions struct {
	runOptions
	rules    string
	language string
	json     bool
}

func arenaCheckCommand(c *console) *cobra.Command {
	var k arenaCheckOptions
	cmd := &cobra.Command{
		Use:   "check [game] <bot>",
		Short: "test a bot before a tournament: handshake, unusual positions, speed",
		Long: `Check lets a bot play the game's tester from the starting positions that the game names for
this, on both seats and each game twice. It reports the bot's errors and how long the bot
took. If the contest has only one game for bots, the argument game is optional.

Exit codes: 0 no errors, 1 errors, 2 wrong usage, 3 error in the problem directory,
4 judge or system error, 130 interrupted.`,
		Example: "  judge arena check sylver mine.py --rules s1",
		RunE: func(cmd *cobra.Command, args []string) error {
			return k.withContest(func(contest *workspace.Workspace) error { return k.run(cmd.Context(), c, contest, args) })
		},
	}
	cmd.Flags().StringVar(
		&k.rules, "rules", "",
		"the `NAME` of the rule set (default the one that the bot was made for, or the game's first)",
	)
	cmd.Flags().StringVar(&k.language, "lang", "", "the bot's language, if its name does not determine it")
	cmd.Flags().BoolVar(&k.json, "json", false, "instead, write the events as lines of JSON, for judge report")
	k.runOptions.flags(c, cmd.Flags())
	return cmd
}

func (k *arenaCheckOptions) run(ctx context.Context, c *console, contest *workspace.Workspace, args []string) error {
	var err error
	if len(args) == 1 {
		name, err := contest.OnlyGame()
		if err != nil {
			return err
		}
		args = []string{name, args[0]}
	}
	problem, err := contest.OpenGame(args[0])
	if err != nil {
		return err
	}
	if problem.Game.Tester == "" {
		return usageError{fmt.Errorf("%s has no tester: its [game] table does not name one", problem.ID)}
	}
	rules, madeFor := k.rules, false
	if rules == "" {
		rules = arena.MadeFor(problem.Game, args[1])
		madeFor = rules != ""
	}
	set, err := workspace.FindRuleSet(problem, rules)
	if err != nil {
		return err
	}
	event, err := contest.NewTournament(ctx, problem, arena.FromSet(set), []string{args[1], problem.Game.Tester}, k.language)
	if err != nil {
		return err
	}
	out, err := k.open(c)
	if err != nil {
		return err
	}
	bot := event.Bots[0]
	out.Event(&judge.BotTrialStarted{Format: judge.EventFormat, Game: problem.ID, Bot: bot.File, Rules: set.Name, MadeFor: madeFor})
	if bot.ChosenFile != "" {
		out.Event(&judge.Noted{Text: bot.Name + ": " + bot.ChosenFile})
	}
	trial := arena.BotTrial{Tournament: event, Rules: arena.FromSet(set), Checks: problem.Game.Checks}
	var tried atomic.Int64
	c.notice(func() string {
		return fmt.Sprintf("%s: %d of %d positions tried", bot.Name, tried.Load(), max(len(trial.Checks), 1))
	})
	ok, err := trial.Run(ctx, func(e judge.Event) {
		if _, is := e.(*judge.PositionTried); is {
			tried.Add(1)
		}
		out.Event(e)
	})
	c.endNotices()
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	if !ok {
		return errNotAccepted
	}
	return nil
}

// open opens the report that the flags select.
func (k *arenaCheckOptions) open(c *console) (report.Report, error) {
	if k.json {
		return report.JSON(c.out), nil
	}
	return c.terminal("", "")
}
