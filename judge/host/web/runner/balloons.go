package runner

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/scoreboard"
	"assay/judge/host/scoring"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

const (
	// undoPeriod is how long a runner may undo the delivery of a balloon.
	undoPeriod = 10 * time.Second
	// maxDelivered is the maximum number of delivered balloons that the page shows.
	maxDelivered = 50
	// maxInFreeze is the largest number of solved problems that the jury can set as the limit for balloons in the
	// freeze.
	maxInFreeze = 100
	// holdReason is the reason why a balloon is held.
	holdReason = "the verdict was taken back"
)

// balloonsView is the page of balloons.
type balloonsView struct {
	Slug         string
	Query        template.URL // the filter, including its question mark; may be empty
	Group, Seats string       // of the filter
	Groups       []string
	InFreeze     int
	Changes      bool // the reader may change InFreeze
	List         template.HTML
}

// balloonList is the changing part of the page.
type balloonList struct {
	Slug          string
	Query         template.URL
	Filtered      bool
	Waiting       []balloonLine
	Held          []balloonLine
	JustDelivered []balloonLine // just delivered by the reader
	Delivered     []balloonLine // newest first
	More          int           // number of further delivered balloons
}

// balloonLine is a balloon.
type balloonLine struct {
	store.Balloon
	Time        string // contest time of the submission
	Team, Seat  string
	Number      int64 // of the team
	Groups      []string
	Color, Name string // Color of the problem may be empty; Name is its color name
	First       bool   // the team was the first to solve the problem
	Undo        bool   // the reader may undo the delivery
}

// balloonFilter selects the balloons that a runner sees.
type balloonFilter struct{ group, seats string }

func filterOf(r *web.Request) balloonFilter {
	q := r.URL.Query()
	return balloonFilter{q.Get("group"), strings.TrimSpace(q.Get("seats"))}
}

// query returns the filter as a URL query.
func (f balloonFilter) query() template.URL {
	q := url.Values{}
	if f.group != "" {
		q.Set("group", f.group)
	}
	if f.seats != "" {
		q.Set("seats", f.seats)
	}
	if len(q) == 0 {
		return ""
	}
	return template.URL("?" + q.Encode())
}

// matches reports whether a team matches the filter.
func (f balloonFilter) matches(t *store.Team) bool {
	return (f.group == "" || slices.Contains(t.Groups, f.group)) && strings.HasPrefix(strings.ToLower(t.Label), strings.ToLower(f.seats))
}

// updateBalloons updates the stored balloons of a contest from the scoreboard. It returns the stored contest, its
// balloons, and the columns of the scoreboard.
func (s *site) updateBalloons(
	ctx context.Context, contest string,
) (c *store.Contest, rows []store.Balloon, columns []scoring.Column, err error) {
	if c, err = s.Store.Contest(ctx, contest); err != nil {
		return nil, nil, nil, err
	}
	live, err := s.Scoreboards.Scoreboard(ctx, contest)
	if err != nil {
		return nil, nil, nil, err
	}
	due, columns := live.Balloons(c.Settings.BalloonsInFreeze)
	if rows, err = s.Store.Balloons(ctx, contest); err != nil {
		return nil, nil, nil, err
	}
	kept := make([]scoring.StoredBalloon, len(rows))
	for i, b := range rows {
		kept[i] = scoring.StoredBalloon{
			TeamProblem: scoring.TeamProblem{Team: b.Team, Problem: b.Label}, Submission: b.Submission, At: b.At, Held: b.HoldReason != "",
		}
	}
	var changed []store.Balloon
	for _, k := range due.Update(kept) {
		b := store.Balloon{Team: k.Team, Label: k.Problem, Submission: k.Submission, At: k.At}
		if k.Held {
			b.HoldReason = holdReason
		}
		changed = append(changed, b)
	}
	if len(changed) > 0 {
		if err = s.Store.AddBalloons(ctx, contest, changed); err == nil {
			rows, err = s.Store.Balloons(ctx, contest)
		}
	}
	return c, rows, columns, err
}

// balloonLines returns the balloons that match a filter, ordered by submission. It leaves out hidden teams.
func (s *site) balloonLines(r *web.Request, f balloonFilter) ([]balloonLine, error) {
	c, rows, columns, err := s.updateBalloons(r.Context(), access.Of(r).Contest.ID)
	if err != nil {
		return nil, err
	}
	teams, err := s.CoveredTeams(r.Context(), access.Of(r).ContestAccess)
	if err != nil {
		return nil, err
	}
	problems, err := s.Store.ContestProblems(r.Context(), c.ID)
	if err != nil {
		return nil, err
	}
	colors, names, first := map[string]string{}, map[string]string{}, map[scoring.TeamProblem]bool{}
	for _, p := range problems {
		names[p.Label] = colorName(p)
		if scoreboard.ValidColor(p.Color) {
			colors[p.Label] = p.Color
		}
	}
	for _, one := range columns {
		first[scoring.TeamProblem{Team: one.First, Problem: one.Label}] = true
	}
	clock := scoreboard.Contest(c, nil)
	var lines []balloonLine
	for _, b := range rows {
		t := teams[b.Team]
		if t == nil || t.Hidden || !f.matches(t) {
			continue
		}
		lines = append(lines, balloonLine{
			Balloon: b, Time: scoreboard.ContestTime(clock.Time(b.At)), Team: cmp.Or(t.DisplayName, t.Name), Number: t.Number,
			Seat: t.Label, Groups: t.Groups, Color: colors[b.Label], Name: names[b.Label],
			First: first[scoring.TeamProblem{Team: b.Team, Problem: b.Label}],
		})
	}
	return lines, nil
}

// colorName returns the name of a problem's color. It is empty if the problem has only a color code such as
// "#e03131".
func colorName(p *store.ContestProblem) string {
	if p.ColorName == "" && strings.HasPrefix(p.Color, "#") {
		return ""
	}
	return cmp.Or(p.ColorName, p.Color)
}

// balloonPart renders the changing part of the page.
func (s *site) balloonPart(r *web.Request) (template.HTML, error) {
	f := filterOf(r)
	lines, err := s.balloonLines(r, f)
	if err != nil {
		return "", err
	}
	v := balloonList{Slug: access.Of(r).Contest.Slug, Query: f.query(), Filtered: f != balloonFilter{}}
	now := s.Time()
	for _, b := range lines {
		just := b.DeliveredBy == r.Me.Login && now.Sub(b.DeliveredAt) <= undoPeriod
		b.Undo = just || r.Can(auth.SeeSite)
		switch {
		case b.HoldReason != "":
			v.Held = append(v.Held, b)
		case b.DeliveredAt.IsZero():
			v.Waiting = append(v.Waiting, b)
		case just:
			v.JustDelivered = append(v.JustDelivered, b)
		default:
			v.Delivered = append(v.Delivered, b)
		}
	}
	slices.SortStableFunc(v.Delivered, func(a, b balloonLine) int { return b.DeliveredAt.Compare(a.DeliveredAt) })
	if v.More = len(v.Delivered) - maxDelivered; v.More > 0 {
		v.Delivered = v.Delivered[:maxDelivered]
	}
	return s.RenderPart("balloons", "list", v)
}

func (s *site) balloons(w http.ResponseWriter, r *web.Request) (err error) {
	c, f := access.Of(r).Contest, filterOf(r)
	v := balloonsView{
		Slug: c.Slug, Group: f.group, Seats: f.seats, Query: f.query(), InFreeze: c.Settings.BalloonsInFreeze,
		Changes: r.Can(auth.ChangeContest),
	}
	if v.List, err = s.balloonPart(r); err != nil {
		return err
	}
	groups, err := s.Store.Groups(r.Context(), c.ID)
	if err != nil {
		return err
	}
	for _, g := range groups {
		v.Groups = append(v.Groups, g.Name)
	}
	return s.RenderPage(w, r, http.StatusOK, "balloons", "Balloons", v)
}

// balloonEvents streams the list of balloons.
func (s *site) balloonEvents(w http.ResponseWriter, r *web.Request) error {
	return s.StreamPart(w, r, "the balloons of "+access.Of(r).Contest.Slug, func() (template.HTML, bool, error) {
		part, err := s.balloonPart(r)
		return part, true, err
	})
}

// balloonTable sends the balloons as CSV.
func (s *site) balloonTable(w http.ResponseWriter, r *web.Request) error {
	lines, err := s.balloonLines(r, filterOf(r))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	table := csv.NewWriter(&b) // writing to memory does not fail
	table.Write([]string{
		"time", "submission", "problem", "color", "team_number", "team", "seat", "groups", "first", "held", "delivered_by", "delivered_at",
	})
	for _, l := range lines {
		given := ""
		if !l.DeliveredAt.IsZero() {
			given = l.DeliveredAt.Format(time.RFC3339)
		}
		table.Write([]string{
			l.Time, strconv.FormatInt(l.Submission, 10), scoreboard.EscapeFormula(l.Label),
			scoreboard.EscapeFormula(cmp.Or(l.Name, l.Color)), strconv.FormatInt(l.Number, 10), scoreboard.EscapeFormula(l.Team),
			scoreboard.EscapeFormula(l.Seat), scoreboard.EscapeFormula(strings.Join(l.Groups, ", ")), strconv.FormatBool(l.First),
			l.HoldReason, scoreboard.EscapeFormula(l.DeliveredBy), given,
		})
	}
	table.Flush()
	scoreboard.SendTable(w, "balloons.csv", b.Bytes())
	return nil
}

// changeDelivery records or undoes the delivery of a balloon.
func (s *site) changeDelivery(w http.ResponseWriter, r *web.Request) error {
	c := access.Of(r).Contest
	team, label := r.PostFormValue("team"), r.PostFormValue("label")
	teams, err := s.CoveredTeams(r.Context(), access.Of(r).ContestAccess)
	if err != nil {
		return err
	}
	rows, err := s.Store.Balloons(r.Context(), c.ID)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(rows, func(b store.Balloon) bool { return b.Team == team && b.Label == label })
	if at < 0 || teams[team] == nil {
		return web.BadRequest("there is no such balloon: load the page again")
	}
	b := rows[at]
	to := "/c/" + c.Slug + "/balloons" + string(filterOf(r).query())
	switch do := r.PostFormValue("do"); do {
	case "give":
		done, err := s.Store.DeliverBalloon(r.Context(), c.ID, team, label, r.Me.ID)
		if err != nil {
			return err
		}
		switch {
		case done, b.DeliveredBy == r.Me.Login: // the button may have been tapped twice
		case b.HoldReason != "":
			return refuseLate("this balloon must not be delivered: "+b.HoldReason, "load the page again")
		default:
			return refuseLate("another runner delivered this balloon", "reload the page to see who")
		}
	case "undo":
		by, within := r.Me.ID, undoPeriod
		if r.Can(auth.SeeSite) {
			by, within = "", 0
		}
		done, err := s.Store.UndoDelivery(r.Context(), c.ID, team, label, by, within)
		if err != nil {
			return err
		}
		if !done && !b.DeliveredAt.IsZero() {
			text := fmt.Sprintf("a delivery can be undone within %d s, by the runner who made it", int(undoPeriod.Seconds()))
			return refuseLate(text, "ask the jury: it can undo any delivery")
		}
	default:
		return web.BadRequest("do=%.20q is neither give nor undo", do)
	}
	return web.Redirect(w, r, to)
}

// refuseLate returns the refusal for a runner who is too late.
func refuseLate(text, hint string) error {
	return &intake.Refusal{Code: http.StatusConflict, Text: text, Hint: hint}
}

// setBalloonsInFreeze sets the number of solved problems up to which a team gets balloons in the freeze.
func (s *site) setBalloonsInFreeze(w http.ResponseWriter, r *web.Request) error {
	c := access.Of(r).Contest
	n, err := strconv.Atoi(r.Field("solved"))
	if err != nil || n < 0 || n > maxInFreeze {
		return web.BadRequest("invalid number of solved problems %.20q: enter a number from 0 to %d", r.Field("solved"), maxInFreeze)
	}
	c.Settings.BalloonsInFreeze = n
	if err := s.Store.SetContest(r.Context(), c, nil); err != nil {
		return err
	}
	return s.AuditAndRedirect(w, r, "change balloons in the freeze", c.Slug, strconv.Itoa(n), "/c/"+c.Slug+"/balloons")
}
