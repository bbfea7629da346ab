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
	"assay/judge/host/intake"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/workflow"
)

// workflowIDs matches valid workflow ids. Clients create them with enough random bits to be unique.
var workflowIDs = regexp.MustCompile(`^[A-Za-z0-9]{20,64}$`)

// putWorkflow starts a workflow with the id in the path. If the request is repeated, it responds with the existing
// workflow.
func (a *api) putWorkflow(w http.ResponseWriter, r *http.Request, caller *caller) error {
	id := r.PathValue("id")
	if !workflowIDs.MatchString(id) {
		return &status{http.StatusBadRequest, fmt.Sprintf("%.80q is not the id of a workflow: use 20 to 64 random letters and digits", id), ""}
	}
	var n client.NewWorkflow
	if err := errors.Join(readJSON(r, &n), a.CheckDisk(intake.MinDiskForSubmissions)); err != nil {
		return err
	}
	if intake.ServerRole(caller.account) == auth.Contestant && caller.account.Role != "" { // results of workflows contain test data
		return &status{http.StatusForbidden, "contestants may not do this on the server", ""}
	}
	spec, err := a.workflowSpec(r, caller, &n)
	if err != nil {
		return err
	}
	stored, err := a.StartWorkflow(r.Context(), caller.account, id, spec, caller.hasScope(client.Publish))
	if err != nil {
		return err
	}
	shown, err := a.clientWorkflow(r, caller, stored)
	if err != nil {
		return err
	}
	return writeOK(w, shown)
}

// workflowSpec returns the specification of the workflow that a request describes. It returns an error if the caller may
// not use the problem or the files in the request, or if one of them does not exist.
func (a *api) workflowSpec(r *http.Request, caller *caller, n *client.NewWorkflow) (*workflow.Spec, error) {
	spec := &workflow.Spec{
		Kind: n.Kind, Options: n.Options,
		Work: job.Work{Problem: n.Problem, Program: n.Problem, Files: n.Files, IsDir: true},
	}
	for _, files := range filesByContestant(n) {
		if err := a.CheckLimits(files, true); err != nil {
			return nil, err
		}
	}
	if err := a.CheckUploaded(r.Context(), caller.account, n.Files...); err != nil {
		return nil, err
	}
	if !workflow.UsesSnapshot(n.Kind) {
		p, err := a.Store.Problem(r.Context(), n.Problem)
		if err == nil && !mayUseAllProblems(caller) && !intake.Owns(caller.account, p) { // contest problems stay secret
			if contestAccess, perr := a.FindContest(r.Context(), caller.account, n.Problem); perr != nil ||
				contestAccess != nil && !contestAccess.Can(auth.SeeAll) {
				err = errors.Join(store.ErrNotFound, perr)
			}
		}
		if errors.Is(err, store.ErrNotFound) {
			return nil, a.unknownProblem(r, caller, n.Problem)
		}
		if err != nil {
			return nil, err
		}
		spec.Work.Bundle, spec.Work.Config = p.Bundle, p.Config
		return spec, nil
	}
	if !caller.hasScope(client.Publish) { // the bundle contains programs that judge
		return nil, &status{
			http.StatusForbidden,
			fmt.Sprintf("%s's token does not allow this; it needs the scope %s", caller.account.Login, client.Publish), "",
		}
	}
	var err error
	spec.Work.Snapshot, spec.Work.Config = true, n.Config
	spec.Work.Bundle, err = a.checkBundle(r.Context(), caller, client.NewProblem{Manifest: n.Manifest, Config: n.Config})
	return spec, err
}

// filesByContestant groups the files by contestant, because the number and the size of each contestant's files are
// limited.
func filesByContestant(n *client.NewWorkflow) map[string][]job.File {
	files := map[string][]job.File{}
	for _, f := range n.Files {
		folder := ""
		if workflow.HasManyAuthors(n.Kind) {
			folder, _, _ = strings.Cut(f.Path, "/")
		}
		files[folder] = append(files[folder], f)
	}
	return files
}

// ownWorkflow returns the workflow in the path if the caller may see it. Otherwise, it reports the workflow as not
// found. Administrators see all workflows. An account sees the workflows that it requested and the checks of its
// golf submissions, but no other workflows of the server.
func (a *api) ownWorkflow(r *http.Request, caller *caller) (*store.Workflow, error) {
	f, err := a.Store.Workflow(r.Context(), r.PathValue("id"))
	sees := err == nil && (caller.hasScope(client.Admin) ||
		f.Owner == caller.account.ID &&
			(workflow.HasPage(workflow.Kind(f.Kind)) || slices.Contains(workflow.AccountKinds(), workflow.Kind(f.Kind))))
	if errors.Is(err, store.ErrNotFound) || err == nil && !sees {
		return nil, &status{http.StatusNotFound, "there is no such workflow", ""}
	}
	return f, err
}

// clientWorkflow returns a workflow in the form in which the caller may see it.
func (a *api) clientWorkflow(r *http.Request, caller *caller, f *store.Workflow) (*client.Workflow, error) {
	shown := &client.Workflow{ID: f.ID, Kind: workflow.Kind(f.Kind), State: string(f.State), Reason: f.Reason, Made: f.Made}
	if caller.hasScope(client.Admin) {
		return shown, nil
	}
	var err error
	shown.Reason, err = a.WorkflowReason(r.Context(), f)
	return shown, err
}

func (a *api) cancelWorkflow(w http.ResponseWriter, r *http.Request, caller *caller) error {
	f, err := a.ownWorkflow(r, caller)
	if err != nil {
		return err
	}
	if workflow.HasPage(workflow.Kind(f.Kind)) {
		return &status{http.StatusConflict, "the proof of an answer to a hole goes on to its end", ""}
	}
	if err := a.Dispatch.EndWorkflow(r.Context(), f.ID, store.WorkflowCancelled, ""); err != nil {
		return err
	}
	return a.auditAndRespond(w, r, caller, "cancel", f.ID, "", struct{}{})
}

// streamTasks streams the existing and new tasks of a workflow, followed by the workflow when it ends.
func (a *api) streamTasks(w http.ResponseWriter, r *http.Request, caller *caller) error {
	f, err := a.ownWorkflow(r, caller)
	if err != nil {
		return err
	}
	watch := a.Dispatch.Watch(f.ID)
	defer watch.Close()
	writer := newStream(w)
	sent, lastSent := map[string]bool{}, time.Now()
	for {
		_, changed, _ := watch.Next(0)
		f, err := a.ownWorkflow(r, caller) // readJSON before the tasks, because none arrives after the workflow has ended
		if err != nil {
			return a.logStreamError(f, err)
		}
		parts, err := a.Store.TaskResults(r.Context(), f.ID)
		if err != nil {
			return a.logStreamError(f, err)
		}
		for _, p := range parts {
			if sent[p.Key] {
				continue
			}
			sent[p.Key], lastSent = true, time.Now()
			if err := a.writeTask(writer, caller, f, p); err != nil {
				return nil // the client has disconnected
			}
		}
		if f.State != store.WorkflowRunning {
			end, err := a.clientWorkflow(r, caller, f)
			if err != nil {
				return a.logStreamError(f, err)
			}
			_ = writer.writeLine(client.WorkflowLine{End: end}) // the client may have disconnected
			return nil
		}
		if time.Since(lastSent) > a.keepAlive {
			lastSent = time.Now()
			if writer.writeLine(client.WorkflowLine{}) != nil {
				return nil
			}
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-changed:
		case <-time.After(min(accessInterval, a.keepAlive)):
		}
	}
}

// logStreamError logs an error that occurred after the header of a stream was written. It returns nil, which ends the
// stream. The client will reconnect.
func (a *api) logStreamError(f *store.Workflow, err error) error {
	a.Log.Error("read a workflow", "workflow", f, "error", err)
	return nil
}

// writeTask writes the lines of a task, followed by the task. For a golf submission, it writes only what the
// submission's page also shows.
func (a *api) writeTask(writer *lineWriter, caller *caller, f *store.Workflow, p *store.TaskResult) error {
	r := p.Result
	task := &client.TaskResult{Key: p.Key, State: r.State, Reason: r.Reason, Blame: r.Blame, Worker: r.Worker, Output: r.Output}
	lines, err := a.Dispatch.ReadLines(p.Events)
	if err != nil {
		a.Log.Error("read the lines of a part", "part", p.Key, "error", err)
		task.State, task.Reason = job.Failed, "the server has lost the result of this part"
	}
	page := workflow.HasPage(workflow.Kind(f.Kind))
	if !caller.hasScope(client.Admin) {
		task.Reason = intake.RedactReason(task.Reason, task.Blame)
		if page {
			task.Worker = ""
		}
	}
	for _, l := range lines {
		if page {
			e, err := judge.DecodeEvent(l)
			proved, isCheck := e.(*judge.GolfChecked)
			if err != nil || !isCheck {
				continue
			}
			if l, err = judge.EncodeEvent(intake.RedactGolfResult(proved)); err != nil {
				return err
			}
		}
		if err := writer.writeLine(client.WorkflowLine{Line: l}); err != nil {
			return err
		}
	}
	return writer.writeLine(client.WorkflowLine{Task: task})
}
