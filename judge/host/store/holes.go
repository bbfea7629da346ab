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
	ID          string
	Slug        string // unique
	Name        string
	Problem     string     // id
	ProblemSlug string     // name of the problem
	Visibility  Visibility // not Teams
	Shown       bool       // everyone who sees the hole may read valid submissions
	Closed      bool       // closed by an administrator
	Closes      time.Time  // time from which it accepts no submissions; zero means never
	Revision    int64      // increases with each change
	Answers     int64      // number of submissions
	Made        time.Time
}

// NewHole creates a hole for a problem, and sets its ID and Revision. It returns ErrTaken if a hole has the slug,
// and ErrNotFound if the problem does not exist.
func (s *Store) NewHole(ctx context.Context, h *Hole) error {
	p, err := s.Problem(ctx, h.ProblemSlug)
	if err != nil {
		return err
	}
	h.ID, h.Problem, h.Revision, h.Made = newID(), p.ID, 1, instant(s.now())
	return failed("make the hole "+h.Slug, s.write.InsertHole(ctx, query.InsertHoleParams{
		ID: h.ID, Slug: h.Slug, Name: clean(h.Name), Problem: h.Problem, Visibility: string(h.Visibility), Shown: h.Shown, Closed: h.Closed,
		Closes: micros(h.Closes), Made: h.Made.UnixMicro(),
	}))
}

// SetHole stores the name, visibility and closing time of h, whether h is closed, and whether its submissions are
// shown. It returns ErrChanged if the stored hole has changed since h was read.
func (s *Store) SetHole(ctx context.Context, h *Hole) error {
	n, err := s.write.UpdateHole(ctx, query.UpdateHoleParams{
		ID: h.ID, Revision: h.Revision, Name: clean(h.Name), Visibility: string(h.Visibility), Shown: h.Shown, Closed: h.Closed,
		Closes: micros(h.Closes),
	})
	if err == nil && n == 0 {
		err = ErrChanged
	}
	if err == nil {
		h.Revision++
	}
	return failed("change the hole "+h.Slug, err)
}

// Hole reads a hole.
func (s *Store) Hole(ctx context.Context, slug string) (*Hole, error) {
	r, err := s.read.HoleBySlug(ctx, slug)
	return hole(r), failed("read the hole "+slug, err)
}

// Holes reads all holes, oldest first.
func (s *Store) Holes(ctx context.Context) ([]*Hole, error) {
	rows, err := s.read.ListHoles(ctx)
	return each(rows, err, "read the holes", hole)
}

func hole(r query.HoleLine) *Hole {
	return &Hole{
		ID: r.ID, Slug: r.Slug, Name: r.Name, Problem: r.Problem, ProblemSlug: r.ProblemSlug, Visibility: Visibility(r.Visibility),
		Shown: r.Shown, Closed: r.Closed,
		Closes: instant(r.Closes.Int64), Revision: r.Revision, Answers: r.LastNumber, Made: instant(r.Made),
	}
}

// Over reports whether the hole is closed at now.
func (h *Hole) Over(now time.Time) bool {
	return h.Closed || !h.Closes.IsZero() && !now.Before(h.Closes)
}

// An AnswerState is the state of a golf submission.
type AnswerState string

// The states of a golf submission.
const (
	Proving  AnswerState = "proving"  // being checked
	Standing AnswerState = "standing" // valid: correct on every input
	Greyed   AnswerState = "greyed"   // no longer valid: two workers found an error in a recheck
	Refused  AnswerState = "refused"  // never valid; if the verdict is empty, no worker could check it
)

// An Answer is a golf submission.
type Answer struct {
	ID        string
	Hole      string // id
	Number    int64  // in its hole
	Account   string // id
	Display   string // display name of the account
	File      job.File
	Asked     []byte // JSON of a flow.HoleAnswer
	Received  time.Time
	State     AnswerState
	Flow      string            // the flow that checks the submission now; may be empty
	Verdict   judge.GolfVerdict // empty before the first check, or if no worker could check it
	Why       string            // one line that explains why it is not valid
	Language  string            // id; empty before the first check
	Name      string            // of the language, including the flags
	Flags     string
	Bytes     int
	Chars     int
	Events    blob.Digest // of the last check; may be empty
	Toolchain string      // the identity of the toolchain of the last check
	Stood     time.Time   // when the submission became valid; zero if never
}

// LanguageKey returns the key of the group in which the submission competes. A group consists of the submissions
// in the same language and with the same flags.
func (a *Answer) LanguageKey() string { return strings.TrimSpace(a.Language + " " + a.Flags) }

// A NewAnswer is a golf submission to be stored.
type NewAnswer struct {
	// Key makes retries safe, as in NewSubmission.
	Key     string
	Hole    *Hole
	Account string // id
	File    job.File
	Asked   []byte // JSON
	Spec    []byte // JSON of the flow that checks the submission; its kind is Kind
	Kind    string
}

// NewAnswer stores a golf submission and the flow that checks it. A repeated call with the same key returns the
// first submission. NewAnswer returns ErrTooManyWaiting if the queue is full, and ErrEnded if the hole is closed.
func (s *Store) NewAnswer(ctx context.Context, n NewAnswer) (a *Answer, err error) {
	n.Key = clean(n.Key)
	if waiting, err := s.read.CountWaiting(ctx, int64(job.Practice)); err != nil || waiting >= int64(s.options.MaxWaiting) {
		if err == nil {
			err = ErrTooManyWaiting
		}
		return nil, failed("keep an answer", err)
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
				Account: n.Account, FormKey: n.Key, Hole: n.Hole.ID, Received: instant(now.LastTime).Add(-repeatable).UnixMicro(),
			})
			if err == nil {
				number = old
				return errRepeated
			}
			if !errors.Is(err, sql.ErrNoRows) {
				return err
			}
		}
		flow := newID()
		if _, err := q.InsertFlow(ctx, query.InsertFlowParams{ID: flow, Kind: n.Kind, Spec: string(n.Spec), Owner: n.Account,
			Made: now.LastTime}); err != nil {
			return err
		}
		return q.InsertAnswer(ctx, query.InsertAnswerParams{
			ID: newID(), Hole: n.Hole.ID, Number: number, Account: n.Account, FormKey: n.Key, File: n.File.Path,
			Sha256: string(n.File.Digest), Size: n.File.Size,
			Asked: string(n.Asked), Received: now.LastTime, Flow: flow,
		})
	})
	if err != nil && !errors.Is(err, errRepeated) {
		return nil, err
	}
	return s.Answer(ctx, n.Hole.ID, number)
}

// Answer reads the golf submission with the given number.
func (s *Store) Answer(ctx context.Context, hole string, number int64) (*Answer, error) {
	r, err := s.read.AnswerByNumber(ctx, hole, number)
	return answer(r), failed(fmt.Sprintf("read the answer %d", number), err)
}

// Answers reads at most n submissions of an account to a hole, newest first.
func (s *Store) Answers(ctx context.Context, hole, account string, n int) ([]*Answer, error) {
	rows, err := s.read.AnswersOf(ctx, query.AnswersOfParams{Account: account, Hole: hole, Limit: int32(n)})
	return each(rows, err, "read the answers of an account", answer)
}

// RecentAnswers counts the submissions that an account has sent to a hole within the given time.
func (s *Store) RecentAnswers(ctx context.Context, hole, account string, within time.Duration) (int64, error) {
	n, err := s.read.CountAnswers(ctx, query.CountAnswersParams{
		Account: account, Hole: hole, After: s.now() - within.Microseconds(), Until: s.now() + minute,
	})
	return n, failed("count answers", err)
}

// RightAnswers reads the submissions to a hole that were ever valid, ordered by number. It reads only the fields
// that a ranking shows.
func (s *Store) RightAnswers(ctx context.Context, hole string) ([]*Answer, error) {
	rows, err := s.read.ScoredAnswers(ctx, hole)
	all := make([]*Answer, 0, len(rows))
	for _, r := range rows {
		all = append(all, &Answer{
			Hole: hole, Number: r.Number, Account: r.Account, Display: r.Display, Received: instant(r.Received), State: AnswerState(r.State),
			Language: r.Language, Name: r.Name, Flags: r.Flags, Bytes: int(r.Bytes), Chars: int(r.Chars), Stood: instant(r.Stood.Int64),
		})
	}
	return all, failed("read the answers of a board", err)
}

func answer(r query.AnswerLine) *Answer {
	return &Answer{
		ID: r.ID, Hole: r.Hole, Number: r.Number, Account: r.Account, Display: r.Display, File: job.File{
			Path: r.File, Size: r.Size, Digest: blob.Digest(r.Sha256),
		},
		Asked: []byte(r.Asked), Received: instant(r.Received), State: AnswerState(r.State), Flow: r.Flow,
		Verdict: judge.GolfVerdict(r.Verdict), Why: r.Why,
		Language: r.Language, Name: r.Name, Flags: r.Flags, Bytes: int(r.Bytes), Chars: int(r.Chars), Events: blob.Digest(r.Events),
		Toolchain: r.Toolchain,
		Stood:     instant(r.Stood.Int64),
	}
}

// Settled is the outcome of a golf check.
type Settled struct {
	Flow      string
	Right     bool
	Proved    *judge.GolfProved // nil if no worker could check it
	Language  string            // id
	Events    blob.Digest       // blob that contains the event Proved
	Why       string            // why the submission is not correct
	Toolchain string
	Workers   []string // the workers that checked it
}

// Settle records the outcome of a golf check, once. It does nothing if the flow checks no golf submission. A new
// submission becomes valid or is refused. A recheck turns a valid submission greyed if it is wrong; the submission
// stays valid if no worker could check it. A recheck does not change the size of the submission.
func (s *Store) Settle(ctx context.Context, e Settled) error {
	return s.tx(ctx, "keep what became of an answer", func(q *query.Queries) error {
		r, err := q.AnswerOfFlow(ctx, e.Flow)
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
			Flow: e.Flow, State: r.State, Verdict: r.Verdict, Why: clean(e.Why), Language: r.Language, Name: r.Name, Flags: r.Flags,
			Bytes: r.Bytes, Chars: r.Chars,
			Events: r.Events, Toolchain: clean(e.Toolchain), Stood: r.Stood,
		}
		stood := AnswerState(r.State) == Standing
		if e.Proved != nil {
			n.Verdict, n.Events = string(e.Proved.Verdict), string(e.Events)
		}
		switch {
		case stood && e.Proved == nil:
		case stood && !e.Right:
			n.State = string(Greyed)
		case stood:
			n.Why = ""
		default:
			if n.State = string(Refused); e.Right {
				n.State, n.Stood, n.Why = string(Standing), some(now), ""
			}
			n.Language = e.Language
			if p := e.Proved; p != nil {
				n.Name, n.Flags, n.Bytes, n.Chars = clean(p.LanguageWords()), clean(strings.Join(p.Flags, " ")), int64(p.Bytes), int64(p.Chars)
			}
		}
		if _, err := q.SettleAnswer(ctx, n); err != nil {
			return err
		}
		said := ""
		if e.Proved != nil {
			said = n.Verdict
		}
		return q.InsertAnswerProof(ctx, query.InsertAnswerProofParams{
			Answer: r.ID, At: now, State: n.State, Verdict: said, Why: n.Why, Toolchain: n.Toolchain, Workers: clean(strings.Join(e.Workers, " ")),
		})
	})
}

// An AnswerProof is the outcome of one check of a golf submission.
type AnswerProof struct {
	At        time.Time
	State     AnswerState       // state after the check
	Verdict   judge.GolfVerdict // empty if no worker could check it
	Why       string
	Toolchain string
	Workers   []string
}

// Proofs reads the checks of a golf submission, oldest first.
func (s *Store) Proofs(ctx context.Context, answer string) ([]AnswerProof, error) {
	rows, err := s.read.ProofsOf(ctx, answer)
	return each(rows, err, "read the proofs of an answer", func(r query.AnswerProof) AnswerProof {
		return AnswerProof{instant(r.At), AnswerState(r.State), judge.GolfVerdict(r.Verdict), r.Why, r.Toolchain, strings.Fields(r.Workers)}
	})
}

// An Outdated submission is a valid one that is to be rechecked.
type Outdated struct {
	ID       string
	Account  string
	File     job.File
	Asked    []byte // JSON
	Problem  Problem
	Language string // id
	Now      string // identity of the workers' current toolchain
}

// Valid returns the valid submissions of a hole that are not being rechecked. It omits submissions of deleted
// accounts, because they have no source. The field Now of a result is the current toolchain of the worker class
// for the submission's language. If that is unknown, it is the toolchain of the last check.
func (s *Store) Valid(ctx context.Context, hole, class string) ([]Outdated, error) {
	c, err := s.Class(ctx, class)
	if errors.Is(err, ErrNotFound) {
		c, err = &Class{}, nil
	}
	if err != nil {
		return nil, err
	}
	rows, err := s.read.ValidAnswers(ctx, hole)
	return each(rows, err, "read the valid submissions of a hole", func(r query.ValidAnswersRow) Outdated {
		return Outdated{
			r.ID, r.Account, job.File{Path: r.File, Size: r.Size, Digest: blob.Digest(r.Sha256)}, []byte(r.Asked),
			Problem{Slug: r.Slug, Bundle: blob.Digest(r.Bundle), Config: blob.Digest(r.Config)}, r.Language,
			cmp.Or(c.Languages[r.Language], r.Toolchain, "unknown"),
		}
	})
}

// CountValid returns how many valid submissions of a hole have a source, and how many of them are being rechecked.
func (s *Store) CountValid(ctx context.Context, hole string) (valid, rechecking int, err error) {
	r, err := s.read.CountValidAnswers(ctx, hole)
	return int(r.Valid), int(r.Rechecking), failed("count the valid submissions of a hole", err)
}

// Outdated returns the valid golf submissions that are not being rechecked and whose last check used a different
// toolchain than the class has now.
func (s *Store) Outdated(ctx context.Context, class string) (all []Outdated, err error) {
	used, err := s.read.StandingToolchains(ctx)
	if err != nil || len(used) == 0 {
		return nil, failed("read the toolchains of golf submissions", err)
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
			return nil, failed("read the golf submissions of a toolchain", err)
		}
		for _, r := range rows {
			all = append(all, Outdated{
				r.ID, r.Account, job.File{Path: r.File, Size: r.Size, Digest: blob.Digest(r.Sha256)}, []byte(r.Asked),
				Problem{Slug: r.Slug, Bundle: blob.Digest(r.Bundle), Config: blob.Digest(r.Config)}, u.Language, now,
			})
		}
	}
	return all, nil
}

// ProveAgain stores a flow of the given kind that rechecks a golf submission, and returns its id. The id is empty
// if the submission is no longer valid or is already being rechecked.
func (s *Store) ProveAgain(ctx context.Context, answer, account, kind string, spec []byte) (flow string, err error) {
	err = s.tx(ctx, "prove an answer again", func(q *query.Queries) error {
		flow = newID()
		n, err := q.ProveAnswerAgain(ctx, answer, flow)
		if err != nil || n == 0 {
			flow = ""
			return err
		}
		_, err = q.InsertFlow(ctx, query.InsertFlowParams{ID: flow, Kind: kind, Spec: string(spec), Owner: account, Made: s.now()})
		return err
	})
	return flow, err
}

// eraseAnswers deletes the content of an account's golf submissions, but keeps their lengths.
func eraseAnswers(ctx context.Context, q *query.Queries, account string) (blobs []blob.Digest, err error) {
	rows, err := q.BlobsOfAnswers(ctx, account)
	for _, r := range rows {
		blobs = append(blobs, blob.Digest(r.Sha256), blob.Digest(r.Events))
	}
	return blobs, errors.Join(err, q.EraseAnswerProofs(ctx, account), q.EraseAnswers(ctx, account))
}
