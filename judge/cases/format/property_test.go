package format_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"assay/judge/cases/format"
	"assay/judge/cases/shrink"
	"assay/judge/internal/golden"
)

// drawn draws an input, and checks that it is valid.
func drawn(t interface {
	Helper()
	Fatalf(string, ...any)
}, g *format.Grammar, seed uint64, o format.Options) []byte {
	t.Helper()
	input, err := g.Draw(rand.New(rand.NewPCG(seed, 7)), o)
	if err != nil {
		t.Fatalf("%s: Draw(%d, %+v): %v", g.File, seed, o, err)
	}
	if refusal := g.Check(input); refusal != nil {
		t.Fatalf("%s: Draw(%d, %+v) made what is refused: %v\n%s", g.File, seed, o, refusal, input)
	}
	return input
}

func all(t testing.TB) (grammars []*format.Grammar) {
	for _, s := range shapes(t) {
		grammars = append(grammars, s.grammar)
	}
	for _, file := range golden.Files(t, "../../../problems/*/input.format") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		g, faults := format.Parse(file, text)
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		grammars = append(grammars, g)
	}
	return grammars
}

func TestWhatIsDrawnIsTaken(t *testing.T) {
	for _, g := range all(t) {
		for _, mode := range append(format.Modes(), "") {
			for seed := range uint64(12) {
				drawn(t, g, seed, format.Options{Mode: mode, Size: int64(seed), Literals: []int64{1, 5, 100, 65536}, MaxSize: 1 << 18})
			}
		}
	}
}

func TestTheSameSeedDrawsTheSame(t *testing.T) {
	for _, g := range all(t) {
		different := map[string]bool{}
		for seed := range uint64(30) {
			a := drawn(t, g, seed, format.Options{Size: 20})
			if b := drawn(t, g, seed, format.Options{Size: 20}); !bytes.Equal(a, b) {
				t.Errorf("%s: seed %d draws %q and then %q", g.File, seed, a, b)
			}
			different[string(a)] = true
		}
		if len(different) < 3 {
			t.Errorf("%s: 30 seeds draw only %d inputs", g.File, len(different))
		}
	}
}

func TestBoundsAreDrawn(t *testing.T) {
	for _, g := range all(t) {
		c := g.NewCoverage()
		for seed := range uint64(600) {
			o := format.Options{MaxSize: 1 << 16}
			if seed%4 > 0 {
				o.Size = int64(seed % 50)
			}
			if refusal := c.Add(drawn(t, g, seed, o)); refusal != nil {
				t.Fatalf("%s: %v", g.File, refusal)
			}
		}
		for _, goal := range c.Goals() {
			if goal.Count == 0 && !strings.HasSuffix(goal.Description, "and only just") {
				t.Errorf("%s:%d: 600 inputs do not show: %s", g.File, goal.Line, goal.Description)
			}
		}
	}
}

func TestWhatIsNearlyAnInputIsRefused(t *testing.T) {
	for _, g := range all(t) {
		wrong, err := g.NearMisses(rand.New(rand.NewPCG(1, 2)), format.Options{})
		if err != nil {
			t.Fatalf("%s: %v", g.File, err)
		}
		if len(wrong) < 10 {
			t.Errorf("%s: only %d texts are nearly inputs", g.File, len(wrong))
		}
		seen := map[string]bool{}
		for _, w := range wrong {
			if g.Check(w.Text) == nil {
				t.Errorf("%s: %s: %q is an input", g.File, w.Description, w.Text)
			}
			if seen[w.Description] {
				t.Errorf("%s: %q comes twice", g.File, w.Description)
			}
			seen[w.Description] = true
		}
	}
}

// TestShrinking checks that each step of shrinking is valid and keeps the property. The result must be at most
// twice as long as the smallest of many inputs with the property.
func TestShrinking(t *testing.T) {
	properties := map[string]func(text string) bool{
		"anything":      func(string) bool { return true },
		"three lines":   func(text string) bool { return strings.Count(text, "\n") >= 3 },
		"a five":        func(text string) bool { return strings.Contains(text, "5") },
		"forty letters": func(text string) bool { return len(text) >= 40 },
		"two same words": func(text string) bool {
			w := strings.Fields(text)
			slices.Sort(w)
			return len(slices.Compact(w)) < len(strings.Fields(text))
		},
	}
	for _, g := range all(t) {
		for name, holds := range properties {
			var large, least []byte
			for seed := range uint64(400) {
				input := drawn(t, g, seed, format.Options{Size: 1 + int64(seed)/8, MaxSize: 1 << 16})
				if !holds(string(input)) {
					continue
				}
				if least == nil || shrink.Less(input, least) {
					least = input
				}
				if seed > 300 {
					large = input
				}
			}
			if large == nil {
				continue
			}
			result, err := shrink.TextWithShape(context.Background(), large, g, shrink.Budget{Evaluations: 20000}, func(text []byte) (bool, error) {
				return g.Check(text) == nil && holds(string(text)), nil
			}, func(s shrink.Step) {
				if g.Check(s.Text) != nil || !holds(string(s.Text)) {
					t.Errorf("%s, %s: step %q took %q", g.File, name, s.Pass, s.Text)
				}
			})
			if err != nil {
				t.Fatalf("%s, %s: %v", g.File, name, err)
			}
			const few = 12 // bytes; shorter results are always good enough
			if len(result.Text) > max(2*len(least), few) {
				t.Errorf(
					"%s, %s: from %d to %d bytes; there is one of %d:\n%s\n%s", g.File, name, len(large),
					len(result.Text), len(least), result.Text, least,
				)
			}
		}
	}
}

// TestAnyTextIsReadOrRefused checks that a modified input is either accepted or rejected with a valid position.
func TestAnyTextIsReadOrRefused(t *testing.T) {
	grammars := all(t)
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.SampledFrom(grammars).Draw(t, "grammar")
		text := slices.Clone(drawn(t, g, rapid.Uint64().Draw(t, "seed"), format.Options{Size: 8}))
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			i := rapid.IntRange(0, len(text)-1).Draw(t, "at")
			text[i] = rapid.SampledFrom([]byte("0129-+ \n\tax.é")).Draw(t, "byte")
		}
		refusal := g.Check(text)
		if refusal != nil && (refusal.Line < 1 || refusal.Column < 1 || refusal.Line > 1+bytes.Count(text, []byte("\n")) || refusal.Text == "") {
			t.Fatalf("%s: Check(%q) = %+v", g.File, text, refusal)
		}
	})
}

// TestEachConditionIsBroken checks that NearMisses generates an input that violates each condition.
func TestEachConditionIsBroken(t *testing.T) {
	for _, s := range []string{
		"line n: int 1..9\nrepeat n\n    line a: int 1..99\nwhere distinct(a)\n",
		"line n: int 1..9\nrepeat n\n    line a: int 1..99\nwhere sorted(a)\n",
		"line n: int 1..9\nrepeat n\n    line a: int 1..99\nwhere sum(a) <= 200\n",
		"line n: int 1..9\nrepeat n\n    line a: int 1..9  b: int 1..9\nwhere distinct(a, b)\n",
		"line k: int 0..20  n[k]: int 1..10^18\nwhere min(n) <= 10^6 when k >= 3\nwhere k * min(n) <= 4_000_000 when k >= 3\n",
		"line l: int 1..10^9  r: int 1..10^9\nwhere l < r\n",
	} {
		g := parse(t, s)
		wrong, err := g.NearMisses(rand.New(rand.NewPCG(3, 3)), format.Options{})
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		for i := range strings.Count(s, "where ") {
			condition, _, _ := strings.Cut(strings.Split(s, "where ")[i+1], "\n")
			condition = strings.ReplaceAll(condition, "4_000_000", "4000000")
			if !slices.ContainsFunc(wrong, func(w format.InvalidInput) bool { return w.Description == "not: "+condition }) {
				t.Errorf("%s: no text is wrong in %s", s, condition)
			}
		}
	}
}
