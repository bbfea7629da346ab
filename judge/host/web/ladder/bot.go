package ladder

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/judge/contests/arena"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/desk"
	"assay/judge/host/flow"
	"assay/judge/host/job"
	"assay/judge/host/ladder"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/report"
)

// submitBotView is the form for a new bot. It has no languages if the game's bots are files.
type submitBotView struct {
	web.SourceForm
	Allowed bool
	Name    string
	Errors  web.FieldErrors
}

// filesOnly reports whether bots are files rather than programs.
func filesOnly(sheet *client.Sheet) bool {
	return sheet != nil && sheet.Game != nil && sheet.Game.Files
}

// enterBot adds a bot to a ladder.
func (s *site) enterBot(w http.ResponseWriter, r *web.Request) error {
	source, err := s.ReadSource(w, r)
	if refusal := web.Rejected(err); refusal != nil {
		return s.ladderPage(w, r, refusal.Code, submitBotView{SourceForm: web.SourceForm{Key: rand.Text()}, Errors: web.Refused(refusal, "file")})
	}
	if err != nil {
		return err
	}
	f := submitBotView{SourceForm: source, Name: r.Field("name")}
	b, err := s.botSent(r, &f)
	if err == nil {
		err = s.Ladders.Enter(r.Context(), on(r).Ladder, b)
	}
	switch {
	case errors.Is(err, store.ErrTaken):
		err = web.BadField("name", "a bot of someone else has the name %s: choose another name", f.Name)
	case errors.Is(err, store.ErrOtherUnderKey):
		err = &desk.Refusal{Code: http.StatusConflict, Text: "this form has submitted another bot already", Hint: "submit again"}
		f.Key = rand.Text()
	case errors.Is(err, store.ErrEnded):
		on(r).Open = false
		err = desk.LadderAccess(on(r).Ladder, r.Me).Closed()
	}
	if refusal := web.Rejected(err); refusal != nil {
		f.Errors = web.Refused(refusal, "file")
		return s.ladderPage(w, r, refusal.Code, f)
	}
	if err != nil {
		return err
	}
	return web.Redirect(w, r, fmt.Sprintf("/ladder/%s/bot/%d", on(r).Slug, b.Number))
}

// botSent reads a bot from the form and stores its files.
func (s *site) botSent(r *web.Request, f *submitBotView) (*store.Bot, error) {
	if wrong := auth.BadName(f.Name); wrong != "" {
		return nil, web.BadField("name", "the name of the bot: %s", wrong)
	}
	if len(f.Name) > mostBotName {
		return nil, web.BadField("name", "the name of a bot has at most %d bytes", mostBotName)
	}
	if err := s.AdmitBot(r.Context(), on(r).Ladder, r.Me, f.Key, f.Name, on(r).Bots); err != nil {
		return nil, err
	}
	sheet, err := s.sheetOf(on(r).Sheet)
	if err != nil {
		return nil, err
	}
	source := f.SourceForm
	if filesOnly(sheet) {
		source.Languages = []web.OfferedLanguage{{OfferedLanguage: client.OfferedLanguage{Extensions: []string{"txt"}}}}
	} else if source.Languages, err = s.OfferedLanguages(r, sheet, nil); err != nil {
		return nil, err
	}
	n := desk.New{Account: r.Me, Language: f.Chosen}
	texts, err := s.ReadProgram(r, &n, source)
	if err == nil {
		err = s.StoreProgram(r, &n, texts)
	}
	if err != nil {
		return nil, err
	}
	b := &store.Bot{Account: r.Me.ID, Key: f.Key, Name: f.Name, Files: n.Files}
	if !n.Folder {
		b.File = n.Files[0].Path
	}
	return b, nil
}

// mostBotName is the maximum length of a bot name in bytes.
const mostBotName = 100

// botView is the page of a bot.
type botView struct {
	Slug, Ladder string
	*store.Bot
	Line      *ladder.Standing // nil if the bot is not playing
	Interval  string
	Rated     time.Time
	Own       bool // the reader may see the bot's files and faults
	Versions  []*store.Bot
	Opponents []ladder.Met
	Form      []ladder.Moment
	Last      []encounterLine
	More      int // number of encounters that the page does not list
	Faults    []faultLine
	Trial     *flow.Tried // outcome of the test; nil if not shown
	Files     []string
	Lately    string
	Waits     string // why no worker tests bots at the moment; empty if workers do
	Pauses    int    // recent faults that ended its process
}

// A faultLine counts a bot's faults of one kind.
type faultLine struct {
	Kind  string
	Times int
	Last  int64 // newest encounter with the fault
}

func (s *site) bot(w http.ResponseWriter, r *web.Request) error {
	h, b := on(r), on(r).bot
	v := botView{
		Slug: h.Slug, Ladder: h.Name, Bot: b, Line: h.Standing(b.Number), Rated: h.Rated, Own: r.Can(auth.SeeBot),
		Opponents: h.Opponents(b.Number), Form: h.Form(b.Number), Lately: lately(h.View, b.Number),
	}
	if why := s.Dispatch.Unserved(job.GameLane, s.Class); why != "" && b.State == store.BotChecking {
		v.Waits = web.Sentence(why) + "."
	}
	if v.Line != nil {
		v.Interval = intervalText(v.Line.Low, v.Line.High)
	}
	for _, other := range h.Bots {
		if other.Name == b.Name && other.Account == b.Account {
			v.Versions = append(v.Versions, other)
		}
	}
	of := h.Of(b.Number)
	for _, e := range of[:min(len(of), mostEncounters)] {
		v.Last = append(v.Last, encounterLineOf(h.View, e))
	}
	v.More = max(len(of)-mostEncounters, 0)
	if v.Own {
		v.Faults = faultsOf(of, b.Number)
		v.Pauses = h.Broken(b)
		if len(b.Told) > 0 {
			v.Trial = &flow.Tried{}
			if err := json.Unmarshal(b.Told, v.Trial); err != nil {
				return fmt.Errorf("read the trial of a bot: %w", err)
			}
		}
		for _, f := range b.Files {
			v.Files = append(v.Files, f.Path)
		}
	}
	return s.Page(w, r, http.StatusOK, "bot", b.Name, v)
}

// faultsOf counts the faults of a bot by kind. The encounters must be sorted newest first.
func faultsOf(all []*store.Encounter, bot int64) (faults []faultLine) {
	for _, e := range all {
		for _, kind := range e.FaultsOf(bot) {
			i := slices.IndexFunc(faults, func(f faultLine) bool { return f.Kind == kind })
			if i < 0 {
				faults, i = append(faults, faultLine{Kind: kind, Last: e.Number}), len(faults)
			}
			faults[i].Times++
		}
	}
	return faults
}

// changeBot retires or resumes a bot.
func (s *site) changeBot(w http.ResponseWriter, r *web.Request) error {
	b := on(r).bot
	var to store.BotState
	reason := ""
	switch do := r.PostFormValue("do"); {
	case do == "retire" && (b.State == store.BotActive || b.State == store.BotPaused):
		if to = store.BotRetired; b.Account != r.Me.ID {
			reason = "by an administrator"
		}
	case do == "play" && b.State == store.BotPaused:
		to = store.BotActive
	case do == "play" || do == "retire":
		return web.BadRequest("the bot is now %s: reload the page", b.State)
	default:
		return web.BadRequest("choose what to do with the bot")
	}
	err := s.Store.SetBot(r.Context(), on(r).ID, b.Number, b.State, to, reason)
	if errors.Is(err, store.ErrEnded) {
		return web.BadRequest("the bot was changed meanwhile: reload the page")
	}
	if err != nil {
		return err
	}
	if err := s.Audit(r, "change bot", fmt.Sprintf("%s/%d", on(r).Slug, b.Number), string(to)); err != nil {
		return err
	}
	s.Ladders.Wake()
	return web.Redirect(w, r, fmt.Sprintf("/ladder/%s/bot/%d", on(r).Slug, b.Number))
}

// botSource sends a file of a bot.
func (s *site) botSource(w http.ResponseWriter, r *web.Request) error {
	i, err := strconv.Atoi(r.PathValue("file"))
	if files := on(r).bot.Files; err == nil && i >= 0 && i < len(files) {
		data, err := s.Blobs.Read(files[i].Digest, files[i].Size)
		if err != nil {
			return err
		}
		return web.SendFile(w, path.Base(files[i].Path), data)
	}
	return web.ErrNotFound
}

// encounterView is the page of an encounter.
type encounterView struct {
	Slug, Ladder string
	*store.Encounter
	First, Second *store.Bot
	Result        string
	Games         []gameLine
	Replay        bool
}

// gameLine is a game of an encounter.
type gameLine struct {
	Leg    int
	Begins string
	Won    string // the winner's name; empty for a draw
	Reason string
	Start  string
	Moves  string
	Count  int
	Faults []shownFault
}

// A shownFault is a fault of a bot, for readers who may see it.
type shownFault struct {
	Bot string
	arena.GameFault
}

// games returns the games of an encounter, without the parts that the caller may not see. It returns no games if
// the encounter does not count.
func (s *site) games(r *web.Request, e *store.Encounter) (all []*arena.Game, err error) {
	if !ladder.Counts(e) {
		return nil, nil
	}
	records, err := s.records(e)
	if err != nil {
		return nil, err
	}
	sees := seesFaults(r)
	for _, rec := range records {
		if rec.Game != nil {
			all = append(all, withoutFaults(rec.Game, func(seat int) bool { return sees(int64([]int{rec.Game.First, rec.Game.Second}[seat-1])) }))
		}
	}
	slices.SortFunc(all, func(a, b *arena.Game) int { return a.Leg - b.Leg })
	return all, nil
}

// seesFaults returns a function that reports whether the caller may see the faults and the output of a bot.
// Authors may see those of their own bots, and the jury those of all bots.
func seesFaults(r *web.Request) func(bot int64) bool {
	return func(bot int64) bool {
		to := on(r).Access
		if b := on(r).Bot(bot); b != nil {
			to = to.OfBot(b)
		}
		return to.Can(auth.SeeBot)
	}
}

// withoutFaults returns a copy of a game that omits a bot's private parts, such as faults, unless shown returns
// true for the bot's seat.
func withoutFaults(g *arena.Game, shown func(seat int) bool) *arena.Game {
	less := *g
	if g.Fault != nil && !shown(g.Fault.Seat) {
		less.Fault, less.Reason = nil, "a fault"
	}
	if g.After != nil && !shown(g.After.Seat) {
		less.After = nil
	}
	less.Notes = slices.DeleteFunc(slices.Clone(g.Notes), func(n arena.Note) bool { return !shown(n.Seat) })
	less.Again = ""
	if !shown(1) || !shown(2) {
		less.Said = nil
	}
	return &less
}

func (s *site) encounter(w http.ResponseWriter, r *web.Request) error {
	h, e := on(r), on(r).encounter
	v := encounterView{Slug: h.Slug, Ladder: h.Name, Encounter: e, First: h.Bot(e.A), Second: h.Bot(e.B), Result: result(e)}
	games, err := s.games(r, e)
	if err != nil {
		return err
	}
	name := func(id int) string {
		if b := h.Bot(int64(id)); b != nil {
			return b.Name
		}
		return ""
	}
	v.Replay = len(games) > 0
	for _, g := range games {
		line := gameLine{Leg: g.Leg, Begins: name(g.First), Reason: g.Reason, Start: g.Start, Count: len(g.Moves)}
		if g.Winner > 0 {
			line.Won = name([]int{g.First, g.Second}[g.Winner-1])
		}
		line.Moves = strings.Join(g.Moves[:min(len(g.Moves), mostMoves)], " ")
		if len(g.Moves) > mostMoves {
			line.Moves += " …"
		}
		for _, f := range []*arena.GameFault{g.Fault, g.After} {
			if f != nil {
				line.Faults = append(line.Faults, shownFault{name([]int{g.First, g.Second}[f.Seat-1]), *f})
			}
		}
		v.Games = append(v.Games, line)
	}
	if e.Reason != "" && !seesFaults(r)(e.A) && !seesFaults(r)(e.B) {
		v.Reason = "the authors of the bots and the administrators can read why"
	}
	return s.Page(w, r, http.StatusOK, "encounter", fmt.Sprintf("Encounter %d", e.Number), v)
}

// mostMoves is the maximum number of moves of a game that the page lists. The viewer and the log contain all
// moves.
const mostMoves = 200

// replay shows the games of an encounter move by move, as a report page. The page runs its own script, which can
// access nothing else.
func (s *site) replay(w http.ResponseWriter, r *web.Request) error {
	games, err := s.games(r, on(r).encounter)
	if err != nil {
		return err
	}
	if len(games) == 0 {
		return web.ErrNotFound
	}
	var log bytes.Buffer
	if err := writeLog(&log, on(r).View, []*store.Bot{on(r).Bot(on(r).encounter.A), on(r).Bot(on(r).encounter.B)}, games); err != nil {
		return err
	}
	held, err := arena.ReadLog(bytes.NewReader(log.Bytes()), "")
	if err != nil {
		return err
	}
	so, err := held.Replay()
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := report.ArenaPage(&page, so, on(r).Title, games, nil); err != nil {
		return err
	}
	return alone(w, page.Bytes())
}

// alone sends a standalone page whose script can run but has access to nothing else.
func alone(w http.ResponseWriter, page []byte) error {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src "+
		"'unsafe-inline'; frame-ancestors 'none'")
	_, _ = w.Write(page) // the client may be gone
	return nil
}

// writeLog writes a ladder's bots and their games in the format of a tournament log.
func writeLog(to *bytes.Buffer, v *ladder.View, bots []*store.Bot, games []*arena.Game) error {
	opened := &arena.Opened{Version: arena.Version, Game: v.Problem, Rules: v.Played, Seed: v.Seed}
	for _, b := range bots {
		name := b.Name
		if b.Version > 1 {
			name = fmt.Sprintf("%s v%d", name, b.Version)
		}
		if slices.ContainsFunc(opened.Bots, func(other arena.Bot) bool { return other.Name == name }) {
			name = fmt.Sprintf("%s #%d", name, b.Number)
		}
		opened.Bots = append(opened.Bots, arena.Bot{ID: int(b.Number), Name: name, File: b.File})
	}
	write := json.NewEncoder(to)
	if err := write.Encode(&arena.Record{Opened: opened}); err != nil {
		return err
	}
	for _, g := range games {
		if err := write.Encode(&arena.Record{Game: g}); err != nil {
			return err
		}
	}
	return nil
}
