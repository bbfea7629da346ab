// An array for a hundred thousand residues; there are up to a million.
package main

import "fmt"

var w [100001]int

func gcd(a, b int) int {
	if b == 0 {
		return a
	}
	return gcd(b, a%b)
}

func sum(a []int, x int) bool {
	if x < 2 {
		return true
	}
	if len(a) == 0 {
		return false
	}
	m := a[0]
	for _, v := range a {
		m = min(m, v)
	}
	if len(a) == 1 {
		return x%m == 0
	}
	for r := 0; r < m; r++ {
		w[r] = 2e18
	}
	w[0] = 0
	for _, v := range a {
		d := gcd(v, m)
		for c := 0; c < d; c++ {
			for i, r := 0, c; i < 2*m/d; i++ {
				s := (r + v) % m
				w[s] = min(w[s], w[r]+v)
				r = s
			}
		}
	}
	return w[x%m] <= x
}

func main() {
	var k, x int
	fmt.Scan(&k)
	a := make([]int, k)
	for i := range a {
		fmt.Scan(&a[i])
	}
	fmt.Scan(&x)
	if sum(a, x) {
		fmt.Println("ILLEGAL")
	} else {
		fmt.Println("LEGAL")
	}
}
