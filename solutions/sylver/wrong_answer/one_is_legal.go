// Announcing 1 ends the game, but here it is legal while it is no sum.
package main

import (
	"fmt"
	"math/big"
	"sort"
)

func gcd(a, b int) int {
	if b == 0 {
		return a
	}
	return gcd(b, a%b)
}

func main() {
	var k, x int
	fmt.Scan(&k)
	a := make([]int, k)
	for i := range a {
		fmt.Scan(&a[i])
	}
	fmt.Scan(&x)
	sort.Ints(a)
	if sum(a, x) {
		fmt.Println("ILLEGAL")
	} else {
		fmt.Println("LEGAL")
	}
}

func sum(a []int, x int) bool {
	if x == 0 {
		return true
	}
	if len(a) == 0 || x < a[0] {
		return false
	}
	m := a[0]
	if len(a) == 1 {
		return x%m == 0
	}
	if len(a) == 2 {
		g := gcd(m, a[1])
		p, q, y := big.NewInt(int64(m/g)), big.NewInt(int64(a[1]/g)), big.NewInt(int64(x/g))
		j := new(big.Int).ModInverse(q, p)
		j.Mul(j, y).Mod(j, p)
		return x%g == 0 && j.Mul(j, q).Cmp(y) <= 0
	}
	w := make([]int, m)
	for r := 1; r < m; r++ {
		w[r] = 2e18
	}
	for _, v := range a[1:] {
		d := gcd(m, v)
		for c := 0; c < d; c++ {
			r := c
			for i := 0; i < 2*m/d; i++ {
				s := (r + v) % m
				w[s] = min(w[s], w[r]+v)
				r = s
			}
		}
	}
	return w[x%m] <= x
}
