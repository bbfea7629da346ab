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
	FormalName string // if empty, it is Name
	MainGroup  string // id of the group of the main scoreboard; if empty, that has all teams
	Format     Format
	Starts     time.Time     // zero: nobody said so yet
	Length     time.Duration // 0 for one that does not end
	Freeze     time.Duration // how long after the start the board stands still; 0 for never
	Thaw       time.Time     // zero for not
	Finalized  time.Time     // zero for not
	FinalB     int           // further bronze medals
	FinalBy    string        // name of the person who approved the results
	UpdatesEnd time.Time     // of the last change that the Contest API shows; zero until then
	Visibility Visibility
	Settings   Settings
	Revision   int64  // rises with each change
	LastSeq    int64  // of its last event
	Epoch      int64  // rises when the public loses something that it could see
	Phase      string // which of its moments have come, as the log knows
}

var slugs = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

// GoodSlug reports whether a text can name a contest or a hole in addresses.
func GoodSlug(text string) bool { return slugs.MatchString(text) }

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
	// BalloonsInFreeze is up to how many solved problems a team gets balloons while the scoreboard is
	// frozen. Zero means none.
	BalloonsInFreeze int `json:"balloons_in_freeze,omitempty"`
	// Replies are the saved replies of the jury. If there are none, pages offer the usual ones.
	Replies []string `json:"saved_replies,omitempty"`
	// Printing reports whether teams can send files to be printed.
	Printing bool `json:"printing,omitempty"`
	// Paused is how long the start is away while its countdown is paused; 0 if it is not.
	Paused time.Duration `json:"countdown_paused_ns,omitempty"`
	// Awards are those that administrators created. One with the id of a computed award replaces it.
	Awards []OwnAward `json:"awards,omitempty"`
	// AwardsOff are the ids of computed awards that the contest does not have.
	AwardsOff []string `json:"awards_off,omitempty"`
	// Citations are those of computed awards, by their ids. The others have the usual one.
	Citations map[string]string `json:"citations,omitempty"`
	// Medals is how many teams win a medal. If nil, 4 win one of each kind.
	Medals *Medals `json:"medals,omitempty"`
	// OrganizationWinners reports whether each organization has a winner.
	OrganizationWinners bool `json:"organization_winners,omitempty"`
	// WorldFinals reports whether ranks and honors of the final results follow the rule of the World Finals.
	WorldFinals bool `json:"world_finals,omitempty"`
	// Removed are times that do not count as contest time: in their order, and apart.
	Removed []Interval `json:"removed,omitempty"`
}

// Medals are numbers of medals.
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

// OwnAward returns the index in Awards of the award with an id, or -1.
func (s *Settings) OwnAward(id string) int {
	return slices.IndexFunc(s.Awards, func(a OwnAward) bool { return a.ID == id })
}

// OwnAward is an award that an administrator created.
type OwnAward struct {
	ID       string   `json:"id"` // unique in its contest
	Citation string   `json:"citation"`
	Teams    []string `json:"teams"` // their ExtIDs
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

// ErrOver means that the results of a contest are final and public: nothing changes any more that the
// Contest API shows.
var ErrOver = errors.New("the results of the contest are final and public")

// updatesEnd returns when the last change of the contest happens that the Contest API shows: the later of
// the finalization and the unfreezing of the scoreboard. It is zero if that is not known at a moment.
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

// UpdatesEnded reports whether nothing of the contest changes any more that the Contest API shows.
func (c *Contest) UpdatesEnded(now time.Time) bool {
	return !c.UpdatesEnd.IsZero() || !c.updatesEnd(now).IsZero()
}

// changing returns ErrOver if nothing of a contest changes any more. The caller has locked the contest.
func (s *Store) changing(ctx context.Context, q *query.Queries, id string) error {
	row, err := q.GetContest(ctx, id)
	if err != nil {
		return err
	}
	c, err := contest(row)
	if err == nil && c.UpdatesEnded(s.options.Now()) {
		err = ErrOver
	}
	return err
}

// ContestProblem is a problem of a contest.
type ContestProblem struct {
	Label  string // unique in its contest
	Points int64
	Color  string // of its balloons; "" for none
	ExtID  string // the id that other systems use
	// ColorName is what people call the color. It may be empty.
	ColorName string
	// Paused reports whether its submissions wait to be judged.
	Paused bool
	Verify VerifyMode
	*Problem
}

// NewContestProblem puts a problem into a contest.
type NewContestProblem struct {
	Label  string
	Slug   string
	Points int64
	Color  string
	// ExtID and ColorName are those of ContestProblem. If ExtID is empty, a problem of the contest
	// keeps its id, and its color's name while the color stays; another problem has its slug.
	ExtID, ColorName string
}

// ErrChanged says that somebody else has changed the same since it was read.
var ErrChanged = errors.New("somebody else has changed it meanwhile")

// NewContest makes a contest with its problems, in their order; its ID and Revision are made
// up. ErrTaken says that there is one with its slug, ErrNotFound that there is no such
// problem.
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
		ID: c.ID, Slug: c.Slug, Name: clean(c.Name), Format: string(c.Format), Starts: micros(c.Starts), Length: c.Length.Microseconds(),
		Freezes: lasting(c.Freeze), Visibility: string(c.Visibility), Settings: settings, FormalName: clean(c.FormalName), MainGroup: c.MainGroup,
	}); err != nil {
		return err
	}
	if err := putProblems(ctx, q, c.ID, problems); err != nil {
		return err
	}
	_, err = s.step(ctx, q, c.ID, OfContest, c.ID, Created)
	return err
}

// SetContest changes a contest as it was read, and its problems, unless they are nil.
// ErrChanged says that somebody else was first. The contest's Revision rises.
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
		return ErrOver
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
		ID: c.ID, Revision: c.Revision, Slug: c.Slug, Name: clean(c.Name), Format: string(c.Format), Starts: micros(c.Starts), Length: c.Length.Microseconds(),
		Freezes: lasting(c.Freeze), Thaw: micros(c.Thaw), Finalized: micros(c.Finalized), Visibility: string(c.Visibility), Settings: settings,
		FormalName: clean(c.FormalName), MainGroup: c.MainGroup, FinalB: int64(c.FinalB), FinalBy: clean(c.FinalBy), UpdatesEnd: micros(c.UpdatesEnd),
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
	_, err = s.step(ctx, q, c.ID, OfContest, c.ID, Updated)
	return err
}

// putProblems gives a contest these problems in place of those that it has.
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
			return fmt.Errorf("the problem %s: %w", p.Slug, none(err, ErrNotFound))
		}
		at := slices.IndexFunc(before, func(b query.ProblemsOfContestRow) bool { return b.ContestProblem.Problem == row.ID })
		if p.ExtID == "" && at >= 0 {
			p.ExtID = before[at].ContestProblem.ExtID
			if p.Color == before[at].ContestProblem.Color {
				p.ColorName = before[at].ContestProblem.ColorName
			}
		}
		made := query.InsertContestProblemParams{
			Contest: contest, Label: p.Label, Place: int64(i), Problem: row.ID, Points: p.Points, Color: p.Color, ExtID: p.ExtID, ColorName: clean(p.ColorName),
		}
		if at >= 0 {
			made.JudgingPaused, made.Verify = before[at].ContestProblem.JudgingPaused, before[at].ContestProblem.Verify
		}
		if err := q.InsertContestProblem(ctx, made); err != nil {
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
		ID: r.ID, Slug: r.Slug, Name: r.Name, FormalName: r.FormalName, MainGroup: r.MainGroup, Format: Format(r.Format), Starts: instant(r.Starts.Int64), Length: time.Duration(r.Length) * time.Microsecond,
		Freeze: time.Duration(r.Freezes.Int64) * time.Microsecond, Thaw: instant(r.Thaw.Int64), Finalized: instant(r.Finalized.Int64),
		FinalB: int(r.FinalB), FinalBy: r.FinalBy, UpdatesEnd: instant(r.UpdatesEnd.Int64), Visibility: Visibility(r.Visibility), Revision: r.Revision, LastSeq: r.LastSeq, Epoch: r.Epoch, Phase: r.Phase,
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
		in := r.ContestProblem
		return &ContestProblem{Label: in.Label, Points: in.Points, Color: in.Color, ExtID: cmp.Or(in.ExtID, r.Problem.Slug), ColorName: in.ColorName, Paused: in.JudgingPaused, Verify: VerifyMode(in.Verify), Problem: problem(r.Problem)}
	})
}
