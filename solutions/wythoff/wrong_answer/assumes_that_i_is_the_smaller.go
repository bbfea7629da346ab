package main

import (
	"fmt"
	"math"
)

func low(k int64) int64 {
	return int64(float64(k) * math.Phi)
}

func main() {
	var i, j int64
	fmt.Scan(&i, &j)
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
	fmt.Println(a, b)
}
