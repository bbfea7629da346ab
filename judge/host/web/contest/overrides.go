package contest

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// overridesView holds the verdict overrides of a submission, and the form for another one.
type overridesView struct {
	MayDecide bool // the reader may override the verdict
	Verdicts  []judge.Verdict
	Ignored   bool
	Override  judge.Verdict    // the current override; empty if there is none
	Overrides []store.Override // newest first
	Why       string           // the reason as entered
	Errors    web.FieldErrors
}

// Form values in addition to verdicts.
const (
	judgedValue  = "judged"
	ignoredValue = "ignored"
)

// maxReason is the maximum number of bytes in a reason.
const maxReason = 500

// overrideVerdicts returns the verdicts that the jury may choose. It returns none if the contest format uses points.
func overrideVerdicts(f store.Format) []judge.Verdict {
	if f == store.IOI {
		return nil
	}
	return slices.DeleteFunc(judge.Verdicts(), func(v judge.Verdict) bool { return v == judge.JudgeError || v == judge.Skipped })
}

func (s *site) readOverrides(r *web.Request) (v overridesView, err error) {
	v = overridesView{
		MayDecide: r.Can(auth.OverrideVerdict), Verdicts: overrideVerdicts(access.Of(r).Contest.Format),
		Ignored: access.Of(r).Submission.Ignored,
	}
	if access.Of(r).Submission.Overridden {
		v.Override = access.Of(r).Submission.Verdict
	}
	v.Overrides, err = s.Store.Overrides(r.Context(), access.Of(r).Submission.ID)
	return v, err
}

// overrideVerdict stores a decision of the jury: the verdict of the judgement counts, the submission is excluded from the
// scoreboard, or another verdict counts.
func (s *site) overrideVerdict(w http.ResponseWriter, r *web.Request) error {
	do, m := r.PostFormValue("do"), store.Override{Why: r.Field("why")}
	switch {
	case do == judgedValue:
	case do == ignoredValue:
		m.Ignored = true
	case slices.Contains(overrideVerdicts(access.Of(r).Contest.Format), judge.Verdict(do)):
		m.Verdict = judge.Verdict(do)
	default:
		return web.BadRequest("unknown action: reload the page and try again")
	}
	seenCount, err := strconv.Atoi(cmp.Or(r.PostFormValue("was"), "-1"))
	if err != nil {
		return web.BadRequest("unknown action: reload the page and try again")
	}
	if m.Why == "" || len(m.Why) > maxReason {
		var fieldErrors web.FieldErrors
		fieldErrors.Add("why", "enter a reason of at most %d bytes", maxReason)
		return s.submissionPage(w, r, http.StatusBadRequest, fieldErrors)
	}
	switch err := s.Store.AddOverride(r.Context(), access.Of(r).Submission.ID, r.Me.ID, m, seenCount); {
	case errors.Is(err, store.ErrResultsFinal):
		return &intake.Refusal{
			Code: http.StatusConflict,
			Text: "the results of " + access.Of(r).Contest.Name + " are final: reopen them first",
		}
	case errors.Is(err, store.ErrChanged):
		return s.submissionPage(w, r, http.StatusConflict,
			web.FieldErrors{{Text: "another judge overrode the verdict after this page was loaded: read that override below, " +
				"or save yours again to replace it"}})
	case err != nil:
		return err
	}
	return s.AuditAndRedirect(w, r, "decide on submission", access.Of(r).Submission.ID,
		fmt.Sprintf("%s %d: %s, %s", access.Of(r).Contest.Slug, access.Of(r).Submission.Number, do, m.Why),
		fmt.Sprintf("/c/%s/s/%d", access.Of(r).Contest.Slug, access.Of(r).Submission.Number))
}
