package arena_test

import (
	"strings"
	"testing"
	"time"

	"assay/judge/contests/arena"
	"assay/judge/internal/golden"
)

func TestGuide(t *testing.T) {
	classic := arena.Rules{
		Name: "classic", Format: "round-robin", Rounds: 10, Games: 2, Score: arena.Score{Criterion: arena.ByGame, Win: 3, Draw: 1},
		Move: 20 * time.Second, Start: 10 * time.Second, Wall: 3, Memory: 512 << 20,
		Costs: map[arena.Fault]arena.Cost{
			arena.Crashed: arena.CostTournament, arena.LearnFault: arena.CostTournament,
		}, Options: map[string]string{"heap": "9", "odd": ""},
	}
	fast := arena.Rules{
		Name: "fast|1", Format: "swiss", Rounds: 1, Games: 1, Score: arena.Score{Criterion: arena.BySurplus, Win: 1, Draw: 0.5},
		Clock: 1500 * time.Millisecond, Start: 50 * time.Millisecond, Wall: 1.5, Memory: 1000, Options: map[string]string{"heap": "a|b `c`"},
	}
	match, sum := fast, fast
	match.Name, match.Score.Criterion, match.Games = "match", arena.ByEncounter, 4
	sum.Name, sum.Score.Criterion = "sum", arena.ByPayoff
	programs := arena.Guide{
		Game: "heap", Tester: true, Statement: "\n# Heap\n\nTake some.\n\n", Adapted: []string{"py", "py3"}, Meanings: map[string]string{
			"heap": "how many\nthere are", "gone": "no option",
		},
		Examples: []arena.Example{{
			File: "game/first.py", Language: "Python 3", Text: "print(1)\r\n",
		}, {File: "first.js", Language: "JavaScript", Text: "x = ```a```\n"}},
	}
	files := arena.Guide{Game: "duel", Files: true, Statement: "# Duel", Examples: []arena.Example{{File: "a.duel", Text: "* C"}}}
	for name, text := range map[string][]byte{
		"programs": programs.Markdown([]arena.DescribedRules{{Rules: classic, Title: "as usual"}, {Rules: fast}, {Rules: match}, {Rules: sum}}),
		"files":    files.Markdown([]arena.DescribedRules{{Rules: sum}}),
		"ladder": (&arena.Guide{}).Markdown([]arena.DescribedRules{{Rules: classic, Schedule: "They meet.", Cost: func(f arena.Fault) string {
			return strings.ToUpper(string(f)) + "|"
		}}}),
		"unread": programs.Markdown(nil),
	} {
		golden.Check(t, "testdata/guide/"+name+".md", text)
	}
}

// TestGuideHasEveryFault checks that the guide describes every fault to bot authors.
func TestGuideHasEveryFault(t *testing.T) {
	text := string((&arena.Guide{}).Markdown([]arena.DescribedRules{{Rules: arena.Rules{Name: "x"}}}))
	for _, f := range arena.Faults {
		if _, words, ok := strings.Cut(text, "- `"+string(f)+"` if it "); !ok || strings.HasPrefix(words, "\n") {
			t.Errorf("the fault %s has no words:\n%s", f, text)
		}
	}
}
