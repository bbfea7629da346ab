// The golf domain of wythoff: "all --max M" prints every pair of piles of at most
// M counters, a line each, the smaller sums first, since slow answers take longer
// for larger piles. Lines that end in " !" are those that answers are most often
// wrong about: lost positions, corners, and one counter beside a lost position.
package main

import "assay/judge/kit"

func main() { kit.Generate(generate) }

func generate(g *kit.Gen) {
	if g.Kind != "all" {
		g.Refuse("unknown kind %q: want all", g.Kind)
	}
	most := int(g.IntOption("max", 99))
	if most < 0 || most > 1000 {
		g.Refuse("--max %d is not in 0..1000", most)
	}
	partner := partners(most)
	for sum := range 2*most + 1 {
		for i := max(0, sum-most); i <= min(sum, most); i++ {
			j := sum - i
			if partner[i] == j || corner(i, j, most) || i%20 == 7 && partner[i] == j-1 {
				g.Println(i, j, "!")
			} else {
				g.Println(i, j)
			}
		}
	}
}

func corner(i, j, most int) bool { return (i == 0 || i == most) && (j == 0 || j == most) }

// partners returns the pile that loses together with each pile up to n.
func partners(n int) []int {
	partner := make([]int, n+1)
	taken := make([]bool, n+1)
	for low, difference := 0, 0; low <= n; low++ {
		if taken[low] {
			continue
		}
		high := low + difference
		partner[low] = high
		if high <= n {
			taken[high] = true
			partner[high] = low
		}
		difference++
	}
	return partner
}
