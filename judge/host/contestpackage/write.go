package contestpackage

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/clics"
	"assay/judge/host/store"
)

// The objects in the files that Write returns. A null means that a property has no value.
type (
	contestFile struct {
		ID         string          `json:"id"`
		Name       string          `json:"name"`
		FormalName *string         `json:"formal_name"`
		Start      *string         `json:"start_time"`
		Duration   *string         `json:"duration,omitempty"`
		Freeze     json.RawMessage `json:"scoreboard_freeze_duration,omitempty"`
		Type       string          `json:"scoreboard_type"`
		Penalty    *string         `json:"penalty_time,omitempty"`
		MainGroup  *string         `json:"main_scoreboard_group_id"`
	}
	problemEntry struct {
		ID      string `json:"id"`
		Slug    string `json:"slug,omitempty"`
		Ordinal int    `json:"ordinal"`
		Label   string `json:"label"`
		Name    string `json:"name,omitempty"`
		RGB     string `json:"rgb,omitempty"`
		Color   string `json:"color,omitempty"`
	}
	groupEntry struct {
		ID       string          `json:"id"`
		ICPCID   *string         `json:"icpc_id"`
		Name     string          `json:"name"`
		Type     *string         `json:"type"`
		Location json.RawMessage `json:"location"`
	}
	organizationEntry struct {
		ID         string          `json:"id"`
		ICPCID     *string         `json:"icpc_id"`
		Name       string          `json:"name"`
		FormalName *string         `json:"formal_name"`
		Country    *string         `json:"country"`
		Region     *string         `json:"country_subdivision"`
		URL        *string         `json:"url"`
		Location   json.RawMessage `json:"location"`
	}
	teamEntry struct {
		ID           string          `json:"id"`
		ICPCID       *string         `json:"icpc_id"`
		Name         string          `json:"name"`
		Label        *string         `json:"label"`
		DisplayName  *string         `json:"display_name"`
		Organization *string         `json:"organization_id"`
		Hidden       bool            `json:"hidden"`
		Groups       []string        `json:"group_ids"`
		Location     json.RawMessage `json:"location"`
	}
	personEntry struct {
		ID     string   `json:"id"`
		ICPCID *string  `json:"icpc_id"`
		Name   string   `json:"name"`
		Title  *string  `json:"title"`
		Email  *string  `json:"email"`
		Sex    *string  `json:"sex"`
		Role   string   `json:"role"`
		Teams  []string `json:"team_ids"`
	}
	accountEntry struct {
		ID       string  `json:"id"`
		Username string  `json:"username"`
		Name     string  `json:"name,omitempty"`
		Type     string  `json:"type"`
		Team     *string `json:"team_id"`
		Person   *string `json:"person_id"`
		IP       *string `json:"ip"`
	}
)

// optional returns nil for an empty text.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// locationJSON returns the location as JSON, or null if text is empty.
func locationJSON(text string) json.RawMessage { return json.RawMessage(cmp.Or(text, "null")) }

// nonNil returns a non-nil copy of all.
func nonNil(texts []string) []string { return append([]string{}, texts...) }

// Write returns the files of a package for a contest. Importing them on the same server changes nothing. On
// another server with the same problems, it creates the same contest. Passwords are never written.
func Write(current *CurrentState) (map[string][]byte, error) {
	all := map[string][]byte{}
	organizations, groups, teams, persons, accounts := []any{}, []any{}, []any{}, []any{}, []any{}
	for _, o := range current.Organizations {
		organizations = append(organizations, organizationEntry{o.ID, optional(o.ICPCID), o.Name, optional(o.FormalName),
			optional(o.Country), optional(o.Region), optional(o.URL), locationJSON(o.Location)})
	}
	for _, g := range current.Groups {
		groups = append(groups, groupEntry{g.ID, optional(g.ICPCID), g.Name, optional(g.Type), locationJSON(g.Location)})
	}
	for _, t := range current.Teams {
		teams = append(teams, teamEntry{t.ExtID, optional(t.ICPCID), t.Name, optional(t.Label), optional(t.DisplayName),
			optional(t.Organization), t.Hidden, nonNil(t.GroupIDs), locationJSON(t.Location)})
	}
	for _, p := range current.Persons {
		persons = append(persons, personEntry{p.ID, optional(p.ICPCID), p.Name, optional(p.Title), optional(p.Email),
			optional(p.Sex), p.Role, nonNil(p.Teams)})
	}
	for _, a := range current.ListedAccounts {
		one := accountEntry{a.ID, a.Account.Login, importableName(a.Account.Display), a.Type, optional(a.Team), optional(a.Person), nil}
		if len(a.Addresses) > 0 {
			one.IP = &a.Addresses[0]
		}
		accounts = append(accounts, one)
	}
	for name, what := range map[string]any{
		"contest.json": contestOf(current.Contest), "problems.json": problemsOf(current.Problems), "organizations.json": organizations,
		"groups.json": groups, "teams.json": teams, "persons.json": persons, "accounts.json": accounts,
	} {
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(what); err != nil {
			return nil, fmt.Errorf("write %s: %w", name, err)
		}
		all[name] = out.Bytes()
	}
	return all, nil
}

// importableName returns name, or an empty string if an import would reject it.
func importableName(name string) string {
	if auth.CheckName(name) != "" {
		return ""
	}
	return name
}

// contestOf returns the content of the contest file. It omits settings that a package cannot express.
func contestOf(c *store.Contest) contestFile {
	f := contestFile{ID: c.Slug, Name: c.Name, FormalName: optional(c.FormalName), Type: "pass-fail", MainGroup: optional(c.MainGroup)}
	if !c.Starts.IsZero() {
		f.Start = optional(clics.FormatTime(c.Starts))
	}
	if c.Length > 0 {
		f.Duration = optional(clics.FormatRelTime(c.Length))
	}
	switch freeze := cmp.Or(c.Settings.Planned, c.Freeze); {
	case freeze == 0:
		f.Freeze = json.RawMessage("null")
	case freeze < c.Length:
		f.Freeze = fmt.Appendf(nil, "%q", clics.FormatRelTime(c.Length-freeze))
	}
	if c.Format != store.ICPC {
		f.Type = "score"
		return f
	}
	f.Penalty = optional(clics.FormatRelTime(time.Duration(cmp.Or(c.Settings.Penalty, defaultPenalty)) * time.Minute))
	return f
}

// hexColor matches a color that a package can store as rgb.
var hexColor = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

func problemsOf(problems []*store.ContestProblem) []any {
	entries := []any{}
	for i, p := range problems {
		one := problemEntry{
			ID: p.ExtID, Ordinal: i, Label: p.Label, Name: importableName(p.Title),
			Color: importableName(cmp.Or(p.ColorName, p.Color)),
		}
		if hexColor.MatchString(p.Color) {
			one.RGB, one.Color = p.Color, importableName(p.ColorName)
		}
		if p.Slug != p.ExtID {
			one.Slug = p.Slug
		}
		entries = append(entries, one)
	}
	return entries
}
