// Wythoff's reference solver: it reads the two piles and prints the position
// after one winning move, or "-1 -1" where there is none.
//
// It needs no table and no floating point. The lost positions are the pairs
// (lower(k), lower(k)+k), and lower(k) = floor(k phi) = (k + isqrt(5 k^2)) / 2
// holds in whole numbers of 128 bits, so the answer is exact for piles up to
// 10^18 and takes a handful of square roots. It does not list all winning
// moves: one is enough.
package main

import (
	"bufio"
	"fmt"
	"math/bits"
	"os"
)

func main() {
	var i, j uint64
	// %d, because a bare Fscan takes "010" for eight.
	if _, err := fmt.Fscanf(bufio.NewReader(os.Stdin), "%d %d", &i, &j); err != nil {
		fmt.Fprintln(os.Stderr, "read the piles:", err)
		os.Exit(1)
	}
	if toI, toJ, ok := winningMove(i, j); ok {
		fmt.Println(toI, toJ)
	} else {
		fmt.Println("-1 -1")
	}
}

// winningMove returns a lost position that one move leads to, in the order of
// the piles, and false if the position is lost itself.
func winningMove(i, j uint64) (toI, toJ uint64, ok bool) {
	if i > j {
		toJ, toI, ok = winningMove(j, i)
		return toI, toJ, ok
	}
	// Taking from both piles keeps their difference, and each difference has
	// one lost position.
	difference := j - i
	switch low := lower(difference); {
	case low < i:
		return low, low + difference, true
	case low == i:
		return 0, 0, false
	}
	// The larger pile is too large: cut it down to what i needs beside it.
	return i, partner(i), true
}

// partner returns the one pile that makes a lost position together with n.
func partner(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	// Each n > 0 is lower(k) for some k, or lower(k)+k for some k. In the first
	// case k is n/phi rounded up, and n/phi = n phi - n.
	if k := lower(n) - n + 1; lower(k) == n {
		return n + k
	}
	// In the second case k is n/phi^2 rounded up, and n/phi^2 = 2n - n phi.
	k := 2*n - lower(n)
	return n - k
}

// lower returns floor(k phi), for k up to 10^18.
func lower(k uint64) uint64 {
	high, low := bits.Mul64(k, k)
	over, low := bits.Mul64(low, 5)
	return (k + isqrt(5*high+over, low)) / 2
}

// isqrt returns the largest r with r*r <= high*2^64 + low.
func isqrt(high, low uint64) uint64 {
	var r uint64
	for bit := uint64(1) << 63; bit != 0; bit >>= 1 {
		try := r | bit
		h, l := bits.Mul64(try, try)
		if h < high || h == high && l <= low {
			r = try
		}
	}
	return r
}
