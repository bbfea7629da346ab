package intake

import (
	"cmp"
	"context"
	"math"
	"slices"

	"assay/judge/host/auth"
	"assay/judge/host/clics"
	"assay/judge/host/store"
)

// clicsRole returns the caller's role in the table of package clics, as contest pages use it.
func (s *ContestAccess) clicsRole() clics.Role {
	switch {
	case s.Can(auth.SeeSite):
		return clics.Judge
	case s.Can(auth.Deliver):
		return clics.Balloon
	case s.Team != nil:
		return clics.Team
	}
	return clics.Public
}

// Clarifications returns the clarifications of a contest that the caller may read, newest first. The team and the
// rights are those of s. The result hidden is the lowest number of the clarifications that become readable at the
// start, or 0 if there are none.
func (d *Service) Clarifications(ctx context.Context, s *ContestAccess, f store.ClarificationFilter) (clarifications []*store.Clarification,
	hidden int64, err error) {
	role := s.clicsRole()
	f.Contest, f.AllTeams, f.Team = s.Contest.ID, role == clics.Judge, ""
	if s.Team != nil {
		f.Team = s.Team.ID
	}
	if role == clics.Judge && s.Sites != nil {
		clarifications, err = d.siteClarifications(ctx, s, f)
		return clarifications, 0, err
	}
	rows, err := d.Store.Clarifications(ctx, f)
	for _, c := range rows {
		facts := clics.Visibility{
			Started: s.State.Phase != auth.Before, Own: c.ConcernsTeam(s.Team), ToAll: c.ToAll(),
			NamesProblem: c.Problem != "",
		}
		if clics.Visible(role, clics.Clarifications, facts) {
			clarifications = append(clarifications, c)
			continue
		}
		if facts.Started = true; clics.Visible(role, clics.Clarifications, facts) {
			hidden = c.Number
		}
	}
	return clarifications, hidden, err
}

// siteClarifications returns the clarifications that a judge restricted to certain sites may read: those of the
// teams at these sites, and those for all teams.
func (d *Service) siteClarifications(
	ctx context.Context, s *ContestAccess, f store.ClarificationFilter,
) (clarifications []*store.Clarification, err error) {
	teams, err := d.CoveredTeams(ctx, s)
	if err != nil {
		return nil, err
	}
	most := cmp.Or(f.Limit, 200)
	for f.Limit = max(most, 200); ; {
		rows, err := d.Store.Clarifications(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, c := range rows {
			visible := c.ToAll() || slices.ContainsFunc(c.To.Groups, func(g store.Recipient) bool { return s.CoversGroup(g.ID) })
			for _, t := range teams {
				visible = visible || c.ConcernsTeam(t)
			}
			if !visible {
				continue
			}
			c.To.Teams = slices.DeleteFunc(c.To.Teams, func(r store.Recipient) bool { return teams[r.ID] == nil })
			if clarifications = append(clarifications, c); len(clarifications) == most {
				return clarifications, nil
			}
		}
		if len(rows) < f.Limit {
			return clarifications, nil
		}
		f.Before = rows[len(rows)-1].Number
	}
}

// PendingClarifications returns the number of unanswered clarification requests that the caller may answer.
func (d *Service) PendingClarifications(ctx context.Context, s *ContestAccess) (n int, err error) {
	if s.Sites == nil {
		return d.Store.CountUnanswered(ctx, s.Contest.ID)
	}
	all, err := d.siteClarifications(ctx, s, store.ClarificationFilter{Contest: s.Contest.ID, AllTeams: true, Limit: math.MaxInt32})
	for _, c := range all {
		if !c.Jury && c.Answers == 0 {
			n++
		}
	}
	return n, err
}

// Unread returns the number of answers and announcements that the caller has not read.
func (d *Service) Unread(ctx context.Context, s *ContestAccess) (n int, err error) {
	f := store.ClarificationFilter{Limit: math.MaxInt32}
	if f.After, err = d.Store.LastRead(ctx, s.Contest.ID, s.Account.ID); err != nil {
		return 0, err
	}
	all, _, err := d.Clarifications(ctx, s, f)
	for _, c := range all {
		if c.Jury {
			n++
		}
	}
	return n, err
}
