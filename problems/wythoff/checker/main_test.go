package main

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/judge/kit"
)

// lostTable answers by the rules alone: it marks what one move of a lost
// position makes won, in order of size.
func lostTable(n int) [][]bool {
	won := make([][]bool, n)
	lost := make([][]bool, n)
	for i := range n {
		won[i], lost[i] = make([]bool, n), make([]bool, n)
	}
	for i := range n {
		for j := range n {
			if won[i][j] {
				continue
			}
			lost[i][j] = true
			for take := 1; take < n; take++ {
				if i+take < n {
					won[i+take][j] = true
				}
				if j+take < n {
					won[i][j+take] = true
				}
				if i+take < n && j+take < n {
					won[i+take][j+take] = true
				}
			}
		}
	}
	return lost
}

func TestLostAgainstTheRules(t *testing.T) {
	const n = 400
	count := 0
	for i, row := range lostTable(n) {
		for j, want := range row {
			p := position{uint64(i), uint64(j)}
			if got := p.lost(); got != want {
				t.Fatalf("position %v: lost = %v, want %v", p, got, want)
			}
			if want && i < 100 && j < 100 {
				count++
			}
		}
	}
	if count != 77 {
		t.Errorf("%d lost positions have piles of at most 99, want 77", count)
	}
}

func TestLostAgainstBigIntegers(t *testing.T) {
	lower := func(k uint64) uint64 {
		n := new(big.Int).SetUint64(k)
		n.Mul(n, n).Mul(n, big.NewInt(5)).Sqrt(n)
		return n.Add(n, new(big.Int).SetUint64(k)).Rsh(n, 1).Uint64()
	}
	check := func(k uint64) {
		t.Helper()
		low := lower(k)
		for di := range uint64(3) {
			for dj := range uint64(3) {
				p := position{low + di - 1, low + k + dj - 1}
				if p.i > p.j || p.j > 1e18 {
					continue // the first wraps below zero, the second is not an input
				}
				want := p.i == lower(p.j-p.i)
				if got := p.lost(); got != want {
					t.Fatalf("position %v: lost = %v, want %v", p, got, want)
				}
				if mirror := (position{p.j, p.i}); mirror.lost() != want {
					t.Fatalf("position %v: lost = %v, want %v", mirror, !want, want)
				}
			}
		}
	}
	// k phi comes closest to a whole number at the Fibonacci numbers.
	for a, b := uint64(0), uint64(1); a < 4e17; a, b = b, a+b {
		for d := range uint64(3) {
			check(a + d)
		}
	}
	random := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		check(random.Uint64N(381_966_011_250_105_152) >> random.UintN(50))
	}
}

// TestJudgeAgainstTheRules tries every output on every small input.
func TestJudgeAgainstTheRules(t *testing.T) {
	const n = 16
	lost := lostTable(n + 1)
	for i := range n {
		for j := range n {
			from := position{uint64(i), uint64(j)}
			if v, _ := new(player).judge(from, []string{"-1", "-1"}); (v == kit.OK) != lost[i][j] {
				t.Errorf(`from %v, the text "-1 -1" is %s, but lost = %v`, from, v, lost[i][j])
			}
			for a := range n + 1 {
				for b := range n + 1 {
					to := position{uint64(a), uint64(b)}
					di, dj := i-a, j-b
					oneMove := di >= 0 && dj >= 0 && di+dj > 0 && (di == 0 || dj == 0 || di == dj)
					right := oneMove && lost[a][b]
					if v, why := new(player).judge(from, strings.Fields(to.String())); (v == kit.OK) != right {
						t.Errorf("from %v, the position %v is %s (%s), but right = %v", from, to, v, why, right)
					}
				}
			}
		}
	}
}

func TestJudge(t *testing.T) {
	type output struct {
		from position
		text string
	}
	lost, won := position{4, 7}, position{4, 6}
	tests := []struct {
		name    string
		outputs []output // only the last may be wrong
		want    string   // part of the message; "" for right
	}{
		{"takes any text where the position is lost", []output{{lost, "I give up"}}, ""},
		{"takes one number where the position is lost", []output{{lost, "0"}}, ""},
		{"takes three numbers where the position is lost", []output{{lost, "1 2 3"}}, ""},
		{"takes numbers with a sign where the position is lost", []output{{lost, "-1 -1"}}, ""},
		{"takes the same text again", []output{{lost, "no"}, {won, "3 5"}, {position{0, 0}, "no"}}, ""},
		{"takes the same text spaced otherwise", []output{{lost, "-1 -1\n"}, {position{0, 0}, " -1\t-1"}}, ""},
		{"takes a position spaced otherwise", []output{{won, "\n 3\n5 "}}, ""},
		{"takes leading zeros", []output{{won, "03 005"}}, ""},
		{"takes the second of three winning moves", []output{{position{5, 7}, "4 7"}}, ""},
		{"takes the third of three winning moves", []output{{position{5, 7}, "5 3"}}, ""},
		{"refuses another text in a later lost case",
			[]output{{lost, "no"}, {position{1, 2}, "No"}}, `want the same text as for 4 7, "no", got "No"`},
		{"refuses a text that repeats the input",
			[]output{{lost, "4 7 is lost"}, {position{7, 4}, "7 4 is lost"}}, "want the same text"},
		{"refuses the input as losing text", []output{{lost, "4 7"}}, `not a position, got "4 7"`},
		{"refuses 0 0 as losing text", []output{{lost, "0 0"}}, `not a position, got "0 0"`},
		{"refuses a position that no move leads to as losing text", []output{{lost, "100 100"}}, "not a position"},
		{"refuses a position beyond 64 bits as losing text",
			[]output{{lost, "18446744073709551616 18446744073709551616"}}, "not a position"},
		{"refuses nothing where the position is lost", []output{{lost, " \n"}}, "nothing was printed"},
		{"refuses nothing where the position can be won", []output{{won, ""}}, "nothing was printed"},
		{"refuses the losing text where the position can be won",
			[]output{{lost, "no"}, {won, "no"}}, "can be won"},
		{"refuses one number", []output{{won, "3"}}, "can be won"},
		{"refuses two positions", []output{{won, "3 5 3 5"}}, "can be won"},
		{"refuses a text behind the position", []output{{won, "3 5 wins"}}, "can be won"},
		{"refuses brackets", []output{{won, "(3, 5)"}}, "can be won"},
		{"refuses a sign", []output{{won, "+3 5"}}, "can be won"},
		{"refuses decimal points", []output{{won, "3.0 5.0"}}, "can be won"},
		{"refuses other digits than 0 to 9", []output{{won, "٣ ٥"}}, "can be won"},
		{"refuses to stay", []output{{won, "4 6"}}, "no move leads"},
		{"refuses a larger pile", []output{{won, "4 7"}}, "no move leads"},
		{"refuses an unequal diagonal", []output{{won, "2 1"}}, "no move leads"},
		{"refuses the position with the piles swapped", []output{{won, "5 3"}}, "no move leads"},
		{"refuses what was taken", []output{{position{6, 6}, "6 6"}}, "no move leads"},
		{"refuses a position beyond 64 bits",
			[]output{{position{0, 3}, "18446744073709551616 0"}}, "no move leads"},
		{"refuses a legal move that does not win", []output{{won, "3 6"}}, "does not win"},
		{"cuts a long text", []output{{won, strings.Repeat("x", 1000)}}, `xxx"...`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var p player
			for k, o := range test.outputs {
				want := ""
				if k == len(test.outputs)-1 {
					want = test.want
				}
				v, why := p.judge(o.from, strings.Fields(o.text))
				if (v == kit.OK) != (want == "") || !strings.Contains(why, want) {
					t.Errorf("judge(%v, %q) = %s, %q, want %q", o.from, o.text, v, why, want)
				}
				if len(why) > 300 {
					t.Errorf("judge(%v, ...) has a message of %d bytes", o.from, len(why))
				}
			}
		})
	}
}

// A text that was refused must not become the one that later texts must equal.
func TestJudgeForgetsWhatItRefused(t *testing.T) {
	var p player
	p.judge(position{4, 7}, []string{"0", "0"})
	if v, why := p.judge(position{1, 2}, []string{"lost"}); v != kit.OK {
		t.Errorf("after a refused text, a right one is %s: %s", v, why)
	}
}
