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
	"assay/judge/host/client"
	"assay/judge/host/feed"
	"assay/judge/host/intake"
	"assay/judge/host/job"
	"assay/judge/host/openapi"
	"assay/judge/host/queue"
	"assay/judge/host/scoreboard"
	"assay/judge/host/store"
)

// Options configure the API.
type Options struct {
	*intake.Service
	Scoreboards   *scoreboard.Registry
	Name, Version string
	URL           client.Address // public address
	// Passwords hashes passwords, and queues requests to do so.
	Passwords *auth.Passwords
	// Bridge handles connections of workers to the embedded queue. Queue lists the servers of an external cluster,
	// to which workers connect instead. With the bridge, Queue is empty.
	Bridge http.Handler
	Queue  string
	Log    *slog.Logger
	// MixedClasses lists the classes whose machines may differ in speed.
	MixedClasses []string
	// Backup makes a backup with the given name and returns its directory.
	Backup func(ctx context.Context, name string) (dir string, err error)
	// Move moves the data of the server to another database.
	Move func(ctx context.Context) (client.MoveResult, error)
	// IsPreparing reports whether the problems of the contest directory are still being published. If nil, this
	// server does not publish problems.
	IsPreparing func() bool
	// CheckReady returns an error if the server cannot take submissions, and notes about other problems.
	CheckReady func(ctx context.Context) (notes []string, err error)
}

// The limits of JSON bodies in KiB. The limit little applies to all routes without long lists.
const (
	smallBody       = 64
	fileListBody    = 1 << 10 // 256 paths and digests
	workflowBody    = 2 << 10 // files of each of many contestants, and options
	accountListBody = 4 << 10 // accounts
	// For contest packages, with files in base64.
	packageBody    = 8 << 10
	handlerLimited = -1 // the handler limits the body
)

// maxValues is the maximum number of values in a JSON body. An empty value takes three bytes in the body, but ten
// times as many in memory.
const maxValues = 100_000

// A need is what a route requires of the caller.
type need string

const (
	needNothing need = ""
	needToken   need = "token" // a token with any scope
	needSubmit  need = need(client.Submit)
	needPublish need = need(client.Publish)
	needAdmin   need = need(client.Admin)
	needWorker  need = "worker"
	needUpload  need = "give" // scope submit or publish, to upload blobs
)

type api struct {
	Options
	keepAlive time.Duration
	bundles   manifestCache
	// For the Contest API.
	feeds         feed.Registry
	passwordCache passwordCache
}

// A route is a row of the routing table.
type route struct {
	pattern string // pattern for http.ServeMux, followed by the names of the query parameters
	need    need
	handle  func(a *api, w http.ResponseWriter, r *http.Request, who *caller) error
	body    int64 // limit of the JSON body in KiB; zero means little
	in, out any   // values of the JSON types of request and response; nil means no body
}

// What is no JSON.
var (
	binaryMedia  = openapi.Schema{"contentMediaType": "application/octet-stream"}
	archiveMedia = openapi.Schema{"contentMediaType": "application/zip"}
)

var routes = []route{
	{"GET " + client.ServerPath, needNothing, (*api).server, 0, nil, client.Server{}},
	{"GET " + client.AccountPath, needToken, (*api).account, 0, nil, client.Account{}},
	{"POST " + client.MissingPath, needUpload, (*api).missingBlobs, fileListBody, client.Blobs{}, client.Blobs{}},
	{"PUT " + client.BlobPath + "{digest}", needUpload, (*api).putBlob, handlerLimited, binaryMedia, struct{}{}},
	{"GET " + client.BlobPath + "{digest}", needWorker, (*api).getBlob, 0, nil, binaryMedia},
	{"GET " + client.ProblemsPath, needToken, (*api).problems, 0, nil, []client.Problem{}},
	{"PUT " + client.ProblemsPath + "/{slug}", needPublish, (*api).putProblem, 0, client.NewProblem{}, client.Problem{}},
	{
		"GET " + client.ContestsPath + "/{slug}" + client.ScoreboardPath + "?view", needToken,
		(*api).contestScoreboard, 0, nil, client.Scoreboard{},
	},
	{"POST " + client.ContestsPath, needAdmin, (*api).importContest, packageBody, client.ContestImport{}, client.ImportReport{}},
	{"POST " + client.ContestsPath + client.ShadowPath, needAdmin, (*api).shadowContest, 0, client.NewShadow{}, client.ShadowedContest{}},
	{"DELETE " + client.ContestsPath + "/{slug}" + client.ShadowPath, needAdmin, (*api).endShadow, 0, nil, client.ShadowedContest{}},
	{"GET " + client.ContestsPath + "/{slug}" + client.ExportPath + "/{part}", needAdmin, (*api).exportContest, 0, nil, archiveMedia},
	{"POST " + client.ContestsPath + "/{slug}/rejudgings", needAdmin, (*api).rejudge, 0, client.NewRejudging{}, client.Rejudging{}},
	{"GET " + client.ContestsPath + "/{slug}/rejudgings", needAdmin, (*api).rejudgings, 0, nil, []client.Rejudging{}},
	{"GET " + client.RejudgingsPath + "/{id}", needAdmin, (*api).rejudging, 0, nil, client.Rejudging{}},
	{"PUT " + client.RejudgingsPath + "/{id}", needAdmin, (*api).endRejudging, 0, client.RejudgingUpdate{}, struct{}{}},
	{"POST " + client.SubmissionsPath, needSubmit, (*api).submit, fileListBody, client.NewSubmission{}, client.Submission{}},
	{"GET " + client.SubmissionsPath + "?before&problem", needSubmit, (*api).submissions, 0, nil, []client.Submission{}},
	{"DELETE " + client.SubmissionsPath + "?login&problem", needAdmin, (*api).cancelSubmissions, 0, nil, client.Cancelled{}},
	{"GET " + client.SubmissionsPath + "/{id}", needSubmit, (*api).submission, 0, nil, client.Submission{}},
	{"DELETE " + client.SubmissionsPath + "/{id}", needSubmit, (*api).cancelSubmission, 0, nil, struct{}{}},
	{"GET " + client.SubmissionsPath + "/{id}/events?from", needSubmit, (*api).events, 0, nil, client.JudgementLine{}},
	{
		"POST " + client.HolesPath + "/{hole}/answers", needSubmit, (*api).postGolfSubmission, 0,
		client.NewGolfSubmission{}, client.GolfSubmission{},
	},
	{"GET " + client.HolesPath + "/{hole}/answers/{number}", needSubmit, (*api).getGolfSubmission, 0, nil, client.GolfSubmission{}},
	{"PUT " + client.WorkflowsPath + "/{id}", needUpload, (*api).putWorkflow, workflowBody, client.NewWorkflow{}, client.Workflow{}},
	{"DELETE " + client.WorkflowsPath + "/{id}", needUpload, (*api).cancelWorkflow, 0, nil, struct{}{}},
	{"GET " + client.WorkflowsPath + "/{id}/tasks", needUpload, (*api).streamTasks, 0, nil, client.WorkflowLine{}},
	{"GET " + client.QueuePath, needToken, (*api).queue, 0, nil, []client.QueueState{}},
	{"GET " + client.AccountLoadsPath, needAdmin, (*api).accountLoads, 0, nil, []client.AccountLoad{}},
	{"GET " + client.TokensPath, needAdmin, (*api).tokens, 0, nil, []client.Token{}},
	{"POST " + client.TokensPath, needAdmin, (*api).newToken, 0, client.NewToken{}, client.Token{}},
	{"DELETE " + client.TokensPath + "/{id}", needAdmin, (*api).revokeToken, 0, nil, struct{}{}},
	{"GET " + client.AccountsPath, needAdmin, (*api).listAccounts, 0, nil, []client.AccountInfo{}},
	{"POST " + client.AccountsPath, needAdmin, (*api).newPeople, accountListBody, client.NewAccounts{}, client.CreatedAccounts{}},
	{"PUT " + client.AccountsPath + "/{login}", needAdmin, (*api).setPerson, 0, client.AccountUpdate{}, client.Credentials{}},
	{"GET " + client.InvitationsPath, needAdmin, (*api).invitations, 0, nil, []client.Invitation{}},
	{"POST " + client.InvitationsPath, needAdmin, (*api).newInvitation, 0, client.NewInvitation{}, client.Invitation{}},
	{"DELETE " + client.InvitationsPath + "/{id}", needAdmin, (*api).revokeInvitation, 0, nil, struct{}{}},
	{"DELETE " + client.AccountsPath + "/{login}", needAdmin, (*api).erasePerson, 0, nil, struct{}{}},
	{"POST " + client.JoinCodesPath, needAdmin, (*api).inviteWorker, 0, client.NewJoinCode{}, client.JoinCode{}},
	{
		"POST " + client.JoinPath, needNothing, (*api).joinWorker, 0, client.JoinRequest{}, client.Welcome{},
	}, // the code authenticates the caller
	{"POST " + client.HelloPath, needWorker, (*api).helloWorker, 0, client.HelloRequest{}, client.Welcome{}},
	{"GET " + client.WorkersPath, needAdmin, (*api).workers, 0, nil, []client.Worker{}},
	{"PUT " + client.WorkersPath + "/{name}", needAdmin, (*api).setWorker, 0, client.WorkerUpdate{}, struct{}{}},
	{"GET " + client.ClassesPath, needAdmin, (*api).classes, 0, nil, []client.Class{}},
	{"PUT " + client.ClassesPath + "/{name}", needAdmin, (*api).acceptClass, 0, client.AcceptClassRequest{}, client.AcceptedClass{}},
	{"GET " + client.JudgementsPath + "?worker&origin&before", needAdmin, (*api).listJudgements, 0, nil, []client.Judgement{}},
	{"POST " + client.BackupPath, needAdmin, (*api).backup, 0, client.Backup{}, client.Backup{}},
	{"POST " + client.MovePath, needAdmin, (*api).move, 0, nil, client.MoveResult{}},
}

// Paths lists the patterns of all routes for http.ServeMux.
var Paths = []string{"/v1/", contestAPIRoot, contestAPIPath, client.BlobPath, queue.Path, "/healthz", "/readyz"}

// New returns the handler of all routes, of the workers' bridge, and of the health checks.
func New(o Options) http.Handler { return newHandler(o, keepAlive) }

// newHandler is like New, but sets the interval after which an idle stream sends a comment.
func newHandler(o Options, keepAlive time.Duration) http.Handler {
	if o.CollectLock == nil {
		o.CollectLock = new(sync.RWMutex)
	}
	a := &api{Options: o, keepAlive: keepAlive, feeds: feed.Registry{Intake: o.Service}}
	mux := http.NewServeMux()
	for _, rt := range routes {
		mux.HandleFunc(rt.patternPath(), func(w http.ResponseWriter, r *http.Request) {
			if rt.body != handlerLimited {
				r.Body = http.MaxBytesReader(w, r.Body, max(rt.body, smallBody)<<10)
			}
			if rt.need == needNothing {
				a.PaceNetwork(r)
			}
			caller, err := a.authenticate(r, rt.need)
			if err == nil && rt.isStream() {
				var end func()
				if r, end, err = a.startStream(r, rt.need, caller); err == nil {
					defer end()
				}
			}
			if err == nil {
				err = a.respond(w, r, &rt, caller)
			}
			if s, isStatus := errors.AsType[*status](err); isStatus && (s.code == http.StatusUnauthorized || rt.need == needNothing) {
				err = a.delayError(r, err)
			}
			if err != nil {
				a.writeError(w, r, err)
			}
		})
	}
	mux.HandleFunc(contestAPIRoot, a.contestAPI)
	mux.HandleFunc(contestAPIPath, a.contestAPI)
	mux.HandleFunc("GET "+OpenAPIPath, a.descriptionHandler())
	mux.HandleFunc(queue.Path, func(w http.ResponseWriter, r *http.Request) {
		if public, err := auth.Verify(r.Header.Get("Authorization"), time.Now(), r.Method, r.URL.Path); err == nil {
			r = queue.WithProvedKey(r, public)
		} else {
			a.PaceNetwork(r)
		}
		o.Bridge.ServeHTTP(w, r)
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		a.PaceNetwork(r)
		fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		a.PaceNetwork(r)
		notes, err := o.CheckReady(r.Context())
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
		a.PaceNetwork(r)
		a.writeError(w, r, &status{http.StatusNotFound, "there is nothing at " + r.URL.Path, ""})
	})
	return mux
}

// respond reads the body of a request, waits for the request's slot in the caller's queue, and calls the route's
// handler. It reads the body first, because otherwise a client that stalls would block the other requests of its
// account. The handler of a route with handlerLimited reads the body and waits for the slot itself.
func (a *api) respond(w http.ResponseWriter, r *http.Request, rt *route, caller *caller) error {
	if r.Method != http.MethodGet {
		if isQueued(caller) {
			upload, err := a.WaitForUpload(r.Context(), caller.account)
			if err != nil {
				return err
			}
			defer upload.End()
		}
		if rt.body == handlerLimited {
			return rt.handle(a, w, r, caller)
		}
		data, err := readBody(r)
		if err != nil {
			return err
		}
		r.Body = io.NopCloser(bytes.NewReader(data))
	}
	if rt.isStream() {
		return a.handlePinned(w, r, rt, caller)
	}
	return a.inSlot(r, caller, func() error { return a.handlePinned(w, r, rt, caller) })
}

// handlePinned calls the handler of a route. If the route may refer to blobs, keeping prevents garbage collection until
// the response begins. During that time, the server must never wait for the client, because that would block
// garbage collection. So the body is read before, and the response is sent after.
func (a *api) handlePinned(w http.ResponseWriter, r *http.Request, rt *route, caller *caller) error {
	names := r.Method != http.MethodGet && (rt.need == needUpload || rt.need == needPublish || rt.need == needSubmit)
	if !names {
		return rt.handle(a, w, r, caller)
	}
	a.CollectLock.RLock()
	end := sync.OnceFunc(a.CollectLock.RUnlock)
	defer end()
	return rt.handle(a, &endingWriter{w, end}, r, caller)
}

// An endingWriter is an http.ResponseWriter that calls a function before the first byte of the response is written.
type endingWriter struct {
	http.ResponseWriter
	beforeWrite func()
}

// Write writes a part of the response.
func (e *endingWriter) Write(p []byte) (int, error) {
	e.beforeWrite()
	return e.ResponseWriter.Write(p)
}

// Unwrap returns the wrapped writer for http.ResponseController.
func (e *endingWriter) Unwrap() http.ResponseWriter { return e.ResponseWriter }

// isStream reports whether a route responds with a stream.
func (rt *route) isStream() bool {
	return strings.HasSuffix(rt.patternPath(), "/events") || strings.HasSuffix(rt.patternPath(), "/tasks")
}

// patternPath returns the pattern without the query parameters.
func (rt *route) patternPath() string {
	path, _, _ := strings.Cut(rt.pattern, "?")
	return path
}

// query returns the names of the query parameters.
func (rt *route) query() []string {
	_, names, hasQuery := strings.Cut(rt.pattern, "?")
	if !hasQuery {
		return nil
	}
	return strings.Split(names, "&")
}

// startStream begins a request whose response is a stream. The number of streams per account is limited, except for the
// jury and publishers. The caller must call the returned function when the stream ends.
func (a *api) startStream(r *http.Request, n need, caller *caller) (*http.Request, func(), error) {
	leave := func() {}
	if !caller.hasScope(client.Publish) {
		var err error
		a.PaceNetwork(r)
		if leave, err = a.OpenStream(r.Context(), caller.account, r.RemoteAddr); err != nil {
			return r, nil, err
		}
	}
	r, end := a.withAccess(r, n)
	return r, func() { end(); leave() }, nil
}

// withAccess returns a request whose context ends when the caller loses access, for example because its token was
// revoked. It checks the caller's access at the same interval at which an idle stream sends comments.
func (a *api) withAccess(r *http.Request, n need) (*http.Request, func()) {
	ctx, end := context.WithCancel(r.Context())
	r = r.WithContext(ctx)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(a.keepAlive):
			}
			_, err := a.authenticate(r, n)
			if _, refused := errors.AsType[*status](err); refused {
				end()
			}
		}
	}()
	return r, end
}

// isQueued reports whether a caller's requests are handled one at a time. It returns false for workers,
// administrators, and publishers.
func isQueued(caller *caller) bool {
	return caller != nil && caller.account != nil && !caller.hasScope(client.Publish)
}

// inSlot calls answer when it is the caller's turn.
func (a *api) inSlot(r *http.Request, caller *caller, handle func() error) error {
	if !isQueued(caller) {
		return handle()
	}
	turn, err := a.AccountQueue.Wait(r.Context(), intake.AccountKey(caller.account))
	if err != nil {
		return err
	}
	defer turn.End()
	return handle()
}

// invalidTokenDelay is how long a response to an invalid token or code is delayed. Each network gets one such response at
// a time. Requests with valid tokens are not delayed.
const invalidTokenDelay = 20 * time.Millisecond

// delayError waits for the turn of the client's network, delays the response, and then returns err.
func (a *api) delayError(r *http.Request, err error) error {
	turn, late := a.InvalidTokenQueue.Wait(r.Context(), intake.Network(r.RemoteAddr).String())
	if late != nil {
		return late
	}
	defer turn.End()
	select {
	case <-r.Context().Done():
	case <-time.After(invalidTokenDelay):
	}
	return err
}

// writeError responds with an error.
func (a *api) writeError(w http.ResponseWriter, r *http.Request, err error) {
	s := a.statusOf(w, r, err)
	writeJSON(w, s.code, refusal{s.text, s.hint})
}

// statusOf returns the response for an error. If the server is at fault, the details are only written to the log.
func (a *api) statusOf(w http.ResponseWriter, r *http.Request, err error) *status {
	s, isStatus := errors.AsType[*status](err)
	if r, isRefusal := errors.AsType[*intake.Refusal](err); isRefusal {
		s, isStatus = &status{r.Code, r.Text, r.Hint}, true
	}
	switch {
	case isStatus:
	case r.Context().Err() != nil: // the server is stopping, or the client has disconnected
		s = &status{http.StatusServiceUnavailable, "the server is shutting down and did not finish the request", "try again"}
	case errors.Is(err, store.ErrNotFound):
		s = &status{http.StatusNotFound, err.Error(), ""}
	case errors.Is(err, store.ErrResultsPublic):
		s = &status{http.StatusConflict, store.ErrResultsPublic.Error(), "the contest can no longer change"}
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
	case errors.Is(err, store.ErrUnavailable):
		a.Log.Error("no database", "method", r.Method, "path", r.URL.Path, "error", err)
		w.Header().Set("Retry-After", "5")
		s = &status{http.StatusServiceUnavailable, store.ErrUnavailable.Error(), "try again in a few seconds"}
	case errors.Is(err, blob.ErrAway):
		a.Log.Error("no shared files", "method", r.Method, "path", r.URL.Path, "error", err)
		w.Header().Set("Retry-After", "5")
		s = &status{http.StatusServiceUnavailable, blob.ErrAway.Error(), "try again in a few seconds"}
	case errors.Is(err, store.ErrDiskFull) || errors.Is(err, syscall.ENOSPC):
		a.Log.Error("no room", "method", r.Method, "path", r.URL.Path, "error", err)
		s = &status{http.StatusServiceUnavailable, "the server's disk is full", "tell the server's administrator"}
	case judge.BlameOf(err) == judge.Caller || judge.BlameOf(err) == judge.Setter:
		s = &status{http.StatusBadRequest, err.Error(), ""}
	default:
		a.Log.Error("request failed", "method", r.Method, "path", r.URL.Path, "error", err)
		s = &status{http.StatusInternalServerError, "the server could not do this; its log says why", ""}
	}
	return s
}

func writeJSON(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v) // the client may have disconnected
}

func writeOK(w http.ResponseWriter, v any) error {
	writeJSON(w, http.StatusOK, v)
	return nil
}

// readJSON decodes the JSON body of a request.
func readJSON(r *http.Request, v any) error {
	data, err := readBody(r)
	if err != nil {
		return err
	}
	if bytes.Count(data, []byte{','}) >= maxValues {
		return &status{http.StatusRequestEntityTooLarge, fmt.Sprintf("the request has more than %d values", maxValues), ""}
	}
	if err := json.Unmarshal(data, v); err != nil {
		return &status{http.StatusBadRequest, "the request is not the JSON that was expected: " + err.Error(), ""}
	}
	return nil
}

// readBody reads the body of a request.
func readBody(r *http.Request) ([]byte, error) {
	data, err := io.ReadAll(r.Body)
	if tooLarge, is := errors.AsType[*http.MaxBytesError](err); is {
		return nil, &status{http.StatusRequestEntityTooLarge, fmt.Sprintf("the request has more than %d bytes", tooLarge.Limit), ""}
	}
	if refusal := intake.BodyRefusal(err); refusal != nil {
		return nil, refusal
	}
	if err != nil {
		return nil, &status{http.StatusBadRequest, "the request ended too early", ""}
	}
	return data, nil
}

func (a *api) server(w http.ResponseWriter, _ *http.Request, _ *caller) error {
	return writeOK(w, client.Server{
		Name: a.Name, Version: a.Version, Protocol: job.Protocol, URL: a.URL.String(),
		Preparing: a.IsPreparing != nil && a.IsPreparing(),
	})
}

func (a *api) account(w http.ResponseWriter, _ *http.Request, caller *caller) error {
	return writeOK(w, client.Account{Login: caller.account.Login, Scopes: caller.scopes})
}

func (a *api) queue(w http.ResponseWriter, r *http.Request, _ *caller) error {
	rows, err := a.Dispatch.QueueCounts(r.Context())
	if err != nil {
		return err
	}
	type key struct {
		priority job.Priority
		class    string
	}
	stranded, err := a.Dispatch.Stranded(r.Context())
	if err != nil {
		return err
	}
	indexes, queues := map[key]int{}, []client.QueueState{}
	for _, q := range rows {
		k := key{q.Priority, q.Class}
		i, known := indexes[k]
		if !known {
			i, indexes[k] = len(queues), len(queues)
			queues = append(queues, client.QueueState{Priority: q.Priority, Class: q.Class, Oldest: q.Oldest})
		}
		if q.State == store.JobWaiting {
			queues[i].Waiting = q.Jobs
		} else {
			queues[i].Running = q.Jobs
		}
		if q.Oldest.Before(queues[i].Oldest) {
			queues[i].Oldest = q.Oldest
		}
	}
	for _, strandedJob := range stranded {
		if i, known := indexes[key{strandedJob.Priority, strandedJob.Class}]; known && strandedJob.Origin == store.OriginUntrusted {
			queues[i].UntrustedOnly++
		}
	}
	return writeOK(w, queues)
}

// accountLoads responds with the amount of pending work of each account.
func (a *api) accountLoads(w http.ResponseWriter, r *http.Request, _ *caller) error {
	rows, err := a.Store.AccountLoads(r.Context())
	loads := []client.AccountLoad{}
	for _, load := range rows {
		loads = append(loads, client.AccountLoad(load))
	}
	if err != nil {
		return err
	}
	return writeOK(w, loads)
}

func (a *api) backup(w http.ResponseWriter, r *http.Request, caller *caller) error {
	var b client.Backup
	if err := readJSON(r, &b); err != nil {
		return err
	}
	var err error
	if b.Dir, err = a.Backup(r.Context(), b.Name); err != nil {
		return err
	}
	return a.auditAndRespond(w, r, caller, "backup", b.Dir, "", b)
}

func (a *api) move(w http.ResponseWriter, r *http.Request, caller *caller) error {
	if err := a.Store.Audit(r.Context(), store.AuditEntry{Actor: caller.name(), Action: "move the data", Address: r.RemoteAddr}); err != nil {
		return err // audited before the move, because nothing can be written after it
	}
	moved, err := a.Move(r.Context())
	if err != nil {
		return err
	}
	return writeOK(w, moved)
}

// auditAndRespond writes an entry to the audit log, and sends the response.
func (a *api) auditAndRespond(w http.ResponseWriter, r *http.Request, caller *caller, action, object, detail string, v any) error {
	if err := a.Store.Audit(r.Context(), store.AuditEntry{Actor: caller.name(), Action: action, Object: object, Detail: detail,
		Address: r.RemoteAddr}); err != nil {
		return err
	}
	return writeOK(w, v)
}
