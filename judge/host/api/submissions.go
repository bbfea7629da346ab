package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// submit keeps a submission. When the answer leaves, it is in the database, and nothing
// that happens later loses it.
func (a *api) submit(w http.ResponseWriter, r *http.Request, who *caller) error {
	var n client.NewSubmission
	if err := read(w, r, &n); err != nil {
		return err
	}
	if err := errors.Join(a.room(roomForSubmissions), a.bounded(&n)); err != nil {
		return err
	}
	for _, f := range n.Files {
		if !a.Blobs.Has(f.Digest, f.Size) {
			return &status{http.StatusConflict, fmt.Sprintf("the server lacks the bytes of %.200q", f.Path), "send them first"}
		}
	}
	p, err := a.Store.Problem(r.Context(), n.Problem)
	if errors.Is(err, store.ErrNotFound) {
		return a.noProblem(r, n.Problem)
	}
	if err != nil {
		return err
	}
	cost, err := a.Store.Cost(r.Context(), p.Slug)
	if err != nil {
		return err
	}
	work := job.Work{
		Kind: job.Submission, Bundle: p.Bundle, Config: p.Config, Problem: p.Slug, Files: n.Files, Folder: n.Folder,
		Program: n.Program, Language: n.Language, All: n.All,
	}
	if err := work.Check(); err != nil {
		return &status{http.StatusBadRequest, err.Error(), ""}
	}
	a.at(false)
	kept, err := a.Store.Submit(r.Context(), store.NewSubmission{
		Key: n.Key, Account: who.account.ID, Problem: p.Slug, Work: work, Lane: job.Practice, Class: a.Class, Cost: cost,
	})
	if err != nil {
		return err
	}
	a.at(true)
	a.Dispatch.Poke()
	return ok(w, client.Submission{
		ID: kept.ID, Number: kept.Number, Problem: p.Slug, Program: n.Program, Login: who.account.Login, Received: kept.Received, State: string(store.Waiting),
	})
}

func (a *api) at(kept bool) {
	if a.At != nil {
		a.At(kept)
	}
}

// bounded refuses a submission that is too large.
func (a *api) bounded(n *client.NewSubmission) error {
	if err := job.CheckFiles(n.Files, n.Folder); err != nil {
		return &status{http.StatusBadRequest, err.Error(), ""}
	}
	var size int64
	for _, f := range n.Files {
		size += f.Size
	}
	if size > a.MaxSize || len(n.Files) > a.MaxFiles {
		return &status{http.StatusRequestEntityTooLarge, fmt.Sprintf("the submission has %d bytes in %d files; the most is %d bytes in %d files", size, len(n.Files), a.MaxSize, a.MaxFiles), ""}
	}
	return nil
}

// noProblem refuses the name of a problem that is not there, and says which are.
func (a *api) noProblem(r *http.Request, name string) error {
	rows, err := a.Store.Problems(r.Context())
	if err != nil {
		return err
	}
	s := &status{http.StatusNotFound, fmt.Sprintf("the server has no problem %.80q", name), "it has none at all yet: judge publish PROBLEM --to URL"}
	if len(rows) > 0 {
		s.hint = "see: judge list --on URL"
	}
	return s
}

// mine reads a submission that who asks may see: anything else is not there.
func (a *api) mine(r *http.Request, who *caller) (*store.Submission, error) {
	s, err := a.Store.Submission(r.Context(), r.PathValue("id"))
	if errors.Is(err, store.ErrNotFound) || err == nil && s.Account != who.account.ID && !who.may(client.Admin) {
		return nil, &status{http.StatusNotFound, "there is no such submission", ""}
	}
	return s, err
}

// shown is a submission as it is told.
func shown(s *store.Submission) client.Submission {
	return client.Submission{
		ID: s.ID, Number: s.Number, Problem: s.Problem, Program: s.Program, Login: s.Login, Received: s.Received, State: string(s.State),
		Verdict: s.Verdict, Score: s.Score,
	}
}

func (a *api) submission(w http.ResponseWriter, r *http.Request, who *caller) error {
	s, err := a.mine(r, who)
	if err != nil {
		return err
	}
	end, _, err := a.judged(r, s)
	if err != nil {
		return err
	}
	return ok(w, end)
}

// judged is a submission with what is known of its judging.
func (a *api) judged(r *http.Request, s *store.Submission) (*client.Submission, *store.Judgement, error) {
	j, err := a.Store.Judgement(r.Context(), s.ID)
	if err != nil {
		return nil, nil, err
	}
	end := shown(s)
	end.State, end.Verdict, end.Score = string(j.State), j.Verdict, j.Score
	end.Reason, end.Worker, end.Machine = j.Reason, j.Worker, j.Machine
	return &end, j, nil
}

// submissions lists the latest submissions: one's own, or all for who may see them.
func (a *api) submissions(w http.ResponseWriter, r *http.Request, who *caller) error {
	f := store.Filter{Account: who.account.ID, Problem: r.FormValue("problem"), Limit: 100}
	if who.may(client.Admin) {
		f.Account = ""
	}
	if text := r.FormValue("before"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 {
			return &status{http.StatusBadRequest, fmt.Sprintf("before=%.40q is not the number of a submission", text), ""}
		}
		f.Before = n
	}
	rows, err := a.Store.Submissions(r.Context(), f)
	if err != nil {
		return err
	}
	all := []client.Submission{}
	for _, s := range rows {
		all = append(all, shown(s))
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
	done, err := a.Dispatch.Cancel(r.Context(), j.ID)
	if err != nil {
		return err
	}
	if !done && j.State == store.Cancelled { // the answer got lost
		return ok(w, struct{}{})
	}
	if !done {
		return &status{http.StatusConflict, "the submission is judged already", ""}
	}
	return a.done(w, r, who, "cancel", s.ID, "", struct{}{})
}

// The times of a stream of events.
const (
	keepAlive   = 15 * time.Second
	writeWithin = 20 * time.Second
	askAgain    = 2 * time.Second // for the end of a judging, which another server may have seen
)

// events streams a judging: what is known of it, what happens to it, and at last what the
// result says, from the index that is asked for.
func (a *api) events(w http.ResponseWriter, r *http.Request, who *caller) error {
	s, err := a.mine(r, who)
	if err != nil {
		return err
	}
	from, err := strconv.Atoi(r.FormValue("from"))
	if err != nil || from < 0 {
		from = 0
	}
	end, j, err := a.judged(r, s)
	if err != nil {
		return err
	}
	watch := a.Dispatch.Watch(j.ID)
	defer watch.Close()
	out := &stream{w: w, c: http.NewResponseController(w), next: from}
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	told := time.Now()
	for {
		events, changed, ended := watch.Next(out.next)
		if err := out.events(events); err != nil {
			return nil // nobody listens
		}
		if ended || len(events) == 0 {
			if end, j, err = a.judged(r, s); err != nil {
				a.Log.Error("read a judgement", "submission", s.ID, "error", err)
				return nil // who listens asks again
			}
		}
		if !j.Ended.IsZero() {
			return a.finish(out, end, j)
		}
		if len(events) > 0 {
			told = time.Now()
			continue
		}
		if time.Since(told) > keepAlive {
			told = time.Now()
			if out.line(client.Line{}) != nil {
				return nil
			}
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-changed:
		case <-time.After(askAgain):
		}
	}
}

// finish tells the events of the result that were not told before, and the end.
func (a *api) finish(out *stream, end *client.Submission, j *store.Judgement) error {
	if j.Events != "" {
		data, err := a.Blobs.Read(j.Events, job.MaxEvents)
		var events []judge.Event
		if err == nil {
			events, err = job.Unpack(data)
		}
		if err != nil {
			a.Log.Error("read the events of a judgement", "judgement", j.ID, "error", err)
			end.Reason = "the server has lost the details of this judging"
		}
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
	_ = out.line(client.Line{End: end}) // to one who may be gone
	return nil
}

// stream writes lines that are seen at once.
type stream struct {
	w    http.ResponseWriter
	c    *http.ResponseController
	next int // index of the next event
}

func (s *stream) line(l client.Line) error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_ = s.c.SetWriteDeadline(time.Now().Add(writeWithin)) // in tests there is none
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
