package hole

import (
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/workflow"
	"assay/judge/report"
)

// submissionView is the page of a golf submission.
type submissionView struct {
	Slug, Hole  string
	Number      int64
	Author      string
	Received    time.Time
	Live        template.HTML // the part that changes
	Pending     bool
	Link        string // link to the source; empty if it was deleted
	Badge       string // badge with the author's rank; empty if not valid
	Checks      []store.GolfCheck
	ShowWorkers bool
}

// submissionPart is the part of the page that changes during the check.
type submissionPart struct {
	Number       int64
	State        web.State
	SampleResult string // result on samples and edges
	WaitReason   string // why no worker checks anything at the moment; empty if workers do
	Done, Total  int    // number of tried inputs, and of all inputs; zero if unknown
	Why          string
	Ranks        string
	Rechecking   bool // it is being rechecked
	Run          template.HTML
}

// parseNumber parses a number in an address.
func parseNumber(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n > 0
}

func (s *site) submissionPage(w http.ResponseWriter, r *web.Request) error {
	a, h := accessOf(r).submission, accessOf(r).Hole
	live, open, err := s.submissionLive(r, a)
	if err != nil {
		return err
	}
	v := submissionView{
		Slug: h.Slug, Hole: h.Name, Number: a.Number, Author: a.Display, Received: a.Received, Live: live, Pending: open,
		ShowWorkers: r.Can(auth.SeeAll),
	}
	if a.File.Digest != "" {
		v.Link = fmt.Sprintf("/hole/%s/s/%d/source", h.Slug, a.Number)
	}
	if a.State == store.GolfValid {
		v.Badge = fmt.Sprintf("/hole/%s/s/%d/badge.svg", h.Slug, a.Number)
	}
	if v.Checks, err = s.Store.GolfChecks(r.Context(), a.ID); err != nil {
		return err
	}
	return s.RenderPage(w, r, http.StatusOK, "golfsubmission", fmt.Sprintf("Submission %d to %s", a.Number, h.Name), v)
}

// submissionSource sends the submitted file.
func (s *site) submissionSource(w http.ResponseWriter, r *web.Request) error {
	f := accessOf(r).submission.File
	if f.Digest == "" {
		return web.ErrNotFound
	}
	data, err := s.Blobs.Read(f.Digest, f.Size)
	if err != nil {
		return err
	}
	return web.SendFile(w, f.Path, data)
}

// submissionLive renders the changing part of a submission's page.
func (s *site) submissionLive(r *web.Request, a *store.GolfSubmission) (part template.HTML, open bool, err error) {
	v := submissionPart{
		Number: a.Number, State: s.submissionState(a), Why: a.Why,
		Rechecking: a.State != store.GolfChecking && a.Workflow != "",
	}
	open = a.Workflow != ""
	if a.State == store.GolfChecking {
		if err := s.setProgress(r, a, &v); err != nil {
			return "", false, err
		}
	}
	if a.State == store.GolfValid {
		if v.Ranks, err = s.GolfRank(r.Context(), accessOf(r).Hole, a); err != nil {
			return "", false, err
		}
	}
	proved, err := s.Dispatch.GolfResult(a.Events)
	if err != nil {
		s.Log.Error("read the check of a golf submission", "answer", a.ID, "error", err)
	}
	if proved != nil {
		var b strings.Builder
		if err := report.HTMLFragment(&b, "r-", []judge.Event{intake.RedactGolfResult(proved)}); err != nil {
			return "", false, err
		}
		v.Run = template.HTML(b.String()) // package report escapes all texts
	}
	part, err = s.RenderPart("golfsubmission", "live", v)
	return part, open, err
}

// setProgress sets the progress of a check in v.
func (s *site) setProgress(r *web.Request, a *store.GolfSubmission, v *submissionPart) error {
	parts, err := s.Store.TaskResults(r.Context(), a.Workflow)
	if err != nil {
		return err
	}
	if reason := s.Dispatch.UnservedReason(job.PracticePriority, s.Class); reason != "" {
		v.WaitReason = web.Capitalize(reason) + "."
	}
	part := "samples and edges"
	for _, p := range parts {
		if p.Key != workflow.SamplesKey || p.Result == nil {
			continue
		}
		quick, err := s.Dispatch.GolfResult(p.Events)
		if err != nil || quick == nil || quick.Verdict != judge.GolfCorrect {
			return err // the check is about to end
		}
		part, v.Total = "all inputs", quick.Domain
		v.SampleResult = fmt.Sprintf(
			"Right on samples and edges, with %d bytes (%d characters) in %s.", quick.Bytes, quick.Chars,
			quick.LanguageWithFlags(),
		)
	}
	if v.State.Words == "waiting" {
		v.State.Words = "waiting for a worker to check " + part
	} else {
		v.State.Words = "checking " + part
	}
	watch := s.Dispatch.Watch(store.WorkflowJobID(a.Workflow, workflow.ExhaustiveKey))
	defer watch.Close()
	lines, _, _ := watch.Next(0)
	for _, l := range lines {
		if e, err := judge.DecodeEvent(l); err == nil {
			if p, isProgress := e.(*judge.Progressed); isProgress {
				v.Done, v.Total = p.Done, p.Total
			}
		}
	}
	return nil
}

// submissionEvents streams the changing part of a golf submission's page, whenever it changes, until the check ends.
func (s *site) submissionEvents(w http.ResponseWriter, r *web.Request) error {
	id := accessOf(r).submission.Workflow
	checking, proving := s.Dispatch.Watch(id), s.Dispatch.Watch(store.WorkflowJobID(id, workflow.ExhaustiveKey))
	defer checking.Close()
	defer proving.Close()
	return s.StreamPart(w, r, "answer "+accessOf(r).submission.ID, func() (part template.HTML, open bool, err error) {
		a, err := s.Store.GolfSubmission(r.Context(), accessOf(r).Hole.ID, accessOf(r).submission.Number)
		if err != nil {
			return "", false, err
		}
		return s.submissionLive(r, a)
	}, checking, proving)
}
