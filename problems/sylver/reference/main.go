// Command reference answers sylver: may the number x be announced without
// losing at once? It is exact at every size that the constraints allow, and has
// no way for several puzzles at a time: one input, one word.
package main

import (
	"bufio"
	"fmt"
	"io"
	"math/bits"
	"os"
	"slices"
	"strconv"
)

func main() {
	announced, x, err := read(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if legal(announced, x) {
		fmt.Println("LEGAL")
	} else {
		fmt.Println("ILLEGAL")
	}
}

// read takes the announced numbers and x. It does not use fmt.Scan, which takes
// 010 for eight.
func read(r io.Reader) (announced []int64, x int64, err error) {
	words := bufio.NewScanner(r)
	words.Split(bufio.ScanWords)
	next := func() int64 {
		if err != nil {
			return 0
		}
		if !words.Scan() {
			err = io.ErrUnexpectedEOF
			return 0
		}
		var n int64
		n, err = strconv.ParseInt(words.Text(), 10, 64)
		return n
	}
	for range next() {
		announced = append(announced, next())
	}
	x = next()
	return announced, x, err
}

// legal says whether x is neither 0 nor 1 nor a sum of announced numbers.
func legal(announced []int64, x int64) bool {
	if x <= 1 {
		return false
	}
	if len(announced) == 0 {
		return true
	}
	numbers := slices.Clone(announced)
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	var g int64
	for _, n := range numbers {
		g = gcd(g, n)
	}
	if x%g != 0 {
		return true // every sum is a multiple of g
	}
	x /= g
	for i := range numbers {
		numbers[i] /= g
	}
	switch len(numbers) {
	case 1:
		return false
	case 2:
		return !isSumOfTwo(numbers[0], numbers[1], x)
	}
	return !isSum(numbers, x)
}

// isSumOfTwo says whether x = i a + j b for some i, j >= 0. The numbers a and b
// are coprime. The smallest j that fits modulo a is x/b there, and any other
// that fits makes j b larger still.
func isSumOfTwo(a, b, x int64) bool {
	hi, lo := bits.Mul64(uint64(x%a), uint64(inverse(b%a, a)))
	j := bits.Rem64(hi, lo, uint64(a))
	hi, lo = bits.Mul64(j, uint64(b))
	return hi == 0 && lo <= uint64(x)
}

// isSum says whether x is a sum of the numbers, which are sorted and together
// coprime.
//
// It makes the Apery table of the smallest number m: for each residue modulo m
// the least sum that has it. All other sums are those plus multiples of m. The
// numbers come in one after another, by the round-robin method of Boecker and
// Liptak: adding n again and again leads from a residue round a circle, and
// there are gcd(n, m) circles. The least entry of a circle does not change, so
// that one lap from there sets the others.
func isSum(numbers []int64, x int64) bool {
	m := numbers[0]
	beyond := x + 1 // stands for every sum above x, which keeps the sums below 2^63
	least := make([]int64, m)
	for r := range least {
		least[r] = beyond
	}
	least[0] = 0
	for _, n := range numbers[1:] {
		circles, step := gcd(n, m), n%m
		for first := range circles {
			r := first
			for q := (first + step) % m; q != first; q = (q + step) % m {
				if least[q] < least[r] {
					r = q
				}
			}
			for range m/circles - 1 {
				sum := min(least[r]+n, beyond)
				if r += step; r >= m {
					r -= m
				}
				least[r] = min(least[r], sum)
			}
		}
	}
	return least[x%m] <= x
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// inverse returns the number in 0..m-1 whose product with a is 1 modulo m. The
// numbers a and m are coprime.
func inverse(a, m int64) int64 {
	s, t := int64(1), int64(0) // r = s a and q = t a modulo m, all along
	for r, q := a, m; q != 0; {
		d := r / q
		r, q = q, r-d*q
		s, t = t, s-d*t
	}
	return (s%m + m) % m
}
