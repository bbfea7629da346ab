package referee

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// This file defines the messages between the arena and a referee. Referee authors do not need it.

// An Order requests a game. On the wire, the first part of its frame contains the numbers. If the game is
// replayed, the second part contains the answers as JSON.
type Order struct {
	OrderNumbers
	Said [2][]string // answers of both seats, if the game is replayed
}

// OrderNumbers contains the numbers of an Order.
type OrderNumbers struct {
	No     int64
	Round  int64
	First  int64 // id of the bot that begins
	Second int64
	Live   int64 // seat of the bot for which the game is replayed; zero for a new game
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

// An Outcome is the result of an Order. On the wire, it has three parts: the numbers, the moves in the format of
// the log, and the rest as JSON.
type Outcome struct {
	OutcomeNumbers
	// Moves is the beginning of a JSON object, without the opening brace and up to the last comma. Its members are
	// start, moves, seats and micros (the microseconds on the clock for each move).
	Moves []byte `json:"-"`
	OutcomeRest
}

// OutcomeNumbers contains the numbers of an outcome.
type OutcomeNumbers struct {
	Winner  int64
	Made    [2]int64 // number of moves by each seat
	Slowest [2]int64 // each seat's longest clock time for one move, in microseconds
	Used    [2]int64 // each seat's CPU time, in microseconds
}

// An OutcomeRest contains the parts that few outcomes have.
type OutcomeRest struct {
	Reason string      `json:"reason,omitempty"`
	Payoff []float64   `json:"payoff,omitempty"`
	Notes  []Note      `json:"notes,omitempty"`
	Said   [2][]string `json:"said"` // each seat's replies, if they differ from its moves
	Fault  *BotFault   `json:"fault,omitempty"`
	After  *BotFault   `json:"after,omitempty"`  // a fault while the bots were notified of the end
	Broken string      `json:"broken,omitempty"` // error in the referee
}

func (r *OutcomeRest) isReason() bool {
	return r.Payoff == nil && r.Notes == nil && r.Said[0] == nil && r.Said[1] == nil && r.Fault == nil && r.After == nil && r.Broken == ""
}

// parts returns the parts of a frame with the outcome. If the OutcomeRest contains only a reason, the reason is
// written as plain text instead of JSON. It is then the fourth part, and the third part is empty.
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

// ReadOutcome parses the parts of a frame as an outcome.
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

// A Note is the referee's record about a game, in addition to the moves.
type Note struct {
	Seat int    `json:"seat"`
	Move int    `json:"move"` // number of moves before the note
	Kind string `json:"kind"` // "penalty", "comment", or a word defined by the referee
	Text string `json:"text"`
}

// A BotFault is a fault by which a bot ends a game or a greeting. The kind "gone" means that the bot's process has
// exited. The arena determines the cause.
type BotFault struct {
	Seat  int    `json:"seat"`
	Kind  string `json:"kind"`
	Text  string `json:"text"`            // as text
	Bytes string `json:"bytes,omitempty"` // the bot's output that caused the fault, quoted as in Go
}

// A Greeted is the state of a bot after its greeting.
type Greeted struct {
	Title string    `json:"title,omitempty"` // name that the bot reported for itself
	Pure  bool      `json:"pure,omitempty"`
	Said  []string  `json:"said,omitempty"` // the bot's replies, for the next greeting
	Fault *BotFault `json:"fault,omitempty"`
}
