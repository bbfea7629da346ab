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
	"assay/judge/host/intake"
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
	Leader           *ladder.Standing // first bot of the table that is placed; nil if there is none
	CanSubmit        bool             // the reader may submit a bot
	Own              *ladder.Standing // first of the reader's bots in the table; nil if none is there
}

// Lines returns the ladders that the caller may see.
func Lines(s *web.Site, r *web.Request) (summaries []Summary, err error) {
	if s.Ladders == nil {
		return nil, nil
	}
	ladders, err := s.Store.Ladders(r.Context())
	if err != nil {
		return nil, err
	}
	for _, l := range ladders {
		access := intake.LadderAccess(l, r.Me)
		if !access.Can(auth.SeeLadder) {
			continue
		}
		v, err := s.Ladders.View(r.Context(), l)
		if err != nil {
			return nil, err
		}
		line := Summary{
			Slug: l.Slug, Name: l.Name, Game: l.Title, Bots: len(v.Lines), Open: l.Open,
			Hidden: l.Visibility == store.VisibilityJury, CanSubmit: access.Can(auth.EnterBot),
		}
		line.Games = v.Games()
		for i := range v.Lines {
			standing := &v.Lines[i]
			if line.Leader == nil && !standing.Placing() {
				line.Leader = standing
			}
			if line.Own == nil && r.Me != nil && standing.Account == r.Me.ID {
				line.Own = standing
			}
		}
		summaries = append(summaries, line)
	}
	return summaries, nil
}

// ladderView is the page of a ladder.
type ladderView struct {
	Slug         string
	Name         string
	Table        ladderTable
	Game         string
	Rules        string
	RulesError   string        // why the rules could not be read
	Guide        template.HTML // for bot authors
	NoGuide      bool          // the package contains no guide to the game
	Mine         []botLine
	Submit       submitBotView
	CanJoin      bool   // the reader could submit a bot after logging in
	ClosedReason string // why the reader cannot submit a bot; may be empty
	// Changes reports whether the reader may change the settings.
	Changes bool
}

// ladderTable is the part of the page that changes.
type ladderTable struct {
	Slug             string
	Open             bool
	Settled          bool
	Lines            []tableLine
	HeadToHead       []headToHeadRow
	Heads            []*store.Bot // column headings of Cross
	More             int          // number of bots left out of Cross
	RecentEncounters []encounterLine
	RankChanges      []rankChangeLine
	Games            int
	Waiting          int // number of bots being tested
}

// tableLine is a row of the table.
type tableLine struct {
	*ladder.Standing
	drawnInterval
	Mine          bool // the bot belongs to the reader
	Superior      bool // the bot is certainly stronger than the next one
	RecentResults string
}

type headToHeadRow struct {
	*store.Bot
	Rank  int
	Cells []headToHeadCell
}

type headToHeadCell struct {
	Text, Description string
	SameBot           bool
}

// encounterLine is an encounter as listed.
type encounterLine struct {
	Slug   string
	Number int64
	A, B   *store.Bot
	Result string
	At     time.Time
}

type rankChangeLine struct {
	Slug          string
	Bot           *store.Bot
	OldRank, Rank int64
	At            time.Time
}

// botLine is one of the caller's own bots, as listed.
type botLine struct {
	*store.Bot
	Slug string
	Rank int // rank; zero if none
}

// Maximum lengths of the lists on the page.
const (
	maxHeadToHead = 16
	maxRecent     = 12
	maxEncounters = 100
)

func (s *site) ladder(w http.ResponseWriter, r *web.Request) error {
	return s.ladderPage(w, r, http.StatusOK, submitBotView{SourceForm: web.SourceForm{Key: rand.Text()}})
}

func (s *site) ladderPage(w http.ResponseWriter, r *web.Request, code int, f submitBotView) (err error) {
	h := requestOf(r)
	v := ladderView{Slug: h.Slug, Name: h.Name, Game: h.Title, RulesError: h.RulesError, Submit: f}
	if v.Table, err = s.ladderTable(r); err != nil {
		return err
	}
	if len(h.Ladder.Rules) > 0 {
		v.Rules = describeRules(h.View)
	}
	v.Changes = r.Can(auth.ManageContent)
	v.Submit.Allowed, v.Submit.MaxSize = r.Can(auth.EnterBot), s.MaxSize
	if v.CanJoin = r.Me == nil && h.Open; !v.Submit.Allowed && !v.CanJoin {
		v.ClosedReason = h.Closed().Sentence()
	}
	info, err := s.problemInfo(h.ProblemInfo)
	if err != nil {
		return err
	}
	if v.Submit.Allowed && !isFilesOnly(info) {
		if v.Submit.Languages, err = s.OfferedLanguages(r, info, nil); err != nil {
			return err
		}
	}
	g, sets := guide(h.View, info)
	v.NoGuide = g.Statement == ""
	if v.Guide, err = web.Markdown(string(g.Markdown(sets)), nil); err != nil {
		return err
	}
	for _, b := range slices.Backward(h.Bots) {
		if r.Me != nil && b.Account == r.Me.ID {
			line := botLine{Bot: b, Slug: h.Slug}
			if standing := h.Standing(b.Number); standing != nil {
				line.Rank = standing.Rank
			}
			v.Mine = append(v.Mine, line)
		}
	}
	return s.RenderPage(w, r, code, "ladder", h.Name, v)
}

// guide returns the guide for bot authors, and the rules of the ladder. There are no rules until a worker has read
// them. A problem that an earlier version of this server published has no guide, so the guide then contains only
// the problem.
func guide(v *ladder.View, info *client.ProblemInfo) (*arena.Guide, []arena.DescribedRules) {
	g, title := &arena.Guide{Game: v.Problem}, ""
	if info != nil && info.Game != nil {
		game := info.Game
		g.Statement, g.Files, g.Tester, g.Adapted, g.Meanings = game.Statement, game.DataBots, game.Tester, game.AdaptedExtensions, game.Meanings
		for _, e := range game.Examples {
			g.Examples = append(g.Examples, arena.Example(e))
		}
		for _, set := range game.Rules {
			if set.Name == v.GameRules.Name {
				title = set.Title
			}
		}
	}
	if len(v.Ladder.Rules) == 0 {
		return g, nil
	}
	return g, []arena.DescribedRules{v.Terms(title)}
}

// describeRules returns the rules of a ladder in one line.
func describeRules(v *ladder.View) string {
	words := []string{v.GameRules.Name, fmt.Sprintf("encounters of %d games", v.GameRules.Games)}
	if v.GameRules.Move > 0 {
		words = append(words, fmt.Sprintf("%v s per move", v.GameRules.Move.Seconds()))
	}
	if v.GameRules.Clock > 0 {
		words = append(words, fmt.Sprintf("%v s per game", v.GameRules.Clock.Seconds()))
	}
	return strings.Join(words, ", ")
}

// ladderTable computes the changing part of the page.
func (s *site) ladderTable(r *web.Request) (t ladderTable, err error) {
	h := requestOf(r)
	t = ladderTable{Slug: h.Slug, Open: h.Open, Settled: h.Settled, More: max(len(h.Lines)-maxHeadToHead, 0)}
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
			Superior: i+1 < len(h.Lines) && l.Superiority >= 0.95, RecentResults: recentResults(h.View, l.Number),
		})
	}
	cross := h.Cross()
	for i := range min(len(h.Lines), maxHeadToHead) {
		t.Heads = append(t.Heads, h.Lines[i].Bot)
		line := headToHeadRow{Bot: h.Lines[i].Bot, Rank: i + 1}
		for k := range min(len(h.Lines), maxHeadToHead) {
			c := headToHeadCell{SameBot: i == k}
			if m := cross[i][k]; m.Games() > 0 {
				c.Text = fmt.Sprintf("%.0f", 100*m.Score())
				c.Description = fmt.Sprintf("%d won, %d drawn, %d lost", m.Wins, m.Draws, m.Losses)
			}
			line.Cells = append(line.Cells, c)
		}
		t.HeadToHead = append(t.HeadToHead, line)
	}
	t.Games = h.Games()
	for _, e := range slices.Backward(h.Encounters[max(len(h.Encounters)-maxRecent, 0):]) {
		t.RecentEncounters = append(t.RecentEncounters, encounterLineOf(h.View, e))
	}
	climbs, err := s.Store.RankChanges(r.Context(), h.ID, maxRecent)
	for _, c := range climbs {
		if b := h.Bot(c.Bot); b != nil {
			t.RankChanges = append(t.RankChanges, rankChangeLine{h.Slug, b, c.OldRank, c.Rank, c.At})
		}
	}
	return t, err
}

// recentResults returns the results of a bot's last games, oldest first.
func recentResults(v *ladder.View, bot int64) string {
	const most = 10
	text := ""
	for _, e := range slices.Backward(v.Encounters) {
		if len(text) >= most {
			break
		}
		if (e.A == bot || e.B == bot) && ladder.IsScored(e) {
			text = ladder.ResultsFor(e, bot) + text
		}
	}
	return strings.ToUpper(text)
}

func encounterLineOf(v *ladder.View, e *store.Encounter) encounterLine {
	return encounterLine{v.Slug, e.Number, v.Bot(e.A), v.Bot(e.B), describeResult(e), e.Ended}
}

// describeResult describes the result of an encounter from the first bot's point of view.
func describeResult(e *store.Encounter) string {
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
	var lastSeq int64 = -1 // the page may be older than the stream
	lastSent := time.Now()
	for {
		text := ""
		newest, err := s.eventNumbers.Last(r.Context(), requestOf(r).ID, func(ctx context.Context, id string) (int64, error) {
			l, err := s.Store.Ladder(ctx, id)
			if err != nil {
				return 0, err
			}
			return l.LastSeq, nil
		})
		switch {
		case err == nil && newest != lastSeq:
			text, err = s.ladderPart(r)
		case time.Since(lastSent) > s.KeepAlive:
			text = ": still here\n\n"
		}
		if err != nil {
			if _, hidden := errors.AsType[*intake.Refusal](err); !hidden && !errors.Is(err, web.ErrLoginRequired) &&
				r.Context().Err() == nil {
				s.Log.Error("stream a ladder", "ladder", requestOf(r).Slug, "error", err)
			}
			return nil // the browser reconnects
		}
		if text != "" {
			if !send(text) {
				return nil
			}
			lastSeq, lastSent = newest, time.Now()
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
	part, err := s.RenderPart("ladder", "table", t)
	return web.FormatEvent("table", string(part)), err
}

// problemInfo reads the problem metadata. It returns nil, nil if d is empty.
func (s *site) problemInfo(d blob.Digest) (*client.ProblemInfo, error) {
	if d == "" {
		return nil, nil
	}
	return s.ProblemInfo(&store.Problem{ProblemInfo: d})
}

// readRecords returns the records of an encounter. It returns nil, nil if none are stored.
func (s *site) readRecords(e *store.Encounter) ([]*arena.Record, error) {
	lines, err := s.Dispatch.ReadLines(e.Records)
	if err != nil {
		return nil, err
	}
	return arena.ReadRecords(lines)
}
