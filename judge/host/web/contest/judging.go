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
	Live                 template.HTML // the part that changes
	Sources              []sourceView
	Staff                *staffView // nil for contestants
	Ignored              bool       // excluded by the jury
	Follows              bool       // the verdicts of another judging system count in the contest
	Late                 bool       // after the end; counts as practice
	Given                *web.State // the verdict override; may be nil
	Counts               bool       // scored for a team
	At                   string     // contest time; empty before the start
	Again                bool       // the reader may submit to the problem
	Open, Reads          bool       // Open: it is pending; Reads: the reader may see the problems
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
	Number int64
	State  web.State
	Place  *client.Place // place in the queue; nil if not waiting
	Done   int           // number of judged test cases
	Of     int           // number of test cases; zero if hidden from the reader
	Groups []*liveGroup
	Run    template.HTML // of a finished judgement
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

// mostShown is the maximum size in bytes of a file that a page shows.
const mostShown = 256 << 10

func (s *site) judging(w http.ResponseWriter, r *web.Request) error {
	return s.judgingPage(w, r, http.StatusOK, nil)
}

// judgingPage renders the page of a submission. Wrong lists the errors in the form for a verdict override.
func (s *site) judgingPage(w http.ResponseWriter, r *web.Request, code int, wrong web.FieldErrors) error {
	a, sub := access.Of(r), access.Of(r).Submission
	watch := s.Dispatch.Watch(sub.Judgement)
	lines, _, _ := watch.Next(0)
	watch.Close()
	live, open, err := s.live(r, sub, lines)
	if err != nil {
		return err
	}
	v := judgingView{
		Slug: a.Contest.Slug, Problem: sub.Problem, Number: sub.Number, Who: sub.Display, Received: sub.Received,
		Live: live, Open: open, Counts: sub.Team != "", Ignored: sub.Ignored, At: a.At(sub.Received), Again: r.Can(auth.Submit),
		Reads: r.Can(auth.SeeProblems),
	}
	if sub.Given {
		given := web.StateOf(store.Done, sub.Verdict, "", true)
		v.Given = &given
	}
	ends, err := a.TeamEnds(r.Context())
	if err != nil {
		return err
	}
	v.Who, v.Follows = a.Who(sub), a.Follows
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
	if v.Sources, err = s.sources(a); err != nil {
		return err
	}
	if r.Can(auth.SeeSecret) {
		if v.Staff, err = s.staffPart(r, v.Label); err != nil {
			return err
		}
		v.Staff.Mark.Errors, v.Staff.Mark.Why = wrong, r.PostFormValue("why") // if there is no form, they are empty
	}
	return s.Page(w, r, code, "judging", fmt.Sprintf("Submission %d", v.Number), v)
}

// sources returns the files of the submission, with their text if it is short enough to show.
func (s *site) sources(a *access.Access) (all []sourceView, err error) {
	for i, f := range a.Submission.Files {
		one := sourceView{Name: f.Path, Size: f.Size, Link: fmt.Sprintf("/c/%s/s/%d/source/%d", a.Contest.Slug, a.Submission.Number, i)}
		if f.Size <= mostShown {
			data, err := s.Blobs.Read(f.Digest, mostShown)
			if err != nil {
				return nil, err
			}
			if !bytes.Contains(data, []byte{0}) {
				one.Text = string(data)
			}
		}
		all = append(all, one)
	}
	return all, nil
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

// live renders the changing part of a submission's page. It shows only what the caller may see. Lines are the
// progress events of a worker; they are ignored if there is a result.
func (s *site) live(r *web.Request, sub *store.Submission, lines [][]byte) (part template.HTML, open bool, err error) {
	j, err := s.Store.Judgement(r.Context(), sub.ID)
	if err != nil {
		return "", false, err
	}
	staff := r.Can(auth.SeeSecret)
	state := s.Dispatch.JobState(j.ID, j.State)
	if j.Withheld() && !staff && state != store.Waiting {
		part, err = s.Part("judging", "live", liveView{Number: sub.Number, State: web.StateOf(store.Out, judge.NotJudged, "", false)})
		return part, true, err
	}
	v := liveView{Number: sub.Number, State: web.StateOf(state, j.Verdict, j.Score, staff)}
	if v.Place, err = s.Waits(r.Context(), j); err != nil {
		return "", false, err
	}
	show := access.Of(r).Shows()
	hidden := !staff && (j.State == store.Failed || j.Verdict == judge.JudgeError)
	if !j.Ended.IsZero() {
		if !hidden {
			v.Run = s.run(j, show, staff)
		}
	} else {
		v.add(lines, show)
	}
	part, err = s.Part("judging", "live", v)
	return part, j.Ended.IsZero(), err
}

// A runKey holds all values that determine how a finished judgement is rendered.
type runKey struct {
	events blob.Digest
	show   judge.Show
	staff  bool
}

// run renders the events of a finished judgement that the reader may see, and caches the HTML. If rendering fails,
// it logs the error and returns an empty string.
func (s *site) run(j *store.Judgement, show judge.Show, staff bool) template.HTML {
	part, err := s.runs.Get(runKey{j.Events, show, staff}, func() (template.HTML, int64, error) {
		events, err := s.Events(j)
		if err != nil || len(events) == 0 {
			return "", 0, err
		}
		events = judge.Redact(events, show)
		if !staff {
			events = withoutSandbox(events)
		}
		var b strings.Builder
		err = report.RunHTML(&b, "r-", events)
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

// add adds an event.
func (v *liveView) add(lines [][]byte, show judge.Show) {
	var events []judge.Event
	for _, l := range lines {
		e, err := judge.DecodeEvent(l)
		if err != nil {
			break // the result will contain all events
		}
		events = append(events, e)
	}
	all := 0
	for _, e := range judge.Redact(events, show) {
		switch e := e.(type) {
		case *judge.Started:
			v.Of, v.Place = e.Cases, nil
			v.State.Words = "building"
			for _, name := range e.Groups {
				v.Groups = append(v.Groups, &liveGroup{Name: name})
			}
		case *judge.Built:
			v.State.Words = "judging"
		case *judge.Progressed:
			v.Done = max(v.Done, e.Done)
		case *judge.CaseJudged:
			all++
			v.judged(e)
		}
	}
	v.Done = max(v.Done, all)
	left := cellsSize
	for _, g := range slices.Backward(v.Groups) {
		n := len(g.Cells)
		for n > 0 && left > 0 {
			n--
			left -= cellSize + len(g.Cells[n].Summary)
		}
		g.Cut, g.Cells = n, g.Cells[n:]
	}
}

// A page shows the last cells of a judgement, up to about cellsSize bytes of HTML. A cell has about cellSize bytes
// and its summary.
const (
	cellsSize = 24 << 10
	cellSize  = 40
)

// judged adds a test case to its group.
func (v *liveView) judged(e *judge.CaseJudged) {
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
	state := web.StateOf(store.Done, e.Verdict, "", true)
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

// judgingEvents streams the changing part of a submission's page, whenever it changes, until the judgement ends. A
// browser that reconnects receives the final state again.
func (s *site) judgingEvents(w http.ResponseWriter, r *web.Request) error {
	j, err := s.Store.Judgement(r.Context(), access.Of(r).Submission.ID)
	if err != nil {
		return err
	}
	watch := s.Dispatch.Watch(j.ID)
	defer watch.Close()
	return s.Redraw(w, r, "submission "+access.Of(r).Submission.ID, func() (part template.HTML, open bool, err error) {
		if err := access.Of(r).Again(r); err != nil || !r.Can(auth.SeeJudging) {
			return "", false, err
		}
		lines, _, _ := watch.Next(0)
		return s.live(r, access.Of(r).Submission, lines)
	}, watch)
}
