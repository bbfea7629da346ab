package people

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/scoreboard"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// teamsView is the page of the teams of a contest.
type teamsView struct {
	Slug      string
	List      web.List
	Lines     []teamLine // of the page
	Teams     int        // number of teams in the contest
	People    int
	Online    int // number of logged-in members
	Groups    []filter
	Filters   []filter
	Resets    bool // the reader may create new passwords
	Ends      bool // the contest has an end, which extra time can move
	Schools   bool // at least one team has an affiliation
	Penalty   bool // the contest format uses penalty time
	Errors    web.FieldErrors
	Do, Value string // a change that was rejected
	Message   string
}

// A filter selects rows of a list.
type filter struct {
	Value, Name string
	Count       int
}

type teamLine struct {
	*store.Team
	Logins, People []string
	Members        []*store.Account
	School         string    // name of the affiliation; may be empty
	Seen           time.Time // when a member was last seen; zero if no member is logged in
	Online         int       // number of logged-in members
	Selected       bool      // the check box is selected
	// Addresses lists the IP addresses from which members logged in, starting one day before the contest. It is
	// empty unless there are several.
	Addresses []string
}

// Minutes formats a duration for the form. The result may be empty.
func (teamLine) Minutes(d time.Duration) string { return minutesText(d) }

func minutesText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return strconv.FormatInt(int64(d/time.Minute), 10)
}

func (s *site) teamLines(r *web.Request) (all []teamLine, err error) {
	teams, err := s.Store.Teams(r.Context(), access.Of(r).Contest.ID)
	if err != nil {
		return nil, err
	}
	members, err := s.Store.Members(r.Context(), access.Of(r).Contest.ID)
	if err != nil {
		return nil, err
	}
	schools, err := s.Store.Organizations(r.Context(), access.Of(r).Contest.ID)
	if err != nil {
		return nil, err
	}
	lastSeen, err := s.Store.LastSeen(r.Context())
	if err != nil {
		return nil, err
	}
	c := access.Of(r).Contest
	used := map[string][]string{}
	if !c.Starts.IsZero() {
		if used, err = s.Store.LoginAddresses(r.Context(), c.ID, c.Starts.Add(-24*time.Hour)); err != nil {
			return nil, err
		}
	}
	for _, t := range teams {
		line := teamLine{Team: t, Members: members[t.ID], Addresses: distinctAddresses(used[t.ID])}
		for _, o := range schools {
			if o.ID == t.Organization {
				line.School = o.Name
			}
		}
		for _, a := range line.Members {
			line.Logins, line.People = append(line.Logins, a.Login), append(line.People, a.Display)
			if seenAt := lastSeen[a.ID]; !seenAt.IsZero() {
				line.Online++
				if seenAt.After(line.Seen) {
					line.Seen = seenAt
				}
			}
		}
		all = append(all, line)
	}
	return all, nil
}

// distinctAddresses returns the distinct IP addresses in remotes. It returns nil if there are fewer than two.
func distinctAddresses(remotes []string) (addresses []string) {
	for _, remote := range remotes {
		if host, _, err := net.SplitHostPort(remote); err == nil && !slices.Contains(addresses, host) {
			addresses = append(addresses, host)
		}
	}
	if len(addresses) < 2 {
		return nil
	}
	slices.Sort(addresses)
	return addresses
}

// selectedLines returns the lines whose numbers are in the form fields "t".
func selectedLines(lines []teamLine, fields url.Values) (selected []teamLine) {
	for _, line := range lines {
		if slices.Contains(fields["t"], strconv.FormatInt(line.Number, 10)) {
			selected = append(selected, line)
		}
	}
	return selected
}

// Filter values for teams. The value for a group is groupFilterPrefix and its name.
const (
	hiddenFilter      = "hidden"
	extraTimeFilter   = "extra"
	absentFilter      = "absent"
	movedFilter       = "addresses"
	groupFilterPrefix = "group:"
)

// matchesFilter reports whether a team matches the filter.
func (l teamLine) matchesFilter(filter string) bool {
	group, isGroup := strings.CutPrefix(filter, groupFilterPrefix)
	switch {
	case isGroup:
		return slices.Contains(l.Team.Groups, group)
	case filter == hiddenFilter:
		return l.Hidden
	case filter == extraTimeFilter:
		return l.ExtraTime != 0 || l.ExtraPenalty != 0
	case filter == absentFilter:
		return l.Online == 0
	case filter == movedFilter:
		return len(l.Addresses) > 1
	}
	return true
}

// teamsPath returns the address of the teams of the contest.
func teamsPath(r *web.Request) string { return "/c/" + access.Of(r).Contest.Slug + "/teams" }

// listTeams returns the teams on the current page of a list.
func listTeams(l *web.List, lines []teamLine) []teamLine {
	text := func(t teamLine) string {
		return strings.Join(
			slices.Concat([]string{strconv.FormatInt(t.Number, 10), t.Name, t.School}, t.Logins, t.People, t.Team.Groups),
			"\n",
		)
	}
	textColumn := func(name string, textOf func(t teamLine) string) web.Column[teamLine] {
		return web.Column[teamLine]{Name: name, Compare: func(a, b teamLine) int { return web.ByText(textOf(a), textOf(b)) }}
	}
	return web.Rows(l, lines, func(t teamLine) bool { return t.matchesFilter(l.Filter) }, text,
		web.Column[teamLine]{Name: "number", Compare: func(a, b teamLine) int { return cmp.Compare(a.Number, b.Number) }},
		textColumn("name", func(t teamLine) string { return t.Name }),
		textColumn("school", func(t teamLine) string { return t.School }),
		textColumn("group", func(t teamLine) string { return strings.Join(t.Team.Groups, ", ") }),
		web.Column[teamLine]{Name: "extra", Compare: func(a, b teamLine) int { return cmp.Compare(a.ExtraTime, b.ExtraTime) }},
		web.Column[teamLine]{Name: "seen", Compare: func(a, b teamLine) int { return b.Seen.Compare(a.Seen) }},
		web.Column[teamLine]{Name: "penalty", Compare: func(a, b teamLine) int { return cmp.Compare(a.ExtraPenalty, b.ExtraPenalty) }},
	)
}

// teamsMessage returns the message for a completed form.
func teamsMessage(text string) string {
	change, count, _ := strings.Cut(text, "-")
	n, err := strconv.Atoi(count)
	if err != nil {
		return ""
	}
	switch change {
	case "saved":
		return web.CountText(n, "team", "teams") + " saved."
	case "removed":
		return web.CountText(n, "team", "teams") + " removed."
	}
	return ""
}

func (s *site) teams(w http.ResponseWriter, r *web.Request) error {
	return s.teamsPage(w, r, http.StatusOK, teamsView{Message: teamsMessage(r.FormValue("done"))})
}

func (s *site) teamsPage(w http.ResponseWriter, r *web.Request, code int, v teamsView) error {
	lines, err := s.teamLines(r)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	if back := r.PostForm.Get("back"); back != "" { // after an error in the form
		if query, err = parseListQuery(back); err != nil {
			return err
		}
	}
	v.List = web.ReadList(teamsPath(r), query)
	v.Lines = listTeams(&v.List, lines)
	for i, line := range v.Lines {
		v.Lines[i].Selected = v.List.Selected || slices.Contains(r.PostForm["t"], strconv.FormatInt(line.Number, 10))
	}
	v.Teams = len(lines)
	counts := map[string]int{}
	for _, t := range lines {
		v.People, v.Online, v.Schools = v.People+len(t.Members), v.Online+t.Online, v.Schools || t.School != ""
		for _, g := range t.Team.Groups {
			counts[g]++
		}
	}
	for name, n := range counts {
		v.Groups = append(v.Groups, filter{groupFilterPrefix + name, name, n})
	}
	slices.SortFunc(v.Groups, func(a, b filter) int { return web.ByText(a.Name, b.Name) })
	for _, f := range []filter{{"", "All", 0}, {absentFilter, "Not logged in", 0}, {hiddenFilter, "Hidden", 0},
		{extraTimeFilter, "Extra time or penalty", 0}, {movedFilter, "Several addresses", 0}} {
		for _, t := range lines {
			if t.matchesFilter(f.Value) {
				f.Count++
			}
		}
		if f.Count > 0 || f.Value == v.List.Filter {
			v.Filters = append(v.Filters, f)
		}
	}
	c := access.Of(r).Contest
	v.Slug, v.Resets, v.Ends, v.Penalty = c.Slug, r.Can(auth.ManageAccounts), c.Length != 0, c.Format != store.IOI
	return s.RenderPage(w, r, code, "teams", "Teams", v)
}

// GroupName returns the name of the group in the filter. It is empty if the filter is not for a group.
func (v teamsView) GroupName() string {
	name, is := strings.CutPrefix(v.List.Filter, groupFilterPrefix)
	if !is {
		return ""
	}
	return name
}

// maxMinutes is the maximum of extra time and extra penalty, in minutes.
const maxMinutes = 100_000

// parseMinutes parses a number of minutes from a form. An empty text means zero.
func parseMinutes(noun, text string, minimum int) (time.Duration, error) {
	n, err := strconv.Atoi(cmp.Or(strings.TrimSpace(text), "0"))
	if err != nil || n < minimum || n > maxMinutes {
		return 0, fmt.Errorf("the %s %.20q is not valid: enter whole minutes from %d to %d, or leave the field empty for none",
			noun, text, minimum, maxMinutes)
	}
	return time.Duration(n) * time.Minute, nil
}

// changeTeams applies the same change to all selected teams. It keeps all other values, including those that other
// users have saved meanwhile.
func (s *site) changeTeams(w http.ResponseWriter, r *web.Request) error {
	do, value := r.PostFormValue("do"), r.Field("value")
	refuse := func(field, text string) error {
		v := teamsView{Errors: web.FieldErrors{{Field: field, Text: text}}, Do: do, Value: value}
		return s.teamsPage(w, r, http.StatusBadRequest, v)
	}
	lines, err := s.teamLines(r)
	if err != nil {
		return err
	}
	selected := selectedLines(lines, r.PostForm)
	if len(selected) == 0 {
		return refuse("rows", "Select one team or more.")
	}
	change, err := parseTeamChange(do, value)
	if err != nil {
		field := "value"
		if change == nil {
			field = "do"
		}
		return refuse(field, sentence(err.Error()))
	}
	var changes []store.TeamChange
	for _, line := range selected {
		revision, before := line.Revision(), *line.Team
		if err := change(line.Team); err != nil {
			return refuse("value", fmt.Sprintf("Team %d: %s.", before.Number, err))
		}
		if line.Revision() != revision {
			changes = append(changes, store.TeamChange{Team: line.Team, OldRevision: revision})
		}
	}
	if err := s.Store.SetTeams(r.Context(), changes); err != nil {
		return err
	}
	if err := s.auditTeams(r, changes); err != nil {
		return err
	}
	return s.RedirectToList(w, r, teamsPath(r), fmt.Sprint("saved-", len(changes)))
}

// sentence formats an error text as a sentence.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] + "." }

// parseTeamChange returns a function that applies a change to a team.
func parseTeamChange(do, value string) (func(*store.Team) error, error) {
	switch do {
	case "extra":
		extra, err := parseMinutes("extra time", value, 0)
		return func(t *store.Team) error { t.ExtraTime = extra; return nil }, err
	case "penalty":
		extra, err := parseMinutes("extra penalty", value, -maxMinutes)
		return func(t *store.Team) error { t.ExtraPenalty = extra; return nil }, err
	case "join", "leave":
		groups, err := auth.ParseGroups(value)
		if err == nil && len(groups) == 0 {
			err = errors.New("enter the name of a group")
		}
		return func(t *store.Team) (err error) {
			t.Groups = slices.DeleteFunc(slices.Clone(t.Groups), func(g string) bool { return do == "leave" && slices.Contains(groups, g) })
			if do == "join" {
				t.Groups, err = auth.ParseGroups(strings.Join(slices.Concat(t.Groups, groups), ","))
			}
			return err
		}, err
	case "hide", "show":
		return func(t *store.Team) error { t.Hidden = do == "hide"; return nil }, nil
	}
	return nil, errors.New("choose what to do with the selected teams")
}

// auditTeams records team changes in the audit log.
func (s *site) auditTeams(r *web.Request, changes []store.TeamChange) error {
	var entries []store.AuditEntry
	for _, t := range changes {
		detail := fmt.Sprintf("team %d: extra time %s, penalty %s", t.Number, t.ExtraTime, t.ExtraPenalty)
		if t.Hidden {
			detail += ", hidden"
		}
		if len(t.Groups) > 0 {
			detail += ", in " + strings.Join(t.Groups, ", ")
		}
		e := s.AuditEntry(r, detail)
		e.Action, e.Object = "change team", access.Of(r).Contest.Slug
		entries = append(entries, e)
	}
	return s.Store.Audit(r.Context(), entries...)
}

// teamsTable sends the teams as CSV, with a row for each person. Another contest can import the table unchanged.
func (s *site) teamsTable(w http.ResponseWriter, r *web.Request) error {
	lines, err := s.teamLines(r)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	table := csv.NewWriter(&b) // writing to memory does not fail
	table.Write([]string{"number", "team", "login", "name", "group", "extra_minutes", "penalty_minutes", "hidden"})
	for _, line := range lines {
		teamCells := []string{strconv.FormatInt(line.Number, 10), scoreboard.EscapeFormula(line.Name)}
		more := []string{
			scoreboard.EscapeFormula(strings.Join(line.Groups, ", ")), line.Minutes(line.ExtraTime), line.Minutes(line.ExtraPenalty),
			strconv.FormatBool(line.Hidden),
		}
		for _, a := range line.Members {
			table.Write(slices.Concat(teamCells, []string{a.Login, scoreboard.EscapeFormula(a.Display)}, more))
		}
	}
	table.Flush()
	scoreboard.SendTable(w, access.Of(r).Contest.Slug+"-teams.csv", b.Bytes())
	return nil
}

// parseListQuery parses the query of a list from a form.
func parseListQuery(text string) (url.Values, error) {
	fields, err := url.ParseQuery(text)
	if err != nil {
		return nil, web.BadRequest("The form has an invalid address")
	}
	return fields, nil
}
