// Package web is the frame of the pages that a server shows in browsers: sessions, routes, forms,
// streams and templates. The pages themselves are in the packages below it, which it never imports:
// each returns its Pages, and New joins them. Pages work without scripts, and streams make them live.
// Package auth decides who may see a page; each route names its action. This package makes no decision
// about judging and stores nothing.
package web

import (
	"html/template"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/board"
	"assay/judge/host/desk"
	"assay/judge/host/ladder"
	"assay/judge/host/signon"
)

// Options configure the pages of a server.
type Options struct {
	*desk.Desk
	Name      string // of the server
	Version   string
	URL       string // by which others reach the server
	Address   string // the URL for the command line, with the fingerprint of a certificate
	Passwords *auth.Passwords
	Boards    *board.Hall // its pages are framed by package contest
	Log       *slog.Logger
	// Secure reports whether browsers reach the server by HTTPS only.
	Secure bool
	// KeepAlive is the longest pause of a stream. Zero means 15 seconds.
	KeepAlive time.Duration
	// Backups returns the state of the nightly backups. If nil, there are none.
	Backups func() Backups
	// Uploaded is called after a package upload has been stored. If nil, uploads are disabled.
	Uploaded func()
	// SignOn is the provider by which people log in. If nil, they log in with passwords alone.
	SignOn *signon.Provider
	// Ladders is the service that runs the ladders. If nil, there are none.
	Ladders *ladder.Keeper
}

// Backups is the state of the nightly backups.
type Backups struct {
	On                 bool
	Folder             string
	Last, Next         time.Time // Last is zero if there is none
	Keep, Kept, Failed int
	Wrong              string // error of the last one
}

// Late reports whether the last backup failed or is older than a night, with some hours for a machine
// that was off.
func (b Backups) Late(now time.Time) bool {
	return b.Wrong != "" || !b.Last.IsZero() && now.Sub(b.Last) > 26*time.Hour
}

// A Site serves the web pages.
type Site struct {
	Options
	proof     desk.Turns // of networks, for checks of passwords and codes
	mux       *http.ServeMux
	templates []Templates
	// expiredForms has a place for each form that is kept while the login page is drawn; see ended.
	expiredForms chan struct{}
	statements   desk.Memo[StatementKey, template.HTML] // as Statement draws them
}

// A Route is a page, or the target of a form. The action decides who may use it, in the state of what
// the address names.
type Route struct {
	Pattern string // of http.ServeMux
	Action  auth.Action
	Handle  Handler
	confirm bool // the caller confirms the password before
	find    func(*Request) (Access, error)
}

// A Handler answers a request. It returns an error before it has written anything.
type Handler func(http.ResponseWriter, *Request) error

// Handle returns a route.
func Handle(pattern string, action auth.Action, h Handler) Route {
	return Route{Pattern: pattern, Action: action, Handle: h}
}

// HandleForm returns a route for a small form, which is read before the handler is called.
func HandleForm(pattern string, action auth.Action, h Handler) Route {
	return Handle(pattern, action, func(w http.ResponseWriter, r *Request) error {
		if err := ReadForm(w, r, SmallForm); err != nil {
			return err
		}
		return h(w, r)
	})
}

// Confirmed returns the route for an action that cannot be undone or that gives an account more rights:
// the caller confirms the password first, because the session may be one that was left open.
func (rt Route) Confirmed() Route {
	rt.confirm = true
	return rt
}

// Pages are the pages of a package.
type Pages struct {
	Routes    []Route
	Templates Templates
	// Find resolves what the address of a request names. If there is nothing to resolve, it returns nil.
	// It may return both: what it has resolved before the error. If nil, no route names anything.
	Find func(*Request) (Access, error)
}

// New returns the handler of some pages.
func New(o Options, parts ...func(*Site) Pages) http.Handler {
	if o.KeepAlive == 0 {
		o.KeepAlive = 15 * time.Second
	}
	s := &Site{
		Options: o, proof: desk.Turns{Restless: true}, mux: http.NewServeMux(),
	}
	s.expiredForms = make(chan struct{}, max(1, heldForms/s.mostKept()))
	s.add(Shared(s))
	for _, part := range parts {
		s.add(part(s))
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		asked := &Request{Request: r}
		s.Pace(r)
		_ = s.authenticate(w, asked) // if it fails, the page is drawn as for anonymous readers
		s.refuse(w, asked, ErrNotFound)
	})
	return headers(s, http.NewCrossOriginProtection().Handler(s.mux))
}

// Shared returns the routes and templates that all pages share.
func Shared(s *Site) Pages {
	return Pages{
		Templates: templates,
		Routes:    []Route{Handle("GET /static/{file}", auth.Enter, s.static), Handle("GET /events", auth.Enter, s.events)},
	}
}

// add adds the pages of a package.
func (s *Site) add(p Pages) {
	s.templates = append(s.templates, p.Templates)
	for _, rt := range p.Routes {
		rt.find = p.Find
		s.mux.HandleFunc(rt.Pattern, func(w http.ResponseWriter, r *http.Request) {
			asked := &Request{Request: r}
			if err := s.run(w, asked, rt); err != nil {
				s.refuse(w, asked, err)
			}
		})
	}
}

// headers sets the security headers of every response.
func headers(s *Site, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if s.Secure {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		next.ServeHTTP(w, r)
	})
}

// run authenticates the caller, resolves the address, checks the permission, and calls the handler.
func (s *Site) run(w http.ResponseWriter, r *Request, rt Route) error {
	if err := s.authenticate(w, r); err != nil {
		return err
	}
	if turns, who := s.turns(r, rt); turns != nil {
		turn, err := turns.Wait(r.Context(), who)
		if err != nil {
			return err
		}
		defer turn.End()
		r.turn, w = turn, &served{w, r}
	} else if _, within := w.(*topicWriter); !within {
		s.Pace(r.Request)
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
		return s.bounded(w, r, rt)
	}
	if s.Sweeping != nil && names(r, rt) {
		r.pinBlobs(s.Sweeping)
		defer r.unpinBlobs()
	}
	defer func() {
		if r.MultipartForm != nil {
			_ = r.MultipartForm.RemoveAll() // its files are in a directory of the system
		}
	}()
	return rt.Handle(w, r)
}

// resolve resolves what the address names, and checks that the caller may do the action of the route.
func (s *Site) resolve(r *Request, rt Route) (err error) {
	if rt.find != nil {
		if r.Access, err = rt.find(r); err != nil {
			return err
		}
	}
	return r.Allow(rt.Action)
}
