package staff

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"assay/judge/host/scoring"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// Ways to determine the teams of an award.
const (
	byScoreboard = "computed"
	byHand       = "hand"
	byNothing    = "off"
)

// awardWays lists the choices for an award that the server can compute.
var awardWays = []web.Choice{
	{Value: byScoreboard, Name: "Computed", Help: "From the scoreboard, at any time. Other programs cannot change it."},
	{Value: byHand, Name: "Chosen teams", Help: "The teams that you or another program name."},
	{Value: byNothing, Name: "Off", Help: "The contest does not have the award."},
}

// awardLine is an award with its teams.
type awardLine struct {
	ID, Citation string
	Teams        []string // their names
	How          string   // one of awardWays
	Known        bool     // the server can compute it
}

// awardsView is the awards section of the final results.
type awardsView struct {
	Lines                []awardLine
	Gold, Silver, Bronze string
	Organizations        bool // each organization has a winner
	WorldFinals          bool
	Errors               web.FieldErrors
}

// Ways returns the choices for an award that the server can compute.
func (awardLine) Ways() []web.Choice { return awardWays }

// Way describes how the teams of the award are determined.
func (l awardLine) Way() string {
	if !l.Known {
		return "Chosen teams"
	}
	return web.ChoiceName(awardWays, l.How)
}

// awardsOf returns the awards of a contest as the jury sees them.
func (s *site) awardsOf(r *web.Request) (v awardsView, err error) {
	c := access.Of(r).Contest
	gold, silver, bronze := c.Settings.MedalCounts()
	v = awardsView{
		Gold: fmt.Sprint(gold), Silver: fmt.Sprint(silver), Bronze: fmt.Sprint(bronze), Organizations: c.Settings.OrganizationWinners,
		WorldFinals: c.Settings.WorldFinals,
	}
	live, err := s.feeds.Contest(r.Context(), c.ID)
	if err != nil {
		return v, err
	}
	teams, err := s.Store.Teams(r.Context(), c.ID)
	if err != nil {
		return v, err
	}
	names := func(ids []string) (all []string) {
		for _, id := range ids {
			name := id
			if at := slices.IndexFunc(teams, func(t *store.Team) bool { return t.ExtID == id }); at >= 0 {
				name = cmp.Or(teams[at].DisplayName, teams[at].Name)
			}
			all = append(all, name)
		}
		return all
	}
	computed := live.ComputedAwards()
	for _, one := range computed {
		line := awardLine{ID: one.ID, Citation: cmp.Or(c.Settings.Citations[one.ID], one.Citation), How: byScoreboard, Known: true}
		switch at := c.Settings.OwnAward(one.ID); {
		case at >= 0:
			own := c.Settings.Awards[at]
			line.Citation, line.Teams, line.How = own.Citation, names(own.Teams), byHand
		case slices.Contains(c.Settings.AwardsOff, one.ID):
			line.How = byNothing
		default:
			line.Teams = names(one.Teams)
		}
		v.Lines = append(v.Lines, line)
	}
	for _, own := range c.Settings.Awards {
		if !slices.ContainsFunc(computed, func(a scoring.Award) bool { return a.ID == own.ID }) {
			v.Lines = append(v.Lines, awardLine{ID: own.ID, Citation: own.Citation, Teams: names(own.Teams), How: byHand})
		}
	}
	return v, nil
}

// mostMedals is the maximum number of medals of a kind.
const mostMedals = 1000

// setAwards sets which awards are computed.
func (s *site) setAwards(w http.ResponseWriter, r *web.Request) error {
	c := access.Of(r).Contest
	var wrong web.FieldErrors
	number := func(field, what string) int { return int(wrong.Number(field, r.Field(field), what, 4, 0, mostMedals)) }
	m := store.Medals{Gold: number("gold", "gold medals"), Silver: number("silver", "silver medals"), Bronze: number("bronze", "bronze medals")}
	if len(wrong) > 0 {
		v, err := s.checks(r)
		if err != nil {
			return err
		}
		v.Errors, v.Awards.Errors = wrong, wrong
		v.Awards.Gold, v.Awards.Silver, v.Awards.Bronze = r.Field("gold"), r.Field("silver"), r.Field("bronze")
		return s.Page(w, r, http.StatusBadRequest, "finalize", "Final results", v)
	}
	c.Settings.Medals = &m
	c.Settings.OrganizationWinners, c.Settings.WorldFinals = r.Field("organizations") == "on", r.Field("world_finals") == "on"
	if err := s.Store.SetContest(r.Context(), c, nil); err != nil {
		return err
	}
	detail := fmt.Sprintf("gold %d, silver %d, bronze %d", m.Gold, m.Silver, m.Bronze)
	return s.Done(w, r, "change awards", c.Slug, detail, "/c/"+c.Slug+"/finalize#awards")
}

// awardView is the form for an award.
type awardView struct {
	awardLine
	Slug   string
	New    bool
	Chosen string // ids of the chosen teams, as entered
	Teams  []*store.Team
	Errors web.FieldErrors
}

// award renders the form for an award. Without an id in the address, it is the form for a new award.
func (s *site) award(w http.ResponseWriter, r *web.Request) error {
	v, err := s.awardOf(r)
	if err != nil {
		return err
	}
	return s.awardPage(w, r, http.StatusOK, v)
}

func (s *site) awardPage(w http.ResponseWriter, r *web.Request, code int, v awardView) (err error) {
	if v.Teams, err = s.Store.Teams(r.Context(), access.Of(r).Contest.ID); err != nil {
		return err
	}
	title := "Award " + v.ID
	if v.New {
		title = "New award"
	}
	return s.Page(w, r, code, "award", title, v)
}

// awardOf returns the award in the address.
func (s *site) awardOf(r *web.Request) (v awardView, err error) {
	c, id := access.Of(r).Contest, r.FormValue("id")
	if v.Slug = c.Slug; id == "" {
		v.New, v.How = true, byHand
		return v, nil
	}
	all, err := s.awardsOf(r)
	if err != nil {
		return v, err
	}
	at := slices.IndexFunc(all.Lines, func(l awardLine) bool { return l.ID == id })
	if at < 0 {
		return v, web.ErrNotFound
	}
	v.awardLine = all.Lines[at]
	if own := c.Settings.OwnAward(id); own >= 0 {
		v.Chosen = strings.Join(c.Settings.Awards[own].Teams, " ")
	}
	return v, nil
}

// goodAward matches valid award ids.
var goodAward = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,34}[A-Za-z0-9_-])?$`)

// mostCitation is the maximum length of a citation in letters. mostAwards is the maximum number of created awards.
const (
	mostCitation = 2000
	mostAwards   = 200
)

// setAward changes, creates or deletes an award.
func (s *site) setAward(w http.ResponseWriter, r *web.Request) error {
	c := access.Of(r).Contest
	v, err := s.awardOf(r)
	if err != nil {
		return err
	}
	settings := &c.Settings
	if r.PostFormValue("do") == "delete" && !v.Known && !v.New {
		settings.Awards = slices.Delete(slices.Clone(settings.Awards), settings.OwnAward(v.ID), settings.OwnAward(v.ID)+1)
		return s.saveAward(w, r, "delete an award", v.ID)
	}
	teams, err := s.readAward(r, &v)
	if err != nil {
		return err
	}
	if len(v.Errors) > 0 {
		return s.awardPage(w, r, http.StatusBadRequest, v)
	}
	settings.Awards, settings.AwardsOff = slices.Clone(settings.Awards), slices.Clone(settings.AwardsOff)
	settings.AwardsOff = slices.DeleteFunc(settings.AwardsOff, func(id string) bool { return id == v.ID })
	if at := settings.OwnAward(v.ID); at >= 0 && v.How != byHand {
		settings.Awards = slices.Delete(settings.Awards, at, at+1)
	}
	switch at := settings.OwnAward(v.ID); {
	case v.How == byNothing:
		settings.AwardsOff = append(settings.AwardsOff, v.ID)
	case v.How == byScoreboard:
		citations := map[string]string{v.ID: v.Citation}
		for id, text := range settings.Citations {
			if id != v.ID {
				citations[id] = text
			}
		}
		settings.Citations = citations
	case at >= 0:
		settings.Awards[at] = store.OwnAward{ID: v.ID, Citation: v.Citation, Teams: teams}
	default:
		settings.Awards = append(settings.Awards, store.OwnAward{ID: v.ID, Citation: v.Citation, Teams: teams})
	}
	return s.saveAward(w, r, "change an award", v.ID)
}

// readAward reads the award form into v, and returns the ids of the chosen teams.
func (s *site) readAward(r *web.Request, v *awardView) (chosen []string, err error) {
	c := access.Of(r).Contest
	v.Citation, v.Chosen = r.Field("citation"), r.Field("teams")
	if v.New {
		if v.ID = r.Field("new"); !goodAward.MatchString(v.ID) {
			v.Errors.Add("new", "Use 1 to 36 letters, digits, hyphens, dots and underscores, for example best-name.")
		}
		all, err := s.awardsOf(r)
		if err != nil {
			return nil, err
		}
		switch {
		case slices.ContainsFunc(all.Lines, func(l awardLine) bool { return l.ID == v.ID }):
			v.Errors.Add("new", "The contest has an award with this id: choose another id, or change that award.")
		case len(c.Settings.Awards) >= mostAwards:
			v.Errors.Add("new", "The contest has %d awards, and that is the most.", mostAwards)
		}
	}
	if v.Citation == "" || utf8.RuneCountInString(v.Citation) > mostCitation {
		v.Errors.Add("citation", "Enter a citation of at most %d letters.", mostCitation)
	}
	if v.Known {
		v.How = r.Field("how")
		v.Errors.Choice("how", v.How, awardWays)
	}
	teams, err := s.Store.Teams(r.Context(), c.ID)
	chosen = strings.FieldsFunc(v.Chosen, func(c rune) bool { return c == ',' || c == ' ' || c == '\n' || c == '\r' })
	for i, id := range chosen {
		switch {
		case !slices.ContainsFunc(teams, func(t *store.Team) bool { return t.ExtID == id }):
			v.Errors.Add("teams", "The contest has no team with the id %.40q.", id)
		case slices.Contains(chosen[:i], id):
			v.Errors.Add("teams", "The team %.40q is named twice.", id)
		}
	}
	return append([]string{}, chosen...), err
}

// saveAward stores a contest after a change to its awards.
func (s *site) saveAward(w http.ResponseWriter, r *web.Request, action, id string) error {
	c := access.Of(r).Contest
	if err := s.Store.SetContest(r.Context(), c, nil); err != nil {
		return err
	}
	return s.Done(w, r, action, c.Slug, id, "/c/"+c.Slug+"/finalize#awards")
}
