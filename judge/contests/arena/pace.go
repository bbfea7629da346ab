package arena

import (
	"context"
	"time"
)

// durationStats measures the duration of games of one bot or at one referee.
type durationStats struct {
	remaining int // games that a bot still has to play in this stage
	games     int // number of measured games
	took      time.Duration
}

// assumedDuration is the assumed duration of a game for a bot that has played none.
const assumedDuration = time.Second

// mean returns the average duration of a game of the bot.
func (p *durationStats) mean() time.Duration {
	if p.games == 0 {
		return assumedDuration
	}
	return p.took / time.Duration(p.games)
}

// game estimates the duration of one game of a task by the mean duration for the slower of the two bots.
func (t *task) game() time.Duration { return max(t.a.pace.mean(), t.b.pace.mean()) }

// weight estimates how long the games of the task's two bots will still take, and returns the larger value. The
// tournament cannot end before that time has passed.
func (t *task) weight() time.Duration {
	rest := func(s *botState) time.Duration { return time.Duration(s.pace.remaining) * s.pace.mean() }
	return max(rest(t.a), rest(t.b))
}

// recordDuration records how long a game took. That is the time since the referee's previous game, because a referee plays
// one game at a time.
func (d *director) recordDuration(m *match, c *refereeProc) {
	now := time.Now()
	took := now.Sub(c.since)
	c.since = now
	for _, s := range []*botState{m.task.a, m.task.b} {
		s.pace.games++
		s.pace.took += took
	}
}

// Quick games are queued at a referee, so that the referee never waits for the director. Slow games are not
// queued, because they would keep their bots from playing elsewhere.
const (
	maxQueuedGames = 64                    // maximum number of queued games
	maxQueuedTime  = 10 * time.Millisecond // maximum estimated duration of queued games
	quickGame      = time.Millisecond      // games shorter than this need not be selected carefully
	searchWindow   = 512                   // number of tasks searched for a suitable one
)

// hasRoom reports whether a referee can take another task.
func (c *refereeProc) hasRoom() bool {
	return !c.lost && (c.playing == 0 || c.playing < maxQueuedGames && c.queued < maxQueuedTime)
}

// assignTaskTo assigns one task to a referee. If tasks are quick, assignTaskTo chooses the first task whose bots are at the
// referee. Otherwise, it chooses the task of the bot with the most left to play, so that the slowest bot never
// waits for a referee. In both cases, a bot that remembers plays its tasks in order.
func (d *director) assignTaskTo(ctx context.Context, c *refereeProc) (bool, error) {
	best, heaviest, looked := -1, time.Duration(0), 0
	for i := d.from; i < len(d.tasks) && looked < searchWindow; i++ {
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
		if t.isAt(c) && t.game() < quickGame {
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
	if c.playing < maxQueuedGames/4 {
		for _, s := range []*botState{t.a, t.b} {
			if err := d.moveBot(ctx, s, c); err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

// isAt reports whether both bots of a task are seated at a referee.
func (t *task) isAt(c *refereeProc) bool { return t.a.isSeatedAt(c) && t.b.isSeatedAt(c) }
