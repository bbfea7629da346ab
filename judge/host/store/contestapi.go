package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/store/internal/query"
)

var extIDs = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,34}[A-Za-z0-9_-]$|^[A-Za-z0-9_]$`)

// IsExtID reports whether id is a valid id in the Contest API.
func IsExtID(id string) bool { return extIDs.MatchString(id) }

// APISubmission is a submission as the Contest API shows it.
type APISubmission struct {
	ID        string
	Number    int64
	ExtID     string // id in the Contest API, unique in its contest
	Team      string // id; empty if unscored
	Account   string // id
	Login     string
	Label     string // of the problem in the contest
	Language  string // chosen language; if empty, Ending decides
	Extension string // extension of the first file
	Entry     string
	Files     []job.File
	IsDir     bool
	At        time.Time // when it was submitted
	Ignored   bool      // the jury excluded it from the scoreboard
	Override  judge.Verdict
}

// An APIJudgement is a judgement, as the Contest API shows it. All runs that repeat each other for confirmation
// are one judgement.
type APIJudgement struct {
	ID         string // of the first run
	Submission string // id
	Current    bool   // current judgement; others were current until a rejudging was applied
	Started    time.Time
	Ended      time.Time     // zero while pending
	Verdict    judge.Verdict // of the judge; may be empty
	Score      *judge.Score
	Parts      []float64 // as in judge.Finished
	Rows       []job.CaseRow
	// Unverified reports whether a judge must verify the verdict before contestants see it.
	Unverified bool
}

// APIClarification is a clarification as the Contest API shows it.
type APIClarification struct {
	Number  int64
	ExtID   string // id in the Contest API, unique in its contest
	Jury    bool   // the jury wrote it
	Team    string // id of the asking or receiving team; empty for all
	To      Recipients
	Problem string // id; it may be empty
	Text    string
	ReplyTo int64 // number; 0 if there is none
	At      time.Time
}

// APISubmissions returns the submissions of a contest by number. If submission is not empty, it returns only the
// submission with this id.
func (s *Store) APISubmissions(ctx context.Context, contest, submission string) ([]*APISubmission, error) {
	rows, err := s.read.APISubmissions(ctx, contest, submission)
	return parseRows(rows, err, "read the submissions of a contest", func(r query.APISubmissionsRow) (*APISubmission, error) {
		one := &APISubmission{
			ID: r.ID, Number: r.Number, ExtID: r.ExtID, Team: r.Team.String, Account: r.Account, Login: r.Login, Label: r.Label,
			Language: r.Language, Extension: r.Ending, Entry: r.Entry, IsDir: r.Folder, At: fromMicros(r.At), Ignored: r.Ignored,
			Override: judge.Verdict(r.Given),
		}
		return one, fromJSON("the files of submission "+r.ID, r.Files, &one.Files)
	})
}

// APIJudgements returns the judgements in a contest in the order of their submissions. If submission is not empty,
// it returns only those of the submission with this id.
func (s *Store) APIJudgements(ctx context.Context, contest, submission string) ([]*APIJudgement, error) {
	rows, err := s.read.APIJudgements(ctx, contest, submission)
	return parseRows(rows, err, "read the judgements of a contest", func(r query.APIJudgementsRow) (*APIJudgement, error) {
		one := &APIJudgement{
			ID: r.Root, Submission: r.Submission, Current: r.Standing == r.ID, Started: fromMicros(r.Started),
			Ended:   fromMicros(r.Ended.Int64),
			Verdict: judge.Verdict(r.Verdict.String),
		}
		one.Unverified = !r.Verified && VerifyMode(r.Verify).withholds(one.Verdict)
		if r.Score.Valid {
			var f judge.Finished
			if err := fromJSON("the judgement "+r.ID, r.Finished.String, &f); err != nil {
				return nil, err
			}
			one.Score, one.Parts = f.Score, f.ScoreParts
		}
		return one, fromJSON("the judgement "+r.ID, r.CaseRows.String, &one.Rows)
	})
}

// APIClarifications returns the clarifications in a contest by number.
func (s *Store) APIClarifications(ctx context.Context, contest string) ([]*APIClarification, error) {
	rows, err := s.read.APIClarifications(ctx, contest)
	if err != nil {
		return nil, wrapError("read the clarifications of a contest", err)
	}
	to, err := recipientsByNumber(ctx, s.read, contest, 0) // read after the rows, so that each has its recipients
	return convertRows(rows, err, "read the clarifications of a contest", func(r query.APIClarificationsRow) *APIClarification {
		return &APIClarification{
			Number: r.Number, ExtID: r.ExtID, Jury: r.Staff, Team: r.Team.String, To: to[r.Number], Problem: r.Problem, Text: r.Text,
			ReplyTo: r.ReplyTo.Int64, At: fromMicros(r.At),
		}
	})
}

// ContestAccountType returns the account's type in the contest package. It returns an empty string if the package
// does not list the account.
func (s *Store) ContestAccountType(ctx context.Context, contest, account string) (string, error) {
	typ, err := s.read.ContestAccountType(ctx, contest, account)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return typ, wrapError("read the type of an account", err)
}

// EventSubmission returns the id of the submission of a log event, which must be of kind KindSubmission or KindJudgement.
func (s *Store) EventSubmission(ctx context.Context, e Event) (string, error) {
	if e.Kind == KindSubmission {
		return e.Object, nil
	}
	of, err := s.read.JudgementOfJob(ctx, e.Object)
	return of.Submission, wrapError("look for a judgement", err)
}

// RecordPhase records that a contest has reached a phase, and adds this to the contest's event log. If the contest
// is already in this phase, nothing changes.
func (s *Store) RecordPhase(ctx context.Context, id, phase string) error {
	return s.tx(ctx, "note the phase of a contest", func(q *query.Queries) error {
		n, err := q.SetPhase(ctx, id, phase)
		if err != nil || n == 0 {
			return err
		}
		if _, err = s.appendEvent(ctx, q, id, KindState, id, OpUpdated); err != nil {
			return err
		}
		row, err := q.GetContest(ctx, id)
		if err != nil {
			return err
		}
		c, err := contest(row)
		if err != nil {
			return err
		}
		if end := c.updatesEnd(s.options.Now()); !end.IsZero() {
			err = q.SetUpdatesEnd(ctx, id, nullMicros(end))
		}
		return err
	})
}

// chooseExtID returns given if it is not empty. Otherwise it returns the first free Contest API id that is based on the
// number. The function taken returns how many objects have an id.
func chooseExtID(requested string, number int64, taken func(string) (int64, error)) (string, error) {
	if requested != "" {
		return requested, nil // a unique index rejects a duplicate
	}
	id := strconv.FormatInt(number, 10)
	for {
		n, err := taken(id)
		if err != nil {
			return "", fmt.Errorf("look for an id: %w", err)
		}
		if n == 0 {
			return id, nil
		}
		id = "n" + id
	}
}

// freezeTolerance is the maximum delay between the chosen start of a freeze and the time at which this change is stored.
// Within it, the freeze does not count as hiding something that was public.
const freezeTolerance = 2 * time.Second

// conceals reports whether a change to a contest hides something that was public.
func conceals(old, c *Contest, now time.Time) bool {
	started := func(c *Contest) bool { return !c.Starts.IsZero() && !now.Before(c.Starts) }
	hasEnded := func(c *Contest) bool { return !c.Ends().IsZero() && !now.Before(c.Ends()) }
	thawed := func(c *Contest) bool { return c.Freeze == 0 || !c.Thaw.IsZero() && !now.Before(c.Thaw) && hasEnded(c) }
	frozen := func(c *Contest) time.Time { return c.Starts.Add(c.Freeze) }
	switch {
	case slices.Index(Visibilities, c.Visibility) > slices.Index(Visibilities, old.Visibility):
		return true
	case !started(old):
		return false
	case !started(c) || thawed(old) && !thawed(c) && now.Sub(frozen(c)) > freezeTolerance:
		return true
	case c.Settings.Blind && !old.Settings.Blind && !hasEnded(c):
		return true
	}
	return old.Freeze != 0 && !thawed(c) && frozen(c).Before(frozen(old)) && now.Sub(frozen(c)) > freezeTolerance
}
