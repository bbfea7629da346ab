package arena

import (
	"context"
	"slices"
)

// recordOver records the end of the tournament. It records nothing if only a part of the tournament is being played.
func (d *director) recordOver() error {
	if d.e.Only != nil {
		return nil
	}
	if err := d.record(&Record{Lots: d.ledger.res.Lots}); err != nil {
		return err
	}
	return d.record(&Record{Over: &Completed{Games: len(d.ledger.index)}})
}

// greet greets every bot, and plays no games.
func (d *director) greet(ctx context.Context) (again bool, err error) {
	d.limit = noLimit
	for _, c := range d.e.Bots {
		d.tasks = append(d.tasks, &task{a: d.bots[c.ID], b: d.bots[c.ID]})
	}
	if err := d.startBots(ctx); err != nil {
		return false, err
	}
	return false, d.recordDisqualified(d.neverReady)
}

// recordDisqualified records disqualifications.
func (d *director) recordDisqualified(leave []*Disqualified) error {
	slices.SortFunc(leave, func(a, b *Disqualified) int { return a.Bot - b.Bot })
	for _, out := range leave {
		out.Run = d.ledger.run
		if err := d.record(&Record{Out: out}); err != nil {
			return err
		}
	}
	return nil
}
