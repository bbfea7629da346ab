package api

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"assay/judge/host/clics"
	"assay/judge/host/store"
)

// lists are the types with several objects in a contest.
func (c *apiClient) lists() map[clics.Type]func(context.Context) ([]listed, error) {
	return map[clics.Type]func(context.Context) ([]listed, error){
		clics.JudgementTypes: c.judgementTypes, clics.Languages: c.languages, clics.Groups: c.groups, clics.Organizations: c.organizations,
		clics.Persons: c.persons, clics.Teams: c.teams, clics.Accounts: c.accounts, clics.Problems: c.problems,
	}
}

func (c *apiClient) judgementTypes(context.Context) (all []listed, err error) {
	for _, one := range clics.JudgementTypesOf(c.seat.Contest.Settings.CompileErrors) {
		all = append(all, listed{Object: one.Object()})
	}
	return all, nil
}

// languages are those of the problems, and of the contest where it names some.
func (c *apiClient) languages(ctx context.Context) (all []listed, err error) {
	problems, err := c.Store.ContestProblems(ctx, c.seat.Contest.ID)
	if err != nil {
		return nil, err
	}
	spoken, err := c.Languages(problems)
	if err != nil {
		return nil, err
	}
	only := c.seat.Contest.Settings.Languages
	for _, l := range spoken {
		if len(only) > 0 && !slices.Contains(only, l.ID) {
			continue
		}
		all = append(all, listed{Object: clics.Object{"id": l.ID, "name": l.Name, "entry_point_required": false,
			"extensions": append([]string{}, l.Endings...)}})
	}
	return all, nil
}

func (c *apiClient) groups(ctx context.Context) (all []listed, err error) {
	groups, err := c.Store.Groups(ctx, c.seat.Contest.ID)
	for _, g := range groups {
		all = append(all, listed{Object: clics.Object{"id": g.ID, "icpc_id": g.ICPCID, "name": g.Name, "type": g.Type,
			"location": json.RawMessage(g.Location)}})
	}
	return all, err
}

func (c *apiClient) organizations(ctx context.Context) (all []listed, err error) {
	organizations, err := c.Store.Organizations(ctx, c.seat.Contest.ID)
	for _, o := range organizations {
		all = append(all, listed{Object: clics.Object{
			"id": o.ID, "icpc_id": o.ICPCID, "name": o.Name, "formal_name": o.FormalName, "country": o.Country,
			"country_subdivision": o.Region, "url": o.URL,
			"location": json.RawMessage(o.Location),
		}})
	}
	return all, err
}

func (c *apiClient) teams(ctx context.Context) (all []listed, err error) {
	teams, err := c.Store.Teams(ctx, c.seat.Contest.ID)
	for _, t := range teams {
		o := clics.Object{
			"id": t.ExtID, "icpc_id": t.ICPCID, "name": t.Name, "label": cmp.Or(t.Label, t.ExtID),
			"display_name": t.DisplayName, "organization_id": t.Organization,
			"group_ids": append([]string{}, t.GroupIDs...), "hidden": t.Hidden, "location": json.RawMessage(t.Location),
		}
		own := c.seat.Team != nil && c.seat.Team.ID == t.ID
		all = append(all, listed{o, clics.Facts{Hidden: t.Hidden, Own: own}})
	}
	return all, err
}

func (c *apiClient) persons(ctx context.Context) (all []listed, err error) {
	persons, err := c.Store.Persons(ctx, c.seat.Contest.ID)
	for _, p := range persons {
		all = append(all, listed{Object: clics.Object{
			"id": p.ID, "icpc_id": p.ICPCID, "name": p.Name, "title": p.Title, "email": p.Email, "sex": p.Sex, "role": p.Role, "team_ids": p.Teams,
		}})
	}
	return all, err
}

// accounts are those that a contest package listed.
func (c *apiClient) accounts(ctx context.Context) (all []listed, err error) {
	accounts, err := c.Store.ContestAccounts(ctx, c.seat.Contest.ID)
	for _, a := range accounts {
		o := clics.Object{
			"id": a.ID, "username": a.Account.Login, "name": a.Account.Display, "type": a.Type, "ip": strings.Join(a.Addresses,
				" "), "team_id": a.Team, "person_id": a.Person,
		}
		all = append(all, listed{o, clics.Facts{Own: c.seat.Account != nil && a.Account.ID == c.seat.Account.ID}})
	}
	return all, err
}

// own is the account of the client, which a package need not list.
func (c *apiClient) own(ctx context.Context) (clics.Object, error) {
	accounts, err := c.accounts(ctx)
	if err != nil {
		return nil, err
	}
	for _, a := range accounts {
		if a.Own {
			return a.Object, nil
		}
	}
	me := c.seat.Account
	o := clics.Object{"id": me.Login, "username": me.Login, "name": me.Display, "type": c.role.AccountType()}
	if c.seat.Team != nil && c.role == clics.Team {
		o["team_id"] = c.seat.Team.ExtID
	}
	return o, nil
}

func (c *apiClient) problems(ctx context.Context) (all []listed, err error) {
	problems, err := c.Store.ContestProblems(ctx, c.seat.Contest.ID)
	if err != nil {
		return nil, err
	}
	for i, p := range problems {
		o := clics.Object{"id": p.ExtID, "label": p.Label, "name": p.Title, "ordinal": i}
		if hex, color := colors(p); color != "" {
			o["rgb"], o["color"] = hex, color
		}
		if c.seat.Contest.Format != store.ICPC {
			o["max_score"] = float64(cmp.Or(p.Points, 100))
		}
		sheet, err := c.Sheet(p.Problem)
		if err != nil {
			return nil, err
		}
		if sheet != nil && sheet.TimeMS > 0 {
			o["time_limit"] = clics.Seconds(time.Duration(sheet.TimeMS) * time.Millisecond)
		}
		if sheet != nil && sheet.Memory > 0 {
			o["memory_limit"] = int(sheet.Memory >> 20)
		}
		all = append(all, listed{Object: o})
	}
	return all, nil
}

// colors are the color of a problem as the number that it is in HTML, and its name. Either may be empty.
func colors(p *store.ContestProblem) (hex, name string) {
	if strings.HasPrefix(p.Colour, "#") {
		hex = p.Colour
	} else {
		name = p.Colour
	}
	return hex, cmp.Or(p.ColorName, name, hex)
}
