package store

import (
	"context"
	"fmt"
	"time"

	"assay/judge"
	"assay/judge/host/store/internal/query"
)

// A Mark is the jury's verdict override for a submission. Of several overrides, only the newest counts.
type Mark struct {
	At      time.Time
	Ignored bool          // excluded from the scoreboard
	Verdict judge.Verdict // counts instead of the judgement's verdict; may be empty
	Why     string
	Login   string // username of the judge
}

// Mark stores a verdict override, which remains in effect after a rejudging. Seen is the number of overrides that
// the judge has seen. If Seen is -1, Mark stores the override even if there are newer ones. Otherwise it returns
// ErrChanged if there is a newer override. It returns ErrFinal if the results of the contest are final, and
// ErrNotFound if the submission does not exist.
func (s *Store) Mark(ctx context.Context, submission, account string, m Mark, seen int) error {
	return s.tx(ctx, "mark a submission", func(q *query.Queries) error {
		of, err := q.GetSubmission(ctx, submission)
		if err != nil {
			return err
		}
		at, err := s.step(ctx, q, of.Contest, OfSubmission, submission, Updated) // locks the contest
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
		if err := q.SetVerified(ctx, of.Judgement, true); err != nil { // an override counts as a verification
			return err
		}
		if err := q.SetMark(ctx, query.SetMarkParams{Submission: submission, Ignored: m.Ignored, Given: string(m.Verdict)}); err != nil {
			return err
		}
		return q.SettleStanding(ctx, submission)
	})
}

// Marks reads the verdict overrides of a submission, newest first.
func (s *Store) Marks(ctx context.Context, submission string) ([]Mark, error) {
	rows, err := s.read.MarksOf(ctx, submission)
	return each(rows, err, "read the marks of a submission", func(r query.MarksOfRow) Mark {
		return Mark{instant(r.At), r.Ignored, judge.Verdict(r.Verdict), r.Why, r.Login}
	})
}
