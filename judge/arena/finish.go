package arena

import (
	"encoding/json"
	"fmt"
	"slices"

	"assay/judge/kit"
)

// finished is what a referee says of a game, with faults as the log has them.
type finished struct {
	kit.Outcome
	fault, after *GameFault
}

// faultOf is a fault that a referee found.
func faultOf(f *kit.BotFault) *GameFault {
	if f == nil {
		return nil
	}
	return &GameFault{Seat: f.Seat, Kind: Fault(f.Kind), Text: f.Text, Bytes: f.Bytes}
}

// lastComment is what a bot said last in a comment after its last move: adapters say
// there what went wrong.
func (r *finished) lastComment(seat int) (text string) {
	for _, n := range r.Notes {
		if n.Kind == "comment" && n.Seat == seat && n.Move == len(r.Moves) {
			text = ": " + n.Text
		}
	}
	return text
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
	if f.Verb != "game" || len(f.Parts) != 1 || json.Unmarshal(f.Parts[0], &r.Outcome) != nil {
		return c.broken(d.e, fmt.Sprintf("it says %s of a game", f.Verb))
	}
	if r.Broken != "" {
		return c.broken(d.e, r.Broken)
	}
	r.fault, r.after = faultOf(r.Fault), faultOf(r.After)
	again, err := d.fault(m, c, &r, r.fault, false)
	if err == nil && !again {
		again, err = d.fault(m, c, &r, r.after, true)
	}
	if err != nil || again {
		return err
	}
	g := d.game(m, &r)
	if err := d.record(&Record{Game: g}); err != nil {
		return err
	}
	d.played++
	d.moves += len(g.Moves)
	d.done(m)
	if f := d.e.Rules.costly(g); f != nil {
		d.disqualify(m.index, g, f)
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
		Payoff: r.Result.Payoff, Fault: r.fault, After: r.after, Notes: r.Notes, Used: r.Used, Again: m.again,
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
func (d *director) fault(m *match, c *court, r *finished, f *GameFault, after bool) (again bool, err error) {
	if f == nil {
		return false, nil
	}
	s := d.seats[[2]int{m.key.First, m.key.Second}[f.Seat-1]]
	p := s.players[c]
	if p == nil { // a file has no process, and one that is gone was seen to
		return false, nil
	}
	f.Stderr = p.last.text()
	if f.Kind == "gone" {
		if f.Kind, f.Text, err = p.fate(); err != nil {
			return false, err
		}
		if f.Kind == Crashed {
			f.Text += r.lastComment(f.Seat)
		}
		again = d.blamesMachine(m, f.Kind, p)
		if !after {
			r.Result.Reason = string(f.Kind)
		}
	}
	if after {
		f.Kind, f.Text = LearnFault, string(f.Kind)+" while it learns: "+f.Text
	}
	if !f.Kind.ends() {
		return false, nil
	}
	if again {
		m.tries++
		m.again = fmt.Sprintf("%s took too long on the clock, and not on the processor (try %d)", s.who.Name, m.tries)
		c.skipped = append(c.skipped, m)
	}
	c.lost = c.lost || p.bot.Program != nil
	p.kill(f.Kind)
	p.close()
	d.end(p)
	d.watch.set(c, s.who.ID, nil)
	s.drop(c)
	if again || d.e.Rules.cost(f.Kind) != CostEvent || d.isNeeded(s, m) {
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
