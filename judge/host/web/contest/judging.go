package contest

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
	"assay/judge/report"
)

// judgingView is the page of a submission.
type judgingView struct {
	Slug, Label, Problem string
	Number               int64
	Who                  string
	Received             time.Time
	Live                 template.HTML // what changes
	Open                 bool
	Sources              []sourceView
	Staff                *staffView // nil for contestants
	Ignored              bool       // by the staff
	Follows              bool       // the verdicts of another judging system count in the contest
	Late                 bool       // after the end, as practice
	Given                *web.State // the verdict that the staff gave; nil for none
	Counts               bool       // for a team
	At                   string     // the time since the start of the contest; empty before it
	Again                bool       // the reader may submit to the problem
}

// sourceView is a file of a submission.
type sourceView struct {
	Name string
	Size int64
	Text string // "" where it is too long, or not a text
	Link string
}

// staffView is what only staff see of a judging.
type staffView struct {
	Worker, Machine, Version, Rung, Reason string
	Toolchains                             map[string]string // of a language's id: its version
	Mark                                   markView
}

// liveView is the part of the page that changes while a submission is judged.
type liveView struct {
	Number int64
	State  web.State
	Place  *client.Place // while it waits
	Done   int           // cases
	Of     int           // 0 where nobody may know
	Cases  []caseView
	// Skipped cases share one row.
	Skipped int
	Run     template.HTML // of a judging that has ended
}

type caseView struct {
	Name   string
	Class  string
	Code   string
	Words  string
	TookMS int64
}

// mostShown is the most bytes of a file that a page shows.
const mostShown = 256 << 10

func (s *site) judging(w http.ResponseWriter, r *web.Request) error {
	return s.judgingPage(w, r, http.StatusOK, "")
}

// judgingPage draws the page of a submission; wrong is what is wrong with a decision about it.
func (s *site) judgingPage(w http.ResponseWriter, r *web.Request, code int, wrong string) error {
	watch := s.Dispatch.Watch(access.Of(r).Submission.Judgement)
	lines, _, _ := watch.Next(0)
	watch.Close()
	live, open, err := s.live(r, access.Of(r).Submission, lines)
	if err != nil {
		return err
	}
	v := judgingView{
		Slug: access.Of(r).Contest.Slug, Problem: access.Of(r).Submission.Problem, Number: access.Of(r).Submission.Number, Who: access.Of(r).Submission.Display, Received: access.Of(r).Submission.Received,
		Live: live, Open: open, Counts: access.Of(r).Submission.Team != "", Ignored: access.Of(r).Submission.Ignored,
	}
	if access.Of(r).Submission.Given {
		given := web.StateOf(store.Done, access.Of(r).Submission.Verdict, "", true)
		v.Given = &given
	}
	ends, err := access.Of(r).TeamEnds(r.Context())
	if err != nil {
		return err
	}
	v.Who, v.Follows = access.Of(r).Who(access.Of(r).Submission), access.Of(r).Follows
	end := ends(access.Of(r).Submission.Team)
	v.At, v.Again = access.Of(r).At(access.Of(r).Submission.Received), r.Can(auth.Submit)
	v.Late = !end.IsZero() && !access.Of(r).Submission.Received.Before(end)
	problems, err := s.Store.ContestProblems(r.Context(), access.Of(r).Contest.ID)
	if err != nil {
		return err
	}
	for _, p := range problems {
		if p.Slug == access.Of(r).Submission.Problem {
			v.Label, v.Problem = p.Label, p.Title
		}
	}
	for i, f := range access.Of(r).Submission.Files {
		one := sourceView{Name: f.Path, Size: f.Size, Link: fmt.Sprintf("/c/%s/s/%d/source/%d", v.Slug, v.Number, i)}
		if f.Size <= mostShown {
			data, err := s.Blobs.Read(f.Digest, mostShown)
			if err != nil {
				return err
			}
			if !bytes.Contains(data, []byte{0}) {
				one.Text = string(data)
			}
		}
		v.Sources = append(v.Sources, one)
	}
	if r.Can(auth.SeeAll) {
		j, err := s.Store.Judgement(r.Context(), access.Of(r).Submission.ID)
		if err != nil {
			return err
		}
		v.Staff = &staffView{Worker: j.Worker, Machine: j.Machine, Version: j.Version, Rung: j.Rung, Toolchains: j.Toolchains, Reason: j.Reason}
		if v.Staff.Mark, err = s.marks(r); err != nil {
			return err
		}
		v.Staff.Mark.Wrong, v.Staff.Mark.Why = wrong, r.PostFormValue("why") // no form: nothing
	}
	return s.Page(w, r, code, "judging", fmt.Sprintf("Submission %d", v.Number), v)
}

// source sends a file of a submission, by its place among them.
func (s *site) source(w http.ResponseWriter, r *web.Request) error {
	for i, f := range access.Of(r).Submission.Files {
		if fmt.Sprint(i) != r.PathValue("file") {
			continue
		}
		data, err := s.Blobs.Read(f.Digest, f.Size)
		if err != nil {
			return err
		}
		return web.SendFile(w, f.Path, data)
	}
	return web.ErrNotFound
}

// live draws the part of a judging that changes, as far as the caller may see it. Lines are the
// events that a worker has told; they are not looked at when the result is there.
func (s *site) live(r *web.Request, sub *store.Submission, lines [][]byte) (part template.HTML, open bool, err error) {
	j, err := s.Store.Judgement(r.Context(), sub.ID)
	if err != nil {
		return "", false, err
	}
	staff := r.Can(auth.SeeAll)
	v := liveView{Number: sub.Number, State: web.StateOf(j.State, j.Verdict, j.Score, staff)}
	if v.Place, err = s.Waits(r.Context(), j); err != nil {
		return "", false, err
	}
	show := access.Of(r).Shows()
	hidden := !staff && (j.State == store.Failed || j.Verdict == judge.JudgeError)
	if !j.Ended.IsZero() {
		events, err := s.Events(j)
		if err != nil {
			s.Log.Error("read the events of a judgement", "judgement", j.ID, "error", err)
			events = nil
		}
		if len(events) > 0 && !hidden {
			var b strings.Builder
			if err := report.RunHTML(&b, "r-", judge.Redact(events, show)); err != nil {
				s.Log.Error("draw the events of a judgement", "judgement", j.ID, "error", err)
				b.Reset()
			}
			v.Run = template.HTML(b.String()) // report escapes what others wrote
		}
	} else {
		v.add(lines, show)
	}
	part, err = s.Part("judging", "live", v)
	return part, j.Ended.IsZero(), err
}

// add adds what happened so far.
func (v *liveView) add(lines [][]byte, show judge.Show) {
	var events []judge.Event
	for _, l := range lines {
		e, err := judge.DecodeEvent(l)
		if err != nil {
			break // the result has it all
		}
		events = append(events, e)
	}
	for _, e := range judge.Redact(events, show) {
		switch e := e.(type) {
		case *judge.Started:
			v.Of, v.Place = e.Cases, nil
			v.State.Words = "building"
		case *judge.Built:
			v.State.Words = "judging"
		case *judge.Progressed:
			v.Done = max(v.Done, e.Done)
		case *judge.CaseJudged:
			if e.Verdict == judge.Skipped {
				v.Skipped++
				continue
			}
			v.Cases = append(v.Cases, caseView{
				Name: e.ID(), Class: report.VerdictClass(e.Verdict), Code: string(e.Verdict), Words: e.Verdict.Words(), TookMS: e.Exec.CPU.Milliseconds(),
			})
		}
	}
	const most = 200
	v.Done = max(v.Done, len(v.Cases)+v.Skipped)
	v.Cases = slices.Clone(v.Cases[max(0, len(v.Cases)-most):])
}

// judgingEvents streams a judging: each time something is new, the part of the page that
// changes. It ends with the judging, and a browser that comes back is told the end again.
func (s *site) judgingEvents(w http.ResponseWriter, r *web.Request) error {
	j, err := s.Store.Judgement(r.Context(), access.Of(r).Submission.ID)
	if err != nil {
		return err
	}
	watch := s.Dispatch.Watch(j.ID)
	defer watch.Close()
	return s.Redraw(w, r, "submission "+access.Of(r).Submission.ID, func() (part template.HTML, open bool, err error) {
		lines, _, _ := watch.Next(0)
		return s.live(r, access.Of(r).Submission, lines)
	}, watch)
}
