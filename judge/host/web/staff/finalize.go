package staff

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/host/scoreboard"
	"assay/judge/host/shadow"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// finalizeView is the page of the final results, with the required checks.
type finalizeView struct {
	Slug            string
	Finalized       time.Time // zero if the results are not final
	By              string
	B               string // number of additional bronze medals, as entered
	UpdatesEnded    bool   // the Contest API has announced the end of updates
	Thaw            bool   // the scoreboard can be unfrozen now
	WouldEndUpdates bool   // finalizing would end the updates of the Contest API
	Checks          []checkLine
	Ready           bool
	Errors          web.FieldErrors
	Awards          awardsView
}

// RequiredCount returns the number of checks that must pass.
func (v finalizeView) RequiredCount() (n int) {
	for _, c := range v.Checks {
		if !c.Note {
			n++
		}
	}
	return n
}

// FailedCount returns the number of required checks that fail.
func (v finalizeView) FailedCount() (n int) {
	for _, c := range v.Checks {
		if !c.Note && !c.Good {
			n++
		}
	}
	return n
}

// A checkLine is a check or a note. A note need not pass.
type checkLine struct {
	Good, Note   bool
	InOverview   bool // also listed in the overview under needs attention
	Text, Detail string
	Link, Button string // page with the remedy, relative to the contest, and button text
}

// maxBronze is the maximum number of additional bronze medals.
const maxBronze = 100

// runChecks runs the checks that must pass before the results become final.
func (s *site) runChecks(r *web.Request) (v finalizeView, err error) {
	c, now := access.Of(r).Contest, s.Time()
	v = finalizeView{Slug: c.Slug, Finalized: c.Finalized, By: c.FinalBy, UpdatesEnded: c.UpdatesEnded(now)}
	if c.FinalB > 0 {
		v.B = fmt.Sprint(c.FinalB)
	}
	compared, err := s.compareWithPrimary(r)
	if err != nil {
		return v, err
	}
	u, err := s.Store.FinalizeBlockers(r.Context(), c, compared)
	if err != nil {
		return v, err
	}
	v.Ready, v.WouldEndUpdates = !u.Any(), c.Freeze == 0 || !c.Thaw.IsZero() && !now.Before(c.Thaw)
	v.Checks = checkLines(c, u, compared, now)
	if clock := scoreboard.Contest(c, nil); clock.Frozen(now) {
		v.Thaw = u.Ended
		v.Checks = append(v.Checks, checkLine{
			Note: true, Text: "The public scoreboard is still frozen",
			Detail: "You can unfreeze it before or after you finalize the results.",
		})
	}
	v.Awards, err = s.readAwards(r)
	return v, err
}

// compareWithPrimary compares the contest with its primary. It returns nil, nil if the contest follows none.
func (s *site) compareWithPrimary(r *web.Request) (*store.Comparison, error) {
	report, err := shadow.NewReport(r.Context(), s.Store, s.feeds, access.Of(r).Contest.ID, s.Time())
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return report.Comparison(), nil
}

// checkLines returns the checks. Failed ones come first.
func checkLines(c *store.Contest, u *store.FinalizeBlockers, compared *store.Comparison, now time.Time) []checkLine {
	var good, failed []checkLine
	check := func(bad bool, passed string, line checkLine) {
		if bad {
			failed = append(failed, line)
			return
		}
		good = append(good, checkLine{Good: true, Text: passed})
	}
	end := checkLine{Text: "The contest has not ended", Link: "/edit", Button: "Open settings"}
	if !c.Ends().IsZero() && !now.Before(c.Ends()) {
		end = checkLine{
			Text: "The contest has not ended for every team", Link: "/teams?sort=extra", Button: "Open teams",
			Detail: fmt.Sprintf(
				"The last team, with %s of extra time, ends at %s.",
				web.CountText(int(u.Extra.Minutes()), "minute", "minutes"), u.End.Local().Format("15:04:05"),
			),
		}
	}
	check(!u.Ended, "The contest has ended for every team", end)
	list := func(numbers []int64, verdict string) (link, detail string) {
		const most = 5
		var some []string
		for _, n := range numbers[:min(len(numbers), most)] {
			some = append(some, fmt.Sprintf("#%d", n))
		}
		if detail = strings.Join(some, ", "); len(numbers) > most {
			detail += " …"
		}
		if len(numbers) == 1 {
			return fmt.Sprintf("/s/%d", numbers[0]), detail
		}
		return "/submissions?verdict=" + verdict, detail
	}
	link, detail := list(u.Pending, store.Unjudged)
	check(len(u.Pending) > 0, "Every submission has a verdict", checkLine{
		Text: web.CountText(
			len(u.Pending), "submission has", "submissions have",
		) + " no verdict", Detail: detail, Link: link, Button: "Open submissions",
	})
	link, detail = list(u.JudgeErrors, string(judge.JudgeError))
	check(len(u.JudgeErrors) > 0, "No submission has a judge error", checkLine{
		Text: web.CountText(
			len(u.JudgeErrors), "submission has", "submissions have",
		) + " a judge error", InOverview: true, Detail: detail, Link: link, Button: "Open submissions",
	})
	if u.All > 0 {
		check(u.Verified < u.All, fmt.Sprintf("All verdicts that judges verify are verified (%d of %d)", u.Verified, u.All), checkLine{
			Text: web.CountText(
				u.All-u.Verified, "verdict is", "verdicts are",
			) + " not verified", InOverview: true, Detail: fmt.Sprintf("Verified: %d of %d.", u.Verified, u.All),
			Link: "/submissions?verify=" + store.VerifyPending, Button: "Verify verdicts",
		})
	}
	check(u.Rejudgings > 0, "No rejudging is open", checkLine{
		Text: web.CountText(
			u.Rejudgings, "rejudging is", "rejudgings are",
		) + " open", InOverview: true, Detail: "Apply or cancel each of them.", Link: "/rejudgings", Button: "Open rejudgings",
	})
	check(u.OpenQuestions > 0, "All clarification requests are answered", checkLine{
		Text: web.CountText(
			u.OpenQuestions, "clarification request is", "clarification requests are",
		) + " unanswered", InOverview: true, Link: "/clar?open=yes", Button: "Open clarifications",
	})
	if compared != nil {
		passed := "Nothing differs from the primary"
		if n := len(compared.Differences); n > 0 {
			passed = web.CountText(n, "difference", "differences") + " from the primary acknowledged"
		}
		n := len(u.Differences)
		check(n > 0, passed, checkLine{
			Text: web.CountText(
				n, "difference", "differences",
			) + " from the primary not acknowledged", Detail: "Resolve or acknowledge each of them.",
			Link: "/shadow#acknowledge", Button: "Compare with the primary",
		})
	}
	return append(failed, good...)
}

func (s *site) finalize(w http.ResponseWriter, r *web.Request) error {
	v, err := s.runChecks(r)
	if err != nil {
		return err
	}
	return s.RenderPage(w, r, http.StatusOK, "finalize", "Final results", v)
}

// finalizeOrReopen makes the results final if all checks pass, or reopens them.
func (s *site) finalizeOrReopen(w http.ResponseWriter, r *web.Request) error {
	c, do, reason := access.Of(r).Contest, r.PostFormValue("do"), r.Field("why")
	switch do {
	case "final":
		if !c.Finalized.IsZero() {
			return web.Redirect(w, r, "/c/"+c.Slug+"/finalize")
		}
		return s.finalizeContest(w, r)
	case "open":
		if reason == "" {
			return web.BadRequest("Enter a reason to reopen the results")
		}
		c.Finalized = time.Time{}
	default:
		return web.BadRequest("Unknown action: reload the page and try again")
	}
	if err := s.Store.SetContest(r.Context(), c, nil); err != nil {
		return err
	}
	return s.AuditAndRedirect(w, r, "results open again", c.Slug, reason, "/c/"+c.Slug+"/finalize")
}

// finalizeContest makes the results final if all checks pass.
func (s *site) finalizeContest(w http.ResponseWriter, r *web.Request) error {
	c := access.Of(r).Contest
	var fieldErrors web.FieldErrors
	b, approver := r.Field("b"), r.Field("by")
	bronze := fieldErrors.ReadNumber("b", b, "bronze medals", 0, 0, maxBronze)
	if approver == "" {
		fieldErrors.Add("by", "Enter the name of the person who approves the results.")
	}
	page := func(code int) error {
		v, err := s.runChecks(r)
		if err != nil {
			return err
		}
		v.B, v.By, v.Errors = b, approver, fieldErrors
		return s.RenderPage(w, r, code, "finalize", "Final results", v)
	}
	if len(fieldErrors) > 0 {
		return page(http.StatusBadRequest)
	}
	c.FinalB, c.FinalBy = int(bronze), approver
	compared, err := s.compareWithPrimary(r)
	if err != nil {
		return err
	}
	err = s.Store.Finalize(r.Context(), c, compared)
	if errors.Is(err, store.ErrNotReady) {
		return page(http.StatusConflict)
	}
	if err != nil {
		return err
	}
	if err := s.Scoreboards.Refresh(r.Context(), c.ID); err != nil {
		return err
	}
	return s.AuditAndRedirect(
		w, r, "results final", c.Slug,
		fmt.Sprintf("approved by %s, %s", approver, web.CountText(c.FinalB, "further bronze medal", "further bronze medals")),
		"/c/"+c.Slug+"/finalize",
	)
}
