// In the first turn only START is looked at.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

type command struct {
	words []string
	who   int // 0 or 1
	n     int // how many actions count; -1 for all
	c, d  int // how many of them are C and D
}

var (
	commands [2][]*command
	names    [2]string
	history  [2][]string
	score    [2]int
	x        = 12
)

func read() int {
	in := bufio.NewScanner(os.Stdin)
	line := func() []string {
		in.Scan()
		return strings.Fields(in.Text())
	}
	turns, _ := strconv.Atoi(line()[0])
	for s := 0; s < 2; s++ {
		head := line()
		n, _ := strconv.Atoi(head[0])
		names[s] = head[1]
		for i := 0; i < n; i++ {
			c := &command{words: line(), who: s}
			if c.words[0] == "OPP" {
				c.who = 1 - s
			}
			switch c.words[1] {
			case "MAX":
				c.n = -1
			case "-1":
				c.n = 1
			case "LAST":
				c.n, _ = strconv.Atoi(c.words[2])
			}
			commands[s] = append(commands[s], c)
		}
	}
	return turns
}

// slide moves the window of every command on to the newest action.
func slide() {
	for s := range commands {
		for _, c := range commands[s] {
			if c.n == 0 {
				continue
			}
			h := history[c.who]
			c.count(h[len(h)-1], 1)
			if c.n > 0 && len(h) > c.n {
				c.count(h[len(h)-1-c.n], -1)
			}
		}
	}
}

func (c *command) count(action string, by int) {
	if action == "C" {
		c.c += by
	} else {
		c.d += by
	}
}

func (c *command) holds() bool {
	switch {
	case c.words[0] == "*":
		return true
	case c.words[0] == "START":
		return len(history[0]) == 0
	case c.words[1] == "WIN":
		return score[c.who] > score[1-c.who]
	case c.words[len(c.words)-2] == "C":
		return c.c > c.d
	}
	return c.d > c.c
}

func choose(s int) string {
	if len(history[0]) == 0 && commands[s][0].words[0] != "START" {
		return "C"
	}
	for _, c := range commands[s] {
		if !c.holds() {
			continue
		}
		y := c.words[len(c.words)-1]
		if y == "RAND" {
			x = (137*x + 187) % 256
			y = "D"
			if strings.Count(strconv.FormatInt(int64(x), 2), "1")%2 == 1 {
				y = "C"
			}
		}
		return y
	}
	return ""
}

func main() {
	reward := map[string]int{"CC": 2, "CD": 0, "DC": 3, "DD": 1}
	turns := read()
	for t := 0; t < turns; t++ {
		a := choose(0)
		b := choose(1)
		score[0] += reward[a+b]
		score[1] += reward[b+a]
		history[0] = append(history[0], a)
		history[1] = append(history[1], b)
		slide()
	}
	switch {
	case score[0] > score[1]:
		fmt.Println(names[0])
	case score[1] > score[0]:
		fmt.Println(names[1])
	default:
		fmt.Println("DRAW")
	}
}
