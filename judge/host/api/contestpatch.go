package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/clics"
	"assay/judge/host/store"
)

// minStartNotice is how far in the future a new start of the contest must be. It is also how long before the old start a
// move is still allowed.
const minStartNotice = 30 * time.Second

// A sentContest is a change to a contest sent by a client. Missing properties and nulls are both nil; has
// distinguishes them.
type sentContest struct {
	ID      *string `json:"id"`
	Start   *string `json:"start_time"`
	Paused  *string `json:"countdown_pause_time"`
	Thaw    *string `json:"scoreboard_thaw_time"`
	present map[string]json.RawMessage
}

func (n *sentContest) has(name string) bool { _, is := n.present[name]; return is }

// patchContest moves the start of a contest, or sets the time at which its scoreboard is unfrozen.
func (c *apiClient) patchContest(w http.ResponseWriter, r *http.Request, data []byte) error {
	if c.reader.Role != clics.Admin || !c.contestAccess.Can(auth.Finalize) {
		return &status{http.StatusForbidden, "only administrators of the contest may change it", ""}
	}
	var n sentContest
	if err := errors.Join(json.Unmarshal(data, &n), json.Unmarshal(data, &n.present)); err != nil {
		return badRequest("the request is not the JSON of a contest: %v", err)
	}
	switch {
	case n.ID == nil:
		return badRequest("the id is missing: it is %s", c.contestAccess.Contest.Slug)
	case *n.ID != c.contestAccess.Contest.Slug:
		return errIDMismatch
	case n.has("start_time") == n.has("scoreboard_thaw_time"):
		return badRequest("send either start_time or scoreboard_thaw_time")
	case n.has("start_time"):
		return c.setStart(w, r, &n)
	case n.has("countdown_pause_time") || n.Thaw == nil:
		return badRequest("scoreboard_thaw_time is a time, and comes alone")
	}
	return c.setThaw(w, r, &n)
}

func forbidden(text string) error { return &status{http.StatusForbidden, text, ""} }

// setStart moves the start, or pauses the countdown to it.
func (c *apiClient) setStart(w http.ResponseWriter, r *http.Request, n *sentContest) (err error) {
	row, now := c.contestAccess.Contest, c.Time()
	if !row.Starts.IsZero() && !now.Before(row.Starts.Add(-minStartNotice)) {
		return forbidden("the contest has begun, or begins within 30 seconds")
	}
	row.Starts, row.Settings.Paused = time.Time{}, 0
	if n.Start != nil {
		if row.Starts, err = clics.ParseTime(*n.Start); err != nil {
			return badRequest("%v", err)
		}
		if row.Starts.Before(now.Add(minStartNotice)) {
			return forbidden("the new start is in the past, or within 30 seconds")
		}
	}
	if n.Paused != nil {
		if row.Settings.Paused, err = clics.ParseRelTime(*n.Paused); err != nil || row.Settings.Paused < 0 || n.Start != nil {
			return badRequest("send countdown_pause_time as a duration such as 0:03:00.000, and only if start_time is null")
		}
	}
	return c.storeContest(w, r, "move the start", row, func() error { return c.contestState(w, r) })
}

// setThaw sets the time at which the scoreboard is unfrozen. If that time has passed, the scoreboard is unfrozen
// now.
func (c *apiClient) setThaw(w http.ResponseWriter, r *http.Request, n *sentContest) error {
	row, now := c.contestAccess.Contest, c.Time()
	thaw, err := clics.ParseTime(*n.Thaw)
	if err != nil {
		return badRequest("%v", err)
	}
	past := !thaw.After(now)
	if past {
		thaw = now
	}
	end, err := c.Store.LastEnd(r.Context(), row)
	if err != nil {
		return err
	}
	switch {
	case row.Freeze == 0:
		return forbidden("the scoreboard of the contest is never frozen")
	case row.Ends().IsZero() || thaw.Before(end):
		return forbidden("the scoreboard cannot be unfrozen before the contest has ended for all teams")
	case !row.Thaw.IsZero() && !now.Before(row.Thaw):
		return forbidden("the scoreboard is unfrozen already")
	}
	row.Thaw = thaw
	return c.storeContest(w, r, "unfreeze the scoreboard", row, func() error {
		if past {
			return c.contestState(w, r)
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	})
}

// contestState responds with the current state of the contest.
func (c *apiClient) contestState(w http.ResponseWriter, r *http.Request) error {
	if err := c.Refresh(r.Context(), 0); err != nil {
		return err
	}
	return c.single(w, clics.Contest)
}

// storeContest stores a changed contest, and then calls answer.
func (c *apiClient) storeContest(w http.ResponseWriter, r *http.Request, action string, row *store.Contest, respond func() error) error {
	err := c.Store.SetContest(r.Context(), row, nil)
	if errors.Is(err, store.ErrChanged) {
		return &status{http.StatusConflict, "the contest has just been changed by another request", "send it again"}
	}
	if err != nil {
		return err
	}
	entry := store.AuditEntry{Actor: c.caller.name(), Action: action, Object: row.Slug, Address: r.RemoteAddr}
	if err := c.Store.Audit(r.Context(), entry); err != nil {
		return err
	}
	return respond()
}
