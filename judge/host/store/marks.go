package store

import (
	"context"
	"fmt"
	"time"

	"assay/judge"
	"assay/judge/host/store/internal/query"
)

// Mark is what staff decided about a submission. The last one holds.
type Mark struct {
	At      time.Time
	Ignored bool          // it has no effect on the board
	Verdict judge.Verdict // that counts instead of the judging's; "" for that one
	Why     string
	Login   string // of the one who decided
}

// Mark keeps what an account decided about a submission, which holds from then on, also when
// it is judged again. Seen is how many marks the account had read; -1 is whatever there are.
// ErrChanged says that there is another one by now, ErrFinal that the results of its contest
// are final, ErrNotFound that there is no such submission.
func (s *Store) Mark(ctx context.Context, submission, account string, m Mark, seen int) error {
	return s.tx(ctx, "mark a submission", func(q *query.Queries) error {
		of, err := q.GetSubmission(ctx, submission)
		if err != nil {
			return err
		}
		at, err := s.step(ctx, q, of.Contest, OfSubmission, submission, Updated) // which locks the contest
		if err != nil {
			return fmt.Errorf("lock the contest: %w", err)
		}
		if c, err := q.GetContest(ctx, of.Contest); err != nil {
			return err
		} else if c.Finalized.Valid {
			return ErrFinal
		}
		if before, err := q.MarksOf(ctx, submission); err != nil {
			return err
		} else if seen >= 0 && len(before) != seen {
			return ErrChanged
		}
		if err := q.InsertMark(ctx, query.InsertMarkParams{
			ID: newID(), Submission: submission, At: at, Ignored: m.Ignored, Verdict: string(m.Verdict), Why: clean(m.Why), Account: account,
		}); err != nil {
			return err
		}
		if err := q.SetVerified(ctx, of.Judgement, true); err != nil { // a judge has looked at it
			return err
		}
		if err := q.SetMark(ctx, query.SetMarkParams{Submission: submission, Ignored: m.Ignored, Given: string(m.Verdict)}); err != nil {
			return err
		}
		return q.SettleStanding(ctx, submission)
	})
}

// Marks reads what staff decided about a submission, the last first.
func (s *Store) Marks(ctx context.Context, submission string) ([]Mark, error) {
	rows, err := s.read.MarksOf(ctx, submission)
	return each(rows, err, "read the marks of a submission", func(r query.MarksOfRow) Mark {
		return Mark{instant(r.At), r.Ignored, judge.Verdict(r.Verdict), r.Why, r.Login}
	})
}
