package staff

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/scoring"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// rejudgingsView is a contest's list of rejudgings, with the form for a new one.
type rejudgingsView struct {
	Slug        string
	All         []rejudgingLine
	CanRejudge  bool // the reader may create a rejudging
	Choice      submissionFilterView
	AllSelected bool // the check box for all submissions is selected
	Why         string
	Version     string // version to judge with, as entered
	Repeats     string // runs per submission, as entered
	MaxRepeats  int    // maximum of Repeats
	Errors      web.FieldErrors
}

// Unfolded reports whether the form is shown unfolded: there are no rejudgings to list, or the form is filled in
// or has errors.
func (v rejudgingsView) Unfolded() bool {
	return len(v.All) == 0 || len(v.Errors) > 0 || v.Choice.SubmissionQuery != (intake.SubmissionQuery{})
}

type rejudgingLine struct {
	ID, Why, Login, State string
	Made                  time.Time
	Submissions, Done     int
}

func rejudgingLineOf(r *store.Rejudging) rejudgingLine {
	l := rejudgingLine{
		ID: r.ID, Why: r.Why, Login: r.Login, State: string(r.State), Made: r.Made, Submissions: r.Submissions,
		Done: r.Submissions - r.Pending,
	}
	if r.State == store.RejudgingRunning && r.Pending == 0 {
		l.State = "waiting for your decision"
	}
	return l
}

func (s *site) rejudgings(w http.ResponseWriter, r *web.Request) error {
	choice, _, err := s.readFilter(r)
	if err != nil {
		return err
	}
	return s.rejudgingsPage(w, r, http.StatusOK, rejudgingsView{Choice: choice})
}

func (s *site) rejudgingsPage(w http.ResponseWriter, r *web.Request, code int, v rejudgingsView) error {
	rejudgings, err := s.Store.Rejudgings(r.Context(), access.Of(r).Contest.ID)
	if err != nil {
		return err
	}
	for _, rejudging := range rejudgings {
		v.All = append(v.All, rejudgingLineOf(rejudging))
	}
	v.MaxRepeats, v.Choice.Errors = store.MaxRepeats, v.Errors
	v.Slug, v.CanRejudge, v.Choice.Unjudged = access.Of(r).Contest.Slug, r.Can(auth.ChangeContest), ""
	return s.RenderPage(w, r, code, "rejudgings", "Rejudgings", v)
}

// rejudge creates a rejudging.
func (s *site) rejudge(w http.ResponseWriter, r *web.Request) error {
	v := rejudgingsView{
		AllSelected: r.PostFormValue("all") != "", Why: r.PostFormValue("why"), Version: r.Field("against"),
		Repeats: r.Field("repeats"),
	}
	request := intake.NewRejudging{All: v.AllSelected, Why: v.Why, Against: v.Version}
	var err error
	if v.Repeats != "" {
		if request.Repeats, err = strconv.Atoi(v.Repeats); err != nil || request.Repeats == 0 {
			request.Repeats = -1 // out of range, so it will be rejected
		}
	}
	var created *store.Rejudging
	omitted := 0
	if v.Choice, _, err = s.readFilter(r); err == nil {
		request.SubmissionQuery = v.Choice.SubmissionQuery
		created, omitted, err = s.Rejudge(r.Context(), access.Of(r).Contest, request, r.Me)
	}
	if refusal, isRefusal := errors.AsType[*intake.Refusal](err); isRefusal {
		v.Errors = web.RefusalErrors(refusal, "")
		return s.rejudgingsPage(w, r, refusal.Code, v)
	}
	if err != nil {
		return err
	}
	if err := s.Audit(r, "rejudge", created.ID, created.Why); err != nil {
		return err
	}
	path := "/c/" + access.Of(r).Contest.Slug + "/rejudgings/" + created.ID
	if omitted > 0 {
		path += fmt.Sprintf("?left=%d", omitted)
	}
	return web.Redirect(w, r, path)
}

// rejudgingView is the page of a rejudging, with its changes.
type rejudgingView struct {
	rejudgingLine
	Slug           string
	Running        bool
	Pending        int    // number of submissions not judged yet
	Omitted        int    // number of submissions left out; shown once, after creation
	Blocked        int    // number of submissions that prevent applying it
	Version        string // start of the version's digest; if empty, the active versions are used
	Repeats        int    // runs per submission
	DifferentRuns  []differentRuns
	DifferentCount int  // number of submissions whose runs differ; Differ may be incomplete
	CanDecide      bool // the reader may apply or cancel it
	Matrix         matrixView
	Lines          []rejudgedLine // submissions that change, those that get worse first
	Better, Worse  int            // number of changes that are better or worse for the team
	Lost           int            // number of accepted submissions that would be rejected
	More           int            // number of changed submissions that are not in Lines
	Moves          []rankChangeLine
}

// Changed returns the number of submissions that would change if the rejudging were applied.
func (v rejudgingView) Changed() int { return len(v.Lines) + v.More }

// Unchanged returns the number of submissions whose runs have ended and that would not change if the rejudging
// were applied.
func (v rejudgingView) Unchanged() int { return v.Submissions - v.Pending - v.Changed() }

// matrixView counts submissions by old and new verdict.
type matrixView struct {
	Columns []string
	Rows    []matrixRow
}

type matrixRow struct {
	Old   string
	Cells []matrixCell
}

type matrixCell struct {
	N       int
	Changed bool
}

type rejudgedLine struct {
	Slug, Label, Submitter       string
	Number                       int64
	Old, New                     web.State
	Reason                       string
	LosesVerdict, CurrentChanged bool
}

// differentRuns is a submission whose runs have different verdicts.
type differentRuns struct {
	Slug, Label, Submitter, Runs string
	Number                       int64
}

// describeRuns lists the verdicts of runs and their workers, as text.
func describeRuns(runs []store.RejudgedRun) string {
	var texts []string
	for _, run := range runs {
		texts = append(texts, strings.TrimSpace(string(run.Verdict)+" "+run.Score)+" on "+run.Worker)
	}
	return strings.Join(texts, ", ")
}

type rankChangeLine struct {
	Team     string
	Old, New standingCell
}

type standingCell struct {
	Rank   int // zero for a hidden team
	Solved int
	Points float64
	Time   time.Duration
}

// findRejudging returns the contest's rejudging with the id in the address.
func (s *site) findRejudging(r *web.Request) (*store.Rejudging, error) {
	rejudging, err := s.Store.Rejudging(r.Context(), r.PathValue("id"))
	if err == nil && rejudging.Contest != access.Of(r).Contest.ID {
		err = web.ErrNotFound
	}
	return rejudging, err
}

func (s *site) rejudgingPage(w http.ResponseWriter, r *web.Request) error {
	rejudging, err := s.findRejudging(r)
	if err != nil {
		return err
	}
	submissions, err := s.Store.RejudgedSubmissions(r.Context(), rejudging.ID)
	if err != nil {
		return err
	}
	problems, err := s.Store.ContestProblems(r.Context(), rejudging.Contest)
	if err != nil {
		return err
	}
	labels := map[string]string{}
	for _, p := range problems {
		labels[p.Slug] = p.Label
	}
	v := rejudgingView{
		rejudgingLine: rejudgingLineOf(rejudging), Slug: access.Of(r).Contest.Slug,
		Running: rejudging.State == store.RejudgingRunning, Pending: rejudging.Pending, CanDecide: r.Can(auth.ChangeContest),
		Matrix: newMatrix(submissions), Repeats: rejudging.Repeats, Version: string(rejudging.Bundle[:min(len(rejudging.Bundle), 12)]),
	}
	v.Omitted, _ = strconv.Atoi(r.FormValue("left")) // zero if missing
	const most = 200
	for _, c := range submissions {
		if v.Running && (c.LosesVerdict() || c.Ended && c.CurrentChanged) {
			v.Blocked++
		}
		if c.RunsDiffer() {
			if v.DifferentCount++; len(v.DifferentRuns) < most {
				v.DifferentRuns = append(
					v.DifferentRuns,
					differentRuns{v.Slug, labels[c.Problem], c.Display, describeRuns(c.Runs), c.Number},
				)
			}
		}
	}
	for _, c := range v.count(submissions) {
		if len(v.Lines) == most {
			v.More++
			continue
		}
		v.Lines = append(v.Lines, rejudgedLine{
			Slug: v.Slug, Label: labels[c.Problem], Submitter: c.Display, Number: c.Number, Reason: c.Reason,
			LosesVerdict: c.LosesVerdict(), CurrentChanged: v.Running && c.CurrentChanged,
			Old: web.StateOf(store.JobDone, c.OldVerdict, c.OldScore, true), New: web.StateOf(store.JobDone, c.Verdict, c.Score, true),
		})
	}
	if v.Running {
		moves, err := s.Scoreboards.RankChanges(r.Context(), rejudging.Contest, submissions)
		if err != nil {
			return err
		}
		for _, m := range moves {
			v.Moves = append(v.Moves, rankChangeLine{m.After.Team.Name, standingCellOf(m.Before), standingCellOf(m.After)})
		}
	}
	return s.RenderPage(w, r, http.StatusOK, "rejudging", "Rejudging: "+rejudging.Why, v)
}

// count counts the changes that are better or worse for their teams. It returns the submissions that change, those that
// get worse first.
func (v *rejudgingView) count(submissions []*store.RejudgedSubmission) (changed []*store.RejudgedSubmission) {
	for _, c := range submissions {
		if !c.ChangesResult() || !v.Running && c.Verdict == judge.NotJudged { // canceled before it was judged
			continue
		}
		changed = append(changed, c)
		switch improvement(c) {
		case 1:
			v.Better++
		case -1:
			v.Worse++
		}
		if c.OldVerdict == judge.Accepted && verdictRank(c.Verdict) == 1 {
			v.Lost++
		}
	}
	slices.SortStableFunc(changed, func(a, b *store.RejudgedSubmission) int { return cmp.Compare(improvement(a), improvement(b)) })
	return changed
}

// improvement returns 1 if the new result of c is better for the team than the old one, -1 if it is worse, and 0
// otherwise.
func improvement(c *store.RejudgedSubmission) int {
	before, _ := strconv.ParseFloat(c.OldScore, 64) // zero if there is no score
	after, _ := strconv.ParseFloat(c.Score, 64)
	return cmp.Or(cmp.Compare(verdictRank(c.Verdict), verdictRank(c.OldVerdict)), cmp.Compare(after, before))
}

// verdictRank returns 2 if v is accepted, 1 if it is rejected, and 0 if the judge gave no verdict.
func verdictRank(v judge.Verdict) int {
	switch v {
	case judge.Accepted:
		return 2
	case judge.NotJudged, judge.JudgeError:
		return 0
	}
	return 1
}

func standingCellOf(p scoring.RankedRow) standingCell {
	return standingCell{p.Rank, p.Solved, p.Points, p.Time}
}

// newMatrix counts the submissions by old and new verdict, worst last.
func newMatrix(submissions []*store.RejudgedSubmission) (m matrixView) {
	const none = "-"
	name := func(v judge.Verdict) string {
		if v == judge.NotJudged {
			return none
		}
		return string(v)
	}
	counts, rows, columns := map[[2]string]int{}, map[string]bool{}, map[string]bool{}
	for _, c := range submissions {
		old, now := name(c.OldVerdict), name(c.Verdict)
		counts[[2]string{old, now}]++
		rows[old], columns[now] = true, true
	}
	var order []string
	for _, v := range judge.Verdicts() {
		order = append(order, string(v))
	}
	order = append(order, none)
	for _, v := range order {
		if columns[v] {
			m.Columns = append(m.Columns, v)
		}
	}
	for _, old := range order {
		if !rows[old] {
			continue
		}
		row := matrixRow{Old: old}
		for _, now := range m.Columns {
			row.Cells = append(row.Cells, matrixCell{counts[[2]string{old, now}], now != none && old != now})
		}
		m.Rows = append(m.Rows, row)
	}
	return m
}

// endRejudging applies or cancels a rejudging.
func (s *site) endRejudging(w http.ResponseWriter, r *web.Request) error {
	rejudging, err := s.findRejudging(r)
	if err != nil {
		return err
	}
	do := r.PostFormValue("do")
	if !slices.Contains([]string{"apply", "cancel"}, do) {
		return web.BadRequest("Unknown action: reload the page and try again")
	}
	if err := s.EndRejudging(r.Context(), rejudging.ID, do == "apply"); err != nil {
		return err
	}
	return s.AuditAndRedirect(
		w, r, do+" rejudging", rejudging.ID, rejudging.Why,
		"/c/"+access.Of(r).Contest.Slug+"/rejudgings/"+rejudging.ID,
	)
}
