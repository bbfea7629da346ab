package main

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// solveSlowly is the statement in code, with nothing done to be fast: it keeps
// the histories as words and reads them anew for each condition.
func solveSlowly(input string) string {
	lines := strings.Split(input, "\n")
	turns, _ := strconv.Atoi(lines[0])
	lines = lines[1:]
	var names [2]string
	var commands [2][]string
	for s := range names {
		n, name, _ := strings.Cut(lines[0], " ")
		names[s] = name
		count, _ := strconv.Atoi(n)
		commands[s], lines = lines[1:1+count], lines[1+count:]
	}
	var history [2][]string
	var reward [2]int
	x := 12
	for range turns {
		var actions [2]string
		for s := range commands {
			i := slices.IndexFunc(commands[s], func(c string) bool {
				return holdsSlowly(c, history[s], history[1-s], reward[s], reward[1-s])
			})
			words := strings.Fields(commands[s][i])
			actions[s] = words[len(words)-1]
			if actions[s] == "RAND" {
				x = (137*x + 187) % 256
				actions[s] = []string{"D", "C"}[bits.OnesCount(uint(x))%2]
			}
		}
		for s := range actions {
			reward[s] += map[string]int{"C C": 2, "C D": 0, "D C": 3, "D D": 1}[actions[s]+" "+actions[1-s]]
			history[s] = append(history[s], actions[s])
		}
	}
	if reward[0] == reward[1] {
		return "DRAW\n"
	}
	return names[slices.Index(reward[:], max(reward[0], reward[1]))] + "\n"
}

func holdsSlowly(c string, me, opp []string, mine, others int) bool {
	words := strings.Fields(c)
	if words[0] == "*" || words[0] == "START" {
		return words[0] == "*" || len(me) == 0
	}
	if words[0] == "OPP" {
		me, mine, others = opp, others, mine
	}
	n := len(me)
	switch words[1] {
	case "WIN":
		return mine > others
	case "-1":
		return n > 0 && me[n-1] == words[2]
	case "LAST":
		n, _ = strconv.Atoi(words[2])
	}
	count, of := 0, 0
	for i := len(me) - 1; i >= 0 && of < n; i-- {
		of++
		if me[i] == words[len(words)-2] {
			count++
		}
	}
	return 2*count > of
}

// inputs draws valid inputs.
func inputs(t *rapid.T) string {
	turns := rapid.IntRange(1, 40).Draw(t, "turns")
	who := rapid.SampledFrom([]string{"ME", "OPP"})
	x := rapid.SampledFrom([]string{"C", "D"})
	y := rapid.SampledFrom([]string{"C", "D", "RAND"})
	n := rapid.OneOf(rapid.IntRange(1, 8), rapid.IntRange(1, 80), rapid.Just(1<<31-1))
	command := rapid.Custom(func(t *rapid.T) string {
		who, x, y := who.Draw(t, "who"), x.Draw(t, "x"), y.Draw(t, "y")
		switch rapid.IntRange(0, 5).Draw(t, "form") {
		case 0:
			return "START " + y
		case 1:
			return who + " -1 " + x + " " + y
		case 2:
			return who + " MAX " + x + " " + y
		case 3:
			return who + " WIN " + y
		}
		return fmt.Sprintf("%s LAST %d %s %s", who, n.Draw(t, "n"), x, y)
	})
	var b strings.Builder
	fmt.Fprintln(&b, turns)
	for _, name := range []string{"Ada", "Ben"} {
		commands := rapid.SliceOfN(command, 0, 6).Draw(t, name)
		commands = append(commands, "* "+y.Draw(t, "star"))
		fmt.Fprintln(&b, len(commands), name)
		fmt.Fprintln(&b, strings.Join(commands, "\n"))
	}
	return b.String()
}

func TestSolveAgreesWithTheStatement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		input := inputs(t)
		var got strings.Builder
		if err := solve(strings.NewReader(input), &got); err != nil {
			t.Fatalf("%v\n%s", err, input)
		}
		if want := solveSlowly(input); got.String() != want {
			t.Fatalf("got %q, want %q\n%s", got.String(), want, input)
		}
	})
}

func TestSolveOfStrategiesThatCannotGoOn(t *testing.T) {
	for name, input := range map[string]string{
		"it says which turn and whose": "3\n1 Ada\n* C\n2 Ben\nSTART C\nOPP -1 D D\n",
		"it does not choose for her":   "3\n1 Ada\nSTART D\n1 Ben\n* C\n",
	} {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			if err := solve(strings.NewReader(input), &got); err == nil || got.Len() > 0 {
				t.Errorf("printed %q, error %v; want an error and nothing printed", got.String(), err)
			}
		})
	}
}
