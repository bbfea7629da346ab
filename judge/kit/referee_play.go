package kit

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

// again plays a game again whose answers are known, so that one bot that remembers
// gets to know it: live is its seat. What it answers is not looked at.
type again struct {
	live int
	said [2][]string
}

// askAgain returns the answer that was given when the game was played.
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

// play plays one game, to its last word.
func (r *Rules) play(e *Event, o *Order, bots [2]*Bot) (out Outcome) {
	g := &Game{
		Event: e, No: o.No, Round: o.Round, Seed: o.Seed, shared: o.Shared, seats: bots,
		Rand: rand.New(rand.NewPCG(o.Seed, o.Seed^0x9e3779b97f4a7c15)),
	}
	if o.Live > 0 {
		g.again = &again{o.Live, o.Said}
	}
	for _, b := range bots {
		b.conn.begin()
	}
	out.Fault, out.Broken = g.catch(func() {
		r.Play(g)
		panic("the referee returned without a result")
	})
	if out.Fault != nil {
		g.Result = Result{Winner: 3 - out.Fault.Seat, Reason: out.Fault.Kind}
	}
	for i, b := range bots {
		out.Used[i] = float64(b.conn.used().Microseconds()) / 1000
	}
	g.over = true
	if r.Over != nil && out.Broken == "" {
		fault, broken := g.catch(func() { r.Over(g); panic(gameOver{}) })
		if out.After, out.Broken = fault, broken; fault != nil && bots[fault.Seat-1].conn.dead == "" {
			bots[fault.Seat-1].conn.dead = "it failed when it was told of the end"
		}
	}
	g.log.Result, g.log.Seats = g.Result, string(g.log.seats)
	for i, b := range bots {
		for _, n := range b.conn.comment {
			n.Seat, n.Move = i+1, min(n.Move, len(g.log.Moves))
			g.log.notes = append(g.log.notes, n)
		}
		if !slices.Equal(g.said[i], movesOf(&g.log, i+1)) {
			out.Said[i] = g.said[i]
		}
	}
	out.Played, out.Micros, out.Notes = g.log, g.log.micros, g.log.notes
	return out
}

func movesOf(p *Played, seat int) (moves []string) {
	for i, m := range p.Moves {
		if p.Seats[i] == '0'+byte(seat) {
			moves = append(moves, m)
		}
	}
	return moves
}

// catch runs a part of the referee, which ends by a panic.
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

// look answers a question for insight.
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

// Try plays one game between functions that get a line and return what a bot would
// answer to it: none, one or several lines. It is for tests of referees.
func Try(r Rules, e Event, seed uint64, bots ...func(line string) []string) (Played, string) {
	var seats [2]*Bot
	for i := range seats {
		seats[i] = &Bot{Event: &e, ID: i + 1, Name: fmt.Sprintf("bot %d", i+1), conn: conn{local: bots[i]}}
		if is := r.greet(seats[i]); is.Fault != nil {
			return Played{Result: Result{Winner: 2 - i, Reason: is.Fault.Kind}}, is.Fault.Text
		}
	}
	out := r.play(&e, &Order{No: 1, Round: 1, First: 1, Second: 2, Seed: seed}, seats)
	text := out.Broken
	if out.Fault != nil {
		text = out.Fault.Text
	}
	return out.Played, text
}

// askLocal gives the lines that are pending to a function that plays a bot.
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
