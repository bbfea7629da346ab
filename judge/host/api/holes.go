package api

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/desk"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// holeSeat returns the caller's access to the hole in the path.
func (a *api) holeSeat(r *http.Request, who *caller) (*desk.HoleSeat, error) {
	slug := r.PathValue("hole")
	h, err := a.Store.Hole(r.Context(), slug)
	var t *desk.HoleSeat
	if err == nil {
		if t, err = a.HoleSeat(r.Context(), h, who.account); err == nil && !t.Can(auth.SeeHole) {
			err = store.ErrNotFound
		}
	}
	if errors.Is(err, store.ErrNotFound) {
		return nil, &status{http.StatusNotFound, fmt.Sprintf("the server has no hole %.80q", slug), "its first page lists them"}
	}
	return t, err
}

// postAnswer stores a golf submission. The submission is in the database before the response is sent.
func (a *api) postAnswer(w http.ResponseWriter, r *http.Request, who *caller) error {
	t, err := a.holeSeat(r, who)
	if err != nil {
		return err
	}
	var n client.NewAnswer
	if err := read(r, &n); err != nil {
		return err
	}
	kept, err := a.TakeAnswer(r.Context(), desk.NewAnswer{
		HoleSeat: t, Key: n.Key, Name: n.Name, File: job.File{Size: n.Size, Digest: n.Digest}, How: n.How,
	})
	if err != nil {
		return err
	}
	return a.tellAnswer(w, r, t.Hole, kept)
}

// getAnswer responds with a golf submission that the caller may see. All others are reported as not found.
func (a *api) getAnswer(w http.ResponseWriter, r *http.Request, who *caller) error {
	t, err := a.holeSeat(r, who)
	if err != nil {
		return err
	}
	number, err := strconv.ParseInt(r.PathValue("number"), 10, 64)
	if err != nil {
		number = 0 // no submission has number 0
	}
	kept, err := a.Store.Answer(r.Context(), t.Hole.ID, number)
	if errors.Is(err, store.ErrNotFound) || err == nil && !t.Look(kept).Can(auth.SeeAnswer) {
		return &status{http.StatusNotFound, "there is no such answer", ""}
	}
	if err != nil {
		return err
	}
	return a.tellAnswer(w, r, t.Hole, kept)
}

func (a *api) tellAnswer(w http.ResponseWriter, r *http.Request, h *store.Hole, kept *store.Answer) error {
	told := client.Answer{
		Hole: h.Slug, Number: kept.Number, State: string(kept.State), Flow: kept.Flow, Verdict: kept.Verdict, Why: kept.Why,
		Language: kept.Name, Bytes: kept.Bytes, Chars: kept.Chars,
		Page: fmt.Sprintf("%s/hole/%s/s/%d", a.URL.URL, h.Slug, kept.Number),
	}
	if kept.State == store.Standing {
		var err error
		if told.Places, err = a.Places(r.Context(), h, kept); err != nil {
			return err
		}
	}
	return ok(w, told)
}
