package referee

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// What an arena and a referee say to each other in frames. A referee's author needs
// none of it.

// Order is a game to be played. On the wire its numbers are a part of their own, as
// they are for every game, and what was said follows as JSON if there is any.
type Order struct {
	OrderNumbers
	Said [2][]string // answers of both seats, where the game is played again
}

// OrderNumbers are what is in every order.
type OrderNumbers struct {
	No     int64
	Round  int64
	First  int64 // id of the bot that begins
	Second int64
	Live   int64 // seat of the only bot that plays again, 0 for none
	Seed   uint64
	Shared uint64 // see Game.Shared
}

// Parts returns an order as a frame has it.
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

// Outcome is what came of an Order. On the wire it has three parts: the numbers, the
// moves as they go into the log, and as JSON the rest, if there is any.
type Outcome struct {
	OutcomeNumbers
	// Moves is the beginning of a JSON object, without its bracket and up to its last
	// comma: start, moves, seats and micros, the microseconds on the clock for each move.
	Moves []byte `json:"-"`
	OutcomeRest
}

// OutcomeNumbers are what is in every outcome.
type OutcomeNumbers struct {
	Winner  int64
	Made    [2]int64 // moves of each seat
	Slowest [2]int64 // microseconds on the clock for a move of each seat, at most
	Used    [2]int64 // CPU time of each seat, in microseconds
}

// OutcomeRest is what seldom is in an outcome.
type OutcomeRest struct {
	Reason string      `json:"reason,omitempty"`
	Payoff []float64   `json:"payoff,omitempty"`
	Notes  []Note      `json:"notes,omitempty"`
	Said   [2][]string `json:"said"` // answers of each seat, where one's are not its moves
	Fault  *BotFault   `json:"fault,omitempty"`
	After  *BotFault   `json:"after,omitempty"`  // while the bots received the end
	Broken string      `json:"broken,omitempty"` // what is wrong with the referee
}

func (r *OutcomeRest) isReason() bool {
	return r.Payoff == nil && r.Notes == nil && r.Said[0] == nil && r.Said[1] == nil && r.Fault == nil && r.After == nil && r.Broken == ""
}

// Parts are an outcome as a frame has it. A bare reason is not in JSON. It stands
// after a fourth part that is empty.
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

// ReadOutcome reads an outcome of a frame's parts.
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

// Note is something that a referee tells of a game beside moves.
type Note struct {
	Seat int    `json:"seat"`
	Move int    `json:"move"` // how many moves had been made
	Kind string `json:"kind"` // "penalty", "comment" or a word of the referee's own
	Text string `json:"text"`
}

// BotFault is how a game or a greeting ends by a bot's own doing. The kind "gone" says
// that there is no more to be had of its process; why is the arena's to find out.
type BotFault struct {
	Seat  int    `json:"seat"`
	Kind  string `json:"kind"`
	Text  string `json:"text"`            // as text
	Bytes string `json:"bytes,omitempty"` // what the bot sent, quoted as in Go
}

// Greeted is what a bot is after it was greeted.
type Greeted struct {
	Title string    `json:"title,omitempty"` // what it calls itself
	Pure  bool      `json:"pure,omitempty"`
	Said  []string  `json:"said,omitempty"` // its answers, for when it is greeted again
	Fault *BotFault `json:"fault,omitempty"`
}
