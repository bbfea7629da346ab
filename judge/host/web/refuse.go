package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/auth"
	"assay/judge/host/desk"
	"assay/judge/host/store"
)

// ErrNotFound is the error for an address that does not exist, or that the caller may not know of.
var ErrNotFound = &desk.Refusal{
	Code: http.StatusNotFound, Text: "page not found", Hint: "check the address, or log in if it belongs to a contest",
}

// ErrLogIn is the error for a caller who must log in. The response is the login page.
var ErrLogIn = errors.New("only users who are logged in may see this")

// BadRequest returns an error for an invalid request.
func BadRequest(format string, args ...any) error {
	return &desk.Refusal{Code: http.StatusBadRequest, Text: fmt.Sprintf(format, args...)}
}

// BadField returns an error of the caller in a field of a form.
func BadField(field, format string, args ...any) error {
	return &desk.Refusal{Code: http.StatusBadRequest, Text: fmt.Sprintf(format, args...), Field: field}
}

// Reason returns the text of a refusal with its hint, as one line for a form's page.
func Reason(r *desk.Refusal) string {
	if r.Hint == "" {
		return r.Text
	}
	return r.Text + ": " + r.Hint
}

// Rejected returns the refusal if err is one that the sender of a form can correct. Otherwise it returns nil.
func Rejected(err error) *desk.Refusal {
	if refusal, is := errors.AsType[*desk.Refusal](err); is && refusal.Code < 500 {
		return refusal
	}
	return nil
}

// refuse responds with an error page. If the error is the server's, the log contains the cause, and the page says
// only that the server failed.
func (s *Site) refuse(w http.ResponseWriter, r *Request, err error) {
	if errors.Is(err, ErrLogIn) {
		if r.Method == http.MethodPost {
			if err := s.ended(w, r); err != nil && r.Context().Err() == nil {
				s.Log.Error("draw a form that came without a session", "path", plainPath(r), "error", err)
			}
			return
		}
		http.Redirect(w, r.Request, "/login?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
		return
	}
	refusal := s.refusal(r, err)
	if refusal == ErrNotFound && r.Me != nil {
		refusal = &desk.Refusal{Code: refusal.Code, Text: refusal.Text, Hint: fmt.Sprintf("check the address. What it names may have been "+
			"removed, or the account %s may not see it: then ask the jury or an administrator.", r.Me.Login)}
	}
	if errors.Is(err, store.ErrStopped) || errors.Is(err, store.ErrAway) || errors.Is(err, blob.ErrAway) {
		w.Header().Set("Retry-After", "5")
	}
	if err := s.Page(w, r, refusal.Code, "refused", refusal.Text,
		refusedView{refusal.Text, refusal.Hint, r.Method != http.MethodGet, r.wayBack()}); err != nil && r.Context().Err() == nil {
		s.Log.Error("draw what went wrong", "path", plainPath(r), "error", err)
		http.Error(w, refusal.Text, refusal.Code)
	}
}

// refusal converts err to the refusal that the error page shows. If the server caused the error, refusal logs err.
func (s *Site) refusal(r *Request, err error) *desk.Refusal {
	refusal, known := errors.AsType[*desk.Refusal](err)
	tooLarge, large := errors.AsType[*http.MaxBytesError](err)
	switch {
	case known:
	case large:
		refusal = &desk.Refusal{Code: http.StatusRequestEntityTooLarge, Text: fmt.Sprintf("what was sent has more than %d bytes", tooLarge.Limit)}
	case r.Context().Err() != nil:
		refusal = &desk.Refusal{Code: http.StatusServiceUnavailable, Text: "the server is ending", Hint: "try again"}
	case errors.Is(err, auth.ErrBusy):
		refusal = &desk.Refusal{Code: http.StatusServiceUnavailable, Text: err.Error()}
	case errors.Is(err, store.ErrNotFound):
		refusal = ErrNotFound
	case errors.Is(err, store.ErrChanged):
		refusal = &desk.Refusal{
			Code: http.StatusConflict, Text: "another person has changed this in the meantime",
			Hint: "load the page again and look at it, then change it",
		}
	case errors.Is(err, store.ErrOver):
		refusal = &desk.Refusal{Code: http.StatusConflict, Text: err.Error(), Hint: "the contest can no longer change"}
	case errors.Is(err, store.ErrTooManyWaiting):
		refusal = &desk.Refusal{Code: http.StatusServiceUnavailable, Text: "too many submissions are waiting", Hint: "try again later"}
	case errors.Is(err, store.ErrStopped):
		refusal = &desk.Refusal{Code: http.StatusServiceUnavailable, Text: store.ErrStopped.Error(), Hint: "nothing was changed: try again in a few seconds"}
	case errors.Is(err, store.ErrAway):
		s.Log.Error("no database", "method", r.Method, "path", plainPath(r), "error", err)
		refusal = &desk.Refusal{Code: http.StatusServiceUnavailable, Text: store.ErrAway.Error(), Hint: "try again in a few seconds"}
	case errors.Is(err, blob.ErrAway):
		s.Log.Error("no shared files", "method", r.Method, "path", plainPath(r), "error", err)
		refusal = &desk.Refusal{Code: http.StatusServiceUnavailable, Text: blob.ErrAway.Error(), Hint: "try again in a few seconds"}
	case errors.Is(err, store.ErrFull) || errors.Is(err, syscall.ENOSPC):
		s.Log.Error("no room", "method", r.Method, "path", plainPath(r), "error", err)
		refusal = &desk.Refusal{Code: http.StatusServiceUnavailable, Text: "the server's disk is full", Hint: "tell the server's administrator"}
	case judge.Whose(err) == judge.Caller:
		refusal = &desk.Refusal{Code: http.StatusBadRequest, Text: err.Error()}
	default:
		s.Log.Error("request failed", "method", r.Method, "path", plainPath(r), "error", err)
		refusal = &desk.Refusal{
			Code: http.StatusInternalServerError, Text: "the server could not do this",
			Hint: "tell the server's administrator: its log says why",
		}
	}
	return refusal
}

// wayBack returns a link to the page that contained the link or form of a failed request. If that page is unknown,
// it returns a link to the contest, hole or ladder in the address. It returns nil if the address contains none of
// these.
func (r *Request) wayBack() *Tab {
	if from := r.back(); from != "/" && from != r.URL.RequestURI() {
		return &Tab{Link: from, Name: "Back"}
	}
	if r.Access == nil {
		return nil
	}
	head, err := r.Access.Head(r)
	if err != nil || head.Nav.Place == nil || head.Nav.Place.Link == r.URL.Path {
		return nil
	}
	return &Tab{Link: head.Nav.Place.Link, Name: "Back to " + head.Nav.Place.Name}
}

// plainPath returns the path of a request for the log. It omits an invitation's code, which is a secret.
func plainPath(r *Request) string { return strings.TrimSuffix(r.URL.Path, r.PathValue("code")) }
