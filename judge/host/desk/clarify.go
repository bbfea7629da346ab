package desk

import (
	"context"
	"math"

	"assay/judge/host/auth"
	"assay/judge/host/clics"
	"assay/judge/host/store"
)

// reader returns the role of a caller for the table of package clics, as pages show a contest.
func (s *Seat) reader() clics.Role {
	switch {
	case s.Can(auth.SeeAll):
		return clics.Judge
	case s.Can(auth.Deliver):
		return clics.Balloon
	case s.Team != nil:
		return clics.Team
	}
	return clics.Public
}

// Clarifications returns the clarifications of a contest that the caller may read, newest first. The team and the
// rights are those of the seat. Hidden is the lowest number of those that become readable at the start, or 0.
func (d *Desk) Clarifications(ctx context.Context, s *Seat, f store.ClarificationFilter) (all []*store.Clarification,
	hidden int64, err error) {
	role := s.reader()
	f.Contest, f.Everything, f.Team = s.Contest.ID, role == clics.Judge, ""
	if s.Team != nil {
		f.Team = s.Team.ID
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

// Unread counts the answers and announcements that the caller has not read.
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
