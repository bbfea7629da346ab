package api

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/intake"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// holeAccess returns the caller's access to the hole in the path.
func (a *api) holeAccess(r *http.Request, caller *caller) (*intake.HoleAccess, error) {
	slug := r.PathValue("hole")
	h, err := a.Store.Hole(r.Context(), slug)
	var t *intake.HoleAccess
	if err == nil {
		if t, err = a.HoleAccess(r.Context(), h, caller.account); err == nil && !t.Can(auth.SeeHole) {
			err = store.ErrNotFound
		}
	}
	if errors.Is(err, store.ErrNotFound) {
		return nil, &status{http.StatusNotFound, fmt.Sprintf("the server has no hole %.80q", slug), "its first page lists them"}
	}
	return t, err
}

// postGolfSubmission stores a golf submission. The submission is in the database before the response is sent.
func (a *api) postGolfSubmission(w http.ResponseWriter, r *http.Request, caller *caller) error {
	t, err := a.holeAccess(r, caller)
	if err != nil {
		return err
	}
	var n client.NewGolfSubmission
	if err := readJSON(r, &n); err != nil {
		return err
	}
	stored, err := a.SubmitGolf(r.Context(), intake.NewGolfSubmission{
		HoleAccess: t, Key: n.Key, Name: n.Name, File: job.File{Size: n.Size, Digest: n.Digest}, Options: n.Options,
	})
	if err != nil {
		return err
	}
	return a.writeGolfSubmission(w, r, t.Hole, stored)
}

// getGolfSubmission responds with a golf submission that the caller may see. All others are reported as not found.
func (a *api) getGolfSubmission(w http.ResponseWriter, r *http.Request, caller *caller) error {
	t, err := a.holeAccess(r, caller)
	if err != nil {
		return err
	}
	number, err := strconv.ParseInt(r.PathValue("number"), 10, 64)
	if err != nil {
		number = 0 // no submission has number 0
	}
	stored, err := a.Store.GolfSubmission(r.Context(), t.Hole.ID, number)
	if errors.Is(err, store.ErrNotFound) || err == nil && !t.ForSubmission(stored).Can(auth.SeeGolfSubmission) {
		return &status{http.StatusNotFound, "there is no such answer", ""}
	}
	if err != nil {
		return err
	}
	return a.writeGolfSubmission(w, r, t.Hole, stored)
}

func (a *api) writeGolfSubmission(w http.ResponseWriter, r *http.Request, h *store.Hole, stored *store.GolfSubmission) error {
	shown := client.GolfSubmission{
		Hole: h.Slug, Number: stored.Number, State: string(stored.State), Workflow: stored.Workflow, Verdict: stored.Verdict,
		Reason:   stored.Why,
		Language: stored.Name, Bytes: stored.Bytes, Chars: stored.Chars,
		Page: fmt.Sprintf("%s/hole/%s/s/%d", a.URL.URL, h.Slug, stored.Number),
	}
	if stored.State == store.GolfValid {
		var err error
		if shown.Ranks, err = a.GolfRank(r.Context(), h, stored); err != nil {
			return err
		}
	}
	return writeOK(w, shown)
}
