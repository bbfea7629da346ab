package main

import "fmt"

// as large as it can be made
var partner [100_000_000]int64

func main() {
	var i, j int64
	fmt.Scan(&i, &j)
	var a int64
	for k := int64(0); a+k < int64(len(partner)); k++ {
		partner[a], partner[a+k] = a+k, a
		for a++; a < int64(len(partner)) && partner[a] > 0; a++ {
		}
	}
	switch {
	case partner[i] == j:
		fmt.Println("lost")
	case partner[i] < j:
		fmt.Println(i, partner[i])
	case partner[j] < i:
		fmt.Println(partner[j], j)
	default:
		for partner[i] != j {
			i--
			j--
		}
		fmt.Println(i, j)
	}
}
