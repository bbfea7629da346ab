package main

import (
	"fmt"
	"math/big"
)

// low(k) = floor(k * phi); the k-th lost position is low(k), low(k)+k
func low(k int64) int64 {
	n := big.NewInt(k)
	n.Mul(n, n)
	n.Mul(n, big.NewInt(5))
	n.Sqrt(n)
	return (k + n.Int64()) / 2
}

// the other pile of the lost position that has a pile of n
func partner(n int64) int64 {
	k := low(n) - n
	for m := max(0, k-1); m <= k+1; m++ {
		if low(m) == n {
			return n + m
		}
	}
	return k
}

func solve(i, j int64) (int64, int64, bool) {
	if i > j {
		b, a, ok := solve(j, i)
		return a, b, ok
	}
	p := partner(i)
	if p == j {
		return 0, 0, false
	}
	if p < j {
		return i, p, true
	}
	a := low(j - i)
	return a, a + j - i, true
}

func main() {
	var i, j int64
	fmt.Scan(&i, &j)
	a, b, ok := solve(i, j)
	if ok {
		fmt.Println(a, b)
	} else {
		fmt.Println("-1 -1")
	}
}
