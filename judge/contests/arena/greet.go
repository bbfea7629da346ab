package arena

import (
	"context"
	"slices"
)

// over records the end of the tournament. It records nothing if only a part of the tournament is being played.
func (d *director) over() error {
	if d.e.Only != nil {
		return nil
	}
	if err := d.record(&Record{Lots: d.ledger.res.Lots}); err != nil {
		return err
	}
	return d.record(&Record{Over: &Over{Games: len(d.ledger.at)}})
}

// greet greets every bot, and plays no games.
func (d *director) greet(ctx context.Context) (again bool, err error) {
	d.limit = noLimit
	for _, c := range d.e.Bots {
		d.tasks = append(d.tasks, &task{a: d.seats[c.ID], b: d.seats[c.ID]})
	}
	if err := d.ready(ctx); err != nil {
		return false, err
	}
	return false, d.exclude(d.unfit)
}

// exclude records disqualifications.
func (d *director) exclude(leave []*Disqualified) error {
	slices.SortFunc(leave, func(a, b *Disqualified) int { return a.Bot - b.Bot })
	for _, out := range leave {
		out.Run = d.ledger.run
		if err := d.record(&Record{Out: out}); err != nil {
			return err
		}
	}
	return nil
}
