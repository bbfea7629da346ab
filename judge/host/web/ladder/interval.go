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

// scaleMargin is how far a scale may extend on either side of the ratings, in Elo. The interval of a bot that won or
// lost all games extends further and is cut off.
const scaleMargin = 400

// drawIntervals positions the intervals of a table on a common scale.
func drawIntervals(intervals []interval) []drawnInterval {
	lowest, highest := math.Inf(1), math.Inf(-1) // range of the ratings
	for _, rated := range intervals {
		lowest, highest = min(lowest, rated.elo), max(highest, rated.elo)
	}
	scaleMin, scaleMax := math.Inf(1), math.Inf(-1) // range of the scale
	for _, rated := range intervals {
		scaleMin, scaleMax = min(scaleMin, max(rated.low, lowest-scaleMargin)), max(scaleMax, min(rated.high, highest+scaleMargin))
	}
	position := func(elo float64) int {
		if scaleMax <= scaleMin {
			return 50
		}
		const margin = 3 // room for a dot at either end
		return margin + int(math.Round((100-2*margin)*(min(max(elo, scaleMin), scaleMax)-scaleMin)/(scaleMax-scaleMin)))
	}
	drawn := make([]drawnInterval, len(intervals))
	for i, rated := range intervals {
		start := position(rated.low)
		drawn[i] = drawnInterval{intervalText(rated.low, rated.high), start, max(position(rated.high)-start, 1), position(rated.elo)}
	}
	return drawn
}

func intervalText(low, high float64) string { return fmt.Sprintf("%+.0f to %+.0f", low, high) }
