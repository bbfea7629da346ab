package api

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/desk"
	"assay/judge/host/flow"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// flowIDs matches valid workflow ids. Clients create them with enough random bits to be unique.
var flowIDs = regexp.MustCompile(`^[A-Za-z0-9]{20,64}$`)

// putFlow starts a workflow with the id in the path. If the request is repeated, it responds with the existing
// workflow.
func (a *api) putFlow(w http.ResponseWriter, r *http.Request, who *caller) error {
	id := r.PathValue("id")
	if !flowIDs.MatchString(id) {
		return &status{http.StatusBadRequest, fmt.Sprintf("%.80q is not the id of a flow: use 20 to 64 random letters and digits", id), ""}
	}
	var n client.NewFlow
	if err := errors.Join(read(r, &n), a.HasDisk(desk.RoomForSubmissions)); err != nil {
		return err
	}
	if desk.Role(who.account) == auth.Contestant && who.account.Role != "" { // results of workflows contain test data
		return &status{http.StatusForbidden, "contestants may not do this on the server", ""}
	}
	spec, err := a.flow(r, who, &n)
	if err != nil {
		return err
	}
	kept, err := a.Ask(r.Context(), who.account, id, spec, who.may(client.Publish))
	if err != nil {
		return err
	}
	shown, err := a.shownFlow(r, who, kept)
	if err != nil {
		return err
	}
	return ok(w, shown)
}

// flow returns the specification of the workflow that a request describes. It returns an error if the caller may
// not use the problem or the files in the request, or if one of them does not exist.
func (a *api) flow(r *http.Request, who *caller, n *client.NewFlow) (*flow.Spec, error) {
	spec := &flow.Spec{Kind: n.Kind, Options: n.Options, Work: job.Work{Problem: n.Problem, Program: n.Problem, Files: n.Files, Folder: true}}
	for _, files := range perContestant(n) {
		if err := a.Bounded(files, true); err != nil {
			return nil, err
		}
	}
	if err := a.Has(r.Context(), who.account, n.Files...); err != nil {
		return nil, err
	}
	if !flow.OnSnapshot(n.Kind) {
		p, err := a.Store.Problem(r.Context(), n.Problem)
		if err == nil && !usesAll(who) && !desk.Owns(who.account, p) { // contest problems stay secret
			if seat, perr := a.Place(r.Context(), who.account, n.Problem); perr != nil || seat != nil && !seat.Can(auth.SeeAll) {
				err = errors.Join(store.ErrNotFound, perr)
			}
		}
		if errors.Is(err, store.ErrNotFound) {
			return nil, a.noProblem(r, who, n.Problem)
		}
		if err != nil {
			return nil, err
		}
		spec.Work.Bundle, spec.Work.Config = p.Bundle, p.Config
		return spec, nil
	}
	if !who.may(client.Publish) { // the bundle contains programs that judge
		return nil, &status{
			http.StatusForbidden,
			fmt.Sprintf("%s's token does not allow this; it needs the scope %s", who.account.Login, client.Publish), "",
		}
	}
	var err error
	spec.Work.Snapshot, spec.Work.Config = true, n.Config
	spec.Work.Bundle, err = a.whole(r.Context(), who, client.NewProblem{Manifest: n.Manifest, Config: n.Config})
	return spec, err
}

// perContestant groups the files by contestant, because the number and the size of each contestant's files are
// limited.
func perContestant(n *client.NewFlow) map[string][]job.File {
	of := map[string][]job.File{}
	for _, f := range n.Files {
		folder := ""
		if flow.OfMany(n.Kind) {
			folder, _, _ = strings.Cut(f.Path, "/")
		}
		of[folder] = append(of[folder], f)
	}
	return of
}

// myFlow returns the workflow in the path if the caller may see it. Otherwise, it reports the workflow as not
// found. Administrators see all workflows. An account sees the workflows that it requested and the checks of its
// golf submissions, but no other workflows of the server.
func (a *api) myFlow(r *http.Request, who *caller) (*store.Flow, error) {
	f, err := a.Store.Flow(r.Context(), r.PathValue("id"))
	sees := err == nil && (who.may(client.Admin) ||
		f.Owner == who.account.ID && (flow.HasPage(flow.Kind(f.Kind)) || slices.Contains(flow.Asked(), flow.Kind(f.Kind))))
	if errors.Is(err, store.ErrNotFound) || err == nil && !sees {
		return nil, &status{http.StatusNotFound, "there is no such flow", ""}
	}
	return f, err
}

// shownFlow returns a workflow in the form in which the caller may see it.
func (a *api) shownFlow(r *http.Request, who *caller, f *store.Flow) (*client.Flow, error) {
	shown := &client.Flow{ID: f.ID, Kind: flow.Kind(f.Kind), State: string(f.State), Reason: f.Reason, Made: f.Made}
	if who.may(client.Admin) {
		return shown, nil
	}
	var err error
	shown.Reason, err = a.FlowReason(r.Context(), f)
	return shown, err
}

func (a *api) cancelFlow(w http.ResponseWriter, r *http.Request, who *caller) error {
	f, err := a.myFlow(r, who)
	if err != nil {
		return err
	}
	if flow.HasPage(flow.Kind(f.Kind)) {
		return &status{http.StatusConflict, "the proof of an answer to a hole goes on to its end", ""}
	}
	if err := a.Dispatch.EndFlow(r.Context(), f.ID, store.FlowCancelled, ""); err != nil {
		return err
	}
	return a.done(w, r, who, "cancel", f.ID, "", struct{}{})
}

// flowParts streams the existing and new tasks of a workflow, followed by the workflow when it ends.
func (a *api) flowParts(w http.ResponseWriter, r *http.Request, who *caller) error {
	f, err := a.myFlow(r, who)
	if err != nil {
		return err
	}
	watch := a.Dispatch.Watch(f.ID)
	defer watch.Close()
	out := newStream(w)
	told, last := map[string]bool{}, time.Now()
	for {
		_, changed, _ := watch.Next(0)
		f, err := a.myFlow(r, who) // read before the tasks, because none arrives after the workflow has ended
		if err != nil {
			return a.lost(f, err)
		}
		parts, err := a.Store.Parts(r.Context(), f.ID)
		if err != nil {
			return a.lost(f, err)
		}
		for _, p := range parts {
			if told[p.Key] {
				continue
			}
			told[p.Key], last = true, time.Now()
			if err := a.tellPart(out, who, f, p); err != nil {
				return nil // the client has disconnected
			}
		}
		if f.State != store.FlowRunning {
			end, err := a.shownFlow(r, who, f)
			if err != nil {
				return a.lost(f, err)
			}
			_ = out.line(client.FlowLine{End: end}) // the client may have disconnected
			return nil
		}
		if time.Since(last) > a.keepAlive {
			last = time.Now()
			if out.line(client.FlowLine{}) != nil {
				return nil
			}
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-changed:
		case <-time.After(min(askAgain, a.keepAlive)):
		}
	}
}

// lost logs an error that occurred after the header of a stream was written. It returns nil, which ends the
// stream. The client will reconnect.
func (a *api) lost(f *store.Flow, err error) error {
	a.Log.Error("read a flow", "flow", f, "error", err)
	return nil
}

// tellPart writes the lines of a task, followed by the task. For a golf submission, it writes only what the
// submission's page also shows.
func (a *api) tellPart(out *stream, who *caller, f *store.Flow, p *store.Part) error {
	r := p.Result
	told := &client.Part{Key: p.Key, State: r.State, Reason: r.Reason, Blame: r.Blame, Worker: r.Worker, Output: r.Output}
	lines, err := a.Dispatch.Lines(p.Events)
	if err != nil {
		a.Log.Error("read the lines of a part", "part", p.Key, "error", err)
		told.State, told.Reason = job.Failed, "the server has lost the result of this part"
	}
	page := flow.HasPage(flow.Kind(f.Kind))
	if !who.may(client.Admin) {
		told.Reason = desk.ShownReason(told.Reason, told.Blame)
		if page {
			told.Worker = ""
		}
	}
	for _, l := range lines {
		if page {
			e, err := judge.DecodeEvent(l)
			proved, is := e.(*judge.GolfProved)
			if err != nil || !is {
				continue
			}
			if l, err = judge.EncodeEvent(desk.ShownProof(proved)); err != nil {
				return err
			}
		}
		if err := out.line(client.FlowLine{Line: l}); err != nil {
			return err
		}
	}
	return out.line(client.FlowLine{Part: told})
}
