package main

import "fmt"

func main() {
	var k, x int
	smallest := 0
	fmt.Scan(&k, &x)
	fmt.Println("LEGAL")
}
