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

// A VerifyMode determines which verdicts of a problem in a contest judges must verify, and when.
type VerifyMode string

// The verification modes. The two modes for rejected submissions require no verification of accepted ones.
const (
	VerifyNone           VerifyMode = ""
	VerifyBefore         VerifyMode = "before" // contestants see a verdict only after it is verified
	VerifyBeforeRejected VerifyMode = "before-rejected"
	VerifyAfter          VerifyMode = "after" // contestants see a verdict at once
	VerifyAfterRejected  VerifyMode = "after-rejected"
)

// VerifyModes lists all modes.
var VerifyModes = []VerifyMode{VerifyNone, VerifyBefore, VerifyBeforeRejected, VerifyAfter, VerifyAfterRejected}

// withholds reports whether v must be verified before contestants see it.
func (m VerifyMode) withholds(v judge.Verdict) bool {
	return v != judge.NotJudged && (m == VerifyBefore || m == VerifyBeforeRejected && v != judge.Accepted)
}

// VerifyState is the verification state of a submission's current verdict.
type VerifyState string

// The verification states. In the zero state, the verdict needs no verification.
const (
	Unverified       VerifyState = "before" // contestants do not see the verdict yet
	UnverifiedPublic VerifyState = "after"
	Verified         VerifyState = "done"
)

// Pending reports whether a judge must still verify the verdict.
func (s VerifyState) Pending() bool { return s == Unverified || s == UnverifiedPublic }

// A Verification is a judge's decision about a verdict.
type Verification struct {
	At      time.Time
	OK      bool // the verdict is verified; if false, the verification was undone
	Note    string
	Login   string
	Verdict judge.Verdict
	// Judgement is the id of the verified judgement.
	Judgement string
}

// ErrVerdictPublic means that contestants may already have seen a verdict.
var ErrVerdictPublic = errors.New("contestants may have seen the verdict")

// Verify records a judge's decision about a judgement. It returns ErrChanged if the judgement is not the current
// one of its submission, and ErrNotReady if the verdict needs no verification. It returns ErrVerdictPublic if the decision
// would hide a verdict that contestants may have seen, and ErrResultsFinal if the results of the contest are final.
func (s *Store) Verify(ctx context.Context, submission, account string, v Verification) error {
	return s.tx(ctx, "verify a verdict", func(q *query.Queries) error {
		row, err := q.GetSubmission(ctx, submission)
		if err != nil {
			return err
		}
		now, err := s.appendEvent(ctx, q, row.Contest, KindSubmission, submission, OpUpdated) // locks the contest
		if err != nil {
			return err
		}
		if c, err := q.GetContest(ctx, row.Contest); err != nil || c.Finalized.Valid {
			return errors.Join(err, ErrResultsFinal)
		}
		if row, err = q.GetSubmission(ctx, submission); err != nil {
			return err
		}
		switch {
		case row.Judgement != v.Judgement:
			return ErrChanged
		case row.Verify == "":
			return ErrNotReady
		}
		if j, err := q.StandingJudgement(ctx, submission); err != nil {
			return err
		} else if !v.OK && j.Verified && VerifyMode(j.Verify).withholds(judge.Verdict(j.Verdict.String)) {
			return ErrVerdictPublic
		}
		if err := q.InsertVerification(ctx, query.InsertVerificationParams{
			Judgement: v.Judgement, At: now, Account: account, Ok: v.OK, Note: sanitize(v.Note),
		}); err != nil {
			return err
		}
		if err := q.SetVerified(ctx, v.Judgement, v.OK); err != nil {
			return err
		}
		return q.SettleStanding(ctx, submission)
	})
}

// Verifications reads the judges' decisions about a submission's verdicts, newest first.
func (s *Store) Verifications(ctx context.Context, submission string) ([]Verification, error) {
	rows, err := s.read.VerificationsOf(ctx, submission)
	return convertRows(rows, err, "read the verifications of a submission", func(r query.VerificationsOfRow) Verification {
		return Verification{fromMicros(r.At), r.Ok, r.Note, r.Login, judge.Verdict(r.Verdict.String), r.ID}
	})
}

// CountVerified returns how many verdicts of a contest are verified, and how many require verification in all.
func (s *Store) CountVerified(ctx context.Context, contest string) (verified, required int, err error) {
	rows, err := s.read.CountVerify(ctx, contest)
	for _, r := range rows {
		required += int(r.Submissions)
		if VerifyState(r.Verify) == Verified {
			verified = int(r.Submissions)
		}
	}
	return verified, required, wrapError("count what is verified", err)
}

// SetVerify sets the verification mode of a problem in a contest. It applies to judgements that begin later.
func (s *Store) SetVerify(ctx context.Context, contest, label string, m VerifyMode) error {
	if !slices.Contains(VerifyModes, m) {
		return fmt.Errorf("the mode of verification %q: %w", m, ErrNotFound)
	}
	return s.tx(ctx, "set whether judges verify", func(q *query.Queries) error {
		if _, err := s.appendEvent(ctx, q, contest, KindContest, contest, OpUpdated); err != nil {
			return err
		}
		if err := s.checkChangeable(ctx, q, contest); err != nil {
			return err
		}
		n, err := q.SetProblemVerify(ctx, query.SetProblemVerifyParams{Contest: contest, Label: label, Verify: string(m)})
		return errIfUnchanged(n, err)
	})
}

// SetPaused stops or resumes judging of the submissions to a problem of a contest. It does not stop a submission that
// a worker is already judging.
func (s *Store) SetPaused(ctx context.Context, contest, label string, paused bool) error {
	return s.tx(ctx, "pause the judging of a problem", func(q *query.Queries) error {
		// This locks the contest, so no submission arrives meanwhile.
		if _, err := s.appendEvent(ctx, q, contest, KindContest, contest, OpUpdated); err != nil {
			return err
		}
		n, err := q.SetProblemPaused(ctx, query.SetProblemPausedParams{Contest: contest, Label: label, JudgingPaused: paused})
		if errIfUnchanged(n, err) != nil {
			return errIfUnchanged(n, err)
		}
		return q.PauseJobs(ctx, query.PauseJobsParams{Contest: contest, Label: label, Paused: paused})
	})
}

// verifyMode returns the verification mode for a submission. The caller must have locked the submission's contest.
// The mode is empty if the submission counts for no team or arrived after the contest had ended for its team.
func (s *Store) verifyMode(ctx context.Context, q *query.Queries, contestID, submission string) (string, error) {
	m, err := q.VerifyMode(ctx, submission)
	if err != nil || m.Verify == "" {
		if errors.Is(err, sql.ErrNoRows) { // no team, or the problem was removed from the contest
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
	if end := c.Ends(); !end.IsZero() && !fromMicros(m.At).Before(end.Add(extra)) {
		return "", nil
	}
	return m.Verify, nil
}
