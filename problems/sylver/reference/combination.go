package main

import (
	"math/bits"
	"strconv"
	"strings"
)

// term is a number, and how often it stands in a sum.
type term struct{ number, times int64 }

// mostTerms bounds the steps along a table in which a sum is taken apart.
const mostTerms = 1 << 20

// combination says how the announced numbers make x, which is a sum of them: such as
// "17 = 2*5 + 7"; "" where that would take too long to find.
func (p *position) combination(x int64) string {
	terms := p.terms(x)
	if terms == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString(strconv.FormatInt(x, 10))
	for i, t := range terms {
		b.WriteString([]string{" = ", " + "}[min(i, 1)])
		if t.times > 1 {
			b.WriteString(strconv.FormatInt(t.times, 10) + "*")
		}
		b.WriteString(strconv.FormatInt(t.number, 10))
	}
	return b.String()
}

// terms takes a sum apart, by the way on which isSum finds that it is one.
func (p *position) terms(x int64) []term {
	for _, n := range p.gens {
		if x%n == 0 {
			return []term{{n, x / n}}
		}
	}
	if p.least == nil {
		if p.pair.a == 0 {
			p.pair = newTwoNumbers(p.gens[0], p.gens[1])
		}
		return p.found(x, p.gens[2:])
	}
	m := int64(len(p.least))
	rest := p.least[x/p.g%m]
	times := make([]int64, len(p.gens))
	times[0] = (x/p.g - rest) / m
	for steps := 0; rest > 0; steps++ {
		if steps == mostTerms {
			return nil
		}
		for i, n := range p.gens[1:] {
			if n /= p.g; n <= rest && p.least[(rest-n)%m] == rest-n {
				rest, times[i+1] = rest-n, times[i+1]+1
				break
			}
		}
	}
	var all []term
	for i, k := range times {
		if k > 0 {
			all = append(all, term{p.gens[i], k})
		}
	}
	return all
}

// found is search that tells what it has found.
func (p *position) found(x int64, others []int64) []term {
	if len(others) == 0 || others[0] > x {
		return p.pair.terms(x)
	}
	for k := int64(0); x >= 0; x, k = x-others[0], k+1 {
		all := p.found(x, others[1:])
		switch {
		case all == nil:
		case k > 0:
			return append(all, term{others[0], k})
		default:
			return all
		}
	}
	return nil
}

// terms takes a sum of the two numbers apart; nil where it is none.
func (t *twoNumbers) terms(x int64) []term {
	if !t.isSum(x) {
		return nil
	}
	x /= t.g
	hi, lo := bits.Mul64(uint64(x%t.a), uint64(t.inverse))
	j := int64(bits.Rem64(hi, lo, uint64(t.a)))
	all := []term{}
	if i := (x - j*t.b) / t.a; i > 0 {
		all = append(all, term{t.a * t.g, i})
	}
	if j > 0 {
		all = append(all, term{t.b * t.g, j})
	}
	return all
}
