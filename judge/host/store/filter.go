package store

import (
	"cmp"
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"assay/judge/host/store/internal/query"
)

// In the place of a verdict, Unjudged means the submissions that have none yet, and Judged those that
// have any.
const (
	Unjudged = "open"
	Judged   = "judged"
)

// VerifyOpen and VerifyDone mean, in a Filter, the submissions whose verdict a judge must verify or has
// verified.
const (
	VerifyOpen = "open"
	VerifyDone = "done"
)

// A Filter chooses submissions. The zero value is the first page of all. Of Account, Team and Who, at most
// one is set.
type Filter struct {
	Contest string `json:"contest,omitempty"` // id; "" is Practice
	Account string `json:"account,omitempty"` // id; "" for all
	Team    string `json:"team,omitempty"`    // id; "" for all
	Problem string `json:"problem,omitempty"` // slug; "" for all
	Who     string `json:"who,omitempty"`     // a login, or the name or the number of a team; "" for all
	Group   string `json:"group,omitempty"`   // name of a group of teams; "" for all
	Number  int64  `json:"number,omitempty"`  // of the only one; 0 for all
	Verdict string `json:"verdict,omitempty"` // or Unjudged or Judged; "" for all
	// Language is one that was asked for, or, where none was, that a name with one of Endings
	// tells; "" for all.
	Language string   `json:"language,omitempty"`
	Endings  []string `json:"endings,omitempty"`
	// Verify is VerifyOpen or VerifyDone, for verdicts that judges verify; if empty, all are meant.
	Verify string    `json:"verify,omitempty"`
	Since  time.Time `json:"since,omitzero"`   // received then or later; zero for all
	Until  time.Time `json:"until,omitzero"`   // received before; zero for all
	Before int64     `json:"before,omitempty"` // only with lower numbers; 0 for all
	Limit  int       `json:"limit,omitempty"`  // at most so many; 0 is 50
}

// Submissions reads submissions of a contest, the latest first. The next page is that
// before the last number of this one.
func (s *Store) Submissions(ctx context.Context, f Filter) ([]*Submission, error) {
	p := query.ListSubmissionsParams{
		Contest: cmp.Or(f.Contest, Practice), Owner: cmp.Or(f.Account, f.Team), Slug: f.Problem, TeamGroup: f.Group, Verdict: f.Verdict, Language: f.Language,
		Verify:  f.Verify,
		Endings: "." + strings.Join(f.Endings, ".") + ".", Since: micros(f.Since).Int64, Until: micros(f.Until).Int64,
		Before: cmp.Or(f.Before, math.MaxInt64), Most: int32(cmp.Or(f.Limit, 50)),
	}
	if f.Number != 0 {
		p.Number, p.Before, p.Most = f.Number, f.Number+1, 1
	}
	if p.Judged = f.Verdict == Judged; p.Judged {
		p.Verdict = ""
	}
	p.Filtered = p.Number != 0 || p.Slug != "" || p.Language != "" || p.TeamGroup != "" || p.Verify != "" || p.Judged || p.Since != 0 || p.Until != 0
	team := f.Team != ""
	if f.Who != "" {
		var err error
		p.Owner, team, err = s.who(ctx, p.Contest, f.Who)
		if errors.Is(err, ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	var rows []query.Submitted
	var err error
	switch {
	case p.Verdict != "":
		rows, err = s.read.ListSubmissionsOfVerdict(ctx, query.ListSubmissionsOfVerdictParams(p))
	case p.Language != "": // it is in the index of the contest, and in no other
		rows, err = s.read.ListSubmissions(ctx, p)
	case team:
		rows, err = s.read.ListSubmissionsOfTeam(ctx, query.ListSubmissionsOfTeamParams(p))
	case p.Owner != "":
		rows, err = s.read.ListSubmissionsOfAccount(ctx, query.ListSubmissionsOfAccountParams(p))
	default:
		rows, err = s.read.ListSubmissions(ctx, p)
	}
	return eachRead(rows, err, "read submissions", submission)
}

// A SubmissionLanguage says how the language of a submission was chosen: by its id or, if that is
// empty, by the ending of a file name.
type SubmissionLanguage struct{ Language, Ending string }

// SubmissionLanguages returns how the languages of the submissions of a contest were chosen, each once.
func (s *Store) SubmissionLanguages(ctx context.Context, contest string) ([]SubmissionLanguage, error) {
	rows, err := s.read.SubmissionLanguages(ctx, contest)
	if err != nil {
		return nil, failed("read the languages of submissions", err)
	}
	all := make([]SubmissionLanguage, len(rows))
	for i, r := range rows {
		all[i] = SubmissionLanguage(r)
	}
	return all, nil
}

// Latest reads at most n submissions of practice and of all contests, the latest first: of an
// account, by its id, and of a problem, by its slug, where they are not "". The next page is that
// before the last id of this one.
func (s *Store) Latest(ctx context.Context, account, problem, before string, n int) ([]*Submission, error) {
	var rows []query.Submitted
	var err error
	before = cmp.Or(before, "z") // which is after all ids
	if account != "" {
		rows, err = s.read.LatestOfAccount(ctx, query.LatestOfAccountParams{Account: account, Before: before, Slug: problem, Most: int32(n)})
	} else {
		rows, err = s.read.LatestSubmissions(ctx, query.LatestSubmissionsParams{Before: before, Slug: problem, Most: int32(n)})
	}
	return eachRead(rows, err, "read submissions", submission)
}
