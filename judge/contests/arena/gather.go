package arena

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"
)

// Gathering is an event that is played elsewhere, in parts: it takes their records as they
// come, keeps them in a log, and knows what counts of them. The first record must be the
// one that opened the event.
//
// Bots that remember have one history: the records of their games must come in the order
// in which they were played. Those of others may come in any order.
type Gathering struct {
	file  *LogFile
	log   *Log
	lines int
	start time.Time
	moves int
	ready map[int]Ready // what bots said of themselves last
	out   map[int]bool
}

// Gather begins to take the records of an event. Its log must be new; no path keeps none. The
// caller must call Close.
func Gather(path string) (g *Gathering, err error) {
	g = &Gathering{start: time.Now(), ready: map[int]Ready{}, out: map[int]bool{}}
	if path == "" {
		g.file, g.log, err = noLog()
		return g, err
	}
	if g.file, g.log, err = OpenLog(path); err != nil {
		return nil, err
	}
	if len(g.log.others)+len(g.log.games)+len(g.log.Damaged) > 0 {
		return nil, errors.Join(&OptionsError{fmt.Sprintf("the log %s has games already, and a server does not go on with it\n    name another log, remove it, or go on here: the same command without --on", path)}, g.file.Close())
	}
	return g, nil
}

// Add takes records, as lines without their ends. What is there already is left out.
func (g *Gathering) Add(lines ...[]byte) error {
	for _, line := range lines {
		r, err := ReadRecord(line)
		if err != nil {
			return fmt.Errorf("read a record of the event: %w", err)
		}
		if g.knows(r) {
			continue
		}
		if err := g.add(line); err != nil {
			return err
		}
	}
	return g.file.flush()
}

// add takes a record that is new.
func (g *Gathering) add(line []byte) error {
	start := g.file.pending.Len()
	g.file.pending.Write(append(bytes.TrimSpace(line), '\n'))
	g.lines++
	g.log.add(g.lines, g.file.pending.Bytes()[start:], true)
	return nil
}

// knows says whether a record is there already, and remembers it.
func (g *Gathering) knows(r *Record) bool {
	switch {
	case r.Opened != nil:
		return g.lines > 0
	case r.Ready != nil:
		known := g.ready[r.Ready.Bot] == *r.Ready
		g.ready[r.Ready.Bot] = *r.Ready
		return known
	case r.Out != nil:
		known := g.out[r.Out.Bot]
		g.out[r.Out.Bot] = true
		return known
	case r.Game != nil && !r.Game.Learning:
		g.moves += len(r.Game.Moves)
	}
	return false
}

// Opened is the record that opened the event; nil where it has not come yet.
func (g *Gathering) Opened() *Opened { return g.log.lastOpened() }

// Results say what counts so far, and what is missing.
func (g *Gathering) Results() (*Results, *Todo, error) {
	opened := g.Opened()
	if opened == nil {
		return nil, nil, ErrNoEvent
	}
	format, known := Formats()[opened.Rules.Format]
	if !known {
		return nil, nil, &OptionsError{fmt.Sprintf("unknown format %q", opened.Rules.Format)}
	}
	s := format(&opened.Rules)
	for _, r := range g.ready {
		if !r.Pure { // one history
			so, err := g.log.Replay()
			if err != nil {
				return nil, nil, err
			}
			return so, Missing(opened, so, s), nil
		}
	}
	return g.log.Fold(s)
}

// Progress says how far the event has come.
func (g *Gathering) Progress() (*Progress, error) {
	so, todo, err := g.Results()
	if err != nil {
		return nil, err
	}
	return &Progress{
		Done: len(so.Games), Of: max(todo.Asked, len(so.Games)), Played: len(g.log.games), Moves: g.moves,
		Took: time.Since(g.start), Out: so.Out, Results: func() *Results { return so },
	}, nil
}

// Finish says what came of the event, and notes in the log who is out and, where nothing is
// missing, that it is over.
func (g *Gathering) Finish() (*Outcome, error) {
	so, todo, err := g.Results()
	if err != nil {
		return nil, err
	}
	var last []*Record
	for i := range so.Out {
		if !g.out[so.Out[i].Bot] {
			last = append(last, &Record{Out: &so.Out[i]})
		}
	}
	if todo.Over() && !g.log.Over() {
		last = append(last, &Record{Lots: so.Lots}, &Record{Over: &Over{Games: len(so.Games)}})
	}
	for _, r := range last {
		if err := g.file.add(r); err != nil {
			return nil, err
		}
	}
	out := &Outcome{Results: so, Played: len(g.log.games), Moves: g.moves, Took: time.Since(g.start), Whole: todo.Over()}
	return out, g.file.flush()
}

// Close closes the log.
func (g *Gathering) Close() error { return g.file.Close() }

// Outline is what Log.Fold must know of a game: how it was played is left out.
func (g *Game) Outline() *Game {
	return &Game{
		Run: g.Run, Round: g.Round, Leg: g.Leg, First: g.First, Second: g.Second,
		Winner: g.Winner, Reason: g.Reason, Payoff: g.Payoff, Fault: g.Fault.outline(), After: g.After.outline(), Learning: g.Learning,
	}
}

func (f *GameFault) outline() *GameFault {
	if f == nil {
		return nil
	}
	return &GameFault{Seat: f.Seat, Kind: f.Kind}
}

// Log is the whole log so far.
func (g *Gathering) Log() ([]byte, error) {
	if err := g.file.flush(); err != nil {
		return nil, err
	}
	from, done, err := g.log.source.open()
	if err != nil {
		return nil, fmt.Errorf("read the log again: %w", err)
	}
	defer done()
	text := make([]byte, g.file.size)
	if _, err := from.ReadAt(text, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the log again: %w", err)
	}
	return text, nil
}
