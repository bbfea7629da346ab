package main

import (
	"fmt"
	"math"
)

func low(k int64) int64 {
	n := 5 * k * k
	r := int64(math.Sqrt(float64(n)))
	for r > 0 && r*r > n {
		r--
	}
	for n > 0 && (r+1)*(r+1) <= n {
		r++
	}
	return (k + r) / 2
}

func main() {
	var i, j int64
	fmt.Scan(&i, &j)
	swapped := i > j
	if swapped {
		i, j = j, i
	}
	d := j - i
	a := low(d)
	b := a + d
	if a == i {
		fmt.Println("lost")
		return
	}
	if a > i {
		a = i
		b = low(i) - i
		if low(b+1) == i {
			b += i + 1
		}
	}
	if swapped {
		a, b = b, a
	}
	fmt.Println(a, b)
}
