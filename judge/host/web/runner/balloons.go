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
	"assay/judge/host/board"
	"assay/judge/host/desk"
	"assay/judge/host/scoring"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

const (
	// undoWithin is how long a runner may undo the delivery of a balloon.
	undoWithin = 10 * time.Second
	// mostDelivered is the maximum number of delivered balloons that the page shows.
	mostDelivered = 50
	// mostInFreeze is the largest number of solved problems that the jury can set as the limit for balloons in the
	// freeze.
	mostInFreeze = 100
	// takenBack is the reason why a balloon is held.
	takenBack = "the verdict was taken back"
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
	Slug      string
	Query     template.URL
	Filtered  bool
	Waiting   []balloonLine
	Held      []balloonLine
	Just      []balloonLine // just delivered by the reader
	Delivered []balloonLine // newest first
	More      int           // number of further delivered balloons
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

// takes reports whether a team matches the filter.
func (f balloonFilter) takes(t *store.Team) bool {
	return (f.group == "" || slices.Contains(t.Groups, f.group)) && strings.HasPrefix(strings.ToLower(t.Label), strings.ToLower(f.seats))
}

// settled updates the stored balloons of a contest from the scoreboard. It returns the stored contest, its
// balloons, and the columns of the scoreboard.
func (s *site) settled(ctx context.Context, contest string) (c *store.Contest, rows []store.Balloon, columns []scoring.Column, err error) {
	if c, err = s.Store.Contest(ctx, contest); err != nil {
		return nil, nil, nil, err
	}
	live, err := s.Boards.Board(ctx, contest)
	if err != nil {
		return nil, nil, nil, err
	}
	due, columns := live.Balloons(c.Settings.BalloonsInFreeze)
	if rows, err = s.Store.Balloons(ctx, contest); err != nil {
		return nil, nil, nil, err
	}
	kept := make([]scoring.KeptBalloon, len(rows))
	for i, b := range rows {
		kept[i] = scoring.KeptBalloon{
			Solve: scoring.Solve{Team: b.Team, Problem: b.Label}, Submission: b.Submission, At: b.At, Held: b.Held != "",
		}
	}
	var changed []store.Balloon
	for _, k := range due.Settle(kept) {
		b := store.Balloon{Team: k.Team, Label: k.Problem, Submission: k.Submission, At: k.At}
		if k.Held {
			b.Held = takenBack
		}
		changed = append(changed, b)
	}
	if len(changed) > 0 {
		if err = s.Store.PutBalloons(ctx, contest, changed); err == nil {
			rows, err = s.Store.Balloons(ctx, contest)
		}
	}
	return c, rows, columns, err
}

// balloonLines returns the balloons that match a filter, ordered by submission. It leaves out hidden teams.
func (s *site) balloonLines(r *web.Request, f balloonFilter) ([]balloonLine, error) {
	c, rows, columns, err := s.settled(r.Context(), access.Of(r).Contest.ID)
	if err != nil {
		return nil, err
	}
	teams, err := s.TeamsOf(r.Context(), access.Of(r).Seat)
	if err != nil {
		return nil, err
	}
	problems, err := s.Store.ContestProblems(r.Context(), c.ID)
	if err != nil {
		return nil, err
	}
	colors, names, first := map[string]string{}, map[string]string{}, map[scoring.Solve]bool{}
	for _, p := range problems {
		names[p.Label] = colorName(p)
		if board.GoodColor(p.Color) {
			colors[p.Label] = p.Color
		}
	}
	for _, one := range columns {
		first[scoring.Solve{Team: one.First, Problem: one.Label}] = true
	}
	clock := board.Contest(c, nil)
	var lines []balloonLine
	for _, b := range rows {
		t := teams[b.Team]
		if t == nil || t.Hidden || !f.takes(t) {
			continue
		}
		lines = append(lines, balloonLine{
			Balloon: b, Time: board.ContestTime(clock.Time(b.At)), Team: cmp.Or(t.DisplayName, t.Name), Number: t.Number, Seat: t.Label,
			Groups: t.Groups, Color: colors[b.Label], Name: names[b.Label], First: first[scoring.Solve{Team: b.Team, Problem: b.Label}],
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
		just := b.GivenBy == r.Me.Login && now.Sub(b.GivenAt) <= undoWithin
		b.Undo = just || r.Can(auth.SeeSite)
		switch {
		case b.Held != "":
			v.Held = append(v.Held, b)
		case b.GivenAt.IsZero():
			v.Waiting = append(v.Waiting, b)
		case just:
			v.Just = append(v.Just, b)
		default:
			v.Delivered = append(v.Delivered, b)
		}
	}
	slices.SortStableFunc(v.Delivered, func(a, b balloonLine) int { return b.GivenAt.Compare(a.GivenAt) })
	if v.More = len(v.Delivered) - mostDelivered; v.More > 0 {
		v.Delivered = v.Delivered[:mostDelivered]
	}
	return s.Part("balloons", "list", v)
}

func (s *site) balloons(w http.ResponseWriter, r *web.Request) (err error) {
	c, f := access.Of(r).Contest, filterOf(r)
	v := balloonsView{
		Slug: c.Slug, Group: f.group, Seats: f.seats, Query: f.query(), InFreeze: c.Settings.BalloonsInFreeze, Changes: r.Can(auth.Change),
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
	return s.Page(w, r, http.StatusOK, "balloons", "Balloons", v)
}

// balloonEvents streams the list of balloons.
func (s *site) balloonEvents(w http.ResponseWriter, r *web.Request) error {
	return s.Redraw(w, r, "the balloons of "+access.Of(r).Contest.Slug, func() (template.HTML, bool, error) {
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
		if !l.GivenAt.IsZero() {
			given = l.GivenAt.Format(time.RFC3339)
		}
		table.Write([]string{
			l.Time, strconv.FormatInt(l.Submission, 10), board.Plain(l.Label), board.Plain(cmp.Or(l.Name, l.Color)),
			strconv.FormatInt(l.Number, 10), board.Plain(l.Team), board.Plain(l.Seat), board.Plain(strings.Join(l.Groups, ", ")), strconv.FormatBool(l.First), l.Held, board.Plain(l.GivenBy), given,
		})
	}
	table.Flush()
	board.SendTable(w, "balloons.csv", b.Bytes())
	return nil
}

// deliver records or undoes the delivery of a balloon.
func (s *site) deliver(w http.ResponseWriter, r *web.Request) error {
	c := access.Of(r).Contest
	team, label := r.PostFormValue("team"), r.PostFormValue("label")
	teams, err := s.TeamsOf(r.Context(), access.Of(r).Seat)
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
		done, err := s.Store.GiveBalloon(r.Context(), c.ID, team, label, r.Me.ID)
		if err != nil {
			return err
		}
		switch {
		case done, b.GivenBy == r.Me.Login: // the button may have been tapped twice
		case b.Held != "":
			return refused("this balloon must not be delivered: "+b.Held, "load the page again")
		default:
			return refused("another runner delivered this balloon", "reload the page to see who")
		}
	case "undo":
		by, within := r.Me.ID, undoWithin
		if r.Can(auth.SeeSite) {
			by, within = "", 0
		}
		done, err := s.Store.UndoBalloon(r.Context(), c.ID, team, label, by, within)
		if err != nil {
			return err
		}
		if !done && !b.GivenAt.IsZero() {
			text := fmt.Sprintf("a delivery can be undone within %d s, by the runner who made it", int(undoWithin.Seconds()))
			return refused(text, "ask the jury: it can undo any delivery")
		}
	default:
		return web.BadRequest("do=%.20q is neither give nor undo", do)
	}
	return web.Redirect(w, r, to)
}

// refused returns the refusal for a runner who is too late.
func refused(text, hint string) error {
	return &desk.Refusal{Code: http.StatusConflict, Text: text, Hint: hint}
}

// setBalloonsInFreeze sets the number of solved problems up to which a team gets balloons in the freeze.
func (s *site) setBalloonsInFreeze(w http.ResponseWriter, r *web.Request) error {
	c := access.Of(r).Contest
	n, err := strconv.Atoi(r.Field("solved"))
	if err != nil || n < 0 || n > mostInFreeze {
		return web.BadRequest("invalid number of solved problems %.20q: enter a number from 0 to %d", r.Field("solved"), mostInFreeze)
	}
	c.Settings.BalloonsInFreeze = n
	if err := s.Store.SetContest(r.Context(), c, nil); err != nil {
		return err
	}
	return s.Done(w, r, "change balloons in the freeze", c.Slug, strconv.Itoa(n), "/c/"+c.Slug+"/balloons")
}
