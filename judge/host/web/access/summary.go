package access

import (
	"context"
	"fmt"
	"strings"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/board"
	"assay/judge/host/desk"
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
}

// NewSummary returns the summary of a contest.
func NewSummary(s *web.Site, seat *desk.Seat) Summary {
	c := seat.Contest
	v := Summary{
		Slug: c.Slug, Name: c.Name, Starts: c.Starts, Ends: seat.Ends(), Length: c.Length, Clock: ClockOf(seat, s.Time()),
		Hidden: c.Visibility == store.Staff, Final: !c.Finalized.IsZero(),
	}
	v.Format = web.ChoiceName(Formats, string(c.Format))
	v.Visibility = strings.ToLower(web.ChoiceName(web.Visibilities, string(c.Visibility)))
	if seat.Team != nil {
		v.Team = seat.Team.Name
	}
	return v
}

// A Running is a running contest with its progress.
type Running struct {
	Summary
	Problems       int
	Standing       string // see Standing
	Passed         int    // elapsed time, in percent
	Freezes        time.Time
	Frozen         bool
	FrozenAt, Rest int // start and length of the freeze in percent; Rest is 0 if none
}

// NewRunning returns a running contest with its progress.
func NewRunning(ctx context.Context, s *web.Site, seat *desk.Seat) (*Running, error) {
	v := &Running{Summary: NewSummary(s, seat)}
	problems, err := s.Store.ContestProblems(ctx, seat.Contest.ID)
	if err != nil {
		return nil, err
	}
	v.Problems = len(problems)
	c := seat.Contest
	clock, freezes := board.Contest(c, nil), c.Freeze > 0 && c.Thaw.IsZero()
	v.Frozen = freezes && c.Freeze <= clock.Time(s.Time())
	if whole := v.Ends.Sub(v.Starts); !v.Starts.IsZero() && whole > 0 {
		percent := func(t time.Time) int { return int(max(0, min(100, 100*t.Sub(v.Starts)/whole))) }
		v.Passed = percent(s.Time())
		if freezes {
			v.Freezes = clock.Moment(c.Freeze)
			v.FrozenAt = percent(v.Freezes)
			v.Rest = 100 - v.FrozenAt
		}
	}
	v.Standing, err = Standing(ctx, s, seat)
	return v, err
}

// Standing returns the rank of the caller's team on the public scoreboard, as text. It returns an empty string if
// the caller has no team, or if the scoreboard does not rank the team.
func Standing(ctx context.Context, s *web.Site, seat *desk.Seat) (string, error) {
	if seat.Team == nil || !seat.Can(auth.SeeBoard) {
		return "", nil
	}
	l, err := s.Boards.Board(ctx, seat.Contest.ID)
	if err != nil {
		return "", err
	}
	_, places, _ := l.Scores(false)
	ranked := 0
	var mine *scoring.Place
	for i := range places {
		if places[i].Rank > 0 {
			ranked++
		}
		if places[i].Team.ID == seat.Team.ID {
			mine = &places[i]
		}
	}
	if mine == nil || mine.Rank == 0 {
		return "", nil
	}
	text := fmt.Sprintf("rank %d of %d", mine.Rank, ranked)
	if seat.Contest.Format == store.ICPC {
		return text + fmt.Sprintf(", %d solved, %s of penalty time", mine.Solved, web.Counted(int(mine.Time.Minutes()), "minute", "minutes")), nil
	}
	return text + fmt.Sprintf(", %g points", mine.Points), nil
}
