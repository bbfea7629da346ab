package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/judge"
	"assay/judge/host/store/internal/query"
)

// VerifyMode reports whether judges verify the verdicts of a problem in a contest.
type VerifyMode string

// The modes. With those for rejected submissions, accepted ones need no verification.
const (
	VerifyNot            VerifyMode = ""
	VerifyBefore         VerifyMode = "before" // contestants see a verdict once a judge verified it
	VerifyBeforeRejected VerifyMode = "before-rejected"
	VerifyAfter          VerifyMode = "after" // contestants see it at once
	VerifyAfterRejected  VerifyMode = "after-rejected"
)

// VerifyModes are all modes.
var VerifyModes = []VerifyMode{VerifyNot, VerifyBefore, VerifyBeforeRejected, VerifyAfter, VerifyAfterRejected}

// before reports whether contestants must not see a verdict before it is verified.
func (m VerifyMode) before(v judge.Verdict) bool {
	return v != judge.NotJudged && (m == VerifyBefore || m == VerifyBeforeRejected && v != judge.Accepted)
}

// VerifyState reports whether the verdict that counts of a submission must be verified.
type VerifyState string

// The states. Nothing is to verify in the zero state.
const (
	Unverified       VerifyState = "before" // contestants do not see it yet
	UnverifiedPublic VerifyState = "after"
	Verified         VerifyState = "done"
)

// Open reports whether a judge must still verify the verdict.
func (s VerifyState) Open() bool { return s == Unverified || s == UnverifiedPublic }

// A Verification is what a judge said about a verdict.
type Verification struct {
	At      time.Time
	OK      bool // the verdict is verified; if not, it was taken back
	Note    string
	Login   string
	Verdict judge.Verdict
	// Judgement is the id of the judgement.
	Judgement string
}

// ErrSeen means that contestants may have seen a verdict already.
var ErrSeen = errors.New("contestants may have seen the verdict")

// Verify records what a judge said about a judgement, which must be the current one of its submission. It returns
// ErrChanged if it is not, ErrNotReady if nothing needs verification, ErrSeen if a verdict that contestants may have
// seen would be hidden again, and ErrFinal if the results of the contest are final.
func (s *Store) Verify(ctx context.Context, submission, account string, v Verification) error {
	return s.tx(ctx, "verify a verdict", func(q *query.Queries) error {
		of, err := q.GetSubmission(ctx, submission)
		if err != nil {
			return err
		}
		at, err := s.step(ctx, q, of.Contest, OfSubmission, submission, Updated) // this locks the contest
		if err != nil {
			return err
		}
		if c, err := q.GetContest(ctx, of.Contest); err != nil || c.Finalized.Valid {
			return errors.Join(err, ErrFinal)
		}
		if of, err = q.GetSubmission(ctx, submission); err != nil {
			return err
		}
		switch {
		case of.Judgement != v.Judgement:
			return ErrChanged
		case of.Verify == "":
			return ErrNotReady
		}
		if j, err := q.StandingJudgement(ctx, submission); err != nil {
			return err
		} else if !v.OK && j.Verified && VerifyMode(j.Verify).before(judge.Verdict(j.Verdict.String)) {
			return ErrSeen
		}
		if err := q.InsertVerification(ctx, query.InsertVerificationParams{
			Judgement: v.Judgement, At: at, Account: account, Ok: v.OK, Note: clean(v.Note),
		}); err != nil {
			return err
		}
		if err := q.SetVerified(ctx, v.Judgement, v.OK); err != nil {
			return err
		}
		return q.SettleStanding(ctx, submission)
	})
}

// Verifications reads what judges said about the verdicts of a submission, newest first.
func (s *Store) Verifications(ctx context.Context, submission string) ([]Verification, error) {
	rows, err := s.read.VerificationsOf(ctx, submission)
	return each(rows, err, "read the verifications of a submission", func(r query.VerificationsOfRow) Verification {
		return Verification{instant(r.At), r.Ok, r.Note, r.Login, judge.Verdict(r.Verdict.String), r.ID}
	})
}

// CountVerified returns how many verdicts of a contest judges verified, and how many they verify in all.
func (s *Store) CountVerified(ctx context.Context, contest string) (done, all int, err error) {
	rows, err := s.read.CountVerify(ctx, contest)
	for _, r := range rows {
		all += int(r.Submissions)
		if VerifyState(r.Verify) == Verified {
			done = int(r.Submissions)
		}
	}
	return done, all, failed("count what is verified", err)
}

// SetVerify sets whether judges verify the verdicts of a problem of a contest. It holds for judgements that
// begin later.
func (s *Store) SetVerify(ctx context.Context, contest, label string, m VerifyMode) error {
	if !slices.Contains(VerifyModes, m) {
		return fmt.Errorf("the mode of verification %q: %w", m, ErrNotFound)
	}
	return s.tx(ctx, "set whether judges verify", func(q *query.Queries) error {
		if _, err := s.step(ctx, q, contest, OfContest, contest, Updated); err != nil {
			return err
		}
		if err := s.changing(ctx, q, contest); err != nil {
			return err
		}
		n, err := q.SetProblemVerify(ctx, query.SetProblemVerifyParams{Contest: contest, Label: label, Verify: string(m)})
		return changed(n, err)
	})
}

// Pause stops or resumes the judging of the submissions to a problem of a contest. A submission that a worker is
// already judging is not stopped.
func (s *Store) Pause(ctx context.Context, contest, label string, paused bool) error {
	return s.tx(ctx, "pause the judging of a problem", func(q *query.Queries) error {
		// which locks the contest: no submission arrives meanwhile
		if _, err := s.step(ctx, q, contest, OfContest, contest, Updated); err != nil {
			return err
		}
		n, err := q.SetProblemPaused(ctx, query.SetProblemPausedParams{Contest: contest, Label: label, JudgingPaused: paused})
		if changed(n, err) != nil {
			return changed(n, err)
		}
		return q.PauseJobs(ctx, query.PauseJobsParams{Contest: contest, Label: label, Paused: paused})
	})
}

// verifyMode returns whether judges verify the verdict of a submission of a contest that is locked. They do
// not if it counts for no team or came after the end.
func (s *Store) verifyMode(ctx context.Context, q *query.Queries, contestID, submission string) (string, error) {
	m, err := q.VerifyMode(ctx, submission)
	if err != nil || m.Verify == "" {
		if errors.Is(err, sql.ErrNoRows) { // of no team, or of a problem that left the contest
			err = nil
		}
		return "", err
	}
	row, err := q.GetContest(ctx, contestID)
	if err != nil {
		return "", err
	}
	c, err := contest(row)
	if err != nil {
		return "", err
	}
	extra := time.Duration(m.ExtraTime) * time.Microsecond
	if end := c.Ends(); !end.IsZero() && !instant(m.At).Before(end.Add(extra)) {
		return "", nil
	}
	return m.Verify, nil
}
