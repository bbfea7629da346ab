package ladder

import (
	"fmt"

	"assay/judge/contests/arena"
)

// Terms returns the rules of the ladder for bot authors. A ladder has its own schedule and disqualifies no bot.
// The title is that of the rule set.
func (v *View) Terms(title string) arena.DescribedRules {
	return arena.DescribedRules{
		Rules: v.GameRules, Title: title, Cost: faultPenalty,
		Schedule: fmt.Sprintf("Two bots meet for %d games and take turns in going first. Wins, draws and losses make the rating. "+
			"A bot starts again with each encounter and remembers nothing of those before it. "+
			"With %d faults in its last %d games, other than `illegal` and `malformed`, it is paused.", v.GameRules.Games, maxFaults, faultWindow),
	}
}

// faultPenalty returns the penalty for a failure on a ladder.
func faultPenalty(f arena.Fault) string {
	switch {
	case f == arena.InitFailed:
		return "all games of the encounter; 2 faults toward a pause"
	case f == arena.LearnFault:
		return "nothing, for the result is known; a fault toward a pause"
	case f.Ends():
		return "the game; a fault toward a pause"
	}
	return "the game"
}
