package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"assay/judge/host/store/internal/query"
)

// A Clarification is a clarification request from a team, an answer from the jury, or an announcement.
type Clarification struct {
	Number   int64 // unique in its contest, from 1
	Jury     bool  // the jury wrote it
	Team     string
	TeamName string // of the asking or receiving team; both empty if sent to all
	To       Recipients
	Problem  string // slug; empty if not about a problem
	Category Category
	Text     string // empty if the author was erased
	ReplyTo  int64  // number of the request that it answers; 0 if none
	Question string // the text of that request
	Answers  int    // number of answers to a request
	Login    string // username of the author
	Claimed  string // username of the judge who is answering it; may be empty
	At       time.Time
}

// Recipients lists several teams and groups to which the jury writes. If it is empty and the clarification has no
// single team, the jury writes to all teams.
type Recipients struct{ Teams, Groups []Recipient }

// A Recipient is a team or a group.
type Recipient struct{ ID, Name string }

// Chosen reports whether r lists any recipients. If so, only these receive the clarification.
func (r Recipients) Chosen() bool { return len(r.Teams)+len(r.Groups) > 0 }

// includes reports whether a team is a recipient, itself or as a member of a group.
func (r Recipients) includes(t *Team) bool {
	return slices.ContainsFunc(r.Teams, func(recipient Recipient) bool { return recipient.ID == t.ID }) ||
		slices.ContainsFunc(r.Groups, func(recipient Recipient) bool { return slices.Contains(t.GroupIDs, recipient.ID) })
}

// ToAll reports whether the jury wrote a clarification to all teams.
func (c *Clarification) ToAll() bool { return c.Jury && c.Team == "" && !c.To.Chosen() }

// ConcernsTeam reports whether a clarification is from the team t, or to t but not to all teams. If t is nil, Of returns
// false.
func (c *Clarification) ConcernsTeam(t *Team) bool {
	return t != nil && (c.Team == t.ID || c.To.includes(t))
}

// A Category is the subject of a clarification that is not about a problem.
type Category string

// The categories.
const (
	General   Category = ""
	Technical Category = "technical" // computers, the network, this server
)

// A NewClarification is a clarification to store.
type NewClarification struct {
	Contest string // id
	Account string // id of the author
	Jury    bool
	Team    string // id of the asking team, or of the only recipient; empty for all
	// Teams and Groups are the ids of the recipients of a message from the jury. If both are empty, Team is the
	// only recipient or, if it is empty too, the message is for all teams.
	Teams, Groups []string
	Problem       string // slug; empty if not about a problem
	Category      Category
	Text          string
	ReplyTo       int64 // number of the request; an answer has the problem of its request
	OnlyFirst     bool  // store the answer only if the request has no answer yet
	// ExtID is the id in the Contest API. If empty, it is the number. If another clarification has the id, Clarify
	// returns ErrTaken.
	ExtID string
	// At is the time from another system. If zero, the current time is used.
	At time.Time
}

// ErrTooManyQuestions means that a team has too many unanswered clarification requests.
var ErrTooManyQuestions = errors.New("too many questions wait for an answer")

// MaxUnanswered is the maximum number of unanswered clarification requests per team.
const MaxUnanswered = 10

// duplicatePeriod is the period in which the same text from the same author is treated as a form that was sent twice.
const duplicatePeriod = time.Minute

// ErrDuplicateText means that the author has just sent the same text.
var ErrDuplicateText = errors.New("it was sent twice")

// Clarify stores a request, an answer or an announcement, and returns its number. It returns ErrDuplicateText if the
// author has just sent the same text, and ErrTooManyQuestions for a request beyond the limit. It returns
// ErrChanged if n.OnlyFirst is set and the request already has an answer. It returns ErrNotFound if the request or
// problem does not exist.
func (s *Store) Clarify(ctx context.Context, n NewClarification) (number int64, err error) {
	problem := sql.NullString{}
	if n.Problem != "" {
		id, err := s.problemID(ctx, n.Problem)
		if err != nil {
			return 0, err
		}
		problem = nullText(id)
	}
	n.normalizeRecipients()
	if problem.Valid {
		n.Category = General
	}
	err = s.tx(ctx, "keep a clarification", func(q *query.Queries) error {
		now, err := q.StepContest(ctx, s.now(), n.Contest) // this locks the contest
		if err != nil {
			return fmt.Errorf("lock the contest: %w", err)
		}
		if number, err = q.NextClarification(ctx, n.Contest); err != nil {
			return err
		}
		if err := n.checkDuplicate(ctx, q, problem, number, now.LastTime); err != nil {
			return err
		}
		if err := s.checkChangeable(ctx, q, n.Contest); err != nil {
			return err
		}
		if n.OnlyFirst {
			rows, err := q.ClarificationsOf(
				ctx,
				query.ClarificationsOfParams{Contest: n.Contest, Before: n.ReplyTo + 1, Everything: true, Most: 1},
			)
			if err != nil {
				return err
			}
			if len(rows) > 0 && rows[0].Answers > 0 {
				return ErrChanged
			}
		}
		if err := q.InsertLog(ctx, query.InsertLogParams{
			Contest: n.Contest, Seq: now.LastSeq, At: now.LastTime, Kind: string(KindClarification), Object: fmt.Sprint(number),
			Op: string(OpCreated),
		}); err != nil {
			return err
		}
		if !n.Jury {
			open, err := q.OpenQuestions(ctx, n.Contest, n.Team)
			if err != nil || open >= MaxUnanswered {
				return errors.Join(err, ErrTooManyQuestions)
			}
		}
		if n.ReplyTo != 0 {
			request, err := q.GetClarification(ctx, n.Contest, n.ReplyTo)
			if err == nil && request.Staff {
				err = ErrNotFound
			}
			if err != nil {
				return err
			}
			problem, n.Category = request.Problem, Category(request.Category)
		}
		ext, err := chooseExtID(n.ExtID, number, func(id string) (int64, error) { return q.ClarificationNamed(ctx, n.Contest, id) })
		if err != nil {
			return err
		}
		if err := q.InsertClarification(ctx, query.InsertClarificationParams{
			Contest: n.Contest, Number: number, Team: n.teamID(), Staff: n.Jury, Problem: problem, Text: sanitize(n.Text),
			ReplyTo: sql.NullInt64{Int64: n.ReplyTo, Valid: n.ReplyTo != 0}, Account: n.Account, At: now.LastTime,
			ExtID: ext, TimeGiven: nullMicros(n.At), Category: string(n.Category), Chosen: len(n.Teams)+len(n.Groups) > 0,
		}); err != nil {
			return err
		}
		return n.insertRecipients(ctx, q, number)
	})
	return number, err
}

// teamID returns the team's id, or NULL for a message that no team sends.
func (n *NewClarification) teamID() sql.NullString {
	return sql.NullString{String: n.Team, Valid: n.Team != ""}
}

// checkDuplicate returns ErrDuplicateText if one of the five clarifications before number is equal to n and recent.
// The time now is in microseconds.
func (n *NewClarification) checkDuplicate(ctx context.Context, q *query.Queries, problem sql.NullString, number, now int64) error {
	for earlier := number - 1; earlier > 0 && earlier >= number-5; earlier-- {
		previous, err := q.GetClarification(ctx, n.Contest, earlier)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		about := n.ReplyTo != 0 || previous.Problem == problem && previous.Category == string(n.Category)
		same := about && previous.Account == n.Account && previous.Text == sanitize(n.Text) && previous.Team == n.teamID() &&
			previous.ReplyTo.Int64 == n.ReplyTo
		if err != nil || !same || now-previous.At >= duplicatePeriod.Microseconds() {
			continue
		}
		recipientsOf, err := recipientsByNumber(ctx, q, n.Contest, earlier)
		if err != nil {
			return err
		}
		if slices.Equal(ids(recipientsOf[earlier].Teams), n.Teams) && slices.Equal(ids(recipientsOf[earlier].Groups), n.Groups) {
			return ErrDuplicateText
		}
	}
	return nil
}

// normalizeRecipients sorts the recipients and removes duplicates. If the only recipient is a single team, recipients
// stores it in Team instead of Teams.
func (n *NewClarification) normalizeRecipients() {
	n.Teams, n.Groups = slices.Compact(slices.Sorted(slices.Values(n.Teams))), slices.Compact(slices.Sorted(slices.Values(n.Groups)))
	if len(n.Teams) == 1 && len(n.Groups) == 0 {
		n.Team, n.Teams = n.Teams[0], nil
	}
	if len(n.Teams)+len(n.Groups) > 0 {
		n.Team = ""
	}
}

// insertRecipients stores the recipients of a clarification.
func (n *NewClarification) insertRecipients(ctx context.Context, q *query.Queries, number int64) error {
	for _, id := range n.Teams {
		if err := q.InsertClarificationTeam(ctx, query.InsertClarificationTeamParams{Contest: n.Contest, Number: number, Team: id}); err != nil {
			return err
		}
	}
	for _, id := range n.Groups {
		if err := q.InsertClarificationGroup(ctx,
			query.InsertClarificationGroupParams{Contest: n.Contest, Number: number, TeamGroup: id}); err != nil {
			return err
		}
	}
	return nil
}

// recipientsByNumber returns the recipients of clarifications in a contest, by number. If number is not 0, it returns only
// those of the clarification with this number.
func recipientsByNumber(ctx context.Context, q *query.Queries, contest string, number int64) (map[int64]Recipients, error) {
	teams, err := q.ClarificationTeams(ctx, contest, number)
	if err != nil {
		return nil, err
	}
	groups, err := q.ClarificationGroups(ctx, contest, number)
	byNumber := map[int64]Recipients{}
	for _, r := range teams {
		entry := byNumber[r.Number]
		entry.Teams = append(entry.Teams, Recipient{r.ID, r.Name})
		byNumber[r.Number] = entry
	}
	for _, r := range groups {
		entry := byNumber[r.Number]
		entry.Groups = append(entry.Groups, Recipient{r.ID, r.Name})
		byNumber[r.Number] = entry
	}
	return byNumber, err
}

// ids returns the ids of recipients in order.
func ids(list []Recipient) (all []string) {
	for _, r := range list {
		all = append(all, r.ID)
	}
	return slices.Sorted(slices.Values(all))
}

// A ClarificationFilter selects clarifications.
type ClarificationFilter struct {
	Contest string // id
	// AllTeams selects the clarifications of all teams. If it is false, the filter selects the clarifications
	// that Team may read: the team's own, and those for all teams. If Team is empty, it selects only those for all
	// teams.
	AllTeams bool
	Team     string // id
	Before   int64  // only lower numbers; 0 means no limit
	After    int64  // only higher numbers
	Limit    int    // maximum number of results; 0 means 200
}

// Clarifications returns the selected clarifications, newest first.
func (s *Store) Clarifications(ctx context.Context, f ClarificationFilter) ([]*Clarification, error) {
	if f.Before == 0 {
		f.Before = math.MaxInt64
	}
	if f.Limit == 0 {
		f.Limit = 200
	}
	rows, err := s.read.ClarificationsOf(ctx, query.ClarificationsOfParams{
		Contest: f.Contest, Before: f.Before, After: f.After, Everything: f.AllTeams, Team: f.Team, Most: int32(f.Limit),
	})
	var recipientsOf map[int64]Recipients
	if err == nil && slices.ContainsFunc(rows, func(r query.ClarificationsOfRow) bool { return r.Chosen }) {
		recipientsOf, err = recipientsByNumber(ctx, s.read, f.Contest, 0)
	}
	return convertRows(rows, err, "read the clarifications", func(r query.ClarificationsOfRow) *Clarification {
		return &Clarification{
			Number: r.Number, Jury: r.Staff, Team: r.Team.String, TeamName: r.TeamName, To: recipientsOf[r.Number], Problem: r.Slug,
			Category: Category(r.Category), Text: r.Text, ReplyTo: r.ReplyTo.Int64, Question: r.Question, Answers: int(r.Answers),
			Login: r.Login, Claimed: r.Claimed, At: fromMicros(r.At),
		}
	})
}

// LastClarification returns the number of the newest clarification in a contest. It returns 0 if there is none.
func (s *Store) LastClarification(ctx context.Context, contest string) (int64, error) {
	next, err := s.read.NextClarification(ctx, contest)
	return next - 1, wrapError("look for clarifications", err)
}

// CountUnanswered returns the number of unanswered clarification requests in a contest.
func (s *Store) CountUnanswered(ctx context.Context, contest string) (int, error) {
	n, err := s.read.OpenQuestions(ctx, contest, "")
	return int(n), wrapError("count the questions", err)
}

// LastRead returns the number of the last clarification in a contest that an account has read.
func (s *Store) LastRead(ctx context.Context, contest, account string) (int64, error) {
	n, err := s.read.ReadUpTo(ctx, contest, account)
	return n, wrapError("look for what was read", err)
}

// MarkRead records that an account has read all clarifications up to the given number.
func (s *Store) MarkRead(ctx context.Context, contest, account string, number int64) error {
	return wrapError("record what was read", s.write.ReadClarifications(ctx, query.ReadClarificationsParams{
		Contest: contest, Account: account, Upto: number,
	}))
}

// ClaimRequest records that a judge is about to answer a request, unless another judge claimed the request first. If
// account is empty, ClaimRequest removes the claim. It reports whether this changed anything.
func (s *Store) ClaimRequest(ctx context.Context, contest string, number int64, account string) (claimed bool, err error) {
	err = s.tx(ctx, "claim a question", func(q *query.Queries) error {
		request, err := q.GetClarification(ctx, contest, number)
		if err == nil && request.Staff {
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
		claimed = n > 0
		return err
	})
	return claimed, err
}
