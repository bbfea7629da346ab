package arena

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/judge"
	"assay/judge/kit/referee"
	"assay/judge/running/sandbox"
)

// Tournament contains everything that is needed to run a tournament.
type Tournament struct {
	Game  string // id of the problem directory
	Rules Rules
	Seed  uint64
	Bots  []*Contestant // Run sets the ids
	// Schedule, if not nil, replaces the schedule of the rules.
	Schedule Schedule

	// Only lists the encounters to play, if the tournament is run in parts. Opened is the record that opened the
	// tournament, which contains the ids of the bots. A part disqualifies only bots that do not become ready;
	// Log.Evaluate determines the other disqualifications for the whole tournament.
	Only   []Encounter
	Opened *Opened

	Referee       *judge.Program
	RefereeArgs   []string
	RefereePath   string // for faults
	RefereeLimits judge.Limits

	Sandbox  *sandbox.Sandbox
	Jobs     int    // number of referees; does not affect results
	FirstCPU int    // CPU to which the first referee is pinned; the others use the following CPUs
	LogPath  string // if empty, no log is written
	CacheDir string // directory that caches reports of the referee; empty means no cache
	// Sink receives each record as a line of the log. It must not retain the line.
	Sink       func(line []byte) error
	OnProgress func(*Progress)
}

// Progress is the progress of a tournament.
type Progress struct {
	Done, Total  int // number of games of this stage and all earlier ones
	Played       int // number of games that were played, rather than taken from the log
	Moves        int
	Took         time.Duration
	Disqualified []Disqualified
	Results      func() *Results // current results
}

// OptionsError means that the rules contradict each other.
type OptionsError struct{ Text string }

// Error describes the contradiction.
func (e *OptionsError) Error() string { return e.Text }

// Outcome is the outcome of a tournament.
type Outcome struct {
	Results  *Results
	Damaged  []Damage // damaged lines when the log was opened
	Kept     int      // number of games already in the log
	Played   int
	Moves    int
	Took     time.Duration
	Complete bool // whether every game was played

	// JoinedLate lists the names of bots that joined after the tournament had begun. Renumbered means that some bots
	// would have other ids in a new tournament, and therefore play other games.
	JoinedLate []string
	Renumbered bool
}

// Run runs the tournament. It plays the games that are missing from the log. If ctx is done, or the log cannot be
// written, it returns both the current outcome and the error.
func (e *Tournament) Run(ctx context.Context) (*Outcome, error) {
	return e.run(ctx, (*director).run)
}

// Greet opens the tournament, lets every bot get ready, and returns without playing. A tournament that is played
// in parts begins with this.
func (e *Tournament) Greet(ctx context.Context) (*Outcome, error) {
	return e.run(ctx, (*director).greet)
}

func (e *Tournament) run(ctx context.Context, playAll func(*director, context.Context) (again bool, err error)) (out *Outcome, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := &director{
		ctx: ctx, e: e, replies: make(chan reply, 64), failed: make(chan error, 1), start: time.Now(),
		schedule: e.Schedule, rules: &e.Rules,
	}
	if e.Only != nil {
		d.schedule = fixedEncounters(e.Only)
		rules := e.Rules
		rules.Costs = nil
		d.rules = &rules
	}
	if d.schedule == nil {
		format, ok := Formats()[e.Rules.Format]
		if !ok {
			return nil, &OptionsError{fmt.Sprintf("unknown format %q", e.Rules.Format)}
		}
		d.schedule = format(&e.Rules)
	}
	out = &Outcome{}
	if err := d.open(out); err != nil {
		if d.file != nil {
			_ = d.file.Close()
		}
		return nil, err
	}
	out.Kept = len(d.ledger.index)
	defer func() {
		d.close()
		err = errors.Join(err, d.file.Close())
		out.Results, out.Played, out.Moves, out.Took = d.ledger.scheduled(d.schedule), d.played, d.moves, time.Since(d.start)
	}()
	for {
		again, err := playAll(d, ctx)
		if err != nil {
			if _, isLog := errors.AsType[*LogError](err); !isLog && ctx.Err() != nil {
				err = context.Cause(ctx) // the processes were killed because ctx is done, which is not their fault
			}
			return out, err
		}
		if !again {
			break
		}
	}
	out.Complete = true
	return out, nil
}

// open reads the log, assigns ids to the bots, and writes the record that opens the tournament to the log.
func (d *director) open(outcome *Outcome) error {
	e := d.e
	var held *Log
	var err error
	if e.LogPath == "" {
		d.file, held, err = openTempLog()
	} else {
		d.file, held, err = OpenLog(e.LogPath)
	}
	if err != nil {
		return err
	}
	d.file.sink = e.Sink
	outcome.Damaged = held.Damaged
	if err := d.number(held, outcome); err != nil {
		return err
	}
	d.seeds = newSeeder(d.opened)
	d.ledger = newLedger(d.opened, held.source)
	if err := held.replay(d.ledger, false); err != nil {
		return err
	}
	d.createBotStates()
	return d.record(&Record{Opened: d.opened})
}

// number assigns ids to the bots. Bots that the log or e.Opened contains keep their ids. Other bots get new ids,
// or are an error if e.Opened is set.
func (d *director) number(held *Log, outcome *Outcome) error {
	e := d.e
	ids, last := map[string]int{}, 0
	know := func(o *Opened) {
		for _, b := range o.Bots {
			ids[b.Name], last = b.ID, max(last, b.ID)
		}
	}
	var first *Opened // decode the log
	for i := range held.others {
		if o := held.others[i].Opened; o != nil {
			if first == nil {
				first = o
			}
			if o.Game != e.Game || o.Rules.Fingerprint(o.Seed) != e.Rules.Fingerprint(e.Seed) {
				return &OptionsError{fmt.Sprintf("the log %s belongs to an event with other options: %s by the rules %s with seed %d\n"+
					"    name another log, or none to use the event's own", e.LogPath, o.Game, o.Rules.Name, o.Seed)}
			}
			know(o)
		}
	}
	d.opened = &Opened{Version: Version, Game: e.Game, Rules: e.Rules, Seed: e.Seed, Isolation: string(e.Sandbox.Level())}
	if e.Opened != nil {
		know(e.Opened)
		d.opened.Bots = slices.Clone(e.Opened.Bots)
	}
	for i, c := range e.Bots {
		if id, known := ids[c.Name]; known {
			c.ID = id
		} else if e.Opened != nil {
			return &OptionsError{fmt.Sprintf("%s is not a bot of the event", c.Name)}
		} else {
			last++
			c.ID = last
		}
		if first != nil && !slices.ContainsFunc(first.Bots, func(b Bot) bool { return b.Name == c.Name }) {
			outcome.JoinedLate = append(outcome.JoinedLate, c.Name)
		}
		outcome.Renumbered = outcome.Renumbered || c.ID != i+1
		c.Title, c.Pure = "", false
		if e.Opened == nil {
			d.opened.Bots = append(d.opened.Bots, c.Bot)
		}
	}
	for _, o := range e.Only {
		for _, id := range []int{o.A, o.B} {
			if !slices.ContainsFunc(e.Bots, func(c *Contestant) bool { return c.ID == id }) {
				return &OptionsError{fmt.Sprintf("bot %d has a game, but does not exist", id)}
			}
		}
	}
	slices.SortFunc(d.opened.Bots, func(a, b Bot) int { return a.ID - b.ID })
	return nil
}

// kitEvent converts the tournament to the form that referees receive.
func (e *Tournament) kitEvent() *referee.Event {
	return &referee.Event{
		Rules: e.Rules.Name, Bots: e.bots(), Seed: e.Seed,
		MoveMS: e.Rules.Move.Milliseconds(), ClockMS: e.Rules.Clock.Milliseconds(), StartMS: e.Rules.Start.Milliseconds(),
		Options: e.Rules.Options,
	}
}

// bots returns the number of participants.
func (e *Tournament) bots() int {
	if e.Opened != nil {
		return len(e.Opened.Bots)
	}
	return len(e.Bots)
}

// disqualifies reports whether a game has a fault that disqualifies its bot.
func (r *Rules) disqualifies(g *Result) bool {
	for _, b := range []compactFault{g.fault, g.after} {
		if _, kind := b.decode(g); b.seat > 0 && r.cost(kind) == CostTournament {
			return true
		}
	}
	return false
}

// cost returns the penalty for a fault.
func (r *Rules) cost(f Fault) Cost {
	if c, ok := r.Costs[f]; ok {
		return c
	}
	if f == InitFailed {
		return CostTournament
	}
	return CostGame
}
