// Package api answers the requests of commands and workers: see package client for the
// words. The caller is known by a token or by a worker's signature, and each route says in
// one table what is needed to be answered. It decides nothing of judging.
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
	// Backup makes a backup of a new name among the others, and returns its directory.
	Backup func(ctx context.Context, name string) (dir string, err error)
	// Preparing says whether the problems of the contest are still being published; nil where
	// they are not published by this server.
	Preparing func() bool
	// Ready says why the server cannot take submissions, or what is wrong though it can.
	Ready func(ctx context.Context) (notes []string, err error)
}

// What the JSON of a request may have, in KiB, where it lists much; of all others it is little.
const (
	little    = 64
	withFiles = 1 << 10 // 256 paths and digests
	withFlow  = 2 << 10 // files of each of many contestants, and options
	withMany  = 4 << 10 // people
	// A contest package, whose files are in base64.
	withPackage = 8 << 10
	ownBound    = -1 // the answer says
)

// mostValues is how many values the JSON of a request may have: an empty one takes three bytes
// there, and ten times as many here.
const mostValues = 100_000

// need is what a route needs of the caller.
type need string

const (
	nothing  need = ""
	token    need = "token" // of any scope
	submit   need = need(client.Submit)
	publish  need = need(client.Publish)
	admin    need = need(client.Admin)
	asWorker need = "worker"
	give     need = "give" // may submit or publish: blobs
)

type api struct {
	Options
	keepAlive time.Duration
	bundles   bundles
	// Of the Contest API.
	feeds      feed.Registry
	remembered remembered
}

// route is a row of the table of routes.
type route struct {
	pattern string // of http.ServeMux, with the names of the parameters of its query
	need    need
	answer  func(a *api, w http.ResponseWriter, r *http.Request, who *caller) error
	body    int64 // KiB that its JSON may have; 0 is little
	in, out any   // values of the types of the JSON that is sent and answered; nil for no body
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
	{"GET " + client.FlowsPath + "/{id}/parts", give, (*api).flowParts, 0, nil, client.FlowLine{}},
	{"GET " + client.QueuePath, token, (*api).queue, 0, nil, []client.Queue{}},
	{"GET " + client.AskersPath, admin, (*api).askers, 0, nil, []client.Asker{}},
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
	{"POST " + client.JoinPath, nothing, (*api).join, 0, client.Join{}, client.Welcome{}}, // the code is the proof
	{"POST " + client.HelloPath, asWorker, (*api).hello, 0, client.Hello{}, client.Welcome{}},
	{"GET " + client.WorkersPath, admin, (*api).workers, 0, nil, []client.Worker{}},
	{"PUT " + client.WorkersPath + "/{name}", admin, (*api).setWorker, 0, client.SetWorker{}, struct{}{}},
	{"GET " + client.ClassesPath, admin, (*api).classes, 0, nil, []client.Class{}},
	{"PUT " + client.ClassesPath + "/{name}", admin, (*api).acceptClass, 0, client.AcceptClass{}, client.Accepted{}},
	{"GET " + client.JudgingsPath + "?worker&origin&before", admin, (*api).judgings, 0, nil, []client.Judging{}},
	{"POST " + client.BackupPath, admin, (*api).backup, 0, client.Backup{}, client.Backup{}},
}

// Paths are where the API answers, as patterns of http.ServeMux.
var Paths = []string{"/v1/", contestAPIPath, client.BlobPath, queue.Path, "/healthz", "/readyz"}

// New makes the handler of all routes, the workers' bridge and the server's health.
func New(o Options) http.Handler { return routed(o, keepAlive) }

// routed is New with a time after which a stream that has nothing to say says so.
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

// respond reads the body of a request, waits for the caller's turn, and calls the route's handler.
// The body is read first: a caller that stalls must hold no turn, or its account would get no
// answer to anything else. A route with ownBound reads the body and takes the turn itself.
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

// keeping handles a request. If its route may name blobs, none is removed meanwhile. It must not wait for
// the client during that time, which would stop garbage collection: the body is read before, and the
// response is sent after.
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

// ending is an answer before whose first byte something ends.
type ending struct {
	http.ResponseWriter
	end func()
}

// Write writes a part of an answer.
func (e *ending) Write(p []byte) (int, error) {
	e.end()
	return e.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (e *ending) Unwrap() http.ResponseWriter { return e.ResponseWriter }

// streams says whether the answer goes on for as long as what it is about.
func (rt *route) streams() bool {
	return strings.HasSuffix(rt.path(), "/events") || strings.HasSuffix(rt.path(), "/parts")
}

// path is the pattern without a query.
func (rt *route) path() string {
	path, _, _ := strings.Cut(rt.pattern, "?")
	return path
}

// query are the names of the parameters of the query.
func (rt *route) query() []string {
	_, names, is := strings.Cut(rt.pattern, "?")
	if !is {
		return nil
	}
	return strings.Split(names, "&")
}

// stream begins a request whose response is a stream. An account has a bounded number of them at a time;
// the jury and publishers may have any number. The returned function must be called at its end.
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

// whileKnown is a request that ends when the caller may not make it any more: its token was
// revoked, or has expired. It looks as often as a stream says that it is still there.
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

// takesTurns reports whether a caller is served one request at a time. Workers, administrators,
// and publishers are not.
func takesTurns(who *caller) bool {
	return who != nil && who.account != nil && !who.may(client.Publish)
}

// inTurn answers when it is the turn of the caller.
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

// wrongToken is how long a request takes without a right token, or with a wrong code where a code
// is the proof; from one network one is answered at a time. Who has a right one does not wait for
// them.
const wrongToken = 20 * time.Millisecond

// slowly returns err, when it is the turn of its sender's network.
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

// refuse answers with what went wrong.
func (a *api) refuse(w http.ResponseWriter, r *http.Request, err error) {
	s := a.statusOf(w, r, err)
	answer(w, s.code, refusal{s.text, s.hint})
}

// statusOf returns what to tell a caller of an error. Of a fault of the server's own the log has the
// details, and the caller only learns that there is one.
func (a *api) statusOf(w http.ResponseWriter, r *http.Request, err error) *status {
	s, known := errors.AsType[*status](err)
	if r, is := errors.AsType[*desk.Refusal](err); is {
		s, known = &status{r.Code, r.Text, r.Hint}, true
	}
	switch {
	case known:
	case r.Context().Err() != nil: // the server ends, or the client has gone
		s = &status{http.StatusServiceUnavailable, "the server is shutting down and did not finish the request", "try again"}
	case errors.Is(err, store.ErrNotFound):
		s = &status{http.StatusNotFound, err.Error(), ""}
	case errors.Is(err, store.ErrOver):
		s = &status{http.StatusConflict, store.ErrOver.Error(), "nothing of the contest changes any more"}
	case errors.Is(err, store.ErrTaken):
		s = &status{http.StatusConflict, err.Error(), ""}
	case errors.Is(err, auth.ErrBusy):
		s = &status{http.StatusServiceUnavailable, err.Error(), ""}
	case errors.Is(err, store.ErrTooManyWaiting):
		w.Header().Set("Retry-After", "10")
		s = &status{http.StatusServiceUnavailable, "too many submissions are waiting", "try again later"}
	case errors.Is(err, store.ErrFull) || errors.Is(err, syscall.ENOSPC):
		a.Log.Error("no room", "method", r.Method, "path", r.URL.Path, "error", err)
		s = &status{http.StatusServiceUnavailable, "the server's disk is full", "tell the server's administrator"}
	case judge.Whose(err) == judge.Asker || judge.Whose(err) == judge.Setter:
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
	_ = json.NewEncoder(w).Encode(v) // to a client that is gone
}

func ok(w http.ResponseWriter, v any) error {
	answer(w, http.StatusOK, v)
	return nil
}

// read reads the JSON of a request.
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
	return ok(w, client.Server{Name: a.Name, Version: a.Version, Protocol: job.Protocol, URL: a.URL.String(), Preparing: a.Preparing != nil && a.Preparing()})
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

// perAccount says which accounts ask for how much of the pending work.
func (a *api) askers(w http.ResponseWriter, r *http.Request, _ *caller) error {
	rows, err := a.Store.Askers(r.Context())
	all := []client.Asker{}
	for _, one := range rows {
		all = append(all, client.Asker(one))
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

// done writes an entry of the audit log, and responds.
func (a *api) done(w http.ResponseWriter, r *http.Request, who *caller, action, object, detail string, v any) error {
	if err := a.Store.Audit(r.Context(), store.Entry{Actor: who.name(), Action: action, Object: object, Detail: detail, Address: r.RemoteAddr}); err != nil {
		return err
	}
	return ok(w, v)
}
