package kit

// What an arena and a referee say to each other in frames, as JSON. A referee's author
// needs none of it.

// Order is a game to be played.
type Order struct {
	No     int         `json:"no"`
	Round  int         `json:"round"`
	First  int         `json:"first"` // id of the bot that begins
	Second int         `json:"second"`
	Seed   uint64      `json:"seed"`
	Shared uint64      `json:"shared"`         // see Game.Shared
	Live   int         `json:"live,omitempty"` // seat of the only bot that plays again
	Said   [2][]string `json:"said"`           // answers of both seats, where the game is played again
}

// Outcome is what came of an Order.
type Outcome struct {
	Played
	Micros []int64     `json:"micros,omitempty"` // time on the clock for each move
	Notes  []Note      `json:"notes,omitempty"`
	Said   [2][]string `json:"said"` // answers of each seat, where they are not the moves
	Fault  *BotFault   `json:"fault,omitempty"`
	After  *BotFault   `json:"after,omitempty"`  // while the bots were told of the end
	Used   [2]float64  `json:"used_ms"`          // CPU time of each seat
	Broken string      `json:"broken,omitempty"` // what is wrong with the referee
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
	Text  string `json:"text"`            // in words
	Bytes string `json:"bytes,omitempty"` // what the bot sent, quoted as in Go
}

// Greeted is what a bot is after it was greeted.
type Greeted struct {
	Title string    `json:"title,omitempty"` // what it calls itself
	Pure  bool      `json:"pure,omitempty"`
	Said  []string  `json:"said,omitempty"` // its answers, for when it is greeted again
	Fault *BotFault `json:"fault,omitempty"`
}
