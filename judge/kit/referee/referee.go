// Package referee is a library for the referee of a game for two players. The referee implements the rules. The
// package communicates with the arena and the bots.
//
//	referee.Main(referee.Rules{Play: func(g *referee.Game) {
//		for seat := 1; ; seat = 3 - seat {
//			answer := g.Ask(seat, "move")
//			if !allowed(answer) {
//				g.Lose(seat, "illegal", "%s is not allowed", answer)
//			}
//			g.Move(seat, answer)
//		}
//	}})
//
// Like package kit, it uses only the standard library (and the frames of the kit), because it is also built
// outside this module. It does not start bots, enforce time limits or write a log. The arena does.
package referee

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"assay/judge/kit"
)

// Rules are the rules of a game for two players. The referee decides whose turn it is, which lines the bots
// receive, how an answer is judged, and who wins. The arena and this package handle processes, clocks and faults.
// If a bot does not answer, Ask does not return, and the game is over.
type Rules struct {
	// Check returns an error if the options of a tournament are not valid. It may be nil.
	Check func(e *Event) error
	// Greet communicates with a newly started bot process until the bot is ready. It is nil if bots are files or
	// need no greeting.
	Greet func(b *Bot)
	// Play plays one game. It must end the game with Win, Lose, Pay or Draw.
	Play func(g *Game)
	// Over sends the bots the result of a game, however the game ended. It may be nil.
	Over func(g *Game)
	// Look describes the positions of a finished game, before the first move and after each move. It may be nil.
	Look func(e *Event, r *Played) []Position
}

// An Event contains the settings that all games of a tournament share.
type Event struct {
	Rules   string            `json:"rules"` // name of the rule set
	Bots    int               `json:"bots"`  // number of bots
	Seed    uint64            `json:"seed"`
	MoveMS  int64             `json:"move_ms"`  // CPU time for one answer; zero means no limit
	ClockMS int64             `json:"clock_ms"` // CPU time of a bot for one game; zero means no limit
	StartMS int64             `json:"start_ms"` // time to get ready
	Options map[string]string `json:"options"`  // options of the rule set, for the referee
}

// Int returns a numeric option. It returns zero if the option is not a number, so Check should validate the option
// with IntIn.
func (e *Event) Int(name string) int64 {
	n, _ := strconv.ParseInt(e.Options[name], 10, 64)
	return n
}

// IntIn returns a numeric option. It returns an error unless the option is a number from low to high.
func (e *Event) IntIn(name string, low, high int64) (int64, error) {
	n, err := strconv.ParseInt(e.Options[name], 10, 64)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("the option %s is %q: it must be a number from %d to %d", name, e.Options[name], low, high)
	}
	return n, nil
}

// Text returns an option.
func (e *Event) Text(name string) string { return e.Options[name] }

// A Bot is a contestant.
type Bot struct {
	*Event `json:"-"`
	ID     int    `json:"id"`
	Name   string `json:"name"`
	Text   []byte `json:"-"` // content of the file, if bots are files
	Seed   uint64 `json:"seed"`

	// Greet may set these.
	Title string `json:"-"` // the name that the bot gives itself
	Pure  bool   `json:"-"` // its answers depend only on the current game
	Data  any    `json:"-"` // for use by the referee

	// Said contains the answers to the greeting, if the bot was greeted before.
	Said  []string `json:"said,omitempty"`
	asked int

	conn conn
}

// Ask sends a line during the greeting, and returns the answer.
func (b *Bot) Ask(request string) string {
	if b.asked++; b.asked <= len(b.Said) {
		return b.Said[b.asked-1]
	}
	answer := string(b.conn.ask(b.ID, []byte(request), b.StartMS*1e6, false))
	b.Said = append(b.Said, answer)
	return answer
}

// Refuse excludes a bot from play. It does not return.
func (b *Bot) Refuse(format string, args ...any) {
	panic(BotFault{Kind: "init-failed", Text: fmt.Sprintf(format, args...), Bytes: b.conn.quoted()})
}

// A Game is a game in progress.
type Game struct {
	*Event
	No     int        // number among the games of the same two bots, from 1
	Round  int        // from 1
	Seed   uint64     // seed of this game
	Rand   *rand.Rand // seeded with Seed
	Result Result     // in Over

	shared uint64
	source rand.PCG // of Rand

	seats [2]*Bot
	log   Played
	said  [2][]string
	again *again
	over  bool
	now   int // seat that was last asked

	// early is the outcome of a game while its bots still receive the end of the game. untold reports whether the
	// arena has not received this outcome yet.
	early  Outcome
	untold bool
}

// A Result is the result of a game.
type Result struct {
	Winner int    `json:"winner"` // seat; zero for a draw
	Reason string `json:"reason"` // one word, such as "illegal" or "max-moves"

	// Payoff contains the points of both seats, in games with points.
	Payoff []float64 `json:"payoff,omitempty"`
}

// A Played is a finished game.
type Played struct {
	Start  string   `json:"start,omitempty"`
	Moves  []string `json:"moves,omitempty"`
	Seats  string   `json:"seats,omitempty"` // seat of each move, as one digit per move
	Result Result   `json:"result"`

	seats   []byte
	micros  []int64
	slowest [2]int64
	made    [2]int64 // number of moves of each seat
	notes   []Note
}

// A Position is the state of a game before a move or at its end.
type Position struct {
	Count   int64    `json:"count"`             // number of allowed moves; -1 means infinitely many
	Options []string `json:"options,omitempty"` // the allowed moves, if they are few
	Exact   string   `json:"exact,omitempty"`   // "won" or "lost" for the player to move; empty if unknown
	Best    []string `json:"best,omitempty"`    // winning moves
	Text    string   `json:"text,omitempty"`    // anything else
}

// gameOver is the panic value that ends a game by its rules.
type gameOver struct{}

// Shared returns a source of random numbers that is the same in all games of a round. With it, two games in which
// the bots swap seats can have the same start.
func (g *Game) Shared() *rand.Rand { return rand.New(rand.NewPCG(g.shared, ^g.shared)) }

// Lost reports whether the process of the bot on the given seat has exited.
func (g *Game) Lost(seat int) bool {
	if g.again != nil && g.again.live != seat {
		return len(g.again.said[seat-1]) == 0
	}
	return g.seats[seat-1].conn.dead != ""
}

// Bot returns the bot on seat 1 or 2. Seat 1 begins.
func (g *Game) Bot(seat int) *Bot { return g.seats[seat-1] }

// Start records the randomly chosen start of the game.
func (g *Game) Start(text string) { g.log.Start = text }

// Tell sends a line to a bot and does not wait for an answer. The line is sent before the next request at the
// latest.
func (g *Game) Tell(seat int, line string) { g.TellBytes(seat, []byte(line)) }

// TellBytes is like Tell for a line that the caller may reuse.
func (g *Game) TellBytes(seat int, line []byte) {
	if g.again == nil || g.again.live == seat {
		g.seats[seat-1].conn.tell(line)
	}
}

// Ask sends a line and returns the bot's answer. It does not return if the bot commits a fault.
func (g *Game) Ask(seat int, request string) string {
	return string(g.AskBytes(seat, []byte(request)))
}

// AskBytes is like Ask but does not copy the answer. The answer is valid until the next Ask.
func (g *Game) AskBytes(seat int, request []byte) []byte {
	g.now = seat
	b := g.seats[seat-1]
	b.conn.moved = len(g.log.Moves)
	if g.again != nil {
		return g.askAgain(seat, request)
	}
	answer := b.conn.ask(b.ID, request, g.budget(seat), true)
	if used := b.conn.used(); g.ClockMS > 0 && used > time.Duration(g.ClockMS)*time.Millisecond && !g.over {
		b.conn.dead = "its time is over"
		panic(BotFault{
			seat, "timeout-cpu",
			fmt.Sprintf("it has used %d ms of its %d ms for the game", used.Milliseconds(), g.ClockMS),
			b.conn.quoted(),
		})
	}
	g.said[seat-1] = append(g.said[seat-1], string(answer))
	return answer
}

// budget returns the CPU time limit in nanoseconds for the next answer of the bot on a seat.
func (g *Game) budget(seat int) int64 {
	most := g.MoveMS * 1e6
	if g.ClockMS > 0 && !g.over {
		left := max(1, g.ClockMS*1e6-int64(g.seats[seat-1].conn.used()))
		if most == 0 || left < most {
			most = left
		}
	}
	return most
}

// UsedMS returns the CPU time that the bot on a seat has used in this game.
func (g *Game) UsedMS(seat int) int64 { return g.seats[seat-1].conn.used().Milliseconds() }

// Move records a move.
func (g *Game) Move(seat int, text string) {
	g.log.Moves = append(g.log.Moves, text)
	took := g.seats[seat-1].conn.took
	g.log.seats = append(g.log.seats, '0'+byte(seat))
	g.log.micros = append(g.log.micros, took)
	g.log.made[seat-1]++
	g.log.slowest[seat-1] = max(g.log.slowest[seat-1], took)
}

// Note records an incident other than a move, such as a penalty.
func (g *Game) Note(seat int, kind, format string, args ...any) {
	g.log.notes = append(g.log.notes, Note{seat, len(g.log.Moves), kind, fmt.Sprintf(format, args...)})
}

// Win ends the game with the given winner. It does not return.
func (g *Game) Win(seat int, reason string) {
	g.Result = Result{Winner: seat, Reason: reason}
	panic(gameOver{})
}

// Pay ends the game with the points of each seat. The seat with more points wins. It does not return.
func (g *Game) Pay(first, second float64, reason string) {
	g.Result = Result{Reason: reason, Payoff: []float64{first, second}}
	switch {
	case first > second:
		g.Result.Winner = 1
	case first < second:
		g.Result.Winner = 2
	}
	panic(gameOver{})
}

// Draw ends the game as a draw. It does not return.
func (g *Game) Draw(reason string) { g.Win(0, reason) }

// Lose ends the game because of a fault in a bot's answer, such as "illegal" or "malformed". It does not return.
func (g *Game) Lose(seat int, kind, format string, args ...any) {
	panic(BotFault{seat, kind, fmt.Sprintf(format, args...), g.seats[seat-1].conn.quoted()})
}

// A conn is the connection to the process of a bot, or to the function that replaces a bot in Try.
type conn struct {
	pipes
	local   func(line string) []string // answers to a line, in tests
	dead    string                     // why the process cannot be used; empty if it can
	pending []byte                     // to be sent
	unread  []byte                     // bytes read but not yet used by an answer
	buffer  []byte
	last    []byte // the last answer
	comment []Note
	moved   int   // number of moves before the last request
	took    int64 // time for the last answer in microseconds
	wall    time.Duration
	seen    time.Duration // wall time when the clock was last read
	cpuAt   time.Duration // reading of the clock when the game began
	spent   time.Duration // CPU time in this game when the clock was last read
}

// MaxOutput is the maximum number of bytes that a bot may write for one answer, including comments.
const MaxOutput = 64 << 10

func (c *conn) tell(line []byte) {
	if c.dead != "" || len(c.pending) > 16<<20 {
		return // the bot is lost or does not read its input
	}
	c.pending = append(append(c.pending, line...), '\n')
}

// quoted returns the last answer in quotation marks, for messages.
func (c *conn) quoted() string { return quote(c.last) }

func quote(b []byte) string {
	const show = 200
	if len(b) > show {
		return strconv.QuoteToASCII(string(b[:show])) + fmt.Sprintf(" and %d bytes more", len(b)-show)
	}
	return strconv.QuoteToASCII(string(b))
}

// gone panics with the fault of a bot whose process has exited.
func (c *conn) gone(text string) {
	if c.dead == "" {
		c.dead = text
	}
	panic(BotFault{Kind: "gone", Text: c.dead, Bytes: quote(c.unread)})
}

// Main is the main function of a game's referee.
func Main(r Rules) {
	if os.Getenv(kit.StreamEnv) != "1" {
		exit("this is the referee of a game: the arena starts it")
	}
	serve(&r)
}

// exit ends a referee that cannot continue, with the exit code of a faulty kit program.
func exit(text string) {
	fmt.Fprintln(os.Stderr, text)
	os.Exit(3)
}
