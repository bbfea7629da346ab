package arena

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"unique"
)

// Result is the part of a game that determines the standings. Results.Load reads the moves from the log, because a
// tournament may have more games than fit in memory.
type Result struct {
	Round, Leg, First, Second int // as in Game

	Winner  int  // 1 for First, 2 for Second, 0 for a draw
	Faulty  bool // whether the game ended with a fault
	fault   compactFault
	after   compactFault
	Reason  string      // shared by all games with the same reason, to save memory
	Moves   [2]int32    // number of moves of each seat
	Slowest [2]int32    // longest wall time for a move of each seat, in microseconds
	Used    [2]float64  // CPU time of each seat, in milliseconds
	Payoff  *[2]float64 // nil if the game is not scored ByPayoff

	at       int64 // offset of its record in the log
	learning bool  // the bots were still processing the result; a later record is complete
}

// compactFault encodes a fault in two bytes.
type compactFault struct {
	kind byte // index in Faults, from 1; zero for none, and for a fault defined by a referee
	seat byte
}

func compactFaultOf(f *GameFault) (b compactFault) {
	if f != nil {
		b = compactFault{byte(slices.Index(Faults, f.Kind) + 1), byte(f.Seat)}
	}
	return b
}

// decode returns the id of the bot at fault and the kind of fault. The id is 0 if no bot is at fault. The kind is
// empty if Faults does not list it.
func (b compactFault) decode(r *Result) (bot int, kind Fault) {
	if b.kind > 0 {
		kind = Faults[b.kind-1]
	}
	return [...]int{0, r.First, r.Second}[b.seat], kind
}

// Result returns the part of the game that determines the standings.
func (g *Game) Result() Result {
	r := Result{
		Round: g.Round, Leg: g.Leg, First: g.First, Second: g.Second, Winner: g.Winner, Reason: unique.Make(g.Reason).Value(), Used: g.Used,
		Faulty: g.Fault != nil, fault: compactFaultOf(g.Fault), after: compactFaultOf(g.After), learning: g.Learning,
	}
	for i := range g.Moves {
		seat := g.Seat(i) - 1
		r.Moves[seat]++
		if i < len(g.Micros) {
			r.Slowest[seat] = max(r.Slowest[seat], clamp(g.Micros[i]))
		}
	}
	r.pay(g.Payoff)
	return r
}

// pay sets the payoffs of a game.
func (r *Result) pay(payoff []float64) {
	if len(payoff) == 2 {
		r.Payoff = (*[2]float64)(payoff)
	}
}

func clamp(n int64) int32 { return int32(min(n, 1<<31-1)) }

// Seat returns the seat that made a move, 1 or 2. If the log does not record it, the players alternated.
func (g *Game) Seat(move int) int {
	if move < len(g.Seats) && (g.Seats[move] == '1' || g.Seats[move] == '2') {
		return int(g.Seats[move] - '0')
	}
	return 1 + move%2
}

// Key returns the game's key.
func (r *Result) Key() Key { return Key{r.Round, r.First, r.Second, r.Leg} }

// WinnerID returns the id of the bot that won, or 0 for a draw.
func (r *Result) WinnerID() int { return [...]int{0, r.First, r.Second}[r.Winner] }

// source is where games can be loaded from: the reader again or, if again is nil, the log at path.
type source struct {
	path   string
	reader io.ReaderAt
}

func (s *source) open() (from io.ReaderAt, done func(), err error) {
	if s.reader != nil {
		return s.reader, func() {}, nil
	}
	file, err := os.Open(s.path)
	return file, func() { file.Close() }, err
}

// LoadAll loads all games with their moves.
func (r *Results) LoadAll() ([]*Game, error) {
	all := make([]*Result, len(r.Games))
	for i := range all {
		all[i] = &r.Games[i]
	}
	return r.Load(all...)
}

// Load loads games with their moves.
func (r *Results) Load(results ...*Result) (games []*Game, err error) {
	if len(results) == 0 {
		return nil, nil
	}
	file, done, err := r.log.open()
	if err != nil {
		return nil, fmt.Errorf("read games again: %w", err)
	}
	defer done()
	in := bufio.NewReader(nil)
	for _, res := range results {
		in.Reset(io.NewSectionReader(file, res.at, maxLine))
		line, err := readLine(in)
		var record Record
		if err == nil {
			err = json.Unmarshal(line, &record)
		}
		if err == nil && (record.Game == nil || record.Game.Key() != res.Key()) {
			err = fmt.Errorf("the log %s was changed meanwhile", r.log.path)
		}
		if err != nil {
			return games, fmt.Errorf("read a game of round %d again: %w", res.Round, err)
		}
		games = append(games, record.Game)
	}
	return games, nil
}
