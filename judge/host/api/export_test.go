package api

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
)

// Routed is like New, but sets the interval after which an idle stream sends a comment.
var Routed = newHandler

// Patterns returns the patterns of all routes.
func Patterns() (all []string) {
	for _, r := range routes {
		all = append(all, r.patternPath())
	}
	return all
}

// StatusOf returns the status, the text and the Retry-After header of the response to err.
func StatusOf(err error) (code int, text, after string) {
	w := httptest.NewRecorder()
	a := &api{Options: Options{Log: slog.New(slog.DiscardHandler)}}
	s := a.statusOf(w, httptest.NewRequest(http.MethodGet, "/", nil), err)
	return s.code, s.text, w.Header().Get("Retry-After")
}
