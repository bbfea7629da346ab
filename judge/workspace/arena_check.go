package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/contests/arena"
	"assay/judge/problem"
	"assay/judge/running/lang"
)

// checkGame tests a game by playing it. The tester and every bot in solutions/<id>/bots must make no fault, from
// any starting position and under the rules for which they were written. Each graded bot must beat the one before
// it. If the directory is also a problem, only the examples for bot authors are tested.
func (p *Problem) checkGame(ctx context.Context, report func(what string, count int, faults judge.ProblemErrors), note func(string)) error {
	if !p.OnlyGame() {
		return p.tryExampleBots(ctx, report, note)
	}
	bots, err := p.gameBots()
	if err != nil {
		return err
	}
	tester := p.Game.Tester
	if tester == "" && len(bots) == 0 {
		report("the referee is tested", 0, judge.ProblemErrors{p.Fault(
			"game", "the game cannot be tested: it has no tester and no bots",
			`add: tester = "tester", or bots in `+filepath.Join(p.SolutionsDir(), problem.Bots),
		)})
		return nil
	}
	steps := []struct {
		what string
		do   func() (int, judge.ProblemErrors, error)
	}{
		{"the tester plays by all of the rules", func() (int, judge.ProblemErrors, error) { return p.tryTester(ctx, tester) }},
		{"every bot plays by its rules", func() (int, judge.ProblemErrors, error) { return p.tryBots(ctx, tester, bots) }},
		{"each graded bot beats the one before it", func() (int, judge.ProblemErrors, error) { return p.gradeBots(ctx, bots) }},
	}
	for i, s := range steps {
		n, faults, err := s.do()
		if fault, ok := errors.AsType[*judge.ProblemError](err); ok {
			faults, err = append(faults, fault), nil
		}
		if err != nil {
			return fmt.Errorf("verify that %s: %w", s.what, err)
		}
		if n > 0 || len(faults) > 0 {
			report(s.what, n, faults)
		}
		if i == 0 && len(faults) > 0 {
			return nil // every bot that plays the tester would get this error
		}
	}
	return p.tryExampleBots(ctx, report, note)
}

// tryExampleBots plays each example bot against the tester as on a ladder. It reports examples in languages that are
// not installed on this machine.
func (p *Problem) tryExampleBots(
	ctx context.Context, report func(what string, count int, faults judge.ProblemErrors), note func(string),
) error {
	n, faults := 0, judge.ProblemErrors{}
	for _, path := range p.Game.Examples {
		if _, err := p.ReadText(path); err != nil {
			continue // Lint has reported it
		}
		var wrong judge.ProblemErrors
		err := error(nil)
		if !p.Game.Files {
			_, err = p.w.exampleLanguage(path)
		}
		if err == nil {
			_, wrong, err = p.tryBots(ctx, p.Game.Tester, []string{path})
		}
		if missing, ok := errors.AsType[*lang.MissingError](err); ok {
			note(fmt.Sprintf("the example %s is not tested: %v", filepath.Base(path), missing))
			continue
		}
		if fault, ok := errors.AsType[*judge.ProblemError](err); ok {
			wrong, err = append(wrong, fault), nil
		}
		if err != nil {
			return fmt.Errorf("verify that the example %s plays: %w", path, err)
		}
		n, faults = n+1, append(faults, wrong...)
	}
	if n > 0 || len(faults) > 0 {
		report("every example plays by its rules", n, faults)
	}
	return nil
}

// gameBots returns the paths of the game's own bots.
func (p *Problem) gameBots() (paths []string, err error) {
	dir := filepath.Join(p.SolutionsDir(), problem.Bots)
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("list the bots: %w", err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, nil
}

// tryTester plays the tester against itself under each rule set, and returns the number of rule sets.
func (p *Problem) tryTester(ctx context.Context, tester string) (n int, faults judge.ProblemErrors, err error) {
	if tester == "" {
		return 0, nil, nil
	}
	for i := range p.Game.Rules {
		wrong, err := p.playPair(ctx, &p.Game.Rules[i], tester, tester)
		if err != nil {
			return n, faults, err
		}
		n, faults = n+1, append(faults, wrong...)
	}
	return n, faults, nil
}

// tryBots plays each bot against the tester, or against itself if there is no tester.
func (p *Problem) tryBots(ctx context.Context, tester string, bots []string) (n int, faults judge.ProblemErrors, err error) {
	for _, bot := range bots {
		set, err := FindRuleSet(p, arena.MadeFor(p.Game, bot))
		if err != nil {
			return n, faults, err
		}
		other := tester
		if other == "" {
			other = bot
		}
		wrong, err := p.playPair(ctx, set, bot, other)
		if err != nil {
			return n, faults, err
		}
		n, faults = n+1, append(faults, wrong...)
	}
	return n, faults, nil
}

// playPair plays a bot against the bot at other under a rule set, from every starting position.
func (p *Problem) playPair(ctx context.Context, set *problem.RuleSet, bot, opponent string) (faults judge.ProblemErrors, err error) {
	event, err := p.w.NewTournament(ctx, p, arena.FromSet(set), []string{bot, opponent}, "")
	if err != nil {
		return nil, err
	}
	trial := arena.BotTrial{Tournament: event, Rules: arena.FromSet(set), Checks: p.Game.Checks}
	_, err = trial.Run(ctx, func(e judge.Event) {
		tried, ok := e.(*judge.PositionTried)
		for i := 0; ok && i < len(tried.Errors); i++ {
			faults = append(faults, &judge.ProblemError{File: bot, Text: fmt.Sprintf(
				"by the rules %s, from the start %q: %s", set.Name, tried.Name, tried.Errors[i],
			)})
		}
	})
	return faults, err
}

// gradeBots runs a tournament of the graded bots under the first rule set. Each bot must get more points than the
// one before it.
func (p *Problem) gradeBots(ctx context.Context, bots []string) (n int, faults judge.ProblemErrors, err error) {
	var files []string
	for _, name := range p.Game.Graded {
		at := slices.IndexFunc(bots, func(bot string) bool {
			base := filepath.Base(bot)
			return base == name || strings.TrimSuffix(base, filepath.Ext(base)) == name
		})
		if at < 0 {
			faults = append(
				faults,
				p.Fault("game.graded", fmt.Sprintf("there is no bot %q", name), "graded must name bots of "+filepath.Join(
					p.SolutionsDir(), problem.Bots,
				)+", the weakest first"),
			)
			continue
		}
		files = append(files, bots[at])
	}
	if len(files) < 2 || len(faults) > 0 {
		return len(files), faults, nil
	}
	event, err := p.w.NewTournament(ctx, p, arena.FromSet(&p.Game.Rules[0]), files, "")
	if err != nil {
		return 0, nil, err
	}
	event.Jobs = p.w.Jobs
	out, err := event.Run(ctx)
	if options, ok := errors.AsType[*arena.OptionsError](err); ok {
		return 0, judge.ProblemErrors{p.Fault("game.rules[0]", "the referee rejects the options: "+options.Text, "")}, nil
	}
	if err != nil {
		return 0, nil, err
	}
	place := map[int]int{} // maps ids to indexes of the bots in files
	for i, bot := range event.Bots {
		place[bot.ID] = i
	}
	points := make([]float64, len(files))
	for _, row := range arena.Table(out.Results) {
		points[place[row.Bot]] = row.Points
	}
	for _, d := range out.Results.Disqualified {
		faults = append(faults, &judge.ProblemError{File: files[place[d.Bot]], Text: "the bot was disqualified: " + d.Fault.Line()})
	}
	for i := 1; i < len(files) && len(faults) == 0; i++ {
		if points[i] <= points[i-1] {
			faults = append(faults, p.Fault("game.graded", fmt.Sprintf(
				"%s has %g points, but %s, which should be weaker, has %g", p.Game.Graded[i], points[i],
				p.Game.Graded[i-1], points[i-1],
			), "name the weakest first, or play more rounds"))
		}
	}
	return len(files), faults, nil
}
