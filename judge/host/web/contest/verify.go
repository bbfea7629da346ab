package contest

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// verifyView holds the judges' decisions about the verdict of a submission, and the form to verify it.
type verifyView struct {
	Judgement string // id of the current judgement
	Pending   bool   // a judge must still verify the verdict
	Withheld  bool   // contestants see the verdict only after verification
	MayDecide bool   // the reader may verify the verdict or undo a verification
	All       []store.Verification
}

// verification returns the judges' decisions about a submission's verdict. It returns nil, nil if the verdict
// needs no verification and was never verified.
func (s *site) verification(r *web.Request, j *store.Judgement) (*verifyView, error) {
	sub := access.Of(r).Submission
	verifications, err := s.Store.Verifications(r.Context(), sub.ID)
	if err != nil || sub.Verify == "" && len(verifications) == 0 {
		return nil, err
	}
	return &verifyView{
		Judgement: j.ID, Pending: sub.Verify.Pending(), Withheld: sub.Verify == store.Unverified, All: verifications,
		MayDecide: sub.Verify != "" && r.Can(auth.OverrideVerdict) && access.Of(r).Contest.Finalized.IsZero() &&
			(sub.Verify.Pending() || j.VerifiedAfterRelease()),
	}, nil
}

// verify records that the reader has verified a submission's verdict, or undoes the verification.
func (s *site) verify(w http.ResponseWriter, r *web.Request) error {
	a := access.Of(r)
	do, note := r.PostFormValue("do"), r.Field("note")
	switch {
	case do != "verify" && do != "unverify":
		return web.BadRequest("unknown action: reload the page and try again")
	case len(note) > maxReason:
		return web.BadRequest("the note has %d bytes: at most %d are possible", len(note), maxReason)
	}
	v := store.Verification{OK: do == "verify", Note: note, Judgement: r.PostFormValue("judgement")}
	err := s.Store.Verify(r.Context(), a.Submission.ID, r.Me.ID, v)
	refuse := func(text, hint string) error {
		return &intake.Refusal{Code: http.StatusConflict, Text: text, Hint: hint}
	}
	switch {
	case errors.Is(err, store.ErrResultsFinal):
		return refuse("the results of "+a.Contest.Name+" are final", "reopen them first, under Final results")
	case errors.Is(err, store.ErrChanged):
		return refuse("the submission has another judgement now", "load the page again and look at its verdict, then verify it")
	case errors.Is(err, store.ErrVerdictPublic):
		return refuse("the team may have seen this verdict", "rejudge the submission, or override its verdict")
	case errors.Is(err, store.ErrNotReady):
		return refuse("there is no verdict to verify", "judges verify verdicts of problems for which the overview of the contest says so")
	case err != nil:
		return err
	}
	action := map[bool]string{true: "verify a verdict", false: "undo a verification"}[v.OK]
	detail := strings.TrimSuffix(fmt.Sprintf("%s %d: %s", a.Contest.Slug, a.Submission.Number, note), ": ")
	return s.AuditAndRedirect(w, r, action, a.Submission.ID, detail, fmt.Sprintf("/c/%s/s/%d", a.Contest.Slug, a.Submission.Number))
}
