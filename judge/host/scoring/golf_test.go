package scoring_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/judge/host/scoring"
)

// answered returns a golf submission that arrives in the given minute. The minute is also its number.
func answered(author string, minute, size int) scoring.GolfSubmission {
	at := time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC)
	return scoring.GolfSubmission{
		Number: int64(minute), Author: author, Language: "py", At: at, ValidSince: at.Add(time.Second), Valid: true,
		Bytes: size, Chars: size,
	}
}

// order formats a ranking, with the rank and the Since of each author.
func order(board []scoring.Golfer) (all []string) {
	for _, p := range board {
		all = append(all, fmt.Sprintf("%d %s %d since %d by %d", p.Rank, p.Author, p.Bytes, p.Since.Minute(), p.Number))
	}
	return all
}

func TestGolf(t *testing.T) {
	greyed := func(a scoring.GolfSubmission) scoring.GolfSubmission { a.Valid = false; return a }
	for name, test := range map[string]struct {
		answers []scoring.GolfSubmission
		want    []string
	}{
		"the shorter goes first": {
			[]scoring.GolfSubmission{answered("ada", 1, 50), answered("bob", 2, 40)}, []string{"1 bob 40 since 2 by 2", "2 ada 50 since 1 by 1"},
		},
		"of one length the earlier goes first": {
			[]scoring.GolfSubmission{answered("bob", 2, 40), answered("ada", 1, 40)}, []string{"1 ada 40 since 1 by 1", "2 bob 40 since 2 by 2"},
		},
		"to send the same again changes nothing": {
			[]scoring.GolfSubmission{answered("ada", 1, 40), answered("bob", 2, 40), answered("ada", 3, 40)}, []string{
				"1 ada 40 since 1 by 1", "2 bob 40 since 2 by 2",
			},
		},
		"a longer one changes nothing": {
			[]scoring.GolfSubmission{answered("ada", 1, 40), answered("ada", 3, 60)}, []string{"1 ada 40 since 1 by 1"},
		},
		"where the shortest is greyed, the next best counts": {
			[]scoring.GolfSubmission{answered("ada", 1, 50), greyed(answered("ada", 2, 30)), answered("bob", 3, 40)}, []string{
				"1 bob 40 since 3 by 3", "2 ada 50 since 1 by 1",
			},
		},
		"who had this length before it was greyed had it first": {
			[]scoring.GolfSubmission{greyed(answered("ada", 1, 40)), answered("bob", 2, 40), answered("ada", 3, 40)}, []string{
				"1 ada 40 since 1 by 3", "2 bob 40 since 2 by 2",
			},
		},
		"who has nothing that stands is not there": {[]scoring.GolfSubmission{greyed(answered("ada", 1, 40))}, nil},
	} {
		if d := cmp.Diff(test.want, order(scoring.RankGolf(test.answers, "py", scoring.Bytes))); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

// TestGolfOverAll checks that each author has one row over all languages, and that points are computed per
// language.
func TestGolfOverAll(t *testing.T) {
	j := answered("ada", 1, 10)
	j.Language, j.Chars = "j", 8
	board := scoring.RankGolf([]scoring.GolfSubmission{j, answered("ada", 2, 40), answered("bob", 3, 60), answered("eve", 4, 20)}, "",
		scoring.Bytes)
	if d := cmp.Diff([]string{"1 ada 10 since 1 by 1", "2 eve 20 since 4 by 4", "3 bob 60 since 3 by 3"}, order(board)); d != "" {
		t.Error(d)
	}
	for i, want := range []int{1000, 1000, 333} {
		if board[i].Points != want {
			t.Errorf("%s has %d points, want %d", board[i].Author, board[i].Points, want)
		}
	}
	if by := scoring.RankGolf([]scoring.GolfSubmission{j}, "", scoring.Chars); by[0].Size(scoring.Chars) != 8 {
		t.Errorf("by characters %+v", by)
	}
}

// slowly computes a ranking directly from its definition. It replays the submissions minute by minute, and
// remembers when each author first reached each length.
func slowly(answers []scoring.GolfSubmission) []string {
	answers = slices.Clone(answers)
	slices.SortFunc(answers, func(a, b scoring.GolfSubmission) int { return int(a.Number - b.Number) })
	reached, best := map[string][]scoring.GolfSubmission{}, map[string]scoring.GolfSubmission{}
	for _, a := range answers {
		reached[a.Author] = append(reached[a.Author], a)
		if b, has := best[a.Author]; a.Valid && (!has || a.Bytes < b.Bytes) {
			best[a.Author] = a
		}
	}
	type row struct {
		a     scoring.GolfSubmission
		since int
	}
	var rows []row
	for author, b := range best {
		for _, a := range reached[author] {
			if a.Bytes <= b.Bytes {
				rows = append(rows, row{b, a.At.Minute()})
				break
			}
		}
	}
	var all []string
	for n := 1; len(rows) > 0; n++ {
		first := 0
		for i, r := range rows {
			if r.a.Bytes < rows[first].a.Bytes || r.a.Bytes == rows[first].a.Bytes && r.since < rows[first].since {
				first = i
			}
		}
		r := rows[first]
		all = append(all, fmt.Sprintf("%d %s %d since %d by %d", n, r.a.Author, r.a.Bytes, r.since, r.a.Number))
		rows = slices.Delete(rows, first, first+1)
	}
	return all
}

// TestGolfInAnyOrder checks that a thousand histories, each in random order, give the same ranking as a replay. A
// submission that is not shorter than the author's best must not change the ranking.
func TestGolfInAnyOrder(t *testing.T) {
	chance := rand.New(rand.NewPCG(17, 1))
	for round := range 1000 {
		var answers []scoring.GolfSubmission
		for minute := range 1 + chance.IntN(40) {
			a := answered(string(rune('a'+chance.IntN(5))), minute, 10+chance.IntN(6))
			a.Valid = chance.IntN(4) > 0
			answers = append(answers, a)
		}
		want := slowly(answers)
		chance.Shuffle(len(answers), func(i, j int) { answers[i], answers[j] = answers[j], answers[i] })
		got := order(scoring.RankGolf(answers, "py", scoring.Bytes))
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("round %d: %v\n%s", round, answers, d)
		}
		board := scoring.RankGolf(answers, "", scoring.Bytes)
		if len(board) == 0 {
			continue
		}
		again := board[chance.IntN(len(board))]
		more := append(slices.Clone(answers), answered(again.Author, 59, again.Bytes+chance.IntN(3)))
		if d := cmp.Diff(got, order(scoring.RankGolf(more, "", scoring.Bytes))); d != "" {
			t.Fatalf("round %d: %s sends %d bytes again, and:\n%s", round, again.Author, again.Bytes, d)
		}
	}
}

func TestRecords(t *testing.T) {
	late := answered("ada", 1, 30) // arrived first, but became valid last
	late.ValidSince = late.ValidSince.Add(time.Hour)
	greyed := answered("eve", 5, 1)
	greyed.Valid = false
	c := answered("eve", 6, 90)
	c.Language = "c"
	answers := []scoring.GolfSubmission{late, answered("bob", 2, 50), answered("ada", 3, 50), answered("bob", 4, 40), greyed, c}
	var got []string
	for _, r := range scoring.Records(answers, "", scoring.Bytes) {
		got = append(got, fmt.Sprintf("%s %s %d before %d", r.Language, r.Author, r.Bytes, r.Before))
	}
	if d := cmp.Diff([]string{"py bob 50 before 0", "py bob 40 before 50", "c eve 90 before 0", "py ada 30 before 40"}, got); d != "" {
		t.Error(d)
	}
	if got := scoring.Records(answers, "c", scoring.Bytes); len(got) != 1 || got[0].Author != "eve" {
		t.Errorf("of one language %v", got)
	}
}
