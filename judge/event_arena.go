package judge

import "encoding/json"

// The events of games between programs. Games and standings are opaque here: they are JSON encoded by packages
// arena and standings.

// TournamentStarted begins a tournament.
type TournamentStarted struct {
	Format int      `json:"format"` // EventFormat
	Game   string   `json:"game"`   // id of the problem directory
	Title  string   `json:"title,omitempty"`
	Rules  string   `json:"rules"`
	Bots   []string `json:"bots"`
}

// TournamentProgressed is the progress of a tournament. It is for live displays only, and is not saved.
type TournamentProgressed struct {
	Done         int             `json:"done"` // number of finished games, of those requested so far
	Total        int             `json:"of"`
	Played       int             `json:"played"` // number of games that were played, rather than taken from the log
	Moves        int             `json:"moves"`
	TookMS       int64           `json:"took_ms"`
	Disqualified int             `json:"disqualified"`
	Table        []TournamentRow `json:"table"` // best first
}

// TournamentRow is the row of one bot in the table of a running tournament.
type TournamentRow struct {
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
	Game      json.RawMessage `json:"game"`                // as in the log
	Positions json.RawMessage `json:"positions,omitempty"` // the referee's view, before the first move and after each move
}

// TournamentFinished contains the standings of a tournament when it ended or was stopped.
type TournamentFinished struct {
	Standings json.RawMessage `json:"standings"`
}

// BotTrialStarted begins the trial of one bot.
type BotTrialStarted struct {
	Format  int    `json:"format"` // EventFormat
	Game    string `json:"game"`
	Bot     string `json:"bot"`
	Rules   string `json:"rules"`
	MadeFor bool   `json:"made_for,omitempty"` // whether the rules are those for which the bot was made
}

// PositionTried is the result of a bot in one position.
type PositionTried struct {
	Name   string   `json:"name"`
	Errors []string `json:"wrong,omitempty"` // descriptions of the bot's errors
}

// BotTrialFinished completes the trial of one bot.
type BotTrialFinished struct {
	OK        bool     `json:"ok"`
	Errors    []string `json:"wrong,omitempty"` // errors, in a trial without positions
	Moves     int      `json:"moves"`
	MeanUS    int64    `json:"mean_us"` // mean wall time of a move
	SlowestUS int64    `json:"slowest_us"`
}

func (*TournamentStarted) kind() string    { return "arena" }
func (*TournamentProgressed) kind() string { return "arena-progressed" }
func (*GameShown) kind() string            { return "game" }
func (*TournamentFinished) kind() string   { return "standings" }
func (*BotTrialStarted) kind() string      { return "try" }
func (*PositionTried) kind() string        { return "tried" }
func (*BotTrialFinished) kind() string     { return "try-finished" }
