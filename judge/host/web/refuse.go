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
	"assay/judge/host/intake"
	"assay/judge/host/store"
)

// ErrNotFound is the error for an address that does not exist, or that the caller may not know of.
var ErrNotFound = &intake.Refusal{
	Code: http.StatusNotFound, Text: "page not found", Hint: "check the address, or log in if it belongs to a contest",
}

// ErrLoginRequired is the error for a caller who must log in. The response is the login page.
var ErrLoginRequired = errors.New("only users who are logged in may see this")

// BadRequest returns an error for an invalid request.
func BadRequest(format string, args ...any) error {
	return &intake.Refusal{Code: http.StatusBadRequest, Text: fmt.Sprintf(format, args...)}
}

// BadField returns an error of the caller in a field of a form.
func BadField(field, format string, args ...any) error {
	return &intake.Refusal{Code: http.StatusBadRequest, Text: fmt.Sprintf(format, args...), Field: field}
}

// RefusalText returns the text of a refusal with its hint, as one line for a form's page.
func RefusalText(r *intake.Refusal) string {
	if r.Hint == "" {
		return r.Text
	}
	return r.Text + ": " + r.Hint
}

// AsRefusal returns the refusal if err is one that the sender of a form can correct. Otherwise it returns nil.
func AsRefusal(err error) *intake.Refusal {
	if refusal, isRefusal := errors.AsType[*intake.Refusal](err); isRefusal && refusal.Code < 500 {
		return refusal
	}
	return nil
}

// renderError responds with an error page. If the error is the server's, the log contains the cause, and the page says
// only that the server failed.
func (s *Site) renderError(w http.ResponseWriter, r *Request, err error) {
	if errors.Is(err, ErrLoginRequired) {
		if r.Method == http.MethodPost {
			if err := s.requireLogin(w, r); err != nil && r.Context().Err() == nil {
				s.Log.Error("draw a form that came without a session", "path", logPath(r), "error", err)
			}
			return
		}
		http.Redirect(w, r.Request, "/login?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
		return
	}
	refusal := s.refusalOf(r, err)
	if refusal == ErrNotFound && r.Me != nil {
		refusal = &intake.Refusal{
			Code: refusal.Code, Text: refusal.Text,
			Hint: fmt.Sprintf("check the address. What it names may have been "+
				"removed, or the account %s may not see it: then ask the jury or an administrator.", r.Me.Login),
		}
	}
	if errors.Is(err, store.ErrStopped) || errors.Is(err, store.ErrUnavailable) || errors.Is(err, blob.ErrAway) {
		w.Header().Set("Retry-After", "5")
	}
	if err := s.RenderPage(w, r, refusal.Code, "refused", refusal.Text,
		errorView{refusal.Text, refusal.Hint, r.Method != http.MethodGet, r.backLink()}); err != nil && r.Context().Err() == nil {
		s.Log.Error("draw what went wrong", "path", logPath(r), "error", err)
		http.Error(w, refusal.Text, refusal.Code)
	}
}

// refusalOf converts err to the refusal that the error page shows. If the server caused the error, refusal logs err.
func (s *Site) refusalOf(r *Request, err error) *intake.Refusal {
	refusal, isRefusal := errors.AsType[*intake.Refusal](err)
	tooLarge, large := errors.AsType[*http.MaxBytesError](err)
	switch {
	case isRefusal:
	case large:
		refusal = &intake.Refusal{
			Code: http.StatusRequestEntityTooLarge,
			Text: fmt.Sprintf("what was sent has more than %d bytes", tooLarge.Limit),
		}
	case r.Context().Err() != nil:
		refusal = &intake.Refusal{Code: http.StatusServiceUnavailable, Text: "the server is ending", Hint: "try again"}
	case errors.Is(err, auth.ErrBusy):
		refusal = &intake.Refusal{Code: http.StatusServiceUnavailable, Text: err.Error()}
	case errors.Is(err, store.ErrNotFound):
		refusal = ErrNotFound
	case errors.Is(err, store.ErrChanged):
		refusal = &intake.Refusal{
			Code: http.StatusConflict, Text: "another person has changed this in the meantime",
			Hint: "load the page again and look at it, then change it",
		}
	case errors.Is(err, store.ErrResultsPublic):
		refusal = &intake.Refusal{Code: http.StatusConflict, Text: err.Error(), Hint: "the contest can no longer change"}
	case errors.Is(err, store.ErrTooManyWaiting):
		refusal = &intake.Refusal{Code: http.StatusServiceUnavailable, Text: "too many submissions are waiting", Hint: "try again later"}
	case errors.Is(err, store.ErrStopped):
		refusal = &intake.Refusal{
			Code: http.StatusServiceUnavailable, Text: store.ErrStopped.Error(),
			Hint: "nothing was changed: try again in a few seconds",
		}
	case errors.Is(err, store.ErrUnavailable):
		s.Log.Error("no database", "method", r.Method, "path", logPath(r), "error", err)
		refusal = &intake.Refusal{
			Code: http.StatusServiceUnavailable, Text: store.ErrUnavailable.Error(),
			Hint: "try again in a few seconds",
		}
	case errors.Is(err, blob.ErrAway):
		s.Log.Error("no shared files", "method", r.Method, "path", logPath(r), "error", err)
		refusal = &intake.Refusal{Code: http.StatusServiceUnavailable, Text: blob.ErrAway.Error(), Hint: "try again in a few seconds"}
	case errors.Is(err, store.ErrDiskFull) || errors.Is(err, syscall.ENOSPC):
		s.Log.Error("no room", "method", r.Method, "path", logPath(r), "error", err)
		refusal = &intake.Refusal{
			Code: http.StatusServiceUnavailable, Text: "the server's disk is full",
			Hint: "tell the server's administrator",
		}
	case judge.BlameOf(err) == judge.Caller:
		refusal = &intake.Refusal{Code: http.StatusBadRequest, Text: err.Error()}
	default:
		s.Log.Error("request failed", "method", r.Method, "path", logPath(r), "error", err)
		refusal = &intake.Refusal{
			Code: http.StatusInternalServerError, Text: "the server could not do this",
			Hint: "tell the server's administrator: its log says why",
		}
	}
	return refusal
}

// backLink returns a link to the page that contained the link or form of a failed request. If that page is unknown,
// it returns a link to the contest, hole or ladder in the address. It returns nil if the address contains none of
// these.
func (r *Request) backLink() *Tab {
	if path := r.referrerPath(); path != "/" && path != r.URL.RequestURI() {
		return &Tab{Link: path, Name: "Back"}
	}
	if r.Access == nil {
		return nil
	}
	head, err := r.Access.Head(r)
	if err != nil || head.Nav.Object == nil || head.Nav.Object.Link == r.URL.Path {
		return nil
	}
	return &Tab{Link: head.Nav.Object.Link, Name: "Back to " + head.Nav.Object.Name}
}

// logPath returns the path of a request for the log. It omits an invitation's code, which is a secret.
func logPath(r *Request) string { return strings.TrimSuffix(r.URL.Path, r.PathValue("code")) }
