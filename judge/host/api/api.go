// Package api answers the requests of commands and workers: see package client for the
// words. Who asks is known by a token or by a worker's signature, and each route says in
// one table what is needed to be answered. It decides nothing of judging.
package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/board"
	"assay/judge/host/client"
	"assay/judge/host/desk"
	"assay/judge/host/job"
	"assay/judge/host/queue"
	"assay/judge/host/store"
)

// Options are what the API answers from.
type Options struct {
	*desk.Desk
	Boards        *board.Hall
	Name, Version string
	URL           client.Address // by which others reach the server
	// Passwords is the queue of those that are hashed.
	Passwords *auth.Passwords
	// Bridge is where workers of the embedded queue connect. Queue is where they connect
	// instead where there is a cluster; "" for the bridge.
	Bridge http.Handler
	Queue  string
	Log    *slog.Logger
	// Mixed are the classes whose machines may differ in how fast they are.
	Mixed []string
	// Backup makes a backup in a folder that does not exist yet.
	Backup func(ctx context.Context, dir string) error
	// Preparing says whether the problems of the contest are still being published; nil where
	// they are not published by this server.
	Preparing func() bool
	// Ready is nil where the server can take submissions.
	Ready func(ctx context.Context) error
}

// What a request may bring.
const (
	maxBody      = 64 << 20 // of a request in JSON
	bodyPatience = time.Minute
)

// need is what a route needs of who asks.
type need string

const (
	nothing  need = ""
	token    need = "token" // of any scope
	submit   need = need(client.Submit)
	publish  need = need(client.Publish)
	admin    need = need(client.Admin)
	asWorker need = "worker"
	// give and take are of blobs: who gives may submit or publish, who takes is a worker or
	// publishes.
	give need = "give"
	take need = "take"
)

type api struct {
	Options
	keepAlive time.Duration
}

// route is a row of the table of routes.
type route struct {
	pattern string
	need    need
	answer  func(a *api, w http.ResponseWriter, r *http.Request, who *caller) error
}

var routes = []route{
	{"GET " + client.ServerPath, nothing, (*api).server},
	{"GET " + client.AccountPath, token, (*api).account},
	{"POST " + client.MissingPath, give, (*api).missing},
	{"PUT " + client.BlobPath + "{digest}", give, (*api).putBlob},
	{"GET " + client.BlobPath + "{digest}", take, (*api).getBlob},
	{"GET " + client.ProblemsPath, token, (*api).problems},
	{"PUT " + client.ProblemsPath + "/{slug}", publish, (*api).putProblem},
	{"GET " + client.ContestsPath + "/{slug}" + client.BoardPath, token, (*api).board},
	{"POST " + client.ContestsPath + "/{slug}/rejudgings", admin, (*api).rejudge},
	{"GET " + client.ContestsPath + "/{slug}/rejudgings", admin, (*api).rejudgings},
	{"GET " + client.RejudgingsPath + "/{id}", admin, (*api).rejudging},
	{"PUT " + client.RejudgingsPath + "/{id}", admin, (*api).endRejudging},
	{"POST " + client.SubmissionsPath, submit, (*api).submit},
	{"GET " + client.SubmissionsPath, submit, (*api).submissions},
	{"GET " + client.SubmissionsPath + "/{id}", submit, (*api).submission},
	{"DELETE " + client.SubmissionsPath + "/{id}", submit, (*api).cancel},
	{"GET " + client.SubmissionsPath + "/{id}/events", submit, (*api).events},
	{"POST " + client.HolesPath + "/{hole}/answers", submit, (*api).postAnswer},
	{"GET " + client.HolesPath + "/{hole}/answers/{number}", submit, (*api).getAnswer},
	{"PUT " + client.FlowsPath + "/{id}", give, (*api).putFlow},
	{"DELETE " + client.FlowsPath + "/{id}", give, (*api).cancelFlow},
	{"GET " + client.FlowsPath + "/{id}/parts", give, (*api).flowParts},
	{"GET " + client.QueuePath, token, (*api).queue},
	{"GET " + client.TokensPath, admin, (*api).tokens},
	{"POST " + client.TokensPath, admin, (*api).newToken},
	{"DELETE " + client.TokensPath + "/{id}", admin, (*api).revokeToken},
	{"GET " + client.PeoplePath, admin, (*api).people},
	{"POST " + client.PeoplePath, admin, (*api).newPeople},
	{"PUT " + client.PeoplePath + "/{login}", admin, (*api).setPerson},
	{"GET " + client.InvitationsPath, admin, (*api).invitations},
	{"POST " + client.InvitationsPath, admin, (*api).newInvitation},
	{"DELETE " + client.InvitationsPath + "/{id}", admin, (*api).endInvitation},
	{"DELETE " + client.PeoplePath + "/{login}", admin, (*api).erasePerson},
	{"POST " + client.InvitesPath, admin, (*api).invite},
	{"POST " + client.JoinPath, nothing, (*api).join}, // the code is the proof
	{"POST " + client.HelloPath, asWorker, (*api).hello},
	{"GET " + client.WorkersPath, admin, (*api).workers},
	{"PUT " + client.WorkersPath + "/{name}", admin, (*api).setWorker},
	{"GET " + client.ClassesPath, admin, (*api).classes},
	{"DELETE " + client.ClassesPath + "/{name}", admin, (*api).forgetClass},
	{"GET " + client.JudgingsPath, admin, (*api).judgings},
	{"POST " + client.BackupPath, admin, (*api).backup},
}

// Paths are where the API answers, as patterns of http.ServeMux.
var Paths = []string{"/v1/", client.BlobPath, queue.Path, "/healthz", "/readyz"}

// New makes the handler of all routes, the workers' bridge and the server's health.
func New(o Options) http.Handler { return routed(o, keepAlive) }

// routed is New with a time after which a stream that has nothing to say says so.
func routed(o Options, keepAlive time.Duration) http.Handler {
	if o.Kept == nil {
		o.Kept = new(sync.RWMutex)
	}
	a := &api{o, keepAlive}
	mux := http.NewServeMux()
	for _, rt := range routes {
		mux.HandleFunc(rt.pattern, func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet && (rt.need == give || rt.need == publish || rt.need == submit) {
				a.Kept.RLock()
				defer a.Kept.RUnlock()
			}
			who, err := a.who(r, rt.need)
			if err == nil {
				err = a.inTurn(r, rt, who, func() error { return rt.answer(a, w, r, who) })
			}
			if err != nil {
				a.refuse(w, r, err)
			}
		})
	}
	mux.Handle(queue.Path, o.Bridge)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := o.Ready(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		a.refuse(w, r, &status{http.StatusNotFound, "there is nothing at " + r.URL.Path, ""})
	})
	return mux
}

// inTurn answers when it is the turn of who asks. Workers, staff and who publishes have no turns,
// nor have streams.
func (a *api) inTurn(r *http.Request, rt route, who *caller, answer func() error) error {
	if who == nil || who.account == nil || who.may(client.Publish) || strings.HasSuffix(rt.pattern, "/events") || strings.HasSuffix(rt.pattern, "/parts") {
		return answer()
	}
	turn, err := a.Turns.Wait(r.Context(), desk.AccountTurn(who.account))
	if err != nil {
		return err
	}
	defer turn.End()
	return answer()
}

// caller is who asks.
type caller struct {
	account *store.Account
	scopes  []string
	worker  *store.Worker
}

func (c *caller) may(s client.Scope) bool {
	if c.account == nil {
		return false
	}
	for _, scope := range c.scopes {
		if scope == string(s) || scope == string(client.Admin) {
			return true
		}
	}
	return false
}

// name is what the audit calls who asks.
func (c *caller) name() string {
	if c.worker != nil {
		return c.worker.Name
	}
	return c.account.ID
}

// status is an answer that is not what was asked for.
type status struct {
	code       int
	text, hint string
}

func (s *status) Error() string { return s.text }

var (
	errNoToken = &status{http.StatusUnauthorized, "this needs a token, and the request has none", "get one from who runs the server, then: judge login URL"}
	errToken   = &status{http.StatusUnauthorized, "the token is not known here", "get another one from who runs the server, then: judge login URL"}
	errRevoked = &status{http.StatusUnauthorized, "the token was revoked", "get another one from who runs the server, then: judge login URL"}
	errExpired = &status{http.StatusUnauthorized, "the token has expired", "get another one from who runs the server, then: judge login URL"}
	errKey     = &status{http.StatusUnauthorized, "the key of this worker is not known here", "join again, with a code of: judged admin worker add NAME"}
	errGone    = &status{http.StatusForbidden, "this worker was revoked", "join again, with a code of: judged admin worker add NAME"}
)

// who finds out who asks, and whether that is enough.
func (a *api) who(r *http.Request, n need) (*caller, error) {
	if n == nothing {
		return nil, nil
	}
	header := r.Header.Get("Authorization")
	if auth.IsWorker(header) {
		key, err := auth.Verify(header, time.Now(), r.Method, r.URL.Path)
		if err != nil {
			return nil, &status{http.StatusUnauthorized, err.Error(), ""}
		}
		w, err := a.Store.WorkerByKey(r.Context(), key)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return nil, errKey
		case err != nil:
			return nil, err
		case w.State == store.Revoked:
			return nil, errGone
		case n != asWorker && n != take:
			return nil, &status{http.StatusForbidden, "a worker may not do this", ""}
		}
		return &caller{worker: w}, nil
	}
	text := auth.Bearer(header)
	if text == "" {
		return nil, errNoToken
	}
	t, account, err := a.Store.TokenByHash(r.Context(), auth.Hash(text))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, errToken
	case errors.Is(err, store.ErrRevoked):
		return nil, errRevoked
	case errors.Is(err, store.ErrExpired):
		return nil, errExpired
	case err != nil:
		return nil, err
	}
	c := &caller{account: account, scopes: t.Scopes}
	enough := map[need]bool{
		token: true, submit: c.may(client.Submit), publish: c.may(client.Publish), admin: c.may(client.Admin),
		give: c.may(client.Submit) || c.may(client.Publish), take: c.may(client.Publish),
	}[n]
	if !enough {
		return nil, &status{http.StatusForbidden, fmt.Sprintf("the token of %s may not do this: its scopes are %s", account.Login, strings.Join(t.Scopes, ", ")), ""}
	}
	return c, nil
}

// refuse answers with what went wrong. What is the server's own fault is told to its log,
// and to who asks only that it is.
func (a *api) refuse(w http.ResponseWriter, r *http.Request, err error) {
	s, known := errors.AsType[*status](err)
	if r, is := errors.AsType[*desk.Refusal](err); is {
		s, known = &status{r.Code, r.Text, r.Hint}, true
	}
	switch {
	case known:
	case r.Context().Err() != nil: // the server ends, or nobody listens any more
		s = &status{http.StatusServiceUnavailable, "the server did not end what was asked, for it is ending", "try again"}
	case errors.Is(err, store.ErrNotFound):
		s = &status{http.StatusNotFound, err.Error(), ""}
	case errors.Is(err, store.ErrTaken):
		s = &status{http.StatusConflict, err.Error(), ""}
	case errors.Is(err, auth.ErrBusy):
		s = &status{http.StatusServiceUnavailable, err.Error(), ""}
	case errors.Is(err, store.ErrTooManyWaiting):
		w.Header().Set("Retry-After", "10")
		s = &status{http.StatusServiceUnavailable, "too many submissions are waiting", "try again later"}
	case errors.Is(err, store.ErrFull) || errors.Is(err, syscall.ENOSPC):
		a.Log.Error("no room", "method", r.Method, "path", r.URL.Path, "error", err)
		s = &status{http.StatusServiceUnavailable, "the server's disk is full", "tell who runs the server"}
	case judge.Whose(err) == judge.Asker || judge.Whose(err) == judge.Setter:
		s = &status{http.StatusBadRequest, err.Error(), ""}
	default:
		a.Log.Error("request failed", "method", r.Method, "path", r.URL.Path, "error", err)
		s = &status{http.StatusInternalServerError, "the server could not do this; its log says why", ""}
	}
	answer(w, s.code, map[string]string{"error": s.text, "hint": s.hint})
}

func answer(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v) // to a client that is gone
}

func ok(w http.ResponseWriter, v any) error {
	answer(w, http.StatusOK, v)
	return nil
}

// read reads the JSON of a request.
func read(w http.ResponseWriter, r *http.Request, v any) error {
	limitTime(w, bodyPatience)
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if tooLarge, is := errors.AsType[*http.MaxBytesError](err); is {
		return &status{http.StatusRequestEntityTooLarge, fmt.Sprintf("the request has more than %d bytes", tooLarge.Limit), ""}
	}
	if err != nil {
		return &status{http.StatusBadRequest, "the request ended too early", ""}
	}
	if err := json.Unmarshal(data, v); err != nil {
		return &status{http.StatusBadRequest, "the request is not the JSON that was expected: " + err.Error(), ""}
	}
	return nil
}

// limitTime bounds how long a body may take.
func limitTime(w http.ResponseWriter, d time.Duration) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(d)) // a recorder of tests has none
}

func (a *api) server(w http.ResponseWriter, _ *http.Request, _ *caller) error {
	return ok(w, client.Server{Name: a.Name, Version: a.Version, Protocol: job.Protocol, URL: a.URL.String()})
}

func (a *api) account(w http.ResponseWriter, _ *http.Request, who *caller) error {
	return ok(w, client.Account{Login: who.account.Login, Scopes: who.scopes})
}

func (a *api) queue(w http.ResponseWriter, r *http.Request, _ *caller) error {
	rows, err := a.Store.Queues(r.Context())
	if err != nil {
		return err
	}
	type key struct {
		lane  job.Lane
		class string
	}
	stranded, err := a.Dispatch.Stranded(r.Context())
	if err != nil {
		return err
	}
	at, all := map[key]int{}, []client.Queue{}
	for _, q := range rows {
		k := key{q.Lane, q.Class}
		i, known := at[k]
		if !known {
			i, at[k] = len(all), len(all)
			all = append(all, client.Queue{Lane: q.Lane, Class: q.Class, Oldest: q.Oldest})
		}
		if q.State == store.Waiting {
			all[i].Waiting = q.Jobs
		} else {
			all[i].Out = q.Jobs
		}
		if q.Oldest.Before(all[i].Oldest) {
			all[i].Oldest = q.Oldest
		}
	}
	for _, one := range stranded {
		if i, known := at[key{one.Lane, one.Class}]; known && one.Origin == store.OfGuest {
			all[i].OfGuests++
		}
	}
	return ok(w, all)
}

func (a *api) backup(w http.ResponseWriter, r *http.Request, who *caller) error {
	var b client.Backup
	if err := read(w, r, &b); err != nil {
		return err
	}
	if err := a.Backup(r.Context(), b.Dir); err != nil {
		return err
	}
	return a.done(w, r, who, "backup", b.Dir, "", struct{}{})
}

// done keeps what somebody did, and answers.
func (a *api) done(w http.ResponseWriter, r *http.Request, who *caller, action, object, detail string, v any) error {
	if err := a.Store.Audit(r.Context(), store.Entry{Actor: who.name(), Action: action, Object: object, Detail: detail, Address: r.RemoteAddr}); err != nil {
		return err
	}
	return ok(w, v)
}
