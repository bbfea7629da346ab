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

// maxAwards is the maximum number of awards in a contest, in addition to those that the server computes.
const maxAwards = 200

// A sentAward is an award sent by a client. Missing properties are nil.
type sentAward struct {
	ID       *string   `json:"id"`
	Citation *string   `json:"citation"`
	Teams    *[]string `json:"team_ids"`
	present  map[string]json.RawMessage
}

// isNull reports whether a property was sent as null.
func (n *sentAward) isNull(name string) bool {
	value, present := n.present[name]
	return present && string(value) == "null"
}

// writeAward creates, changes or deletes an award. It rejects changes to an award that the server computes. The
// server stops computing an award when an administrator turns it off or sets its teams.
func (c *apiClient) writeAward(w http.ResponseWriter, r *http.Request, id string, data []byte) error {
	if c.reader.Role != clics.Admin || !c.contestAccess.Can(auth.ChangeContest) {
		return forbidden("only administrators of the contest may change awards")
	}
	row := c.contestAccess.Contest
	awards := slices.Clone(row.Settings.Awards)
	hasID := func(id string) func(store.CustomAward) bool {
		return func(a store.CustomAward) bool { return a.ID == id }
	}
	index := slices.IndexFunc(awards, hasID(id))
	lines, err := c.List(c.reader, clics.Awards)
	if err != nil {
		return err
	}
	if index < 0 && slices.ContainsFunc(lines, func(l feed.Line) bool { return l.ID == id }) {
		return forbidden("the server computes this award: turn it off or set its teams on the page of the final results first")
	}
	if r.Method == http.MethodDelete {
		if index < 0 {
			return errNoPath
		}
		row.Settings.Awards = slices.Delete(awards, index, index+1)
		if c.ComputesAward(id) && !slices.Contains(row.Settings.AwardsOff, id) {
			row.Settings.AwardsOff = append(row.Settings.AwardsOff, id) // otherwise the server would compute it again
		}
		return c.storeContest(w, r, "delete an award", row, func() error { w.WriteHeader(http.StatusNoContent); return nil })
	}
	award, err := c.readAward(r, id, data, awards, index)
	if err != nil {
		return err
	}
	if index < 0 {
		awards = append(awards, award)
	} else {
		awards[index] = award
	}
	row.Settings.Awards = awards
	return c.storeContest(w, r, "change an award", row, func() error {
		line, err := c.writtenObject(r, clics.Awards, award.ID, nil)
		if err != nil || line == nil {
			return errors.Join(err, errNoPath)
		}
		return c.respondWritten(w, r, line)
	})
}

// readAward reads an award from a request. Index is the index of the existing award in awards; if negative, the award
// is new.
func (c *apiClient) readAward(
	r *http.Request, id string, data []byte, awards []store.CustomAward, index int,
) (award store.CustomAward, err error) {
	var sent sentAward
	if err := errors.Join(json.Unmarshal(data, &sent), json.Unmarshal(data, &sent.present)); err != nil {
		return award, badRequest("the request is not the JSON of an award: %v", err)
	}
	switch {
	case r.Method == http.MethodPost && sent.ID != nil:
		return award, badRequest("leave out the id, or send the award to its address with PUT")
	case id != "" && sent.ID != nil && *sent.ID != id:
		return award, errIDMismatch
	case id != "" && !store.IsExtID(id):
		return award, badRequest("an id has 1 to 36 of the letters A-Z a-z 0-9 _ . - and does not begin with . or -")
	case r.Method == http.MethodPatch && index < 0:
		return award, errNoPath
	case sent.isNull("citation") || sent.isNull("team_ids"):
		return award, badRequest("the citation and team_ids cannot be null")
	case r.Method != http.MethodPatch && (sent.Citation == nil || sent.Teams == nil):
		return award, badRequest("the citation or team_ids are missing")
	case index < 0 && len(awards) >= maxAwards:
		return award, badRequest("the contest has %d awards, and that is the most", maxAwards)
	case sent.Citation != nil && (*sent.Citation == "" || utf8.RuneCountInString(*sent.Citation) > maxTextLength):
		return award, badRequest("the citation must have 1 to %d letters", maxTextLength)
	}
	if index >= 0 {
		award = awards[index]
	}
	if award.ID = id; id == "" {
		// The number of the next event has never been an id before. The id of a deleted award must not be reused.
		taken := func(a store.CustomAward) bool { return a.ID == award.ID }
		for n := c.contestAccess.Contest.LastSeq + 1; award.ID == "" || slices.ContainsFunc(awards, taken); n++ {
			award.ID = fmt.Sprint("award-", n)
		}
	}
	if sent.Citation != nil {
		award.Citation = *sent.Citation
	}
	if sent.Teams != nil {
		award.Teams = *sent.Teams
		for _, team := range award.Teams {
			if _, err := c.findTeam(r, team); err != nil {
				return award, err
			}
		}
	}
	return award, nil
}
