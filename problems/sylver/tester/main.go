// Command tester is the bot that others are tried against: legal at every size, quick,
// and not strong. Where finitely many numbers are left it leaves an even count if it
// can see how, and else announces the largest.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	var gaps []int64
	for in.Scan() {
		words := strings.Fields(in.Text())
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "sylver":
			fmt.Println("ready gaps pure name=tester")
		case "gaps":
			gaps = numbers(words[2:])
		case "move":
			k, _ := strconv.Atoi(words[1])
			fmt.Println(answer(numbers(words[2:2+k]), gaps))
		case "quit":
			return
		}
	}
}

func numbers(words []string) []int64 {
	all := make([]int64, len(words))
	for i, w := range words {
		all[i], _ = strconv.ParseInt(w, 10, 64)
	}
	return all
}

// answer chooses a number.
func answer(announced, gaps []int64) int64 {
	if len(gaps) > 2 && len(gaps)%2 == 0 {
		return gaps[len(gaps)-1] // takes nothing else away
	}
	if len(gaps) > 2 {
		return gaps[len(gaps)/2]
	}
	if len(gaps) > 0 {
		return gaps[len(gaps)-1]
	}
	for _, n := range []int64{5, 7, 11, 13, 2, 3} { // of these some is legal
		if legal(announced, n) {
			return n
		}
	}
	return 1
}

// legal says whether a small number is not a sum of announced ones.
func legal(announced []int64, x int64) bool {
	is := make([]bool, x+1)
	is[0] = true
	for s := range x + 1 {
		for _, n := range announced {
			if n <= s && is[s-n] {
				is[s] = true
			}
		}
	}
	return !is[x]
}
