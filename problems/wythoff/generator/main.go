// Wythoff's generator: it prints the two piles of one case. Its lines, in the
// words of the statement and with lower(k) = floor(k phi):
//
//	pair I J                   these piles
//	lost --k K                 the lost position number K: lower(K), lower(K)+K
//	near --k K --i more        one counter beside lost position K: --i and --j say
//	                           which pile, more or less says how
//	top --k K                  only cutting the larger pile wins, and it stays the
//	                           larger one; leads to lost position K
//	under --k K                only cutting the larger pile below the other wins
//	both --k K                 only taking from both piles wins
//	several --count N --seed S N different moves win, to different positions
//
// Instead of "--k K", "--fib N" takes the N-th Fibonacci number for K: there k
// phi is closest to a whole number. "--swap yes" prints the piles the other way
// round, "--swap odd" and "--swap even" do so for such K. "--max M" bounds the
// piles where chance chooses them. No kind draws the verdict by lot: whether the
// case can be won, and how, is what the line says.
package main

import (
	"math/big"

	"assay/judge/kit"
)

// most is the largest pile.
const most = 1_000_000_000_000_000_000

func main() { kit.Generate(generate) }

func generate(g *kit.Gen) {
	limit := g.IntOption("max", most)
	var p position
	switch g.Kind {
	case "pair":
		p = position{g.Int64(0), g.Int64(1)}
	case "lost":
		p = lostPosition(number(g))
	case "near":
		p = lostPosition(number(g))
		p.i += beside(g, "i")
		p.j += beside(g, "j")
	case "top":
		p = lostPosition(number(g))
		p = draw(g, limit-p.j, func(d int64) position { return position{p.i, p.j + d} })
	case "under":
		p = lostPosition(number(g))
		p = draw(g, limit-p.j, func(d int64) position { return position{p.j, p.j + d} })
	case "both":
		p = lostPosition(number(g))
		p = draw(g, limit-p.j, func(d int64) position { return position{p.i + d, p.j + d} })
	case "several":
		p = several(g, limit)
	default:
		g.Refuse("unknown kind %q: want pair, lost, near, top, under, both or several", g.Kind)
	}
	if p.i < 0 || p.j < 0 || p.i > limit || p.j > limit {
		g.Refuse("the piles %d and %d are not in 0..%d", p.i, p.j, limit)
	}
	if swapped(g) {
		p.i, p.j = p.j, p.i
	}
	g.Println(p.i, p.j)
}

// number reads which lost position the line means.
func number(g *kit.Gen) int64 {
	k, n := g.IntOption("k", -1), g.IntOption("fib", -1)
	if k < 0 && n < 0 {
		g.Refuse("kind %q needs --k or --fib", g.Kind)
	}
	if n >= 0 {
		k = 0
		for next := int64(1); n > 0 && next <= most; n-- {
			k, next = next, k+next
		}
	}
	if k > most/2 {
		g.Refuse("lost position %d has a pile above %d", k, int64(most))
	}
	return k
}

// beside reads by how much a pile differs from the lost position.
func beside(g *kit.Gen, pile string) int64 {
	switch by := g.Option(pile, "same"); by {
	case "less":
		return -1
	case "same":
		return 0
	case "more":
		return 1
	default:
		g.Refuse("--%s is %q: want less or more", pile, by)
		return 0
	}
}

func swapped(g *kit.Gen) bool {
	switch swap := g.Option("swap", "no"); swap {
	case "no":
		return false
	case "yes":
		return true
	case "odd":
		return number(g)%2 == 1
	case "even":
		return number(g)%2 == 0
	default:
		g.Refuse("--swap is %q: want yes, no, odd or even", swap)
		return false
	}
}

// tries is how often chance may miss before a line is refused. Where the line
// can be fulfilled, one try in four or better hits, except at its very limits.
const tries = 10_000

// draw returns one of the positions make(1), ..., make(top) from which a single
// move wins.
func draw(g *kit.Gen, top int64, make func(int64) position) position {
	if top < 1 {
		g.Refuse("no room below --max")
	}
	for range tries {
		if p := make(g.Rand.Between(1, top)); len(p.winners()) == 1 {
			return p
		}
	}
	g.Refuse("found no position below --max from which only this move wins")
	return position{}
}

// several returns a position from which the given number of moves win.
func several(g *kit.Gen, limit int64) position {
	count := int(g.IntOption("count", 2))
	for range tries {
		p := position{g.Rand.Between(0, limit), g.Rand.Between(0, limit)}
		if len(p.winners()) == count {
			return p
		}
	}
	g.Refuse("found no position below --max from which %d moves win", count)
	return position{}
}

// position is the sizes of the two piles.
type position struct{ i, j int64 }

// lostPosition returns the lost position number k, the smaller pile first.
func lostPosition(k int64) position {
	low := lower(k)
	return position{low, low + k}
}

// winners returns the positions to which the winning moves lead, at most three:
// each pile has one partner, and each difference has one lost position.
func (p position) winners() []position {
	if p.lost() {
		return nil
	}
	both := lostPosition(max(p.i, p.j) - min(p.i, p.j))
	if p.i > p.j {
		both.i, both.j = both.j, both.i
	}
	var list []position
	for _, q := range []position{{p.i, partner(p.i)}, {partner(p.j), p.j}, both} {
		if q.i <= p.i && q.j <= p.j {
			list = append(list, q)
		}
	}
	return list
}

func (p position) lost() bool { return partner(p.i) == p.j }

// partner returns the one pile that makes a lost position together with n: the
// number k of that position is close to n/phi or n/phi^2.
func partner(n int64) int64 {
	low := lower(n)
	for _, k := range []int64{low - n, low - n + 1, 2*n - low, 2*n - low - 1} {
		if k < 0 {
			continue
		}
		switch p := lostPosition(k); n {
		case p.i:
			return p.j
		case p.j:
			return p.i
		}
	}
	panic("every number is in a lost position")
}

// lower returns floor(k phi) = floor((k + sqrt(5 k^2)) / 2).
func lower(k int64) int64 {
	n := big.NewInt(k)
	n.Mul(n, n).Mul(n, big.NewInt(5)).Sqrt(n)
	return n.Add(n, big.NewInt(k)).Rsh(n, 1).Int64()
}
