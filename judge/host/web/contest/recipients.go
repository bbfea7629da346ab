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

// readRecipients reads the recipients from a form and sets them in n. Team is the id of the team that an answer always
// goes to; if empty, the form is that of an announcement.
func (s *site) readRecipients(r *web.Request, n *store.NewClarification, team string) (v recipientsView, err error) {
	v, err = s.recipientsView(r, team != "")
	if err != nil {
		return v, err
	}
	if mode := r.PostFormValue("to"); mode != "" {
		v.To = mode
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
	hasChosen, wrong := len(n.Teams)+len(n.Groups) > 0, ""
	switch removed := len(r.PostForm["team"])+len(r.PostForm["group"]) > len(n.Teams)+len(n.Groups); {
	case removed:
		wrong = "a team or group is no longer there: check the selection"
	case v.To == "all" && v.Some:
		wrong = "you judge the teams of a site: select groups or teams"
	case v.To == "chosen" && !hasChosen:
		wrong = "no team or group is selected"
	case v.To != "chosen" && hasChosen:
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
		if !a.Covers(t) {
			continue
		}
		v.Teams = append(v.Teams, recipientChoice{ID: t.ID, Name: t.Name})
	}
	groups, err := s.Store.Groups(r.Context(), id)
	for _, g := range groups {
		if !a.CoversGroup(g.ID) {
			continue
		}
		v.Groups = append(v.Groups, recipientChoice{ID: g.ID, Name: g.Name})
	}
	return v, err
}

// describeRecipients describes the recipients of a jury message for a page or the audit log, such as "all" or "2 teams and 1
// group".
func describeRecipients(n store.NewClarification) string {
	var parts []string
	if len(n.Teams) > 0 {
		parts = append(parts, web.CountText(len(n.Teams), "team", "teams"))
	}
	if len(n.Groups) > 0 {
		parts = append(parts, web.CountText(len(n.Groups), "group", "groups"))
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, " and ")
	case n.Team != "":
		return "the team"
	}
	return "all"
}

// recipientNames returns the names of the recipients of a clarification, for the jury. It lists at most 3 groups and 3
// teams.
func recipientNames(recipients store.Recipients) string {
	const most = 3
	var parts []string
	for i, list := range [][]store.Recipient{recipients.Groups, recipients.Teams} {
		for j, recipient := range list {
			if j == most {
				recipient, several := "further group", "further groups"
				if i == 1 {
					recipient, several = "further team", "further teams"
				}
				parts = append(parts, web.CountText(len(list)-most, recipient, several))
				break
			}
			name := recipient.Name
			if i == 0 {
				name = "group " + name
			}
			parts = append(parts, name)
		}
	}
	return strings.Join(parts, ", ")
}
