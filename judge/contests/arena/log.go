package arena

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A log is JSON with one record per line, and lines are only ever appended. Each record has exactly one of the
// fields of Record. If a tournament is resumed, or continued with more bots, its new Opened record is appended to
// the same log.

// Record is one line of a log.
type Record struct {
	Opened *Opened       `json:"event,omitempty"`
	Ready  *Ready        `json:"ready,omitempty"`
	Game   *Game         `json:"game,omitempty"`
	Out    *Disqualified `json:"disqualified,omitempty"`
	Lots   []int         `json:"lots,omitempty"`
	Over   *Completed    `json:"over,omitempty"`
}

// Version is the version of the log's format. Version 1 had times in nanoseconds, under names without a unit. Logs
// of version 1 can also be read and continued.
const Version = 2

// Opened records that a tournament begins or is resumed.
type Opened struct {
	Version   int    `json:"version"`
	Game      string `json:"game"`
	Rules     Rules  `json:"rules"`
	Seed      uint64 `json:"seed"`
	Bots      []Bot  `json:"bots"`
	Isolation string `json:"isolation,omitempty"`
}

// Ready is what a bot reported about itself when it became ready.
type Ready struct {
	Bot   int    `json:"bot"`
	Title string `json:"title,omitempty"`
	Pure  bool   `json:"pure,omitempty"`
}

// Completed is the record that follows when every game of a tournament has been played.
type Completed struct {
	Games int `json:"games"`
}

// Log is a log that has been read.
type Log struct {
	Damaged []Damage // lines that are not records
	Size    int64    // bytes up to the end of the last complete line

	games  []Result
	others []entry // records that are not games
	source *source
}

// entry is a record of a log that is not a game.
type entry struct {
	Record
	before int // number of games that precede it
}

// Damage is a line of a log that cannot be read.
type Damage struct {
	Line int
	Text string
}

// String returns the line number and the reason.
func (d Damage) String() string { return fmt.Sprintf("line %d: %s", d.Line, d.Text) }

// maxLine is the maximum length of a line in a log, in bytes. A game with the maximum number of moves needs only a
// fraction of that.
const maxLine = 64 << 20

// ReadLog reads a log. Games are loaded later from path. If path is empty, they are loaded from the reader, which
// must then be an io.ReaderAt. Damaged lines are skipped and returned in Damaged. ReadLog returns only errors of
// the reader.
func ReadLog(r io.Reader, path string) (*Log, error) {
	l := &Log{source: &source{path: path}}
	if path == "" {
		l.source.reader, _ = r.(io.ReaderAt)
	}
	in := bufio.NewReaderSize(r, 1<<20)
	var line []byte
	for number := 1; ; number++ {
		var err error
		line, err = appendLine(line[:0], in)
		if err != nil && err != io.EOF {
			return l, fmt.Errorf("read the log, line %d: %w", number, err)
		}
		if len(line) > 0 {
			l.add(number, line, err == nil)
		}
		if err == io.EOF {
			return l, nil
		}
	}
}

func readLine(in *bufio.Reader) ([]byte, error) { return appendLine(nil, in) }

func appendLine(line []byte, in *bufio.Reader) ([]byte, error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) <= maxLine {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// add adds one line.
func (l *Log) add(number int, line []byte, complete bool) {
	damaged := func(text string) { l.Damaged = append(l.Damaged, Damage{number, text}) }
	record, err := ReadRecord(line)
	switch {
	case !complete:
		damaged("the line is cut short")
		return
	case err != nil:
		damaged("not a record: " + err.Error())
	case record.Game != nil:
		r := record.Game.Result()
		r.at = l.Size
		l.games = append(l.games, r)
	default:
		l.others = append(l.others, entry{*record, len(l.games)})
	}
	l.Size += int64(len(line))
}

// ReadRecord parses a line of a log.
func ReadRecord(line []byte) (*Record, error) {
	var r Record
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, err
	}
	if r.fields() != 1 {
		return nil, fmt.Errorf("%.60q", bytes.TrimSpace(line))
	}
	if wrong := r.invalidReason(); wrong != "" {
		return nil, errors.New(wrong)
	}
	return &r, nil
}

// ReadRecords parses lines of a log.
func ReadRecords(lines [][]byte) (all []*Record, err error) {
	for _, line := range lines {
		r, err := ReadRecord(line)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// invalidReason describes why a record is invalid. It returns "" if the record is valid.
func (r *Record) invalidReason() string {
	switch {
	case r.Opened != nil:
		return r.Opened.invalidReason()
	case r.Game != nil:
		return r.Game.invalidReason()
	case r.Out != nil && r.Out.Bot < 1:
		return "the disqualified bot is unknown"
	}
	return ""
}

func (o *Opened) invalidReason() string {
	if o.Version < 1 || o.Version > Version {
		return fmt.Sprintf("the log has version %d; this judge reads versions from 1 to %d", o.Version, Version)
	}
	if o.Rules.Rounds < 1 || o.Rules.Games < 1 || o.Rules.Rounds > maxRounds || o.Rules.Games > maxRounds {
		return fmt.Sprintf("%d rounds of %d games", o.Rules.Rounds, o.Rules.Games)
	}
	for i, b := range o.Bots {
		if b.ID < 1 || find(o.Bots[:i], b.ID) != nil {
			return fmt.Sprintf("there is more than one bot %d", b.ID)
		}
	}
	return ""
}

func (g *Game) invalidReason() string {
	switch {
	case g.First < 1 || g.Second < 1 || g.First == g.Second || g.Round < 1 || g.Leg < 1:
		return "the players of a game are unknown"
	case g.Winner < 0 || g.Winner > 2:
		return fmt.Sprintf("the winner is %d", g.Winner)
	case len(g.Seats) != len(g.Moves) || len(g.Micros) != len(g.Moves) || strings.Trim(g.Seats, "12") != "":
		return "the player of a move is unknown"
	}
	for _, f := range []*GameFault{g.Fault, g.After} {
		if f != nil && f.Seat != 1 && f.Seat != 2 {
			return "the player with a fault is unknown"
		}
	}
	for _, n := range g.Notes {
		if n.Seat != 1 && n.Seat != 2 {
			return "the player with a note is unknown"
		}
	}
	return ""
}

func (r *Record) fields() (n int) {
	for _, is := range []bool{r.Opened != nil, r.Ready != nil, r.Game != nil, r.Out != nil, r.Lots != nil, r.Over != nil} {
		if is {
			n++
		}
	}
	return n
}

// IsComplete reports whether the last tournament in the log was completed.
func (l *Log) IsComplete() (over bool) {
	for _, e := range l.others {
		over = e.Over != nil || over && e.Opened == nil
	}
	return over
}

func (l *Log) lastOpened() (last *Opened) {
	for i := range l.others {
		if o := l.others[i].Opened; o != nil {
			last = o
		}
	}
	return last
}

// replay adds the log's records to a ledger, in order. It omits games whose bots were still processing the result
// when the game was logged, unless unfinished is set.
func (l *Log) replay(b *ledger, unfinished bool) error {
	return l.forEachRecord(b, nil, func(g Result) {
		if unfinished || !g.learning {
			b.addGame(g)
		}
	})
}

// forEachRecord processes the log's records in order. It calls game with each game. It adds every other record to the
// ledger, and then calls other with the record, unless other is nil.
func (l *Log) forEachRecord(b *ledger, onRecord func(*Record), onGame func(Result)) error {
	games := l.games
	for i := range l.others {
		e := &l.others[i]
		for len(l.games)-len(games) < e.before {
			if b.opened == nil {
				return fmt.Errorf("the log %s: %w", l.source.path, errNotOpened)
			}
			onGame(games[0])
			games = games[1:]
		}
		if err := b.add(&e.Record); err != nil {
			return fmt.Errorf("the log %s: %w", l.source.path, err)
		}
		if onRecord != nil {
			onRecord(&e.Record)
		}
	}
	if len(games) > 0 && b.opened == nil {
		return fmt.Errorf("the log %s: %w", l.source.path, errNotOpened)
	}
	for _, g := range games {
		onGame(g)
	}
	return nil
}
