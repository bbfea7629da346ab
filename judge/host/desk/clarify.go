package desk

import (
	"cmp"
	"context"
	"math"
	"slices"

	"assay/judge/host/auth"
	"assay/judge/host/clics"
	"assay/judge/host/store"
)

// reader returns the caller's role in the table of package clics, as contest pages use it.
func (s *Seat) reader() clics.Role {
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
func (d *Desk) Clarifications(ctx context.Context, s *Seat, f store.ClarificationFilter) (all []*store.Clarification,
	hidden int64, err error) {
	role := s.reader()
	f.Contest, f.Everything, f.Team = s.Contest.ID, role == clics.Judge, ""
	if s.Team != nil {
		f.Team = s.Team.ID
	}
	if role == clics.Judge && s.Sites != nil {
		all, err = d.clarificationsHere(ctx, s, f)
		return all, 0, err
	}
	rows, err := d.Store.Clarifications(ctx, f)
	for _, c := range rows {
		facts := clics.Facts{Started: s.State.Phase != auth.Before, Own: c.Of(s.Team), ToAll: c.ToAll(), Names: c.Problem != ""}
		if clics.Visible(role, clics.Clarifications, facts) {
			all = append(all, c)
			continue
		}
		if facts.Started = true; clics.Visible(role, clics.Clarifications, facts) {
			hidden = c.Number
		}
	}
	return all, hidden, err
}

// clarificationsHere returns the clarifications that a judge restricted to certain sites may read: those of the
// teams at these sites, and those for all teams.
func (d *Desk) clarificationsHere(ctx context.Context, s *Seat, f store.ClarificationFilter) (all []*store.Clarification, err error) {
	teams, err := d.TeamsOf(ctx, s)
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
			here := c.ToAll() || teams[c.Team] != nil || slices.ContainsFunc(c.To.Groups, func(g store.Recipient) bool { return s.HasGroup(g.ID) })
			for _, t := range teams {
				here = here || c.Of(t)
			}
			if !here {
				continue
			}
			c.To.Teams = slices.DeleteFunc(c.To.Teams, func(r store.Recipient) bool { return teams[r.ID] == nil })
			if all = append(all, c); len(all) == most {
				return all, nil
			}
		}
		if len(rows) < f.Limit {
			return all, nil
		}
		f.Before = rows[len(rows)-1].Number
	}
}

// OpenQuestions returns the number of unanswered clarification requests that the caller may answer.
func (d *Desk) OpenQuestions(ctx context.Context, s *Seat) (n int, err error) {
	if s.Sites == nil {
		return d.Store.OpenQuestions(ctx, s.Contest.ID)
	}
	all, err := d.clarificationsHere(ctx, s, store.ClarificationFilter{Contest: s.Contest.ID, Everything: true, Limit: math.MaxInt32})
	for _, c := range all {
		if !c.Staff && c.Answers == 0 {
			n++
		}
	}
	return n, err
}

// Unread returns the number of answers and announcements that the caller has not read.
func (d *Desk) Unread(ctx context.Context, s *Seat) (n int, err error) {
	f := store.ClarificationFilter{Limit: math.MaxInt32}
	if f.After, err = d.Store.ReadUpTo(ctx, s.Contest.ID, s.Account.ID); err != nil {
		return 0, err
	}
	all, _, err := d.Clarifications(ctx, s, f)
	for _, c := range all {
		if c.Staff {
			n++
		}
	}
	return n, err
}
