package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Bounds of the puzzle, which a contestant's file must keep too.
const (
	mostCommands = 100
	mostWindow   = 1<<31 - 1
	mostName     = 60
)

// parseStrategy reads a contestant's file: commands, one a line. Empty lines, and what
// follows a #, do not count. The first line may be the puzzle's "n name".
func parseStrategy(text string) (strategy, error) {
	var s strategy
	announced := 0
	for number, line := range strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if n, err := strconv.Atoi(words[0]); err == nil && len(words) == 2 && len(s.commands) == 0 && announced == 0 {
			if n < 1 || n > mostCommands {
				return s, fmt.Errorf("line %d: %d commands are announced; it may have 1 to %d", number+1, n, mostCommands)
			}
			announced, s.name = n, words[1]
			continue
		}
		c, err := parseCommand(words)
		if err != nil {
			return s, fmt.Errorf("line %d, %q: %w", number+1, short(strings.Join(words, " ")), err)
		}
		s.commands = append(s.commands, c)
	}
	switch n := len(s.commands); {
	case n == 0:
		return s, fmt.Errorf("the file has no command")
	case n > mostCommands:
		return s, fmt.Errorf("the file has %d commands; it may have %d", n, mostCommands)
	case announced > 0 && n != announced:
		return s, fmt.Errorf("the file has %d commands and announces %d", n, announced)
	case len(s.name) > mostName:
		return s, fmt.Errorf("the name %q has more than %d characters", short(s.name), mostName)
	}
	return s, nil
}

// short keeps messages on one line.
func short(s string) string {
	if len(s) > mostName {
		return s[:mostName] + "..."
	}
	return s
}

// forms are the commands, for people who got one wrong.
const forms = `a command is "* Y", "START Y", "WHO -1 X Y", "WHO MAX X Y", "WHO LAST N X Y" or "WHO WIN Y"`

func parseCommand(words []string) (command, error) {
	c := command{y: words[len(words)-1]}
	shape := strings.Join(words[:min(2, len(words))], " ")
	if words[0] == "*" || words[0] == "START" {
		shape = words[0]
	}
	count := 2 // of words
	switch shape {
	case "*":
	case "START":
		c.kind = first
	case "ME -1", "OPP -1":
		c.kind, c.window, count = most, 1, 4
	case "ME MAX", "OPP MAX":
		c.kind, c.window, count = most, everything, 4
	case "ME LAST", "OPP LAST":
		c.kind, count = most, 5
	case "ME WIN", "OPP WIN":
		c.kind, count = ahead, 3
	default:
		return c, fmt.Errorf("%s", forms)
	}
	if len(words) != count {
		return c, fmt.Errorf("it has %d words, want %d: %s", len(words), count, forms)
	}
	c.opp = words[0] == "OPP"
	if !slices.Contains([]string{"C", "D", "RAND"}, c.y) {
		return c, fmt.Errorf("the action is %q, want C, D or RAND", short(c.y))
	}
	if c.kind == most {
		if c.x = words[count-2]; c.x != "C" && c.x != "D" {
			return c, fmt.Errorf("%q is compared, want C or D", short(c.x))
		}
	}
	if count == 5 {
		n, err := strconv.ParseInt(words[2], 10, 64)
		if err != nil || n < 1 || n > mostWindow {
			return c, fmt.Errorf("the N of LAST is %q, want a number from 1 to %d", short(words[2]), mostWindow)
		}
		c.window = int(n)
	}
	return c, nil
}
