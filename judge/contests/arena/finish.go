package arena

import (
	"bytes"
	"fmt"
	"slices"
	"unique"

	"assay/judge/kit"

	"assay/judge/kit/referee"
)

// finished is a referee's report of a game. The faults have the form in which they are logged.
type finished struct {
	referee.Outcome
	fault, after *GameFault
}

// faultOf converts a fault that a referee reported.
func faultOf(f *referee.BotFault) *GameFault {
	if f == nil {
		return nil
	}
	return &GameFault{Seat: f.Seat, Kind: Fault(f.Kind), Text: f.Text, Bytes: f.Bytes}
}

// lastComment returns the bot's last comment after its last move. Adapters use it to report what went wrong.
func (r *finished) lastComment(seat int) (text string) {
	for _, n := range r.Notes {
		if n.Kind == "comment" && n.Seat == seat && n.Move == r.moves() {
			text = ": " + n.Text
		}
	}
	return text
}

// mostTries is the maximum number of times that a game is replayed because a bot exceeded its wall time while it
// was using the CPU. In that case, the machine may be busy. If the bot only waited, the game is replayed at most
// once.
const mostTries = 5

// finished handles the result of a game.
func (d *director) finished(m *match, c *refereeProc, f kit.Frame) error {
	if f.Verb == "skipped" {
		c.lost = true
		c.skipped = append(c.skipped, m)
		return nil
	}
	var r finished
	early := f.Verb == "ended"
	if f.Verb != "game" && !early {
		return c.broken(d.e, fmt.Sprintf("it sent %.40q about a game", f.Verb))
	}
	var err error
	if r.Outcome, err = referee.ReadOutcome(f.Parts); err != nil || bytes.IndexByte(r.Outcome.Moves, '\n') >= 0 {
		return c.broken(d.e, "it did not report the result of a game")
	}
	if r.Broken != "" {
		return c.broken(d.e, r.Broken)
	}
	r.fault, r.after = faultOf(r.Fault), faultOf(r.After)
	if early {
		return d.ended(m, &r)
	}
	again, err := d.fault(m, c, &r, r.fault, false)
	if err == nil && !again {
		again, err = d.fault(m, c, &r, r.after, true)
	}
	if err != nil || again {
		return err
	}
	g := r.result(m.key)
	if g.at, err = d.file.addGame(d.head(m), r.Moves, d.tail(m, &r)); err != nil {
		return err
	}
	d.ledger.addGame(g)
	d.played++
	d.moves += r.moves()
	d.paced(m, c)
	d.done(m)
	if d.rules.costly(&g) {
		d.disqualify(m.index, &g)
	}
	if m.task.left == 0 {
		return d.release(m.task, c)
	}
	return nil
}

// ended logs a game that is over although a bot is still processing the result. When the bot has processed the
// result, the complete game is logged.
func (d *director) ended(m *match, r *finished) error {
	if r.fault != nil && r.fault.Kind == "gone" { // it is not known yet why the process is gone
		return nil
	}
	tail := d.tail(m, r)
	tail.Learning = true
	_, err := d.file.addGame(d.head(m), r.Moves, tail)
	return err
}

// done counts a finished game of a task.
func (d *director) done(m *match) {
	t := m.task
	t.a.pace.left--
	t.b.pace.left--
	if t.left--; t.left == 0 {
		d.under--
		t.a.under--
		t.b.under--
	}
}

// moves returns the number of moves.
func (r *finished) moves() int { return int(r.Made[0] + r.Made[1]) }

// result returns the parts of r that determine the standings, as the Result of the game with key k.
func (r *finished) result(k Key) Result {
	g := Result{
		Round: k.Round, Leg: k.Leg, First: k.First, Second: k.Second, Winner: int(r.Winner), Reason: unique.Make(r.Reason).Value(),
		Faulty: r.fault != nil, fault: blameOf(r.fault), after: blameOf(r.after), Used: r.used(),
	}
	for i := range g.Moves {
		g.Moves[i], g.Slowest[i] = clamp(r.Made[i]), clamp(r.Slowest[i])
	}
	g.pay(r.Payoff)
	return g
}

func (r *finished) used() (ms [2]float64) {
	for i, micros := range r.Used {
		ms[i] = float64(micros) / 1000
	}
	return ms
}

// gameHead is the beginning of a Game in the log.
type gameHead struct {
	Run    int    `json:"run"`
	Round  int    `json:"round"`
	Leg    int    `json:"leg"`
	First  int    `json:"first"`
	Second int    `json:"second"`
	Seed   uint64 `json:"seed"`
}

// gameTail is the end of a Game in the log. The moves come before it.
type gameTail struct {
	Winner int64      `json:"winner"`
	Reason string     `json:"reason"`
	Payoff []float64  `json:"payoff,omitempty"`
	Fault  *GameFault `json:"fault,omitempty"`
	After  *GameFault `json:"after,omitempty"`
	Notes  []Note     `json:"notes,omitempty"`
	Used   [2]float64 `json:"used_ms"`
	Again  string     `json:"again,omitempty"`
	Said   [][]string `json:"said,omitempty"`

	Learning bool `json:"learning,omitempty"`
}

func (d *director) head(m *match) *gameHead {
	return &gameHead{d.ledger.run, m.key.Round, m.key.Leg, m.key.First, m.key.Second, m.seed}
}

func (d *director) tail(m *match, r *finished) *gameTail {
	t := &gameTail{
		Winner: r.Winner, Reason: r.Reason, Payoff: r.Payoff, Fault: r.fault, After: r.after,
		Notes: r.Notes, Used: r.used(), Again: m.again,
	}
	if r.Said[0] != nil && !(m.task.a.who.Pure && m.task.b.who.Pure) {
		t.Said = r.Said[:]
	}
	return t
}

// fault determines the kind of f, which is a fault in match m, and kills or keeps the bot's process accordingly.
// The result again reports whether the game must be replayed because the machine may be at fault.
func (d *director) fault(m *match, c *refereeProc, r *finished, f *GameFault, after bool) (again bool, err error) {
	if f == nil {
		return false, nil
	}
	s, other := d.seats[m.key.First], d.seats[m.key.Second]
	if f.Seat == 2 {
		s, other = other, s
	}
	p := s.players[c]
	if p == nil { // files have no process; a process that is gone has already been handled
		return false, nil
	}
	if f.Kind == "gone" {
		if f.Kind, f.Text, err = p.fate(); err != nil {
			return false, err
		}
		if f.Kind == Crashed {
			f.Text += r.lastComment(f.Seat)
		}
		again = blamesMachine(m.tries, f.Kind, p)
		if !after {
			r.Reason = string(f.Kind)
		}
	}
	p.keepLastWords(f) // only after the process has exited is its output complete
	if after {
		f.Kind, f.Text = LearnFault, string(f.Kind)+" while it processes the result: "+f.Text
	}
	if !f.Kind.Ends() {
		return false, nil
	}
	c.lost = c.lost || p.bot.Program != nil
	p.kill(f.Kind)
	d.letGo(s, c)
	if again {
		m.tries++
		m.again = fmt.Sprintf("%s exceeded its wall time, but not its CPU time (try %d)", s.who.Name, m.tries)
		c.skipped = append(c.skipped, m)
		if o := other.players[c]; o != nil && !other.who.Pure { // it remembers a game that is void
			o.held.Kill()
			d.letGo(other, c)
			if err := d.restart(other, c, true); err != nil {
				return false, err
			}
		}
	}
	if again || d.rules.cost(f.Kind) != CostEvent || d.isNeeded(s, m) {
		return again, d.restart(s, c, again)
	}
	return false, nil
}

// letGo removes from referee c the process of a bot, which is about to exit. If the bot has no process there,
// letGo only releases the bot's seat.
func (d *director) letGo(s *seat, c *refereeProc) {
	if p := s.players[c]; p != nil {
		p.close()
		d.end(p)
	}
	d.watch.set(c, s.who.ID, nil)
	s.drop(c)
}

// blamesMachine reports whether a game must be replayed because the bot exceeded only its wall time, so that the
// machine may be at fault. The argument tries is the number of earlier replays.
func blamesMachine(tries int, kind Fault, p *player) bool {
	if kind != TimeoutWall && kind != NotReading {
		return false
	}
	exec, _ := p.held.Wait()
	most := 1
	if exec.CPU > exec.Wall/10 {
		most = mostTries
	}
	return tries < most
}

// isNeeded reports whether a disqualified bot must still play games before m, which is the game for which the bot
// was disqualified.
func (d *director) isNeeded(s *seat, m *match) bool {
	limit := min(d.limit, m.index)
	before := func(t *task) bool {
		return t != nil && (t.a == s || t.b == s) && t.first < limit
	}
	return s.who.Pure && (slices.ContainsFunc(d.tasks[d.from:], before) || s.under > 1)
}

// restart starts a new process for a bot. If remembers is set, the last game is replayed, so the process first
// replays the bot's games before it. Otherwise, the process starts without a memory.
func (d *director) restart(s *seat, c *refereeProc, remembers bool) error {
	p, err := startPlayer(d.ctx, d.e.Box, s.who, d.e.Rules.Memory)
	if err != nil {
		return err
	}
	var history []*Result
	if remembers {
		history = d.history(s.who.ID)
	}
	s.said = nil
	if !s.who.Pure {
		s.home = c
	}
	return d.sit(s, c, p, nil, history)
}

// goOn lets referee c, which has lost a player, continue with the games that it skipped. It does nothing until the
// new player is seated.
func (d *director) goOn(c *refereeProc) error {
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
		if m.index > d.limit || !a.at(c) || !b.at(c) { // the game is void, because a bot was disqualified
			d.done(m)
			continue
		}
		if err := d.playGame(m, c); err != nil {
			return err
		}
	}
	return nil
}

func (d *director) comingTo(c *refereeProc) bool {
	for _, s := range d.seats {
		if s.coming[c] {
			return true
		}
	}
	return false
}
