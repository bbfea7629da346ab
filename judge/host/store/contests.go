package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/host/store/internal/query"
)

// Format is how a contest is scored.
type Format string

// The formats of contests. Package scoring has their rules.
const (
	ICPC   Format = "icpc"
	IOI    Format = "ioi"
	Points Format = "points"
)

// Formats are those that somebody can choose.
var Formats = []Format{ICPC, IOI, Points}

// Visibility says who may see a contest.
type Visibility string

// Who may see a contest, and take part in it.
const (
	Public   Visibility = "public"   // everybody sees it, every account may take part
	Accounts Visibility = "accounts" // every account sees it and may take part
	Teams    Visibility = "teams"    // only its teams see it
	Staff    Visibility = "staff"    // nobody else sees it
)

// Visibilities are all, those who show most first.
var Visibilities = []Visibility{Public, Accounts, Teams, Staff}

// Contest is what people take part in.
type Contest struct {
	ID         string
	Slug       string // unique
	Name       string
	Format     Format
	Starts     time.Time     // zero: nobody said so yet
	Length     time.Duration // 0 for one that does not end
	Freeze     time.Duration // how long after the start the board stands still; 0 for never
	Thaw       time.Time     // zero for not
	Finalized  time.Time     // zero for not
	Visibility Visibility
	Settings   Settings
	Revision   int64 // rises with each change
	LastSeq    int64 // of its last event
}

// Settings are what staff may set of a contest. The zero value of each is what is usual.
type Settings struct {
	// Show is what contestants see of their judgings; "" is judge.ShowVerdict.
	Show judge.Show `json:"show,omitempty"`
	// PerMinute is how many submissions one account may send in a minute; 0 is 10.
	PerMinute int `json:"per_minute,omitempty"`
	// Languages are the ids of those that may be used; none is all.
	Languages []string `json:"languages,omitempty"`
	// Statements are the codes of the languages in which statements are shown; none is all. A
	// problem that has none of them shows all that it has.
	Statements []string `json:"statement_languages,omitempty"`
	// Practice says that people may submit after the end, which never counts.
	Practice bool `json:"practice,omitempty"`
	// Penalty is the minutes of a rejected try, where the format counts them; 0 is what is
	// usual: 20 of ICPC, 5 of Points.
	Penalty int `json:"penalty_minutes,omitempty"`
	// CompileErrors says that a try that did not compile costs like any other.
	CompileErrors bool `json:"compile_errors_cost,omitempty"`
	// Groups says that the best of each group counts, and not the best submission, where the
	// format has points.
	Groups bool `json:"best_groups,omitempty"`
	// Blind says that only the staff sees verdicts on the board before the end.
	Blind bool `json:"blind,omitempty"`
	// KeepSources says that once the results are final the programs of people who are erased
	// stay, without a name.
	KeepSources bool `json:"keep_sources,omitempty"`
	// Planned is the freeze that a freeze by hand came before; 0 is none.
	Planned time.Duration `json:"planned_freeze_ns,omitempty"`
	// Removed are times that do not count as contest time: in their order, and apart.
	Removed []Interval `json:"removed,omitempty"`
}

// Interval is a time from a moment on, and before another.
type Interval struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// Shows is what contestants see of their judgings.
func (s *Settings) Shows() judge.Show {
	if s.Show == "" {
		return judge.ShowVerdict
	}
	return s.Show
}

// Ends is when the contest ends for those with no extra time; zero for never.
func (c *Contest) Ends() time.Time {
	if c.Starts.IsZero() || c.Length == 0 {
		return time.Time{}
	}
	end := c.Starts.Add(c.Length)
	for _, r := range c.Settings.Removed {
		if r.From.Before(c.Starts) {
			r.From = c.Starts
		}
		if r.From.Before(end) && r.From.Before(r.To) {
			end = end.Add(r.To.Sub(r.From))
		}
	}
	return end
}

// ContestProblem is a problem of a contest.
type ContestProblem struct {
	Label  string // unique in its contest
	Points int64
	Colour string // of its balloons; "" for none
	*Problem
}

// NewContestProblem puts a problem into a contest.
type NewContestProblem struct {
	Label  string
	Slug   string
	Points int64
	Colour string
}

// ErrChanged says that somebody else has changed the same since it was read.
var ErrChanged = errors.New("somebody else has changed it meanwhile")

// NewContest makes a contest with its problems, in their order; its ID and Revision are made
// up. ErrTaken says that there is one with its slug, ErrNotFound that there is no such
// problem.
func (s *Store) NewContest(ctx context.Context, c *Contest, problems []NewContestProblem) error {
	c.ID, c.Revision = newID(), 1
	settings, err := toJSON(c.Settings)
	if err != nil {
		return err
	}
	return s.tx(ctx, "make the contest "+c.Slug, func(q *query.Queries) error {
		if err := q.InsertContest(ctx, query.InsertContestParams{
			ID: c.ID, Slug: c.Slug, Name: clean(c.Name), Format: string(c.Format), Starts: micros(c.Starts), Length: c.Length.Microseconds(),
			Freezes: lasting(c.Freeze), Visibility: string(c.Visibility), Settings: settings,
		}); err != nil {
			return err
		}
		if err := putProblems(ctx, q, c.ID, problems); err != nil {
			return err
		}
		_, err := s.step(ctx, q, c.ID, OfContest, c.ID, Created)
		return err
	})
}

// SetContest changes a contest as it was read, and its problems, unless they are nil.
// ErrChanged says that somebody else was first. The contest's Revision rises.
func (s *Store) SetContest(ctx context.Context, c *Contest, problems []NewContestProblem) error {
	settings, err := toJSON(c.Settings)
	if err != nil {
		return err
	}
	err = s.tx(ctx, "change the contest "+c.Slug, func(q *query.Queries) error {
		n, err := q.UpdateContest(ctx, query.UpdateContestParams{
			ID: c.ID, Revision: c.Revision, Slug: c.Slug, Name: clean(c.Name), Format: string(c.Format), Starts: micros(c.Starts), Length: c.Length.Microseconds(),
			Freezes: lasting(c.Freeze), Thaw: micros(c.Thaw), Finalized: micros(c.Finalized), Visibility: string(c.Visibility), Settings: settings,
		})
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrChanged
		}
		if problems != nil {
			if err := q.DeleteContestProblems(ctx, c.ID); err != nil {
				return err
			}
			if err := putProblems(ctx, q, c.ID, problems); err != nil {
				return err
			}
		}
		_, err = s.step(ctx, q, c.ID, OfContest, c.ID, Updated)
		return err
	})
	if err == nil {
		c.Revision++
	}
	return err
}

func putProblems(ctx context.Context, q *query.Queries, contest string, problems []NewContestProblem) error {
	for i, p := range problems {
		row, err := q.ProblemBySlug(ctx, p.Slug)
		if err != nil {
			return fmt.Errorf("the problem %s: %w", p.Slug, none(err, ErrNotFound))
		}
		if err := q.InsertContestProblem(ctx, query.InsertContestProblemParams{
			Contest: contest, Label: p.Label, Place: int64(i), Problem: row.ID, Points: p.Points, Colour: p.Colour,
		}); err != nil {
			return err
		}
	}
	return nil
}

// Contest reads a contest by its id, and ContestBySlug by its slug.
func (s *Store) Contest(ctx context.Context, id string) (*Contest, error) {
	r, err := s.read.GetContest(ctx, id)
	return one(r, err, "read the contest "+id, contest)
}

// ContestBySlug reads a contest by its slug.
func (s *Store) ContestBySlug(ctx context.Context, slug string) (*Contest, error) {
	r, err := s.read.ContestBySlug(ctx, slug)
	return one(r, err, "read the contest "+slug, contest)
}

// Contests reads all contests but Practice, in the order of their making.
func (s *Store) Contests(ctx context.Context) ([]*Contest, error) {
	rows, err := s.read.ListContests(ctx)
	return eachRead(rows, err, "read the contests", contest)
}

// ContestsOf reads the contests that have a problem.
func (s *Store) ContestsOf(ctx context.Context, problem string) ([]*Contest, error) {
	rows, err := s.read.ContestsOfProblem(ctx, problem)
	return eachRead(rows, err, "read the contests of the problem "+problem, contest)
}

// Reserved says whether a problem, by its slug, is of a contest that runs, for any team, or is yet
// to begin: its secret cases are not for guests.
func (s *Store) Reserved(ctx context.Context, problem string) (bool, error) {
	contests, err := s.ContestsOf(ctx, problem)
	if err != nil {
		return false, err
	}
	now := s.options.Now()
	for _, c := range contests {
		end := c.Ends()
		if end.IsZero() || now.Before(end) {
			return true, nil
		}
		teams, err := s.Teams(ctx, c.ID)
		if err != nil {
			return false, err
		}
		for _, t := range teams {
			if now.Before(end.Add(t.ExtraTime)) {
				return true, nil
			}
		}
	}
	return false, nil
}

func contest(r query.Contest) (*Contest, error) {
	c := &Contest{
		ID: r.ID, Slug: r.Slug, Name: r.Name, Format: Format(r.Format), Starts: instant(r.Starts.Int64), Length: time.Duration(r.Length) * time.Microsecond,
		Freeze: time.Duration(r.Freezes.Int64) * time.Microsecond, Thaw: instant(r.Thaw.Int64), Finalized: instant(r.Finalized.Int64),
		Visibility: Visibility(r.Visibility), Revision: r.Revision, LastSeq: r.LastSeq,
	}
	if err := json.Unmarshal([]byte(r.Settings), &c.Settings); err != nil {
		return nil, fmt.Errorf("read the settings of the contest %s: %w", r.Slug, err)
	}
	return c, nil
}

// lasting is null for no time at all.
func lasting(d time.Duration) sql.NullInt64 {
	return sql.NullInt64{Int64: d.Microseconds(), Valid: d != 0}
}

// ContestProblems reads the problems of a contest in their order.
func (s *Store) ContestProblems(ctx context.Context, contest string) ([]*ContestProblem, error) {
	rows, err := s.read.ProblemsOfContest(ctx, contest)
	return each(rows, err, "read the problems of a contest", func(r query.ProblemsOfContestRow) *ContestProblem {
		return &ContestProblem{r.ContestProblem.Label, r.ContestProblem.Points, r.ContestProblem.Colour, problem(r.Problem)}
	})
}

// Team is who takes part in a contest: one person or several.
type Team struct {
	ID           string
	Contest      string
	Number       int64 // in its contest, from 1
	Name         string
	Groups       []string      // by which a board is filtered; none has a comma
	Hidden       bool          // not on the board
	ExtraTime    time.Duration // after the contest's end
	ExtraPenalty time.Duration // whole minutes
}

// Entrant is somebody who is to take part in a contest.
type Entrant struct {
	*Account
	Team string // the name of the team; "" for one of their own
	// Groups are those of a team that is new.
	Groups []string
}

// Enter makes an account take part in a contest as a team of its own, and returns that. One
// that takes part already goes on as it did.
func (s *Store) Enter(ctx context.Context, contest string, a *Account) (*Team, error) {
	if t, err := s.TeamOf(ctx, contest, a.ID); err == nil || !errors.Is(err, ErrNotFound) {
		return t, err
	}
	if _, err := s.EnterAll(ctx, contest, []Entrant{{Account: a}}); err != nil {
		return nil, err
	}
	return s.TeamOf(ctx, contest, a.ID)
}

// EnterAll makes accounts take part in a contest: all of them, or none. Who names a team that
// is there joins it, and those who take part already go on as before. It returns how many are new.
func (s *Store) EnterAll(ctx context.Context, contest string, all []Entrant) (entered int, err error) {
	err = s.tx(ctx, "enter a contest", func(q *query.Queries) (err error) {
		entered, err = s.enter(ctx, q, contest, all)
		return err
	})
	return entered, err
}

func (s *Store) enter(ctx context.Context, q *query.Queries, contest string, all []Entrant) (entered int, err error) {
	if n, err := q.HoldContest(ctx, contest); changed(n, err) != nil { // of two that enter at once one finds the other
		return 0, changed(n, err)
	}
	rows, err := q.TeamsOf(ctx, contest)
	if err != nil {
		return 0, err
	}
	named := map[string]string{}
	for _, r := range rows {
		named[r.Name] = r.ID
	}
	for _, one := range all {
		if _, err := q.TeamOf(ctx, contest, one.ID); err == nil {
			continue
		} else if !errors.Is(err, sql.ErrNoRows) {
			return 0, err
		}
		entered++
		id := named[clean(one.Team)]
		if one.Team == "" || id == "" {
			id = newID()
			name := clean(cmp.Or(one.Team, one.Display, one.Login))
			if err := s.newTeam(ctx, q, contest, id, name, one.Groups); err != nil {
				return 0, err
			}
			if one.Team != "" {
				named[name] = id
			}
		}
		if err := q.InsertMember(ctx, query.InsertMemberParams{Contest: contest, Account: one.ID, Team: id}); err != nil {
			return 0, err
		}
	}
	return entered, nil
}

func (s *Store) newTeam(ctx context.Context, q *query.Queries, contest, id, name string, groups []string) error {
	if _, err := s.step(ctx, q, contest, OfTeam, id, Created); err != nil {
		return err
	}
	number, err := q.NextTeam(ctx, contest)
	if err != nil {
		return err
	}
	return q.InsertTeam(ctx, query.InsertTeamParams{ID: id, Contest: contest, Number: number, Name: name, TeamGroups: joined(groups)})
}

// TeamOf reads the team with which an account takes part in a contest; ErrNotFound says that
// it does not.
func (s *Store) TeamOf(ctx context.Context, contest, account string) (*Team, error) {
	row, err := s.read.TeamOf(ctx, contest, account)
	return team(row), failed("read a team", err)
}

// Teams reads the teams of a contest by their numbers.
func (s *Store) Teams(ctx context.Context, contest string) ([]*Team, error) {
	rows, err := s.read.TeamsOf(ctx, contest)
	return each(rows, err, "read the teams of a contest", team)
}

// Members reads who takes part in a contest, by their teams' ids; those of a team by their
// logins.
func (s *Store) Members(ctx context.Context, contest string) (map[string][]*Account, error) {
	rows, err := s.read.MembersOf(ctx, contest)
	of := map[string][]*Account{}
	for _, r := range rows {
		of[r.Team] = append(of[r.Team], account(r.AccountRole))
	}
	return of, failed("read who takes part in a contest", err)
}

// Revision tells one state of a team from another one: SetTeam takes that which was read.
func (t *Team) Revision() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %t %d %d", t.Name, t.Groups, t.Hidden, t.ExtraTime, t.ExtraPenalty))
	return hex.EncodeToString(sum[:8])
}

// SetTeam changes a team: its name, its groups, whether it is hidden, its extra time and
// penalty. ErrChanged says that it is not as it was when its Revision was read; "" is whatever it is.
func (s *Store) SetTeam(ctx context.Context, t *Team, revision string) error {
	return s.tx(ctx, "change a team", func(q *query.Queries) error {
		now, err := q.TeamsOf(ctx, t.Contest)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(now, func(r query.Team) bool { return r.ID == t.ID }); revision != "" && i >= 0 && team(now[i]).Revision() != revision {
			return ErrChanged
		}
		n, err := q.SetTeam(ctx, query.SetTeamParams{
			ID: t.ID, Name: clean(t.Name), Hidden: t.Hidden, ExtraTime: t.ExtraTime.Microseconds(), ExtraPenalty: int64(t.ExtraPenalty / time.Minute),
			TeamGroups: joined(t.Groups),
		})
		if changed(n, err) != nil {
			return changed(n, err)
		}
		_, err = s.step(ctx, q, t.Contest, OfTeam, t.ID, Updated)
		return err
	})
}

// joined writes the groups of a team as one text.
func joined(groups []string) string { return clean(strings.Join(groups, ",")) }

func team(r query.Team) *Team {
	return &Team{
		r.ID, r.Contest, r.Number, r.Name, strings.FieldsFunc(r.TeamGroups, func(c rune) bool { return c == ',' }), r.Hidden, time.Duration(r.ExtraTime) * time.Microsecond, time.Duration(r.ExtraPenalty) * time.Minute,
	}
}
