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
	computedAward = "computed"
	manualAward   = "hand"
	disabledAward = "off"
)

// awardMethods lists the choices for an award that the server can compute.
var awardMethods = []web.Choice{
	{Value: computedAward, Name: "Computed", Help: "From the scoreboard, at any time. Other programs cannot change it."},
	{Value: manualAward, Name: "Chosen teams", Help: "The teams that you or another program name."},
	{Value: disabledAward, Name: "Off", Help: "The contest does not have the award."},
}

// awardLine is an award with its teams.
type awardLine struct {
	ID, Citation string
	Teams        []string // their names
	Method       string   // one of awardMethods
	Computable   bool     // the server can compute it
}

// awardsView is the awards section of the final results.
type awardsView struct {
	Lines                []awardLine
	Gold, Silver, Bronze string
	Organizations        bool // each organization has a winner
	WorldFinals          bool
	Errors               web.FieldErrors
}

// Methods returns the choices for an award that the server can compute.
func (awardLine) Methods() []web.Choice { return awardMethods }

// MethodText describes how the teams of the award are determined.
func (l awardLine) MethodText() string {
	if !l.Computable {
		return "Chosen teams"
	}
	return web.ChoiceName(awardMethods, l.Method)
}

// readAwards returns the awards of a contest as the jury sees them.
func (s *site) readAwards(r *web.Request) (v awardsView, err error) {
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
			if index := slices.IndexFunc(teams, func(t *store.Team) bool { return t.ExtID == id }); index >= 0 {
				name = cmp.Or(teams[index].DisplayName, teams[index].Name)
			}
			all = append(all, name)
		}
		return all
	}
	computed := live.ComputedAwards()
	for _, award := range computed {
		line := awardLine{
			ID: award.ID, Citation: cmp.Or(c.Settings.Citations[award.ID], award.Citation), Method: computedAward,
			Computable: true,
		}
		switch index := c.Settings.AwardIndex(award.ID); {
		case index >= 0:
			custom := c.Settings.Awards[index]
			line.Citation, line.Teams, line.Method = custom.Citation, names(custom.Teams), manualAward
		case slices.Contains(c.Settings.AwardsOff, award.ID):
			line.Method = disabledAward
		default:
			line.Teams = names(award.Teams)
		}
		v.Lines = append(v.Lines, line)
	}
	for _, custom := range c.Settings.Awards {
		if !slices.ContainsFunc(computed, func(a scoring.Award) bool { return a.ID == custom.ID }) {
			v.Lines = append(v.Lines, awardLine{ID: custom.ID, Citation: custom.Citation, Teams: names(custom.Teams), Method: manualAward})
		}
	}
	return v, nil
}

// maxMedals is the maximum number of medals of a kind.
const maxMedals = 1000

// setAwards sets which awards are computed.
func (s *site) setAwards(w http.ResponseWriter, r *web.Request) error {
	c := access.Of(r).Contest
	var fieldErrors web.FieldErrors
	number := func(field, noun string) int {
		return int(fieldErrors.ReadNumber(field, r.Field(field), noun, 4, 0, maxMedals))
	}
	m := store.Medals{
		Gold: number("gold", "gold medals"), Silver: number("silver", "silver medals"),
		Bronze: number("bronze", "bronze medals"),
	}
	if len(fieldErrors) > 0 {
		v, err := s.runChecks(r)
		if err != nil {
			return err
		}
		v.Errors, v.Awards.Errors = fieldErrors, fieldErrors
		v.Awards.Gold, v.Awards.Silver, v.Awards.Bronze = r.Field("gold"), r.Field("silver"), r.Field("bronze")
		return s.RenderPage(w, r, http.StatusBadRequest, "finalize", "Final results", v)
	}
	c.Settings.Medals = &m
	c.Settings.OrganizationWinners, c.Settings.WorldFinals = r.Field("organizations") == "on", r.Field("world_finals") == "on"
	if err := s.Store.SetContest(r.Context(), c, nil); err != nil {
		return err
	}
	detail := fmt.Sprintf("gold %d, silver %d, bronze %d", m.Gold, m.Silver, m.Bronze)
	return s.AuditAndRedirect(w, r, "change awards", c.Slug, detail, "/c/"+c.Slug+"/finalize#awards")
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
	v, err := s.readAddressedAward(r)
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
	return s.RenderPage(w, r, code, "award", title, v)
}

// readAddressedAward returns the award in the address.
func (s *site) readAddressedAward(r *web.Request) (v awardView, err error) {
	c, id := access.Of(r).Contest, r.FormValue("id")
	if v.Slug = c.Slug; id == "" {
		v.New, v.Method = true, manualAward
		return v, nil
	}
	awards, err := s.readAwards(r)
	if err != nil {
		return v, err
	}
	index := slices.IndexFunc(awards.Lines, func(l awardLine) bool { return l.ID == id })
	if index < 0 {
		return v, web.ErrNotFound
	}
	v.awardLine = awards.Lines[index]
	if customIndex := c.Settings.AwardIndex(id); customIndex >= 0 {
		v.Chosen = strings.Join(c.Settings.Awards[customIndex].Teams, " ")
	}
	return v, nil
}

// awardIDs matches valid award ids.
var awardIDs = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,34}[A-Za-z0-9_-])?$`)

// maxCitation is the maximum length of a citation in letters. maxAwards is the maximum number of created awards.
const (
	maxCitation = 2000
	maxAwards   = 200
)

// setAward changes, creates or deletes an award.
func (s *site) setAward(w http.ResponseWriter, r *web.Request) error {
	c := access.Of(r).Contest
	v, err := s.readAddressedAward(r)
	if err != nil {
		return err
	}
	settings := &c.Settings
	if r.PostFormValue("do") == "delete" && !v.Computable && !v.New {
		settings.Awards = slices.Delete(slices.Clone(settings.Awards), settings.AwardIndex(v.ID), settings.AwardIndex(v.ID)+1)
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
	if index := settings.AwardIndex(v.ID); index >= 0 && v.Method != manualAward {
		settings.Awards = slices.Delete(settings.Awards, index, index+1)
	}
	switch index := settings.AwardIndex(v.ID); {
	case v.Method == disabledAward:
		settings.AwardsOff = append(settings.AwardsOff, v.ID)
	case v.Method == computedAward:
		citations := map[string]string{v.ID: v.Citation}
		for id, text := range settings.Citations {
			if id != v.ID {
				citations[id] = text
			}
		}
		settings.Citations = citations
	case index >= 0:
		settings.Awards[index] = store.CustomAward{ID: v.ID, Citation: v.Citation, Teams: teams}
	default:
		settings.Awards = append(settings.Awards, store.CustomAward{ID: v.ID, Citation: v.Citation, Teams: teams})
	}
	return s.saveAward(w, r, "change an award", v.ID)
}

// readAward reads the award form into v, and returns the ids of the chosen teams.
func (s *site) readAward(r *web.Request, v *awardView) (chosen []string, err error) {
	c := access.Of(r).Contest
	v.Citation, v.Chosen = r.Field("citation"), r.Field("teams")
	if v.New {
		if v.ID = r.Field("new"); !awardIDs.MatchString(v.ID) {
			v.Errors.Add("new", "Use 1 to 36 letters, digits, hyphens, dots and underscores, for example best-name.")
		}
		awards, err := s.readAwards(r)
		if err != nil {
			return nil, err
		}
		switch {
		case slices.ContainsFunc(awards.Lines, func(l awardLine) bool { return l.ID == v.ID }):
			v.Errors.Add("new", "The contest has an award with this id: choose another id, or change that award.")
		case len(c.Settings.Awards) >= maxAwards:
			v.Errors.Add("new", "The contest has %d awards, and that is the most.", maxAwards)
		}
	}
	if v.Citation == "" || utf8.RuneCountInString(v.Citation) > maxCitation {
		v.Errors.Add("citation", "Enter a citation of at most %d letters.", maxCitation)
	}
	if v.Computable {
		v.Method = r.Field("how")
		v.Errors.CheckChoice("how", v.Method, awardMethods)
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
	return s.AuditAndRedirect(w, r, action, c.Slug, id, "/c/"+c.Slug+"/finalize#awards")
}
