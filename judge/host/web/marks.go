package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/desk"
	"assay/judge/host/store"
)

// markView is what the staff decided about a submission, and what it may decide.
type markView struct {
	Decides  bool // the reader may
	Verdicts []judge.Verdict
	Ignored  bool
	Given    judge.Verdict // "" for that of the judging
	Marks    []store.Mark  // the last first
	Why      string        // as it was typed
	Wrong    string
}

// Any says whether there is anything to show.
func (v markView) Any() bool { return v.Decides || len(v.Marks) > 0 }

// What a form says of a submission besides a verdict.
const (
	asJudged = "judged"
	ignored  = "ignored"
)

// mostWhy is the most bytes of a reason.
const mostWhy = 500

// givable are the verdicts that the staff may give: none where points count, and not verdicts.
func givable(f store.Format) []judge.Verdict {
	if f == store.IOI {
		return nil
	}
	return slices.DeleteFunc(judge.Verdicts(), func(v judge.Verdict) bool { return v == judge.JudgeError || v == judge.Skipped })
}

func (s *site) marks(r *ask) (v markView, err error) {
	v = markView{Decides: r.can(auth.Decide), Verdicts: givable(r.seat.Contest.Format), Ignored: r.sent.Ignored}
	if r.sent.Given {
		v.Given = r.sent.Verdict
	}
	v.Marks, err = s.Store.Marks(r.Context(), r.sent.ID)
	return v, err
}

// mark takes a decision about a submission: that it counts as it was judged, not at all, or
// with another verdict.
func (s *site) mark(w http.ResponseWriter, r *ask) error {
	if err := form(w, r, small); err != nil {
		return err
	}
	do, m := r.PostFormValue("do"), store.Mark{Why: strings.TrimSpace(r.PostFormValue("why"))}
	switch {
	case do == asJudged:
	case do == ignored:
		m.Ignored = true
	case slices.Contains(givable(r.seat.Contest.Format), judge.Verdict(do)):
		m.Verdict = judge.Verdict(do)
	default:
		return bad("the form asks for nothing that is known here")
	}
	seen, err := strconv.Atoi(cmp.Or(r.PostFormValue("was"), "-1"))
	if err != nil {
		return bad("the form asks for nothing that is known here")
	}
	if m.Why == "" || len(m.Why) > mostWhy {
		return s.judgingPage(w, r, http.StatusBadRequest, fmt.Sprintf("a decision needs a reason, of at most %d bytes: people will ask for it later", mostWhy))
	}
	switch err := s.Store.Mark(r.Context(), r.sent.ID, r.me.ID, m, seen); {
	case errors.Is(err, store.ErrFinal):
		return &desk.Refusal{Code: http.StatusConflict, Text: "the results of " + r.seat.Contest.Name + " are final: nothing of it changes any more"}
	case errors.Is(err, store.ErrChanged):
		return s.judgingPage(w, r, http.StatusConflict, "somebody else decided about it since this page was loaded: what they decided stands below, and holds unless you decide again")
	case err != nil:
		return err
	}
	if err := s.audit(r.Context(), r, "decide on submission", r.sent.ID, fmt.Sprintf("%s %d: %s, %s", r.seat.Contest.Slug, r.sent.Number, do, m.Why)); err != nil {
		return err
	}
	return go303(w, r, fmt.Sprintf("/c/%s/s/%d", r.seat.Contest.Slug, r.sent.Number))
}
