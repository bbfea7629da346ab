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

	Referee       *judge.Program
	RefereeArgs   []string
	RefereePath   string // for faults
	RefereeLimits judge.Limits

	Box     *sandbox.Sandbox
	Jobs    int    // referees at one time; results do not depend on it
	LogPath string // "" keeps no log
	Listen  func(*Progress)
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
}

// Run holds the event: it plays what the log does not have. Where ctx ends, or the
// log cannot be written, the outcome has what counts so far, besides the error.
func (e *Event) Run(ctx context.Context) (out *Outcome, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := &director{ctx: ctx, e: e, heard: make(chan reply, 64), start: time.Now(), schedule: e.Schedule}
	if d.schedule == nil {
		format, ok := Formats()[e.Rules.Format]
		if !ok {
			return nil, &OptionsError{fmt.Sprintf("unknown format %q", e.Rules.Format)}
		}
		d.schedule = format(&e.Rules)
	}
	out = &Outcome{}
	if err := d.open(out); err != nil {
		return nil, err
	}
	out.Kept = len(d.book.at)
	defer func() {
		d.close()
		err = errors.Join(err, d.file.Close())
		out.Results, out.Played, out.Moves, out.Took = d.book.scheduled(d.schedule), d.played, d.moves, time.Since(d.start)
	}()
	for {
		again, err := d.hold(ctx)
		if err != nil {
			if _, isLog := errors.AsType[*LogError](err); !isLog && ctx.Err() != nil {
				err = context.Cause(ctx) // the processes end with it, which is no fault of theirs
			}
			return out, err
		}
		if !again {
			break
		}
	}
	out.Whole = true
	if err := d.record(&Record{Lots: d.book.res.Lots}); err != nil {
		return out, err
	}
	return out, d.record(&Record{Over: &Over{Games: len(d.book.at)}})
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
	out.Damaged = held.Damaged
	d.opened = &Opened{Version: Version, Game: e.Game, Rules: e.Rules, Seed: e.Seed, Isolation: string(e.Box.Rung())}
	ids, last := map[string]int{}, 0
	for i := range held.others {
		if o := held.others[i].Opened; o != nil {
			if o.Game != e.Game || o.Rules.Fingerprint(o.Seed) != e.Rules.Fingerprint(e.Seed) {
				return &OptionsError{fmt.Sprintf("the log %s is of another event: %s by the rules %s with seed %d, and not with the same options\n    name another log, or none: then each event has its own", e.LogPath, o.Game, o.Rules.Name, o.Seed)}
			}
			for _, b := range o.Bots {
				ids[b.Name], last = b.ID, max(last, b.ID)
			}
		}
	}
	for _, c := range e.Bots {
		if id, known := ids[c.Name]; known {
			c.ID = id
		} else {
			last++
			c.ID = last
		}
		c.Title, c.Pure = "", false
		d.opened.Bots = append(d.opened.Bots, c.Bot)
	}
	slices.SortFunc(d.opened.Bots, func(a, b Bot) int { return a.ID - b.ID })
	d.seeds = newSeeder(d.opened)
	d.book = newBook(d.opened, held.source)
	if err := held.into(d.book); err != nil {
		return err
	}
	return d.record(&Record{Opened: d.opened})
}

// kitEvent is the event as referees know it.
func (e *Event) kitEvent() *referee.Event {
	return &referee.Event{
		Rules: e.Rules.Name, Bots: len(e.Bots), Seed: e.Seed,
		MoveMS: e.Rules.Move.Milliseconds(), ClockMS: e.Rules.Clock.Milliseconds(), StartMS: e.Rules.Start.Milliseconds(),
		Options: e.Rules.Options,
	}
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
