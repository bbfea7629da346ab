package arena

import (
	"encoding/json"
	"fmt"
	"slices"

	"assay/judge/kit"
)

// finished is what a referee says of a game: see kit.
type finished struct {
	Start  string   `json:"start"`
	Moves  []string `json:"moves"`
	Seats  string   `json:"seats"`
	Micros []int64  `json:"micros"`
	Notes  []Note   `json:"notes"`
	Result struct {
		Winner int       `json:"winner"`
		Reason string    `json:"reason"`
		Payoff []float64 `json:"payoff"`
	} `json:"result"`
	Said   [2][]string `json:"said"`
	Fault  *GameFault  `json:"fault"`
	Used   [2]float64  `json:"used_ms"`
	Broken string      `json:"broken"`
}

// mostTries is how often a game is played whose bot took too long on the clock and
// has used the processor: the machine is busy. One that only waits gets two.
const mostTries = 5

// finished takes the result of a game.
func (d *director) finished(m *match, c *court, f kit.Frame) error {
	if f.Verb == "skipped" {
		c.lost = true
		c.skipped = append(c.skipped, m)
		return nil
	}
	var r finished
	if f.Verb != "game" || len(f.Parts) != 1 || json.Unmarshal(f.Parts[0], &r) != nil {
		return c.broken(d.e, fmt.Sprintf("it says %s of a game", f.Verb))
	}
	if r.Broken != "" {
		return c.broken(d.e, r.Broken)
	}
	if r.Fault != nil {
		again, err := d.fault(m, c, &r)
		if err != nil || again {
			return err
		}
	}
	g := d.game(m, &r)
	if err := d.record(&Record{Game: g}); err != nil {
		return err
	}
	d.played++
	d.moves += len(g.Moves)
	d.done(m)
	if g.Fault != nil && d.e.Rules.cost(g.Fault.Kind) == CostEvent {
		d.disqualify(m.index, g, g.Fault)
	}
	return nil
}

// done counts a game of a task.
func (d *director) done(m *match) {
	t := m.task
	if t.left--; t.left == 0 {
		d.under--
		t.a.under--
		t.b.under--
	}
}

// game makes the record of a game.
func (d *director) game(m *match, r *finished) *Game {
	k := m.key
	g := &Game{
		Run: d.book.run, Round: k.Round, Leg: k.Leg, First: k.First, Second: k.Second, Seed: d.seeds.game(k),
		Start: r.Start, Moves: r.Moves, Seats: r.Seats, Micros: r.Micros, Winner: r.Result.Winner, Reason: r.Result.Reason,
		Payoff: r.Result.Payoff, Fault: r.Fault, Notes: r.Notes, Used: r.Used, Again: m.again,
	}
	if (r.Said[0] != nil || r.Said[1] != nil) && !(m.task.a.who.Pure && m.task.b.who.Pure) {
		g.Said = [][]string{r.Said[0], r.Said[1]}
		for i := range g.Said {
			if g.Said[i] == nil {
				g.Said[i] = g.movesOf(i + 1)
			}
		}
	}
	return g
}

// fault finds out what a fault is, and sees to the process of the bot. Again says
// that the game is to be played again, as the machine may be to blame.
func (d *director) fault(m *match, c *court, r *finished) (again bool, err error) {
	f := r.Fault
	s := d.seats[[2]int{m.key.First, m.key.Second}[f.Seat-1]]
	p := s.players[c]
	if p == nil { // a file has no process
		return false, nil
	}
	f.Stderr = p.last.text()
	kind := f.Kind
	learning := kind == LearnFault
	if kind == "gone" || learning && p.isGone() {
		var text string
		if kind, text, err = p.fate(); err != nil {
			return false, err
		}
		again = d.blamesMachine(m, kind, p)
		f.Kind, f.Text = kind, text
		if learning {
			f.Kind, f.Text = LearnFault, string(kind)+" while it learns: "+text
		} else {
			r.Result.Reason = string(kind)
		}
	}
	if !f.Kind.ends() && !again {
		return false, nil
	}
	if again {
		m.tries++
		m.again = fmt.Sprintf("%s took too long on the clock, and not on the processor (try %d)", s.who.Name, m.tries)
		c.skipped = append(c.skipped, m)
	}
	c.lost = true
	p.kill(f.Kind)
	p.close()
	d.watch.set(c, s.who.ID, nil)
	s.drop(c)
	out := !again && d.e.Rules.cost(f.Kind) == CostEvent
	if !out || d.isNeeded(s, m) {
		return again, d.restart(s, c, again)
	}
	return false, nil
}

// blamesMachine says whether a game is played again: its bot took too long on the
// clock alone.
func (d *director) blamesMachine(m *match, kind Fault, p *player) bool {
	if kind != TimeoutWall && kind != NotReading {
		return false
	}
	exec, _ := p.held.Wait()
	most := 1
	if exec.CPU > exec.Wall/10 {
		most = mostTries
	}
	return m.tries < most
}

// isNeeded says whether a bot that is out has games before the one that it is out for.
func (d *director) isNeeded(s *seat, m *match) bool {
	limit := min(d.limit, m.index)
	before := func(t *task) bool {
		return t != nil && (t.a == s || t.b == s) && slices.ContainsFunc(t.games, func(m *match) bool { return m.index < limit })
	}
	return s.who.Pure && (slices.ContainsFunc(d.tasks[d.from:], before) || s.under > 1)
}

// restart starts a new process for a bot. Where the game before is played again it
// is brought to where it was; else it starts without a memory.
func (d *director) restart(s *seat, c *court, remembers bool) error {
	p, err := startPlayer(d.ctx, d.e.Box, s.who, d.e.Rules.Memory)
	if err != nil {
		return err
	}
	var history []*Game
	if remembers {
		history = d.history(s.who.ID)
	}
	s.said = nil
	if !s.who.Pure {
		s.home = c
	}
	return d.sit(s, c, p, nil, history)
}

// goOn has a court play on that has lost a player, once the new one is there.
func (d *director) goOn(c *court) error {
	if !c.lost || c.playing > 0 || d.comingTo(c) {
		return nil
	}
	c.lost = false
	c.say("go")
	again := c.skipped
	c.skipped = nil
	slices.SortStableFunc(again, byIndex)
	for _, m := range again {
		a, b := d.seats[m.key.First], d.seats[m.key.Second]
		if m.index > d.limit || !a.at(c) || !b.at(c) { // void: somebody is out
			d.done(m)
			continue
		}
		if err := d.playGame(m, c); err != nil {
			return err
		}
	}
	return nil
}

func (d *director) comingTo(c *court) bool {
	for _, s := range d.seats {
		if s.coming[c] {
			return true
		}
	}
	return false
}
