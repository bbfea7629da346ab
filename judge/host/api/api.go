// Package api handles the requests of commands and workers; package client has the types. A caller is identified
// by a token or by a worker's signature. A table of routes states what each route requires. The package makes no
// decision about judging.
package api

import (
	"bytes"
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
	"assay/judge/blob"
	"assay/judge/host/auth"
	"assay/judge/host/board"
	"assay/judge/host/client"
	"assay/judge/host/desk"
	"assay/judge/host/feed"
	"assay/judge/host/job"
	"assay/judge/host/openapi"
	"assay/judge/host/queue"
	"assay/judge/host/store"
)

// Options configure the API.
type Options struct {
	*desk.Desk
	Boards        *board.Hall
	Name, Version string
	URL           client.Address // public address
	// Passwords hashes passwords, and queues requests to do so.
	Passwords *auth.Passwords
	// Bridge handles connections of workers to the embedded queue. Queue lists the servers of an external cluster,
	// to which workers connect instead. With the bridge, Queue is empty.
	Bridge http.Handler
	Queue  string
	Log    *slog.Logger
	// Mixed lists the classes whose machines may differ in speed.
	Mixed []string
	// Backup makes a backup with the given name and returns its directory.
	Backup func(ctx context.Context, name string) (dir string, err error)
	// Move moves the data of the server to another database.
	Move func(ctx context.Context) (client.Moved, error)
	// Preparing reports whether the problems of the contest directory are still being published. If nil, this
	// server does not publish problems.
	Preparing func() bool
	// Ready returns an error if the server cannot take submissions, and notes about other problems.
	Ready func(ctx context.Context) (notes []string, err error)
}

// The limits of JSON bodies in KiB. The limit little applies to all routes without long lists.
const (
	little    = 64
	withFiles = 1 << 10 // 256 paths and digests
	withFlow  = 2 << 10 // files of each of many contestants, and options
	withMany  = 4 << 10 // accounts
	// For contest packages, with files in base64.
	withPackage = 8 << 10
	ownBound    = -1 // the handler limits the body
)

// mostValues is the maximum number of values in a JSON body. An empty value takes three bytes in the body, but ten
// times as many in memory.
const mostValues = 100_000

// A need is what a route requires of the caller.
type need string

const (
	nothing  need = ""
	token    need = "token" // a token with any scope
	submit   need = need(client.Submit)
	publish  need = need(client.Publish)
	admin    need = need(client.Admin)
	asWorker need = "worker"
	give     need = "give" // scope submit or publish, to upload blobs
)

type api struct {
	Options
	keepAlive time.Duration
	bundles   bundles
	// For the Contest API.
	feeds      feed.Registry
	remembered remembered
}

// A route is a row of the routing table.
type route struct {
	pattern string // pattern for http.ServeMux, followed by the names of the query parameters
	need    need
	answer  func(a *api, w http.ResponseWriter, r *http.Request, who *caller) error
	body    int64 // limit of the JSON body in KiB; zero means little
	in, out any   // values of the JSON types of request and response; nil means no body
}

// What is no JSON.
var (
	binary  = openapi.Schema{"contentMediaType": "application/octet-stream"}
	archive = openapi.Schema{"contentMediaType": "application/zip"}
)

var routes = []route{
	{"GET " + client.ServerPath, nothing, (*api).server, 0, nil, client.Server{}},
	{"GET " + client.AccountPath, token, (*api).account, 0, nil, client.Account{}},
	{"POST " + client.MissingPath, give, (*api).missing, withFiles, client.Blobs{}, client.Blobs{}},
	{"PUT " + client.BlobPath + "{digest}", give, (*api).putBlob, ownBound, binary, struct{}{}},
	{"GET " + client.BlobPath + "{digest}", asWorker, (*api).getBlob, 0, nil, binary},
	{"GET " + client.ProblemsPath, token, (*api).problems, 0, nil, []client.Problem{}},
	{"PUT " + client.ProblemsPath + "/{slug}", publish, (*api).putProblem, 0, client.NewProblem{}, client.Problem{}},
	{"GET " + client.ContestsPath + "/{slug}" + client.BoardPath + "?view", token, (*api).board, 0, nil, client.Board{}},
	{"POST " + client.ContestsPath, admin, (*api).importContest, withPackage, client.ImportContest{}, client.ImportReport{}},
	{"POST " + client.ContestsPath + client.ShadowPath, admin, (*api).shadowContest, 0, client.ShadowContest{}, client.Shadowed{}},
	{"DELETE " + client.ContestsPath + "/{slug}" + client.ShadowPath, admin, (*api).endShadow, 0, nil, client.Shadowed{}},
	{"GET " + client.ContestsPath + "/{slug}" + client.ExportPath + "/{part}", admin, (*api).exportContest, 0, nil, archive},
	{"POST " + client.ContestsPath + "/{slug}/rejudgings", admin, (*api).rejudge, 0, client.NewRejudging{}, client.Rejudging{}},
	{"GET " + client.ContestsPath + "/{slug}/rejudgings", admin, (*api).rejudgings, 0, nil, []client.Rejudging{}},
	{"GET " + client.RejudgingsPath + "/{id}", admin, (*api).rejudging, 0, nil, client.Rejudging{}},
	{"PUT " + client.RejudgingsPath + "/{id}", admin, (*api).endRejudging, 0, client.SetRejudging{}, struct{}{}},
	{"POST " + client.SubmissionsPath, submit, (*api).submit, withFiles, client.NewSubmission{}, client.Submission{}},
	{"GET " + client.SubmissionsPath + "?before&problem", submit, (*api).submissions, 0, nil, []client.Submission{}},
	{"DELETE " + client.SubmissionsPath + "?login&problem", admin, (*api).cancelMany, 0, nil, client.Cancelled{}},
	{"GET " + client.SubmissionsPath + "/{id}", submit, (*api).submission, 0, nil, client.Submission{}},
	{"DELETE " + client.SubmissionsPath + "/{id}", submit, (*api).cancel, 0, nil, struct{}{}},
	{"GET " + client.SubmissionsPath + "/{id}/events?from", submit, (*api).events, 0, nil, client.Line{}},
	{"POST " + client.HolesPath + "/{hole}/answers", submit, (*api).postAnswer, 0, client.NewAnswer{}, client.Answer{}},
	{"GET " + client.HolesPath + "/{hole}/answers/{number}", submit, (*api).getAnswer, 0, nil, client.Answer{}},
	{"PUT " + client.FlowsPath + "/{id}", give, (*api).putFlow, withFlow, client.NewFlow{}, client.Flow{}},
	{"DELETE " + client.FlowsPath + "/{id}", give, (*api).cancelFlow, 0, nil, struct{}{}},
	{"GET " + client.FlowsPath + "/{id}/tasks", give, (*api).flowParts, 0, nil, client.FlowLine{}},
	{"GET " + client.QueuePath, token, (*api).queue, 0, nil, []client.Queue{}},
	{"GET " + client.AccountLoadsPath, admin, (*api).accountLoads, 0, nil, []client.AccountLoad{}},
	{"GET " + client.TokensPath, admin, (*api).tokens, 0, nil, []client.Token{}},
	{"POST " + client.TokensPath, admin, (*api).newToken, 0, client.NewToken{}, client.Token{}},
	{"DELETE " + client.TokensPath + "/{id}", admin, (*api).revokeToken, 0, nil, struct{}{}},
	{"GET " + client.PeoplePath, admin, (*api).people, 0, nil, []client.Person{}},
	{"POST " + client.PeoplePath, admin, (*api).newPeople, withMany, client.NewPeople{}, client.Slips{}},
	{"PUT " + client.PeoplePath + "/{login}", admin, (*api).setPerson, 0, client.SetPerson{}, client.Slip{}},
	{"GET " + client.InvitationsPath, admin, (*api).invitations, 0, nil, []client.Invitation{}},
	{"POST " + client.InvitationsPath, admin, (*api).newInvitation, 0, client.NewInvitation{}, client.Invitation{}},
	{"DELETE " + client.InvitationsPath + "/{id}", admin, (*api).endInvitation, 0, nil, struct{}{}},
	{"DELETE " + client.PeoplePath + "/{login}", admin, (*api).erasePerson, 0, nil, struct{}{}},
	{"POST " + client.InvitesPath, admin, (*api).invite, 0, client.NewInvite{}, client.Invite{}},
	{"POST " + client.JoinPath, nothing, (*api).join, 0, client.Join{}, client.Welcome{}}, // the code authenticates the caller
	{"POST " + client.HelloPath, asWorker, (*api).hello, 0, client.Hello{}, client.Welcome{}},
	{"GET " + client.WorkersPath, admin, (*api).workers, 0, nil, []client.Worker{}},
	{"PUT " + client.WorkersPath + "/{name}", admin, (*api).setWorker, 0, client.SetWorker{}, struct{}{}},
	{"GET " + client.ClassesPath, admin, (*api).classes, 0, nil, []client.Class{}},
	{"PUT " + client.ClassesPath + "/{name}", admin, (*api).acceptClass, 0, client.AcceptClass{}, client.Accepted{}},
	{"GET " + client.JudgingsPath + "?worker&origin&before", admin, (*api).judgings, 0, nil, []client.Judging{}},
	{"POST " + client.BackupPath, admin, (*api).backup, 0, client.Backup{}, client.Backup{}},
	{"POST " + client.MovePath, admin, (*api).move, 0, nil, client.Moved{}},
}

// Paths lists the patterns of all routes for http.ServeMux.
var Paths = []string{"/v1/", contestAPIRoot, contestAPIPath, client.BlobPath, queue.Path, "/healthz", "/readyz"}

// New returns the handler of all routes, of the workers' bridge, and of the health checks.
func New(o Options) http.Handler { return routed(o, keepAlive) }

// routed is like New, but sets the interval after which an idle stream sends a comment.
func routed(o Options, keepAlive time.Duration) http.Handler {
	if o.Sweeping == nil {
		o.Sweeping = new(sync.RWMutex)
	}
	a := &api{Options: o, keepAlive: keepAlive, feeds: feed.Registry{Desk: o.Desk}}
	mux := http.NewServeMux()
	for _, rt := range routes {
		mux.HandleFunc(rt.path(), func(w http.ResponseWriter, r *http.Request) {
			if rt.body != ownBound {
				r.Body = http.MaxBytesReader(w, r.Body, max(rt.body, little)<<10)
			}
			if rt.need == nothing {
				a.Pace(r)
			}
			who, err := a.who(r, rt.need)
			if err == nil && rt.streams() {
				var end func()
				if r, end, err = a.stream(r, rt.need, who); err == nil {
					defer end()
				}
			}
			if err == nil {
				err = a.respond(w, r, &rt, who)
			}
			if s, is := errors.AsType[*status](err); is && (s.code == http.StatusUnauthorized || rt.need == nothing) {
				err = a.slowly(r, err)
			}
			if err != nil {
				a.refuse(w, r, err)
			}
		})
	}
	mux.HandleFunc(contestAPIRoot, a.contestAPI)
	mux.HandleFunc(contestAPIPath, a.contestAPI)
	mux.HandleFunc("GET "+OpenAPIPath, a.description())
	mux.HandleFunc(queue.Path, func(w http.ResponseWriter, r *http.Request) {
		if public, err := auth.Verify(r.Header.Get("Authorization"), time.Now(), r.Method, r.URL.Path); err == nil {
			r = queue.Proved(r, public)
		} else {
			a.Pace(r)
		}
		o.Bridge.ServeHTTP(w, r)
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		a.Pace(r)
		fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		a.Pace(r)
		notes, err := o.Ready(r.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
		for _, n := range notes {
			fmt.Fprintln(w, n)
		}
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		a.Pace(r)
		a.refuse(w, r, &status{http.StatusNotFound, "there is nothing at " + r.URL.Path, ""})
	})
	return mux
}

// respond reads the body of a request, waits for the request's slot in the caller's queue, and calls the route's
// handler. It reads the body first, because otherwise a client that stalls would block the other requests of its
// account. The handler of a route with ownBound reads the body and waits for the slot itself.
func (a *api) respond(w http.ResponseWriter, r *http.Request, rt *route, who *caller) error {
	if r.Method != http.MethodGet {
		if takesTurns(who) {
			upload, err := a.Upload(r.Context(), who.account)
			if err != nil {
				return err
			}
			defer upload.End()
		}
		if rt.body == ownBound {
			return rt.answer(a, w, r, who)
		}
		data, err := body(r)
		if err != nil {
			return err
		}
		r.Body = io.NopCloser(bytes.NewReader(data))
	}
	if rt.streams() {
		return a.keeping(w, r, rt, who)
	}
	return a.inTurn(r, who, func() error { return a.keeping(w, r, rt, who) })
}

// keeping calls the handler of a route. If the route may refer to blobs, keeping prevents garbage collection until
// the response begins. During that time, the server must never wait for the client, because that would block
// garbage collection. So the body is read before, and the response is sent after.
func (a *api) keeping(w http.ResponseWriter, r *http.Request, rt *route, who *caller) error {
	names := r.Method != http.MethodGet && (rt.need == give || rt.need == publish || rt.need == submit)
	if !names {
		return rt.answer(a, w, r, who)
	}
	a.Sweeping.RLock()
	end := sync.OnceFunc(a.Sweeping.RUnlock)
	defer end()
	return rt.answer(a, &ending{w, end}, r, who)
}

// An ending is an http.ResponseWriter that calls a function before the first byte of the response is written.
type ending struct {
	http.ResponseWriter
	end func()
}

// Write writes a part of the response.
func (e *ending) Write(p []byte) (int, error) {
	e.end()
	return e.ResponseWriter.Write(p)
}

// Unwrap returns the wrapped writer for http.ResponseController.
func (e *ending) Unwrap() http.ResponseWriter { return e.ResponseWriter }

// streams reports whether a route responds with a stream.
func (rt *route) streams() bool {
	return strings.HasSuffix(rt.path(), "/events") || strings.HasSuffix(rt.path(), "/parts")
}

// path returns the pattern without the query parameters.
func (rt *route) path() string {
	path, _, _ := strings.Cut(rt.pattern, "?")
	return path
}

// query returns the names of the query parameters.
func (rt *route) query() []string {
	_, names, is := strings.Cut(rt.pattern, "?")
	if !is {
		return nil
	}
	return strings.Split(names, "&")
}

// stream begins a request whose response is a stream. The number of streams per account is limited, except for the
// jury and publishers. The caller must call the returned function when the stream ends.
func (a *api) stream(r *http.Request, n need, who *caller) (*http.Request, func(), error) {
	leave := func() {}
	if !who.may(client.Publish) {
		var err error
		a.Pace(r)
		if leave, err = a.EnterStream(r.Context(), who.account, r.RemoteAddr); err != nil {
			return r, nil, err
		}
	}
	r, end := a.whileKnown(r, n)
	return r, func() { end(); leave() }, nil
}

// whileKnown returns a request whose context ends when the caller loses access, for example because its token was
// revoked. It checks the caller's access at the same interval at which an idle stream sends comments.
func (a *api) whileKnown(r *http.Request, n need) (*http.Request, func()) {
	ctx, end := context.WithCancel(r.Context())
	r = r.WithContext(ctx)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(a.keepAlive):
			}
			_, err := a.who(r, n)
			if _, refused := errors.AsType[*status](err); refused {
				end()
			}
		}
	}()
	return r, end
}

// takesTurns reports whether a caller's requests are handled one at a time. It returns false for workers,
// administrators, and publishers.
func takesTurns(who *caller) bool {
	return who != nil && who.account != nil && !who.may(client.Publish)
}

// inTurn calls answer when it is the caller's turn.
func (a *api) inTurn(r *http.Request, who *caller, answer func() error) error {
	if !takesTurns(who) {
		return answer()
	}
	turn, err := a.Turns.Wait(r.Context(), desk.AccountTurn(who.account))
	if err != nil {
		return err
	}
	defer turn.End()
	return answer()
}

// wrongToken is how long a response to an invalid token or code is delayed. Each network gets one such response at
// a time. Requests with valid tokens are not delayed.
const wrongToken = 20 * time.Millisecond

// slowly waits for the turn of the client's network, delays the response, and then returns err.
func (a *api) slowly(r *http.Request, err error) error {
	turn, late := a.Strangers.Wait(r.Context(), desk.Network(r.RemoteAddr).String())
	if late != nil {
		return late
	}
	defer turn.End()
	select {
	case <-r.Context().Done():
	case <-time.After(wrongToken):
	}
	return err
}

// refuse responds with an error.
func (a *api) refuse(w http.ResponseWriter, r *http.Request, err error) {
	s := a.statusOf(w, r, err)
	answer(w, s.code, refusal{s.text, s.hint})
}

// statusOf returns the response for an error. If the server is at fault, the details are only written to the log.
func (a *api) statusOf(w http.ResponseWriter, r *http.Request, err error) *status {
	s, known := errors.AsType[*status](err)
	if r, is := errors.AsType[*desk.Refusal](err); is {
		s, known = &status{r.Code, r.Text, r.Hint}, true
	}
	switch {
	case known:
	case r.Context().Err() != nil: // the server is stopping, or the client has disconnected
		s = &status{http.StatusServiceUnavailable, "the server is shutting down and did not finish the request", "try again"}
	case errors.Is(err, store.ErrNotFound):
		s = &status{http.StatusNotFound, err.Error(), ""}
	case errors.Is(err, store.ErrOver):
		s = &status{http.StatusConflict, store.ErrOver.Error(), "the contest can no longer change"}
	case errors.Is(err, store.ErrTaken):
		s = &status{http.StatusConflict, err.Error(), ""}
	case errors.Is(err, auth.ErrBusy):
		s = &status{http.StatusServiceUnavailable, err.Error(), ""}
	case errors.Is(err, store.ErrTooManyWaiting):
		w.Header().Set("Retry-After", "10")
		s = &status{http.StatusServiceUnavailable, "too many submissions are waiting", "try again later"}
	case errors.Is(err, store.ErrStopped):
		w.Header().Set("Retry-After", "5")
		s = &status{http.StatusServiceUnavailable, store.ErrStopped.Error(), "try again in a few seconds"}
	case errors.Is(err, store.ErrAway):
		a.Log.Error("no database", "method", r.Method, "path", r.URL.Path, "error", err)
		w.Header().Set("Retry-After", "5")
		s = &status{http.StatusServiceUnavailable, store.ErrAway.Error(), "try again in a few seconds"}
	case errors.Is(err, blob.ErrAway):
		a.Log.Error("no shared files", "method", r.Method, "path", r.URL.Path, "error", err)
		w.Header().Set("Retry-After", "5")
		s = &status{http.StatusServiceUnavailable, blob.ErrAway.Error(), "try again in a few seconds"}
	case errors.Is(err, store.ErrFull) || errors.Is(err, syscall.ENOSPC):
		a.Log.Error("no room", "method", r.Method, "path", r.URL.Path, "error", err)
		s = &status{http.StatusServiceUnavailable, "the server's disk is full", "tell the server's administrator"}
	case judge.Whose(err) == judge.Caller || judge.Whose(err) == judge.Setter:
		s = &status{http.StatusBadRequest, err.Error(), ""}
	default:
		a.Log.Error("request failed", "method", r.Method, "path", r.URL.Path, "error", err)
		s = &status{http.StatusInternalServerError, "the server could not do this; its log says why", ""}
	}
	return s
}

func answer(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v) // the client may have disconnected
}

func ok(w http.ResponseWriter, v any) error {
	answer(w, http.StatusOK, v)
	return nil
}

// read decodes the JSON body of a request.
func read(r *http.Request, v any) error {
	data, err := body(r)
	if err != nil {
		return err
	}
	if bytes.Count(data, []byte{','}) >= mostValues {
		return &status{http.StatusRequestEntityTooLarge, fmt.Sprintf("the request has more than %d values", mostValues), ""}
	}
	if err := json.Unmarshal(data, v); err != nil {
		return &status{http.StatusBadRequest, "the request is not the JSON that was expected: " + err.Error(), ""}
	}
	return nil
}

// body reads the body of a request.
func body(r *http.Request) ([]byte, error) {
	data, err := io.ReadAll(r.Body)
	if tooLarge, is := errors.AsType[*http.MaxBytesError](err); is {
		return nil, &status{http.StatusRequestEntityTooLarge, fmt.Sprintf("the request has more than %d bytes", tooLarge.Limit), ""}
	}
	if refusal := desk.BodyRefusal(err); refusal != nil {
		return nil, refusal
	}
	if err != nil {
		return nil, &status{http.StatusBadRequest, "the request ended too early", ""}
	}
	return data, nil
}

func (a *api) server(w http.ResponseWriter, _ *http.Request, _ *caller) error {
	return ok(w, client.Server{
		Name: a.Name, Version: a.Version, Protocol: job.Protocol, URL: a.URL.String(),
		Preparing: a.Preparing != nil && a.Preparing(),
	})
}

func (a *api) account(w http.ResponseWriter, _ *http.Request, who *caller) error {
	return ok(w, client.Account{Login: who.account.Login, Scopes: who.scopes})
}

func (a *api) queue(w http.ResponseWriter, r *http.Request, _ *caller) error {
	rows, err := a.Dispatch.Queues(r.Context())
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

// accountLoads responds with the amount of pending work of each account.
func (a *api) accountLoads(w http.ResponseWriter, r *http.Request, _ *caller) error {
	rows, err := a.Store.AccountLoads(r.Context())
	all := []client.AccountLoad{}
	for _, one := range rows {
		all = append(all, client.AccountLoad(one))
	}
	if err != nil {
		return err
	}
	return ok(w, all)
}

func (a *api) backup(w http.ResponseWriter, r *http.Request, who *caller) error {
	var b client.Backup
	if err := read(r, &b); err != nil {
		return err
	}
	var err error
	if b.Dir, err = a.Backup(r.Context(), b.Name); err != nil {
		return err
	}
	return a.done(w, r, who, "backup", b.Dir, "", b)
}

func (a *api) move(w http.ResponseWriter, r *http.Request, who *caller) error {
	if err := a.Store.Audit(r.Context(), store.Entry{Actor: who.name(), Action: "move the data", Address: r.RemoteAddr}); err != nil {
		return err // audited before the move, because nothing can be written after it
	}
	moved, err := a.Move(r.Context())
	if err != nil {
		return err
	}
	return ok(w, moved)
}

// done writes an entry to the audit log, and sends the response.
func (a *api) done(w http.ResponseWriter, r *http.Request, who *caller, action, object, detail string, v any) error {
	if err := a.Store.Audit(r.Context(), store.Entry{Actor: who.name(), Action: action, Object: object, Detail: detail,
		Address: r.RemoteAddr}); err != nil {
		return err
	}
	return ok(w, v)
}
