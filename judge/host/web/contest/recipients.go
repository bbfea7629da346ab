package contest

import (
	"slices"
	"strings"

	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// recipientsView is the part of a form that selects the recipients of a jury message.
type recipientsView struct {
	Answer        bool   // the form answers a request
	Some          bool   // the reader may not write to all teams
	Team          string // the asking team, if Answer is set
	To            string // team, all or chosen
	Groups, Teams []recipientChoice
	Wrong         web.FieldError
}

type recipientChoice struct {
	ID, Name string
	On       bool
}

// recipients reads the recipients from a form and sets them in n. Team is the id of the team that an answer always
// goes to; if empty, the form is that of an announcement.
func (s *site) recipients(r *web.Request, n *store.NewClarification, team string) (v recipientsView, err error) {
	v, err = s.recipientsView(r, team != "")
	if err != nil {
		return v, err
	}
	if to := r.PostFormValue("to"); to != "" {
		v.To = to
	}
	for i := range v.Teams {
		if v.Teams[i].On = slices.Contains(r.PostForm["team"], v.Teams[i].ID); v.Teams[i].On {
			n.Teams = append(n.Teams, v.Teams[i].ID)
		}
	}
	for i := range v.Groups {
		if v.Groups[i].On = slices.Contains(r.PostForm["group"], v.Groups[i].ID); v.Groups[i].On {
			n.Groups = append(n.Groups, v.Groups[i].ID)
		}
	}
	some, wrong := len(n.Teams)+len(n.Groups) > 0, ""
	switch gone := len(r.PostForm["team"])+len(r.PostForm["group"]) > len(n.Teams)+len(n.Groups); {
	case gone:
		wrong = "a team or group is no longer there: check the selection"
	case v.To == "all" && v.Some:
		wrong = "you judge the teams of a site: select groups or teams"
	case v.To == "chosen" && !some:
		wrong = "no team or group is selected"
	case v.To != "chosen" && some:
		wrong = "teams or groups are selected: send the message to them, or clear the selection"
	case v.To == "chosen" && team != "" && !slices.Contains(n.Teams, team):
		n.Teams = append(n.Teams, team)
	case v.To == "team" && team != "":
		n.Team = team
	case v.To != "all" && v.To != "chosen":
		return v, web.BadRequest("to=%.20q is not one of team, all and chosen", v.To)
	}
	v.Wrong = web.FieldError{Field: "to", Text: wrong}
	return v, nil
}

// recipientsView lists the teams and groups of the contest.
func (s *site) recipientsView(r *web.Request, answer bool) (recipientsView, error) {
	a := access.Of(r)
	v := recipientsView{Answer: answer, To: "all", Some: a.Sites != nil}
	switch {
	case answer:
		v.To = "team"
	case v.Some:
		v.To = "chosen"
	}
	id := a.Contest.ID
	teams, err := s.Store.Teams(r.Context(), id)
	if err != nil {
		return v, err
	}
	for _, t := range teams {
		if !a.Has(t) {
			continue
		}
		v.Teams = append(v.Teams, recipientChoice{ID: t.ID, Name: t.Name})
	}
	groups, err := s.Store.Groups(r.Context(), id)
	for _, g := range groups {
		if !a.HasGroup(g.ID) {
			continue
		}
		v.Groups = append(v.Groups, recipientChoice{ID: g.ID, Name: g.Name})
	}
	return v, err
}

// sentTo describes the recipients of a jury message for a page or the audit log, such as "all" or "2 teams and 1
// group".
func sentTo(n store.NewClarification) string {
	var parts []string
	if len(n.Teams) > 0 {
		parts = append(parts, web.Counted(len(n.Teams), "team", "teams"))
	}
	if len(n.Groups) > 0 {
		parts = append(parts, web.Counted(len(n.Groups), "group", "groups"))
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, " and ")
	case n.Team != "":
		return "the team"
	}
	return "all"
}

// named returns the names of the recipients of a clarification, for the jury. It lists at most 3 groups and 3
// teams.
func named(to store.Recipients) string {
	const most = 3
	var parts []string
	for i, of := range [][]store.Recipient{to.Groups, to.Teams} {
		for j, one := range of {
			if j == most {
				one, several := "further group", "further groups"
				if i == 1 {
					one, several = "further team", "further teams"
				}
				parts = append(parts, web.Counted(len(of)-most, one, several))
				break
			}
			name := one.Name
			if i == 0 {
				name = "group " + name
			}
			parts = append(parts, name)
		}
	}
	return strings.Join(parts, ", ")
}
