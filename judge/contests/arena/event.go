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

// Event is all that is needed to hold one.
type Event struct {
	Game  string // the id of the problem folder
	Rules Rules
	Seed  uint64
	Bots  []*Contestant // their ids are set by Run
	// Schedule goes before the one that the rules name.
	Schedule Schedule

	// Only are the encounters to be played of an event that is held in parts, and Opened
	// is the record that opened it, from which the bots have their ids. Nobody is
	// disqualified but who does not get ready: by Log.Fold the whole tells who is out.
	Only   []Encounter
	Opened *Opened

	Referee       *judge.Program
	RefereeArgs   []string
	RefereePath   string // for faults
	RefereeLimits judge.Limits

	Box     *sandbox.Sandbox
	Jobs    int    // referees at one time; results do not depend on it
	Place   int    // the processor that the first referee is kept on; the others are on the next ones
	LogPath string // "" keeps no log
	Saved   string // the folder in which is kept what the referee saw in games; "" for nowhere
	// Sink gets each record besides the log, as the line that stands there. It must not
	// keep the line.
	Sink   func(line []byte) error
	Listen func(*Progress)
}

// Progress is how far an event has come.
type Progress struct {
	Done, Of int // games of this stage and all before it
	Played   int // games that were played and not taken from the log
	Moves    int
	Took     time.Duration
	Out      []Disqualified
	Results  func() *Results // what counts so far
}

// OptionsError says that the rules contradict each other.
type OptionsError struct{ Text string }

// Error says what the contradiction is.
func (e *OptionsError) Error() string { return e.Text }

// Outcome is what came of an event.
type Outcome struct {
	Results *Results
	Damaged []Damage // of the log, as it was found
	Kept    int      // games that were in the log
	Played  int
	Moves   int
	Took    time.Duration
	Whole   bool // every game was played

	// Late are the names of bots that joined an event which had begun. Renumbered says
	// that the bots would have other ids in one that begins anew, and so other games.
	Late       []string
	Renumbered bool
}

// Run holds the event: it plays what the log does not have. Where ctx ends, or the
// log cannot be written, the outcome has what counts so far, besides the error.
func (e *Event) Run(ctx context.Context) (*Outcome, error) {
	return e.run(ctx, (*director).hold)
}

// Greet opens the event, has every bot get ready, and ends: nothing is played. It is how
// an event begins that is played in parts.
func (e *Event) Greet(ctx context.Context) (*Outcome, error) {
	return e.run(ctx, (*director).greet)
}

func (e *Event) run(ctx context.Context, hold func(*director, context.Context) (again bool, err error)) (out *Outcome, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := &director{ctx: ctx, e: e, heard: make(chan reply, 64), failed: make(chan error, 1), start: time.Now(), schedule: e.Schedule, rules: &e.Rules}
	if e.Only != nil {
		d.schedule = only(e.Only)
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
	out.Kept = len(d.book.at)
	defer func() {
		d.close()
		err = errors.Join(err, d.file.Close())
		out.Results, out.Played, out.Moves, out.Took = d.book.scheduled(d.schedule), d.played, d.moves, time.Since(d.start)
	}()
	for {
		again, err := hold(d, ctx)
		if err != nil {
			if _, isLog := errors.AsType[*LogError](err); !isLog && ctx.Err() != nil {
				err = context.Cause(ctx) // the processes end with it, which is not their fault
			}
			return out, err
		}
		if !again {
			break
		}
	}
	out.Whole = true
	return out, nil
}

// open reads the log, gives ids to the bots, and begins the event in it.
func (d *director) open(out *Outcome) error {
	e := d.e
	var held *Log
	var err error
	if e.LogPath == "" {
		d.file, held, err = noLog()
	} else {
		d.file, held, err = OpenLog(e.LogPath)
	}
	if err != nil {
		return err
	}
	d.file.sink = e.Sink
	out.Damaged = held.Damaged
	if err := d.number(held, out); err != nil {
		return err
	}
	d.seeds = newSeeder(d.opened)
	d.book = newBook(d.opened, held.source)
	if err := held.replay(d.book, false); err != nil {
		return err
	}
	d.sitDown()
	return d.record(&Record{Opened: d.opened})
}

// number gives ids to the bots: those that they have in the log, or in the record that
// opened the event elsewhere.
func (d *director) number(held *Log, out *Outcome) error {
	e := d.e
	ids, last := map[string]int{}, 0
	know := func(o *Opened) {
		for _, b := range o.Bots {
			ids[b.Name], last = b.ID, max(last, b.ID)
		}
	}
	var first *Opened // of the log
	for i := range held.others {
		if o := held.others[i].Opened; o != nil {
			if first == nil {
				first = o
			}
			if o.Game != e.Game || o.Rules.Fingerprint(o.Seed) != e.Rules.Fingerprint(e.Seed) {
				return &OptionsError{fmt.Sprintf("the log %s is of another event: %s by the rules %s with seed %d, and not with the same options\n    name another log, or none: then each event has its own", e.LogPath, o.Game, o.Rules.Name, o.Seed)}
			}
			know(o)
		}
	}
	d.opened = &Opened{Version: Version, Game: e.Game, Rules: e.Rules, Seed: e.Seed, Isolation: string(e.Box.Rung())}
	if e.Opened != nil {
		know(e.Opened)
		d.opened.Bots = slices.Clone(e.Opened.Bots)
	}
	for i, c := range e.Bots {
		if id, known := ids[c.Name]; known {
			c.ID = id
		} else if e.Opened != nil {
			return &OptionsError{fmt.Sprintf("%s is none of the bots of the event", c.Name)}
		} else {
			last++
			c.ID = last
		}
		if first != nil && !slices.ContainsFunc(first.Bots, func(b Bot) bool { return b.Name == c.Name }) {
			out.Late = append(out.Late, c.Name)
		}
		out.Renumbered = out.Renumbered || c.ID != i+1
		c.Title, c.Pure = "", false
		if e.Opened == nil {
			d.opened.Bots = append(d.opened.Bots, c.Bot)
		}
	}
	for _, o := range e.Only {
		for _, id := range []int{o.A, o.B} {
			if !slices.ContainsFunc(e.Bots, func(c *Contestant) bool { return c.ID == id }) {
				return &OptionsError{fmt.Sprintf("bot %d is to play, and it is not there", id)}
			}
		}
	}
	slices.SortFunc(d.opened.Bots, func(a, b Bot) int { return a.ID - b.ID })
	return nil
}

// kitEvent is the event as referees know it.
func (e *Event) kitEvent() *referee.Event {
	return &referee.Event{
		Rules: e.Rules.Name, Bots: e.bots(), Seed: e.Seed,
		MoveMS: e.Rules.Move.Milliseconds(), ClockMS: e.Rules.Clock.Milliseconds(), StartMS: e.Rules.Start.Milliseconds(),
		Options: e.Rules.Options,
	}
}

// bots is how many take part.
func (e *Event) bots() int {
	if e.Opened != nil {
		return len(e.Opened.Bots)
	}
	return len(e.Bots)
}

// costly says whether a game has a fault that costs its bot the event.
func (r *Rules) costly(g *Result) bool {
	for _, b := range []blame{g.fault, g.after} {
		if _, kind := b.of(g); b.seat > 0 && r.cost(kind) == CostEvent {
			return true
		}
	}
	return false
}

// cost is what a fault costs.
func (r *Rules) cost(f Fault) Cost {
	if c, ok := r.Costs[f]; ok {
		return c
	}
	if f == InitFailed {
		return CostEvent
	}
	return CostGame
}
