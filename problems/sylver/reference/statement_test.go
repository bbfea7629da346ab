package main

import (
	"os"
	"strings"
	"testing"
)

// TestStatementForBots plays the game in the statement for authors of bots again.
func TestStatementForBots(t *testing.T) {
	data, err := os.ReadFile("../game/statement.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, ok := strings.Cut(string(data), "```\n> ")
	block, _, end := strings.Cut("> "+block, "\n```")
	if !ok || !end {
		t.Fatal("the statement has no game")
	}
	var answers, want []string
	for line := range strings.Lines(block) {
		line = strings.TrimSuffix(line, "\n")
		if answer, ok := strings.CutPrefix(line, "< "); ok {
			answers = append(answers, answer)
		} else if line != "> quit" { // the arena writes it
			want = append(want, strings.TrimPrefix(line, "> "))
		}
	}
	first := &bot{ready: answers[0], move: func([]int64, []int64) string {
		answers = answers[1:]
		return answers[0]
	}}
	moves := []string{"5", "6", "2"}
	second := &bot{ready: "ready", move: func([]int64, []int64) string {
		defer func() { moves = moves[1:] }()
		return moves[0]
	}}
	e := event("penalties", "3")
	e.Rules, e.MoveMS = "s2", 20000
	try(t, e, 1, first, second)
	if got := strings.Join(first.told, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the bot is told\n%s\nand the statement says\n%s", got, strings.Join(want, "\n"))
	}
}
