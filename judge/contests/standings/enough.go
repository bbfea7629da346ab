package standings

import (
	"fmt"

	"assay/judge/contests/arena"
	"assay/judge/contests/rating"
)

// Enough is a schedule that continues until the result is statistically clear. Verdict describes the result.
type Enough interface {
	arena.Schedule
	Verdict(so *arena.Results) string
}

// The values of Rules.Format for schedules that implement Enough. They are stored in the log, so that the log
// identifies the schedule.
const (
	sprtFormat    = "sprt %g %g %g %g"
	settledFormat = "until-settled"
)

// Format returns the value of Rules.Format that denotes the test.
func (s SPRT) Format() string {
	return fmt.Sprintf(sprtFormat, s.Test.Elo0, s.Test.Elo1, s.Test.Alpha, s.Test.Beta)
}

// Format returns the value of Rules.Format that denotes the schedule.
func (s UntilSettled) Format() string { return settledFormat }

// EnoughOf returns the schedule that the format of r denotes. It returns nil if the format has a fixed number of
// games.
func EnoughOf(r *arena.Rules) Enough {
	var t rating.SPRT
	if n, err := fmt.Sscanf(r.Format, sprtFormat, &t.Elo0, &t.Elo1, &t.Alpha, &t.Beta); err == nil && n == 4 && t.Check() == nil {
		return SPRT{Rules: r, Test: t}
	}
	if r.Format == settledFormat {
		return UntilSettled{Rules: r}
	}
	return nil
}

// ids maps the ids of the bots that are not disqualified to consecutive numbers.
func ids(so *arena.Results) map[int]int {
	at := map[int]int{}
	for i, id := range so.In() {
		at[id] = i
	}
	return at
}

// inPlay returns the games of the first rounds between bots that are not disqualified.
func inPlay(so *arena.Results, rounds int) (games []arena.Result) {
	for _, g := range so.Games {
		if g.Round <= rounds {
			games = append(games, g)
		}
	}
	return games
}

// SPRT is the schedule of a sequential test of the first bot against the second. They play until the test has a
// result, or until all rounds of the rules have been played.
type SPRT struct {
	Rules *arena.Rules
	Test  rating.SPRT
}

// batch is the number of encounters that a test plays between two looks. Looking after each encounter would leave
// CPUs idle. Looking less often costs a few additional games, but does not increase the error rates.
const batch = 8

// Stage implements arena.Schedule.
func (s SPRT) Stage(stage int, so *arena.Results) []arena.Encounter {
	in := so.In()
	if len(in) != 2 || stage*batch >= s.Rules.Rounds || s.Test.Decide(s.tally(so, stage*batch)) != rating.Undecided {
		return nil
	}
	return arena.RoundRobin(in, stage*batch+1, min((stage+1)*batch, s.Rules.Rounds), s.Rules.Games)
}

func (s SPRT) tally(so *arena.Results, rounds int) (t rating.Tally) {
	for _, d := range Duels(inPlay(so, rounds), ids(so)) {
		t = t.Plus(d.Tally)
	}
	return t
}

// Verdict describes the result of the test.
func (s SPRT) Verdict(so *arena.Results) string {
	in := so.In()
	if len(in) != 2 {
		return "a test needs two bots"
	}
	t := s.tally(so, s.Rules.Rounds)
	low, high := s.Test.Bounds()
	first, second := so.Bot(in[0]).Name, so.Bot(in[1]).Name
	numbers := fmt.Sprintf("LLR %.2f in [%.2f, %.2f]", s.Test.LLR(t), low, high)
	switch s.Test.Decide(t) {
	case rating.TakeElo1:
		return fmt.Sprintf("%s is stronger than %s: by more than %g Elo (%s)", first, second, s.Test.Elo0, numbers)
	case rating.TakeElo0:
		return fmt.Sprintf("%s is not stronger than %s by %g Elo (%s)", first, second, s.Test.Elo1, numbers)
	}
	return fmt.Sprintf("undecided between %g and %g Elo for %s against %s (%s)", s.Test.Elo0, s.Test.Elo1, first, second, numbers)
}

// UntilSettled is the schedule of a round robin that continues until the ranking is settled, or until all rounds
// of the rules have been played. It checks the ranking after rounds 2, 4, 8 and so on.
type UntilSettled struct {
	Rules    *arena.Rules
	Settling rating.Settling
}

// Stage implements arena.Schedule.
func (s UntilSettled) Stage(stage int, so *arena.Results) []arena.Encounter {
	done, next := 0, 2
	for range stage {
		done, next = next, 2*next
	}
	if done >= s.Rules.Rounds || stage > 0 && s.settled(so, stage) {
		return nil
	}
	return arena.RoundRobin(so.In(), done+1, min(next, s.Rules.Rounds), s.Rules.Games)
}

// settled reports whether the ranking is settled at a look, counted from 1.
func (s UntilSettled) settled(so *arena.Results, look int) bool {
	at := ids(so)
	return rating.Rate(len(at), Duels(inPlay(so, 1<<look), at)).Settled(s.Settling, look)
}

// Verdict describes the result.
func (s UntilSettled) Verdict(so *arena.Results) string {
	rounds := 0
	for _, g := range so.Games {
		rounds = max(rounds, g.Round)
	}
	for look := 1; 1<<look <= rounds; look++ {
		if s.settled(so, look) {
			return fmt.Sprintf("the ranking is settled after %d rounds", 1<<look)
		}
	}
	return fmt.Sprintf("the ranking is not settled after %d rounds", rounds)
}
