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
	"assay/judge/host/intake"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/workflow"
	"assay/judge/report"
)

// Tournaments started on a page use the same workflow as `judge arena --on`, with the same results.

// arenaView is the page for starting tournaments.
type arenaView struct {
	Form        tournamentForm
	Tournaments []tournamentLine
}

// tournamentForm is the form for a new tournament, with its fields as sent.
type tournamentForm struct {
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

// RulesSummary summarizes the settings in its group.
func (f tournamentForm) RulesSummary() string {
	text := "first rule set"
	if f.Rules != "" {
		text = "rule set " + f.Rules
	}
	if f.Move != "" {
		text += "; " + f.Move + " ms per move"
	}
	return text + "; seed " + cmp.Or(f.Seed, "1")
}

// An tournamentLine is a tournament as listed.
type tournamentLine struct {
	ID, Game, Rules string
	Bots            int
	State           store.WorkflowState
	Made            time.Time
}

// maxTournaments is the maximum number of tournaments that a page lists.
const maxTournaments = 50

func (s *site) arena(w http.ResponseWriter, r *web.Request) error {
	return s.arenaPage(w, r, http.StatusOK, tournamentForm{})
}

func (s *site) arenaPage(w http.ResponseWriter, r *web.Request, code int, f tournamentForm) (err error) {
	v := arenaView{Form: f}
	v.Form.Formats, v.Form.Scores, v.Form.MaxSize = formatChoices, scoreChoices, s.MaxSize
	if v.Form.Problems, err = s.gameProblems(r); err != nil {
		return err
	}
	workflows, err := s.Store.WorkflowsOfKind(r.Context(), string(workflow.Arena), maxTournaments)
	if err != nil {
		return err
	}
	for _, tournament := range workflows {
		if tournament.Owner != r.Me.ID && !r.Can(auth.ManageAccounts) {
			continue
		}
		line, err := tournamentLineOf(tournament)
		if err != nil {
			return err
		}
		v.Tournaments = append(v.Tournaments, *line)
	}
	return s.RenderPage(w, r, code, "arena", "Arena", v)
}

func tournamentLineOf(f *store.Workflow) (*tournamentLine, error) {
	spec, options, err := decodeTournament(f)
	if err != nil {
		return nil, err
	}
	return &tournamentLine{f.ID, spec.Work.Problem, options.Rules, len(options.Bots), f.State, f.Made}, nil
}

// decodeTournament decodes the spec of a workflow and its tournament options.
func decodeTournament(f *store.Workflow) (*workflow.Spec, *workflow.ArenaOptions, error) {
	spec, options := &workflow.Spec{}, &workflow.ArenaOptions{}
	err := json.Unmarshal(f.Spec, spec)
	if err == nil {
		err = json.Unmarshal(spec.Options, options)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read the options of tournament %s: %w", f.ID, err)
	}
	return spec, options, nil
}

// startTournament starts a tournament.
func (s *site) startTournament(w http.ResponseWriter, r *web.Request) error {
	if err := web.ReadMultipart(w, r, s.MaxSize, "submission"); err != nil {
		return err
	}
	value := r.Field
	f := tournamentForm{
		Problem: value("problem"), Rules: value("rules"), Seed: value("seed"), Rounds: value("rounds"), Games: value("games"),
		Format: value("format"),
		Points: value("points"), Move: value("move"), Clock: value("clock"), Options: value("options"),
	}
	id, err := s.createTournament(r, &f)
	if refusal := web.AsRefusal(err); refusal != nil {
		f.Errors.Add("file", "%s.", web.Capitalize(web.RefusalText(refusal)))
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

// createTournament creates the workflow of a tournament. If the form is invalid, it creates no workflow and adds the errors to
// f.Errors.
func (s *site) createTournament(r *web.Request, f *tournamentForm) (id string, err error) {
	games, err := s.gameProblems(r)
	if err != nil {
		return "", err
	}
	p := selectedGame(games, f.Problem, f.Rules, &f.Errors)
	choice, seed := f.readRules()
	n := intake.NewSubmission{Account: r.Me}
	texts, err := s.readBots(r, &n, &f.Errors)
	if err != nil || len(f.Errors) > 0 {
		return "", err
	}
	if err := s.StoreSourceFiles(r, &n, texts); err != nil {
		return "", err
	}
	options := workflow.ArenaOptions{RulesChoice: choice, Seed: seed}
	work := job.Work{Problem: p.Slug, Program: p.Slug, Bundle: p.Bundle, Config: p.Config, IsDir: true}
	bots := n.Files
	slices.SortStableFunc(bots, func(a, b job.File) int { return strings.Compare(a.Path, b.Path) })
	for i, file := range bots {
		name := file.Path
		file.Path = fmt.Sprintf("%d/%s", i+1, name)
		work.Files = append(work.Files, file)
		options.Bots = append(options.Bots, workflow.ArenaBot{Path: file.Path, File: name})
	}
	spec := &workflow.Spec{Kind: workflow.Arena, Work: work}
	if spec.Options, err = json.Marshal(options); err != nil {
		return "", err
	}
	id = rand.Text()
	if _, err := s.StartWorkflow(r.Context(), r.Me, id, spec, false); err != nil {
		return "", err
	}
	return id, s.Audit(r, "start tournament", id, p.Slug)
}

// readBots reads the files of the bots and adds them to n.
func (s *site) readBots(r *web.Request, n *intake.NewSubmission, e *web.FieldErrors) ([][]byte, error) {
	files, err := r.Files(s.MaxSize)
	if err != nil {
		return nil, err
	}
	if len(files) < 2 {
		e.Add("file", "Choose at least 2 files, one for each bot.")
		return nil, nil
	}
	return s.ReadSourceFiles(r, n, web.SourceForm{})
}

// readRules reads the rules from the form.
func (f *tournamentForm) readRules() (c arena.RulesChoice, seed uint64) {
	e := &f.Errors
	c = arena.RulesChoice{
		Rules: f.Rules, Points: f.Points, Format: f.Format, Move: readMillis("move", f.Move, e),
		Clock: readMillis("clock", f.Clock, e), Options: readOptions(f.Options, e),
	}
	e.CheckChoice("format", f.Format, formatChoices)
	e.CheckChoice("points", f.Points, scoreChoices)
	seed = 1
	if f.Seed != "" {
		var err error
		if seed, err = strconv.ParseUint(f.Seed, 10, 64); err != nil {
			e.Add("seed", "Enter a whole number from 0, for example 1.")
		}
	}
	for _, setting := range []struct {
		field, text string
		to          **int
	}{{"rounds", f.Rounds, &c.Rounds}, {"games", f.Games, &c.Games}} {
		if n := int(e.ReadNumber(setting.field, setting.text, setting.field, 0, 1, maxPerMinute)); n > 0 {
			*setting.to = &n
		}
	}
	return c, seed
}

// tournamentView is the page of a tournament.
type tournamentView struct {
	tournamentLine
	Reason       string
	Options      string
	Files        []string
	Playing      string
	Done         int
	Total        int
	Table        []tournamentRow
	Disqualified []standings.Disqualified
	Notes        []string
}

// An tournamentRow is a row of the standings of a tournament.
type tournamentRow struct {
	standings.Bot
	drawnInterval
}

// Percent returns the percentage of games that have been played.
func (v tournamentView) Percent() int { return 100 * v.Done / max(v.Total, 1) }

// workflowIDs matches workflow ids.
var workflowIDs = regexp.MustCompile(`^[A-Za-z0-9]{20,64}$`)

// findTournament returns the tournament in the address, if the caller may see it.
func (s *site) findTournament(r *web.Request) (*store.Workflow, error) {
	id := r.PathValue("event")
	if !workflowIDs.MatchString(id) {
		return nil, web.ErrNotFound
	}
	f, err := s.Store.Workflow(r.Context(), id)
	if err != nil {
		return nil, err
	}
	if f.Kind != string(workflow.Arena) || f.Owner != r.Me.ID && !r.Can(auth.ManageAccounts) {
		return nil, web.ErrNotFound
	}
	return f, nil
}

// collectResults collects the results of a tournament's tasks. The result g is nil until the task that opens the
// tournament has ended. The caller must close g.
func (s *site) collectResults(r *web.Request, f *store.Workflow) (g *arena.RemoteTournament, opened *workflow.ArenaOpened, err error) {
	parts, err := s.Store.TaskResults(r.Context(), f.ID)
	if err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(parts, func(a, b *store.TaskResult) int { // the opening comes first
		return map[bool]int{true: 0, false: 1}[a.Key == workflow.OpeningKey] - map[bool]int{true: 0, false: 1}[b.Key == workflow.OpeningKey]
	})
	for _, p := range parts {
		if p.Result.State != job.Done {
			continue
		}
		if p.Key == workflow.OpeningKey {
			opened = &workflow.ArenaOpened{}
			if err := json.Unmarshal(p.Result.Output, opened); err != nil {
				return nil, nil, fmt.Errorf("read the opening of the tournament: %w", err)
			}
			if opened.Opened == nil {
				return nil, opened, nil
			}
			if g, err = arena.NewRemoteTournament(""); err != nil {
				return nil, nil, err
			}
		}
		if g == nil {
			return nil, opened, nil
		}
		lines, err := s.Dispatch.ReadLines(p.Events)
		if err == nil {
			if err = g.Add(lines...); err != nil {
				err = &intake.Refusal{
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

func (s *site) tournamentPage(w http.ResponseWriter, r *web.Request) error {
	f, err := s.findTournament(r)
	if err != nil {
		return err
	}
	line, err := tournamentLineOf(f)
	if err != nil {
		return err
	}
	v := tournamentView{tournamentLine: *line, Reason: f.Reason}
	if !r.Can(auth.SeeAudit) {
		if v.Reason, err = s.WorkflowReason(r.Context(), f); err != nil {
			return err
		}
	}
	spec, options, err := decodeTournament(f)
	if err != nil {
		return err
	}
	v.Options = fmt.Sprintf("seed %d", options.Seed)
	for _, file := range spec.Work.Files {
		v.Files = append(v.Files, path.Base(file.Path))
	}
	g, opened, err := s.collectResults(r, f)
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
		v.Done, v.Total = p.Done, p.Total
		stood := standings.Compute(p.Results(), nil, nil)
		v.Disqualified = stood.Disqualified
		intervals := make([]interval, len(stood.Bots))
		for i, b := range stood.Bots {
			intervals[i] = interval{b.Elo, b.Low, b.High}
		}
		for i, drawn := range drawIntervals(intervals) {
			v.Table = append(v.Table, tournamentRow{stood.Bots[i], drawn})
		}
	}
	return s.RenderPage(w, r, http.StatusOK, "tournament", "Tournament of "+line.Game, v)
}

// stopTournament stops a tournament.
func (s *site) stopTournament(w http.ResponseWriter, r *web.Request) error {
	f, err := s.findTournament(r)
	if err != nil {
		return err
	}
	if err := s.Dispatch.EndWorkflow(r.Context(), f.ID, store.WorkflowCancelled, ""); err != nil {
		return err
	}
	return s.AuditAndRedirect(w, r, "cancel", f.ID, "", "/tournaments/"+f.ID)
}

// tournamentLog sends the log of a tournament, in the format that `judge arena` writes.
func (s *site) tournamentLog(w http.ResponseWriter, r *web.Request) error {
	text, _, err := s.tournamentOutcome(r)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/jsonl")
	web.SetAttachment(w, r.PathValue("event")+".jsonl")
	_, _ = w.Write(text) // the client may be gone
	return nil
}

// tournamentOutcome returns the log of a tournament so far, including its final records, and its outcome.
func (s *site) tournamentOutcome(r *web.Request) (log []byte, outcome *arena.Outcome, err error) {
	f, err := s.findTournament(r)
	if err != nil {
		return nil, nil, err
	}
	g, _, err := s.collectResults(r, f)
	if err != nil {
		return nil, nil, err
	}
	if g == nil {
		return nil, nil, web.ErrNotFound
	}
	defer g.Close()
	if outcome, err = g.Finish(); err != nil {
		return nil, nil, err
	}
	log, err = g.Log()
	return log, outcome, err
}

// maxReportGames is the maximum number of games in a tournament report.
const maxReportGames = 60

// tournamentReport sends the report of a tournament, including its games, as a standalone page.
func (s *site) tournamentReport(w http.ResponseWriter, r *web.Request) error {
	log, outcome, err := s.tournamentOutcome(r)
	if err != nil {
		return err
	}
	tournament, err := arena.ReadLog(bytes.NewReader(log), "")
	if err != nil {
		return err
	}
	replayed, err := tournament.Replay()
	if err != nil {
		return err
	}
	games, err := replayed.Load(standings.SelectGames(replayed.Games, maxReportGames)...)
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := report.ArenaPage(&page, outcome.Results, "", games, nil); err != nil {
		return err
	}
	return sendStandalone(w, page.Bytes())
}
