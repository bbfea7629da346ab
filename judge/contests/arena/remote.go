package arena

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"
)

// RemoteTournament is a tournament that is played elsewhere, in parts. It receives the records, stores them in a log, and
// computes the results. The first record must be the one that opened the tournament.
//
// Bots that remember have a single history, so the records of their games must arrive in the order in which the
// games were played. Records of other bots may arrive in any order.
type RemoteTournament struct {
	file         *LogFile
	log          *Log
	lines        int
	start        time.Time
	moves        int
	ready        map[int]Ready // last report of each bot about itself
	disqualified map[int]bool
}

// NewRemoteTournament starts receiving the records of a tournament. The log must be new. If path is empty, no log is
// written. The caller must call Close.
func NewRemoteTournament(path string) (g *RemoteTournament, err error) {
	g = &RemoteTournament{start: time.Now(), ready: map[int]Ready{}, disqualified: map[int]bool{}}
	if path == "" {
		g.file, g.log, err = openTempLog()
		return g, err
	}
	if g.file, g.log, err = OpenLog(path); err != nil {
		return nil, err
	}
	if len(g.log.others)+len(g.log.games)+len(g.log.Damaged) > 0 {
		return nil, errors.Join(&OptionsError{fmt.Sprintf("the log %s already has games, and a server cannot resume them\n"+
			"    name another log, remove it, or resume here: repeat the command without --on", path)}, g.file.Close())
	}
	return g, nil
}

// Add adds records, as lines without line endings. It ignores duplicates.
func (g *RemoteTournament) Add(lines ...[]byte) error {
	for _, line := range lines {
		r, err := ReadRecord(line)
		if err != nil {
			return fmt.Errorf("read a record of the event: %w", err)
		}
		if g.isKnown(r) {
			continue
		}
		if err := g.add(line); err != nil {
			return err
		}
	}
	return g.file.flush()
}

// add adds a new record.
func (g *RemoteTournament) add(line []byte) error {
	start := g.file.pending.Len()
	g.file.pending.Write(append(bytes.TrimSpace(line), '\n'))
	g.lines++
	g.log.add(g.lines, g.file.pending.Bytes()[start:], true)
	return nil
}

// isKnown reports whether an equal Opened, Ready or Out record was added before. If not, it remembers r. It returns
// false for all other records.
func (g *RemoteTournament) isKnown(r *Record) bool {
	switch {
	case r.Opened != nil:
		return g.lines > 0
	case r.Ready != nil:
		known := g.ready[r.Ready.Bot] == *r.Ready
		g.ready[r.Ready.Bot] = *r.Ready
		return known
	case r.Out != nil:
		known := g.disqualified[r.Out.Bot]
		g.disqualified[r.Out.Bot] = true
		return known
	case r.Game != nil && !r.Game.Learning:
		g.moves += len(r.Game.Moves)
	}
	return false
}

// Opened returns the record that opened the tournament. It returns nil until that record has arrived.
func (g *RemoteTournament) Opened() *Opened { return g.log.lastOpened() }

// Results returns the current results, and the games that remain to be played. It returns ErrNoTournament until the
// record that opened the tournament has arrived.
func (g *RemoteTournament) Results() (*Results, *RemainingGames, error) {
	opened := g.Opened()
	if opened == nil {
		return nil, nil, ErrNoTournament
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
			return so, FindRemaining(opened, so, s), nil
		}
	}
	return g.log.Evaluate(s)
}

// Progress returns the progress of the tournament.
func (g *RemoteTournament) Progress() (*Progress, error) {
	so, todo, err := g.Results()
	if err != nil {
		return nil, err
	}
	return &Progress{
		Done: len(so.Games), Total: max(todo.Requested, len(so.Games)), Played: len(g.log.games), Moves: g.moves,
		Took: time.Since(g.start), Disqualified: so.Disqualified, Results: func() *Results { return so },
	}, nil
}

// Finish returns the outcome of the tournament. It logs disqualifications and, if nothing is missing, the end of
// the tournament.
func (g *RemoteTournament) Finish() (*Outcome, error) {
	so, todo, err := g.Results()
	if err != nil {
		return nil, err
	}
	var last []*Record
	for i := range so.Disqualified {
		if !g.disqualified[so.Disqualified[i].Bot] {
			last = append(last, &Record{Out: &so.Disqualified[i]})
		}
	}
	if todo.IsComplete() && !g.log.IsComplete() {
		last = append(last, &Record{Lots: so.Lots}, &Record{Over: &Completed{Games: len(so.Games)}})
	}
	for _, r := range last {
		if err := g.file.add(r); err != nil {
			return nil, err
		}
	}
	out := &Outcome{Results: so, Played: len(g.log.games), Moves: g.moves, Took: time.Since(g.start), Complete: todo.IsComplete()}
	return out, g.file.flush()
}

// Close closes the log.
func (g *RemoteTournament) Close() error { return g.file.Close() }

// Outline returns a copy of the game without its moves. The copy contains everything that Log.Evaluate needs.
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

// Log returns the whole log so far.
func (g *RemoteTournament) Log() ([]byte, error) {
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
