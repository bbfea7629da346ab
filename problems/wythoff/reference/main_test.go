package main

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// lostTable answers by the rules alone: a position is lost if no move leads to
// a lost one.
func lostTable(n int) [][]bool {
	lost := make([][]bool, n)
	for i := range n {
		lost[i] = make([]bool, n)
		for j := range n {
			won := false
			for take := 1; take <= max(i, j) && !won; take++ {
				won = take <= i && lost[i-take][j] ||
					take <= j && lost[i][j-take] ||
					take <= min(i, j) && lost[i-take][j-take]
			}
			lost[i][j] = !won
		}
	}
	return lost
}

// legal says whether one move leads from (i, j) to (toI, toJ).
func legal(i, j, toI, toJ uint64) bool {
	if toI > i || toJ > j {
		return false
	}
	fromI, fromJ := i-toI, j-toJ
	return fromI+fromJ > 0 && (fromI == 0 || fromJ == 0 || fromI == fromJ)
}

func TestWinningMoveAgainstTheRules(t *testing.T) {
	const n = 300
	lost := lostTable(n)
	for i := range uint64(n) {
		for j := range uint64(n) {
			toI, toJ, ok := winningMove(i, j)
			switch {
			case ok == lost[i][j]:
				t.Fatalf("winningMove(%d, %d) says won = %v, but lost = %v", i, j, ok, lost[i][j])
			case ok && (!legal(i, j, toI, toJ) || !lost[toI][toJ]):
				t.Fatalf("winningMove(%d, %d) = %d, %d, which is not a winning move", i, j, toI, toJ)
			}
		}
	}
}

// bigLower is lower with arbitrarily large numbers.
func bigLower(k uint64) uint64 {
	n := new(big.Int).SetUint64(k)
	n.Mul(n, n).Mul(n, big.NewInt(5)).Sqrt(n)
	n.Add(n, new(big.Int).SetUint64(k)).Rsh(n, 1)
	return n.Uint64()
}

// hardest are the numbers around which k phi comes closest to a whole number
// (the Fibonacci numbers), and around which machine numbers end.
func hardest() []uint64 {
	var list []uint64
	around := func(n uint64) {
		for d := range uint64(5) {
			if m := n + d - 2; m <= most { // wraps below zero
				list = append(list, m)
			}
		}
	}
	for a, b := uint64(0), uint64(1); a <= most; a, b = b, a+b {
		around(a)
	}
	for bit := range 60 {
		around(1 << bit)
	}
	around(most)
	return list
}

const most = 1_000_000_000_000_000_000

func TestLowerAgainstBigIntegers(t *testing.T) {
	check := func(k uint64) {
		t.Helper()
		if got, want := lower(k), bigLower(k); got != want {
			t.Fatalf("lower(%d) = %d, want %d", k, got, want)
		}
	}
	for _, k := range hardest() {
		check(k)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		check(random.Uint64N(most+1) >> random.UintN(50))
	}
}

// TestWinningMoveAtTheLargestSizes knows a lost position by big integers alone.
func TestWinningMoveAtTheLargestSizes(t *testing.T) {
	lost := func(i, j uint64) bool { return bigLower(max(i, j)-min(i, j)) == min(i, j) }
	check := func(i, j uint64) {
		t.Helper()
		if i > most || j > most {
			return
		}
		toI, toJ, ok := winningMove(i, j)
		switch {
		case ok == lost(i, j):
			t.Fatalf("winningMove(%d, %d) says won = %v, but lost = %v", i, j, ok, lost(i, j))
		case ok && (!legal(i, j, toI, toJ) || !lost(toI, toJ)):
			t.Fatalf("winningMove(%d, %d) = %d, %d, which is not a winning move", i, j, toI, toJ)
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	for _, k := range hardest() {
		low := bigLower(k)
		for d := range uint64(9) {
			i, j := low+d%3-1, low+k+d/3-1
			check(i, j)
			check(j, i)
		}
		check(k, random.Uint64N(most+1))
		check(random.Uint64N(most+1), k)
	}
	for range 20_000 {
		check(random.Uint64N(most+1), random.Uint64N(most+1)>>random.UintN(50))
	}
}
