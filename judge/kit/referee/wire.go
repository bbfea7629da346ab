package referee

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// This file has the messages between the arena and a referee. Authors of referees do not need it.

// An Order is a game to play. On the wire, its numbers are the first part of a frame. The answers follow as JSON, if there
// are any.
type Order struct {
	OrderNumbers
	Said [2][]string // answers of both seats, if the game is replayed
}

// OrderNumbers are the numbers in every order.
type OrderNumbers struct {
	No     int64
	Round  int64
	First  int64 // id of the bot that begins
	Second int64
	Live   int64 // in a replay, the seat of the bot that replays the game; otherwise zero
	Seed   uint64
	Shared uint64 // see Game.Shared
}

// Parts returns the parts of a frame with the order.
func (o *Order) Parts() (parts [][]byte, err error) {
	numbers, err := binary.Append(nil, binary.LittleEndian, &o.OrderNumbers)
	if err != nil || o.Live == 0 {
		return [][]byte{numbers}, err
	}
	said, err := json.Marshal(o.Said)
	return [][]byte{numbers, said}, err
}

func readOrder(parts [][]byte) (o Order, err error) {
	if _, err := binary.Decode(parts[0], binary.LittleEndian, &o.OrderNumbers); err != nil || len(parts) < 2 {
		return o, err
	}
	return o, json.Unmarshal(parts[1], &o.Said)
}

// An Outcome is the result of an Order. On the wire, it has three parts: the numbers, the moves in the form of the log, and
// the rest as JSON, if there is any.
type Outcome struct {
	OutcomeNumbers
	// Moves is the beginning of a JSON object, without its bracket and up to its last
	// comma: start, moves, seats and micros, the microseconds on the clock for each move.
	Moves []byte `json:"-"`
	OutcomeRest
}

// OutcomeNumbers are the numbers in every outcome.
type OutcomeNumbers struct {
	Winner  int64
	Made    [2]int64 // moves of each seat
	Slowest [2]int64 // microseconds on the clock for a move of each seat, at most
	Used    [2]int64 // CPU time of each seat, in microseconds
}

// An OutcomeRest has the rare parts of an outcome.
type OutcomeRest struct {
	Reason string      `json:"reason,omitempty"`
	Payoff []float64   `json:"payoff,omitempty"`
	Notes  []Note      `json:"notes,omitempty"`
	Said   [2][]string `json:"said"` // answers of each seat, if those of a seat are not its moves
	Fault  *BotFault   `json:"fault,omitempty"`
	After  *BotFault   `json:"after,omitempty"`  // while the bots received the end
	Broken string      `json:"broken,omitempty"` // what is wrong with the referee
}

func (r *OutcomeRest) isReason() bool {
	return r.Payoff == nil && r.Notes == nil && r.Said[0] == nil && r.Said[1] == nil && r.Fault == nil && r.After == nil && r.Broken == ""
}

// parts returns the parts of a frame with the outcome. If the rest is only a reason, it is not written as JSON, but after
// an empty fourth part.
func (o *Outcome) parts(numbers []byte) ([][]byte, error) {
	numbers, err := binary.Append(numbers[:0], binary.LittleEndian, &o.OutcomeNumbers)
	if err != nil {
		return nil, err
	}
	if o.isReason() {
		return [][]byte{numbers, o.Moves, nil, []byte(o.Reason)}, nil
	}
	rest, err := json.Marshal(&o.OutcomeRest)
	return [][]byte{numbers, o.Moves, rest}, err
}

// ReadOutcome parses the parts of a frame.
func ReadOutcome(parts [][]byte) (o Outcome, err error) {
	if len(parts) != 3 && len(parts) != 4 {
		return o, fmt.Errorf("an outcome of %d parts", len(parts))
	}
	if _, err := binary.Decode(parts[0], binary.LittleEndian, &o.OutcomeNumbers); err != nil {
		return o, err
	}
	if o.Moves = parts[1]; len(parts) == 4 {
		o.Reason = string(parts[3])
		return o, nil
	}
	return o, json.Unmarshal(parts[2], &o.OutcomeRest)
}

// A Note is a record of a referee about a game, in addition to the moves.
type Note struct {
	Seat int    `json:"seat"`
	Move int    `json:"move"` // number of moves before it
	Kind string `json:"kind"` // "penalty", "comment" or a word of the referee's own
	Text string `json:"text"`
}

// A BotFault is a fault by which a bot ends a game or a greeting. The kind "gone" means that its process has ended; the
// arena finds out why.
type BotFault struct {
	Seat  int    `json:"seat"`
	Kind  string `json:"kind"`
	Text  string `json:"text"`            // as text
	Bytes string `json:"bytes,omitempty"` // what the bot sent, quoted as in Go
}

// A Greeted is the state of a bot after its greeting.
type Greeted struct {
	Title string    `json:"title,omitempty"` // the name that the bot gives itself
	Pure  bool      `json:"pure,omitempty"`
	Said  []string  `json:"said,omitempty"` // its answers, for the next greeting
	Fault *BotFault `json:"fault,omitempty"`
}
