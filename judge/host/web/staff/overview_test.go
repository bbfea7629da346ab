package staff_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/webtest"
)

// TestOverview checks that the jury sees what needs attention in a contest, and that contestants see their rank.
func TestOverview(t *testing.T) {
	h := webtest.New(t)
	now := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	h.Contest("empty", time.Hour, store.VisibilityAccounts, store.Settings{})
	h.Contest("past", -2*time.Hour, store.VisibilityAccounts, store.Settings{})
	admin, judges, ada := h.Cookie("admin"), h.Cookie("judge"), h.Cookie("ada")
	overview := func(cookie, slug string) string {
		t.Helper()
		got := h.Fetch(cookie, "GET", "/c/"+slug+"/overview", nil)
		webtest.CheckHTML(t, "the overview of "+slug, got.Body)
		return webtest.Text(got.Body)
	}
	says := func(what, page string, want ...string) {
		t.Helper()
		for _, one := range want {
			no, is := strings.CutPrefix(one, "not ")
			if strings.Contains(page, no) == is {
				t.Errorf("%s: %q in\n%s", what, one, page)
			}
		}
	}
	says("nothing happened", overview(admin, "now"), "No worker is online", "not Judge error on", "not unanswered",
		"not results are not final", "No submissions yet",
		"Blocks the final results", "The contest has not ended", "Last backup off", "Contest time 0:0")
	says("it has ended", overview(admin, "past"), "The results are not final", "Finalize results")
	says("a jury that does not finalize", overview(judges, "past"), "not The results are not final", "not Extend time",
		"not Blocks the final results")
	says("nothing blocks", overview(admin, "past"), "not Blocks the final results", "Contest time 1:00:00 of 1 h")
	says("before the start", overview(admin, "empty"), "not Blocks the final results", "not Contest time",
		"not The contest has no problems", "Problem A")
	none := &store.Contest{Slug: "none", Name: "None", Format: store.ICPC, Starts: time.Now().Add(time.Hour), Length: time.Hour,
		Visibility: store.VisibilityJury}
	if err := h.Store.NewContest(t.Context(), none, nil); err != nil {
		t.Fatal(err)
	}
	says("without problems", overview(admin, "none"), "The contest has no problems")
	says("a jury that does not edit", overview(judges, "none"), "not The contest has no problems")
	h.BackupState = web.Backups{On: true, Last: time.Now().Add(-27 * time.Hour)}
	says("an old backup", overview(admin, "now"), "failed or too old")
	h.BackupState.Last = time.Now()
	says("a backup", overview(admin, "now"), "not failed or too old", "not Last backup off")

	h.RecordJudgement(h.Submit(now, "ada"), webtest.AcceptedEvents()...)
	broken := webtest.FailingEvents()
	broken[len(broken)-1] = &judge.Finished{Verdict: judge.JudgeError, Judged: 2, Cases: 2}
	h.RecordJudgement(h.Submit(now, "bob"), broken...)
	h.Clarify(now, store.NewClarification{Text: "why?"}, "ada")
	says("much happened", overview(judges, "now"), "Judge error on submission 2", "1 clarification request unanswered",
		"not No submissions yet",
		"Judge errors 1", "Unanswered 1", "Pending 0", "Workers disagree 0", "Oldest -")
	sub := webtest.Must[[]*store.Submission](t)(h.Store.Submissions(t.Context(), store.SubmissionFilter{Contest: now.ID, Number: 1}))[0]
	if err := h.Store.Audit(t.Context(), store.AuditEntry{Actor: "audit", Action: "workers disagree", Object: sub.ID}); err != nil {
		t.Fatal(err)
	}
	says("workers disagree", overview(judges, "now"), "Workers disagree 1 #1")
	says("what blocks", overview(admin, "now"), "Judge error on submission 2 blocks the final results",
		"1 clarification request unanswered blocks the final results",
		"Also blocks the final results 1", "The contest has not ended", "not has a judge error", "not request is unanswered",
		"not Further submissions have")
	says("a jury that does not finalize", overview(judges, "now"), "not blocks the final results")
	for range 5 {
		h.RecordJudgement(h.Submit(now, "bob"), broken...)
	}
	says("many judge errors", overview(judges, "now"), "Judge error on submission 7", "not Judge error on submission 2",
		"Further submissions have a judge error", "Judge errors 6")

	says("no problem is paused", overview(judges, "now"), "not is paused", "not Pause judging", "not A rejudging waits", "Solved by")
	if err := h.Store.SetPaused(t.Context(), now.ID, "A", true); err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.Store.Rejudge(t.Context(),
		store.NewRejudging{Filter: store.SubmissionFilter{Contest: now.ID}, Why: "x", Account: h.Accounts["admin"].ID}); err != nil {
		t.Fatal(err)
	}
	says("a paused problem and a rejudging", overview(judges, "now"), "Judging of problem A is paused", "A rejudging waits for a decision",
		"not Pause judging", "not Resume judging of A")
	says("an administrator", overview(admin, "now"), "Resume judging of A", "A rejudging waits for a decision")

	stands := func() string { return webtest.Text(h.Fetch(ada, "GET", "/c/now", nil).Body) }
	for deadline := time.Now().Add(2 * time.Minute); !strings.Contains(stands(), "rank 1 of 2, 1 solved") && time.Now().Before(deadline); {
		time.Sleep(100 * time.Millisecond)
	}
	says("a contestant", stands(), "rank 1 of 2, 1 solved", "1 submission ", "1 of 2")
	says("the start page", webtest.Text(h.Fetch(ada, "GET", "/", nil).Body), "1 running, 1 upcoming, 1 past", "rank 1 of 2, 1 solved")
	if got := h.Fetch(h.Cookie("admin"), "GET", "/c/now", nil).Body; strings.Contains(got, "rank 1") {
		t.Error("an administrator without a team has a rank")
	}
}

// TestWhenFrozen checks that the home page and the overview say when the scoreboard freezes or since when it is
// frozen, and do not mention the freeze after it is unfrozen.
func TestWhenFrozen(t *testing.T) {
	for _, passed := range []time.Duration{45 * time.Minute, 65 * time.Minute} { // during the contest and after it
		h := webtest.New(t)
		admin := h.Cookie("admin")
		c := h.Contest("now", -30*time.Minute, store.VisibilityAccounts, store.Settings{})
		c.Freeze = 40 * time.Minute
		from := c.Starts.Add(10 * time.Minute).Truncate(time.Second)
		c.Settings.Removed = []store.Interval{{From: from, To: from.Add(2 * time.Minute)}} // which moves the freeze
		if err := h.Store.SetContest(t.Context(), c, nil); err != nil {
			t.Fatal(err)
		}
		says := func(path, want string, no ...string) {
			t.Helper()
			page := h.Fetch(admin, "GET", path, nil).Body
			if !strings.Contains(page, want) {
				t.Errorf("%s does not say %q:\n%s", path, want, page)
			}
			for _, no := range no {
				if strings.Contains(page, no) {
					t.Errorf("%s says %q:\n%s", path, no, page)
				}
			}
		}
		says("/", "freezes at <time", "frozen since")
		says("/c/now/scoreboard", "The scoreboard freezes at 0:40:00, 20 minutes before the end.", "frozen")
		says("/c/now/overview", `freezes at <time datetime="`+c.Starts.Add(42*time.Minute).UTC().Format(time.RFC3339), "frozen since")
		h.Advance(passed - 30*time.Minute)
		says("/c/now/overview", "frozen since <time", "freezes at")
		if passed < time.Hour {
			says("/", "frozen since <time", "freezes at")
		}
		if got := h.Fetch(admin, "POST", "/c/now/scoreboard",
			url.Values{"do": {"unfreeze"}, "sure-password": {"correct-horse"}}); got.Code != 303 {
			t.Fatalf("unfreeze: %d\n%s", got.Code, got.Body)
		}
		says("/c/now/overview", `class="done"`, "freezes at", "frozen since", `class="frozen"`)
	}
}
