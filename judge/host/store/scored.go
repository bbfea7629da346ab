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

// A Scored contains the data of a team's submission that a scoreboard needs.
type Scored struct {
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
	Given      bool // the verdict is an override of the jury
	Score      *judge.Score
	Parts      []float64 // see judge.Finished
}

// ScoredOf reads the submissions of a contest's teams to the problems in the contest, ordered by number.
func (s *Store) ScoredOf(ctx context.Context, contest string) ([]Scored, error) {
	rows, err := s.read.CountedOf(ctx, contest)
	if err != nil {
		return nil, failed("read the submissions for a board", err)
	}
	all := make([]Scored, 0, len(rows))
	for _, r := range rows {
		c, err := scored(r)
		if err != nil {
			return nil, err
		}
		all = append(all, *c)
	}
	return all, nil
}

// ScoredBy reads the submission of a log event, whose kind must be OfSubmission or OfJudgement. It returns nil,
// nil if the submission has no team, or if its problem is not in the contest.
func (s *Store) ScoredBy(ctx context.Context, e Event) (*Scored, error) {
	read := s.read.Counted
	if e.Kind == OfJudgement {
		read = s.read.CountedByJudgement
	}
	r, err := read(ctx, e.Object)
	if err = none(err, ErrNotFound); errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	return one(r, err, "read a submission for a board", scored)
}

func scored(r query.Counted) (*Scored, error) {
	c := &Scored{
		Number: r.Number, Team: r.Team, Label: r.Label, Received: instant(r.Received), Verdict: judge.Verdict(r.Verdict.String),
		Cancelled: r.Ended.Valid && !r.Verdict.Valid, Ignored: r.Ignored, Given: r.Given != "", Unverified: VerifyState(r.Verify) == Unverified,
	}
	if c.Given { // the score of the judgement does not count
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
	c.Score, c.Parts = f.Score, f.Parts
	return c, nil
}
