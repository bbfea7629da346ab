package arena

import (
	"fmt"
	"strconv"
	"strings"
)

// Notation formats a game on one line: its number in the results, round and leg, the two bots with the first
// player first, the start in brackets, the moves, the result as in chess, and the reason.
//
//	17 3.1 ender-king [123456 654321] 5 7 2 1 0-1 named-one
func Notation(r *Results, number int, g *Game) string {
	words := []string{strconv.Itoa(number), fmt.Sprintf("%d.%d", g.Round, g.Leg), r.Bot(g.First).Name + "-" + r.Bot(g.Second).Name}
	if g.Start != "" {
		words = append(words, "["+g.Start+"]")
	}
	words = append(words, g.Moves...)
	words = append(words, [...]string{"1/2-1/2", "1-0", "0-1"}[g.Winner], g.Reason)
	return strings.Join(words, " ")
}
