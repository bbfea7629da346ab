package staff

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/job"
	"assay/judge/host/scoreboard"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// overviewView is the jury's overview of a contest.
type overviewView struct {
	*access.RunningContest
	Phase          string // "before", "running" or "ended"
	CanChange      bool   // the reader may change the contest
	CanFinalize    bool   // the reader may freeze and finalize
	Shadow         bool   // the contest follows another judging system
	NeedsAttention []attention
	Latest         web.SubmissionList
	Columns        []columnLine
	Teams          int
	Waiting        int
	Oldest         time.Duration
	Judging        int
	Workers        []workerLine
	Labels         []string
	Facts          overviewFacts
	Problem        []problemSettings // set only if the reader may change it
}

// attention is something that needs the jury's attention.
type attention struct {
	Class        string // CSS class for its urgency
	Text, Detail string
	Link, Button string
	BlocksFinal  bool // it prevents final results
}

// columnLine is the result of all teams for a problem.
type columnLine struct {
	Label, Title                   string
	Submissions, Solved, Pending   int
	Accepted, Rejected, Unresolved int // percentages of submissions
}

// Extensions returns the choices for extending a contest, in minutes.
func (overviewView) Extensions() []int { return []int{5, 15, 30} }

// showsBlockers reports whether the page lists the reasons why the results cannot become final yet.
func (v *overviewView) showsBlockers() bool { return v.CanFinalize && !v.Final && v.Phase != "before" }

// BlocksFinal reports whether any entry under "needs attention" also prevents the results from becoming final.
func (v overviewView) BlocksFinal() bool {
	return slices.ContainsFunc(v.NeedsAttention, func(a attention) bool { return a.BlocksFinal })
}

func (s *site) overview(w http.ResponseWriter, r *web.Request) (err error) {
	c := access.Of(r).Contest
	v := overviewView{CanChange: r.Can(auth.ChangeContest), CanFinalize: r.Can(auth.Finalize), Phase: "running"}
	if v.RunningContest, err = access.NewRunningContest(r.Context(), s.Site, access.Of(r).ContestAccess); err != nil {
		return err
	}
	now := s.Time()
	switch {
	case c.Starts.IsZero() || now.Before(c.Starts):
		v.Phase = "before"
	case !v.Ends.IsZero() && !now.Before(v.Ends):
		v.Phase = "ended"
	}
	if err := s.setScoreboard(r, &v); err != nil {
		return err
	}
	if err := s.setQueue(r, &v); err != nil {
		return err
	}
	if err := s.setFacts(r, &v); err != nil {
		return err
	}
	if err := s.setNeedsAttention(r, &v); err != nil {
		return err
	}
	if v.CanFinalize {
		if v.Problem, err = s.readProblemSettings(r); err != nil {
			return err
		}
	}
	return s.RenderPage(w, r, http.StatusOK, "overview", "Overview", v)
}

// setScoreboard sets the latest submissions and the problems in v.
func (s *site) setScoreboard(r *web.Request, v *overviewView) error {
	const latest = 8
	c := access.Of(r).Contest
	problems, err := s.Store.ContestProblems(r.Context(), c.ID)
	if err != nil {
		return err
	}
	rows, err := s.Store.Submissions(r.Context(), store.SubmissionFilter{Contest: c.ID, Limit: latest})
	if err != nil {
		return err
	}
	ends, err := access.Of(r).TeamEnds(r.Context())
	if err != nil {
		return err
	}
	lister, err := access.Of(r).NewLister(problems)
	if err != nil {
		return err
	}
	titles := map[string]string{}
	for _, p := range problems {
		titles[p.Label] = p.Title
		v.Labels = append(v.Labels, p.Label)
	}
	v.Latest = web.SubmissionList{Teams: true, Times: access.Of(r).ShowsTimes()}
	for _, row := range rows {
		v.Latest.Lines = append(v.Latest.Lines, lister.Line(row, ends(row.Team)))
	}
	l, err := s.Scoreboards.Scoreboard(r.Context(), c.ID)
	if err != nil {
		return err
	}
	_, places, columns := l.Scores(true)
	for _, p := range places {
		if p.Rank > 0 {
			v.Teams++
		}
	}
	for _, column := range columns {
		line := columnLine{
			Label: column.Label, Title: titles[column.Label], Submissions: column.Attempts + column.Pending,
			Solved: column.Solved, Pending: column.Pending,
		}
		if n := line.Submissions; n > 0 {
			line.Accepted, line.Unresolved = 100*column.Solved/n, 100*column.Pending/n
			line.Rejected = 100 - line.Accepted - line.Unresolved
		}
		v.Columns = append(v.Columns, line)
	}
	return nil
}

// setQueue sets the workers and the numbers of waiting jobs in v.
func (s *site) setQueue(r *web.Request, v *overviewView) error {
	queues, err := s.Dispatch.QueueCounts(r.Context())
	if err != nil {
		return err
	}
	for _, q := range queues {
		if q.Priority != job.ContestPriority {
			continue
		}
		if q.State == store.JobDispatched {
			v.Judging += q.Jobs
			continue
		}
		v.Waiting += q.Jobs
		v.Oldest = max(v.Oldest, s.Time().Sub(q.Oldest))
	}
	v.Workers, err = s.workerLines(r)
	return err
}

// addAttention adds an entry to the list of what needs the jury's attention. If link is empty, it has no button.
type addAttention func(class, text, detail, link, button string)

// setNeedsAttention lists in v what needs the jury's attention, most urgent first.
func (s *site) setNeedsAttention(r *web.Request, v *overviewView) error {
	base := "/c/" + v.Slug
	var add, block addAttention
	add = func(class, text, detail, link, button string) {
		v.NeedsAttention = append(v.NeedsAttention, attention{Class: class, Text: text, Detail: detail, Link: link, Button: button})
	}
	block = func(class, text, detail, link, button string) {
		add(class, text, detail, link, button)
		v.NeedsAttention[len(v.NeedsAttention)-1].BlocksFinal = v.showsBlockers()
	}
	var err error
	if v.Shadow, err = s.addShadowAttention(r, add); err != nil {
		return err
	}
	if err := s.addJudgeErrors(r, base, block); err != nil {
		return err
	}
	v.addWorkerAttention(r, add)
	if open := v.Facts.OpenQuestions; open > 0 {
		block(
			"tle", web.CountText(open, "clarification request", "clarification requests")+" unanswered", "",
			base+"/clar?open=1", "Answer",
		)
	}
	if verified, required := v.Facts.Verified, v.Facts.All; verified < required {
		block(
			"tle", web.CountText(required-verified, "verdict", "verdicts")+" not verified",
			fmt.Sprintf("Verified: %d of %d.", verified, required), base+"/submissions?verify="+store.VerifyPending,
			"Verify",
		)
	}
	problems, err := s.Store.ContestProblems(r.Context(), access.Of(r).Contest.ID)
	if err != nil {
		return err
	}
	for _, p := range problems {
		if p.Paused {
			add("tle", "Judging of problem "+p.Label+" is paused", "Its submissions wait.", base+"/overview#judging", "Resume judging")
		}
	}
	rejudgings, err := s.Store.Rejudgings(r.Context(), access.Of(r).Contest.ID)
	if err != nil {
		return err
	}
	for _, rejudging := range rejudgings {
		if rejudging.State == store.RejudgingRunning {
			block(
				"tle", "A rejudging waits for a decision",
				fmt.Sprintf("“%s”: %d of %d judged.", rejudging.Why, rejudging.Submissions-rejudging.Pending, rejudging.Submissions),
				base+"/rejudgings/"+rejudging.ID, "Review",
			)
		}
	}
	switch {
	case !v.CanChange:
	case v.Phase == "before" && v.Problems == 0:
		add("tle", "The contest has no problems", "", base+"/edit#problems", "Add problems")
	case v.Phase == "ended" && !v.Final:
		add("tle", "The results are not final", "The contest has ended.", base+"/finalize", "Finalize results")
	}
	return nil
}

// addJudgeErrors calls block for each of the newest submissions with a judge error, and once if there are more than
// it names.
func (s *site) addJudgeErrors(r *web.Request, base string, block addAttention) error {
	const shown = 5
	broken, err := s.Store.Submissions(
		r.Context(),
		store.SubmissionFilter{Contest: access.Of(r).Contest.ID, Verdict: string(judge.JudgeError), Limit: shown + 1},
	)
	if err != nil {
		return err
	}
	for i, sub := range broken {
		if i == shown {
			block(
				"wa", "Further submissions have a judge error", "",
				base+"/submissions?verdict="+string(judge.JudgeError), "Open submissions",
			)
			break
		}
		block(
			"wa", fmt.Sprintf("Judge error on submission %d", sub.Number), sub.Display+" waits for a verdict.",
			fmt.Sprintf("%s/s/%d", base, sub.Number), "Open submission",
		)
	}
	return nil
}

// addWorkerAttention calls add if workers are offline.
func (v *overviewView) addWorkerAttention(r *web.Request, add addAttention) {
	workers := ""
	if r.CanAnywhere(auth.SeeWorkers) {
		workers = "/admin/workers"
	}
	online := 0
	for _, worker := range v.Workers {
		if worker.Online {
			online++
		}
	}
	switch {
	case online == 0:
		add("wa", "No worker is online", "Submissions wait until one connects.", workers, "Open workers")
	case online < len(v.Workers):
		add(
			"tle",
			fmt.Sprintf("%d of %s offline", len(v.Workers)-online, web.CountText(len(v.Workers), "worker", "workers")),
			web.CountText(v.Waiting, "submission", "submissions")+" in the queue.", workers, "Open workers",
		)
	}
}

// extendContest moves the end of a running contest.
func (s *site) extendContest(w http.ResponseWriter, r *web.Request) error {
	c := access.Of(r).Contest
	minutes, err := strconv.Atoi(r.PostFormValue("minutes"))
	switch {
	case err != nil || minutes < 1 || minutes > 24*60:
		return web.BadRequest("enter the minutes by which to extend the contest: from 1 to 1440")
	case c.Length == 0 || c.Starts.IsZero() || !s.Time().Before(c.Ends()):
		return &intake.Refusal{
			Code: http.StatusConflict, Text: "only a contest that has an end and has not ended can be extended",
			Hint: "change its duration in the settings",
		}
	}
	extension := time.Duration(minutes) * time.Minute
	clock := scoreboard.Contest(c, nil)
	for _, freeze := range []*time.Duration{&c.Freeze, &c.Settings.Planned} {
		if *freeze > clock.Time(s.Time()) {
			*freeze += extension // the time between the freeze and the end stays the same
		}
	}
	c.Length += extension
	if err := s.Store.SetContest(r.Context(), c, nil); err != nil {
		return err
	}
	if err := s.Audit(r, "extend contest", c.Slug, web.CountText(minutes, "minute", "minutes")); err != nil {
		return err
	}
	if err := s.Scoreboards.Refresh(r.Context(), c.ID); err != nil {
		return err
	}
	return web.Redirect(w, r, "/c/"+c.Slug+"/overview")
}

// startContest starts a contest that has not begun.
func (s *site) startContest(w http.ResponseWriter, r *web.Request) error {
	c := access.Of(r).Contest
	if !c.Starts.IsZero() && !s.Time().Before(c.Starts) {
		return &intake.Refusal{Code: http.StatusConflict, Text: c.Name + " has started already"}
	}
	c.Starts = s.Time().Truncate(time.Second)
	if err := s.Store.SetContest(r.Context(), c, nil); err != nil {
		return err
	}
	return s.AuditAndRedirect(w, r, "start contest", c.Slug, "", "/c/"+c.Slug)
}
