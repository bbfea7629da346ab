package ladder

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/judge/contests/arena"
	"assay/judge/host/client"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// ladderForm is the form for a new ladder, or for the settings of an existing one, with its fields as sent.
type ladderForm struct {
	New                   bool
	Name, Slug            string
	Problem               string
	Rules                 string // the rule set; empty selects the game's first
	Games, Move, Options  string
	Visibility            string
	PerAccount, PerMinute string
	Open                  bool
	RulesText             string       // one-line summary of an existing ladder's rules
	Visibilities          []web.Choice // choices of visibility
	Problems              []game       // choices for a new ladder
	Removal               *web.Removal // nil for a new ladder
	Errors                web.FieldErrors
	Undeleted             web.FieldErrors // why the ladder was not deleted
}

// A game is a problem that bots can play.
type game struct {
	*store.Problem
	*client.GameInfo
}

// Bounds and defaults of the fields.
const (
	defaultBots  = 3
	maxBots      = 100
	defaultGames = 2 // per encounter
	maxGames     = 200
	maxPerMinute = 100_000
)

// Access, RulesSummary, and Load each summarize the settings of one group of the form.
func (f ladderForm) Access() string {
	return strings.ToLower(web.ChoiceName(web.OpenVisibilities, f.Visibility)) + "; " + f.PerAccount + " bots per person"
}

func (f ladderForm) RulesSummary() string {
	if !f.New {
		return f.RulesText
	}
	text := "first rule set"
	if f.Rules != "" {
		text = "rule set " + f.Rules
	}
	text += "; " + f.Games + " games per encounter"
	if f.Move != "" {
		return text + "; " + f.Move + " ms per move"
	}
	return text
}

func (f ladderForm) Load() string {
	if f.PerMinute == "" || f.PerMinute == "0" {
		return "no limit; contests always go first"
	}
	return "at most " + f.PerMinute + " games a minute"
}

// gameProblems returns the problems that the caller may use for a ladder or a tournament: those with a [game]
// table.
func (s *site) gameProblems(r *web.Request) (games []game, err error) {
	problems, err := s.UsableProblems(r.Context(), r.Me, nil)
	if err != nil {
		return nil, err
	}
	for _, p := range problems {
		info, err := s.ProblemInfo(p)
		if err != nil {
			return nil, err
		}
		if info != nil && info.Game != nil {
			games = append(games, game{p, info.Game})
		}
	}
	return games, nil
}

// selectedGame returns the game selected in a form, and checks its rule set. It returns nil if there is no such
// game.
func selectedGame(games []game, problem, rules string, e *web.FieldErrors) *game {
	i := slices.IndexFunc(games, func(g game) bool { return g.Slug == problem })
	if i < 0 {
		e.Add("problem", "Choose a game from the list.")
		return nil
	}
	var names []string
	for _, set := range games[i].Rules {
		names = append(names, set.Name)
	}
	if rules != "" && len(names) > 0 && !slices.Contains(names, rules) {
		e.Add("rules", "%s has no rule set %.40q: choose one of %s.", games[i].Title, rules, strings.Join(names, ", "))
	}
	return &games[i]
}

// readMillis parses a duration in ms; a unit is allowed, such as in 20s. If the text is empty or invalid, it
// returns nil.
func readMillis(field, text string, e *web.FieldErrors) *time.Duration {
	if text == "" {
		return nil
	}
	if _, err := strconv.ParseUint(text, 10, 64); err == nil {
		text += "ms"
	}
	d, err := time.ParseDuration(strings.ReplaceAll(text, " ", ""))
	if err != nil || d <= 0 || d > time.Hour {
		e.Add(field, "Enter a time in ms, for example 500, of at most an hour.")
		return nil
	}
	return &d
}

// readOptions parses the options of a game, each in the form NAME=VALUE.
func readOptions(text string, e *web.FieldErrors) []string {
	fields := strings.Fields(text)
	for _, field := range fields {
		if name, _, hasValue := strings.Cut(field, "="); !hasValue || name == "" {
			e.Add("options", "%.40q is no option: enter one NAME=VALUE in each line.", field)
			break
		}
	}
	return fields
}

func (s *site) newLadder(w http.ResponseWriter, r *web.Request) error {
	return s.ladderSettings(w, r, http.StatusOK, &ladderForm{
		New: true, Visibility: string(store.VisibilityPublic), PerAccount: fmt.Sprint(defaultBots), Games: fmt.Sprint(defaultGames),
	})
}

// ladderSettings renders the form.
func (s *site) ladderSettings(w http.ResponseWriter, r *web.Request, code int, f *ladderForm) (err error) {
	title := "New ladder"
	if f.New {
		if f.Problems, err = s.gameProblems(r); err != nil {
			return err
		}
	} else {
		h := requestOf(r)
		title, f.Slug, f.Problem = "Settings", h.Slug, h.Title+" ("+h.Problem+")"
		f.Removal = &web.Removal{Kind: "ladder", Slug: h.Slug, Errors: f.Undeleted}
		if len(h.Bots) > 0 {
			f.Removal.Content = web.CountText(len(h.Bots), "bot", "bots")
		}
		if f.RulesText = "a worker is reading the rules"; len(h.Ladder.Rules) > 0 {
			f.RulesText = describeRules(h.View)
		}
	}
	f.Visibilities = web.OpenVisibilities
	return s.RenderPage(w, r, code, "ladderedit", title, f)
}

// readLadder copies the settings that can also be changed later from the form to l. It records invalid fields in
// the form's Errors.
func (s *site) readLadder(w http.ResponseWriter, r *web.Request, l *store.Ladder) (*ladderForm, error) {
	if err := web.ReadForm(w, r, web.MaxSmallForm); err != nil {
		return nil, err
	}
	f := &ladderForm{
		Name: r.Field(
			"name",
		), Visibility: r.PostFormValue("visibility"), PerAccount: r.Field("per_account"), PerMinute: r.Field("per_minute"),
		Open: r.PostFormValue("open") != "",
	}
	l.Name, l.Visibility, l.Open = f.Name, store.Visibility(f.Visibility), f.Open
	f.Errors.CheckName(f.Name)
	f.Errors.CheckChoice("visibility", f.Visibility, web.OpenVisibilities)
	l.PerAccount = f.Errors.ReadNumber("per_account", f.PerAccount, "bots", defaultBots, 1, maxBots)
	l.PerMinute = f.Errors.ReadNumber("per_minute", f.PerMinute, "games", 0, 0, maxPerMinute)
	return f, nil
}

// createLadder creates a ladder.
func (s *site) createLadder(w http.ResponseWriter, r *web.Request) error {
	l := &store.Ladder{Owner: r.Me.ID}
	f, err := s.readLadder(w, r, l)
	if err != nil {
		return err
	}
	games, err := s.gameProblems(r)
	if err != nil {
		return err
	}
	f.New, f.Problem, f.Rules, f.Games = true, r.PostFormValue("problem"), r.Field("rules"), r.Field("games")
	f.Move, f.Options = r.Field("move"), r.PostFormValue("options")
	if selectedGame(games, f.Problem, f.Rules, &f.Errors) != nil {
		l.Problem = f.Problem
	}
	f.Slug = f.Errors.ReadSlug(r.Field("slug"), f.Name, "spring-ladder")
	gamesPerPair, rounds := int(f.Errors.ReadNumber("games", f.Games, "games", defaultGames, 2, maxGames)), 1
	if gamesPerPair%2 > 0 {
		f.Errors.Add("games", "Enter an even number of games, so that each bot begins as often as the other.")
	}
	choice := arena.RulesChoice{Rules: f.Rules, Games: &gamesPerPair, Rounds: &rounds}
	choice.Move, choice.Options = readMillis("move", f.Move, &f.Errors), readOptions(f.Options, &f.Errors)
	if l.ChosenRules, err = json.Marshal(choice); err != nil {
		return err
	}
	var seed [8]byte
	_, _ = rand.Read(seed[:]) // it never fails
	if l.Slug, l.Seed = f.Slug, binary.LittleEndian.Uint64(seed[:]); len(f.Errors) == 0 {
		err = s.Store.NewLadder(r.Context(), l)
		if errors.Is(err, store.ErrTaken) {
			f.Errors.Add("slug", "Another ladder has this web address.")
			err = nil
		}
	}
	if err != nil {
		return err
	}
	if len(f.Errors) > 0 {
		return s.ladderSettings(w, r, http.StatusBadRequest, f)
	}
	if err := s.Audit(r, "create ladder", f.Slug, string(l.ChosenRules)); err != nil {
		return err
	}
	s.Ladders.Wake()
	return web.Redirect(w, r, "/ladder/"+f.Slug)
}

func (s *site) ladderSettingsForm(w http.ResponseWriter, r *web.Request) error {
	return s.savedLadder(w, r, http.StatusOK, nil)
}

// savedLadder renders the form with the saved settings. The argument undeleted says why the ladder was not
// deleted.
func (s *site) savedLadder(w http.ResponseWriter, r *web.Request, code int, undeleted web.FieldErrors) error {
	h := requestOf(r)
	f := &ladderForm{
		Name: h.Name, Visibility: string(h.Visibility), PerAccount: fmt.Sprint(h.PerAccount), Open: h.Open,
		Undeleted: undeleted,
	}
	if h.PerMinute > 0 {
		f.PerMinute = fmt.Sprint(h.PerMinute)
	}
	return s.ladderSettings(w, r, code, f)
}

// changeLadder changes the settings of a ladder.
func (s *site) changeLadder(w http.ResponseWriter, r *web.Request) error {
	l := *requestOf(r).Ladder
	f, err := s.readLadder(w, r, &l)
	if err != nil {
		return err
	}
	if len(f.Errors) > 0 {
		return s.ladderSettings(w, r, http.StatusBadRequest, f)
	}
	if err := s.Store.ChangeLadder(r.Context(), &l); err != nil {
		return err
	}
	if err := s.Audit(r, "change ladder", l.Slug, fmt.Sprintf("%s, open: %v", l.Visibility, l.Open)); err != nil {
		return err
	}
	s.Ladders.Wake()
	return web.Redirect(w, r, "/ladder/"+l.Slug)
}
