// Command reference knows Sylver Coinage. Without an argument it answers the puzzle
// sylver: may the number x be announced without losing at once? With the argument
// "referee" it is the referee of the game, for the arena. Both are exact at every
// size that the constraints allow. It has no way for several puzzles at a time: one
// input, one word.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"

	"assay/judge/kit/referee"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "referee" {
		referee.Main(newGame().rules())
		return
	}
	announced, x, err := read(os.Stdin)
	is := false
	if err == nil {
		is, err = legal(announced, x)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if is {
		fmt.Println("LEGAL")
	} else {
		fmt.Println("ILLEGAL")
	}
}

// read takes the announced numbers and x. It does not use fmt.Scan, which takes
// 010 for eight.
func read(r io.Reader) (announced []int64, x int64, err error) {
	words := bufio.NewScanner(r)
	words.Split(bufio.ScanWords)
	next := func() int64 {
		if err != nil {
			return 0
		}
		if !words.Scan() {
			err = io.ErrUnexpectedEOF
			return 0
		}
		var n int64
		n, err = strconv.ParseInt(words.Text(), 10, 64)
		return n
	}
	for range next() {
		announced = append(announced, next())
	}
	x = next()
	return announced, x, err
}

// legal says whether x is neither 0 nor 1 nor a sum of announced numbers.
func legal(announced []int64, x int64) (bool, error) {
	var p position
	for _, n := range announced {
		p.add(n)
	}
	return p.legal(x)
}
