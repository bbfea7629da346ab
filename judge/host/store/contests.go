package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"assay/judge"
	"assay/judge/host/store/internal/query"
)

// A Format is the scoring method of a contest.
type Format string

// The contest formats. Package scoring defines their rules.
const (
	ICPC   Format = "icpc"
	IOI    Format = "ioi"
	Points Format = "points"
)

// Formats lists the formats that an administrator can choose.
var Formats = []Format{ICPC, IOI, Points}

// Visibility controls who may see a contest.
type Visibility string

// The values of Visibility, which also control who may enter a contest.
const (
	VisibilityPublic   Visibility = "public"   // everyone sees it, and every account may enter
	VisibilityAccounts Visibility = "accounts" // every account sees it and may enter
	VisibilityTeams    Visibility = "teams"    // only its teams see it
	VisibilityJury     Visibility = "jury"     // only the jury sees it
)

// Visibilities lists all values, most public first.
var Visibilities = []Visibility{VisibilityPublic, VisibilityAccounts, VisibilityTeams, VisibilityJury}

// A Contest is a contest, without its problems and teams.
type Contest struct {
	ID         string
	Slug       string // unique
	Name       string
	FormalName string // if empty, Name is used
	MainGroup  string // group id for the main scoreboard; if empty, it has all teams
	Format     Format
	Starts     time.Time     // zero if not set
	Length     time.Duration // 0 if the contest does not end
	Freeze     time.Duration // time from the start to the freeze; 0 if there is no freeze
	Thaw       time.Time     // zero if not set
	Finalized  time.Time     // zero if the results are not final
	FinalB     int           // number of additional bronze medals
	FinalBy    string        // name of the approver of the results
	UpdatesEnd time.Time     // time of the last change visible in the Contest API; zero if not yet known
	Visibility Visibility
	Settings   Settings
	Revision   int64  // increases with each change
	LastSeq    int64  // number of its last event
	Epoch      int64  // increases when something public becomes hidden
	Phase      string // phases recorded in the event log
}

var slugs = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

// IsSlug reports whether text is a valid slug of a contest or a hole.
func IsSlug(slug string) bool { return slugs.MatchString(slug) }

// Settings contains the settings of a contest that an administrator can change. The zero value of each field is
// the default.
type Settings struct {
	// Show is what contestants see of their judgements. If empty, judge.ShowVerdict is used.
	Show judge.Visibility `json:"show,omitempty"`
	// PerMinute is the maximum number of submissions per account and minute. Zero means 10.
	PerMinute int `json:"per_minute,omitempty"`
	// Languages lists the ids of the allowed languages. If empty, all languages are allowed.
	Languages []string `json:"languages,omitempty"`
	// Statements lists the codes of the languages in which statements are shown. If empty, statements are shown in
	// all languages. A problem without a statement in any of the listed languages is shown in all its languages.
	Statements []string `json:"statement_languages,omitempty"`
	// Practice reports whether contestants may submit after the end of the contest. Such submissions are unscored.
	Practice bool `json:"practice,omitempty"`
	// Penalty is the penalty time in minutes for a rejected attempt, if the format uses it. Zero means the
	// default: 20 for ICPC, 5 for Points.
	Penalty int `json:"penalty_minutes,omitempty"`
	// CompileErrors reports whether an attempt with a compile error also adds penalty time.
	CompileErrors bool `json:"compile_errors_cost,omitempty"`
	// Groups reports whether the best result of each test group counts, instead of the best submission, if the
	// format has points.
	Groups bool `json:"best_groups,omitempty"`
	// Blind reports whether only the jury sees verdicts on the scoreboard until the contest ends.
	Blind bool `json:"blind,omitempty"`
	// KeepSources reports whether the programs of erased accounts are kept, without a name, after the results are
	// final.
	KeepSources bool `json:"keep_sources,omitempty"`
	// Planned is the contest time of the planned freeze that a manual freeze replaced. Zero means that no planned
	// freeze was replaced.
	Planned time.Duration `json:"planned_freeze_ns,omitempty"`
	// BalloonsInFreeze is the number of solved problems up to which a team gets balloons while the scoreboard is
	// frozen. Zero means that there are no balloons during the freeze.
	BalloonsInFreeze int `json:"balloons_in_freeze,omitempty"`
	// Replies lists the saved replies of the jury. If empty, pages offer default replies.
	Replies []string `json:"saved_replies,omitempty"`
	// Printing reports whether teams can send files to be printed.
	Printing bool `json:"printing,omitempty"`
	// Paused is the time left until the start while the countdown is paused. Zero means that it is not paused.
	Paused time.Duration `json:"countdown_paused_ns,omitempty"`
	// Awards lists the awards that administrators created. An award with the id of a computed award replaces it.
	Awards []CustomAward `json:"awards,omitempty"`
	// AwardsOff lists the ids of computed awards that are turned off.
	AwardsOff []string `json:"awards_off,omitempty"`
	// Citations maps the ids of computed awards to citations. Other awards have default citations.
	Citations map[string]string `json:"citations,omitempty"`
	// Medals is the number of teams that win each kind of medal. If nil, 4 teams win each kind.
	Medals *Medals `json:"medals,omitempty"`
	// OrganizationWinners reports whether the best team of each organization gets an award.
	OrganizationWinners bool `json:"organization_winners,omitempty"`
	// WorldFinals reports whether ranks and honors in the final results follow the rules of the World Finals.
	WorldFinals bool `json:"world_finals,omitempty"`
	// Removed lists the removed intervals, sorted and without overlap.
	Removed []Interval `json:"removed,omitempty"`
}

// Medals contains the numbers of medals.
type Medals struct {
	Gold   int `json:"gold"`
	Silver int `json:"silver"`
	Bronze int `json:"bronze"`
}

// MedalCounts returns how many teams win gold, silver and bronze.
func (s *Settings) MedalCounts() (gold, silver, bronze int) {
	if s.Medals == nil {
		return 4, 4, 4
	}
	return s.Medals.Gold, s.Medals.Silver, s.Medals.Bronze
}

// AwardIndex returns the index in Awards of the award with the given id. It returns -1 if there is none.
func (s *Settings) AwardIndex(id string) int {
	return slices.IndexFunc(s.Awards, func(a CustomAward) bool { return a.ID == id })
}

// CustomAward is an award that an administrator created.
type CustomAward struct {
	ID       string   `json:"id"` // unique in its contest
	Citation string   `json:"citation"`
	Teams    []string `json:"teams"` // ExtIDs of the teams
}

// An Interval is a period that includes From but not To.
type Interval struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// Shows returns what contestants see of their judgements.
func (s *Settings) Shows() judge.Visibility {
	if s.Show == "" {
		return judge.ShowVerdict
	}
	return s.Show
}

// Ends returns the time at which the contest ends for teams without extra time. It returns the zero time if the
// contest has no end.
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

// ErrResultsPublic means that the results of a contest are final and public, so that nothing visible in the Contest API can
// change.
var ErrResultsPublic = errors.New("the results of the contest are final and public")

// updatesEnd returns the time of the last change that is visible in the Contest API. This is the time when the
// results became final or the scoreboard was unfrozen, whichever is later. It returns the zero time if that is not
// yet known at the time now.
func (c *Contest) updatesEnd(now time.Time) time.Time {
	last := c.Ends()
	if c.Finalized.IsZero() || last.IsZero() || now.Before(last) {
		return time.Time{}
	}
	if c.Freeze > 0 {
		if c.Thaw.IsZero() || now.Before(c.Thaw) {
			return time.Time{}
		}
		last = latest(last, c.Thaw)
	}
	return latest(last, c.Finalized)
}

func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// UpdatesEnded reports whether nothing that is visible in the Contest API can change.
func (c *Contest) UpdatesEnded(now time.Time) bool {
	return !c.UpdatesEnd.IsZero() || !c.updatesEnd(now).IsZero()
}

// checkChangeable returns ErrResultsPublic if nothing of the contest that is visible in the Contest API can change
// anymore. The caller must have locked the contest.
func (s *Store) checkChangeable(ctx context.Context, q *query.Queries, id string) error {
	row, err := q.GetContest(ctx, id)
	if err != nil {
		return err
	}
	c, err := contest(row)
	if err == nil && c.UpdatesEnded(s.options.Now()) {
		err = ErrResultsPublic
	}
	return err
}

// A ContestProblem is a problem of a contest.
type ContestProblem struct {
	Label  string // unique in its contest
	Points int64
	Color  string // of its balloons; may be empty
	ExtID  string // id in the Contest API
	// ColorName is the name of the color. It may be empty.
	ColorName string
	// Paused reports whether judging the problem's submissions is paused.
	Paused bool
	Verify VerifyMode
	*Problem
}

// A NewContestProblem is a problem to add to a contest.
type NewContestProblem struct {
	Label  string
	Slug   string
	Points int64
	Color  string
	// ExtID and ColorName have the same meaning as in ContestProblem. If ExtID is empty, a problem that is already
	// in the contest keeps its id. It also keeps the name of its color, unless the color changes. A problem that
	// is new in the contest gets its slug as id.
	ExtID, ColorName string
}

// ErrChanged means that the object has been changed since it was read.
var ErrChanged = errors.New("it was changed meanwhile")

// NewContest creates a contest with problems in the given order, and sets its ID and Revision. It returns ErrTaken
// if the slug is in use, and ErrNotFound if a problem does not exist.
func (s *Store) NewContest(ctx context.Context, c *Contest, problems []NewContestProblem) error {
	return s.tx(ctx, "make the contest "+c.Slug, func(q *query.Queries) error { return s.newContest(ctx, q, c, problems) })
}

func (s *Store) newContest(ctx context.Context, q *query.Queries, c *Contest, problems []NewContestProblem) error {
	c.ID, c.Revision, c.Epoch = newID(), 1, 1
	settings, err := toJSON(c.Settings)
	if err != nil {
		return err
	}
	if err := q.InsertContest(ctx, query.InsertContestParams{
		ID: c.ID, Slug: c.Slug, Name: sanitize(c.Name), Format: string(c.Format), Starts: nullMicros(c.Starts),
		Length:  c.Length.Microseconds(),
		Freezes: nullDuration(c.Freeze), Visibility: string(c.Visibility), Settings: settings, FormalName: sanitize(c.FormalName),
		MainGroup: c.MainGroup,
	}); err != nil {
		return err
	}
	if err := putProblems(ctx, q, c.ID, problems); err != nil {
		return err
	}
	_, err = s.appendEvent(ctx, q, c.ID, KindContest, c.ID, OpCreated)
	return err
}

// SetContest stores a changed contest, and its problems unless problems is nil. It increments Revision. It returns
// ErrChanged if the contest was changed since it was read.
func (s *Store) SetContest(ctx context.Context, c *Contest, problems []NewContestProblem) error {
	err := s.tx(ctx, "change the contest "+c.Slug, func(q *query.Queries) error { return s.setContest(ctx, q, c, problems) })
	if err == nil {
		c.Revision++
	}
	return err
}

func (s *Store) setContest(ctx context.Context, q *query.Queries, c *Contest, problems []NewContestProblem) error {
	settings, err := toJSON(c.Settings)
	if err != nil {
		return err
	}
	row, err := q.GetContest(ctx, c.ID)
	if err != nil {
		return err
	}
	old, err := contest(row)
	if err != nil {
		return err
	}
	now := s.options.Now()
	if old.UpdatesEnded(now) {
		return ErrResultsPublic
	}
	if c.Finalized.IsZero() {
		c.FinalB, c.FinalBy = 0, ""
	}
	c.UpdatesEnd = c.updatesEnd(now)
	if conceals(old, c, now) {
		if err := q.RaiseContestEpoch(ctx, c.ID); err != nil {
			return err
		}
	}
	n, err := q.UpdateContest(ctx, query.UpdateContestParams{
		ID: c.ID, Revision: c.Revision, Slug: c.Slug, Name: sanitize(c.Name), Format: string(c.Format), Starts: nullMicros(c.Starts),
		Length: c.Length.Microseconds(),
		Freezes: nullDuration(
			c.Freeze,
		), Thaw: nullMicros(c.Thaw), Finalized: nullMicros(c.Finalized), Visibility: string(c.Visibility), Settings: settings,
		FormalName: sanitize(c.FormalName), MainGroup: c.MainGroup, FinalB: int64(c.FinalB), FinalBy: sanitize(c.FinalBy),
		UpdatesEnd: nullMicros(c.UpdatesEnd),
	})
	if err != nil {
		return err
	}
	if n == 0 {
		return ErrChanged
	}
	if problems != nil {
		if err := putProblems(ctx, q, c.ID, problems); err != nil {
			return err
		}
	}
	if row, err = q.GetContest(ctx, c.ID); err != nil {
		return err
	}
	c.Epoch = row.Epoch
	_, err = s.appendEvent(ctx, q, c.ID, KindContest, c.ID, OpUpdated)
	return err
}

// putProblems replaces the problems of a contest.
func putProblems(ctx context.Context, q *query.Queries, contest string, problems []NewContestProblem) error {
	before, err := q.ProblemsOfContest(ctx, contest)
	if err != nil {
		return err
	}
	if err := q.DeleteContestProblems(ctx, contest); err != nil {
		return err
	}
	for _, b := range before {
		if !slices.ContainsFunc(problems, func(p NewContestProblem) bool { return p.Slug == b.Problem.Slug }) {
			if err := q.RaiseContestEpoch(ctx, contest); err != nil {
				return err
			}
		}
	}
	for i, p := range problems {
		row, err := q.ProblemBySlug(ctx, p.Slug)
		if err != nil {
			return fmt.Errorf("the problem %s: %w", p.Slug, ifNoRows(err, ErrNotFound))
		}
		index := slices.IndexFunc(before, func(b query.ProblemsOfContestRow) bool { return b.ContestProblem.Problem == row.ID })
		if p.ExtID == "" && index >= 0 {
			p.ExtID = before[index].ContestProblem.ExtID
			if p.Color == before[index].ContestProblem.Color {
				p.ColorName = before[index].ContestProblem.ColorName
			}
		}
		inserted := query.InsertContestProblemParams{
			Contest: contest, Label: p.Label, Place: int64(i), Problem: row.ID, Points: p.Points, Color: p.Color, ExtID: p.ExtID,
			ColorName: sanitize(p.ColorName),
		}
		if index >= 0 {
			inserted.JudgingPaused, inserted.Verify = before[index].ContestProblem.JudgingPaused, before[index].ContestProblem.Verify
		}
		if err := q.InsertContestProblem(ctx, inserted); err != nil {
			return err
		}
	}
	return nil
}

// Contest returns the contest with the given id.
func (s *Store) Contest(ctx context.Context, id string) (*Contest, error) {
	r, err := s.read.GetContest(ctx, id)
	return convertRow(r, err, "read the contest "+id, contest)
}

// ContestBySlug returns the contest with the given slug.
func (s *Store) ContestBySlug(ctx context.Context, slug string) (*Contest, error) {
	r, err := s.read.ContestBySlug(ctx, slug)
	return convertRow(r, err, "read the contest "+slug, contest)
}

// Contests reads all contests except Practice, oldest first.
func (s *Store) Contests(ctx context.Context) ([]*Contest, error) {
	rows, err := s.read.ListContests(ctx)
	return parseRows(rows, err, "read the contests", contest)
}

// ContestsWithProblem returns the contests that contain a problem.
func (s *Store) ContestsWithProblem(ctx context.Context, problem string) ([]*Contest, error) {
	rows, err := s.read.ContestsOfProblem(ctx, problem)
	return parseRows(rows, err, "read the contests of the problem "+problem, contest)
}

// IsReserved reports whether the problem belongs to a contest that has not ended for all its teams. If so, untrusted
// workers do not get the problem's secret test cases.
func (s *Store) IsReserved(ctx context.Context, problem string) (bool, error) {
	contests, err := s.ContestsWithProblem(ctx, problem)
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
		ID: r.ID, Slug: r.Slug, Name: r.Name, FormalName: r.FormalName, MainGroup: r.MainGroup, Format: Format(r.Format),
		Starts: fromMicros(r.Starts.Int64), Length: time.Duration(r.Length) * time.Microsecond,
		Freeze: time.Duration(r.Freezes.Int64) * time.Microsecond, Thaw: fromMicros(r.Thaw.Int64), Finalized: fromMicros(r.Finalized.Int64),
		FinalB: int(r.FinalB), FinalBy: r.FinalBy, UpdatesEnd: fromMicros(r.UpdatesEnd.Int64), Visibility: Visibility(r.Visibility),
		Revision: r.Revision, LastSeq: r.LastSeq, Epoch: r.Epoch, Phase: r.Phase,
	}
	if err := json.Unmarshal([]byte(r.Settings), &c.Settings); err != nil {
		return nil, fmt.Errorf("read the settings of the contest %s: %w", r.Slug, err)
	}
	return c, nil
}

// nullDuration converts a duration to microseconds. It returns null for zero.
func nullDuration(d time.Duration) sql.NullInt64 {
	return sql.NullInt64{Int64: d.Microseconds(), Valid: d != 0}
}

// ContestProblems reads the problems of a contest in their order.
func (s *Store) ContestProblems(ctx context.Context, contest string) ([]*ContestProblem, error) {
	rows, err := s.read.ProblemsOfContest(ctx, contest)
	return convertRows(rows, err, "read the problems of a contest", func(r query.ProblemsOfContestRow) *ContestProblem {
		in := r.ContestProblem
		return &ContestProblem{
			Label: in.Label, Points: in.Points, Color: in.Color, ExtID: cmp.Or(in.ExtID, r.Problem.Slug),
			ColorName: in.ColorName, Paused: in.JudgingPaused, Verify: VerifyMode(in.Verify), Problem: problem(r.Problem),
		}
	})
}
