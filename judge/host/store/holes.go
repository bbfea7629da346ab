package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/store/internal/query"
)

// A Hole is a golf problem that accepts submissions while it is open.
type Hole struct {
	ID              string
	Slug            string // unique
	Name            string
	Problem         string     // id
	ProblemSlug     string     // name of the problem
	Visibility      Visibility // not Teams
	ShowSubmissions bool       // everyone who sees the hole may read valid submissions
	Closed          bool       // closed by an administrator
	Closes          time.Time  // time from which it accepts no submissions; zero means never
	Revision        int64      // increases with each change
	Submissions     int64      // number of submissions
	Made            time.Time
}

// NewHole creates a hole for a problem, and sets its ID and Revision. It returns ErrTaken if a hole has the slug,
// and ErrNotFound if the problem does not exist.
func (s *Store) NewHole(ctx context.Context, h *Hole) error {
	p, err := s.Problem(ctx, h.ProblemSlug)
	if err != nil {
		return err
	}
	h.ID, h.Problem, h.Revision, h.Made = newID(), p.ID, 1, fromMicros(s.now())
	return wrapError("make the hole "+h.Slug, s.write.InsertHole(ctx, query.InsertHoleParams{
		ID: h.ID, Slug: h.Slug, Name: sanitize(h.Name), Problem: h.Problem, Visibility: string(h.Visibility),
		Shown: h.ShowSubmissions, Closed: h.Closed,
		Closes: nullMicros(h.Closes), Made: h.Made.UnixMicro(),
	}))
}

// SetHole stores the name, visibility and closing time of h, whether h is closed, and whether its submissions are
// shown. It returns ErrChanged if the stored hole has changed since h was read.
func (s *Store) SetHole(ctx context.Context, h *Hole) error {
	n, err := s.write.UpdateHole(ctx, query.UpdateHoleParams{
		ID: h.ID, Revision: h.Revision, Name: sanitize(h.Name), Visibility: string(h.Visibility), Shown: h.ShowSubmissions,
		Closed: h.Closed,
		Closes: nullMicros(h.Closes),
	})
	if err == nil && n == 0 {
		err = ErrChanged
	}
	if err == nil {
		h.Revision++
	}
	return wrapError("change the hole "+h.Slug, err)
}

// Hole reads a hole.
func (s *Store) Hole(ctx context.Context, slug string) (*Hole, error) {
	r, err := s.read.HoleBySlug(ctx, slug)
	return hole(r), wrapError("read the hole "+slug, err)
}

// Holes reads all holes, oldest first.
func (s *Store) Holes(ctx context.Context) ([]*Hole, error) {
	rows, err := s.read.ListHoles(ctx)
	return convertRows(rows, err, "read the holes", hole)
}

func hole(r query.HoleLine) *Hole {
	return &Hole{
		ID: r.ID, Slug: r.Slug, Name: r.Name, Problem: r.Problem, ProblemSlug: r.ProblemSlug, Visibility: Visibility(r.Visibility),
		ShowSubmissions: r.Shown, Closed: r.Closed,
		Closes: fromMicros(r.Closes.Int64), Revision: r.Revision, Submissions: r.LastNumber, Made: fromMicros(r.Made),
	}
}

// IsClosed reports whether the hole is closed at now.
func (h *Hole) IsClosed(now time.Time) bool {
	return h.Closed || !h.Closes.IsZero() && !now.Before(h.Closes)
}

// An GolfState is the state of a golf submission.
type GolfState string

// The states of a golf submission.
const (
	GolfChecking    GolfState = "checking"    // being checked
	GolfValid       GolfState = "valid"       // valid: correct on every input
	GolfInvalidated GolfState = "invalidated" // no longer valid: two workers found an error in a recheck
	GolfRejected    GolfState = "rejected"    // never valid; if the verdict is empty, no worker could check it
)

// An GolfSubmission is a golf submission.
type GolfSubmission struct {
	ID         string
	Hole       string // id
	Number     int64  // in its hole
	Account    string // id
	Display    string // display name of the account
	File       job.File
	Request    []byte // JSON of a workflow.GolfSubmissionOptions
	Received   time.Time
	State      GolfState
	Workflow   string            // the workflow that checks the submission now; may be empty
	Verdict    judge.GolfVerdict // empty before the first check, or if no worker could check it
	Why        string            // one line that explains why it is not valid
	Language   string            // id; empty before the first check
	Name       string            // of the language, including the flags
	Flags      string
	Bytes      int
	Chars      int
	Events     blob.Digest // of the last check; may be empty
	Toolchain  string      // the identity of the toolchain of the last check
	ValidSince time.Time   // when the submission became valid; zero if never
}

// LanguageKey returns the key of the group in which the submission competes. A group consists of the submissions
// in the same language and with the same flags.
func (a *GolfSubmission) LanguageKey() string { return strings.TrimSpace(a.Language + " " + a.Flags) }

// A NewGolfSubmission is a golf submission to be stored.
type NewGolfSubmission struct {
	// Key makes retries safe, as in NewSubmission.
	Key     string
	Hole    *Hole
	Account string // id
	File    job.File
	Request []byte // JSON
	Spec    []byte // JSON of the workflow that checks the submission; its kind is Kind
	Kind    string
}

// NewGolfSubmission stores a golf submission and the workflow that checks it. A repeated call with the same key returns the
// first submission. NewGolfSubmission returns ErrTooManyWaiting if the queue is full, and ErrEnded if the hole is closed.
func (s *Store) NewGolfSubmission(ctx context.Context, n NewGolfSubmission) (a *GolfSubmission, err error) {
	n.Key = sanitize(n.Key)
	if waiting, err := s.read.CountWaiting(ctx, int64(job.PracticePriority)); err != nil || waiting >= int64(s.options.MaxWaiting) {
		if err == nil {
			err = ErrTooManyWaiting
		}
		return nil, wrapError("keep an answer", err)
	}
	number := int64(0)
	err = s.tx(ctx, "keep an answer", func(q *query.Queries) error {
		now, err := q.NumberAnswer(ctx, s.now(), n.Hole.ID)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrEnded
		}
		if err != nil {
			return fmt.Errorf("lock the hole: %w", err)
		}
		number = now.LastNumber
		if n.Key != "" {
			old, err := q.AnswerByKey(ctx, query.AnswerByKeyParams{
				Account: n.Account, FormKey: n.Key, Hole: n.Hole.ID, Received: fromMicros(now.LastTime).Add(-keyLifetime).UnixMicro(),
			})
			if err == nil {
				number = old
				return errRepeated
			}
			if !errors.Is(err, sql.ErrNoRows) {
				return err
			}
		}
		workflow := newID()
		if _, err := q.InsertWorkflow(ctx, query.InsertWorkflowParams{ID: workflow, Kind: n.Kind, Spec: string(n.Spec), Owner: n.Account,
			Made: now.LastTime}); err != nil {
			return err
		}
		return q.InsertAnswer(ctx, query.InsertAnswerParams{
			ID: newID(), Hole: n.Hole.ID, Number: number, Account: n.Account, FormKey: n.Key, File: n.File.Path,
			Sha256: string(n.File.Digest), Size: n.File.Size,
			Asked: string(n.Request), Received: now.LastTime, Flow: workflow,
		})
	})
	if err != nil && !errors.Is(err, errRepeated) {
		return nil, err
	}
	return s.GolfSubmission(ctx, n.Hole.ID, number)
}

// GolfSubmission reads the golf submission with the given number.
func (s *Store) GolfSubmission(ctx context.Context, hole string, number int64) (*GolfSubmission, error) {
	r, err := s.read.AnswerByNumber(ctx, hole, number)
	return golfSubmission(r), wrapError(fmt.Sprintf("read the answer %d", number), err)
}

// GolfSubmissions reads at most n submissions of an account to a hole, newest first.
func (s *Store) GolfSubmissions(ctx context.Context, hole, account string, n int) ([]*GolfSubmission, error) {
	rows, err := s.read.AnswersOf(ctx, query.AnswersOfParams{Account: account, Hole: hole, Limit: int32(n)})
	return convertRows(rows, err, "read the answers of an account", golfSubmission)
}

// CountRecentGolfSubmissions counts the submissions that an account has sent to a hole within the given time.
func (s *Store) CountRecentGolfSubmissions(ctx context.Context, hole, account string, period time.Duration) (int64, error) {
	n, err := s.read.CountAnswers(ctx, query.CountAnswersParams{
		Account: account, Hole: hole, After: s.now() - period.Microseconds(), Until: s.now() + minuteMicros,
	})
	return n, wrapError("count answers", err)
}

// CorrectGolfSubmissions reads the submissions to a hole that were ever valid, ordered by number. It reads only the fields
// that a ranking shows.
func (s *Store) CorrectGolfSubmissions(ctx context.Context, hole string) ([]*GolfSubmission, error) {
	rows, err := s.read.ScoredAnswers(ctx, hole)
	submissions := make([]*GolfSubmission, 0, len(rows))
	for _, r := range rows {
		submissions = append(submissions, &GolfSubmission{
			Hole: hole, Number: r.Number, Account: r.Account, Display: r.Display, Received: fromMicros(r.Received),
			State:    GolfState(r.State),
			Language: r.Language, Name: r.Name, Flags: r.Flags, Bytes: int(r.Bytes), Chars: int(r.Chars),
			ValidSince: fromMicros(r.Stood.Int64),
		})
	}
	return submissions, wrapError("read the answers of a board", err)
}

// HoleRecord returns the shortest valid submission to a hole, with only the fields that a list of holes shows. Of
// several, it returns the one that was received first. It returns ErrNotFound if no submission is valid.
func (s *Store) HoleRecord(ctx context.Context, hole string) (*GolfSubmission, error) {
	r, err := s.read.ShortestAnswer(ctx, hole)
	return &GolfSubmission{
		Hole: hole, Number: r.Number, Account: r.Account, Display: r.Display, State: GolfValid, Name: r.Name, Bytes: int(r.Bytes),
	}, wrapError("read the record of a hole", err)
}

// ShortestGolfSubmission returns the number of bytes of the shortest valid submission of an account to a hole. It
// returns ErrNotFound if no submission is valid.
func (s *Store) ShortestGolfSubmission(ctx context.Context, hole, account string) (int, error) {
	n, err := s.read.ShortestOfAccount(ctx, account, hole)
	return int(n), wrapError("read the shortest answer of an account", err)
}

func golfSubmission(r query.AnswerLine) *GolfSubmission {
	return &GolfSubmission{
		ID: r.ID, Hole: r.Hole, Number: r.Number, Account: r.Account, Display: r.Display, File: job.File{
			Path: r.File, Size: r.Size, Digest: blob.Digest(r.Sha256),
		},
		Request: []byte(r.Asked), Received: fromMicros(r.Received), State: GolfState(r.State), Workflow: r.Flow,
		Verdict: judge.GolfVerdict(r.Verdict), Why: r.Why,
		Language: r.Language, Name: r.Name, Flags: r.Flags, Bytes: int(r.Bytes), Chars: int(r.Chars), Events: blob.Digest(r.Events),
		Toolchain:  r.Toolchain,
		ValidSince: fromMicros(r.Stood.Int64),
	}
}

// GolfOutcome is the outcome of a golf check.
type GolfOutcome struct {
	Workflow  string
	Correct   bool
	Checked   *judge.GolfChecked // nil if no worker could check it
	Language  string             // id
	Events    blob.Digest        // blob that contains the event Checked
	Why       string             // why the submission is not correct
	Toolchain string
	Workers   []string // the workers that checked it
}

// RecordGolfOutcome records the outcome of a golf check, once. It does nothing if the workflow checks no golf submission. A new
// submission becomes valid or is rejected. A recheck invalidates a valid submission if it is wrong; the submission
// stays valid if no worker could check it. A recheck does not change the size of the submission.
func (s *Store) RecordGolfOutcome(ctx context.Context, e GolfOutcome) error {
	return s.tx(ctx, "keep what became of an answer", func(q *query.Queries) error {
		r, err := q.AnswerOfWorkflow(ctx, e.Workflow)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		now, err := q.StepHole(ctx, s.now(), r.Hole)
		if err != nil {
			return err
		}
		n := query.SettleAnswerParams{
			Flow: e.Workflow, State: r.State, Verdict: r.Verdict, Why: sanitize(e.Why), Language: r.Language, Name: r.Name, Flags: r.Flags,
			Bytes: r.Bytes, Chars: r.Chars,
			Events: r.Events, Toolchain: sanitize(e.Toolchain), Stood: r.Stood,
		}
		stood := GolfState(r.State) == GolfValid
		if e.Checked != nil {
			n.Verdict, n.Events = string(e.Checked.Verdict), string(e.Events)
		}
		switch {
		case stood && e.Checked == nil:
		case stood && !e.Correct:
			n.State = string(GolfInvalidated)
		case stood:
			n.Why = ""
		default:
			if n.State = string(GolfRejected); e.Correct {
				n.State, n.Stood, n.Why = string(GolfValid), nullInt(now), ""
			}
			n.Language = e.Language
			if p := e.Checked; p != nil {
				n.Name, n.Flags, n.Bytes, n.Chars = sanitize(
					p.LanguageWithFlags(),
				), sanitize(
					strings.Join(p.Flags, " "),
				), int64(
					p.Bytes,
				), int64(
					p.Chars,
				)
			}
		}
		if _, err := q.SettleAnswer(ctx, n); err != nil {
			return err
		}
		checkVerdict := ""
		if e.Checked != nil {
			checkVerdict = n.Verdict
		}
		return q.InsertAnswerProof(ctx, query.InsertAnswerProofParams{
			Answer: r.ID, At: now, State: n.State, Verdict: checkVerdict, Why: n.Why, Toolchain: n.Toolchain,
			Workers: sanitize(strings.Join(e.Workers, " ")),
		})
	})
}

// An GolfCheck is the outcome of one check of a golf submission.
type GolfCheck struct {
	At        time.Time
	State     GolfState         // state after the check
	Verdict   judge.GolfVerdict // empty if no worker could check it
	Why       string
	Toolchain string
	Workers   []string
}

// GolfChecks reads the checks of a golf submission, oldest first.
func (s *Store) GolfChecks(ctx context.Context, answer string) ([]GolfCheck, error) {
	rows, err := s.read.ProofsOf(ctx, answer)
	return convertRows(rows, err, "read the proofs of an answer", func(r query.AnswerProof) GolfCheck {
		return GolfCheck{fromMicros(r.At), GolfState(r.State), judge.GolfVerdict(r.Verdict), r.Why, r.Toolchain, strings.Fields(r.Workers)}
	})
}

// An RecheckCandidate submission is a valid one that is to be rechecked.
type RecheckCandidate struct {
	ID        string
	Account   string
	File      job.File
	Request   []byte // JSON
	Problem   Problem
	Language  string // id
	Toolchain string // identity of the workers' current toolchain
}

// ValidGolfSubmissions returns the valid submissions of a hole that are not being rechecked. It omits submissions of deleted
// accounts, because they have no source. The field Now of a result is the current toolchain of the worker class
// for the submission's language. If that is unknown, it is the toolchain of the last check.
func (s *Store) ValidGolfSubmissions(ctx context.Context, hole, class string) ([]RecheckCandidate, error) {
	c, err := s.Class(ctx, class)
	if errors.Is(err, ErrNotFound) {
		c, err = &Class{}, nil
	}
	if err != nil {
		return nil, err
	}
	rows, err := s.read.ValidAnswers(ctx, hole)
	return convertRows(rows, err, "read the valid submissions of a hole", func(r query.ValidAnswersRow) RecheckCandidate {
		return RecheckCandidate{
			r.ID, r.Account, job.File{Path: r.File, Size: r.Size, Digest: blob.Digest(r.Sha256)}, []byte(r.Asked),
			Problem{Slug: r.Slug, Bundle: blob.Digest(r.Bundle), Config: blob.Digest(r.Config)}, r.Language,
			cmp.Or(c.Languages[r.Language], r.Toolchain, "unknown"),
		}
	})
}

// CountValidGolfSubmissions returns how many valid submissions of a hole have a source, and how many of them are
// being rechecked.
func (s *Store) CountValidGolfSubmissions(ctx context.Context, hole string) (valid, rechecking int, err error) {
	r, err := s.read.CountValidAnswers(ctx, hole)
	return int(r.Valid), int(r.Rechecking), wrapError("count the valid submissions of a hole", err)
}

// OutdatedGolfSubmissions returns the valid golf submissions that are not being rechecked and whose last check used a
// different toolchain than the class has now.
func (s *Store) OutdatedGolfSubmissions(ctx context.Context, class string) (candidates []RecheckCandidate, err error) {
	used, err := s.read.StandingToolchains(ctx)
	if err != nil || len(used) == 0 {
		return nil, wrapError("read the toolchains of golf submissions", err)
	}
	c, err := s.Class(ctx, class)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, u := range used {
		now := c.Languages[u.Language]
		if now == "" || u.Toolchain == "" || now == u.Toolchain { // not known to have changed
			continue
		}
		rows, err := s.read.OfToolchain(ctx, u.Language, u.Toolchain)
		if err != nil {
			return nil, wrapError("read the golf submissions of a toolchain", err)
		}
		for _, r := range rows {
			candidates = append(candidates, RecheckCandidate{
				r.ID, r.Account, job.File{Path: r.File, Size: r.Size, Digest: blob.Digest(r.Sha256)}, []byte(r.Asked),
				Problem{Slug: r.Slug, Bundle: blob.Digest(r.Bundle), Config: blob.Digest(r.Config)}, u.Language, now,
			})
		}
	}
	return candidates, nil
}

// RecheckGolfSubmission stores a workflow of the given kind that rechecks a golf submission, and returns its id. The id is empty
// if the submission is no longer valid or is already being rechecked.
func (s *Store) RecheckGolfSubmission(ctx context.Context, answer, account, kind string, spec []byte) (workflow string, err error) {
	err = s.tx(ctx, "prove an answer again", func(q *query.Queries) error {
		workflow = newID()
		n, err := q.RecheckAnswer(ctx, answer, workflow)
		if err != nil || n == 0 {
			workflow = ""
			return err
		}
		_, err = q.InsertWorkflow(ctx, query.InsertWorkflowParams{ID: workflow, Kind: kind, Spec: string(spec), Owner: account, Made: s.now()})
		return err
	})
	return workflow, err
}

// eraseGolfSubmissions deletes the content of an account's golf submissions, but keeps their lengths.
func eraseGolfSubmissions(ctx context.Context, q *query.Queries, account string) (blobs []blob.Digest, err error) {
	rows, err := q.BlobsOfAnswers(ctx, account)
	for _, r := range rows {
		blobs = append(blobs, blob.Digest(r.Sha256), blob.Digest(r.Events))
	}
	return blobs, errors.Join(err, q.EraseAnswerProofs(ctx, account), q.EraseAnswers(ctx, account))
}
