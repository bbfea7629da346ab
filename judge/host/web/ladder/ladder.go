package ladder

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"assay/judge/blob"
	"assay/judge/contests/arena"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/desk"
	"assay/judge/host/ladder"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// A Summary is a ladder as listed.
type Summary struct {
	Slug, Name, Game string
	Bots             int
	Games            int
	Open, Hidden     bool
}

// Lines returns the ladders that the caller may see.
func Lines(s *web.Site, r *web.Request) (all []Summary, err error) {
	if s.Ladders == nil {
		return nil, nil
	}
	ladders, err := s.Store.Ladders(r.Context())
	if err != nil {
		return nil, err
	}
	for _, l := range ladders {
		if !desk.LadderAccess(l, r.Me).Can(auth.SeeLadder) {
			continue
		}
		v, err := s.Ladders.View(r.Context(), l)
		if err != nil {
			return nil, err
		}
		line := Summary{Slug: l.Slug, Name: l.Name, Game: l.Title, Bots: len(v.Lines), Open: l.Open, Hidden: l.Visibility == store.Staff}
		line.Games = v.Games()
		all = append(all, line)
	}
	return all, nil
}

// ladderView is the page of a ladder.
type ladderView struct {
	Slug   string
	Name   string
	Table  ladderTable
	Game   string
	Rules  string
	Wrong  string        // why the rules could not be read
	Guide  template.HTML // for bot authors
	Untold bool          // the package contains no guide to the game
	Mine   []botLine
	Submit submitBotView
	LogIn  bool   // the reader could submit a bot after logging in
	Closed string // why the reader cannot submit a bot; may be empty
	// Changes reports whether the reader may change the settings.
	Changes bool
}

// ladderTable is the part of the page that changes.
type ladderTable struct {
	Slug    string
	Open    bool
	Settled bool
	Lines   []tableLine
	Cross   []crossLine
	Heads   []*store.Bot // column headings of Cross
	More    int          // number of bots left out of Cross
	Last    []encounterLine
	Climbs  []climbLine
	Games   int
	Waiting int // number of bots being tested
}

// tableLine is a row of the table.
type tableLine struct {
	*ladder.Standing
	drawnInterval
	Mine bool // the bot belongs to the reader
	Sure bool // the bot is certainly stronger than the next one
	Form string
}

type crossLine struct {
	*store.Bot
	Place int
	Cells []crossCell
}

type crossCell struct {
	Text, Said string
	Self       bool
}

// encounterLine is an encounter as listed.
type encounterLine struct {
	Slug   string
	Number int64
	A, B   *store.Bot
	Result string
	At     time.Time
}

type climbLine struct {
	Slug          string
	Bot           *store.Bot
	Before, Place int64
	At            time.Time
}

// botLine is one of the caller's own bots, as listed.
type botLine struct {
	*store.Bot
	Slug  string
	Place int // rank; zero if none
}

// Maximum lengths of the lists on the page.
const (
	mostCross      = 16
	mostLast       = 12
	mostEncounters = 100
)

func (s *site) ladder(w http.ResponseWriter, r *web.Request) error {
	return s.ladderPage(w, r, http.StatusOK, submitBotView{SourceForm: web.SourceForm{Key: rand.Text()}})
}

func (s *site) ladderPage(w http.ResponseWriter, r *web.Request, code int, f submitBotView) (err error) {
	h := on(r)
	v := ladderView{Slug: h.Slug, Name: h.Name, Game: h.Title, Wrong: h.Wrong, Submit: f}
	if v.Table, err = s.ladderTable(r); err != nil {
		return err
	}
	if len(h.Ladder.Rules) > 0 {
		v.Rules = describe(h.View)
	}
	v.Changes = r.Can(auth.Make)
	v.Submit.Allowed, v.Submit.MaxSize = r.Can(auth.EnterBot), s.MaxSize
	if v.LogIn = r.Me == nil && h.Open; !v.Submit.Allowed && !v.LogIn {
		v.Closed = h.Closed().Sentence()
	}
	sheet, err := s.sheetOf(h.Sheet)
	if err != nil {
		return err
	}
	if v.Submit.Allowed && !filesOnly(sheet) {
		if v.Submit.Languages, err = s.OfferedLanguages(r, sheet, nil); err != nil {
			return err
		}
	}
	g, sets := guide(h.View, sheet)
	v.Untold = g.Statement == ""
	if v.Guide, err = web.Markdown(string(g.Markdown(sets)), nil); err != nil {
		return err
	}
	for _, b := range slices.Backward(h.Bots) {
		if r.Me != nil && b.Account == r.Me.ID {
			line := botLine{Bot: b, Slug: h.Slug}
			if at := h.Standing(b.Number); at != nil {
				line.Place = at.Place
			}
			v.Mine = append(v.Mine, line)
		}
	}
	return s.Page(w, r, code, "ladder", h.Name, v)
}

// guide returns the guide for bot authors, and the rules of the ladder. There are no rules until a worker has read
// them. A problem that an earlier version of this server published has no guide, so the guide then contains only
// the problem.
func guide(v *ladder.View, sheet *client.Sheet) (*arena.Guide, []arena.Terms) {
	g, title := &arena.Guide{Game: v.Problem}, ""
	if sheet != nil && sheet.Game != nil {
		game := sheet.Game
		g.Statement, g.Files, g.Tester, g.Adapted, g.Meanings = game.Statement, game.Files, game.Tester, game.Adapted, game.Meanings
		for _, e := range game.Examples {
			g.Examples = append(g.Examples, arena.Example(e))
		}
		for _, set := range game.Rules {
			if set.Name == v.Played.Name {
				title = set.Title
			}
		}
	}
	if len(v.Ladder.Rules) == 0 {
		return g, nil
	}
	return g, []arena.Terms{v.Terms(title)}
}

// describe returns the rules of a ladder in one line.
func describe(v *ladder.View) string {
	words := []string{v.Played.Name, fmt.Sprintf("encounters of %d games", v.Played.Games)}
	if v.Played.Move > 0 {
		words = append(words, fmt.Sprintf("%v s per move", v.Played.Move.Seconds()))
	}
	if v.Played.Clock > 0 {
		words = append(words, fmt.Sprintf("%v s per game", v.Played.Clock.Seconds()))
	}
	return strings.Join(words, ", ")
}

// ladderTable computes the changing part of the page.
func (s *site) ladderTable(r *web.Request) (t ladderTable, err error) {
	h := on(r)
	t = ladderTable{Slug: h.Slug, Open: h.Open, Settled: h.Settled, More: max(len(h.Lines)-mostCross, 0)}
	for _, b := range h.Bots {
		if b.State == store.BotChecking {
			t.Waiting++
		}
	}
	intervals := make([]interval, len(h.Lines))
	for i, l := range h.Lines {
		intervals[i] = interval{l.Elo, l.Low, l.High}
	}
	for i, drawn := range drawIntervals(intervals) {
		l := &h.Lines[i]
		t.Lines = append(t.Lines, tableLine{
			Standing: l, drawnInterval: drawn, Mine: r.Me != nil && l.Account == r.Me.ID,
			Sure: i+1 < len(h.Lines) && l.Better >= 0.95, Form: lately(h.View, l.Number),
		})
	}
	cross := h.Cross()
	for i := range min(len(h.Lines), mostCross) {
		t.Heads = append(t.Heads, h.Lines[i].Bot)
		line := crossLine{Bot: h.Lines[i].Bot, Place: i + 1}
		for k := range min(len(h.Lines), mostCross) {
			c := crossCell{Self: i == k}
			if m := cross[i][k]; m.Games() > 0 {
				c.Text = fmt.Sprintf("%.0f", 100*m.Score())
				c.Said = fmt.Sprintf("%d won, %d drawn, %d lost", m.Wins, m.Draws, m.Losses)
			}
			line.Cells = append(line.Cells, c)
		}
		t.Cross = append(t.Cross, line)
	}
	t.Games = h.Games()
	for _, e := range slices.Backward(h.Encounters[max(len(h.Encounters)-mostLast, 0):]) {
		t.Last = append(t.Last, encounterLineOf(h.View, e))
	}
	climbs, err := s.Store.Climbs(r.Context(), h.ID, mostLast)
	for _, c := range climbs {
		if b := h.Bot(c.Bot); b != nil {
			t.Climbs = append(t.Climbs, climbLine{h.Slug, b, c.Before, c.Place, c.At})
		}
	}
	return t, err
}

// lately returns the results of a bot's last games, oldest first.
func lately(v *ladder.View, bot int64) string {
	const most = 10
	text := ""
	for _, e := range slices.Backward(v.Encounters) {
		if len(text) >= most {
			break
		}
		if (e.A == bot || e.B == bot) && ladder.Counts(e) {
			text = ladder.Seen(e, bot) + text
		}
	}
	return strings.ToUpper(text)
}

func encounterLineOf(v *ladder.View, e *store.Encounter) encounterLine {
	return encounterLine{v.Slug, e.Number, v.Bot(e.A), v.Bot(e.B), result(e), e.Ended}
}

// result describes the result of an encounter from the first bot's point of view.
func result(e *store.Encounter) string {
	if e.Ended.IsZero() {
		return "being played"
	}
	if e.Reason != "" {
		return "not played"
	}
	points := 0.0
	for _, c := range e.Results {
		points += map[rune]float64{'w': 1, 'd': 0.5}[c]
	}
	return fmt.Sprintf("%g : %g", points, float64(len(e.Results))-points)
}

// ladderEvents streams the changing part of the page after each change on the ladder.
func (s *site) ladderEvents(w http.ResponseWriter, r *web.Request) error {
	send, ok := web.OpenStream(w)
	if !ok {
		return nil
	}
	var known int64 = -1 // the page may be older than the stream
	told := time.Now()
	for {
		text := ""
		last, err := s.numbers.Last(r.Context(), on(r).ID, func(ctx context.Context, id string) (int64, error) {
			l, err := s.Store.Ladder(ctx, id)
			if err != nil {
				return 0, err
			}
			return l.LastSeq, nil
		})
		switch {
		case err == nil && last != known:
			text, err = s.ladderPart(r)
		case time.Since(told) > s.KeepAlive:
			text = ": still here\n\n"
		}
		if err != nil {
			if _, hidden := errors.AsType[*desk.Refusal](err); !hidden && !errors.Is(err, web.ErrLogIn) && r.Context().Err() == nil {
				s.Log.Error("stream a ladder", "ladder", on(r).Slug, "error", err)
			}
			return nil // the browser reconnects
		}
		if text != "" {
			if !send(text) {
				return nil
			}
			known, told = last, time.Now()
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-time.After(web.PollEvery):
		}
	}
}

// ladderPart reads the ladder again, and renders the changing part of the page.
func (s *site) ladderPart(r *web.Request) (string, error) {
	l, err := s.findLadder(r)
	if err != nil {
		return "", err
	}
	r.Access = l
	t, err := s.ladderTable(r)
	if err != nil {
		return "", err
	}
	part, err := s.Part("ladder", "table", t)
	return web.Event("table", string(part)), err
}

// sheetOf reads the problem metadata. It returns nil, nil if d is empty.
func (s *site) sheetOf(d blob.Digest) (*client.Sheet, error) {
	if d == "" {
		return nil, nil
	}
	return s.Sheet(&store.Problem{Sheet: d})
}

// records returns the records of an encounter. It returns nil, nil if none are stored.
func (s *site) records(e *store.Encounter) ([]*arena.Record, error) {
	lines, err := s.Dispatch.Lines(e.Records)
	if err != nil {
		return nil, err
	}
	return arena.ReadRecords(lines)
}
