// Package web answers browsers: pages drawn from templates, which work without scripts, and
// streams that make them live. Who may see a page stands in one table, that of package auth;
// each row of routes here names its action. It decides nothing of judging and keeps nothing.
package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/board"
	"assay/judge/host/desk"
	"assay/judge/host/ladder"
	"assay/judge/host/store"
)

// Options are what the pages are made from.
type Options struct {
	*desk.Desk
	Name      string // of the server
	Version   string
	URL       string // by which others reach the server
	Address   string // the same as the command line wants it, with the fingerprint of a certificate
	Passwords *auth.Passwords
	Boards    *board.Hall // its frame is Frame
	Log       *slog.Logger
	// Secure says that browsers reach the server by HTTPS alone.
	Secure bool
	// KeepAlive is after how long a stream that has nothing to say says so; 0 is 15 s.
	KeepAlive time.Duration
	// Backups says how the nightly backups do; nil is for there are none.
	Backups func() Backups
	// Uploaded tells the server that a package was brought; nil is for nobody may bring one.
	Uploaded func()
	// Ladders keeps the ladders; nil is for there are none.
	Ladders *ladder.Keeper
}

// site answers.
type site struct {
	Options
	tries *tries
	proof desk.Turns // of networks, for what is checked of passwords and codes
	doors doors
	heard *heard
	mux   *http.ServeMux // of all routes
	// expiredForms has a place for each form that is read to be kept; see keepForm.
	expiredForms chan struct{}
}

// route is a row of the table of routes. The action says who may ask; of a route with a slug,
// in the contest's state.
type route struct {
	pattern string
	action  auth.Action
	answer  func(s *site, w http.ResponseWriter, r *ask) error
}

var routes = []route{
	{"GET /{$}", auth.Enter, (*site).home},
	{"GET /static/{file}", auth.Enter, (*site).static},
	{"GET /events", auth.Enter, (*site).events},
	{"GET /setup", auth.Enter, (*site).setup},
	{"POST /setup", auth.Enter, (*site).setUp},
	{"GET /login", auth.Enter, (*site).login},
	{"POST /login", auth.Enter, (*site).logIn},
	{"POST /logout", auth.Enter, (*site).logOut},
	{"GET /invite/{code}", auth.Enter, (*site).invited},
	{"POST /invite/{code}", auth.Enter, (*site).accept},
	{"GET /register", auth.Enter, (*site).register},
	{"POST /register", auth.Enter, (*site).registerNow},
	{"GET /account", auth.BeMyself, (*site).account},
	{"POST /account/password", auth.BeMyself, (*site).setPassword},
	{"POST /account/tokens", auth.BeMyself, (*site).newToken},
	{"POST /account/tokens/{id}/revoke", auth.BeMyself, (*site).revokeToken},
	{"POST /account/sessions/end", auth.BeMyself, (*site).endSessions},
	{"GET /account/erase", auth.BeMyself, (*site).askErase},
	{"POST /account/erase", auth.BeMyself, (*site).erase},
	{"GET /admin/accounts", auth.Accounts, (*site).accounts},
	{"POST /admin/accounts", auth.Accounts, (*site).importAccounts},
	{"GET /admin/import", auth.Accounts, (*site).importForm},
	{"POST /admin/import", auth.Accounts, (*site).checkImport},
	{"POST /admin/accounts/{login}", auth.Accounts, (*site).setAccount},
	{"GET /admin/accounts/{login}/erase", auth.Accounts, (*site).askErase},
	{"POST /admin/accounts/{login}/erase", auth.Accounts, (*site).erase},
	{"GET /admin/audit", auth.SeeAudit, (*site).auditPage},
	{"GET /admin/audit/table.csv", auth.SeeAudit, (*site).auditTable},
	{"GET /admin/invitations", auth.Accounts, (*site).invitations},
	{"POST /admin/invitations", auth.Accounts, (*site).newInvitation},
	{"POST /admin/invitations/{id}/end", auth.Accounts, (*site).endInvitation},
	{"GET /admin/workers", auth.Machines, (*site).workers},
	{"GET /admin/contests/new", auth.Make, (*site).newContest},
	{"POST /admin/contests/new", auth.Make, (*site).makeContest},
	{"GET /problems", auth.Make, (*site).problems},
	{"POST /problems", auth.Make, (*site).bring},
	{"GET /problems/uploads/{id}", auth.Make, (*site).upload},
	{"GET /problem/{name}", auth.Make, (*site).versions},
	{"GET /problem/{name}/compare", auth.Make, (*site).compare},
	{"GET /arena", auth.Make, (*site).arena},
	{"POST /arena", auth.Make, (*site).holdEvent},
	{"GET /arena/{event}", auth.Make, (*site).eventPage},
	{"POST /arena/{event}", auth.Make, (*site).endEvent},
	{"GET /arena/{event}/log", auth.Make, (*site).eventLog},
	{"GET /arena/{event}/report", auth.Make, (*site).eventReport},
	{"GET /admin/ladders/new", auth.Make, (*site).newLadder},
	{"POST /admin/ladders/new", auth.Make, (*site).makeLadder},
	{"GET /ladder/{ladder}", auth.SeeLadder, (*site).ladder},
	{"POST /ladder/{ladder}", auth.EnterBot, (*site).enterBot},
	{"POST /ladder/{ladder}/edit", auth.Make, (*site).changeLadder},
	{"GET /ladder/{ladder}/table/events", auth.SeeLadder, (*site).ladderEvents},
	{"GET /ladder/{ladder}/games.jsonl", auth.SeeLadder, (*site).ladderGames},
	{"GET /ladder/{ladder}/feed.json", auth.SeeLadder, (*site).ladderFeed},
	{"GET /ladder/{ladder}/feed.atom", auth.SeeLadder, (*site).ladderFeed},
	{"GET /ladder/{ladder}/bot/{bot}", auth.SeeLadder, (*site).bot},
	{"POST /ladder/{ladder}/bot/{bot}", auth.SeeBot, (*site).changeBot},
	{"GET /ladder/{ladder}/bot/{bot}/badge.svg", auth.SeeLadder, (*site).botBadge},
	{"GET /ladder/{ladder}/bot/{bot}/source/{file}", auth.SeeBot, (*site).botSource},
	{"GET /ladder/{ladder}/e/{encounter}", auth.SeeLadder, (*site).encounter},
	{"GET /ladder/{ladder}/e/{encounter}/replay", auth.SeeLadder, (*site).replay},
	{"GET /admin/holes/new", auth.Make, (*site).newHole},
	{"POST /admin/holes/new", auth.Make, (*site).makeHole},
	{"GET /hole/{hole}", auth.SeeHole, (*site).hole},
	{"POST /hole/{hole}", auth.Golf, (*site).golf},
	{"GET /hole/{hole}/{lang}", auth.SeeHole, (*site).hole},
	{"POST /hole/{hole}/{lang}", auth.Golf, (*site).golf},
	{"GET /hole/{hole}/edit", auth.Make, (*site).editHole},
	{"POST /hole/{hole}/edit", auth.Make, (*site).changeHole},
	{"GET /hole/{hole}/board.csv", auth.SeeHole, (*site).holeTable},
	{"GET /hole/{hole}/board.json", auth.SeeHole, (*site).holeJSON},
	{"GET /hole/{hole}/feed.json", auth.SeeHole, (*site).holeFeed},
	{"GET /hole/{hole}/feed.atom", auth.SeeHole, (*site).holeFeed},
	{"GET /hole/{hole}/file/{name...}", auth.SeeHole, (*site).holeFile},
	{"GET /hole/{hole}/a/{answer}/badge.svg", auth.SeeHole, (*site).answerBadge},
	{"GET /hole/{hole}/a/{answer}", auth.SeeAnswer, (*site).answerPage},
	{"GET /hole/{hole}/a/{answer}/events", auth.SeeAnswer, (*site).answerEvents},
	{"GET /hole/{hole}/a/{answer}/source", auth.SeeAnswer, (*site).answerSource},
	{"GET /c/{slug}", auth.SeeContest, (*site).contest},
	{"GET /c/{slug}/p/{label}", auth.SeeProblems, (*site).problem},
	{"GET /c/{slug}/p/{label}/sample/{file}", auth.SeeProblems, (*site).sample},
	{"GET /c/{slug}/p/{label}/file/{name...}", auth.SeeProblems, (*site).problemFile},
	{"GET /c/{slug}/p/{label}/files.zip", auth.SeeProblems, (*site).problemFiles},
	{"POST /c/{slug}/p/{label}", auth.Submit, (*site).submit},
	{"GET /c/{slug}/s/{n}", auth.SeeJudging, (*site).judging},
	{"GET /c/{slug}/s/{n}/events", auth.SeeJudging, (*site).judgingEvents},
	{"GET /c/{slug}/s/{n}/source/{file}", auth.SeeJudging, (*site).source},
	{"POST /c/{slug}/s/{n}/mark", auth.Decide, (*site).mark},
	{"GET /c/{slug}/board", auth.SeeBoard, (*site).board},
	{"GET /c/{slug}/board/events", auth.SeeBoard, (*site).boardEvents},
	{"GET /c/{slug}/board/table.csv", auth.SeeBoard, (*site).boardTable},
	{"POST /c/{slug}/board", auth.Conclude, (*site).changeBoard},
	{"GET /c/{slug}/submissions", auth.SeeAll, (*site).submissions},
	{"GET /c/{slug}/teams", auth.Change, (*site).teams},
	{"POST /c/{slug}/teams", auth.Change, (*site).enterTeams},
	{"GET /c/{slug}/import", auth.Change, (*site).importForm},
	{"POST /c/{slug}/import", auth.Change, (*site).checkImport},
	{"POST /c/{slug}/teams/{team}", auth.Change, (*site).setTeam},
	{"GET /c/{slug}/teams/table.csv", auth.Change, (*site).teamsTable},
	{"POST /c/{slug}/teams/slips", auth.Accounts, (*site).newSlips},
	{"GET /c/{slug}/finalize", auth.Conclude, (*site).finalize},
	{"POST /c/{slug}/finalize", auth.Conclude, (*site).setFinal},
	{"GET /c/{slug}/clar", auth.SeeClar, (*site).clarifications},
	{"POST /c/{slug}/clar", auth.Ask, (*site).clarify},
	{"GET /c/{slug}/clar/new", auth.Ask, (*site).newClarification},
	{"GET /c/{slug}/clar/{number}", auth.Answer, (*site).question},
	{"POST /c/{slug}/clar/{number}", auth.Answer, (*site).answer},
	{"POST /c/{slug}/clar/{number}/claim", auth.Answer, (*site).claim},
	{"GET /c/{slug}/news/events", auth.SeeClar, (*site).newsEvents},
	{"GET /c/{slug}/rejudgings", auth.SeeAll, (*site).rejudgings},
	{"POST /c/{slug}/rejudgings", auth.Change, (*site).rejudge},
	{"GET /c/{slug}/rejudgings/{id}", auth.SeeAll, (*site).rejudging},
	{"POST /c/{slug}/rejudgings/{id}", auth.Change, (*site).endRejudging},
	{"GET /c/{slug}/edit", auth.Change, (*site).editContest},
	{"POST /c/{slug}/edit", auth.Change, (*site).changeContest},
}

// ask is a request with all that was found out about it before it is answered.
type ask struct {
	*http.Request
	me       *store.Account // nil for nobody
	session  *store.Session
	ended    bool                  // the browser has the cookie of a session that has ended
	seat     *desk.Seat            // in the contest of the slug; nil where there is none
	problem  *store.ContestProblem // of the label
	sent     *store.Submission     // of the number
	hill     *hill                 // the ladder that is asked for; nil where none is
	state    auth.State            // of what is asked for, where it is no contest
	turn     *desk.Turn            // nil for none is needed
	sweeping *sync.RWMutex         // see desk.Desk, while it is held; else nil
	at       *desk.HoleSeat        // at the hole of the address; nil where there is none
	answer   *store.Answer         // of its number
}

// is says whether the caller may do something: in the contest, where there is one.
func (r *ask) can(a auth.Action) bool {
	if r.seat != nil {
		return r.seat.Can(a)
	}
	if r.at != nil {
		return r.at.Can(a)
	}
	return auth.Can(desk.Role(r.me), a, r.state)
}

// New makes the handler of all pages.
func New(o Options) http.Handler {
	if o.KeepAlive == 0 {
		o.KeepAlive = 15 * time.Second
	}
	s := &site{Options: o, proof: desk.Turns{Restless: true}, tries: newTries(), heard: newHeard(), expiredForms: make(chan struct{}, atOnce)}
	mux := http.NewServeMux()
	s.mux = mux
	for _, rt := range routes {
		mux.HandleFunc(rt.pattern, func(w http.ResponseWriter, r *http.Request) {
			asked := &ask{Request: r}
			if err := s.run(w, asked, rt); err != nil {
				s.refuse(w, asked, err)
			}
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		asked := &ask{Request: r}
		s.Pace(r)
		_ = s.know(w, asked) // the page may be drawn for nobody
		s.refuse(w, asked, errNothing)
	})
	return headers(s, http.NewCrossOriginProtection().Handler(mux))
}

// headers says what a browser may do with the pages: run and load what the server has, and
// nothing else.
func headers(s *site, next http.Handler) http.Handler {
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

// run finds out who the caller is and what is asked for, whether that is allowed, and answers.
func (s *site) run(w http.ResponseWriter, r *ask, rt route) error {
	if err := s.know(w, r); err != nil {
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
	if err := s.allowed(r, rt); err != nil {
		return err
	}
	if r.Method != http.MethodGet && rt.action == auth.Change {
		if err := s.unchanged(r); err != nil {
			return err
		}
	}
	if careful[rt.pattern] {
		if sure, err := s.sure(w, r); err != nil || !sure {
			return err
		}
	}
	if strings.HasSuffix(rt.pattern, "/events") {
		return s.bounded(w, r, rt)
	}
	if s.Sweeping != nil && names(r, rt) {
		r.hold(s.Sweeping)
		defer r.letGo()
	}
	return rt.answer(s, w, r)
}

// allowed finds what is asked for, and says whether whoever asks may have it.
func (s *site) allowed(r *ask, rt route) error {
	if r.PathValue("slug") != "" {
		if err := s.find(r); err != nil {
			return err
		}
	}
	if r.PathValue("ladder") != "" {
		if err := s.climb(r); err != nil {
			return err
		}
	}
	if r.PathValue("hole") != "" {
		if err := s.findHole(r); err != nil {
			return err
		}
	}
	if !r.can(rt.action) {
		return s.forbidden(r)
	}
	return nil
}

// cookieLife is the longest that browsers keep a cookie.
const cookieLife = 400 * 24 * time.Hour

// cookie is what the session's cookie is called. Over plain HTTP, browsers refuse the name
// that only a secure one may have.
func (s *site) cookie() string {
	if s.Secure {
		return "__Host-assay"
	}
	return "assay"
}

// know finds out who the caller is.
func (s *site) know(w http.ResponseWriter, r *ask) error {
	c, err := r.Cookie(s.cookie())
	if err != nil || c.Value == "" {
		return nil
	}
	session, me, err := s.Store.Session(r.Context(), auth.Hash(c.Value))
	if errors.Is(err, store.ErrNotFound) {
		s.forget(w)
		r.ended = true
		return nil
	}
	if err != nil {
		return err
	}
	r.session, r.me = session, me
	return nil
}

// remember makes a browser keep its session, as long as that lives when it is used.
func (s *site) remember(w http.ResponseWriter, secret string) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookie(), Value: secret, Path: "/", MaxAge: int(cookieLife.Seconds()), HttpOnly: true, Secure: s.Secure, SameSite: http.SameSiteLaxMode,
	})
}

func (s *site) forget(w http.ResponseWriter) {
	http.SetCookie(w, &http.Cookie{Name: s.cookie(), Path: "/", MaxAge: -1, HttpOnly: true, Secure: s.Secure, SameSite: http.SameSiteLaxMode})
}

// find finds the contest that is asked for, and what of it.
func (s *site) find(r *ask) error {
	c, err := s.Store.ContestBySlug(r.Context(), r.PathValue("slug"))
	if errors.Is(err, store.ErrNotFound) || err == nil && c.ID == store.Practice {
		if r.me == nil { // as of one that hides itself
			return errLogIn
		}
		return errNothing
	}
	if err != nil {
		return err
	}
	if r.seat, err = s.Seat(r.Context(), c, r.me); err != nil {
		return err
	}
	if label := r.PathValue("label"); label != "" && r.can(auth.SeeProblems) {
		all, err := s.Store.ContestProblems(r.Context(), c.ID)
		if err != nil {
			return err
		}
		for _, p := range all {
			if p.Label == label {
				r.problem = p
			}
		}
		if r.problem == nil {
			return errNothing
		}
	}
	if text := r.PathValue("n"); text != "" && r.me != nil {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return errNothing
		}
		r.sent, err = s.Store.SubmissionByNumber(r.Context(), c.ID, n)
		if errors.Is(err, store.ErrNotFound) {
			return errNothing
		}
		if err != nil {
			return err
		}
		r.seat.State.Own = r.sent.Account == r.me.ID || r.sent.Team != "" && r.seat.Team != nil && r.sent.Team == r.seat.Team.ID
	}
	return nil
}

var errNothing = &desk.Refusal{Code: http.StatusNotFound, Text: "there is nothing here", Hint: "the address may be wrong, or it is not for you"}

// errLogIn is answered with the page on which one logs in.
var errLogIn = errors.New("only users who are logged in may see this")

// forbidden is the answer to what is not allowed. Nobody is told that there is what they may
// not know of.
func (s *site) forbidden(r *ask) error {
	switch {
	case r.me == nil:
		return errLogIn
	case r.hill != nil && r.hill.bot != nil:
		return errNothing
	case r.hill != nil && !r.hill.Open:
		return &desk.Refusal{Code: http.StatusForbidden, Text: r.hill.Name + " is closed and takes no more bots"}
	case r.at != nil && (!r.at.Can(auth.SeeHole) || r.answer != nil):
		return errNothing
	case r.at != nil && r.at.State.Phase == auth.Over:
		return &desk.Refusal{Code: http.StatusForbidden, Text: r.at.Closed()}
	case r.seat != nil && (!r.seat.Can(auth.SeeContest) || r.PathValue("n") != ""):
		return errNothing
	case r.seat != nil && r.seat.State.Phase == auth.Before && !r.seat.Can(auth.SeeProblems):
		return &desk.Refusal{Code: http.StatusForbidden, Text: r.seat.Contest.Name + " has not begun yet", Hint: "come back when it has"}
	case r.seat != nil && r.seat.State.Phase == auth.Over && r.PathValue("label") != "":
		return &desk.Refusal{Code: http.StatusForbidden, Text: r.seat.Contest.Name + " is over and takes no more submissions"}
	}
	return &desk.Refusal{Code: http.StatusForbidden, Text: "this is not for you", Hint: "ask the server's administrator"}
}

// refuse answers with what went wrong. What is the server's own fault is told to its log,
// and the caller is only told that there is one.
func (s *site) refuse(w http.ResponseWriter, r *ask, err error) {
	if errors.Is(err, errLogIn) {
		done, err := s.ended(w, r)
		if err != nil && r.Context().Err() == nil {
			s.Log.Error("draw what a form said", "path", plainPath(r), "error", err)
		}
		if done {
			return
		}
		next := r.URL.RequestURI()
		if r.Method != http.MethodGet {
			next = r.back()
		}
		http.Redirect(w, r.Request, "/login?next="+url.QueryEscape(next), http.StatusSeeOther)
		return
	}
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
		refusal = errNothing
	case errors.Is(err, store.ErrChanged):
		refusal = &desk.Refusal{Code: http.StatusConflict, Text: "somebody else has changed this meanwhile", Hint: "load the page again and look at it, then change it"}
	case errors.Is(err, store.ErrTooManyWaiting):
		refusal = &desk.Refusal{Code: http.StatusServiceUnavailable, Text: "too many submissions are waiting", Hint: "try again later"}
	case errors.Is(err, store.ErrFull) || errors.Is(err, syscall.ENOSPC):
		s.Log.Error("no room", "method", r.Method, "path", plainPath(r), "error", err)
		refusal = &desk.Refusal{Code: http.StatusServiceUnavailable, Text: "the server's disk is full", Hint: "tell the server's administrator"}
	case judge.Whose(err) == judge.Asker:
		refusal = &desk.Refusal{Code: http.StatusBadRequest, Text: err.Error()}
	default:
		s.Log.Error("request failed", "method", r.Method, "path", plainPath(r), "error", err)
		refusal = &desk.Refusal{Code: http.StatusInternalServerError, Text: "the server could not do this", Hint: "tell the server's administrator: its log says why"}
	}
	if err := s.page(w, r, refusal.Code, "refused", refusal.Text, refusedView{refusal.Text, refusal.Hint, r.Method != http.MethodGet}); err != nil && r.Context().Err() == nil {
		s.Log.Error("draw what went wrong", "path", plainPath(r), "error", err)
		http.Error(w, refusal.Text, refusal.Code)
	}
}

// plainPath is the path of a request as the log may have it: without an invitation's code, which
// lets anybody in.
func plainPath(r *ask) string { return strings.TrimSuffix(r.URL.Path, r.PathValue("code")) }

// page draws a page and sends it. A page that cannot be drawn is an error before anything of
// it has left.
func (s *site) page(w http.ResponseWriter, r *ask, code int, name, title string, view any) error {
	all, err := templates()
	if err != nil {
		return err
	}
	t := all[name]
	if t == nil {
		return fmt.Errorf("there is no template %s", name)
	}
	p := pageView{Title: title, Site: s.Name, Me: r.me, Styles: styleName, Script: scriptName, Worker: sharedName, Path: r.URL.Path, View: view, Zone: serverZone()}
	if r.hill != nil {
		p.Ladder = &ladderHead{r.hill.Slug, r.hill.Name}
	}
	p.Insecure = !s.Secure && !loopback(r.Host)
	for _, one := range []struct {
		to     *bool
		action auth.Action
	}{{&p.Accounts, auth.Accounts}, {&p.Machines, auth.Machines}, {&p.Makes, auth.Make}, {&p.Audit, auth.SeeAudit}} {
		*one.to = auth.Can(desk.Role(r.me), one.action, auth.State{})
	}
	if r.seat != nil && r.seat.Can(auth.SeeContest) {
		clock, team := s.clock(r.seat), ""
		if r.seat.Team != nil {
			team = r.seat.Team.ID
		}
		p.Contest = &contestHead{
			Team: team,
			Slug: r.seat.Contest.Slug, Name: r.seat.Contest.Name, All: r.seat.Can(auth.SeeAll), Changes: r.seat.Can(auth.Change), Clock: &clock,
		}
		if r.can(auth.SeeClar) {
			n, err := s.toRead(r)
			if err != nil {
				return err
			}
			p.Contest.News = &n
		}
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, "base", p); err != nil {
		return fmt.Errorf("draw the page %s: %w", name, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(b.Bytes()) // to one who may be gone
	return nil
}

// loopback says whether a browser is on the server's own machine, by the name that it calls.
func loopback(host string) bool {
	name := strings.TrimSuffix(host, ":"+(&url.URL{Host: host}).Port())
	return name == "localhost" || strings.HasPrefix(name, "127.") || name == "[::1]"
}

// serverZone returns the abbreviation of the server's time zone.
func serverZone() string {
	name, _ := time.Now().Zone()
	return name
}

// form reads the fields of a form of moderate size.
func form(w http.ResponseWriter, r *ask, most int64) error {
	r.Body = http.MaxBytesReader(w, r.Body, most)
	err := r.aside(r.ParseForm)
	if refusal := desk.BodyRefusal(err); refusal != nil {
		return refusal
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); err != nil && !large {
		return &desk.Refusal{Code: http.StatusBadRequest, Text: "the form was not sent as a browser does"}
	}
	return err
}

// go303 sends a browser on after a form.
func go303(w http.ResponseWriter, r *ask, to string) error {
	http.Redirect(w, r.Request, to, http.StatusSeeOther)
	return nil
}

// entry begins an entry of the audit of what the caller does.
func (s *site) entry(r *ask, detail string) store.Entry {
	return store.Entry{Actor: r.me.ID, Detail: detail, Address: r.RemoteAddr}
}

// audit keeps what somebody did.
func (s *site) audit(ctx context.Context, r *ask, action, object, detail string) error {
	e := s.entry(r, detail)
	e.Action, e.Object = action, object
	return s.Store.Audit(ctx, e)
}
