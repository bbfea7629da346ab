package api

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/intake"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/running/sandbox"
)

func (a *api) tokens(w http.ResponseWriter, r *http.Request, _ *caller) error {
	accounts, err := a.Store.Accounts(r.Context())
	if err != nil {
		return err
	}
	listed := []client.Token{}
	for _, account := range accounts {
		tokens, err := a.Store.Tokens(r.Context(), account.ID)
		if err != nil {
			return err
		}
		for _, t := range tokens {
			listed = append(listed, client.Token{
				ID: t.ID, Login: account.Login, Label: t.Label, Scopes: t.Scopes, LastDay: t.LastUsed, Expires: t.Expires,
				Revoked: t.Revoked,
			})
		}
	}
	return writeOK(w, listed)
}

// validNames matches the account and worker names that auth.ValidUsername accepts.
var validNames = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$`)

func checkNamePattern(noun, name string) error {
	if !validNames.MatchString(name) {
		return &status{
			http.StatusBadRequest,
			fmt.Sprintf("%.80q is not the name of %s: letters, digits, - and _, 40 at most", name, noun), "",
		}
	}
	return nil
}

// newToken creates a token, and its account if needed.
func (a *api) newToken(w http.ResponseWriter, r *http.Request, caller *caller) error {
	var n client.NewToken
	if err := readJSON(r, &n); err != nil {
		return err
	}
	if err := errors.Join(checkNamePattern("an account", n.Login), checkText("label", n.Label)); err != nil {
		return err
	}
	scopes, err := scopeNames(n.Scopes)
	if err != nil {
		return err
	}
	account, err := a.Store.AccountByLogin(r.Context(), n.Login)
	if errors.Is(err, store.ErrNotFound) {
		account, err = a.Store.NewAccount(r.Context(), n.Login, n.Login, store.PersonAccount, "")
	}
	if err != nil {
		return err
	}
	text, hash := auth.NewToken()
	t, err := a.Store.NewToken(r.Context(), account.ID, hash, n.Label, scopes, n.Expires)
	if err != nil {
		return err
	}
	return a.auditAndRespond(w, r, caller, "new token", account.ID, strings.Join(scopes, " "), client.Token{
		ID: t.ID, Login: account.Login, Label: t.Label, Scopes: t.Scopes, Text: text, Expires: t.Expires,
	})
}

// checkText rejects a text that is too long or contains invisible characters.
func checkText(noun, text string) error {
	const most = 300
	if len(text) > most {
		return &status{http.StatusBadRequest, fmt.Sprintf("the %s has %d bytes; the most is %d", noun, len(text), most), ""}
	}
	if !auth.IsPrintable(text) {
		return &status{http.StatusBadRequest, fmt.Sprintf("the %s contains an invisible character", noun), ""}
	}
	return nil
}

func scopeNames(scopes []client.Scope) (words []string, err error) {
	for _, s := range scopes {
		found := false
		for _, k := range client.Scopes {
			found = found || s == k
		}
		if !found {
			return nil, &status{http.StatusBadRequest, fmt.Sprintf("%.40q is not a scope of a token: use submit, publish or admin", s), ""}
		}
		words = append(words, string(s))
	}
	if len(words) == 0 {
		return nil, &status{http.StatusBadRequest, "a token needs a scope: submit, publish or admin", ""}
	}
	return words, nil
}

func (a *api) revokeToken(w http.ResponseWriter, r *http.Request, caller *caller) error {
	err := a.Store.RevokeToken(r.Context(), r.PathValue("id"))
	if errors.Is(err, store.ErrNotFound) {
		return &status{
			http.StatusNotFound, fmt.Sprintf("there is no token %q", r.PathValue("id")),
			"a token is named by its id: judged admin token list",
		}
	}
	if err != nil {
		return err
	}
	return a.auditAndRespond(w, r, caller, "revoke token", r.PathValue("id"), "", struct{}{})
}

func (a *api) inviteWorker(w http.ResponseWriter, r *http.Request, caller *caller) error {
	var n client.NewJoinCode
	if err := readJSON(r, &n); err != nil {
		return err
	}
	if err := checkNamePattern("a worker", n.Worker); err != nil {
		return err
	}
	switch _, err := a.Store.Worker(r.Context(), n.Worker); {
	case err == nil:
		return &status{
			http.StatusConflict, "there is a worker " + n.Worker + " already",
			"choose another name; one that was revoked keeps its own",
		}
	case !errors.Is(err, store.ErrNotFound):
		return err
	}
	code, hash := auth.NewCode()
	i, err := a.Store.NewWorkerInvite(
		r.Context(), hash,
		store.WorkerInvite{Name: n.Worker, Class: a.Service.Class, Untrusted: n.Untrusted, CreatedBy: caller.account.ID},
	)
	if err != nil {
		return err
	}
	detail := ""
	if n.Untrusted {
		detail = "as an untrusted worker"
	}
	return a.auditAndRespond(
		w, r, caller, "invite worker", n.Worker, detail,
		client.JoinCode{Code: code, Expires: i.Expires, Cluster: a.Queue != ""},
	)
}

// joinWorker registers a worker that presents a valid code.
func (a *api) joinWorker(w http.ResponseWriter, r *http.Request, _ *caller) error {
	var j client.JoinRequest
	if err := readJSON(r, &j); err != nil {
		return err
	}
	if err := j.Capabilities.Check(); err != nil {
		return &status{http.StatusBadRequest, err.Error(), ""}
	}
	if !auth.IsPublicKey(j.Key) {
		return &status{http.StatusBadRequest, "the request has no key of a worker", ""}
	}
	hash := auth.Hash(strings.TrimSpace(j.Code))
	const again = "get a new one: judged admin worker add NAME"
	var class string
	var untrusted bool
	i, err := a.Store.WorkerInvite(r.Context(), hash)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return &status{http.StatusForbidden, "the join code is not known here", "it may be cut: " + again}
	case errors.Is(err, store.ErrExpired):
		return &status{http.StatusForbidden, "the join code has expired: it is good for 24 hours", again}
	case errors.Is(err, store.ErrUsed): // perhaps by this worker, if the response got lost
		registered, kerr := a.Store.WorkerByKey(r.Context(), j.Key)
		if kerr != nil || registered.State == store.WorkerRevoked {
			return &status{http.StatusForbidden, "the join code was used already: it is good for one worker", again}
		}
		class, untrusted = registered.Class, registered.Untrusted
	case err != nil:
		return err
	default:
		class, untrusted = i.Class, i.Untrusted
	}
	fit, err := a.checkFit(r, class, untrusted, &j.Capabilities)
	if err != nil {
		return err
	}
	worker, err := a.Store.AdmitWorker(r.Context(), store.NewWorker{Invite: hash, Key: j.Key, Capabilities: j.Capabilities})
	if err != nil {
		return err
	}
	if worker.State == store.WorkerRevoked { // the key is known, so the code stays unused
		return &status{
			http.StatusForbidden, "the key of this worker was revoked",
			"remove the worker's data directory, and join with the code again",
		}
	}
	a.Log.Info("worker joined", "worker", worker.Name, "class", worker.Class, "machine", j.Capabilities.Machine)
	return a.welcome(w, worker, fit)
}

// A classFit describes how a worker fits its class.
type classFit struct {
	priorities    []job.Priority
	factor, scale float64 // see client.Welcome
	notes         []string
}

// checkFit checks whether a worker with capabilities o fits a class. It returns the consequences for the worker,
// such as its priorities and notes, or an error that says why the worker does not fit.
func (a *api) checkFit(r *http.Request, class string, untrusted bool, o *job.Capabilities) (*classFit, error) {
	priorities, err := job.CheckVersion(o, a.Version)
	if err != nil {
		return nil, &status{http.StatusConflict, err.Error(), ""}
	}
	f := &classFit{priorities: priorities}
	if len(priorities) < len(job.Priorities) {
		f.notes = append(f.notes, "this worker is of another version than the server: it judges no running contests")
	}
	c, err := a.Store.CreateClass(r.Context(), class, *o)
	if err != nil {
		return nil, err
	}
	expected := &job.Class{Name: c.Name, Arch: c.Arch, IsolationLevel: c.IsolationLevel, Languages: c.Languages}
	differences := expected.Differences(o)
	if len(differences) == 0 && o.Speed.Reliable() && c.Speed == nil && !untrusted {
		if c, err = a.Store.SetClassSpeed(r.Context(), class, o.Speed); err != nil {
			return nil, err
		}
	}
	mixed := slices.Contains(a.MixedClasses, class)
	if text := o.Speed.Mismatch(c.Speed, class, mixed); text != "" {
		differences = append(differences, text)
	}
	if len(differences) > 0 {
		return nil, &status{
			http.StatusConflict,
			"this machine does not judge as the others of its class do:\n  " + strings.Join(differences, "\n  "), "",
		}
	}
	if o.Speed.Reliable() && c.Speed != nil {
		f.factor = o.Speed.Factor(c.Speed)
	}
	if mixed {
		f.scale = f.factor
		f.notes = append(f.notes, "the machines of the class "+class+" are mixed: it judges no running contests, and time "+
			"limits follow how fast a machine is")
		if f.factor == 0 {
			f.notes = append(f.notes, "this machine was not measured, and limits are not adjusted: run judged worker --calibrate")
		}
	}
	if untrusted {
		f.notes = append(f.notes, "this worker is untrusted: it gets nothing of problems whose contest has not ended, and "+
			"what it judges counts when another worker has judged it as well")
	}
	if mixed || untrusted {
		f.priorities = slices.DeleteFunc(slices.Clone(priorities), func(l job.Priority) bool { return l == job.ContestPriority })
	}
	return f, nil
}

func (a *api) welcome(w http.ResponseWriter, worker *store.Worker, f *classFit) error {
	if err := a.Dispatch.Admit(worker); err != nil {
		return err
	}
	return writeOK(w, client.Welcome{
		Worker: worker.Name, Class: worker.Class, Priorities: f.priorities, Queue: a.Queue, SpeedFactor: f.factor, Scale: f.scale,
		Notes: f.notes,
	})
}

// differsNote is the note on a worker that was drained because its machine changed.
const differsNote = "its machine is not as the others of its class any more"

// helloWorker handles the start of a registered worker and updates its capabilities.
func (a *api) helloWorker(w http.ResponseWriter, r *http.Request, caller *caller) error {
	var h client.HelloRequest
	if err := readJSON(r, &h); err != nil {
		return err
	}
	if err := h.Capabilities.Check(); err != nil {
		return &status{http.StatusBadRequest, err.Error(), ""}
	}
	worker := caller.worker
	if worker.State == store.WorkerDrained && worker.Note != differsNote {
		return &status{
			http.StatusConflict, "this worker was taken out of service",
			"let it work again: judged admin worker resume " + worker.Name,
		}
	}
	if err := a.acceptOwnClass(r.Context(), worker, &h.Capabilities); err != nil {
		return err
	}
	fit, err := a.checkFit(r, worker.Class, worker.Untrusted, &h.Capabilities)
	if refused, isStatus := errors.AsType[*status](err); isStatus { // an administrator may accept these capabilities
		return errors.Join(a.Store.SetCapabilities(r.Context(), worker.ID, h.Capabilities),
			a.Store.SetWorkerState(r.Context(), worker.ID, store.WorkerDrained, differsNote), refused)
	}
	if err != nil {
		return err
	}
	if err := a.Store.SetCapabilities(r.Context(), worker.ID, h.Capabilities); err != nil {
		return err
	}
	if worker.State != store.WorkerActive {
		if err := a.Store.SetWorkerState(r.Context(), worker.ID, store.WorkerActive, ""); err != nil {
			return err
		}
	}
	return a.welcome(w, worker, fit)
}

// acceptOwnClass redefines a worker class if the server's own worker now has other toolchains or a better sandbox. The
// class must contain only this worker and untrusted workers. So no trusted worker judges by the old definition
// afterwards.
func (a *api) acceptOwnClass(ctx context.Context, worker *store.Worker, o *job.Capabilities) error {
	if worker.Name != intake.LocalWorker && !strings.HasPrefix(worker.Name, intake.LocalWorker+"-") {
		return nil
	}
	workers, err := a.Store.Workers(ctx)
	if err != nil || slices.ContainsFunc(workers, func(other *store.Worker) bool {
		return other.ID != worker.ID && other.State != store.WorkerRevoked && !other.Untrusted
	}) {
		return err
	}
	old, err := a.Store.Class(ctx, worker.Class)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var changed []string
	for _, id := range slices.Sorted(maps.Keys(old.Languages)) {
		if o.Languages[id] == "" {
			return nil // it is offline, perhaps for a moment
		}
		if o.Languages[id] != old.Languages[id] {
			changed = append(changed, fmt.Sprintf("%s is %q and was %q", id, o.Languages[id], old.Languages[id]))
		}
	}
	if levels := sandbox.Levels(); old.IsolationLevel != o.IsolationLevel {
		now := slices.Index(levels, sandbox.Level(o.IsolationLevel))
		if now < 0 || now >= slices.Index(levels, sandbox.Level(old.IsolationLevel)) {
			return nil // a toolchain is missing, perhaps for a moment
		}
		changed = append(changed, fmt.Sprintf("the sandbox is %q and was %q", o.IsolationLevel, old.IsolationLevel))
	}
	if len(changed) == 0 || old.Arch != o.Arch {
		return nil
	}
	a.Log.Warn("what the only worker judges with has changed, and its class with it", "class", worker.Class, "changed", changed)
	return errors.Join(
		a.Store.UpdateClass(ctx, worker.Class, *o),
		a.Store.Audit(
			ctx,
			store.AuditEntry{Actor: "server", Action: "accept class", Object: worker.Class, Detail: strings.Join(changed, "; ")},
		),
	)
}

func (a *api) workers(w http.ResponseWriter, r *http.Request, _ *caller) error {
	rows, err := a.Store.Workers(r.Context())
	if err != nil {
		return err
	}
	classes, err := a.Store.Classes(r.Context())
	if err != nil {
		return err
	}
	speeds := map[string]*job.Speed{}
	for _, c := range classes {
		speeds[c.Name] = c.Speed
	}
	workers := []client.Worker{}
	for _, row := range rows {
		factor := 0.0
		if base := speeds[row.Class]; base != nil && row.Capabilities.Speed.Reliable() {
			factor = row.Capabilities.Speed.Factor(base)
		}
		now := a.Dispatch.WorkerStatus(row.Name)
		note := row.Note
		if note == "" {
			note = now.Note
		}
		workers = append(workers, client.Worker{
			Name: row.Name, Class: row.Class, Untrusted: row.Untrusted, SpeedFactor: factor, State: string(row.State),
			Connected:    now.Connected,
			Running:      now.Running,
			Capabilities: row.Capabilities, Key: row.Key, Joined: row.Enrolled.Truncate(time.Second), Note: note,
		})
	}
	return writeOK(w, workers)
}

// setWorker drains, enables, or revokes a worker.
func (a *api) setWorker(w http.ResponseWriter, r *http.Request, caller *caller) error {
	var s client.WorkerUpdate
	if err := readJSON(r, &s); err != nil {
		return err
	}
	state := store.WorkerState(s.State)
	if state != store.WorkerActive && state != store.WorkerDrained && state != store.WorkerRevoked {
		return &status{http.StatusBadRequest, fmt.Sprintf("%.40q is not a state of a worker: use active, drained or revoked", s.State), ""}
	}
	worker, err := a.Store.Worker(r.Context(), r.PathValue("name"))
	if errors.Is(err, store.ErrNotFound) {
		return &status{http.StatusNotFound, fmt.Sprintf("there is no worker %.80q", r.PathValue("name")), "see: judged admin worker list"}
	}
	if err != nil {
		return err
	}
	if worker.State == store.WorkerRevoked {
		return &status{
			http.StatusConflict, "the worker " + worker.Name + " was revoked and cannot be used again",
			"add another: judged admin worker add NAME",
		}
	}
	if err := a.Store.SetWorkerState(r.Context(), worker.ID, state, s.Note); err != nil {
		return err
	}
	switch state {
	case store.WorkerRevoked:
		a.Dispatch.Revoke(worker.Name)
	case store.WorkerDrained:
		err = a.Dispatch.Drain(worker.Name)
	}
	if err != nil {
		return err
	}
	return a.auditAndRespond(w, r, caller, string(state)+" worker", worker.Name, s.Note, struct{}{})
}

func (a *api) classes(w http.ResponseWriter, r *http.Request, _ *caller) error {
	rows, err := a.Store.Classes(r.Context())
	if err != nil {
		return err
	}
	classes := []client.Class{}
	for _, c := range rows {
		classes = append(classes, client.Class{
			Class: job.Class{Name: c.Name, Arch: c.Arch, IsolationLevel: c.IsolationLevel, Languages: c.Languages}, Speed: c.Speed,
			Created: c.Updated,
		})
	}
	return writeOK(w, classes)
}

// acceptClass redefines a class from the capabilities of one of its workers. Other online workers that differ from
// that worker are drained.
func (a *api) acceptClass(w http.ResponseWriter, r *http.Request, caller *caller) error {
	var wish client.AcceptClassRequest
	if err := readJSON(r, &wish); err != nil {
		return err
	}
	name := r.PathValue("name")
	workers, err := a.Store.Workers(r.Context())
	if err != nil {
		return err
	}
	i := slices.IndexFunc(workers, func(o *store.Worker) bool {
		return o.Name == wish.Worker && o.Class == name && o.State != store.WorkerRevoked
	})
	if i < 0 {
		return &status{
			http.StatusNotFound, fmt.Sprintf("the class %.80q has no worker %.80q", name, wish.Worker),
			"see: judged admin worker list",
		}
	}
	err = a.Store.UpdateClass(r.Context(), name, workers[i].Capabilities)
	if errors.Is(err, store.ErrNotFound) {
		return &status{http.StatusNotFound, fmt.Sprintf("no worker has joined the class %.80q yet", name), "see: judged admin class list"}
	}
	if err != nil {
		return err
	}
	if err := a.Store.Audit(r.Context(), store.AuditEntry{Actor: caller.name(), Action: "accept class", Object: name,
		Detail: wish.Worker, Address: r.RemoteAddr}); err != nil {
		return err
	}
	now := classOf(name, &workers[i].Capabilities)
	stopped := []string{}
	for _, worker := range workers {
		if worker.Class == name && len(now.Differences(&worker.Capabilities)) > 0 && a.Dispatch.WorkerStatus(worker.Name).Connected {
			stopped = append(stopped, worker.Name)
			err = errors.Join(err, a.Dispatch.Drain(worker.Name))
		}
	}
	if err != nil {
		return err
	}
	return writeOK(w, client.AcceptedClass{Drained: stopped})
}

func classOf(name string, o *job.Capabilities) *job.Class {
	return &job.Class{Name: name, Arch: o.Arch, IsolationLevel: o.IsolationLevel, Languages: o.Languages}
}

// listJudgements lists judgements and the workers that made them, newest first.
func (a *api) listJudgements(w http.ResponseWriter, r *http.Request, _ *caller) error {
	origin := store.Origin(r.FormValue("origin"))
	if origin != "" && origin != store.OriginNearLimit && origin != store.OriginUntrusted && origin != store.OriginRejudge {
		return &status{
			http.StatusBadRequest,
			fmt.Sprintf("origin=%.40q is not a reason to rejudge: use near-limit, untrusted, or rejudge", origin), "",
		}
	}
	rows, err := a.Store.JuryJudgements(r.Context(), store.JudgementFilter{
		Worker: r.FormValue("worker"), Origin: origin, Before: r.FormValue("before"),
	})
	if err != nil {
		return err
	}
	judgements := []client.Judgement{}
	for _, j := range rows {
		judgements = append(judgements, client.Judgement{
			ID: j.ID, Root: j.Root, Origin: string(j.Origin), RepeatReason: j.Why, Submission: j.Submission, Number: j.Number,
			Problem: j.Problem, Login: j.Login,
			Program: j.Program, Worker: j.Worker, Verdict: j.Verdict, Reason: j.Reason, Started: j.Started, Ended: j.Ended,
			Current: j.Current, Case: j.Case,
			CPUMillis: float64(
				j.Time.Microseconds(),
			) / 1000, Version: j.Version, IsolationLevel: j.IsolationLevel, Toolchains: j.Toolchains,
		})
	}
	return writeOK(w, judgements)
}
