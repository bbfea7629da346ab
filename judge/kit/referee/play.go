package referee

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// again contains a game with known answers that is replayed for one stateful bot. The field live is the seat of
// this bot. The answers that the bot gives during the replay are ignored.
type again struct {
	live int
	said [2][]string
}

// askAgain returns the answer from the original game.
func (g *Game) askAgain(seat int, request []byte) []byte {
	if g.again.live == seat {
		b := g.seats[seat-1]
		b.conn.ask(b.ID, request, g.budget(seat), true)
	}
	said := &g.again.said[seat-1]
	if len(*said) == 0 {
		panic(BotFault{Seat: seat, Kind: "gone", Text: "it ended here before"})
	}
	answer := (*said)[0]
	*said = (*said)[1:]
	return []byte(answer)
}

// begin resets g for the game that o requests. It reuses the memory of the previous game in g.
func (g *Game) begin(e *Event, o *Order, bots [2]*Bot) {
	*g = Game{
		Event: e, No: int(o.No), Round: int(o.Round), Seed: o.Seed, shared: o.Shared, seats: bots,
		log:  Played{Moves: g.log.Moves[:0], seats: g.log.seats[:0], micros: g.log.micros[:0]},
		said: [2][]string{g.said[0][:0], g.said[1][:0]},
	}
	g.source.Seed(o.Seed, o.Seed^0x9e3779b97f4a7c15)
	g.Rand = rand.New(&g.source)
	if o.Live > 0 {
		g.again = &again{int(o.Live), o.Said}
	}
	for _, b := range bots {
		b.conn.begin()
	}
}

// play plays one game, including the calls at its end.
func (r *Rules) play(g *Game) (out Outcome) {
	out.Fault, out.Broken = g.catch(func() {
		r.Play(g)
		panic("the referee returned without a result")
	})
	if out.Fault != nil {
		g.Result = Result{Winner: 3 - out.Fault.Seat, Reason: out.Fault.Kind}
	}
	for i, b := range g.seats {
		out.Used[i] = b.conn.used().Microseconds()
	}
	g.over = true
	if r.Over != nil && out.Broken == "" {
		g.early, g.untold = out, true
		fault, broken := g.catch(func() { r.Over(g); panic(gameOver{}) })
		g.untold = false
		if out.After, out.Broken = fault, broken; fault != nil && g.seats[fault.Seat-1].conn.dead == "" {
			g.seats[fault.Seat-1].conn.dead = "it failed when it received the end of the game"
		}
	}
	g.sum(&out)
	return out
}

// sum copies the records of the game to an outcome.
func (g *Game) sum(out *Outcome) {
	g.log.Result, g.log.Seats = g.Result, string(g.log.seats)
	notes := g.log.notes
	for i, b := range g.seats {
		for _, n := range b.conn.comment {
			n.Seat, n.Move = i+1, min(n.Move, len(g.log.Moves))
			notes = append(notes, n)
		}
	}
	if !g.log.hasMade(1, g.said[0]) || !g.log.hasMade(2, g.said[1]) {
		for i, said := range g.said {
			if out.Said[i] = movesOf(&g.log, i+1); !g.log.hasMade(i+1, said) && len(said) > 0 {
				out.Said[i] = said
			}
		}
	}
	out.Winner, out.Reason, out.Payoff = int64(g.Result.Winner), g.Result.Reason, g.Result.Payoff
	out.Made, out.Slowest, out.Notes = g.log.made, g.log.slowest, notes
}

func movesOf(p *Played, seat int) []string {
	moves := []string{}
	for i, m := range p.Moves {
		if p.Seats[i] == '0'+byte(seat) {
			moves = append(moves, m)
		}
	}
	return moves
}

// hasMade reports whether the given moves are the recorded moves of a seat.
func (p *Played) hasMade(seat int, moves []string) bool {
	for i, m := range p.Moves {
		if p.Seats[i] == '0'+byte(seat) {
			if len(moves) == 0 || moves[0] != m {
				return false
			}
			moves = moves[1:]
		}
	}
	return len(moves) == 0
}

// appendMoves appends the game in the format of the log: the members of a JSON object, with a comma after each.
func (p *Played) appendMoves(b []byte) []byte {
	member := func(name string) { b = append(append(append(b, '"'), name...), `":`...) }
	if p.Start != "" {
		member("start")
		b = append(appendText(b, p.Start), ',')
	}
	if len(p.Moves) == 0 {
		return b
	}
	member("moves")
	between := byte('[')
	for _, m := range p.Moves {
		b = appendText(append(b, between), m)
		between = ','
	}
	b = append(b, "],"...)
	member("seats")
	b = append(appendText(b, p.Seats), ',')
	member("micros")
	between = '['
	for _, n := range p.micros {
		b = strconv.AppendInt(append(b, between), n, 10)
		between = ','
	}
	return append(b, "],"...)
}

// appendText appends a JSON string. The result is the same as with json.Marshal.
func appendText(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || strings.IndexByte(`"\<>&`, c) >= 0 {
			quoted, _ := json.Marshal(text) // a string cannot fail
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}

// catch runs a part of the referee that ends with a panic.
func (g *Game) catch(f func()) (fault *BotFault, broken string) {
	defer func() {
		switch r := recover().(type) {
		case gameOver:
		case BotFault:
			if r.Seat == 0 {
				r.Seat = g.now
			}
			fault = &r
		default:
			fmt.Fprintf(os.Stderr, "panic: %v\n%s", r, debug.Stack())
			broken = fmt.Sprint(r)
		}
	}()
	f()
	return nil, ""
}

func (r *Rules) greet(b *Bot) (is Greeted) {
	if r.Greet != nil {
		g := &Game{Event: b.Event}
		var broken string
		is.Fault, broken = g.catch(func() { r.Greet(b); panic(gameOver{}) })
		if broken != "" {
			is.Fault = &BotFault{Kind: "init-failed", Text: "the referee failed: " + broken}
		}
		if is.Fault != nil && len(b.conn.comment) > 0 {
			is.Fault.Text += ": " + b.conn.comment[len(b.conn.comment)-1].Text
		}
	}
	is.Title, is.Pure, is.Said = b.Title, b.Pure, b.Said
	return is
}

// look answers a request for the positions of a game.
func (r *Rules) look(e *Event, data []byte) ([]byte, error) {
	var p Played
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, err
	}
	if r.Look == nil {
		return []byte("null"), nil
	}
	return json.Marshal(r.Look(e, &p))
}

// Try plays one game between functions instead of bots, for tests of referees. Each function receives a line, and
// returns the bot's answer of zero or more lines. Try returns the game and, if a fault ended the game, the text of
// the fault.
func Try(r Rules, e Event, seed uint64, bots ...func(line string) []string) (Played, string) {
	var seats [2]*Bot
	for i := range seats {
		seats[i] = &Bot{Event: &e, ID: i + 1, Name: fmt.Sprintf("bot %d", i+1), conn: conn{local: bots[i]}}
		if is := r.greet(seats[i]); is.Fault != nil {
			return Played{Result: Result{Winner: 2 - i, Reason: is.Fault.Kind}}, is.Fault.Text
		}
	}
	g := &Game{}
	g.begin(&e, &Order{OrderNumbers: OrderNumbers{No: 1, Round: 1, First: 1, Second: 2, Seed: seed}}, seats)
	out := r.play(g)
	text := out.Broken
	if out.Fault != nil {
		text = out.Fault.Text
	}
	return g.log, text
}

// askLocal passes the pending lines to the function that replaces the bot, and returns its answer.
func (c *conn) askLocal() []byte {
	if c.local == nil {
		c.gone("its process is gone")
	}
	var said []string
	for line := range strings.Lines(string(c.pending)) {
		said = append(said, c.local(strings.TrimSuffix(line, "\n"))...)
	}
	c.pending = c.pending[:0]
	switch len(said) {
	case 0:
		c.gone("it does not answer")
	case 1:
	default:
		panic(BotFault{Kind: "unsolicited", Text: "it answered when it was not asked", Bytes: quote([]byte(said[1]))})
	}
	c.last = []byte(said[0])
	return c.last
}
