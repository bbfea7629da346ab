package stress

import (
	"math/rand/v2"
	"testing"

	"assay/judge"
	"assay/judge/cases/shrink"
)

// FuzzChange checks that any text can be changed, and that the change depends only on the seed.
func FuzzChange(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "3\n1 2 3\n", "2 2\n..\n.#", "a", "1 x\n* C\n", "-9223372036854775808 9223372036854775807\n",
		" \n  \n",
	} {
		f.Add([]byte(seed), uint64(1))
	}
	f.Fuzz(func(t *testing.T, text []byte, seed uint64) {
		if len(text) > 1000 {
			return
		}
		w := newVocabulary([]base{{input: text}, {input: []byte("2\nx 5\n")}}, []int64{99}, nil)
		doc := shrink.Parse(text)
		once := w.change(rand.New(rand.NewPCG(seed, 1)), doc).Bytes()
		again := w.change(rand.New(rand.NewPCG(seed, 1)), doc).Bytes()
		if string(once) != string(again) {
			t.Errorf("change(%q) = %q and then %q", text, once, again)
		}
		if string(doc.Bytes()) != string(text) {
			t.Errorf("the change changed the case itself: %q", doc.Bytes())
		}
	})
}

// TestChangesOfCasesWithoutWords checks cases that contain only numbers. A change can turn a number into a word:
// "0" with a count of its digits becomes "00".
func TestChangesOfCasesWithoutWords(t *testing.T) {
	text := []byte("1 3 3\n0\n")
	w := newVocabulary([]base{{input: text}}, nil, nil)
	made := false
	for seed := range uint64(2000) {
		doc := shrink.Parse(text)
		for r := rand.New(rand.NewPCG(seed, 1)); r.IntN(6) > 0; {
			doc = w.changeOnce(r, doc)
			made = made || len(doc.FindWords(func(word string) bool { return word != "" && !shrink.IsInteger(word) })) > 0
		}
	}
	if !made {
		t.Error("no change made a word, so that the test shows nothing")
	}
}

func TestSpans(t *testing.T) {
	w := newVocabulary(nil, nil, []judge.Group{{Cases: []judge.Case{{Line: "pair 3 5"}, {Line: "pair 7 -2"},
		{Line: "many --max 40 --seed 2"}}}})
	for _, row := range []struct {
		line   []string
		word   int
		lo, hi int64
	}{
		{[]string{"pair", "4", "4"}, 1, 0, 7},
		{[]string{"pair", "4", "4"}, 2, -2, 5},
		{[]string{"many", "--max", "4"}, 2, 0, 40},
		{[]string{"other", "--max", "4"}, 2, 0, 0},
	} {
		if lo, hi := w.span(row.line, row.word); lo != row.lo || hi != row.hi {
			t.Errorf("span(%q, %d) = %d..%d, want %d..%d", row.line, row.word, lo, hi, row.lo, row.hi)
		}
	}
}
