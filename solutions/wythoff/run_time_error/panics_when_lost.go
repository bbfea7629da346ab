package main

import (
	"fmt"
	"math"
)

func main() {
	var i, j int
	fmt.Scan(&i, &j)
	cold := map[[2]int]bool{}
	for k := range 40 {
		a := int(float64(k) * math.Phi)
		cold[[2]int{a, a + k}] = true
		cold[[2]int{a + k, a}] = true
	}
	var moves [][2]int
	for t := 1; t <= i || t <= j; t++ {
		for _, m := range [][2]int{{i - t, j}, {i, j - t}, {i - t, j - t}} {
			if cold[m] {
				moves = append(moves, m)
			}
		}
	}
	fmt.Println(moves[0][0], moves[0][1])
}
