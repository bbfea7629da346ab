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
	"assay/judge/blob"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/intake"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
	"assay/judge/report"
)

// submissionView is the page of a submission.
type submissionView struct {
	Slug, Label, Problem  string
	Number                int64
	Submitter             string
	Language              string // its name; empty if unknown
	Received              time.Time
	Live                  template.HTML // the part that changes
	Sources               []sourceView
	Jury                  *juryView  // nil for contestants
	Ignored               bool       // excluded by the jury
	FollowsPrimary        bool       // the verdicts of another judging system count in the contest
	Late                  bool       // after the end; counts as practice
	Override              *web.State // the verdict override; may be nil
	Scored                bool       // scored for a team
	At                    string     // contest time; empty before the start
	CanSubmit             bool       // the reader may submit to the problem
	Pending, SeesProblems bool       // Pending: it is pending; SeesProblems: the reader may see the problems
}

// sourceView is a file of a submission.
type sourceView struct {
	Name string
	Size int64
	Text string // empty if the file is too long or not text
	Link string
}

// liveView is the part of the page that changes during a judgement.
type liveView struct {
	Number        int64
	State         web.State
	QueuePosition *client.QueuePosition // place in the queue; nil if not waiting
	Done          int                   // number of judged test cases
	Total         int                   // number of test cases; zero if hidden from the reader
	Groups        []*liveGroup
	Run           template.HTML // of a finished judgement
}

// A liveGroup is a test group with its judged test cases.
type liveGroup struct {
	Name           string
	State          web.State // of the first rejected case; accepted if there is none
	Judged, Passed int
	Skipped        int
	Cells          []caseView // the newest cells
	Cut            int        // number of earlier test cases
}

type caseView struct {
	Failed  bool
	Class   string
	Mark    string
	Summary string
}

// maxShownSize is the maximum size in bytes of a file that a page shows.
const maxShownSize = 256 << 10

func (s *site) submission(w http.ResponseWriter, r *web.Request) error {
	return s.submissionPage(w, r, http.StatusOK, nil)
}

// submissionPage renders the page of a submission. FieldErrors lists the errors in the form for a verdict override.
func (s *site) submissionPage(w http.ResponseWriter, r *web.Request, code int, fieldErrors web.FieldErrors) error {
	a, sub := access.Of(r), access.Of(r).Submission
	watch := s.Dispatch.Watch(sub.Judgement)
	lines, _, _ := watch.Next(0)
	watch.Close()
	live, open, err := s.livePart(r, sub, lines)
	if err != nil {
		return err
	}
	v := submissionView{
		Slug: a.Contest.Slug, Problem: sub.Problem, Number: sub.Number, Submitter: sub.Display, Received: sub.Received,
		Live: live, Pending: open, Scored: sub.Team != "", Ignored: sub.Ignored, At: a.ContestTime(sub.Received),
		CanSubmit:    r.Can(auth.Submit),
		SeesProblems: r.Can(auth.SeeProblems),
	}
	if sub.Overridden {
		given := web.StateOf(store.JobDone, sub.Verdict, "", true)
		v.Override = &given
	}
	ends, err := a.TeamEnds(r.Context())
	if err != nil {
		return err
	}
	v.Submitter, v.FollowsPrimary = a.SubmitterName(sub), a.Follows
	end := ends(sub.Team)
	v.Late = !end.IsZero() && !sub.Received.Before(end)
	problems, err := s.Store.ContestProblems(r.Context(), a.Contest.ID)
	if err != nil {
		return err
	}
	for _, p := range problems {
		if p.Slug == sub.Problem {
			v.Label, v.Problem = p.Label, p.Title
		}
	}
	lister, err := a.NewLister(problems)
	if err != nil {
		return err
	}
	v.Language = intake.LanguageName(lister.Languages, sub)
	if v.Sources, err = s.sources(a); err != nil {
		return err
	}
	if r.Can(auth.SeeSecret) {
		if v.Jury, err = s.juryPart(r, lister); err != nil {
			return err
		}
		v.Jury.Mark.Errors, v.Jury.Mark.Why = fieldErrors, r.PostFormValue("why") // if there is no form, they are empty
	}
	return s.RenderPage(w, r, code, "submission", fmt.Sprintf("Submission %d", v.Number), v)
}

// sources returns the files of the submission, with their text if it is short enough to show.
func (s *site) sources(a *access.Access) (views []sourceView, err error) {
	for i, f := range a.Submission.Files {
		view := sourceView{Name: f.Path, Size: f.Size, Link: fmt.Sprintf("/c/%s/s/%d/source/%d", a.Contest.Slug, a.Submission.Number, i)}
		if f.Size <= maxShownSize {
			data, err := s.Blobs.Read(f.Digest, maxShownSize)
			if err != nil {
				return nil, err
			}
			if !bytes.Contains(data, []byte{0}) {
				view.Text = string(data)
			}
		}
		views = append(views, view)
	}
	return views, nil
}

// source sends the file of a submission with the index in the address.
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

// livePart renders the changing part of a submission's page. It shows only what the caller may see. Lines are the
// progress events of a worker; they are ignored if there is a result.
func (s *site) livePart(r *web.Request, sub *store.Submission, lines [][]byte) (part template.HTML, open bool, err error) {
	j, err := s.Store.Judgement(r.Context(), sub.ID)
	if err != nil {
		return "", false, err
	}
	jury := r.Can(auth.SeeSecret)
	state := s.Dispatch.JobState(j.ID, j.State)
	if j.Withheld() && !jury && state != store.JobWaiting {
		part, err = s.RenderPart(
			"submission", "live",
			liveView{Number: sub.Number, State: web.StateOf(store.JobDispatched, judge.NotJudged, "", false)},
		)
		return part, true, err
	}
	v := liveView{Number: sub.Number, State: web.StateOf(state, j.Verdict, j.Score, jury)}
	if v.QueuePosition, err = s.QueuePosition(r.Context(), j); err != nil {
		return "", false, err
	}
	show := access.Of(r).Shows()
	hidden := !jury && (j.State == store.JobFailed || j.Verdict == judge.JudgeError)
	if !j.Ended.IsZero() {
		if !hidden {
			v.Run = s.renderJudgement(j, show, jury)
		}
	} else {
		v.addEvents(lines, show)
	}
	part, err = s.RenderPart("submission", "live", v)
	return part, j.Ended.IsZero(), err
}

// A judgementKey holds all values that determine how a finished judgement is rendered.
type judgementKey struct {
	events blob.Digest
	show   judge.Visibility
	jury   bool
}

// renderJudgement renders the events of a finished judgement that the reader may see, and caches the HTML. If
// rendering fails, it logs the error and returns an empty string.
func (s *site) renderJudgement(j *store.Judgement, show judge.Visibility, jury bool) template.HTML {
	part, err := s.judgementHTML.Get(judgementKey{j.Events, show, jury}, func() (template.HTML, int64, error) {
		events, err := s.Events(j)
		if err != nil || len(events) == 0 {
			return "", 0, err
		}
		events = judge.Redact(events, show)
		if !jury {
			events = withoutSandbox(events)
		}
		var b strings.Builder
		err = report.HTMLFragment(&b, "r-", events)
		return template.HTML(b.String()), int64(b.Len()), err // package report escapes all texts
	})
	if err != nil {
		s.Log.Error("draw the events of a judgement", "judgement", j.ID, "error", err)
		return ""
	}
	return part
}

// withoutSandbox removes notes about the worker's sandbox from events. Only administrators can change the sandbox.
func withoutSandbox(events []judge.Event) []judge.Event {
	events = slices.Clone(events)
	for i, e := range events {
		if s, is := e.(*judge.Started); is {
			shown := *s
			shown.Isolation, shown.Unenforced = "", nil
			events[i] = &shown
		}
	}
	return events
}

// addEvents adds an event.
func (v *liveView) addEvents(lines [][]byte, show judge.Visibility) {
	var events []judge.Event
	for _, l := range lines {
		e, err := judge.DecodeEvent(l)
		if err != nil {
			break // the result will contain all events
		}
		events = append(events, e)
	}
	cases := 0
	for _, e := range judge.Redact(events, show) {
		switch e := e.(type) {
		case *judge.Started:
			v.Total, v.QueuePosition = e.Cases, nil
			v.State.Words = "building"
			for _, name := range e.Groups {
				v.Groups = append(v.Groups, &liveGroup{Name: name})
			}
		case *judge.Built:
			v.State.Words = "judging"
		case *judge.Progressed:
			v.Done = max(v.Done, e.Done)
		case *judge.CaseJudged:
			cases++
			v.addCase(e)
		}
	}
	v.Done = max(v.Done, cases)
	remaining := maxCellBytes
	for _, g := range slices.Backward(v.Groups) {
		n := len(g.Cells)
		for n > 0 && remaining > 0 {
			n--
			remaining -= cellBytes + len(g.Cells[n].Summary)
		}
		g.Cut, g.Cells = n, g.Cells[n:]
	}
}

// A page shows the last cells of a judgement, up to about maxCellBytes bytes of HTML. A cell has about cellBytes bytes
// and its summary.
const (
	maxCellBytes = 24 << 10
	cellBytes    = 40
)

// addCase adds a test case to its group.
func (v *liveView) addCase(e *judge.CaseJudged) {
	i := slices.IndexFunc(v.Groups, func(g *liveGroup) bool { return g.Name == e.Group })
	if i < 0 {
		i, v.Groups = len(v.Groups), append(v.Groups, &liveGroup{Name: e.Group})
	}
	g := v.Groups[i]
	if e.Verdict == judge.Skipped {
		g.Skipped++
		return
	}
	g.Judged++
	state := web.StateOf(store.JobDone, e.Verdict, "", true)
	if e.Verdict == judge.Accepted {
		g.Passed++
	}
	if g.State.Code == "" || g.Passed == g.Judged-1 && e.Verdict != judge.Accepted {
		g.State = state
	}
	g.Cells = append(g.Cells, caseView{
		e.Verdict != judge.Accepted, state.Class, report.VerdictMark(e.Verdict),
		fmt.Sprintf("%s: %s, %d ms", e.ID(), state.Words, e.Exec.CPU.Milliseconds()),
	})
}

// submissionEvents streams the changing part of a submission's page, whenever it changes, until the judgement ends. A
// browser that reconnects receives the final state again.
func (s *site) submissionEvents(w http.ResponseWriter, r *web.Request) error {
	j, err := s.Store.Judgement(r.Context(), access.Of(r).Submission.ID)
	if err != nil {
		return err
	}
	watch := s.Dispatch.Watch(j.ID)
	defer watch.Close()
	return s.StreamPart(w, r, "submission "+access.Of(r).Submission.ID, func() (part template.HTML, open bool, err error) {
		if err := access.Of(r).RefreshSite(r); err != nil || !r.Can(auth.SeeJudgement) {
			return "", false, err
		}
		lines, _, _ := watch.Next(0)
		return s.livePart(r, access.Of(r).Submission, lines)
	}, watch)
}
