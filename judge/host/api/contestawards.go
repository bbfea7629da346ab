package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"unicode/utf8"

	"assay/judge/host/auth"
	"assay/judge/host/clics"
	"assay/judge/host/feed"
	"assay/judge/host/store"
)

// mostAwards is the maximum number of awards in a contest, in addition to those that the server computes.
const mostAwards = 200

// A sentAward is an award sent by a client. Missing properties are nil.
type sentAward struct {
	ID       *string   `json:"id"`
	Citation *string   `json:"citation"`
	Teams    *[]string `json:"team_ids"`
	present  map[string]json.RawMessage
}

// null reports whether a property was sent as null.
func (n *sentAward) null(name string) bool {
	value, is := n.present[name]
	return is && string(value) == "null"
}

// writeAward creates, changes or deletes an award. It rejects changes to an award that the server computes. The
// server stops computing an award when an administrator turns it off or sets its teams.
func (c *apiClient) writeAward(w http.ResponseWriter, r *http.Request, id string, data []byte) error {
	if c.to.Role != clics.Admin || !c.seat.Can(auth.Change) {
		return forbidden("only administrators of the contest may change awards")
	}
	row := c.seat.Contest
	awards := slices.Clone(row.Settings.Awards)
	named := func(id string) func(store.OwnAward) bool { return func(a store.OwnAward) bool { return a.ID == id } }
	at := slices.IndexFunc(awards, named(id))
	all, err := c.List(c.to, clics.Awards)
	if err != nil {
		return err
	}
	if at < 0 && slices.ContainsFunc(all, func(l feed.Line) bool { return l.ID == id }) {
		return forbidden("the server computes this award: turn it off or set its teams on the page of the final results first")
	}
	if r.Method == http.MethodDelete {
		if at < 0 {
			return nothingThere
		}
		row.Settings.Awards = slices.Delete(awards, at, at+1)
		if c.Computes(id) && !slices.Contains(row.Settings.AwardsOff, id) {
			row.Settings.AwardsOff = append(row.Settings.AwardsOff, id) // otherwise the server would compute it again
		}
		return c.changed(w, r, "delete an award", row, func() error { w.WriteHeader(http.StatusNoContent); return nil })
	}
	one, err := c.readAward(r, id, data, awards, at)
	if err != nil {
		return err
	}
	if at < 0 {
		awards = append(awards, one)
	} else {
		awards[at] = one
	}
	row.Settings.Awards = awards
	return c.changed(w, r, "change an award", row, func() error {
		line, err := c.written(r, clics.Awards, one.ID, nil)
		if err != nil || line == nil {
			return errors.Join(err, nothingThere)
		}
		return c.answerWritten(w, r, line)
	})
}

// readAward reads an award from a request. At is the index of the existing award in awards; if negative, the award
// is new.
func (c *apiClient) readAward(r *http.Request, id string, data []byte, awards []store.OwnAward, at int) (one store.OwnAward, err error) {
	var sent sentAward
	if err := errors.Join(json.Unmarshal(data, &sent), json.Unmarshal(data, &sent.present)); err != nil {
		return one, badRequest("the request is not the JSON of an award: %v", err)
	}
	switch {
	case r.Method == http.MethodPost && sent.ID != nil:
		return one, badRequest("leave out the id, or send the award to its address with PUT")
	case id != "" && sent.ID != nil && *sent.ID != id:
		return one, otherID
	case id != "" && !store.GoodExtID(id):
		return one, badRequest("an id has 1 to 36 of the letters A-Z a-z 0-9 _ . - and does not begin with . or -")
	case r.Method == http.MethodPatch && at < 0:
		return one, nothingThere
	case sent.null("citation") || sent.null("team_ids"):
		return one, badRequest("the citation and team_ids cannot be null")
	case r.Method != http.MethodPatch && (sent.Citation == nil || sent.Teams == nil):
		return one, badRequest("the citation or team_ids are missing")
	case at < 0 && len(awards) >= mostAwards:
		return one, badRequest("the contest has %d awards, and that is the most", mostAwards)
	case sent.Citation != nil && (*sent.Citation == "" || utf8.RuneCountInString(*sent.Citation) > mostText):
		return one, badRequest("the citation must have 1 to %d letters", mostText)
	}
	if at >= 0 {
		one = awards[at]
	}
	if one.ID = id; id == "" {
		// The number of the next event has never been an id before. The id of a deleted award must not be reused.
		taken := func(a store.OwnAward) bool { return a.ID == one.ID }
		for n := c.seat.Contest.LastSeq + 1; one.ID == "" || slices.ContainsFunc(awards, taken); n++ {
			one.ID = fmt.Sprint("award-", n)
		}
	}
	if sent.Citation != nil {
		one.Citation = *sent.Citation
	}
	if sent.Teams != nil {
		one.Teams = *sent.Teams
		for _, team := range one.Teams {
			if _, err := c.team(r, team); err != nil {
				return one, err
			}
		}
	}
	return one, nil
}
