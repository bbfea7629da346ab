package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"assay/judge"
	"assay/judge/host/store/internal/query"
)

// A ScoredSubmission contains the data of a team's submission that a scoreboard needs.
type ScoredSubmission struct {
	Number   int64
	Team     string // id
	Label    string // of its problem in the contest
	Received time.Time
	Verdict  judge.Verdict // empty while pending
	// Cancelled reports whether the submission was canceled, so that it will never have a verdict.
	Cancelled bool
	Ignored   bool // excluded by the jury
	// Unverified reports whether a judge must verify the verdict before contestants see it.
	Unverified bool
	Overridden bool // the verdict is an override of the jury
	Score      *judge.Score
	Parts      []float64 // see judge.Finished
}

// ScoredSubmissions reads the submissions of a contest's teams to the problems in the contest, ordered by number.
func (s *Store) ScoredSubmissions(ctx context.Context, contest string) ([]ScoredSubmission, error) {
	rows, err := s.read.CountedOf(ctx, contest)
	if err != nil {
		return nil, wrapError("read the submissions for a board", err)
	}
	submissions := make([]ScoredSubmission, 0, len(rows))
	for _, r := range rows {
		c, err := scored(r)
		if err != nil {
			return nil, err
		}
		submissions = append(submissions, *c)
	}
	return submissions, nil
}

// EventScoredSubmission reads the submission of a log event, whose kind must be KindSubmission or KindJudgement. It
// returns nil, nil if the submission has no team, or if its problem is not in the contest.
func (s *Store) EventScoredSubmission(ctx context.Context, e Event) (*ScoredSubmission, error) {
	read := s.read.Counted
	if e.Kind == KindJudgement {
		read = s.read.CountedByJudgement
	}
	r, err := read(ctx, e.Object)
	if err = ifNoRows(err, ErrNotFound); errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	return convertRow(r, err, "read a submission for a board", scored)
}

func scored(r query.Counted) (*ScoredSubmission, error) {
	c := &ScoredSubmission{
		Number: r.Number, Team: r.Team, Label: r.Label, Received: fromMicros(r.Received), Verdict: judge.Verdict(r.Verdict.String),
		Cancelled: r.Ended.Valid &&
			!r.Verdict.Valid, Ignored: r.Ignored, Overridden: r.Given != "", Unverified: VerifyState(r.Verify) == Unverified,
	}
	if c.Overridden { // the score of the judgement does not count
		if c.Verdict, c.Cancelled = judge.Verdict(r.Given), false; r.Given == Unjudged {
			c.Verdict = judge.NotJudged
		}
		return c, nil
	}
	if !r.Score.Valid {
		return c, nil
	}
	var f judge.Finished
	if err := json.Unmarshal([]byte(r.Finished.String), &f); err != nil {
		return nil, fmt.Errorf("read the score of the submission %d: %w", r.Number, err)
	}
	c.Score, c.Parts = f.Score, f.ScoreParts
	return c, nil
}
