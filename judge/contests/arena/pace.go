package arena

import (
	"context"
	"time"
)

// pace is the observed duration of games of one bot or one referee.
type pace struct {
	left  int // games that a bot still has to play in this stage
	games int // observed games
	took  time.Duration
}

// unseen is the assumed duration of a game of a bot that has played none.
const unseen = time.Second

// mean returns the average duration of a game of the bot.
func (p *pace) mean() time.Duration {
	if p.games == 0 {
		return unseen
	}
	return p.took / time.Duration(p.games)
}

// game estimates the duration of one game of a task, which is that of the slower bot.
func (t *task) game() time.Duration { return max(t.a.pace.mean(), t.b.pace.mean()) }

// weight estimates how long the longer of its bots still has to play. The event cannot end before that.
func (t *task) weight() time.Duration {
	rest := func(s *seat) time.Duration { return time.Duration(s.pace.left) * s.pace.mean() }
	return max(rest(t.a), rest(t.b))
}

// paced records how long a game took. Referees play one game after the other.
func (d *director) paced(m *match, c *refereeProc) {
	now := time.Now()
	took := now.Sub(c.since)
	c.since = now
	for _, s := range []*seat{m.task.a, m.task.b} {
		s.pace.games++
		s.pace.took += took
	}
}

// Quick games wait at a referee, so that it never waits for the director. A slow one would keep its bots from
// playing elsewhere.
const (
	ahead   = 64                    // most waiting games
	waiting = 10 * time.Millisecond // most waiting time
	quick   = time.Millisecond      // below this duration, a game need not be chosen with care
	window  = 512                   // number of tasks that are searched for a suitable one
)

// hasRoom reports whether a referee takes a further task.
func (c *refereeProc) hasRoom() bool {
	return !c.lost && (c.playing == 0 || c.playing < ahead && c.queued < waiting)
}

// giveTo assigns one task to a referee. Of quick tasks it takes the first one whose bots are there. Otherwise
// it takes the one whose bot still has the most to play, so that the slowest bot never waits for a referee.
// In any case, a bot that remembers plays its tasks in order.
func (d *director) giveTo(ctx context.Context, c *refereeProc) (bool, error) {
	best, heaviest, looked := -1, time.Duration(0), 0
	for i := d.from; i < len(d.tasks) && looked < window; i++ {
		t := d.tasks[i]
		if t == nil {
			continue
		}
		if t.first >= d.limit {
			break
		}
		looked++
		if !d.mayPlay(t, t.a, c) || !d.mayPlay(t, t.b, c) {
			continue
		}
		if t.isAt(c) && t.game() < quick {
			best = i
			break
		}
		if w := t.weight(); best < 0 || w > heaviest || w == heaviest && t.isAt(c) && !d.tasks[best].isAt(c) {
			best, heaviest = i, w
		}
	}
	if best < 0 {
		return false, nil
	}
	t := d.tasks[best]
	if t.isAt(c) {
		d.tasks[best] = nil
		return true, d.play(t, c)
	}
	if c.playing < ahead/4 {
		for _, s := range []*seat{t.a, t.b} {
			if err := d.call(ctx, s, c); err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

// isAt reports whether both bots of a task are seated at a referee.
func (t *task) isAt(c *refereeProc) bool { return t.a.at(c) && t.b.at(c) }
