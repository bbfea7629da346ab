// Package arena runs tournaments in which programs play against each other. It schedules the games, runs the bots'
// processes and clocks, and writes every game to a log that survives a kill at any moment. From a log it computes
// the results: see Read and Log.Replay.
//
// It does not know any game. A problem directory's [game] table contains the rules as data. Its referee program
// (package kit/referee) decides whose turn it is, what to send, whether an answer is valid, and who has won. The
// package renders nothing, and computes no ratings.
package arena

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"assay/judge/kit/referee"
)

// Rules are a rule set with its options filled in. Together with the bots and the seed, they determine a
// tournament.
type Rules struct {
	Name   string // name of the rule set, such as "s1"
	Format string // name of the schedule; see Formats
	Rounds int    // number of encounters of each pair
	Games  int    // number of games per encounter; the bots alternate in going first

	Score Score

	Move   time.Duration // CPU time limit for one answer; zero means no limit
	Clock  time.Duration // CPU time limit of a bot for one game; zero means no limit
	Start  time.Duration // time limit for getting ready
	Wall   float64       // wall time limit, as a multiple of the CPU time limit
	Memory int64         // memory limit of a bot, in bytes

	// Costs maps faults to their costs, CostGame or CostTournament. A fault that is not listed costs the game.
	Costs map[Fault]Cost

	// Options contains the referee's own options, such as the numbers with which a game begins.
	Options map[string]string
}

// Score determines how the table is computed from games.
type Score struct {
	Criterion string  `json:"by"` // one of ByGame, ByEncounter, BySurplus and ByPayoff
	Win       float64 `json:"win"`
	Draw      float64 `json:"draw"`
	Loss      float64 `json:"loss"`
}

// OpenLadder is the Format of a ladder on a server, which makes its own schedule. The table of a ladder is ordered
// by rating.
const OpenLadder = "open-ladder"

// What is scored.
const (
	ByGame      = "game"      // each game
	ByEncounter = "encounter" // the bot with more wins in an encounter wins the encounter
	BySurplus   = "surplus"   // games won beyond half of an encounter's games, then encounters won
	ByPayoff    = "payoff"    // the payoffs that the referee gives for each game (referee.Game.Pay)
)

// Cost is the penalty for a fault.
type Cost string

const (
	CostGame       Cost = "game"  // the bot loses the game; if its process has exited, it is restarted
	CostTournament Cost = "event" // the bot is disqualified, and games that depend on it are replayed
)

// Fault is a way in which a bot can lose a game by its own mistake.
type Fault string

const (
	Illegal     Fault = "illegal"      // the answer is forbidden by the rules of the game
	Malformed   Fault = "malformed"    // the answer does not have the required form
	Unsolicited Fault = "unsolicited"  // the answer was not requested
	Flood       Fault = "flood"        // the bot wrote more output than is allowed at a time
	TimeoutCPU  Fault = "timeout-cpu"  // the bot used too much CPU time
	TimeoutWall Fault = "timeout-wall" // the bot used too much wall time, twice
	Crashed     Fault = "crashed"      // the process exited
	Closed      Fault = "closed"       // the process closed its output but did not exit
	NotReading  Fault = "not-reading"  // the bot does not read its input
	OutOfMemory Fault = "memory"       // the process was killed at its memory limit
	InitFailed  Fault = "init-failed"  // the bot did not become ready
	LearnFault  Fault = "learn-fault"  // one of the other faults, after the end of a game
)

// Bot is a participant in a tournament.
type Bot struct {
	ID       int    `json:"id"`   // from 1, in the order in which bots were added to the log
	Name     string `json:"name"` // unique
	File     string `json:"file"`
	Language string `json:"language,omitempty"` // empty if contestants are files
	Hash     string `json:"hash"`               // hash of all files of the bot; a bot with another hash is another bot

	// What the bot reported when it became ready.
	Title string `json:"title,omitempty"` // name that the bot gives itself
	Pure  bool   `json:"pure,omitempty"`  // answers depend only on the position
}

// Game is one game that was played.
type Game struct {
	Run    int    `json:"run"`   // from 0, incremented by each disqualification
	Round  int    `json:"round"` // from 1
	Leg    int    `json:"leg"`   // number in the encounter, from 1
	First  int    `json:"first"` // id of the bot that goes first
	Second int    `json:"second"`
	Seed   uint64 `json:"seed"`

	Start  string   `json:"start,omitempty"` // what the referee drew at random, such as two numbers
	Moves  []string `json:"moves,omitempty"`
	Seats  string   `json:"seats,omitempty"`  // the seat that made each move, as one digit each: 1 or 2
	Micros []int64  `json:"micros,omitempty"` // wall time of each move, in microseconds
	Winner int      `json:"winner"`           // 1 for First, 2 for Second, 0 for a draw
	Reason string   `json:"reason"`           // one or two words, such as "illegal", "named-one", "max-moves"
	// Payoff is the payoff of each seat, if the game is scored ByPayoff.
	Payoff []float64 `json:"payoff,omitempty"`

	Fault        *GameFault `json:"fault,omitempty"`
	After        *GameFault `json:"after,omitempty"` // fault that occurred after the result was known
	Notes        []Note     `json:"notes,omitempty"`
	Used         [2]float64 `json:"used_ms"`         // CPU time of each seat, in milliseconds
	ReplayReason string     `json:"again,omitempty"` // why it was played again

	// Answers contains each seat's answers. It is set only if the answers contain more than the seat's moves and at
	// least one of the bots remembers earlier games. Such a bot needs Said when the game is replayed to it.
	Answers [][]string `json:"said,omitempty"`

	// Learning means that the game is over, but its bots are still processing the result. A later record of the
	// game is complete. If there is none, the judge was stopped, and the game is replayed.
	Learning bool `json:"learning,omitempty"`
}

// GameFault is a fault that ended a game.
type GameFault struct {
	Seat  int    `json:"seat"` // 1 or 2
	Kind  Fault  `json:"kind"`
	Text  string `json:"text"`            // as text
	Bytes string `json:"bytes,omitempty"` // output of the bot, quoted as in Go
	// Stderr is the end of the bot's output to standard error.
	Stderr string `json:"stderr,omitempty"`
	// Place is the line of the bot's source that Stderr names, such as "bot.py:12". It is empty if Stderr names no
	// line.
	Place string `json:"place,omitempty"`
}

// Note is an entry in a game's log that is not a move.
type Note = referee.Note

// Key identifies a game of a tournament.
type Key struct{ Round, First, Second, Leg int }

// Key returns the game's key.
func (g *Game) Key() Key { return Key{g.Round, g.First, g.Second, g.Leg} }

// Compare orders keys.
func (k Key) Compare(l Key) int {
	return cmp.Or(cmp.Compare(k.Round, l.Round), cmp.Compare(min(k.First, k.Second), min(l.First, l.Second)),
		cmp.Compare(max(k.First, k.Second), max(l.First, l.Second)), cmp.Compare(k.Leg, l.Leg), cmp.Compare(k.First, l.First))
}

// Disqualified is the disqualification of a bot.
type Disqualified struct {
	Run   int       `json:"run"` // number of the run that it ended
	Bot   int       `json:"bot"`
	Game  *Key      `json:"game,omitempty"` // nil if the bot did not become ready
	Fault GameFault `json:"fault"`
}

// Results are the current results of a tournament.
type Results struct {
	Game         string // id of the problem directory
	Rules        Rules
	Seed         uint64
	Bots         []Bot          // participants, by id
	Disqualified []Disqualified // disqualifications, in order
	Games        []Result       // valid games of bots that are not disqualified, sorted by key
	Lots         []int          // ids of all bots, in the random order that breaks remaining ties

	log *source
}

// Bot returns the bot with the given id, or nil if there is none.
func (r *Results) Bot(id int) *Bot {
	if i := slices.IndexFunc(r.Bots, func(b Bot) bool { return b.ID == id }); i >= 0 {
		return &r.Bots[i]
	}
	return nil
}

// ActiveBots returns the ids of the bots that are not disqualified.
func (r *Results) ActiveBots() (ids []int) {
	for _, b := range r.Bots {
		if !slices.ContainsFunc(r.Disqualified, func(d Disqualified) bool { return d.Bot == b.ID }) {
			ids = append(ids, b.ID)
		}
	}
	return ids
}

// Encounter is a series of games between two bots. A goes first in odd games.
type Encounter struct {
	Round int `json:"round"` // from 1
	A     int `json:"a"`     // ids of bots
	B     int `json:"b"`
	Games int `json:"games"`
	// Offset is the number of games of the encounter that come before this part. It is set only for parts of an
	// encounter, and is zero in schedules.
	Offset int `json:"from,omitempty"`
}

// Keys returns the keys of the encounter's games in order.
func (e Encounter) Keys() []Key {
	keys := make([]Key, e.Games)
	for i := range keys {
		keys[i] = Key{Round: e.Round, First: e.A, Second: e.B, Leg: e.Offset + i + 1}
		if keys[i].Leg%2 == 0 {
			keys[i].First, keys[i].Second = e.B, e.A
		}
	}
	return keys
}

// String describes the encounter, with the ids of its bots.
func (e Encounter) String() string {
	return fmt.Sprintf("round %d: %d against %d, %d games", e.Round, e.A, e.B, e.Games)
}

// Schedule determines which bots play each other. It is a pure function of its arguments, so that a resumed
// tournament requests the same games.
type Schedule interface {
	// Stage returns the encounters of a stage in order. Stages are numbered from 0. When the tournament is over,
	// it returns no encounters. The parameter so contains every game of the earlier stages. Within a stage, the
	// games of one bot are played in the order of the encounters. Games of different bots may be played
	// concurrently.
	Stage(stage int, so *Results) []Encounter
}
