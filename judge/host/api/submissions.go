package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/dispatch"
	"assay/judge/host/intake"
	"assay/judge/host/store"
)

// submit stores a submission. When the response is sent, the database has the submission, so it cannot get lost.
func (a *api) submit(w http.ResponseWriter, r *http.Request, caller *caller) error {
	var n client.NewSubmission
	if err := readJSON(r, &n); err != nil {
		return err
	}
	p, err := a.Store.Problem(r.Context(), n.Problem)
	var contestAccess *intake.ContestAccess
	if err == nil && (n.Contest != "" || !caller.hasScope(client.Admin)) {
		contestAccess, err = a.submitAccess(r, caller, n.Contest, p)
	}
	if errors.Is(err, store.ErrNotFound) { // it may be the label of a problem
		p, contestAccess, err = a.ProblemByLabel(r.Context(), caller.account, n.Contest, n.Problem)
	}
	if errors.Is(err, store.ErrNotFound) && n.Contest != "" {
		return a.notInContest(r, caller, n.Contest, n.Problem)
	}
	if errors.Is(err, store.ErrNotFound) {
		return a.unknownProblem(r, caller, n.Problem)
	}
	if err != nil {
		return err
	}
	stored, err := a.Submit(r.Context(), intake.NewSubmission{
		Access: contestAccess, Account: caller.account, Problem: p, Key: n.Key, Files: n.Files, Folder: n.IsDir, Program: n.Program,
		Language: n.Language, All: n.ContinueOnFailure, Unlimited: caller.hasScope(client.Publish),
	})
	if err != nil {
		return err
	}
	j, err := a.Store.Judgement(r.Context(), stored.ID)
	if err != nil {
		return err
	}
	answer := client.Submission{
		ID: stored.ID, Number: stored.Number, Problem: p.Slug, Program: n.Program, Login: caller.account.Login, Received: stored.Received,
		State: string(store.JobWaiting),
	}
	if contestAccess != nil {
		answer.Contest = contestAccess.Contest.Slug
	}
	if answer.Position, err = a.QueuePosition(r.Context(), j); err != nil {
		return err
	}
	return writeOK(w, answer)
}

// submitAccess returns the sender's access to the contest named slug. If slug is empty, it uses the contest that has the
// problem. It returns nil if there is no such contest.
func (a *api) submitAccess(r *http.Request, caller *caller, slug string, p *store.Problem) (*intake.ContestAccess, error) {
	if slug == "" {
		return a.FindContest(r.Context(), caller.account, p.Slug)
	}
	contestAccess, err := a.accessTo(r, caller, slug)
	if err != nil {
		return nil, err
	}
	problems, err := a.Store.ContestProblems(r.Context(), contestAccess.Contest.ID)
	if err != nil {
		return nil, err
	}
	for _, q := range problems {
		if q.ID == p.ID && contestAccess.Can(auth.SeeProblems) {
			return contestAccess, nil
		}
	}
	return nil, store.ErrNotFound
}

// accessTo returns the caller's access to a contest. A contest that the caller may not see is reported as not found.
func (a *api) accessTo(r *http.Request, caller *caller, slug string) (*intake.ContestAccess, error) {
	c, err := a.findContest(r, slug)
	if err != nil {
		return nil, err
	}
	contestAccess, err := a.ContestAccess(r.Context(), c, caller.account)
	if err == nil && !contestAccess.Can(auth.SeeContest) {
		err = noContest(slug)
	}
	return contestAccess, err
}

// notInContest returns the error for a problem that is not in the contest named slug. If the caller may not see the
// contest, it returns the error for a contest that does not exist.
func (a *api) notInContest(r *http.Request, caller *caller, slug, problem string) error {
	if _, err := a.accessTo(r, caller, slug); err != nil {
		return err
	}
	return &status{
		http.StatusNotFound, fmt.Sprintf("the contest %s has no problem %.80q that you may see", slug, problem),
		"its page lists them",
	}
}

// unknownProblem rejects an unknown problem name, and lists the known problems.
func (a *api) unknownProblem(r *http.Request, caller *caller, name string) error {
	rows, err := a.visibleProblems(r, caller)
	if err != nil {
		return err
	}
	s := &status{
		http.StatusNotFound, fmt.Sprintf("the server has no problem %.80q", name),
		"it has none at all yet: judge publish PROBLEM --to URL",
	}
	if a.IsPreparing != nil && a.IsPreparing() {
		s.hint = "its problems are still being prepared: try again in a minute"
	} else if len(rows) > 0 {
		s.hint = "see: judge list --on URL"
	} else if !caller.hasScope(client.Publish) {
		s.hint = "it has none yet that you may see"
	}
	return s
}

// visibleSubmission returns a submission that the caller may see. Any other submission is reported as not found.
func (a *api) visibleSubmission(r *http.Request, caller *caller) (*store.Submission, error) {
	s, err := a.Store.Submission(r.Context(), r.PathValue("id"))
	if errors.Is(err, store.ErrNotFound) || err == nil && s.Account != caller.account.ID && !caller.hasScope(client.Admin) {
		return nil, &status{http.StatusNotFound, "there is no such submission", ""}
	}
	return s, err
}

// clientSubmission returns a submission as a client receives it. If a judge must still verify the verdict, only the jury
// receives the verdict.
func (a *api) clientSubmission(s *store.Submission, caller *caller) client.Submission {
	result := client.Submission{
		ID: s.ID, Number: s.Number, Problem: s.Problem, Program: s.Program, Login: s.Login, Received: s.Received,
		State:   stateName(a.Dispatch.JobState(s.Judgement, s.State)),
		Verdict: s.Verdict, Score: s.Score,
	}
	if s.Verify == store.Unverified && !seesUnverified(caller) {
		result.State, result.Verdict, result.Score = stateName(store.JobDispatched), judge.NotJudged, ""
	}
	return result
}

// stateName returns the name of a job's state in responses.
func stateName(s store.JobState) string {
	if s == store.JobDispatched {
		return "running"
	}
	return string(s)
}

// seesUnverified reports whether a caller sees verdicts that a judge must still verify. Other callers do not see such
// verdicts.
func seesUnverified(caller *caller) bool {
	return caller.hasScope(client.Admin) || auth.Can(intake.ServerRole(caller.account), auth.SeeAll, auth.State{})
}

func (a *api) submission(w http.ResponseWriter, r *http.Request, caller *caller) error {
	s, err := a.visibleSubmission(r, caller)
	if err != nil {
		return err
	}
	end, _, err := a.submissionState(r, caller, s)
	if err != nil {
		return err
	}
	return writeOK(w, end)
}

// visibleDetail returns how much of a submission's judgement the caller may see.
func (a *api) visibleDetail(r *http.Request, caller *caller, s *store.Submission) (judge.Visibility, error) {
	if caller.hasScope(client.Admin) {
		return judge.ShowAll, nil
	}
	return a.Shows(r.Context(), caller.account, s)
}

// submissionState returns a submission with the state of its judgement as the caller may see it, and the submission's
// judgement.
func (a *api) submissionState(r *http.Request, caller *caller, s *store.Submission) (*client.Submission, *store.Judgement, error) {
	j, err := a.Store.Judgement(r.Context(), s.ID)
	if err != nil {
		return nil, nil, err
	}
	end, state := a.clientSubmission(s, caller), a.Dispatch.JobState(j.ID, j.State)
	if j.Withheld() && !seesUnverified(caller) {
		if end.State = stateName(store.JobDispatched); state == store.JobWaiting {
			end.State = stateName(state)
		}
		end.Verdict, end.Score = judge.NotJudged, ""
		end.Position, err = a.QueuePosition(r.Context(), j)
		return &end, j, err
	}
	end.State, end.Verdict, end.Score = stateName(state), j.Verdict, j.Score
	if end.Position, err = a.QueuePosition(r.Context(), j); err != nil {
		return nil, nil, err
	}
	if show, err := a.visibleDetail(r, caller, s); err != nil {
		return nil, nil, err
	} else if show == judge.ShowAll {
		end.Reason, end.Worker, end.Machine = j.Reason, j.Worker, j.Machine
	} else if j.Reason != "" {
		end.Reason = "the judge could not judge it; the staff look into it"
	}
	return &end, j, nil
}

// submissions lists the newest submissions, in practice and in all contests. It lists only the caller's own
// submissions, unless the caller may see all. For the next page, set the query parameter before to the last id of
// this page.
func (a *api) submissions(w http.ResponseWriter, r *http.Request, caller *caller) error {
	account, before := caller.account.ID, r.FormValue("before")
	if caller.hasScope(client.Admin) {
		account = ""
	}
	if before != "" {
		if _, err := a.Store.Submission(r.Context(), before); errors.Is(err, store.ErrNotFound) {
			return &status{http.StatusBadRequest, fmt.Sprintf("before=%.40q is not the id of a submission", before), ""}
		} else if err != nil {
			return err
		}
	}
	rows, err := a.Store.LatestSubmissions(r.Context(), account, r.FormValue("problem"), before, 100)
	if err != nil {
		return err
	}
	contests, err := a.Store.Contests(r.Context())
	if err != nil {
		return err
	}
	slugs := map[string]string{}
	for _, c := range contests {
		slugs[c.ID] = c.Slug
	}
	lines := []client.Submission{}
	for _, s := range rows {
		line := a.clientSubmission(s, caller)
		line.Contest = slugs[s.Contest]
		lines = append(lines, line)
	}
	return writeOK(w, lines)
}

func (a *api) cancelSubmission(w http.ResponseWriter, r *http.Request, caller *caller) error {
	s, err := a.visibleSubmission(r, caller)
	if err != nil {
		return err
	}
	j, err := a.Store.Judgement(r.Context(), s.ID)
	if err != nil {
		return err
	}
	// A contestant who expects an attempt to fail must not be able to cancel it.
	cancel := a.Dispatch.Cancel
	if s.Contest != store.Practice && !caller.hasScope(client.Admin) {
		c, err := a.Store.Contest(r.Context(), s.Contest)
		if err != nil {
			return err
		}
		contestAccess, err := a.ContestAccess(r.Context(), c, caller.account)
		if err != nil {
			return err
		}
		if !contestAccess.Can(auth.SeeAll) {
			cancel = a.Dispatch.CancelIfUnassigned
		}
	}
	cancelled, err := cancel(r.Context(), j.ID)
	if errors.Is(err, store.ErrAssigned) {
		return &status{
			http.StatusConflict, "the submission is being judged and counts",
			"in a contest a submission can be cancelled only while it waits",
		}
	}
	if err != nil {
		return err
	}
	if !cancelled && j.State == store.JobCancelled { // the earlier response got lost
		return writeOK(w, struct{}{})
	}
	if !cancelled {
		return &status{http.StatusConflict, "the submission is judged already", ""}
	}
	return a.auditAndRespond(w, r, caller, "cancel", s.ID, "", struct{}{})
}

// cancelSubmissions cancels the pending submissions of an account, those to a problem, or those of an account to a
// problem. If only the account is given, cancelSubmissions also cancels the account's workflows.
func (a *api) cancelSubmissions(w http.ResponseWriter, r *http.Request, caller *caller) error {
	login, problem, account := r.FormValue("login"), r.FormValue("problem"), ""
	var ended client.Cancelled
	if login == "" && problem == "" {
		return &status{http.StatusBadRequest, "the request names neither an account nor a problem to cancel submissions of", ""}
	}
	if login != "" {
		owner, err := a.Store.AccountByLogin(r.Context(), login)
		if errors.Is(err, store.ErrNotFound) {
			return &status{http.StatusNotFound, fmt.Sprintf("there is no account %.80q", login), "see: judged admin account list"}
		}
		if err != nil {
			return err
		}
		account = owner.ID
		if problem == "" {
			if ended.Workflows, err = a.CancelWorkflows(r.Context(), owner, "an administrator cancelled it"); err != nil {
				return err
			}
		}
	}
	jobs, err := a.Store.PendingJobs(r.Context(), account, problem, "")
	if errors.Is(err, store.ErrNotFound) {
		return a.unknownProblem(r, caller, problem)
	}
	if err != nil {
		return err
	}
	for _, id := range jobs {
		cancelled, err := a.Dispatch.Cancel(r.Context(), id)
		if err != nil {
			return err
		}
		if cancelled {
			ended.Submissions++
		}
	}
	return a.auditAndRespond(w, r, caller, "cancel", strings.TrimSpace(account+" "+problem),
		fmt.Sprintf("%d submissions, %d remote runs", ended.Submissions, ended.Workflows), ended)
}

// The times of an event stream.
const (
	keepAlive          = 15 * time.Second
	streamWriteTimeout = 20 * time.Second
	accessInterval     = 2 * time.Second // poll interval: another server may have recorded the end
)

// events streams the events of a judgement from a given index: first the known events, then new ones, and finally
// the remaining events of the current result. If a submission is judged twice, the stream continues at the same
// index in the second judgement. This is possible because a worker holds back events that another run may
// contradict.
func (a *api) events(w http.ResponseWriter, r *http.Request, caller *caller) error {
	s, err := a.visibleSubmission(r, caller)
	if err != nil {
		return err
	}
	from, err := strconv.Atoi(r.FormValue("from"))
	if err != nil || from < 0 {
		from = 0
	}
	end, j, err := a.submissionState(r, caller, s)
	if err != nil {
		return err
	}
	show, err := a.visibleDetail(r, caller, s)
	if err != nil {
		return err
	}
	judgement := j.ID
	watch := a.Dispatch.Watch(judgement)
	defer func() { watch.Close() }()
	writer := newStream(w)
	writer.next, writer.show = from, show
	lastSent := time.Now()
	for {
		events, changed, ended := writer.visibleEvents(watch)
		if j.Withheld() && !seesUnverified(caller) {
			events = nil
			if ended {
				changed = nil // the closed channel would reveal when a judge verifies
			}
		}
		if err := writer.writeEvents(events); err != nil {
			return nil // the client is gone
		}
		if ended || len(events) == 0 {
			if end, j, err = a.submissionState(r, caller, s); err != nil {
				a.Log.Error("read a judgement", "submission", s.ID, "error", err)
				return nil // the client reconnects
			}
		}
		if !j.Ended.IsZero() && !(j.Withheld() && !seesUnverified(caller)) {
			return a.finishStream(writer, end, j)
		}
		if j.ID != judgement { // the submission is rejudged before a verdict becomes current
			watch.Close()
			judgement, watch = j.ID, a.Dispatch.Watch(j.ID)
			continue
		}
		if len(events) > 0 {
			lastSent = time.Now()
			continue
		}
		if time.Since(lastSent) > a.keepAlive {
			lastSent = time.Now()
			if writer.writeLine(client.JudgementLine{}) != nil {
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

// finishStream sends the events of the result that the stream has not sent yet, followed by the end line.
func (a *api) finishStream(writer *lineWriter, end *client.Submission, j *store.Judgement) error {
	if j.Events != "" {
		events, err := a.Events(j)
		if err != nil {
			a.Log.Error("read the events of a judgement", "judgement", j.ID, "error", err)
			end.Reason = "the server has lost the details of this judging"
		}
		events = judge.Redact(events, writer.show)
		for _, e := range events[min(writer.next, len(events)):] {
			line, err := judge.EncodeEvent(e)
			if err == nil {
				err = writer.writeEvents([][]byte{line})
			}
			if err != nil {
				return nil
			}
		}
	}
	_ = writer.writeLine(client.JudgementLine{End: end}) // the client may be gone
	return nil
}

// A lineWriter writes lines and flushes each one.
type lineWriter struct {
	w    http.ResponseWriter
	c    *http.ResponseController
	next int // index of the next visible event
	show judge.Visibility
}

// visibleEvents returns the events that the caller may see and that have not been sent yet.
func (s *lineWriter) visibleEvents(watch *dispatch.Watch) (events [][]byte, changed <-chan struct{}, ended bool) {
	if s.show == judge.ShowAll {
		return watch.Next(s.next)
	}
	lines, changed, ended := watch.Next(0)
	var all []judge.Event
	for _, l := range lines {
		e, err := judge.DecodeEvent(l)
		if err != nil {
			return nil, changed, ended // later events must wait for the result
		}
		all = append(all, e)
	}
	all = judge.Redact(all, s.show)
	for _, e := range all[min(s.next, len(all)):] {
		line, err := judge.EncodeEvent(e)
		if err != nil {
			break
		}
		events = append(events, line)
	}
	return events, changed, ended
}

func newStream(w http.ResponseWriter) *lineWriter {
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	s := &lineWriter{w: w, c: http.NewResponseController(w)}
	_ = s.c.Flush() // so that the client sees the response; if it is gone, the first line fails
	return s
}

// writeLine writes a line: a client.JudgementLine or a client.WorkflowLine.
func (s *lineWriter) writeLine(l any) error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_ = s.c.SetWriteDeadline(time.Now().Add(streamWriteTimeout)) // a test's recorder does not support it
	if _, err := s.w.Write(append(data, '\n')); err != nil {
		return err
	}
	return s.c.Flush()
}

func (s *lineWriter) writeEvents(events [][]byte) error {
	for _, e := range events {
		if err := s.writeLine(client.JudgementLine{Event: e}); err != nil {
			return err
		}
		s.next++
	}
	return nil
}
