package golf

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"assay/judge/contests/golf/drivers"
	"assay/judge/internal/golden"
)

func TestRules(t *testing.T) {
	known, err := drivers.Read(nil, []string{"python3", "prolog", "sed", "perl"})
	if err != nil {
		t.Fatal(err)
	}
	languages := []Language{{"Python 3", known.ForLanguage("python3")}, {"Prolog", known.ForLanguage("prolog")},
		{"sed | a", known.ForLanguage("sed")}, {
			"Perl", known.ForLanguage("perl"),
		}}
	var square strings.Builder
	for i := range 4 {
		for j := range 3 {
			fmt.Fprintln(&square, i, j-1)
		}
	}
	for name, row := range map[string]struct {
		text      string
		arity     int
		samples   []int
		languages []Language
	}{
		"square": {square.String(), 2, []int{0, 7}, languages},
		"one":    {"1\n5\n7\n", 1, []int{1}, nil},
		"holes":  {"1 2 100\n3 4 5\n", 3, []int{1}, nil},
		"large":  {"9000000000000000000 50\n", 2, []int{0}, nil},
	} {
		d, err := ParseDomain(row.text, row.arity)
		if err != nil {
			t.Fatal(err)
		}
		d.Samples = row.samples
		golden.Check(t, "testdata/rules/"+name+".md", []byte(Rules(d, row.languages)))
	}
}

// TestRulesOfWythoff compares the numbers in wythoff's golf statement with the rules of the game.
func TestRulesOfWythoff(t *testing.T) {
	data, err := os.ReadFile("../../../problems/wythoff/golf/statement.md")
	if err != nil {
		t.Fatal(err)
	}
	lost := 0
	for i := range 100 {
		for j := range 100 {
			won := false
			for take := 1; take <= max(i, j); take++ {
				for _, to := range [][2]int{{i - take, j}, {i, j - take}, {i - take, j - take}} {
					won = won || to[0] >= 0 && to[1] >= 0 && coldPile(to[0], to[1])
				}
			}
			if !won {
				lost++
			}
		}
	}
	if want := fmt.Sprintf("Of the 10000 inputs, %d are lost", lost); !strings.Contains(string(data), want) {
		t.Errorf("the golf statement does not say: %s", want)
	}
}

// cold contains the positions in which the player to move loses, as pairs of piles.
var cold = func() map[[2]int]bool {
	found, used := map[[2]int]bool{}, map[int]bool{}
	for difference, low := 0, 0; low < 100; difference++ {
		for used[low] {
			low++
		}
		used[low], used[low+difference] = true, true
		found[[2]int{low, low + difference}] = true
	}
	return found
}()

func coldPile(i, j int) bool { return cold[[2]int{min(i, j), max(i, j)}] }
