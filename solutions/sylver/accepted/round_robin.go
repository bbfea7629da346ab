// Round robin on the residues modulo the smallest number; closed form for two.
package main

import (
	"bufio"
	"fmt"
	"math/big"
	"os"
	"sort"
)

func gcd(a, b int64) int64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

func main() {
	in := bufio.NewReader(os.Stdin)
	var k int
	fmt.Fscan(in, &k)
	a := make([]int64, k)
	for i := range a {
		fmt.Fscan(in, &a[i])
	}
	var x int64
	fmt.Fscan(in, &x)
	if isLegal(a, x) {
		fmt.Println("LEGAL")
	} else {
		fmt.Println("ILLEGAL")
	}
}

func isLegal(a []int64, x int64) bool {
	if x < 2 {
		return false
	}
	if len(a) == 0 {
		return true
	}
	sort.Slice(a, func(i, j int) bool { return a[i] < a[j] })
	if len(a) == 1 {
		return x%a[0] != 0
	}
	if len(a) == 2 {
		return twoNumbers(a[0], a[1], x)
	}
	// Numbers above 10^18 are of no interest.
	const inf = int64(2e18)
	m := a[0]
	table := make([]int64, m)
	for r := range table {
		table[r] = inf
	}
	table[0] = 0
	for _, v := range a[1:] {
		d := gcd(v, m)
		for start := int64(0); start < d; start++ {
			// Twice round the circle does for every starting point.
			r := start
			for i := int64(0); i < 2*m/d; i++ {
				next := (r + v) % m
				if table[r]+v < table[next] {
					table[next] = table[r] + v
				}
				r = next
			}
		}
	}
	return x < table[x%m]
}

func twoNumbers(a, b, x int64) bool {
	g := gcd(a, b)
	if x%g != 0 {
		return true
	}
	a, b, x = a/g, b/g, x/g
	if a == 1 {
		return false
	}
	A, B, X := big.NewInt(a), big.NewInt(b), big.NewInt(x)
	j := new(big.Int).ModInverse(B, A)
	j.Mul(j, X).Mod(j, A)
	return j.Mul(j, B).Cmp(X) > 0
}
