package contest

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"assay/judge/host/auth"
	"assay/judge/host/desk"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// verifyView holds the judges' decisions about the verdict of a submission, and the form to verify it.
type verifyView struct {
	Judgement string // id of the current judgement
	Open      bool   // a judge must still verify the verdict
	Waits     bool   // contestants see the verdict only after verification
	Decides   bool   // the reader may verify the verdict or undo a verification
	All       []store.Verification
}

// verification returns the judges' decisions about a submission's verdict. It returns nil, nil if the verdict
// needs no verification and was never verified.
func (s *site) verification(r *web.Request, j *store.Judgement) (*verifyView, error) {
	sub := access.Of(r).Submission
	all, err := s.Store.Verifications(r.Context(), sub.ID)
	if err != nil || sub.Verify == "" && len(all) == 0 {
		return nil, err
	}
	return &verifyView{
		Judgement: j.ID, Open: sub.Verify.Open(), Waits: sub.Verify == store.Unverified, All: all,
		Decides: sub.Verify != "" && r.Can(auth.Decide) && access.Of(r).Contest.Finalized.IsZero() && (sub.Verify.Open() || j.After()),
	}, nil
}

// verify records that the reader has verified a submission's verdict, or undoes the verification.
func (s *site) verify(w http.ResponseWriter, r *web.Request) error {
	a := access.Of(r)
	do, note := r.PostFormValue("do"), r.Field("note")
	switch {
	case do != "verify" && do != "unverify":
		return web.BadRequest("unknown action: reload the page and try again")
	case len(note) > mostWhy:
		return web.BadRequest("the note has %d bytes: at most %d are possible", len(note), mostWhy)
	}
	v := store.Verification{OK: do == "verify", Note: note, Judgement: r.PostFormValue("judgement")}
	err := s.Store.Verify(r.Context(), a.Submission.ID, r.Me.ID, v)
	refuse := func(text, hint string) error {
		return &desk.Refusal{Code: http.StatusConflict, Text: text, Hint: hint}
	}
	switch {
	case errors.Is(err, store.ErrFinal):
		return refuse("the results of "+a.Contest.Name+" are final", "reopen them first, under Final results")
	case errors.Is(err, store.ErrChanged):
		return refuse("the submission has another judgement now", "load the page again and look at its verdict, then verify it")
	case errors.Is(err, store.ErrSeen):
		return refuse("the team may have seen this verdict", "rejudge the submission, or override its verdict")
	case errors.Is(err, store.ErrNotReady):
		return refuse("there is no verdict to verify", "judges verify verdicts of problems for which the overview of the contest says so")
	case err != nil:
		return err
	}
	action := map[bool]string{true: "verify a verdict", false: "undo a verification"}[v.OK]
	detail := strings.TrimSuffix(fmt.Sprintf("%s %d: %s", a.Contest.Slug, a.Submission.Number, note), ": ")
	return s.Done(w, r, action, a.Submission.ID, detail, fmt.Sprintf("/c/%s/s/%d", a.Contest.Slug, a.Submission.Number))
}
