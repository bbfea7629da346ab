package standings

import (
	"fmt"

	"assay/judge/contests/arena"
	"assay/judge/contests/rating"
)

// StoppingSchedule is a schedule that continues until the result is statistically clear. Verdict describes the result.
type StoppingSchedule interface {
	arena.Schedule
	Verdict(so *arena.Results) string
}

// The values of Rules.Format for schedules that implement StoppingSchedule. They are stored in the log, so that the log
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

// StoppingScheduleOf returns the schedule that the format of r denotes. It returns nil if the format has a fixed number of
// games.
func StoppingScheduleOf(r *arena.Rules) StoppingSchedule {
	var t rating.SPRT
	if n, err := fmt.Sscanf(r.Format, sprtFormat, &t.Elo0, &t.Elo1, &t.Alpha, &t.Beta); err == nil && n == 4 && t.Check() == nil {
		return SPRT{Rules: r, Test: t}
	}
	if r.Format == settledFormat {
		return UntilSettled{Rules: r}
	}
	return nil
}

// botNumbers maps the ids of the bots that are not disqualified to consecutive numbers.
func botNumbers(results *arena.Results) map[int]int {
	at := map[int]int{}
	for i, id := range results.ActiveBots() {
		at[id] = i
	}
	return at
}

// gamesOfRounds returns the games of the first rounds between bots that are not disqualified.
func gamesOfRounds(results *arena.Results, rounds int) (games []arena.Result) {
	for _, g := range results.Games {
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
func (s SPRT) Stage(stage int, results *arena.Results) []arena.Encounter {
	in := results.ActiveBots()
	if len(in) != 2 || stage*batch >= s.Rules.Rounds || s.Test.Decide(s.tally(results, stage*batch)) != rating.Undecided {
		return nil
	}
	return arena.RoundRobin(in, stage*batch+1, min((stage+1)*batch, s.Rules.Rounds), s.Rules.Games)
}

func (s SPRT) tally(results *arena.Results, rounds int) (t rating.Tally) {
	for _, d := range Duels(gamesOfRounds(results, rounds), botNumbers(results)) {
		t = t.Plus(d.Tally)
	}
	return t
}

// Verdict describes the result of the test.
func (s SPRT) Verdict(results *arena.Results) string {
	in := results.ActiveBots()
	if len(in) != 2 {
		return "a test needs two bots"
	}
	t := s.tally(results, s.Rules.Rounds)
	low, high := s.Test.Bounds()
	first, second := results.Bot(in[0]).Name, results.Bot(in[1]).Name
	numbers := fmt.Sprintf("LLR %.2f in [%.2f, %.2f]", s.Test.LLR(t), low, high)
	switch s.Test.Decide(t) {
	case rating.AcceptElo1:
		return fmt.Sprintf("%s is stronger than %s: by more than %g Elo (%s)", first, second, s.Test.Elo0, numbers)
	case rating.AcceptElo0:
		return fmt.Sprintf("%s is not stronger than %s by %g Elo (%s)", first, second, s.Test.Elo1, numbers)
	}
	return fmt.Sprintf("undecided between %g and %g Elo for %s against %s (%s)", s.Test.Elo0, s.Test.Elo1, first, second, numbers)
}

// UntilSettled is the schedule of a round robin that continues until the ranking is settled, or until all rounds
// of the rules have been played. It checks the ranking after rounds 2, 4, 8 and so on.
type UntilSettled struct {
	Rules    *arena.Rules
	Settling rating.SettlingRule
}

// Stage implements arena.Schedule.
func (s UntilSettled) Stage(stage int, results *arena.Results) []arena.Encounter {
	done, next := 0, 2
	for range stage {
		done, next = next, 2*next
	}
	if done >= s.Rules.Rounds || stage > 0 && s.settled(results, stage) {
		return nil
	}
	return arena.RoundRobin(results.ActiveBots(), done+1, min(next, s.Rules.Rounds), s.Rules.Games)
}

// settled reports whether the ranking is settled at a look, counted from 1.
func (s UntilSettled) settled(results *arena.Results, look int) bool {
	at := botNumbers(results)
	return rating.Rate(len(at), Duels(gamesOfRounds(results, 1<<look), at)).Settled(s.Settling, look)
}

// Verdict describes the result.
func (s UntilSettled) Verdict(results *arena.Results) string {
	rounds := 0
	for _, g := range results.Games {
		rounds = max(rounds, g.Round)
	}
	for look := 1; 1<<look <= rounds; look++ {
		if s.settled(results, look) {
			return fmt.Sprintf("the ranking is settled after %d rounds", 1<<look)
		}
	}
	return fmt.Sprintf("the ranking is not settled after %d rounds", rounds)
}
