package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"assay/judge"
	"assay/judge/host/store/internal/query"
)

// An FinalizeBlockers lists what prevents the results of a contest from becoming final. As an error, it matches
// ErrNotReady.
type FinalizeBlockers struct {
	Ended bool // the contest has ended for every team
	// End is the time when the contest ends for the last team, including extra time. It is zero if unknown.
	End           time.Time
	Extra         time.Duration // extra time of the last team
	Pending       []int64       // numbers of submissions without a verdict, newest first
	JudgeErrors   []int64       // numbers of submissions with a judge error
	Verified, All int           // number of verified verdicts, and of all verdicts
	Rejudgings    int           // number of open rejudgings
	OpenQuestions int
	// Differences lists unacknowledged differences from the primary, if the contest follows one.
	Differences []string
}

// Any reports whether anything prevents the results from becoming final.
func (u *FinalizeBlockers) Any() bool {
	return !u.Ended || len(u.Pending)+len(u.JudgeErrors)+u.Rejudgings+u.OpenQuestions+len(u.Differences) > 0 || u.Verified < u.All
}

func (u *FinalizeBlockers) Error() string { return "the results of the contest cannot be final yet" }

// Is reports whether err is ErrNotReady.
func (u *FinalizeBlockers) Is(err error) bool { return err == ErrNotReady }

// FinalizeBlockers returns what prevents the results of a contest from becoming final. If the contest follows a primary,
// compared is the comparison with the primary; otherwise it is nil.
func (s *Store) FinalizeBlockers(ctx context.Context, c *Contest, compared *Comparison) (*FinalizeBlockers, error) {
	u, err := s.finalizeBlockers(ctx, s.read, c)
	if err == nil && compared != nil {
		u.Differences = compared.Unacknowledged()
	}
	return u, wrapError("look for what keeps the results from being final", err)
}

func (s *Store) finalizeBlockers(ctx context.Context, q *query.Queries, c *Contest) (*FinalizeBlockers, error) {
	u := &FinalizeBlockers{}
	teams, err := q.TeamsOf(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	extra := map[string]time.Duration{}
	for _, t := range teams {
		extra[t.ID] = time.Duration(t.ExtraTime) * time.Microsecond
		u.Extra = max(u.Extra, extra[t.ID])
	}
	if end := c.Ends(); !end.IsZero() {
		u.End = end.Add(u.Extra)
		u.Ended = !s.options.Now().Before(u.End)
	}
	withVerdict := func(verdict string) (numbers []int64, err error) {
		rows, err := q.SubmissionsOfVerdict(ctx, c.ID, verdict)
		for _, r := range rows {
			if late := !c.Ends().IsZero() && !fromMicros(r.Received).Before(c.Ends().Add(extra[r.Team.String])); !late {
				numbers = append(numbers, r.Number)
			}
		}
		return numbers, err
	}
	var errs [5]error
	u.Pending, errs[0] = withVerdict(Unjudged)
	u.JudgeErrors, errs[1] = withVerdict(string(judge.JudgeError))
	verify, err := q.CountVerify(ctx, c.ID)
	errs[2] = err
	for _, r := range verify {
		u.All += int(r.Submissions)
		if VerifyState(r.Verify) == Verified {
			u.Verified = int(r.Submissions)
		}
	}
	rejudgings, err := q.RejudgingsOf(ctx, c.ID)
	errs[3] = err
	for _, r := range rejudgings {
		if RejudgingState(r.State) == RejudgingRunning {
			u.Rejudgings++
		}
	}
	questions, err := q.OpenQuestions(ctx, c.ID, "")
	u.OpenQuestions, errs[4] = int(questions), err
	return u, errors.Join(errs[:]...)
}

// LastEnd returns the time when a contest ends for its last team, including extra time. It is zero if the contest
// has no end.
func (s *Store) LastEnd(ctx context.Context, c *Contest) (time.Time, error) {
	end := c.Ends()
	if end.IsZero() {
		return end, nil
	}
	teams, err := s.Teams(ctx, c.ID)
	var extra time.Duration
	for _, t := range teams {
		extra = max(extra, t.ExtraTime)
	}
	return end.Add(extra), err
}

// Finalize makes the results of a contest final. The caller sets FinalB and FinalBy of the contest, and passes the
// comparison with its primary. If the contest follows no primary, compared is nil. Finalize returns an *FinalizeBlockers
// if the results cannot be final yet. It returns ErrChanged if the contest has changed since it was read or
// compared.
func (s *Store) Finalize(ctx context.Context, c *Contest, compared *Comparison) error {
	final := *c
	err := s.tx(ctx, "make the results final", func(q *query.Queries) error {
		if n, err := q.HoldContest(ctx, c.ID); errIfUnchanged(n, err) != nil { // no submission or clarification request arrives meanwhile
			return errIfUnchanged(n, err)
		}
		u, err := s.finalizeBlockers(ctx, q, c)
		if err != nil {
			return err
		}
		if u.Differences, err = unacknowledgedDifferences(ctx, q, c.ID, compared); err != nil {
			return err
		}
		if u.Any() {
			return u
		}
		final = *c
		final.Finalized = s.options.Now()
		return s.setContest(ctx, q, &final, nil)
	})
	if err == nil {
		*c = final
		c.Revision++
	}
	return err
}

// unacknowledgedDifferences returns the differences from the primary of a contest that are not acknowledged. It returns
// ErrChanged if the contest has changed, or if data was received from the primary, since the comparison.
func unacknowledgedDifferences(ctx context.Context, q *query.Queries, contest string, compared *Comparison) ([]string, error) {
	r, err := q.SourceOf(ctx, contest)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, err
	}
	now, err := externalSource(r)
	if err != nil {
		return nil, err
	}
	c, err := q.GetContest(ctx, contest)
	switch {
	case err != nil:
		return nil, err
	case compared == nil, compared.Seq != c.LastSeq, compared.Source.URL != now.URL, compared.Source.Token != now.Token,
		compared.Source.Scoreboard != now.Scoreboard:
		return nil, ErrChanged
	}
	return (&Comparison{Source: now, Differences: compared.Differences}).Unacknowledged(), nil
}
