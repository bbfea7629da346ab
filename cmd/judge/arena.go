package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assay/cmd/internal/cli"
	"assay/judge/contests/arena"
	"assay/judge/workspace"
)

// arenaOptions holds the flags of judge arena.
type arenaOptions struct {
	runOptions
	tournamentOptions
	title    string // of the game's directory
	rules    string
	set      []string
	seed     uint64
	rounds   int
	games    int
	points   string
	format   string
	maxMoves int
	start    string
	move     time.Duration
	clock    time.Duration
	log      string
	noLog    bool
	language string
	try      bool
	server   string // a server
}

func arenaCommand(c *console) *cobra.Command {
	var a arenaOptions
	cmd := &cobra.Command{
		Use:   "arena <game> <bot>...",
		Short: "run a tournament between bots",
		Long: `Arena lets bots play under a rule set of the game, writes every game to a log, and prints
the table. If it is interrupted, repeat the command to resume it. If you add a bot, it plays
only the missing games.

A bot is a program in any language that uses the game's line protocol, or a file that the
game has an adapter for (docs/arena.md).

` + exitHelp,
		Example: `  judge arena sylver bots/*
  judge arena sylver a.py b.c --rules s2
  judge arena sylver mine.py --try
  judge arena check sylver mine.py
  judge arena replay games.jsonl 17`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.server != "" {
				if err := rejectLocalFlags(cmd, "on", serverFlags...); err != nil {
					return err
				}
				return a.runOnServer(cmd.Context(), c, cmd.Flags(), args[0], args[1:])
			}
			return a.run(cmd.Context(), c, cmd.Flags(), args[0], args[1:])
		},
	}
	a.flags(c, cmd.Flags())
	cmd.AddCommand(arenaReplayCommand(c), arenaCheckCommand(c), arenaStandingsCommand(c))
	return cmd
}

func (a *arenaOptions) flags(c *console, f *pflag.FlagSet) {
	f.StringVar(&a.rules, "rules", "", "the `NAME` of the rule set (default the game's first one)")
	f.StringArrayVar(&a.set, "set", nil, "an option of the game, `NAME=VALUE` (repeatable)")
	f.Uint64Var(&a.seed, "seed", 1, "the random seed of the event")
	f.IntVar(&a.rounds, "rounds", 0, "how often each pair meets")
	f.IntVar(&a.games, "games", 0, "games of each encounter; the bots take turns in going first")
	cli.ChoiceFlag(f, &a.points, "points", "what is scored: game, encounter or surplus", "game", "encounter", "surplus")
	cli.ChoiceFlag(f, &a.format, "format", "the schedule: "+strings.Join(arena.FormatNames(), ", "), arena.FormatNames()...)
	f.IntVar(&a.maxMoves, "max-moves", 0, "number of moves after which a game is a draw")
	f.StringVar(&a.start, "start", "", `how games start: "drawn", "none", numbers such as "5 7", or a range such as "1000..9999"`)
	f.DurationVar(&a.move, "move-time", 0, "CPU time for one answer")
	f.DurationVar(&a.clock, "clock", 0, "CPU time of a bot for one game")
	f.StringVar(&a.log, "log", "", "the log `FILE` (default named after the event)")
	f.BoolVar(&a.noLog, "no-log", false, "keep no log")
	f.StringVar(&a.language, "lang", "", "the language of all bots, if their names do not determine it")
	f.BoolVar(&a.try, "try", false, "play the bot against the game's tester, and report its errors")
	f.StringVar(&a.server, "on", "", "run on the workers of the server at this `URL`; log in first: judge login URL")
	a.tournamentOptions.flags(f)
	a.runOptions.flags(c, f)
}

func (a *arenaOptions) run(ctx context.Context, c *console, flags *pflag.FlagSet, name string, files []string) error {
	return a.withContest(func(contest *workspace.Workspace) error {
		problem, err := contest.OpenGame(name)
		if err != nil {
			return err
		}
		if a.try {
			if files, err = a.addTester(problem, files); err != nil {
				return err
			}
		}
		if len(files) < 2 {
			return usageError{noOpponent(name, files[0])}
		}
		rules, err := problem.Rules(a.choice(flags))
		if err != nil {
			return err
		}
		schedule, err := a.schedule(&rules, flags, len(files))
		if err != nil {
			return err
		}
		event, err := contest.NewTournament(ctx, problem, rules, files, a.language)
		if err != nil {
			return err
		}
		event.Schedule, a.title = schedule, problem.Title
		event.Seed, event.Jobs = a.seed, a.jobs
		if event.LogPath = a.log; a.log == "" && !a.noLog && !a.try {
			event.LogPath = logName(problem.ID, &rules, a.seed)
		}
		return a.runTournament(ctx, c, event)
	})
}

// noOpponent returns the error for a tournament with only one bot.
func noOpponent(game, bot string) error {
	return fmt.Errorf(
		"one bot has no opponent\n    name two bots, or test it against the game's tester: judge arena %s %s --try",
		game, bot,
	)
}

// logName returns the default name of a tournament's log.
func logName(game string, r *arena.Rules, seed uint64) string {
	return fmt.Sprintf("%s-%s-%s.jsonl", game, r.Name, r.Fingerprint(seed))
}

// addTester adds the game's tester as the opponent of the bot.
func (a *arenaOptions) addTester(f *workspace.Problem, files []string) ([]string, error) {
	if f.Game.Tester == "" {
		return nil, usageError{fmt.Errorf("%s has no tester: its [game] table does not name one", f.ID)}
	}
	if len(files) != 1 {
		return nil, usageError{fmt.Errorf("--try is for one bot, got %d", len(files))}
	}
	if a.rules == "" {
		a.rules = cmp.Or(arena.MadeFor(f.Game, files[0]), f.Game.Try)
	}
	if a.rounds == 0 {
		a.rounds = 1
	}
	if a.games == 0 {
		a.games = 10
	}
	return append(files, f.Game.Tester), nil
}

// choice returns the arena.RulesChoice that the flags select.
func (a *arenaOptions) choice(flags *pflag.FlagSet) arena.RulesChoice {
	c := arena.RulesChoice{Rules: a.rules, Points: a.points, Format: a.format, Options: slices.Clone(a.set)}
	isSet := func(name string) bool { return flags.Changed(name) }
	if isSet("rounds") || a.rounds > 0 {
		c.Rounds = &a.rounds
	}
	if isSet("games") || a.games > 0 {
		c.Games = &a.games
	}
	if isSet("move-time") {
		c.Move = &a.move
	}
	if isSet("clock") {
		c.Clock = &a.clock
	}
	if isSet("max-moves") {
		c.Options = append(c.Options, fmt.Sprintf("max_moves=%d", a.maxMoves))
	}
	if isSet("start") {
		if low, high, isRange := strings.Cut(a.start, ".."); isRange {
			c.Options = append(c.Options, "start=drawn", "low="+low, "high="+high)
		} else {
			c.Options = append(c.Options, "start="+a.start)
		}
	}
	return c
}
