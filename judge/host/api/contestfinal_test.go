package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// TestManagedAwards checks that clients can set an award that is turned off or whose teams an administrator sets.
// The server must not compute an award that a client has deleted.
func TestManagedAwards(t *testing.T) {
	h := newHarness(t)
	id := h.regional(time.Now().Add(-time.Hour), store.VisibilityPublic)
	const path = "/api/2026-01/contests/wf/awards"
	ask := func(who, method, id, body string, code int, want string) {
		t.Helper()
		answer, said := h.send(who, method, path+id, "application/json", body)
		if answer.StatusCode != code || !strings.Contains(said, want) {
			t.Errorf("%s %s of %s by %s: %d %s, want %d with %s", method, id, body, who, answer.StatusCode, said, code, want)
		}
	}
	set := func(change func(s *store.Settings)) {
		t.Helper()
		c, err := h.store.Contest(t.Context(), id)
		if err == nil {
			change(&c.Settings)
			err = h.store.SetContest(t.Context(), c, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, method := range []string{"PUT", "PATCH", "DELETE"} {
		ask("admin", method, "/winner", `{"citation": "I", "team_ids": ["7"]}`, 403, "turn it off")
	}
	set(func(s *store.Settings) { s.AwardsOff = []string{"winner"} })
	ask("anonymous", "GET", "/winner", "", 404, "no such")
	ask("admin", "DELETE", "/winner", "", 404, "no such")
	ask("admin", "PATCH", "/winner", `{"citation": "I"}`, 404, "no such")
	ask("admin", "PUT", "/winner", `{"citation": "I", "team_ids": ["7", "8"]}`, 200, `"team_ids":["7","8"]`)
	ask("anonymous", "GET", "/winner", "", 200, `{"id":"winner","citation":"I","team_ids":["7"]}`)
	ask("admin", "PATCH", "/winner", `{"citation": null}`, 400, "cannot be null")
	ask("admin", "PATCH", "/winner", `{"team_ids": null}`, 400, "cannot be null")
	ask("admin", "PATCH", "/winner", `{"id": "loser", "citation": "II"}`, 409, "not that of the address")
	ask("admin", "PATCH", "/winner", `{"citation": "II"}`, 200, `"citation":"II"`)
	ask("publish", "PATCH", "/winner", `{"citation": "III"}`, 403, "administrators")
	ask("admin", "DELETE", "/winner", "", 204, "")
	ask("anonymous", "GET", "/winner", "", 404, "no such")
	set(func(s *store.Settings) { s.AwardsOff, s.Citations = nil, map[string]string{"winner": "Champion"} })
	ask("anonymous", "GET", "/winner", "", 200, `{"id":"winner","citation":"Champion","team_ids":[]}`)
	set(func(s *store.Settings) {
		s.Awards = []store.CustomAward{{ID: "gold-medal", Citation: "Gold", Teams: []string{"7"}},
			{ID: "first-to-solve-sum-2026", Citation: "First", Teams: []string{"7"}}}
	})
	ask("anonymous", "GET", "/gold-medal", "", 200, `"team_ids":["7"]`)
	ask("admin", "DELETE", "/gold-medal", "", 204, "")
	ask("admin", "GET", "/gold-medal", "", 404, "no such") // the server does not compute it again
	c, err := h.store.Contest(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	c.Freeze = 10 * time.Minute // frozen now
	if err := h.store.SetContest(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	ask("anonymous", "GET", "/first-to-solve-sum-2026", "", 200, `"team_ids":null`) // the jury may know what the public does not
	ask("publish", "GET", "/first-to-solve-sum-2026", "", 200, `"team_ids":["7"]`)
	c.Starts = time.Now().Add(time.Hour)
	if err := h.store.SetContest(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	ask("anonymous", "GET", "/first-to-solve-sum-2026", "", 404, "no such") // the award names a problem
}

// TestNothingChangesAfterTheEnd checks that all writes are rejected once the results are final and public.
func TestNothingChangesAfterTheEnd(t *testing.T) {
	h := newHarness(t)
	id := h.regional(time.Now().Add(-6*time.Hour), store.VisibilityPublic)
	h.speaking()
	c, err := h.store.Contest(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.store.Finalize(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	const path = "/api/2026-01/contests/wf"
	ago := time.Now().Add(-5 * time.Hour).UTC().Format(`"2006-01-02T15:04:05Z"`)
	submission := fmt.Sprintf(`{"problem_id": "sum-2026", "language_id": "sh", "team_id": "7", "time": %s, "files": [{"data": %q}]}`, ago,
		archiveSchema("a.sh", "x"))
	writes := []struct{ who, method, path, body string }{
		{"admin", "PUT", "/awards/fun", `{"citation": "Fun", "team_ids": []}`},
		{"admin", "POST", "/awards", `{"citation": "Fun", "team_ids": []}`},
		{"admin", "PATCH", "/awards/fun", `{"citation": "More fun"}`}, {"admin", "DELETE", "/awards/fun", ""},
		{"admin", "POST", "/submissions", submission}, {"admin", "PUT", "/submissions/late", submission},
		{"publish", "POST", "/clarifications", `{"text": "Hi."}`}, {"admin", "PATCH", "", `{"id": "wf", "start_time": null}`},
	}
	for _, one := range writes[:3] { // the scoreboard is still frozen
		if answer, said := h.send(one.who, one.method, path+one.path, "application/json", one.body); answer.StatusCode != 200 {
			t.Errorf("%s %s before the thaw: %d %s", one.method, one.path, answer.StatusCode, said)
		}
	}
	thaw := `{"id": "wf", "scoreboard_thaw_time": ` + time.Now().Add(-time.Minute).UTC().Format(`"2006-01-02T15:04:05Z"`) + `}`
	if answer, said := h.send("admin", "PATCH", path, "application/json", thaw); answer.StatusCode != 200 {
		t.Fatalf("the thaw: %d %s", answer.StatusCode, said)
	}
	for _, one := range writes {
		answer, said := h.send(one.who, one.method, path+one.path, "application/json", one.body)
		if answer.StatusCode != 409 || !strings.Contains(said, "final and public") {
			t.Errorf("%s %s: %d %s", one.method, one.path, answer.StatusCode, said)
		}
	}
	_, said := h.send("anonymous", "GET", path+"/event-feed?stream=false", "", "")
	lines := strings.Split(strings.TrimSpace(said), "\n")
	if last := lines[len(lines)-1]; !strings.Contains(last, `"type":"state"`) || strings.Contains(last, `"end_of_updates":null`) {
		t.Errorf("the feed ends with %s", last)
	}
	if answer, _ := h.send("anonymous", "POST", path+"/clarifications", "application/json", `{"text": "Hi."}`); answer.StatusCode != 401 {
		t.Errorf("the anonymous caller is answered %d", answer.StatusCode)
	}
}

// TestVerifiedVerdicts checks that no request reveals a verdict to contestants before a judge has verified it.
func TestVerifiedVerdicts(t *testing.T) {
	h := newHarness(t)
	id := h.regional(time.Now().Add(-time.Hour), store.VisibilityPublic)
	h.speaking()
	if err := h.store.SetVerify(t.Context(), id, "A", store.VerifyBefore); err != nil {
		t.Fatal(err)
	}
	const path = "/api/2026-01/contests/wf/"
	body := fmt.Sprintf(`{"problem_id": "sum-2026", "language_id": "sh", "files": [{"data": %q}]}`, archiveSchema("a.sh", "x"))
	if answer, said := h.send("submit", "POST", path+"submissions", "application/json", body); answer.StatusCode != 200 {
		t.Fatal(said)
	}
	specs, err := h.store.NextJobs(t.Context(), job.ContestPriority, "main", 1)
	if err != nil || len(specs) != 1 {
		t.Fatal(specs, err)
	}
	waiting, err := h.store.LatestSubmissions(t.Context(), "", "", "", 1)
	if err != nil || len(waiting) != 1 {
		t.Fatal(waiting, err)
	}
	if _, said := h.ask("submit", "GET", "/v1/submissions/"+waiting[0].ID, nil); !strings.Contains(said, `"state":"waiting"`) {
		t.Errorf("no worker has it, and the answer is %s", said)
	}
	r := &job.Result{Job: specs[0].ID, Generation: 1, Token: specs[0].Token, Worker: "w", State: job.Done,
		Finished: &judge.Finished{Verdict: judge.Accepted}, Rows: []job.CaseRow{{Case: "secret/1", Verdict: judge.Accepted}}}
	folded, err := h.store.RecordResult(t.Context(), r, "")
	if err != nil {
		t.Fatal(err)
	}
	sub := folded.Submission
	secret := []string{"judgements", "runs", "scoreboard", "awards", "event-feed?stream=false"}
	see := func(known bool) {
		t.Helper()
		for _, who := range []string{"anonymous", "submit", "publish", "admin"} {
			knows := known || who == "publish" || who == "admin"
			var all strings.Builder
			for _, where := range secret {
				_, said := h.send(who, "GET", path+where, "", "")
				all.WriteString(said)
			}
			text := all.String()
			if tells := strings.Contains(text, `"judgement_type_id":"AC"`) || strings.Contains(text, `"solved":true,"time"`); tells != knows {
				t.Errorf("%s knows the verdict: %v\n%s", who, tells, text)
			}
			if who != "submit" {
				continue
			}
			for _, v1 := range []string{"/v1/submissions/" + sub, "/v1/submissions"} {
				state := map[bool]string{false: `"state":"running"`, true: `"state":"done"`}[known]
				if _, said := h.ask(who, "GET", v1, nil); strings.Contains(said, `"AC"`) != known || !strings.Contains(said, state) {
					t.Errorf("%s answers %s; want %s", v1, said, state)
				}
			}
		}
	}
	see(false)
	if _, said := h.send("anonymous", "GET", path+"judgements", "", ""); !strings.Contains(said, `"current":true`) {
		t.Errorf("there is no pending judgement: %s", said)
	}
	s, err := h.store.Submission(t.Context(), sub)
	if err != nil {
		t.Fatal(err)
	}
	by, err := h.store.AccountByLogin(t.Context(), "publish")
	if err != nil {
		t.Fatal(err)
	}
	if err := h.store.Verify(t.Context(), sub, by.ID, store.Verification{OK: true, Judgement: s.Judgement}); err != nil {
		t.Fatal(err)
	}
	see(true)
}
