package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/contests/arena"
	"assay/judge/problem"
)

// OpenGame opens a problem directory, which must be a game.
func (w *Workspace) OpenGame(name string) (*Problem, error) {
	folder, err := w.Open(name)
	if err != nil {
		return nil, err
	}
	return folder, folder.CheckGame()
}

// CheckGame returns an error if the problem is not a game.
func (p *Problem) CheckGame() error {
	if p.Game == nil {
		return &judge.UsageError{Err: fmt.Errorf("%s is not a game: its problem.toml has no [game] table", p.ID)}
	}
	return nil
}

// BotGuide returns the text for authors of bots, and the game's rule sets.
func (w *Workspace) BotGuide(p *Problem) (*arena.Guide, []arena.DescribedRules, error) {
	g := &arena.Guide{Game: p.ID, Files: p.Game.Files, Tester: p.Game.Tester != "", Meanings: p.Game.Meanings}
	read := func(path string) (string, error) {
		text, err := p.ReadText(path)
		if err != nil {
			return "", &judge.ProblemError{
				File: path, Text: problem.Reason(err), Hint: "write the file, or remove it from the [game] table",
			}
		}
		return string(text), nil
	}
	file := p.Game.Statement
	if file == "" && p.OnlyGame() {
		file = p.Statement()
	}
	var err error
	if file != "" {
		if g.Statement, err = read(file); err != nil {
			return nil, nil, err
		}
	}
	for _, a := range p.Game.Adapters {
		g.Adapted = append(g.Adapted, a.Extensions...)
	}
	for _, path := range p.Game.Examples {
		e := arena.Example{File: filepath.Base(path)}
		if e.Text, err = read(path); err != nil {
			return nil, nil, err
		}
		if !g.Files {
			if e.Language, err = w.exampleLanguage(path); err != nil {
				return nil, nil, err
			}
		}
		g.Examples = append(g.Examples, e)
	}
	var sets []arena.DescribedRules
	for i := range p.Game.Rules {
		set := &p.Game.Rules[i]
		sets = append(sets, arena.DescribedRules{Rules: arena.FromSet(set), Title: set.Title})
	}
	return g, sets, nil
}

// exampleLanguage names the language of a bot only by its extension, because the text must not depend on the tools
// of this machine.
func (w *Workspace) exampleLanguage(path string) (string, error) {
	extension := strings.TrimPrefix(filepath.Ext(path), ".")
	for _, l := range w.Config.Languages {
		if slices.Contains(l.Extensions, extension) {
			return l.Name, nil
		}
	}
	return "", &judge.ProblemError{
		File: path, Text: fmt.Sprintf("no language has the extension .%s", extension),
		Hint: "name a bot with the extension of a language that judge lang lists",
	}
}

// GameStatement returns the text for authors of bots as Markdown.
func (w *Workspace) GameStatement(p *Problem) ([]byte, error) {
	g, sets, err := w.BotGuide(p)
	if err != nil {
		return nil, err
	}
	return g.Markdown(sets), nil
}

// Rules returns the rules for a choice.
func (p *Problem) Rules(c arena.RulesChoice) (arena.Rules, error) {
	set, err := FindRuleSet(p, c.Rules)
	if err != nil {
		return arena.Rules{}, err
	}
	r := arena.FromSet(set)
	if c.Rounds != nil {
		r.Rounds = *c.Rounds
	}
	if c.Games != nil {
		r.Games = *c.Games
	}
	if c.Move != nil {
		r.Move = *c.Move
	}
	if c.Clock != nil {
		r.Clock = *c.Clock
	}
	r.Score.Criterion, r.Format = cmp.Or(c.Points, r.Score.Criterion), cmp.Or(c.Format, r.Format)
	for _, o := range c.Options {
		if err := setOption(&r, o); err != nil {
			return r, err
		}
	}
	if err := r.Check(); err != nil {
		return r, &judge.UsageError{Err: err}
	}
	return r, nil
}

// FindRuleSet finds a rule set by name. An empty name stands for the first one.
func FindRuleSet(f *Problem, name string) (*problem.RuleSet, error) {
	var names []string
	for i := range f.Game.Rules {
		if r := &f.Game.Rules[i]; r.Name == name || name == "" {
			return r, nil
		}
		names = append(names, f.Game.Rules[i].Name)
	}
	return nil, &judge.UsageError{Err: fmt.Errorf("%s has no rule set %q\n    its rule sets: %s", f.ID, name, strings.Join(names, ", "))}
}

// setOption sets a game option given as "name=value".
func setOption(r *arena.Rules, option string) error {
	name, value, ok := strings.Cut(option, "=")
	if !ok {
		return &judge.UsageError{Err: fmt.Errorf("the option %q has no value: write NAME=VALUE", option)}
	}
	name = strings.ReplaceAll(name, "-", "_")
	if _, known := r.Options[name]; !known {
		return &judge.UsageError{
			Err: fmt.Errorf(
				"the game has no option %q\n    its options: %s", name,
				strings.Join(slices.Sorted(maps.Keys(r.Options)), ", "),
			),
		}
	}
	switch value {
	case "true":
		value = "yes"
	case "false":
		value = "no"
	}
	r.Options[name] = value
	return nil
}

// NewTournament builds the referee and all bots of a tournament.
func (w *Workspace) NewTournament(
	ctx context.Context, f *Problem, rules arena.Rules, files []string, language string,
) (*arena.Tournament, error) {
	e := &arena.Tournament{
		Game: f.ID, Rules: rules, Sandbox: w.Sandbox, RefereePath: f.Game.Referee.Path,
		RefereeArgs: f.Game.Referee.Args, RefereeLimits: w.Config.Setter,
		CacheDir: filepath.Join(w.Cache, "looks"),
	}
	var refused error
	able := 0
	for _, file := range files {
		var bot *arena.Contestant
		var err error
		w.reportBuild(file, func() { bot, err = arena.NewContestant(ctx, f.Game, w.Tools, file, language) })
		if err == nil {
			able++
		} else if bot = arena.BrokenContestant(file, err); bot == nil {
			return nil, botError(err)
		} else if refused == nil {
			refused = err
		}
		bot.File = filepath.ToSlash(w.DisplayPath(file))
		e.Bots = append(e.Bots, bot)
	}
	if refused != nil && able < 2 {
		return nil, botError(refused)
	}
	arena.MakeNamesUnique(e.Bots)
	var err error
	e.Referee, err = f.BuildProgram(ctx, f.Game.Referee)
	return e, err
}

// botError returns the error for a file that cannot be a bot. It is an error by the caller.
func botError(err error) error {
	if _, ok := errors.AsType[*judge.ProblemError](err); ok {
		return &judge.UsageError{Err: err}
	}
	return err
}

// OnlyGame returns the game of a contest that contains only one game.
func (w *Workspace) OnlyGame() (string, error) {
	ids, err := w.KnownProblems()
	if err != nil {
		return "", err
	}
	var games []string
	for _, id := range ids {
		if f, err := w.Open(id); err == nil && f.Game != nil && f.Game.Tester != "" {
			games = append(games, id)
		}
	}
	if len(games) != 1 {
		return "", &judge.UsageError{
			Err: fmt.Errorf("which game? The contest has %d games with a tester\n    usage: judge arena check <game> <bot>", len(games)),
		}
	}
	return games[0], nil
}
