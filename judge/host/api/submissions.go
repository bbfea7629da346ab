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
	"assay/judge/host/desk"
	"assay/judge/host/dispatch"
	"assay/judge/host/store"
)

// submit stores a submission. When the response is sent, the database has the submission, so it cannot get lost.
func (a *api) submit(w http.ResponseWriter, r *http.Request, who *caller) error {
	var n client.NewSubmission
	if err := read(r, &n); err != nil {
		return err
	}
	p, err := a.Store.Problem(r.Context(), n.Problem)
	var seat *desk.Seat
	if err == nil && (n.Contest != "" || !who.may(client.Admin)) {
		seat, err = a.seat(r, who, n.Contest, p)
	}
	if errors.Is(err, store.ErrNotFound) { // it may be the label of a problem
		p, seat, err = a.Labeled(r.Context(), who.account, n.Contest, n.Problem)
	}
	if errors.Is(err, store.ErrNotFound) && n.Contest != "" {
		return a.noneIn(r, who, n.Contest, n.Problem)
	}
	if errors.Is(err, store.ErrNotFound) {
		return a.noProblem(r, who, n.Problem)
	}
	if err != nil {
		return err
	}
	kept, err := a.Take(r.Context(), desk.New{
		Seat: seat, Account: who.account, Problem: p, Key: n.Key, Files: n.Files, Folder: n.Folder, Program: n.Program,
		Language: n.Language, All: n.All, Many: who.may(client.Publish),
	})
	if err != nil {
		return err
	}
	j, err := a.Store.Judgement(r.Context(), kept.ID)
	if err != nil {
		return err
	}
	answer := client.Submission{
		ID: kept.ID, Number: kept.Number, Problem: p.Slug, Program: n.Program, Login: who.account.Login, Received: kept.Received,
		State: string(store.Waiting),
	}
	if seat != nil {
		answer.Contest = seat.Contest.Slug
	}
	if answer.Place, err = a.Waits(r.Context(), j); err != nil {
		return err
	}
	return ok(w, answer)
}

// seat returns the sender's access to the contest named slug. If slug is empty, it uses the contest that has the
// problem. It returns nil if there is no such contest.
func (a *api) seat(r *http.Request, who *caller, slug string, p *store.Problem) (*desk.Seat, error) {
	if slug == "" {
		return a.Place(r.Context(), who.account, p.Slug)
	}
	seat, err := a.seatIn(r, who, slug)
	if err != nil {
		return nil, err
	}
	problems, err := a.Store.ContestProblems(r.Context(), seat.Contest.ID)
	if err != nil {
		return nil, err
	}
	for _, q := range problems {
		if q.ID == p.ID && seat.Can(auth.SeeProblems) {
			return seat, nil
		}
	}
	return nil, store.ErrNotFound
}

// seatIn returns the caller's access to a contest. A contest that the caller may not see is reported as not found.
func (a *api) seatIn(r *http.Request, who *caller, slug string) (*desk.Seat, error) {
	c, err := a.contest(r, slug)
	if err != nil {
		return nil, err
	}
	seat, err := a.Seat(r.Context(), c, who.account)
	if err == nil && !seat.Can(auth.SeeContest) {
		err = noContest(slug)
	}
	return seat, err
}

// noneIn returns the error for a problem that is not in the contest named slug. If the caller may not see the
// contest, it returns the error for a contest that does not exist.
func (a *api) noneIn(r *http.Request, who *caller, slug, problem string) error {
	if _, err := a.seatIn(r, who, slug); err != nil {
		return err
	}
	return &status{
		http.StatusNotFound, fmt.Sprintf("the contest %s has no problem %.80q that you may see", slug, problem),
		"its page lists them",
	}
}

// noProblem rejects an unknown problem name, and lists the known problems.
func (a *api) noProblem(r *http.Request, who *caller, name string) error {
	rows, err := a.seen(r, who)
	if err != nil {
		return err
	}
	s := &status{
		http.StatusNotFound, fmt.Sprintf("the server has no problem %.80q", name),
		"it has none at all yet: judge publish PROBLEM --to URL",
	}
	if a.Preparing != nil && a.Preparing() {
		s.hint = "its problems are still being prepared: try again in a minute"
	} else if len(rows) > 0 {
		s.hint = "see: judge list --on URL"
	} else if !who.may(client.Publish) {
		s.hint = "it has none yet that you may see"
	}
	return s
}

// mine returns a submission that the caller may see. Any other submission is reported as not found.
func (a *api) mine(r *http.Request, who *caller) (*store.Submission, error) {
	s, err := a.Store.Submission(r.Context(), r.PathValue("id"))
	if errors.Is(err, store.ErrNotFound) || err == nil && s.Account != who.account.ID && !who.may(client.Admin) {
		return nil, &status{http.StatusNotFound, "there is no such submission", ""}
	}
	return s, err
}

// shown returns a submission as a client receives it. If a judge must still verify the verdict, only the jury
// receives the verdict.
func (a *api) shown(s *store.Submission, who *caller) client.Submission {
	one := client.Submission{
		ID: s.ID, Number: s.Number, Problem: s.Problem, Program: s.Program, Login: s.Login, Received: s.Received,
		State:   string(a.Dispatch.JobState(s.Judgement, s.State)),
		Verdict: s.Verdict, Score: s.Score,
	}
	if s.Verify == store.Unverified && !jury(who) {
		one.State, one.Verdict, one.Score = string(store.Out), judge.NotJudged, ""
	}
	return one
}

// jury reports whether a caller sees verdicts that a judge must still verify. Other callers do not see such
// verdicts.
func jury(who *caller) bool {
	return who.may(client.Admin) || auth.Can(desk.Role(who.account), auth.SeeAll, auth.State{})
}

func (a *api) submission(w http.ResponseWriter, r *http.Request, who *caller) error {
	s, err := a.mine(r, who)
	if err != nil {
		return err
	}
	end, _, err := a.judged(r, who, s)
	if err != nil {
		return err
	}
	return ok(w, end)
}

// shows returns how much of a submission's judging the caller may see.
func (a *api) shows(r *http.Request, who *caller, s *store.Submission) (judge.Show, error) {
	if who.may(client.Admin) {
		return judge.ShowAll, nil
	}
	return a.Shows(r.Context(), who.account, s)
}

// judged returns a submission with the state of its judging as the caller may see it, and the submission's
// judgement.
func (a *api) judged(r *http.Request, who *caller, s *store.Submission) (*client.Submission, *store.Judgement, error) {
	j, err := a.Store.Judgement(r.Context(), s.ID)
	if err != nil {
		return nil, nil, err
	}
	end, state := a.shown(s, who), a.Dispatch.JobState(j.ID, j.State)
	if j.Withheld() && !jury(who) {
		if end.State = string(store.Out); state == store.Waiting {
			end.State = string(store.Waiting)
		}
		end.Verdict, end.Score = judge.NotJudged, ""
		end.Place, err = a.Waits(r.Context(), j)
		return &end, j, err
	}
	end.State, end.Verdict, end.Score = string(state), j.Verdict, j.Score
	if end.Place, err = a.Waits(r.Context(), j); err != nil {
		return nil, nil, err
	}
	if show, err := a.shows(r, who, s); err != nil {
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
func (a *api) submissions(w http.ResponseWriter, r *http.Request, who *caller) error {
	of, before := who.account.ID, r.FormValue("before")
	if who.may(client.Admin) {
		of = ""
	}
	if before != "" {
		if _, err := a.Store.Submission(r.Context(), before); errors.Is(err, store.ErrNotFound) {
			return &status{http.StatusBadRequest, fmt.Sprintf("before=%.40q is not the id of a submission", before), ""}
		} else if err != nil {
			return err
		}
	}
	rows, err := a.Store.Latest(r.Context(), of, r.FormValue("problem"), before, 100)
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
	all := []client.Submission{}
	for _, s := range rows {
		one := a.shown(s, who)
		one.Contest = slugs[s.Contest]
		all = append(all, one)
	}
	return ok(w, all)
}

func (a *api) cancel(w http.ResponseWriter, r *http.Request, who *caller) error {
	s, err := a.mine(r, who)
	if err != nil {
		return err
	}
	j, err := a.Store.Judgement(r.Context(), s.ID)
	if err != nil {
		return err
	}
	// A contestant who expects an attempt to fail must not be able to cancel it.
	cancel := a.Dispatch.Cancel
	if s.Contest != store.Practice && !who.may(client.Admin) {
		c, err := a.Store.Contest(r.Context(), s.Contest)
		if err != nil {
			return err
		}
		seat, err := a.Seat(r.Context(), c, who.account)
		if err != nil {
			return err
		}
		if !seat.Can(auth.SeeAll) {
			cancel = a.Dispatch.CancelUntouched
		}
	}
	done, err := cancel(r.Context(), j.ID)
	if errors.Is(err, store.ErrGiven) {
		return &status{
			http.StatusConflict, "the submission is being judged and counts",
			"in a contest a submission can be cancelled only while it waits",
		}
	}
	if err != nil {
		return err
	}
	if !done && j.State == store.Cancelled { // the earlier response got lost
		return ok(w, struct{}{})
	}
	if !done {
		return &status{http.StatusConflict, "the submission is judged already", ""}
	}
	return a.done(w, r, who, "cancel", s.ID, "", struct{}{})
}

// cancelMany cancels the pending submissions of an account, those to a problem, or those of an account to a
// problem. If only the account is given, cancelMany also cancels the account's workflows.
func (a *api) cancelMany(w http.ResponseWriter, r *http.Request, who *caller) error {
	login, problem, account := r.FormValue("login"), r.FormValue("problem"), ""
	var ended client.Cancelled
	if login == "" && problem == "" {
		return &status{http.StatusBadRequest, "the request names neither an account nor a problem to cancel submissions of", ""}
	}
	if login != "" {
		of, err := a.Store.AccountByLogin(r.Context(), login)
		if errors.Is(err, store.ErrNotFound) {
			return &status{http.StatusNotFound, fmt.Sprintf("there is no account %.80q", login), "see: judged admin account list"}
		}
		if err != nil {
			return err
		}
		account = of.ID
		if problem == "" {
			if ended.Flows, err = a.EndFlows(r.Context(), of, "an administrator cancelled it"); err != nil {
				return err
			}
		}
	}
	jobs, err := a.Store.OpenJobs(r.Context(), account, problem, "")
	if errors.Is(err, store.ErrNotFound) {
		return a.noProblem(r, who, problem)
	}
	if err != nil {
		return err
	}
	for _, id := range jobs {
		done, err := a.Dispatch.Cancel(r.Context(), id)
		if err != nil {
			return err
		}
		if done {
			ended.Submissions++
		}
	}
	return a.done(w, r, who, "cancel", strings.TrimSpace(account+" "+problem),
		fmt.Sprintf("%d submissions, %d flows", ended.Submissions, ended.Flows), ended)
}

// The times of an event stream.
const (
	keepAlive   = 15 * time.Second
	writeWithin = 20 * time.Second
	askAgain    = 2 * time.Second // poll interval: another server may have recorded the end
)

// events streams the events of a judging from a given index: first the known events, then new ones, and finally
// the remaining events of the current result. If a submission is judged twice, the stream continues at the same
// index in the second judging. This is possible because a worker holds back events that another run may
// contradict.
func (a *api) events(w http.ResponseWriter, r *http.Request, who *caller) error {
	s, err := a.mine(r, who)
	if err != nil {
		return err
	}
	from, err := strconv.Atoi(r.FormValue("from"))
	if err != nil || from < 0 {
		from = 0
	}
	end, j, err := a.judged(r, who, s)
	if err != nil {
		return err
	}
	show, err := a.shows(r, who, s)
	if err != nil {
		return err
	}
	of := j.ID
	watch := a.Dispatch.Watch(of)
	defer func() { watch.Close() }()
	out := newStream(w)
	out.next, out.show = from, show
	told := time.Now()
	for {
		events, changed, ended := out.look(watch)
		if j.Withheld() && !jury(who) {
			events = nil
			if ended {
				changed = nil // the closed channel would reveal when a judge verifies
			}
		}
		if err := out.events(events); err != nil {
			return nil // the client is gone
		}
		if ended || len(events) == 0 {
			if end, j, err = a.judged(r, who, s); err != nil {
				a.Log.Error("read a judgement", "submission", s.ID, "error", err)
				return nil // the client reconnects
			}
		}
		if !j.Ended.IsZero() && !(j.Withheld() && !jury(who)) {
			return a.finish(out, end, j)
		}
		if j.ID != of { // the submission is rejudged before a verdict becomes current
			watch.Close()
			of, watch = j.ID, a.Dispatch.Watch(j.ID)
			continue
		}
		if len(events) > 0 {
			told = time.Now()
			continue
		}
		if time.Since(told) > a.keepAlive {
			told = time.Now()
			if out.line(client.Line{}) != nil {
				return nil
			}
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-changed:
		case <-time.After(min(askAgain, a.keepAlive)):
		}
	}
}

// finish sends the events of the result that the stream has not sent yet, followed by the end line.
func (a *api) finish(out *stream, end *client.Submission, j *store.Judgement) error {
	if j.Events != "" {
		events, err := a.Events(j)
		if err != nil {
			a.Log.Error("read the events of a judgement", "judgement", j.ID, "error", err)
			end.Reason = "the server has lost the details of this judging"
		}
		events = judge.Redact(events, out.show)
		for _, e := range events[min(out.next, len(events)):] {
			line, err := judge.EncodeEvent(e)
			if err == nil {
				err = out.events([][]byte{line})
			}
			if err != nil {
				return nil
			}
		}
	}
	_ = out.line(client.Line{End: end}) // the client may be gone
	return nil
}

// A stream writes lines and flushes each one.
type stream struct {
	w    http.ResponseWriter
	c    *http.ResponseController
	next int // index of the next visible event
	show judge.Show
}

// look returns the events that the caller may see and that have not been sent yet.
func (s *stream) look(watch *dispatch.Watch) (events [][]byte, changed <-chan struct{}, ended bool) {
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

func newStream(w http.ResponseWriter) *stream {
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	s := &stream{w: w, c: http.NewResponseController(w)}
	_ = s.c.Flush() // so that the client sees the response; if it is gone, the first line fails
	return s
}

// line writes a line: a client.Line or a client.FlowLine.
func (s *stream) line(l any) error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_ = s.c.SetWriteDeadline(time.Now().Add(writeWithin)) // a test's recorder does not support it
	if _, err := s.w.Write(append(data, '\n')); err != nil {
		return err
	}
	return s.c.Flush()
}

func (s *stream) events(events [][]byte) error {
	for _, e := range events {
		if err := s.line(client.Line{Event: e}); err != nil {
			return err
		}
		s.next++
	}
	return nil
}
