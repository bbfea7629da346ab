package judge

import "encoding/json"

// What happens when programs meet in an event of games. What a game and standings are is
// not known here: they are JSON, as package arena writes games and package standings
// standings.

// ArenaStarted opens an event of games.
type ArenaStarted struct {
	Format int      `json:"format"` // EventFormat
	Game   string   `json:"game"`   // the id of the problem folder
	Title  string   `json:"title,omitempty"`
	Rules  string   `json:"rules"`
	Bots   []string `json:"bots"`
}

// ArenaProgressed says how far an event has come. It is for live displays only, and is
// not saved.
type ArenaProgressed struct {
	Done   int         `json:"done"` // games, of those that were asked for so far
	Of     int         `json:"of"`
	Played int         `json:"played"` // games that were played and not taken from the log
	Moves  int         `json:"moves"`
	TookMS int64       `json:"took_ms"`
	Out    int         `json:"disqualified"`
	Table  []ArenaLine `json:"table"` // best first
}

// ArenaLine is the line of one bot in the table of an event that is under way.
type ArenaLine struct {
	Name   string  `json:"name"`
	Points float64 `json:"points"`
	Games  int     `json:"games"`
	Wins   int     `json:"wins"`
	Draws  int     `json:"draws"`
	Losses int     `json:"losses"`
}

// GameShown is a game that can be shown move by move.
type GameShown struct {
	First     string          `json:"first"` // names of the bots
	Second    string          `json:"second"`
	Game      json.RawMessage `json:"game"`                // as it stands in the log
	Positions json.RawMessage `json:"positions,omitempty"` // what the referee saw, before the first move and after each
}

// ArenaStood says how an event stands: at its end, or where it was stopped.
type ArenaStood struct {
	Standings json.RawMessage `json:"standings"`
}

// TryStarted opens the trial of one bot.
type TryStarted struct {
	Format  int    `json:"format"` // EventFormat
	Game    string `json:"game"`
	Bot     string `json:"bot"`
	Rules   string `json:"rules"`
	MadeFor bool   `json:"made_for,omitempty"` // the rules are those that the bot was made for
}

// PositionTried says what a bot did wrong from one position.
type PositionTried struct {
	Name  string   `json:"name"`
	Wrong []string `json:"wrong,omitempty"` // in words; empty for nothing
}

// TryFinished closes the trial of one bot.
type TryFinished struct {
	OK        bool     `json:"ok"`
	Wrong     []string `json:"wrong,omitempty"` // what was found where no position was tried by itself
	Moves     int      `json:"moves"`
	MeanUS    int64    `json:"mean_us"` // time on the clock for a move
	SlowestUS int64    `json:"slowest_us"`
}

func (*ArenaStarted) kind() string    { return "arena" }
func (*ArenaProgressed) kind() string { return "arena-progressed" }
func (*GameShown) kind() string       { return "game" }
func (*ArenaStood) kind() string      { return "standings" }
func (*TryStarted) kind() string      { return "try" }
func (*PositionTried) kind() string   { return "tried" }
func (*TryFinished) kind() string     { return "try-finished" }
