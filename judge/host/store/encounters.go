package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"assay/judge/blob"
	"assay/judge/host/store/internal/query"
)

// An Encounter is a series of games between two bots of a ladder. Bot A moves first in the games with odd numbers,
// and bot B in the others.
type Encounter struct {
	Ladder  string
	Number  int64 // from 1
	A, B    int64 // numbers of bots
	Flow    string
	Results string    // w, d or l for each game, from A's point of view
	Faults  [2]string // kinds of failures that ended games, of A and of B, comma-separated
	Reason  string    // reason why no game was played; empty if games were played
	Records blob.Digest
	Worker  string
	Made    time.Time
	Ended   time.Time // zero if it has not ended
	Seq     int64     // sequence number of the ladder when the encounter ended
}

// FaultsOf returns the kinds of failures of a bot in the encounter.
func (e *Encounter) FaultsOf(bot int64) []string {
	all := e.Faults[0]
	if bot == e.B {
		all = e.Faults[1]
	}
	if all == "" {
		return nil
	}
	return strings.Split(all, ",")
}

// NewEncounter stores an encounter and its workflow, whose spec is the result of plan. It sets Number and Flow. It
// returns ErrEnded if the ladder is closed.
func (s *Store) NewEncounter(ctx context.Context, e *Encounter, kind, owner string, plan func(*Encounter) ([]byte, error)) error {
	return s.tx(ctx, "begin an encounter", func(q *query.Queries) error {
		number, err := q.NumberEncounter(ctx, e.Ladder)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrEnded
		}
		if err != nil {
			return err
		}
		e.Number, e.Flow, e.Made = number, newID(), instant(s.now())
		spec, err := plan(e)
		if err != nil {
			return err
		}
		if _, err := q.InsertFlow(ctx, query.InsertFlowParams{ID: e.Flow, Kind: kind, Spec: string(spec), Owner: owner,
			Made: s.now()}); err != nil {
			return err
		}
		return q.InsertEncounter(ctx, query.InsertEncounterParams{Ladder: e.Ladder, Number: number, A: e.A, B: e.B, Flow: e.Flow, Made: s.now()})
	})
}

// EndEncounter stores the results of an encounter. It returns ErrEnded if the encounter has already ended.
func (s *Store) EndEncounter(ctx context.Context, e *Encounter) error {
	return s.tx(ctx, "end an encounter", func(q *query.Queries) error {
		n, err := q.StepLadder(ctx, e.Ladder)
		if err != nil {
			return err
		}
		ended := s.now()
		rows, err := q.EndEncounter(ctx, query.EndEncounterParams{
			Ladder: e.Ladder, Number: e.Number, Results: e.Results, FaultsA: e.Faults[0], FaultsB: e.Faults[1],
			Reason: clean(e.Reason), Records: string(e.Records),
			Worker: clean(e.Worker), Ended: some(ended), Seq: n.LastSeq,
		})
		if err != nil {
			return err
		}
		if rows == 0 {
			return ErrEnded
		}
		e.Ended, e.Seq = instant(ended), n.LastSeq
		return nil
	})
}

// OpenEncounters reads the encounters of a ladder that have not ended.
func (s *Store) OpenEncounters(ctx context.Context, ladder string) ([]*Encounter, error) {
	rows, err := s.read.OpenEncounters(ctx, ladder)
	return each(rows, err, "read the encounters under way", encounter)
}

// EncountersSince returns the encounters of a ladder that ended after sequence number seq, in the order in which
// they ended.
func (s *Store) EncountersSince(ctx context.Context, ladder string, seq int64) ([]*Encounter, error) {
	rows, err := s.read.EncountersSince(ctx, ladder, seq)
	return each(rows, err, "read the encounters of a ladder", encounter)
}

// Encounter returns the encounter with the given number.
func (s *Store) Encounter(ctx context.Context, ladder string, number int64) (*Encounter, error) {
	r, err := s.read.GetEncounter(ctx, ladder, number)
	return encounter(r), failed("read an encounter", err)
}

func encounter(r query.Encounter) *Encounter {
	return &Encounter{
		Ladder: r.Ladder, Number: r.Number, A: r.A, B: r.B, Flow: r.Flow, Results: r.Results,
		Faults: [2]string{r.FaultsA, r.FaultsB}, Reason: r.Reason,
		Records: blob.Digest(r.Records), Worker: r.Worker, Made: instant(r.Made), Ended: instant(r.Ended.Int64), Seq: r.Seq,
	}
}

// A Climb is a change of a bot's rank.
type Climb struct {
	Seq    int64 // from 1, set by Climbed
	Bot    int64
	Before int64 // previous rank; 0 if it had none
	Place  int64
	At     time.Time // set by Climbed
}

// Climbed stores rank changes on a ladder.
func (s *Store) Climbed(ctx context.Context, ladder string, all []Climb) error {
	return s.tx(ctx, "keep who climbed", func(q *query.Queries) error {
		if _, err := q.StepLadder(ctx, ladder); err != nil {
			return err
		}
		last, err := q.LastClimb(ctx, ladder)
		if err != nil {
			return err
		}
		for i, c := range all {
			if err := q.InsertClimb(ctx, query.InsertClimbParams{Ladder: ladder, Seq: last + int64(i) +
				1, Bot: c.Bot, Before: c.Before, Place: c.Place, At: s.now()}); err != nil {
				return err
			}
		}
		return nil
	})
}

// Climbs returns the last n rank changes, newest first.
func (s *Store) Climbs(ctx context.Context, ladder string, n int) ([]Climb, error) {
	rows, err := s.read.LastClimbs(ctx, ladder, int32(n))
	return each(rows, err, "read who climbed", func(r query.Climb) Climb {
		return Climb{r.Seq, r.Bot, r.Before, r.Place, instant(r.At)}
	})
}

// eraseBots removes an author's name and programs from all ladders. The results of the bots are kept, but not the
// games.
func (s *Store) eraseBots(ctx context.Context, q *query.Queries, account string) (blobs []blob.Digest, err error) {
	all, err := q.BotsOfAccount(ctx, account)
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		b, err := bot(query.BotAuthor{Ladder: r.Ladder, Number: r.Number, Files: r.Files})
		if err != nil {
			return nil, err
		}
		for _, f := range b.Files {
			blobs = append(blobs, f.Digest)
		}
		flows, err := q.FlowsOfBot(ctx, r.Ladder, r.Number)
		if err != nil {
			return nil, err
		}
		for _, f := range append(flows, r.Flow) {
			brought, err := eraseFlow(ctx, q, f)
			if err != nil {
				return nil, err
			}
			blobs = append(blobs, brought...)
		}
		records, err := q.RecordsOfBot(ctx, r.Ladder, r.Number)
		if err != nil {
			return nil, err
		}
		for _, d := range records {
			blobs = append(blobs, blob.Digest(d))
		}
		if err := errors.Join(q.EraseRecords(ctx, r.Ladder, r.Number),
			q.EraseBot(ctx, query.EraseBotParams{Ladder: r.Ladder, Number: r.Number, Name: Deleted})); err != nil {
			return nil, err
		}
		if err := q.Restart(ctx, r.Ladder); err != nil {
			return nil, err
		}
		if _, err := q.StepLadder(ctx, r.Ladder); err != nil {
			return nil, err
		}
	}
	return blobs, nil
}
