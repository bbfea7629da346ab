package web

import (
	"net/http"
	"strings"
	"sync"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
)

// requestQueue returns the queue in which a request waits for its turn, and the owner of the turn: the account or, if the
// caller is not logged in, the network. The queue is nil for streams, because they mostly wait for events, and for
// static and media files. Only the rate of such requests is limited.
func (s *Site) requestQueue(r *Request, rt Route) (*intake.RequestQueue, string) {
	switch network := intake.Network(r.RemoteAddr).String(); {
	case strings.HasSuffix(rt.Pattern, "/events") || rt.Pattern == "GET /static/{file}" || rt.Pattern == "GET /c/{slug}/media/{path...}":
		return nil, ""
	case rt.Action == auth.UseSite && (r.Method != http.MethodGet || strings.HasPrefix(rt.Pattern,
		"GET "+SignOnPath)): // logins do not delay readers
		return &s.credentialChecks, network
	case r.Me != nil:
		return &s.AccountQueue, intake.AccountKey(r.Me)
	default:
		return &s.AccountQueue, network
	}
}

// mayReferToBlobs reports whether a request may refer to blobs, which must not be removed meanwhile. It returns false for
// logins and account actions, because checking a password takes long. It also returns false for account deletions,
// because they wait for blobs to be removed.
func mayReferToBlobs(r *Request, rt Route) bool {
	return r.Method != http.MethodGet && rt.Action != auth.UseSite && rt.Action != auth.ManageOwnAccount && rt.Action != auth.ManageAccounts
}

// pinBlobs prevents garbage collection until unpinBlobs is called.
func (r *Request) pinBlobs(lock *sync.RWMutex) {
	lock.RLock()
	r.garbageLock = lock
}

func (r *Request) unpinBlobs() {
	if r.garbageLock != nil {
		r.garbageLock.RUnlock()
		r.garbageLock = nil
	}
}

// Yield calls read, which may take as long as the sender wishes. While read runs, other requests of the caller get
// their turn, and blobs may be removed.
func (r *Request) Yield(read func() error) (err error) {
	if sweeping := r.garbageLock; sweeping != nil {
		r.unpinBlobs()
		defer r.pinBlobs(sweeping)
	}
	if r.slot == nil {
		return read()
	}
	if acquireErr := r.slot.Yield(r.Context(), func() { err = read() }); err == nil {
		err = acquireErr
	}
	return err
}

// slotWriter is a response writer that ends the request's turn before it writes. A client that reads the response
// slowly therefore does not keep the turn.
type slotWriter struct {
	http.ResponseWriter
	r *Request
}

// Write ends the turn and writes a part of the response.
func (s *slotWriter) Write(p []byte) (int, error) {
	s.r.unpinBlobs()
	s.r.slot.Release()
	return s.ResponseWriter.Write(p)
}

// Unwrap supports http.ResponseController.
func (s *slotWriter) Unwrap() http.ResponseWriter { return s.ResponseWriter }
