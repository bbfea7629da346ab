package arena

import (
	"bytes"
	"fmt"
	"slices"
	"unique"

	"assay/judge/kit"

	"assay/judge/kit/referee"
)

// gameReport is a referee's report of a game. The faults have the form in which they are logged.
type gameReport struct {
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
func (r *gameReport) lastComment(seat int) (text string) {
	for _, n := range r.Notes {
		if n.Kind == "comment" && n.Seat == seat && n.Move == r.moves() {
			text = ": " + n.Text
		}
	}
	return text
}

// maxReplays is the maximum number of times that a game is replayed because a bot exceeded its wall time while it
// was using the CPU. In that case, the machine may be busy. If the bot only waited, the game is replayed at most
// once.
const maxReplays = 5

// handleFinished handles the result of a game.
func (d *director) handleFinished(m *match, c *refereeProc, f kit.Frame) error {
	if f.Verb == "skipped" {
		c.lost = true
		c.skipped = append(c.skipped, m)
		return nil
	}
	var r gameReport
	early := f.Verb == "ended"
	if f.Verb != "game" && !early {
		return c.fail(d.e, fmt.Sprintf("it sent %.40q about a game", f.Verb))
	}
	var err error
	if r.Outcome, err = referee.ReadOutcome(f.Parts); err != nil || bytes.IndexByte(r.Outcome.Moves, '\n') >= 0 {
		return c.fail(d.e, "it did not report the result of a game")
	}
	if r.Broken != "" {
		return c.fail(d.e, r.Broken)
	}
	r.fault, r.after = faultOf(r.Fault), faultOf(r.After)
	if early {
		return d.logUnfinished(m, &r)
	}
	again, err := d.handleFault(m, c, &r, r.fault, false)
	if err == nil && !again {
		again, err = d.handleFault(m, c, &r, r.after, true)
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
	d.recordDuration(m, c)
	d.countFinished(m)
	if d.rules.disqualifies(&g) {
		d.disqualify(m.index, &g)
	}
	if m.task.missing == 0 {
		return d.detachSlow(m.task, c)
	}
	return nil
}

// logUnfinished logs a game that is over although a bot is still processing the result. When the bot has processed the
// result, the complete game is logged.
func (d *director) logUnfinished(m *match, r *gameReport) error {
	if r.fault != nil && r.fault.Kind == "gone" { // it is not known yet why the process is gone
		return nil
	}
	tail := d.tail(m, r)
	tail.Learning = true
	_, err := d.file.addGame(d.head(m), r.Moves, tail)
	return err
}

// countFinished counts a finished game of a task.
func (d *director) countFinished(m *match) {
	t := m.task
	t.a.pace.remaining--
	t.b.pace.remaining--
	if t.missing--; t.missing == 0 {
		d.assigned--
		t.a.assigned--
		t.b.assigned--
	}
}

// moves returns the number of moves.
func (r *gameReport) moves() int { return int(r.Made[0] + r.Made[1]) }

// result returns the parts of r that determine the standings, as the Result of the game with key k.
func (r *gameReport) result(k Key) Result {
	g := Result{
		Round: k.Round, Leg: k.Leg, First: k.First, Second: k.Second, Winner: int(r.Winner), Reason: unique.Make(r.Reason).Value(),
		Faulty: r.fault != nil, fault: compactFaultOf(r.fault), after: compactFaultOf(r.after), Used: r.used(),
	}
	for i := range g.Moves {
		g.Moves[i], g.Slowest[i] = clamp(r.Made[i]), clamp(r.Slowest[i])
	}
	g.pay(r.Payoff)
	return g
}

func (r *gameReport) used() (ms [2]float64) {
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
	Winner       int64      `json:"winner"`
	Reason       string     `json:"reason"`
	Payoff       []float64  `json:"payoff,omitempty"`
	Fault        *GameFault `json:"fault,omitempty"`
	After        *GameFault `json:"after,omitempty"`
	Notes        []Note     `json:"notes,omitempty"`
	Used         [2]float64 `json:"used_ms"`
	ReplayReason string     `json:"again,omitempty"`
	Answers      [][]string `json:"said,omitempty"`

	Learning bool `json:"learning,omitempty"`
}

func (d *director) head(m *match) *gameHead {
	return &gameHead{d.ledger.run, m.key.Round, m.key.Leg, m.key.First, m.key.Second, m.seed}
}

func (d *director) tail(m *match, r *gameReport) *gameTail {
	t := &gameTail{
		Winner: r.Winner, Reason: r.Reason, Payoff: r.Payoff, Fault: r.fault, After: r.after,
		Notes: r.Notes, Used: r.used(), ReplayReason: m.replayReason,
	}
	if r.Said[0] != nil && !(m.task.a.contestant.Pure && m.task.b.contestant.Pure) {
		t.Answers = r.Said[:]
	}
	return t
}

// handleFault determines the kind of f, which is a fault in match m, and kills or keeps the bot's process accordingly.
// The result again reports whether the game must be replayed because the machine may be at fault.
func (d *director) handleFault(m *match, c *refereeProc, r *gameReport, f *GameFault, after bool) (again bool, err error) {
	if f == nil {
		return false, nil
	}
	s, other := d.bots[m.key.First], d.bots[m.key.Second]
	if f.Seat == 2 {
		s, other = other, s
	}
	p := s.players[c]
	if p == nil { // files have no process; a process that is gone has already been handled
		return false, nil
	}
	if f.Kind == "gone" {
		if f.Kind, f.Text, err = p.exitReason(); err != nil {
			return false, err
		}
		if f.Kind == Crashed {
			f.Text += r.lastComment(f.Seat)
		}
		again = blamesMachine(m.attempts, f.Kind, p)
		if !after {
			r.Reason = string(f.Kind)
		}
	}
	p.attachStderr(f) // only after the process has exited is its output complete
	if after {
		f.Kind, f.Text = LearnFault, string(f.Kind)+" while it processes the result: "+f.Text
	}
	if !f.Kind.Ends() {
		return false, nil
	}
	c.lost = c.lost || p.bot.Program != nil
	p.kill(f.Kind)
	d.releaseProcess(s, c)
	if again {
		m.attempts++
		m.replayReason = fmt.Sprintf("%s exceeded its wall time, but not its CPU time (try %d)", s.contestant.Name, m.attempts)
		c.skipped = append(c.skipped, m)
		if o := other.players[c]; o != nil && !other.contestant.Pure { // it remembers a game that is void
			o.proc.Kill()
			d.releaseProcess(other, c)
			if err := d.restart(other, c, true); err != nil {
				return false, err
			}
		}
	}
	if again || d.rules.cost(f.Kind) != CostTournament || d.isNeeded(s, m) {
		return again, d.restart(s, c, again)
	}
	return false, nil
}

// releaseProcess removes from referee c the process of a bot, which is about to exit. If the bot has no process there,
// releaseProcess only releases the bot's seat.
func (d *director) releaseProcess(s *botState, c *refereeProc) {
	if p := s.players[c]; p != nil {
		p.close()
		d.addExiting(p)
	}
	d.watch.set(c, s.contestant.ID, nil)
	s.drop(c)
}

// blamesMachine reports whether a game must be replayed because the bot exceeded only its wall time, so that the
// machine may be at fault. The argument tries is the number of earlier replays.
func blamesMachine(attempts int, kind Fault, p *botProcess) bool {
	if kind != TimeoutWall && kind != NotReading {
		return false
	}
	exec, _ := p.proc.Wait()
	most := 1
	if exec.CPU > exec.Wall/10 {
		most = maxReplays
	}
	return attempts < most
}

// isNeeded reports whether a disqualified bot must still play games before m, which is the game for which the bot
// was disqualified.
func (d *director) isNeeded(s *botState, m *match) bool {
	limit := min(d.limit, m.index)
	before := func(t *task) bool {
		return t != nil && (t.a == s || t.b == s) && t.first < limit
	}
	return s.contestant.Pure && (slices.ContainsFunc(d.tasks[d.from:], before) || s.assigned > 1)
}

// restart starts a new process for a bot. If remembers is set, the last game is replayed, so the process first
// replays the bot's games before it. Otherwise, the process starts without a memory.
func (d *director) restart(s *botState, c *refereeProc, remembers bool) error {
	p, err := startPlayer(d.ctx, d.e.Sandbox, s.contestant, d.e.Rules.Memory)
	if err != nil {
		return err
	}
	var history []*Result
	if remembers {
		history = d.history(s.contestant.ID)
	}
	s.greeting = nil
	if !s.contestant.Pure {
		s.home = c
	}
	return d.seatPlayer(s, c, p, nil, history)
}

// resumeGames lets referee c, which has lost a player, continue with the games that it skipped. It does nothing until the
// new player is seated.
func (d *director) resumeGames(c *refereeProc) error {
	if !c.lost || c.playing > 0 || d.anyArrivingAt(c) {
		return nil
	}
	c.lost = false
	c.send("go")
	again := c.skipped
	c.skipped = nil
	slices.SortStableFunc(again, byIndex)
	for _, m := range again {
		a, b := d.bots[m.key.First], d.bots[m.key.Second]
		if m.index > d.limit || !a.isSeatedAt(c) || !b.isSeatedAt(c) { // the game is void, because a bot was disqualified
			d.countFinished(m)
			continue
		}
		if err := d.playGame(m, c); err != nil {
			return err
		}
	}
	return nil
}

func (d *director) anyArrivingAt(c *refereeProc) bool {
	for _, s := range d.bots {
		if s.arriving[c] {
			return true
		}
	}
	return false
}
