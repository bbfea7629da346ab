// Package arena runs events in which programs meet each other: it says who plays
// whom, keeps the bots' processes and clocks, and writes every game into a log
// that stands a kill at any moment. From a log it knows what counts: Read and
// Log.Replay.
//
// It knows no game: a problem folder's [game] table has the rules as data, and its
// referee program (package kit/referee) says whose turn it is, what to send, how an answer
// is judged and who has won. It draws nothing, and ratings are not its business.
package arena

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"assay/judge/kit/referee"
)

// Rules are a rule set with its options filled in: all that decides how an event
// goes, but for the bots and the seed.
type Rules struct {
	Name   string // of the rule set, such as "s1"
	Format string // of the schedule, see Formats
	Rounds int    // how often each pair meets
	Games  int    // of one encounter; who begins alternates

	Score Score

	Move   time.Duration // CPU time for one answer; 0 for no limit
	Clock  time.Duration // CPU time of a bot for one game; 0 for no limit
	Start  time.Duration // to get ready
	Wall   float64       // the time on the clock is limited to this multiple of the CPU time
	Memory int64         // of a bot, in bytes

	// Costs says what a fault costs: CostGame or CostEvent. A fault that is not
	// listed costs the game.
	Costs map[Fault]Cost

	// Options are the referee's own, such as the numbers that a game begins with.
	Options map[string]string
}

// Score says how games are made into a table.
type Score struct {
	By   string  `json:"by"` // ByGame, ByEncounter or BySurplus
	Win  float64 `json:"win"`
	Draw float64 `json:"draw"`
	Loss float64 `json:"loss"`
}

// OpenLadder is the Format of a ladder on a server, which makes its own schedule. Its table is ordered
// by the ratings.
const OpenLadder = "open-ladder"

// What is scored.
const (
	ByGame      = "game"      // each game
	ByEncounter = "encounter" // the games of an encounter together: more wins win it
	BySurplus   = "surplus"   // games won above half of an encounter's, and encounters won
	ByPayoff    = "payoff"    // what the referee pays for each game (referee.Game.Pay)
)

// Cost is what a fault costs.
type Cost string

const (
	CostGame  Cost = "game"  // the game is lost; the process is started anew if it is gone
	CostEvent Cost = "event" // the bot is disqualified, and everything is played again without it
)

// Fault is a way for a bot to lose a game by itself.
type Fault string

const (
	Illegal     Fault = "illegal"      // an answer that the rules of the game forbid
	Malformed   Fault = "malformed"    // no answer at all, by its form
	Unsolicited Fault = "unsolicited"  // an answer that nobody asked for
	Flood       Fault = "flood"        // more than may be said at a time
	TimeoutCPU  Fault = "timeout-cpu"  // too much processor time
	TimeoutWall Fault = "timeout-wall" // too much time on the clock, twice
	Crashed     Fault = "crashed"      // the process ended
	Closed      Fault = "closed"       // it closed its output and lives on
	NotReading  Fault = "not-reading"  // it does not read what it is told
	OutOfMemory Fault = "memory"       // it was killed at its memory limit
	InitFailed  Fault = "init-failed"  // it did not get ready
	LearnFault  Fault = "learn-fault"  // something of the above while it learns
)

// Bot is a contestant of an event.
type Bot struct {
	ID       int    `json:"id"`   // from 1, in the order in which bots came to the log
	Name     string `json:"name"` // distinct
	File     string `json:"file"`
	Language string `json:"language,omitempty"` // "" where contestants are files and no programs
	Hash     string `json:"hash"`               // of all that it is made of; another hash is another bot

	// What it said when it got ready.
	Title string `json:"title,omitempty"` // what it calls itself
	Pure  bool   `json:"pure,omitempty"`  // its answers depend on nothing but the position
}

// Game is one game that was played.
type Game struct {
	Run    int    `json:"run"`   // 0, and one more after each disqualification
	Round  int    `json:"round"` // from 1
	Leg    int    `json:"leg"`   // number in its encounter, from 1
	First  int    `json:"first"` // id of the bot that begins
	Second int    `json:"second"`
	Seed   uint64 `json:"seed"`

	Start  string   `json:"start,omitempty"` // what the referee drew, such as two numbers
	Moves  []string `json:"moves,omitempty"`
	Seats  string   `json:"seats,omitempty"`  // who made each move: a digit each, 1 or 2
	Micros []int64  `json:"micros,omitempty"` // time on the clock for each move, in microseconds
	Winner int      `json:"winner"`           // 1 for First, 2 for Second, 0 for a draw
	Reason string   `json:"reason"`           // in a word or two: "illegal", "named-one", "max-moves"
	// Payoff is what the seats got, where the game is scored ByPayoff.
	Payoff []float64 `json:"payoff,omitempty"`

	Fault *GameFault `json:"fault,omitempty"`
	After *GameFault `json:"after,omitempty"` // a fault when the result stood: while it learned
	Notes []Note     `json:"notes,omitempty"`
	Used  [2]float64 `json:"used_ms"`         // CPU time of each seat, in milliseconds
	Again string     `json:"again,omitempty"` // why it was played a second time

	// Said are the answers of each seat, where they are more than its moves and one
	// of the bots remembers: with them the game can be played to a bot again.
	Said [][]string `json:"said,omitempty"`

	// Learning says that the game was over and its bots were still being told so, for
	// which they may take their time. A later record of the game has all of it; where
	// there is none, the judge was stopped and plays the game again.
	Learning bool `json:"learning,omitempty"`
}

// GameFault is a fault that ended a game.
type GameFault struct {
	Seat  int    `json:"seat"` // 1 or 2
	Kind  Fault  `json:"kind"`
	Text  string `json:"text"`            // in words
	Bytes string `json:"bytes,omitempty"` // what the bot sent, quoted as in Go
	// Stderr is the end of what the bot wrote there.
	Stderr string `json:"stderr,omitempty"`
	// Place is the line of the bot's source that Stderr names, such as "bot.py:12". It is empty if
	// Stderr names none.
	Place string `json:"place,omitempty"`
}

// Note is something that a game's log tells beside moves.
type Note = referee.Note

// Key tells a game from all others of an event.
type Key struct{ Round, First, Second, Leg int }

// Key returns the game's key.
func (g *Game) Key() Key { return Key{g.Round, g.First, g.Second, g.Leg} }

// Compare orders keys.
func (k Key) Compare(l Key) int {
	return cmp.Or(cmp.Compare(k.Round, l.Round), cmp.Compare(min(k.First, k.Second), min(l.First, l.Second)),
		cmp.Compare(max(k.First, k.Second), max(l.First, l.Second)), cmp.Compare(k.Leg, l.Leg), cmp.Compare(k.First, l.First))
}

// Disqualified says that a bot is out.
type Disqualified struct {
	Run   int       `json:"run"` // the run that it ended
	Bot   int       `json:"bot"`
	Game  *Key      `json:"game,omitempty"` // nil where it did not get ready
	Fault GameFault `json:"fault"`
}

// Results are what counts of an event so far.
type Results struct {
	Game  string // the id of the problem folder
	Rules Rules
	Seed  uint64
	Bots  []Bot          // that take part, by id
	Out   []Disqualified // bots that are out, in the order in which they left
	Games []Result       // that count: of bots that are in, sorted by key
	Lots  []int          // ids of all bots in the order of the lots that break the last ties

	log *source
}

// Bot returns the bot with an id.
func (r *Results) Bot(id int) *Bot {
	if i := slices.IndexFunc(r.Bots, func(b Bot) bool { return b.ID == id }); i >= 0 {
		return &r.Bots[i]
	}
	return nil
}

// In lists the ids of the bots that are not out.
func (r *Results) In() (ids []int) {
	for _, b := range r.Bots {
		if !slices.ContainsFunc(r.Out, func(d Disqualified) bool { return d.Bot == b.ID }) {
			ids = append(ids, b.ID)
		}
	}
	return ids
}

// Encounter is a series of games of one pair. Who is A begins the odd games.
type Encounter struct {
	Round int `json:"round"` // from 1
	A     int `json:"a"`     // ids of bots
	B     int `json:"b"`
	Games int `json:"games"`
	// From is how many games of the encounter are before these. No schedule says so: it is
	// for a player of a part of one.
	From int `json:"from,omitempty"`
}

// Keys returns the keys of the encounter's games in their order.
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

// Schedule says who plays whom. It is a pure function of what it is given: an event
// that is resumed asks the same again.
type Schedule interface {
	// Stage returns the encounters of a stage, counted from 0, in their order; none
	// when the event is over. The results hold every game of the earlier stages.
	// Within a stage the games of one bot are played in the order of the encounters,
	// and those of different bots at one time.
	Stage(stage int, so *Results) []Encounter
}
