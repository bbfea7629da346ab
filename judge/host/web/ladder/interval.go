package ladder

import (
	"fmt"
	"math"
)

// An interval is a rating with its 95% confidence interval, to be shown on the scale of a table.
type interval struct{ elo, low, high float64 }

// A drawnInterval is an interval with its position on the table's scale, in percent of the width.
type drawnInterval struct {
	Interval        string
	From, Width, At int
}

// beyond is how far a scale may extend on either side of the ratings, in Elo. The interval of a bot that won or
// lost all games extends further and is cut off.
const beyond = 400

// drawIntervals positions the intervals of a table on a common scale.
func drawIntervals(all []interval) []drawnInterval {
	least, most := math.Inf(1), math.Inf(-1) // range of the ratings
	for _, one := range all {
		least, most = min(least, one.elo), max(most, one.elo)
	}
	left, right := math.Inf(1), math.Inf(-1) // range of the scale
	for _, one := range all {
		left, right = min(left, max(one.low, least-beyond)), max(right, min(one.high, most+beyond))
	}
	at := func(elo float64) int {
		if right <= left {
			return 50
		}
		const margin = 3 // room for a dot at either end
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
