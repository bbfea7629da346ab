package people

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"assay/judge/host/auth"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// editTeamsView is the form that changes several teams at once.
type editTeamsView struct {
	Slug          string
	Back          string // query for the list of teams
	Rows          []teamRow
	Ends, Penalty bool // as in teamsView
	Wrong         string
	Problems      []teamError
}

// BackLink returns the address of the team list.
func (v editTeamsView) BackLink() template.URL { return backLink(v.Slug, v.Back) }

// backLink returns the address of a contest's team list. Back is the query from a form.
func backLink(slug, back string) template.URL {
	fields, _ := url.ParseQuery(back) // if invalid, use the valid part
	return web.ReadList("/c/"+slug+"/teams", fields).Link()
}

// teamError is an error message for a field.
type teamError struct{ ID, Text string }

// teamRow is a team in the form, with its fields as text.
type teamRow struct {
	Number    int64
	Name      string
	Groups    string
	Extra     string // parseMinutes
	Penalty   string // parseMinutes
	Hidden    bool
	OldDigest string // digest of the fields when the form was rendered
	Logins    []string
	Stored    string // values that another user saved meanwhile; may be empty
	Errors    map[string]string
}

// rowOf returns a team as a form row.
func rowOf(t teamLine) teamRow {
	row := teamRow{Number: t.Number, Name: t.Name, Groups: strings.Join(t.Groups, ", "), Extra: t.Minutes(t.ExtraTime),
		Penalty: t.Minutes(t.ExtraPenalty), Hidden: t.Hidden, Logins: t.Logins}
	row.OldDigest = row.digest()
	return row
}

// digest returns a digest of the row's fields.
func (t teamRow) digest() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %t", t.Name, t.Groups, t.Extra, t.Penalty, t.Hidden))
	return hex.EncodeToString(sum[:8])
}

// summary describes the row in one line.
func (t teamRow) summary() string {
	parts := []string{t.Name}
	for _, one := range []struct{ what, text string }{{"groups: ", t.Groups}, {"extra time: ", t.Extra}, {"extra penalty: ", t.Penalty}} {
		if one.text != "" {
			parts = append(parts, one.what+one.text)
		}
	}
	if t.Hidden {
		parts = append(parts, "hidden")
	}
	return strings.Join(parts, "; ")
}

// apply reads the form fields into t and team. It records errors in t.Errors. Unchanged fields keep values that
// the form cannot express.
func (t *teamRow) apply(fields url.Values, team *store.Team) {
	now := *t
	field := func(name, stored string) string {
		key := name + "." + strconv.FormatInt(t.Number, 10)
		if !fields.Has(key) {
			return stored
		}
		return strings.TrimSpace(fields.Get(key))
	}
	t.Name, t.Groups = field("name", t.Name), field("groups", t.Groups)
	t.Extra, t.Penalty = field("extra", t.Extra), field("penalty", t.Penalty)
	t.Hidden = field("hidden", "") != ""
	t.OldDigest = field("was", "")
	t.Errors = map[string]string{}
	var err error
	if problem := auth.CheckName(t.Name); problem != "" {
		t.Errors["name"] = problem
	}
	if team.Groups, err = auth.ParseGroups(t.Groups); err != nil {
		t.Errors["groups"] = err.Error()
	} else {
		t.Groups = strings.Join(team.Groups, ", ")
	}
	if t.Extra != now.Extra {
		if team.ExtraTime, err = parseMinutes("extra time", t.Extra, 0); err != nil {
			t.Errors["extra"] = err.Error()
		} else {
			t.Extra = minutesText(team.ExtraTime)
		}
	}
	if t.Penalty != now.Penalty {
		if team.ExtraPenalty, err = parseMinutes("extra penalty", t.Penalty, -maxMinutes); err != nil {
			t.Errors["penalty"] = err.Error()
		} else {
			t.Penalty = minutesText(team.ExtraPenalty)
		}
	}
	team.Name, team.Hidden = t.Name, t.Hidden
}

// editTeams shows the form for the selected teams. If none is selected, it shows the teams on the current page of
// the list.
func (s *site) editTeams(w http.ResponseWriter, r *web.Request) error {
	lines, err := s.teamLines(r)
	if err != nil {
		return err
	}
	fields := r.URL.Query()
	back := fields
	if text := fields.Get("back"); text != "" {
		if back, err = parseListQuery(text); err != nil {
			return err
		}
	}
	list := web.ReadList(teamsPath(r), back)
	selected := listTeams(&list, lines)
	if fields.Has("t") {
		selected = selectedLines(lines, fields)
	}
	if len(selected) == 0 {
		return s.RedirectToList(w, r, teamsPath(r), "")
	}
	v := editTeamsView{Back: list.Query()}
	for _, line := range selected {
		v.Rows = append(v.Rows, rowOf(line))
	}
	return s.editTeamsPage(w, r, http.StatusOK, v)
}

func (s *site) editTeamsPage(w http.ResponseWriter, r *web.Request, code int, v editTeamsView) error {
	c := access.Of(r).Contest
	v.Slug, v.Ends, v.Penalty = c.Slug, c.Length != 0, c.Format != store.IOI
	title := "Edit " + web.CountText(len(v.Rows), "team", "teams")
	for _, row := range v.Rows {
		for _, field := range []string{"name", "groups", "extra", "penalty"} {
			if message := row.Errors[field]; message != "" {
				v.Problems = append(
					v.Problems,
					teamError{fmt.Sprintf("%s.%d", field, row.Number), fmt.Sprintf("Team %d: %s", row.Number, message)},
				)
			}
		}
	}
	if len(v.Problems) > 0 {
		v.Wrong = "Nothing was saved: " + web.CountText(len(v.Problems), "field needs", "fields need") + " a change"
	}
	return s.RenderPage(w, r, code, "editteams", title, v)
}

// saveTeams saves the rows that the caller has changed, in one transaction. A row that another user has also
// changed is not saved, but shown again.
func (s *site) saveTeams(w http.ResponseWriter, r *web.Request) error {
	if err := web.ReadForm(w, r, web.MaxListForm); err != nil {
		return err
	}
	lines, err := s.teamLines(r)
	if err != nil {
		return err
	}
	selected := selectedLines(lines, r.PostForm)
	if len(r.PostForm["t"]) == 0 {
		return web.BadRequest("The form names no team")
	}
	v := editTeamsView{Back: r.PostFormValue("back")}
	var changes []store.TeamChange
	var conflicts []teamRow
	invalid := false
	for _, line := range selected {
		before, stored := line.Revision(), rowOf(line)
		row := stored
		row.apply(r.PostForm, line.Team)
		touched := row.digest() != row.OldDigest
		if !touched {
			row.Errors = nil
		}
		invalid = invalid || len(row.Errors) > 0
		v.Rows = append(v.Rows, row)
		switch {
		case !touched || row.digest() == stored.OldDigest:
		case stored.OldDigest != row.OldDigest:
			row.Stored, row.OldDigest = stored.summary(), stored.OldDigest // saving again overwrites it
			conflicts = append(conflicts, row)
		default:
			changes = append(changes, store.TeamChange{Team: line.Team, OldRevision: before})
		}
	}
	if invalid {
		return s.editTeamsPage(w, r, http.StatusBadRequest, v)
	}
	if err := s.Store.SetTeams(r.Context(), changes); errors.Is(err, store.ErrChanged) || errors.Is(err, store.ErrNotFound) {
		v.Wrong = "Nothing was saved: someone else has saved a team at the same moment. Save the changes again."
		return s.editTeamsPage(w, r, http.StatusConflict, v)
	} else if err != nil {
		return err
	}
	if err := s.auditTeams(r, changes); err != nil {
		return err
	}
	missing := len(r.PostForm["t"]) - len(selected)
	if len(conflicts) == 0 && missing == 0 {
		return s.RedirectToList(w, r, teamsPath(r), fmt.Sprint("saved-", len(changes)))
	}
	v.Rows, v.Wrong = conflicts, web.CountText(len(changes), "team was", "teams were")+" saved."
	if len(conflicts) > 0 {
		v.Wrong += " Someone else has changed " + web.CountText(len(conflicts), "team", "teams") + " since you opened this form."
	}
	if missing > 0 {
		v.Wrong += " Someone else has removed " + web.CountText(missing, "team", "teams") + "."
	}
	return s.editTeamsPage(w, r, http.StatusConflict, v)
}

// removeTeamsView is the page that asks for confirmation before teams are removed.
type removeTeamsView struct {
	Slug      string
	Back      string // query for the list of teams
	Lines     []removableTeam
	Removable int // number of teams that can be removed
	People    int // in these
	Errors    web.FieldErrors
}

// BackLink returns the address of the team list.
func (v removeTeamsView) BackLink() template.URL { return backLink(v.Slug, v.Back) }

// removableTeam is a selected team, which may be removed.
type removableTeam struct {
	teamLine
	Use store.TeamUse
}

var noneToRemoveText = web.FieldErrors{{Field: "rows", Text: "Select one team or more to remove."}}

func (s *site) confirmRemoveTeams(w http.ResponseWriter, r *web.Request) error {
	return s.removeTeamsPage(w, r, http.StatusOK, r.URL.Query(), nil)
}

func (s *site) removeTeamsPage(w http.ResponseWriter, r *web.Request, code int, fields url.Values, message web.FieldErrors) error {
	all, err := s.teamLines(r)
	if err != nil {
		return err
	}
	use, err := s.Store.TeamUses(r.Context(), access.Of(r).Contest.ID)
	if err != nil {
		return err
	}
	v := removeTeamsView{Slug: access.Of(r).Contest.Slug, Back: fields.Get("back"), Errors: message}
	for _, line := range selectedLines(all, fields) {
		team := removableTeam{line, use[line.ID]}
		if v.Lines = append(v.Lines, team); !team.Use.Any() {
			v.Removable++
			v.People += len(line.Members)
		}
	}
	if len(v.Lines) == 0 && code < 400 {
		return s.teamsPage(w, r, http.StatusBadRequest, teamsView{Errors: noneToRemoveText})
	}
	return s.RenderPage(w, r, code, "removeteams", "Remove "+web.CountText(len(v.Lines), "team", "teams"), v)
}

// removeTeams removes the selected teams that have not submitted anything.
func (s *site) removeTeams(w http.ResponseWriter, r *web.Request) error {
	lines, err := s.teamLines(r)
	if err != nil {
		return err
	}
	selected := selectedLines(lines, r.PostForm)
	if len(r.PostForm["t"]) == 0 {
		return s.teamsPage(w, r, http.StatusBadRequest, teamsView{Errors: noneToRemoveText})
	}
	if len(selected) < len(r.PostForm["t"]) {
		return s.removeTeamsPage(w, r, http.StatusConflict, r.PostForm, web.FieldErrors{{Text: "A team is no longer there."}})
	}
	var ids []string
	var entries []store.AuditEntry
	for _, line := range selected {
		ids = append(ids, line.ID)
		e := s.AuditEntry(r, fmt.Sprintf("team %d, with %s", line.Number, web.CountText(len(line.Members), "person", "people")))
		e.Action, e.Object = "remove team", access.Of(r).Contest.Slug
		entries = append(entries, e)
	}
	switch err := s.Store.RemoveTeams(r.Context(), access.Of(r).Contest.ID, ids); {
	case errors.Is(err, store.ErrInUse):
		return s.removeTeamsPage(
			w, r, http.StatusConflict, r.PostForm,
			web.FieldErrors{{Text: "A team has submissions or clarification requests."}},
		)
	case errors.Is(err, store.ErrNotFound):
		return s.removeTeamsPage(w, r, http.StatusConflict, r.PostForm, web.FieldErrors{{Text: "A team is no longer there."}})
	case err != nil:
		return err
	}
	if err := s.Store.Audit(r.Context(), entries...); err != nil {
		return err
	}
	return s.RedirectToList(w, r, teamsPath(r), fmt.Sprint("removed-", len(ids)))
}
