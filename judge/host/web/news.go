package web

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"assay/judge/host/auth"
)

// newsView is what waits for somebody to be read or answered.
type newsView struct {
	Count int
	Words string
}

// toRead counts what waits for the caller: of staff questions, of others answers.
func (s *site) toRead(r *ask) (v newsView, err error) {
	if r.can(auth.Answer) {
		v.Words = "without an answer"
		v.Count, err = s.Store.OpenQuestions(r.Context(), r.seat.Contest.ID)
		return v, err
	}
	v.Words = "new"
	v.Count, err = s.Store.Unread(r.Context(), r.seat.Contest.ID, readable(r).Team, r.me.ID)
	return v, err
}

// newsPart draws what stands in the head of each page of a contest.
func (s *site) newsPart(r *ask) (string, error) {
	v, err := s.toRead(r)
	if err != nil {
		return "", err
	}
	all, err := templates()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = all["clar"].ExecuteTemplate(&b, "news", v)
	return b.String(), err
}

// heard knows the number of the last clarification of each contest, and asks for it at most
// twice a second, however many browsers listen; and how often this server had a question claimed
// or released.
type heard struct {
	mu sync.Mutex
	by map[string]*lastHeard // by the id of the contest
}

type lastHeard struct {
	mu     sync.Mutex
	at     time.Time
	number int64
	claims atomic.Int64
}

const hearEvery = 500 * time.Millisecond

func newHeard() *heard { return &heard{by: map[string]*lastHeard{}} }

func (h *heard) of(contest string) *lastHeard {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.by[contest]
	if one == nil {
		one = &lastHeard{}
		h.by[contest] = one
	}
	return one
}

func (h *heard) last(ctx context.Context, contest string, ask func(context.Context, string) (int64, error)) (int64, error) {
	one := h.of(contest)
	one.mu.Lock()
	defer one.mu.Unlock()
	if time.Since(one.at) < hearEvery {
		return one.number, nil
	}
	number, err := ask(ctx, contest)
	if err == nil {
		one.number, one.at = number, time.Now()
	}
	return one.number, err
}

// newsEvents tells a browser of new clarifications, as they come, and one of the staff of claims.
func (s *site) newsEvents(w http.ResponseWriter, r *ask) error {
	send, ok := stream(w)
	if !ok {
		return nil
	}
	var known, claims int64 = -1, 0
	told := time.Now()
	for {
		last, err := s.heard.last(r.Context(), r.seat.Contest.ID, s.Store.LastClarification)
		now := claims
		if r.can(auth.Answer) {
			now = s.heard.of(r.seat.Contest.ID).claims.Load()
		}
		changed := last != known || now != claims
		var part string
		if err == nil && changed {
			part, err = s.newsPart(r)
		}
		switch {
		case err != nil:
			if r.Context().Err() == nil {
				s.Log.Error("tell of clarifications", "contest", r.seat.Contest.ID, "error", err)
			}
			return nil // the browser asks again
		case changed:
			if !send(event("news", part)) {
				return nil
			}
			known, claims, told = last, now, time.Now()
		case time.Since(told) > s.KeepAlive:
			if !send(": still here\n\n") {
				return nil
			}
			told = time.Now()
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-time.After(hearEvery):
		}
	}
}
