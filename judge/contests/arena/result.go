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

// Result is what counts of a game. How it was played stands in the log, from where
// Results.Load reads it: an event may have more games than there is memory for.
type Result struct {
	Round, Leg, First, Second int // as in Game

	Winner  int  // 1 for First, 2 for Second, 0 for a draw
	Faulty  bool // it ended by a fault
	fault   blame
	after   blame
	Reason  string      // one for all games that have the same
	Moves   [2]int32    // of each seat
	Slowest [2]int32    // time on the clock for a move of each seat, at most, in microseconds
	Used    [2]float64  // CPU time of each seat, in milliseconds
	Payoff  *[2]float64 // nil where the game is not scored ByPayoff

	at       int64 // where its record stands in the log
	learning bool  // the bots had not been told of its end; a later record has all of it
}

// blame is a fault in two bytes.
type blame struct {
	kind byte // its number in Faults, from 1; 0 for one of the referee's own, and for none
	seat byte
}

func blameOf(f *GameFault) (b blame) {
	if f != nil {
		b = blame{byte(slices.Index(Faults, f.Kind) + 1), byte(f.Seat)}
	}
	return b
}

// of says whose fault it was, of which kind; "" for one that is not in Faults.
func (b blame) of(r *Result) (bot int, kind Fault) {
	if b.kind > 0 {
		kind = Faults[b.kind-1]
	}
	return [...]int{0, r.First, r.Second}[b.seat], kind
}

// Result is what counts of the game.
func (g *Game) Result() Result {
	r := Result{
		Round: g.Round, Leg: g.Leg, First: g.First, Second: g.Second, Winner: g.Winner, Reason: unique.Make(g.Reason).Value(), Used: g.Used,
		Faulty: g.Fault != nil, fault: blameOf(g.Fault), after: blameOf(g.After), learning: g.Learning,
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

// pay takes the payoffs of a game.
func (r *Result) pay(payoff []float64) {
	if len(payoff) == 2 {
		r.Payoff = (*[2]float64)(payoff)
	}
}

func clamp(n int64) int32 { return int32(min(n, 1<<31-1)) }

// Seat is who made a move, 1 or 2; by turns, where the log does not say it.
func (g *Game) Seat(move int) int {
	if move < len(g.Seats) && (g.Seats[move] == '1' || g.Seats[move] == '2') {
		return int(g.Seats[move] - '0')
	}
	return 1 + move%2
}

// Key returns the game's key.
func (r *Result) Key() Key { return Key{r.Round, r.First, r.Second, r.Leg} }

// WinnerID is the id of the bot that won, 0 for a draw.
func (r *Result) WinnerID() int { return [...]int{0, r.First, r.Second}[r.Winner] }

// source is where games can be read again: a log, by its path, or what has none.
type source struct {
	path  string
	again io.ReaderAt
}

func (s *source) open() (from io.ReaderAt, done func(), err error) {
	if s.again != nil {
		return s.again, func() {}, nil
	}
	file, err := os.Open(s.path)
	return file, func() { file.Close() }, err
}

// LoadAll reads all games again, as they were played.
func (r *Results) LoadAll() ([]*Game, error) {
	all := make([]*Result, len(r.Games))
	for i := range all {
		all[i] = &r.Games[i]
	}
	return r.Load(all...)
}

// Load reads games again, as they were played.
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
