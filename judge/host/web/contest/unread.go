package contest

import (
	"html/template"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// A clarificationCache caches the number of each contest's newest clarification, and counts claims on this server.
// It queries the database at most twice a second.
type clarificationCache struct {
	web.NumberCache
	claims sync.Map // maps contest ids to *atomic.Int64
}

// claimCounter returns the claim counter of a contest.
func (c *clarificationCache) claimCounter(contest string) *atomic.Int64 {
	n, _ := c.claims.LoadOrStore(contest, &atomic.Int64{})
	return n.(*atomic.Int64)
}

// unreadEvents streams the number of unread clarifications to a browser. It sends the number again when there is a
// new clarification and, for the jury, when a request is claimed or released.
func (s *site) unreadEvents(w http.ResponseWriter, r *web.Request) error {
	send, ok := web.OpenStream(w)
	if !ok {
		return nil
	}
	var lastNumber, claims int64 = -1, 0
	lastSent := time.Now()
	for {
		newest, err := s.clarificationNumbers.Last(r.Context(), access.Of(r).Contest.ID, s.Store.LastClarification)
		now := claims
		if r.Can(auth.AnswerClarification) {
			now = s.clarificationNumbers.claimCounter(access.Of(r).Contest.ID).Load()
		}
		changed := newest != lastNumber || now != claims
		var part template.HTML
		if err == nil && changed {
			var unread web.UnreadCount
			if unread, err = access.Of(r).Unread(r.Context()); err == nil {
				part, err = s.RenderPart("clarifications", "news", unread) // as in the head of the contest's pages
			}
		}
		switch {
		case err != nil:
			if r.Context().Err() == nil {
				s.Log.Error("stream clarifications", "contest", access.Of(r).Contest.ID, "error", err)
			}
			return nil // the browser reconnects
		case changed:
			if !send(web.FormatEvent("news", string(part))) {
				return nil
			}
			lastNumber, claims, lastSent = newest, now, time.Now()
		case time.Since(lastSent) > s.KeepAlive:
			if !send(": still here\n\n") {
				return nil
			}
			lastSent = time.Now()
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-time.After(web.PollEvery):
		}
	}
}
