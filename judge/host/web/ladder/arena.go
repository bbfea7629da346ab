package ladder

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/judge/contests/arena"
	"assay/judge/contests/standings"
	"assay/judge/host/auth"
	"assay/judge/host/desk"
	"assay/judge/host/flow"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/report"
)

// Tournaments started on a page use the same workflow as `judge arena --on`, with the same results.

// arenaView is the page for starting tournaments.
type arenaView struct {
	Form   eventForm
	Events []eventLine
}

// eventForm is the form for a new tournament, with its fields as sent.
type eventForm struct {
	Problem, Rules, Seed, Rounds, Games, Format, Points, Move, Clock, Options string
	Formats, Scores                                                           []web.Choice
	Problems                                                                  []game
	MaxSize                                                                   int64
	Errors                                                                    web.FieldErrors
}

// Choices of the form. An empty value selects the setting of the rule set.
var (
	formatChoices = []web.Choice{
		{Name: "Schedule of the rule set"},
		{Value: "round-robin", Name: "Round robin", Help: "every bot plays every other bot"},
		{Value: "swiss", Name: "Swiss", Help: "bots with similar scores meet"},
		{Value: "gauntlet", Name: "Gauntlet", Help: "the first bot plays each of the others"},
		{Value: "knockout", Name: "Knockout", Help: "the loser is out"},
		{Value: "ladder", Name: "Ladder", Help: "each bot in turn challenges those above it"},
	}
	scoreChoices = []web.Choice{
		{Name: "Points of the rule set"},
		{Value: arena.ByGame, Name: "For each game"},
		{Value: arena.ByEncounter, Name: "For each encounter: more games won wins it"},
		{Value: arena.BySurplus, Name: "For each encounter, by how far it was won"},
		{Value: arena.ByPayoff, Name: "What the game pays"},
	}
)

// Chosen summarizes the settings in its group.
func (f eventForm) Chosen() string {
	text := "first rule set"
	if f.Rules != "" {
		text = "rule set " + f.Rules
	}
	if f.Move != "" {
		text += "; " + f.Move + " ms per move"
	}
	return text + "; seed " + cmp.Or(f.Seed, "1")
}

// An eventLine is a tournament as listed.
type eventLine struct {
	ID, Game, Rules string
	Bots            int
	State           store.FlowState
	Made            time.Time
}

// mostEvents is the maximum number of tournaments that a page lists.
const mostEvents = 50

func (s *site) arena(w http.ResponseWriter, r *web.Request) error {
	return s.arenaPage(w, r, http.StatusOK, eventForm{})
}

func (s *site) arenaPage(w http.ResponseWriter, r *web.Request, code int, f eventForm) (err error) {
	v := arenaView{Form: f}
	v.Form.Formats, v.Form.Scores, v.Form.MaxSize = formatChoices, scoreChoices, s.MaxSize
	if v.Form.Problems, err = s.gameProblems(r); err != nil {
		return err
	}
	flows, err := s.Store.FlowsOfKind(r.Context(), string(flow.Arena), mostEvents)
	if err != nil {
		return err
	}
	for _, one := range flows {
		if one.Owner != r.Me.ID && !r.Can(auth.Accounts) {
			continue
		}
		line, err := eventLineOf(one)
		if err != nil {
			return err
		}
		v.Events = append(v.Events, *line)
	}
	return s.Page(w, r, code, "arena", "Arena", v)
}

func eventLineOf(f *store.Flow) (*eventLine, error) {
	spec, asked, err := eventOf(f)
	if err != nil {
		return nil, err
	}
	return &eventLine{f.ID, spec.Work.Problem, asked.Rules, len(asked.Bots), f.State, f.Made}, nil
}

// eventOf decodes the spec of a flow and its tournament options.
func eventOf(f *store.Flow) (*flow.Spec, *flow.ArenaOptions, error) {
	spec, asked := &flow.Spec{}, &flow.ArenaOptions{}
	err := json.Unmarshal(f.Spec, spec)
	if err == nil {
		err = json.Unmarshal(spec.Options, asked)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read the options of tournament %s: %w", f.ID, err)
	}
	return spec, asked, nil
}

// holdEvent starts a tournament.
func (s *site) holdEvent(w http.ResponseWriter, r *web.Request) error {
	if err := web.ReadMultipart(w, r, s.MaxSize, "submission"); err != nil {
		return err
	}
	value := r.Field
	f := eventForm{
		Problem: value("problem"), Rules: value("rules"), Seed: value("seed"), Rounds: value("rounds"), Games: value("games"),
		Format: value("format"),
		Points: value("points"), Move: value("move"), Clock: value("clock"), Options: value("options"),
	}
	id, err := s.beginEvent(r, &f)
	if refusal := web.Rejected(err); refusal != nil {
		f.Errors.Add("file", "%s.", web.Sentence(web.Reason(refusal)))
		return s.arenaPage(w, r, refusal.Code, f)
	}
	if err != nil {
		return err
	}
	if len(f.Errors) > 0 {
		return s.arenaPage(w, r, http.StatusBadRequest, f)
	}
	return web.Redirect(w, r, "/tournaments/"+id)
}

// beginEvent creates the flow of a tournament. If the form is invalid, it creates no flow and adds the errors to
// f.Errors.
func (s *site) beginEvent(r *web.Request, f *eventForm) (id string, err error) {
	games, err := s.gameProblems(r)
	if err != nil {
		return "", err
	}
	p := gameChosen(games, f.Problem, f.Rules, &f.Errors)
	choice, seed := f.choice()
	n := desk.New{Account: r.Me}
	texts, err := s.readBots(r, &n, &f.Errors)
	if err != nil || len(f.Errors) > 0 {
		return "", err
	}
	if err := s.StoreProgram(r, &n, texts); err != nil {
		return "", err
	}
	asked := flow.ArenaOptions{Choice: choice, Seed: seed}
	work := job.Work{Problem: p.Slug, Program: p.Slug, Bundle: p.Bundle, Config: p.Config, Folder: true}
	bots := n.Files
	slices.SortStableFunc(bots, func(a, b job.File) int { return strings.Compare(a.Path, b.Path) })
	for i, file := range bots {
		name := file.Path
		file.Path = fmt.Sprintf("%d/%s", i+1, name)
		work.Files = append(work.Files, file)
		asked.Bots = append(asked.Bots, flow.ArenaBot{At: file.Path, File: name})
	}
	spec := &flow.Spec{Kind: flow.Arena, Work: work}
	if spec.Options, err = json.Marshal(asked); err != nil {
		return "", err
	}
	id = rand.Text()
	if _, err := s.Ask(r.Context(), r.Me, id, spec, false); err != nil {
		return "", err
	}
	return id, s.Audit(r, "start tournament", id, p.Slug)
}

// readBots reads the files of the bots and adds them to n.
func (s *site) readBots(r *web.Request, n *desk.New, e *web.FieldErrors) ([][]byte, error) {
	files, err := r.Files(s.MaxSize)
	if err != nil {
		return nil, err
	}
	if len(files) < 2 {
		e.Add("file", "Choose at least 2 files, one for each bot.")
		return nil, nil
	}
	return s.ReadProgram(r, n, web.SourceForm{})
}

// choice reads the rules from the form.
func (f *eventForm) choice() (c arena.Choice, seed uint64) {
	e := &f.Errors
	c = arena.Choice{
		Rules: f.Rules, Points: f.Points, Format: f.Format, Move: readMillis("move", f.Move, e),
		Clock: readMillis("clock", f.Clock, e), Options: readOptions(f.Options, e),
	}
	e.Choice("format", f.Format, formatChoices)
	e.Choice("points", f.Points, scoreChoices)
	seed = 1
	if f.Seed != "" {
		var err error
		if seed, err = strconv.ParseUint(f.Seed, 10, 64); err != nil {
			e.Add("seed", "Enter a whole number from 0, for example 1.")
		}
	}
	for _, one := range []struct {
		field, text string
		to          **int
	}{{"rounds", f.Rounds, &c.Rounds}, {"games", f.Games, &c.Games}} {
		if n := int(e.Number(one.field, one.text, one.field, 0, 1, mostMinute)); n > 0 {
			*one.to = &n
		}
	}
	return c, seed
}

// eventView is the page of a tournament.
type eventView struct {
	eventLine
	Reason  string
	Asked   string
	Files   []string
	Playing string
	Done    int
	Of      int
	Table   []eventRow
	Out     []standings.Out
	Notes   []string
}

// An eventRow is a row of the standings of a tournament.
type eventRow struct {
	standings.Bot
	drawnInterval
}

// Percent returns the percentage of games that have been played.
func (v eventView) Percent() int { return 100 * v.Done / max(v.Of, 1) }

// eventFlows matches flow ids.
var eventFlows = regexp.MustCompile(`^[A-Za-z0-9]{20,64}$`)

// event returns the tournament in the address, if the caller may see it.
func (s *site) event(r *web.Request) (*store.Flow, error) {
	id := r.PathValue("event")
	if !eventFlows.MatchString(id) {
		return nil, web.ErrNotFound
	}
	f, err := s.Store.Flow(r.Context(), id)
	if err != nil {
		return nil, err
	}
	if f.Kind != string(flow.Arena) || f.Owner != r.Me.ID && !r.Can(auth.Accounts) {
		return nil, web.ErrNotFound
	}
	return f, nil
}

// played collects the results of a tournament's tasks. The result g is nil until the task that opens the
// tournament has ended. The caller must close g.
func (s *site) played(r *web.Request, f *store.Flow) (g *arena.Gathering, opened *flow.ArenaOpened, err error) {
	parts, err := s.Store.Parts(r.Context(), f.ID)
	if err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(parts, func(a, b *store.Part) int { // the opening comes first
		return map[bool]int{true: 0, false: 1}[a.Key == flow.OpeningKey] - map[bool]int{true: 0, false: 1}[b.Key == flow.OpeningKey]
	})
	for _, p := range parts {
		if p.Result.State != job.Done {
			continue
		}
		if p.Key == flow.OpeningKey {
			opened = &flow.ArenaOpened{}
			if err := json.Unmarshal(p.Result.Output, opened); err != nil {
				return nil, nil, fmt.Errorf("read the opening of the tournament: %w", err)
			}
			if opened.Opened == nil {
				return nil, opened, nil
			}
			if g, err = arena.Gather(""); err != nil {
				return nil, nil, err
			}
		}
		if g == nil {
			return nil, opened, nil
		}
		brought, err := s.Dispatch.Lines(p.Events)
		if err == nil {
			if err = g.Add(brought...); err != nil {
				err = &desk.Refusal{
					Code: http.StatusInternalServerError,
					Text: fmt.Sprintf("the worker %s returned invalid games: %v", p.Result.Worker, err),
					Hint: "start the tournament again, and tell the administrator of the server",
				}
			}
		}
		if err != nil {
			return nil, nil, errors.Join(err, g.Close())
		}
	}
	return g, opened, nil
}

func (s *site) eventPage(w http.ResponseWriter, r *web.Request) error {
	f, err := s.event(r)
	if err != nil {
		return err
	}
	line, err := eventLineOf(f)
	if err != nil {
		return err
	}
	v := eventView{eventLine: *line, Reason: f.Reason}
	if !r.Can(auth.SeeAudit) {
		if v.Reason, err = s.FlowReason(r.Context(), f); err != nil {
			return err
		}
	}
	spec, asked, err := eventOf(f)
	if err != nil {
		return err
	}
	v.Asked = fmt.Sprintf("seed %d", asked.Seed)
	for _, one := range spec.Work.Files {
		v.Files = append(v.Files, path.Base(one.Path))
	}
	g, opened, err := s.played(r, f)
	if err != nil {
		return err
	}
	if opened != nil {
		v.Notes = opened.Notes
	}
	if g != nil {
		defer g.Close()
		v.Playing = opened.Opened.Rules.Describe()
		p, err := g.Progress()
		if err != nil {
			return err
		}
		v.Done, v.Of = p.Done, p.Of
		stood := standings.Make(p.Results(), nil, nil)
		v.Out = stood.Out
		intervals := make([]interval, len(stood.Bots))
		for i, b := range stood.Bots {
			intervals[i] = interval{b.Elo, b.Low, b.High}
		}
		for i, drawn := range drawIntervals(intervals) {
			v.Table = append(v.Table, eventRow{stood.Bots[i], drawn})
		}
	}
	return s.Page(w, r, http.StatusOK, "event", "Tournament of "+line.Game, v)
}

// endEvent stops a tournament.
func (s *site) endEvent(w http.ResponseWriter, r *web.Request) error {
	f, err := s.event(r)
	if err != nil {
		return err
	}
	if err := s.Dispatch.EndFlow(r.Context(), f.ID, store.FlowCancelled, ""); err != nil {
		return err
	}
	return s.Done(w, r, "cancel", f.ID, "", "/tournaments/"+f.ID)
}

// eventLog sends the log of a tournament, in the format that `judge arena` writes.
func (s *site) eventLog(w http.ResponseWriter, r *web.Request) error {
	text, _, err := s.eventEnd(r)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/jsonl")
	web.SetAttachment(w, r.PathValue("event")+".jsonl")
	_, _ = w.Write(text) // the client may be gone
	return nil
}

// eventEnd returns the log of a tournament so far, including its final records, and its outcome.
func (s *site) eventEnd(r *web.Request) (log []byte, out *arena.Outcome, err error) {
	f, err := s.event(r)
	if err != nil {
		return nil, nil, err
	}
	g, _, err := s.played(r, f)
	if err != nil {
		return nil, nil, err
	}
	if g == nil {
		return nil, nil, web.ErrNotFound
	}
	defer g.Close()
	if out, err = g.Finish(); err != nil {
		return nil, nil, err
	}
	log, err = g.Log()
	return log, out, err
}

// shownGames is the maximum number of games in a tournament report.
const shownGames = 60

// eventReport sends the report of a tournament, including its games, as a standalone page.
func (s *site) eventReport(w http.ResponseWriter, r *web.Request) error {
	log, out, err := s.eventEnd(r)
	if err != nil {
		return err
	}
	held, err := arena.ReadLog(bytes.NewReader(log), "")
	if err != nil {
		return err
	}
	so, err := held.Replay()
	if err != nil {
		return err
	}
	games, err := so.Load(standings.Pick(so.Games, shownGames)...)
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := report.ArenaPage(&page, out.Results, "", games, nil); err != nil {
		return err
	}
	return alone(w, page.Bytes())
}
