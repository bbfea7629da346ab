// Announces any number that it may, all with the same probability, as soon as there
// are finitely many; before that, any small one. Where all numbers are large it announces
// any number below them. It knows the rules and nothing of the
// game. Its chance is drawn from the position, so that it always plays the same game
// against a bot that does so.
package main

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"strconv"
	"strings"
)

const (
	none    = int64(1) << 62
	largest = 1 << 20 // entries of a table
)

// table returns, for each residue modulo m, the least sum of the numbers that has it,
// none where there is no such sum.
func table(numbers []int64, m int64) []int64 {
	w := slices.Repeat([]int64{none}, int(m))
	w[0] = 0
	for _, a := range numbers {
		step := a % m
		d := gcd(step, m)
		// Each circle of residues that a goes through, starting at its least entry.
		for start := range d {
			best, n := start, m/d
			for at, k := start, int64(0); k < n; k++ {
				if w[at] < w[best] {
					best = at
				}
				at = (at + step) % m
			}
			for at, k := best, int64(0); k < n && w[best] < none; k++ {
				next := (at + step) % m
				w[next] = min(w[next], w[at]+a)
				at = next
			}
		}
	}
	return w
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// choose picks a number that may be announced; 1 if there is no other.
func choose(numbers []int64, dice uint64) int64 {
	if len(numbers) == 0 {
		return int64(4 + 2*(dice%500)) // some rules forbid a prime here
	}
	m := slices.Min(numbers)
	if m > largest { // all numbers below it may be announced, and a table would fill the memory
		return 2 + int64(dice%uint64(m-2))
	}
	w := table(numbers, m)
	var count uint64
	for _, least := range w {
		if least == none { // its residue is never reached: infinitely many
			return open(w, m, dice)
		}
		count += uint64(least / m)
	}
	if count <= 1 {
		return 1
	}
	at := dice % (count - 1)
	for r, least := range w {
		gaps := uint64(least / m)
		first := int64(r)
		if r == 1 { // 1 is a gap, and loses
			gaps, first = gaps-1, 1+m
		}
		if at < gaps {
			return first + int64(at)*m
		}
		at -= gaps
	}
	return 1
}

// open picks a legal number below 2m, where infinitely many are legal.
func open(w []int64, m int64, dice uint64) int64 {
	for k := int64(0); ; k++ {
		n := 2 + (int64(dice%uint64(2*m))+k)%(2*m)
		if n < w[n%m] {
			return n
		}
	}
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	seed := ""
	for in.Scan() {
		words := strings.Fields(in.Text())
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "sylver":
			seed = words[len(words)-1]
			fmt.Println("ready pure name=random_legal")
		case "move":
			k, _ := strconv.Atoi(words[1])
			numbers := make([]int64, k)
			for i := range numbers {
				numbers[i], _ = strconv.ParseInt(words[2+i], 10, 64)
			}
			h := fnv.New64a()
			fmt.Fprintln(h, seed, numbers)
			fmt.Println(choose(numbers, h.Sum64()>>1))
		case "quit":
			return
		}
	}
}
