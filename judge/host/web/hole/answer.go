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
	"assay/judge/host/desk"
	"assay/judge/host/flow"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/report"
)

// answerView is the page of a golf submission.
type answerView struct {
	Slug, Hole string
	Number     int64
	Who        string
	Received   time.Time
	Live       template.HTML // the part that changes
	Open       bool
	Link       string // link to the source; empty if it was deleted
	Badge      string // badge with the author's rank; empty if not valid
	Proofs     []store.AnswerProof
	Staff      bool
}

// answerPart is the part of the page that changes during the check.
type answerPart struct {
	Number   int64
	State    web.State
	Quick    string // result on samples and edges
	Waits    string // why no worker checks anything at the moment; empty if workers do
	Done, Of int    // number of tried inputs, and of all inputs; zero if unknown
	Why      string
	Places   string
	Again    bool // it is being rechecked
	Run      template.HTML
}

// whole parses a number in an address.
func whole(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n > 0
}

func (s *site) answerPage(w http.ResponseWriter, r *web.Request) error {
	a, h := at(r).answer, at(r).Hole
	live, open, err := s.answerLive(r, a)
	if err != nil {
		return err
	}
	v := answerView{
		Slug: h.Slug, Hole: h.Name, Number: a.Number, Who: a.Display, Received: a.Received, Live: live, Open: open,
		Staff: r.Can(auth.SeeAll),
	}
	if a.File.Digest != "" {
		v.Link = fmt.Sprintf("/hole/%s/s/%d/source", h.Slug, a.Number)
	}
	if a.State == store.Standing {
		v.Badge = fmt.Sprintf("/hole/%s/s/%d/badge.svg", h.Slug, a.Number)
	}
	if v.Proofs, err = s.Store.Proofs(r.Context(), a.ID); err != nil {
		return err
	}
	return s.Page(w, r, http.StatusOK, "answer", fmt.Sprintf("Submission %d to %s", a.Number, h.Name), v)
}

// answerSource sends the submitted file.
func (s *site) answerSource(w http.ResponseWriter, r *web.Request) error {
	f := at(r).answer.File
	if f.Digest == "" {
		return web.ErrNotFound
	}
	data, err := s.Blobs.Read(f.Digest, f.Size)
	if err != nil {
		return err
	}
	return web.SendFile(w, f.Path, data)
}

// answerLive renders the changing part of a submission's page.
func (s *site) answerLive(r *web.Request, a *store.Answer) (part template.HTML, open bool, err error) {
	v := answerPart{Number: a.Number, State: s.answerState(a), Why: a.Why, Again: a.State != store.Proving && a.Flow != ""}
	open = a.Flow != ""
	if a.State == store.Proving {
		if err := s.howFar(r, a, &v); err != nil {
			return "", false, err
		}
	}
	if a.State == store.Standing {
		if v.Places, err = s.Places(r.Context(), at(r).Hole, a); err != nil {
			return "", false, err
		}
	}
	proved, err := s.Dispatch.Proved(a.Events)
	if err != nil {
		s.Log.Error("read the check of a golf submission", "answer", a.ID, "error", err)
	}
	if proved != nil {
		var b strings.Builder
		if err := report.RunHTML(&b, "r-", []judge.Event{desk.ShownProof(proved)}); err != nil {
			return "", false, err
		}
		v.Run = template.HTML(b.String()) // package report escapes all texts
	}
	part, err = s.Part("answer", "live", v)
	return part, open, err
}

// howFar sets the progress of a check in v.
func (s *site) howFar(r *web.Request, a *store.Answer, v *answerPart) error {
	parts, err := s.Store.Parts(r.Context(), a.Flow)
	if err != nil {
		return err
	}
	if why := s.Dispatch.Unserved(job.Practice, s.Class); why != "" {
		v.Waits = web.Sentence(why) + "."
	}
	part := "samples and edges"
	for _, p := range parts {
		if p.Key != flow.QuickKey || p.Result == nil {
			continue
		}
		quick, err := s.Dispatch.Proved(p.Events)
		if err != nil || quick == nil || quick.Verdict != judge.GolfRight {
			return err // the check is about to end
		}
		part, v.Of = "all inputs", quick.Domain
		v.Quick = fmt.Sprintf("Right on samples and edges, with %d bytes (%d characters) in %s.", quick.Bytes, quick.Chars, quick.LanguageWords())
	}
	if v.State.Words == "waiting" {
		v.State.Words = "waiting for a worker to check " + part
	} else {
		v.State.Words = "checking " + part
	}
	watch := s.Dispatch.Watch(store.JobID(a.Flow, flow.WholeKey))
	defer watch.Close()
	lines, _, _ := watch.Next(0)
	for _, l := range lines {
		if e, err := judge.DecodeEvent(l); err == nil {
			if p, is := e.(*judge.Progressed); is {
				v.Done, v.Of = p.Done, p.Of
			}
		}
	}
	return nil
}

// answerEvents streams the changing part of a golf submission's page, whenever it changes, until the check ends.
func (s *site) answerEvents(w http.ResponseWriter, r *web.Request) error {
	id := at(r).answer.Flow
	flowing, proving := s.Dispatch.Watch(id), s.Dispatch.Watch(store.JobID(id, flow.WholeKey))
	defer flowing.Close()
	defer proving.Close()
	return s.Redraw(w, r, "answer "+at(r).answer.ID, func() (part template.HTML, open bool, err error) {
		a, err := s.Store.Answer(r.Context(), at(r).Hole.ID, at(r).answer.Number)
		if err != nil {
			return "", false, err
		}
		return s.answerLive(r, a)
	}, flowing, proving)
}
