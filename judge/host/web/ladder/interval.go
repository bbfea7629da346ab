package ladder

import (
	"fmt"
	"math"
)

// An interval is a rating with its 95 % interval, to be drawn on the scale of a table.
type interval struct{ elo, low, high float64 }

// A drawnInterval is an interval with its position on the scale of its table, in percent of the width.
type drawnInterval struct {
	Interval        string
	From, Width, At int
}

// beyond is how far a scale extends on either side of the ratings, in Elo. The interval of a bot that lost or won
// everything extends further, which says little.
const beyond = 400

// drawIntervals draws the intervals of a table on one scale.
func drawIntervals(all []interval) []drawnInterval {
	least, most := math.Inf(1), math.Inf(-1) // of the ratings
	for _, one := range all {
		least, most = min(least, one.elo), max(most, one.elo)
	}
	left, right := math.Inf(1), math.Inf(-1) // of the scale
	for _, one := range all {
		left, right = min(left, max(one.low, least-beyond)), max(right, min(one.high, most+beyond))
	}
	at := func(elo float64) int {
		if right <= left {
			return 50
		}
		const margin = 3 // for a dot at the end
		return margin + int(math.Round((100-2*margin)*(min(max(elo, left), right)-left)/(right-left)))
	}
	drawn := make([]drawnInterval, len(all))
	for i, one := range all {
		from := at(one.low)
		drawn[i] = drawnInterval{intervalText(one.low, one.high), from, max(at(one.high)-from, 1), at(one.elo)}
	}
	return drawn
}

func intervalText(low, high float64) string { return fmt.Sprintf("%+.0f to %+.0f", low, high) }
