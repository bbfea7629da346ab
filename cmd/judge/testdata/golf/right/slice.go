package main

import "math"

func f(a []int) (x, y int) {
	i, j := a[0], a[1]
	c := func(a, b int) bool {
		m := math.Min(float64(a), float64(b))
		return m >= 0 && m == math.Floor(math.Abs(float64(a-b))*1.6180339887)
	}
	if c(i, j) {
		return -1, -1
	}
	for k := 1; ; k++ {
		for _, p := range [][2]int{{i - k, j}, {i, j - k}, {i - k, j - k}} {
			if c(p[0], p[1]) {
				return p[0], p[1]
			}
		}
	}
}
