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
	"assay/judge/host/store/internal/query"
)

// The special values of Filter.Verdict. Unjudged selects submissions without a verdict, Judged those with any
// verdict, and NotAccepted those with any verdict other than AC.
const (
	Unjudged    = "open"
	Judged      = "judged"
	NotAccepted = "not-accepted"
)

// VerifyPending and VerifyDone are the values of Filter.Verify. VerifyPending selects submissions whose verdict a judge
// must still verify, and VerifyDone those whose verdict a judge has verified.
const (
	VerifyPending = "open"
	VerifyDone    = "done"
)

// A SubmissionFilter selects submissions. The zero value selects the first page of all submissions in Practice. At most one
// of Account, Team and Submitter may be set.
type SubmissionFilter struct {
	Contest   string `json:"contest,omitempty"` // id; if empty, Practice
	Account   string `json:"account,omitempty"` // id; if empty, all
	Team      string `json:"team,omitempty"`    // id; if empty, all
	Problem   string `json:"problem,omitempty"` // slug; if empty, all
	Submitter string `json:"who,omitempty"`     // a username, or a team's name or number; if empty, all
	Group     string `json:"group,omitempty"`   // name of a group of teams; if empty, all
	Number    int64  `json:"number,omitempty"`  // number of a single submission; if 0, all
	// Sites lists ids of groups. Only submissions of teams in at least one of them are selected. If empty, the
	// submissions of all teams are selected.
	Sites   []string `json:"sites,omitempty"`
	Verdict string   `json:"verdict,omitempty"` // or Unjudged, Judged or NotAccepted; if empty, all
	// Language is the id of the selected language. A submission whose language was not chosen is selected if its
	// file name extension is in Extensions. If Language is empty, submissions in all languages are selected.
	Language   string   `json:"language,omitempty"`
	Extensions []string `json:"endings,omitempty"`
	// Worker selects submissions whose current judgement was made by the worker with this name. Bundle selects
	// submissions whose current judgement used this problem version. An empty field selects all submissions.
	Worker string      `json:"worker,omitempty"`
	Bundle blob.Digest `json:"bundle,omitempty"`
	// Verify is VerifyPending or VerifyDone. If empty, submissions are selected whether or not their verdicts need
	// verification.
	Verify string    `json:"verify,omitempty"`
	Since  time.Time `json:"since,omitzero"`   // received at or after this time; if zero, all
	Until  time.Time `json:"until,omitzero"`   // received before this time; if zero, all
	Before int64     `json:"before,omitempty"` // only lower numbers; 0 means no limit
	Limit  int       `json:"limit,omitempty"`  // maximum number of results; 0 means 50
}

// Submissions returns submissions in a contest, newest first. For the next page, set Before to the last number of
// this page.
func (s *Store) Submissions(ctx context.Context, f SubmissionFilter) ([]*Submission, error) {
	f.Contest = cmp.Or(f.Contest, Practice)
	if f.Submitter != "" {
		id, team, err := s.accountOrTeamID(ctx, f.Contest, f.Submitter)
		if errors.Is(err, ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if f.Account = id; team {
			f.Account, f.Team = "", id
		}
	}
	rows, err := query.New(s.filterQuery(&f)).ListSubmissions(ctx)
	return parseRows(rows, err, "read submissions", submission)
}

// An ProblemProgress describes the progress of submissions on a problem.
type ProblemProgress struct {
	Attempts int
	// Best is the first submission that is known to be accepted. If no submission is, Best is the newest
	// submission.
	Best *Submission
}

// ProgressByProblem returns the progress of the selected submissions by problem. Ignored submissions do not count.
func (s *Store) ProgressByProblem(ctx context.Context, f SubmissionFilter) ([]ProblemProgress, error) {
	f.Contest = cmp.Or(f.Contest, Practice)
	rows, err := query.New(s.filterQuery(&f)).Attempts(ctx)
	if err != nil {
		return nil, wrapError("read attempts", err)
	}
	progress := make([]ProblemProgress, len(rows))
	for i, r := range rows {
		progress[i].Attempts = int(r.Tries)
		if progress[i].Best, err = submission(r.Submitted); err != nil {
			return nil, err
		}
	}
	return progress, nil
}

// A filteredDB builds the part of the queries ListSubmissions and Attempts that selects submissions by a filter. It
// contains conditions only for the fields that are set. Conditions for the many other fields would prevent the
// planners of both databases from using the right index.
type filteredDB struct {
	query.DBTX
	idQuery    string // a query for ids
	conditions []string
	args       []any
}

func (c *filteredDB) QueryContext(ctx context.Context, text string, _ ...any) (*sql.Rows, error) {
	return c.DBTX.QueryContext(ctx, strings.Replace(text, "= 'chosen'", "IN ("+c.idQuery+")", 1), c.args...)
}

// filterQuery builds the query for the ids of the submissions that f selects, with conditions only for the fields that
// are set. It reads few columns, because rows of the view submitted are long.
func (s *Store) filterQuery(f *SubmissionFilter) *filteredDB {
	c := &filteredDB{DBTX: s.reads}
	inContest := "s.contest = ?"
	if f.Language == "" && (f.Account != "" || f.Team != "" || f.Problem != "") {
		// A CASE keeps the databases from using the contest's index. Otherwise they would read that whole index,
		// even for an account with few submissions. A filter by language does need the index: it is the only one
		// that contains languages, and the rows themselves are long.
		inContest = "CASE WHEN s.contest = ? THEN TRUE ELSE FALSE END"
	}
	table, number := "submission AS s", "s.number"
	switch {
	case f.Verdict != "" && f.Verdict != Judged && f.Verdict != NotAccepted:
		table, number = "standing AS st CROSS JOIN submission AS s", "st.number"
		c.require("s.id = st.submission")
		c.require("st.contest = ?", f.Contest)
		c.require("st.verdict = ?", f.Verdict)
	case f.Verdict != "" || f.Verify != "":
		table += " JOIN standing AS st ON st.submission = s.id"
		fallthrough
	default:
		c.require(inContest, f.Contest)
	}
	switch f.Verdict {
	case Judged:
		c.require("st.verdict NOT IN (?, '')", Unjudged)
	case NotAccepted:
		c.require("st.verdict NOT IN (?, '', ?)", Unjudged, string(judge.Accepted))
	}
	switch f.Verify {
	case VerifyDone:
		c.require("st.verify = ? AND NOT st.ignored", string(Verified))
	case VerifyPending:
		c.require("st.verify NOT IN (?, '') AND NOT st.ignored", string(Verified))
	}
	current := "s.id IN (SELECT cs.submission FROM standing AS cs JOIN judgement AS cj ON cj.id = cs.judgement WHERE cs.contest = ? AND "
	if f.Worker != "" {
		c.require(current+"cj.worker = ?)", f.Contest, f.Worker)
	}
	if f.Bundle != "" {
		c.require(current+"cj.bundle = ?)", f.Contest, string(f.Bundle))
	}
	if f.Number != 0 {
		c.require(number+" = ?", f.Number)
	}
	if f.Before != 0 {
		c.require(number+" < ?", f.Before)
	}
	c.requireFields(f)
	c.idQuery = "SELECT s.id FROM " + table + " WHERE " + strings.Join(c.conditions, " AND ") + " ORDER BY " + number + " DESC"
	// With a parameter here, PostgreSQL would assume a tenth of all rows, and SQLite would prepare the query each
	// time.
	c.idQuery += fmt.Sprintf(" LIMIT %d", cmp.Or(f.Limit, 50))
	return c
}

// requireFields adds the conditions on the submissions' own rows: who sent them, to which problem, in which language and
// when.
func (c *filteredDB) requireFields(f *SubmissionFilter) {
	if f.Account != "" {
		c.require("s.account = ?", f.Account)
	}
	if f.Team != "" {
		c.require("s.team = ?", f.Team)
	}
	if f.Problem != "" {
		c.require("s.problem = (SELECT p.id FROM problem AS p WHERE p.slug = ?)", f.Problem)
	}
	if f.Group != "" {
		c.require("s.team IN (SELECT m.team FROM team_in_group AS m JOIN team_group AS g ON g.contest = m.contest AND g.id = m.team_group"+
			" WHERE m.contest = ? AND g.name = ?)", f.Contest, f.Group)
	}
	if len(f.Sites) > 0 {
		args := []any{f.Contest}
		for _, id := range f.Sites {
			args = append(args, id)
		}
		c.require("s.team IN (SELECT m.team FROM team_in_group AS m WHERE m.contest = ? AND m.team_group IN (?"+
			strings.Repeat(", ?", len(f.Sites)-1)+"))", args...)
	}
	if f.Language != "" {
		c.require("(s.language = ? OR s.language = '' AND s.ending <> '' AND CAST(? AS TEXT) LIKE '%.' || s.ending || '.%')",
			f.Language, "."+strings.Join(f.Extensions, ".")+".")
	}
	if !f.Since.IsZero() {
		c.require("COALESCE(s.time_given, s.received) >= ?", nullMicros(f.Since).Int64)
	}
	if !f.Until.IsZero() {
		c.require("COALESCE(s.time_given, s.received) < ?", nullMicros(f.Until).Int64)
	}
}

// require adds a condition. Each ? in it stands for the next argument.
func (c *filteredDB) require(condition string, args ...any) {
	for _, arg := range args {
		c.args = append(c.args, arg)
		condition = strings.Replace(condition, "?", fmt.Sprintf("$%d", len(c.args)), 1)
	}
	c.conditions = append(c.conditions, condition)
}

// A SubmissionLanguage says how the language of a submission was chosen: by its id or, if Language is empty, by a
// file name extension.
type SubmissionLanguage struct{ Language, Ending string }

// SubmissionLanguages returns how the languages of the submissions in a contest were chosen, without duplicates.
func (s *Store) SubmissionLanguages(ctx context.Context, contest string) ([]SubmissionLanguage, error) {
	rows, err := s.read.SubmissionLanguages(ctx, contest)
	if err != nil {
		return nil, wrapError("read the languages of submissions", err)
	}
	all := make([]SubmissionLanguage, len(rows))
	for i, r := range rows {
		all[i] = SubmissionLanguage(r)
	}
	return all, nil
}

// LatestSubmissions reads at most n submissions of practice and all contests, newest first. If account or problem is not
// empty, it reads only the submissions of the account with that id, or to the problem with that slug. For the next
// page, set before to the last id of the current page.
func (s *Store) LatestSubmissions(ctx context.Context, account, problem, before string, n int) ([]*Submission, error) {
	var rows []query.Submitted
	var err error
	before = cmp.Or(before, "z") // after all ids
	if account != "" {
		rows, err = s.read.LatestOfAccount(
			ctx, query.LatestOfAccountParams{Account: account, Before: before, Slug: problem, Most: int32(n)},
		)
	} else {
		rows, err = s.read.LatestSubmissions(ctx, query.LatestSubmissionsParams{Before: before, Slug: problem, Most: int32(n)})
	}
	return parseRows(rows, err, "read submissions", submission)
}
