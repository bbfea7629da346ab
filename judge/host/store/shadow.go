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

// ShadowLease is the leader lease for servers that follow primaries.
const ShadowLease = "shadow"

// ExternalSource describes the primary of a contest: the judging system that the contest follows.
type ExternalSource struct {
	Contest        string // id
	URL            string // of the contest, in the primary's Contest API
	Login          string // username at the primary; may be empty
	SecretFile     string // file with the password of Login; may be empty
	Account        string // id of the account that sends the submissions on this server
	UseOwnVerdicts bool   // the verdicts of this server count, not the primary's
	Token          string // of the last stored line of the primary's event feed; empty if none
	LastReceived   time.Time
	Failure        string // why the primary cannot be followed now; empty if it can
	Scoreboard     string // the primary's scoreboard as JSON; empty if it shows none
	// Acknowledged lists the differences despite which the results may become final.
	Acknowledged []string
}

// Comparison lists the differences that were found when a contest was compared with its primary.
type Comparison struct {
	Source *ExternalSource // at the time of the comparison
	Seq    int64           // of the contest's newest event at that time
	// Differences has one text per difference. An acknowledged difference keeps its text in later comparisons.
	Differences []string
}

// Unacknowledged returns the differences that are not acknowledged.
func (c *Comparison) Unacknowledged() (open []string) {
	for _, difference := range c.Differences {
		if !slices.Contains(c.Source.Acknowledged, difference) {
			open = append(open, difference)
		}
	}
	return open
}

// Acknowledge allows the results of a contest to become final despite the given differences from its primary. It
// replaces earlier acknowledgements. It returns ErrNotFound if the contest follows no primary, and ErrResultsFinal if the
// contest's results are final.
func (s *Store) Acknowledge(ctx context.Context, contest string, differences []string) error {
	return s.tx(ctx, "acknowledge differences from a primary", func(q *query.Queries) error {
		if n, err := q.HoldContest(ctx, contest); errIfUnchanged(n, err) != nil {
			return errIfUnchanged(n, err)
		}
		if c, err := q.GetContest(ctx, contest); err != nil || c.Finalized.Valid {
			return errors.Join(err, ErrResultsFinal)
		}
		text, err := toJSON(append([]string{}, differences...))
		if err != nil {
			return err
		}
		n, err := q.SetSourceAcknowledged(ctx, contest, sanitize(text))
		return errIfUnchanged(n, err)
	})
}

// SetExternalSource makes a contest follow a primary, or changes the settings for the primary that it follows. If the
// address has changed, the primary's feed is read from its beginning.
func (s *Store) SetExternalSource(ctx context.Context, n ExternalSource) error {
	return wrapError("set the primary of a contest", s.write.PutSource(ctx, query.PutSourceParams{
		Contest: n.Contest, Url: sanitize(n.URL), Login: sanitize(n.Login), SecretFile: sanitize(n.SecretFile),
		Account: n.Account, Ours: n.UseOwnVerdicts,
	}))
}

// ExternalSources reads the primaries of all contests.
func (s *Store) ExternalSources(ctx context.Context) ([]*ExternalSource, error) {
	rows, err := s.read.Sources(ctx)
	return parseRows(rows, err, "read the primaries of contests", externalSource)
}

// ExternalSource reads the primary of a contest. It returns ErrNotFound if the contest follows none.
func (s *Store) ExternalSource(ctx context.Context, contest string) (*ExternalSource, error) {
	r, err := s.read.SourceOf(ctx, contest)
	if err != nil {
		return nil, wrapError("read the primary of a contest", err)
	}
	return externalSource(r)
}

func externalSource(r query.ExternalSource) (*ExternalSource, error) {
	result := &ExternalSource{
		Contest: r.Contest, URL: r.Url, Login: r.Login, SecretFile: r.SecretFile, Account: r.Account, UseOwnVerdicts: r.Ours,
		Token:        r.Token,
		LastReceived: fromMicros(r.Heard), Failure: r.Trouble, Scoreboard: r.Scoreboard,
	}
	return result, fromJSON("the acknowledged differences of a primary", r.Acknowledged, &result.Acknowledged)
}

// RecordReceived records that a primary has sent something now.
func (s *Store) RecordReceived(ctx context.Context, contest string) error {
	return wrapError("note that a primary answers", s.write.SetSourceHeard(ctx, contest, s.now()))
}

// RecordFailure records why a primary cannot be followed now.
func (s *Store) RecordFailure(ctx context.Context, contest, reason string) error {
	return wrapError("note why a primary is not followed", s.write.SetSourceTrouble(ctx, contest, sanitize(reason)))
}

// SetExternalScoreboard stores the scoreboard of a primary as JSON.
func (s *Store) SetExternalScoreboard(ctx context.Context, contest, data string) error {
	return wrapError("keep the scoreboard of a primary", s.write.SetSourceScoreboard(ctx, contest, sanitize(data)))
}

// Unfollow makes a contest stop following its primary. Data that was copied from the primary stays.
func (s *Store) Unfollow(ctx context.Context, contest string) error {
	return s.tx(ctx, "end to follow a primary", func(q *query.Queries) error {
		return removeExternalSource(ctx, q, contest)
	})
}

func removeExternalSource(ctx context.Context, q *query.Queries, contest string) error {
	for _, remove := range []func(context.Context, string) error{q.RemoveSource, q.RemoveExternalObjects, q.RemoveExternalProblems} {
		if err := remove(ctx, contest); err != nil {
			return err
		}
	}
	return nil
}

// ExternalObject is an object in a primary's event feed.
type ExternalObject struct {
	Type, ID string // ID is empty for the contest and the state
	Data     string // JSON; empty if the primary deleted the object
	Uncopied bool   // not yet copied to the contest
}

// ExternalObjects reads the objects of a contest's primary. If typ is not empty, it reads only objects of that
// type.
func (s *Store) ExternalObjects(ctx context.Context, contest, typ string) ([]ExternalObject, error) {
	var rows []query.ExternalObject
	var err error
	if typ == "" {
		rows, err = s.read.ExternalObjects(ctx, contest)
	} else {
		rows, err = s.read.ExternalObjectsOfType(ctx, contest, typ)
	}
	return convertRows(rows, err, "read the objects of a primary", func(r query.ExternalObject) ExternalObject {
		return ExternalObject{r.Type, r.ID, r.Data, r.Fresh}
	})
}

// PutExternalObjects stores objects of a contest's primary, and the token up to which the primary's feed was read.
// New and changed objects become fresh, but unchanged ones do not.
func (s *Store) PutExternalObjects(ctx context.Context, contest, token string, objects []ExternalObject) error {
	return s.tx(ctx, "keep the objects of a primary", func(q *query.Queries) error {
		for _, o := range objects {
			if err := q.PutExternalObject(ctx, query.PutExternalObjectParams{Contest: contest, Type: o.Type, ID: o.ID, Data: o.Data}); err != nil {
				return err
			}
		}
		n, err := q.SetSourceToken(ctx, contest, token)
		return errIfUnchanged(n, err)
	})
}

// MarkCopied records that the given objects were copied to the contest, so that they are no longer
// fresh.
func (s *Store) MarkCopied(ctx context.Context, contest string, objects []ExternalObject) error {
	return s.tx(ctx, "note that the objects of a primary are taken over", func(q *query.Queries) error {
		for _, o := range objects {
			if err := q.SettleExternalObject(ctx,
				query.SettleExternalObjectParams{Contest: contest, Type: o.Type, ID: o.ID, Data: o.Data}); err != nil {
				return err
			}
		}
		return nil
	})
}

// An ExternalProblem is an object of a primary that this server cannot copy.
type ExternalProblem struct {
	Type, ID string
	Text     string
	At       time.Time
}

// ExternalProblems reads the objects of a contest's primary that cannot be copied.
func (s *Store) ExternalProblems(ctx context.Context, contest string) ([]ExternalProblem, error) {
	rows, err := s.read.ExternalProblems(ctx, contest)
	return convertRows(rows, err, "read the problems with a primary", func(r query.ExternalProblem) ExternalProblem {
		return ExternalProblem{r.Type, r.ID, r.Text, fromMicros(r.At)}
	})
}

// RecordExternalProblem records why an object of a primary cannot be copied. An empty text deletes the record.
func (s *Store) RecordExternalProblem(ctx context.Context, contest, typ, id, text string) error {
	if text == "" {
		return wrapError("note a problem with a primary",
			s.write.DeleteExternalProblem(ctx, query.DeleteExternalProblemParams{Contest: contest, Type: typ, ID: id}))
	}
	return wrapError("note a problem with a primary", s.write.PutExternalProblem(ctx, query.PutExternalProblemParams{
		Contest: contest, Type: typ, ID: id, Text: sanitize(text), At: s.now(),
	}))
}

// ShadowSubmission is a submission of a contest that follows a primary.
type ShadowSubmission struct {
	ID     string
	Number int64
	ExtID  string
	// Override is the verdict that counts instead of the judgement's verdict. If it is Unjudged, the submission is
	// pending. If it is empty, the judgement's verdict counts.
	Override judge.Verdict
	Ignored  bool          // has no effect on the scoreboard
	Verdict  judge.Verdict // of the judgement; empty if there is none
	Ended    bool          // the judgement has ended; without a verdict, the submission was not judged
}

// ShadowSubmissions reads the submissions of a contest, ordered by number.
func (s *Store) ShadowSubmissions(ctx context.Context, contest string) ([]ShadowSubmission, error) {
	rows, err := s.read.ShadowedSubmissions(ctx, contest)
	return convertRows(
		rows, err, "read the submissions of a contest that follows a primary",
		func(r query.ShadowedSubmissionsRow) ShadowSubmission {
			return ShadowSubmission{
				ID: r.ID, Number: r.Number, ExtID: r.ExtID, Override: judge.Verdict(r.Given), Ignored: r.Ignored,
				Verdict: judge.Verdict(r.Verdict.String), Ended: r.Ended.Valid,
			}
		},
	)
}

// SetShadowSubmissions sets the verdict that counts for each submission, and whether the submission is ignored.
func (s *Store) SetShadowSubmissions(ctx context.Context, contest string, submissions []ShadowSubmission) error {
	return s.tx(ctx, "set the verdicts of a primary", func(q *query.Queries) error {
		for _, shadowed := range submissions {
			if _, err := s.appendEvent(ctx, q, contest, KindSubmission, shadowed.ID, OpUpdated); err != nil {
				return err
			}
			mark := query.SetMarkParams{Submission: shadowed.ID, Ignored: shadowed.Ignored, Given: string(shadowed.Override)}
			if err := q.SetMark(ctx, mark); err != nil {
				return err
			}
			if err := q.SettleStanding(ctx, shadowed.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

// NewPlaceholder creates a problem without a package. A contest uses it for a problem of its primary if the
// primary's verdicts count. NewPlaceholder returns ErrTaken if the name is taken on the server. A package can be
// published later.
func (s *Store) NewPlaceholder(ctx context.Context, slug, title, owner string) error {
	return s.tx(ctx, "make the problem "+slug, func(q *query.Queries) error {
		old, err := q.ProblemBySlug(ctx, slug)
		switch {
		case err == nil && old.Bundle != "":
			return ErrTaken
		case err != nil && !errors.Is(err, sql.ErrNoRows):
			return err
		}
		_, err = q.PutProblem(ctx, query.PutProblemParams{ID: newID(), Slug: slug, Title: sanitize(title), Owner: owner, Made: s.now()})
		return ifNoRows(err, ErrTaken) // belongs to another account
	})
}

// insertUnjudged stores the job and the judgement of a submission that no worker judges, and ends both at once.
func insertUnjudged(ctx context.Context, q *query.Queries, n *NewSubmission, id string, at int64) error {
	work, err := toJSON(n.Work)
	if err != nil {
		return fmt.Errorf("encode the work of a submission: %w", err)
	}
	if err := q.InsertJob(ctx, query.InsertJobParams{
		ID: id, Kind: string(n.Work.Kind), Lane: int64(n.Priority), Class: n.Class, Owner: n.Account, Spec: work, Excluded: "[]", Made: at,
	}); err != nil {
		return err
	}
	ended := sql.NullInt64{Int64: at, Valid: true}
	if err := q.EndUnjudgedJob(ctx, id, ended); err != nil {
		return err
	}
	return q.EndUnjudgement(ctx, id, ended)
}
