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
	"assay/judge/host/desk"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/running/sandbox"
)

func (a *api) tokens(w http.ResponseWriter, r *http.Request, _ *caller) error {
	accounts, err := a.Store.Accounts(r.Context())
	if err != nil {
		return err
	}
	all := []client.Token{}
	for _, account := range accounts {
		tokens, err := a.Store.Tokens(r.Context(), account.ID)
		if err != nil {
			return err
		}
		for _, t := range tokens {
			all = append(all, client.Token{
				ID: t.ID, Login: account.Login, Label: t.Label, Scopes: t.Scopes, LastDay: t.LastDay, Expires: t.Expires,
				Revoked: t.Revoked,
			})
		}
	}
	return ok(w, all)
}

// names matches the account and worker names that auth.GoodLogin accepts.
var names = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$`)

func named(what, name string) error {
	if !names.MatchString(name) {
		return &status{http.StatusBadRequest, fmt.Sprintf("%.80q is not the name of %s: letters, digits, - and _, 40 at most", name, what), ""}
	}
	return nil
}

// newToken creates a token, and its account if needed.
func (a *api) newToken(w http.ResponseWriter, r *http.Request, who *caller) error {
	var n client.NewToken
	if err := read(r, &n); err != nil {
		return err
	}
	if err := errors.Join(named("an account", n.Login), short("label", n.Label)); err != nil {
		return err
	}
	scopes, err := known(n.Scopes)
	if err != nil {
		return err
	}
	account, err := a.Store.AccountByLogin(r.Context(), n.Login)
	if errors.Is(err, store.ErrNotFound) {
		account, err = a.Store.NewAccount(r.Context(), n.Login, n.Login, store.Person, "")
	}
	if err != nil {
		return err
	}
	text, hash := auth.NewToken()
	t, err := a.Store.NewToken(r.Context(), account.ID, hash, n.Label, scopes, n.Until)
	if err != nil {
		return err
	}
	return a.done(w, r, who, "new token", account.ID, strings.Join(scopes, " "), client.Token{
		ID: t.ID, Login: account.Login, Label: t.Label, Scopes: t.Scopes, Text: text, Expires: t.Expires,
	})
}

// short rejects a text that is too long or contains invisible characters.
func short(what, text string) error {
	const most = 300
	if len(text) > most {
		return &status{http.StatusBadRequest, fmt.Sprintf("the %s has %d bytes; the most is %d", what, len(text), most), ""}
	}
	if !auth.Legible(text) {
		return &status{http.StatusBadRequest, fmt.Sprintf("the %s contains an invisible character", what), ""}
	}
	return nil
}

func known(scopes []client.Scope) (words []string, err error) {
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

func (a *api) revokeToken(w http.ResponseWriter, r *http.Request, who *caller) error {
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
	return a.done(w, r, who, "revoke token", r.PathValue("id"), "", struct{}{})
}

func (a *api) invite(w http.ResponseWriter, r *http.Request, who *caller) error {
	var n client.NewInvite
	if err := read(r, &n); err != nil {
		return err
	}
	if err := named("a worker", n.Worker); err != nil {
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
	i, err := a.Store.NewInvite(r.Context(), hash, store.Invite{Name: n.Worker, Class: a.Desk.Class, Guest: n.Guest, By: who.account.ID})
	if err != nil {
		return err
	}
	detail := ""
	if n.Guest {
		detail = "as a guest"
	}
	return a.done(w, r, who, "invite worker", n.Worker, detail, client.Invite{Code: code, Expires: i.Expires, Cluster: a.Queue != ""})
}

// join registers a worker that presents a valid code.
func (a *api) join(w http.ResponseWriter, r *http.Request, _ *caller) error {
	var j client.Join
	if err := read(r, &j); err != nil {
		return err
	}
	if err := j.Offer.Check(); err != nil {
		return &status{http.StatusBadRequest, err.Error(), ""}
	}
	if !auth.IsPublicKey(j.Key) {
		return &status{http.StatusBadRequest, "the request has no key of a worker", ""}
	}
	hash := auth.Hash(strings.TrimSpace(j.Code))
	const again = "get a new one: judged admin worker add NAME"
	var class string
	var untrusted bool
	i, err := a.Store.Invite(r.Context(), hash)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return &status{http.StatusForbidden, "the join code is not known here", "it may be cut: " + again}
	case errors.Is(err, store.ErrExpired):
		return &status{http.StatusForbidden, "the join code has expired: it is good for 24 hours", again}
	case errors.Is(err, store.ErrUsed): // perhaps by this worker, if the response got lost
		known, kerr := a.Store.WorkerByKey(r.Context(), j.Key)
		if kerr != nil || known.State == store.Revoked {
			return &status{http.StatusForbidden, "the join code was used already: it is good for one worker", again}
		}
		class, untrusted = known.Class, known.Guest
	case err != nil:
		return err
	default:
		class, untrusted = i.Class, i.Guest
	}
	fit, err := a.fitting(r, class, untrusted, &j.Offer)
	if err != nil {
		return err
	}
	worker, err := a.Store.Enrol(r.Context(), store.NewWorker{Invite: hash, Key: j.Key, Offer: j.Offer})
	if err != nil {
		return err
	}
	if worker.State == store.Revoked { // the key is known, so the code stays unused
		return &status{
			http.StatusForbidden, "the key of this worker was revoked",
			"remove the worker's data directory, and join with the code again",
		}
	}
	a.Log.Info("worker joined", "worker", worker.Name, "class", worker.Class, "machine", j.Offer.Machine)
	return a.welcome(w, worker, fit)
}

// A fit describes how a worker fits its class.
type fit struct {
	lanes         []job.Lane
	factor, scale float64 // see client.Welcome
	notes         []string
}

// fitting checks whether a worker with capabilities o fits a class. It returns the consequences for the worker,
// such as its priorities and notes, or an error that says why the worker does not fit.
func (a *api) fitting(r *http.Request, class string, untrusted bool, o *job.Offer) (*fit, error) {
	lanes, err := job.Admit(o, a.Version)
	if err != nil {
		return nil, &status{http.StatusConflict, err.Error(), ""}
	}
	f := &fit{lanes: lanes}
	if len(lanes) < len(job.Lanes) {
		f.notes = append(f.notes, "this worker is of another version than the server: it judges no running contests")
	}
	c, err := a.Store.FillClass(r.Context(), class, *o)
	if err != nil {
		return nil, err
	}
	same := &job.Class{Name: c.Name, Arch: c.Arch, Rung: c.Rung, Languages: c.Languages}
	all := same.Differences(o)
	if len(all) == 0 && o.Speed.Known() && c.Speed == nil && !untrusted {
		if c, err = a.Store.MeasureClass(r.Context(), class, o.Speed); err != nil {
			return nil, err
		}
	}
	mixed := slices.Contains(a.Mixed, class)
	if text := o.Speed.Differs(c.Speed, class, mixed); text != "" {
		all = append(all, text)
	}
	if len(all) > 0 {
		return nil, &status{http.StatusConflict, "this machine does not judge as the others of its class do:\n  " + strings.Join(all, "\n  "), ""}
	}
	if o.Speed.Known() && c.Speed != nil {
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
		f.lanes = slices.DeleteFunc(slices.Clone(lanes), func(l job.Lane) bool { return l == job.Contest })
	}
	return f, nil
}

func (a *api) welcome(w http.ResponseWriter, worker *store.Worker, f *fit) error {
	if err := a.Dispatch.Admit(worker); err != nil {
		return err
	}
	return ok(w, client.Welcome{
		Worker: worker.Name, Class: worker.Class, Lanes: f.lanes, Queue: a.Queue, Factor: f.factor, Scale: f.scale,
		Notes: f.notes,
	})
}

// differs is the note on a worker that was drained because its machine changed.
const differs = "its machine is not as the others of its class any more"

// hello handles the start of a registered worker and updates its capabilities.
func (a *api) hello(w http.ResponseWriter, r *http.Request, who *caller) error {
	var h client.Hello
	if err := read(r, &h); err != nil {
		return err
	}
	if err := h.Offer.Check(); err != nil {
		return &status{http.StatusBadRequest, err.Error(), ""}
	}
	worker := who.worker
	if worker.State == store.Drained && worker.Note != differs {
		return &status{
			http.StatusConflict, "this worker was taken out of service",
			"let it work again: judged admin worker resume " + worker.Name,
		}
	}
	if err := a.acceptOwn(r.Context(), worker, &h.Offer); err != nil {
		return err
	}
	fit, err := a.fitting(r, worker.Class, worker.Guest, &h.Offer)
	if refused, is := errors.AsType[*status](err); is { // an administrator may accept these capabilities
		return errors.Join(a.Store.SetOffer(r.Context(), worker.ID, h.Offer),
			a.Store.SetWorkerState(r.Context(), worker.ID, store.Drained, differs), refused)
	}
	if err != nil {
		return err
	}
	if err := a.Store.SetOffer(r.Context(), worker.ID, h.Offer); err != nil {
		return err
	}
	if worker.State != store.Active {
		if err := a.Store.SetWorkerState(r.Context(), worker.ID, store.Active, ""); err != nil {
			return err
		}
	}
	return a.welcome(w, worker, fit)
}

// acceptOwn redefines a worker class if the server's own worker now has other toolchains or a better sandbox. The
// class must contain only this worker and untrusted workers. So no trusted worker judges by the old definition
// afterwards.
func (a *api) acceptOwn(ctx context.Context, worker *store.Worker, o *job.Offer) error {
	if worker.Name != desk.OwnWorker && !strings.HasPrefix(worker.Name, desk.OwnWorker+"-") {
		return nil
	}
	workers, err := a.Store.Workers(ctx)
	if err != nil || slices.ContainsFunc(workers, func(other *store.Worker) bool {
		return other.ID != worker.ID && other.State != store.Revoked && !other.Guest
	}) {
		return err
	}
	was, err := a.Store.Class(ctx, worker.Class)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var changed []string
	for _, id := range slices.Sorted(maps.Keys(was.Languages)) {
		if o.Languages[id] == "" {
			return nil // it is offline, perhaps for a moment
		}
		if o.Languages[id] != was.Languages[id] {
			changed = append(changed, fmt.Sprintf("%s is %q and was %q", id, o.Languages[id], was.Languages[id]))
		}
	}
	if levels := sandbox.Levels(); was.Rung != o.Rung {
		now := slices.Index(levels, sandbox.Level(o.Rung))
		if now < 0 || now >= slices.Index(levels, sandbox.Level(was.Rung)) {
			return nil // a toolchain is missing, perhaps for a moment
		}
		changed = append(changed, fmt.Sprintf("the sandbox is %q and was %q", o.Rung, was.Rung))
	}
	if len(changed) == 0 || was.Arch != o.Arch {
		return nil
	}
	a.Log.Warn("what the only worker judges with has changed, and its class with it", "class", worker.Class, "changed", changed)
	return errors.Join(a.Store.RefillClass(ctx, worker.Class, *o),
		a.Store.Audit(ctx, store.Entry{Actor: "server", Action: "accept class", Object: worker.Class, Detail: strings.Join(changed, "; ")}))
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
	all := []client.Worker{}
	for _, row := range rows {
		factor := 0.0
		if base := speeds[row.Class]; base != nil && row.Offer.Speed.Known() {
			factor = row.Offer.Speed.Factor(base)
		}
		now := a.Dispatch.Presence(row.Name)
		note := row.Note
		if note == "" {
			note = now.Note
		}
		all = append(all, client.Worker{
			Name: row.Name, Class: row.Class, Guest: row.Guest, Factor: factor, State: string(row.State), Connected: now.Connected,
			Running: now.Running,
			Offer:   row.Offer, Key: row.Key, Enrolled: row.Enrolled.Truncate(time.Second), Note: note,
		})
	}
	return ok(w, all)
}

// setWorker drains, enables, or revokes a worker.
func (a *api) setWorker(w http.ResponseWriter, r *http.Request, who *caller) error {
	var s client.SetWorker
	if err := read(r, &s); err != nil {
		return err
	}
	state := store.WorkerState(s.State)
	if state != store.Active && state != store.Drained && state != store.Revoked {
		return &status{http.StatusBadRequest, fmt.Sprintf("%.40q is not a state of a worker: use active, drained or revoked", s.State), ""}
	}
	worker, err := a.Store.Worker(r.Context(), r.PathValue("name"))
	if errors.Is(err, store.ErrNotFound) {
		return &status{http.StatusNotFound, fmt.Sprintf("there is no worker %.80q", r.PathValue("name")), "see: judged admin worker list"}
	}
	if err != nil {
		return err
	}
	if worker.State == store.Revoked {
		return &status{
			http.StatusConflict, "the worker " + worker.Name + " was revoked and cannot be used again",
			"add another: judged admin worker add NAME",
		}
	}
	if err := a.Store.SetWorkerState(r.Context(), worker.ID, state, s.Note); err != nil {
		return err
	}
	switch state {
	case store.Revoked:
		a.Dispatch.Revoke(worker.Name)
	case store.Drained:
		err = a.Dispatch.Drain(worker.Name)
	}
	if err != nil {
		return err
	}
	return a.done(w, r, who, string(state)+" worker", worker.Name, s.Note, struct{}{})
}

func (a *api) classes(w http.ResponseWriter, r *http.Request, _ *caller) error {
	rows, err := a.Store.Classes(r.Context())
	if err != nil {
		return err
	}
	all := []client.Class{}
	for _, c := range rows {
		all = append(all, client.Class{
			Class: job.Class{Name: c.Name, Arch: c.Arch, Rung: c.Rung, Languages: c.Languages}, Speed: c.Speed,
			Filled: c.Filled,
		})
	}
	return ok(w, all)
}

// acceptClass redefines a class from the capabilities of one of its workers. Other online workers that differ from
// that worker are drained.
func (a *api) acceptClass(w http.ResponseWriter, r *http.Request, who *caller) error {
	var wish client.AcceptClass
	if err := read(r, &wish); err != nil {
		return err
	}
	name := r.PathValue("name")
	workers, err := a.Store.Workers(r.Context())
	if err != nil {
		return err
	}
	i := slices.IndexFunc(workers, func(o *store.Worker) bool {
		return o.Name == wish.Worker && o.Class == name && o.State != store.Revoked
	})
	if i < 0 {
		return &status{
			http.StatusNotFound, fmt.Sprintf("the class %.80q has no worker %.80q", name, wish.Worker),
			"see: judged admin worker list",
		}
	}
	err = a.Store.RefillClass(r.Context(), name, workers[i].Offer)
	if errors.Is(err, store.ErrNotFound) {
		return &status{http.StatusNotFound, fmt.Sprintf("no worker has joined the class %.80q yet", name), "see: judged admin class list"}
	}
	if err != nil {
		return err
	}
	if err := a.Store.Audit(r.Context(), store.Entry{Actor: who.name(), Action: "accept class", Object: name,
		Detail: wish.Worker, Address: r.RemoteAddr}); err != nil {
		return err
	}
	now := ofOffer(name, &workers[i].Offer)
	stopped := []string{}
	for _, one := range workers {
		if one.Class == name && len(now.Differences(&one.Offer)) > 0 && a.Dispatch.Presence(one.Name).Connected {
			stopped = append(stopped, one.Name)
			err = errors.Join(err, a.Dispatch.Drain(one.Name))
		}
	}
	if err != nil {
		return err
	}
	return ok(w, client.Accepted{Stopped: stopped})
}

func ofOffer(name string, o *job.Offer) *job.Class {
	return &job.Class{Name: name, Arch: o.Arch, Rung: o.Rung, Languages: o.Languages}
}

// judgings lists judgements and the workers that made them, newest first.
func (a *api) judgings(w http.ResponseWriter, r *http.Request, _ *caller) error {
	origin := store.Origin(r.FormValue("origin"))
	if origin != "" && origin != store.Borderline && origin != store.OfGuest && origin != store.OfRejudge {
		return &status{
			http.StatusBadRequest,
			fmt.Sprintf("origin=%.40q is not a reason to rejudge: use borderline, untrusted, or rejudge", origin), "",
		}
	}
	rows, err := a.Store.Judgings(r.Context(), store.JudgingFilter{
		Worker: r.FormValue("worker"), Origin: origin, Before: r.FormValue("before"),
	})
	if err != nil {
		return err
	}
	all := []client.Judging{}
	for _, j := range rows {
		all = append(all, client.Judging{
			ID: j.ID, Root: j.Root, Origin: string(j.Origin), Why: j.Why, Submission: j.Submission, Number: j.Number,
			Problem: j.Problem, Login: j.Login,
			Program: j.Program, Worker: j.Worker, Verdict: j.Verdict, Reason: j.Reason, Started: j.Started, Ended: j.Ended,
			Stands: j.Stands, Case: j.Case,
			CPUMillis: float64(j.Time.Microseconds()) / 1000, Version: j.Version, Rung: j.Rung, Toolchains: j.Toolchains,
		})
	}
	return ok(w, all)
}
