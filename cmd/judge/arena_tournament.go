package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"assay/judge"
	"assay/judge/contests/arena"
	"assay/judge/contests/rating"
	"assay/judge/contests/standings"
	"assay/judge/report"
)

// tournamentOptions holds the flags of judge arena that determine a tournament's length and output.
type tournamentOptions struct {
	sprt          string
	settled       bool
	html          string
	json          bool
	analyzedGames int
	times         bool
}

func (s *tournamentOptions) flags(f *pflag.FlagSet) {
	s.outputFlags(f)
	f.StringVar(&s.sprt, "sprt", "", "continue until it is decided whether the first of two bots is stronger by `ELO0,ELO1`, such as 0,50")
	f.BoolVar(&s.settled, "until-settled", false, "continue until the ranking is settled, for at most --rounds")
}

// outputFlags adds the flags that select the output.
func (s *tournamentOptions) outputFlags(f *pflag.FlagSet) {
	f.StringVar(&s.html, "html", "", "write an HTML page with standings and games to `FILE`")
	f.BoolVar(&s.json, "json", false, "instead, write the events as lines of JSON, for judge report")
	f.BoolVar(&s.times, "times", false, "also show the time that bots used, which differs from run to run")
	f.IntVar(&s.analyzedGames, "look", 100, "number of games in which to look for blunders, and to show on the page")
}

// maxRounds is the maximum number of rounds of a tournament without a fixed end.
const maxRounds = 1 << 14

// schedule returns the schedule that the flags select, or nil for the default schedule of the rules. If it returns
// a schedule, it also changes the format and length in r, so that the tournament gets a separate log.
func (s *tournamentOptions) schedule(r *arena.Rules, flags *pflag.FlagSet, bots int) (arena.Schedule, error) {
	refuse := func(format string, args ...any) (arena.Schedule, error) {
		return nil, usageError{fmt.Errorf(format, args...)}
	}
	switch {
	case s.sprt == "" && !s.settled:
		return nil, nil
	case s.sprt != "" && s.settled:
		return refuse("--sprt and --until-settled cannot be combined")
	case flags.Changed("format"):
		return refuse("--format cannot be combined with --sprt or --until-settled: each of them sets the length of the event")
	case s.sprt != "" && bots != 2:
		return refuse("--sprt is for two bots, got %d", bots)
	}
	if !flags.Changed("rounds") {
		r.Rounds = maxRounds
	}
	if s.settled {
		schedule := standings.UntilSettled{Rules: r}
		r.Format = schedule.Format()
		return schedule, nil
	}
	if !flags.Changed("games") {
		r.Games = 2
	}
	test, err := parseSPRT(s.sprt)
	if err != nil {
		return refuse("--sprt %q: %w\n    write ELO0,ELO1, such as 0,50, or ELO0,ELO1,ALPHA,BETA", s.sprt, err)
	}
	schedule := standings.SPRT{Rules: r, Test: test}
	r.Format = schedule.Format()
	return schedule, nil
}

func parseSPRT(text string) (t rating.SPRT, err error) {
	t.Alpha, t.Beta = 0.05, 0.05
	words := strings.Split(text, ",")
	if len(words) != 2 && len(words) != 4 {
		return t, fmt.Errorf("got %d numbers", len(words))
	}
	for i, to := range []*float64{&t.Elo0, &t.Elo1, &t.Alpha, &t.Beta}[:len(words)] {
		if *to, err = strconv.ParseFloat(strings.TrimSpace(words[i]), 64); err != nil {
			return t, fmt.Errorf("%q is not a number", words[i])
		}
	}
	return t, t.Check()
}

// analyzeFunc is a function that asks the game's referee for the positions of games.
type analyzeFunc func(ctx context.Context, games []*arena.Game, told func(done, of int)) (arena.GamePositions, error)

// tournamentReport is a tournament with all data that is reported about it.
type tournamentReport struct {
	results  *arena.Results
	complete bool
	title    string
	analyze  analyzeFunc
	notes    []string
	last     []judge.Event // reported after the standings
}

// show sends a tournament, complete or not, to the reports. The HTML page always includes times.
func (s *tournamentOptions) show(ctx context.Context, c *console, e tournamentReport) (err error) {
	out, err := s.open(c)
	if err != nil {
		return err
	}
	results := e.results
	games, problems := results.Load(standings.SelectGames(results.Games, max(s.analyzedGames, 0))...)
	var seen arena.GamePositions
	if ctx.Err() == nil && problems == nil {
		seen, problems = e.analyze(ctx, games, c.counter("games looked at for mistakes"))
	}
	drawn := standings.Compute(results, games, seen)
	drawn.Title, drawn.Over = e.title, e.complete
	replays, bad := standings.GameEvents(results, games, seen)
	problems = errors.Join(problems, bad)
	started := &judge.TournamentStarted{Format: judge.EventFormat, Game: results.Game, Title: e.title, Rules: results.Rules.Name}
	for _, b := range results.Bots {
		started.Bots = append(started.Bots, b.Name)
	}
	tell := func(r report.Report, s *standings.Standings) error {
		stood, err := s.Event()
		if err != nil {
			return errors.Join(err, r.Close())
		}
		r.Event(started)
		for _, note := range e.notes {
			r.Event(&judge.Noted{Text: note})
		}
		for _, event := range append(append(replays, stood), e.last...) {
			r.Event(event)
		}
		return r.Close()
	}
	if s.html != "" {
		page, err := newReportFile(s.html, report.HTML)
		if err != nil {
			return usageError{err}
		}
		problems = errors.Join(problems, tell(page, drawn))
	}
	if !s.times {
		drawn = drawn.WithoutTimes()
	}
	return errors.Join(problems, tell(out, drawn))
}

// open opens the report for standard output.
func (s *tournamentOptions) open(c *console) (report.Report, error) {
	if s.json {
		return report.JSON(c.out), nil
	}
	width, is := terminalSize(c.out)
	color, err := c.useColor(is)
	if err != nil {
		return nil, err
	}
	if width == 0 {
		width = 120 // for files and pipes
	}
	return report.Terminal(c.out, report.TerminalOptions{Color: color, Width: width}), nil
}
