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
	Ladder   string
	Number   int64 // from 1
	A, B     int64 // numbers of bots
	Workflow string
	Results  string    // w, d or l for each game, from A's point of view
	Failures [2]string // kinds of failures that ended games, of A and of B, comma-separated
	Reason   string    // reason why no game was played; empty if games were played
	Records  blob.Digest
	Worker   string
	Made     time.Time
	Ended    time.Time // zero if it has not ended
	Seq      int64     // sequence number of the ladder when the encounter ended
}

// FailuresOf returns the kinds of failures of a bot in the encounter.
func (e *Encounter) FailuresOf(bot int64) []string {
	failures := e.Failures[0]
	if bot == e.B {
		failures = e.Failures[1]
	}
	if failures == "" {
		return nil
	}
	return strings.Split(failures, ",")
}

// NewEncounter stores an encounter and its workflow, whose spec is the result of plan. It sets Number and Workflow. It
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
		e.Number, e.Workflow, e.Made = number, newID(), fromMicros(s.now())
		spec, err := plan(e)
		if err != nil {
			return err
		}
		if _, err := q.InsertWorkflow(ctx, query.InsertWorkflowParams{ID: e.Workflow, Kind: kind, Spec: string(spec), Owner: owner,
			Made: s.now()}); err != nil {
			return err
		}
		return q.InsertEncounter(
			ctx,
			query.InsertEncounterParams{Ladder: e.Ladder, Number: number, A: e.A, B: e.B, Flow: e.Workflow, Made: s.now()},
		)
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
			Ladder: e.Ladder, Number: e.Number, Results: e.Results, FaultsA: e.Failures[0], FaultsB: e.Failures[1],
			Reason: sanitize(e.Reason), Records: string(e.Records),
			Worker: sanitize(e.Worker), Ended: nullInt(ended), Seq: n.LastSeq,
		})
		if err != nil {
			return err
		}
		if rows == 0 {
			return ErrEnded
		}
		e.Ended, e.Seq = fromMicros(ended), n.LastSeq
		return nil
	})
}

// PendingEncounters reads the encounters of a ladder that have not ended.
func (s *Store) PendingEncounters(ctx context.Context, ladder string) ([]*Encounter, error) {
	rows, err := s.read.OpenEncounters(ctx, ladder)
	return convertRows(rows, err, "read the encounters under way", encounter)
}

// EncountersSince returns the encounters of a ladder that ended after sequence number seq, in the order in which
// they ended.
func (s *Store) EncountersSince(ctx context.Context, ladder string, seq int64) ([]*Encounter, error) {
	rows, err := s.read.EncountersSince(ctx, ladder, seq)
	return convertRows(rows, err, "read the encounters of a ladder", encounter)
}

// Encounter returns the encounter with the given number.
func (s *Store) Encounter(ctx context.Context, ladder string, number int64) (*Encounter, error) {
	r, err := s.read.GetEncounter(ctx, ladder, number)
	return encounter(r), wrapError("read an encounter", err)
}

func encounter(r query.Encounter) *Encounter {
	return &Encounter{
		Ladder: r.Ladder, Number: r.Number, A: r.A, B: r.B, Workflow: r.Flow, Results: r.Results,
		Failures: [2]string{r.FaultsA, r.FaultsB}, Reason: r.Reason,
		Records: blob.Digest(r.Records), Worker: r.Worker, Made: fromMicros(r.Made), Ended: fromMicros(r.Ended.Int64), Seq: r.Seq,
	}
}

// A RankChange is a change of a bot's rank.
type RankChange struct {
	Seq     int64 // from 1, set by AddRankChanges
	Bot     int64
	OldRank int64 // previous rank; 0 if it had none
	Rank    int64
	At      time.Time // set by AddRankChanges
}

// AddRankChanges stores rank changes on a ladder.
func (s *Store) AddRankChanges(ctx context.Context, ladder string, changes []RankChange) error {
	return s.tx(ctx, "keep who climbed", func(q *query.Queries) error {
		if _, err := q.StepLadder(ctx, ladder); err != nil {
			return err
		}
		last, err := q.LastClimb(ctx, ladder)
		if err != nil {
			return err
		}
		for i, c := range changes {
			if err := q.InsertClimb(ctx, query.InsertClimbParams{Ladder: ladder, Seq: last + int64(i) +
				1, Bot: c.Bot, Before: c.OldRank, Place: c.Rank, At: s.now()}); err != nil {
				return err
			}
		}
		return nil
	})
}

// RankChanges returns the last n rank changes, newest first.
func (s *Store) RankChanges(ctx context.Context, ladder string, n int) ([]RankChange, error) {
	rows, err := s.read.LastClimbs(ctx, ladder, int32(n))
	return convertRows(rows, err, "read who climbed", func(r query.Climb) RankChange {
		return RankChange{r.Seq, r.Bot, r.Before, r.Place, fromMicros(r.At)}
	})
}

// eraseBots removes an author's name and programs from all ladders. The results of the bots are kept, but not the
// games.
func (s *Store) eraseBots(ctx context.Context, q *query.Queries, account string) (blobs []blob.Digest, err error) {
	bots, err := q.BotsOfAccount(ctx, account)
	if err != nil {
		return nil, err
	}
	for _, r := range bots {
		b, err := bot(query.BotAuthor{Ladder: r.Ladder, Number: r.Number, Files: r.Files})
		if err != nil {
			return nil, err
		}
		for _, f := range b.Files {
			blobs = append(blobs, f.Digest)
		}
		workflows, err := q.WorkflowsOfBot(ctx, r.Ladder, r.Number)
		if err != nil {
			return nil, err
		}
		for _, f := range append(workflows, r.Flow) {
			workflowBlobs, err := eraseWorkflow(ctx, q, f)
			if err != nil {
				return nil, err
			}
			blobs = append(blobs, workflowBlobs...)
		}
		records, err := q.RecordsOfBot(ctx, r.Ladder, r.Number)
		if err != nil {
			return nil, err
		}
		for _, d := range records {
			blobs = append(blobs, blob.Digest(d))
		}
		if err := errors.Join(q.EraseRecords(ctx, r.Ladder, r.Number),
			q.EraseBot(ctx, query.EraseBotParams{Ladder: r.Ladder, Number: r.Number, Name: DeletedName})); err != nil {
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
