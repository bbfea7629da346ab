package main

import "fmt"

func main() {
	var i, j int64
	fmt.Scan(&i, &j)
	swapped := i > j
	fmt.Println("lost")
}
