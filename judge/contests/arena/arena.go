// Package arena runs events in which programs play against each other. It schedules the games, runs the bots'
// processes and clocks, and writes every game to a log that survives a kill at any moment. From a log it
// computes the results: see Read and Log.Replay.
//
// It knows no game. A problem directory's [game] table contains the rules as data. Its referee program
// (package kit/referee) says whose turn it is, what to send, whether an answer is valid and who has won. The
// package draws nothing, and it computes no ratings.
package arena

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"assay/judge/kit/referee"
)

// Rules are a rule set with its options filled in. Together with the bots and the seed, they determine an
// event.
type Rules struct {
	Name   string // of the rule set, such as "s1"
	Format string // of the schedule, see Formats
	Rounds int    // how often each pair meets
	Games  int    // per encounter; the bots take turns in going first

	Score Score

	Move   time.Duration // CPU time for one answer; zero means no limit
	Clock  time.Duration // CPU time of a bot for one game; zero means no limit
	Start  time.Duration // to get ready
	Wall   float64       // limit of the wall time, as a multiple of the CPU time
	Memory int64         // of a bot, in bytes

	// Costs says what a fault costs: CostGame or CostEvent. A fault that is not listed costs the game.
	Costs map[Fault]Cost

	// Options are the referee's own options, such as the numbers that a game begins with.
	Options map[string]string
}

// Score says how the table is computed from games.
type Score struct {
	By   string  `json:"by"` // ByGame, ByEncounter, BySurplus or ByPayoff
	Win  float64 `json:"win"`
	Draw float64 `json:"draw"`
	Loss float64 `json:"loss"`
}

// OpenLadder is the Format of a ladder on a server, which makes its own schedule. Its table is ordered by
// ratings.
const OpenLadder = "open-ladder"

// What is scored.
const (
	ByGame      = "game"      // each game
	ByEncounter = "encounter" // the games of an encounter together: more wins win it
	BySurplus   = "surplus"   // games won above half of an encounter's, and then encounters won
	ByPayoff    = "payoff"    // what the referee pays for each game (referee.Game.Pay)
)

// Cost is what a fault costs.
type Cost string

const (
	CostGame  Cost = "game"  // the game is lost; if the process is gone, it is restarted
	CostEvent Cost = "event" // the bot is disqualified, and games that depend on it are played again
)

// Fault is a way in which a bot can lose a game by itself.
type Fault string

const (
	Illegal     Fault = "illegal"      // an answer that the rules of the game forbid
	Malformed   Fault = "malformed"    // an answer without the required form
	Unsolicited Fault = "unsolicited"  // an answer that was not requested
	Flood       Fault = "flood"        // more output than is allowed at a time
	TimeoutCPU  Fault = "timeout-cpu"  // too much CPU time
	TimeoutWall Fault = "timeout-wall" // too much wall time, twice
	Crashed     Fault = "crashed"      // the process ended
	Closed      Fault = "closed"       // the process closed its output and did not end
	NotReading  Fault = "not-reading"  // the bot does not read its input
	OutOfMemory Fault = "memory"       // the process was killed at its memory limit
	InitFailed  Fault = "init-failed"  // the bot did not get ready
	LearnFault  Fault = "learn-fault"  // one of the above after the end of a game
)

// Bot is a contestant of an event.
type Bot struct {
	ID       int    `json:"id"`   // from 1, in the order in which bots were added to the log
	Name     string `json:"name"` // unique
	File     string `json:"file"`
	Language string `json:"language,omitempty"` // empty if contestants are files
	Hash     string `json:"hash"`               // of all files of the bot; another hash is another bot

	// What the bot reported when it got ready.
	Title string `json:"title,omitempty"` // its own name for itself
	Pure  bool   `json:"pure,omitempty"`  // its answers depend on the position only
}

// Game is one game that was played.
type Game struct {
	Run    int    `json:"run"`   // from 0, increased by each disqualification
	Round  int    `json:"round"` // from 1
	Leg    int    `json:"leg"`   // number in its encounter, from 1
	First  int    `json:"first"` // id of the bot that goes first
	Second int    `json:"second"`
	Seed   uint64 `json:"seed"`

	Start  string   `json:"start,omitempty"` // what the referee drew, such as two numbers
	Moves  []string `json:"moves,omitempty"`
	Seats  string   `json:"seats,omitempty"`  // who made each move: one digit each, 1 or 2
	Micros []int64  `json:"micros,omitempty"` // wall time of each move, in microseconds
	Winner int      `json:"winner"`           // 1 for First, 2 for Second, 0 for a draw
	Reason string   `json:"reason"`           // in one or two words: "illegal", "named-one", "max-moves"
	// Payoff is what the seats got, if the game is scored ByPayoff.
	Payoff []float64 `json:"payoff,omitempty"`

	Fault *GameFault `json:"fault,omitempty"`
	After *GameFault `json:"after,omitempty"` // a fault after the result was known
	Notes []Note     `json:"notes,omitempty"`
	Used  [2]float64 `json:"used_ms"`         // CPU time of each seat, in milliseconds
	Again string     `json:"again,omitempty"` // why it was played a second time

	// Said are the answers of each seat, if they are more than its moves and one of the bots remembers. With
	// them the game can be replayed to a bot.
	Said [][]string `json:"said,omitempty"`

	// Learning means that the game is over and its bots are still processing the result. A later record of
	// the game is complete. If there is none, the judge was stopped, and the game is played again.
	Learning bool `json:"learning,omitempty"`
}

// GameFault is a fault that ended a game.
type GameFault struct {
	Seat  int    `json:"seat"` // 1 or 2
	Kind  Fault  `json:"kind"`
	Text  string `json:"text"`            // as text
	Bytes string `json:"bytes,omitempty"` // what the bot sent, quoted as in Go
	// Stderr is the end of the bot's standard error.
	Stderr string `json:"stderr,omitempty"`
	// Place is the line of the bot's source that Stderr names, such as "bot.py:12". It is empty if Stderr
	// names none.
	Place string `json:"place,omitempty"`
}

// Note is something in a game's log that is not a move.
type Note = referee.Note

// Key identifies a game of an event.
type Key struct{ Round, First, Second, Leg int }

// Key returns the game's key.
func (g *Game) Key() Key { return Key{g.Round, g.First, g.Second, g.Leg} }

// Compare orders keys.
func (k Key) Compare(l Key) int {
	return cmp.Or(cmp.Compare(k.Round, l.Round), cmp.Compare(min(k.First, k.Second), min(l.First, l.Second)),
		cmp.Compare(max(k.First, k.Second), max(l.First, l.Second)), cmp.Compare(k.Leg, l.Leg), cmp.Compare(k.First, l.First))
}

// Disqualified means that a bot is disqualified.
type Disqualified struct {
	Run   int       `json:"run"` // the run that it ended
	Bot   int       `json:"bot"`
	Game  *Key      `json:"game,omitempty"` // nil if the bot did not get ready
	Fault GameFault `json:"fault"`
}

// Results are the current results of an event.
type Results struct {
	Game  string // the id of the problem directory
	Rules Rules
	Seed  uint64
	Bots  []Bot          // participants, by id
	Out   []Disqualified // disqualified bots, in order
	Games []Result       // valid games of bots that are not disqualified, sorted by key
	Lots  []int          // ids of all bots in the order that breaks the last ties

	log *source
}

// Bot returns the bot with an id.
func (r *Results) Bot(id int) *Bot {
	if i := slices.IndexFunc(r.Bots, func(b Bot) bool { return b.ID == id }); i >= 0 {
		return &r.Bots[i]
	}
	return nil
}

// In lists the ids of the bots that are not disqualified.
func (r *Results) In() (ids []int) {
	for _, b := range r.Bots {
		if !slices.ContainsFunc(r.Out, func(d Disqualified) bool { return d.Bot == b.ID }) {
			ids = append(ids, b.ID)
		}
	}
	return ids
}

// Encounter is a series of games of one pair. A goes first in the odd games.
type Encounter struct {
	Round int `json:"round"` // from 1
	A     int `json:"a"`     // ids of bots
	B     int `json:"b"`
	Games int `json:"games"`
	// From is how many games of the encounter come before these. It is zero in schedules, and set for parts
	// of an encounter.
	From int `json:"from,omitempty"`
}

// Keys returns the keys of the encounter's games in order.
func (e Encounter) Keys() []Key {
	keys := make([]Key, e.Games)
	for i := range keys {
		keys[i] = Key{Round: e.Round, First: e.A, Second: e.B, Leg: e.From + i + 1}
		if keys[i].Leg%2 == 0 {
			keys[i].First, keys[i].Second = e.B, e.A
		}
	}
	return keys
}

// String describes the encounter, by the ids of its bots.
func (e Encounter) String() string {
	return fmt.Sprintf("round %d: %d against %d, %d games", e.Round, e.A, e.B, e.Games)
}

// Schedule says which bots play each other. It is a pure function of its arguments, so an event that is
// resumed requests the same games.
type Schedule interface {
	// Stage returns the encounters of a stage, from 0, in order. It returns none when the event is over. The
	// results contain every game of the earlier stages. Within a stage the games of one bot are played in the
	// order of the encounters, and games of different bots at the same time.
	Stage(stage int, so *Results) []Encounter
}
