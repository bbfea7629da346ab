package feed

import (
	"context"
	"fmt"
	"slices"

	"assay/judge/host/clics"
	"assay/judge/host/store"
)

// readClarifications reads a contest's clarifications.
func (c *Contest) readClarifications(ctx context.Context, s *setup) ([]*unit, error) {
	rows, err := c.Store.APIClarifications(ctx, c.id)
	if err != nil {
		return nil, err
	}
	number, used := map[int64]*store.APIClarification{}, map[string]bool{}
	for _, r := range rows {
		used[r.ExtID] = true
	}
	var units []*unit
	for _, r := range rows {
		number[r.Number] = r
		o := clics.Object{"id": r.ExtID, "text": r.Text, "time": r.At, "contest_time": s.contestTime(r.At)}
		object := item{
			Object: o, letter: &letter{}, team: r.Team,
			Visibility: clics.Visibility{ToAll: r.Jury && r.Team == "" && !r.To.Chosen(), NamesProblem: r.Problem != ""},
		}
		if id := s.problemByID(r.Problem); id != "" {
			o["problem_id"] = id
		}
		if team := s.teams[r.Team]; team != nil {
			if r.Jury {
				o["to_team_ids"], o["to_team_id"] = []string{team.ExtID}, team.ExtID
			} else {
				o["from_team_id"] = team.ExtID
			}
		}
		if question := number[r.ReplyTo]; question != nil {
			o["reply_to_id"], object.replied = question.ExtID, question.Team
		}
		items := []item{object}
		if r.To.Chosen() {
			items = s.recipientItems(object, r.To, used)
		}
		units = append(units, &unit{unitKey: unitKey{clics.Clarifications, fmt.Sprint(r.Number)}, items: items})
	}
	return units, nil
}

// recipientItems returns the objects of a clarification that the jury sent to several teams and groups. Version 2026-01 of
// the Contest API gets one object, and version 2023-06 gets one per team. The map used contains the ids of all
// clarifications.
func (s *setup) recipientItems(base item, recipients store.Recipients, used map[string]bool) []item {
	one := base
	one.version, one.Object, one.letter = clics.V2026, clone(base.Object), &letter{replied: base.replied}
	var named, groups []string
	readers := map[string]bool{}
	for _, r := range recipients.Teams {
		if team := s.teams[r.ID]; team != nil {
			readers[r.ID] = true
			named = append(named, team.ExtID)
			if team.Hidden {
				one.secret = append(one.secret, team.ExtID)
			}
		}
	}
	for _, g := range recipients.Groups {
		groups = append(groups, g.ID)
	}
	one.Object["to_team_ids"], one.Object["to_group_ids"] = named, groups
	var teams []*store.Team
	for _, team := range s.teams {
		if readers[team.ID] || slices.ContainsFunc(groups, func(id string) bool { return slices.Contains(team.GroupIDs, id) }) {
			teams = append(teams, team)
		}
	}
	slices.SortFunc(teams, func(a, b *store.Team) int { return int(a.Number - b.Number) })
	items := []item{one}
	for i, team := range teams {
		items[0].told = append(items[0].told, team.ID)
		object := base
		object.version, object.team, object.Object = clics.V2023, team.ID, clone(base.Object)
		object.Object["to_team_id"] = team.ExtID
		if i > 0 {
			object.Object["id"] = derivedID(base.Object["id"].(string), i+1, used)
		}
		items = append(items, object)
	}
	return items
}

// derivedID returns the id of the n-th object of a clarification. It consists of the clarification's id and n. If
// that is too long or in use, derivedID returns another id.
func derivedID(id string, n int, used map[string]bool) string {
	const most = 36
	for dash := "-"; ; dash += "-" {
		end := fmt.Sprint(dash, n)
		further := id[:min(len(id), most-len(end))] + end
		if !used[further] {
			used[further] = true
			return further
		}
	}
}
