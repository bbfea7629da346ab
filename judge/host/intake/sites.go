package intake

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"assay/judge/host/auth"
	"assay/judge/host/store"
)

// SiteGroup is the type of the groups to which roles can be restricted.
const SiteGroup = "site"

// Covers reports whether the role of s covers a team, which may be nil. Unless the role is restricted to sites, it
// covers all teams.
func (s *ContestAccess) Covers(t *store.Team) bool {
	return s.Sites == nil || t != nil && slices.ContainsFunc(t.GroupIDs, s.CoversGroup)
}

// CoversGroup reports whether the role of s covers the teams in the group with the given id.
func (s *ContestAccess) CoversGroup(id string) bool {
	return s.Sites == nil || slices.Contains(s.Sites, id)
}

// CoveredTeams returns the teams that the role of s covers, by their ids.
func (d *Service) CoveredTeams(ctx context.Context, s *ContestAccess) (map[string]*store.Team, error) {
	all, err := d.Store.Teams(ctx, s.Contest.ID)
	teams := map[string]*store.Team{}
	for _, t := range all {
		if s.Covers(t) {
			teams[t.ID] = t
		}
	}
	return teams, err
}

// SetContestRole gives an account a role in a contest. If role is empty, it removes the role. Sites lists the ids of
// the groups to whose teams the role is restricted. If sites is empty, there is no restriction. SetContestRole returns
// a Refusal if the role is not possible.
func (d *Service) SetContestRole(ctx context.Context, a *store.Account, c *store.Contest, role auth.Role, sites []string) error {
	refuse := func(hint, format string, args ...any) error {
		return &Refusal{Code: http.StatusBadRequest, Text: fmt.Sprintf(format, args...), Hint: hint}
	}
	switch {
	case role != "" && !auth.IsRole(string(role)):
		return refuse("", "%.40q is not a role", role)
	case role == auth.Admin:
		return refuse("in a contest, the most is "+string(auth.ContestAdmin), "an admin is of the whole server")
	case len(sites) > 0 && role != auth.BalloonRunner && role != auth.Judge:
		return refuse("only runners and judges can be restricted to sites", "the role %s extends to all sites", role)
	}
	if len(sites) > 0 {
		groups, err := d.Store.Groups(ctx, c.ID)
		if err != nil {
			return err
		}
		for _, id := range sites {
			at := slices.IndexFunc(groups, func(g store.Group) bool { return g.ID == id })
			if at < 0 {
				return refuse("name a group by its id", "the contest %s has no group %.80q", c.Slug, id)
			}
			if groups[at].Type != SiteGroup {
				return refuse("import the group with the type site", "the group %s of the contest %s is not a site", id, c.Slug)
			}
		}
	}
	return d.Store.SetContestRole(ctx, a.ID, c.ID, string(role), sites...)
}
