package people

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strings"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// contestRole is a role of an account in a contest.
type contestRole struct {
	Slug, Name, Role string
	Sites            []string // names of the groups to which it is restricted; nil if unrestricted
}

// contestRolesView is the part of an account's page that lists its roles in contests.
type contestRolesView struct {
	Assigned []contestRole
	Contests []*store.Contest // by name
	Selected *store.Contest   // contest selected in the form; nil if none
	Role     string           // current role in that contest
	Roles    []auth.Role
	Groups   []siteChoice
	Some     bool // the role is restricted to the groups that are on
}

// siteChoice is a group to which a role can be restricted.
type siteChoice struct {
	ID, Name string
	On       bool
}

// RoleName returns the name of a role.
func (contestRolesView) RoleName(id string) string { return roleName(id) }

// readContestRoles reads an account's roles in contests. Slug is the contest selected in the form; it may be empty.
func (s *site) readContestRoles(r *web.Request, a *store.Account, slug string) (v contestRolesView, err error) {
	grants, err1 := s.Store.Grants(r.Context(), a.ID)
	contests, err2 := s.Store.Contests(r.Context())
	if err := errors.Join(err1, err2); err != nil {
		return v, err
	}
	v.Roles = []auth.Role{auth.BalloonRunner, auth.Judge, auth.ContestAdmin}
	for _, c := range contests {
		if c.ID == store.Practice {
			continue
		}
		v.Contests = append(v.Contests, c)
		index := slices.IndexFunc(grants, func(g store.Grant) bool { return g.Contest == c.ID })
		if index < 0 && c.Slug != slug {
			continue
		}
		groups, err := s.Store.Groups(r.Context(), c.ID)
		if err != nil {
			return v, err
		}
		if index >= 0 {
			v.Assigned = append(v.Assigned, contestRole{c.Slug, c.Name, grants[index].Role, siteNames(grants[index].Sites, groups)})
		}
		if c.Slug != slug {
			continue
		}
		v.Selected = c
		for _, g := range groups {
			selected := index >= 0 && slices.Contains(grants[index].Sites, g.ID)
			if g.Type == intake.SiteGroup {
				v.Groups, v.Some = append(v.Groups, siteChoice{g.ID, g.Name, selected}), v.Some || selected
			}
		}
		if index >= 0 {
			v.Role = grants[index].Role
		}
	}
	slices.SortFunc(v.Contests, func(a, b *store.Contest) int { return web.ByText(a.Name, b.Name) })
	return v, nil
}

// keep shows the input of a rejected form.
func (v *contestRolesView) keep(form url.Values) {
	v.Role, v.Some = form.Get("role"), form.Get("where") == "sites"
	for i := range v.Groups {
		v.Groups[i].On = slices.Contains(form["site"], v.Groups[i].ID)
	}
}

// siteNames returns the names of the sites with the given group ids.
func siteNames(ids []string, groups []store.Group) (names []string) {
	for _, id := range ids {
		index := slices.IndexFunc(groups, func(g store.Group) bool { return g.ID == id && g.Type == intake.SiteGroup })
		if index < 0 {
			names = append(names, id+" (no longer a site)")
			continue
		}
		names = append(names, cmp.Or(groups[index].Name, id))
	}
	return names
}

// setContestRole sets or removes the role of an account in the contest selected in the form.
func (s *site) setContestRole(r *web.Request, a *store.Account, role string) error {
	c, err := s.Store.ContestBySlug(r.Context(), r.PostFormValue("contest"))
	if errors.Is(err, store.ErrNotFound) || err == nil && c.ID == store.Practice {
		return web.BadRequest("there is no contest %.40q any more", r.PostFormValue("contest"))
	}
	if err != nil {
		return err
	}
	sites := r.PostForm["site"]
	switch scope := r.PostFormValue("where"); {
	case role == "none" || scope == "":
		sites = nil
	case scope != "sites":
		return web.BadRequest("where=%.20q is not sites", scope)
	case len(sites) == 0:
		return web.BadField("sites", "No site is selected. Select one or more, or give the role for all teams.")
	}
	if role == "none" {
		role = ""
	}
	if err := s.SetContestRole(r.Context(), a, c, auth.Role(role), sites); err != nil {
		return err
	}
	return s.Audit(r, "change account", a.ID, strings.TrimSpace("role "+cmp.Or(role, "none")+" in "+c.Slug+" "+strings.Join(sites, " ")))
}
