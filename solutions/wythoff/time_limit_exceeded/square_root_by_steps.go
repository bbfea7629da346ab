package main

import (
	"fmt"
	"math/bits"
)

// low is floor(k phi): the largest a with a*a <= k*(k+a)
func low(k uint64) uint64 {
	a := k
	for {
		h1, l1 := bits.Mul64(a+1, a+1)
		h2, l2 := bits.Mul64(k, k+a+1)
		if h1 > h2 || h1 == h2 && l1 > l2 {
			return a
		}
		a++
	}
}

func main() {
	var i, j uint64
	fmt.Scan(&i, &j)
	n, d := min(i, j), max(i, j)-min(i, j)
	a := low(d)
	b := a + d
	if a == n {
		fmt.Println("lost")
		return
	}
	if a > n {
		a, b = n, low(n)-n
		if low(b+1) == n {
			b += n + 1
		}
	}
	if i > j {
		a, b = b, a
	}
	fmt.Println(a, b)
}
