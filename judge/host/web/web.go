// Package web is the framework for the web pages of a server: sessions, routes, forms, streams and templates. The
// pages themselves are in the packages below it, which it never imports: each returns its Pages, and New combines
// them. Pages work without scripts, and streams keep them up to date. Each route names an action, and package auth
// decides who may perform it. This package does not make judging decisions and stores nothing.
package web

import (
	"html/template"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/ladder"
	"assay/judge/host/scoreboard"
	"assay/judge/host/signon"
)

// Options configure the pages of a server.
type Options struct {
	*intake.Service
	Name        string // name of the server
	Version     string
	URL         string // address by which users reach the server
	Address     string // URL for the command line, with a certificate's fingerprint
	Passwords   *auth.Passwords
	Scoreboards *scoreboard.Registry // package contest renders the page around them
	Log         *slog.Logger
	// Secure reports whether browsers reach the server only over HTTPS.
	Secure bool
	// KeepAlive is the maximum time between two messages of a stream. Zero means 15 seconds.
	KeepAlive time.Duration
	// Backups returns the state of the nightly backups. If nil, there are no backups.
	Backups func() Backups
	// OnUpload is called after a package upload has been stored. If nil, uploads are disabled.
	OnUpload func()
	// SignOn is the single sign-on provider. If nil, users log in only with passwords.
	SignOn *signon.Provider
	// Ladders is the service that runs the ladders. If nil, ladders are disabled.
	Ladders *ladder.Service
}

// Backups is the state of the nightly backups.
type Backups struct {
	On                      bool
	Dir                     string
	Last, Next              time.Time // Last is zero if there was none
	Keep, Kept, FailedCount int
	Error                   string // error of the last backup; may be empty
}

// Late reports whether the last backup failed or is more than 26 hours old. That is one day, and two hours for a
// machine that was off.
func (b Backups) Late(now time.Time) bool {
	return b.Error != "" || !b.Last.IsZero() && now.Sub(b.Last) > 26*time.Hour
}

// A Site serves the web pages.
type Site struct {
	Options
	credentialChecks intake.RequestQueue // of networks, for password and code checks
	mux              *http.ServeMux
	templates        []Templates
	// expiredForms limits the number of forms that are kept at once while the login page is rendered. It contains
	// one value for each of them; see ended.
	expiredForms chan struct{}
	statements   intake.Cache[StatementKey, template.HTML] // rendered by Statement
}

// A Route is a page, or the target of a form. Its action determines who may use it, depending on the object in the
// address.
type Route struct {
	Pattern    string // for http.ServeMux
	Action     auth.Action
	Handle     Handler
	confirm    bool // the caller must confirm the password
	findAccess func(*Request) (Access, error)
}

// A Handler handles a request. If it returns an error, it must not have written a response.
type Handler func(http.ResponseWriter, *Request) error

// Handle returns a route.
func Handle(pattern string, action auth.Action, h Handler) Route {
	return Route{Pattern: pattern, Action: action, Handle: h}
}

// HandleForm returns a route for a small form, which it reads before it calls the handler.
func HandleForm(pattern string, action auth.Action, h Handler) Route {
	return Handle(pattern, action, func(w http.ResponseWriter, r *Request) error {
		if err := ReadForm(w, r, MaxSmallForm); err != nil {
			return err
		}
		return h(w, r)
	})
}

// WithConfirmation returns the route for an action that is irreversible or gives an account more rights. The caller must
// confirm the password first, because a session may have been left open.
func (rt Route) WithConfirmation() Route {
	rt.confirm = true
	return rt
}

// Pages holds the pages of a package.
type Pages struct {
	Routes    []Route
	Templates Templates
	// Find resolves the object in the address of a request. It returns nil, nil if the address names no object. If
	// it returns an error, it may also return the part of the object that it has resolved. If Find is nil, the
	// addresses of these pages name no objects.
	Find func(*Request) (Access, error)
}

// New returns a handler for the pages.
func New(o Options, packages ...func(*Site) Pages) http.Handler {
	if o.KeepAlive == 0 {
		o.KeepAlive = 15 * time.Second
	}
	s := &Site{
		Options: o, credentialChecks: intake.RequestQueue{NoPauses: true}, mux: http.NewServeMux(),
	}
	s.expiredForms = make(chan struct{}, max(1, maxKeptBytes/s.maxKeptForm()))
	s.addPages(SharedPages(s))
	for _, part := range packages {
		s.addPages(part(s))
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		request := &Request{Request: r}
		s.PaceNetwork(r)
		_ = s.authenticate(w, request) // if it fails, the page is rendered as for anonymous readers
		s.renderError(w, request, ErrNotFound)
	})
	return withSecurityHeaders(s, http.NewCrossOriginProtection().Handler(s.mux))
}

// SharedPages returns the routes and templates shared by all pages.
func SharedPages(s *Site) Pages {
	return Pages{
		Templates: templates,
		Routes:    []Route{Handle("GET /static/{file}", auth.UseSite, s.static), Handle("GET /events", auth.UseSite, s.multiplexEvents)},
	}
}

// addPages adds the pages of a package.
func (s *Site) addPages(p Pages) {
	s.templates = append(s.templates, p.Templates)
	for _, rt := range p.Routes {
		rt.findAccess = p.Find
		s.mux.HandleFunc(rt.Pattern, func(w http.ResponseWriter, r *http.Request) {
			request := &Request{Request: r}
			if err := s.run(w, request, rt); err != nil {
				s.renderError(w, request, err)
			}
		})
	}
}

// withSecurityHeaders returns a handler that sets the security headers of every response.
func withSecurityHeaders(s *Site, handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set(
			"Content-Security-Policy",
			"default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'",
		)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if s.Secure {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		handler.ServeHTTP(w, r)
	})
}

// run authenticates the caller, resolves the address, checks the permission, and calls the handler.
func (s *Site) run(w http.ResponseWriter, r *Request, rt Route) error {
	if err := s.authenticate(w, r); err != nil {
		return err
	}
	if turns, owner := s.requestQueue(r, rt); turns != nil {
		turn, err := turns.Wait(r.Context(), owner)
		if err != nil {
			return err
		}
		defer turn.End()
		r.slot, w = turn, &slotWriter{w, r}
	} else if _, nested := w.(*topicWriter); !nested {
		s.PaceNetwork(r.Request)
	}
	if err := s.resolve(r, rt); err != nil {
		return err
	}
	if rt.confirm {
		if confirmed, err := s.confirmPassword(w, r); err != nil || !confirmed {
			return err
		}
	}
	if strings.HasSuffix(rt.Pattern, "/events") {
		return s.limitStreams(w, r, rt)
	}
	if s.CollectLock != nil && mayReferToBlobs(r, rt) {
		r.pinBlobs(s.CollectLock)
		defer r.unpinBlobs()
	}
	defer func() {
		if r.MultipartForm != nil {
			_ = r.MultipartForm.RemoveAll() // its files are in the system's temporary directory
		}
	}()
	return rt.Handle(w, r)
}

// resolve resolves the object in the address, and checks that the caller may perform the route's action on it.
func (s *Site) resolve(r *Request, rt Route) (err error) {
	if rt.findAccess != nil {
		if r.Access, err = rt.findAccess(r); err != nil {
			return err
		}
	}
	return r.CheckPermission(rt.Action)
}
