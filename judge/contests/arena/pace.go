package arena

import (
	"context"
	"time"
)

// pace is how long games take, as far as it was seen: of one bot, or of a court.
type pace struct {
	left  int // games that a bot has still to play in this stage
	games int // that were seen
	took  time.Duration
}

// unseen is what a game is taken to last of a bot that has played none.
const unseen = time.Second

// mean is how long a game of the bot lasts.
func (p *pace) mean() time.Duration {
	if p.games == 0 {
		return unseen
	}
	return p.took / time.Duration(p.games)
}

// game is how long one game of a task is going to last: as the slower bot's do.
func (t *task) game() time.Duration { return max(t.a.pace.mean(), t.b.pace.mean()) }

// weight is how long the longer of its bots is going to play yet: the event cannot be
// over before.
func (t *task) weight() time.Duration {
	rest := func(s *seat) time.Duration { return time.Duration(s.pace.left) * s.pace.mean() }
	return max(rest(t.a), rest(t.b))
}

// paced notes how long a game took. Courts play one game after the other.
func (d *director) paced(m *match, c *court) {
	now := time.Now()
	took := now.Sub(c.since)
	c.since = now
	for _, s := range []*seat{m.task.a, m.task.b} {
		s.pace.games++
		s.pace.took += took
	}
}

// Games wait at a court, so that it never waits for the director, as long as they are
// quick. A slow one would keep its bots from playing elsewhere.
const (
	ahead   = 64                    // games that may wait, at most
	waiting = 10 * time.Millisecond // what they may take together
	quick   = time.Millisecond      // such a game need not be chosen with care
	window  = 512                   // tasks that are looked at for one that fits
)

// hasRoom says whether a court takes a further task.
func (c *court) hasRoom() bool {
	return !c.lost && (c.playing == 0 || c.playing < ahead && c.queued < waiting)
}

// giveTo gives one task to a court. Of quick ones it is the first whose bots are there;
// else the one whose bot has the most to play yet, so that the slowest bot never waits
// for a court. A bot that remembers plays its tasks in their order all the same.
func (d *director) giveTo(ctx context.Context, c *court) (bool, error) {
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

// isAt says whether both bots of a task are before a court.
func (t *task) isAt(c *court) bool { return t.a.at(c) && t.b.at(c) }
