package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"assay/judge/blob"
	"assay/judge/host/store/internal/query"
)

// A Problem is a problem with its active bundle.
type Problem struct {
	ID          string
	Slug        string // unique
	Title       string
	Owner       string      // id of an account
	Bundle      blob.Digest // the active one
	Config      blob.Digest // the languages and limits of the active bundle
	ProblemInfo blob.Digest // the problem metadata for pages; may be empty
	Made        time.Time
	// Practice is what a contestant sees in practice. If empty, the server's setting applies.
	Practice PracticeLevel
}

// PracticeLevel says what accounts without a role see of their submissions to a problem in practice.
// Administrators and judges see everything.
type PracticeLevel string

// The practice levels.
const (
	PracticeOff     PracticeLevel = "off"     // practice is disabled
	PracticeVerdict PracticeLevel = "verdict" // the verdict
	PracticeSamples PracticeLevel = "samples" // the verdict of each test case, and everything about the samples
	PracticeAll     PracticeLevel = "all"     // everything, including the secret test cases
)

// PracticeLevels lists the levels, beginning with the one that shows least.
var PracticeLevels = []PracticeLevel{PracticeOff, PracticeVerdict, PracticeSamples, PracticeAll}

// NewBundle is a bundle for PutBundle.
type NewBundle struct {
	Problem string // slug
	Title   string
	Owner   string // id of an account; ignored if the problem exists
	// AnyOwner allows publishing the bundle even if the problem belongs to another account.
	AnyOwner bool
	ID       blob.Digest
	// Manifest is the blob that lists all blobs of the bundle.
	Manifest    blob.Digest
	Config      blob.Digest
	ProblemInfo blob.Digest // may be empty
	MadeBy      string      // id of an account
	// Practice is the new practice level of the problem. If nil, it does not change.
	Practice *PracticeLevel
	// Candidate keeps the active bundle: only rejudgings can use the new one.
	Candidate bool
}

// PutBundle creates the problem if it is new, and makes the bundle active unless it is a candidate. Putting the
// same bundle again changes nothing. It returns ErrTaken if the problem belongs to another account, and
// ErrNotFound if b is a candidate and the problem does not exist.
func (s *Store) PutBundle(ctx context.Context, b NewBundle) (p *Problem, err error) {
	err = s.tx(ctx, "keep a bundle of "+b.Problem, func(q *query.Queries) error {
		now, practice := s.now(), PracticeLevel("")
		if b.Practice != nil {
			practice = *b.Practice
		}
		old, err := q.ProblemBySlug(ctx, b.Problem)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		added := query.InsertBundleParams{
			Problem: old.ID, ID: string(b.ID), Manifest: string(b.Manifest), Config: string(b.Config), Made: now, MadeBy: b.MadeBy,
		}
		if b.Candidate {
			switch p = problem(old); {
			case err != nil:
				return ErrNotFound
			case old.Owner != b.Owner && !b.AnyOwner:
				return ErrTaken
			}
			return q.InsertBundle(ctx, added)
		}
		row, err := q.PutProblem(ctx, query.PutProblemParams{
			ID: newID(), Slug: b.Problem, Title: b.Title, Owner: b.Owner, Bundle: string(b.ID), Config: string(b.Config),
			Sheet: string(b.ProblemInfo), Made: now,
			Anybodys: b.AnyOwner, Practice: string(practice), KeepPractice: b.Practice == nil,
		})
		if errors.Is(err, sql.ErrNoRows) {
			return ErrTaken
		}
		if err != nil {
			return err
		}
		p = problem(row)
		if row.Bundle != old.Bundle || row.Sheet != old.Sheet || row.Title != old.Title {
			if err := s.logPublication(ctx, q, p.Slug); err != nil {
				return err
			}
		}
		added.Problem = p.ID
		return q.InsertBundle(ctx, added)
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// logPublication records a new version of the problem in the event logs of its contests.
func (s *Store) logPublication(ctx context.Context, q *query.Queries, slug string) error {
	contests, err := q.ContestsOfProblem(ctx, slug)
	if err != nil {
		return err
	}
	for _, c := range contests {
		if _, err := s.appendEvent(ctx, q, c.ID, KindContest, c.ID, OpUpdated); err != nil {
			return err
		}
	}
	return nil
}

// Problem reads a problem.
func (s *Store) Problem(ctx context.Context, slug string) (*Problem, error) {
	row, err := s.read.ProblemBySlug(ctx, slug)
	return problem(row), wrapError("read the problem "+slug, err)
}

// Problems reads all problems, ordered by slug.
func (s *Store) Problems(ctx context.Context) ([]*Problem, error) {
	rows, err := s.read.ListProblems(ctx)
	problems := make([]*Problem, 0, len(rows))
	for _, r := range rows {
		problems = append(problems, problem(r))
	}
	slices.SortFunc(problems, func(a, b *Problem) int { return cmp.Compare(a.Slug, b.Slug) })
	return problems, wrapError("read the problems", err)
}

func problem(r query.Problem) *Problem {
	return &Problem{
		r.ID, r.Slug, r.Title, r.Owner, blob.Digest(r.Bundle), blob.Digest(r.Config), blob.Digest(r.Sheet), fromMicros(r.Made),
		PracticeLevel(r.Practice),
	}
}

// A BundleVersion is a bundle of a problem, as listed.
type BundleVersion struct {
	ID       blob.Digest
	Manifest blob.Digest
	Config   blob.Digest // its languages and limits
	Made     time.Time
	Login    string // username of the publisher
}

// BundleVersions reads the bundles of a problem, newest first.
func (s *Store) BundleVersions(ctx context.Context, p *Problem) ([]BundleVersion, error) {
	rows, err := s.read.ListBundles(ctx, p.ID)
	return convertRows(rows, err, "read the versions of "+p.Slug, func(r query.ListBundlesRow) BundleVersion {
		return BundleVersion{blob.Digest(r.ID), blob.Digest(r.Manifest), blob.Digest(r.Config), fromMicros(r.Made), r.Login}
	})
}

// ProblemsWithBundle returns the problems whose active bundle is the given one.
func (s *Store) ProblemsWithBundle(ctx context.Context, bundle blob.Digest) ([]*Problem, error) {
	rows, err := s.read.ProblemsWithBundle(ctx, string(bundle))
	return convertRows(rows, err, "look whose bundle "+string(bundle)+" is", problem)
}

// EstimateCost estimates the CPU time for judging a submission. It is the median of the last 20 judgements of the problem,
// or 5 s if there are none.
func (s *Store) EstimateCost(ctx context.Context, slug string) (time.Duration, error) {
	const last, first = 20, 5 * time.Second
	p, err := s.Problem(ctx, slug)
	if err != nil {
		return 0, err
	}
	costs, err := s.read.LastCosts(ctx, p.ID, last)
	if err != nil || len(costs) == 0 {
		return first, wrapError("read the costs of "+slug, err)
	}
	slices.Sort(costs)
	return time.Duration(costs[len(costs)/2]) * time.Microsecond, nil
}
