package web

import (
	"net/http"
	"strings"
	"sync"

	"assay/judge/host/auth"
	"assay/judge/host/desk"
)

// turns says among which turns a request is answered, and in whose: the account's, or the
// network's if the caller is not logged in. They are nil for streams, which mostly wait, and for files
// that do not change or that a scoreboard has many of: these only have a pace.
func (s *Site) turns(r *Request, rt Route) (*desk.Turns, string) {
	switch of := desk.Network(r.RemoteAddr).String(); {
	case strings.HasSuffix(rt.Pattern, "/events") || rt.Pattern == "GET /static/{file}" || rt.Pattern == "GET /c/{slug}/media/{path...}":
		return nil, ""
	case rt.Action == auth.Enter && (r.Method != http.MethodGet || strings.HasPrefix(rt.Pattern,
		"GET "+SignOnPath)): // people who log in do not hold up people who read
		return &s.proof, of
	case r.Me != nil:
		return &s.Turns, desk.AccountTurn(r.Me)
	default:
		return &s.Turns, of
	}
}

// names reports whether a request may name blobs: none is removed in the meantime. Those that
// do not may take as long as passwords do, and those that erase wait for a removal themselves.
func names(r *Request, rt Route) bool {
	return r.Method != http.MethodGet && rt.Action != auth.Enter && rt.Action != auth.BeMyself && rt.Action != auth.Accounts
}

// pinBlobs keeps blobs from being removed until unpinBlobs.
func (r *Request) pinBlobs(sweeping *sync.RWMutex) {
	sweeping.RLock()
	r.sweeping = sweeping
}

func (r *Request) unpinBlobs() {
	if r.sweeping != nil {
		r.sweeping.RUnlock()
		r.sweeping = nil
	}
}

// Yield calls read, which may take as long as the sender does. Meanwhile the caller's other requests have
// their turn, and blobs may be removed.
func (r *Request) Yield(read func() error) (err error) {
	if sweeping := r.sweeping; sweeping != nil {
		r.unpinBlobs()
		defer r.pinBlobs(sweeping)
	}
	if r.turn == nil {
		return read()
	}
	if again := r.turn.Aside(r.Context(), func() { err = read() }); err == nil {
		err = again
	}
	return err
}

// served writes an answer, which is made by then: its turn is over, however slowly it is read.
type served struct {
	http.ResponseWriter
	r *Request
}

// Write writes a part of an answer.
func (s *served) Write(p []byte) (int, error) {
	s.r.unpinBlobs()
	s.r.turn.Pass()
	return s.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (s *served) Unwrap() http.ResponseWriter { return s.ResponseWriter }
