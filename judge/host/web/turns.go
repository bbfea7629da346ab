package web

import (
	"net/http"
	"strings"
	"sync"

	"assay/judge/host/auth"
	"assay/judge/host/desk"
)

// turns returns the queue in which a request waits for its turn, and the owner of the turn: the account or, if the
// caller is not logged in, the network. The queue is nil for streams, because they mostly wait for events, and for
// static and media files. Only the rate of such requests is limited.
func (s *Site) turns(r *Request, rt Route) (*desk.Turns, string) {
	switch of := desk.Network(r.RemoteAddr).String(); {
	case strings.HasSuffix(rt.Pattern, "/events") || rt.Pattern == "GET /static/{file}" || rt.Pattern == "GET /c/{slug}/media/{path...}":
		return nil, ""
	case rt.Action == auth.Enter && (r.Method != http.MethodGet || strings.HasPrefix(rt.Pattern,
		"GET "+SignOnPath)): // logins do not delay readers
		return &s.proof, of
	case r.Me != nil:
		return &s.Turns, desk.AccountTurn(r.Me)
	default:
		return &s.Turns, of
	}
}

// names reports whether a request may refer to blobs, which must not be removed meanwhile. It returns false for
// logins and account actions, because checking a password takes long. It also returns false for account deletions,
// because they wait for blobs to be removed.
func names(r *Request, rt Route) bool {
	return r.Method != http.MethodGet && rt.Action != auth.Enter && rt.Action != auth.BeMyself && rt.Action != auth.Accounts
}

// pinBlobs prevents garbage collection until unpinBlobs is called.
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

// Yield calls read, which may take as long as the sender wishes. While read runs, other requests of the caller get
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

// served is a response writer that ends the request's turn before it writes. A client that reads the response
// slowly therefore does not keep the turn.
type served struct {
	http.ResponseWriter
	r *Request
}

// Write ends the turn and writes a part of the response.
func (s *served) Write(p []byte) (int, error) {
	s.r.unpinBlobs()
	s.r.turn.Pass()
	return s.ResponseWriter.Write(p)
}

// Unwrap supports http.ResponseController.
func (s *served) Unwrap() http.ResponseWriter { return s.ResponseWriter }
