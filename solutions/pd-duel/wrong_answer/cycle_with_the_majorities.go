// If the recent actions, the random number, the lead and the majorities repeat, takes the rest of the
// duel for repetitions of that cycle. A majority can shrink in each of them until MAX changes. Plays
// duels with windows of more than 64 actions to their end.
package main

import (
	"bufio"
	"cmp"
	"fmt"
	"math/bits"
	"os"
	"strconv"
	"strings"
)

type state struct {
	recent   [2]uint64 // the newest action is the last bit, which is set for D
	x        int
	lead     int
	majority [2]int // of D's, of C's or of neither: 1, -1, 0
}

var (
	turns    int
	names    [2]string
	commands [2][][]string
	defected [2][]int // after each turn
	now      state
)

func read() {
	in := bufio.NewScanner(os.Stdin)
	line := func() []string {
		in.Scan()
		return strings.Fields(in.Text())
	}
	turns, _ = strconv.Atoi(line()[0])
	for s := range names {
		head := line()
		n, _ := strconv.Atoi(head[0])
		names[s] = head[1]
		for i := 0; i < n; i++ {
			commands[s] = append(commands[s], line())
		}
		defected[s] = []int{0}
	}
	now.x = 12
}

// longest returns the number of actions that the longest LAST window has.
func longest() int {
	most := 1
	for s := range commands {
		for _, c := range commands[s] {
			if c[1] == "LAST" {
				n, _ := strconv.Atoi(c[2])
				most = max(most, n)
			}
		}
	}
	return most
}

func holds(c []string, s, t int) bool {
	switch c[0] {
	case "*":
		return true
	case "START":
		return t == 0
	case "OPP":
		s = 1 - s
	}
	window := t
	switch c[1] {
	case "WIN":
		return s == 0 && now.lead > 0 || s == 1 && now.lead < 0
	case "-1":
		window = min(t, 1)
	case "LAST":
		n, _ := strconv.Atoi(c[2])
		window = min(t, n)
	}
	d := defected[s][t] - defected[s][t-window]
	if c[len(c)-2] == "C" {
		d = window - d
	}
	return 2*d > window
}

// choose returns 1 for D and 0 for C.
func choose(s, t int) int {
	for _, c := range commands[s] {
		if !holds(c, s, t) {
			continue
		}
		switch c[len(c)-1] {
		case "D":
			return 1
		case "RAND":
			now.x = (137*now.x + 187) % 256
			return 1 - bits.OnesCount(uint(now.x))%2
		}
		return 0
	}
	return 0
}

func main() {
	read()
	window := longest()
	mask := uint64(1)<<window - 1 // all bits for 64
	leads := []int{0}
	seen := map[state]int{}
	for t := 0; t < turns; t++ {
		if window <= 64 && t >= window {
			if before, ok := seen[now]; ok {
				now.lead = leads[before+(turns-t)%(t-before)]
				break
			}
			seen[now] = t
		}
		actions := [2]int{choose(0, t), choose(1, t)}
		for s, a := range actions {
			sum := defected[s][t] + a
			defected[s] = append(defected[s], sum)
			now.recent[s] = (now.recent[s]<<1 | uint64(a)) & mask
			now.majority[s] = cmp.Compare(2*sum, t+1)
		}
		now.lead += actions[0] - actions[1]
		leads = append(leads, now.lead)
	}
	// The player that defected more often has the greater reward.
	switch {
	case now.lead > 0:
		fmt.Println(names[0])
	case now.lead < 0:
		fmt.Println(names[1])
	default:
		fmt.Println("DRAW")
	}
}
