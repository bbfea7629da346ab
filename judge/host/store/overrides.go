package store

import (
	"context"
	"fmt"
	"time"

	"assay/judge"
	"assay/judge/host/store/internal/query"
)

// An Override is the jury's verdict override for a submission. Of several overrides, only the newest counts.
type Override struct {
	At      time.Time
	Ignored bool          // excluded from the scoreboard
	Verdict judge.Verdict // counts instead of the judgement's verdict; may be empty
	Why     string
	Login   string // username of the judge
}

// AddOverride stores a verdict override, which remains in effect after a rejudging. SeenCount is the number of
// overrides that the judge has seen. If Seen is -1, Mark stores the override even if there are newer ones. Otherwise
// it returns ErrChanged if there is a newer override. It returns ErrResultsFinal if the results of the contest are
// final, and ErrNotFound if the submission does not exist.
func (s *Store) AddOverride(ctx context.Context, submission, account string, m Override, seenCount int) error {
	return s.tx(ctx, "mark a submission", func(q *query.Queries) error {
		row, err := q.GetSubmission(ctx, submission)
		if err != nil {
			return err
		}
		now, err := s.appendEvent(ctx, q, row.Contest, KindSubmission, submission, OpUpdated) // locks the contest
		if err != nil {
			return fmt.Errorf("lock the contest: %w", err)
		}
		if c, err := q.GetContest(ctx, row.Contest); err != nil {
			return err
		} else if c.Finalized.Valid {
			return ErrResultsFinal
		}
		if before, err := q.MarksOf(ctx, submission); err != nil {
			return err
		} else if seenCount >= 0 && len(before) != seenCount {
			return ErrChanged
		}
		if err := q.InsertMark(ctx, query.InsertMarkParams{
			ID: newID(), Submission: submission, At: now, Ignored: m.Ignored, Verdict: string(m.Verdict), Why: sanitize(m.Why),
			Account: account,
		}); err != nil {
			return err
		}
		if err := q.SetVerified(ctx, row.Judgement, true); err != nil { // an override counts as a verification
			return err
		}
		if err := q.SetMark(ctx, query.SetMarkParams{Submission: submission, Ignored: m.Ignored, Given: string(m.Verdict)}); err != nil {
			return err
		}
		return q.SettleStanding(ctx, submission)
	})
}

// Overrides reads the verdict overrides of a submission, newest first.
func (s *Store) Overrides(ctx context.Context, submission string) ([]Override, error) {
	rows, err := s.read.MarksOf(ctx, submission)
	return convertRows(rows, err, "read the marks of a submission", func(r query.MarksOfRow) Override {
		return Override{fromMicros(r.At), r.Ignored, judge.Verdict(r.Verdict), r.Why, r.Login}
	})
}
