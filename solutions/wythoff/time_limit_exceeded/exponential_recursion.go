package main

import "fmt"

func lost(a, b int) bool {
	for x := 0; x < a; x++ {
		if lost(x, b) {
			return false
		}
	}
	for y := 0; y < b; y++ {
		if lost(a, y) {
			return false
		}
	}
	for t := 1; t <= a && t <= b; t++ {
		if lost(a-t, b-t) {
			return false
		}
	}
	return true
}

func main() {
	var i, j int
	fmt.Scan(&i, &j)
	for t := 1; t <= i || t <= j; t++ {
		for _, m := range [][2]int{{i - t, j}, {i, j - t}, {i - t, j - t}} {
			if m[0] >= 0 && m[1] >= 0 && lost(m[0], m[1]) {
				fmt.Println(m[0], m[1])
				return
			}
		}
	}
	fmt.Println("lost")
}
