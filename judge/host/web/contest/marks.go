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
	"assay/judge/host/desk"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// markView holds the verdict overrides of a submission, and the form for another one.
type markView struct {
	Decides  bool // the reader may override the verdict
	Verdicts []judge.Verdict
	Ignored  bool
	Given    judge.Verdict // the current override; empty if there is none
	Marks    []store.Mark  // newest first
	Why      string        // the reason as entered
	Errors   web.FieldErrors
}

// Form values in addition to verdicts.
const (
	asJudged = "judged"
	ignored  = "ignored"
)

// mostWhy is the maximum number of bytes in a reason.
const mostWhy = 500

// givable returns the verdicts that the jury may choose. It returns none if the contest format uses points.
func givable(f store.Format) []judge.Verdict {
	if f == store.IOI {
		return nil
	}
	return slices.DeleteFunc(judge.Verdicts(), func(v judge.Verdict) bool { return v == judge.JudgeError || v == judge.Skipped })
}

func (s *site) marks(r *web.Request) (v markView, err error) {
	v = markView{Decides: r.Can(auth.Decide), Verdicts: givable(access.Of(r).Contest.Format), Ignored: access.Of(r).Submission.Ignored}
	if access.Of(r).Submission.Given {
		v.Given = access.Of(r).Submission.Verdict
	}
	v.Marks, err = s.Store.Marks(r.Context(), access.Of(r).Submission.ID)
	return v, err
}

// mark stores a decision of the jury: the verdict of the judgement counts, the submission is excluded from the
// scoreboard, or another verdict counts.
func (s *site) mark(w http.ResponseWriter, r *web.Request) error {
	do, m := r.PostFormValue("do"), store.Mark{Why: r.Field("why")}
	switch {
	case do == asJudged:
	case do == ignored:
		m.Ignored = true
	case slices.Contains(givable(access.Of(r).Contest.Format), judge.Verdict(do)):
		m.Verdict = judge.Verdict(do)
	default:
		return web.BadRequest("unknown action: reload the page and try again")
	}
	seen, err := strconv.Atoi(cmp.Or(r.PostFormValue("was"), "-1"))
	if err != nil {
		return web.BadRequest("unknown action: reload the page and try again")
	}
	if m.Why == "" || len(m.Why) > mostWhy {
		var wrong web.FieldErrors
		wrong.Add("why", "enter a reason of at most %d bytes", mostWhy)
		return s.judgingPage(w, r, http.StatusBadRequest, wrong)
	}
	switch err := s.Store.Mark(r.Context(), access.Of(r).Submission.ID, r.Me.ID, m, seen); {
	case errors.Is(err, store.ErrFinal):
		return &desk.Refusal{Code: http.StatusConflict, Text: "the results of " + access.Of(r).Contest.Name + " are final: reopen them first"}
	case errors.Is(err, store.ErrChanged):
		return s.judgingPage(w, r, http.StatusConflict,
			web.FieldErrors{{Text: "another judge overrode the verdict after this page was loaded: read that override below, " +
				"or save yours again to replace it"}})
	case err != nil:
		return err
	}
	return s.Done(w, r, "decide on submission", access.Of(r).Submission.ID,
		fmt.Sprintf("%s %d: %s, %s", access.Of(r).Contest.Slug, access.Of(r).Submission.Number, do, m.Why),
		fmt.Sprintf("/c/%s/s/%d", access.Of(r).Contest.Slug, access.Of(r).Submission.Number))
}
