package staff

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/desk"
	"assay/judge/host/scoring"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// rejudgingsView is a contest's list of rejudgings, with the form for a new one.
type rejudgingsView struct {
	Slug    string
	All     []rejudgingLine
	Changes bool // the reader may create a rejudging
	Choice  choiceView
	Every   bool // the check box for all submissions is selected
	Why     string
	Against string // version to judge with, as entered
	Repeats string // runs per submission, as entered
	Most    int    // maximum of Repeats
	Errors  web.FieldErrors
}

// Unfolded reports whether the form is shown unfolded: there are no rejudgings to list, or the form is filled in
// or has errors.
func (v rejudgingsView) Unfolded() bool {
	return len(v.All) == 0 || len(v.Errors) > 0 || v.Choice.Choice != (desk.Choice{})
}

type rejudgingLine struct {
	ID, Why, Login, State string
	Made                  time.Time
	Submissions, Done     int
}

func rejudgingOf(r *store.Rejudging) rejudgingLine {
	l := rejudgingLine{ID: r.ID, Why: r.Why, Login: r.Login, State: string(r.State), Made: r.Made, Submissions: r.Submissions, Done: r.Submissions - r.Open}
	if r.State == store.RejudgingRunning && r.Open == 0 {
		l.State = "waiting for your decision"
	}
	return l
}

func (s *site) rejudgings(w http.ResponseWriter, r *web.Request) error {
	choice, _, err := s.choice(r)
	if err != nil {
		return err
	}
	return s.rejudgingsPage(w, r, http.StatusOK, rejudgingsView{Choice: choice})
}

func (s *site) rejudgingsPage(w http.ResponseWriter, r *web.Request, code int, v rejudgingsView) error {
	all, err := s.Store.Rejudgings(r.Context(), access.Of(r).Contest.ID)
	if err != nil {
		return err
	}
	for _, one := range all {
		v.All = append(v.All, rejudgingOf(one))
	}
	v.Most, v.Choice.Errors = store.MostRepeats, v.Errors
	v.Slug, v.Changes, v.Choice.Unjudged = access.Of(r).Contest.Slug, r.Can(auth.Change), ""
	return s.Page(w, r, code, "rejudgings", "Rejudgings", v)
}

// rejudge creates a rejudging.
func (s *site) rejudge(w http.ResponseWriter, r *web.Request) error {
	v := rejudgingsView{Every: r.PostFormValue("all") != "", Why: r.PostFormValue("why"), Against: r.Field("against"), Repeats: r.Field("repeats")}
	asked := desk.NewRejudging{All: v.Every, Why: v.Why, Against: v.Against}
	var err error
	if v.Repeats != "" {
		if asked.Repeats, err = strconv.Atoi(v.Repeats); err != nil || asked.Repeats == 0 {
			asked.Repeats = -1 // out of range, so it will be rejected
		}
	}
	var made *store.Rejudging
	left := 0
	if v.Choice, _, err = s.choice(r); err == nil {
		asked.Choice = v.Choice.Choice
		made, left, err = s.Rejudge(r.Context(), access.Of(r).Contest, asked, r.Me)
	}
	if refusal, is := errors.AsType[*desk.Refusal](err); is {
		v.Errors = web.Refused(refusal, "")
		return s.rejudgingsPage(w, r, refusal.Code, v)
	}
	if err != nil {
		return err
	}
	if err := s.Audit(r, "rejudge", made.ID, made.Why); err != nil {
		return err
	}
	to := "/c/" + access.Of(r).Contest.Slug + "/rejudgings/" + made.ID
	if left > 0 {
		to += fmt.Sprintf("?left=%d", left)
	}
	return web.Redirect(w, r, to)
}

// rejudgingView is the page of a rejudging, with its changes.
type rejudgingView struct {
	rejudgingLine
	Slug    string
	Running bool
	Open    int    // number of submissions not judged yet
	Left    int    // number of submissions left out; shown once, after creation
	Blocked int    // number of submissions that prevent applying it
	Version string // start of the version's digest; if empty, the active versions are used
	Repeats int    // runs per submission
	Differ  []differentRuns
	Differs int  // number of submissions whose runs differ; Differ may be incomplete
	Changes bool // the reader may apply or cancel it
	Matrix  matrixView
	Lines   []rejudgedLine // submissions that change
	More    int            // number of changed submissions that are not in Lines
	Moves   []moveLine
}

// Changed returns the number of submissions that would change if the rejudging were applied.
func (v rejudgingView) Changed() int { return len(v.Lines) + v.More }

// Unchanged returns the number of submissions whose runs have ended and that would not change if the rejudging
// were applied.
func (v rejudgingView) Unchanged() int { return v.Submissions - v.Open - v.Changed() }

// matrixView counts submissions by old and new verdict.
type matrixView struct {
	Columns []string
	Rows    []matrixRow
}

type matrixRow struct {
	Was   string
	Cells []matrixCell
}

type matrixCell struct {
	N       int
	Changed bool
}

type rejudgedLine struct {
	Slug, Label, Who string
	Number           int64
	Was, Now         web.State
	Reason           string
	Lost, Moved      bool
}

// differentRuns is a submission whose runs have different verdicts.
type differentRuns struct {
	Slug, Label, Who, Runs string
	Number                 int64
}

// runsOf lists the verdicts of runs and their workers, as text.
func runsOf(runs []store.RejudgedRun) string {
	var all []string
	for _, one := range runs {
		all = append(all, strings.TrimSpace(string(one.Verdict)+" "+one.Score)+" on "+one.Worker)
	}
	return strings.Join(all, ", ")
}

type moveLine struct {
	Team     string
	Was, Now moveCell
}

type moveCell struct {
	Rank   int // zero for a hidden team
	Solved int
	Points float64
	Time   time.Duration
}

// rejudgingAt returns the contest's rejudging with the id in the address.
func (s *site) rejudgingAt(r *web.Request) (*store.Rejudging, error) {
	one, err := s.Store.Rejudging(r.Context(), r.PathValue("id"))
	if err == nil && one.Contest != access.Of(r).Contest.ID {
		err = web.ErrNotFound
	}
	return one, err
}

func (s *site) rejudging(w http.ResponseWriter, r *web.Request) error {
	one, err := s.rejudgingAt(r)
	if err != nil {
		return err
	}
	all, err := s.Store.RejudgedOf(r.Context(), one.ID)
	if err != nil {
		return err
	}
	problems, err := s.Store.ContestProblems(r.Context(), one.Contest)
	if err != nil {
		return err
	}
	labels := map[string]string{}
	for _, p := range problems {
		labels[p.Slug] = p.Label
	}
	v := rejudgingView{
		rejudgingLine: rejudgingOf(one), Slug: access.Of(r).Contest.Slug, Running: one.State == store.RejudgingRunning, Open: one.Open, Changes: r.Can(auth.Change),
		Matrix: matrix(all), Repeats: one.Repeats, Version: string(one.Bundle[:min(len(one.Bundle), 12)]),
	}
	v.Left, _ = strconv.Atoi(r.FormValue("left")) // zero if missing
	const most = 200
	for _, c := range all {
		if v.Running && (c.Lost() || c.Done && c.Moved) {
			v.Blocked++
		}
		if c.Differ() {
			if v.Differs++; len(v.Differ) < most {
				v.Differ = append(v.Differ, differentRuns{v.Slug, labels[c.Problem], c.Display, runsOf(c.Runs), c.Number})
			}
		}
		if !c.Changed() || !v.Running && c.Verdict == judge.NotJudged { // canceled before it was judged
			continue
		}
		if len(v.Lines) == most {
			v.More++
			continue
		}
		v.Lines = append(v.Lines, rejudgedLine{
			Slug: v.Slug, Label: labels[c.Problem], Who: c.Display, Number: c.Number, Reason: c.Reason, Lost: c.Lost(), Moved: v.Running && c.Moved,
			Was: web.StateOf(store.Done, c.Was, c.WasScore, true), Now: web.StateOf(store.Done, c.Verdict, c.Score, true),
		})
	}
	if v.Running {
		moves, err := s.Boards.Moves(r.Context(), one.Contest, all)
		if err != nil {
			return err
		}
		for _, m := range moves {
			v.Moves = append(v.Moves, moveLine{m.Now.Team.Name, cellOf(m.Was), cellOf(m.Now)})
		}
	}
	return s.Page(w, r, http.StatusOK, "rejudging", "Rejudging: "+one.Why, v)
}

func cellOf(p scoring.Place) moveCell { return moveCell{p.Rank, p.Solved, p.Points, p.Time} }

// matrix counts the submissions by old and new verdict, worst last.
func matrix(all []*store.Rejudged) (m matrixView) {
	const none = "-"
	name := func(v judge.Verdict) string {
		if v == judge.NotJudged {
			return none
		}
		return string(v)
	}
	counts, rows, columns := map[[2]string]int{}, map[string]bool{}, map[string]bool{}
	for _, c := range all {
		was, now := name(c.Was), name(c.Verdict)
		counts[[2]string{was, now}]++
		rows[was], columns[now] = true, true
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
	for _, was := range order {
		if !rows[was] {
			continue
		}
		row := matrixRow{Was: was}
		for _, now := range m.Columns {
			row.Cells = append(row.Cells, matrixCell{counts[[2]string{was, now}], now != none && was != now})
		}
		m.Rows = append(m.Rows, row)
	}
	return m
}

// endRejudging applies or cancels a rejudging.
func (s *site) endRejudging(w http.ResponseWriter, r *web.Request) error {
	one, err := s.rejudgingAt(r)
	if err != nil {
		return err
	}
	do := r.PostFormValue("do")
	if !slices.Contains([]string{"apply", "cancel"}, do) {
		return web.BadRequest("Unknown action: reload the page and try again")
	}
	if err := s.EndRejudging(r.Context(), one.ID, do == "apply"); err != nil {
		return err
	}
	return s.Done(w, r, do+" rejudging", one.ID, one.Why, "/c/"+access.Of(r).Contest.Slug+"/rejudgings/"+one.ID)
}
