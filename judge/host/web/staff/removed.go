package staff

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web"
)

// How a form writes the moments of a time that does not count.
const (
	clockLayout = "15:04:05"
	dayLayout   = "2006-01-02 15:04:05"
)

// removedText writes times that do not count as the form takes them: a line each.
func removedText(all []store.Interval, z web.Zone) string {
	var b strings.Builder
	for _, r := range all {
		fmt.Fprintf(&b, "%s to %s\n", r.From.In(z.Location).Format(dayLayout), r.To.In(z.Location).Format(dayLayout))
	}
	return b.String()
}

// removedOf reads those of a contest that lasts so long; 0 is without end. A clock without a day is
// the first such time after the start. Each begins while the contest is on: one that does not
// would have no effect, and is a slip.
func removedOf(text string, starts time.Time, lasts time.Duration, z web.Zone) (all []store.Interval, err error) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		from, to, both := strings.Cut(line, " to ")
		var r store.Interval
		if both {
			r.From, both = momentOf(strings.TrimSpace(from), starts, z)
		}
		if both {
			r.To, both = momentOf(strings.TrimSpace(to), starts, z)
		}
		switch {
		case starts.IsZero():
			return nil, fmt.Errorf("say when the contest begins before you take time out of it")
		case !both:
			return nil, fmt.Errorf("line %d of the times that do not count, %.60q: write it as 10:05 to 10:20, or with days as 2026-03-01 23:50 to 2026-03-02 00:10", n, line)
		case !r.From.Before(r.To):
			return nil, fmt.Errorf("line %d of the times that do not count: its end is not after its beginning", n)
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b store.Interval) int { return a.From.Compare(b.From) })
	for i := 1; i < len(all); i++ {
		if all[i].From.Before(all[i-1].To) {
			return nil, fmt.Errorf("two of the times that do not count overlap: %s", strings.ReplaceAll(strings.TrimSpace(removedText(all[i-1:i+1], z)), "\n", ", and "))
		}
	}
	ends := starts.Add(lasts)
	for _, r := range all {
		if r.From.Before(starts) || lasts > 0 && !r.From.Before(ends) {
			return nil, fmt.Errorf("%s is not during the contest, which lasts from %s to %s",
				strings.TrimSpace(removedText([]store.Interval{r}, z)), starts.In(z.Location).Format(dayLayout), ends.In(z.Location).Format(dayLayout))
		}
		ends = ends.Add(r.To.Sub(r.From)) // the time that it takes out is added at the end
	}
	return all, nil
}

// momentOf reads a moment.
func momentOf(text string, starts time.Time, z web.Zone) (time.Time, bool) {
	for _, layout := range []string{dayLayout, "2006-01-02 15:04", atLayout, clockLayout, "15:04"} {
		at, err := time.ParseInLocation(layout, text, z.Location)
		if err != nil {
			continue
		}
		if at.Year() > 0 {
			return at, true
		}
		day := starts.In(z.Location)
		at = time.Date(day.Year(), day.Month(), day.Day(), at.Hour(), at.Minute(), at.Second(), 0, z.Location)
		if at.Before(starts.Truncate(time.Minute)) {
			at = at.AddDate(0, 0, 1)
		}
		return at, true
	}
	return time.Time{}, false
}
