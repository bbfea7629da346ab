// Announces half of the smallest number. A sum of announced numbers is never that small.
package main

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20) // a line can be long
	for in.Scan() && in.Text() != "quit" {
		words := strings.Fields(in.Text())
		switch words[0] {
		case "sylver": // the greeting: its answer depends on nothing but the numbers
			fmt.Println("ready pure name=first")
		case "move": // move <k> <n1> ... <nk> <used_ms>
			count, _ := strconv.Atoi(words[1])
			var numbers []int64
			for _, word := range words[2 : 2+count] {
				n, _ := strconv.ParseInt(word, 10, 64)
				numbers = append(numbers, n)
			}
			smallest := int64(2000) // nothing is announced: begin with 1000
			if count > 0 {
				smallest = slices.Min(numbers)
			}
			fmt.Println(max(smallest/2, 1)) // 1 loses, but there may be no other number
		}
	}
}
