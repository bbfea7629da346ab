package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"time"

	"assay/judge/host/store/internal/query"
)

// Clarification is a question of a team, an answer of the staff, or an announcement.
type Clarification struct {
	Number   int64 // in its contest, from 1
	Staff    bool  // the staff wrote it
	Team     string
	TeamName string // that asks, or is told; both "" for all
	Problem  string // slug; "" for none
	Text     string // empty if its author was erased
	ReplyTo  int64  // the question that it answers; 0 for none
	Question string // the text of that
	Answers  int    // how many a question has
	Login    string // its author's
	Claimed  string // login of the staff that is about to answer it; "" for nobody
	At       time.Time
}

// NewClarification is what somebody writes.
type NewClarification struct {
	Contest string // id
	Account string // id of the author
	Staff   bool
	Team    string // id: the asker's, or that of the only one told; "" for all
	Problem string // slug; "" for none
	Text    string
	ReplyTo int64 // an answer is about its question's problem
	First   bool  // an answer to a question that has none yet
	// ExtID is the id that other systems use. If empty, it is the number. ErrTaken is another one's.
	ExtID string
	// At is when it was written, as another system says. If zero, it is now.
	At time.Time
}

// ErrTooManyQuestions says that a team has so many questions without an answer that it may
// ask no more.
var ErrTooManyQuestions = errors.New("too many questions wait for an answer")

// MostQuestions is how many questions of a team may wait for an answer.
const MostQuestions = 10

// twiceWithin is for how long the same text of the same author is a form that was sent twice.
const twiceWithin = time.Minute

// ErrTwice says that somebody sent the same again.
var ErrTwice = errors.New("it was sent twice")

// Clarify keeps a question, an answer or an announcement, and returns its number. ErrTwice is
// said where that was sent a moment ago, ErrTooManyQuestions of questions, ErrChanged where a
// First answer is not the first one, ErrNotFound where there is no such question or problem.
func (s *Store) Clarify(ctx context.Context, n NewClarification) (number int64, err error) {
	problem := sql.NullString{}
	if n.Problem != "" {
		id, err := s.problemID(ctx, n.Problem)
		if err != nil {
			return 0, err
		}
		problem = text(id)
	}
	team := sql.NullString{String: n.Team, Valid: n.Team != ""}
	err = s.tx(ctx, "keep a clarification", func(q *query.Queries) error {
		now, err := q.StepContest(ctx, s.now(), n.Contest) // which locks the contest
		if err != nil {
			return fmt.Errorf("lock the contest: %w", err)
		}
		if number, err = q.NextClarification(ctx, n.Contest); err != nil {
			return err
		}
		for earlier := number - 1; earlier > 0 && earlier >= number-5; earlier-- {
			was, err := q.GetClarification(ctx, n.Contest, earlier)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return err
			}
			same := was.Account == n.Account && was.Text == clean(n.Text) && was.Team == team && was.ReplyTo.Int64 == n.ReplyTo && (n.ReplyTo != 0 || was.Problem == problem)
			if err == nil && same && now.LastTime-was.At < twiceWithin.Microseconds() {
				return ErrTwice
			}
		}
		if err := s.changing(ctx, q, n.Contest); err != nil {
			return err
		}
		if n.First {
			rows, err := q.ClarificationsOf(ctx, query.ClarificationsOfParams{Contest: n.Contest, Before: n.ReplyTo + 1, Everything: true, Most: 1})
			if err != nil {
				return err
			}
			if len(rows) > 0 && rows[0].Answers > 0 {
				return ErrChanged
			}
		}
		if err := q.InsertLog(ctx, query.InsertLogParams{
			Contest: n.Contest, Seq: now.LastSeq, At: now.LastTime, Kind: string(OfClarification), Object: fmt.Sprint(number), Op: string(Created),
		}); err != nil {
			return err
		}
		if !n.Staff {
			open, err := q.OpenQuestions(ctx, n.Contest, n.Team)
			if err != nil || open >= MostQuestions {
				return errors.Join(err, ErrTooManyQuestions)
			}
		}
		if n.ReplyTo != 0 {
			of, err := q.GetClarification(ctx, n.Contest, n.ReplyTo)
			if err == nil && of.Staff {
				err = ErrNotFound
			}
			if err != nil {
				return err
			}
			problem = of.Problem
		}
		ext, err := extID(n.ExtID, number, func(id string) (int64, error) { return q.ClarificationNamed(ctx, n.Contest, id) })
		if err != nil {
			return err
		}
		return q.InsertClarification(ctx, query.InsertClarificationParams{
			Contest: n.Contest, Number: number, Team: team, Staff: n.Staff, Problem: problem, Text: clean(n.Text),
			ReplyTo: sql.NullInt64{Int64: n.ReplyTo, Valid: n.ReplyTo != 0}, Account: n.Account, At: now.LastTime,
			ExtID: ext, TimeGiven: micros(n.At),
		})
	})
	return number, err
}

// ClarificationFilter says which are meant.
type ClarificationFilter struct {
	Contest string // id
	// Everything means those of all teams; else what a team may read: its own, and what is for
	// all. Of no team it is what is for all.
	Everything bool
	Team       string // id
	Before     int64  // only with lower numbers; 0 for all
	Limit      int    // at most so many; 0 is 200
}

// Clarifications reads clarifications, the latest first.
func (s *Store) Clarifications(ctx context.Context, f ClarificationFilter) ([]*Clarification, error) {
	if f.Before == 0 {
		f.Before = math.MaxInt64
	}
	if f.Limit == 0 {
		f.Limit = 200
	}
	rows, err := s.read.ClarificationsOf(ctx, query.ClarificationsOfParams{
		Contest: f.Contest, Before: f.Before, Everything: f.Everything, Team: sql.NullString{String: f.Team, Valid: f.Team != ""}, Most: int32(f.Limit),
	})
	all := make([]*Clarification, len(rows))
	for i, r := range rows {
		all[i] = &Clarification{
			Number: r.Number, Staff: r.Staff, Team: r.Team.String, TeamName: r.TeamName, Problem: r.Slug, Text: r.Text, ReplyTo: r.ReplyTo.Int64,
			Question: r.Question, Answers: int(r.Answers), Login: r.Login, Claimed: r.Claimed, At: instant(r.At),
		}
	}
	return all, failed("read the clarifications", err)
}

// LastClarification is the number of the last one of a contest; 0 for none yet.
func (s *Store) LastClarification(ctx context.Context, contest string) (int64, error) {
	next, err := s.read.NextClarification(ctx, contest)
	return next - 1, failed("look for clarifications", err)
}

// OpenQuestions is how many questions of a contest have no answer.
func (s *Store) OpenQuestions(ctx context.Context, contest string) (int, error) {
	n, err := s.read.OpenQuestions(ctx, contest, "")
	return int(n), failed("count the questions", err)
}

// Unread is how many answers and announcements somebody has not read: those to their team, or
// to all.
func (s *Store) Unread(ctx context.Context, contest, team, account string) (int, error) {
	n, err := s.read.UnreadClarifications(ctx, query.UnreadClarificationsParams{
		Contest: contest, Team: sql.NullString{String: team, Valid: team != ""}, Account: account,
	})
	return int(n), failed("count what is not read", err)
}

// Read notes that somebody has read all up to a number.
func (s *Store) Read(ctx context.Context, contest, account string, upto int64) error {
	return failed("note what was read", s.write.ReadClarifications(ctx, query.ReadClarificationsParams{Contest: contest, Account: account, Upto: upto}))
}

// Claim notes that one of the staff is about to answer a question, or, of nobody, that they are not.
// It says whether that is new: a question stays with who claimed it first.
func (s *Store) Claim(ctx context.Context, contest string, number int64, account string) (done bool, err error) {
	err = s.tx(ctx, "claim a question", func(q *query.Queries) error {
		of, err := q.GetClarification(ctx, contest, number)
		if err == nil && of.Staff {
			err = ErrNotFound
		}
		if err != nil {
			return err
		}
		var n int64
		if account == "" {
			n, err = q.ReleaseClarification(ctx, contest, number)
		} else {
			n, err = q.ClaimClarification(ctx, query.ClaimClarificationParams{Contest: contest, Number: number, Account: account, At: s.now()})
		}
		done = n > 0
		return err
	})
	return done, err
}
