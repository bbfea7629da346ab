package feed

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"assay/judge/host/clics"
	"assay/judge/host/client"
	"assay/judge/host/intake"
	"assay/judge/host/media"
	"assay/judge/host/scoreboard"
	"assay/judge/host/store"
)

// setupTypes lists the types whose objects exist before the first submission.
var setupTypes = []clics.Type{
	clics.Contest, clics.JudgementTypes, clics.Languages, clics.Groups, clics.Organizations, clics.Persons, clics.Teams,
	clics.Accounts, clics.Problems,
}

// readSetup reads a contest except its submissions.
func (c *Contest) readSetup(ctx context.Context, row *store.Contest) (setup, []*unit, error) {
	problems, err1 := c.Store.ContestProblems(ctx, c.id)
	teams, err2 := c.Store.Teams(ctx, c.id)
	groups, err3 := c.Store.Groups(ctx, c.id)
	organizations, err4 := c.Store.Organizations(ctx, c.id)
	persons, err5 := c.Store.Persons(ctx, c.id)
	accounts, err6 := c.Store.ContestAccounts(ctx, c.id)
	pictures, err7 := c.Store.Media(ctx, c.id)
	if err := errors.Join(err1, err2, err3, err4, err5, err6, err7); err != nil {
		return setup{}, nil, err
	}
	s := setup{
		contest: row, problems: problems, teams: map[string]*store.Team{}, groups: groups, organizations: organizations,
		accounts: map[string]string{},
		scored:   scoreboard.Contest(row, problems), media: pictures, files: map[string]File{},
	}
	var err error
	if s.languages, err = c.readLanguages(ctx, row, problems); err != nil {
		return setup{}, nil, err
	}
	units := []*unit{{unitKey: unitKey{clics.Contest, ""}, items: []item{{Object: s.withFiles(Overview(row, nil), media.Contest, "")}}}}
	add := func(typ clics.Type, it item) {
		units = append(units, &unit{unitKey: unitKey{typ, it.Object["id"].(string)}, items: []item{it}})
	}
	for _, one := range clics.JudgementTypesOf(row.Settings.CompileErrors) {
		add(clics.JudgementTypes, item{Object: one.Object()})
	}
	for _, l := range s.languages {
		if len(l.AllExtensions) == 0 {
			continue
		}
		add(clics.Languages, item{Object: clics.Object{"id": l.ID, "name": l.Name, "entry_point_required": false,
			"extensions": l.AllExtensions}})
	}
	for _, g := range groups {
		add(clics.Groups, item{Object: s.withFiles(clics.Object{"id": g.ID, "icpc_id": g.ICPCID, "name": g.Name, "type": g.Type,
			"location": json.RawMessage(g.Location)}, media.Groups, g.ID)})
	}
	for _, o := range organizations {
		add(clics.Organizations, item{Object: s.withFiles(clics.Object{
			"id": o.ID, "icpc_id": o.ICPCID, "name": o.Name, "formal_name": o.FormalName, "country": o.Country,
			"country_subdivision": o.Region, "url": o.URL, "location": json.RawMessage(o.Location),
		}, media.Organizations, o.ID)})
	}
	for _, p := range persons {
		add(clics.Persons, item{Object: s.withFiles(clics.Object{
			"id": p.ID, "icpc_id": p.ICPCID, "name": p.Name, "title": p.Title, "email": p.Email, "sex": p.Sex, "role": p.Role,
			"team_ids": p.Teams,
		}, media.Persons, p.ID)})
	}
	for _, t := range teams {
		s.teams[t.ID] = t
		add(
			clics.Teams,
			item{Object: s.withFiles(teamObject(t), media.Teams, t.ExtID), Visibility: clics.Visibility{Hidden: t.Hidden}, team: t.ID},
		)
	}
	for _, a := range accounts {
		s.accounts[a.Account.ID] = a.ID
		add(clics.Accounts, item{account: a.Account.ID, Object: clics.Object{
			"id": a.ID, "username": a.Account.Login, "name": a.Account.Display, "type": clics.Role(a.Type).AccountType(),
			"ip": strings.Join(a.Addresses, " "), "team_id": a.Team, "person_id": a.Person,
		}})
	}
	for i, p := range problems {
		o, err := problemObject(c.Service, row, p, i)
		if err == nil {
			err = s.withDocuments(c.Service, o, p)
		}
		if err != nil {
			return setup{}, nil, err
		}
		add(clics.Problems, item{Object: o})
	}
	return s, units, nil
}

// readLanguages returns the languages of the contest, each with its extensions in order.
func (c *Contest) readLanguages(ctx context.Context, row *store.Contest, problems []*store.ContestProblem) (
	languages []intake.SubmissionLanguage, err error,
) {
	known, err := c.Languages(problems)
	if err != nil {
		return nil, err
	}
	for _, l := range known {
		if only := row.Settings.Languages; len(only) == 0 || slices.Contains(only, l.ID) {
			languages = append(languages, l)
		}
	}
	// Clients choose the first language with the extension of a file. Therefore languages without extensions come
	// last.
	slices.SortStableFunc(
		languages,
		func(a, b intake.SubmissionLanguage) int { return min(len(b.Extensions), 1) - min(len(a.Extensions), 1) },
	)
	if languages, err = c.withPrimaryLanguages(ctx, languages); err != nil {
		return nil, err
	}
	for i := range languages {
		l := &languages[i]
		if len(l.Extensions) > 0 {
			l.AllExtensions = l.Extensions
		}
		l.AllExtensions = slices.Compact(slices.Sorted(slices.Values(l.AllExtensions)))
	}
	return languages, nil
}

// withPrimaryLanguages returns all, together with the languages of the primary that the contest follows. Submissions
// from the primary use these languages.
func (c *Contest) withPrimaryLanguages(ctx context.Context, languages []intake.SubmissionLanguage) ([]intake.SubmissionLanguage, error) {
	theirs, err := c.Store.ExternalObjects(ctx, c.id, string(clics.Languages))
	if err != nil {
		return nil, err
	}
	for _, o := range theirs {
		var l struct {
			Name       string   `json:"name"`
			Extensions []string `json:"extensions"`
		}
		known := slices.ContainsFunc(languages, func(is intake.SubmissionLanguage) bool { return is.ID == o.ID })
		if !known && json.Unmarshal([]byte(o.Data), &l) == nil && len(l.Extensions) > 0 {
			languages = append(languages, intake.SubmissionLanguage{ID: o.ID, Name: cmp.Or(l.Name, o.ID), AllExtensions: l.Extensions})
		}
	}
	return languages, nil
}

func teamObject(t *store.Team) clics.Object {
	return clics.Object{
		"id": t.ExtID, "icpc_id": t.ICPCID, "name": t.Name, "label": cmp.Or(t.Label, t.ExtID),
		"display_name": t.DisplayName, "organization_id": t.Organization,
		"group_ids": append([]string{}, t.GroupIDs...), "hidden": t.Hidden, "location": json.RawMessage(t.Location),
	}
}

// Overview returns a contest and some of its files as an object of the Contest API.
func Overview(c *store.Contest, files []media.File) clics.Object {
	kind := "score"
	o := clics.Object{
		"id": c.Slug, "shortname": c.Slug, "name": c.Name, "formal_name": c.FormalName, "start_time": c.Starts, "duration": c.Length,
		"scoreboard_thaw_time": c.Thaw, "main_scoreboard_group_id": c.MainGroup,
	}
	if c.Format == store.ICPC {
		kind = "pass-fail"
		o["penalty_time"] = clics.Minutes(scoreboard.Contest(c, nil).Rules.Penalty)
	}
	o["scoreboard_type"] = kind
	if c.Starts.IsZero() && c.Settings.Paused > 0 {
		o["countdown_pause_time"] = c.Settings.Paused
	}
	if c.Freeze != 0 {
		o["scoreboard_freeze_duration"] = max(c.Length-c.Freeze, 0)
	}
	for name, of := range filesOf(c.Slug, media.Contest, "", files, map[string]File{}) {
		o[name] = of
	}
	return o
}

func problemObject(d *intake.Service, c *store.Contest, p *store.ContestProblem, ordinal int) (clics.Object, error) {
	o := clics.Object{"id": p.ExtID, "label": p.Label, "name": p.Title, "ordinal": ordinal, "code_limit": int(d.MaxSize >> 10)}
	if hex, color := problemColor(p); color != "" {
		o["rgb"], o["color"] = hex, color
	}
	if c.Format != store.ICPC {
		o["max_score"] = float64(cmp.Or(p.Points, 100))
	}
	sheet, err := d.ProblemInfo(p.Problem)
	if err != nil {
		return nil, err
	}
	if sheet == nil {
		sheet = &client.ProblemInfo{}
	}
	o["test_data_count"] = sheet.Cases
	if sheet.TimeMS > 0 {
		o["time_limit"] = clics.Seconds(time.Duration(sheet.TimeMS) * time.Millisecond)
	}
	if sheet.Memory > 0 {
		o["memory_limit"] = mebibytes(sheet.Memory)
	}
	if sheet.Output > 0 {
		o["output_limit"] = mebibytes(sheet.Output)
	}
	return o, nil
}

// mebibytes converts bytes to MiB. It rounds up, so that no limit becomes 0.
func mebibytes(size int64) int { return int((size + 1<<20 - 1) >> 20) }

// problemColor returns the HTML hexadecimal form of a problem's color, and the color's name. Either may be empty.
func problemColor(p *store.ContestProblem) (hex, name string) {
	if strings.HasPrefix(p.Color, "#") {
		hex = p.Color
	} else {
		name = p.Color
	}
	return hex, cmp.Or(p.ColorName, name, hex)
}

// problemByLabel returns the Contest API id of the problem with the given label.
func (s *setup) problemByLabel(label string) string {
	for _, p := range s.problems {
		if p.Label == label {
			return p.ExtID
		}
	}
	return ""
}

// problemByID returns the Contest API id of the problem with the given id.
func (s *setup) problemByID(id string) string {
	for _, p := range s.problems {
		if p.ID == id {
			return p.ExtID
		}
	}
	return ""
}

// languageOf returns the language id of a submission.
func (s *setup) languageOf(submission *store.APISubmission) string {
	if submission.Language != "" {
		return submission.Language
	}
	for _, l := range s.languages {
		if slices.Contains(l.Extensions, submission.Extension) {
			return l.ID
		}
	}
	return "unknown"
}
