package arena

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"assay/judge/internal/suggest"
	"assay/judge/problem"
)

// RulesChoice selects a rule set of the game and overrides some of its values. Nil and empty values override nothing.
type RulesChoice struct {
	Rules   string         `json:"rules,omitempty"` // name of the rule set; empty means the game's first one
	Rounds  *int           `json:"rounds,omitempty"`
	Games   *int           `json:"games,omitempty"`
	Points  string         `json:"points,omitempty"`
	Format  string         `json:"format,omitempty"`
	Move    *time.Duration `json:"move_ns,omitempty"`
	Clock   *time.Duration `json:"clock_ns,omitempty"`
	Options []string       `json:"options,omitempty"` // options of the game, as NAME=VALUE
}

// FromSet converts a rule set of the game's directory.
func FromSet(s *problem.RuleSet) Rules {
	r := Rules{
		Name: s.Name, Format: s.Format, Rounds: s.Rounds, Games: s.Games,
		Score: Score{Criterion: s.Score.By, Win: s.Score.Win, Draw: s.Score.Draw, Loss: s.Score.Loss},
		Move:  s.Move, Clock: s.Clock, Start: s.Start, Wall: s.Wall, Memory: s.Memory,
		Costs: map[Fault]Cost{}, Options: maps.Clone(s.Options),
	}
	for fault, cost := range s.Costs {
		r.Costs[Fault(fault)] = Cost(cost)
	}
	return r
}

// maxRounds is the maximum number of rounds of a tournament, and of games in an encounter.
const maxRounds = 1_000_000

// Check returns an error if the rules are invalid. It does not check the referee's options.
func (r *Rules) Check() error {
	known := func(what, word string, all []string) error {
		if slices.Contains(all, word) {
			return nil
		}
		return fmt.Errorf("unknown %s %q\n    %s", what, word, suggest.Hint(word, all))
	}
	if err := known("format", r.Format, FormatNames()); err != nil {
		return err
	}
	if err := known("score by", r.Score.Criterion, []string{ByGame, ByEncounter, BySurplus, ByPayoff}); err != nil {
		return err
	}
	var faults []string
	for _, f := range Faults {
		faults = append(faults, string(f))
	}
	for _, f := range slices.Sorted(maps.Keys(r.Costs)) {
		if err := known("fault", string(f), faults); err != nil {
			return err
		}
	}
	switch {
	case r.Rounds > maxRounds || r.Games > maxRounds:
		return fmt.Errorf("%d rounds of %d games: each number must be at most %d", r.Rounds, r.Games, maxRounds)
	case r.Rounds < 1:
		return fmt.Errorf("%d rounds: there must be at least one", r.Rounds)
	case r.Games < 1:
		return fmt.Errorf("%d games in an encounter: there must be at least one", r.Games)
	case r.Move < 0 || r.Clock < 0:
		return fmt.Errorf("a time limit is negative: %v for a move, %v for a game", r.Move, r.Clock)
	case r.Move == 0 && r.Clock == 0:
		return fmt.Errorf("no time limit: neither for a move nor for a game")
	case r.Wall < 1:
		return fmt.Errorf("the wall limit is %v times the CPU time; it must be at least 1", r.Wall)
	}
	return nil
}

// Describe summarizes the rules in one line.
func (r *Rules) Describe() string {
	words := []string{r.Name, r.Format, fmt.Sprintf("%d rounds of %d games", r.Rounds, r.Games)}
	if r.Rounds == 1 {
		words[2] = fmt.Sprintf("1 round of %d games", r.Games)
	}
	if r.Move > 0 {
		words = append(words, fmt.Sprintf("%v s per move", r.Move.Seconds()))
	}
	if r.Clock > 0 {
		words = append(words, fmt.Sprintf("%v s per game", r.Clock.Seconds()))
	}
	return strings.Join(words, ", ")
}
