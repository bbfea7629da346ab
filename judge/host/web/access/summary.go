package access

import (
	"context"
	"fmt"
	"strings"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/scoreboard"
	"assay/judge/host/scoring"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// Formats lists the choices for scoring a contest.
var Formats = []web.Choice{
	{Value: string(store.ICPC), Name: "ICPC", Help: "Most problems solved; ties by penalty time."},
	{Value: string(store.IOI), Name: "IOI", Help: "Points; subtasks give partial scores; time does not matter."},
	{Value: string(store.Points), Name: "Points and time", Help: "The points of the solved problems; ties by penalty time."},
}

// A Summary is a contest as listed.
type Summary struct {
	Slug, Name, Format string
	Visibility         string
	Starts, Ends       time.Time // zero if not set
	Length             time.Duration
	Clock              web.Clock
	Hidden             bool // hidden from all but the jury
	Final              bool
	Team               string // the caller's team; may be empty
	Practice           bool   // the contest has ended, and the caller can submit to it
}

// NewSummary returns the summary of a contest.
func NewSummary(s *web.Site, access *intake.ContestAccess) Summary {
	c := access.Contest
	v := Summary{
		Slug: c.Slug, Name: c.Name, Starts: c.Starts, Ends: access.Ends(), Length: c.Length, Clock: ClockOf(access, s.Time()),
		Hidden: c.Visibility == store.VisibilityJury, Final: !c.Finalized.IsZero(),
		Practice: access.State.Phase == auth.Over && c.Settings.Practice && access.Can(auth.Submit),
	}
	v.Format = web.ChoiceName(Formats, string(c.Format))
	v.Visibility = strings.ToLower(web.ChoiceName(web.Visibilities, string(c.Visibility)))
	if access.Team != nil {
		v.Team = access.Team.Name
	}
	return v
}

// A RunningContest is a running contest with its progress.
type RunningContest struct {
	Summary
	Problems       int
	Standing       string // see RankText
	Passed         int    // elapsed time, in percent
	Freezes        time.Time
	Frozen         bool
	FrozenAt, Rest int // start and length of the freeze in percent; Rest is 0 if none
}

// NewRunningContest returns a running contest with its progress.
func NewRunningContest(ctx context.Context, s *web.Site, access *intake.ContestAccess) (*RunningContest, error) {
	v := &RunningContest{Summary: NewSummary(s, access)}
	problems, err := s.Store.ContestProblems(ctx, access.Contest.ID)
	if err != nil {
		return nil, err
	}
	v.Problems = len(problems)
	c := access.Contest
	clock, freezes := scoreboard.Contest(c, nil), c.Freeze > 0 && c.Thaw.IsZero()
	v.Frozen = freezes && c.Freeze <= clock.Time(s.Time())
	if duration := v.Ends.Sub(v.Starts); !v.Starts.IsZero() && duration > 0 {
		percent := func(t time.Time) int { return int(max(0, min(100, 100*t.Sub(v.Starts)/duration))) }
		v.Passed = percent(s.Time())
		if freezes {
			v.Freezes = clock.TimeAt(c.Freeze)
			v.FrozenAt = percent(v.Freezes)
			v.Rest = 100 - v.FrozenAt
		}
	}
	v.Standing, err = RankText(ctx, s, access)
	return v, err
}

// A PastContest is a contest that has ended.
type PastContest struct {
	Summary
	Standing string // set by ReadStanding

	access *intake.ContestAccess
}

// NewPastContest returns a contest that has ended, without its standing.
func NewPastContest(s *web.Site, access *intake.ContestAccess) *PastContest {
	return &PastContest{Summary: NewSummary(s, access), access: access}
}

// ReadStanding sets Standing to the rank and the score of the caller's team, as RankText does. It may read the
// scoreboard of the contest from the database.
func (c *PastContest) ReadStanding(ctx context.Context, s *web.Site) (err error) {
	c.Standing, err = RankText(ctx, s, c.access)
	return err
}

// RankText returns the rank of the caller's team on the public scoreboard, as text. It returns an empty string if
// the caller has no team, or if the scoreboard does not rank the team.
func RankText(ctx context.Context, s *web.Site, access *intake.ContestAccess) (string, error) {
	if access.Team == nil || !access.Can(auth.SeeScoreboard) {
		return "", nil
	}
	l, err := s.Scoreboards.Scoreboard(ctx, access.Contest.ID)
	if err != nil {
		return "", err
	}
	_, places, _ := l.Scores(false)
	ranked := 0
	var ownRow *scoring.RankedRow
	for i := range places {
		if places[i].Rank > 0 {
			ranked++
		}
		if places[i].Team.ID == access.Team.ID {
			ownRow = &places[i]
		}
	}
	if ownRow == nil || ownRow.Rank == 0 {
		return "", nil
	}
	text := fmt.Sprintf("rank %d of %d", ownRow.Rank, ranked)
	if access.Contest.Format == store.ICPC {
		return text + fmt.Sprintf(
			", %d solved, %s of penalty time", ownRow.Solved,
			web.CountText(int(ownRow.Time.Minutes()), "minute", "minutes"),
		), nil
	}
	return text + fmt.Sprintf(", %g points", ownRow.Points), nil
}
