package ladder

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
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

// A Line is a ladder in a list.
type Line struct {
	Slug, Name, Game string
	Bots             int
	Games            int
	Open, Hidden     bool
}

// Lines returns the ladders that the caller may see.
func Lines(s *web.Site, r *web.Request) (all []Line, err error) {
	if s.Ladders == nil {
		return nil, nil
	}
	ladders, err := s.Store.Ladders(r.Context())
	if err != nil {
		return nil, err
	}
	for _, l := range ladders {
		if !auth.Can(desk.Role(r.Me), auth.SeeLadder, stateOn(l, r)) {
			continue
		}
		v, err := s.Ladders.View(r.Context(), l)
		if err != nil {
			return nil, err
		}
		line := Line{Slug: l.Slug, Name: l.Name, Game: l.Title, Bots: len(v.Lines), Open: l.Open, Hidden: l.Visibility == store.Staff}
		for _, e := range v.Encounters {
			line.Games += len(e.Results)
		}
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
	Wrong  string        // why it has no rules
	Guide  template.HTML // what authors of bots read
	Untold bool          // no statement of the game was published
	Mine   []botLine
	Submit submitBotView
	LogIn  bool // the reader could put a bot on it after logging in
	Edit   *ladderForm
}

// ladderTable is the part of the page that changes.
type ladderTable struct {
	Slug    string
	Open    bool
	Settled bool
	Lines   []tableLine
	Cross   []crossLine
	Heads   []*store.Bot // of the columns of Cross
	More    int          // lines that Cross has no room for
	Last    []encounterLine
	Climbs  []climbLine
	Games   int
	Waiting int // bots that are being tried
}

// tableLine is a line of the table.
type tableLine struct {
	*ladder.Line
	Interval string
	Sure     bool // it is stronger than the next one
	Form     string
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

// encounterLine is an encounter in a list.
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

// botLine is a bot in a list of one's own.
type botLine struct {
	*store.Bot
	Slug  string
	Place int // 0 for none
}

// What a page has room for.
const (
	mostCross      = 16
	mostLast       = 12
	mostEncounters = 100
)

func (s *site) ladder(w http.ResponseWriter, r *web.Request) error {
	return s.ladderPage(w, r, http.StatusOK, submitBotView{})
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
	if r.Can(auth.Make) {
		v.Edit = &ladderForm{Name: h.Name, Visibility: h.Visibility, PerAccount: h.PerAccount, PerMinute: h.PerMinute, Open: h.Open}
	}
	v.Submit.Allowed = r.Can(auth.EnterBot)
	v.LogIn = r.Me == nil && h.Open
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
			if at := h.Line(b.Number); at != nil {
				line.Place = at.Place
			}
			v.Mine = append(v.Mine, line)
		}
	}
	return s.Page(w, r, code, "ladder", h.Name, v)
}

// guide is what authors of bots read of a ladder, and its rules once a worker has read them. A
// problem that was published by an earlier version has no more than its rules.
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

// describe says the rules of a ladder in a line.
func describe(v *ladder.View) string {
	words := []string{v.Played.Name, fmt.Sprintf("encounters of %d games", v.Played.Games)}
	if v.Played.Move > 0 {
		words = append(words, fmt.Sprintf("%v a move", v.Played.Move))
	}
	if v.Played.Clock > 0 {
		words = append(words, fmt.Sprintf("%v a game", v.Played.Clock))
	}
	return strings.Join(words, ", ")
}

// ladderTable makes the part of the page that changes.
func (s *site) ladderTable(r *web.Request) (t ladderTable, err error) {
	h := on(r)
	t = ladderTable{Slug: h.Slug, Open: h.Open, Settled: h.Settled, More: max(len(h.Lines)-mostCross, 0)}
	for _, b := range h.Bots {
		if b.State == store.BotChecking {
			t.Waiting++
		}
	}
	for i := range h.Lines {
		l := &h.Lines[i]
		t.Lines = append(t.Lines, tableLine{
			Line: l, Interval: fmt.Sprintf("%+.0f to %+.0f", l.Low, l.High), Sure: i+1 < len(h.Lines) && l.Better >= 0.95, Form: lately(h.View, l.Number),
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
	for _, e := range h.Encounters {
		t.Games += len(e.Results)
	}
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

// lately are the results of a bot's last games, the latest last.
func lately(v *ladder.View, bot int64) string {
	const most = 20
	text := ""
	for _, e := range slices.Backward(v.Encounters) {
		if len(text) >= most {
			break
		}
		if e.A == bot || e.B == bot {
			text = ladder.Seen(e, bot) + text
		}
	}
	return strings.ToUpper(text)
}

func encounterLineOf(v *ladder.View, e *store.Encounter) encounterLine {
	return encounterLine{v.Slug, e.Number, v.Bot(e.A), v.Bot(e.B), result(e), e.Ended}
}

// result says what came of an encounter, as its first bot saw it.
func result(e *store.Encounter) string {
	if e.Ended.IsZero() {
		return "is being played"
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

// ladderEvents tells a browser that something has happened on a ladder, with the part of the
// page that changes.
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
				s.Log.Error("tell of a ladder", "ladder", on(r).Slug, "error", err)
			}
			return nil // the browser asks again
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

// ladderPart resolves the ladder again, and draws the event with the part of the page that changes.
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

// ladderForm is what staff say of a ladder.
type ladderForm struct {
	Name       string
	Slug       string
	Problem    string
	Rules      string
	Games      int64
	Move       string
	Options    string
	Visibility store.Visibility
	PerAccount int64
	PerMinute  int64
	Open       bool
	Wrong      string
	Problems   []*store.Problem
}

// What a ladder has that nobody said otherwise of.
const (
	usualBots  = 3
	mostBots   = 100
	mostGames  = 200 // of an encounter
	mostMinute = 100_000
)

func (s *site) newLadder(w http.ResponseWriter, r *web.Request) error {
	return s.newLadderPage(w, r, http.StatusOK, ladderForm{Visibility: store.Public, PerAccount: usualBots, Games: 2})
}

func (s *site) newLadderPage(w http.ResponseWriter, r *web.Request, code int, f ladderForm) (err error) {
	if f.Problems, err = s.UsableProblems(r.Context(), r.Me, nil); err != nil {
		return err
	}
	return s.Page(w, r, code, "newladder", "New ladder", f)
}

// makeLadder opens a ladder.
func (s *site) makeLadder(w http.ResponseWriter, r *web.Request) error {
	f, err := s.ladderAsked(w, r)
	if err != nil {
		return err
	}
	f.Slug, f.Problem, f.Rules, f.Options = r.Field("slug"), r.PostFormValue("problem"), r.Field("rules"), r.PostFormValue("options")
	choice := arena.Choice{Rules: f.Rules, Options: strings.Fields(f.Options)}
	switch {
	case f.Wrong != "":
	case !client.GoodSlug(f.Slug):
		f.Wrong = "the address is made of small letters, digits, . - and _, 64 at most"
	case f.Problem == "":
		f.Wrong = "choose a problem that is a game"
	default:
		f.Games, f.Wrong = number(r, "games", 2, 2, mostGames)
		if f.Games%2 > 0 {
			f.Wrong = "an encounter has an even number of games, so that each bot begins as often as the other"
		}
	}
	if f.Move = r.Field("move"); f.Move != "" && f.Wrong == "" {
		d, err := time.ParseDuration(f.Move)
		if choice.Move = &d; err != nil || d <= 0 {
			f.Wrong = fmt.Sprintf("the time for a move: %.40q is not a time such as 500ms or 20s", f.Move)
		}
	}
	if f.Wrong != "" {
		return s.newLadderPage(w, r, http.StatusBadRequest, *f)
	}
	games, rounds := int(f.Games), 1
	choice.Games, choice.Rounds = &games, &rounds
	asked, err := json.Marshal(choice)
	if err != nil {
		return err
	}
	var seed [8]byte
	_, _ = rand.Read(seed[:]) // it never fails
	l := &store.Ladder{
		Slug: f.Slug, Name: f.Name, Problem: f.Problem, Choice: asked, Seed: binary.LittleEndian.Uint64(seed[:]), Visibility: f.Visibility,
		PerAccount: f.PerAccount, PerMinute: f.PerMinute, Owner: r.Me.ID,
	}
	if _, err = s.UsableProblem(r, f.Problem); err == nil {
		err = s.Store.NewLadder(r.Context(), l)
	}
	switch {
	case errors.Is(err, store.ErrTaken):
		f.Wrong = "there is a ladder at this address already: choose another"
	case errors.Is(err, store.ErrNotFound):
		f.Wrong = fmt.Sprintf("there is no problem %.80q on this server", f.Problem)
	case err != nil:
		return err
	}
	if f.Wrong != "" {
		return s.newLadderPage(w, r, http.StatusBadRequest, *f)
	}
	if err := s.Audit(r, "open a ladder", f.Slug, string(asked)); err != nil {
		return err
	}
	s.Ladders.Poke()
	return web.Redirect(w, r, "/ladder/"+f.Slug)
}

// ladderAsked reads what may be changed of a ladder.
func (s *site) ladderAsked(w http.ResponseWriter, r *web.Request) (*ladderForm, error) {
	if err := web.ReadForm(w, r, web.SmallForm); err != nil {
		return nil, err
	}
	f := &ladderForm{Name: r.Field("name"), Visibility: store.Visibility(r.PostFormValue("visibility")), Open: r.PostFormValue("open") != ""}
	var wrong [2]string
	f.PerAccount, wrong[0] = number(r, "per_account", usualBots, 1, mostBots)
	f.PerMinute, wrong[1] = number(r, "per_minute", 0, 0, mostMinute)
	f.Wrong = auth.BadName(f.Name)
	if f.Wrong == "" && f.Visibility != store.Public && f.Visibility != store.Accounts && f.Visibility != store.Staff {
		f.Wrong = "say who sees the ladder"
	}
	for _, one := range wrong {
		if f.Wrong == "" {
			f.Wrong = one
		}
	}
	return f, nil
}

// number reads a number of a form.
func number(r *web.Request, field string, usual, least, most int64) (int64, string) {
	text := r.Field(field)
	if text == "" {
		return usual, ""
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return usual, fmt.Sprintf("%s: %.40q is not a number from %d to %d", strings.ReplaceAll(field, "_", " "), text, least, most)
	}
	return n, ""
}

// changeLadder changes what may be changed of a ladder.
func (s *site) changeLadder(w http.ResponseWriter, r *web.Request) error {
	f, err := s.ladderAsked(w, r)
	if err != nil {
		return err
	}
	if f.Wrong != "" {
		return web.BadRequest("%s", f.Wrong)
	}
	l := *on(r).Ladder
	l.Name, l.Visibility, l.PerAccount, l.PerMinute, l.Open = f.Name, f.Visibility, f.PerAccount, f.PerMinute, f.Open
	if err := s.Store.ChangeLadder(r.Context(), &l); err != nil {
		return err
	}
	if err := s.Audit(r, "change a ladder", l.Slug, fmt.Sprintf("%s, open: %v", l.Visibility, l.Open)); err != nil {
		return err
	}
	s.Ladders.Poke()
	return web.Redirect(w, r, "/ladder/"+l.Slug)
}

// sheetOf reads what a page shows of a problem; nil for nothing.
func (s *site) sheetOf(d blob.Digest) (*client.Sheet, error) {
	if d == "" {
		return nil, nil
	}
	return s.Sheet(&store.Problem{Sheet: d})
}

// records are the records of an encounter; nil where none are kept.
func (s *site) records(e *store.Encounter) ([]*arena.Record, error) {
	lines, err := s.Dispatch.Lines(e.Records)
	if err != nil {
		return nil, err
	}
	return arena.ReadRecords(lines)
}
