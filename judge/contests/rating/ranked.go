package rating

import (
	"cmp"
	"math"
)

// RankedPlayer is a player in a table ordered by rating.
type RankedPlayer struct {
	Elo   float64
	Games int
	ID    int64
}

// Compare orders players: the stronger one first, then the one with more games, then the one with the lower ID.
// Ratings that differ only by rounding are equal.
func (a RankedPlayer) Compare(b RankedPlayer) int {
	rounded := func(elo float64) float64 { return math.Round(elo * 1e6) }
	return cmp.Or(cmp.Compare(rounded(b.Elo), rounded(a.Elo)), cmp.Compare(b.Games, a.Games), cmp.Compare(a.ID, b.ID))
}
