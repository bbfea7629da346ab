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
	"assay/judge/host/intake"
	"assay/judge/host/job"
	"assay/judge/host/ladder"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/workflow"
	"assay/judge/report"
)

// submitBotView is the form for a new bot. It has no languages if the game's bots are files.
type submitBotView struct {
	web.SourceForm
	Allowed bool
	Name    string
	Errors  web.FieldErrors
}

// isFilesOnly reports whether bots are files rather than programs.
func isFilesOnly(info *client.ProblemInfo) bool {
	return info != nil && info.Game != nil && info.Game.DataBots
}

// submitBot adds a bot to a ladder.
func (s *site) submitBot(w http.ResponseWriter, r *web.Request) error {
	source, err := s.ReadSource(w, r)
	if refusal := web.AsRefusal(err); refusal != nil {
		return s.ladderPage(
			w, r, refusal.Code,
			submitBotView{SourceForm: web.SourceForm{Key: rand.Text()}, Errors: web.RefusalErrors(refusal, "file")},
		)
	}
	if err != nil {
		return err
	}
	f := submitBotView{SourceForm: source, Name: r.Field("name")}
	b, err := s.readBot(r, &f)
	if err == nil {
		err = s.Ladders.AddBot(r.Context(), requestOf(r).Ladder, b)
	}
	switch {
	case errors.Is(err, store.ErrTaken):
		err = web.BadField("name", "a bot of someone else has the name %s: choose another name", f.Name)
	case errors.Is(err, store.ErrKeyReused):
		err = &intake.Refusal{Code: http.StatusConflict, Text: "this form has submitted another bot already", Hint: "submit again"}
		f.Key = rand.Text()
	case errors.Is(err, store.ErrEnded):
		requestOf(r).Open = false
		err = intake.LadderAccess(requestOf(r).Ladder, r.Me).Closed()
	}
	if refusal := web.AsRefusal(err); refusal != nil {
		f.Errors = web.RefusalErrors(refusal, "file")
		return s.ladderPage(w, r, refusal.Code, f)
	}
	if err != nil {
		return err
	}
	return web.Redirect(w, r, fmt.Sprintf("/ladder/%s/bot/%d", requestOf(r).Slug, b.Number))
}

// readBot reads a bot from the form and stores its files.
func (s *site) readBot(r *web.Request, f *submitBotView) (*store.Bot, error) {
	if problem := auth.CheckName(f.Name); problem != "" {
		return nil, web.BadField("name", "the name of the bot: %s", problem)
	}
	if len(f.Name) > maxBotName {
		return nil, web.BadField("name", "the name of a bot has at most %d bytes", maxBotName)
	}
	if err := s.AdmitBot(r.Context(), requestOf(r).Ladder, r.Me, f.Key, f.Name, requestOf(r).Bots); err != nil {
		return nil, err
	}
	info, err := s.problemInfo(requestOf(r).ProblemInfo)
	if err != nil {
		return nil, err
	}
	source := f.SourceForm
	if isFilesOnly(info) {
		source.Languages = []web.OfferedLanguage{{OfferedLanguage: client.OfferedLanguage{Extensions: []string{"txt"}}}}
	} else if source.Languages, err = s.OfferedLanguages(r, info, nil); err != nil {
		return nil, err
	}
	n := intake.NewSubmission{Account: r.Me, Language: f.SelectedLanguage}
	texts, err := s.ReadSourceFiles(r, &n, source)
	if err == nil {
		err = s.StoreSourceFiles(r, &n, texts)
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

// maxBotName is the maximum length of a bot name in bytes.
const maxBotName = 100

// botView is the page of a bot.
type botView struct {
	Slug, Ladder string
	*store.Bot
	Line          *ladder.Standing // nil if the bot is not playing
	Interval      string
	Rated         time.Time
	Own           bool // the reader may see the bot's files and faults
	Versions      []*store.Bot
	Opponents     []ladder.HeadToHead
	RatingHistory []ladder.FormPoint
	Last          []encounterLine
	More          int // number of encounters that the page does not list
	Faults        []faultLine
	Trial         *workflow.TrialOutput // outcome of the test; nil if not shown
	Files         []string
	RecentResults string
	WaitReason    string // why no worker tests bots at the moment; empty if workers do
	RecentCrashes int    // recent faults that ended its process
}

// A faultLine counts a bot's faults of one kind.
type faultLine struct {
	Kind  string
	Times int
	Last  int64 // newest encounter with the fault
}

func (s *site) bot(w http.ResponseWriter, r *web.Request) error {
	h, b := requestOf(r), requestOf(r).bot
	v := botView{
		Slug: h.Slug, Ladder: h.Name, Bot: b, Line: h.Standing(b.Number), Rated: h.Rated, Own: r.Can(auth.SeeBot),
		Opponents: h.Opponents(b.Number), RatingHistory: h.Form(b.Number), RecentResults: recentResults(h.View, b.Number),
	}
	if reason := s.Dispatch.UnservedReason(job.GamePriority, s.Class); reason != "" && b.State == store.BotChecking {
		v.WaitReason = web.Capitalize(reason) + "."
	}
	if v.Line != nil {
		v.Interval = intervalText(v.Line.Low, v.Line.High)
	}
	for _, version := range h.Bots {
		if version.Name == b.Name && version.Account == b.Account {
			v.Versions = append(v.Versions, version)
		}
	}
	encounters := h.EncountersOf(b.Number)
	for _, e := range encounters[:min(len(encounters), maxEncounters)] {
		v.Last = append(v.Last, encounterLineOf(h.View, e))
	}
	v.More = max(len(encounters)-maxEncounters, 0)
	if v.Own {
		v.Faults = countFaults(encounters, b.Number)
		v.RecentCrashes = h.ProcessFailures(b)
		if len(b.TestOutput) > 0 {
			v.Trial = &workflow.TrialOutput{}
			if err := json.Unmarshal(b.TestOutput, v.Trial); err != nil {
				return fmt.Errorf("read the trial of a bot: %w", err)
			}
		}
		for _, f := range b.Files {
			v.Files = append(v.Files, f.Path)
		}
	}
	return s.RenderPage(w, r, http.StatusOK, "bot", b.Name, v)
}

// countFaults counts the faults of a bot by kind. The encounters must be sorted newest first.
func countFaults(encounters []*store.Encounter, bot int64) (faults []faultLine) {
	for _, e := range encounters {
		for _, kind := range e.FailuresOf(bot) {
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
	b := requestOf(r).bot
	var state store.BotState
	reason := ""
	switch do := r.PostFormValue("do"); {
	case do == "retire" && (b.State == store.BotActive || b.State == store.BotPaused):
		if state = store.BotRetired; b.Account != r.Me.ID {
			reason = "by an administrator"
		}
	case do == "play" && b.State == store.BotPaused:
		state = store.BotActive
	case do == "play" || do == "retire":
		return web.BadRequest("the bot is now %s: reload the page", b.State)
	default:
		return web.BadRequest("choose what to do with the bot")
	}
	err := s.Store.SetBotState(r.Context(), requestOf(r).ID, b.Number, b.State, state, reason)
	if errors.Is(err, store.ErrEnded) {
		return web.BadRequest("the bot was changed meanwhile: reload the page")
	}
	if err != nil {
		return err
	}
	if err := s.Audit(r, "change bot", fmt.Sprintf("%s/%d", requestOf(r).Slug, b.Number), string(state)); err != nil {
		return err
	}
	s.Ladders.Wake()
	return web.Redirect(w, r, fmt.Sprintf("/ladder/%s/bot/%d", requestOf(r).Slug, b.Number))
}

// botSource sends a file of a bot.
func (s *site) botSource(w http.ResponseWriter, r *web.Request) error {
	i, err := strconv.Atoi(r.PathValue("file"))
	if files := requestOf(r).bot.Files; err == nil && i >= 0 && i < len(files) {
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
	Number      int
	FirstPlayer string
	Winner      string // the winner's name; empty for a draw
	Reason      string
	Start       string
	Moves       string
	Count       int
	Faults      []shownFault
}

// A shownFault is a fault of a bot, for readers who may see it.
type shownFault struct {
	Bot string
	arena.GameFault
}

// games returns the games of an encounter, without the parts that the caller may not see. It returns no games if
// the encounter does not count.
func (s *site) games(r *web.Request, e *store.Encounter) (all []*arena.Game, err error) {
	if !ladder.IsScored(e) {
		return nil, nil
	}
	records, err := s.readRecords(e)
	if err != nil {
		return nil, err
	}
	sees := faultVisibility(r)
	for _, rec := range records {
		if rec.Game != nil {
			all = append(
				all,
				withoutFaults(rec.Game, func(seat int) bool { return sees(int64([]int{rec.Game.First, rec.Game.Second}[seat-1])) }),
			)
		}
	}
	slices.SortFunc(all, func(a, b *arena.Game) int { return a.Leg - b.Leg })
	return all, nil
}

// faultVisibility returns a function that reports whether the caller may see the faults and the output of a bot.
// Authors may see those of their own bots, and the jury those of all bots.
func faultVisibility(r *web.Request) func(bot int64) bool {
	return func(bot int64) bool {
		access := requestOf(r).Access
		if b := requestOf(r).Bot(bot); b != nil {
			access = access.ForBot(b)
		}
		return access.Can(auth.SeeBot)
	}
}

// withoutFaults returns a copy of a game that omits a bot's private parts, such as faults, unless shown returns
// true for the bot's seat.
func withoutFaults(g *arena.Game, isVisible func(seat int) bool) *arena.Game {
	public := *g
	if g.Fault != nil && !isVisible(g.Fault.Seat) {
		public.Fault, public.Reason = nil, "a fault"
	}
	if g.After != nil && !isVisible(g.After.Seat) {
		public.After = nil
	}
	public.Notes = slices.DeleteFunc(slices.Clone(g.Notes), func(n arena.Note) bool { return !isVisible(n.Seat) })
	public.ReplayReason = ""
	if !isVisible(1) || !isVisible(2) {
		public.Answers = nil
	}
	return &public
}

func (s *site) encounter(w http.ResponseWriter, r *web.Request) error {
	h, e := requestOf(r), requestOf(r).encounter
	v := encounterView{Slug: h.Slug, Ladder: h.Name, Encounter: e, First: h.Bot(e.A), Second: h.Bot(e.B), Result: describeResult(e)}
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
		line := gameLine{Number: g.Leg, FirstPlayer: name(g.First), Reason: g.Reason, Start: g.Start, Count: len(g.Moves)}
		if g.Winner > 0 {
			line.Winner = name([]int{g.First, g.Second}[g.Winner-1])
		}
		line.Moves = strings.Join(g.Moves[:min(len(g.Moves), maxMoves)], " ")
		if len(g.Moves) > maxMoves {
			line.Moves += " …"
		}
		for _, f := range []*arena.GameFault{g.Fault, g.After} {
			if f != nil {
				line.Faults = append(line.Faults, shownFault{name([]int{g.First, g.Second}[f.Seat-1]), *f})
			}
		}
		v.Games = append(v.Games, line)
	}
	if e.Reason != "" && !faultVisibility(r)(e.A) && !faultVisibility(r)(e.B) {
		v.Reason = "the authors of the bots and the administrators can read why"
	}
	return s.RenderPage(w, r, http.StatusOK, "encounter", fmt.Sprintf("Encounter %d", e.Number), v)
}

// maxMoves is the maximum number of moves of a game that the page lists. The viewer and the log contain all
// moves.
const maxMoves = 200

// replay shows the games of an encounter move by move, as a report page. The page runs its own script, which can
// access nothing else.
func (s *site) replay(w http.ResponseWriter, r *web.Request) error {
	games, err := s.games(r, requestOf(r).encounter)
	if err != nil {
		return err
	}
	if len(games) == 0 {
		return web.ErrNotFound
	}
	var log bytes.Buffer
	ladder := requestOf(r)
	bots := []*store.Bot{ladder.Bot(ladder.encounter.A), ladder.Bot(ladder.encounter.B)}
	if err := writeLog(&log, ladder.View, bots, games); err != nil {
		return err
	}
	tournament, err := arena.ReadLog(bytes.NewReader(log.Bytes()), "")
	if err != nil {
		return err
	}
	replayed, err := tournament.Replay()
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := report.ArenaPage(&page, replayed, requestOf(r).Title, games, nil); err != nil {
		return err
	}
	return sendStandalone(w, page.Bytes())
}

// sendStandalone sends a standalone page whose script can run but has access to nothing else.
func sendStandalone(w http.ResponseWriter, page []byte) error {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src "+
		"'unsafe-inline'; frame-ancestors 'none'")
	_, _ = w.Write(page) // the client may be gone
	return nil
}

// writeLog writes a ladder's bots and their games in the format of a tournament log.
func writeLog(log *bytes.Buffer, v *ladder.View, bots []*store.Bot, games []*arena.Game) error {
	opened := &arena.Opened{Version: arena.Version, Game: v.Problem, Rules: v.GameRules, Seed: v.Seed}
	for _, b := range bots {
		name := b.Name
		if b.Version > 1 {
			name = fmt.Sprintf("%s v%d", name, b.Version)
		}
		if slices.ContainsFunc(opened.Bots, func(bot arena.Bot) bool { return bot.Name == name }) {
			name = fmt.Sprintf("%s #%d", name, b.Number)
		}
		opened.Bots = append(opened.Bots, arena.Bot{ID: int(b.Number), Name: name, File: b.File})
	}
	write := json.NewEncoder(log)
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
